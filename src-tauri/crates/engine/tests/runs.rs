//! Runs of one engine: begun, stopped and gone on with in one process, as the window does it.

#![allow(clippy::unwrap_used, clippy::panic)]

use arki_api::{Keep, KeepScope, Resolution, Shown};
use arki_domain::projection::SessionState;
use arki_domain::{
    ApprovalDecision, ApprovalMode, Code, EventDraft, OutputMessage, QueueMode, Role, RunId, RunOptions, RunStarted,
    SystemClock,
};
use arki_engine::{
    Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, RunEnd, RunTarget, StartRun,
};
use arki_redaction::Redactor;
use arki_store::{Store, StoreOptions};
use arki_testkit::{ScriptedServer, TestHome, Turn};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
    client: Client,
    _server: ScriptedServer,
}

impl Stage {
    async fn new(turns: Vec<Turn>) -> Self {
        let server = ScriptedServer::start(turns).unwrap();
        let home = TestHome::new(&server.url(), &json!({})).unwrap();
        home.write("a.txt", "one\n").unwrap();
        let engine = open(&home);
        engine.folder_trust().trust(&home.project_dir(), Vec::new()).await.unwrap();
        let client = Client::attach(&engine, "window", ClientCapabilities::default());
        Self { home, engine, client, _server: server }
    }

    fn start(&self, target: RunTarget) -> StartRun {
        let options = RunOptions { approve: ApprovalMode::Ask, ..RunOptions::default() };
        StartRun { options, ..StartRun::new(target, "go") }
    }

    fn new_session(&self) -> StartRun {
        self.start(RunTarget::NewSession(self.home.project_dir()))
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.home.project_dir().join("a.txt")).unwrap()
    }
}

/// As another process would.
fn open(home: &TestHome) -> Arc<Engine> {
    let directories = Directories { config: home.config_dir(), data: home.data_dir() };
    let mut environment_keys = EnvironmentKeys::default();
    environment_keys.keep("MOCK_KEY", "sk-mock-0123456789abcdef".into());
    Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap()
}

fn edit() -> Turn {
    Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}))
}

fn approve() -> Resolution {
    Resolution::of(ApprovalDecision::Approve)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_session_takes_no_second_run_and_keeps_its_first() {
    let stage = Stage::new(vec![Turn::silent()]).await;
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    let second = stage.client.start_run(stage.start(RunTarget::Session(run.session_id.clone()))).await;
    assert!(second.is_err_and(|fault| fault.is(Code::SESSION_BUSY)));
    assert!(stage.client.resume_run(&run.session_id, None).await.is_err_and(|fault| fault.is(Code::SESSION_BUSY)));
    assert_eq!(stage.engine.session_reader().list(1).unwrap()[0].state, SessionState::Running);
    run.stop();
    assert_eq!(handle.await.unwrap().unwrap(), RunEnd::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_run_that_waits_cancels_it_without_asking_again() {
    let stage = Stage::new(vec![edit(), Turn::text("done")]).await;
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::AwaitingApproval(_)));
    stage.client.stop_session(&run.session_id).await.unwrap();
    stage.engine.runs().stop_all().await;
    assert_eq!(stage.engine.session_reader().list(1).unwrap()[0].state, SessionState::Cancelled);
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
    assert_eq!(stage.text(), "one\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_made_while_the_run_is_still_stopping_is_gone_on_with() {
    let stage = Stage::new(vec![edit(), Turn::text("done")]).await;
    let mut subscription = stage.engine.subscribe();
    let (_, first) = stage.client.start_run(stage.new_session()).await.unwrap();
    let approval_id = loop {
        let Some(Ok(arki_domain::LiveEvent::Stored(event))) = subscription.next().await else { continue };
        if let arki_domain::EventBody::ApprovalRequested(requested) = event.body() {
            break requested.approval_id;
        }
    };
    let (_, second) = stage.client.decide(&approval_id, approve()).await.unwrap().run.unwrap();
    assert_eq!(second.await.unwrap().unwrap(), RunEnd::Completed { response: "done ".into() });
    assert!(matches!(first.await.unwrap().unwrap(), RunEnd::AwaitingApproval(_)));
    assert_eq!(stage.text(), "two\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_as_soon_as_it_asks_is_stopped() {
    let stage = Stage::new(vec![edit()]).await;
    let mut subscription = stage.engine.subscribe();
    for wait in 0..12 {
        let (run, first) = stage.client.start_run(stage.new_session()).await.unwrap();
        loop {
            let Some(Ok(arki_domain::LiveEvent::Stored(event))) = subscription.next().await else { continue };
            if event.kind == "approval.requested" && event.session_id == run.session_id {
                break;
            }
        }
        // From the moment at which it is told to the moment at which the run has let go of its session.
        tokio::time::sleep(Duration::from_micros(wait * 250)).await;
        stage.client.stop_session(&run.session_id).await.unwrap();
        first.await.unwrap().unwrap();
        stage.engine.runs().stop_all().await;
        let ended = stage.engine.session_names().find_session(run.session_id.as_str()).unwrap();
        assert_eq!(ended.state, SessionState::Cancelled, "stopped after {} µs", wait * 250);
    }
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
    assert_eq!(stage.text(), "one\n");
}

/// The end of a run is told before the run has let go of its session.
#[tokio::test(flavor = "multi_thread")]
async fn a_message_sent_as_soon_as_the_run_has_ended_begins_the_next() {
    let stage = Stage::new(vec![Turn::text("done")]).await;
    let mut subscription = stage.engine.subscribe();
    let (run, _) = stage.client.start_run(stage.new_session()).await.unwrap();
    for _ in 0..8 {
        loop {
            let Some(Ok(arki_domain::LiveEvent::Stored(event))) = subscription.next().await else { continue };
            if event.kind == "run.completed" {
                break;
            }
        }
        stage.client.start_run(stage.start(RunTarget::Session(run.session_id.clone()))).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_waits_is_sent_once_however_often_that_is_asked() {
    let stage = Stage::new(vec![Turn::text("done")]).await;
    let mut subscription = stage.engine.subscribe();
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let queued = stage.engine.message_queues().queue_message(&run.session_id, "go on".to_owned(), QueueMode::FollowUp);
    queued.await.unwrap();
    let next = || stage.client.send_next(&run.session_id);
    let asked = tokio::join!(next(), next(), next());
    let started: Vec<_> =
        [asked.0, asked.1, asked.2].into_iter().filter_map(Result::ok).flatten().map(|(run, _)| run.run_id).collect();
    assert_eq!(started.len(), 1);
    stage.engine.runs().stop_all().await;
    let mut starts = 0;
    while let Ok(Some(Ok(live))) = tokio::time::timeout(Duration::from_millis(200), subscription.next()).await {
        starts += usize::from(matches!(live, arki_domain::LiveEvent::Stored(event) if event.kind == "run.started"));
    }
    assert_eq!(starts, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_window_showed_together_is_acted_on_together_or_not_at_all() {
    let stage = Stage::new(vec![Turn::text("done")]).await;
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let folder = stage.home.project_dir().canonicalize().unwrap();
    let other = folder.with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    let shown = |folder: &std::path::Path, session: Option<&str>| Shown {
        folder: folder.display().to_string(),
        session_id: session.map(str::to_owned),
    };
    let session = run.session_id.as_str();
    let target = RunTarget::of_shown(stage.engine.session_reader(), shown(&folder, Some(session))).unwrap();
    assert!(matches!(target, RunTarget::Session(of) if of == run.session_id));
    let target = RunTarget::of_shown(stage.engine.session_reader(), shown(&other, None)).unwrap();
    assert!(matches!(target, RunTarget::NewSession(of) if of == other));

    let refused = RunTarget::of_shown(stage.engine.session_reader(), shown(&other, Some(session))).unwrap_err();
    assert!(refused.is(Code::SESSION_ELSEWHERE), "{refused:?}");
    for path in [&folder, &other] {
        assert!(refused.message.contains(&path.display().to_string()), "{refused:?}");
    }
    for nowhere in [shown(&folder, None), shown(&folder, Some("nobody"))] {
        assert!(
            stage.engine.session_reader().session_shown(nowhere).is_err_and(|fault| fault.is(Code::SESSION_NOT_FOUND))
        );
    }
    std::fs::remove_dir(&other).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(&folder, &other).unwrap();
    let refused = RunTarget::of_shown(stage.engine.session_reader(), shown(&other, None)).unwrap_err();
    assert!(refused.is(Code::FOLDER_UNAVAILABLE), "{refused:?}");
}

/// The app stays for days, and its next start may be far off.
#[tokio::test]
async fn a_program_that_stays_removes_at_once_what_a_killed_one_left() {
    let stage = Stage::new(Vec::new()).await;
    let (notes, unfinished) = (stage.home.data_dir().join("exports"), stage.home.project_dir().join(".arki-export-x"));
    std::fs::create_dir_all(&notes).unwrap();
    std::fs::write(&unfinished, "half").unwrap();
    std::fs::write(notes.join("note"), unfinished.to_str().unwrap()).unwrap();
    let engine = stage.engine.clone();
    let tidying = tokio::spawn(async move { engine.retention().keep_tidy().await });
    let is_gone = async {
        while unfinished.exists() {
            tokio::task::yield_now().await
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), is_gone).await.unwrap();
    assert!(!tidying.is_finished(), "and goes on to what has time");
    tidying.abort();
}

const DECIDED_AT_ONCE: usize = 12;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_rule_is_kept_only_where_the_approval_that_it_came_with_counts() {
    let write = |index| Turn::calls().call("write_file", json!({"path": format!("{index}.txt"), "content": "new\n"}));
    let stage = Stage::new((0..DECIDED_AT_ONCE).map(write).collect()).await;
    let elsewhere = open(&stage.home);
    let config = stage.home.config_dir().join("config.json");
    let rules = || std::fs::read_to_string(&config).unwrap().matches("\"write_file\"").count();
    let mut expected = rules();
    for _ in 0..DECIDED_AT_ONCE {
        let (_, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
        let RunEnd::AwaitingApproval(approval_id) = handle.await.unwrap().unwrap() else { panic!("it asks") };
        let shown = arki_engine::rule_text(&stage.engine.approvals().rules().proposed_rules(&approval_id).unwrap());
        let always = Resolution { keep: Some(Keep { scope: KeepScope::Always, rule: shown }), ..approve() };
        let reject = Resolution { decision: ApprovalDecision::Reject, ..approve() };
        let (engine, of_engine) = (stage.engine.clone(), approval_id.clone());
        let approving =
            tokio::spawn(async move { engine.approvals().resolve_approval(&of_engine, always, "window").await });
        let other = elsewhere.clone();
        let rejecting =
            tokio::spawn(async move { other.approvals().resolve_approval(&approval_id, reject, "cli").await });
        let (approved, rejected) = (approving.await.unwrap(), rejecting.await.unwrap());
        assert!(approved.is_ok() != rejected.is_ok(), "both were recorded, or none: {approved:?}, {rejected:?}");
        if approved.is_ok() {
            expected += 1;
        }
        assert_eq!(rules(), expected, "approved: {}", approved.is_ok());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_that_fails_half_way_leaves_the_session_free_for_other_processes() {
    let stage = Stage::new(vec![Turn::text("done"), Turn::text("done")]).await;
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let of_session = || stage.start(RunTarget::Session(run.session_id.clone()));
    let too_large = StartRun { prompt: "word ".repeat(8 << 20), ..of_session() };
    let refused = stage.client.start_run(too_large).await.map(drop).unwrap_err();
    assert!(refused.is(Code::EVENT_TOO_LARGE), "{refused:?}");
    let (_, handle) =
        Client::attach(&open(&stage.home), "cli", ClientCapabilities::default()).start_run(of_session()).await.unwrap();
    assert!(matches!(handle.await.unwrap().unwrap(), RunEnd::Completed { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_with_the_core_that_it_began_with_or_says_that_there_is_none_such() {
    let stage = Stage::new(vec![edit()]).await;
    let unknown = StartRun { core: Some("magic".into()), ..stage.new_session() };
    let fault = stage.client.start_run(unknown).await.err().unwrap();
    assert!(fault.is(Code::USAGE) && fault.hint.contains("tool-loop"), "{fault:?}");
    assert!(stage.engine.session_reader().list(1).unwrap().is_empty(), "nothing has happened");

    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
    let store = Store::open(&stage.home.data_dir().join("arki.db"), options).unwrap();
    let begun = RunStarted {
        prompt: "go".into(),
        agent: "arki".into(),
        model: "mock/mock".into(),
        core: "of-another-version".into(),
        system_prompt_hash: String::new(),
        options: RunOptions::default(),
        message_id: None,
        parent: None,
        session_start: None,
        request: None,
    };
    store.append(&run.session_id, vec![EventDraft::of_run(&RunId::new(), begun)]).await.unwrap();
    store.close().unwrap();
    let fault = stage.client.resume_run(&run.session_id, None).await.err().unwrap();
    assert!(fault.is(Code::USAGE) && fault.message.contains("\"of-another-version\""), "{fault:?}");
    let sessions = stage.engine.session_reader().list(1).unwrap();
    // Its lease is given back a moment later, and then nobody runs it.
    let can_go_on = matches!(sessions[0].state, SessionState::Running | SessionState::Interrupted);
    assert!(can_go_on, "still to be gone on with by whoever has that core: {:?}", sessions[0].state);
}

/// Folding so many takes far longer than a turn of the scripted model.
const LONG_LOG: usize = 30_000;

#[tokio::test]
async fn folding_a_long_log_holds_up_nothing_else_on_the_one_thread_there_is() {
    let stage = Stage::new(vec![Turn::text("done"), Turn::text("done")]).await;
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    handle.await.unwrap().unwrap();
    let options = StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
    let store = Store::open(&stage.home.data_dir().join("arki.db"), options).unwrap();
    for _ in 0..LONG_LOG / 1000 {
        let said = |turn| OutputMessage {
            turn,
            role: Role::Assistant,
            content: "word ".repeat(40),
            thoughts: None,
            reasoning: None,
            interrupted: false,
            retried: false,
        };
        let said = |turn| EventDraft::of_run(&run.run_id, said(turn));
        store.append(&run.session_id, (0..1000).map(said).collect()).await.unwrap();
    }
    store.close().unwrap();

    let beats = Arc::new(AtomicUsize::new(0));
    let counted = beats.clone();
    let heart = tokio::spawn(async move {
        loop {
            counted.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let began = Instant::now();
    let started = stage.client.start_run(stage.start(RunTarget::Session(run.session_id))).await;
    let milliseconds = began.elapsed().as_millis();
    heart.abort();
    started.unwrap().1.await.unwrap().unwrap();
    let beats = beats.load(Ordering::Relaxed) as u128;
    // It beats once for each time that the thread was free, so that a slow machine does not fail this.
    assert!(beats * 10 > milliseconds, "{beats} beats in {milliseconds} ms");
}
