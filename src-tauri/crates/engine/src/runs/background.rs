//! The background calls of a session, in this process or another, and the results of those that a process left.

pub(crate) mod above;

use crate::records::blocking;
use crate::runs::Runs;
use crate::this_process::is_alive;
use arki_domain::projection::{BackgroundCall, Overview};
use arki_domain::{CallId, Error, EventDraft, SessionId, ToolAsyncResult};

const LOST: &str = "Interrupted: the program ended while this went on. Its effect is unknown, and it was not run again. \
     Check what was done before deciding whether to run it again.";

impl Runs {
    /// Returns what goes on in the background of a session, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn background_calls(&self, session_id: &SessionId) -> Result<Vec<BackgroundCall>, Error> {
        let background = self.reader.overview(session_id)?.background;
        Ok(background.going().iter().filter(|call| self.goes_on(session_id, call)).cloned().collect())
    }

    pub(crate) async fn overview(&self, session_id: &SessionId) -> Result<Overview, Error> {
        let session_id = session_id.clone();
        blocking(&self.reader, move |reader| reader.overview(&session_id)).await
    }

    /// Asks a background call of this process to end; its result says when it has. False where it is not this
    /// process's, or has ended.
    pub fn stop_background_call(&self, session_id: &SessionId, async_call_id: &CallId) -> bool {
        self.kernels.background().stop(session_id, async_call_id)
    }

    /// Ends what this process has in the background, and waits until the log says so.
    pub async fn stop_background(&self) {
        self.kernels.background().stop_all().await;
    }

    /// Logs the background work that the model waits for and that nobody works on any more.
    pub(crate) async fn lost_in_background(
        &self,
        session_id: &SessionId,
        going: &[BackgroundCall],
    ) -> Result<Vec<EventDraft>, Error> {
        let mut drafts = Vec::new();
        for call in going.iter().filter(|call| !self.goes_on(session_id, call)) {
            let told = self.told_by_subagent(session_id, call).await?;
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
            true => self.kernels.background().is_going(session_id, call_id),
            false => is_alive(call.process_id),
        }
    }
}
