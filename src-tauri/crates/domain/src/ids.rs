//! Identifiers: UUID v7 strings, so that they sort by the time they were made.
//!
//! Each kind has a type of its own; mixing a run's id with a session's does not compile.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use uuid::{ContextV7, Timestamp, Uuid};

/// Keeps ids of the same moment, and of a clock that is set back, in order.
static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());

/// The time in a UUID whose clock stands before 1970. Not 0: the counter beside it begins at random only once time has
/// passed.
const NO_TIME: Duration = Duration::from_millis(1);

fn fresh(now: SystemTime) -> String {
    let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or(NO_TIME);
    Uuid::new_v7(Timestamp::from_unix(&ORDER, since_1970.as_secs(), since_1970.subsec_nanos())).to_string()
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => { $(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A fresh id; ids made later sort later.
            #[must_use]
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(fresh(SystemTime::now()))
            }

            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        written_as!($name, String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )* };
}

ids! {
    /// One conversation in one project.
    SessionId,
    /// One prompt and everything done to answer it.
    RunId,
    /// One event of the log.
    EventId,
    /// One tool call, as the model named it; made unique within the session.
    CallId,
    /// One question put to the user before an effect.
    ApprovalId,
    /// One question of the model to the user.
    QuestionId,
    /// One message that waits in a session's queue.
    MessageId,
    /// One moment whose file images, or whose folded state, are kept.
    CheckpointId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_before_1970_makes_ids_too() {
        let (one, two) = (fresh(UNIX_EPOCH - Duration::from_secs(1)), fresh(UNIX_EPOCH - Duration::from_secs(60)));
        assert!(one < two, "{one} {two}");
        assert_eq!(Uuid::parse_str(&two).unwrap().get_version_num(), 7);
    }

    #[test]
    fn ids_made_later_sort_later() {
        let ids: Vec<SessionId> = (0..10_000).map(|_| SessionId::new()).collect();
        assert!(ids.is_sorted_by(|earlier, later| earlier < later));
    }
}
