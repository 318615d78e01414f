//! The folders in which a line's commands run: `cd`, and what depends on whether it was carried out.

use super::super::SimpleCommand;
use super::super::compound::Order;
use super::super::file_words::without_dots;
use super::super::plain_shell::{Joint, Word};
use super::super::wrappers::Inside;
use super::{WideRead, joined, places};

/// The limit for the places that are followed at once.
const MAX_STATES: usize = 16;

/// The shell's folder, and whether the last command went well.
#[derive(Clone, PartialEq, Eq)]
struct ShellState {
    folder: String,
    is_well: bool,
}

type ReadingCheck<'a> = dyn FnMut(&SimpleCommand, &mut Vec<WideRead>) -> bool + 'a;

/// Returns what each of the commands reads, from wherever it may run; `None` where one is not `known`.
pub(in super::super) fn each_command(
    commands: &[SimpleCommand],
    known: &mut ReadingCheck<'_>,
) -> Option<Vec<WideRead>> {
    let mut walk = ShellWalk { known, wide: Vec::new(), told: None };
    walk.in_order(commands, vec![ShellState::first()])?;
    let mut wide = walk.wide;
    let is_whole = |read: &WideRead| matches!(read, WideRead::Inside(path) | WideRead::OwnFolder(path) if path == ".");
    wide.retain(|read| !is_whole(read));
    Some(wide)
}

/// Tells of each simple command whether it is `known` in its place: of all that can be followed, those behind one that
/// isn't known too, and of those in loops more than once.
pub(in super::super) fn tell_each(
    commands: &[SimpleCommand],
    known: &mut ReadingCheck<'_>,
    told: &mut CommandListener<'_>,
) {
    let mut walk = ShellWalk { known, wide: Vec::new(), told: Some(told) };
    let _ = walk.in_order(commands, vec![ShellState::first()]);
}

type CommandListener<'a> = dyn FnMut(&SimpleCommand, bool) + 'a;

struct ShellWalk<'a, 'b> {
    known: &'a mut ReadingCheck<'b>,
    wide: Vec<WideRead>,
    /// Hears of each command, and has the walk go on behind one that is not known.
    told: Option<&'a mut CommandListener<'b>>,
}

impl ShellWalk<'_, '_> {
    /// One after another; to where that leads.
    fn in_order(&mut self, commands: &[SimpleCommand], mut states: Vec<ShellState>) -> Option<Vec<ShellState>> {
        for (place, command) in commands.iter().enumerate() {
            let runs = |state: &ShellState| match command.joint {
                Joint::Then | Joint::Pipe => true,
                Joint::And => state.is_well,
                Joint::Or => !state.is_well,
            };
            let (running, mut after): (Vec<ShellState>, Vec<ShellState>) = states.into_iter().partition(runs);
            after.extend(self.one(commands, place, &running)?);
            states = Vec::new();
            add(after, &mut states)?;
        }
        Some(states)
    }

    /// Each may be left out, and where it is a loop, all of it may come again.
    fn in_part(&mut self, commands: &[SimpleCommand], running: &[ShellState], order: Order) -> Option<Vec<ShellState>> {
        let mut reached = Vec::new();
        add(both(running), &mut reached)?;
        loop {
            let before = reached.len();
            for place in 0..commands.len() {
                let after = self.one(commands, place, &reached.clone())?;
                add(both(&after), &mut reached)?;
            }
            if order != Order::Loop || reached.len() == before {
                return Some(reached);
            }
        }
    }

    /// Returns where the shell may be after the command at `place`, where it may be in one of these before.
    fn one(&mut self, commands: &[SimpleCommand], place: usize, running: &[ShellState]) -> Option<Vec<ShellState>> {
        let after = self.after(commands, place, running);
        let Some(told) = &mut self.told else { return after };
        if !matches!(commands[place].inside, Inside::Compound(_)) {
            told(&commands[place], after.is_some());
        }
        Some(after.unwrap_or_else(|| both(running)))
    }

    /// The same; `None` where the command is not known.
    fn after(&mut self, commands: &[SimpleCommand], place: usize, running: &[ShellState]) -> Option<Vec<ShellState>> {
        let command = &commands[place];
        let is_piped =
            command.joint == Joint::Pipe || commands.get(place + 1).is_some_and(|next| next.joint == Joint::Pipe);
        let mut reads = Vec::new();
        if let Inside::Compound(inner) = &command.inside {
            places::inputs_of(command, &mut reads);
            self.add_reads(&reads, running);
            let after = match inner.order {
                Order::Subshell => self.in_order(&inner.commands, running.to_vec()).map(|_| both(running)),
                Order::Branches | Order::Loop => self.in_part(&inner.commands, running, inner.order),
            };
            return after.map(|after| if is_piped { both(running) } else { after });
        }
        if command.name() == "cd" {
            let to = folder_of(command)?;
            let mut after = if is_piped { both(running) } else { Vec::new() };
            for state in running {
                let folder = joined(&state.folder, &to.text);
                self.wide.push(WideRead::Folder(folder.clone()));
                after.push(ShellState { folder: without_dots(&folder), is_well: true });
            }
            return Some(after);
        }
        let is_known = (self.known)(command, &mut reads);
        let mut states = running.iter();
        if command.name() == "git" && states.any(|state| state.folder != ".") {
            reads.push(WideRead::Repository(".".to_owned()));
        }
        is_known.then(|| {
            self.add_reads(&reads, running);
            both(running)
        })
    }

    /// Adds the reads from each of the folders.
    fn add_reads(&mut self, reads: &[WideRead], running: &[ShellState]) {
        for (number, state) in running.iter().enumerate() {
            if running[..number].iter().any(|other| other.folder == state.folder) {
                continue;
            }
            for read in reads.iter().map(|read| read.clone().from(&state.folder)) {
                if !self.wide.contains(&read) {
                    self.wide.push(read);
                }
            }
        }
    }
}

impl ShellState {
    /// The state at the beginning of a line.
    fn first() -> Self {
        Self { folder: ".".to_owned(), is_well: true }
    }
}

/// Returns the states for both ends of the command, well or not.
fn both(states: &[ShellState]) -> Vec<ShellState> {
    let either = |state: &ShellState| [true, false].map(|is_well| ShellState { is_well, ..state.clone() });
    states.iter().flat_map(either).collect()
}

/// Each once, as long as they are not too many.
fn add(states: Vec<ShellState>, known: &mut Vec<ShellState>) -> Option<()> {
    for state in states {
        if !known.contains(&state) {
            known.push(state);
        }
    }
    (known.len() <= MAX_STATES).then_some(())
}

/// Only where it is said plainly, by its name.
fn folder_of(command: &SimpleCommand) -> Option<&Word> {
    let arguments = match command.arguments() {
        [first, rest @ ..] if first.text == "--" => rest,
        arguments => arguments,
    };
    let is_unclear =
        |word: &Word| word.expands || word.text.starts_with('-') || (word.quoted && word.text.starts_with('~'));
    match arguments {
        [folder] if command.inputs.is_empty() => Some(folder).filter(|_| !is_unclear(folder)),
        _ => None,
    }
}
