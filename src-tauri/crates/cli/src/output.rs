//! Standard output and standard error, in the form that was asked for.

use anstream::{stderr, stdout};
use arki_api::PrintedError;
use arki_domain::{Code, Error, io_words};
use arki_engine::{InvisibleCharacters, one_line};
use clap::ValueEnum;
use serde::Serialize;
use std::io::Write;
use std::sync::OnceLock;

/// The amount of a command's output that people see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowOutput {
    /// All of it
    Full,
    /// The first and last lines
    #[default]
    Tail,
    /// Nothing
    None,
}

pub(crate) struct Printer {
    pub(crate) json: bool,
    /// The amount of commands' output that is shown.
    pub(crate) show_output: ShowOutput,
    /// The first error from writing standard output.
    failed: OnceLock<std::io::ErrorKind>,
}

impl Printer {
    pub(crate) fn new(json: bool) -> Self {
        Self { json, show_output: ShowOutput::default(), failed: OnceLock::new() }
    }

    pub(crate) fn showing(self, show_output: ShowOutput) -> Self {
        Self { show_output, ..self }
    }

    /// The error if standard output could not be written. A reader that has gone away is not an error.
    pub(crate) fn lost(&self) -> Option<Error> {
        let kind = *self.failed.get()?;
        let (code, hint) = match kind {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                (Code::DISK_FULL, "Free some space and try again.")
            }
            _ => (Code::IO_FAILED, "Check where standard output goes, then try again."),
        };
        Some(Error::new(code, format!("Can't write to standard output: {}.", io_words(kind)), hint))
    }

    fn note(&self, written: std::io::Result<()>) {
        if let Err(error) = written
            && error.kind() != std::io::ErrorKind::BrokenPipe
        {
            let _ = self.failed.set(error.kind());
        }
    }

    /// One object on a line of standard output. A reader that has gone away is no error.
    pub(crate) fn object(&self, object: &impl Serialize) {
        // Not through the colour filter: it would take characters out of the strings.
        if let Ok(line) = serde_json::to_string(object) {
            self.note(writeln!(std::io::stdout(), "{line}"));
        }
    }

    /// A line for people on standard output.
    pub(crate) fn line(&self, line: impl AsRef<str>) {
        self.note(writeln!(stdout(), "{}", line.as_ref()));
    }

    /// The object for programs, or the line for people.
    pub(crate) fn tell<S: AsRef<str>>(&self, object: &impl Serialize, line: impl FnOnce() -> S) {
        if self.json { self.object(object) } else { self.line(line()) }
    }

    /// A piece of an answer on standard output, at once and as it is.
    pub(crate) fn text(&self, text: &str) {
        // Not through the colour filter: it would take characters out of the text.
        self.bytes(text.as_bytes());
    }

    /// A file's content on standard output, as it is.
    pub(crate) fn bytes(&self, bytes: &[u8]) {
        let mut stdout = std::io::stdout();
        self.note(stdout.write_all(bytes).and_then(|()| stdout.flush()));
    }

    /// A line beside the answer, on standard error.
    pub(crate) fn aside(&self, line: impl AsRef<str>) {
        let _ = writeln!(stderr(), "{}", line.as_ref());
    }

    /// Tells people that a list is empty, beside it; programs see that.
    pub(crate) fn aside_if_empty<T>(&self, list: &[T], words: &str) {
        if list.is_empty() && !self.json {
            self.aside(words);
        }
    }

    /// `error[CODE]: what happened` and `hint: what to do`.
    pub(crate) fn fault(&self, fault: &Error) {
        let mut stderr = stderr();
        let (message, difference) = told(fault);
        for line in difference {
            let _ = writeln!(stderr, "{}", visible(line));
        }
        let message = one_line(message);
        let _ = writeln!(stderr, "\x1b[1;31merror\x1b[0m[{}]: {message}", fault.code);
        if !fault.hint.is_empty() {
            let _ = writeln!(stderr, "hint: {}", one_line(&fault.hint));
        }
        if self.json {
            self.object(&PrintedError::from(fault));
        }
    }
}

/// The sentence of an error, and the lines of the difference that it is about.
fn told(fault: &Error) -> (&str, Vec<&str>) {
    match fault.message.split_once('\n') {
        Some((message, difference)) if fault.is(Code::PIPELINE_CHANGED) => (message, difference.lines().collect()),
        _ => (&fault.message, Vec::new()),
    }
}

/// Text of a model or a file as it is, with what would not be seen, or would hide something, made visible.
pub(crate) fn visible(text: &str) -> String {
    arki_engine::visible(text, InvisibleCharacters::Code)
}

/// The word for a value without data, as programs get it.
pub(crate) fn word_of(value: impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

pub(crate) fn dim(text: &str) -> String {
    format!("\x1b[2m{text}\x1b[0m")
}

/// A moment in the user's time zone.
pub(crate) fn time(ts: i64) -> String {
    match jiff::Timestamp::from_millisecond(ts) {
        Ok(moment) => moment.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S").to_string(),
        // An import may bring any number; that is no moment in 1970.
        Err(_) => "beyond any date".to_owned(),
    }
}
