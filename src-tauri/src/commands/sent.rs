//! The window's commands about past requests, as they were sent: thin delegates to the engine.

use crate::commands::Answer;
use crate::desktop_state::Desktop;
use arki_api::{SentForm, SentParts, SentRequest, SentRequestCommands, SentSide, SentText};
use arki_domain::SessionId;

impl SentRequestCommands for Desktop {
    async fn sent_request(self, session_id: String, seq: u64) -> Answer<SentRequest> {
        self.reading(move |engine| engine.sent_requests().first_parts(&SessionId::from(session_id), seq)).await
    }

    async fn sent_parts(self, session_id: String, seq: u64, side: SentSide, from: usize) -> Answer<SentParts> {
        self.reading(move |engine| engine.sent_requests().parts(&SessionId::from(session_id), seq, side, from)).await
    }

    async fn sent_text(
        self,
        session_id: String,
        seq: u64,
        side: SentSide,
        place: usize,
        from: usize,
    ) -> Answer<SentText> {
        self.reading(move |engine| engine.sent_requests().text(&SessionId::from(session_id), seq, side, place, from))
            .await
    }

    async fn sent_json(self, session_id: String, seq: u64, form: SentForm) -> Answer<String> {
        self.reading(move |engine| engine.sent_requests().json(&SessionId::from(session_id), seq, form)).await
    }
}
