//! The background calls of a session, in this process or another, and the results of those that a process left.

use crate::SessionReader;
use crate::background_results::BackgroundResults;
use crate::this_process::is_alive;
use arki_domain::projection::BackgroundCall;
use arki_domain::{Error, EventDraft, SessionId, ToolAsyncResult};
use arki_tools::BackgroundCommands;
use std::sync::Arc;

const LOST: &str = "Interrupted: the program ended while this went on. Its effect is unknown, and it was not run again. \
     Check what was done before deciding whether to run it again.";

/// The calls that go on in the background of sessions.
pub struct BackgroundWork {
    reader: Arc<SessionReader>,
    commands: Arc<BackgroundCommands>,
    results: Arc<BackgroundResults>,
}

impl BackgroundWork {
    pub(crate) fn new(
        reader: Arc<SessionReader>,
        commands: Arc<BackgroundCommands>,
        results: Arc<BackgroundResults>,
    ) -> Self {
        Self { reader, commands, results }
    }

    /// Returns what goes on in the background of a session, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn calls(&self, session_id: &SessionId) -> Result<Vec<BackgroundCall>, Error> {
        let background = self.reader.overview(session_id)?.background;
        Ok(background.going().iter().filter(|call| self.goes_on(session_id, call)).cloned().collect())
    }

    /// Ends what this process has in the background, and waits until the log says so.
    pub async fn stop_all(&self) {
        self.commands.stop_all().await;
    }

    /// Logs the background work that the model waits for and that nobody works on any more.
    pub(crate) async fn lost(
        &self,
        session_id: &SessionId,
        going: &[BackgroundCall],
    ) -> Result<Vec<EventDraft>, Error> {
        let mut drafts = Vec::new();
        for call in going.iter().filter(|call| !self.goes_on(session_id, call)) {
            let told = self.results.told_by_subagent(session_id, call).await?;
            if !told.is_empty() {
                drafts.extend(told);
                continue;
            }
            drafts.push(EventDraft::of_session(ToolAsyncResult {
                async_call_id: call.async_call_id.clone(),
                tool_id: call.tool_id.clone(),
                result: LOST.to_owned(),
                styles: Vec::new(),
                is_error: true,
                usage: None,
                background: Vec::new(),
            }));
        }
        Ok(drafts)
    }

    fn goes_on(&self, session_id: &SessionId, call: &BackgroundCall) -> bool {
        let (session_id, call_id) = match &call.source {
            Some(source) => (&source.session_id, &source.async_call_id),
            None => (session_id, &call.async_call_id),
        };
        match call.process_id == std::process::id() {
            true => self.commands.is_going(session_id, call_id),
            false => is_alive(call.process_id),
        }
    }
}
