//! Sub-agents side by side, in the program that works on all of them: what is decided for one while another works.

use crate::stage::Stage;
use arki_api::Resolution;
use arki_domain::projection::SessionState;
use arki_domain::{ApprovalDecision, EventBody, SessionId};
use arki_engine::RunEnd;
use arki_testkit::Turn;
use serde_json::{Value, json};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Becomes true once.
#[derive(Clone, Default)]
struct Latch(Arc<(Mutex<bool>, Condvar)>);

impl Latch {
    fn set(&self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }

    fn wait(&self) {
        let set = self.0.0.lock().unwrap();
        drop(self.0.1.wait_timeout_while(set, Duration::from_secs(20), |set| !*set).unwrap());
    }
}

fn handed() -> Turn {
    let call = |task: &str| json!({"agent": "explorer", "task": task});
    Turn::calls().call("delegate", call("the first")).call("delegate", call("the second"))
}

fn answers(request: &Value) -> usize {
    request["messages"].as_array().unwrap().iter().filter(|message| message["role"] == "assistant").count()
}

/// A run with two sub-agents: the first waits for an approval, the second for the latch.
async fn working(second_may_end: &Latch) -> (Stage, SessionId, tokio::task::JoinHandle<RunEnd>) {
    let latch = second_may_end.clone();
    let turn = Turn::computed(move |request| {
        let is_for = |task: &str| {
            let messages = request["messages"].as_array().unwrap();
            messages.iter().any(|message| message["role"] == "user" && message["content"].to_string().contains(task))
        };
        match answers(request) {
            0 if is_for("the first") => Turn::calls().call("read_file", json!({"path": ".env"})),
            _ if is_for("the first") => Turn::text("I know."),
            _ if is_for("the second") => {
                latch.wait();
                Turn::text("I looked.")
            }
            0 => handed(),
            _ => Turn::text("All are done."),
        }
    });
    let mut stage = Stage::new(vec![turn]).await;
    stage.home.write(".env", "MODE=green\n").unwrap();
    stage.stay();
    let (run, handle) = stage.client.start_run(stage.new_session()).await.unwrap();
    let ended = tokio::spawn(async move { handle.await.unwrap().unwrap() });
    stage.until(|engine| !engine.approvals().pending().pending_approvals().unwrap().is_empty()).await;
    (stage, run.session_id, ended)
}

fn results(stage: &Stage, session: &SessionId) -> Vec<String> {
    let events = stage.engine.session_reader().events_after(session, 0, 10_000).unwrap().events;
    let result = |body| match body {
        EventBody::ToolResult(result) => Some(result.result),
        _ => None,
    };
    events.iter().filter_map(|event| result(event.body())).collect()
}

fn state(stage: &Stage, session: &SessionId) -> SessionState {
    stage.engine.session_names().find_session(session.as_str()).unwrap().state
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_decided_for_one_while_another_works_is_gone_on_with_by_the_row() {
    let latch = Latch::default();
    let (stage, session, ended) = working(&latch).await;
    let waiting = stage.engine.approvals().pending().pending_approvals().unwrap().remove(0);
    let began = Instant::now();
    let approve = Resolution::of(ApprovalDecision::Approve);
    let decided = stage.client.decide(&waiting.approval_id, approve).await.unwrap();
    assert!(decided.run.is_none(), "the run above is at work");
    assert!(began.elapsed() < Duration::from_millis(2500), "it is known at once that somebody goes on");
    stage.until(|_| state(&stage, &waiting.session_id) == SessionState::Done).await;
    assert_eq!(state(&stage, &session), SessionState::Running);
    latch.set();
    assert_eq!(ended.await.unwrap(), RunEnd::Completed { response: "All are done. ".into() });
    assert_eq!(results(&stage, &session), ["I know. ", "I looked. "]);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_waits_can_be_stopped_alone_while_another_works() {
    let latch = Latch::default();
    let (stage, session, ended) = working(&latch).await;
    let waiting = stage.engine.approvals().pending().pending_approvals().unwrap().remove(0);
    stage.client.stop_session(&waiting.session_id).await.unwrap();
    stage.until(|_| state(&stage, &waiting.session_id) == SessionState::Cancelled).await;
    latch.set();
    assert_eq!(ended.await.unwrap(), RunEnd::Completed { response: "All are done. ".into() });
    let results = results(&stage, &session);
    assert!(results[0].contains("The user stopped the agent explorer"), "{results:?}");
    assert_eq!(results[1], "I looked. ");
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_the_run_above_stops_the_one_that_waits_and_the_one_that_works() {
    let latch = Latch::default();
    let (stage, session, ended) = working(&latch).await;
    let waiting = stage.engine.approvals().pending().pending_approvals().unwrap().remove(0);
    stage.client.stop_session(&session).await.unwrap();
    assert_eq!(ended.await.unwrap(), RunEnd::Cancelled);
    latch.set();
    assert_eq!(state(&stage, &waiting.session_id), SessionState::Cancelled);
    assert!(stage.engine.approvals().pending().pending_approvals().unwrap().is_empty());
    assert_eq!(results(&stage, &session).len(), 2);
}
