//! The messages of a server, as far as they are used. They are read straight into the parts that are kept: however much
//! a message has in it, it takes little more than its own bytes.

use crate::diagnostics::reading::ReportedProblem;
use crate::diagnostics::{MAX_CODE_CHARS, Severity, one_line};
use arki_domain::one_plain_line;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The diagnostics that are kept of one message about one file.
const MAX_OF_A_FILE: usize = 500;
/// The bytes of a text that are looked at: more than are told of it.
const MAX_TEXT_BYTES: usize = 4096;

#[derive(Deserialize)]
pub(super) struct Incoming<'a> {
    #[serde(borrow, default)]
    pub(super) id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    pub(super) params: Option<&'a RawValue>,
}

/// The answer to the greeting.
pub(super) enum Greeting {
    Ready,
    Refused(String),
}

#[derive(Deserialize)]
struct Greeted<'a> {
    id: i64,
    #[serde(borrow, default)]
    method: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    message: String,
}

impl Greeting {
    /// `None` for any other message.
    pub(super) fn of(message: &[u8]) -> Option<Self> {
        let Greeted { id: 1, method: None, error } = serde_json::from_slice(message).ok()? else { return None };
        Some(error.map_or(Self::Ready, |refusal| Self::Refused(one_line(beginning(&refusal.message)))))
    }
}

#[derive(Deserialize)]
pub(super) struct Configuration {
    pub(super) items: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct ServerProgress<'a> {
    #[serde(borrow)]
    pub(super) token: &'a RawValue,
    #[serde(borrow)]
    pub(super) value: ProgressStep<'a>,
}

#[derive(Deserialize)]
pub(super) struct ProgressStep<'a> {
    #[serde(borrow, default)]
    pub(super) kind: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub(super) struct Published<'a> {
    #[serde(borrow)]
    uri: Cow<'a, str>,
    #[serde(default)]
    pub(super) version: Option<i64>,
    #[serde(borrow)]
    diagnostics: ListBeginning<'a>,
}

impl Published<'_> {
    pub(super) fn uri(&self) -> &str {
        &self.uri
    }

    /// The diagnostics, of the file at `path`. Notes and hints, and what is none, are left out.
    pub(super) fn found(&self, path: &str) -> impl Iterator<Item = ReportedProblem> {
        self.diagnostics
            .0
            .iter()
            .filter_map(move |one| serde_json::from_str::<ServerDiagnostic<'_>>(one.get()).ok()?.found(path))
    }
}

/// The beginning of a list; the rest is read over.
struct ListBeginning<'a>(Vec<&'a RawValue>);

impl<'de: 'a, 'a> Deserialize<'de> for ListBeginning<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reading;
        impl<'de> Visitor<'de> for Reading {
            type Value = ListBeginning<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<ListBeginning<'de>, A::Error> {
                let mut first = Vec::new();
                while first.len() < MAX_OF_A_FILE
                    && let Some(one) = list.next_element()?
                {
                    first.push(one);
                }
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(ListBeginning(first))
            }
        }
        deserializer.deserialize_seq(Reading)
    }
}

#[derive(Deserialize)]
struct ServerDiagnostic<'a> {
    range: Range,
    #[serde(default)]
    severity: Option<u64>,
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Range {
    start: Position,
}

/// A position, from 0, in UTF-16 code units.
#[derive(Deserialize, Serialize)]
struct Position {
    line: u64,
    character: u64,
}

impl ServerDiagnostic<'_> {
    fn found(&self, path: &str) -> Option<ReportedProblem> {
        let severity = match self.severity {
            Some(1) => Severity::Error,
            Some(2) => Severity::Warning,
            Some(_) => return None,
            None => Severity::Unsaid,
        };
        let code = self.code.map(|code| beginning(code.get()).trim_matches('"'));
        let code = code.filter(|code| code.starts_with(|c: char| c.is_alphanumeric()));
        Some(ReportedProblem {
            path: path.to_owned(),
            folder: None,
            line: self.range.start.line.saturating_add(1),
            column: self.range.start.character.saturating_add(1),
            severity,
            code: code.map(|code| one_plain_line(code, MAX_CODE_CHARS)),
            message: one_line(beginning(&self.message)),
        })
    }
}

fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}
