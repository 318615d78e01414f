//! Commands are shown exactly, see neither keys nor Arki's own folders, change nothing outside the project, and end
//! with their run.
#![cfg(unix)]

use crate::harness::{Done, Stage, contains, is_running, payload, payloads, pid_in, text, wait_until};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};

fn running(command: &str) -> Stage {
    of(json!({"command": command}))
}

fn of(args: Value) -> Stage {
    Stage::asking(vec![Turn::calls().call("run_command", args), Turn::text("Done.")])
}

/// Runs it with the user's approval, which holds with and without a sandbox.
fn approved(stage: &Stage) -> Done {
    let done = stage.exec(&["go"]);
    if done.code == Some(0) {
        return done;
    }
    done.exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--json"])
}

/// What the command printed, as the model was told.
fn output(stage: &Stage) -> String {
    approved(stage).exits(0);
    stage.told()
}

#[test]
fn the_approval_shows_the_exact_command_its_folder_and_its_environments_names() {
    let command = "printf '%s\\n'  \"two  spaces\" && touch made.txt";
    let stage = running(command);
    stage.exec(&["go"]).exits(3);
    assert!(!stage.path("made.txt").exists(), "it ran before the decision");
    let shown = &stage.inbox()[0]["command"];
    assert_eq!(shown["command"], command);
    let folder = stage.home.project_dir().canonicalize().unwrap();
    assert_eq!(shown["directory"], json!(folder.to_str().unwrap()));
    let names: Vec<String> = shown["environment"].as_array().unwrap().iter().map(text).collect();
    assert!(names.contains(&"PATH".to_owned()) && !names.iter().any(|name| name.contains("KEY")), "{names:?}");
    let people = stage.arki(&["approvals", "show", &stage.waiting()]).exits(0).stdout;
    assert!(people.contains(&format!("$ {command}\n")), "{people}");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(stage.path("made.txt").exists());
    assert!(stage.told().contains("exit code 0\ntwo  spaces"), "{}", stage.told());
}

#[test]
fn a_program_that_needs_a_terminal_gets_one_where_the_call_says_so() {
    let command = "python3 -c 'import sys; [print(end=f\"\\r{n} of 9\") for n in range(10)] if sys.stdout.isatty() \
        else sys.exit(4)'";
    for (terminal, told) in [(true, "exit code 0\n9 of 9\n"), (false, "exit code 4\n")] {
        let stage = of(json!({"command": command, "terminal": terminal}));
        assert_eq!(output(&stage), told);
        assert_eq!(stage.inbox().len(), 0);
        stage.verifies();
    }
}

#[test]
fn the_model_gets_coloured_output_as_plain_text_and_the_colours_are_stored_beside_it() {
    let command = r"printf 'the \033[31mre\033[1md\033[0m \033]0;title\007word\n'";
    for terminal in [true, false] {
        let stage = of(json!({"command": command, "terminal": terminal}));
        assert_eq!(output(&stage), "exit code 0\nthe red word\n");
        let events = stage.log();
        let result = payload(&events, "tool.result");
        assert_eq!(result["result"], "exit code 0\nthe red word\n");
        assert_eq!(result["styles"], json!([[16, 18, "31"], [18, 19, "1;31"]]));
        let found = stage.arki(&["sessions", "search", "red word", "--json"]).exits(0).stdout;
        assert!(found.contains("tool.result"), "{found}");
        stage.verifies();
    }
}

#[test]
fn a_note_to_an_approved_command_reaches_the_model() {
    let stage = running("touch made.txt");
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--note", "only this once"]).exits(0);
    assert!(stage.told().ends_with("The user's note: only this once"), "{}", stage.told());
}

#[test]
fn a_rejected_command_does_not_run() {
    let stage = running("touch made.txt");
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "reject", &stage.waiting(), "--note", "not needed"]).exits(0);
    assert!(!stage.path("made.txt").exists());
    assert!(stage.told().contains("not needed"));
}

#[test]
fn the_users_own_command_runs_in_place_of_the_models() {
    let stage = running("touch theirs.txt");
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--command", "touch mine.txt"]).exits(0);
    assert!(stage.path("mine.txt").exists() && !stage.path("theirs.txt").exists());
    assert!(stage.told().starts_with("The user ran another command instead: touch mine.txt\nexit code 0"));
    let log = stage.log();
    assert_eq!(payload(&log, "approval.resolved")["command"], "touch mine.txt");
    assert_eq!(payload(&log, "tool.call")["args"]["command"], "touch theirs.txt");
    stage.verifies();
}

#[test]
fn what_is_denied_stays_denied_for_a_command_of_the_users_own() {
    let stage = Stage::configured(
        Script::new(vec![Turn::calls().call("run_command", json!({"command": "touch a.txt"})), Turn::text("Done.")]),
        &json!({"policy": {"categories": {"exec": "approval"},
            "rules": [{"decision": "deny", "tool": "run_command", "command": ["rm"]}]}}),
    );
    stage.write("kept.txt", "kept");
    stage.exec(&["go"]).exits(3);
    stage.arki(&["approvals", "approve", &stage.waiting(), "--command", "rm kept.txt"]).exits(0);
    assert!(stage.path("kept.txt").exists());
    assert!(stage.told().contains("Denied"), "{}", stage.told());
}

#[test]
fn no_other_command_takes_the_place_of_nothing_or_of_a_change() {
    let stage = running("touch a.txt");
    stage.exec(&["go"]).exits(3);
    let refused = stage.arki(&["approvals", "approve", &stage.waiting(), "--command", " "]).exits(2);
    assert!(refused.stderr.contains("error[USAGE]"), "{}", refused.stderr);
    assert_eq!(stage.inbox().len(), 1, "a wrong use must not spend the approval");
    let change = Stage::new(vec![Turn::calls().call("write_file", json!({"path": "a.txt", "content": "a"}))]);
    change.exec(&["go"]).exits(3);
    change.arki(&["approvals", "approve", &change.waiting(), "--command", "ls"]).exits(2);
    assert_eq!(change.inbox().len(), 1);
}

#[test]
fn an_approval_holds_only_for_the_environment_that_was_shown() {
    let mut stage = running("touch made.txt");
    stage.exec(&["go"]).exits(3);
    stage.home.env.insert("LC_TIME".to_owned(), "C".to_owned());
    stage.home.env.insert("XDG_CONFIG_HOME".to_owned(), "/nowhere".to_owned());
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(3);
    assert!(!stage.path("made.txt").exists());
    stage.home.env.remove("LC_TIME");
    stage.arki(&["approvals", "approve", &stage.waiting()]).exits(0);
    assert!(stage.path("made.txt").exists());
}

#[test]
fn no_variable_that_could_be_a_secret_reaches_a_command() {
    let mut stage = running("env | tee env.txt");
    for name in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "DB_PASSWORD", "SOME_RANDOM_NAME"] {
        stage.home.env.insert(name.to_owned(), "visible-value-1234".to_owned());
    }
    output(&stage);
    let environment = stage.read("env.txt");
    for line in environment.lines() {
        let name = line.split('=').next().unwrap().to_uppercase();
        for secret in ["KEY", "TOKEN", "SECRET", "PASSWORD"] {
            assert!(!name.contains(secret), "{line}");
        }
        assert!(!line.contains("visible-value-1234"), "{line}");
    }
    assert!(environment.contains("ARKI_TOOL=1\n") && environment.contains("\nPATH="), "{environment}");
    assert!(!stage.has_key_on_disk());
}

#[test]
fn the_environment_of_arki_itself_cannot_be_read_from_a_command() {
    let mut stage = running("for p in /proc/[0-9]*; do cat $p/environ; done > leak.txt 2>/dev/null; true");
    let key = "sk-only-in-this-test-5e6f7a8b9c0d";
    stage.home.env.insert("MOCK_KEY".to_owned(), key.to_owned());
    output(&stage);
    assert!(!contains(&std::fs::read(stage.path("leak.txt")).unwrap(), key.as_bytes()));
}

/// All commands in one turn, with everything granted; their results in order.
fn results(stage: &Stage) -> Vec<String> {
    let events = stage.exec(&["--approve", "all", "go"]).exits(0).lines();
    payloads(&events, "tool.result").iter().map(|result| text(&result["result"])).collect()
}

fn running_all(commands: &[&str]) -> Stage {
    let calls = commands.iter().fold(Turn::calls(), |turn, line| turn.call("run_command", json!({"command": line})));
    Stage::new(vec![calls, Turn::text("Done.")])
}

#[test]
fn arkis_own_folders_are_invisible_to_a_command() {
    let commands = [
        "cat ../config/config.json",
        "cat ../data/private.txt",
        "cat \"$(cd .. && pwd)/data/private.txt\"",
        "ls ../data | grep .",
        "ls ../config | grep .",
        "ln -s \"$PWD/../data\" link; cat link/private.txt; code=$?; rm link; exit $code",
        "cp -r ../data copy && ls copy | grep .",
        "echo x > ../data/planted.txt",
        "rm ../data/arki.db",
        "mv ../data moved",
        "mount --bind ../data . && cat private.txt",
    ];
    let stage = running_all(&commands);
    if !stage.has_sandbox() {
        return;
    }
    let data = stage.home.data_dir();
    std::fs::write(data.join("private.txt"), "private-content").unwrap();
    for (command, told) in commands.iter().zip(results(&stage)) {
        assert!(!told.contains("exit code 0"), "{command}: {told}");
        for hidden in ["private-content", "arki.db-", "apiKeyEnv"] {
            assert!(!told.contains(hidden), "{command}: {told}");
        }
    }
    assert!(data.join("arki.db").exists() && !data.join("planted.txt").exists());
    assert!(!stage.path("copy/private.txt").exists() && !stage.path("moved/private.txt").exists());
}

#[test]
fn a_command_changes_nothing_outside_the_project() {
    let outside = tempfile::tempdir().unwrap();
    let file = outside.path().join("file.txt");
    std::fs::write(&file, "untouched").unwrap();
    let (folder, path) = (outside.path().display().to_string(), file.display().to_string());
    let commands = [
        format!("echo x > {path}"),
        format!("rm {path}"),
        format!("touch {folder}/new.txt"),
        format!("mv {path} moved.txt"),
        format!("ln -s {folder} way; echo x > way/file.txt; code=$?; rm way; exit $code"),
        format!("ln {path} hard.txt && echo x >> hard.txt"),
        "touch ../beside.txt".to_owned(),
        "rmdir ../data/none || mkdir ../beside.txt".to_owned(),
    ];
    let stage = running_all(&commands.each_ref().map(String::as_str));
    if !stage.has_sandbox() {
        return;
    }
    for (command, told) in commands.iter().zip(results(&stage)) {
        assert!(!told.contains("exit code 0"), "{command}: {told}");
    }
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "untouched");
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    assert!(!stage.home.data_dir().with_file_name("beside.txt").exists());
}

#[test]
fn a_command_works_in_the_project_and_has_a_temporary_folder_that_goes_away() {
    let stage = running("pwd > where.txt && mktemp > temp.txt && mkdir sub && echo built > sub/out.txt");
    output(&stage);
    assert_eq!(stage.read("where.txt").trim(), stage.home.project_dir().canonicalize().unwrap().to_str().unwrap());
    assert_eq!(stage.read("sub/out.txt"), "built\n");
    let temporary = std::path::PathBuf::from(stage.read("temp.txt").trim().to_owned());
    assert!(temporary.is_absolute() && !temporary.parent().unwrap().exists(), "{}", temporary.display());
}

#[test]
fn a_time_limit_ends_the_command_with_all_its_children() {
    let stage = of(json!({"command": "sleep 300 & echo $! > child.pid; echo before; sleep 300", "timeout_seconds": 1}));
    let told = output(&stage);
    assert!(told.contains("longer than 1 s") && told.contains("before"), "{told}");
    assert_eq!(payload(&stage.log(), "tool.result")["code"], "TOOL_TIMEOUT");
    let pid = pid_in(&stage.path("child.pid"));
    wait_until("the end of the child", || !is_running(pid));
}

#[test]
fn a_command_in_the_background_does_not_outlive_its_run() {
    for command in ["sleep 300 & echo $! > child.pid", "nohup sh -c 'sleep 300' > /dev/null 2>&1 & echo $! > child.pid"]
    {
        let stage = running(command);
        output(&stage);
        let pid = pid_in(&stage.path("child.pid"));
        wait_until(&format!("the end of {command}"), || !is_running(pid));
    }
}

#[test]
fn exit_codes_and_both_outputs_are_told() {
    let stage = running("echo out; echo err >&2; exit 7");
    let told = output(&stage);
    assert!(told.starts_with("exit code 7\n") && told.contains("out\n") && told.contains("err\n"), "{told}");
    assert_eq!(payload(&stage.log(), "tool.result")["isError"], json!(true));
    let stage = running("no-such-program-anywhere");
    assert!(output(&stage).starts_with("exit code 127\n"));
}

#[test]
fn endless_output_is_cut_to_its_limit_head_and_tail_kept() {
    let script = Script::new(vec![
        Turn::calls().call("run_command", json!({"command": "echo first; yes | head -c 3000000; echo last"})),
        Turn::text("Done."),
    ]);
    let stage = Stage::configured(script, &json!({"limits": {"maxToolOutputBytes": 4096}}));
    let told = output(&stage);
    assert!(told.len() < 4096 + 300, "{} bytes", told.len());
    assert!(told.contains("first") && told.contains("\nlast\n\n[all 3000023 bytes are stored as artifact:"), "{told}");
    assert_eq!(payload(&stage.log(), "tool.result")["truncated"], json!(true));
}

#[test]
fn output_that_is_no_text_does_no_harm() {
    let stage = running("printf 'a\\377\\000b\\033[31mred\\n'");
    assert!(output(&stage).contains('b'));
    stage.verifies();
}

#[test]
fn a_command_that_reads_gets_the_end_of_input_at_once() {
    let stage = running("cat; echo read");
    assert!(output(&stage).contains("exit code 0\nread"));
}

/// Under limits that are soon reached.
fn limited(command: &str) -> Stage {
    let call = Turn::calls().call("run_command", json!({"command": command}));
    let limits = json!({"maxCommandProcesses": 40, "maxCommandMemoryMegabytes": 200, "maxCommandOutputMegabytes": 8});
    Stage::configured(Script::new(vec![call, Turn::text("Done.")]), &json!({"limits": limits}))
}

#[test]
fn what_takes_more_than_a_command_may_is_ended_and_the_run_goes_on() {
    for (command, why) in [
        // It doubles for as long as the file is there, and not so fast that a slow machine is overrun first.
        (
            "touch go; f() { [ -e go ] && { sleep 0.05; f & f & }; sleep 60; }; (sleep 20; rm -f go) & f",
            "had more than 40 processes",
        ),
        (
            "python3 -c \"x = bytearray(b'x') * (400 << 20); import time; time.sleep(60)\"",
            "took more than 200 MiB of memory",
        ),
        ("yes", "wrote more than 8 MiB"),
    ] {
        let stage = limited(command);
        let told = output(&stage);
        assert!(told.starts_with(&format!("ended: it {why}")), "{command}: {told}");
        let result = payload(&stage.log(), "tool.result");
        assert_eq!((&result["isError"], &result["code"]), (&json!(true), &json!("COMMAND_OVER_LIMIT")), "{command}");
        let response = text(&payload(&stage.log(), "run.completed")["response"]);
        assert_eq!(response.trim_end(), "Done.", "{command}");
        stage.verifies();
    }
}

#[test]
fn what_a_command_may_take_is_said_by_the_doctor() {
    let checks = limited("true").arki(&["doctor", "--json"]).lines();
    let check = checks.iter().find(|check| check["name"] == "commands").unwrap();
    assert_eq!(check["detail"], "40 processes, 200.0 MiB of memory and 8.0 MiB of output each");
}
