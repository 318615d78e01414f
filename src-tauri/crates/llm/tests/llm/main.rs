//! The crate from the outside, against a scripted server: what is sent, what is understood, what goes wrong.

#![allow(clippy::unwrap_used, clippy::panic, clippy::needless_pass_by_value)]

mod answers;
mod connections;
mod demo;
mod faults;
mod harness;
mod keys;
mod requests;
