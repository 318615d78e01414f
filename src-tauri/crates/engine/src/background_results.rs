//! The background calls that a sub-agent left when its run ended. The session above is told of it with the sub-agent's
//! answer, and of each result when it comes. Where a result stands is read off the two logs, so that it is told once,
//! whoever comes first and whatever ended in between. A sub-agent has none of its own.

use crate::events::recorded_log::RecordedLog;
use crate::{Records, SessionReader, blocking};
use arki_domain::projection::{BackgroundCall, BackgroundCalls};
use arki_domain::{
    BackgroundSource, CallId, Error, Event, EventBody, EventDraft, EventLog, FileChanged, LeftInBackground,
    PartialAnswer, RequestHead, RunId, SessionId, SubagentStarted, ToolAsyncResult,
};
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::Arc;

/// The log for background calls: stores their events as usual, and reports them above if they are waited for there.
pub(crate) struct LateLog {
    pub(crate) log: Arc<RecordedLog>,
    pub(crate) results: Arc<BackgroundResults>,
}

#[async_trait]
impl EventLog for LateLog {
    async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error> {
        let events = self.log.append(session, drafts).await?;
        let has_result = events.iter().any(|event| matches!(event.body(), EventBody::ToolAsyncResult(_)));
        if has_result {
            self.results.tell_above(session).await?;
        }
        Ok(events)
    }

    async fn read_after(&self, session: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error> {
        self.log.read_after(session, seq).await
    }

    async fn event(&self, session: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error> {
        self.log.event(session, seq).await
    }

    async fn keep_head(&self, head: &RequestHead) -> Result<String, Error> {
        self.log.keep_head(head).await
    }

    async fn keep_partial(&self, session: &SessionId, piece: Option<PartialAnswer>) -> Result<(), Error> {
        self.log.keep_partial(session, piece).await
    }
}

/// Tells the sessions above sub-agents of what these left in the background.
pub(crate) struct BackgroundResults {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
    /// Held while results are reported to a parent run, so that each is reported once.
    notify_lock: tokio::sync::Mutex<()>,
}

impl BackgroundResults {
    pub(crate) fn new(records: Arc<Records>, reader: Arc<SessionReader>) -> Self {
        Self { records, reader, notify_lock: tokio::sync::Mutex::default() }
    }

    /// Returns what goes on of a sub-agent's whose run has ended, and what ended too late for its model to hear of it.
    pub(crate) async fn left_in_background(&self, started: &SubagentStarted) -> Result<Vec<LeftInBackground>, Error> {
        let mut background = BackgroundCalls::default();
        let mut unheard: Vec<BackgroundCall> = Vec::new();
        let mut asked_with = 0;
        for event in self.records.log().read_after(&started.session_id, 0).await? {
            let body = event.body();
            match &body {
                EventBody::ToolAsyncResult(result) => unheard
                    .extend(background.going().iter().find(|call| call.async_call_id == result.async_call_id).cloned()),
                EventBody::EngineRequest(_) => asked_with = unheard.len(),
                EventBody::EngineResponse(_) => _ = unheard.drain(..std::mem::take(&mut asked_with)),
                _ => {}
            }
            background.apply(&event, &body);
        }
        unheard.extend(background.going().iter().cloned());
        Ok(unheard.into_iter().map(|call| left(call, started)).collect())
    }

    /// Tells the session above a sub-agent's what has ended of what the sub-agent left in the background.
    pub(crate) async fn tell_above(&self, session_id: &SessionId) -> Result<(), Error> {
        let Some(parent) = self.reader.overview_now(session_id).await?.run.and_then(|run| run.parent) else {
            return Ok(());
        };
        let _telling = self.notify_lock.lock().await;
        let mut drafts = Vec::new();
        let background = self.reader.overview_now(&parent.session_id).await?.background;
        for call in background.going() {
            if call.source.as_ref().is_some_and(|source| source.session_id == *session_id) {
                drafts.extend(self.told_by_subagent(&parent.session_id, call).await?);
            }
        }
        if !drafts.is_empty() {
            self.records.log().append(&parent.session_id, drafts).await?;
        }
        Ok(())
    }

    /// Returns what the sub-agent's own log says that a call came to, for the log of the session above: its changes and
    /// its result. Nothing while it goes on, and for a call of the session's own.
    pub(crate) async fn told_by_subagent(
        &self,
        session_id: &SessionId,
        call: &BackgroundCall,
    ) -> Result<Vec<EventDraft>, Error> {
        let Some(source) = &call.source else { return Ok(Vec::new()) };
        let Some(ended) = self.ended(source).await? else { return Ok(Vec::new()) };
        let subagent = source.session_id.clone();
        let handed_over = blocking(&self.reader, move |reader| handed_over(reader, &subagent)).await?;
        let Some(HandedOver { seq, run_id, started }) = handed_over else { return Ok(Vec::new()) };
        let told = self.files_told(session_id, seq).await?;
        let changes = changes_above(ended.changes, &started, &told);
        let mut bodies: Vec<EventBody> = changes.into_iter().map(EventBody::from).collect();
        bodies.push(
            ToolAsyncResult {
                async_call_id: call.async_call_id.clone(),
                tool_id: call.tool_id.clone(),
                result: format!("Of the agent {}: {}\n{}", started.agent, call.command, ended.result.result),
                styles: Vec::new(),
                is_error: ended.result.is_error,
                usage: None,
                background: Vec::new(),
            }
            .into(),
        );
        Ok(bodies.into_iter().map(|body| EventDraft::of_run(&run_id, body)).collect())
    }

    /// Returns what the log that a call was made in says of its end; `None` while it goes on.
    async fn ended(&self, source: &BackgroundSource) -> Result<Option<EndedTask>, Error> {
        let mut changes = Vec::new();
        for event in self.records.log().read_after(&source.session_id, 0).await? {
            match event.body() {
                EventBody::FileChanged(changed) if changed.call_id == source.async_call_id => changes.push(changed),
                EventBody::ToolAsyncResult(result) if result.async_call_id == source.async_call_id => {
                    return Ok(Some(EndedTask { result, changes }));
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// Returns what a session's log last says of each file that it tells of above an event.
    async fn files_told(&self, session_id: &SessionId, after: u64) -> Result<HashMap<String, FileChanged>, Error> {
        let told = self.records.log().read_after(session_id, after).await?.into_iter().filter_map(|event| match event
            .body()
        {
            EventBody::FileChanged(changed) => Some((changed.path.clone(), changed)),
            _ => None,
        });
        Ok(told.collect())
    }
}

/// Returns a sub-agent's changes as the session above has them, from where it was last `told`. None of a worktree's:
/// they are changes of the project only once they are taken.
fn changes_above(
    changes: Vec<FileChanged>,
    started: &SubagentStarted,
    told: &HashMap<String, FileChanged>,
) -> Vec<FileChanged> {
    if started.tree.is_some() {
        return Vec::new();
    }
    let above = changes.into_iter().filter_map(|changed| {
        let changed = FileChanged {
            call_id: started.call_id.clone(),
            hunks: Vec::new(),
            by_session: Some(started.session_id.clone()),
            by_hook: None,
            ..changed
        };
        match told.get(&changed.path) {
            Some(last) => changed.since(last),
            None => Some(changed),
        }
    });
    above.collect()
}

/// Returns where the session above handed its task to a sub-agent.
fn handed_over(reader: &SessionReader, subagent: &SessionId) -> Result<Option<HandedOver>, Error> {
    let Some(parent) = reader.overview(subagent)?.run.and_then(|run| run.parent) else { return Ok(None) };
    let events = reader.run_events(parent.run_id.as_str())?.unwrap_or_default();
    let handed_over = |event: &Event| match event.body() {
        EventBody::SubagentStarted(started) if started.session_id == *subagent => {
            Some(HandedOver { seq: event.seq, run_id: parent.run_id.clone(), started })
        }
        _ => None,
    };
    Ok(events.iter().find_map(handed_over))
}

struct EndedTask {
    result: ToolAsyncResult,
    changes: Vec<FileChanged>,
}

struct HandedOver {
    seq: u64,
    run_id: RunId,
    started: SubagentStarted,
}

/// Returns the call as the session above names it: models number their calls anew in each session.
fn left(call: BackgroundCall, started: &SubagentStarted) -> LeftInBackground {
    let BackgroundCall { async_call_id, tool_id, command, process_id, .. } = call;
    LeftInBackground {
        async_call_id: CallId::from(format!("{}/{async_call_id}", started.call_id).as_str()),
        tool_id,
        command,
        process_id,
        source: BackgroundSource { session_id: started.session_id.clone(), async_call_id },
    }
}

#[cfg(test)]
mod tests;
