//! From which folders a line's commands run: `cd`, and what it depends on whether it was carried out.

use super::super::SimpleCommand;
use super::super::file_words::without_dots;
use super::super::plain_shell::{Joint, Word};
use super::{WideRead, handed_on, joined};

/// So many places at once are not followed.
const MAX_STATES: usize = 16;

/// Where the shell is, and whether what it ran last went well.
#[derive(Clone, PartialEq, Eq)]
struct State {
    folder: String,
    is_well: bool,
}

/// What each of the commands reads, from wherever it may run; `None` where one is not `known`.
pub(in super::super) fn each_command(
    commands: &[SimpleCommand],
    known: &mut dyn FnMut(&SimpleCommand, &mut Vec<WideRead>) -> bool,
) -> Option<Vec<WideRead>> {
    let mut states = vec![State { folder: ".".to_owned(), is_well: true }];
    let mut wide = Vec::new();
    for (place, command) in commands.iter().enumerate() {
        let is_piped =
            command.joint == Joint::Pipe || commands.get(place + 1).is_some_and(|next| next.joint == Joint::Pipe);
        let runs = |state: &State| match command.joint {
            Joint::Then | Joint::Perhaps | Joint::Pipe => true,
            Joint::And => state.is_well,
            Joint::Or => !state.is_well,
        };
        let (running, mut after): (Vec<State>, Vec<State>) = states.into_iter().partition(runs);
        let both = |state: &State| [true, false].map(|is_well| State { is_well, ..state.clone() });
        let goes_to = if command.name() == "cd" { Some(folder_of(command)?) } else { None };
        if goes_to.is_none() || is_piped || command.joint == Joint::Perhaps {
            after.extend(running.iter().flat_map(both));
        }
        let mut reads = Vec::new();
        match goes_to {
            Some(folder) => {
                for state in &running {
                    let folder = joined(&state.folder, &folder);
                    wide.push(WideRead::Folder(folder.clone()));
                    after.push(State { folder: without_dots(&folder), is_well: true });
                }
            }
            None if !(handed_on::reads_what_is_listed(commands, place, &mut reads) || known(command, &mut reads)) => {
                return None;
            }
            None => {
                for (number, state) in running.iter().enumerate() {
                    if running[..number].iter().all(|other| other.folder != state.folder) {
                        wide.extend(reads.iter().map(|read| read.clone().from(&state.folder)));
                        let asks_git = command.name() == "git" && state.folder != ".";
                        wide.extend(asks_git.then(|| WideRead::Repository(state.folder.clone())));
                    }
                }
            }
        }
        states = Vec::new();
        after.into_iter().for_each(|state| {
            if !states.contains(&state) {
                states.push(state)
            }
        });
        if states.len() > MAX_STATES {
            return None;
        }
    }
    wide.retain(|read| *read != WideRead::Inside(".".to_owned()));
    wide.dedup();
    Some(wide)
}

/// Only where it is said plainly.
fn folder_of(command: &SimpleCommand) -> Option<String> {
    let arguments = match command.arguments() {
        [first, rest @ ..] if first.text == "--" => rest,
        arguments => arguments,
    };
    let is_unclear =
        |word: &Word| word.expands || word.text.starts_with('-') || (word.quoted && word.text.starts_with('~'));
    match arguments {
        [folder] if command.inputs.is_empty() => Some(folder.text.clone()).filter(|_| !is_unclear(folder)),
        _ => None,
    }
}
