//! The parts that arguments of several commands share: values of the global options, approvals in advance, names with
//! values, files and folders seen from the one given with `-C`.

use anstream::ColorChoice;
use arki_domain::ApprovalMode;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};

/// The words of `--color`. `auto` honours `NO_COLOR`, and uses colours only on a terminal.
pub(crate) const COLORS: [(&str, ColorChoice); 3] =
    [("auto", ColorChoice::Auto), ("always", ColorChoice::AlwaysAnsi), ("never", ColorChoice::Never)];

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Reads the value of `--log`.
pub(crate) fn log_levels(text: &str) -> Result<String, String> {
    let is_level = |word: &str| LOG_LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let is_known = |part: &str| is_level(part.rsplit_once('=').map_or(part, |(_, level)| level).trim());
    // A variable that is set to nothing says nothing.
    match text.split(',').find(|part| !text.is_empty() && !is_known(part)) {
        Some(unknown) => Err(format!("{unknown:?} isn't a log level; use one of: {}", LOG_LEVELS.join(", "))),
        None => Ok(text.to_owned()),
    }
}

pub(crate) const APPROVAL_MODES: [(&str, ApprovalMode); 4] = [
    ("ask", ApprovalMode::Ask),
    ("edits", ApprovalMode::Edits),
    ("all", ApprovalMode::All),
    ("never", ApprovalMode::Never),
];

/// Reads one of these words as the value that it stands for.
pub(crate) fn one_of<W: Into<PossibleValue>, T: Clone + Send + Sync + 'static, const N: usize>(
    known: [(W, T); N],
) -> impl TypedValueParser<Value = T> {
    let known = known.map(|(word, value)| (word.into(), value));
    let words = PossibleValuesParser::new(known.each_ref().map(|(word, _)| word.clone()));
    words.try_map(move |word| {
        let named = known.iter().find(|(known, _)| known.get_name() == word);
        named.map(|(_, value)| value.clone()).ok_or("it is unknown")
    })
}

/// Reads `NAME=VALUE`.
pub(crate) fn name_and_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as NAME=VALUE".to_owned()),
    }
}

/// A file named on the command line, relative to the folder of `-C`; `-` stays the standard stream.
pub(crate) fn in_dir(dir: &Path, file: &Path) -> PathBuf {
    if file == Path::new("-") { file.to_owned() } else { dir.join(file) }
}

/// The folder that an argument names, seen from the one given with `-C`.
pub(crate) fn folder_at(dir: &Path, folder: Option<&Path>) -> PathBuf {
    folder.map_or_else(|| dir.to_owned(), |folder| dir.join(folder))
}
