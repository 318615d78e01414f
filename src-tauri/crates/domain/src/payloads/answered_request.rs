//! Requests over HTTP that may be sent again, as what they did remembers them.

payload! {
    /// The request over HTTP that started a run or decided an approval, if it had an `Idempotency-Key`: the same again
    /// gets the same answer.
    AnsweredRequest {
        /// The id of its token.
        pub token: String,
        /// SHA-256 hex of its key.
        pub key_hash: String,
        pub path: String,
        /// SHA-256 hex of its body.
        pub body_hash: String,
    }
}
