//! The embedded model: a real server on loopback that plays a script, so that nothing about it is special-cased.
//!
//! It is spoken to like any other provider, over HTTP. `demo` shows a whole job in whatever folder it is asked in, by
//! reading the tools' results in the conversation; `echo` repeats the last user message. Both are deterministic.

mod conversation;
mod edit_proposal;
mod playback;
mod script;
mod server;
mod summary;

pub(crate) use server::DemoServer;
