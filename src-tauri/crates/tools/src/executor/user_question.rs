//! Questions of the model's own: where somebody can answer, one is appended and the run waits for the answer, as it
//! waits for an approval; elsewhere the model is told at once that nobody will.

use super::background_subagents::BackgroundSubagents;
use super::record::Record;
use crate::builtin::ask_user;
use arki_domain::{CallOutcome, Code, Error, QuestionAsked, QuestionId, ToolCall};
use arki_policy::Verdict;

/// Says whether somebody sees the model's question, and can answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    User,
    Nobody,
}

/// Puts the model's question to the user.
pub(super) async fn ask_user(
    audience: Audience,
    background: &BackgroundSubagents,
    call: &ToolCall,
    verdict: &Verdict,
    record: &mut Record<'_>,
) -> Result<CallOutcome, Error> {
    let question = match (ask_user::parse(&call.args), audience) {
        (Ok(question), Audience::User) => question,
        (Ok(_), Audience::Nobody) => return record.conclude_read(call, verdict, Err(nobody_to_ask())).await,
        (Err(error), _) => return record.conclude_read(call, verdict, Err(error.into())).await,
    };
    let asked = QuestionAsked {
        question_id: QuestionId::new(),
        call_id: call.call_id.clone(),
        text: question.question,
        options: question.options,
    };
    let question_id = asked.question_id.clone();
    // The answer is taken by whoever holds the session, and that is to be nobody by then.
    background.rest().await;
    record.begin(call, verdict, Vec::new(), vec![asked.into()]).await?;
    Ok(CallOutcome::AwaitingAnswer(question_id))
}

fn nobody_to_ask() -> Error {
    let hint = "Make the most likely choice and continue, or end with what you need to know.";
    Error::new(Code::NOBODY_TO_ASK, "Nobody is here to answer.", hint)
}
