//! Runs over a log in memory and a world that answers at once; they are cut off wherever a process could end.

mod denied;
mod gates;
mod items;
mod killed;
mod step_host;

use super::*;
use arki_domain::projection::{RunPhase, StepPhase};
use arki_domain::{
    ApprovalDecision, ApprovalResolved, Code, Content, Event, EventBody, EventDraft, EventId, PIPELINE_CORE,
    PauseReason, PipelineStart, RunId, RunOptions, RunStarted, sha256_hex,
};
use arki_redaction::PlaceholderKey;
use async_trait::async_trait;
use std::sync::Mutex;
use step_host::TestStepHost;

/// A log that takes so many events and then no more, as if the process had ended.
struct MemoryLog {
    events: Mutex<Vec<Arc<Event>>>,
    room: Mutex<usize>,
}

#[async_trait]
impl EventLog for MemoryLog {
    async fn append(&self, _: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error> {
        let mut room = self.room.lock().unwrap();
        *room = room.checked_sub(drafts.len()).ok_or_else(|| Error::internal("killed"))?;
        Ok(drafts.into_iter().map(|draft| self.push(draft)).collect())
    }

    async fn read_after(&self, _: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error> {
        Ok(self.events.lock().unwrap().iter().filter(|event| event.seq > seq).cloned().collect())
    }

    async fn event(&self, _: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error> {
        Ok(self.events.lock().unwrap().iter().find(|event| event.seq == seq).cloned())
    }

    async fn keep_partial(&self, _: &SessionId, _: Option<arki_domain::PartialAnswer>) -> Result<(), Error> {
        Ok(())
    }
}

impl MemoryLog {
    fn push(&self, draft: EventDraft) -> Arc<Event> {
        let mut events = self.events.lock().unwrap();
        let seq = events.len() as u64 + 1;
        let event = Arc::new(Event {
            event_id: EventId::new(),
            run_id: draft.run_id,
            session_id: SessionId::from("session"),
            seq,
            ts: 1000 + i64::try_from(seq).unwrap(),
            kind: draft.body.kind().to_owned(),
            payload: serde_json::value::to_raw_value(&draft.body.payload().unwrap()).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        });
        events.push(event.clone());
        event
    }
}

#[derive(Default)]
struct MemoryContents(Mutex<HashMap<String, Vec<u8>>>);

#[async_trait]
impl ContentStore for MemoryContents {
    async fn put(&self, _: &SessionId, contents: Vec<Content>) -> Result<(), Error> {
        let mut kept = self.0.lock().unwrap();
        contents.into_iter().for_each(|content| drop(kept.insert(content.hash, content.bytes)));
        Ok(())
    }

    async fn artifact(&self, _: &SessionId, _: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(None)
    }

    async fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.0.lock().unwrap().get(hash).cloned())
    }

    async fn project_snapshot(&self, _: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(None)
    }

    async fn put_project_snapshot(&self, _: &str, _: Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

/// A pipeline with its log, for as many goes as a test wants.
struct Bench {
    definition: Arc<Definition>,
    log: Arc<MemoryLog>,
    contents: Arc<MemoryContents>,
    world: Arc<TestStepHost>,
    input: Arc<str>,
    run_id: RunId,
    approve: ApprovalMode,
    control: RunControl,
}

const UNBOUNDED: usize = usize::MAX / 2;

impl Bench {
    fn new(definition: &str, input: &str) -> Self {
        Self::with_params(definition, input, &BTreeMap::new())
    }

    fn with_params(definition: &str, input: &str, params: &BTreeMap<String, String>) -> Self {
        let definition = Arc::new(Definition::parse(definition).unwrap_or_else(|problems| panic!("{problems:?}")));
        let params = crate::params::values(&definition.params, params).unwrap();
        let log = Arc::new(MemoryLog { events: Mutex::default(), room: Mutex::new(UNBOUNDED) });
        let run_id = RunId::new();
        let start = PipelineStart {
            name: definition.name.clone(),
            origin: "test".into(),
            definition_hash: "d".into(),
            nested: BTreeMap::new(),
            params,
            input_hash: sha256_hex(input.as_bytes()),
            input_bytes: input.len() as u64,
            depth: 0,
            retry_of: None,
            schedule: None,
        };
        log.push(EventDraft::of_run(
            &run_id,
            RunStarted {
                prompt: definition.name.clone(),
                agent: "pipeline".into(),
                model: String::new(),
                core: PIPELINE_CORE.into(),
                system_prompt_hash: String::new(),
                options: RunOptions { pipeline: Some(start), ..RunOptions::default() },
                message_id: None,
                parent: None,
                session_start: None,
                request: None,
            },
        ));
        Self {
            definition,
            log,
            contents: Arc::default(),
            world: Arc::default(),
            input: Arc::from(input),
            run_id,
            approve: ApprovalMode::Ask,
            control: RunControl::default(),
        }
    }

    fn events(&self) -> Vec<Arc<Event>> {
        self.log.events.lock().unwrap().clone()
    }

    fn state(&self) -> PipelineState {
        PipelineState::fold(self.events().iter().map(|event| &**event)).unwrap()
    }

    fn run(&self) -> PipelineRun {
        let state = self.state();
        let last_seq = self.events().last().unwrap().seq;
        let resumed = (last_seq > 1).then_some(RunResumed::because(match &state.phase {
            RunPhase::Paused(reason) => *reason,
            RunPhase::Failed { .. } => PauseReason::Failed,
            _ => PauseReason::Interrupted,
        }));
        let parts = PipelineParts {
            log: self.log.clone(),
            contents: self.contents.clone(),
            redactor: Redactor::new(PlaceholderKey::random()),
            world: self.world.clone(),
        };
        let standing = PipelineSnapshot { state, last_seq, approve: self.approve, resumed };
        let session = SessionId::from("session");
        PipelineRun::new(parts, self.definition.clone(), session, self.input.clone(), standing, self.control.clone())
    }

    /// Works to the next stop, and compares the state at each event with the one that is folded anew.
    async fn go(&self) -> Result<RunEnd, Error> {
        let mut run = self.run();
        let ended = run.work().await;
        let events = self.events();
        for (seq, live) in &run.log.states {
            let prefix = events.iter().take(usize::try_from(*seq).unwrap()).map(|event| &**event);
            assert_eq!(*live, PipelineState::fold(prefix).unwrap(), "at event {seq}");
        }
        ends_have_the_keys_of_their_starts(&events);
        ended
    }

    async fn output(&self) -> String {
        match self.go().await {
            Ok(RunEnd::Completed { response }) => response,
            other => panic!("{other:?}"),
        }
    }

    async fn failure(&self) -> Error {
        match self.go().await {
            Ok(RunEnd::Failed(fault)) => fault,
            other => panic!("{other:?}"),
        }
    }

    fn decide(&self, decision: ApprovalDecision) {
        let state = self.state();
        let (_, requested) = state.open_gate().expect("a gate is open");
        self.log.push(EventDraft::of_run(&self.run_id, ApprovalResolved::of(requested, decision, "cli")));
    }

    fn kinds(&self) -> Vec<String> {
        self.events().iter().map(|event| event.kind.clone()).collect()
    }
}

fn ends_have_the_keys_of_their_starts(events: &[Arc<Event>]) {
    let mut begun = BTreeMap::new();
    for event in events {
        let (step, key, attempt) = match event.body() {
            EventBody::StepStarted(start) => {
                begun.insert((start.step, start.attempt), start.idempotency_key);
                continue;
            }
            EventBody::StepCompleted(end) => (end.step, end.idempotency_key, end.attempt),
            EventBody::StepFailed(end) => (end.step, end.idempotency_key, end.attempt),
            _ => continue,
        };
        assert_eq!(begun.get(&(step.clone(), attempt)), Some(&key), "{step}");
    }
}

/// A definition with these steps, one a line.
fn pipeline(steps: &str) -> String {
    let steps: String =
        steps.lines().filter(|line| !line.trim().is_empty()).map(|line| format!("  - {}\n", line.trim())).collect();
    format!("name: test\nlimits: {{ max_steps: 100 }}\nsteps:\n{steps}")
}

#[tokio::test]
async fn each_step_gets_what_the_one_before_said_or_what_it_needs() {
    let bench = Bench::new(
        &pipeline(
            "{ name: a, adapter: command, run: upper }
             { name: b, adapter: command, run: append b }
             { name: c, adapter: command, run: append c, needs: [] }
             { name: d, adapter: command, run: same, needs: [b, a, c] }",
        ),
        "in",
    );
    assert_eq!(bench.output().await, "INb\nIN\ninc");
    let state = bench.state();
    assert_eq!(state.phase, RunPhase::Completed);
    let key = &state.steps["b"].idempotency_key;
    assert_eq!(*key, format!("{}:b:{}", bench.run_id, &sha256_hex(b"IN")[..16]));
}

#[tokio::test]
async fn a_run_that_completed_has_its_intent_before_every_effect() {
    let bench = Bench::new(&pipeline("{ name: a, adapter: command, run: same }"), "x");
    bench.output().await;
    assert_eq!(bench.kinds(), ["run.started", "step.started", "step.completed", "run.completed"]);
}

#[tokio::test(start_paused = true)]
async fn a_step_is_tried_again_after_pauses_that_double() {
    let bench = Bench::new(
        &pipeline("{ name: a, adapter: command, run: fail 2, retry: { max_attempts: 3, backoff_ms: 200 } }"),
        "x",
    );
    let began = Instant::now();
    assert_eq!(bench.output().await, "x");
    assert_eq!(began.elapsed().as_millis(), 600);
    assert_eq!(bench.state().steps["a"].attempt, 3);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_fails_for_good_fails_the_run_which_can_be_resumed() {
    let bench = Bench::new(
        &pipeline(
            "{ name: a, adapter: command, run: append a }
             { name: b, adapter: command, run: fail 3, retry: { max_attempts: 2, backoff_ms: 10 } }
             { name: c, adapter: command, run: append c }",
        ),
        "x",
    );
    let fault = bench.failure().await;
    assert!(fault.is(Code::STEP_FAILED) && fault.message.contains("\"b\""), "{fault:?}");
    assert_eq!(bench.world.runs("c"), 0);
    // Two attempts more: the third fails, the fourth doesn't.
    assert_eq!(bench.output().await, "xac");
    assert_eq!((bench.world.runs("a"), bench.world.runs("b")), (1, 4));
    assert!(bench.kinds().contains(&"step.skipped".to_owned()), "the first is told as done before");
}

#[tokio::test(start_paused = true)]
async fn a_nested_pipeline_that_failed_goes_on_where_it_failed() {
    let step = |name: &str| {
        pipeline(&format!(
            "{{ name: a, adapter: pipeline, pipeline: {name}, retry: {{ max_attempts: 2, backoff_ms: 10 }} }}"
        ))
    };
    let bench = Bench::new(&step("fail 3"), "x");
    bench.failure().await;
    assert_eq!(bench.output().await, "fail 3");
    let children = bench.world.children();
    assert_eq!(children.len(), 4);
    assert!(children.iter().all(|child| *child == children[0]), "{children:?}");
    assert_eq!(bench.state().steps["a"].attempt, 4);
    // One that was stopped can't.
    let bench = Bench::new(&step("stop"), "x");
    assert_eq!(bench.output().await, "stop");
    let children = bench.world.children();
    assert_ne!(children[0].run_id, children[1].run_id);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_takes_too_long_is_ended_and_so_is_a_run() {
    let slow = pipeline("{ name: a, adapter: command, run: hang, timeout_seconds: 2 }");
    let fault = Bench::new(&slow, "").failure().await;
    assert!(fault.is(Code::STEP_TIMEOUT), "{fault:?}");
    let run = slow.replace("limits: {", "limits: { run_timeout_seconds: 1,");
    let bench = Bench::new(&run, "");
    assert!(bench.failure().await.is(Code::PIPELINE_TIMEOUT));
    assert_eq!(bench.state().steps["a"].phase, StepPhase::Failed);
}

#[tokio::test(start_paused = true)]
async fn independent_steps_run_at_the_same_time_up_to_the_limit() {
    let steps: String =
        (0..20).map(|n| format!("{{ name: s{n}, adapter: command, run: wait, needs: [] }}\n")).collect();
    let bench = Bench::new(&pipeline(&steps).replace("limits: {", "limits: { max_parallel: 5,"), "x");
    let began = Instant::now();
    bench.output().await;
    assert_eq!(bench.world.most_at_once(), 5);
    assert_eq!(began.elapsed().as_secs(), 4, "20 steps of a second, five at a time");
}

#[tokio::test]
async fn a_step_whose_condition_does_not_hold_hands_its_input_on() {
    let definition = pipeline(
        "{ name: a, adapter: command, run: append a }
         { name: b, adapter: command, run: append b, when: { param: extra, equals: true } }
         { name: c, adapter: command, run: append c }",
    ) + "params: { extra: { type: boolean, default: false } }\n";
    let bench = Bench::new(&definition, "x");
    assert_eq!(bench.output().await, "xac");
    assert_eq!(bench.state().steps["b"].phase, StepPhase::Skipped);
    let params = BTreeMap::from([("extra".to_owned(), "true".to_owned())]);
    assert_eq!(Bench::with_params(&definition, "x", &params).output().await, "xabc");
}

#[tokio::test]
async fn an_output_that_is_no_json_or_breaks_its_schema_fails_the_step() {
    let step = |more: &str| pipeline(&format!("{{ name: a, adapter: command, run: same, {more} }}"));
    let fault = Bench::new(&step("output: json"), "no json").failure().await;
    assert!(fault.is(Code::STEP_OUTPUT_INVALID), "{fault:?}");
    assert_eq!(Bench::new(&step("output: json"), "```json\n[1]\n```").output().await, "[1]");
    let schema = "output_schema: { type: object, required: [ok] }";
    assert!(Bench::new(&step(schema), "{}").failure().await.message.contains("schema"));
    assert_eq!(Bench::new(&step(schema), "{\"ok\": 1}").output().await, "{\"ok\": 1}");
}

#[tokio::test]
async fn a_redirect_fails_the_step_and_says_where_it_leads() {
    let step =
        |url: &str| pipeline(&format!("{{ name: a, adapter: http, url: {url:?}, retry: {{ max_attempts: 3 }} }}"));
    let fault = Bench::new(&step("https://example.org/moved"), "").failure().await;
    assert!(fault.message.contains("302 and leads to https://other.example/"), "{fault:?}");
    assert_eq!(Bench::new(&step("https://example.org/"), "").output().await, "https://example.org/");
}

#[tokio::test]
async fn outputs_and_inputs_are_bounded() {
    let small =
        |steps: &str| pipeline(steps).replace("limits: {", "limits: { max_output_bytes: 10, max_input_bytes: 5,");
    let fault = Bench::new(&small("{ name: a, adapter: command, run: append 1234567890 }"), "x").failure().await;
    assert!(fault.is(Code::STEP_OUTPUT_INVALID), "{fault:?}");
    let two = small("{ name: a, adapter: command, run: append 123456 }\n{ name: b, adapter: command, run: same }");
    assert!(Bench::new(&two, "x").failure().await.is(Code::PIPELINE_LIMIT));
}

#[tokio::test]
async fn a_long_output_is_kept_beside_the_log_and_read_again() {
    let steps = "{ name: a, adapter: command, run: long }\n{ name: gate, adapter: approval, message: go? }\n{ name: b, adapter: command, run: length }";
    let bench = Bench::new(&pipeline(steps), "");
    bench.go().await.unwrap();
    let state = bench.state();
    let output = state.steps["a"].output.as_ref().unwrap();
    assert!(output.text.is_none() && output.bytes == 100_000);
    bench.decide(ApprovalDecision::Approve);
    assert_eq!(bench.output().await, "100000");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_stopped_or_paused_says_so() {
    let bench = Bench::new(&pipeline("{ name: a, adapter: command, run: hang }"), "");
    let cancel = bench.control.cancel.clone();
    let stop = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    };
    let (ended, ()) = tokio::join!(bench.go(), stop);
    assert_eq!(ended.unwrap(), RunEnd::Cancelled);
    assert_eq!(bench.kinds().last().unwrap(), "run.cancelled");
    let mut bench = Bench::new(
        &pipeline("{ name: a, adapter: command, run: wait }\n{ name: b, adapter: command, run: same }"),
        "x",
    );
    let pause = bench.control.pause.clone();
    let stop = async { pause.cancel() };
    let (ended, ()) = tokio::join!(bench.go(), stop);
    assert_eq!(ended.unwrap(), RunEnd::Paused);
    bench.control = RunControl::default();
    assert_eq!(bench.output().await, "x");
}

#[tokio::test]
async fn an_artifact_is_told_and_kept() {
    let step = "{ name: a, adapter: command, run: append !, artifact: { name: report.md, media_type: text/markdown } }";
    let bench = Bench::new(&pipeline(step), "x");
    bench.output().await;
    let emitted = bench.events().iter().find_map(|event| match event.body() {
        EventBody::ArtifactEmitted(emitted) => Some(emitted),
        _ => None,
    });
    let emitted = emitted.unwrap();
    assert_eq!((emitted.name.as_str(), emitted.bytes), ("report.md", 2));
    assert_eq!(bench.contents.0.lock().unwrap()[&emitted.content_hash], b"x!");
}

#[tokio::test]
async fn a_thousand_steps_that_are_ready_at_once_all_run_once() {
    let steps: String =
        (0..1000).map(|n| format!("{{ name: s{n}, adapter: command, run: same, needs: [] }}\n")).collect();
    let bench = Bench::new(&pipeline(&steps).replace("max_steps: 100", "max_steps: 1000"), "x");
    let mut run = bench.run();
    assert!(matches!(run.work().await.unwrap(), RunEnd::Completed { .. }));
    assert_eq!(bench.world.all_runs(), 1000);
}
