//! Wrong use of the command line, in Arki's words: what is wrong, then what to do. None of the parser's own words.

use crate::commands::Arguments;
use crate::exit::Exit;
use crate::output::Printer;
use arki_domain::{Code, Fault};
use arki_engine::one_line;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

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

/// Prints help or the version as it is, and any other error as one line and a hint.
pub(crate) fn report(error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        let _ = error.print();
        return Exit::Done;
    }
    let json = std::env::args_os().any(|argument| argument == "--json");
    let output = Printer::new(json);
    if is_missing_command(error) && !json {
        match std::env::args_os().len() {
            0 | 1 => output.aside(INTRODUCTION),
            _ if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => drop(error.print()),
            _ => {}
        }
    }
    output.fault(&fault(error));
    Exit::Usage
}

fn is_missing_command(error: &clap::Error) -> bool {
    matches!(error.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand)
}

fn fault(error: &clap::Error) -> Fault {
    let (message, hint) = words(error);
    Fault::new(Code::USAGE, one_line(&message), one_line(&hint.unwrap_or_else(|| help_of(error))))
}

/// The sentence for an error, and a hint where that is more than reading the help.
fn words(error: &clap::Error) -> (String, Option<String>) {
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
                    .map(|_| format!("To pass it as a value, write `-- {value}`. {}", help_of(error)))
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
        ErrorKind::MissingRequiredArgument => (format!("Missing: {}.", text(error, ContextKind::InvalidArg)), None),
        ErrorKind::InvalidUtf8 => ("An argument isn't valid UTF-8.".to_owned(), None),
        _ if is_missing_command(error) => ("A command is missing.".to_owned(), None),
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
        return "Use a whole number that isn't too large.".to_owned();
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

/// The help of the command that was meant, as far as it was named.
fn help_of(error: &clap::Error) -> String {
    if is_missing_command(error) && std::env::args_os().len() <= 1 {
        return "Run `arki --help` for the commands.".to_owned();
    }
    let mut command = Arguments::command();
    let mut named = "arki".to_owned();
    // An argument need not be text.
    for word in std::env::args_os().skip(1) {
        if let Some(below) = command.find_subcommand(&word) {
            named = format!("{named} {}", below.get_name());
            command = below.clone();
        }
    }
    format!("Run `{named} --help` for how to use it.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[track_caller]
    fn check(arguments: &[&str], message: &str, hint: &str) {
        let given = [&["arki"], arguments].concat();
        let fault = fault(&Arguments::try_parse_from(given).unwrap_err());
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
        check(&["sessions", "fork"], "Missing: <ID>.", "--help");
        check(&["sessions", "list", "--archived=x"], "`--archived` takes no value \"x\".", "--help");
        check(&["--log", "loud", "doctor"], "`--log` can't be \"loud\".", "log level");
    }

    #[test]
    fn arki_alone_is_explained_in_ten_lines() {
        assert_eq!(INTRODUCTION.lines().count(), 10);
    }
}
