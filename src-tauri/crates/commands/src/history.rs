//! The commands about a session's past and its queue: thin delegates to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    CommittedChanges, HistoryCommands, LineOrigin, ReplayedContent, ReplayedFile, RewindPreview, Sent, SessionOverview,
    SessionResult, SessionSummary, SessionToolEntry, Shown,
};
use arki_domain::projection::QueuedMessage;
use arki_domain::{Code, Error, SessionId};
use arki_engine::RewindScope;
use std::path::Path;

impl<S: Surroundings> HistoryCommands for Asker<S> {
    async fn session_result(self, session_id: String) -> CommandAnswer<SessionResult> {
        self.reading(move |engine| engine.results().result(&SessionId::from(session_id))).await
    }

    async fn commit_changes(self, session_id: String, message: String) -> CommandAnswer<CommittedChanges> {
        Ok(self.engine().results().commit(&SessionId::from(session_id), &message).await?)
    }

    async fn session_overview(self, session_id: String) -> CommandAnswer<SessionOverview> {
        self.reading(move |engine| engine.session_reader().session_overview(&SessionId::from(session_id))).await
    }

    async fn session_tools(self, session_id: String) -> CommandAnswer<Vec<SessionToolEntry>> {
        tools_of(&self, SessionId::from(session_id)).await
    }

    async fn switch_session_tools(
        self,
        session_id: String,
        on: Vec<String>,
        off: Vec<String>,
    ) -> CommandAnswer<Vec<SessionToolEntry>> {
        let session_id = SessionId::from(session_id);
        self.engine().session_tools().switch_session_tools(&session_id, &on, &off).await?;
        tools_of(&self, session_id).await
    }

    async fn set_queue(self, session_id: String, queued: Vec<QueuedMessage>) -> CommandAnswer<()> {
        Ok(self.engine().message_queues().set_queue(&SessionId::from(session_id), &queued).await?)
    }

    async fn send_next(self, of: Shown) -> CommandAnswer<Sent> {
        let session = self.reading(move |engine| engine.session_reader().session_shown(of)).await?;
        match self.client.send_next(&session).await? {
            Some(running) => Ok(Sent::from(&running.0)),
            None => Err(nothing_waits().into()),
        }
    }

    async fn pause_run(self, session_id: String) -> CommandAnswer<()> {
        self.engine().runs().pause_session(&SessionId::from(session_id)).await?;
        Ok(())
    }

    async fn rewind_preview(
        self,
        session_id: String,
        to_seq: u64,
        files: bool,
        conversation: bool,
    ) -> CommandAnswer<RewindPreview> {
        let scope = RewindScope { files, conversation };
        let session_id = SessionId::from(session_id);
        Ok(self.reading(move |engine| engine.rewinds().plan_rewind(&session_id, to_seq, scope)).await?.into())
    }

    async fn replay_files(self, session_id: String, seq: u64) -> CommandAnswer<Vec<ReplayedFile>> {
        self.reading(move |engine| engine.past_files().files_then(&SessionId::from(session_id), Some(seq))).await
    }

    async fn replay_file(self, session_id: String, seq: u64, path: String) -> CommandAnswer<ReplayedContent> {
        let session_id = SessionId::from(session_id);
        self.reading(move |engine| engine.past_files().file_then_shown(&session_id, Some(seq), &path)).await
    }

    async fn rewind(
        self,
        session_id: String,
        to_seq: u64,
        files: bool,
        conversation: bool,
    ) -> CommandAnswer<RewindPreview> {
        let scope = RewindScope { files, conversation };
        Ok(self.engine().rewinds().rewind(&SessionId::from(session_id), to_seq, scope).await?.into())
    }

    async fn take_back_preview(self, session_id: String, seq: u64) -> CommandAnswer<RewindPreview> {
        let session_id = SessionId::from(session_id);
        Ok(self.reading(move |engine| engine.rewinds().plan_take_back(&session_id, seq)).await?.into())
    }

    async fn take_back(self, session_id: String, seq: u64) -> CommandAnswer<RewindPreview> {
        Ok(self.engine().rewinds().take_back(&SessionId::from(session_id), seq).await?.into())
    }

    async fn fork_session(self, session_id: String, at_seq: Option<u64>) -> CommandAnswer<SessionSummary> {
        Ok(self.engine().sessions().fork(&SessionId::from(session_id), at_seq).await?.into())
    }

    async fn line_origins(self, session_id: String, path: String) -> CommandAnswer<Vec<LineOrigin>> {
        self.reading(move |engine| {
            let session = engine.session_names().find_session(&session_id)?;
            engine.line_origins().line_origins(Path::new(&session.project), &path)
        })
        .await
    }
}

async fn tools_of<S: Surroundings>(asking: &Asker<S>, session_id: SessionId) -> CommandAnswer<Vec<SessionToolEntry>> {
    let tools = asking.reading(move |engine| engine.session_tools().session_tools(&session_id)).await?;
    Ok(tools.into_iter().map(SessionToolEntry::from).collect())
}

fn nothing_waits() -> Error {
    Error::new(Code::MESSAGE_NOT_FOUND, "This session has no queued message.", "Send a new one.")
}
