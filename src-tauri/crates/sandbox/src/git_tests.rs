//! Git's own commands work in each sandbox, and nothing stays that would make git run something outside it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use super::super::leavings::{Before, Held, Reached, Settling};
use super::super::put_back::RestoreMoment;
use super::super::{GitAccess, Sandbox, sensitive};
use super::{World, layers};
use arki_process::{CommandLimits, CommandOutcome, Meanwhile, PipedSpec, run, start_piped};

impl World {
    /// Outside any sandbox.
    pub(super) fn git(&self, line: &str) {
        let mut command = Command::new("git");
        command.args(line.split(' ')).current_dir(self.path("project")).env_clear().envs(self.environment());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }

    pub(super) fn with_repository() -> Self {
        let world = Self::new();
        fs::write(world.path("home/.gitconfig"), "[user]\n\tname = me\n\temail = me@example.org\n").unwrap();
        world.git("init -q -b main .");
        fs::write(world.path("project/file"), "one\n").unwrap();
        world.git("add file");
        world.git("commit -q -m first");
        world.git("tag -a v1 -m v1");
        world
    }

    /// A new world for each sandbox that works here.
    fn in_each(access: GitAccess, check: impl Fn(&Self, &dyn Fn(&str) -> CommandOutcome)) {
        for number in 0..layers(&Self::new().spec()).len() {
            let world = Self::with_repository();
            let sandbox = layers(&world.spec()).remove(number).with_git(access);
            println!("{}", sandbox.name());
            check(&world, &|line| world.run_in(&sandbox, line));
        }
    }

    fn trashed(&self) -> Vec<String> {
        let kept = fs::read_dir(self.path("trash")).into_iter().flatten().flatten();
        let files = kept.flat_map(|folder| fs::read_dir(folder.path()).unwrap().flatten());
        files.map(|file| file.file_name().into_string().unwrap()).collect()
    }
}

fn succeeds(run: &dyn Fn(&str) -> CommandOutcome, line: &str) -> String {
    let outcome = run(line);
    assert_eq!(outcome.exit_code, Some(0), "{line}: {}", outcome.output);
    assert!(
        !outcome.output.contains("outside the sandbox") && !outcome.output.contains("restored"),
        "{}",
        outcome.output
    );
    outcome.output
}

#[test]
fn git_adds_commits_and_switches() {
    World::in_each(GitAccess::Writable, |world, run| {
        succeeds(run, "echo two >>file && git add -A && git commit -q -m second && git tag v2");
        succeeds(run, "git switch -q -c side && git commit -q --allow-empty -m third && git switch -q main");
        succeeds(run, "git merge -q side && git stash && git log --oneline | grep -q third");
        world.git("fsck");
        assert_eq!(world.trashed(), [""; 0]);
    });
}

#[test]
fn what_git_makes_is_left_alone() {
    World::in_each(GitAccess::Writable, |world, run| {
        world.git("init -q ../outside/up");
        world.git("-C ../outside/up commit -q --allow-empty -m x");
        succeeds(
            run,
            "git init -q new && git init -q --bare bare.git && git clone -q ../outside/up copy && git clone -q . own",
        );
        succeeds(run, "git worktree add -q tree && git -C tree commit -q --allow-empty -m x");
        succeeds(run, "git -C copy commit -q --allow-empty -m y");
        for config in ["new/.git/config", "bare.git/config", "copy/.git/config", "own/.git/config"] {
            assert!(world.path("project").join(config).exists(), "{config}");
        }
        assert!(world.path("project/.git/worktrees/tree/commondir").exists());
        world.git("-C tree log -1");
        assert_eq!(world.trashed(), [""; 0]);
    });
}

#[test]
fn scripts_read_a_repository_and_make_their_own() {
    World::in_each(GitAccess::ReadOnly, |world, run| {
        assert_eq!(succeeds(run, "touch file; git describe && git rev-parse --abbrev-ref HEAD"), "v1\nmain\n");
        succeeds(run, "echo two >>file && git status --short | grep -q file && git diff --stat && git log -1");
        succeeds(
            run,
            "mkdir -p build && cd build && git init -q . && git commit -q --allow-empty -m x && cd .. && rm -r build",
        );
        assert_eq!(world.trashed(), [""; 0]);
    });
}

#[test]
fn a_script_does_not_write_a_repository_that_is_there() {
    let world = World::with_repository();
    let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
    let outcome = world.run_in(&sandbox, "echo two >>file; sh -c 'git add file'");
    assert_ne!(outcome.exit_code, Some(0));
    let told = "[.git/index.lock is read-only here. Only git's own commands";
    assert!(outcome.output.contains(told), "{}", outcome.output);
    let outcome = world.run_in(&sandbox, "sh -c 'git add file' 2>&1 | tail -3");
    assert!(outcome.exit_code == Some(0) && outcome.output.contains(told), "{}", outcome.output);
}

#[test]
fn what_git_itself_may_not_write_is_named() {
    let world = World::with_repository();
    let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
    let outcome =
        world.run_in(&sandbox.with_git(GitAccess::Writable), "git config a.b c; git remote add x ../y || true");
    assert_eq!(outcome.exit_code, Some(0));
    assert!(outcome.output.contains("[.git/config is read-only here. Git's configuration"), "{}", outcome.output);
}

#[test]
fn hooks_that_lie_elsewhere_are_only_written_by_what_was_agreed_to() {
    for number in 0..layers(&World::new().spec()).len() {
        let world = World::with_repository();
        world.git("config core.hooksPath .husky/_");
        fs::create_dir_all(world.path("project/.husky/_")).unwrap();
        let hook = world.path("project/.husky/pre-commit");
        fs::write(&hook, "mine").unwrap();
        let unasked = layers(&world.spec()).remove(number);
        for line in [
            "echo evil >.husky/pre-commit",
            "rm -rf .husky",
            "mv .husky away; mkdir -p .husky; echo evil >.husky/pre-commit",
            "touch .husky/_/pre-push",
            "chmod 777 .husky/pre-commit",
        ] {
            world.run_in(&unasked, line);
            assert_eq!(fs::read_to_string(&hook).unwrap(), "mine", "{}: {line}", unasked.name());
            assert!(!world.path("project/.husky/_/pre-push").exists(), "{}: {line}", unasked.name());
        }
        let mode = hook.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0, "{}", unasked.name());
        let said = world.run_in(&unasked.with_writable_hooks(), "echo npm >.husky/_/pre-push").output;
        assert!(said.contains("Git runs .husky/_/pre-push as hooks, and they changed"), "{said}");
        assert_eq!(fs::read_to_string(world.path("project/.husky/_/pre-push")).unwrap(), "npm\n");
    }
}

#[test]
fn a_folder_of_hooks_that_is_not_there_does_not_come_unasked() {
    for number in 0..layers(&World::new().spec()).len() {
        let world = World::with_repository();
        world.git("config core.hooksPath tools/hooks");
        let unasked = layers(&world.spec()).remove(number);
        let said = world.run_in(&unasked, "mkdir -p tools/hooks && echo evil >tools/hooks/pre-commit").output;
        assert!(said.contains("Commands may not change tools/hooks"), "{said}");
        assert!(!world.path("project/tools/hooks").exists());
        world.run_in(&unasked.with_writable_hooks(), "mkdir -p tools/hooks && echo mine >tools/hooks/pre-commit");
        assert!(world.path("project/tools/hooks/pre-commit").exists());
    }
}

#[test]
fn what_is_taken_away_is_kept_and_told() {
    for access in [GitAccess::ReadOnly, GitAccess::Writable] {
        World::in_each(access, |world, run| {
            let said = run("git init -q new && printf '[core]\\n\\tfsmonitor = evil\\n' >>new/.git/config").output;
            assert!(said.contains("new/.git/config could make git run a program"), "{said}");
            assert!(said.contains(world.path("trash").to_str().unwrap()), "{said}");
            assert_eq!(world.trashed(), ["config"]);
            assert!(!world.path("project/new/.git/config").exists() && world.path("project/new/.git/HEAD").exists());
        });
    }
}

#[test]
fn where_nothing_is_kept_it_is_removed() {
    let world = World::with_repository();
    fs::write(world.path("trash"), "in the way").unwrap();
    for (number, sandbox) in layers(&world.spec()).into_iter().enumerate() {
        let hook = format!("new-{number}/.git/hooks/pre-push");
        let said = world.run_in(&sandbox, &format!("git init -q new-{number} && echo x >{hook}")).output;
        assert!(said.contains(&format!("{hook} could make git run a program")) && said.contains("removed"), "{said}");
        assert!(!world.path("project").join(hook).exists());
    }
}

#[test]
fn what_a_program_at_pipes_leaves_behind_is_taken_away_too() {
    for number in 0..layers(&World::new().spec()).len() {
        let world = World::with_repository();
        let sandbox = &layers(&world.spec())[number];
        let script = "git init -q new; echo x >new/.git/hooks/pre-push; echo evil >>.git/config";
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ended = runtime.block_on(async {
            let spec = PipedSpec {
                name: "a server".to_owned(),
                program: "sh".to_owned(),
                arguments: vec!["-c".to_owned(), script.to_owned()],
                directory: world.path("project"),
                environment: world.environment(),
                sandbox: Some(sandbox),
                limits: CommandLimits::default(),
                meanwhile: Meanwhile::new(|_| {}),
            };
            let mut piped = start_piped(spec).await.unwrap();
            let mut said = Vec::new();
            tokio::io::AsyncReadExt::read_to_end(&mut piped.stdout, &mut said).await.unwrap();
            piped.process.stop().await
        });
        assert!(ended.exit_code.is_some(), "{}", sandbox.name());
        assert_eq!(world.trashed(), ["pre-push"], "{}", sandbox.name());
        assert!(!fs::read_to_string(world.path("project/.git/config")).unwrap().contains("evil"));
    }
}

#[test]
fn a_new_way_to_a_git_directory_that_was_prepared_is_taken_away() {
    World::in_each(GitAccess::ReadOnly, |world, run| {
        for folder in ["g/objects", "g/refs", "harmless/objects", "harmless/refs"] {
            fs::create_dir_all(world.path("project").join(folder)).unwrap();
        }
        for (file, text) in
            [("g/HEAD", "ref: x"), ("harmless/HEAD", "ref: x"), ("g/config", "[core]\n\tfsmonitor = evil\n")]
        {
            fs::write(world.path("project").join(file), text).unwrap();
        }
        let lines = "mkdir a b c; echo 'gitdir: ../g' >a/.git; ln -s ../g b/.git; echo 'gitdir: ../harmless' >c/.git";
        let said = run(lines).output;
        assert!(said.contains("a/.git could make git") && said.contains("b/.git could make git"), "{said}");
        assert!(world.path("project/g/config").exists() && world.path("project/c/.git").exists());
        assert!(world.path("project/a/.git").symlink_metadata().is_err());
        assert!(world.path("project/b/.git").symlink_metadata().is_err());
    });
}

#[test]
fn what_gits_configuration_includes_is_configuration() {
    for access in [GitAccess::ReadOnly, GitAccess::Writable] {
        World::in_each(access, |world, run| {
            let config = world.path("project/.git/config");
            let includes = "[include]\n\tpath = ../.gitconfig\n[includeIf \"gitdir:/\"]\n\tpath = ../to/come\n";
            fs::write(&config, fs::read_to_string(&config).unwrap() + includes).unwrap();
            fs::write(world.path("project/.gitconfig"), "[include]\n\tpath = more\n").unwrap();
            fs::write(world.path("project/more"), "").unwrap();
            for file in [".gitconfig", "more", "to/come"] {
                run(&format!("mkdir -p to; printf '[core]\\n\\tfsmonitor = evil\\n' >>{file}"));
                let text = fs::read_to_string(world.path("project").join(file)).unwrap_or_default();
                assert!(!text.contains("evil"), "{file}");
            }
        });
    }
}

#[test]
fn what_one_command_has_just_made_another_takes_for_new() {
    for number in 0..layers(&World::new().spec()).len() {
        let world = World::with_repository();
        let sandbox = &layers(&world.spec())[number];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let line = |line: &str| world.spec_of(Some(sandbox), line);
        let cancel = tokio_util::sync::CancellationToken::new;
        let evil = "git init -q new; for config in new/.git/config .git/config; do echo evil >>$config; done";
        let wait = |name: &str| format!("while [ ! -e {name} ]; do sleep 0.01; done");
        let first = format!("{evil}; touch made; {}", wait("over"));
        let second = format!("touch over; {}", wait("first-has-ended"));
        runtime.block_on(async {
            let first = async {
                run(line(&first), |_| {}, cancel()).await.unwrap();
                fs::write(world.path("project/first-has-ended"), "").unwrap();
            };
            let second = async {
                while !world.path("project/made").exists() {
                    tokio::task::yield_now().await;
                }
                run(line(&second), |_| {}, cancel()).await.unwrap();
            };
            tokio::join!(first, second);
        });
        assert!(!fs::read_to_string(world.path("project/.git/config")).unwrap().contains("evil"));
        assert!(!world.path("project/new/.git/config").exists());
    }
}

/// By a hook, which a line of git's own runs.
#[test]
fn attributes_and_a_rebase_with_programs_to_run_are_not_left_behind() {
    World::in_each(GitAccess::Writable, |world, run| {
        let hook = "#!/bin/sh\nmkdir -p .git/rebase-merge .git/info\necho 'exec ./evil' >.git/rebase-merge/git-rebase-todo\n\
                    echo '* filter=evil' >.git/info/attributes\n";
        fs::create_dir(world.path("project/husky")).unwrap();
        fs::write(world.path("project/husky/pre-commit"), hook).unwrap();
        fs::set_permissions(world.path("project/husky/pre-commit"), PermissionsExt::from_mode(0o755)).unwrap();
        world.git("config core.hooksPath husky");
        let said = run("git commit -q --allow-empty -m x").output;
        for left in [".git/rebase-merge/git-rebase-todo", ".git/info/attributes"] {
            assert!(said.contains(left) && !world.path("project").join(left).exists(), "{said}");
        }
    });
}

#[test]
fn a_rebase_that_stops_is_left_as_it_is() {
    World::in_each(GitAccess::Writable, |world, run| {
        world.git("switch -q -c side");
        for (branch, text) in [("side", "theirs\n"), ("main", "ours\n")] {
            world.git(&format!("switch -q {branch}"));
            fs::write(world.path("project/file"), text).unwrap();
            world.git("commit -q -a -m changed");
        }
        let outcome = run("git rebase side");
        assert_eq!(outcome.exit_code, Some(1), "{}", outcome.output);
        assert!(world.path("project/.git/rebase-merge/git-rebase-todo").exists(), "{}", outcome.output);
        assert_eq!(world.trashed(), [""; 0]);
        succeeds(run, "git rebase --abort");
    });
}

const RUNS_A_PROGRAM: &str = "[core]\n\tfsmonitor = evil\n";

impl World {
    /// More repositories than are looked at before a command, and beyond them some of the user's that run a program.
    fn with_repositories_beyond_the_bounds(&self) {
        for number in 0..600 {
            fs::create_dir_all(self.path(&format!("project/near{number}/.git"))).unwrap();
        }
        for name in ["mine", "changed", "hooked"] {
            self.git(&format!("init -q zz/deep/er/{name}"));
            let config = self.far(name, ".git/config");
            fs::write(&config, fs::read_to_string(&config).unwrap() + RUNS_A_PROGRAM).unwrap();
        }
        // By its times it is older than any command from then on.
        let last = self.far("hooked", ".git/config").metadata().unwrap();
        let is_old = || last.modified().unwrap().elapsed().is_ok_and(|age| age > Duration::from_millis(500));
        while !is_old() {
            std::thread::yield_now();
        }
    }

    fn far(&self, repository: &str, path: &str) -> PathBuf {
        self.path("project/zz/deep/er").join(repository).join(path)
    }
}

#[test]
fn of_what_lies_beyond_the_bounds_the_times_tell_whose_it_is() {
    World::in_each(GitAccess::ReadOnly, |world, run| {
        world.with_repositories_beyond_the_bounds();
        let append = |name: &str| format!("printf '[core]\\n\\tfsmonitor = evil\\n' >>zz/deep/er/{name}/.git/config");
        let outcome = run(&format!(
            "git init -q zz/deep/er/new && {} && {} && echo x >zz/deep/er/hooked/.git/hooks/pre-push",
            append("new"),
            append("changed")
        ));
        assert_eq!((outcome.exit_code, &outcome.unfinished_look), (Some(0), &None), "{}", outcome.output);
        for taken in ["new/.git/config", "changed/.git/config", "hooked/.git/hooks/pre-push"] {
            assert!(outcome.output.contains(&format!("{taken} could make git run")), "{taken}: {}", outcome.output);
            assert!(!world.path("project/zz/deep/er").join(taken).exists(), "{taken}");
        }
        for left in ["mine", "hooked"] {
            assert!(fs::read_to_string(world.far(left, ".git/config")).unwrap().ends_with(RUNS_A_PROGRAM), "{left}");
        }
    });
}

/// A journal of an earlier version, or a clock that was set back meanwhile.
#[test]
fn where_times_say_nothing_a_look_beyond_the_bounds_is_unfinished_and_takes_nothing() {
    let world = World::with_repository();
    world.with_repositories_beyond_the_bounds();
    let root = world.path("project").canonicalize().unwrap();
    let listings = Mutex::default();
    for held in [Held::Nothing, Held::Everything] {
        let before = Before::look(&root, sensitive::find(&root, &listings), held).unwrap();
        let reached = Reached { held, writes_hooks: false, elsewhere: Vec::new() };
        let settled = |began: serde_json::Value| {
            let mut noted = serde_json::to_value(&before).unwrap();
            noted["began"] = began;
            let before: Before = serde_json::from_value(noted).unwrap();
            let settling = Settling { moment: RestoreMoment::AtTheEnd, trash: None, listings: &listings, ended: None };
            before.settle(&reached, &settling)
        };
        let later = serde_json::to_value(SystemTime::now() + Duration::from_secs(3600)).unwrap();
        for unknown in [serde_json::Value::Null, later] {
            let settled = settled(unknown);
            assert_eq!(settled.unfinished.as_deref(), Some("it isn't known when it was created"));
            assert_eq!(settled.notes, [""; 0]);
        }
        let known = settled(serde_json::to_value(SystemTime::now() - Duration::from_millis(200)).unwrap());
        assert_eq!((known.unfinished, known.notes), (None, Vec::new()));
        assert!(fs::read_to_string(world.far("mine", ".git/config")).unwrap().ends_with(RUNS_A_PROGRAM));
    }
}

/// Every file below a folder, with its content.
fn contents(folder: PathBuf) -> BTreeMap<PathBuf, Vec<u8>> {
    let (mut folders, mut files) = (vec![folder], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else {
                files.insert(entry.clone(), fs::read(entry).unwrap());
            }
        }
    }
    files
}

/// Its `.git` is a file, and all that git writes lies in the repository that it belongs to: outside the project.
#[test]
fn from_a_linked_worktree_nobody_writes_the_repository_that_it_belongs_to() {
    for access in [GitAccess::ReadOnly, GitAccess::Writable] {
        for number in 0..layers(&World::new().spec()).len() {
            let world = World::new();
            fs::write(world.path("home/.gitconfig"), "[user]\n\tname = me\n\temail = me@example.org\n").unwrap();
            world.git("init -q -b main ../outside/origin");
            world.git("-C ../outside/origin commit -q --allow-empty -m first");
            world.git("-C ../outside/origin worktree add -q --detach ../../project");
            let sandbox = layers(&world.spec()).remove(number).with_git(access);
            let before = contents(world.path("outside/origin/.git"));
            let link = fs::read_to_string(world.path("project/.git")).unwrap();

            let run = |line: &str| world.run_in(&sandbox, line);
            succeeds(&run, "git status && git log --oneline | grep -q first && git diff HEAD");
            for line in [
                "git commit -q --allow-empty -m second",
                "git config core.fsmonitor evil",
                "git worktree add -q other",
                "git checkout -q -b side",
                "echo evil > \"$(git rev-parse --git-common-dir)/hooks/pre-commit\"",
                "echo evil > \"$(git rev-parse --git-dir)/config.worktree\"",
                "rm -r \"$(git rev-parse --git-dir)\"",
            ] {
                assert_ne!(run(line).exit_code, Some(0), "{}: {line}", sandbox.name());
            }
            run("echo 'gitdir: own' > .git; mkdir -p own/objects own/refs; echo 'ref: refs/heads/main' > own/HEAD");
            assert_eq!(fs::read_to_string(world.path("project/.git")).unwrap(), link, "{}", sandbox.name());
            assert_eq!(contents(world.path("outside/origin/.git")), before, "{}", sandbox.name());
        }
    }
}
