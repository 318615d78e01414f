//! Puts what waits for the user before the client, and takes the answer back to the engine.
//!
//! An approval is asked by a request for permission or, where a change has several hunks and the client has forms, by one
//! in which hunks are chosen. Nothing is chosen beforehand, and whatever isn't a clear choice decides nothing: the approval
//! stays in Arki's inbox.

mod approval;
mod hunk_form;
mod permission;
mod questions;

pub(crate) use approval::{AskEnd, EditorAsker};
