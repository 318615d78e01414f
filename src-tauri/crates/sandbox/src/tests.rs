//! These run real commands under the real kernel, and fail where there is no Landlock: a machine that checks
//! Arki must be able to check this.

#![allow(clippy::disallowed_methods, reason = "what is to be attacked, and who looks")]

use super::*;
use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::time::Duration;

use arki_disk::PrivateTempDir;
use arki_process::{CommandLimits, CommandOutcome, CommandSpec, run};
use globset::GlobSet;
use tokio_util::sync::CancellationToken;

/// This test program is its own launcher, as `arki` is.
#[allow(unsafe_code)]
// SAFETY: the section is a list of functions without arguments, called once each before `main`.
#[unsafe(link_section = ".init_array")]
#[used]
static LAUNCHER: extern "C" fn() = {
    extern "C" fn launch() {
        if let Some(code) = launch_if_asked() {
            std::process::exit(code.into());
        }
    }
    launch
};

struct World {
    folder: tempfile::TempDir,
    temp_dir: PrivateTempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project", "config", "outside", "home/.ssh"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("config/secret"), "SECRET").unwrap();
        fs::write(folder.path().join("home/.ssh/id_rsa"), "SECRET").unwrap();
        fs::write(folder.path().join("outside/file"), "public").unwrap();
        Self { folder, temp_dir: PrivateTempDir::create().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn spec(&self) -> SandboxSpec {
        let mut hidden = home_secrets(&self.path("home"));
        hidden.extend([self.path("config"), self.path("data-that-is-not-there-yet")]);
        SandboxSpec {
            project_root: self.path("project"),
            project: ProjectAccess::Writable,
            temp_dir: self.temp_dir.path().to_path_buf(),
            hidden,
            shown: Vec::new(),
            also_writable: Vec::new(),
            network: Network::None,
            secrets: Some(GlobSet::empty()),
            trash: Some(self.path("trash")),
            journals: Some(self.path("journals")),
        }
    }

    fn environment(&self) -> Vec<(String, String)> {
        vec![
            ("PATH".into(), std::env::var("PATH").unwrap()),
            ("HOME".into(), self.path("home").to_str().unwrap().into()),
            ("W".into(), self.folder.path().to_str().unwrap().into()),
            ("TMPDIR".into(), self.temp_dir.path().to_str().unwrap().into()),
        ]
    }

    fn run_in(&self, sandbox: &Sandbox, command: &str) -> CommandOutcome {
        self.run(self.spec_of(Some(sandbox), command))
    }

    fn run(&self, spec: CommandSpec<'_>) -> CommandOutcome {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(run(spec, |_| {}, CancellationToken::new())).unwrap()
    }

    fn spec_of<'a>(&self, sandbox: Option<&'a Sandbox>, command: &str) -> CommandSpec<'a> {
        CommandSpec {
            command_line: command.to_owned(),
            directory: self.path("project"),
            environment: self.environment(),
            sandbox: sandbox.map(Sandbox::as_confinement),
            terminal: false,
            time_limit: Duration::from_secs(60),
            limits: CommandLimits::default(),
            max_output_bytes: 10_000,
            meanwhile: None,
        }
    }

    fn allows(&self, command: &str) {
        for sandbox in layers(&self.spec()) {
            let outcome = self.run_in(&sandbox, command);
            assert_eq!(outcome.exit_code, Some(0), "{}: {command}: {}", sandbox.name(), outcome.output);
        }
    }

    /// It fails, and does not show what is hidden.
    fn refuses(&self, command: &str) {
        for sandbox in layers(&self.spec()) {
            let outcome = self.run_in(&sandbox, command);
            assert_ne!(outcome.exit_code, Some(0), "{}: {command}: {}", sandbox.name(), outcome.output);
            assert!(!outcome.output.contains("SECRET"), "{}: {command}: {}", sandbox.name(), outcome.output);
        }
    }

    /// It may succeed, but there is nothing to be seen.
    fn hides(&self, command: &str) {
        for sandbox in layers(&self.spec()) {
            let outcome = self.run_in(&sandbox, command);
            assert!(
                !outcome.output.contains("SECRET") && !outcome.output.contains("secret\n"),
                "{command}: {}",
                outcome.output
            );
        }
    }
}

/// One of each that works here. Landlock must; Bubblewrap is often not installed or not allowed.
fn layers(spec: &SandboxSpec) -> Vec<Sandbox> {
    let layers = Sandbox::prepare_each(spec).unwrap();
    assert!(layers.iter().any(|sandbox| !sandbox.is_wrapping()));
    if layers.len() < 2 {
        println!("skipped: Bubblewrap does not work here");
    }
    layers
}

#[test]
fn this_machine_can_do_it() {
    let status = Sandbox::probe();
    assert!(status.available, "{:?}", status.reason);
    assert!(status.name.starts_with("landlock ABI "));
}

#[test]
fn each_layer_says_what_it_is_or_why_it_is_not() {
    let layers = Sandbox::layers();
    let [namespaces, bubblewrap, landlock] = &layers[..] else { panic!() };
    assert!(landlock.available && bubblewrap.name.starts_with("bubblewrap") && namespaces.name == "namespaces");
    assert!(layers.iter().all(|layer| layer.available == layer.reason.is_none()));
    let world = World::new();
    let prepared = Sandbox::prepare(&world.spec()).unwrap();
    let expected = layers.iter().find(|layer| layer.available).unwrap();
    assert_eq!(prepared.name(), expected.name);
}

#[test]
fn project_and_temporary_folder_are_writable_and_nothing_else_is() {
    let world = World::new();
    world.allows("echo x >file && mkdir -p a/b && mv file a/b/ && ln -s b a/link && rm -r a");
    world.allows("echo x >$TMPDIR/file && echo y >/dev/null && cat <(echo z)");
    world.allows("echo to-stdout >/dev/stdout; echo to-stderr >/dev/stderr");
    for command in [
        "touch $W/outside/new",
        "echo x >$W/outside/file",
        "truncate -s 0 $W/outside/file",
        "rm $W/outside/file",
        "mv $W/outside/file .",
        "ln $W/outside/file hard",
        "ln -s $W/outside link && touch link/new",
        "mkdir /tmp/new-folder-of-a-sandbox-test",
    ] {
        world.refuses(command);
    }
    assert_eq!(fs::read_to_string(world.path("outside/file")).unwrap(), "public");
}

#[test]
fn everything_else_can_be_read_and_executed() {
    let world = World::new();
    world.allows(
        "cat $W/outside/file /etc/passwd >/dev/null && ls /usr >/dev/null && /bin/true && head -c 1 /dev/urandom",
    );
}

#[test]
fn what_is_hidden_cannot_be_seen_by_any_way() {
    let world = World::new();
    symlink(world.path("config"), world.path("outside/link")).unwrap();
    symlink(world.path("config/secret"), world.path("project/link")).unwrap();
    for command in [
        "cat $W/config/secret",
        "cat $W/outside/link/secret",
        "cat link",
        "cat /proc/self/root$W/config/secret",
        "cd $W/config && cat secret",
        "cp $W/config/secret copy",
        "ln $W/config/secret hard && cat hard",
        "mv $W/config config",
        "cat $W/home/.ssh/id_rsa",
        "bash -c 'exec 3<$W/config/secret; cat <&3'",
        "echo x >$W/config/new",
    ] {
        world.refuses(command);
    }
    world.hides("ls $W/config; cp -r $W/config copy && cat copy/*");
}

#[test]
fn a_hidden_file_among_others_is_hidden_alone() {
    let world = World::new();
    fs::create_dir_all(world.path("home/.m2/repository")).unwrap();
    fs::write(world.path("home/.m2/settings.xml"), "SECRET").unwrap();
    fs::write(world.path("home/.m2/repository/library"), "public").unwrap();
    fs::write(world.path("home/.python_history"), "SECRET").unwrap();
    world.refuses("cat $W/home/.m2/settings.xml");
    world.refuses("cat $W/home/.python_history");
    world.refuses("cp $W/home/.m2/settings.xml copy");
    world.allows("grep -q public $W/home/.m2/repository/library");
}

#[test]
fn what_comes_into_being_later_is_hidden_too() {
    let world = World::new();
    let layers = layers(&world.spec());
    fs::create_dir(world.path("data-that-is-not-there-yet")).unwrap();
    fs::write(world.path("data-that-is-not-there-yet/x"), "SECRET").unwrap();
    for sandbox in layers {
        let outcome = world.run_in(&sandbox, "cat $W/data-that-is-not-there-yet/x");
        assert!(outcome.exit_code != Some(0) && !outcome.output.contains("SECRET"), "{}", sandbox.name());
    }
}

#[test]
fn a_project_in_a_hidden_folder_is_itself_visible() {
    let world = World::new();
    fs::create_dir(world.path("config/project")).unwrap();
    let spec = SandboxSpec { project_root: world.path("config/project"), ..world.spec() };
    for sandbox in layers(&spec) {
        assert_eq!(world.run_in(&sandbox, "touch $W/config/project/x").exit_code, Some(0), "{}", sandbox.name());
        assert_ne!(world.run_in(&sandbox, "cat $W/config/secret").exit_code, Some(0), "{}", sandbox.name());
        assert!(sandbox.notes().is_empty());
        // Who is asked about a command is told what Landlock alone leaves open.
        assert_eq!(sandbox.gaps().len(), usize::from(sandbox.name().starts_with("landlock")));
    }
}

#[test]
fn something_hidden_in_the_project_stays_hidden_and_is_noted() {
    let world = World::new();
    fs::create_dir_all(world.path("project/.arki-data")).unwrap();
    fs::create_dir_all(world.path("project/src")).unwrap();
    fs::write(world.path("project/.arki-data/x"), "SECRET").unwrap();
    let spec = SandboxSpec { hidden: vec![world.path("project/.arki-data")], ..world.spec() };
    for sandbox in layers(&spec) {
        assert_ne!(world.run_in(&sandbox, "cat .arki-data/x").exit_code, Some(0), "{}", sandbox.name());
        assert_eq!(world.run_in(&sandbox, "touch src/new").exit_code, Some(0), "{}", sandbox.name());
        // Only Landlock has to leave out more than was asked.
        assert_eq!(sandbox.notes().len(), usize::from(sandbox.name().starts_with("landlock")));
    }
}

#[test]
fn our_memory_and_environment_are_out_of_reach() {
    let world = World::new();
    let me = std::process::id();
    for command in [
        format!("cat /proc/{me}/environ"),
        format!("head -c 1 /proc/{me}/mem"),
        format!("ls -l /proc/{me}/fd"),
        format!("ls /proc/{me}/root/"),
    ] {
        world.refuses(&command);
    }
}

#[test]
fn processes_outside_cannot_be_signalled() {
    let world = World::new();
    if Sandbox::probe().name.ends_with("ABI 3") || Sandbox::probe().name.ends_with("ABI 4") {
        return;
    }
    world.refuses(&format!("kill -0 {}", std::process::id()));
    world.allows("sleep 100 & kill $!");
}

#[test]
fn unix_sockets_outside_are_out_of_reach() {
    let world = World::new();
    let _listener = UnixListener::bind(world.path("outside/socket")).unwrap();
    let connect = "import socket,sys,os; s=socket.socket(socket.AF_UNIX); s.connect(os.environ['W']+'/outside/socket')";
    world.refuses(&format!("python3 -c \"{connect}\""));
    world.refuses("python3 -c \"import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\"");
    world.allows("python3 -c \"import socket; socket.socketpair()\"");
}

#[test]
fn no_privilege_can_be_gained_and_no_core_is_dumped() {
    let world = World::new();
    for sandbox in layers(&world.spec()) {
        let outcome = world.run_in(&sandbox, "grep -e NoNewPrivs -e ^Seccomp: /proc/self/status; ulimit -c");
        assert_eq!(outcome.output, "NoNewPrivs:\t1\nSeccomp:\t2\n0\n", "{}", sandbox.name());
    }
}

#[test]
fn this_process_itself_stays_free() {
    let world = World::new();
    world.allows("true");
    assert!(fs::read_to_string(world.path("config/secret")).is_ok());
    assert!(fs::write(world.path("outside/file"), "public").is_ok());
    assert!(std::os::unix::net::UnixStream::pair().is_ok());
}

#[test]
fn a_sandbox_serves_many_commands() {
    let world = World::new();
    for sandbox in layers(&world.spec()) {
        for number in 0..3 {
            assert_eq!(world.run_in(&sandbox, &format!("echo {number} >>log; cat log | wc -l")).exit_code, Some(0));
        }
        assert_eq!(fs::read_to_string(world.path("project/log")).unwrap(), "0\n1\n2\n");
        fs::remove_file(world.path("project/log")).unwrap();
    }
}

/// Before, Landlock knows nobody's signals.
fn scopes_signals(sandbox: &Sandbox) -> bool {
    sandbox.name().strip_prefix("landlock ABI ").is_none_or(|abi| abi.parse::<u32>().unwrap() >= 6)
}

/// Two forks, a session of its own, nothing in its environment and nothing open: as a daemon does.
const DETACHED: &str = "env -i setsid sh -c '(trap \"\" HUP TERM; cd /; echo $$ >$0/pid; while :; do sleep 0.05; touch $0/mark; done) \
                        >/dev/null 2>&1 </dev/null &' $W/project; while [ ! -s pid ]; do sleep 0.02; done";

#[test]
fn what_detached_itself_ends_with_its_command_and_no_other() {
    let world = World::new();
    for sandbox in layers(&world.spec()).into_iter().filter(scopes_signals) {
        let still = |line: &str| world.run_in(&sandbox, line);
        let mut other = std::process::Command::new("sleep").arg("100").spawn().unwrap();
        assert_eq!(still(DETACHED).exit_code, Some(0), "{}", sandbox.name());
        // Whoever is killed while the folder is emptied does not fill it again.
        fs::remove_file(world.path("project/pid")).unwrap();
        let _ = fs::remove_file(world.path("project/mark"));
        assert_eq!(still("sleep 0.4; [ ! -e mark ]").exit_code, Some(0), "{}", sandbox.name());
        assert!(other.try_wait().unwrap().is_none(), "{}", sandbox.name());
        other.kill().unwrap();
        other.wait().unwrap();
    }
}

#[test]
fn a_command_that_goes_on_beside_another_is_not_ended_with_it() {
    let world = World::new();
    for sandbox in layers(&world.spec()) {
        std::thread::scope(|scope| {
            let long = scope.spawn(|| world.run_in(&sandbox, "touch began; sleep 1.5; echo whole"));
            assert_eq!(
                world.run_in(&sandbox, "while [ ! -e began ]; do sleep 0.02; done; rm began").exit_code,
                Some(0)
            );
            assert_eq!(world.run_in(&sandbox, DETACHED).exit_code, Some(0));
            assert_eq!(long.join().unwrap().output, "whole\n", "{}", sandbox.name());
        });
        fs::remove_file(world.path("project/pid")).unwrap();
    }
}

#[test]
fn what_detached_itself_is_listed_with_its_command() {
    let world = World::new();
    let mark = format!("detached-{}", world.folder.path().display());
    for sandbox in layers(&world.spec()).into_iter().filter(scopes_signals) {
        let found =
            || arki_process::running_commands().into_iter().find(|running| running.command_line.contains(&mark));
        std::thread::scope(|scope| {
            let running = scope.spawn(|| world.run_in(&sandbox, &format!("{DETACHED}; exec sleep 100 # {mark}")));
            let start = std::time::Instant::now();
            // The command itself, under Bubblewrap within two of its own; the one that detached itself, and its `sleep`.
            let expected = if sandbox.is_wrapping() { 5 } else { 3 };
            let whole = |found: &arki_process::RunningCommand| {
                found.load.as_ref().is_some_and(|load| load.processes >= expected)
            };
            let id = loop {
                let now = found();
                if let Some(command) = now.as_ref().filter(|command| whole(command)) {
                    break command.id;
                }
                assert!(start.elapsed() < Duration::from_secs(20), "{}: {now:?}", sandbox.name());
                std::thread::yield_now();
            };
            assert!(arki_process::stop_command(id));
            assert!(running.join().unwrap().cancelled);
        });
        fs::remove_file(world.path("project/pid")).unwrap();
    }
}

#[path = "terminal_tests.rs"]
mod at_terminal;
#[path = "escape_tests.rs"]
mod escapes;
#[path = "git_tests.rs"]
mod git;
#[path = "outside_git_tests.rs"]
mod outside_git;
#[path = "read_only_tests.rs"]
mod read_only;
#[path = "secret_tests.rs"]
mod secrets;

/// Runs itself a second time, in each sandbox, with an environment that says nothing of it.
#[test]
fn whoever_runs_in_it_knows_so_whatever_the_environment_says() {
    const NAME: &str = "tests::whoever_runs_in_it_knows_so_whatever_the_environment_says";
    if std::env::var_os("SAY_WHERE").is_some() {
        println!("\nin a sandbox: {}", runs_in_sandbox());
        return;
    }
    let world = World::new();
    let this = std::env::current_exe().unwrap();
    let ask = format!("env -i SAY_WHERE=1 {} --exact {NAME} --nocapture", this.display());
    let answer = |sandbox: Option<&Sandbox>| {
        let outcome = world.run(world.spec_of(sandbox, &ask));
        outcome.output.lines().find_map(|line| line.strip_prefix("in a sandbox: ")).map(str::to_owned)
    };
    assert_eq!(answer(None).as_deref(), Some("false"));
    for sandbox in layers(&world.spec()) {
        assert_eq!(answer(Some(&sandbox)).as_deref(), Some("true"), "{}", sandbox.name());
    }
}

#[test]
fn files_of_secrets_are_not_there_for_what_nobody_agreed_to() {
    let world = World::new();
    let files = [".env", "deep/keys/id_rsa", "deep/own.private", "store/target", ".aws/config", "a.rs", ".git/x.pem"];
    for file in files {
        fs::create_dir_all(world.path("project").join(file).parent().unwrap()).unwrap();
        fs::write(world.path("project").join(file), "SECRET").unwrap();
    }
    symlink("store/target", world.path("project/server.key")).unwrap();
    symlink("..", world.path("project/deep/up")).unwrap();
    let own = globset::GlobSetBuilder::new().add(globset::Glob::new("*.private").unwrap()).build().unwrap();
    let spec = SandboxSpec { secrets: Some(own), ..world.spec() };
    let Ok(sandbox) = Sandbox::bubblewrap(&spec) else { return };
    let secrets = ".env deep/keys/id_rsa deep/own.private server.key store/target .aws/config .git/x.pem deep/up/.env";
    for secret in secrets.split(' ') {
        let reads = |sandbox: &Sandbox| world.run_in(sandbox, &format!("cat {secret}")).output.contains("SECRET");
        assert!(reads(&sandbox), "{secret}");
        assert!(!reads(&sandbox.without_secrets()), "{secret}");
    }
    let sandbox = sandbox.without_secrets();
    assert!(
        !world.run_in(&sandbox, "cat deep/k[[:alpha:]]ys/*; grep -r SECRET .aws; cat .e*").output.contains("SECRET")
    );
    assert!(world.run_in(&sandbox, "cat a.rs").output.contains("SECRET"));
    let is_explained = |line: &str| {
        let output = world.run_in(&sandbox, line).output;
        assert!(output.contains("Permission denied"), "{line}: {output}");
        output.contains("can't be opened by a command that the user didn't approve")
    };
    assert!(is_explained("cat .env") && is_explained("cd deep && cat keys/id_rsa"));
    // Other files say so for their own reasons.
    assert!(!is_explained("echo 'a.rs: Permission denied'; false") && !is_explained("./a.rs"));
    // Nor are they when more of them have come, and they are still there for everybody else.
    fs::write(world.path("project/new.pem"), "SECRET").unwrap();
    assert!(!world.run_in(&sandbox, "cat new.pem").output.contains("SECRET"));
    assert_eq!(fs::read_to_string(world.path("project/.env")).unwrap(), "SECRET");
}
