//! Commands that are known to only read, with the flags that keep them so.
//!
//! An allow-list twice over: of programs, and of their options; what is not on it is asked about. Paths in front of a
//! program's name are not known: any program could lie there. Nor are programs whose plain-looking arguments are code
//! (`test -v 'a[$(…)]'`; of `awk` and `sed` only what plainly prints), or whose options run others (`rg --pre`, `git
//! -c`, `sort --compress-program`).
//!
//! All this decides what is asked about, not what can be written: such a command runs with a project that is read-only,
//! so that a mistake here is a wrong read at worst. Where there is no sandbox, less is taken for reading (`is_plain`), and
//! the project is imaged before it as before any other command.
//!
//! Reading can still meet a file of secrets that the line does not name: below a folder, or by a pattern. And what it
//! names may lie outside the project. Those reads are told (`WideRead`), so that whoever has the files at hand can look.

mod developer_tools;
mod expressions;
mod places;
mod programs;
mod unix_tools;
mod working_dirs;

pub(super) use expressions::end_of_exec;
pub(super) use places::texts;
#[cfg(all(test, target_os = "linux"))]
pub(super) use programs::tables;

use super::command_line::is_harmless;
use super::flags::{self, Flag, Given};
use super::plain_shell::Word;
use super::wide_read::{WideRead, joined};
use super::wrappers::{self, Inside};
use super::{CommandLine, SimpleCommand, file_words};
use programs::{Below, Program, ReadOperands, Shows};

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
        "sed" => !expressions::sed_picks_lines(command.arguments()),
        _ => false,
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
            expressions::find_only_reads(command.arguments())
                && wrapped.commands.iter().all(|inner| is_read_only(&without_found(inner), wide))
                && places::named_by(command, wide)
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

/// A program that only tells something, but has the project say how: which toolchain, which plugins, which virtual
/// machine. It runs the project's code, as building does.
pub(super) fn tells_as_the_project_says(command: &SimpleCommand) -> bool {
    developer_tools::STEERED_BY_PROJECTS.contains(&command.name()) && tells(command, &mut Vec::new())
}

fn is_known(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    if let Some((folder, command)) = git_itself(command) {
        let mut reads = vec![WideRead::Folder(".".to_owned()), WideRead::Repository(".".to_owned())];
        if folder == "." {
            reads.clear();
        }
        let is_known = is_known(&command, &mut reads);
        wide.extend(reads.into_iter().map(|read| read.from(&folder)));
        return is_known;
    }
    !developer_tools::STEERED_BY_PROJECTS.contains(&command.name())
        && tells(command, wide)
        && places::named_by(command, wide)
}

/// `git --no-pager -C FOLDER …` as git asked there.
fn git_itself(command: &SimpleCommand) -> Option<(String, SimpleCommand)> {
    let [git, rest @ ..] = command.words.as_slice() else { return None };
    let (mut folder, mut left) = (".".to_owned(), rest);
    loop {
        left = match left {
            [option, after @ ..] if developer_tools::GIT_ALONE.contains(&option.text.as_str()) => after,
            [option, to, after @ ..] if option.text == "-C" => {
                let is_plain = !to.expands && !to.text.is_empty() && !to.text.starts_with(['-', '~']);
                folder = joined(&folder, is_plain.then_some(&to.text)?);
                after
            }
            [option, setting, after @ ..] if option.text == "-c" => {
                let name = setting.text.split('=').next().unwrap_or_default();
                let is_harmless = developer_tools::GIT_SETTINGS.contains(&name.to_ascii_lowercase().as_str());
                (is_harmless || setting.text == "core.pager=cat").then_some(after)?
            }
            left => {
                let words = || std::iter::once(git).chain(left).cloned().collect();
                let is_more = git.text == "git" && left.len() < rest.len() && !left.is_empty();
                return is_more.then(|| (folder, SimpleCommand { words: words(), ..command.clone() }));
            }
        };
    }
}

fn tells(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let arguments = command.arguments();
    if matches!(arguments, [only] if matches!(only.text.as_str(), "--version" | "--help")) {
        return says_so_itself(command.name());
    }
    if asks_for_help(command) {
        return true;
    }
    match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" => expressions::awk_only_prints(arguments) && patterns(command, wide),
        "find" => !command.open_ended && expressions::find_only_reads(arguments) && no_pattern(arguments),
        "ip" => !command.open_ended && expressions::ip_only_shows(arguments) && no_pattern(arguments),
        "export" => !command.open_ended && !arguments.is_empty() && arguments.iter().all(is_harmless),
        // Whatever it is given, it says.
        "echo" => true,
        "jq" if arguments.iter().any(|word| expressions::jq_reads_modules(&word.text)) => false,
        // `load("FILE")`
        "yq" if arguments.iter().any(|word| word.text.contains("load")) => false,
        "sed" => expressions::sed_only_reads(arguments) && patterns(command, wide),
        "tar" => !command.open_ended && expressions::tar_only_lists(arguments) && no_pattern(arguments),
        "[" | "[[" | "test" => expressions::test_only_reads(command),
        _ => {
            let Some((program, words)) = program_of(command) else { return false };
            program.takes(command, &command.words[words..], wide)
        }
    }
}

/// Asked for its version, it runs nothing of the project.
pub(super) fn says_so_itself(program: &str) -> bool {
    developer_tools::SAYS_ITS_VERSION.contains(&program)
}

/// `cargo test --help`, `go help build`
fn asks_for_help(command: &SimpleCommand) -> bool {
    let is_plain = |word: &Word| {
        let runs = ["exec", "help", "run", "x", "dlx"].contains(&word.text.as_str());
        word.text.chars().all(|next| next.is_ascii_lowercase() || next == '-') && !word.text.starts_with('-') && !runs
    };
    let words: &[Word] = match command.arguments() {
        [help, words @ ..] if help.text == "help" && command.name() != "git" => words,
        [words @ .., help] if help.text == "--help" && command.name() != "git" => words,
        _ => return false,
    };
    developer_tools::EXPLAINS_ITSELF.contains(&command.name()) && words.len() <= 3 && words.iter().all(is_plain)
}

/// The entry, and how many words its name has.
fn program_of(command: &SimpleCommand) -> Option<(&'static Program, usize)> {
    let entries = programs::all().filter(|program| is_named(program.name, &command.words));
    entries.map(|program| (program, program.name.split(' ').count())).max_by_key(|(_, words)| *words)
}

pub(super) fn is_named(name: &str, words: &[Word]) -> bool {
    let mut words = words.iter();
    name.split(' ').all(|part| words.next().is_some_and(|word| word.text == part && !word.expands))
}

impl Program {
    fn takes(&self, command: &SimpleCommand, arguments: &[Word], wide: &mut Vec<WideRead>) -> bool {
        let names_options = |word: &Word| word.text.starts_with('@');
        if unix_tools::READS_OPTIONS_FROM_FILES.contains(&self.name) && arguments.iter().any(names_options) {
            return false;
        }
        // Anything at all may follow there: one more word could be a revision of git's, or where another program writes.
        let takes_more = matches!(self.operands, ReadOperands::Any) && command.name() != "git";
        if command.open_ended && !takes_more && !unix_tools::TAKES_ANYTHING.contains(&self.name) {
            return false;
        }
        // As `compound` leaves them: where any text will do.
        let is_said = |word: &Word| word.variable && !command.open_ended;
        let in_full: Vec<Word> = match self.name.starts_with("go ") {
            true => arguments.iter().map(in_full_of_go).collect(),
            false => arguments.to_vec(),
        };
        let Some(given) = flags::given(self.short, self.long, &in_full) else { return false };
        let expands = arguments.iter().any(|word| word.expands && !is_said(word));
        let fits = match self.operands {
            ReadOperands::Any => true,
            ReadOperands::AtMost(limit) => !expands && given.operands.len() <= limit,
            ReadOperands::OneAtTheEnd => {
                let is_last = |operand: &Word| arguments.last().is_some_and(|last| last.text == operand.text);
                !expands && given.operands.len() <= 1 && given.operands.iter().all(|operand| is_last(operand))
            }
            ReadOperands::Among(words) => {
                !expands && given.operands.iter().all(|operand| words.split(' ').any(|word| word == operand.text))
            }
            ReadOperands::Checked(check) => !expands && check(&given),
        };
        if !fits {
            return false;
        }
        match self.shows {
            Shows::Names => return true,
            Shows::Contents => {}
            Shows::Kept(shows) if shows(&given) => {
                wide.push(WideRead::Kept);
                // Given what is outside, git reads folders as they are.
                let outside = given.operands.iter().filter(|word| leads_out(&word.text));
                wide.extend(outside.map(|word| WideRead::Below(word.text.clone())));
            }
            Shows::Kept(_) => {}
            Shows::Below(below) => wide.extend(below.reads(&given)),
        }
        patterns(command, wide)
    }
}

impl Below {
    fn reads(self, given: &Given<'_>) -> Vec<WideRead> {
        if self.flags.is_some_and(|flags| !given.flags.iter().any(|flag| is_among(flag, flags))) {
            return Vec::new();
        }
        let first = usize::from(self.first_is_pattern && !has_pattern_flag(given));
        match given.operands.get(first..) {
            Some(folders @ [_, ..]) => folders.iter().map(|word| WideRead::Below(word.text.clone())).collect(),
            Some([]) | None => vec![WideRead::Below(".".to_owned())],
        }
    }
}

/// `~user`, `~+`, which is the folder at hand, and what a process says of itself: the same folder, its variables.
fn is_unknown_place(path: &str) -> bool {
    let is_unknown_home = path.strip_prefix('~').is_some_and(|rest| !(rest.is_empty() || rest.starts_with('/')));
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
    let is_of_process = path.starts_with('/')
        && parts.next() == Some("proc")
        && parts.next().is_none_or(|name| matches!(name, "self" | "thread-self" | "..") || is_number(name));
    is_unknown_home || is_of_process
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn leads_out(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
}

/// `-json` as `--json`.
fn in_full_of_go(word: &Word) -> Word {
    if word.text.len() > 2 { super::build::with_two_dashes(word) } else { word.clone() }
}

/// `grep -e PATTERN`: then the first operand is a file.
fn has_pattern_flag(given: &Given<'_>) -> bool {
    given
        .flags
        .iter()
        .any(|flag| matches!(flag, Flag::Short('e' | 'f', _) | Flag::Long("regexp" | "file" | "files", _)))
}

fn is_among(flag: &Flag<'_>, flags: &str) -> bool {
    flags.split(' ').any(|known| match flag {
        Flag::Short(letter, _) => known.len() == 1 && known.starts_with(*letter),
        Flag::Long(name, _) => known == *name,
    })
}

fn no_pattern(arguments: &[Word]) -> bool {
    arguments.iter().all(|word| !word.expands)
}

/// Tells that it opens files which it doesn't name. Always true: whoever has the files at hand judges that.
fn patterns(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let stands_for_files = |word: &Word| word.expands && !word.variable && !flags::is_filter(word);
    if command.open_ended || command.arguments().iter().any(stands_for_files) {
        wide.push(WideRead::Unnamed);
    }
    true
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
