//! The commands about past requests, as they were sent: thin delegates to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{SentForm, SentParts, SentRequest, SentRequestCommands, SentSide, SentText};
use arki_domain::SessionId;

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
