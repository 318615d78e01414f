//! Commands that are known to only read.
//!
//! An allow-list of programs, each with the options that have it do more (`programs.txt`). Paths in front of a program's
//! name are not known: any program could lie there. Nor are programs whose plain-looking arguments are code (`test -v
//! 'a[$(…)]'`; of `awk` and `sed` only what plainly prints).
//!
//! All this decides what is asked about, not what can be written: such a command runs with a project that is read-only,
//! so that a mistake here is a wrong read at worst. Where there is no sandbox, less is taken for reading (`is_plain`), and
//! the project is imaged before it as before any other command.
//!
//! Reading can still meet a file of secrets that the line does not name: below a folder, or by a pattern. And what it
//! names may lie outside the project. Those reads are told (`WideRead`), so that whoever has the files at hand can look.

mod git;
mod places;
mod programs;
mod scripts;
mod working_dirs;

pub(super) use places::texts;
pub(super) use programs::is_named;
#[cfg(all(test, target_os = "linux"))]
pub(super) use programs::tables;
pub(super) use scripts::end_of_exec;

use super::command_line::is_harmless;
use super::plain_shell::Word;
use super::wide_read::{WideRead, joined};
use super::word_list::is_in;
use super::wrappers::{self, Inside};
use super::{CommandLine, SimpleCommand, file_words, flags};

pub(super) use working_dirs::{each_command, tell_each};

/// Returns which wide reads the line makes; `None` where it is not known to only read.
pub(super) fn wide_reads(line: &CommandLine, sandboxed: bool) -> Option<Vec<WideRead>> {
    if is_lost(line) {
        return None;
    }
    each_command(line.commands()?, &mut |command, wide| match sandboxed {
        true => is_read_only(command, wide),
        false => reads_without_sandbox(command, wide),
    })
}

/// Returns whether it is known to only read where nothing else sees to it.
pub(super) fn reads_without_sandbox(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    is_read_only(command, wide) && stays_inside(command) && is_plain(command)
}

/// Returns whether it only reads, and nothing in it is a script in a language of its own.
pub(super) fn reads_plainly(command: &SimpleCommand) -> bool {
    is_read_only(command, &mut Vec::new()) && is_plain(command)
}

/// Returns whether it names places of which nobody knows here where they are.
pub(super) fn is_lost(line: &CommandLine) -> bool {
    let all = line.all();
    let mut words = all.iter().flat_map(|command| command.words.iter().chain(&command.inputs));
    words.any(|word| is_unknown_place(&word.text)) || !file_words::follows(line)
}

/// Returns whether nothing in it is a script in a language of its own, which could be read otherwise than it is meant.
/// Where no sandbox sees to it that the project stays as it is, nothing else is taken for reading.
fn is_plain(command: &SimpleCommand) -> bool {
    let is_script = match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" => true,
        "sed" => !scripts::sed_picks_lines(command.arguments()),
        _ => tells_of_itself(command) && programs::program_of(command).is_none(),
    };
    // A name that a pattern stands for may be an option.
    let may_be_option = |word: &Word| word.expands && word.text.starts_with(['*', '?', '[', '{', '-']);
    match &command.inside {
        _ if hands_on(command) => false,
        Inside::Nothing => !is_script && !command.arguments().iter().any(may_be_option),
        Inside::Commands(wrapped) => wrapped.commands.iter().all(is_plain),
        Inside::Compound(_) | Inside::Unknown => false,
    }
}

/// Returns whether it is given words that nobody knows here, or gives others such ones. Only where the project is
/// read-only is it sure that no such word has it write.
pub(super) fn hands_on(command: &SimpleCommand) -> bool {
    let within = match &command.inside {
        Inside::Commands(_) if matches!(command.name(), "find" | "xargs") => true,
        Inside::Commands(wrapped) => wrapped.commands.iter().any(hands_on),
        Inside::Compound(inner) => inner.commands.iter().any(hands_on),
        Inside::Nothing | Inside::Unknown => false,
    };
    command.open_ended || within
}

pub(super) fn is_read_only(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    match &command.inside {
        _ if command.steered => false,
        Inside::Nothing => is_known(command, wide),
        // Whoever follows the line looks into compound commands.
        Inside::Compound(_) | Inside::Unknown => false,
        Inside::Commands(wrapped) if command.name() == "find" => {
            wide.push(WideRead::Unnamed);
            places::named_by(command, wide);
            tells(command) && wrapped.commands.iter().all(|inner| is_read_only(&without_found(inner), wide))
        }
        Inside::Commands(wrapped) if wrappers::is_shell(command.name()) => {
            places::inputs_of(command, wide);
            let found = each_command(&wrapped.commands, &mut is_read_only).filter(|_| wrapped.is_transparent);
            wide.extend(found.iter().flatten().cloned());
            found.is_some()
        }
        Inside::Commands(wrapped) => {
            places::inputs_of(command, wide);
            let limited = |inner: &SimpleCommand| {
                if command.name() == "timeout" { following_no_more(inner) } else { inner.clone() }
            };
            let is_told = |inner: &SimpleCommand| command.name() != "xargs" || !wrappers::is_shell(inner.name());
            wrapped.is_transparent
                && wrapped
                    .commands
                    .iter()
                    .all(|inner| inner.name() != "cd" && is_told(inner) && is_read_only(&limited(inner), wide))
        }
    }
}

/// Returns the command that `find` runs, without the place of a file that it hands on.
fn without_found(inner: &SimpleCommand) -> SimpleCommand {
    let words = inner.words.iter().filter(|word| word.text != "{}").cloned().collect();
    SimpleCommand { words, open_ended: false, ..inner.clone() }
}

/// `tail -f`, of which somebody else sees the end.
fn following_no_more(command: &SimpleCommand) -> SimpleCommand {
    let is_follow = |word: &&Word| command.name() != "tail" || !matches!(word.text.as_str(), "-f" | "-F" | "--follow");
    SimpleCommand { words: command.words.iter().filter(is_follow).cloned().collect(), ..command.clone() }
}

fn is_known(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    if let Some((folder, command)) = git::in_folder(command) {
        let mut reads = vec![WideRead::Folder(".".to_owned()), WideRead::Repository(".".to_owned())];
        if folder == "." {
            reads.clear();
        }
        let is_known = is_known(&command, &mut reads);
        wide.extend(reads.into_iter().map(|read| read.from(&folder)));
        return is_known;
    }
    if !tells(command) {
        return false;
    }
    places::named_by(command, wide);
    if git::shows_what_it_keeps(command) {
        wide.push(WideRead::Kept);
    }
    let stands_for_files = |word: &Word| word.expands && !word.variable && !flags::is_filter(word);
    if command.open_ended || command.arguments().iter().any(stands_for_files) {
        wide.push(WideRead::Unnamed);
    }
    true
}

fn tells(command: &SimpleCommand) -> bool {
    let arguments = command.arguments();
    match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk_only_prints(arguments),
        "sed" => scripts::sed_only_prints(arguments),
        "[" | "[[" | "printf" | "test" => scripts::evaluates_nothing(command),
        "cd" => matches!(arguments, [folder] if !folder.text.starts_with('-')),
        // Anything else sets the clock.
        "date" => scripts::date_only_tells(arguments),
        "export" if !arguments.is_empty() => arguments.iter().all(is_harmless),
        _ if tells_of_itself(command) => true,
        _ => programs::program_of(command)
            .is_some_and(|(program, words)| program.takes(&command.words[words..], command.open_ended)),
    }
}

/// Programs of the system that print their version and how they are used, besides those that are known to read.
const SPEAKING: &str = "ansible aws autoconf automake cc clang clang++ curl docker ffmpeg g++ gh ghc helm julia \
    kotlin kubectl ld lua nasm nginx nvcc ocaml perl protoc psql rust-analyzer sed sqlite3 swift valgrind vim wget \
    zsh";

/// Programs that explain the use of each of their parts.
const EXPLAINING_PARTS: &str = "cargo docker dotnet gh go helm kubectl npm pip pip3 poetry ruff rustup uv";

/// Returns whether a program of the system tells its version or its use. What builds has the project say which version
/// of it runs, or with which agents and plugins: it runs the project's code, as building does.
fn tells_of_itself(command: &SimpleCommand) -> bool {
    let name = command.name();
    asks_for_version(command) && !super::build::has(name) && (is_in(SPEAKING, name) || programs::has(name))
}

/// `cargo --version`, `cargo test --help`.
pub(super) fn asks_for_version(command: &SimpleCommand) -> bool {
    let is_plain = |word: &Word| {
        let runs = ["exec", "help", "run", "x", "dlx"].contains(&word.text.as_str());
        word.text.chars().all(|next| next.is_ascii_lowercase() || next == '-') && !word.text.starts_with('-') && !runs
    };
    match command.arguments() {
        [only] => matches!(only.text.as_str(), "--help" | "--version"),
        // Of an interpreter, the word before would be a script.
        [part, last] => last.text == "--help" && is_plain(part) && is_in(EXPLAINING_PARTS, command.name()),
        _ => false,
    }
}

fn stays_inside(command: &SimpleCommand) -> bool {
    command.arguments().iter().chain(&command.inputs).all(|argument| {
        let value = argument.text.rsplit('=').next().unwrap_or_default();
        // A path may be attached to a short option.
        let attached = argument.text.starts_with('-') && !argument.text.starts_with("--") && value.contains('/');
        !attached
            && !value.starts_with(['/', '~'])
            && argument.text.split(['/', '=', ':', ',']).all(|part| part != "..")
    })
}

fn is_unknown_place(path: &str) -> bool {
    let is_unknown_home = path.strip_prefix('~').is_some_and(|rest| !(rest.is_empty() || rest.starts_with('/')));
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_of_process = path.starts_with('/')
        && parts.next() == Some("proc")
        && parts.next().is_none_or(|name| matches!(name, "self" | "thread-self" | "..") || is_number(name));
    is_unknown_home || is_of_process
}
