//! A project whose git directory lies outside of it is committed to, and nothing that steers git is written there.

use std::fs;
use std::process::Command;

use super::super::{GitAccess, SandboxSpec};
use super::{World, layers};

/// `project` is a linked worktree or a submodule of `outside`.
fn beside(prepare: &str) -> World {
    let world = World::new();
    fs::write(world.path("home/.gitconfig"), "[user]\n\tname = me\n\temail = me@example.org\n").unwrap();
    let lines =
        format!("git -C ../outside init -q -b main && git -C ../outside commit -q --allow-empty -m first && {prepare}");
    let mut command = Command::new("sh");
    command.args(["-c", &lines]).current_dir(world.path("project")).env_clear().envs(world.environment());
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    world
}

#[test]
fn a_linked_worktree_and_a_submodule_are_committed_to() {
    let worktree = "git -C ../outside worktree add -q -f -b w ../project && touch ../outside/marked";
    let module = "git init -q -b main ../up && git -C ../up commit -q --allow-empty -m up && cd ../outside && \
                  git -c protocol.file.allow=always submodule --quiet add ../up sub && rmdir ../project && \
                  mv sub ../project && git config -f .git/modules/sub/config core.worktree ../../../../project && \
                  echo gitdir: ../outside/.git/modules/sub >../project/.git";
    for prepare in [worktree, module] {
        let world = beside(prepare);
        let root = world.path("project").canonicalize().unwrap();
        let outside = arki_git::outside_git_dirs(&root);
        assert!(!outside.is_empty(), "{prepare}");
        for sandbox in layers(&SandboxSpec { also_writable: outside.clone(), ..world.spec() }) {
            let outcome = world.run_in(
                &sandbox.with_git(GitAccess::Writable),
                "echo x >file; git add file && git commit -q -m second && git log --format=%s && git status --short",
            );
            assert!(outcome.output.starts_with("second\n"), "{}: {}", sandbox.name(), outcome.output);
            world.git("reset -q --soft HEAD~1");
            if !sandbox.name().contains("bubblewrap") {
                continue;
            }
            let git = sandbox.with_git(GitAccess::Writable);
            for line in
                ["echo x >>COMMON/config", "echo x >>COMMON/HEAD", "mkdir COMMON/hooks/x", "echo x >>GIT/commondir"]
            {
                if prepare == module && !line.contains("config") && !line.contains("hooks") {
                    continue;
                }
                let line = line.replace("GIT", "$(git rev-parse --git-dir)");
                let line = line.replace("COMMON", "$(git rev-parse --git-common-dir)");
                let outcome = world.run_in(&git, &line);
                assert_ne!(outcome.exit_code, Some(0), "{line}: {}", outcome.output);
            }
        }
    }
}
