//! Drives a run through its crashes to its end, and looks whether anything was lost or done twice.
#![cfg(unix)]

use crate::crash_script::GOAL;
use crate::harness::{Stage, files_below, payload, payloads, program, text};
use arki_testkit::{kinds, verify_chain};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::ChildStdout;
use std::sync::mpsc;
use std::time::Duration;

/// A run takes fewer processes than this, crashes and approvals included.
const MAX_STARTS: usize = 60;

/// When a process is killed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kill {
    /// When it has printed so many stored events.
    AtEvent(usize),
    /// So long after its start.
    After(Duration),
    Never,
}

/// One run of the script, from its start over its crashes to its end.
pub(crate) struct Course {
    pub(crate) stage: Stage,
    approve: &'static str,
    /// Every stored event that some process printed, in full.
    acknowledged: Vec<Value>,
    /// How many of them each process printed.
    pub(crate) printed: Vec<usize>,
}

impl Course {
    pub(crate) fn new(stage: Stage, approve: &'static str) -> Self {
        Self { stage, approve, acknowledged: Vec::new(), printed: Vec::new() }
    }

    /// Each process gets the next kill; what is left of them when the run is done is not needed.
    pub(crate) fn run(&mut self, kills: &[Kill]) {
        let mut kills = kills.iter().copied().chain(std::iter::repeat(Kill::Never));
        let mut args = self.start();
        for _ in 0..MAX_STARTS {
            let code = self.process(&args, kills.next().unwrap_or(Kill::Never));
            args = match (code, self.session()) {
                (Some(0), _) => return,
                (Some(3), _) => vec!["approvals".into(), "approve".into(), self.stage.waiting()],
                (None, None) => self.start(),
                (None, Some(session)) if self.is_completed(&session) => return,
                (None, Some(session)) => vec!["resume".into(), session],
                (Some(code), _) => panic!("{args:?} ended with {code}: {:?}", self.acknowledged.last()),
            };
        }
        panic!("it does not come to an end: {:?}", kinds(&self.acknowledged));
    }

    fn start(&self) -> Vec<String> {
        ["exec", "--approve", self.approve, "do all the steps"].map(str::to_owned).into()
    }

    /// Runs `arki args... --json`; the exit code, or none when it was killed.
    fn process(&mut self, args: &[String], kill: Kill) -> Option<i32> {
        let args: Vec<&str> = args.iter().map(String::as_str).chain(["--json"]).collect();
        let mut child = self.stage.home.spawn_arki(&program(), &args).unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let pid = rustix::process::Pid::from_child(&child);
        // It has not been waited for, so that its number is nobody else's.
        let kill_it = move || {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        };
        let (ended, waits) = mpsc::channel::<()>();
        let killer = std::thread::spawn(move || match kill {
            Kill::After(delay) if waits.recv_timeout(delay) == Err(mpsc::RecvTimeoutError::Timeout) => kill_it(),
            Kill::After(_) | Kill::AtEvent(_) | Kill::Never => {}
        });
        let mut printed = 0;
        while let Some(event) = next_event(&mut lines) {
            if event["type"] != "output.delta" {
                self.acknowledged.push(event);
                printed += 1;
                if matches!(kill, Kill::AtEvent(number) if number == printed) {
                    kill_it();
                }
            }
        }
        drop(ended);
        killer.join().unwrap();
        self.printed.push(printed);
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        let code = child.wait().unwrap().code();
        assert!(matches!(code, None | Some(0 | 3)), "{args:?} ended with {code:?}: {stderr}");
        code
    }

    fn session(&self) -> Option<String> {
        let known = self.acknowledged.first().map(|event| text(&event["sessionId"]));
        known.or_else(|| self.stage.sessions().first().map(|session| text(&session["sessionId"])))
    }

    /// Also when it was killed after the end; what is noted of the session may come after that.
    fn is_completed(&self, session: &str) -> bool {
        let is_end = |event: &Value| event["type"] == "run.completed";
        self.acknowledged.iter().any(is_end) || self.stage.events(session).iter().any(is_end)
    }

    pub(crate) fn log(&self) -> Vec<Value> {
        self.stage.log()
    }

    pub(crate) fn files(&self) -> BTreeMap<String, String> {
        let root = self.stage.home.project_dir();
        let content = |path: &std::path::Path| String::from_utf8(std::fs::read(path).unwrap()).unwrap();
        files_below(&root)
            .into_iter()
            .map(|path| (path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned(), content(&path)))
            .collect()
    }

    /// Nothing that was acknowledged is lost, the chain is whole, every call was carried out once, and the files are
    /// those of the undisturbed run.
    pub(crate) fn is_as_undisturbed(&self, files: &BTreeMap<String, String>) {
        let log = self.log();
        assert_eq!(verify_chain(&log), Ok(()));
        self.stage.verifies();
        for event in &self.acknowledged {
            let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
            assert_eq!(log.get(seq - 1), Some(event), "an acknowledged event is lost or changed");
        }
        assert_eq!(payload(&log, "run.completed")["response"], GOAL.trim_end(), "{:?}", kinds(&log));
        let calls = payloads(&log, "tool.call");
        for kind in ["tool.result", "file.changed"] {
            let of_call =
                |call: &Value| payloads(&log, kind).iter().filter(|of| of["callId"] == call["callId"]).count();
            let most = calls.iter().map(of_call).max();
            assert_eq!(most, Some(1), "{kind} of a call more than once");
        }
        assert_eq!(payloads(&log, "tool.result").len(), calls.len(), "a call without a result");
        let begun = |call: &Value| {
            let decided = payloads(&log, "policy.decided");
            decided.iter().filter(|of| of["callId"] == call["callId"] && of["decision"] == json!("allow")).count()
        };
        assert!(calls.iter().all(|call| begun(call) <= 1), "a call was begun twice: {:?}", kinds(&log));
        let found = self.files();
        let names = found.keys().chain(files.keys());
        let different: Vec<_> = names.filter(|name| found.get(*name) != files.get(*name)).collect();
        assert!(different.is_empty(), "{different:?}; the journal: {:?}", found.get("journal.txt"));
    }
}

/// The next whole line; what was cut off by the kill was not acknowledged.
fn next_event(lines: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    line.ends_with('\n').then(|| serde_json::from_str(&line).unwrap())
}
