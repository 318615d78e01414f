//! The context that comes into a run's conversation when it touches something, or something is said: the rules of a
//! folder, rules for certain paths, skills with triggers, what a prompt mentions. A compaction that drops a prompt drops
//! its mentions too.

use crate::runs::git_state::GitState;
use crate::runs::mentions::Mentioned;
use arki_context::{LoadedRules, Triggers, WorkMode};
use arki_domain::projection::{MessageKind, RunState, Transcript};
use arki_domain::{ContextAdded, LateContext, MENTION_PART};
use arki_edit::patch::patch_paths;
use arki_files::Project;
use arki_redaction::Redactor;
use arki_tools::Guide;
use serde_json::Value;
use std::sync::Arc;

/// Paths of one call that are looked at.
const MAX_PATHS: usize = 200;
/// The limit for a skill's text; of a longer skill the beginning is added.
const MAX_SKILL_BYTES: usize = 32 * 1024;

const MODE_PART: &str = "mode";

/// Returns the mode that a run's model has to be told: its system prompt says another, or something said so since.
pub(crate) fn mode_to_tell(
    run: &RunState,
    is_trusted: bool,
    system: &str,
    transcript: &mut Transcript,
) -> Option<&'static str> {
    let mode = WorkMode::of(is_trusted.then_some(&run.options)).words();
    let mut told = transcript.conversation().map(|message| message.kind);
    let is_told = told.any(|kind| matches!(kind, MessageKind::Added { part, .. } if part == MODE_PART));
    let says_another = system.contains("Mode when this run began: ") && !system.contains(mode);
    (is_told || says_another).then_some(mode)
}

/// The sources of late context, as they were when the run began to work.
pub(crate) struct LateContextSources {
    pub(super) project: Arc<Project>,
    /// Without those that are off in the session.
    pub(super) rules: LoadedRules,
    pub(super) skills: Vec<(Guide, Triggers)>,
    pub(super) mentioned: Option<Mentioned>,
    pub(super) git: GitState,
    /// The mode, where it is another than the system prompt says.
    pub(super) mode: Option<&'static str>,
    pub(super) redactor: Redactor,
}

impl LateContextSources {
    fn mode(&self) -> Option<ContextAdded> {
        let mode = self.mode?;
        Some(self.added(MODE_PART, "resumed", &format!("[The user changed the mode. It is now: {mode}]")))
    }

    /// Makes an addition of redacted text, since it is compared with the conversation, which is redacted.
    fn added(&self, part: &str, origin: &str, text: &str) -> ContextAdded {
        ContextAdded::new(part, origin, self.redactor.redact(text))
    }

    fn skills_that(&self, fit: impl Fn(&Triggers) -> bool) -> impl Iterator<Item = ContextAdded> {
        let skills = self.skills.iter().filter(move |(_, triggers)| fit(triggers));
        skills.map(|(skill, _)| self.added("skill", &skill.name, &skill_text(skill)))
    }

    fn for_path(&self, path: &str) -> Vec<ContextAdded> {
        let Ok(path) = self.project.resolve(path) else { return Vec::new() };
        let rules = self.rules.touched(path.as_str()).into_iter();
        let text =
            |rule: &arki_context::LoadedRule| format!("Rules for what you touch, from {}:\n\n{}", rule.path, rule.text);
        let rules = rules.map(|rule| self.added("rule", &rule.path, &text(rule)));
        rules.chain(self.skills_that(|triggers| triggers.is_for_path(path.as_str()))).collect()
    }
}

impl LateContext for LateContextSources {
    fn for_prompt(&self, prompt: &str) -> Vec<ContextAdded> {
        let mentioned = self.mentioned.iter().flat_map(|mentioned| mentioned.in_text(prompt));
        let mentioned = mentioned.map(|it| self.added(MENTION_PART, &it.origin, &it.text));
        let git = self.git.told().map(|text| self.added("git", "status", &text));
        let skills = self.skills_that(|triggers| triggers.keyword_in(prompt).is_some());
        mentioned.chain(skills).chain(git).chain(self.mode()).collect()
    }

    fn for_call(&self, tool_id: &str, arguments: &str) -> Vec<ContextAdded> {
        let Ok(arguments) = serde_json::from_str::<Value>(arguments) else { return Vec::new() };
        let paths = touched(tool_id, &arguments);
        paths.iter().take(MAX_PATHS).flat_map(|path| self.for_path(path)).chain(self.mode()).collect()
    }
}

/// The same each time, so that it comes in once.
fn skill_text(skill: &Guide) -> String {
    let Guide { name, text, .. } = skill;
    if text.len() <= MAX_SKILL_BYTES {
        return format!("The skill {name} is for this:\n\n{text}");
    }
    let beginning = &text[..text.floor_char_boundary(MAX_SKILL_BYTES)];
    format!("The skill {name} is for this. Its beginning; `read_skill` has all of it:\n\n{beginning}")
}

/// The paths that a call names, as far as that can be told.
fn touched(tool_id: &str, arguments: &Value) -> Vec<String> {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str);
    match tool_id {
        "apply_patch" => text("patch").map(patch_paths).unwrap_or_default(),
        // Any word may be a file; one that is none belongs to no folder with rules.
        "run_command" => {
            let words = text("command").unwrap_or_default().split(|c: char| c.is_whitespace() || ";|&<>()".contains(c));
            let words = words.map(|word| word.trim_matches(['"', '\'']));
            words.filter(|word| !word.is_empty() && !word.starts_with('-')).map(str::to_owned).collect()
        }
        _ => text("path").map(str::to_owned).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_calls_paths_are_read_off_its_arguments() {
        let patch = "*** Begin Patch\n*** Update File: a/b.rs\n@@\n-x\n+y\n*** Delete File: c.rs\n*** End Patch\n";
        for (tool, arguments, paths) in [
            ("read_file", json!({"path": "a/b.rs"}), vec!["a/b.rs"]),
            ("apply_patch", json!({"patch": patch}), vec!["a/b.rs", "c.rs"]),
            (
                "run_command",
                json!({"command": "cd src && cat 'a.rs' | head -3"}),
                vec!["cd", "src", "cat", "a.rs", "head"],
            ),
            ("find_files", json!({"glob": "**"}), vec![]),
        ] {
            assert_eq!(touched(tool, &arguments), paths, "{tool}");
        }
    }
}
