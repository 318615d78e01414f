//! The log and the bus on which calls are recorded and shown.

use super::record::Record;
use arki_domain::{
    CallContext, CallId, Error, EventBody, EventDraft, EventLog, FileChanged, LiveBus, Permissions, SessionId,
};
use arki_redaction::Redactor;
use std::collections::HashMap;
use std::sync::Arc;

/// The log and the bus of a run, and the redactor of what goes there.
#[derive(Clone)]
pub(super) struct CallLog {
    pub(super) log: Arc<dyn EventLog>,
    pub(super) bus: Arc<dyn LiveBus>,
    pub(super) redactor: Redactor,
}

/// The event of a call's change to a file, of which nothing is known yet.
pub(super) fn file_changed(path: String, call_id: &CallId) -> FileChanged {
    FileChanged {
        path,
        before_hash: None,
        after_hash: None,
        before_unknown: false,
        after_unknown: false,
        before_permissions: Permissions::default(),
        before_link: false,
        after_link: false,
        call_id: call_id.clone(),
        hunks: Vec::new(),
        by_session: None,
        by_hook: None,
    }
}

impl CallLog {
    pub(super) fn record<'a>(&'a self, context: &'a CallContext) -> Record<'a> {
        Record::new(self.log.as_ref(), &self.redactor, context)
    }

    /// Appends what no call's record has.
    pub(super) async fn tell(&self, context: &CallContext, bodies: Vec<EventBody>) -> Result<(), Error> {
        if bodies.is_empty() {
            return Ok(());
        }
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&context.run_id, body)).collect();
        self.log.append(&context.session_id, drafts).await.map(drop)
    }

    /// Other calls have changed files meanwhile and told so: their changes are not this command's. What was changed
    /// again since they told is told from there on.
    pub(super) async fn not_yet_told(
        &self,
        changes: Vec<EventBody>,
        session_id: &SessionId,
        after: u64,
    ) -> Result<Vec<EventBody>, Error> {
        if changes.is_empty() {
            return Ok(changes);
        }
        let mut told: HashMap<String, FileChanged> = HashMap::new();
        for event in self.log.read_after(session_id, after).await? {
            if let EventBody::FileChanged(changed) = event.body() {
                told.insert(changed.path.clone(), changed);
            }
        }
        let changes = changes.into_iter().filter_map(|body| match body {
            EventBody::FileChanged(changed) => match told.get(&changed.path) {
                Some(last) => changed.since(last).map(EventBody::from),
                None => Some(changed.into()),
            },
            other => Some(other),
        });
        Ok(changes.collect())
    }
}
