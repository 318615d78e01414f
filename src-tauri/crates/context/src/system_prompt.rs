//! The order of the system prompt: base prompt, the custom part (call > session > configuration), then the rules.

use crate::render;

const BASE_PROMPT: &str = include_str!("base_prompt.md");

const PLANNING: &str = "This run is for planning. You have only tools that read. Look at what is there, then say what \
    you would change and in which order; the user decides, and begins the work in another run.";

/// A rules file of a trusted project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Relative to the project.
    pub path: String,
    pub text: String,
}

#[derive(Debug, Clone, Default)]
pub struct SystemPromptInputs<'a> {
    /// The project's canonical path.
    pub project: &'a str,
    /// The operating system's name.
    pub system: &'a str,
    /// The date; a day's precision keeps the provider's prompt cache.
    pub today: &'a str,
    /// The run only plans. That it can do no more is not this prompt's to see to.
    pub plans: bool,
    /// The call-level prompt wins over the configuration's.
    pub call_prompt: Option<&'a str>,
    pub configured_prompt: Option<&'a str>,
    /// From the root towards the file.
    pub rules: Vec<Rule>,
}

/// One part of the prompt, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub name: &'static str,
    pub origin: String,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    pub parts: Vec<Part>,
}

impl SystemPrompt {
    /// The text that is sent.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().map(|part| part.text.trim_end()).collect::<Vec<_>>().join("\n\n")
    }
}

#[must_use]
pub fn assemble(inputs: &SystemPromptInputs<'_>) -> SystemPrompt {
    let values = [("project", inputs.project), ("system", inputs.system), ("today", inputs.today)];
    let mut parts = vec![Part { name: "base", origin: "built in".to_owned(), text: render(BASE_PROMPT, &values) }];
    if inputs.plans {
        parts.push(Part { name: "plan", origin: "built in".to_owned(), text: PLANNING.to_owned() });
    }
    let custom = inputs
        .call_prompt
        .map(|text| ("call", text))
        .or_else(|| inputs.configured_prompt.map(|text| ("configuration", text)));
    if let Some((origin, text)) = custom {
        parts.push(Part { name: "custom", origin: origin.to_owned(), text: text.to_owned() });
    }
    parts.extend(inputs.rules.iter().map(|rule| Part {
        name: "rules",
        origin: rule.path.clone(),
        text: format!("Rules of this project, from {}:\n\n{}", rule.path, rule.text),
    }));
    SystemPrompt { parts }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_base_custom_rules() {
        let prompt = assemble(&SystemPromptInputs {
            project: "/p",
            system: "Linux",
            today: "2026-11-21",
            plans: true,
            call_prompt: Some("from the call"),
            configured_prompt: Some("from the configuration"),
            rules: vec![
                Rule { path: "AGENTS.md".into(), text: "one".into() },
                Rule { path: "a/AGENTS.md".into(), text: "two".into() },
            ],
        });
        let origins: Vec<_> = prompt.parts.iter().map(|part| part.origin.as_str()).collect();
        assert_eq!(origins, ["built in", "built in", "call", "AGENTS.md", "a/AGENTS.md"]);
        assert_eq!(prompt.parts[1].name, "plan");
        assert!(prompt.text().contains("folder /p on Linux"));
        assert!(!prompt.text().contains("{{"));
    }
}
