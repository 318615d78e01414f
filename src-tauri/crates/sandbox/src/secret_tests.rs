//! Files of secrets stay closed under each of their names, and stay what they are.

use std::fs;
use std::os::unix::fs::symlink;

use super::super::{ProjectAccess, Sandbox, SandboxSpec};
use super::World;

fn world(files: &[&str]) -> World {
    let world = World::new();
    for file in files {
        fs::create_dir_all(world.path("project").join(file).parent().unwrap()).unwrap();
        fs::write(world.path("project").join(file), "SECRET\n").unwrap();
    }
    world
}

#[test]
fn no_name_and_no_trick_opens_or_changes_one() {
    let world = world(&[".env", "node_modules/x/certs/server.pem", "sub/plain"]);
    fs::hard_link(world.path("project/.env"), world.path("project/sub/notes.txt")).unwrap();
    fs::hard_link(world.path("project/sub/plain"), world.path("project/sub/prod.key")).unwrap();
    symlink("../.env", world.path("project/sub/link")).unwrap();
    let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
    let sandbox = sandbox.without_secrets();
    for file in [".env", "sub/notes.txt", "sub/plain", "sub/prod.key", "sub/link", "node_modules/x/certs/server.pem"] {
        let said = world.run_in(&sandbox, &format!("base64 {file}; cat <{file}; ln {file} copy && cat copy"));
        assert!(!said.output.contains("SECRET") && !said.output.contains("U0VDUkVU"), "{file}: {}", said.output);
        assert!(said.output.contains("ermission denied"), "{file}: {}", said.output);
    }
    let changes = "echo x >>.env; echo x >.env; rm -f .env; mv sub/link .env; mv .env other; cp /etc/hostname .env; \
                   mv sub moved; cat moved/notes.txt moved/prod.key";
    assert!(!world.run_in(&sandbox, changes).output.contains("SECRET"));
    assert_eq!(fs::read_to_string(world.path("project/.env")).unwrap(), "SECRET\n");
}

#[test]
fn secrets_are_hidden_in_a_large_project_too() {
    let world = world(&["zz/deep/er/.env"]);
    for number in 0..260 {
        let folder = world.path(&format!("project/many/{number}"));
        fs::create_dir_all(&folder).unwrap();
        (0..200).for_each(|file| fs::write(folder.join(file.to_string()), "").unwrap());
    }
    let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
    assert!(!world.run_in(&sandbox.without_secrets(), "cat zz/deep/er/.env").output.contains("SECRET"));
}

#[test]
fn git_tells_of_them_what_it_tells_and_opens_only_those_it_keeps() {
    let world = world(&["kept/.npmrc", "new/.env", "ignored.pem", "a.txt"]);
    fs::write(world.path("project/.gitignore"), "*.pem\n").unwrap();
    world.git("init -q .");
    world.git("add kept a.txt .gitignore");
    let spec = SandboxSpec { project: ProjectAccess::ReadOnly, ..world.spec() };
    let Ok(sandbox) = Sandbox::bubblewrap(&spec) else { return };
    let told = |sandbox: &Sandbox, line: &str| world.run_in(sandbox, line).output;
    let sight = sandbox.without_secrets_of_git();
    for line in ["git status --short -uall", "git diff", "git ls-files --others"] {
        assert_eq!(told(&sight, line), told(&sandbox, line), "{line}");
    }
    assert!(told(&sight, "git status --short -uall").contains("?? new/.env"));
    for file in ["new/.env", "ignored.pem"] {
        assert!(!told(&sight, &format!("cat {file}")).contains("SECRET"), "{file}");
    }
    assert!(told(&sight, "cat kept/.npmrc").contains("SECRET"), "git would take it for changed");
}

#[test]
fn what_git_keeps_of_them_is_read_out_of_no_store() {
    let world = world(&["kept/.npmrc", "a.txt"]);
    world.git("init -q .");
    world.git("add kept a.txt");
    fs::write(world.path("project/a.txt"), "changed\n").unwrap();
    let Ok(sandbox) = Sandbox::bubblewrap(&world.spec()) else { return };
    let line = "git show :kept/.npmrc; git show :a.txt; cat .git/objects/*/*; git ls-files";
    let said = world.run_in(&sandbox.without_secrets(), line).output;
    assert!(said.contains("SECRET"), "the attack works: {said}");
    let said = world.run_in(&sandbox.without_secrets_of_stores(), line).output;
    assert!(!said.contains("SECRET") && said.contains("kept/.npmrc"), "{said}");
    fs::remove_file(world.path("project/kept/.npmrc")).unwrap();
    world.git("rm -q --cached kept/.npmrc");
    fs::write(world.path("project/new.env"), "SECRET\n").unwrap();
    let said = world.run_in(&sandbox.without_secrets_of_stores(), "git show :a.txt").output;
    assert!(said.contains("SECRET"), "git keeps no secret any more: {said}");
}
