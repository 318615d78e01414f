//! Events on their way to subscribers: the log that runs write, the live bus, frames for a window.

pub(crate) mod bus;
pub(crate) mod frames;
pub(crate) mod held_conversations;
pub(crate) mod recorded_log;
pub(crate) mod subscription;
