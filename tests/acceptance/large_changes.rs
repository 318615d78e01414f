//! A change whose diff is too large for an event is reviewed like any other: folded, by file and by hunk, bound to the
//! whole by its hash. The diff lies beside the log, goes along with an export, and is proven by its hash.

use crate::harness::{Stage, payload, text};
use crate::tree::{one_call, playing, session_of};
use arki_testkit::{Turn, verify_chain};
use serde_json::{Value, json};

/// Half a megabyte each.
const FILES: usize = 36;
const MANY_FILES: usize = 100;
const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

fn name(number: usize) -> String {
    format!("data/{number:03}.txt")
}

/// About half a megabyte, of lines that differ.
fn content(number: usize) -> String {
    let mut text: String =
        (0..10_000).map(|line| format!("{number} {line} what stands in this line of the file\n")).collect();
    if number == 1 {
        text.push_str(&format!("token {SECRET}\n"));
    }
    text
}

/// Stopped at the removal of all files: a short patch, and a long diff.
fn waiting(files: usize) -> (Stage, String) {
    let patch: String = (1..=files).map(|number| format!("*** Delete File: {}\n", name(number))).collect();
    let patch = format!("*** Begin Patch\n{patch}*** End Patch\n");
    let stage = playing(one_call("apply_patch", json!({ "patch": patch })).to_vec());
    (1..=files).for_each(|number| drop(stage.write(&name(number), content(number))));
    let session = session_of(&stage.exec(&["clear the data"]).exits(3).lines());
    (stage, session)
}

#[test]
fn it_is_shown_folded_by_file_and_by_hunk_and_accepted_by_hunk() {
    let (stage, session) = waiting(MANY_FILES);
    let requested = payload(&stage.events(&session), "approval.requested");
    let preview = &requested["preview"];
    assert!(preview.get("diff").is_none() && text(&preview["diffHash"]).len() == 64, "{:?}", preview.get("diff"));
    assert_eq!(preview["hunks"].as_array().unwrap().len(), MANY_FILES);
    let folded = stage.arki(&["approvals", "show"]).exits(0).stdout;
    assert!(folded.lines().count() < MANY_FILES + 10, "{}", folded.lines().count());
    assert!(folded.contains(&format!("{MANY_FILES} files")) && folded.contains(&name(MANY_FILES)), "{folded}");
    assert!(folded.contains("-10000"), "{folded}");
    let file = stage.arki(&["approvals", "show", "--file", &name(7)]).exits(0).stdout;
    let heads: Vec<&str> = file.lines().filter(|line| line.starts_with("diff ") || line.starts_with("[hunk")).collect();
    assert_eq!(heads, ["diff --git a/data/007.txt b/data/007.txt", "[hunk 7] @@ -1,10000 +0,0 @@"]);
    let removed: String = file
        .lines()
        .filter(|line| !line.starts_with("---"))
        .filter_map(|line| line.strip_prefix('-'))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(removed, content(7), "what is shown is exactly what goes");
    let hunk = stage.arki(&["approvals", "show", "--hunks", "3"]).exits(0).stdout;
    assert!(hunk.contains("[hunk 3]") && hunk.contains("--- a/data/003.txt") && !hunk.contains("[hunk 4]"));
    stage.arki(&["approvals", "show", "--file", "none"]).fails(1, "FILE_NOT_FOUND");
    // The log has no secret; whoever decides sees it.
    assert!(stage.arki(&["approvals", "show", "--file", &name(1)]).exits(0).stdout.contains(SECRET));
    stage.arki(&["approvals", "approve", "--hunks", "1,3"]).exits(0);
    for number in 1..=MANY_FILES {
        assert_eq!(stage.path(&name(number)).exists(), ![1, 3].contains(&number), "{number}");
    }
    assert!(stage.told().contains("rejected"));
    stage.verifies();
}

#[test]
fn a_file_that_changed_meanwhile_makes_another_change_of_it() {
    let (stage, session) = waiting(FILES);
    stage.write(&name(FILES), "changed\n");
    stage.arki(&["approvals", "approve"]).exits(3);
    assert!(stage.path(&name(1)).exists(), "the decision was about the whole");
    assert_eq!(stage.events(&session).iter().filter(|event| event["type"] == "approval.requested").count(), 2);
    assert!(stage.arki(&["approvals", "show", "--file", &name(FILES)]).exits(0).stdout.contains("-changed"));
    stage.verifies();
}

#[test]
fn exports_carry_the_diff_and_neither_it_nor_the_database_can_be_changed_unseen() {
    let (stage, session) = waiting(FILES);
    let export = stage.home.project_dir().join("export.jsonl");
    let to = export.to_str().unwrap();
    stage.arki(&["sessions", "export", &session, "--output", to]).exits(0);
    stage.arki(&["verify", to]).exits(0);
    let exported = std::fs::read_to_string(&export).unwrap();
    assert!(!exported.contains(SECRET));
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<Value> = lines.iter().filter(|line| line.get("eventId").is_some()).cloned().collect();
    assert_eq!(verify_chain(&events), Ok(()));
    assert!(lines.len() > events.len() + 10, "the diff comes in pieces");

    let there = Stage::new(vec![Turn::text("ok")]);
    let file = there.write("export.jsonl", &exported);
    there.arki(&["sessions", "import", file.to_str().unwrap()]).exits(0);
    let again = there.home.project_dir().join("again.jsonl");
    there.arki(&["sessions", "export", &session, "--output", again.to_str().unwrap()]).exits(0);
    assert!(std::fs::read_to_string(&again).unwrap() == exported, "byte for byte");
    there.verifies();
    let approval = text(&payload(&events, "approval.requested")["approvalId"]);
    let shown = there.arki(&["approvals", "show", &approval, "--file", &name(9)]).exits(0).stdout;
    assert!(shown.contains("-9 9999 what stands"), "{} lines", shown.lines().count());

    let changed = exported.replace("-9 9999 what stands", "-9 9999 what stood");
    let without: String =
        exported.lines().filter(|line| line.contains("\"eventId\"")).map(|line| format!("{line}\n")).collect();
    let cut: String = exported.lines().take(lines.len() - 2).map(|line| format!("{line}\n")).collect();
    for tampered in [changed, without, cut] {
        let file = stage.write("tampered.jsonl", &tampered);
        stage.arki(&["verify", file.to_str().unwrap()]).exits(1);
        let other = Stage::new(vec![Turn::text("ok")]);
        other.arki(&["sessions", "import", file.to_str().unwrap()]).fails(2, "EXPORT_INVALID");
        assert!(other.sessions().is_empty());
    }

    let database = rusqlite::Connection::open(stage.database()).unwrap();
    let hash = text(&payload(&events, "approval.requested")["preview"]["diffHash"]);
    database.execute("UPDATE blobs SET content = x'00' WHERE hash = ?1", [&hash]).unwrap();
    drop(database);
    let report = stage.arki(&["verify", &session, "--json"]).exits(1).lines();
    let seq = events.iter().find(|event| event["type"] == "approval.requested").unwrap()["seq"].clone();
    assert_eq!(report[0]["firstBrokenSeq"], seq);
}
