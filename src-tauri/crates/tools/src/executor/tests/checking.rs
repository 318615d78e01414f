//! Checkers around edits, run for real in the strongest sandbox of this machine.

use super::*;
use crate::Checker;
use crate::hooks::HookOrigin;
use serde_json::json;

/// Finds a word in every text file.
const FINDS_BAD: &str = r"grep -nH BAD *.txt | sed -E 's/^([^:]+:[0-9]+):.*/\1:1: error: a bad word/'";

fn bench(commands: &[&str]) -> Bench {
    let checker = |command: &&str| Checker::new(command, None, Some(30), HookOrigin::User).unwrap();
    of(commands.iter().map(checker).collect())
}

fn of(checkers: Vec<Checker>) -> Bench {
    let sandbox = arki_sandbox::Sandbox::strongest();
    assert!(sandbox.available, "{:?}", sandbox.reason);
    Bench::with(Audience::Nobody, (Vec::new(), Vec::new(), checkers), ApprovalMode::All, sandbox)
}

impl Bench {
    /// Writes a file as the model would, and returns the result.
    async fn writes_anew(&self, path: &str, content: &str) -> String {
        self.called_as(CallId::new().as_str(), "write_file", json!({"path": path, "content": content})).await;
        assert_eq!(self.carry_on().await, CallOutcome::Finished);
        let result = self.whole_result();
        assert!(!result.is_error, "{result:?}");
        assert_eq!(std::fs::read_to_string(self.folder.path().join(path)).unwrap(), content);
        result.result
    }
}

#[tokio::test]
async fn only_what_is_new_in_the_edited_file_is_told() {
    let bench = bench(&[FINDS_BAD]);
    std::fs::write(bench.folder.path().join("a.txt"), "BAD\n").unwrap();
    std::fs::write(bench.folder.path().join("b.txt"), "BAD\n").unwrap();
    let result = bench.writes_anew("a.txt", "one\nBAD\nBAD\n").await;
    assert!(result.contains("1 new problem in what you changed:\na.txt:3:1: error: a bad word"), "{result}");
    assert!(!result.contains("b.txt"), "{result}");
    // What the last edit brought is known now.
    let result = bench.writes_anew("a.txt", "BAD\nBAD\n").await;
    assert!(result.contains("finds nothing new in what you changed."), "{result}");
    // As is what somebody else did to another file, which is only counted.
    std::fs::write(bench.folder.path().join("b.txt"), "BAD\nBAD\n").unwrap();
    let result = bench.writes_anew("a.txt", "fine\n").await;
    assert!(result.ends_with("nothing new in what you changed.\nNew in other files: b.txt (1)."), "{result}");
}

#[tokio::test]
async fn a_checker_builds_in_a_folder_of_its_own_and_the_project_stays_as_it_is() {
    let bench = bench(&["mkdir -p \"$CARGO_TARGET_DIR\" && touch made; echo a.txt:1: error: $?; exit 1"]);
    std::fs::write(bench.folder.path().join("a.txt"), "").unwrap();
    let result = bench.writes_anew("a.txt", "x\n").await;
    assert!(result.contains("finds nothing new"), "{result}");
    assert!(!bench.folder.path().join("made").exists());
    assert!(bench._checks.path().join("own/cargo").is_dir());
}

#[tokio::test]
async fn a_missing_program_is_told_once_and_fails_no_edit() {
    let bench = bench(&["no-such-checker --json", FINDS_BAD]);
    let result = bench.writes_anew("a.txt", "BAD\n").await;
    assert!(
        result.contains("`no-such-checker --json` could not check this") && result.contains("not found"),
        "{result}"
    );
    assert!(result.contains("a.txt:1:1: error: a bad word"), "{result}");
    let result = bench.writes_anew("a.txt", "BAD\nBAD\n").await;
    assert!(!result.contains("no-such-checker") && result.contains("a.txt:2:1"), "{result}");
}

#[tokio::test]
async fn a_checker_that_takes_too_long_is_told_once_and_fails_no_edit() {
    let endless = Checker::new("sleep 1000", None, Some(1), HookOrigin::User).unwrap();
    let bench = of(vec![endless]);
    let result = bench.writes_anew("a.txt", "x\n").await;
    assert!(result.contains("could not check this: it took longer than 1 s."), "{result}");
    assert!(!bench.writes_anew("a.txt", "y\n").await.contains("sleep"));
}

#[tokio::test]
async fn a_flood_and_json_that_nobody_knows_fail_no_edit() {
    let bench = bench(&["head -c 9000000 /dev/zero | tr '\\0' x", "echo '[{\"a\": 1}]'"]);
    let result = bench.writes_anew("a.txt", "x\n").await;
    assert!(result.contains("printed more than 8 MiB") && result.contains("JSON that Arki can't read"), "{result}");
}

#[tokio::test]
async fn a_checker_for_other_files_does_not_run() {
    let other = Checker::new(FINDS_BAD, Some("*.md"), None, HookOrigin::User).unwrap();
    let bench = of(vec![other]);
    let result = bench.writes_anew("a.txt", "BAD\n").await;
    assert!(!result.contains("grep"), "{result}");
    assert!(!bench._checks.path().join("own").exists());
}

#[tokio::test]
async fn a_deleted_file_and_a_patch_are_checked_too() {
    let bench = bench(&[FINDS_BAD]);
    std::fs::write(bench.folder.path().join("a.txt"), "BAD\n").unwrap();
    let patch = "*** Begin Patch\n*** Add File: b.txt\n+BAD\n*** End Patch\n";
    bench.called_as("p", "apply_patch", json!({"patch": patch})).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert!(bench.result().0.contains("b.txt:1:1: error: a bad word"), "{:?}", bench.result());
    bench.called_as("d", "delete_file", json!({"path": "a.txt"})).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert!(bench.result().0.contains("finds nothing new"), "{:?}", bench.result());
}

#[tokio::test]
async fn a_run_that_is_stopped_while_the_first_check_runs_writes_nothing() {
    let bench = bench(&["sleep 1000"]);
    bench.called("write_file", json!({"path": "a.txt", "content": "x"})).await;
    let stop = async {
        tokio::task::yield_now().await;
        bench.cancel.cancel();
    };
    let (outcome, ()) = tokio::join!(bench.carry_on(), stop);
    assert_eq!(outcome, CallOutcome::Finished);
    assert_eq!(bench.result().1.as_deref(), Some("CANCELLED"));
    assert!(!bench.folder.path().join("a.txt").exists());
}
