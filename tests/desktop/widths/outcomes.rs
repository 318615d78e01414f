//! What came of work: a command's changes under review, the result, its commit, and what is remembered.

use super::work::tab;
use super::{Look, Way, as_it_is};
use crate::harness::{ESCAPE, Screen, Stage, Window};
use crate::scenes::{DONE, sixty_lines};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

const EFFECTS: &str = "Tidy up";
const RESULT: &str = "Shout five and write the plan";
/// A removal asks whatever else lands by itself.
const TIDY: &str = "sed -i 's/^line 50$/LINE FIFTY/' src/app.txt && rm old.md docs/long/way/down/to/it.md && \
                    ln -s src/app.txt latest && printf '\\0\\1' > logo.bin";
const MEMORY: &str =
    "- The tests need a display; without one they say which package has it.\n- Releases are tagged by hand.\n";

fn answer(request: &Value) -> Turn {
    let asked = request.to_string();
    let is_first = !asked.contains(r#""role":"assistant""#);
    if !is_first {
        return Turn::text(DONE);
    }
    if asked.contains(EFFECTS) {
        return Turn::calls().call("run_command", json!({"command": TIDY}));
    }
    let edit = json!({"path": "src/app.txt", "edits": [{"old_text": "line 5\n", "new_text": "LINE FIVE\n"}]});
    let plan = json!({"path": "docs/plan.md", "content": "# The plan\n\nShout more.\n"});
    Turn::text("Both at once.").call("edit_file", edit).call("write_file", plan)
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut git = Command::new("git");
    let done = git.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn stage() -> Stage {
    let stage = Stage::on(Screen::Large, Script::new(vec![Turn::computed(answer)]), |_| Value::Null, &[]);
    stage.write("src/app.txt", &sixty_lines());
    stage.write("old.md", "# Old\n\nNobody reads this.\n");
    stage.write("docs/long/way/down/to/it.md", "Here it is.\n");
    stage.write(".arki/memory/project.md", MEMORY);
    let folder = stage.home.project_dir();
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["config", "user.name", "Ada"]);
    git(&folder, &["config", "user.email", "ada@example.org"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "-qm", "First"]);
    let hook = stage.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    stage.trust();
    stage.arki(&["exec", "--approve", "edits", RESULT]);
    stage.try_arki(&["exec", EFFECTS]);
    stage
}

fn opens(window: &Window<'_>, title: &str) {
    window.element("navigation", "Sessions").inside("button", title).click();
}

pub(super) fn look(way: Way) {
    let stage = stage();
    let look = Look::at(stage.open(), way);
    let window = &look.window;
    opens(window, EFFECTS);
    window.element("region", "old.md");
    look.takes("effects", tab("1"));
    opens(window, RESULT);
    window.says("2 files, +4 −1");
    look.takes("result-line", as_it_is);
    window.click("Show result");
    window.click("Show changes of src/app.txt");
    window.element("region", "src/app.txt");
    look.takes("result", tab("1"));
    window.click("Commit…");
    let dialog = window.element("dialog", "Commit changes");
    window.says("2 files on main");
    look.takes("commit", as_it_is);
    dialog.inside("button", "Commit").click();
    window.gone("dialog", "Commit changes");
    window.says("Not run: pre-commit.");
    look.takes("committed", as_it_is);
    look.runs("show memory");
    window.element("region", "Memory");
    look.takes("memory-some", as_it_is);
    window.press(&[ESCAPE]);
    window.gone("region", "Memory");
    look.all_fits();
}
