//! Every wire format against model servers that nobody here wrote. `docs/providers.md` has the outcome as a table.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, starts servers, and shows their logs"
)]

mod arki;
mod cases;
mod conformance;
mod faults;
mod harness;
mod long_session;
mod real_model;
mod servers;
mod whole_runs;
