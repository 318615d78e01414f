//! A run's steps, cut wherever a process could end.

use super::*;
use crate::*;
use serde_json::json;

struct Log(Vec<Event>);

impl Log {
    fn of_a_run() -> Self {
        let start = PipelineStart {
            name: "review".into(),
            origin: "built in".into(),
            definition_hash: "d1".into(),
            nested: BTreeMap::new(),
            params: BTreeMap::new(),
            input_hash: "i".into(),
            input_bytes: 1,
            depth: 0,
            retry_of: None,
            schedule: None,
        };
        let mut log = Self(Vec::new());
        log.add(RunStarted {
            prompt: "review".into(),
            agent: "pipeline".into(),
            model: String::new(),
            core: PIPELINE_CORE.into(),
            system_prompt_hash: String::new(),
            options: RunOptions { pipeline: Some(start), ..RunOptions::default() },
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        });
        log
    }

    fn add(&mut self, body: impl Into<EventBody>) -> &mut Self {
        let (body, seq) = (body.into(), self.0.len() as u64 + 1);
        self.0.push(Event {
            event_id: EventId::new(),
            run_id: Some(RunId::from("run")),
            session_id: SessionId::from("session"),
            seq,
            ts: 1000 * seq as i64,
            kind: body.kind().into(),
            payload: serde_json::value::to_raw_value(&body.payload().unwrap()).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        });
        self
    }

    fn begins(&mut self, step: &str, attempt: u32) -> &mut Self {
        self.add(StepStarted { step: step.into(), idempotency_key: "k".into(), attempt, items: None })
    }

    fn fails(&mut self, step: &str, attempt: u32, retry_in_ms: Option<u64>) -> &mut Self {
        let (code, message) = ("STEP_FAILED".to_owned(), "It failed.".to_owned());
        let (step, idempotency_key) = (step.to_owned(), "k".to_owned());
        let hint = String::new();
        self.add(StepFailed { step, idempotency_key, attempt, duration_ms: 5, code, message, hint, retry_in_ms })
    }

    fn completes(&mut self, step: &str) -> &mut Self {
        self.add(StepCompleted {
            step: step.into(),
            idempotency_key: "k".into(),
            attempt: 1,
            duration_ms: 5,
            output: Some("done".into()),
            output_hash: "h".into(),
            output_bytes: 4,
        })
    }

    fn asks(&mut self, step: &str) -> &mut Self {
        self.add(ApprovalRequested {
            approval_id: ApprovalId::from("a1"),
            kind: ApprovalKind::Gate,
            call_id: None,
            tool_id: "approval".into(),
            args: json!({"step": step, "message": "Publish?"}),
            risk: Risk::Low,
            rule: "pipeline:gate".into(),
            reason: String::new(),
            sentences: Vec::new(),
            preview: None,
            calls: Vec::new(),
            command: None,
            supersedes: None,
            timeout_seconds: None,
        })
    }

    fn state(&self) -> PipelineState {
        PipelineState::fold(&self.0).unwrap()
    }

    fn run(&self) -> super::super::RunState {
        super::super::RunState::fold(&self.0).unwrap()
    }
}

#[test]
fn a_step_is_done_for_the_input_that_it_had_and_no_other() {
    let mut log = Log::of_a_run();
    log.begins("count", 1);
    assert_eq!(log.state().steps["count"].phase, StepPhase::Running);
    log.completes("count");
    let state = log.state();
    assert!(state.steps["count"].is_done("k") && !state.steps["count"].is_done("other"));
    assert_eq!(state.steps["count"].output.as_ref().unwrap().text.as_deref(), Some("done"));
}

#[test]
fn failures_count_anew_once_the_user_tries_again_and_attempts_go_on() {
    let mut log = Log::of_a_run();
    log.begins("count", 1).fails("count", 1, Some(200));
    assert_eq!(log.state().steps["count"].phase, StepPhase::Retrying);
    log.begins("count", 2).fails("count", 2, None);
    assert_eq!((log.state().steps["count"].phase, log.state().steps["count"].failures), (StepPhase::Failed, 2));
    let inner = NestedDefinition { origin: "built in".into(), definition_hash: "d3".into() };
    let resumed = RunResumed {
        definition_hash: Some("d2".into()),
        nested: BTreeMap::from([("inner".to_owned(), inner)]),
        params: BTreeMap::from([("lang".to_owned(), "en".to_owned())]),
        ..RunResumed::because(PauseReason::Failed)
    };
    log.add(resumed.clone());
    log.begins("count", 3);
    let state = log.state();
    assert_eq!((state.steps["count"].attempt, state.steps["count"].failures), (3, 0));
    assert_eq!(state.start.definition_hash, "d2");
    assert_eq!((&state.start.nested, &state.start.params), (&resumed.nested, &resumed.params));
}

#[test]
fn a_gate_waits_until_it_is_decided_for_whoever_looks_at_the_run() {
    let mut log = Log::of_a_run();
    log.begins("gate", 1).asks("gate");
    assert_eq!(log.state().open_gate().map(|(step, _)| step.to_owned()).as_deref(), Some("gate"));
    assert_eq!(log.run().open_approval().unwrap().approval_id, ApprovalId::from("a1"));
    let resolved = ApprovalResolved::of(log.run().open_approval().unwrap(), ApprovalDecision::Approve, "cli");
    log.add(resolved);
    assert!(log.state().open_gate().is_none() && log.run().open_approval().is_none());
    assert!(log.state().steps["gate"].gate.as_ref().unwrap().resolved.is_some());
}

#[test]
fn a_run_that_works_for_a_step_is_found_until_the_step_ends() {
    let mut log = Log::of_a_run();
    log.begins("judge", 1).add(SubagentStarted {
        call_id: CallId::from("judge"),
        agent: "arki".into(),
        session_id: SessionId::from("child"),
        run_id: RunId::from("child-run"),
        max_cost_usd: None,
        tree: None,
    });
    assert_eq!(log.run().subagents().count(), 1);
    assert!(log.state().steps["judge"].child.is_some());
    log.completes("judge");
    assert_eq!(log.run().subagents().count(), 0);
}

#[test]
fn a_step_whose_condition_does_not_hold_is_skipped_and_one_done_before_stays_done() {
    let mut log = Log::of_a_run();
    let skipped = |step: &str, reason| {
        let (step, idempotency_key) = (step.to_owned(), "k".to_owned());
        StepSkipped { step, idempotency_key, attempt: 1, duration_ms: 0, reason }
    };
    log.begins("count", 1).completes("count").add(skipped("count", SkipReason::Done));
    log.add(skipped("publish", SkipReason::Condition));
    let state = log.state();
    assert_eq!(state.steps["count"].phase, StepPhase::Completed);
    assert_eq!(state.steps["publish"].phase, StepPhase::Skipped);
}
