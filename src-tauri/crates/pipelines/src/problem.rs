//! A problem in a definition, with its place.

use arki_domain::{Code, Error};
use std::fmt;

/// A place in a text, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPlace {
    pub line: u64,
    pub column: u64,
}

impl TextPlace {
    pub(crate) const START: Self = Self { line: 1, column: 1 };
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionProblem {
    pub place: TextPlace,
    pub message: String,
    pub hint: String,
}

/// The hint for a key that is missing.
pub(crate) const ADD: &str = "Add it.";
/// The distance, in edits, up to which a name counts as a slip for another.
const MAX_DISTANCE: usize = 3;

impl DefinitionProblem {
    pub(crate) fn new(place: TextPlace, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { place, message: message.into(), hint: hint.into() }
    }
}

impl fmt::Display for DefinitionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TextPlace { line, column } = self.place;
        write!(f, "{line}:{column}: {}", self.message)
    }
}

/// Returns the first of the problems of a definition as an error; `origin` is the file.
#[must_use]
pub fn as_fault(origin: &str, problems: &[DefinitionProblem]) -> Error {
    let Some(first) = problems.first() else { return Error::internal("an invalid definition without a problem") };
    let more = match problems.len() - 1 {
        0 => String::new(),
        1 => " One more problem: see `arki pipelines check`.".to_owned(),
        more => format!(" {more} more problems: see `arki pipelines check`."),
    };
    Error::new(Code::PIPELINE_INVALID, format!("{origin}:{first}"), format!("{}{more}", first.hint))
}

/// Returns the hint for a name that is none of `known`.
pub(crate) fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let distance = |other: &str| strsim::damerau_levenshtein(name, other);
    let near = known.clone().into_iter().map(|known| (distance(known), known)).min();
    match near.filter(|(distance, _)| *distance <= MAX_DISTANCE && *distance < name.len()) {
        Some((_, near)) => format!("Did you mean `{near}`?"),
        None => match known.into_iter().collect::<Vec<_>>() {
            none if none.is_empty() => "There are none.".to_owned(),
            known => format!("Use one of: {}.", known.join(", ")),
        },
    }
}
