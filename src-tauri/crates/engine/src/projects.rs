//! A folder and what it brings along: trust, configuration, skills and procedures.

pub(crate) mod app_state;
pub(crate) mod config_in_force;
pub(crate) mod guides;
pub(crate) mod leavings;
pub(crate) mod not_yet;
pub(crate) mod open;
pub(crate) mod shown;
