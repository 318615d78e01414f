//! What reads the store never does so on the thread that everything asynchronous waits for, and no more than it has to.

pub(crate) mod reads;

use crate::{
    Client, ClientCapabilities, Directories, Engine, EngineOptions, EnvironmentKeys, RewindScope, RunEnd, RunTarget,
    StartRun,
};
use arki_api::{Keep, KeepScope, Resolution};
use arki_domain::{
    ApprovalDecision, ApprovalMode, Error, EventDraft, EventLog, QueueMode, RunOptions, SessionConfigured, SessionId,
};
use arki_export::EVENTS_A_PIECE;
use arki_testkit::{Script, ScriptedServer, TestHome, Turn};
use reads::Reads;
use serde_json::json;
use std::sync::Arc;

struct Stage {
    home: TestHome,
    engine: Arc<Engine>,
    client: Client,
    _server: ScriptedServer,
}

impl Stage {
    async fn new(turns: Vec<Turn>) -> Self {
        let server = Script::new(turns).sequential().start().unwrap();
        let home = TestHome::new(&server.url(), &json!({})).unwrap();
        home.write("a.txt", "one\n").unwrap();
        let directories = Directories { config: home.config_dir(), data: home.data_dir() };
        let mut environment_keys = EnvironmentKeys::default();
        environment_keys.keep("MOCK_KEY", "sk-mock-0123456789abcdef".into());
        let engine = Engine::open(EngineOptions { directories, ephemeral: false, environment_keys }).unwrap();
        engine.folder_trust().trust(&home.project_dir(), Vec::new()).await.unwrap();
        let client = Client::attach(&engine, "window", ClientCapabilities::default());
        Self { home, engine, client, _server: server }
    }

    fn reads(&self) -> &Reads {
        self.engine.sessions().records_for_tests().reads()
    }

    /// Has it done, and says which lines of it read the store on this thread.
    async fn done<T>(&self, what: &str, work: impl Future<Output = Result<T, Error>>) -> T {
        self.reads().take();
        let done = work.await.unwrap_or_else(|fault| panic!("{what}: {fault:?}"));
        let blocking = self.reads().on_this_thread();
        assert!(blocking.is_empty(), "{what} reads on the thread that all else waits for: {blocking:#?}");
        done
    }

    async fn run(&self, what: &str, target: RunTarget) -> (SessionId, RunEnd) {
        let options = RunOptions { approve: ApprovalMode::Ask, ..RunOptions::default() };
        let start = StartRun { options, ..StartRun::new(target, "go") };
        self.done(what, async {
            let (run, handle) = self.client.start_run(start).await?;
            Ok((run.session_id, handle.await.unwrap()?))
        })
        .await
    }

    fn new_session(&self) -> RunTarget {
        RunTarget::NewSession(self.home.project_dir())
    }
}

fn edit() -> Turn {
    Turn::calls().call("edit_file", json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}))
}

fn approve() -> Resolution {
    Resolution::of(ApprovalDecision::Approve)
}

#[tokio::test]
async fn whatever_works_on_a_session_leaves_the_thread_free_for_heartbeats() {
    let stage = Stage::new(vec![Turn::text("done"), edit(), Turn::text("done"), Turn::text("done")]).await;
    let (sessions, queues) = (stage.engine.sessions(), stage.engine.message_queues());
    let (session, _) = stage.run("a first run", stage.new_session()).await;
    let (_, end) = stage.run("a run that asks", RunTarget::Session(session.clone())).await;
    let RunEnd::AwaitingApproval(approval) = end else { panic!("{end:?}") };
    stage.done("queueing", queues.queue_message(&session, "next".into(), QueueMode::FollowUp)).await;
    stage.done("changing the queue", queues.set_queue(&session, &[])).await;
    stage.done("queueing again", queues.queue_message(&session, "next".into(), QueueMode::FollowUp)).await;
    let shown = crate::rule_text(&stage.engine.approvals().rules().proposed_rules(&approval).unwrap());
    let for_session = Resolution { keep: Some(Keep { scope: KeepScope::Session, rule: shown }), ..approve() };
    let deciding = async {
        let run = stage.client.decide(&approval, for_session).await?.run;
        run.unwrap().1.await.unwrap()
    };
    stage.done("deciding", deciding).await;
    let sending = async { stage.client.send_next(&session).await?.unwrap().1.await.unwrap() };
    stage.done("the next message", sending).await;
    stage
        .done("the tools", stage.engine.session_tools().switch_session_tools(&session, &[], &["fetch_url".into()]))
        .await;
    stage.done("a title", sessions.rename(&session, "other")).await;
    let fork = stage.done("a fork", sessions.fork(&session, None)).await.session_id;
    stage.done("the usage", stage.engine.usage().daily_usage(None)).await;
    stage.done("the usage for a client", stage.engine.usage().usage_report()).await;
    stage.done("the usage of one", stage.engine.usage().daily_usage(Some(&session))).await;
    stage.done("withdrawing", stage.engine.approvals().grants().withdraw_session_grants(&session)).await;
    let scope = RewindScope { files: true, conversation: true };
    stage.done("going back", stage.engine.rewinds().rewind(&session, 2, scope)).await;
    stage.done("stopping", stage.client.stop_session(&session)).await;
    stage
        .done("a search", stage.engine.search().search(crate::EventSearchQuery { limit: 5, ..Default::default() }))
        .await;
    let folder = stage.home.project_dir();
    stage.done("trusting", stage.engine.folder_trust().trust(&folder, Vec::new())).await;
    stage.done("opening", stage.client.open(&folder)).await;
    let tidying = async {
        stage.engine.retention().tidy_before_end(crate::Time::ToPrune).await;
        Ok(())
    };
    stage.done("tidying", tidying).await;
    stage.done("removing", stage.engine.retention().remove_session(&fork)).await;
    stage.done("keeping untrusted", stage.engine.folder_trust().untrust(&folder)).await;
}

/// So many events are read in more pages than anything but a fold of all of them needs.
const LONG_LOG: usize = 20 * EVENTS_A_PIECE;

/// How often the log was proved, and whether it was folded from its beginning besides.
fn walks(stage: &Stage) -> (usize, bool) {
    let reads = stage.reads().take();
    let pages = Reads::in_file(&reads, "src/session_reader.rs");
    (Reads::in_file(&reads, "session_reader/wholeness.rs"), pages >= LONG_LOG / EVENTS_A_PIECE)
}

#[tokio::test]
async fn whatever_goes_on_with_a_session_goes_through_its_log_once() {
    let stage = Stage::new(vec![Turn::text("done"), Turn::text("done"), edit(), Turn::text("done")]).await;
    let (session, _) = stage.run("a first run", stage.new_session()).await;
    let (sessions, queues) = (stage.engine.sessions(), stage.engine.message_queues());
    for _ in 0..LONG_LOG / EVENTS_A_PIECE {
        let title = Some("a title".to_owned());
        let configured = SessionConfigured { title, ..SessionConfigured::default() };
        let drafts = vec![EventDraft::of_session(configured); EVENTS_A_PIECE];
        sessions.records_for_tests().log().append(&session, drafts).await.unwrap();
    }
    sessions.keep_snapshot(&session).await.unwrap();
    queues.queue_message(&session, "next".into(), QueueMode::FollowUp).await.unwrap();
    stage.reads().take();
    stage.client.send_next(&session).await.unwrap().unwrap().1.await.unwrap().unwrap();
    assert_eq!(walks(&stage), (1, false), "the next message");
    let start = StartRun::new(RunTarget::Session(session), "go");
    let RunEnd::AwaitingApproval(approval) = stage.client.start_run(start).await.unwrap().1.await.unwrap().unwrap()
    else {
        panic!("it asks")
    };
    stage.reads().take();
    stage.client.decide(&approval, approve()).await.unwrap().run.unwrap().1.await.unwrap().unwrap();
    assert_eq!(walks(&stage), (1, false), "a decision");
}
