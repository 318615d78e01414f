//! The options a model accepts: they changed from generation to generation, and its name tells them.
//!
//! <https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking>,
//! <https://platform.claude.com/docs/en/build-with-claude/extended-thinking>,
//! <https://platform.claude.com/docs/en/build-with-claude/preserved-thinking>,
//! <https://platform.claude.com/docs/en/build-with-claude/structured-outputs>

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub(super) thinking: Thinking,
    /// True if the model takes an output format as an option, not only in words: from Claude 4.5 on.
    pub(super) has_output_format: bool,
}

/// The treatment of a request's `thinking` by a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// Models before Claude 3.7 don't think.
    Never,
    /// Up to Claude 4.5, and other vendors' models behind this API: as many tokens as the request says.
    Budget,
    /// Claude 4.6 and later: the model decides, and is told how much effort to make.
    Adaptive {
        /// Claude 5 and later think unless told otherwise, and say nothing of it unless told so.
        always: bool,
        /// True for models after Claude 5, whose thoughts hold only for the conversation in which they were thought.
        bound: bool,
    },
}

impl Capabilities {
    pub(super) fn of(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let Some((_, name)) = model.split_once("claude") else {
            return Self { thinking: Thinking::Budget, has_output_format: false };
        };
        // A name without a version stands for whatever is newest.
        let version = version(name);
        let thinking = match version {
            None => Thinking::Adaptive { always: false, bound: false },
            Some(version) if version < (3, 7) => Thinking::Never,
            Some(version) if version < (4, 6) => Thinking::Budget,
            Some(version) => Thinking::Adaptive { always: version >= (5, 0), bound: version > (5, 0) },
        };
        Self { thinking, has_output_format: version.is_none_or(|version| version >= (4, 5)) }
    }
}

impl Thinking {
    pub(super) fn is_bound(self) -> bool {
        matches!(self, Self::Adaptive { bound: true, .. })
    }
}

/// Major and minor of `-opus-4-5-20251101`, `-3-7-sonnet-20250219` or `-sonnet-5`. A date is no version.
fn version(name: &str) -> Option<(u32, u32)> {
    let number = |part: &&str| (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let mut numbers = parts.skip_while(|part| !number(part)).take_while(number).map(str::parse);
    let major = numbers.next()?.ok()?;
    Some((major, numbers.next().and_then(Result::ok).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_models_name_tells_what_it_takes() {
        use Thinking::{Adaptive, Budget, Never};
        let of = |thinking, has_output_format| Capabilities { thinking, has_output_format };
        let adaptive = |always, bound| of(Adaptive { always, bound }, true);
        for (model, expected) in [
            ("claude-2.1", of(Never, false)),
            ("claude-3-5-sonnet-20241022", of(Never, false)),
            ("claude-3-7-sonnet-20250219", of(Budget, false)),
            ("claude-opus-4-20250514", of(Budget, false)),
            ("claude-sonnet-4-5-20250929", of(Budget, true)),
            ("anthropic.claude-haiku-4-5-20251001-v1:0", of(Budget, true)),
            ("deepseek-chat", of(Budget, false)),
            ("claude-opus-4-6", adaptive(false, false)),
            ("anthropic/claude-opus-4.8", adaptive(false, false)),
            ("claude-opus-latest", adaptive(false, false)),
            ("claude-sonnet-5", adaptive(true, false)),
            ("claude-fable-5-1", adaptive(true, true)),
            ("Claude-Haiku-5-5", adaptive(true, true)),
            ("claude-opus-6", adaptive(true, true)),
        ] {
            assert_eq!(Capabilities::of(model), expected, "{model}");
        }
    }
}
