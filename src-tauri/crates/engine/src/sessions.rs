//! What the log says of a session, and what can be done with it: gone back, forked, searched, exported, verified.

pub(crate) mod anchoring;
pub(crate) mod contents;
pub(crate) mod export;
pub(crate) mod for_clients;
pub(crate) mod fork;
pub(crate) mod history;
pub(crate) mod keeping;
pub(crate) mod line_origins;
pub(crate) mod lineage;
pub(crate) mod names;
pub(crate) mod overview;
pub(crate) mod page;
pub(crate) mod rewind;
pub(crate) mod search;
pub(crate) mod session_tools;
pub(crate) mod take_back;
pub(crate) mod usage;
pub(crate) mod verify_file;
pub(crate) mod wholeness;
