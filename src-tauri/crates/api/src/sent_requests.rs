//! A past request to a model as it was sent, and the answer: made again from the log, told in parts.

use arki_domain::{RequestPurpose, Stage};

words! {
    /// The proof that a request made again from the log is the one that was sent.
    RequestProof {
        /// Its bytes have the hash that the log has: this is what was sent.
        Proven,
        /// All it is made of was kept, and yet its bytes have another hash: this version of Arki writes it differently,
        /// or a picture or a secret is no longer there.
        Differs,
        /// System prompt, tools and options weren't kept with it: they are today's, as far as they are known.
        HeadUnknown,
        /// Nothing of it was kept: it was no part of the conversation.
        NotKept,
    }
    /// The list that a part is in.
    SentSide { Prompt, Answer }
    /// The kind of a part of a request or an answer.
    SentRole {
        System,
        /// A tool that the model could call: its description and the JSON Schema of its arguments.
        Tool,
        /// The parameters of the request, as JSON.
        Options,
        User,
        /// The SHA-256 of a picture that the user showed.
        Image,
        Assistant,
        Thoughts,
        /// The arguments of a call, as the model wrote them.
        Call,
        /// The result of a call.
        Result,
        /// The text that took the place of what a compaction left out, or of what was observed.
        Summary,
        /// Why there is no answer, or not all of it.
        Failure,
    }
    SentForm {
        /// Arki's own form, with the answer.
        Neutral,
        /// The very bytes that were sent; only of a proven request.
        Body,
    }
}

wire! {
    SentRequest {
        pub session_id: String,
        /// The `engine.request` that it is of.
        pub seq: u64,
        pub turn: u32,
        pub provider: String,
        pub model: String,
        /// SHA-256 of the bytes that were sent, in hex.
        pub request_hash: String,
        /// Null for a turn.
        pub purpose: Option<RequestPurpose>,
        pub stage: Option<Stage>,
        pub proof: RequestProof,
        pub message_count: usize,
        pub tool_count: usize,
        /// The bytes that were sent; null where they aren't proven.
        pub body_bytes: Option<usize>,
        /// The first ones, in the order in which they were sent.
        pub prompt: SentParts,
        /// The first ones, in the order of the log; none where no answer came.
        pub answer: SentParts,
    }
    SentParts {
        pub parts: Vec<SentPart>,
        /// The place of the next part; null where these are the last.
        pub next: Option<usize>,
    }
    SentPart {
        /// Its place in the list, from 0.
        pub place: usize,
        pub role: SentRole,
        /// The tool's name of a tool, a call or a result; the media type of a picture.
        pub name: Option<String>,
        /// True for the result of a call that failed.
        pub is_error: bool,
        /// Its beginning.
        pub text: String,
        /// The size of the whole text.
        pub bytes: usize,
        /// The byte at which the rest begins; null where this is all.
        pub next: Option<usize>,
    }
    /// A piece of a part's text.
    SentText {
        pub text: String,
        /// The byte at which the rest begins; null where this is all.
        pub next: Option<usize>,
    }
}
