//! JSON-RPC over lines, bounded on every side: a line's length, the requests at work, those that wait for the client,
//! and the messages that wait to be written.

mod connection;
mod incoming;
mod refusal;

pub(crate) use connection::{AskFailure, RpcConnection, write_all};
pub(crate) use incoming::{ClientMessage, InputLine, InputLines, RequestId};
pub(crate) use refusal::RpcRefusal;
