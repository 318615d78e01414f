//! When a conversation is worth a checkpoint (seed 002), and what one says: read off the log, without asking a model.

use super::short_text::cut;
use super::{ChangedFiles, Plan, WorkingMemory};
use crate::{
    CheckpointCreated, CheckpointId, CheckpointReason, CompactionStrategy, Event, EventBody, MemorySnapshot, PlanStep,
    PlanStepState, Remembered, WorkingMemorySnapshot, plural,
};
use std::collections::BTreeSet;

/// Messages after which a checkpoint is due: prompts, answers and tools' results.
const MANY_MESSAGES: usize = 100;
/// Shorter words say nothing of a topic, and a prompt of fewer belongs to the one before.
const TOPIC_WORD_CHARS: usize = 4;
const TOPIC_WORDS: usize = 3;
/// The limits of a checkpoint: the bytes of its prompt, the newest observations and reflections in it, and those in the
/// snapshot beside it.
const MAX_PROMPT_BYTES: usize = 200;
const IN_CHECKPOINT: (usize, usize) = (20, 10);
const IN_SNAPSHOT: (usize, usize) = (200, 50);
/// The limit in bytes for each list of a snapshot: an event has to stay small, whatever was remembered.
const MAX_LIST_BYTES: usize = 64 << 10;

/// A fold over a session's events; for a fork over its origins' first.
#[derive(Debug, Clone, Default)]
pub struct Milestones {
    memory: WorkingMemory,
    goals: Vec<String>,
    blockers: Vec<String>,
    prompt: String,
    /// The words of the prompts about it.
    topic: BTreeSet<String>,
    /// Since the last checkpoint.
    messages: usize,
    reason: Option<CheckpointReason>,
}

impl Milestones {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        self.memory.apply(event, body);
        match body {
            EventBody::RunStarted(started) => self.hear(&started.prompt),
            EventBody::OutputMessage(_) | EventBody::ToolResult(_) => self.messages += 1,
            EventBody::ContextCompacted(compacted) if compacted.strategy == CompactionStrategy::Checkpoint => {
                self.reason = Some(CheckpointReason::Compaction);
            }
            EventBody::PlanUpdated(plan) if is_done(&plan.steps) => self.reason = Some(CheckpointReason::Milestone),
            EventBody::CheckpointCreated(created) if created.reason.is_some() => {
                (self.messages, self.reason) = (0, None);
            }
            EventBody::MemoryReflected(reflected) => {
                (self.goals, self.blockers) = (reflected.goals.clone(), reflected.blockers.clone());
            }
            _ => {}
        }
        if self.messages >= MANY_MESSAGES {
            self.reason.get_or_insert(CheckpointReason::Messages);
        }
    }

    fn hear(&mut self, prompt: &str) {
        let words =
            prompt.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= TOPIC_WORD_CHARS);
        let words: BTreeSet<String> = words.map(str::to_lowercase).collect();
        if words.len() >= TOPIC_WORDS && !self.topic.is_empty() && words.is_disjoint(&self.topic) {
            self.reason.get_or_insert(CheckpointReason::Topic);
            self.topic.clear();
        }
        self.topic.extend(words);
        self.messages += 1;
        self.prompt = cut(prompt.trim(), MAX_PROMPT_BYTES).into_owned();
    }

    /// The checkpoint that is due, behind the event of this number.
    #[must_use]
    pub fn due(&self, last_seq: u64, plan: &Plan, changed: &ChangedFiles) -> Option<CheckpointCreated> {
        let reason = self.reason?;
        let steps = plan.current().map(|plan| {
            let done = plan.steps.iter().filter(|step| step.state == PlanStepState::Done).count();
            format!(" {done} of {} done.", plural(plan.steps.len() as u64, "step"))
        });
        let files = changed.files().len();
        let files = (files > 0).then(|| format!(" {} changed.", plural(files as u64, "file")));
        Some(CheckpointCreated {
            checkpoint_id: CheckpointId::new(),
            last_seq,
            call_id: None,
            manifest: None,
            files: 0,
            skipped: 0,
            hook: None,
            reason: Some(reason),
            summary: Some(format!("Asked: {}{}{}", self.prompt, steps.unwrap_or_default(), files.unwrap_or_default())),
            memory_snapshot: Some(self.memory(IN_CHECKPOINT)),
        })
    }

    /// The snapshot of the working memory that is kept with a checkpoint.
    #[must_use]
    pub fn snapshot(&self, created: &CheckpointCreated) -> WorkingMemorySnapshot {
        let CheckpointCreated { checkpoint_id, last_seq, .. } = created;
        let memory = self.memory(IN_SNAPSHOT);
        WorkingMemorySnapshot { checkpoint_id: checkpoint_id.clone(), last_seq: *last_seq, memory }
    }

    fn memory(&self, (observations, reflections): (usize, usize)) -> MemorySnapshot {
        MemorySnapshot {
            observations: newest(self.memory.observations(), observations),
            reflections: newest(self.memory.reflections(), reflections),
            goals: self.goals.clone(),
            blockers: self.blockers.clone(),
        }
    }
}

/// The newest ones, as many as fit, oldest first.
fn newest<'a>(all: impl DoubleEndedIterator<Item = &'a Remembered>, most: usize) -> Vec<Remembered> {
    let mut left = MAX_LIST_BYTES;
    let fits = |one: &&Remembered| {
        let bytes = serde_json::to_vec(one).map_or(usize::MAX, |json| json.len());
        left.checked_sub(bytes).map(|rest| left = rest).is_some()
    };
    let mut newest: Vec<Remembered> = all.rev().take(most).take_while(fits).cloned().collect();
    newest.reverse();
    newest
}

fn is_done(steps: &[PlanStep]) -> bool {
    !steps.is_empty() && steps.iter().all(|step| step.state == PlanStepState::Done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{MemoryObserved, MemoryReflected, PlanUpdated};
    use serde_json::json;

    fn apply(milestones: &mut Milestones, seq: u64, body: impl Into<EventBody>) {
        let body = body.into();
        milestones.apply(&event(seq, body.clone()), &body);
    }

    fn started(prompt: &str) -> EventBody {
        let payload = json!({"prompt": prompt, "agent": "arki", "model": "m/m", "core": "tool-loop",
            "systemPromptHash": "", "options": {}});
        EventBody::RunStarted(serde_json::from_value(payload).unwrap())
    }

    fn due(milestones: &Milestones) -> Option<CheckpointCreated> {
        milestones.due(9, &Plan::default(), &ChangedFiles::default())
    }

    fn reason(milestones: &Milestones) -> Option<CheckpointReason> {
        due(milestones)?.reason
    }

    fn plan(states: &[PlanStepState]) -> PlanUpdated {
        let steps = states.iter().map(|state| PlanStep { title: "t".into(), state: *state }).collect();
        PlanUpdated { intent: String::new(), steps }
    }

    #[test]
    fn a_checkpoint_is_due_when_the_plan_is_done_and_not_again_after_it() {
        let mut milestones = Milestones::default();
        apply(&mut milestones, 1, started("Fix the parser"));
        let reflections = vec![Remembered { id: "r".into(), text: "Use pnpm.".into(), ..Remembered::default() }];
        let goals = vec!["Ship it.".to_owned()];
        apply(&mut milestones, 2, MemoryReflected { reflections, goals, ..MemoryReflected::default() });
        apply(&mut milestones, 3, plan(&[PlanStepState::Done, PlanStepState::Pending]));
        assert_eq!(reason(&milestones), None);
        apply(&mut milestones, 4, plan(&[PlanStepState::Done, PlanStepState::Done]));
        let created = due(&milestones).unwrap();
        assert_eq!((created.reason, created.last_seq), (Some(CheckpointReason::Milestone), 9));
        assert_eq!(created.summary.as_deref(), Some("Asked: Fix the parser"));
        let memory = created.memory_snapshot.clone().unwrap();
        assert_eq!((memory.reflections.len(), memory.goals), (1, vec!["Ship it.".to_owned()]));
        apply(&mut milestones, 5, created);
        assert_eq!(reason(&milestones), None);
    }

    #[test]
    fn a_message_about_something_else_and_a_hundred_messages_are_reasons() {
        let mut milestones = Milestones::default();
        for prompt in ["Fix the parser of dates", "yes", "Now test the parser with dates", "go on, please"] {
            apply(&mut milestones, 1, started(prompt));
            assert_eq!(reason(&milestones), None, "{prompt}");
        }
        apply(&mut milestones, 2, started("Write release notes about colours"));
        assert_eq!(reason(&milestones), Some(CheckpointReason::Topic));
        let mut milestones = Milestones::default();
        for seq in 0..MANY_MESSAGES {
            assert_eq!(reason(&milestones), None, "{seq}");
            apply(&mut milestones, 1, started("go"));
        }
        assert_eq!(reason(&milestones), Some(CheckpointReason::Messages));
    }

    #[test]
    fn a_snapshot_has_the_newest_memories_and_stays_small() {
        let mut milestones = Milestones::default();
        let remembered = |n: usize| Remembered { id: n.to_string(), text: "x".repeat(1900), ..Remembered::default() };
        let observations = (0..300).map(remembered).collect();
        apply(&mut milestones, 1, MemoryObserved { observations, ..MemoryObserved::default() });
        apply(&mut milestones, 2, plan(&[PlanStepState::Done]));
        let memory = milestones.snapshot(&due(&milestones).unwrap()).memory;
        assert_eq!(memory.observations.last().map(|one| one.id.as_str()), Some("299"));
        assert!(memory.observations.len() > 20, "more than the checkpoint has");
        assert!(serde_json::to_vec(&memory).unwrap().len() < 2 * MAX_LIST_BYTES);
    }
}
