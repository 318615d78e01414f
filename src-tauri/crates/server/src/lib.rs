//! The engine over HTTP, for programs on this computer: every command of the protocol, runs and approvals as 002 names
//! them, and events as they are stored.
//!
//! Connections (`connections`) come at one of its addresses (`addresses`). A request goes through the guard first (`guard`):
//! who may ask at all, and as whom. What a token may ask for is one
//! table (`rights`). With the window (`window_files`), a browser signs in (`sign_in`) and asks the same. Events are a stream that a reader pulls (`stream`), so that one that doesn't read costs nothing.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod addresses;
mod answers;
mod callers;
mod connections;
mod guard;
mod hosts;
mod idempotency;
mod limits;
mod rights;
mod routes;
mod serve;
mod sign_in;
mod stream;
mod surroundings;
mod window_files;

pub use addresses::{PublicUrl, ServeOptions, TlsFiles};
pub use serve::{Served, SignInLinks, serve};
