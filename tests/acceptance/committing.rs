//! An approved `git commit` commits, in whatever form a model writes it; what could have git run something is refused.
#![cfg(unix)]

use crate::harness::{Stage, payload, payloads, text};
use arki_testkit::Turn;
use serde_json::json;
use std::path::Path;
use std::process::Command;

/// Each commits once, also where nothing changed.
const FORMS: &[&str] = &[
    "git commit --allow-empty -am one 2>&1 | tail -3",
    "git commit --allow-empty -qm one || true",
    "git commit --allow-empty -m one >/dev/null 2>&1; git log --oneline | head -1",
    "git add -A && git commit --allow-empty -m 'it is one'",
    "set -e; git add -A; git commit --allow-empty -m one",
    "git status --short && git add . && git commit --allow-empty -m one && git log -1 --stat && ls",
    "git commit --allow-empty -F - <<'EOF'\nfix: costs $5\n\nit's `one`\nEOF",
    "git add -A && git commit --allow-empty -F - <<EOF 2>&1 | tail -1\none\nEOF",
    "git commit --allow-empty -m \"$(cat <<'EOF'\nfeat: \"one\"\n\n- it's `so`, $HOME (\nEOF\n)\" && git log -1 --format=%s",
    "printf 'one\\n\\ntwo\\n' | git commit --allow-empty -F -",
    "echo one | git commit --allow-empty --file=-",
    "cat <<'EOF' | git commit --allow-empty -F -\none\nEOF",
    "VAR=x git commit --allow-empty -m one",
    "HUSKY=0 SKIP=lint,test git commit --allow-empty -m one",
    "GIT_AUTHOR_NAME='A B' GIT_AUTHOR_EMAIL=a@b.org GIT_AUTHOR_DATE='2024-01-01 10:00:00 +0100' git commit --allow-empty -m one",
    "GIT_COMMITTER_DATE=2024-01-01T10:00:00Z LC_ALL=C TZ=Europe/Berlin git commit --allow-empty -m one",
    "export GIT_AUTHOR_NAME=me; git commit --allow-empty -m one",
    "env GIT_AUTHOR_NAME=me timeout 30 git commit --allow-empty -m one",
    "git -c user.name=me -c user.email=me@x.org -c commit.gpgsign=false -c core.quotePath=false commit --allow-empty -m one",
    "git --no-pager commit --allow-empty -m one; git --no-pager log -1",
    "cd sub && git commit --allow-empty -m one",
    "git -C sub commit --allow-empty -m one",
    "(cd sub && git commit --allow-empty -m one) | cat",
    "bash -c 'git commit --allow-empty -m one'",
    "git commit --allow-empty -m '♻️ one – größer 👩‍💻'",
];

/// In a repository that `prepare` has made of the project.
fn stage(lines: &[&str], prepare: impl FnOnce(&Stage)) -> Stage {
    let mut turns: Vec<Turn> =
        lines.iter().map(|line| Turn::calls().call("run_command", json!({"command": line}))).collect();
    turns.push(Turn::text("Done."));
    let stage = Stage::new(turns);
    prepare(&stage);
    stage.trust();
    stage
}

/// As the user runs it, outside any sandbox.
fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@x.org", "-c", "protocol.file.allow=always"]);
    let done = command.args(args).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

fn plain(stage: &Stage) {
    let root = stage.path("");
    git(&root, &["init", "-q", "-b", "main"]);
    git(&root, &["config", "user.name", "me"]);
    git(&root, &["config", "user.email", "me@x.org"]);
    stage.write("a", "one\n");
    std::fs::create_dir_all(stage.path("sub")).unwrap();
    git(&root, &["add", "a"]);
    git(&root, &["commit", "-qm", "first"]);
}

/// A repository beside the project, with one commit.
fn beside(stage: &Stage) -> std::path::PathBuf {
    let outside = stage.path("").parent().unwrap().join("outside");
    std::fs::create_dir_all(&outside).unwrap();
    git(&outside, &["init", "-q", "-b", "main"]);
    git(&outside, &["config", "user.name", "me"]);
    git(&outside, &["config", "user.email", "me@x.org"]);
    std::fs::write(outside.join("a"), "one\n").unwrap();
    git(&outside, &["add", "a"]);
    git(&outside, &["commit", "-qm", "first"]);
    outside
}

fn linked_worktree(stage: &Stage) {
    let (outside, project) = (beside(stage), stage.path(""));
    git(&outside, &["worktree", "add", "-q", "-b", "w", "../w"]);
    std::fs::rename(outside.join("../w/.git"), project.join(".git")).unwrap();
    git(&project, &["worktree", "repair"]);
    git(&project, &["reset", "-q", "--hard"]);
    std::fs::create_dir_all(stage.path("sub")).unwrap();
}

fn submodule(stage: &Stage) {
    let (outside, project) = (beside(stage), stage.path(""));
    let modules = outside.join(".git/modules");
    std::fs::create_dir_all(&modules).unwrap();
    git(&modules, &["clone", "-q", "--bare", outside.to_str().unwrap(), "project"]);
    let module = modules.join("project");
    for (key, value) in [
        ("core.bare", "false"),
        ("core.worktree", project.to_str().unwrap()),
        ("user.name", "me"),
        ("user.email", "me@x.org"),
    ] {
        git(&outside, &["config", "-f", module.join("config").to_str().unwrap(), key, value]);
    }
    std::fs::write(project.join(".git"), format!("gitdir: {}\n", module.display())).unwrap();
    git(&project, &["reset", "-q", "--hard"]);
    std::fs::create_dir_all(stage.path("sub")).unwrap();
}

/// With a linked worktree in `w`, and a submodule in `m`.
fn with_both(stage: &Stage) {
    plain(stage);
    git(&stage.path(""), &["worktree", "add", "-q", "-b", "w", "w"]);
    let outside = beside(stage);
    git(&stage.path(""), &["submodule", "--quiet", "add", outside.to_str().unwrap(), "m"]);
    for name in ["user.name", "user.email"] {
        git(&stage.path("m"), &["config", name, "me@x.org"]);
    }
}

fn commits(stage: &Stage) -> usize {
    git(&stage.path(""), &["rev-list", "--count", "HEAD"]).trim().parse().unwrap()
}

fn results(stage: &Stage) -> Vec<String> {
    payloads(&stage.log(), "tool.result").iter().map(|result| text(&result["result"])).collect()
}

fn every_form_commits_in(prepare: impl FnOnce(&Stage)) {
    let stage = stage(FORMS, prepare);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let results = results(&stage);
    for (line, result) in FORMS.iter().zip(&results) {
        assert!(result.starts_with("exit code 0") && !result.contains("read-only"), "{line}: {result}");
    }
    assert_eq!(commits(&stage), FORMS.len() + 1, "{results:#?}");
    let log = git(&stage.path(""), &["log", "--format=%an %aI %B"]);
    for message in [
        "fix: costs $5\n\nit's `one`",
        "feat: \"one\"\n\n- it's `so`, $HOME (",
        "one\n\ntwo",
        "A B 2024-01-01T10:00:00+01:00 one",
    ] {
        assert!(log.contains(message), "{log}");
    }
}

#[test]
fn every_form_commits() {
    every_form_commits_in(plain);
}

#[test]
fn every_form_commits_in_a_linked_worktree() {
    every_form_commits_in(linked_worktree);
}

#[test]
fn every_form_commits_in_a_submodule() {
    every_form_commits_in(submodule);
}

#[test]
fn worktrees_and_submodules_in_the_project_are_committed_to() {
    let lines =
        ["cd w && git commit --allow-empty -qm two 2>&1 | tail -3", "git -C m commit --allow-empty -qm two || true"];
    let stage = stage(&lines, with_both);
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", "all", "go"]).exits(0);
    for folder in ["w", "m"] {
        assert_eq!(git(&stage.path(folder), &["log", "--format=%s"]), "two\nfirst\n", "{:?}", results(&stage));
    }
}

#[test]
fn the_card_names_a_repository_that_lies_outside() {
    let stage = stage(&["git commit --allow-empty -qm two"], linked_worktree);
    if !stage.has_sandbox() {
        return;
    }
    let asked = payload(&stage.exec(&["go"]).exits(3).lines(), "approval.requested");
    let notes = asked["command"]["confinement"]["notes"].to_string();
    assert!(notes.contains("repository, which lies outside the project") && notes.contains("outside/.git"), "{notes}");
}

#[test]
fn what_could_not_be_written_is_named_whatever_the_exit_code() {
    let lines = [
        "true > out; git commit --allow-empty -m x 2>&1 | tail -3",
        "true > out; git commit --allow-empty -m x >/dev/null 2>&1 || true",
        "git remote add up ../up || true",
    ];
    let stage = stage(&lines, plain);
    if !stage.has_sandbox() || !stage.arki(&["doctor"]).stdout.contains("bubblewrap") {
        return;
    }
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let results = results(&stage);
    for (result, named) in results.iter().zip([".git/", ".git was read-only", ".git/config is read-only"]) {
        assert!(
            result.starts_with("exit code 0") && result.contains("read-only") && result.contains(named),
            "{result}"
        );
    }
    assert_eq!(commits(&stage), 1);
}

#[test]
fn the_user_approves_and_it_is_there() {
    let lines = ["git commit -am one 2>&1 | tail -3", "VAR=x git commit -F - --allow-empty <<'EOF'\ntwo\nEOF"];
    let stage = stage(&lines, plain);
    if !stage.has_sandbox() {
        return;
    }
    stage.write("a", "two\n");
    stage.exec(&["go"]).exits(3);
    assert_eq!(commits(&stage), 1);
    stage.arki(&["approvals", "approve"]).exits(3);
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(git(&stage.path(""), &["log", "--format=%s"]), "two\none\nfirst\n");
    assert_eq!(git(&stage.path(""), &["status", "--porcelain", "-uno"]), "");
}

#[test]
fn a_rule_for_git_covers_these_forms_too() {
    let lines = [
        "git add -A && git commit -m \"$(cat <<'EOF'\ntwo\nEOF\n)\" 2>&1 | tail -3 || true",
        "GIT_AUTHOR_NAME=me git commit --allow-empty -m three",
        "git commit --allow-empty -F - <<'EOF'\nfour\nEOF",
    ];
    let stage = stage(&lines, plain);
    if !stage.has_sandbox() {
        return;
    }
    let rule = |command| json!({"decision": "allow", "tool": "run_command", "command": ["git", command]});
    let mut config: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(stage.home.config_dir().join("config.json")).unwrap()).unwrap();
    config["policy"]["rules"] = json!([rule("add"), rule("commit")]);
    stage.write_config(&config.to_string());
    stage.write("a", "two\n");
    // The last one gets an input, which the rule doesn't allow.
    stage.exec(&["go"]).exits(3);
    assert_eq!(git(&stage.path(""), &["log", "--format=%s"]), "three\ntwo\nfirst\n");
}

#[test]
fn what_could_have_git_run_something_is_refused_with_words() {
    let refused = [
        ("git -c core.hooksPath=hooks commit --allow-empty -m x", "core.hooksPath"),
        ("git -c core.fsmonitor=./evil.sh commit --allow-empty -m x | tail -3", "core.fsmonitor"),
        ("git -c alias.x='!./evil.sh' x", "alias.x"),
        ("git -c include.path=../evil commit --allow-empty -m x || true", "include.path"),
        ("git -c gpg.program=./evil.sh commit --allow-empty -S -m x", "gpg.program"),
        ("GIT_EDITOR=./evil.sh git commit --allow-empty", "GIT_EDITOR"),
        ("git add -A && GIT_CONFIG_GLOBAL=evil git commit --allow-empty -m x", "GIT_CONFIG_GLOBAL"),
        ("GIT_DIR=../other/.git git commit --allow-empty -m x", "GIT_DIR"),
        ("LD_PRELOAD=./evil.so git commit --allow-empty -m x", "LD_PRELOAD"),
        ("git config user.name x && git commit --allow-empty -m x", "git config"),
    ];
    let stage = stage(&refused.map(|(line, _)| line), plain);
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let results = results(&stage);
    for ((line, named), result) in refused.iter().zip(&results) {
        assert!(result.contains(named) && result.contains("Run the line again"), "{line}: {result}");
    }
    assert_eq!(commits(&stage), 1);
}

/// A program that signs as gpg does, in the home's `bin`, and what the user's configuration says of it.
fn with_program(stage: &Stage, more: &str) -> std::path::PathBuf {
    plain(stage);
    let home = stage.path("").parent().unwrap().to_owned();
    let program = home.join("own/fakegpg");
    std::fs::create_dir_all(program.parent().unwrap()).unwrap();
    let script = "#!/bin/sh\ncat >/dev/null\nprintf '\\n[GNUPG:] SIG_CREATED D\\n' >&2\n\
                  printf -- '-----BEGIN PGP SIGNATURE-----\\n\\nfake-%s\\n-----END PGP SIGNATURE-----\\n' \"$3\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let config = format!("[gpg]\n\tprogram = {}\n[user]\n\tsigningKey = ABCD\n{more}", program.display());
    std::fs::write(home.join(".gitconfig"), config).unwrap();
    program
}

fn signature(stage: &Stage, commit: &str) -> String {
    let raw = git(&stage.path(""), &["cat-file", "commit", commit]);
    raw.lines().find_map(|line| line.trim().strip_prefix("fake-")).unwrap_or_default().to_owned()
}

#[test]
fn what_the_users_configuration_signs_is_signed_by_arki_and_shown_on_the_card() {
    let mut program = std::path::PathBuf::new();
    let lines = [
        "git commit --allow-empty -qm two -m 'more of it' && GIT_AUTHOR_NAME=you git commit --allow-empty -qm three 2>&1 | tail -3",
        "git commit --allow-empty --no-gpg-sign -qm four",
    ];
    let stage = stage(&lines, |stage| program = with_program(stage, "[commit]\n\tgpgSign = true\n"));
    if !stage.has_sandbox() {
        return;
    }
    let asked = payload(&stage.exec(&["go"]).exits(3).lines(), "approval.requested");
    let notes = asked["command"]["confinement"]["notes"].to_string();
    assert!(notes.contains(program.to_str().unwrap()), "{notes}");
    stage.arki(&["approvals", "approve"]).exits(3);
    let result = results(&stage).remove(0);
    assert!(result.starts_with("exit code 0") && result.contains("Arki signed the commit with"), "{result}");
    let log = git(&stage.path(""), &["log", "--format=%an %s %b"]);
    assert!(log.starts_with("you three \nme two more of it\n"), "{log}");
    assert_eq!(["HEAD", "HEAD~1", "HEAD~2"].map(|commit| signature(&stage, commit)), ["ABCD", "ABCD", ""]);
    assert_eq!(git(&stage.path(""), &["status", "--porcelain", "-uno"]), "");
    stage.arki(&["approvals", "approve"]).exits(0);
    assert_eq!(["HEAD", "HEAD~1"].map(|commit| signature(&stage, commit)), ["", "ABCD"]);
    git(&stage.path(""), &["fsck", "--strict"]);
}

#[test]
fn a_commit_that_is_asked_to_be_signed_is() {
    let lines =
        ["git commit --allow-empty -S -m 'not -S' 2>&1 | tail -3", "git commit --allow-empty -m three --gpg-sign=EF"];
    let stage = stage(&lines, |stage| drop(with_program(stage, "")));
    if !stage.has_sandbox() {
        return;
    }
    // The repository has no say in who signs.
    git(&stage.path(""), &["config", "gpg.program", "/bin/false"]);
    git(&stage.path(""), &["config", "gpg.format", "ssh"]);
    stage.trust();
    stage.exec(&["--approve", "all", "go"]).exits(0);
    assert_eq!(git(&stage.path(""), &["log", "--format=%s"]), "three\nnot -S\nfirst\n", "{:#?}", results(&stage));
    assert_eq!(["HEAD", "HEAD~1"].map(|commit| signature(&stage, commit)), ["EF", "ABCD"]);
}

#[test]
fn a_key_of_ssh_signs_too() {
    let stage = stage(&["git commit --allow-empty -m two"], |stage| {
        plain(stage);
        let home = stage.path("").parent().unwrap().to_owned();
        let program = home.join("own/keygen");
        std::fs::create_dir_all(home.join("own")).unwrap();
        // As ssh-keygen: `-Y sign -n git -f KEY FILE` writes FILE.sig.
        let script = "#!/bin/sh\nfor file; do :; done\nwhile [ \"$1\" != -f ]; do shift; done\n\
                      printf -- '-----BEGIN SSH SIGNATURE-----\\nfake-%s\\n-----END SSH SIGNATURE-----\\n' \"$2\" >\"$file.sig\"\n";
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let config = "[gpg]\n\tformat = ssh\n[gpg \"ssh\"]\n\tprogram = ~/own/keygen\n[user]\n\tsigningKey = ~/own/id\n[commit]\n\tgpgSign = true\n";
        std::fs::write(home.join(".gitconfig"), config).unwrap();
    });
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["--approve", "all", "go"]).exits(0);
    let told = results(&stage).remove(0);
    assert!(told.contains("Arki signed the commit with") && told.contains("own/keygen"), "{told}");
    assert!(signature(&stage, "HEAD").ends_with("/own/id"), "{told}");
}

#[test]
fn where_it_can_not_be_signed_the_result_says_so() {
    let lines = [
        "git commit --allow-empty -S -m two",
        "git commit --allow-empty -m three",
        "git commit --allow-empty --no-gpg-sign -m four",
    ];
    let mut program = std::path::PathBuf::new();
    let stage = stage(&lines, |stage| program = with_program(stage, "[commit]\n\tgpgSign = true\n"));
    if !stage.has_sandbox() {
        return;
    }
    std::fs::write(&program, "#!/bin/sh\necho no key here >&2\nexit 2\n").unwrap();
    let go = |stage: &Stage| stage.exec(&["--approve", "all", "go"]).exits(0);
    go(&stage);
    let told = results(&stage);
    assert!(told[0].contains("not signed") && told[0].contains("no key here"), "{told:#?}");
    assert_eq!(git(&stage.path(""), &["log", "--format=%s"]), "four\nthree\ntwo\nfirst\n");
    assert!(!told[2].contains("signed"), "{told:#?}");
}

#[test]
fn without_the_program_nothing_is_committed_and_the_error_names_it() {
    let stage = stage(&["git commit --allow-empty -m two"], |stage| {
        let program = with_program(stage, "[commit]\n\tgpgSign = true\n");
        std::fs::remove_file(program).unwrap();
    });
    if !stage.has_sandbox() {
        return;
    }
    stage.exec(&["go"]).exits(0);
    let told = results(&stage);
    assert!(told[0].contains("there is no program") && told[0].contains("own/fakegpg"), "{told:#?}");
    assert_eq!(commits(&stage), 1);
}
