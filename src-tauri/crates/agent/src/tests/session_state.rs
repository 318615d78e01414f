//! A core keeps things in the session's state, which is stored as configured.

use super::*;
use serde_json::{Map, Value, json};

/// Counts its turns in the state. It asks, and waits for the user after the first turn where it is to.
struct Counter {
    pauses: bool,
}

#[async_trait]
impl Core for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        for turn in 1..=2 {
            if let Some(end) = host.ask_model().await? {
                return Ok(end);
            }
            let mut state = host.record.agent_state().clone();
            state.insert("turns".into(), turn.into());
            host.record.set_agent_state(state).await?;
            assert_eq!(host.record.agent_state()["turns"], turn);
            if self.pauses {
                return host.paused().await;
            }
        }
        host.completed_unless_held().await?.ok_or_else(|| Error::internal("held"))
    }
}

/// Fills the state beyond its limit.
struct Hoarder;

#[async_trait]
impl Core for Hoarder {
    fn name(&self) -> &'static str {
        "hoarder"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        let state = Map::from_iter([("all".to_owned(), Value::from("x".repeat(300 * 1024)))]);
        host.record.set_agent_state(state).await?;
        host.completed_unless_held().await?.ok_or_else(|| Error::internal("held"))
    }
}

/// Sets something; then somebody else does too.
struct Overheard;

#[async_trait]
impl Core for Overheard {
    fn name(&self) -> &'static str {
        "overheard"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        host.record.set_agent_state(Map::from_iter([("mine".to_owned(), Value::from(1))])).await?;
        let theirs = EventDraft::of_session(StateChanged::setting("theirs", 2));
        host.record.followed.log.append(&host.record.followed.session_id, vec![theirs]).await?;
        host.record.catch_up().await?;
        assert_eq!(host.record.agent_state().len(), 2);
        if let Some(end) = host.ask_model().await? {
            return Ok(end);
        }
        host.completed_unless_held().await?.ok_or_else(|| Error::internal("held"))
    }
}

fn counting(state_saving: StateSavingStrategy, core: &'static dyn Core) -> Stage {
    Stage { core, state_saving, ..Stage::new(vec![vec![text("one"), end()], vec![text("two"), end()]]) }
}

fn stored(stage: &Stage) -> Vec<Value> {
    let log = stage.log.0.lock().unwrap();
    let changes = log.iter().filter(|event| event.kind == "state.changed");
    changes.map(|event| serde_json::from_str(event.payload.get()).unwrap()).collect()
}

#[tokio::test]
async fn what_is_set_explicitly_is_stored_at_once() {
    let stage = counting(StateSavingStrategy::Explicit, &Counter { pauses: false });
    stage.run().await;
    assert_eq!(stored(&stage), [json!({"set": {"turns": 1}}), json!({"set": {"turns": 2}})]);
}

#[tokio::test]
async fn what_changed_implicitly_is_stored_once_before_the_run_ends() {
    let stage = counting(StateSavingStrategy::Implicit, &Counter { pauses: false });
    stage.run().await;
    assert_eq!(stored(&stage), [json!({"set": {"turns": 2}})]);
    assert_eq!(&stage.log.kinds()[stage.log.kinds().len() - 2..], ["state.changed", "run.completed"]);
}

#[tokio::test]
async fn what_changed_implicitly_is_not_lost_where_the_run_waits() {
    let stage = counting(StateSavingStrategy::Implicit, &Counter { pauses: true });
    assert_eq!(stage.run().await, RunEnd::Paused);
    assert_eq!(stored(&stage), [json!({"set": {"turns": 1}})]);
}

#[tokio::test]
async fn what_others_set_meanwhile_is_neither_lost_nor_stored_again() {
    let stage = counting(StateSavingStrategy::Implicit, &Overheard);
    stage.run().await;
    assert_eq!(stored(&stage), [json!({"set": {"theirs": 2}}), json!({"set": {"mine": 1}})]);
}

#[tokio::test]
async fn a_state_that_is_too_large_ends_the_run_in_words() {
    for saving in [StateSavingStrategy::Explicit, StateSavingStrategy::Implicit] {
        let stage = counting(saving, &Hoarder);
        let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
        assert!(fault.is(Code::STATE_TOO_LARGE) && !fault.hint.is_empty(), "{fault:?}");
        assert!(stored(&stage).is_empty() && stage.count("run.failed") == 1);
    }
}
