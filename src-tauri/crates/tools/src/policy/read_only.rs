//! Commands that are known to only read, with the flags that keep them so.
//!
//! An allow-list twice over: of programs, and of their options; what is not on it is asked about. Paths in front of a
//! program's name are not known: any program could lie there. Nor are programs whose plain-looking arguments are code
//! (`test -v 'a[$(…)]'`; of `awk` and `sed` only what plainly prints), or whose options run others (`rg --pre`, `git
//! -c`, `sort --compress-program`).
//!
//! Reading can still meet a file of secrets that the line does not name: below a folder, or by a pattern. Those reads
//! are told (`WideRead`), so that whoever has the files at hand can look.

mod developer_tools;
mod expressions;
mod programs;

use super::flags::{self, Flag, Given};
use super::plain_shell::Word;
use super::wrappers::Inside;
use super::{CommandLine, SimpleCommand, file_words};
use arki_workspace::Descent;

/// A program, and what it may be given.
pub(super) struct Program {
    /// With its subcommands: `git log`.
    pub(super) name: &'static str,
    /// See `flags`.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) operands: Operands,
    pub(super) shows: Shows,
}

pub(super) enum Operands {
    Any,
    AtMost(usize),
    /// Each is one of these words.
    Among(&'static str),
    /// Judged by a function, together with the flags.
    Checked(fn(&Given<'_>) -> bool),
}

#[derive(Clone, Copy)]
pub(super) enum Shows {
    /// Nothing of what files contain, whatever it is given.
    Names,
    /// What is in the files it is given.
    Contents,
    /// Also what git keeps of files that are not named, where this function says so.
    Kept(fn(&Given<'_>) -> bool),
    /// As `Contents`, and also what is in the folders it is given.
    Below(Below),
}

/// How a program reads folders.
#[derive(Clone, Copy)]
pub(super) struct Below {
    /// Only with one of these short flags and long words.
    flags: Option<&'static str>,
    first_is_pattern: bool,
    descent: Descent,
}

impl Below {
    const ALL: Self = Self { flags: None, first_is_pattern: false, descent: Descent::ALL };
    /// What is neither hidden nor ignored.
    const SHOWN: Self = Self { descent: Descent { skips_hidden: true, ..Descent::ALL }, ..Self::ALL };
    const THROUGH_LINKS: Self = Self { descent: Descent { follows_links: true, ..Descent::ALL }, ..Self::ALL };
}

/// A read of files that the line does not name one by one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WideRead {
    /// Everything below a folder, or below whatever a pattern stands for.
    Below { folder: String, is_pattern: bool, descent: Descent },
    /// Whatever git keeps of the project: all that it does not ignore.
    Kept,
    /// Whatever a pattern stands for. A name that begins with a dash would be an option.
    Matching(String),
}

/// Which wide reads the line makes; `None` where it is not known to only read.
pub(super) fn wide_reads(line: &CommandLine, sandboxed: bool) -> Option<Vec<WideRead>> {
    let mut wide = Vec::new();
    let commands = line.commands()?;
    let all = line.all();
    let moves = all.iter().filter(|command| runs_elsewhere(command)).count();
    // Where another folder's git is asked, its configuration could name any program.
    let elsewhere = moves > 0 && all.iter().any(|command| command.program() == "git");
    let known = |command: &SimpleCommand, wide: &mut Vec<WideRead>| {
        is_read_only(command, wide) && (sandboxed || stays_inside(command))
    };
    let is_lost = all.iter().flat_map(|command| &command.words).any(|word| is_unknown_place(&word.text));
    if elsewhere || is_lost || !file_words::follows(line) || !commands.iter().all(|command| known(command, &mut wide)) {
        return None;
    }
    match commands.first().filter(|first| first.name() == "cd" && moves == 1).map(SimpleCommand::arguments) {
        Some([folder]) if folder.text != "-" => Some(wide.into_iter().map(|read| read.from(&folder.text)).collect()),
        _ => (moves == 0 || wide.is_empty()).then_some(wide),
    }
}

/// `cd`, and `find -execdir`, which goes into each folder.
fn runs_elsewhere(command: &SimpleCommand) -> bool {
    command.name() == "cd" || command.arguments().iter().any(|word| word.text == "-execdir")
}

impl WideRead {
    /// The same, read from another folder.
    fn from(self, folder: &str) -> Self {
        match self {
            Self::Below { folder: below, is_pattern, descent } => {
                Self::Below { folder: joined(folder, &below), is_pattern, descent }
            }
            Self::Matching(pattern) => Self::Matching(joined(folder, &pattern)),
            Self::Kept => Self::Kept,
        }
    }
}

fn joined(folder: &str, path: &str) -> String {
    if path.starts_with(['/', '~']) { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

pub(super) fn is_read_only(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    match &command.inside {
        Inside::Nothing => is_known(command, wide),
        Inside::Unknown => false,
        Inside::Commands(wrapped) if command.name() == "find" => {
            expressions::find_only_reads(command.arguments())
                && wrapped.commands.iter().all(|inner| is_read_only_on_found(inner, command, wide))
        }
        Inside::Commands(wrapped) => {
            wrapped.is_transparent && wrapped.commands.iter().all(|inner| is_read_only(inner, wide))
        }
    }
}

/// What `find` hands over begins with a folder's name, so it is no option; it may be any file below.
fn is_read_only_on_found(inner: &SimpleCommand, find: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let words = inner.words.iter().filter(|word| word.text != "{}").cloned().collect();
    let plain = SimpleCommand { words, open_ended: false, inside: inner.inside.clone() };
    let mut shows = Vec::new();
    if !is_read_only(&plain, &mut shows) {
        return false;
    }
    if !shows.is_empty() || program_of(&plain).is_none_or(|(program, _)| !matches!(program.shows, Shows::Names)) {
        let follows_links = find.arguments().iter().any(|word| matches!(word.text.as_str(), "-L" | "-follow"));
        let descent = Descent { follows_links, ..Descent::ALL };
        let below = |folder: &str| WideRead::Below { folder: folder.to_owned(), is_pattern: false, descent };
        let options =
            find.arguments().iter().take_while(|word| matches!(word.text.as_str(), "-H" | "-L" | "-P")).count();
        let folders = find.arguments()[options..].iter().take_while(|word| !word.text.starts_with(['-', '(', '!']));
        wide.extend(folders.map(|folder| below(&folder.text)));
        wide.push(below("."));
    }
    true
}

/// A program that only tells something, but has the project say how: which toolchain, which plugins, which virtual
/// machine. It runs the project's code, as building does.
pub(super) fn tells_as_the_project_says(command: &SimpleCommand) -> bool {
    developer_tools::STEERED_BY_PROJECTS.contains(&command.name()) && tells(command, &mut Vec::new())
}

fn is_known(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    !developer_tools::STEERED_BY_PROJECTS.contains(&command.name()) && tells(command, wide)
}

fn tells(command: &SimpleCommand, wide: &mut Vec<WideRead>) -> bool {
    let arguments = command.arguments();
    if matches!(arguments, [only] if only.text == "--version") {
        return programs::SAYS_ITS_VERSION.contains(&command.name());
    }
    match command.name() {
        "awk" | "gawk" | "mawk" | "nawk" => {
            !command.open_ended && expressions::awk_only_prints(arguments) && patterns(arguments, false, wide)
        }
        "find" => !command.open_ended && expressions::find_only_reads(arguments) && no_pattern(arguments),
        "jq" if arguments.iter().any(|word| expressions::jq_reads_modules(&word.text)) => false,
        "sed" => !command.open_ended && expressions::sed_only_reads(arguments) && patterns(arguments, false, wide),
        "tar" => !command.open_ended && expressions::tar_only_lists(arguments) && no_pattern(arguments),
        "[" | "test" => !command.open_ended && expressions::test_only_reads(command) && no_pattern(arguments),
        _ => {
            let Some((program, words)) = program_of(command) else { return false };
            program.takes(&command.words[words..], command.open_ended, wide)
        }
    }
}

/// The entry, and how many words its name has.
fn program_of(command: &SimpleCommand) -> Option<(&'static Program, usize)> {
    let tables = [programs::PROGRAMS, developer_tools::PROGRAMS];
    let entries = tables.into_iter().flatten().filter(|program| is_named(program.name, &command.words));
    entries.map(|program| (program, program.name.split(' ').count())).max_by_key(|(_, words)| *words)
}

pub(super) fn is_named(name: &str, words: &[Word]) -> bool {
    let mut words = words.iter();
    name.split(' ').all(|part| words.next().is_some_and(|word| word.text == part && !word.expands))
}

impl Program {
    fn takes(&self, arguments: &[Word], open_ended: bool, wide: &mut Vec<WideRead>) -> bool {
        let names_options = |word: &Word| word.text.starts_with('@');
        if programs::READS_OPTIONS_FROM_FILES.contains(&self.name) && arguments.iter().any(names_options) {
            return false;
        }
        // Anything at all may follow there.
        if open_ended && !programs::TAKES_ANYTHING.contains(&self.name) {
            return false;
        }
        let Some(given) = flags::given(self.short, self.long, arguments) else { return false };
        let expands = arguments.iter().any(|word| word.expands);
        let fits = match self.operands {
            Operands::Any => true,
            Operands::AtMost(limit) => !expands && given.operands.len() <= limit,
            Operands::Among(words) => {
                !expands && given.operands.iter().all(|operand| words.split(' ').any(|word| word == operand.text))
            }
            Operands::Checked(check) => !expands && check(&given),
        };
        if !fits || !patterns(arguments, matches!(self.shows, Shows::Names), wide) {
            return false;
        }
        match self.shows {
            Shows::Names | Shows::Contents => {}
            Shows::Kept(shows) if shows(&given) => {
                wide.push(WideRead::Kept);
                // Given what is outside, git reads folders as they are.
                let outside = given.operands.iter().filter(|word| leads_out(&word.text));
                wide.extend(outside.map(|word| Below::ALL.read(word)));
            }
            Shows::Kept(_) => {}
            Shows::Below(below) => wide.extend(below.reads(&given)),
        }
        true
    }
}

impl Below {
    fn reads(mut self, given: &Given<'_>) -> Vec<WideRead> {
        if self.flags.is_some_and(|flags| !given.flags.iter().any(|flag| is_among(flag, flags))) {
            return Vec::new();
        }
        self.descent.skips_hidden &= !given.flags.iter().any(brings_hidden_back);
        let first = usize::from(self.first_is_pattern && !has_pattern_flag(given));
        match given.operands.get(first..) {
            Some(folders @ [_, ..]) => folders.iter().map(|word| self.read(word)).collect(),
            Some([]) | None => vec![self.read(&Word::literal("."))],
        }
    }

    fn read(self, folder: &Word) -> WideRead {
        WideRead::Below { folder: folder.text.clone(), is_pattern: folder.expands, descent: self.descent }
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

/// `grep -e PATTERN`: then the first operand is a file.
fn has_pattern_flag(given: &Given<'_>) -> bool {
    given.flags.iter().any(|flag| matches!(flag, Flag::Short('e', _) | Flag::Long("regexp" | "files", _)))
}

/// `rg -g '*.pem'` also finds what is hidden or ignored. Source files are no secrets.
fn brings_hidden_back(flag: &Flag<'_>) -> bool {
    const SOURCES: &[&str] = &[
        "c", "cc", "cpp", "cs", "css", "dart", "ex", "go", "h", "hpp", "hs", "html", "java", "js", "jsx", "kt", "lua",
        "m", "md", "mjs", "php", "proto", "py", "rb", "rs", "scala", "scss", "sh", "sql", "svelte", "swift", "ts",
        "tsx", "vue", "zig",
    ];
    let (Flag::Short('g', Some(glob)) | Flag::Long("glob" | "iglob", Some(glob))) = flag else { return false };
    let is_source = glob.rsplit_once('.').is_some_and(|(_, extension)| SOURCES.contains(&extension));
    !glob.starts_with('!') && !is_source
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

/// Tells what the shell's patterns stand for. Hidden names are never matched by one silently, and of brackets and braces
/// none may be quoted.
fn patterns(arguments: &[Word], only_names: bool, wide: &mut Vec<WideRead>) -> bool {
    for word in arguments.iter().filter(|word| word.expands && !flags::is_filter(word)) {
        let has_braces = word.text.contains('{');
        let plain = word.text.strip_prefix("./").unwrap_or(&word.text);
        let hidden = plain
            .split(['/', '{', ',', '}'])
            .any(|part| part.starts_with('.') && (has_braces || part.contains(['*', '?', '['])));
        let unclear = word.quoted && word.text.contains(['[', '{']);
        if hidden
            || unclear
            || word.text.starts_with(['-', '{'])
            || word.text.contains("{-")
            || word.text.contains(",-")
        {
            return false;
        }
        let may_be_an_option = word.text.starts_with(['*', '?', '[']);
        if !only_names || may_be_an_option {
            wide.push(WideRead::Matching(word.text.clone()));
        }
    }
    true
}

fn stays_inside(command: &SimpleCommand) -> bool {
    command.arguments().iter().all(|argument| {
        let value = argument.text.rsplit('=').next().unwrap_or_default();
        // A path may be attached to a short option.
        let attached = argument.text.starts_with('-') && !argument.text.starts_with("--") && value.contains('/');
        !attached
            && !value.starts_with(['/', '~'])
            && argument.text.split(['/', '=', ':', ',']).all(|part| part != "..")
    })
}
