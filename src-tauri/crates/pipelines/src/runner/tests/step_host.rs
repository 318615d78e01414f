//! A world whose commands are words: `upper`, `same`, `append TEXT`, `fail TIMES`, `wait`, `hang` and a few more.

use crate::step_host::{
    AgentTask, ChildEnd, CommandEnd, CommandEnding, CommandTask, HttpRequest, HttpResponse, StepHost, Task,
};
use arki_domain::{ApprovalId, Code, Error, SubagentStarted};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Default)]
pub(super) struct TestStepHost {
    runs: Mutex<HashMap<String, usize>>,
    at_work: AtomicUsize,
    most: AtomicUsize,
    is_settled: AtomicBool,
    children: Mutex<Vec<SubagentStarted>>,
}

impl TestStepHost {
    /// Returns how often the step's command ran.
    pub(super) fn runs(&self, step: &str) -> usize {
        self.runs.lock().unwrap().get(step).copied().unwrap_or_default()
    }

    pub(super) fn all_runs(&self) -> usize {
        self.runs.lock().unwrap().values().sum()
    }

    pub(super) fn most_at_once(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    pub(super) fn settle(&self) {
        self.is_settled.store(true, Ordering::SeqCst);
    }

    /// The runs that worked for steps as pipelines, one for each attempt.
    pub(super) fn children(&self) -> Vec<SubagentStarted> {
        self.children.lock().unwrap().clone()
    }

    fn count(&self, step: &str) -> usize {
        let mut runs = self.runs.lock().unwrap();
        let count = runs.entry(step.to_owned()).or_default();
        *count += 1;
        *count
    }
}

#[async_trait]
impl StepHost for TestStepHost {
    fn named_paths(&self, line: &str) -> Vec<String> {
        line.split(' ').skip(1).map(str::to_owned).collect()
    }

    /// `link` leads to `.env`.
    fn places(&self, path: &str) -> Vec<String> {
        vec![path.strip_prefix("/project/").unwrap_or(path).replace("link", ".env")]
    }

    /// `twin` is another name of `.env`.
    fn other_names(&self, paths: &[&str]) -> Vec<(usize, String)> {
        paths.iter().enumerate().filter(|(_, path)| **path == "twin").map(|(at, _)| (at, ".env".to_owned())).collect()
    }

    fn is_there(&self, path: &str) -> bool {
        path.starts_with("my ")
    }

    fn has_program(&self, _: &str) -> bool {
        true
    }

    async fn command(&self, command: &CommandTask<'_>, task: &Task) -> Result<CommandEnd, Error> {
        let count = self.count(&task.context.step);
        let now = self.at_work.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(now, Ordering::SeqCst);
        let (word, rest) = command.line.split_once(' ').unwrap_or((command.line, ""));
        let mut end = CommandEnd {
            ending: CommandEnding::Exited,
            exit_code: Some(0),
            stdout: task.input.to_string(),
            is_text: true,
            is_cut: false,
            stderr: String::new(),
            changed: Vec::new(),
        };
        match word {
            "upper" => end.stdout = task.input.to_uppercase(),
            "append" => end.stdout.push_str(rest),
            "fail" if count <= rest.parse().unwrap() => end.exit_code = Some(7),
            "refuse" if &*task.input == rest => end.exit_code = Some(7),
            "refuse" | "wait" => tokio::time::sleep(Duration::from_secs(1)).await,
            "hang" => {
                task.context.cancel.cancelled().await;
                end.ending = CommandEnding::Cancelled;
            }
            "long" => end.stdout = "x".repeat(100_000),
            "length" => end.stdout = task.input.len().to_string(),
            "touch" => end.changed.push(rest.to_owned()),
            _ => tokio::task::yield_now().await,
        }
        self.at_work.fetch_sub(1, Ordering::SeqCst);
        Ok(end)
    }

    async fn agent(&self, agent: AgentTask, task: &Task) -> Result<ChildEnd, Error> {
        assert!(task.child.is_some());
        self.count(&task.context.step);
        match agent.prompt.starts_with("ask") && !self.is_settled.load(Ordering::SeqCst) {
            true => Ok(ChildEnd::Waiting(ApprovalId::from("beneath"))),
            false => Ok(ChildEnd::Completed { output: format!("answer to: {}", agent.prompt) }),
        }
    }

    /// `fail TIMES` fails so often, `stop` is stopped the first time.
    async fn pipeline(&self, name: &str, _: BTreeMap<String, String>, task: &Task) -> Result<ChildEnd, Error> {
        let count = self.count(&task.context.step);
        self.children.lock().unwrap().push(task.child.clone().unwrap());
        let fault = Error::new(Code::STEP_TIMEOUT, "A step of it failed.", "");
        Ok(match name.split_once(' ') {
            Some(("fail", times)) if count <= times.parse().unwrap() => ChildEnd::Failed(fault),
            None if name == "stop" && count == 1 => ChildEnd::Failed(fault),
            _ => ChildEnd::Completed { output: name.to_owned() },
        })
    }

    async fn can_go_on(&self, child: &SubagentStarted) -> Result<bool, Error> {
        Ok(child.agent != "pipeline:stop")
    }

    async fn http(&self, request: HttpRequest, _: &Task) -> Result<HttpResponse, Error> {
        let location = request.url.ends_with("/moved").then(|| "https://other.example/".to_owned());
        Ok(HttpResponse { status: if location.is_some() { 302 } else { 200 }, location, body: request.url })
    }

    async fn is_settled(&self, _: &ApprovalId) -> Result<bool, Error> {
        Ok(self.is_settled.load(Ordering::SeqCst))
    }
}
