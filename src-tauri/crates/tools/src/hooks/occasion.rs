//! The occasion on which hooks run: what happens, as far as conditions and commands are told of it.

use arki_domain::{HookMoment, ToolResult};
use serde_json::Value;

/// A call, in the terms in which it is judged: one that is only handed on is the call it becomes.
#[derive(Debug, Clone)]
pub(crate) struct HookedCall {
    pub(crate) call_id: String,
    pub(crate) tool: String,
    /// The arguments, with placeholders for secrets.
    pub(crate) args: Value,
    /// Relative to the project: what the call touches, and what its command mentions.
    pub(crate) paths: Vec<String>,
    /// The shell line.
    pub(crate) command: Option<String>,
}

/// The occasion on which a hook runs.
#[derive(Debug, Clone)]
pub(crate) enum HookOccasion {
    /// A call is about to be decided on, or about to commit.
    Before(HookedCall),
    /// A call was carried out.
    After(HookedCall, Box<ToolResult>),
    /// Anything else in a run.
    Moment(HookMoment),
}

impl HookOccasion {
    pub(crate) fn call(&self) -> Option<&HookedCall> {
        match self {
            Self::Before(call) | Self::After(call, _) => Some(call),
            Self::Moment(_) => None,
        }
    }

    /// The word that a matcher is held against where there is no call.
    pub(crate) fn kind(&self) -> Option<&str> {
        match self {
            Self::Moment(HookMoment::SessionStart(source)) => Some(source.word()),
            Self::Moment(HookMoment::Notification { kind, .. }) => Some(kind.word()),
            Self::Before(_) | Self::After(..) | Self::Moment(HookMoment::Prompt { .. } | HookMoment::Stop { .. }) => {
                None
            }
        }
    }

    /// A hook's text with what happened in the place of `{{prompt}}`, `{{tool}}`, `{{path}}` and `{{command}}`.
    pub(crate) fn fill(&self, text: &str) -> String {
        let call = self.call();
        let prompt = match self {
            Self::Moment(HookMoment::Prompt { text, .. }) => text.as_str(),
            _ => "",
        };
        // One after another, so that nothing that was put in is looked at again.
        let known = [
            ("{{prompt}}", prompt),
            ("{{tool}}", call.map_or("", |call| call.tool.as_str())),
            ("{{path}}", call.and_then(|call| call.paths.first()).map_or("", String::as_str)),
            ("{{command}}", call.and_then(|call| call.command.as_deref()).unwrap_or_default()),
        ];
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            filled.push_str(&rest[..start]);
            rest = &rest[start..];
            match known.iter().find(|(name, _)| rest.starts_with(name)) {
                Some((name, value)) => {
                    filled.push_str(value);
                    rest = &rest[name.len()..];
                }
                None => {
                    filled.push_str("{{");
                    rest = &rest[2..];
                }
            }
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_filled_once() {
        let occasion = HookOccasion::Moment(HookMoment::Prompt { text: "{{tool}} it".into(), message_id: None });
        assert_eq!(occasion.fill("New: {{prompt}}! {{other}} {{"), "New: {{tool}} it! {{other}} {{");
    }
}
