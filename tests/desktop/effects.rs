//! The changes of a command in its view: seen while it runs, and reviewed when it has ended.

use crate::accessibility::no_barrier;
use crate::harness::{Stage, program, wait_until};
use crate::scenes::{DONE, run_and_say, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

#[test]
fn every_kind_of_change_of_a_command_is_shown_in_words_and_decided_alone() {
    const COMMAND: &str = "sed -i 's/^line 5$/LINE FIVE/' src/app.txt && rm old.md && mkdir -p docs && \
                           mv notes/plan.md docs/plan.md && chmod +x build.sh && ln -s src/app.txt latest && \
                           printf '\\0\\1\\2' > logo.bin && printf '\\0\\2' > icon.bin";
    let stage = Stage::trusted(run_and_say(COMMAND));
    stage.write("old.md", "# Old\n\nNobody reads this.\n");
    stage.write("notes/plan.md", &sixty_lines());
    stage.write("notes/other.md", "stays\n");
    stage.write("build.sh", "#!/bin/sh\necho built\n");
    stage.write("icon.bin", "\0\u{1}");
    let window = stage.open();
    window.ask("Tidy up");
    for path in ["build.sh", "docs/plan.md", "icon.bin", "latest", "logo.bin", "old.md", "src/app.txt"] {
        window.element("region", path);
    }
    window.pictures("command-effects-kinds");
    let changes = window.element("tabpanel", "Changes");
    let said = changes.text();
    for words in ["Mode changed from 100644 to 100755.", "Binary file", "Symbolic link.", "notes/plan.md", "deleted"] {
        assert!(said.contains(words), "{words} is missing in {said}");
    }
    window.element("region", "src/app.txt").ask("arguments[0].scrollIntoView({ block: 'end' })");
    window.pictures("command-effects-kinds-end");
    // Here no control is half below what stands at the foot, which counts as too small.
    no_barrier(&window, "the review of every kind of change");
    window.element("list", "Files in this change").inside("button", "old.md").click();
    window.press(&["r"]);
    window.click("Accept all");
    window.says(DONE);
    let project = stage.home.project_dir();
    assert!(project.join("old.md").exists(), "its removal was rejected");
    assert!(project.join("docs/plan.md").exists() && !project.join("notes/plan.md").exists());
    assert_eq!(project.join("build.sh").metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert_eq!(std::fs::read_link(project.join("latest")).unwrap().to_str(), Some("src/app.txt"));
    assert_eq!(std::fs::read(project.join("logo.bin")).unwrap(), [0, 1, 2]);
    assert!(stage.read("src/app.txt").contains("LINE FIVE\n"));
    window.pictures("command-effects-landed");
}

#[test]
fn the_card_of_a_running_command_lists_what_it_has_changed_so_far() {
    // Goes on when the test says so; what the user makes is seen in the view.
    const COMMAND: &str = "for n in 1 2 3 4 5 6 7; do echo $n > src/made$n.txt; done; rm old.md; echo begun; \
                           while [ ! -e go ]; do sleep 0.05; done; echo ended";
    let stage = Stage::trusted(run_and_say(COMMAND));
    stage.write("old.md", "# Old\n");
    let window = stage.open();
    window.ask("Make files");
    wait_until("the files so far", || window.transcript().contains("8 files changed so far"));
    let said = window.transcript();
    assert!(said.contains("src/made1.txt") && said.contains("… 3 more files"), "{said}");
    assert!(!stage.home.project_dir().join("src/made1.txt").exists(), "it landed while the command ran");
    window.pictures("command-changes-so-far");
    no_barrier(&window, "a running command with its changes");
    stage.write("go", "");
    window.element("region", "old.md");
    window.click("Reject all");
    window.says(DONE);
    assert!(stage.home.project_dir().join("old.md").exists());
}

#[test]
fn the_question_about_hosts_names_them_and_what_a_command_can_send_there() {
    let call = json!({"command": "npm ci", "hosts": ["registry.npmjs.org", "codeload.github.com"]});
    let stage = Stage::trusted(Script::new(vec![Turn::calls().call("run_command", call), Turn::text(DONE)]));
    stage.write("package.json", "{}\n");
    let window = stage.open();
    window.ask("Install");
    window.element("button", "Approve");
    let asked = window.element("tabpanel", "Changes").text();
    assert!(asked.contains("Can send anything it can read to codeload.github.com, registry.npmjs.org."), "{asked}");
    window.pictures("command-hosts");
    no_barrier(&window, "a command that asks for hosts");
    window.click("Reject");
    window.says(DONE);
}

#[test]
fn the_question_about_a_command_on_the_project_itself_says_that_its_changes_are_not_reviewed() {
    let call = json!({"command": "make watch", "on_project": true});
    let stage = Stage::trusted(Script::new(vec![Turn::calls().call("run_command", call), Turn::text(DONE)]));
    let window = stage.open();
    window.ask("Watch");
    window.element("button", "Approve");
    window.pictures("command-on-project");
    no_barrier(&window, "a command on the project itself");
    window.click("Reject");
    window.says(DONE);
}

const MOUNTS: &str = "allow mounts in a namespace of one's own (`unshare -m` as root, `unshare -mU` otherwise)";

/// Starts the app where a disk is mounted in the project, so that no command can work in a view of it. `None` where there
/// can be no such mounts.
fn app_without_views(stage: &Stage) -> Option<PathBuf> {
    let flags: &[&str] = match rustix::process::geteuid().is_root() {
        true => &["-m"],
        false => &["-m", "--map-current-user", "--keep-caps"],
    };
    let can = Command::new("unshare").args(flags).args(["sh", "-c", "mount -t tmpfs tmpfs /mnt"]).output();
    if !arki_testkit::required("sandbox", can.is_ok_and(|done| done.status.success()), MOUNTS) {
        return None;
    }
    let script = format!(
        "#!/bin/sh\nexec unshare {} sh -c 'mount -t tmpfs tmpfs \"$1/disk\" && exec \"$0\" \"$1\"' '{}' '{}'\n",
        flags.join(" "),
        program("ARKI_DESKTOP_BIN", "arki-desktop").display(),
        stage.home.project_dir().display()
    );
    let app = stage.home.data_dir().parent().unwrap().join("app");
    std::fs::write(&app, script).unwrap();
    std::fs::set_permissions(&app, std::fs::Permissions::from_mode(0o755)).unwrap();
    Some(app)
}

#[test]
fn without_a_view_the_question_shows_how_the_command_ended_with_the_project_read_only() {
    const LINE: &str = "python3 -c 'print(\"Writing app.txt\"); open(\"src/app.txt\", \"a\").write(\"more\\n\")'";
    let stage = Stage::trusted(run_and_say(LINE));
    std::fs::create_dir(stage.home.project_dir().join("disk")).unwrap();
    let Some(app) = app_without_views(&stage) else { return };
    let window = stage.open_program(&app);
    window.ask("Add a line");
    window.element("button", "Approve");
    let asked = window.element("tabpanel", "Changes").text();
    for words in ["With the project read-only it failed: exit code 1.", "Writing app.txt", "Read-only file system"] {
        assert!(asked.contains(words), "{words} is missing in {asked}");
    }
    window.pictures("command-tried");
    no_barrier(&window, "a command that was tried");
    window.click("Approve");
    window.says(DONE);
    assert!(stage.read("src/app.txt").ends_with("line 60\nmore\n"));
}
