//! A run with a sub-agent in the background: it is taken up, waited for, and at rest before the run stops.

use super::*;

/// Every call is handed to a sub-agent in the background, which stands as it is told to.
struct Handing {
    log: Arc<MemoryLog>,
    standing: Mutex<SubagentsState>,
    /// What the log had last when they were taken up, and when they came to rest.
    taken_up: Mutex<Vec<String>>,
    rested: Mutex<Vec<String>>,
    /// What the user does while they come to rest, the first time.
    at_rest: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Handing {
    fn last(&self) -> String {
        self.log.kinds().last().cloned().unwrap_or_default()
    }

    fn stands(&self, standing: SubagentsState) {
        *self.standing.lock().unwrap() = standing;
    }

    async fn append(&self, body: impl Into<EventBody>) {
        let draft = EventDraft::of_run(&RunId::from("run"), body.into());
        self.log.append(&SessionId::from("session"), vec![draft]).await.unwrap();
    }

    /// The sub-agent ends once the log has so many requests.
    async fn ends_after(&self, requests: usize) {
        self.until(requests).await;
        let (async_call_id, tool_id) = (CallId::from("c"), DELEGATE_TOOL.to_owned());
        let (result, background) = ("Found it.".to_owned(), Vec::new());
        self.append(ToolAsyncResult {
            async_call_id,
            tool_id,
            result,
            styles: Vec::new(),
            is_error: false,
            usage: None,
            background,
        })
        .await;
        self.stands(SubagentsState::AtRest);
    }

    async fn until(&self, requests: usize) {
        while self.log.kinds().iter().filter(|kind| *kind == "output.message").count() < requests {
            tokio::task::yield_now().await;
        }
    }
}

#[async_trait]
impl Executor for Handing {
    fn definitions(&self) -> Arc<[ToolDefinition]> {
        Arc::new([])
    }

    async fn execute(&self, pending: &PendingCall, context: &CallContext) -> Result<Executed, Error> {
        let call_id = pending.call.call_id.clone();
        let started = SubagentStarted {
            call_id: call_id.clone(),
            agent: "explorer".into(),
            session_id: SessionId::from("beneath"),
            run_id: RunId::from("beneath"),
            max_cost_usd: None,
            tree: None,
        };
        let placeholder = ToolResult { async_call_id: Some(call_id), ..result_of(pending) };
        let bodies: [EventBody; 2] = [started.into(), placeholder.into()];
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&context.run_id, body)).collect();
        let events = self.log.append(&context.session_id, drafts).await?;
        Ok(Executed { outcome: CallOutcome::Finished, events })
    }

    fn take_up_subagents(&self, calls: &[PendingCall], _: &CallContext) {
        if !calls.is_empty() {
            self.taken_up.lock().unwrap().push(self.last());
        }
    }

    fn subagents_standing(&self) -> SubagentsState {
        self.standing.lock().unwrap().clone()
    }

    async fn subagents_changed(&self, _: Duration) {
        tokio::task::yield_now().await;
    }

    async fn rest_subagents(&self) {
        self.rested.lock().unwrap().push(self.last());
        if let Some(meanwhile) = self.at_rest.lock().unwrap().take() {
            meanwhile();
        }
        self.stands(SubagentsState::AtRest);
    }
}

/// The model hands one task over, and then says these words, an answer each.
fn stage(words: &[&str]) -> (Stage, Arc<Handing>) {
    let mut turns = vec![vec![call("c"), end()]];
    turns.extend(words.iter().map(|said| vec![text(said), end()]));
    let stage = Stage::new(turns);
    let handing = Arc::new(Handing {
        log: stage.log.clone(),
        standing: Mutex::new(SubagentsState::AtWork),
        taken_up: Mutex::default(),
        rested: Mutex::default(),
        at_rest: Mutex::default(),
    });
    (Stage { executor: Some(handing.clone()), ..stage }, handing)
}

#[tokio::test]
async fn the_run_completes_after_the_model_heard_the_result() {
    let (stage, handing) = stage(&["I wait.", "I see."]);
    let (end, ()) = tokio::join!(stage.run(), handing.ends_after(1));
    assert_eq!(end, RunEnd::Completed { response: "I see.".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 3, 5]);
}

#[tokio::test]
async fn what_the_user_says_while_the_run_waits_is_answered_at_once() {
    let (stage, handing) = stage(&["I wait.", "I heard you.", "I see."]);
    let meanwhile = async {
        handing.until(1).await;
        let queued =
            MessageQueued { message_id: MessageId::from("m"), text: "and tests".into(), mode: QueueMode::Steer };
        handing.append(queued).await;
        handing.ends_after(2).await;
    };
    let (end, ()) = tokio::join!(stage.run(), meanwhile);
    assert_eq!(end, RunEnd::Completed { response: "I see.".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 3, 5, 7]);
}

#[tokio::test]
async fn a_run_that_pauses_has_them_at_rest_before_it_says_so() {
    let (stage, handing) = stage(&["I wait."]);
    let pause = stage.control.pause.clone();
    let pausing = async {
        handing.until(1).await;
        pause.cancel();
    };
    let (end, ()) = tokio::join!(stage.run(), pausing);
    assert_eq!((end, stage.log.kinds().last().unwrap().as_str()), (RunEnd::Paused, "run.paused"));
    assert_eq!(handing.rested.lock().unwrap()[0], "output.message");
}

#[tokio::test]
async fn a_run_without_budget_waits_for_them_first() {
    let (stage, handing) = stage(&["I wait."]);
    let stage = Stage { options: RunOptions { max_turns: Some(2), ..RunOptions::default() }, ..stage };
    let (end, ()) = tokio::join!(stage.run(), handing.ends_after(1));
    assert_eq!(end, RunEnd::BudgetExhausted);
    let kinds = stage.log.kinds();
    assert_eq!(kinds[kinds.len() - 2..], ["tool.async_result", "run.paused"]);
}

#[tokio::test]
async fn a_run_that_waits_for_one_that_asks_waits_for_the_decision() {
    let (stage, handing) = stage(&["I wait."]);
    let approval_id = ApprovalId::from("a1");
    handing.stands(SubagentsState::Waiting(approval_id.clone()));
    assert_eq!(stage.run().await, RunEnd::AwaitingApproval(approval_id));
    assert_eq!(stage.log.kinds().last().unwrap(), "run.paused");
}

#[tokio::test]
async fn a_run_that_is_stopped_takes_them_up_so_that_they_stop_too() {
    let (stage, handing) = stage(&["I wait."]);
    let cancel = stage.control.cancel.clone();
    let stopping = async {
        handing.until(1).await;
        cancel.cancel();
    };
    let (end, ()) = tokio::join!(stage.run(), stopping);
    assert_eq!(end, RunEnd::Cancelled);
    assert_eq!(*handing.taken_up.lock().unwrap(), ["output.message"]);
    assert_eq!(handing.rested.lock().unwrap()[0], "output.message");
}

#[tokio::test]
async fn a_run_that_is_stopped_while_it_waits_for_them_to_rest_is_stopped() {
    let (stage, handing) = stage(&["I wait."]);
    let (pause, cancel) = (stage.control.pause.clone(), stage.control.cancel.clone());
    *handing.at_rest.lock().unwrap() = Some(Box::new(move || cancel.cancel()));
    let pausing = async {
        handing.until(1).await;
        pause.cancel();
    };
    let (end, ()) = tokio::join!(stage.run(), pausing);
    assert_eq!((end, stage.log.kinds().last().unwrap().as_str()), (RunEnd::Cancelled, "run.cancelled"));
}
