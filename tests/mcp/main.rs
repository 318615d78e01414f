//! MCP servers that nobody here wrote, from packages of fixed versions, and the protocol's public conformance suite.
//! `cargo xtask test-servers` installs them.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts programs"
)]

mod conformance;
mod packages;
mod servers;
