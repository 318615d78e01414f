//! What no command should leave, and users who work on meanwhile: each gets a clear answer, nothing is lost, and the
//! session goes on.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, payload, payloads, text, wait_until};
use arki_testkit::{Script, Turn, kinds};
use rustix::process::Signal;
use serde_json::{Value, json};

fn running_with(commands: &[Value], config: &Value) -> Stage {
    let mut turns: Vec<Turn> =
        commands.iter().map(|arguments| Turn::calls().call("run_command", arguments.clone())).collect();
    turns.push(Turn::text("Done."));
    Stage::configured(Script::new(turns), config)
}

fn running(command: &str) -> Stage {
    running_with(&[json!({"command": command})], &json!({}))
}

/// The next run of the same session works.
fn goes_on(stage: &Stage) {
    stage.exec(&["--continue", "go on"]).exits(0);
    stage.verifies();
}

#[test]
fn a_command_that_writes_more_than_the_limit_leaves_nothing_and_is_told_so() {
    for command in [
        "head -c 3000000 /dev/zero > big; echo x > small",
        "for n in 1 2 3; do head -c 900000 /dev/urandom > f$n; done",
    ] {
        let stage = running_with(&[json!({"command": command})], &json!({"limits": {"maxEffectsMegabytes": 1}}));
        stage.exec(&["--approve", "all", "go"]).exits(0);
        let result = payload(&stage.log(), "tool.result");
        assert_eq!(result["code"], "TOO_MANY_CHANGES", "{result}");
        assert!(text(&result["result"]).contains("more than 1 MiB"), "{result}");
        assert!(["big", "small", "f1"].iter().all(|name| !stage.path(name).exists()));
        goes_on(&stage);
    }
}

#[test]
fn pipes_sockets_and_devices_are_left_out_by_name_and_the_rest_lands() {
    let command = "mkfifo pipe; mkdir new; mkfifo new/pipe; echo x > kept.txt; mknod zero c 1 5; mknod none c 0 0; \
        python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('talk')\"; rm -f gone.txt; mkfifo gone.txt; true";
    let stage = running(command);
    stage.write("gone.txt", "gone\n");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!(stage.read("kept.txt"), "x\n");
    for name in ["pipe", "new/pipe", "zero", "none", "talk"] {
        assert!(stage.path(name).symlink_metadata().is_err(), "{name} landed");
    }
    assert_eq!(stage.read("gone.txt"), "gone\n", "a pipe took its place");
    let told = stage.told();
    for name in ["pipe", "new/pipe", "gone.txt"] {
        assert!(told.contains(&format!("{name} is a pipe, a socket or a device")), "{name}: {told}");
    }
    goes_on(&stage);
}

#[test]
fn no_hard_link_leads_out_of_the_view_or_in() {
    let command = "ln ../outside.txt in.txt; ln /etc/hostname host; ln a.txt \"$TMPDIR/a\" && echo more >> \"$TMPDIR/a\"; \
        ln a.txt twin.txt; echo twin >> twin.txt; true";
    let stage = running(command);
    let outside = stage.home.project_dir().with_file_name("outside.txt");
    std::fs::write(&outside, "outside\n").unwrap();
    stage.write("a.txt", "one\n");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "outside\n");
    assert!(!stage.path("in.txt").exists() && !stage.path("host").exists(), "{}", stage.told());
    assert_eq!(stage.read("twin.txt"), "one\ntwin\n");
    goes_on(&stage);
}

#[test]
fn names_that_are_not_utf_8_are_left_out_by_name_and_twins_in_case_both_land() {
    let stage =
        running("printf x > $'bad\\xff'; mkdir $'dir\\xfe'; printf y > $'dir\\xfe/in'; echo a > Twin; echo b > twin");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let names: Vec<_> = std::fs::read_dir(stage.path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name.to_str().is_some()), "{names:?}");
    assert_eq!((stage.read("Twin"), stage.read("twin")), ("a\n".to_owned(), "b\n".to_owned()));
    let told = stage.told();
    assert!(told.contains("bad") && told.contains("has a name that Arki can't show"), "{told}");
    goes_on(&stage);
}

#[test]
fn odd_names_land_as_they_are() {
    let stage =
        running("printf x > $'line\\nbreak'; printf y > ' spaces '; printf z > -rf; printf q > $'\\033[31mred'");
    stage.exec(&["--approve", "all", "go"]).exits(0);
    for name in ["line\nbreak", " spaces ", "-rf", "\u{1b}[31mred"] {
        let told = stage.told();
        assert!(stage.path(name).exists() || told.contains("can't show"), "{name:?}: {told}");
    }
    goes_on(&stage);
}

#[test]
fn a_command_that_never_ends_is_ended_at_its_time_and_what_it_wrote_is_reviewed() {
    let command = json!({"command": "echo half > a.txt; sleep 70411", "timeout_seconds": 1});
    let stage = running_with(&[command], &json!({}));
    stage.write("a.txt", "whole\n");
    stage.exec(&["go"]).exits(3);
    assert_eq!(stage.read("a.txt"), "whole\n");
    let shown = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    assert!(shown.contains("+half"), "{shown}");
    stage.arki(&["approvals", "reject"]).exits(0);
    assert_eq!(stage.read("a.txt"), "whole\n");
    assert!(stage.told().contains("took longer than 1 s"), "{}", stage.told());
    goes_on(&stage);
}

#[test]
fn a_command_that_is_killed_with_half_its_files_written_says_so_and_its_half_is_reviewed() {
    let stage = running("echo new > a.txt; printf half > b.txt; kill -9 $$; echo new > c.txt");
    stage.write("a.txt", "old\n");
    stage.exec(&["go"]).exits(3);
    let requested = payload(&stage.log(), "approval.requested");
    assert_eq!(requested["preview"]["filesAffected"], json!(["a.txt", "b.txt"]));
    assert_eq!(stage.read("a.txt"), "old\n");
    stage.arki(&["approvals", "reject"]).exits(0);
    assert!(stage.told().contains("137") || stage.told().contains("signal 9"), "{}", stage.told());
    assert!(stage.read("a.txt") == "old\n" && !stage.path("b.txt").exists());
    goes_on(&stage);
}

/// The command waits until the user has changed `flag`.
fn waiting_for_user(change: &str) -> Stage {
    let command = format!("{change}; echo begun; until grep -q go flag; do sleep 0.02; done; cat flag");
    let stage = running_with(&[json!({"command": command, "timeout_seconds": 60})], &json!({}));
    stage.write("flag", "no\n");
    stage.write("a.txt", forty());
    stage
}

fn forty() -> String {
    (1..=40).map(|n| format!("line {n}\n")).collect()
}

/// Starts the run, lets the user act when the command has written, and returns how the run ended.
fn with_user_meanwhile(stage: &Stage, approve: &str, act: impl Fn(&Stage)) -> Option<i32> {
    let mut run = stage.start(&["exec", "--approve", approve, "go"]);
    let views = stage.home.data_dir();
    run.until_kind("policy.decided");
    wait_until("what the command writes", || {
        crate::harness::files_below(&views).iter().any(|file| file.ends_with("upper/begun"))
    });
    act(stage);
    stage.write("flag", "go\n");
    let code = run.end().code;
    assert!(code == Some(0) || code == Some(3), "{code:?}");
    code
}

#[test]
fn an_arki_that_is_killed_while_a_command_writes_has_changed_nothing_and_its_run_goes_on() {
    let stage = waiting_for_user("sed -i s/line/LINE/ a.txt; touch begun");
    let mut run = stage.start(&["exec", "--approve", "all", "go"]);
    run.until_kind("policy.decided");
    let views = stage.home.data_dir();
    wait_until("what the command writes", || {
        crate::harness::files_below(&views).iter().any(|file| file.ends_with("upper/begun"))
    });
    run.signal(Signal::KILL);
    drop(run);
    assert!(stage.read("a.txt") == forty() && !stage.path("begun").exists());
    stage.arki(&["resume", "last"]).exits(0);
    assert!(stage.told().contains("Interrupted"), "{}", stage.told());
    assert!(stage.read("a.txt") == forty() && !stage.path("begun").exists());
    goes_on(&stage);
}

#[test]
fn what_the_user_writes_while_the_command_runs_is_never_lost_unseen() {
    for approve in ["edits", "all"] {
        let stage = waiting_for_user("sed -i 's/^line 5$/FIVE/' a.txt; touch begun");
        let theirs = forty().replace("line 30\n", "mine\n");
        let code = with_user_meanwhile(&stage, approve, |stage| drop(stage.write("a.txt", &theirs)));
        assert_eq!(stage.read("a.txt"), theirs, "{approve}: it wrote over the user's edit");
        assert_eq!(code, Some(3), "{approve}: it lands only after a look");
        let requested = payload(&stage.log(), "approval.requested");
        assert!(text(&requested["reason"]).contains("a.txt was changed while the command ran"), "{requested}");
        stage.arki(&["approvals", "reject"]).exits(0);
        assert_eq!(stage.read("a.txt"), theirs);
        goes_on(&stage);
    }
}

#[test]
fn a_file_that_the_user_removes_or_moves_while_the_command_runs_does_not_come_back_unseen() {
    type Act = fn(&Stage);
    let acts: [(&str, Act); 2] = [
        ("removes", |stage| std::fs::remove_file(stage.path("a.txt")).unwrap()),
        ("moves", |stage| std::fs::rename(stage.path("a.txt"), stage.path("moved.txt")).unwrap()),
    ];
    for (name, act) in acts {
        let stage = waiting_for_user("sed -i 's/^line 5$/FIVE/' a.txt; touch begun");
        let code = with_user_meanwhile(&stage, "all", act);
        assert!(!stage.path("a.txt").exists(), "{name}: it came back");
        assert!(name != "moves" || stage.read("moved.txt") == forty());
        if code == Some(3) {
            stage.arki(&["approvals", "reject"]).exits(0);
        }
        assert!(!stage.path("a.txt").exists());
        goes_on(&stage);
    }
}

#[test]
fn a_file_that_both_make_while_the_command_runs_stays_the_users() {
    let stage = waiting_for_user("echo theirs > new.txt; touch begun");
    let code = with_user_meanwhile(&stage, "all", |stage| drop(stage.write("new.txt", "mine\n")));
    assert_eq!((stage.read("new.txt"), code), ("mine\n".to_owned(), Some(3)));
    stage.arki(&["approvals", "reject"]).exits(0);
    assert_eq!(stage.read("new.txt"), "mine\n");
    goes_on(&stage);
}

#[test]
fn a_file_that_the_user_removes_or_moves_while_the_review_waits_stays_so() {
    for moved in [false, true] {
        let stage = running("sed -i 's/^line 5$/FIVE/' a.txt; echo x > b.txt");
        stage.write("a.txt", forty());
        stage.exec(&["go"]).exits(3);
        if moved {
            std::fs::rename(stage.path("a.txt"), stage.path("moved.txt")).unwrap();
        } else {
            std::fs::remove_file(stage.path("a.txt")).unwrap();
        }
        let approved = stage.arki(&["approvals", "approve", "--json"]);
        if approved.code == Some(3) {
            stage.arki(&["approvals", "approve", "--json"]).exits(0);
        }
        assert!(!stage.path("a.txt").exists(), "moved {moved}: it came back");
        assert!(!moved || stage.read("moved.txt") == forty());
        assert_eq!(stage.read("b.txt"), "x\n");
        assert!(stage.told().contains("You removed a.txt; it stays removed."), "{}", stage.told());
        goes_on(&stage);
    }
}

#[test]
fn two_commands_at_once_that_change_one_file_both_land_or_are_asked_about() {
    let calls = |n: usize| {
        let line = format!("sed -i 's/^line {n}$/BY {n}/' a.txt");
        Turn::calls().call("run_command", json!({"command": line}))
    };
    let by_prompt = Turn::computed(move |request| {
        let messages = request["messages"].as_array().unwrap();
        match messages.last().unwrap()["role"] == "tool" {
            true => Turn::text("Done."),
            false => calls(if messages.last().unwrap().to_string().contains("first") { 5 } else { 8 }),
        }
    });
    let stage = Stage::new(vec![by_prompt]);
    stage.write("a.txt", forty());
    let run = |prompt: &str| stage.exec(&[prompt]).exits(3).lines();
    std::thread::scope(|scope| {
        let first = scope.spawn(|| run("first"));
        run("second");
        first.join().unwrap();
    });
    assert_eq!(stage.read("a.txt"), forty());
    for _ in 0..4 {
        for waiting in stage.inbox() {
            stage.arki(&["approvals", "approve", &text(&waiting["approvalId"]), "--json"]);
        }
    }
    assert!(stage.inbox().is_empty());
    let now = stage.read("a.txt");
    assert_eq!(now, forty().replace("line 5\n", "BY 5\n").replace("line 8\n", "BY 8\n"));
    stage.verifies();
}

#[test]
fn two_calls_of_one_answer_that_change_one_file_are_reviewed_one_after_the_other() {
    let turn = Turn::calls()
        .call("run_command", json!({"command": "sed -i 's/^line 5$/FIVE/' a.txt"}))
        .call("run_command", json!({"command": "sed -i 's/^line 5$/OTHER/; s/^FIVE$/SIX/' a.txt"}));
    let stage = Stage::new(vec![turn, Turn::text("Done.")]);
    stage.write("a.txt", forty());
    stage.exec(&["go"]).exits(3);
    assert_eq!(stage.inbox().len(), 1);
    stage.arki(&["approvals", "approve", "--json"]).exits(3);
    assert_eq!(stage.read("a.txt"), forty().replace("line 5\n", "FIVE\n"));
    stage.arki(&["approvals", "approve", "--json"]).exits(0);
    assert_eq!(stage.read("a.txt"), forty().replace("line 5\n", "SIX\n"));
    assert_eq!(payloads(&stage.log(), "command.ended").len(), 2);
    assert!(kinds(&stage.log()).contains(&"run.completed"));
    goes_on(&stage);
}
