//! What waits for the user's word, and what the user allowed from then on.

pub(crate) mod expiry;
mod for_clients;
pub(crate) mod judgement;
pub(crate) mod questions;
pub(crate) mod resolve;
pub(crate) mod revealing;
pub(crate) mod review;
pub(crate) mod session_grants;
pub(crate) mod standing_rules;
