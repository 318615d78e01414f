//! Real commands in real views, under the real kernel. This program is its own launcher, so it has a `main` of its own.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use arki_disk::PrivateTempDir;
use arki_process::{CommandLimits, CommandOutcome, CommandSpec, run};
use arki_sandbox::{
    Network, NetworkDoor, OverlayView, ProjectAccess, Sandbox, SandboxSpec, ViewChangeKind, ViewEntry, launch_if_asked,
    remove_abandoned_views,
};
use globset::GlobSet;
use tokio_util::sync::CancellationToken;

type Case = (&'static str, fn());

const CASES: &[Case] = &[
    ("a_commands_writes_go_aside_and_are_listed", a_commands_writes_go_aside_and_are_listed),
    ("folders_that_go_come_and_are_replaced_are_told_file_by_file", folders_are_told_file_by_file),
    ("a_command_ends_with_its_code_and_nothing_outlives_it", a_command_ends_with_its_code),
    ("git_directories_and_hidden_places_stay_as_they_are", hidden_places_stay),
    ("the_door_in_a_commands_network_is_handed_out_and_reached_by_it_alone", the_door_in_a_commands_network),
    ("caches_are_ones_own_and_thrown_away", caches_are_ones_own),
    ("what_is_bound_through_is_written_for_real", what_is_bound_through_is_written),
    ("a_command_has_no_powers_and_no_network", a_command_has_no_powers),
    ("what_is_left_out_is_not_listed_and_the_list_has_an_end", the_list_has_an_end),
    ("what_somebody_else_changes_meanwhile_is_told", what_changes_outside_is_told),
    ("what_the_user_makes_and_replaces_meanwhile_is_seen", what_the_user_makes_meanwhile_is_seen),
    ("of_several_calls_each_is_told_its_own_changes", each_call_is_told_its_own_changes),
    ("a_view_is_removed_with_its_last_holder", a_view_is_removed),
    ("a_view_that_somebody_holds_is_not_abandoned", a_held_view_is_not_abandoned),
];

/// Like the standard harness: arguments are filters, `--list` lists, and unknown options are ignored.
fn main() -> ExitCode {
    match launch_if_asked() {
        Some(code) => ExitCode::from(code),
        None => run_cases(),
    }
}

fn run_cases() -> ExitCode {
    let filters: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |name: &str| filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str()));
    let cases: Vec<&Case> = CASES.iter().filter(|(name, _)| wanted(name)).collect();
    if std::env::args().any(|argument| argument == "--list") {
        cases.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    if !Sandbox::has_views() {
        let required = std::env::var("ARKI_REQUIRE").unwrap_or_default();
        assert!(!required.split(',').any(|one| one == "sandbox"), "views don't work here: {:?}", Sandbox::layers());
        println!("test result: ok. 0 passed; 0 failed; {} ignored; 0 measured; 0 filtered out", cases.len());
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", cases.len());
    for (name, case) in &cases {
        case();
        println!("test {name} ... ok");
    }
    let filtered = CASES.len() - cases.len();
    println!("\ntest result: ok. {} passed; 0 failed; 0 ignored; 0 measured; {filtered} filtered out", cases.len());
    ExitCode::SUCCESS
}

struct World {
    folder: tempfile::TempDir,
    temp_dir: PrivateTempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        for name in ["project/.git", "project/src", "project/target", "config", "home/.ssh"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("home/.ssh/id_rsa"), "SECRET").unwrap();
        fs::create_dir_all(folder.path().join("home/.npm/_cacache")).unwrap();
        fs::write(folder.path().join("home/.npm/_cacache/index"), "one\n").unwrap();
        fs::write(folder.path().join("home/.npm/token"), "SECRET").unwrap();
        fs::write(folder.path().join("project/.git/config"), "[core]\n").unwrap();
        fs::write(folder.path().join("project/src/a.rs"), "fn a() {}\n").unwrap();
        fs::write(folder.path().join("project/src/b.rs"), "fn b() {}\n").unwrap();
        Self { folder, temp_dir: PrivateTempDir::create().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    fn view(&self, bound: &[&str]) -> Arc<OverlayView> {
        Arc::new(OverlayView::create(&self.path("views"), bound.iter().map(PathBuf::from).collect()).unwrap())
    }

    fn sandbox(&self, view: &Arc<OverlayView>) -> Sandbox {
        let spec = SandboxSpec {
            project_root: self.project(),
            project: ProjectAccess::Writable,
            temp_dir: self.temp_dir.path().to_path_buf(),
            hidden: ["config", "home", "home/.npm/token", "views"].map(|name| self.path(name)).to_vec(),
            shown: vec![self.path("home/.npm")],
            also_writable: Vec::new(),
            network: Network::None,
            secrets: Some(GlobSet::empty()),
            trash: None,
            journals: None,
        };
        Sandbox::prepare(&spec).unwrap().in_view(view.clone())
    }

    fn run(&self, view: &Arc<OverlayView>, command: &str) -> CommandOutcome {
        let sandbox = self.sandbox(view);
        runtime().block_on(self.run_in(&sandbox, command))
    }

    async fn run_in(&self, sandbox: &Sandbox, command: &str) -> CommandOutcome {
        let environment = ["PATH"].map(|name| (name.to_owned(), std::env::var(name).unwrap()));
        let spec = CommandSpec {
            command_line: command.to_owned(),
            directory: self.project(),
            environment: environment
                .into_iter()
                .chain([("W".to_owned(), self.path("").display().to_string())])
                .collect(),
            sandbox: Some(sandbox.as_confinement()),
            terminal: false,
            time_limit: Duration::from_secs(60),
            limits: CommandLimits::default(),
            max_output_bytes: 10_000,
            meanwhile: None,
        };
        run(spec, |_| {}, CancellationToken::new()).await.unwrap()
    }

    fn succeeds(&self, view: &Arc<OverlayView>, command: &str) -> String {
        let outcome = self.run(view, command);
        assert_eq!(outcome.exit_code, Some(0), "{command}: {}", outcome.output);
        outcome.output
    }

    /// The changes as `+written -removed d+folder d-folder ?special`.
    fn changes(&self, view: &OverlayView) -> Vec<String> {
        let listed = view.changes(&self.project(), 1000, |_| false).unwrap();
        assert!(!listed.has_more);
        listed.changes.iter().map(|change| format!("{}{}", sign(change.kind), change.path.display())).collect()
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn sign(kind: ViewChangeKind) -> &'static str {
    match kind {
        ViewChangeKind::Written => "+",
        ViewChangeKind::Removed => "-",
        ViewChangeKind::FolderAdded => "d+",
        ViewChangeKind::FolderRemoved => "d-",
        ViewChangeKind::Special => "?",
    }
}

fn a_commands_writes_go_aside_and_are_listed() {
    let world = World::new();
    let view = world.view(&[]);
    let script = "echo more >> src/a.rs && rm src/b.rs && mkdir new && echo x > new/file && ln -s a.rs src/link \
                  && chmod 755 new/file && mkfifo pipe && cat src/a.rs";
    assert_eq!(world.succeeds(&view, script), "fn a() {}\nmore\n");
    assert_eq!(fs::read_to_string(world.path("project/src/a.rs")).unwrap(), "fn a() {}\n");
    assert!(world.path("project/src/b.rs").exists() && !world.path("project/new").exists());
    assert_eq!(world.changes(&view), ["d+new", "+new/file", "?pipe", "+src/a.rs", "-src/b.rs", "+src/link"]);
    let file = |path: &str| view.entry(Path::new(path), 100).unwrap();
    assert_eq!(file("new/file"), ViewEntry::File { bytes: b"x\n".to_vec(), mode: 0o755 });
    assert_eq!(file("src/link"), ViewEntry::Link("a.rs".into()));
    assert!(view.entry(Path::new("src/a.rs"), 3).is_err());
}

fn the_door_in_a_commands_network() {
    let world = World::new();
    let sandbox = world.sandbox(&world.view(&[]));
    let (door, arriving) = NetworkDoor::new().unwrap();
    let address = NetworkDoor::url().replace("http://", "").replace(':', "/");
    let script = format!("ls -l /proc/$$/fd | grep -c socket; exec 3<>/dev/tcp/{address} && cat <&3");
    let outcome = runtime().block_on(async {
        tokio::spawn(async move {
            let (client, _) = arriving.listener().await.unwrap().accept().await.unwrap();
            client.writable().await.unwrap();
            client.try_write(b"hello\n").unwrap();
        });
        world.run_in(&sandbox.with_door(door), &script).await
    });
    assert_eq!((outcome.exit_code, outcome.output.as_str()), (Some(0), "0\nhello\n"));
    let outside = std::net::TcpStream::connect(NetworkDoor::url().replace("http://", ""));
    assert!(outside.is_err(), "it is in the command's network");
}

fn folders_are_told_file_by_file() {
    let world = World::new();
    fs::create_dir_all(world.path("project/deep/in")).unwrap();
    fs::write(world.path("project/deep/in/c"), "c").unwrap();
    symlink("in/c", world.path("project/deep/link")).unwrap();
    let gone = world.view(&[]);
    world.succeeds(&gone, "rm -r deep");
    assert_eq!(world.changes(&gone), ["d-deep", "d-deep/in", "-deep/in/c", "-deep/link"]);
    let replaced = world.view(&[]);
    world.succeeds(&replaced, "rm -r deep && mkdir deep && echo d > deep/d && rm -r src && echo file > src");
    let expected = ["d-deep/in", "-deep/in/c", "-deep/link", "+deep/d", "d-src", "+src", "-src/a.rs", "-src/b.rs"];
    let mut found = world.changes(&replaced);
    found.sort();
    let mut expected = expected.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(found, expected);
    let moved = world.view(&[]);
    world.succeeds(&moved, "mv deep elsewhere && cat elsewhere/link");
    assert!(world.changes(&moved).contains(&"+elsewhere/in/c".to_owned()));
}

fn a_command_ends_with_its_code() {
    let world = World::new();
    assert_eq!(world.run(&world.view(&[]), "exit 7").exit_code, Some(7));
    assert_eq!(world.run(&world.view(&[]), "kill -9 $$").exit_code, Some(137));
    let view = world.view(&[]);
    world.succeeds(&view, "(setsid sh -c 'sleep 60; echo late > late') & echo now > now");
    assert_eq!(world.changes(&view), ["+now"]);
    assert_eq!(world.succeeds(&world.view(&[]), "yes | head -1; echo $?"), "y\n0\n");
}

fn hidden_places_stay() {
    let world = World::new();
    let view = world.view(&[]);
    assert_ne!(world.run(&view, "echo x >> .git/config").exit_code, Some(0));
    assert_ne!(world.run(&view, "cat \"$W/home/.ssh/id_rsa\"").exit_code, Some(0));
    assert_ne!(world.run(&view, "ls \"$W/views/\"*").exit_code, Some(0));
    assert_ne!(world.run(&view, "echo x > \"$W/outside\"").exit_code, Some(0));
    assert_ne!(world.run(&view, "mv .git elsewhere").exit_code, Some(0));
    assert!(world.changes(&view).is_empty());
}

/// Its tools may write there, and the cache stays as it is.
fn caches_are_ones_own() {
    let world = World::new();
    let view = world.view(&[]);
    let cache = world.path("home/.npm");
    let script = format!(
        "cd {}; echo two >> _cacache/index; mkdir -p _cacache/tmp; mv _cacache/index _cacache/tmp; cat _cacache/tmp/index
        cat token 2>/dev/null || echo closed",
        cache.display()
    );
    assert_eq!(world.succeeds(&view, &script), "one\ntwo\nclosed\n");
    assert_eq!(fs::read_to_string(cache.join("_cacache/index")).unwrap(), "one\n");
    assert!(!cache.join("_cacache/tmp").exists());
    assert_eq!(world.changes(&view), Vec::<String>::new());
}

fn what_is_bound_through_is_written() {
    let world = World::new();
    let view = world.view(&["target"]);
    world.succeeds(&view, "echo built > target/out && ln target/out target/second");
    assert_eq!(fs::read_to_string(world.path("project/target/second")).unwrap(), "built\n");
    assert!(world.changes(&view).is_empty());
}

fn a_command_has_no_powers() {
    let world = World::new();
    let view = world.view(&[]);
    if !rustix::process::geteuid().is_root() {
        assert!(world.succeeds(&view, "grep CapEff /proc/self/status").contains("0000000000000000"));
    }
    for command in ["mount -t tmpfs none /mnt", "unshare -Ur true", "umount /proc", "ping -c 1 -W 1 192.0.2.1"] {
        assert_ne!(world.run(&view, command).exit_code, Some(0), "{command}");
    }
    assert_eq!(world.succeeds(&view, "ls -d /proc/[0-9]* | wc -l | awk '{ print ($1 < 8) }'"), "1\n");
    assert_eq!(world.succeeds(&view, "echo x > /dev/null && head -c 2 /dev/zero | wc -c"), "2\n");
}

fn the_list_has_an_end() {
    let world = World::new();
    let view = world.view(&[]);
    world.succeeds(
        &view,
        "mkdir -p many target/deep && touch many/$(seq -s ' many/' 1 50) target/deep/x && chmod 0 many",
    );
    let listed = view.changes(&world.project(), 20, |path| path == Path::new("target")).unwrap();
    assert!(listed.has_more && listed.changes.len() == 20);
    let listed = view.changes(&world.project(), 1000, |path| path == Path::new("target")).unwrap();
    assert_eq!(listed.changes.len(), 51);
    assert!(listed.changes.iter().all(|change| change.path.starts_with("many")));
}

fn what_changes_outside_is_told() {
    let world = World::new();
    let view = world.view(&[]);
    world.succeeds(&view, "echo x >> src/a.rs && echo x >> src/b.rs");
    std::thread::sleep(Duration::from_millis(20));
    fs::write(world.path("project/src/a.rs"), "theirs\n").unwrap();
    let listed = view.changes(&world.project(), 10, |_| false).unwrap().changes;
    assert_eq!(listed.iter().map(|change| change.has_changed_outside).collect::<Vec<_>>(), [true, false]);
}

fn what_the_user_makes_meanwhile_is_seen() {
    let world = World::new();
    let waits = "cat src/b.rs; [ ! -e src/late/file ]; echo ready > target/ready; n=0
                 while [ ! -e src/late/file ] && [ $n -lt 300 ]; do sleep 0.1; n=$((n + 1)); done
                 cat src/late/file src/b.rs";
    let output = std::thread::scope(|scope| {
        let command = scope.spawn(|| world.succeeds(&world.view(&["target"]), waits));
        while !world.path("project/target/ready").exists() {
            std::thread::sleep(Duration::from_millis(20));
        }
        fs::write(world.path("project/src/new"), "new b\n").unwrap();
        fs::rename(world.path("project/src/new"), world.path("project/src/b.rs")).unwrap();
        fs::create_dir(world.path("project/src/late")).unwrap();
        fs::write(world.path("project/src/late/file"), "made late\n").unwrap();
        command.join().unwrap()
    });
    assert_eq!(output, "fn b() {}\nmade late\nnew b\n");
}

/// The project has what the call before changed, as after its landing.
fn each_call_is_told_its_own_changes() {
    let world = World::new();
    let view = world.view(&[]);
    world.succeeds(&view, "mkdir made && echo one > made/first && echo x >> src/a.rs && rm src/b.rs");
    fs::create_dir(world.path("project/made")).unwrap();
    fs::write(world.path("project/made/first"), "one\n").unwrap();
    fs::remove_file(world.path("project/src/b.rs")).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    view.begin_call().unwrap();
    assert!(view.changes(&world.project(), 100, |_| false).unwrap().changes.is_empty());
    assert_eq!(view.all_changes(&world.project(), 100, |_| false).unwrap().changes.len(), 2);
    std::thread::sleep(Duration::from_millis(20));
    fs::write(world.path("project/src/a.rs"), "theirs\n").unwrap();
    world.succeeds(&view, "mv made moved && echo two > second");
    let listed = view.changes(&world.project(), 100, |_| false).unwrap().changes;
    let told: Vec<&str> = listed.iter().map(|change| change.path.to_str().unwrap()).collect();
    assert_eq!(told, ["made", "made/first", "moved", "moved/first", "second"]);
    assert!(listed.iter().all(|change| !change.has_changed_outside), "{listed:?}");
}

fn a_held_view_is_not_abandoned() {
    let world = World::new();
    let view = world.view(&[]);
    let killed = world.path("views/view-killed/upper");
    fs::create_dir_all(&killed).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    remove_abandoned_views(&world.path("views"), Duration::from_millis(10));
    assert!(!killed.exists());
    world.succeeds(&view, "echo x > made");
    assert_eq!(view.changes(&world.project(), 10, |_| false).unwrap().changes.len(), 1);
}

fn a_view_is_removed() {
    let world = World::new();
    let view = world.view(&[]);
    world.succeeds(&view, "mkdir -p closed/in && touch closed/in/x && chmod 0 closed/in closed");
    assert_eq!(fs::read_dir(world.path("views")).unwrap().count(), 1);
    assert_eq!(fs::metadata(world.path("views")).unwrap().permissions().mode() & 0o777, 0o700);
    drop(view);
    assert_eq!(fs::read_dir(world.path("views")).unwrap().count(), 0);
}
