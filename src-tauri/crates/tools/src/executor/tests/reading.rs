//! What passes for reading is held to it by the sandbox, whatever it runs.

use super::*;
use serde_json::json;
use std::fs;

/// A repository whose configuration has every `git status` run a script that writes into the project.
fn with_watcher(bench: &Bench) {
    let root = bench.folder.path();
    let script = "#!/bin/sh\necho x >written\necho x >>AGENTS.md\n";
    fs::write(root.join("watch.sh"), script).unwrap();
    fs::write(root.join("AGENTS.md"), "rules\n").unwrap();
    git(root, "init -q .");
    git(root, "add .");
    fs::set_permissions(root.join("watch.sh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    git(root, "config core.fsmonitor ./watch.sh");
}

#[allow(clippy::disallowed_methods, reason = "the user's own git, outside any sandbox")]
fn git(root: &std::path::Path, line: &str) {
    std::process::Command::new("git").args(line.split(' ')).current_dir(root).output().unwrap();
}

#[tokio::test]
async fn a_command_that_passes_for_reading_writes_nothing_whatever_it_runs() {
    let bench = Bench::in_sandbox(ApprovalMode::Never);
    let root = bench.folder.path();
    with_watcher(&bench);
    bench.called("run_command", json!({"command": "git status --short"})).await;
    bench.carry_on().await;
    let (result, code) = bench.result();
    assert_eq!(code, None, "{result}");
    assert!(!root.join("written").exists(), "{result}");
    assert_eq!(fs::read_to_string(root.join("AGENTS.md")).unwrap(), "rules\n");
    assert_eq!(bench.kinds(), ["policy.decided", "tool.result"]);
    // So it is the sandbox that kept it from writing.
    git(root, "status --short");
    assert!(root.join("written").exists());
}

#[tokio::test]
async fn its_temporary_folder_is_its_own_and_writable() {
    let bench = Bench::in_sandbox(ApprovalMode::Ask);
    let lines = (0..20_000).map(|number| format!("{number}\n")).collect::<String>();
    fs::write(bench.folder.path().join("numbers"), lines).unwrap();
    bench.called("run_command", json!({"command": "sort -S 10k -r numbers | head -n 1"})).await;
    bench.carry_on().await;
    assert_eq!(bench.result(), ("exit code 0\n9999\n".to_owned(), None));
}

#[tokio::test]
async fn without_a_sandbox_the_project_is_imaged_before_what_passes_for_reading() {
    let bench = Bench::new(Vec::new(), ApprovalMode::Ask);
    fs::write(bench.folder.path().join("a"), "x").unwrap();
    bench.called("run_command", json!({"command": "ls"})).await;
    bench.carry_on().await;
    assert!(bench.kinds().contains(&"checkpoint.created".to_owned()), "{:?}", bench.kinds());
}
