//! The system prompt that a run begins with and keeps: its parts from the project, the configuration and the user.

use crate::config::Config;
use crate::projects::guides::index;
use crate::projects::open::{OpenProject, OpenedFolder};
use crate::projects::rules::at_start;
use crate::runs::Runs;
use crate::sessions::compacting::EstimatedTokens;
use crate::sessions::usage::day;
use arki_context::{BuiltPrompt, MemoryFile, MemoryText, PromptLayers, SystemPrompt, SystemPromptInputs, build_prompt};
use arki_domain::projection::PLANNING_CORE;
use arki_domain::{Fault, PartKind, RunOptions};

/// Of a request for what is remembered.
const MAX_MEMORY_TOKENS: u64 = 2000;

impl Runs {
    /// # Errors
    /// When a skill that was asked for, or the core, is not there.
    pub(crate) fn system_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        (core, is_subagent): (&str, bool),
    ) -> Result<String, Fault> {
        let prompt = self.system_prompt_parts(open, config, options, (core, is_subagent))?;
        if let Some(warning) = self.custom_prompt(open, config, options)?.as_ref().and_then(unknown_variables) {
            tracing::warn!("{warning}");
        }
        // The hash names these bytes in the log and the blob store, so keys go before it is computed.
        Ok(self.records.redactor().redact(&prompt.text()).into_owned())
    }

    pub(crate) fn system_prompt_parts(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        (core, is_subagent): (&str, bool),
    ) -> Result<SystemPrompt, Fault> {
        let found = self.projects.guides_of(open, config);
        let guides = found.without(&config.off);
        let mut rules = at_start(self.projects.rules_of(open));
        rules.retain(|rule| !PartKind::Rule.is_off(&rule.path, &config.off));
        let custom = self.custom_prompt(open, config, options)?;
        let inputs = SystemPromptInputs {
            project: &open.place(),
            system: std::env::consts::OS,
            today: &day(self.records.clock().now_ms()),
            // A core that plans says itself what becomes of the plan.
            plans: options.plan && core != PLANNING_CORE,
            core: arki_agent::core(core)?.instructions(),
            is_subagent,
            custom: custom.as_ref(),
            rules,
            skills: index(&guides.skills),
            chosen_skills: found.chosen(&options.skills)?,
            procedures: index(&guides.procedures),
            memory: self.memory_text(open, config),
        };
        Ok(arki_context::assemble(&inputs))
    }

    /// The project's memory first, as far as it is as it was agreed to, then the user's own.
    fn memory_text(&self, open: &OpenProject, config: &Config) -> MemoryText {
        if PartKind::Memory.is_off("", &config.off) {
            return MemoryText::default();
        }
        let found = open.memory().into_iter().filter(|file| file.is_agreed).chain(self.projects.own_memory());
        let found: Vec<_> = found.collect();
        let files = found.iter().map(|file| MemoryFile { origin: &file.path, text: &file.text });
        arki_context::memory_text(&files.collect::<Vec<_>>(), MAX_MEMORY_TOKENS, &EstimatedTokens)
    }

    /// The warning about a call's own prompt, where it has variables that nothing is known of.
    #[must_use]
    pub fn prompt_warning(&self, opened: &OpenedFolder, options: &RunOptions) -> Option<String> {
        options.system.as_ref().filter(|text| text.contains("{{"))?;
        let config = self.projects.config_of(&opened.0).ok()?;
        self.custom_prompt(&opened.0, &config, options).ok()?.as_ref().and_then(unknown_variables)
    }

    /// # Errors
    /// `PROMPT_FRAGMENT_NOT_FOUND`, `PROMPT_VALIDATION_FAILED`.
    pub(super) fn custom_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
    ) -> Result<Option<BuiltPrompt>, Fault> {
        let layers = PromptLayers {
            call: options.system.as_slice(),
            session: config.session_prompt.as_slice(),
            configuration: config.system_prompt.as_slice(),
        };
        let (project, today) = (open.path(), day(self.records.clock().now_ms()));
        let name = open.project.root().file_name().unwrap_or_default().to_string_lossy();
        let values = [
            ("project", project.as_str()),
            ("project_name", &name),
            ("system", std::env::consts::OS),
            ("today", &today),
        ];
        Ok(build_prompt(&layers, &config.prompt_fragments, &values)?)
    }
}

/// The warning about variables that nothing is known of; they stay in the prompt as they are.
pub(crate) fn unknown_variables(prompt: &BuiltPrompt) -> Option<String> {
    let unknown: Vec<String> = prompt.unknown.iter().map(|name| format!("{{{{{name}}}}}")).collect();
    let origin = prompt.origin;
    (!unknown.is_empty())
        .then(|| format!("The prompt from the {origin} has unknown variables: {}.", unknown.join(", ")))
}
