//! The custom part of the system prompt: `{{variable}}`, named fragments (`{{fragment:NAME}}`), and which of several
//! prompts counts.
//!
//! **Use.** [`build_prompt`] with what the call, the session and the configuration say. Of the three the first that says
//! anything counts; each may have several texts, which become paragraphs of one part, in order.

use crate::template::{Rendered, render_with};
use arki_domain::{Code, Error};
use std::collections::{BTreeMap, BTreeSet};

/// The depth to which fragments may include fragments.
const MAX_FRAGMENT_DEPTH: usize = 8;
/// A prompt, its fragments included.
pub const MAX_PROMPT_BYTES: usize = 256 * 1024;
const FRAGMENT: &str = "fragment:";

/// The places that a prompt may come from, the strongest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptLayers<'a> {
    pub call: &'a [String],
    pub session: &'a [String],
    pub configuration: &'a [String],
}

/// The custom part, ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltPrompt {
    /// `call`, `session` or `configuration`.
    pub origin: &'static str,
    pub text: String,
    /// Variables that have no value; they stay in the text as they are.
    pub unknown: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    #[error("There is no prompt fragment {name:?}.")]
    FragmentNotFound { name: String, known: Vec<String> },
    #[error("The prompt fragment {name:?} contains itself, or fragments are nested deeper than {MAX_FRAGMENT_DEPTH}.")]
    Circular { name: String },
    #[error("The prompt from the {origin} is empty.")]
    Empty { origin: &'static str },
    #[error("The prompt from the {origin} has a null character.")]
    NotText { origin: &'static str },
    #[error("The prompt from the {origin} has {bytes} bytes with its fragments, and the limit is {MAX_PROMPT_BYTES}.")]
    TooLong { origin: &'static str, bytes: usize },
}

impl From<PromptError> for Error {
    fn from(error: PromptError) -> Self {
        let (code, hint) = match &error {
            PromptError::FragmentNotFound { known, .. } if known.is_empty() => {
                (Code::PROMPT_FRAGMENT_NOT_FOUND, "No fragments are defined.".to_owned())
            }
            PromptError::FragmentNotFound { known, .. } => {
                (Code::PROMPT_FRAGMENT_NOT_FOUND, format!("Use one of these: {}.", known.join(", ")))
            }
            PromptError::Circular { .. } => {
                (Code::PROMPT_VALIDATION_FAILED, "Remove the fragment from its own text.".to_owned())
            }
            PromptError::Empty { .. } => {
                (Code::PROMPT_VALIDATION_FAILED, "Write a prompt, or leave the setting out.".to_owned())
            }
            PromptError::NotText { .. } => (Code::PROMPT_VALIDATION_FAILED, "Remove that character.".to_owned()),
            PromptError::TooLong { .. } => (Code::PROMPT_VALIDATION_FAILED, "Shorten the prompt.".to_owned()),
        };
        Self::new(code, error.to_string(), hint)
    }
}

/// `None` where nobody says anything.
///
/// # Errors
/// `PROMPT_FRAGMENT_NOT_FOUND`, `PROMPT_VALIDATION_FAILED`.
pub fn build_prompt(
    layers: &PromptLayers<'_>,
    fragments: &BTreeMap<String, String>,
    values: &[(&str, &str)],
) -> Result<Option<BuiltPrompt>, PromptError> {
    let all = [("call", layers.call), ("session", layers.session), ("configuration", layers.configuration)];
    let Some((origin, texts)) = all.into_iter().find(|(_, texts)| !texts.is_empty()) else { return Ok(None) };
    let mut building = Building { fragments, values, unknown: BTreeSet::new(), bytes: 0, origin };
    let mut paragraphs = Vec::with_capacity(texts.len());
    for text in texts {
        paragraphs.push(building.expand(text, &mut Vec::new())?);
    }
    let text =
        paragraphs.iter().map(|text| text.trim()).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n");
    if text.is_empty() {
        return Err(PromptError::Empty { origin });
    }
    if text.contains('\0') {
        return Err(PromptError::NotText { origin });
    }
    Ok(Some(BuiltPrompt { origin, text, unknown: building.unknown }))
}

struct Building<'a> {
    fragments: &'a BTreeMap<String, String>,
    values: &'a [(&'a str, &'a str)],
    unknown: BTreeSet<String>,
    bytes: usize,
    origin: &'static str,
}

impl Building<'_> {
    /// `open` are the fragments that this text stands in.
    fn expand(&mut self, text: &str, open: &mut Vec<String>) -> Result<String, PromptError> {
        let mut failed = None;
        let rendered = render_with(text, &mut |name| {
            if failed.is_some() {
                return None;
            }
            match name.strip_prefix(FRAGMENT) {
                Some(fragment) => match self.fragment(fragment.trim(), open) {
                    Ok(text) => Some(text),
                    Err(error) => {
                        failed = Some(error);
                        None
                    }
                },
                None => self.values.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned()),
            }
        });
        if let Some(error) = failed {
            return Err(error);
        }
        let Rendered { text, unknown } = rendered;
        self.unknown.extend(unknown);
        self.bytes += text.len();
        match self.bytes {
            bytes if bytes > MAX_PROMPT_BYTES => Err(PromptError::TooLong { origin: self.origin, bytes }),
            _ => Ok(text),
        }
    }

    fn fragment(&mut self, name: &str, open: &mut Vec<String>) -> Result<String, PromptError> {
        let Some(text) = self.fragments.get(name) else {
            let known = self.fragments.keys().cloned().collect();
            return Err(PromptError::FragmentNotFound { name: name.to_owned(), known });
        };
        if open.len() >= MAX_FRAGMENT_DEPTH || open.iter().any(|known| known == name) {
            return Err(PromptError::Circular { name: name.to_owned() });
        }
        open.push(name.to_owned());
        let expanded = self.expand(text, open);
        open.pop();
        expanded
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(all: &[&str]) -> Vec<String> {
        all.iter().map(|text| (*text).to_owned()).collect()
    }

    fn built(prompt: &str, fragments: &[(&str, &str)]) -> Result<BuiltPrompt, PromptError> {
        let fragments = fragments.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
        let call = texts(&[prompt]);
        let layers = PromptLayers { call: &call, ..PromptLayers::default() };
        build_prompt(&layers, &fragments, &[("project", "/p")]).map(Option::unwrap)
    }

    #[test]
    fn the_call_goes_before_the_session_and_that_before_the_configuration() {
        let (call, session, configuration) = (texts(&["c"]), texts(&["s", "t"]), texts(&["k"]));
        let all = PromptLayers { call: &call, session: &session, configuration: &configuration };
        let origin = |layers: PromptLayers<'_>| {
            build_prompt(&layers, &BTreeMap::new(), &[]).unwrap().map(|built| (built.origin, built.text))
        };
        assert_eq!(origin(all), Some(("call", "c".to_owned())));
        assert_eq!(origin(PromptLayers { call: &[], ..all }), Some(("session", "s\n\nt".to_owned())));
        assert_eq!(origin(PromptLayers { call: &[], session: &[], ..all }), Some(("configuration", "k".to_owned())));
        assert_eq!(origin(PromptLayers::default()), None);
    }

    #[test]
    fn unknown_variables_stay_and_are_named() {
        let prompt =
            built("In {{project}}, {{ nobody }} {{fragment:who}}", &[("who", "{{me}} in {{project}}")]).unwrap();
        assert_eq!(prompt.text, "In /p, {{ nobody }} {{me}} in /p");
        assert_eq!(prompt.unknown, BTreeSet::from(["me".to_owned(), "nobody".to_owned()]));
    }

    #[test]
    fn what_is_wrong_with_a_prompt_is_said() {
        let fragments = [("a", "{{fragment:b}}"), ("b", "{{fragment:a}}"), ("empty", " "), ("nul", "x\0")];
        let long = "x".repeat(MAX_PROMPT_BYTES + 1);
        for (prompt, code, words) in [
            ("{{fragment:c}}", Code::PROMPT_FRAGMENT_NOT_FOUND, "\"c\""),
            ("{{fragment:a}}", Code::PROMPT_VALIDATION_FAILED, "contains itself"),
            ("{{fragment:empty}}", Code::PROMPT_VALIDATION_FAILED, "is empty"),
            ("{{fragment:nul}}", Code::PROMPT_VALIDATION_FAILED, "null character"),
            (&long, Code::PROMPT_VALIDATION_FAILED, "the limit is"),
        ] {
            let fault = Error::from(built(prompt, &fragments).unwrap_err());
            assert!(fault.is(code) && fault.message.contains(words), "{fault:?}");
        }
        let fault = Error::from(built("{{fragment:c}}", &fragments).unwrap_err());
        assert!(fault.hint.contains("a, b, empty"), "{fault:?}");
    }

    #[test]
    fn fragments_that_double_each_other_are_bounded() {
        let names: Vec<(String, String)> =
            (0..8).map(|n| (format!("f{n}"), format!("{{{{fragment:f{}}}}}", n + 1).repeat(20))).collect();
        let mut all: Vec<(&str, &str)> = names.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        all.push(("f8", "xxxxxxxxxx"));
        assert!(built("{{fragment:f1}}", &all).is_err());
    }

    proptest! {
        #[test]
        fn a_prompt_without_braces_is_sent_as_it_is(prompt in "[a-z ]{0,40}[a-z]") {
            prop_assert_eq!(built(&prompt, &[]).unwrap().text, prompt.trim());
        }
    }
}
