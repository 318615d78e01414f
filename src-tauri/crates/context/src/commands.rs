//! Slash commands: `/name arguments`. Built-in ones are data; the user's are Markdown files whose text becomes the prompt.
//!
//! **Use.** [`SlashCommand::parse`] on what the user wrote; where the name is no [`BUILT_IN_COMMANDS`] entry, look among
//! the user's and send [`UserCommand::expand`] as the prompt. Mentions in it are found like those of any prompt.

use crate::FrontMatter;

/// The longest name.
const MAX_NAME_BYTES: usize = 64;
/// `$1` to `$9`.
const MAX_POSITION: u32 = 9;
const ALL_ARGUMENTS: &str = "ARGUMENTS";

/// A command that Arki itself carries out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInCommand {
    pub name: &'static str,
    /// Empty where it takes none.
    pub arguments: &'static str,
    pub description: &'static str,
    /// True if it begins a run; otherwise the client that shows the session carries it out.
    pub begins_run: bool,
}

impl BuiltInCommand {
    /// Returns whether it only sends a prompt, which a command of the project's or the user's own may replace.
    #[must_use]
    pub fn is_replaceable(&self) -> bool {
        matches!(self.name, "commit" | "init" | "review")
    }
}

const fn built_in(name: &'static str, arguments: &'static str, description: &'static str) -> BuiltInCommand {
    BuiltInCommand { name, arguments, description, begins_run: false }
}

const fn prompt(name: &'static str, arguments: &'static str, description: &'static str) -> BuiltInCommand {
    BuiltInCommand { begins_run: true, ..built_in(name, arguments, description) }
}

/// The built-in commands in the order in which they are listed.
pub const BUILT_IN_COMMANDS: &[BuiltInCommand] = &[
    prompt("commit", "[what]", "Commit the changes in this project"),
    built_in("compact", "[what to keep]", "Shorten what the model sees of this conversation"),
    built_in("context", "", "Show the parts of the next request"),
    built_in("help", "", "List the commands"),
    prompt("init", "", "Write an AGENTS.md from what is in the project"),
    built_in("model", "[PROVIDER/MODEL]", "Choose the model for the next runs"),
    built_in("new", "", "Begin a new session"),
    prompt("plan", "[task]", "Plan without changing anything"),
    built_in("rename", "TITLE", "Rename this session"),
    prompt("review", "[what]", "Review the changes in this project"),
    prompt("skill", "NAME [task]", "Use a skill in the next run"),
    built_in("tools", "", "Choose the tools of this session"),
    built_in("undo", "", "Undo the last change"),
    built_in("usage", "", "Show tokens and cost of this session"),
];

/// A slash command that the user wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlashCommand<'a> {
    pub name: &'a str,
    pub arguments: &'a str,
}

impl<'a> SlashCommand<'a> {
    /// `None` for a text that is no command, such as one that begins with a path.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        let rest = text.trim_start().strip_prefix('/')?;
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (name, arguments) = rest.split_at(end);
        is_name(name).then_some(Self { name, arguments: arguments.trim() })
    }

    #[must_use]
    pub fn built_in(&self) -> Option<&'static BuiltInCommand> {
        BUILT_IN_COMMANDS.iter().find(|command| command.name == self.name)
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':');
    (1..=MAX_NAME_BYTES).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

/// A command of the user's or of the project's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserCommand {
    /// `git:commit` for `git/commit.md`.
    pub name: String,
    pub description: String,
    pub argument_hint: Option<String>,
    pub model: Option<String>,
    /// The tools as they are written; empty where the run's tools are not restricted.
    pub allowed_tools: Vec<String>,
    pub text: String,
    pub warnings: Vec<String>,
}

impl UserCommand {
    /// `path` is relative to the folder of commands. `None` where it's no name for a command.
    #[must_use]
    pub fn read(path: &str, source: &str) -> Option<Self> {
        let name = path.strip_suffix(".md")?.replace(['/', '\\'], ":");
        if !is_name(&name) {
            return None;
        }
        let head = FrontMatter::read(source);
        let text = head.body.trim().to_owned();
        let mut warnings: Vec<String> = head.warning.clone().into_iter().collect();
        if BUILT_IN_COMMANDS.iter().any(|command| command.name == name && !command.is_replaceable()) {
            warnings.push(format!("/{name} is built in, so this command can't be reached"));
        }
        if text.is_empty() {
            warnings.push("it has no text".to_owned());
        }
        if text.contains("!`") {
            warnings.push("commands in it (!`…`) are not run; the model sees them as text".to_owned());
        }
        let first_line =
            || text.lines().find(|line| !line.trim().is_empty()).map(|line| line.trim_start_matches('#').trim());
        let description = head.text("description").unwrap_or_else(|| first_line().unwrap_or_default().to_owned());
        Some(Self {
            description,
            argument_hint: head.text("argument-hint"),
            model: head.text("model"),
            allowed_tools: head.list("allowed-tools"),
            name,
            text,
            warnings,
        })
    }

    /// The prompt. Arguments are put in once: a `$1` within one stays as it is.
    #[must_use]
    pub fn expand(&self, arguments: &str) -> String {
        let words = split_arguments(arguments);
        let mut prompt = String::with_capacity(self.text.len() + arguments.len());
        let mut rest = self.text.as_str();
        let mut is_used = false;
        while let Some(at) = rest.find('$') {
            prompt.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            if let Some(beyond) = after.strip_prefix(ALL_ARGUMENTS) {
                prompt.push_str(arguments);
                (rest, is_used) = (beyond, true);
            } else if let Some(position) = position(after) {
                prompt.push_str(words.get(position - 1).map_or("", String::as_str));
                (rest, is_used) = (&after[1..], true);
            } else {
                prompt.push('$');
                rest = after;
            }
        }
        prompt.push_str(rest);
        if !is_used && !arguments.is_empty() {
            prompt.push_str(&format!("\n\nArguments: {arguments}"));
        }
        prompt
    }
}

/// A single digit from 1: `$10` is no position, and neither is a price.
fn position(after: &str) -> Option<usize> {
    let mut chars = after.chars();
    let digit = chars.next()?.to_digit(10).filter(|digit| (1..=MAX_POSITION).contains(digit))?;
    let ends = chars.next().is_none_or(|next| !next.is_ascii_digit() && next != '.');
    (ends || after[1..].starts_with(". ") || &after[1..] == ".").then_some(digit as usize)
}

/// Splits the arguments at blanks, except between quotes.
#[must_use]
pub fn split_arguments(arguments: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in arguments.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' && word.is_none() => {
                word.get_or_insert_default();
                quote = Some(c);
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn command(text: &str) -> UserCommand {
        UserCommand::read("x.md", text).unwrap()
    }

    #[test]
    fn a_command_is_a_name_behind_a_slash() {
        let parsed = |text| SlashCommand::parse(text).map(|command| (command.name, command.arguments));
        assert_eq!(parsed("/compact the API part \n"), Some(("compact", "the API part")));
        assert_eq!(parsed(" /git:commit"), Some(("git:commit", "")));
        assert_eq!(parsed("/x\nmore\nlines"), Some(("x", "more\nlines")));
        for text in ["/usr/bin/env", "/", "/ x", "no /x", "//", "/-x", "/é", &format!("/{}", "x".repeat(65))] {
            assert_eq!(parsed(text), None, "{text}");
        }
        assert!(SlashCommand::parse("/undo").and_then(|command| command.built_in()).is_some());
        assert!(SlashCommand::parse("/deploy").and_then(|command| command.built_in()).is_none());
    }

    #[test]
    fn built_in_commands_are_sorted_and_named_once() {
        assert!(BUILT_IN_COMMANDS.windows(2).all(|pair| pair[0].name < pair[1].name));
        assert!(BUILT_IN_COMMANDS.iter().all(|command| is_name(command.name) && !command.description.ends_with('.')));
    }

    #[test]
    fn arguments_are_put_in_once() {
        for (text, arguments, expanded) in [
            ("Fix $ARGUMENTS now", "issue 7", "Fix issue 7 now"),
            ("$1 then $2, $3.", "'a b' \"c d\"", "a b then c d, ."),
            ("costs $10 or $1.50", "x", "costs $10 or $1.50\n\nArguments: x"),
            ("$1", "$2 $1", "$2"),
            ("plain", "", "plain"),
            ("plain", "more", "plain\n\nArguments: more"),
            ("$HOME $", "", "$HOME $"),
        ] {
            assert_eq!(command(text).expand(arguments), expanded, "{text}");
        }
    }

    #[test]
    fn front_matter_says_what_a_command_may_and_is_for() {
        let source = "---\ndescription: Commit\nargument-hint: \"[message]\"\nallowed-tools: Bash(git add:*, x), Read\nmodel: a/b\n---\nCommit @diff.";
        let read = UserCommand::read("git/commit.md", source).unwrap();
        assert_eq!((&*read.name, &*read.description, &*read.text), ("git:commit", "Commit", "Commit @diff."));
        assert_eq!(read.allowed_tools, ["Bash(git add:*, x)", "Read"]);
        assert_eq!((read.argument_hint.as_deref(), read.model.as_deref()), (Some("[message]"), Some("a/b")));
        assert!(read.warnings.is_empty());
    }

    #[test]
    fn what_is_odd_about_a_command_is_said() {
        for (path, source, warning) in [
            ("undo.md", "x", "built in"),
            ("x.md", " \n", "no text"),
            ("x.md", "Status: !`git status`", "are not run"),
            ("x.md", "---\na: b: c\n---\nx", "not YAML"),
        ] {
            let read = UserCommand::read(path, source).unwrap();
            assert!(read.warnings.iter().any(|one| one.contains(warning)), "{read:?}");
        }
        assert_eq!(command("# Title\nmore").description, "Title");
        assert_eq!(UserCommand::read("a b.md", "x"), None);
        assert_eq!(UserCommand::read("x.txt", "x"), None);
    }

    proptest! {
        #[test]
        fn expanding_never_fails_and_keeps_a_text_without_places(text in "[a-z$0-9A-Z \n]{0,60}", arguments in "[a-z'\"$1 ]{0,30}") {
            let expanded = command(&text).expand(&arguments);
            if !text.contains('$') {
                prop_assert!(expanded.starts_with(text.trim()));
            }
        }

        #[test]
        fn words_without_quotes_are_split_at_blanks(words in prop::collection::vec("[a-z0-9$/.]{1,8}", 0..6)) {
            prop_assert_eq!(split_arguments(&words.join(" ")), words);
        }
    }
}
