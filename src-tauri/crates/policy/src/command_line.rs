//! A shell line as simple commands, or the plain statement that it is not fully understood.
//!
//! Read by `plain_shell`: whatever it does not know (substitutions, redirections to files, functions, background jobs, …)
//! makes the whole line opaque, and an opaque line is never allowed silently. Tests compare what is understood with what
//! bash runs. A mistake here runs a line unasked, in a sandbox or a view like any other.

use super::braces;
use super::compound::{self, Assignments, CommandNode, InnerCommands};
use super::git_line;
use super::here_documents::written_out;
use super::plain_shell::{self, Joint, LineCommand, Unclear, Word, is_assignment};
use super::powershell;
use super::word_list::is_in;
use super::wrappers::{self, Inside, WrappedCommands};
use std::borrow::Cow;

/// A longer line is not looked into.
const MAX_LINE_BYTES: usize = 16 * 1024;
/// A line of more commands is not looked into.
const MAX_COMMANDS: usize = 256;
/// `sh -c "sh -c '…'"` deeper than this is not looked into.
const MAX_DEPTH: usize = 6;

/// Variables in front of a command that change nothing but how it speaks.
pub(super) const HARMLESS_VARIABLES: &str = "CARGO_INCREMENTAL CARGO_TERM_COLOR CGO_ENABLED CI CLICOLOR CLICOLOR_FORCE COLUMNS \
    DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO FORCE_COLOR GIT_AUTHOR_DATE GIT_AUTHOR_EMAIL GIT_AUTHOR_NAME \
    GIT_COMMITTER_DATE GIT_COMMITTER_EMAIL GIT_COMMITTER_NAME GIT_MERGE_AUTOEDIT GIT_OPTIONAL_LOCKS \
    GIT_TERMINAL_PROMPT GO111MODULE GOARCH GOMAXPROCS GOOS LANG LANGUAGE LC_ALL LC_COLLATE LC_CTYPE LC_MESSAGES \
    LC_NUMERIC LC_TIME LINES NEXT_TELEMETRY_DISABLED NODE_ENV NO_COLOR MIX_ENV PROPTEST_CASES PYTHONHASHSEED \
    RACK_ENV RAILS_ENV RUST_TEST_THREADS PYTHONDONTWRITEBYTECODE PYTHONUNBUFFERED RUST_BACKTRACE RUST_LOG TERM \
    TZ";

/// Variables that programs name so, whose values may stand in a recipe of `make`.
const NAMED_SO: &[&str] = &["DEBUG", "LOG_LEVEL", "VERBOSE"];

/// Variables that say which of the project's own code is run. A build may be told so, by names within the project.
const STEERING_VARIABLES: &[&str] = &["DJANGO_SETTINGS_MODULE", "FLASK_APP", "PYTHONPATH"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CommandLine {
    /// Everything the line runs, in order, joined by `;`, `&&`, `||` or `|`; compound commands as one each.
    Understood(Vec<SimpleCommand>),
    /// Only the words in it are known, in order, quotes and backslashes removed, and what was not understood.
    Opaque { words: Vec<String>, why: Unclear },
}

/// One program with its arguments, quotes removed, and what it runs in turn if it is a wrapper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SimpleCommand {
    pub words: Vec<Word>,
    /// More arguments follow that nobody knows yet, as after `xargs`.
    pub open_ended: bool,
    pub inside: Inside,
    /// The files that are its standard input.
    pub inputs: Vec<Word>,
    pub joint: Joint,
    /// A variable in front says which code of the project it runs.
    pub steered: bool,
    /// The variables in front.
    pub assignments: Vec<Word>,
}

/// The shell that runs a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shell {
    Bash,
    PowerShell,
}

impl Shell {
    /// The one that commands are started with on this system.
    #[must_use]
    pub(crate) const fn native() -> Self {
        if cfg!(windows) { Self::PowerShell } else { Self::Bash }
    }
}

impl CommandLine {
    /// Parses a line for the shell of this system.
    #[must_use]
    pub(crate) fn parse(line: &str) -> Self {
        Self::parse_as(Shell::native(), line)
    }

    #[must_use]
    pub(crate) fn parse_as(shell: Shell, line: &str) -> Self {
        match shell {
            Shell::Bash => Self::parse_at(line, 0),
            Shell::PowerShell if line.len() > MAX_LINE_BYTES => Self::opaque(line, Unclear::TOO_MUCH),
            Shell::PowerShell => powershell::parse(line),
        }
    }

    /// `depth` counts the shells around this line.
    pub(super) fn parse_at(line: &str, depth: usize) -> Self {
        Self::parse_in(line, depth, Assignments::Harmless, git_line::takes_text)
    }

    /// The same where any command may be given a here-document, for rules that say what a command may be fed.
    pub(super) fn parse_fed(line: &str) -> Self {
        Self::parse_in(line, 0, Assignments::Harmless, |_| true)
    }

    /// The same where a command may have any variables in front, for those who look at them.
    pub(super) fn parse_with_assignments(line: &str) -> Self {
        Self::parse_in(line, 0, Assignments::Any, git_line::takes_text)
    }

    fn parse_in(line: &str, depth: usize, assignments: Assignments, takes_text: fn(&SimpleCommand) -> bool) -> Self {
        if line.len() > MAX_LINE_BYTES {
            return Self::opaque(line, Unclear::TOO_MUCH);
        }
        let read = written_out(line).and_then(|written| {
            let parts = read(&with_numbers(&written.line), depth, assignments)?;
            let commands = parts.into_iter().map(|part| SimpleCommand::new(part, depth)).collect();
            let understood = Self::Understood(commands);
            let all_take_text = |commands: Vec<&SimpleCommand>| commands.into_iter().all(takes_text);
            let is_text = !written.feeds || understood.simple().is_some_and(all_take_text);
            is_text.then_some(understood).ok_or(Unclear::FED_PROGRAM)
        });
        read.unwrap_or_else(|why| Self::opaque(line, why))
    }

    #[must_use]
    pub(crate) fn commands(&self) -> Option<&[SimpleCommand]> {
        match self {
            Self::Understood(commands) => Some(commands),
            Self::Opaque { .. } => None,
        }
    }

    /// The simple commands, in order, those of compound ones in their place.
    pub(super) fn simple(&self) -> Option<Vec<&SimpleCommand>> {
        let mut simple = Vec::new();
        self.commands()?.iter().for_each(|command| command.simple(&mut simple));
        Some(simple)
    }

    /// Returns what keeps the line, or a wrapper in it, from being understood.
    #[must_use]
    pub(crate) fn unclear(&self) -> Option<Unclear> {
        match self {
            Self::Understood(commands) => commands.iter().find_map(SimpleCommand::unclear),
            Self::Opaque { why, .. } => Some(*why),
        }
    }

    /// Returns what keeps the line from being followed, whichever commands are allowed.
    pub(crate) fn not_followed(&self) -> Option<Unclear> {
        let hidden = |command: &SimpleCommand| match command.name() {
            "eval" | "source" | "." => Some(Unclear::CODE_READ_LATER),
            _ => command.is_fed_shell().then_some(Unclear::FED_SHELL),
        };
        self.unclear().or_else(|| self.all().into_iter().find_map(hidden))
    }

    /// Returns whether the line runs this, as far as can be told: rather once too often.
    #[must_use]
    pub(crate) fn may_run(&self, wanted: &[String]) -> bool {
        match (self, self.simple()) {
            (Self::Opaque { words, .. }, _) => mentions(words, wanted),
            (Self::Understood(_), commands) => {
                let commands = commands.unwrap_or_default();
                // What a shell is fed may be anything that stands before it.
                let feeds = commands.iter().skip(1).any(|command| command.is_fed_shell());
                commands.iter().any(|command| command.may_run(wanted) || (feeds && command.mentions(wanted)))
            }
        }
    }

    /// Everything the line runs, wrappers and what is inside them.
    pub(super) fn all(&self) -> Vec<&SimpleCommand> {
        self.commands().into_iter().flatten().flat_map(SimpleCommand::all).collect()
    }

    pub(super) fn opaque(line: &str, why: Unclear) -> Self {
        let plain: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let words = plain.split(|c: char| c.is_whitespace() || c.is_control() || ";|&<>(){}$`=!,".contains(c));
        Self::Opaque { words: words.filter(|word| !word.is_empty()).map(str::to_owned).collect(), why }
    }
}

impl SimpleCommand {
    /// It may begin with harmless assignments, which are left out.
    pub(super) fn new(part: CommandNode, depth: usize) -> Self {
        let CommandNode { command: LineCommand { words, inputs, joint }, open_ended, inner } = part;
        if let Some(InnerCommands { order, commands }) = inner {
            let commands = commands.into_iter().map(|part| Self::new(part, depth)).collect();
            let inside = Inside::Compound(InnerCommands { order, commands });
            return Self { inputs, joint, inside, ..Self::plain(words) };
        }
        let program = words.iter().position(|word| !is_assignment(word)).unwrap_or(0);
        let mut assignments = words;
        let words = assignments.split_off(program);
        let steered = assignments.iter().any(steers_builds);
        Self { inputs, joint, steered, assignments, ..Self::of_argv(words, open_ended, depth) }
    }

    /// A command that is not looked into.
    pub(super) fn plain(words: Vec<Word>) -> Self {
        Self {
            words,
            open_ended: false,
            inside: Inside::Nothing,
            inputs: Vec::new(),
            joint: Joint::Then,
            steered: false,
            assignments: Vec::new(),
        }
    }

    pub(super) fn of_argv(words: Vec<Word>, open_ended: bool, depth: usize) -> Self {
        let inside = if depth < MAX_DEPTH { wrappers::inside(&words, open_ended, depth) } else { Inside::Unknown };
        Self { open_ended, inside, ..Self::plain(words) }
    }

    /// The program as it was named.
    #[must_use]
    pub(crate) fn name(&self) -> &str {
        self.words.first().map_or("", |word| &word.text)
    }

    /// The program's name without its folder.
    #[must_use]
    pub(crate) fn program(&self) -> &str {
        self.name().rsplit('/').next().unwrap_or_default()
    }

    #[must_use]
    pub(crate) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// Returns what it runs in turn, as far as that is known.
    fn inner(&self) -> &[Self] {
        match &self.inside {
            Inside::Nothing | Inside::Unknown => &[],
            Inside::Commands(WrappedCommands { commands, .. }) | Inside::Compound(InnerCommands { commands, .. }) => {
                commands
            }
        }
    }

    /// The command and everything that it runs in turn.
    pub(super) fn all(&self) -> Vec<&Self> {
        let mut all = Vec::new();
        self.collect(&mut all);
        all
    }

    fn collect<'a>(&'a self, all: &mut Vec<&'a Self>) {
        all.push(self);
        self.inner().iter().for_each(|command| command.collect(all));
    }

    fn simple<'a>(&'a self, simple: &mut Vec<&'a Self>) {
        match &self.inside {
            Inside::Compound(inner) => inner.commands.iter().for_each(|command| command.simple(simple)),
            Inside::Nothing | Inside::Unknown | Inside::Commands(_) => simple.push(self),
        }
    }

    pub(super) fn unclear(&self) -> Option<Unclear> {
        match &self.inside {
            Inside::Unknown => Some(Unclear::OPAQUE_WRAPPER),
            Inside::Nothing | Inside::Commands(_) | Inside::Compound(_) => self.inner().iter().find_map(Self::unclear),
        }
    }

    /// Returns whether it begins so. Of a wrapper, what it runs has to be named too: a rule that names only a wrapper
    /// allows nothing.
    pub(super) fn begins_with(&self, prefix: &[String]) -> bool {
        let is_named = prefix.len() <= self.words.len()
            && prefix.iter().zip(&self.words).all(|(wanted, word)| !word.expands && *wanted == word.text);
        is_named
            && match &self.inside {
                Inside::Nothing => true,
                Inside::Unknown | Inside::Compound(_) => false,
                Inside::Commands(wrapped) => prefix.len() > wrapped.starts_at,
            }
    }

    fn may_run(&self, wanted: &[String]) -> bool {
        if self.is_that_program(wanted) {
            return true;
        }
        match &self.inside {
            Inside::Nothing if wrappers::is_runner(self) => self.mentions(wanted),
            Inside::Nothing => false,
            Inside::Unknown => self.mentions(wanted),
            Inside::Commands(_) | Inside::Compound(_) => self.inner().iter().any(|command| command.may_run(wanted)),
        }
    }

    /// When it comes to forbidding, a program named by its path is that program too, and options between the program
    /// and its subcommand don't hide it: `git -C x push`, `cargo +nightly publish`.
    fn is_that_program(&self, prefix: &[String]) -> bool {
        let Some((first, rest)) = prefix.split_first() else { return false };
        (self.name() == first || self.program() == first) && follows(self.arguments(), rest)
    }

    /// A shell that is named no script and no line reads its input.
    pub(super) fn is_fed_shell(&self) -> bool {
        let only_flags = self.arguments().iter().all(|word| matches!(word.text.as_str(), "-" | "-s" | "-x" | "-e"));
        only_flags && wrappers::is_shell(self.program())
    }

    fn mentions(&self, wanted: &[String]) -> bool {
        let separators = |c: char| c.is_whitespace() || ";|&<>(){}[]$`=!:,'\"".contains(c);
        let words: Vec<&str> = self.words.iter().flat_map(|word| word.text.split(separators)).collect();
        mentions(&words, wanted)
    }
}

/// Returns whether `wanted` stands at the beginning, options and their values aside.
fn follows(words: &[Word], wanted: &[String]) -> bool {
    let mut reachable = vec![false; words.len() + 2];
    reachable[0] = true;
    (0..=words.len()).any(|place| {
        if !reachable[place] {
            return false;
        }
        if words.get(place).is_some_and(|word| word.text.starts_with(['-', '+'])) {
            // The next word may be the option's value.
            reachable[place + 1] = true;
            reachable[place + 2] = true;
        }
        let rest = &words[place..];
        wanted.len() <= rest.len() && wanted.iter().zip(rest).all(|(wanted, word)| *wanted == word.text)
    })
}

/// Returns whether these words stand in the line one after another, the first one also at the end of a path.
fn mentions(words: &[impl AsRef<str>], wanted: &[String]) -> bool {
    let Some(first) = wanted.first() else { return false };
    words.windows(wanted.len()).any(|found| {
        found[0].as_ref().rsplit('/').next() == Some(first.as_str())
            && found[1..].iter().zip(&wanted[1..]).all(|(found, wanted)| found.as_ref() == wanted)
    })
}

/// The line's commands.
fn read(line: &str, depth: usize, assignments: Assignments) -> Result<Vec<CommandNode>, Unclear> {
    if line.len() > MAX_LINE_BYTES || depth > MAX_DEPTH {
        return Err(Unclear::TOO_MUCH);
    }
    compound::put_together(braces::expanded(plain_shell::read(line)?), MAX_COMMANDS, assignments)
}

/// `make -j$(nproc)`: the number of processors is a number like any other.
fn with_numbers(line: &str) -> Cow<'_, str> {
    const JOBS: &[(&str, &str)] = &[
        ("-j$(nproc)", "-j2"),
        ("-j $(nproc)", "-j 2"),
        ("--jobs=$(nproc)", "--jobs=2"),
        ("--parallel $(nproc)", "--parallel 2"),
    ];
    if !line.contains("$(nproc)") || line.contains('\'') {
        return Cow::Borrowed(line);
    }
    Cow::Owned(JOBS.iter().fold(line.to_owned(), |line, (said, meant)| line.replace(said, meant)))
}

/// `PYTHONPATH=src:lib`
pub(super) fn steers_builds(assignment: &Word) -> bool {
    let Some((name, value)) = assignment.text.split_once('=') else { return false };
    let is_plain = |next: char| next.is_ascii_alphanumeric() || "_-./:".contains(next);
    let is_inside = |path: &str| !path.starts_with('/') && path.split('/').all(|part| part != "..");
    STEERING_VARIABLES.contains(&name) && value.chars().all(is_plain) && value.split(':').all(is_inside)
}

pub(super) fn is_harmless(assignment: &Word) -> bool {
    let name = assignment.text.split('=').next().unwrap_or_default();
    let is_language = name.starts_with("LC_") || name == "LANG";
    const WHOLE: &[&str] = &[
        "GIT_PAGER=",
        "GIT_PAGER=cat",
        "GOFLAGS=-count=1",
        "GOFLAGS=-mod=readonly",
        "GOFLAGS=-mod=vendor",
        "MANPAGER=cat",
        "PAGER=",
        "PAGER=cat",
        "RUSTDOCFLAGS=-D warnings",
        "RUSTDOCFLAGS=-Dwarnings",
        "RUSTFLAGS=-D warnings",
        "RUSTFLAGS=-Dwarnings",
    ];
    let memory = assignment.text.strip_prefix("NODE_OPTIONS=--max-old-space-size=");
    let is_whole = WHOLE.contains(&assignment.text.as_str())
        || memory.is_some_and(|size| !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit()));
    if is_whole {
        return !assignment.expands;
    }
    let is_plain = || assignment.text.chars().all(|next| next.is_ascii_alphanumeric() || "_=.:,-".contains(next));
    let is_known = is_in(HARMLESS_VARIABLES, name) || (NAMED_SO.contains(&name) && is_plain());
    is_known && !assignment.expands && (!is_language || has_plain_letters(&assignment.text))
}

/// Returns whether the encoding has plain letters. In others a backslash or a quote is the second half of a letter, and
/// a script is read differently.
fn has_plain_letters(assignment: &str) -> bool {
    let language = assignment.split_once('=').map_or("", |(_, language)| language).to_ascii_lowercase();
    matches!(language.as_str(), "" | "c" | "posix") || language.ends_with(".utf-8") || language.ends_with(".utf8")
}
