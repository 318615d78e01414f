//! The system prompt that a run begins with and keeps: its parts from the project, the configuration and the user.

use crate::projects::guides::index;
use crate::projects::memory_files::{own_memory, project_memory};
use crate::projects::rules::at_start;
use crate::usage_reports::day;
use crate::{Accounts, EstimatedTokens, OpenProject, OpenedFolder, Projects, Records, StartRun};
use arki_config::Config;
use arki_context::{
    BuiltPrompt, MemoryFile, MemoryText, PromptLayers, SystemPrompt, SystemPromptInputs, WorkMode, build_prompt,
};
use arki_domain::projection::PLANNING_CORE;
use arki_domain::{Error, PartKind, RunOptions};
use arki_llm::ModelInfo;
use arki_process::{shell_name, system_version};
use std::sync::Arc;

/// The budget for memory in a request.
const MAX_MEMORY_TOKENS: u64 = 2000;

/// The core that the prompt is for, and who is there.
#[derive(Clone, Copy)]
pub(crate) struct PromptScope<'a> {
    pub(crate) core: &'a str,
    pub(crate) is_subagent: bool,
    /// True if somebody can answer questions.
    pub(crate) answers: bool,
}

/// Assembles system prompts of what is configured, and of what lies in the project.
pub struct SystemPrompts {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
}

impl SystemPrompts {
    /// # Errors
    /// When a skill that was asked for, or the core, is not there.
    pub(crate) fn text(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        scope: PromptScope<'_>,
    ) -> Result<String, Error> {
        let prompt = self.parts(open, config, options, scope)?;
        if let Some(warning) = self.custom_prompt(open, config, options)?.as_ref().and_then(unknown_variables) {
            tracing::warn!("{warning}");
        }
        // The hash names these bytes in the log and the blob store, so keys go before it is computed.
        Ok(self.records.redactor().redact(&prompt.text()).into_owned())
    }

    pub(crate) fn parts(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
        PromptScope { core, is_subagent, answers }: PromptScope<'_>,
    ) -> Result<SystemPrompt, Error> {
        let found = self.projects.guides_of(open, config);
        let guides = found.without(&config.off);
        let mut rules = at_start(self.projects.rules_of(open));
        rules.retain(|rule| !PartKind::Rule.is_off(&rule.path, &config.off));
        let custom = self.custom_prompt(open, config, options)?;
        let inputs = SystemPromptInputs {
            project: &open.place(),
            system: &system_version(),
            shell: &shell_name(),
            mode: WorkMode::of(open.is_trusted().then_some(options)),
            answers,
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
        let found = project_memory(open).into_iter().filter(|file| file.is_agreed).chain(own_memory(&self.projects));
        let found: Vec<_> = found.collect();
        let files = found.iter().map(|file| MemoryFile { origin: &file.path, text: &file.text });
        arki_context::memory_text(&files.collect::<Vec<_>>(), MAX_MEMORY_TOKENS, &EstimatedTokens)
    }

    /// The warnings about a run before it starts: a call's own prompt with variables that nothing is known of, a model
    /// that takes no tools, and too few open files for its commands.
    #[must_use]
    pub fn start_warnings(&self, opened: &OpenedFolder, start: &StartRun) -> Vec<String> {
        let Ok(config) = self.projects.config_of(&opened.0) else { return Vec::new() };
        let has_variables = start.options.system.as_ref().is_some_and(|text| text.contains("{{"));
        let custom = self.custom_prompt(&opened.0, &config, &start.options).ok().flatten().filter(|_| has_variables);
        let model = start.model.as_ref().unwrap_or(&config.model);
        let model = self.accounts.providers(&config).model_info(model).ok();
        let few_files = arki_process::open_files_problem().map(|problem| format!("{problem} {}", problem.hint()));
        let of_model = model.as_ref().and_then(takes_no_tools);
        custom.as_ref().and_then(unknown_variables).into_iter().chain(of_model).chain(few_files).collect()
    }

    /// # Errors
    /// `PROMPT_FRAGMENT_NOT_FOUND`, `PROMPT_VALIDATION_FAILED`.
    pub(super) fn custom_prompt(
        &self,
        open: &OpenProject,
        config: &Config,
        options: &RunOptions,
    ) -> Result<Option<BuiltPrompt>, Error> {
        let layers = PromptLayers {
            call: options.system.as_slice(),
            session: config.session_prompt.as_slice(),
            configuration: config.system_prompt.as_slice(),
        };
        let (project, today, system) = (open.path(), day(self.records.clock().now_ms()), system_version());
        let name = open.project.root().file_name().unwrap_or_default().to_string_lossy();
        let values = [("project", project.as_str()), ("project_name", &name), ("system", &system), ("today", &today)];
        Ok(build_prompt(&layers, &config.prompt_fragments, &values)?)
    }
}

/// The warning about a model that takes no tools.
pub(crate) fn takes_no_tools(model: &ModelInfo) -> Option<String> {
    let ModelInfo { provider, model: name, .. } = model;
    (!model.takes_tools()).then(|| {
        format!(
            "{provider}/{name} doesn't support tools, so Arki describes them in words and reads calls from its \
             answers. Choose a model with the ability “tool_use” for better results (`arki models`)."
        )
    })
}

/// The warning about variables that nothing is known of; they stay in the prompt as they are.
pub(crate) fn unknown_variables(prompt: &BuiltPrompt) -> Option<String> {
    let unknown: Vec<String> = prompt.unknown.iter().map(|name| format!("{{{{{name}}}}}")).collect();
    let origin = prompt.origin;
    (!unknown.is_empty())
        .then(|| format!("The prompt from the {origin} has unknown variables: {}.", unknown.join(", ")))
}
