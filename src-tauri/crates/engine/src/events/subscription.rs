//! One subscriber's events, and the news that it missed something.
//!
//! Every subscriber has a place in one bounded buffer. Whoever falls behind by more than the buffer holds is told how
//! much was missed, and reads the stored part of it from the log; nobody waits for the slow one.

use arki_domain::{EventBody, LiveEvent, RunId, SessionId};
use std::collections::HashMap;
use tokio::sync::broadcast;

/// The class of an announcement: the first word of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventClass {
    Session,
    Queue,
    Question,
    Run,
    Engine,
    Output,
    Tool,
    Policy,
    Approval,
    File,
    Plan,
    Checkpoint,
    Memory,
    Hook,
    Artifact,
    Step,
    Other,
}

impl EventClass {
    /// Returns the class of an event's kind, such as `tool.call`.
    #[must_use]
    pub fn of_kind(kind: &str) -> Self {
        match kind.split('.').next().unwrap_or_default() {
            "session" | "trust" => Self::Session,
            "queue" | "message" => Self::Queue,
            "question" => Self::Question,
            "run" | "subagent" => Self::Run,
            "engine" => Self::Engine,
            "output" => Self::Output,
            "tool" => Self::Tool,
            "policy" => Self::Policy,
            "approval" => Self::Approval,
            "file" | "change" => Self::File,
            "plan" => Self::Plan,
            "checkpoint" | "state" => Self::Checkpoint,
            "memory" | "context" => Self::Memory,
            "hook" => Self::Hook,
            "artifact" => Self::Artifact,
            "step" => Self::Step,
            _ => Self::Other,
        }
    }

    fn of(event: &LiveEvent) -> Self {
        match event {
            LiveEvent::Stored(event) => Self::of_kind(&event.kind),
            LiveEvent::Delta { .. } | LiveEvent::CallGrows { .. } => Self::Output,
            LiveEvent::CommandOutput { .. } => Self::Tool,
            LiveEvent::ElicitationsChanged => Self::Question,
        }
    }
}

/// A filter of events; a part that is left open lets everything through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// `None` = every class.
    pub classes: Option<Vec<EventClass>>,
    /// `None` = every session.
    pub session_id: Option<SessionId>,
    /// An agent's name; `None` or `*` = every agent. Events outside a run belong to none and are always heard.
    pub agent: Option<String>,
}

impl EventFilter {
    pub(crate) fn is_in_session(&self, session_id: &SessionId) -> bool {
        self.session_id.as_ref().is_none_or(|wanted| wanted == session_id)
    }

    pub(crate) fn is_in_classes(&self, kind: &str) -> bool {
        self.classes.as_ref().is_none_or(|classes| classes.contains(&EventClass::of_kind(kind)))
    }

    /// `None` = every agent.
    pub(crate) fn one_agent(&self) -> Option<&str> {
        self.agent.as_deref().filter(|agent| *agent != "*")
    }
}

/// The announcements from now on. Dropping it unsubscribes and frees all there is of it.
pub struct Subscription {
    receiver: broadcast::Receiver<LiveEvent>,
    filter: EventFilter,
    /// The agent of each run whose beginning was heard.
    agents: HashMap<RunId, String>,
}

/// The number of missed announcements. Stored events can be read from the log, after the last one that arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lagged(pub u64);

impl Subscription {
    pub(crate) fn new(receiver: broadcast::Receiver<LiveEvent>, filter: EventFilter) -> Self {
        Self { receiver, filter, agents: HashMap::new() }
    }

    /// The next announcement that the filter lets through; `None` when the engine is gone.
    pub async fn next(&mut self) -> Option<Result<LiveEvent, Lagged>> {
        loop {
            match self.receiver.recv().await {
                Ok(event) if self.hears(&event) => return Some(Ok(event)),
                Ok(_) => {}
                Err(broadcast::error::RecvError::Lagged(missed)) => return Some(Err(Lagged(missed))),
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// Returns what is there already, without waiting.
    pub fn ready(&mut self) -> Option<Result<LiveEvent, Lagged>> {
        loop {
            match self.receiver.try_recv() {
                Ok(event) if self.hears(&event) => return Some(Ok(event)),
                Ok(_) => {}
                Err(broadcast::error::TryRecvError::Lagged(missed)) => return Some(Err(Lagged(missed))),
                Err(broadcast::error::TryRecvError::Empty | broadcast::error::TryRecvError::Closed) => return None,
            }
        }
    }

    fn hears(&mut self, event: &LiveEvent) -> bool {
        let (session_id, run_id) = place(event);
        if self.filter.session_id.as_ref().is_some_and(|wanted| Some(wanted) != session_id) {
            return false;
        }
        if !self.is_wanted_agent(event, run_id) {
            return false;
        }
        self.filter.classes.as_ref().is_none_or(|classes| classes.contains(&EventClass::of(event)))
    }

    /// Only who asked for one agent pays for knowing whose run it is.
    fn is_wanted_agent(&mut self, event: &LiveEvent, run_id: Option<&RunId>) -> bool {
        let Some(wanted) = self.filter.agent.as_deref().filter(|agent| *agent != "*") else { return true };
        let Some(run_id) = run_id else { return true };
        if let LiveEvent::Stored(event) = event
            && let EventBody::RunStarted(started) = event.body()
        {
            self.agents.insert(run_id.clone(), started.agent);
        }
        let is_wanted = self.agents.get(run_id).is_some_and(|agent| agent == wanted);
        if let LiveEvent::Stored(event) = event
            && matches!(event.kind.as_str(), "run.completed" | "run.cancelled")
        {
            self.agents.remove(run_id);
        }
        is_wanted
    }
}

fn place(event: &LiveEvent) -> (Option<&SessionId>, Option<&RunId>) {
    match event {
        LiveEvent::Stored(event) => (Some(&event.session_id), event.run_id.as_ref()),
        LiveEvent::Delta { session_id, run_id, .. }
        | LiveEvent::CallGrows { session_id, run_id }
        | LiveEvent::CommandOutput { session_id, run_id, .. } => (Some(session_id), Some(run_id)),
        LiveEvent::ElicitationsChanged => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{Event, EventId, RunOptions, RunStarted, ToolResult};
    use std::sync::Arc;

    fn stored(run: &str, body: impl Into<EventBody>) -> LiveEvent {
        let body = body.into();
        LiveEvent::Stored(Arc::new(Event {
            event_id: EventId::new(),
            run_id: Some(RunId::from(run)),
            session_id: SessionId::from("s"),
            seq: 1,
            ts: 0,
            kind: body.kind().to_owned(),
            payload: serde_json::value::to_raw_value(&body.payload().unwrap()).unwrap(),
            prev_hash: String::new(),
            hash: String::new(),
        }))
    }

    fn started(run: &str, agent: &str) -> LiveEvent {
        let started = RunStarted {
            prompt: "go".into(),
            agent: agent.into(),
            model: String::new(),
            core: String::new(),
            system_prompt_hash: String::new(),
            options: RunOptions::default(),
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        };
        stored(run, started)
    }

    fn result(run: &str) -> LiveEvent {
        let result = ToolResult::new("c".into(), "read_file".into(), String::new());
        stored(run, result)
    }

    fn kinds(subscription: &mut Subscription) -> Vec<String> {
        std::iter::from_fn(|| subscription.ready())
            .map(|announced| match announced {
                Ok(LiveEvent::Stored(event)) => event.kind.clone(),
                other => format!("{other:?}"),
            })
            .collect()
    }

    #[test]
    fn only_the_classes_asked_for_are_heard() {
        let sender = broadcast::Sender::new(16);
        let filter = EventFilter { classes: Some(vec![EventClass::Tool]), ..EventFilter::default() };
        let mut subscription = Subscription::new(sender.subscribe(), filter);
        for event in [started("r", "arki"), result("r")] {
            sender.send(event).unwrap();
        }
        assert_eq!(kinds(&mut subscription), ["tool.result"]);
    }

    #[test]
    fn only_the_agent_asked_for_is_heard_and_a_star_is_everyone() {
        let sender = broadcast::Sender::new(16);
        let of = |agent: &str| EventFilter { agent: Some(agent.to_owned()), ..EventFilter::default() };
        let mut reviewer = Subscription::new(sender.subscribe(), of("reviewer"));
        let mut everyone = Subscription::new(sender.subscribe(), of("*"));
        for event in [started("a", "arki"), started("b", "reviewer"), result("a"), result("b")] {
            sender.send(event).unwrap();
        }
        assert_eq!(kinds(&mut reviewer), ["run.started", "tool.result"]);
        assert_eq!(kinds(&mut everyone).len(), 4);
    }

    #[test]
    fn a_slow_subscriber_is_told_how_much_it_missed_and_hears_the_rest() {
        let sender = broadcast::Sender::new(2);
        let mut subscription = Subscription::new(sender.subscribe(), EventFilter::default());
        for _ in 0..5 {
            sender.send(result("r")).unwrap();
        }
        assert_eq!(subscription.ready().unwrap().unwrap_err(), Lagged(3));
        assert_eq!(kinds(&mut subscription).len(), 2);
    }

    #[test]
    fn dropping_it_frees_its_place() {
        let sender: broadcast::Sender<LiveEvent> = broadcast::Sender::new(2);
        let subscription = Subscription::new(sender.subscribe(), EventFilter::default());
        assert_eq!(sender.receiver_count(), 1);
        drop(subscription);
        assert_eq!(sender.receiver_count(), 0);
    }
}
