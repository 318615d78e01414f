//! Wrong use of the command line, in Arki's words: what is wrong, then what to do. None of the parser's own words.

use crate::commands::Arguments;
use crate::exit::{Exit, wrong_use};
use crate::output::Printer;
use arki_domain::Error;
use arki_engine::one_line;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, FromArgMatches};
use std::ffi::OsString;

/// The text that `arki` alone prints.
const INTRODUCTION: &str = "\
Arki lets a language model work on your code while you stay in charge.

  arki exec \"fix the failing test\"   run a prompt in this folder
  arki approvals                     show, approve or reject what waits for you
  arki sessions list                 list past work; `arki resume ID` continues it
  arki trust                         let Arki change files and run commands here
  arki providers, arki keys          set up models and their API keys
  arki open                          open the desktop app

`arki --help` lists all commands, `arki COMMAND --help` explains one, `arki doctor` checks the setup.";

/// Reads the arguments, the program's own name first. A negative number behind an option is its value, as far as the
/// option takes one.
pub(crate) fn parse(given: &[OsString]) -> Result<Arguments, clap::Error> {
    let read = |mut command: Command| {
        let mut matches = command.try_get_matches_from_mut(given)?;
        Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
    };
    let read_once = read(Arguments::command());
    match &read_once {
        Err(error) if error.kind() == ErrorKind::UnknownArgument => {
            let argument = text(error, ContextKind::InvalidArg);
            let has_number = argument.starts_with('-') && argument.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            if has_number { read(taking_negative_numbers(Arguments::command())) } else { read_once }
        }
        _ => read_once,
    }
}

fn taking_negative_numbers(command: Command) -> Command {
    let takes = |argument: clap::Arg| {
        let has_value = argument.get_action().takes_values() && !argument.is_positional();
        if has_value { argument.allow_negative_numbers(true) } else { argument }
    };
    command.mut_args(takes).mut_subcommands(taking_negative_numbers)
}

/// Prints help or the version as it is, and any other error as one line and a hint.
pub(crate) fn report(error: &clap::Error, given: &[OsString]) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Done;
    }
    let json = given.iter().any(|argument| argument == "--json");
    let output = Printer::new(json);
    if is_missing_command(error) && !json && given.len() <= 1 {
        output.aside(INTRODUCTION);
    }
    output.fault(&fault(error, given));
    Exit::Usage
}

fn is_missing_command(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand)
}

fn fault(error: &clap::Error, given: &[OsString]) -> Error {
    let (command, named) = meant(given);
    let (message, hint) = words(error, &command, &named);
    wrong_use(one_line(&message), one_line(&hint.unwrap_or_else(|| help_of(&named))))
}

/// The sentence for an error, and a hint where that is more than reading the help.
fn words(error: &clap::Error, command: &Command, named: &str) -> (String, Option<String>) {
    let argument = || option_name(&text(error, ContextKind::InvalidArg));
    let value = || text(error, ContextKind::InvalidValue);
    let similar = |kind| Some(text(error, kind)).filter(|text| !text.is_empty());
    let did_you_mean = |name: String| format!("Did you mean `{name}`?");
    match error.kind() {
        ErrorKind::UnknownArgument if argument().starts_with('-') => {
            let as_value = || {
                let value = argument();
                error
                    .get(ContextKind::Suggested)
                    .map(|_| format!("To pass it as a value, write `-- {value}`. {}", help_of(named)))
            };
            let suggested = similar(ContextKind::SuggestedArg).map(|name| did_you_mean(option_name(&name)));
            let hint = suggested.or_else(as_value);
            (format!("Unknown option `{}`.", argument()), hint)
        }
        ErrorKind::UnknownArgument => {
            let hint = "Put a text with spaces in quotes.".to_owned();
            (format!("Unexpected argument `{}`.", argument()), Some(hint))
        }
        ErrorKind::InvalidSubcommand => {
            let hint = similar(ContextKind::SuggestedSubcommand).map(did_you_mean);
            (format!("Unknown command `{}`.", text(error, ContextKind::InvalidSubcommand)), hint)
        }
        ErrorKind::InvalidValue if value().is_empty() => (format!("`{}` needs a value.", argument()), choices(error)),
        ErrorKind::InvalidValue => (format!("`{}` can't be {:?}.", argument(), value()), choices(error)),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            let wanted = wanted(&why);
            (format!("`{}` can't be {:?}.", argument(), value()), Some(wanted).filter(|text| !text.is_empty()))
        }
        ErrorKind::NoEquals | ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => {
            (format!("`{}` needs a value.", argument()), None)
        }
        ErrorKind::TooManyValues => (format!("`{}` takes no value {:?}.", argument(), value()), None),
        ErrorKind::ArgumentConflict => conflict(error, &argument()),
        ErrorKind::MissingRequiredArgument => missing(error, command),
        ErrorKind::InvalidUtf8 => ("An argument isn't valid UTF-8.".to_owned(), None),
        _ if is_missing_command(error) => ("A command is missing.".to_owned(), commands_of(command, named)),
        _ => ("These arguments can't be read.".to_owned(), None),
    }
}

fn conflict(error: &clap::Error, argument: &str) -> (String, Option<String>) {
    let other = option_name(&text(error, ContextKind::PriorArg));
    match other.is_empty() || other == argument {
        true => (format!("`{argument}` can be given only once."), None),
        false => {
            (format!("`{argument}` and `{other}` can't be used together."), Some("Leave one of them out.".to_owned()))
        }
    }
}

fn choices(error: &clap::Error) -> Option<String> {
    let valid = text(error, ContextKind::ValidValue);
    (!valid.is_empty()).then(|| format!("Use one of: {valid}."))
}

/// The form that a value must have: a reader's own words, or those for the standard library's.
fn wanted(why: &str) -> String {
    if why.contains("digit") || why.contains("empty string") || why.contains("number too") {
        return "Use a whole number that is neither negative nor too large.".to_owned();
    }
    if let Some((_, range)) = why.split_once(" is not in ") {
        return format!("Use a number from {}.", range.replace("..=", " to ").trim_end_matches(".."));
    }
    let mut letters = why.trim_end_matches('.').chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

/// `--model <MODEL>` as `--model`; a positional as its name alone.
fn option_name(text: &str) -> String {
    let first = text.split_whitespace().next().unwrap_or_default();
    if first.starts_with('-') { first.to_owned() } else { text.trim_matches(['<', '>', '[', ']', '.']).to_owned() }
}

fn text(error: &clap::Error, kind: ContextKind) -> String {
    match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        Some(ContextValue::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The command that was meant, as far as it was named, and its name.
fn meant(given: &[OsString]) -> (Command, String) {
    let mut command = Arguments::command();
    // An argument's name is known once its command is built.
    command.build();
    let mut named = "arki".to_owned();
    // An argument need not be text.
    for word in given.iter().skip(1) {
        if let Some(below) = command.find_subcommand(word) {
            named = format!("{named} {}", below.get_name());
            command = below.clone();
        }
    }
    (command, named)
}

fn help_of(named: &str) -> String {
    format!("Run `{named} --help` for how to use it.")
}

/// The commands below a command; `arki` alone has its introduction.
fn commands_of(command: &Command, named: &str) -> Option<String> {
    if named == "arki" {
        return Some("Run `arki --help` for the commands.".to_owned());
    }
    let shown = command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help");
    let names: Vec<_> = shown.map(Command::get_name).collect();
    (!names.is_empty()).then(|| format!("Use one of: {}. {}", names.join(", "), help_of(named)))
}

/// The arguments that are missing, as their help calls them.
fn missing(error: &clap::Error, command: &Command) -> (String, Option<String>) {
    let names = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.clone(),
        _ => vec![text(error, ContextKind::InvalidArg)],
    };
    let names: Vec<_> = names.iter().map(|name| spoken_name(name, command)).collect();
    (format!("Missing: {}.", names.join(", ")), None)
}

fn spoken_name(name: &str, command: &Command) -> String {
    if name.starts_with('-') {
        return format!("`{}`", option_name(name));
    }
    if name.starts_with("<-") {
        let either: Vec<_> =
            name.trim_matches(['<', '>']).split('|').map(|name| format!("`{}`", option_name(name))).collect();
        return either.join(" or ");
    }
    let argument = command.get_positionals().find(|argument| argument.to_string() == name);
    let help = argument.and_then(clap::Arg::get_help).map(ToString::to_string).unwrap_or_default();
    let help = help.split([';', ':', ',', '.', '(', '`']).next().unwrap_or_default().trim();
    match help.split_once(' ') {
        Some((article @ ("The" | "A" | "An"), rest)) => format!("{} {rest}", article.to_lowercase()),
        _ => format!("the {}", option_name(name).to_lowercase().replace('_', " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &[&str], message: &str, hint: &str) {
        let given: Vec<_> = [&["arki"], arguments].concat().into_iter().map(OsString::from).collect();
        let fault = fault(&parse(&given).unwrap_err(), &given);
        assert_eq!(fault.message, message, "{arguments:?}");
        assert!(fault.hint.contains(hint), "{arguments:?}: {}", fault.hint);
    }

    #[test]
    fn wrong_use_is_told_in_our_words() {
        check(&["exec", "--bogus"], "Unknown option `--bogus`.", "--help");
        check(&["exec", "--modle", "a"], "Unknown option `--modle`.", "Did you mean `--model`?");
        check(&["exec", "a", "b"], "Unexpected argument `b`.", "quotes");
        check(&["sesions"], "Unknown command `sesions`.", "Did you mean `sessions`?");
        check(&["sessions", "lst"], "Unknown command `lst`.", "Did you mean `list`?");
        check(&["exec", "--model"], "`--model` needs a value.", "--help");
        check(&["exec", "--approve", "x"], "`--approve` can't be \"x\".", "Use one of: ask, edits, all, never.");
        check(&["exec", "--max-turns", "x"], "`--max-turns` can't be \"x\".", "whole number");
        check(&["exec", "--max-turns", "0"], "`--max-turns` can't be \"0\".", "from 1 to");
        check(&["exec", "--max-cost", "x"], "`--max-cost` can't be \"x\".", "amount");
        check(
            &["exec", "--session", "a", "--continue"],
            "`--session` and `--continue` can't be used together.",
            "Leave",
        );
        check(&["exec", "--json", "--json"], "`--json` can be given only once.", "--help");
        check(&["sessions", "fork"], "Missing: the id of a session or run.", "arki sessions fork --help");
        check(&["mcp", "test"], "Missing: the server's name.", "--help");
        check(&["sessions", "list", "--archived=x"], "`--archived` takes no value \"x\".", "--help");
        check(&["--log", "loud", "doctor"], "`--log` can't be \"loud\".", "log level");
    }

    #[test]
    fn a_negative_number_is_a_wrong_value_not_an_unknown_option() {
        check(&["exec", "--max-seconds", "-1", "a"], "`--max-seconds` can't be \"-1\".", "number");
        check(&["exec", "a", "--max-turns", "-3"], "`--max-turns` can't be \"-3\".", "from 1 to");
        check(&["exec", "--max-cost", "-0.5"], "`--max-cost` can't be \"-0.5\".", "amount");
        check(&["sessions", "search", "x", "--limit", "-5"], "`--limit` can't be \"-5\".", "negative");
        check(&["doctor", "-1"], "Unknown option `-1`.", "--help");
    }

    /// The commands that need another one.
    fn groups(command: &Command, named: &[String], found: &mut Vec<Vec<String>>) {
        for below in command.get_subcommands() {
            let named = [named, &[below.get_name().to_owned()]].concat();
            groups(below, &named, found);
            if below.is_subcommand_required_set() {
                found.push(named);
            }
        }
    }

    #[test]
    fn a_command_that_needs_another_names_those_there_are() {
        let mut found = Vec::new();
        groups(&Arguments::command(), &[], &mut found);
        assert!(found.len() > 5, "{found:?}");
        for named in found {
            let named: Vec<_> = named.iter().map(String::as_str).collect();
            check(&named, "A command is missing.", &format!("Run `arki {} --help`", named.join(" ")));
        }
        check(&["sessions"], "A command is missing.", "Use one of: list, ");
        check(&["policy"], "A command is missing.", "Use one of: backtest, check.");
    }

    /// Every argument that has to be given.
    fn required(command: &Command, found: &mut Vec<(Command, String)>) {
        command.get_subcommands().for_each(|below| required(below, found));
        let names = command.get_arguments().filter(|argument| argument.is_required_set()).map(ToString::to_string);
        found.extend(names.map(|name| (command.clone(), name)));
    }

    #[test]
    fn a_missing_argument_is_named_as_people_say_it() {
        let (mut whole, mut found) = (Arguments::command(), Vec::new());
        whole.build();
        required(&whole, &mut found);
        assert!(found.len() > 10);
        for (command, name) in found {
            let spoken = spoken_name(&name, &command);
            assert!(!spoken.contains(['<', '>', '[', '_']), "{}: {spoken}", command.get_name());
        }
        assert_eq!(spoken_name("<--all|--hunks <NUMBERS>>", &Arguments::command()), "`--all` or `--hunks`");
    }

    #[test]
    fn arki_alone_is_explained_in_ten_lines() {
        assert_eq!(INTRODUCTION.lines().count(), 10);
    }
}
