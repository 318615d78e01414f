//! The model's questions to the user, and the answers in the user's words.

use crate::{CallId, QuestionId};

payload! {
    /// The call has its result once the question is answered; until then the run waits.
    QuestionAsked {
        pub question_id: QuestionId,
        pub call_id: CallId,
        pub text: String,
        /// Answers to choose from; the user may give another.
        pub options?: Vec<String>,
    }
    QuestionAnswered {
        pub question_id: QuestionId,
        pub text: String,
    }
}
