//! Where the project is read-only, nothing in it changes, whatever a command tries: each of these lines does change it
//! outside, so that none can pass by being broken.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use super::super::{Network, ProjectAccess, Sandbox, SandboxSpec};
use super::{World, layers};
use arki_files::ReadersView;

/// Shell lines; those of `@root` only root can do outside.
const WRITES: &[&str] = &[
    "echo x >file",
    "echo x >>file",
    "echo x >new",
    ": >|file",
    "exec 3<>new",
    "echo x | tee file",
    "truncate -s 0 file",
    "dd if=/dev/zero of=file bs=1 count=1 conv=notrunc status=none",
    "rm file",
    "rm -r sub",
    "mv file other",
    "mv file sub/",
    "mv file $TMPDIR/",
    "echo x >$TMPDIR/t; mv $TMPDIR/t file",
    "cp -p file other",
    "ln file hard",
    "ln file $TMPDIR/hard",
    "ln -s file soft",
    "mkdir new",
    "rmdir empty",
    "mkfifo new",
    "chmod 700 file",
    "chmod 700 sub",
    "touch file",
    "touch -d 2001-01-01 file",
    "touch -h link",
    "@root chown 1:1 file",
    "@root chown -h 1:1 link",
    "find . -name file -delete",
    "find . -name file -fprint new",
    "sed -i s/one/two/ file",
    "sed -n 'w new' file",
    "sed '1e echo x >new' file",
    "sed 's/.*/echo x >new/e' file",
    "sort -o file file",
    "awk '{print > \"new\"}' file",
    "tar cf new file",
    "git add file && git commit -qm x",
    "git config user.name x",
    "git update-index --refresh; git status --no-optional-locks; git checkout -q -b other",
    "cd sub && echo x >../file",
    "echo x >/proc/self/cwd/file",
    "echo x >/proc/self/root$W/project/file",
    "python3 -c \"import os; os.fchmod(os.open('file', os.O_RDONLY), 0o700)\"",
    "python3 -c \"import os; os.utime(os.open('file', os.O_RDONLY), (1, 1))\"",
    "python3 -c \"import os; os.setxattr('file', 'user.x', b'y')\"",
    "python3 -c \"import os; os.setxattr(os.open('file', os.O_RDONLY), 'user.x', b'y')\"",
    "python3 -c \"import os; os.removexattr('file', 'user.mark')\"",
    "python3 -c \"import os; f = os.open('.', os.O_TMPFILE | os.O_WRONLY); d = os.open('.', 0); \
     os.link(f'/proc/self/fd/{f}', 'new', dst_dir_fd=d, follow_symlinks=True)\"",
    "python3 -c \"import mmap, os; mmap.mmap(os.open('file', os.O_RDWR), 0)[0:1] = b'x'\"",
    "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('new')\"",
    // The flags of a file, by a request to the file system: no dumps of it.
    "python3 -c \"import fcntl, os, struct; f = os.open('file', os.O_RDONLY); fcntl.ioctl(f, 0x40086602, struct.pack('l', 0x40))\"",
    "(sleep 0.2; echo x >new) & wait",
];

/// Everything about a file that a command could change. Reading may change when it was last read.
#[derive(Debug, PartialEq, Eq)]
struct Known {
    inode: u64,
    mode: u32,
    owner: (u32, u32),
    links: u64,
    written: (i64, i64),
    changed: (i64, i64),
    content: Vec<u8>,
}

fn tree(root: &Path) -> BTreeMap<String, Known> {
    let mut tree = BTreeMap::new();
    add(root, &mut tree);
    tree
}

fn add(path: &Path, tree: &mut BTreeMap<String, Known>) {
    let found = path.symlink_metadata().unwrap();
    let content = match found.file_type() {
        kind if kind.is_symlink() => path.read_link().unwrap().into_os_string().into_encoded_bytes(),
        kind if kind.is_file() => fs::read(path).unwrap(),
        _ => Vec::new(),
    };
    let known = Known {
        inode: found.ino(),
        mode: found.mode(),
        owner: (found.uid(), found.gid()),
        links: found.nlink(),
        written: (found.mtime(), found.mtime_nsec()),
        changed: (found.ctime(), found.ctime_nsec()),
        content,
    };
    tree.insert(path.display().to_string(), known);
    if found.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| add(&entry.unwrap().path(), tree));
    }
}

fn world() -> World {
    let world = World::with_repository();
    let project = world.path("project");
    ["sub", "empty", ".arki"].iter().for_each(|name| fs::create_dir(project.join(name)).unwrap());
    fs::write(project.join("sub/below"), "one\n").unwrap();
    fs::write(project.join("file"), "changed\n").unwrap();
    fs::set_permissions(project.join("file"), fs::Permissions::from_mode(0o644)).unwrap();
    symlink("file", project.join("link")).unwrap();
    let mark = "import os; os.setxattr('file', 'user.mark', b'y')";
    let marked = std::process::Command::new("python3").args(["-c", mark]).current_dir(&project).status().unwrap();
    assert!(marked.success(), "the temporary folder's disk keeps no attributes");
    world
}

fn reading(world: &World) -> SandboxSpec {
    SandboxSpec { project: ProjectAccess::ReadOnly, ..world.spec() }
}

#[test]
fn nothing_in_a_read_only_project_changes() {
    let is_root = rustix::process::geteuid().is_root();
    let mut wrong = Vec::new();
    let held = world();
    let sandboxes = layers(&reading(&held));
    for line in WRITES {
        let as_root = line.strip_prefix("@root ");
        if as_root.is_some() && !is_root {
            continue;
        }
        let line = as_root.unwrap_or(line);
        let free = world();
        let before = tree(&free.path("project"));
        free.run(free.spec_of(None, line));
        if tree(&free.path("project")) == before {
            wrong.push(format!("{line}: changes nothing outside, so it shows nothing"));
        }
        for sandbox in &sandboxes {
            let before = tree(&held.path("project"));
            let outcome = held.run_in(sandbox, line);
            let after = tree(&held.path("project"));
            if after != before {
                wrong.push(format!("{line}: changes the project in {}: {}", sandbox.name(), outcome.output));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn reading_goes_on_as_before_and_the_temporary_folder_is_writable() {
    let world = world();
    for sandbox in layers(&reading(&world)) {
        let run = |line: &str| world.run_in(&sandbox, line);
        for line in [
            "git status --short | grep -q file",
            "git diff --quiet; test $? = 1",
            "git log --oneline | grep -q first && git describe --dirty",
            "sort file | grep -q changed",
            "seq 200000 | sort -S 100k -r | head -n 1 | grep -q 99999",
            "echo x >$TMPDIR/t && mv $TMPDIR/t $TMPDIR/u && grep -q x $TMPDIR/u && rm $TMPDIR/u",
            "cat <<<here | grep -q here; echo x >/dev/null",
        ] {
            let outcome = run(line);
            assert_eq!(outcome.exit_code, Some(0), "{}: {line}: {}", sandbox.name(), outcome.output);
        }
        assert!(sandbox.name().ends_with("project read-only"));
    }
}

#[test]
fn there_is_no_network() {
    let world = world();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    for sandbox in layers(&SandboxSpec { network: Network::None, ..reading(&world) }) {
        let outcome = world.run_in(&sandbox, &format!("exec 3<>/dev/tcp/127.0.0.1/{port}"));
        assert_ne!(outcome.exit_code, Some(0), "{}", sandbox.name());
    }
}

#[test]
fn a_read_only_project_in_a_hidden_folder_is_seen_and_secrets_in_it_are_not() {
    let world = World::new();
    fs::create_dir(world.path("config/project")).unwrap();
    fs::write(world.path("config/project/a"), "public").unwrap();
    fs::write(world.path("config/project/.env"), "SECRET").unwrap();
    let spec = SandboxSpec { project_root: world.path("config/project"), ..reading(&world) };
    for sandbox in layers(&spec) {
        let is_read = |name: &str| world.run_in(&sandbox, &format!("cat $W/config/{name}")).exit_code == Some(0);
        assert!(is_read("project/a") && !is_read("secret"), "{}", sandbox.name());
        assert_ne!(world.run_in(&sandbox, "touch $W/config/project/x").exit_code, Some(0), "{}", sandbox.name());
    }
    if let Ok(sandbox) = Sandbox::bubblewrap(&spec) {
        let shown = world.run_in(&sandbox.without_secrets(), "cat $W/config/project/.env").output;
        assert!(!shown.contains("SECRET"), "{shown}");
    }
}

#[test]
fn a_hidden_home_shows_what_commands_need_and_no_secret_in_it() {
    let world = World::new();
    for path in ["diary", ".rustup/settings.toml", ".cargo/env", ".cargo/credentials.toml", "code/lib/a.rs"] {
        fs::create_dir_all(world.path("home").join(path).parent().unwrap()).unwrap();
        fs::write(world.path("home").join(path), "text").unwrap();
    }
    let mut spec = reading(&world);
    spec.hidden.push(world.path("home"));
    spec.shown = [".rustup", ".cargo", "code/lib"].map(|name| world.path("home").join(name)).into();
    for sandbox in layers(&spec) {
        let is_read = |name: &str| world.run_in(&sandbox, &format!("cat $W/home/{name}")).exit_code == Some(0);
        for shown in [".rustup/settings.toml", ".cargo/env", "code/lib/a.rs"] {
            assert!(is_read(shown), "{}: {shown}", sandbox.name());
        }
        for hidden in ["diary", ".cargo/credentials.toml"] {
            assert!(!is_read(hidden), "{}: {hidden}", sandbox.name());
        }
        assert_ne!(world.run_in(&sandbox, "touch $W/home/.cargo/env").exit_code, Some(0), "{}", sandbox.name());
    }
}

#[test]
fn who_reads_unasked_sees_the_project_and_the_system_and_nothing_beside_them() {
    let world = World::new();
    fs::create_dir(world.path("beside")).unwrap();
    fs::write(world.path("beside/note"), "private").unwrap();
    fs::write(world.path("project/own"), "own").unwrap();
    std::os::unix::fs::symlink("../beside/note", world.path("project/link")).unwrap();
    let mut spec = reading(&world);
    let view = ReadersView::of(&spec.project_root.canonicalize().unwrap());
    spec.hidden.extend(view.hidden);
    spec.shown = view.shown;
    for sandbox in layers(&spec) {
        let shown = |line: &str| world.run_in(&sandbox, line);
        for line in ["cat own", "find . -type f -exec cat {} +", "cat $W/project/own", "cd $W/project && cat own"] {
            assert!(shown(line).output.contains("own"), "{}: {line}: {}", sandbox.name(), shown(line).output);
        }
        for line in ["cat link", "cat ../beside/note", "find . -exec cat {} +", "grep -r . $W/beside", "cat $W/*/note"]
        {
            assert!(!shown(line).output.contains("private"), "{}: {line}", sandbox.name());
        }
        for line in ["ls ..", "echo ../*", "ls -RL ..", "ls $W"] {
            assert!(!shown(line).output.contains("beside"), "{}: {line}", sandbox.name());
        }
        for line in ["ls /usr/bin", "cat /etc/passwd", "git --version", "sh -c 'echo hi | sort | uniq'", "date"] {
            assert_eq!(shown(line).exit_code, Some(0), "{}: {line}: {}", sandbox.name(), shown(line).output);
        }
    }
}

/// A test that makes a repository is not disturbed by somebody who looks at the project meanwhile.
#[test]
fn what_another_command_is_making_is_left_to_it() {
    let world = world();
    for (writing, reading) in layers(&world.spec()).iter().zip(layers(&reading(&world))) {
        std::thread::scope(|scope| {
            let line = "git init -q new && cp /bin/true new/.git/hooks/post-commit && touch began && \
                        while [ ! -e $TMPDIR/go ]; do sleep 0.02; done; test -e new/.git/hooks/post-commit; \
                        echo there: $?; rm -rf new began $TMPDIR/go";
            let making = scope.spawn(|| world.run_in(writing, line));
            while !world.path("project/began").exists() {
                std::thread::yield_now();
            }
            let shown = world.run_in(&reading, "ls new/.git/hooks/post-commit").output;
            assert!(!shown.contains("outside the sandbox"), "{shown}");
            fs::write(world.temp_dir.path().join("go"), "").unwrap();
            assert!(making.join().unwrap().output.contains("there: 0"), "{}", writing.name());
        });
    }
}
