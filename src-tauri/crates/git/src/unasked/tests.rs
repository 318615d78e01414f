//! Compared with git itself: whatever its configurations name leaves a mark when it is run.
#![allow(clippy::disallowed_methods, reason = "compared with the program itself")]

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

/// A repository with another in it that it ignores and yet has as a gitlink, all of whose programs leave a mark.
struct Repositories(tempfile::TempDir);

impl Repositories {
    fn new() -> Self {
        let made = Self(tempfile::tempdir().unwrap());
        fs::create_dir_all(made.root().join("ignored/nested/deep")).unwrap();
        let program = made.0.path().join("mark.sh");
        fs::write(&program, "#!/bin/sh\necho \"$0 $*\" >>\"${0%/*}/marks\"\ncat\n").unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        for tree in ["ignored/nested/deep", "ignored/nested", ""] {
            made.commit(tree, &program.display().to_string());
        }
        made
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("project")
    }

    fn commit(&self, tree: &str, program: &str) {
        let tree = self.root().join(tree);
        let git = |line: &str| Self::git(&tree, line, &[]);
        git("init -q .");
        fs::write(tree.join(".gitignore"), "ignored\n").unwrap();
        fs::write(tree.join(".gitattributes"), "*.txt filter=f.\"1 diff=d merge=m\n*.bin diff=e\n").unwrap();
        fs::write(tree.join("a.txt"), "one\n").unwrap();
        fs::write(tree.join("b.bin"), "one\0\n").unwrap();
        git("add -f .");
        git("commit -qm one");
        let text = format!(
            "[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n\
             [include]\n\tpath = more # ]\n[gpg]\n\tprogram = {program}\n[log]\n\tshowSignature = true\n\
             [filter \"f.\\\"1\"]\n\tclean = {program}\n\trequired\n[diff]\n\texternal = {program}\n\
             [diff \"d\"] command = {program}\n[diff.e]\n\ttextconv = {program}\n[merge \"m\"]\n\tdriver = {program}\n"
        );
        let config = tree.join(".git/config");
        let kept = fs::read_to_string(&config).unwrap();
        fs::write(&config, format!("{kept}{text}")).unwrap();
        fs::write(tree.join(".git/more"), format!("[filter \"f.\\\"1\"]\n\tprocess = {program}\n")).unwrap();
        fs::create_dir_all(tree.join(".git/hooks")).unwrap();
        fs::copy(program, tree.join(".git/hooks/post-index-change")).unwrap();
        fs::write(tree.join("a.txt"), "two\n").unwrap();
        fs::write(tree.join("b.bin"), "two\0\n").unwrap();
    }

    fn git(tree: &Path, line: &str, environment: &[(String, String)]) -> Output {
        let own = ["user.name=n", "user.email=e", "protocol.file.allow=always"].map(|setting| ["-c", setting]);
        let mut command = Command::new("git");
        command.args(own.as_flattened()).args(line.split(' ')).current_dir(tree);
        command.envs(environment.iter().cloned()).output().unwrap()
    }

    fn marks(&self) -> String {
        let marks = self.0.path().join("marks");
        let text = fs::read_to_string(&marks).unwrap_or_default();
        let _ = fs::remove_file(marks);
        text
    }
}

const READING: &[&str] = &[
    "status --short",
    "diff",
    "diff HEAD --stat",
    "diff --cached",
    "diff --submodule=diff",
    "log -p --show-signature",
    "log --format=%G?",
    "show HEAD",
    "blame a.txt",
    "grep -n two",
    "ls-files -m",
    "describe --always --dirty",
    "hash-object a.txt",
    "submodule status",
    "stash list -p",
];

#[test]
fn git_that_reads_runs_no_program_of_any_repository() {
    let made = Repositories::new();
    let marked = |environment: &[(String, String)]| -> Vec<&str> {
        let run = |line: &&&str| {
            Repositories::git(&made.root(), line, environment);
            !made.marks().is_empty()
        };
        READING.iter().filter(run).copied().collect()
    };
    made.marks();
    assert!(marked(&[]).len() > READING.len() / 2, "else it shows nothing");
    assert_eq!(marked(&unasked_environment(&made.root()).unwrap()), Vec::<&str>::new());
}

#[test]
fn it_tells_what_git_tells() {
    let made = Repositories::new();
    let environment = unasked_environment(&made.root()).unwrap();
    let told = |line: &str| {
        let output = Repositories::git(&made.root(), line, &environment);
        assert!(output.stderr.is_empty(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(told("status --short"), " M a.txt\n M b.bin\n m ignored/nested\n");
    let diff = told("diff");
    assert!(diff.contains("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n"), "{diff}");
}

#[test]
fn what_can_not_be_told_is_an_error() {
    for text in [
        "[filter \"\u{fffd}\"]\n\tclean = x\n".to_owned(),
        "[include]\n\tpath = %(prefix)/x\n".to_owned(),
        "[include]\n\tpath = ~other/x\n".to_owned(),
        format!("# {}\n", "x".repeat(2 << 20)),
        (0..1100).map(|number| format!("[filter \"{number}\"]\n\tclean = x\n")).collect(),
    ] {
        let made = Repositories::new();
        fs::write(made.root().join("ignored/nested/deep/.git/config"), text).unwrap();
        assert_eq!(unasked_environment(&made.root()), None);
    }
}

#[test]
fn a_repository_is_found_where_the_index_can_not_be_read_too() {
    let made = Repositories::new();
    let environment = unasked_environment(&made.root()).unwrap();
    Repositories::git(&made.root(), "update-index --split-index", &environment);
    assert_eq!(gitlinks(&made.root().join(".git")), None);
    made.marks();
    Repositories::git(&made.root(), "status", &unasked_environment(&made.root()).unwrap());
    assert_eq!(made.marks(), "");
}

#[test]
fn a_bare_repository_in_the_project_is_not_used() {
    let made = Repositories::new();
    Repositories::git(&made.root(), "clone -q --bare . bare", &[]);
    let said = Repositories::git(&made.root().join("bare"), "log", &unasked_environment(&made.root()).unwrap());
    assert!(!said.status.success());
    // But the project may be one.
    let bare = made.root().join("bare");
    let said = Repositories::git(&bare, "log --oneline", &unasked_environment(&bare).unwrap());
    assert!(said.status.success());
}
