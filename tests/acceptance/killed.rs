//! What a command leaves that makes git run a program is dealt with also where nobody was there at its end: Arki was
//! killed, or the command goes on. In each sandbox there is, with real repositories and the real git.
#![cfg(target_os = "linux")]

use crate::harness::{Running, Stage, asking_policy, files_below, payload, payloads, program, text, wait_until};
use crate::mcp;
use arki_testkit::{Script, Turn};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

/// As `bubblewrap.rs` looks for it.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";
/// The hook that the user makes in the meantime.
const USERS: &str = ".git/hooks/commit-msg";
/// What is changed by then is the command's.
const LAST_BREATH: Duration = Duration::from_secs(1);

/// Arki in one of its sandboxes.
struct World {
    stage: Stage,
    arki: PathBuf,
}

impl World {
    /// In the strongest sandbox there is, and under Landlock alone.
    fn in_each(script: impl Fn() -> Script, config: &Value, check: impl Fn(&Self)) {
        for hides_bubblewrap in [false, true] {
            let world = Self { stage: Stage::configured(script(), config), arki: program() };
            if !world.stage.has_sandbox() || (hides_bubblewrap && !world.stage.has_bubblewrap()) {
                continue;
            }
            let world = if hides_bubblewrap { world.without_bubblewrap() } else { world };
            world.git("init -q -b main .");
            world.stage.trust();
            check(&world);
        }
    }

    /// Dies with whoever starts it.
    fn without_bubblewrap(mut self) -> Self {
        self.arki = self.stage.home.data_dir().with_file_name("arki-under-landlock");
        let script = format!(
            "#!/bin/sh\nexec {BUBBLEWRAP} --die-with-parent --dev-bind / / --unshare-user --disable-userns --cap-add ALL \
             --cap-drop CAP_SYS_ADMIN --ro-bind /bin/false {BUBBLEWRAP} -- {} \"$@\"\n",
            program().display()
        );
        std::fs::write(&self.arki, script).unwrap();
        std::fs::set_permissions(&self.arki, std::fs::Permissions::from_mode(0o755)).unwrap();
        let checks = self.run(&["doctor", "--json"]).stdout;
        assert!(checks.contains("landlock") && !checks.contains("\"namespaces, then"), "{checks}");
        self
    }

    fn has_views(&self) -> bool {
        self.run(&["doctor", "--json"]).stdout.contains("\"namespaces, then")
    }

    fn start(&self, args: &[&str]) -> Running {
        Running::of(self.stage.home.spawn_arki(&self.arki, &[args, &["--json"]].concat()).unwrap())
    }

    fn run(&self, args: &[&str]) -> arki_testkit::Finished {
        self.stage.home.run_arki(&self.arki, args).unwrap()
    }

    /// As the user runs it, outside any sandbox.
    fn git(&self, line: &str) {
        let mut command = Command::new("git");
        command.args(line.split(' ')).current_dir(self.stage.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
        command.output().unwrap();
    }

    /// A configuration that makes git run a program, as a script that writes it to the end of a file.
    fn evil_into(&self, file: &str) -> String {
        let program = self.stage.write("evil.sh", format!("#!/bin/sh\ntouch '{}'\n", self.mark().display()));
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        format!("printf '[core]\\n\\tfsmonitor = {}\\n' >>{file}\n", program.display())
    }

    fn mark(&self) -> PathBuf {
        self.stage.home.data_dir().with_file_name("mark")
    }

    /// A repository within the project, the project's own configuration and a hook, as far as the sandbox lets it.
    fn leave_evil(&self) -> String {
        let (new, own) = (self.evil_into("new/.git/config"), self.evil_into(".git/config"));
        format!("git init -q new\n{new}({own}mkdir -p .git/hooks\necho x >.git/hooks/pre-push) 2>&-\n")
    }

    fn has_evil(&self) -> bool {
        let configures =
            |file: &str| std::fs::read_to_string(self.stage.path(file)).is_ok_and(|t| t.contains("fsmonitor"));
        configures(".git/config") || configures("new/.git/config") || self.stage.path(".git/hooks/pre-push").exists()
    }

    /// The user's git in all of them.
    fn runs_nothing(&self) {
        assert!(!self.has_evil());
        self.git("status");
        self.git("-C new status");
        assert!(!self.mark().exists());
    }

    fn journals(&self) -> Vec<PathBuf> {
        files_below(&self.stage.home.data_dir().join("journals"))
    }
}

fn runs(command: &str, background: bool) -> Turn {
    Turn::calls().call("run_command", json!({"command": command, "background": background}))
}

fn then(turns: Vec<Turn>) -> Script {
    Script::new(turns).sequential()
}

fn changed(path: &Path) -> SystemTime {
    let found = path.symlink_metadata().unwrap();
    SystemTime::UNIX_EPOCH + Duration::new(found.ctime().try_into().unwrap(), found.ctime_nsec().try_into().unwrap())
}

/// What was told of it in the log.
fn cleaned_up(events: &[Value]) -> String {
    payloads(events, "sandbox.cleaned_up").iter().map(|cleaned| cleaned["notes"].to_string()).collect()
}

#[test]
fn what_a_command_left_whose_arki_was_killed_is_gone_at_the_next_start_but_not_what_the_user_made_since() {
    let script = || then(vec![runs("sh leave.sh", false), Turn::text("Done.")]);
    World::in_each(script, &asking_policy(), |world| {
        world.stage.write("leave.sh", format!("{}touch made\nsleep 600\n", world.leave_evil()));
        let running = world.start(&["exec", "--approve", "all", "go"]);
        wait_until("the command did its worst", || world.stage.path("made").exists());
        running.signal(Signal::KILL);
        drop(running);
        let journal = world.journals().pop().unwrap();
        let is_noted = || std::fs::read_to_string(&journal).unwrap().ends_with("\nended\n");
        wait_until("it is noted that the commands have ended", is_noted);
        // So that it could have gone wrong.
        world.git("-C new status");
        assert!(world.mark().exists());
        std::fs::remove_file(world.mark()).unwrap();
        let ended = journal.metadata().unwrap().modified().unwrap();
        wait_until("the user makes a hook, later", || {
            let hook = world.stage.write(USERS, "the user's");
            changed(&hook) > ended + LAST_BREATH
        });
        let project = || {
            let checks = world.run(&["doctor", "--json"]).stdout;
            let checks = checks.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
            checks.into_iter().find(|check| check["name"] == "project").unwrap()
        };
        for _ in 0..2 {
            let told = text(&project()["detail"]);
            assert!(told.contains("new/.git/config could make git run"), "whoever comes upon it first: {told}");
        }
        let session = text(&world.stage.sessions()[0]["sessionId"]);
        let resumed = world.run(&["resume", &session]);
        assert_eq!(resumed.code, Some(0), "{resumed:?}");
        world.runs_nothing();
        assert_eq!(world.stage.read(USERS), "the user's");
        let told = cleaned_up(&world.stage.log());
        assert!(
            told.contains("new/.git/config could make git run a program outside the sandbox, so it was moved"),
            "{told}"
        );
        assert!(resumed.stderr.contains("new/.git/config could make git run"), "{}", resumed.stderr);
        if world.arki != program() {
            assert!(told.contains("Commands may not change .git/config, .git/hooks/pre-push: restored."), "{told}");
            assert!(told.contains("left as they are: .git/hooks/commit-msg. If that wasn't you"), "{told}");
        }
        assert_eq!(payloads(&world.stage.log(), "sandbox.cleaned_up").len(), 1, "told once in the log");
        let told = text(&project()["detail"]);
        assert!(!told.contains("could make git run"), "and then no more: {told}");
        assert!(world.journals().is_empty());
        world.stage.verifies();
    });
}

#[test]
fn what_detached_itself_does_not_outlive_a_killed_arki() {
    let script = || then(vec![runs("sh leave.sh", false), Turn::text("Done.")]);
    World::in_each(script, &asking_policy(), |world| {
        let detached = "setsid sh -c 'touch detached; while :; do touch lives; done' >&- 2>&- &\n";
        world
            .stage
            .write("leave.sh", format!("{detached}while [ ! -e detached ]; do :; done\ntouch made\nsleep 600\n"));
        let running = world.start(&["exec", "--approve", "all", "go"]);
        wait_until("it has detached itself", || world.stage.path("made").exists());
        running.signal(Signal::KILL);
        drop(running);
        wait_until("nobody touches the file any more", || {
            let _ = std::fs::remove_file(world.stage.path("lives"));
            std::thread::park_timeout(Duration::from_millis(50));
            !world.stage.path("lives").exists()
        });
    });
}

/// The model makes this call, and answers when the test lets it.
fn then_waits(call: Turn, goes_on: &Arc<AtomicBool>) -> Script {
    goes_on.store(false, Ordering::SeqCst);
    let goes_on = goes_on.clone();
    let waits = Turn::computed(move |_| {
        wait_until("the model may go on", || goes_on.load(Ordering::SeqCst));
        Turn::text("Done.")
    });
    then(vec![call, waits])
}

#[test]
fn what_a_command_in_the_background_leaves_is_gone_while_it_runs() {
    let goes_on = Arc::default();
    World::in_each(
        || then_waits(runs("sh leave.sh", true), &goes_on),
        &Value::Null,
        |world| {
            world.stage.write("leave.sh", format!("{}touch made\nsleep 600\n", world.leave_evil()));
            let mut running = world.start(&["exec", "--approve", "all", "go"]);
            let cleaned = running.until_kind("sandbox.cleaned_up");
            assert!(cleaned["payload"]["callId"].is_string(), "{cleaned}");
            assert!(cleaned["payload"]["notes"].to_string().contains(".git/config"), "{cleaned}");
            wait_until("the command did its worst", || world.stage.path("made").exists());
            wait_until("it is gone", || !world.has_evil());
            world.runs_nothing();
            goes_on.store(true, Ordering::SeqCst);
            // It was still running when the answer was there.
            let events = running.end().exits(1).lines();
            let result = text(&payload(&events, "tool.async_result")["result"]);
            assert!(result.starts_with("stopped because Arki ended"), "{result}");
        },
    );
}

#[test]
fn what_an_mcp_servers_program_leaves_is_gone_while_it_runs() {
    let goes_on = Arc::default();
    let script = || then_waits(Turn::calls().call("mcp__x__echo", json!({"text": "leave"})), &goes_on);
    World::in_each(script, &json!({"mcpServers": {"x": mcp::writing("good")}}), |world| {
        world.stage.write("leave.sh", world.leave_evil());
        if world.has_views() {
            // Its writes go aside, and such are asked about.
            let done = world.run(&["exec", "--json", "--approve", "all", "go"]);
            assert_eq!(done.code, Some(3), "{}", done.stdout);
            return world.runs_nothing();
        }
        let mut running = world.start(&["exec", "--approve", "all", "go"]);
        let cleaned = running.until_kind("sandbox.cleaned_up");
        assert!(cleaned["payload"]["notes"].to_string().contains(".git/config"), "{cleaned}");
        wait_until("it is gone", || !world.has_evil());
        world.runs_nothing();
        goes_on.store(true, Ordering::SeqCst);
        assert!(text(&payload(&running.end().exits(0).lines(), "tool.result")["result"]).contains("leave"));
    });
}

/// A folder so deep that nobody can name what is in it. The run is at other things when the command ends, several at once.
#[test]
fn where_nobody_can_see_what_a_background_command_left_the_run_stops_and_everybody_is_told() {
    const TURNS: usize = 100;
    let reads = |turn: usize| {
        let read = |line: usize| json!({"path": "long.txt", "offset": line, "limit": 1});
        let turn = Turn::calls().call("read_file", read(2 * turn + 1)).call("read_file", read(2 * turn + 2));
        turn.pause(Duration::from_millis(100))
    };
    let script = || {
        let turns = [runs("sh hide.sh", true)].into_iter().chain((0..TURNS).map(reads)).chain([Turn::text("Done.")]);
        then(turns.collect())
    };
    World::in_each(script, &Value::Null, |world| {
        let name = "d".repeat(250);
        world
            .stage
            .write("hide.sh", format!("for n in $(seq 1 20); do mkdir {name} && cd -P {name} || exit 1; done\n"));
        world.stage.write("long.txt", "a line\n".repeat(3 * TURNS));
        let done = world.run(&["exec", "--json", "--approve", "all", "go"]);
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        let events: Vec<Value> = done.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let failed = payload(&events, "run.failed");
        assert_eq!(failed["code"], "GUARD_UNFINISHED");
        assert!(text(&failed["message"]).contains("can't be read"), "{failed}");
        let result = payload(&events, "tool.async_result");
        assert_eq!(result["isError"], json!(true));
        assert!(text(&result["result"]).contains("can't be read"), "{result}");
        assert!(world.stage.model.requests().len() < TURNS, "the run has gone on");
        let doctor = world.run(&["doctor"]).stdout;
        assert!(doctor.contains("can't be read"), "{doctor}");
    });
}
