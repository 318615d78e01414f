//! The order of the system prompt: base prompt, the custom part (call > session > configuration), the rules, the
//! skills, the procedures, the memory.

use crate::{BuiltPrompt, MemoryText, render};
use arki_domain::{ApprovalMode, PartKind, RunOptions};

const BASE_PROMPT: &str = include_str!("base_prompt.md");

const PLANNING: &str = "This run is for planning, and your tools can only read. Explore, then say what you would \
    change and in which order. The user decides, and starts the work in another run.";

const SUBAGENT: &str = "Another agent gave you this task and sees only your last answer. Nobody can answer \
    questions: make the most likely choice and state your assumptions. End with a self-contained answer: what you \
    found or did, with paths and lines, and what is left to do.";

const SKILLS: &str = "Skills explain how to do certain work well. When one fits your task, read it with `read_skill` \
    first.";

const PROCEDURES: &str = "Procedures list the steps of recurring work. When your task is one of them, read it with \
    `read_procedure` and follow it.";

const MEMORY: &str = "The user keeps this for you to remember. It may be out of date: what you see in the project counts \
    more.";

const ANSWERS: &str = "Somebody can answer questions: use `ask_user` for what only they can decide.";

const NOBODY_ANSWERS: &str = "Nobody can answer questions during this run: make the most likely choice, and say what you \
    assumed.";

/// The bytes of the prompt for the descriptions of all skills, or of all procedures.
const MAX_INDEX_BYTES: usize = 16 * 1024;

/// The permissions of a run, as its model is told them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WorkMode {
    /// The folder isn't trusted, whatever else is granted.
    #[default]
    Untrusted,
    Plan,
    ReadOnly,
    Approve(ApprovalMode),
}

impl WorkMode {
    /// Takes the mode from the options of a run; `None` in a folder that isn't trusted.
    #[must_use]
    pub fn of(options: Option<&RunOptions>) -> Self {
        match options {
            None => Self::Untrusted,
            Some(RunOptions { plan: true, .. }) => Self::Plan,
            Some(RunOptions { read_only: true, .. }) => Self::ReadOnly,
            Some(options) => Self::Approve(options.approve),
        }
    }

    /// Says what becomes of the model's calls.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Untrusted => {
                "untrusted. The user hasn't trusted this folder, so you can only read in it: changes, commands and \
                the network are denied. Say what you would do; the user can trust the folder."
            }
            Self::Plan => "plan. Your tools only read, and nothing changes before the user has agreed to your plan.",
            Self::ReadOnly => {
                "read-only. You have the tools that read, and commands that are known to only read. Nothing can be \
                changed."
            }
            Self::Approve(ApprovalMode::Ask) => {
                "ask. Unless a rule allows it, the user sees each change to a file as a diff before it is written, \
                and accepts, edits or rejects single hunks; the result says which. Commands that do more than read, build \
                or test may wait for approval."
            }
            Self::Approve(ApprovalMode::Edits) => {
                "edits. Changes to files of the project are written at once, without a review, except to protected \
                and secret files, which the user is asked about. Commands that do more than read, build or test may wait \
                for approval."
            }
            Self::Approve(ApprovalMode::All) => {
                "all. Changes and commands are carried out at once, and nobody reviews them first, so take care. \
                Only protected and secret files still wait for approval, and what the user's rules deny is denied."
            }
            Self::Approve(ApprovalMode::Never) => {
                "never. Nobody approves anything in this run: what would need approval is rejected at once, and most \
                changes do. What rules allow works, as does reading, building and testing. Describe what you couldn't do."
            }
        }
    }
}

/// A rules file of a trusted project, or the user's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Relative to the project, or as it is shown.
    pub path: String,
    pub text: String,
    pub is_users: bool,
}

/// A skill or procedure that the model may read when it needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    pub name: String,
    /// One line.
    pub description: String,
}

/// A skill that the user has chosen for the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenSkill {
    pub name: String,
    pub origin: String,
    pub text: String,
}

#[derive(Debug, Clone, Default)]
pub struct SystemPromptInputs<'a> {
    /// The project's canonical path.
    pub project: &'a str,
    /// The operating system's name and version.
    pub system: &'a str,
    /// The shell that commands run in.
    pub shell: &'a str,
    pub mode: WorkMode,
    /// True if somebody can answer the model's questions.
    pub answers: bool,
    /// The date; a day's precision keeps the provider's prompt cache.
    pub today: &'a str,
    /// The run only plans. That it can do no more is not this prompt's to see to.
    pub plans: bool,
    /// The working instructions that the core adds.
    pub core: Option<&'a str>,
    /// The run works for another one.
    pub is_subagent: bool,
    /// The prompt that the call, the session or the configuration adds ([`crate::build_prompt`]).
    pub custom: Option<&'a BuiltPrompt>,
    /// The rules, from the root towards the file.
    pub rules: Vec<Rule>,
    pub skills: Vec<IndexEntry>,
    pub chosen_skills: Vec<ChosenSkill>,
    pub procedures: Vec<IndexEntry>,
    /// Only what the user accepted.
    pub memory: MemoryText,
}

/// One part of the prompt, and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptPart {
    pub name: &'static str,
    pub origin: String,
    pub text: String,
    /// Switches it off in a session; `None` where it can't be.
    pub id: Option<String>,
    /// Lines of its text that can be switched off one by one.
    pub entries: Vec<PartEntry>,
}

/// A line of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartEntry {
    pub id: String,
    pub name: String,
    pub text: String,
}

impl PromptPart {
    fn new(name: &'static str, origin: &str, text: &str) -> Self {
        let (origin, text) = (origin.to_owned(), text.to_owned());
        Self { name, origin, text, id: None, entries: Vec::new() }
    }

    fn with_id(self, id: String) -> Self {
        Self { id: Some(id), ..self }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemPrompt {
    pub parts: Vec<PromptPart>,
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
    let asking = if inputs.answers && !inputs.is_subagent { ANSWERS } else { NOBODY_ANSWERS };
    let (mode, shell) = (format!("{} {asking}", inputs.mode.words()), shell(inputs));
    let values = [
        ("project", inputs.project),
        ("system", inputs.system),
        ("today", inputs.today),
        ("mode", &mode),
        ("shell", &shell),
    ];
    let mut parts = vec![PromptPart::new("base", "built in", &render(BASE_PROMPT, &values))];
    parts.extend(inputs.core.map(|text| PromptPart::new("core", "built in", text)));
    if inputs.plans {
        parts.push(PromptPart::new("plan", "built in", PLANNING));
    }
    if inputs.is_subagent {
        parts.push(PromptPart::new("subagent", "built in", SUBAGENT));
    }
    parts.extend(inputs.custom.map(|custom| PromptPart::new("custom", custom.origin, &custom.text)));
    parts.extend(inputs.rules.iter().map(|rule| {
        let whose = if rule.is_users { "the user" } else { "this project" };
        let text = format!("Rules of {whose}, from {}:\n\n{}", rule.path, rule.text);
        PromptPart::new("rules", &rule.path, &text).with_id(PartKind::Rule.id(&rule.path))
    }));
    parts.extend(index("skills", SKILLS, PartKind::Skill, &inputs.skills));
    parts.extend(inputs.chosen_skills.iter().map(|skill| {
        let text = format!("The user asks you to use the skill {}:\n\n{}", skill.name, skill.text);
        PromptPart::new("skill", &skill.origin, &text)
    }));
    parts.extend(index("procedures", PROCEDURES, PartKind::Procedure, &inputs.procedures));
    parts.extend(memory(&inputs.memory));
    SystemPrompt { parts }
}

/// Said of a folder in which nothing can run as well: its reader still writes commands for the user.
fn shell(SystemPromptInputs { shell, .. }: &SystemPromptInputs<'_>) -> String {
    format!("Commands run in {shell}, without the user's keys and mostly in a sandbox.")
}

fn memory(memory: &MemoryText) -> Option<PromptPart> {
    let word = if memory.memories == 1 { "memory" } else { "memories" };
    let origin = format!("{} {word}", memory.memories);
    let text = format!("{MEMORY}\n\n{}", memory.text);
    (!memory.text.is_empty()).then(|| PromptPart::new("memory", &origin, &text).with_id(PartKind::Memory.id("")))
}

/// Names and descriptions; beyond the bound only names, so that the model can still ask.
fn index(name: &'static str, what: &str, kind: PartKind, entries: &[IndexEntry]) -> Option<PromptPart> {
    if entries.is_empty() {
        return None;
    }
    let mut text = what.to_owned();
    let mut told = Vec::with_capacity(entries.len());
    for IndexEntry { name, description } in entries {
        let line = format!("\n- {name}: {description}");
        let line = if text.len() + line.len() <= MAX_INDEX_BYTES { line } else { format!("\n- {name}") };
        text.push_str(&line);
        told.push(PartEntry { id: kind.id(name), name: name.clone(), text: line });
    }
    let origin = match entries.len() {
        1 => format!("1 {}", name.trim_end_matches('s')),
        count => format!("{count} {name}"),
    };
    Some(PromptPart { entries: told, ..PromptPart::new(name, &origin, &text) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_order_is_base_custom_rules_skills_procedures_memory() {
        let entry = |name: &str| IndexEntry { name: name.into(), description: "does it".into() };
        let prompt = assemble(&SystemPromptInputs {
            project: "/p",
            system: "Linux 6.8",
            shell: "bash",
            mode: WorkMode::Plan,
            answers: true,
            today: "2026-11-21",
            plans: true,
            core: Some("In stages."),
            is_subagent: true,
            custom: Some(&BuiltPrompt { origin: "call", text: "from the call".into(), unknown: BTreeSet::new() }),
            rules: vec![
                Rule { path: "AGENTS.md".into(), text: "one".into(), is_users: true },
                Rule { path: "a/AGENTS.md".into(), text: "two".into(), is_users: false },
            ],
            skills: vec![entry("pdf"), entry("csv")],
            chosen_skills: vec![ChosenSkill { name: "pdf".into(), origin: "SKILL.md".into(), text: "How.".into() }],
            procedures: vec![entry("release")],
            memory: MemoryText { text: "- Use pnpm.\n".into(), memories: 1, left_out: 0 },
        });
        let origins: Vec<_> = prompt.parts.iter().map(|part| part.origin.as_str()).collect();
        assert_eq!(
            origins,
            [
                "built in",
                "built in",
                "built in",
                "built in",
                "call",
                "AGENTS.md",
                "a/AGENTS.md",
                "2 skills",
                "SKILL.md",
                "1 procedure",
                "1 memory",
            ]
        );
        assert!(prompt.parts[7].text.ends_with("\n- pdf: does it\n- csv: does it"));
        let names = prompt.parts[1..4].iter().map(|part| part.name).collect::<Vec<_>>();
        assert_eq!(names, ["core", "plan", "subagent"]);
        assert!(prompt.text().contains("folder /p;") && prompt.text().contains("System: Linux 6.8."));
        assert!(!prompt.text().contains("{{"));
    }

    const MAX_BASE_BYTES: usize = 2_560;

    #[test]
    fn the_base_prompt_is_short_and_says_what_each_mode_allows() {
        let modes = [ApprovalMode::Ask, ApprovalMode::Edits, ApprovalMode::All, ApprovalMode::Never];
        let modes = modes.map(WorkMode::Approve);
        for mode in modes.into_iter().chain([WorkMode::Untrusted, WorkMode::Plan, WorkMode::ReadOnly]) {
            for answers in [true, false] {
                let (project, system, shell, today) = ("/home/user/project", "Linux 6.8.0", "/bin/bash", "2026-11-21");
                let inputs = SystemPromptInputs { project, system, shell, today, mode, answers, ..Default::default() };
                let text = assemble(&inputs).text();
                assert!(text.len() <= MAX_BASE_BYTES && !text.contains("{{"), "{mode:?}: {} bytes", text.len());
                assert_eq!(text.contains("diff before it is written"), mode == WorkMode::Approve(ApprovalMode::Ask));
                assert_eq!((text.contains(ANSWERS), text.contains(NOBODY_ANSWERS)), (answers, !answers));
            }
        }
    }

    #[test]
    fn nothing_that_is_not_trusted_is_said_to_be_allowed() {
        let all = RunOptions { approve: ApprovalMode::All, ..RunOptions::default() };
        assert_eq!(WorkMode::of(None), WorkMode::Untrusted);
        assert_eq!(WorkMode::of(Some(&RunOptions { plan: true, ..all.clone() })), WorkMode::Plan);
        assert_eq!(WorkMode::of(Some(&all)), WorkMode::Approve(ApprovalMode::All));
    }

    #[test]
    fn a_long_index_keeps_every_name() {
        let skills =
            (0..100).map(|number| IndexEntry { name: format!("skill-{number}"), description: "x".repeat(1000) });
        let prompt = assemble(&SystemPromptInputs { skills: skills.collect(), ..SystemPromptInputs::default() });
        let text = &prompt.parts.last().unwrap().text;
        assert!(text.len() < MAX_INDEX_BYTES + 2000 && text.contains("skill-0: x") && text.ends_with("- skill-99"));
    }
}
