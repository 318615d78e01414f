//! The reads of clients: events by session, file, kind or place in the log, and the lists beside them.

pub(crate) mod approvals;
pub(crate) mod cursor;
pub(crate) mod event_pages;
pub(crate) mod finished_runs;
pub(crate) mod named_ids;
pub(crate) mod selected_events;
pub(crate) mod sessions;
pub(crate) mod sizes;
pub(crate) mod tail;
pub(crate) mod usage_events;
