//! What the source promises to itself: the arrows and invariants of `docs/architecture.md`, read off the manifests and
//! the sources.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests fail by panicking and start programs"
)]

mod circles;
mod dependencies;
mod manifests;
mod parameters;
mod services;
mod sources;
mod style;
mod types;
mod walks;
mod window;
