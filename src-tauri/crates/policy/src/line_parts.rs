//! The reading of each simple command of a shell line, for whoever wants to know which of them made Arki ask.
//!
//! It explains, and decides nothing: the verdict is on the line as a whole. A command is named here for what it does by
//! itself, so that each may be known and the line still be asked about (there is no sandbox, it wants the network, or it
//! reads what lies outside the project).

use crate::plain_shell::Word;
use crate::read_only::{self, tell_each};
use crate::wrappers::{Inside, is_shell};
use crate::{CommandLine, Shell, SimpleCommand};
use crate::{build, danger, powershell};
use arki_domain::{CommandPart, CommandReading};
use std::collections::HashSet;

/// The dangers of a line that are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dangers {
    Told,
    /// The line was known as a whole.
    LeftOut,
}

/// The simple commands of `line`, whose text is `text`, in order: those of compound commands and of `sh -c '…'` in their
/// place. The whole line where it isn't understood.
pub(crate) fn line_parts(shell: Shell, line: &CommandLine, text: &str, dangers: Dangers) -> Vec<CommandPart> {
    let Some(commands) = line.commands() else {
        let why = line.unclear().map(|unclear| unclear.english.to_owned());
        return vec![CommandPart { command: text.to_owned(), reading: CommandReading::NotUnderstood, why }];
    };
    let fed = danger::fed(&line.simple().unwrap_or_default()).filter(|_| dangers == Dangers::Told);
    let mut parts = Vec::new();
    PartsReader { shell, dangers, fed }.read(commands, &mut parts);
    if read_only::wide_reads(line, true).is_some() && shell == Shell::Bash {
        // Together they may be known where one alone isn't: what a loop or a pipe hands on.
        let unsaid = |part: &&mut CommandPart| part.reading != CommandReading::Dangerous;
        parts.iter_mut().filter(unsaid).for_each(|part| part.reading = CommandReading::OnlyReads);
    }
    parts.dedup();
    parts
}

#[derive(Clone, Copy)]
struct PartsReader<'a> {
    shell: Shell,
    dangers: Dangers,
    /// A shell or an interpreter that runs whatever is piped into it.
    fed: Option<&'a SimpleCommand>,
}

impl PartsReader<'_> {
    fn read(self, commands: &[SimpleCommand], parts: &mut Vec<CommandPart>) {
        let (reading, known) = match self.shell {
            Shell::Bash => {
                let reading = known(commands, &mut read_only::is_read_only);
                (reading, known(commands, &mut |command, wide| build::is_known(command, &mut false, wide)))
            }
            Shell::PowerShell => {
                let reads = commands.iter().filter(|command| powershell::is_known(command, &mut Vec::new()));
                (reads.map(std::ptr::from_ref).collect(), HashSet::new())
            }
        };
        self.add(
            commands,
            &|command| match std::ptr::from_ref(command) {
                place if reading.contains(&place) => CommandReading::OnlyReads,
                place if known.contains(&place) => CommandReading::BuildsOrTests,
                _ => CommandReading::NotKnown,
            },
            parts,
        );
    }

    fn add(
        self,
        commands: &[SimpleCommand],
        reading: &dyn Fn(&SimpleCommand) -> CommandReading,
        parts: &mut Vec<CommandPart>,
    ) {
        for command in commands {
            match &command.inside {
                Inside::Compound(inner) => self.add(&inner.commands, reading, parts),
                Inside::Commands(wrapped) if runs_a_line(command) && wrapped.is_transparent => {
                    self.read(&wrapped.commands, parts);
                }
                Inside::Commands(_) | Inside::Nothing | Inside::Unknown => {
                    parts.push(self.part(command, reading(command)));
                }
            }
        }
    }

    fn part(self, command: &SimpleCommand, reading: CommandReading) -> CommandPart {
        let is_fed = self.fed.is_some_and(|fed| std::ptr::eq(fed, command));
        let danger = match self.dangers {
            Dangers::Told if is_fed => Some(danger::of_fed(command)),
            Dangers::Told => danger::of_part(command),
            Dangers::LeftOut => None,
        };
        let (reading, why) = match (danger, command.unclear()) {
            (Some(danger), _) => (CommandReading::Dangerous, Some(danger.to_string())),
            (None, Some(unclear)) => (CommandReading::NotUnderstood, Some(unclear.english.to_owned())),
            (None, None) => (reading, None),
        };
        CommandPart { command: shown(command), reading, why }
    }
}

/// `sh -c 'LINE'` with nothing around it that a reader of the line alone would miss.
fn runs_a_line(command: &SimpleCommand) -> bool {
    is_shell(command.name()) && command.inputs.is_empty() && !command.steered
}

type IsKnown<'a> = dyn FnMut(&SimpleCommand, &mut Vec<crate::WideRead>) -> bool + 'a;

/// The commands that are known wherever they run, by their addresses.
fn known(commands: &[SimpleCommand], is_known: &mut IsKnown<'_>) -> HashSet<*const SimpleCommand> {
    let (mut known, mut unknown) = (HashSet::new(), HashSet::new());
    tell_each(commands, is_known, &mut |command, is_known| {
        if is_known { &mut known } else { &mut unknown }.insert(std::ptr::from_ref(command));
    });
    known.difference(&unknown).copied().collect()
}

/// Its words as a shell would read them.
pub(crate) fn shown(command: &SimpleCommand) -> String {
    let words = command.words.iter().map(quoted);
    let inputs = command.inputs.iter().map(|input| format!("< {}", quoted(input)));
    words.chain(inputs).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &Word) -> String {
    let separates = |next: char| next.is_whitespace() || "'\"\\|&;<>()".contains(next);
    let would_expand = |next: char| !word.expands && "$*?[{`~#".contains(next);
    if !word.text.is_empty() && !word.text.contains(|next| separates(next) || would_expand(next)) {
        return word.text.clone();
    }
    format!("'{}'", word.text.replace('\'', "'\\''"))
}
