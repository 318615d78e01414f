//! The commands about a session's next request and its state, and about past requests, as they were sent: thin delegates
//! to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    AgentState, CompactedSession, ContextCommands, NextRequest, SentForm, SentParts, SentRequest, SentRequestCommands,
    SentSide, SentText, SessionChanges, Shown,
};
use arki_domain::{Code, Error, SessionId, StateChanged};
use arki_engine::{Compacted, RunTarget};
use std::future::pending;
use std::path::Path;

impl<S: Surroundings> ContextCommands for Asker<S> {
    async fn next_request(self, of: Shown) -> CommandAnswer<NextRequest> {
        self.reading(move |engine| match RunTarget::of_shown(engine.session_reader(), of)? {
            RunTarget::Session(session_id) => engine.next_requests().next_request(Path::new(""), Some(&session_id)),
            RunTarget::NewSession(folder) => engine.next_requests().next_request(&folder, None),
        })
        .await
    }

    async fn compact_session(
        self,
        session_id: String,
        focus: Option<String>,
    ) -> CommandAnswer<Option<CompactedSession>> {
        let compacted =
            self.engine().compactions().compact(&SessionId::from(session_id), focus.as_deref(), pending()).await?;
        Ok(match compacted {
            Compacted::NothingToDo => None,
            Compacted::Stopped => {
                let message = "Compacting was stopped; the conversation is as it was.";
                return Err(Error::new(Code::CANCELLED, message, "Compact again.").into());
            }
            Compacted::Done(event) => {
                Some(CompactedSession { tokens_before: event.tokens_before, tokens_after: event.tokens_after })
            }
        })
    }

    async fn configure_session(self, session_id: String, changes: SessionChanges) -> CommandAnswer<NextRequest> {
        let session_id = SessionId::from(session_id);
        self.engine().session_configuring().configure(&session_id, changes).await?;
        self.reading(move |engine| engine.next_requests().next_request(Path::new(""), Some(&session_id))).await
    }

    async fn get_state(self, session_id: String) -> CommandAnswer<AgentState> {
        Ok(self.reading(move |engine| engine.sessions().agent_state(&SessionId::from(session_id))).await?.into())
    }

    async fn set_state(self, session_id: String, changes: StateChanged) -> CommandAnswer<AgentState> {
        Ok(self.engine().sessions().set_agent_state(&SessionId::from(session_id), changes).await?.into())
    }
}

impl<S: Surroundings> SentRequestCommands for Asker<S> {
    async fn sent_request(self, session_id: String, seq: u64) -> CommandAnswer<SentRequest> {
        self.reading(move |engine| engine.sent_requests().first_parts(&SessionId::from(session_id), seq)).await
    }

    async fn sent_parts(self, session_id: String, seq: u64, side: SentSide, from: usize) -> CommandAnswer<SentParts> {
        self.reading(move |engine| engine.sent_requests().parts(&SessionId::from(session_id), seq, side, from)).await
    }

    async fn sent_text(
        self,
        session_id: String,
        seq: u64,
        side: SentSide,
        place: usize,
        from: usize,
    ) -> CommandAnswer<SentText> {
        self.reading(move |engine| engine.sent_requests().text(&SessionId::from(session_id), seq, side, place, from))
            .await
    }

    async fn sent_json(self, session_id: String, seq: u64, form: SentForm) -> CommandAnswer<String> {
        self.reading(move |engine| engine.sent_requests().json(&SessionId::from(session_id), seq, form)).await
    }
}
