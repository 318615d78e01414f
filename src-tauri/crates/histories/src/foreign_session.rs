//! A session of another agent, in the terms that all of them share.

use serde_json::Value;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForeignSession {
    /// The id that its own program knows it by.
    pub id: String,
    /// The folder it worked in.
    pub folder: String,
    /// Empty where nobody gave it one.
    pub title: String,
    /// In the order in which they happened.
    pub moments: Vec<Moment>,
    /// Parts of the file that could not be read, and were left out.
    pub left_out: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// Milliseconds since 1970; 0 where the file doesn't tell.
    pub at_ms: i64,
    pub told: Told,
}

/// An event of a moment.
#[derive(Debug, Clone, PartialEq)]
pub enum Told {
    /// The model of what follows, as `provider/model`.
    Model(String),
    Prompt(String),
    Thought(String),
    Answer(String),
    Call {
        id: String,
        tool: String,
        args: Value,
    },
    Result {
        id: String,
        text: String,
        is_error: bool,
    },
}

impl ForeignSession {
    pub(crate) fn note(&mut self, at_ms: i64, told: Told) {
        let is_empty = match &told {
            Told::Prompt(text) | Told::Thought(text) | Told::Answer(text) => text.trim().is_empty(),
            Told::Model(_) | Told::Call { .. } | Told::Result { .. } => false,
        };
        if !is_empty {
            self.moments.push(Moment { at_ms, told });
        }
    }

    /// Takes back the last prompts, with all that came of them.
    pub(crate) fn forget_last_prompts(&mut self, count: usize) {
        let prompts = self.moments.iter().enumerate().filter(|(_, moment)| matches!(moment.told, Told::Prompt(_)));
        let begins: Vec<usize> = prompts.map(|(at, _)| at).collect();
        if let Some(at) = begins.len().checked_sub(count.max(1)).and_then(|nth| begins.get(nth)) {
            self.moments.truncate(*at);
        }
    }
}
