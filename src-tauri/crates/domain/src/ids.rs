//! Identifiers: UUID v7 strings, so that they sort by the time they were made.
//!
//! Each kind has a type of its own; mixing a run's id with a session's does not compile.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A fresh id; ids made later sort later.
            #[must_use]
            #[allow(clippy::new_without_default)]
            pub fn new() -> Self {
                Self(uuid::Uuid::now_v7().to_string())
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
    };
}

id!(
    /// One conversation in one project.
    SessionId
);
id!(
    /// One prompt and everything done to answer it.
    RunId
);
id!(
    /// One event of the log.
    EventId
);
id!(
    /// One tool call, as the model named it; made unique within the session.
    CallId
);
id!(
    /// One question put to the user before an effect.
    ApprovalId
);
id!(
    /// One message that waits in a session's queue.
    MessageId
);
id!(
    /// One moment whose file images, or whose folded state, are kept.
    CheckpointId
);
