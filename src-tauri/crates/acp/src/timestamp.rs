//! Moments as the protocol writes them.

/// `at`: milliseconds since 1970.
pub(crate) fn timestamp(at: i64) -> Option<String> {
    jiff::Timestamp::from_millisecond(at).ok().map(|at| at.to_string())
}
