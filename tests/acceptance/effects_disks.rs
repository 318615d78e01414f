//! Projects on disks that are not ordinary: full when a change lands, in memory, with other disks mounted in them.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, program};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::process::Command;

const REMEDY: &str = "allow mounts in a namespace of one's own (`unshare -m` as root, `unshare -rm` otherwise)";

fn running(command: &str) -> Stage {
    let turns = vec![Turn::calls().call("run_command", json!({"command": command})), Turn::text("Done.")];
    Stage::untrusted(Script::new(turns), &json!({}))
}

/// Runs a script with mounts of its own, in the project's folder, where `arki` is the program. Returns what it printed;
/// `None` where there can be no such mounts.
fn in_own_mounts(stage: &Stage, mounts: &str, script: &str) -> Option<String> {
    let flags = if rustix::process::geteuid().is_root() { "-m" } else { "-rm" };
    let can = Command::new("unshare").args([flags, "sh", "-c", "mount -t tmpfs tmpfs /mnt"]).output();
    if !arki_testkit::required("sandbox", can.is_ok_and(|done| done.status.success()), REMEDY) {
        return None;
    }
    let root = stage.home.project_dir();
    let text = format!(
        "set -e; shown() {{ '{}' -C '{root}' \"$@\" 2>&1; }}; arki() {{ shown \"$@\" >/dev/null || echo \"ended with $?\"; }}
        cd '{root}'; {mounts}\ncd '{root}'\n{script}",
        program().display(),
        root = root.display()
    );
    let done = Command::new("unshare").args([flags, "bash", "-c", &text]).envs(&stage.home.env).output().unwrap();
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success(), "{printed}{}", String::from_utf8_lossy(&done.stderr));
    Some(printed)
}

const TMPFS: &str = "mount -t tmpfs -o size=1m tmpfs .; cd \"$PWD\"; echo one > a.txt";

#[test]
fn a_project_in_memory_is_reviewed_as_any_other() {
    let stage = running("sed -i s/one/two/ a.txt; mkdir new; echo x > new/b.txt");
    let script = "arki trust; arki exec go; cat a.txt; arki approvals approve; cat a.txt new/b.txt; arki verify";
    let Some(printed) = in_own_mounts(&stage, TMPFS, script) else { return };
    assert_eq!(printed, "ended with 3\none\ntwo\nx\n");
}

#[test]
fn a_disk_that_is_full_when_a_change_lands_loses_nothing_and_the_session_goes_on() {
    let stage = running("echo two > a.txt; head -c 3000000 /dev/urandom > big.bin; echo x > z.txt");
    let script = "arki trust; arki exec go; shown approvals approve --json | grep -c 'Nothing landed'; cat a.txt; ls; \
        arki exec --continue more; arki verify; echo fine";
    let Some(printed) = in_own_mounts(&stage, TMPFS, script) else { return };
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.first(), Some(&"ended with 3"), "{printed}");
    assert_ne!(lines.get(1), Some(&"0"), "it isn't told: {printed}");
    assert_eq!(lines[2..], ["one", "a.txt", "fine"], "{printed}");
}

#[test]
fn where_a_disk_is_mounted_in_the_project_commands_ask_as_without_views_and_see_it() {
    let stage = running("cat sub/in.txt; echo more >> sub/in.txt; sed -i s/one/two/ a.txt");
    let mounts =
        "echo one > a.txt; mkdir -p 'sub x'; mount -t tmpfs tmpfs 'sub x'; ln -s 'sub x' sub; echo inside > sub/in.txt";
    let script = r#"arki trust; shown doctor | grep -c "can't work on a view"
        arki exec go; cat a.txt
        id=$(shown approvals list --json | sed 's/.*"approvalId":"\([^"]*\)".*/\1/')
        shown approvals show "$id" | grep -c 'disk of its own'
        arki approvals approve; cat a.txt sub/in.txt; arki verify"#;
    let Some(printed) = in_own_mounts(&stage, mounts, script) else { return };
    assert_eq!(printed, "1\nended with 3\none\n1\ntwo\ninside\nmore\n");
    let told = stage.told();
    assert!(told.contains("inside"), "{told}");
}

const MOUNTED: &str = "echo one > a.txt; echo KEY=hidden > .env; mkdir sub; mount -t tmpfs tmpfs sub";

#[test]
fn without_a_view_a_command_that_changes_nothing_runs_unasked() {
    let stage = running("python3 -c 'print(open(\"a.txt\").read() * 2)'");
    let script = "arki trust; arki exec go; arki verify; shown approvals list --json";
    let Some(printed) = in_own_mounts(&stage, MOUNTED, script) else { return };
    assert_eq!(printed.trim(), "");
    let told = stage.told();
    assert!(told.contains("one\none\n") && told.contains("the project read-only"), "{told}");
}

#[test]
fn without_a_view_a_command_that_fails_read_only_is_asked_about_with_what_it_said() {
    let write = "python3 -c 'print(1)\nopen(\"a.txt\", \"w\").write(\"two\\n\")\nprint(2)'";
    for (line, said) in [(write, "Read-only file system"), ("python3 -c 'import sys; sys.exit(\"broken\")'", "broken")]
    {
        let stage = running(line);
        let script = format!(
            "arki trust; arki exec go; cat a.txt; 
            arki resume $(shown sessions list --json | sed 's/.*\"sessionId\":\"\\([^\"]*\\)\".*/\\1/') --approve edits; cat a.txt
            shown approvals list --json >list; shown approvals show $(sed 's/.*\"approvalId\":\"\\([^\"]*\\)\".*/\\1/' list) \
            | grep -c '^[^$]*{said}'; rm list; arki approvals approve; cat a.txt; arki verify"
        );
        let Some(printed) = in_own_mounts(&stage, MOUNTED, &script) else { return };
        let last = if said == "broken" { "one" } else { "two" };
        assert_eq!(printed, format!("ended with 3\none\nended with 3\none\n1\n{last}\n"), "{line}");
        let log = format!("{:?}", stage.log());
        assert!(
            !log.contains("Arki took this line for one that only reads"),
            "the user reads words for the model: {log}"
        );
    }
}

#[test]
fn without_a_view_a_trial_opens_no_secret_file() {
    let stage = running("python3 -c 'print(open(chr(46) + \"env\").read())'");
    let script = "arki trust; arki exec go; arki approvals list";
    let Some(printed) = in_own_mounts(&stage, MOUNTED, script) else { return };
    assert_eq!(printed, "ended with 3\n");
    let log = format!("{:?}", stage.log());
    assert!(!log.contains("KEY=hidden") && log.contains("Permission denied"), "{log}");
}
