//! A session in a worktree, from its dialog to its end.

use crate::harness::{Stage, Window, wait_until};
use arki_testkit::{Script, Turn, json_lines};
use std::path::Path;
use std::process::Command;

fn git(folder: &Path, line: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@example.org"]).args(line).current_dir(folder);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    let done = command.output().unwrap();
    assert!(done.status.success(), "git {line:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap().trim().to_owned()
}

fn choose(window: &Window<'_>, item: &str) {
    window.click("Session menu");
    window.menu_item(item).click();
}

#[test]
fn a_session_works_in_a_worktree_whose_branch_comes_back() {
    let stage = Stage::trusted(Script::new(vec![Turn::text("I'm in the copy.")]));
    let project = stage.home.project_dir().canonicalize().unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    std::fs::write(project.join("a.txt"), "one\n").unwrap();
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-qm", "first"]);
    let mut all = project.file_name().unwrap().to_owned();
    all.push(".worktrees");
    let folder = project.with_file_name(all).join("feature-x");

    let window = stage.open();
    let status = window.element("contentinfo", "Status");
    wait_until("the branch in the status bar", || status.text().contains("main"));
    choose(&window, "New session in a worktree…");
    window.element("textbox", "New branch").write("feature/x");
    window.says("feature-x");
    window.click("Start session");
    wait_until("the worktree", || folder.join("a.txt").exists());
    wait_until("its folder in the status bar", || status.text().contains("feature-x"));
    window.ask("Where are you?");
    window.says("I'm in the copy.");
    window.picture("worktree-session");

    std::fs::write(folder.join("a.txt"), "two\n").unwrap();
    git(&folder, &["commit", "-qam", "second"]);
    choose(&window, "Bring branch to");
    window.says("Brought 1 commit on feature/x");
    assert_eq!(git(&project, &["log", "-1", "--format=%s", "feature/x"]), "second");

    choose(&window, "Remove worktree…");
    window.click("Remove worktree");
    wait_until("the worktree to be gone", || !folder.exists());
    let sessions = json_lines(&stage.arki(&["sessions", "list", "--json"]).stdout).unwrap();
    assert_eq!(sessions[0]["project"], folder.display().to_string(), "its session stays");
}
