//! Differences between the generations of Gemini, read from the model's name: there is no way to ask.

use super::wire::ThinkingConfig;

/// <https://ai.google.dev/gemini-api/docs/thinking>
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Generation {
    thinking: Thinking,
    /// Gemini 3 and later.
    is_recent: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Thinking {
    /// The model does not, or nothing is known of it: then an unasked-for configuration would be an error.
    Unknown,
    /// Gemini 2.5: in tokens.
    Budget { least: i32, by_default: bool },
    /// Gemini 3 and later: in words, from the least to the most.
    Levels(&'static [&'static str]),
}

const ALL_LEVELS: &[&str] = &["minimal", "low", "medium", "high"];
const COMMON_LEVELS: &[&str] = &["low", "medium", "high"];
const FIRST_LEVELS: &[&str] = &["low", "high"];

/// Budgets for the words of others, as Google's own Chat Completions has them.
const LOW_BUDGET: i32 = 1_024;
const MEDIUM_BUDGET: i32 = 8_192;
const HIGH_BUDGET: i32 = 24_576;
/// Gemini 2.5 Pro cannot stop thinking.
const LEAST_PRO_BUDGET: i32 = 128;

impl Generation {
    pub(super) fn of(model: &str) -> Self {
        let name = model.strip_prefix("gemini-").unwrap_or_default();
        // Names like `gemini-flash-latest` mean the newest.
        let version = if name.ends_with("-latest") { Some((u32::MAX, 0)) } else { version(name) };
        let is_recent = version.is_some_and(|version| version >= (3, 0));
        let speaks = !["-image", "-tts", "-audio", "-live"].iter().any(|other| name.contains(other));
        let thinking = match version.filter(|_| speaks) {
            Some((3, 0)) if name.contains("pro") => Thinking::Levels(FIRST_LEVELS),
            Some((3, 0..=6)) if name.contains("flash") => Thinking::Levels(ALL_LEVELS),
            Some((3.., _)) => Thinking::Levels(COMMON_LEVELS),
            Some((2, 5)) if name.contains("pro") => Thinking::Budget { least: LEAST_PRO_BUDGET, by_default: true },
            Some((2, 5)) => Thinking::Budget { least: 0, by_default: !name.contains("lite") },
            _ => Thinking::Unknown,
        };
        Self { thinking, is_recent }
    }

    /// Returns whether a call without its signature is refused.
    pub(super) fn wants_signatures(&self) -> bool {
        self.is_recent
    }

    /// Returns whether the form of the answer can be prescribed while there are tools.
    pub(super) fn takes_schema_with_tools(&self) -> bool {
        self.is_recent
    }

    /// `effort` is the user's word: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. What the model cannot
    /// do becomes the nearest that it can; other words are the vendor's to judge.
    pub(super) fn thinking_config(&self, effort: Option<&str>) -> Option<ThinkingConfig> {
        let effort = effort.map(str::to_lowercase);
        match self.thinking {
            Thinking::Unknown => None,
            Thinking::Levels(levels) => Some(ThinkingConfig {
                include_thoughts: true,
                thinking_budget: None,
                thinking_level: effort.map(|effort| level(levels, effort)),
            }),
            Thinking::Budget { least, by_default } => {
                let thinking_budget = effort.as_deref().and_then(|effort| budget(least, effort));
                let thinks = thinking_budget.map_or(by_default, |budget| budget > 0);
                let config = ThinkingConfig { include_thoughts: thinks, thinking_budget, thinking_level: None };
                (thinks || thinking_budget.is_some()).then_some(config)
            }
        }
    }
}

fn level(levels: &[&str], effort: String) -> String {
    match effort.as_str() {
        "none" | "off" | "minimal" => levels[0].to_owned(),
        "medium" if !levels.contains(&"medium") => "high".to_owned(),
        "xhigh" | "max" => "high".to_owned(),
        _ => effort,
    }
}

fn budget(least: i32, effort: &str) -> Option<i32> {
    Some(match effort {
        "none" | "off" => least,
        "minimal" | "low" => LOW_BUDGET,
        "medium" => MEDIUM_BUDGET,
        "high" | "xhigh" | "max" => HIGH_BUDGET,
        _ => return None,
    })
}

/// `3.1-pro-preview` is 3.1, `4-argon` is 4.0.
fn version(name: &str) -> Option<(u32, u32)> {
    let number = name.split('-').next()?;
    let (major, minor) = number.split_once('.').unwrap_or((number, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(model: &str, effort: Option<&str>) -> (Option<i32>, Option<String>) {
        let config = Generation::of(model).thinking_config(effort);
        let config = config.unwrap_or(ThinkingConfig {
            include_thoughts: false,
            thinking_budget: Some(-7),
            thinking_level: None,
        });
        (config.thinking_budget, config.thinking_level)
    }

    #[test]
    fn the_third_generation_takes_levels_and_no_more_of_them_than_each_model_has() {
        let cases = [
            ("gemini-3-flash-preview", "none", "minimal"),
            ("gemini-3.5-flash-lite", "minimal", "minimal"),
            ("gemini-3.8-flash", "minimal", "low"),
            ("gemini-3.1-pro-preview", "none", "low"),
            ("gemini-3.1-pro-preview", "medium", "medium"),
            ("gemini-3-pro-preview", "medium", "high"),
            ("gemini-4-argon", "XHIGH", "high"),
            ("gemini-flash-latest", "minimal", "low"),
            ("gemini-4-argon", "thoroughly", "thoroughly"),
        ];
        for (model, effort, level) in cases {
            assert_eq!(asked(model, Some(effort)), (None, Some(level.to_owned())), "{model} {effort}");
        }
        assert_eq!(asked("gemini-3.8-flash", None), (None, None));
    }

    #[test]
    fn the_second_generation_takes_budgets() {
        let cases = [
            ("gemini-2.5-flash", "none", 0),
            ("gemini-2.5-pro", "none", 128),
            ("gemini-2.5-flash-lite", "low", 1024),
            ("gemini-2.5-pro", "medium", 8192),
            ("gemini-2.5-flash-preview-09-2025", "max", 24576),
        ];
        for (model, effort, budget) in cases {
            assert_eq!(asked(model, Some(effort)), (Some(budget), None), "{model} {effort}");
        }
        assert_eq!(asked("gemini-2.5-pro", None), (None, None));
    }

    #[test]
    fn thoughts_are_asked_for_only_where_there_are_some() {
        let shown = |model: &str, effort| {
            Generation::of(model).thinking_config(effort).is_some_and(|config| config.include_thoughts)
        };
        assert!(shown("gemini-2.5-flash", None) && shown("gemini-2.5-flash-lite", Some("low")));
        assert!(!shown("gemini-2.5-flash", Some("none")) && !shown("gemini-2.5-flash-lite", None));
        for model in ["gemini-2.0-flash", "gemma-3-27b-it", "gemini-2.5-flash-image", "mock", "gemini-"] {
            assert_eq!(Generation::of(model).thinking_config(Some("high")), None, "{model}");
        }
    }
}
