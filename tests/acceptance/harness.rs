//! The real program on a stage of its own: a home, a project, a model that plays a script.

use arki_testkit::{Finished, MOCK_KEY, Script, ScriptedServer, TestHome, Turn, json_lines};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longer than anything that a test waits for.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a test looks again for what nobody tells it.
const POLL: Duration = Duration::from_millis(2);

/// The program under test.
pub(crate) fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("ARKI_BIN") {
        return named.into();
    }
    let this = std::env::current_exe().unwrap();
    let program = this.parent().unwrap().with_file_name(format!("arki{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: `cargo build -p arki-cli` makes it", program.display());
    program
}

pub(crate) struct Stage {
    pub(crate) home: TestHome,
    pub(crate) model: ScriptedServer,
}

const SANDBOX_REMEDY: &str = "install Bubblewrap and allow user namespaces (`sysctl -w \
    kernel.unprivileged_userns_clone=1`), or leave `sandbox` out of ARKI_REQUIRE";

/// The configuration of [`Stage::asking`].
pub(crate) fn asking_policy() -> Value {
    json!({"policy": {"categories": {"exec": "approval"}}})
}

impl Stage {
    /// In a folder that is trusted.
    pub(crate) fn new(turns: Vec<Turn>) -> Self {
        Self::of(Script::new(turns))
    }

    pub(crate) fn of(script: Script) -> Self {
        Self::configured(script, &Value::Null)
    }

    /// Where commands ask before they run, and work on the project itself, as on machines without views.
    pub(crate) fn asking(turns: Vec<Turn>) -> Self {
        Self::configured(Script::new(turns), &asking_policy())
    }

    /// `config` goes over the configuration's top level.
    pub(crate) fn configured(script: Script, config: &Value) -> Self {
        let stage = Self::untrusted(script, config);
        stage.trust();
        stage
    }

    pub(crate) fn untrusted(script: Script, config: &Value) -> Self {
        let model = script.start().unwrap();
        let home = TestHome::new(&model.url(), config).unwrap();
        Self { home, model }
    }

    pub(crate) fn trust(&self) {
        self.arki(&["trust"]).exits(0);
    }

    /// Runs `arki -C PROJECT args...` to its end.
    pub(crate) fn arki(&self, args: &[&str]) -> Done {
        Done::of(self.home.run_arki(&program(), args).unwrap())
    }

    /// `arki exec --json args...`
    pub(crate) fn exec(&self, args: &[&str]) -> Done {
        self.arki(&[&["exec", "--json"], args].concat())
    }

    /// As [`Stage::arki`], but with the arguments alone and this on standard input.
    pub(crate) fn arki_reading(&self, args: &[&str], input: &str) -> Done {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A program that does not want the input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        Done::of_child(child)
    }

    /// `arki args...` in this home, in the current folder.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(args).envs(&self.home.env).current_dir(self.home.project_dir());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        arki_testkit::with_default_signals(&mut command);
        command
    }

    /// `arki -C PROJECT args... --json`, left running.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        Running::of(self.home.spawn_arki(&program(), &[args, &["--json"]].concat()).unwrap())
    }

    /// `arki doctor` says that commands can be confined here.
    pub(crate) fn has_sandbox(&self) -> bool {
        let checks = self.arki(&["doctor", "--json"]).lines();
        let is_there = checks.iter().any(|check| check["name"] == "sandbox" && check["state"] == "ok");
        arki_testkit::required("sandbox", is_there, SANDBOX_REMEDY)
    }

    /// Bubblewrap is here, by which a test sets a stage.
    #[cfg(unix)]
    pub(crate) fn has_bubblewrap(&self) -> bool {
        arki_testkit::required("sandbox", Path::new("/usr/bin/bwrap").exists(), SANDBOX_REMEDY)
    }

    /// For tests of permissions: root, whom none hold up, gives its home to nobody and is nobody from then on.
    #[cfg(unix)]
    pub(crate) fn unprivileged(&self) -> Unprivileged<'_> {
        let (mut named, mut user) = (program(), None);
        if rustix::process::geteuid().is_root() {
            let root = self.home.data_dir().parent().unwrap().to_owned();
            named = root.join("arki");
            // Not by this process: a child that another test starts at that moment would hold the file open for writing
            // for an instant, and it could not be run.
            assert!(Command::new("cp").arg(program()).arg(&named).status().unwrap().success());
            give_away(&root);
            user = Some(NOBODY);
        }
        Unprivileged { stage: self, program: named, user }
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.home.write(name, content).unwrap()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.project_dir().join(name)
    }

    pub(crate) fn write_config(&self, text: &str) {
        std::fs::write(self.home.config_dir().join("config.json"), text).unwrap();
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.home.data_dir().join("arki.db")
    }

    pub(crate) fn sessions(&self) -> Vec<Value> {
        self.arki(&["sessions", "list", "--json"]).exits(0).lines()
    }

    pub(crate) fn inbox(&self) -> Vec<Value> {
        self.arki(&["approvals", "list", "--json"]).exits(0).lines()
    }

    /// The id of the only approval that waits.
    pub(crate) fn waiting(&self) -> String {
        let inbox = self.inbox();
        assert_eq!(inbox.len(), 1, "{inbox:?}");
        text(&inbox[0]["approvalId"])
    }

    /// The stored events of a session or run.
    pub(crate) fn events(&self, id: &str) -> Vec<Value> {
        self.arki(&["events", id, "--json"]).exits(0).lines()
    }

    /// The stored events of the only session.
    pub(crate) fn log(&self) -> Vec<Value> {
        let sessions = self.sessions();
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        self.events(&text(&sessions[0]["sessionId"]))
    }

    /// The messages of the last request.
    pub(crate) fn messages(&self) -> Vec<Value> {
        self.model.requests().last().unwrap().json["messages"].as_array().unwrap().clone()
    }

    /// The tool results at the end of the last request: what the model was told of its last calls. Behind them may stand
    /// that the mode is another one.
    pub(crate) fn told(&self) -> String {
        let mut messages = self.messages();
        let is_mode = |message: &Value| {
            message["content"].as_str().is_some_and(|text| text.starts_with("[The user changed the mode."))
        };
        messages.truncate(messages.len() - messages.iter().rev().take_while(|message| is_mode(message)).count());
        let results = messages.iter().rev().take_while(|message| message["role"] == "tool");
        let results: Vec<String> = results.map(|message| text(&message["content"])).collect();
        assert!(!results.is_empty(), "the last request does not end with a tool's result: {:?}", messages.last());
        results.into_iter().rev().collect::<Vec<_>>().join("\n")
    }

    pub(crate) fn system_prompt(&self) -> String {
        let messages = self.messages();
        assert_eq!(messages[0]["role"], "system");
        text(&messages[0]["content"])
    }

    /// Nothing that Arki keeps has the key in it, not even in a file that is only there for a while.
    pub(crate) fn has_key_on_disk(&self) -> bool {
        let root = self.home.data_dir().parent().unwrap().to_owned();
        files_below(&root).iter().any(|file| contains(&std::fs::read(file).unwrap_or_default(), MOCK_KEY.as_bytes()))
    }

    /// Every session's chain is whole and nothing is left half done: what each test may end with.
    pub(crate) fn verifies(&self) {
        self.arki(&["verify"]).exits(0);
    }
}

#[cfg(unix)]
const NOBODY: u32 = 65534;

/// The program as a user for whom permissions hold.
#[cfg(unix)]
pub(crate) struct Unprivileged<'a> {
    stage: &'a Stage,
    program: PathBuf,
    user: Option<u32>,
}

#[cfg(unix)]
impl Unprivileged<'_> {
    /// `arki args...`, in the project.
    pub(crate) fn arki(&self, args: &[&str]) -> Done {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(&self.program);
        command.args(args).envs(&self.stage.home.env).current_dir(self.stage.home.project_dir());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        Done::of_child(command.spawn().unwrap())
    }
}

#[cfg(unix)]
fn give_away(path: &Path) {
    std::os::unix::fs::lchown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    if path.is_dir() && !path.is_symlink() {
        std::fs::read_dir(path).unwrap().for_each(|entry| give_away(&entry.unwrap().path()));
    }
}

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// An error as people see it.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl Done {
    fn of(finished: Finished) -> Self {
        let done = Self { code: finished.code, stdout: finished.stdout, stderr: finished.stderr };
        for output in [&done.stdout, &done.stderr] {
            let internals = [
                "panicked at",
                "stack backtrace",
                "RUST_BACKTRACE",
                "error[INTERNAL]",
                "(os error ",
                "entity not found",
                "entity already exists",
            ];
            for internal in internals {
                assert!(!output.contains(internal), "shows internals ({internal}): {done:?}");
            }
            assert!(!output.contains(MOCK_KEY), "shows the key: {done:?}");
        }
        done
    }

    pub(crate) fn of_child(child: Child) -> Self {
        let output = child.wait_with_output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Self::of(Finished { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) })
    }

    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "stdout: …{}\nstderr: {}", self.tail(), self.stderr);
        self
    }

    /// Enough to see what went wrong.
    fn tail(&self) -> &str {
        const SHOWN_BYTES: usize = 2000;
        &self.stdout[self.stdout.ceil_char_boundary(self.stdout.len().saturating_sub(SHOWN_BYTES))..]
    }

    /// Standard output as JSON Lines, and nothing else.
    #[track_caller]
    pub(crate) fn lines(&self) -> Vec<Value> {
        json_lines(&self.stdout).unwrap_or_else(|| panic!("not JSON Lines: {}", self.stdout))
    }

    /// The one error: `error[CODE]: …` and `hint: …` on standard error, and the same as JSON where that is on.
    #[track_caller]
    pub(crate) fn error(&self) -> Shown {
        let mut lines = self.stderr.lines().skip_while(|line| !line.starts_with("error"));
        let first = lines.next().unwrap_or_else(|| panic!("no error line: {self:?}"));
        let (code, message) = first.strip_prefix("error[").and_then(|rest| rest.split_once("]: ")).unwrap();
        let hint = lines.next().and_then(|line| line.strip_prefix("hint: ")).unwrap_or_else(|| panic!("{self:?}"));
        assert!(!lines.any(|line| line.starts_with("error")), "more than one error: {self:?}");
        assert!(!message.is_empty() && !hint.is_empty(), "{self:?}");
        assert!(arki_domain::Code::ALL.iter().any(|(known, _)| known.0 == code), "{code} is not in the list of codes");
        Shown { code: code.to_owned(), message: message.to_owned(), hint: hint.to_owned() }
    }

    /// As [`Done::error`], and that standard output says the same as an object of its own.
    #[track_caller]
    pub(crate) fn json_error(&self) -> Shown {
        let shown = self.error();
        let lines = self.lines();
        let object = lines.iter().find(|line| line["type"] == "error").unwrap_or_else(|| panic!("{self:?}"));
        assert_eq!(object["code"], json!(shown.code), "{self:?}");
        assert!(object["message"].is_string() && object["hint"].is_string(), "{self:?}");
        shown
    }

    #[track_caller]
    pub(crate) fn fails(self, exit: i32, code: &str) -> Shown {
        let shown = self.exits(exit).error();
        assert_eq!(shown.code, code, "{shown:?}");
        shown
    }
}

/// `arki --json` at work.
pub(crate) struct Running {
    child: Child,
    lines: mpsc::Receiver<String>,
    seen: Vec<Value>,
}

impl Running {
    pub(crate) fn of(mut child: Child) -> Self {
        let (sender, lines) = mpsc::channel();
        let stdout: BufReader<ChildStdout> = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines, seen: Vec::new() }
    }

    /// Reads on until such a line has come.
    #[track_caller]
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let line = self.lines.recv_timeout(PATIENCE);
            let line = line.unwrap_or_else(|_| panic!("it did not come; {:?}", arki_testkit::kinds(&self.seen)));
            let value: Value = serde_json::from_str(&line).unwrap();
            self.seen.push(value.clone());
            if is_it(&value) {
                return value;
            }
        }
    }

    #[track_caller]
    pub(crate) fn until_kind(&mut self, kind: &str) -> Value {
        self.until(|event| event["type"] == kind)
    }

    /// The first event of a kind among the lines that have come by now.
    #[cfg(unix)]
    pub(crate) fn seen_kind(&mut self, kind: &str) -> Option<Value> {
        self.seen.extend(self.lines.try_iter().map(|line| serde_json::from_str::<Value>(&line).unwrap()));
        self.seen.iter().find(|event| event["type"] == kind).cloned()
    }

    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Waits for the end; everything that was printed is in the result.
    #[track_caller]
    pub(crate) fn end(mut self) -> Done {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.seen.push(serde_json::from_str(&line).unwrap()),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("it goes on and on: {:?}", self.seen.last()),
            }
        }
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let stdout = self.seen.iter().map(|value| format!("{value}\n")).collect();
        Done::of(Finished { code: self.child.wait().unwrap().code(), stdout, stderr })
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Only where a test has failed before it waited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The payloads of all events of a kind.
pub(crate) fn payloads(events: &[Value], kind: &str) -> Vec<Value> {
    events.iter().filter(|event| event["type"] == kind).map(|event| event["payload"].clone()).collect()
}

/// The payload of the only event of a kind.
#[track_caller]
pub(crate) fn payload(events: &[Value], kind: &str) -> Value {
    let mut found = payloads(events, kind);
    assert_eq!(found.len(), 1, "{kind} in {:?}", arki_testkit::kinds(events));
    found.remove(0)
}

#[track_caller]
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("not a string: {value}")).to_owned()
}

/// Asks again and again, because nobody tells.
#[track_caller]
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::park_timeout(POLL);
    }
}

/// Whether a process is there and has not ended; one that nobody has waited for yet has.
#[cfg(unix)]
pub(crate) fn is_running(pid: i32) -> bool {
    if rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap()).is_err() {
        return false;
    }
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    !status.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z')
}

/// The process whose id a command wrote into a file of the project, by its number out here: in a sandbox it may have
/// another. That of no process when it has ended.
#[cfg(unix)]
#[track_caller]
pub(crate) fn pid_in(file: &Path) -> i32 {
    let mut pid = None;
    wait_until(&format!("a process id in {}", file.display()), || {
        pid =
            std::fs::read_to_string(file).ok().filter(|text| text.ends_with('\n')).and_then(|t| t.trim().parse().ok());
        pid.is_some()
    });
    if cfg!(target_os = "linux") { outer_pid(pid.unwrap(), file.parent().unwrap()) } else { pid.unwrap() }
}

#[cfg(unix)]
fn outer_pid(inner: i32, folder: &Path) -> i32 {
    let folder = folder.canonicalize().unwrap();
    let is_it = |pid: &i32| {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:")).unwrap_or_default();
        numbers.split_whitespace().next_back() == Some(&inner.to_string())
            && std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == folder)
    };
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.find(is_it).unwrap_or(i32::MAX)
}

pub(crate) fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            files.extend(files_below(&entry.path()));
        } else if kind.is_file() {
            files.push(entry.path());
        }
    }
    files
}
