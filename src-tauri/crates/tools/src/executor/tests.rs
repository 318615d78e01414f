//! The executor over a log in memory and a real folder.

#[cfg(target_os = "linux")]
mod checking;
#[cfg(target_os = "linux")]
mod coloured;
mod delegation;
mod delegation_row;
mod edit_group;
#[cfg(target_os = "linux")]
mod hooks;
mod isolation;
mod judging;
mod lifecycle_hooks;
mod parallel_calls;
#[cfg(target_os = "linux")]
mod private_files;
#[cfg(target_os = "linux")]
mod reading;
mod refused_calls;
mod remote;
mod repeated;
mod secret_files;
mod stale;
mod user_question;

use super::{Audience, BackgroundCommands, ExecutorSettings, ToolExecutor, ToolLimits};
use crate::tool::Tool;
use arki_domain::projection::RunState;
use arki_domain::*;
use arki_files::Project;
use arki_policy::{ChangedGit, PolicySettings};
use arki_process::CommandLimits;
use arki_redaction::Redactor;
use arki_sandbox::SandboxStatus;
use async_trait::async_trait;
use globset::GlobSet;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// A log in memory, numbered but not chained.
#[derive(Default)]
struct MemoryLog(Mutex<Vec<Arc<Event>>>);

#[async_trait]
impl EventLog for MemoryLog {
    async fn append(&self, session: &SessionId, drafts: Vec<EventDraft>) -> Result<Vec<Arc<Event>>, Error> {
        let mut events = self.0.lock().unwrap();
        let numbered = drafts.into_iter().zip(events.len() as u64 + 1..);
        let stored: Vec<_> = numbered.map(|(draft, seq)| Arc::new(event(session, draft, seq))).collect();
        events.extend(stored.iter().cloned());
        Ok(stored)
    }

    async fn read_after(&self, _: &SessionId, seq: u64) -> Result<Vec<Arc<Event>>, Error> {
        Ok(self.0.lock().unwrap().iter().filter(|event| event.seq > seq).cloned().collect())
    }

    async fn event(&self, _: &SessionId, seq: u64) -> Result<Option<Arc<Event>>, Error> {
        Ok(self.0.lock().unwrap().iter().find(|event| event.seq == seq).cloned())
    }

    async fn keep_partial(&self, _: &SessionId, _: Option<PartialAnswer>) -> Result<(), Error> {
        Ok(())
    }
}

fn event(session: &SessionId, draft: EventDraft, seq: u64) -> Event {
    Event {
        event_id: EventId::new(),
        run_id: draft.run_id,
        session_id: session.clone(),
        seq,
        ts: 0,
        kind: draft.body.kind().into(),
        payload: serde_json::value::to_raw_value(&draft.body.payload().unwrap()).unwrap(),
        prev_hash: String::new(),
        hash: String::new(),
    }
}

#[derive(Default)]
struct Shown(Mutex<String>);

impl LiveBus for Shown {
    fn publish(&self, event: LiveEvent) {
        if let LiveEvent::CommandOutput { text, .. } = event {
            self.0.lock().unwrap().push_str(&text);
        }
    }
}

#[derive(Default)]
struct Kept {
    contents: Mutex<Vec<Content>>,
    /// Done once, when the first content has been kept: just before a change is written.
    then: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

#[async_trait]
impl ContentStore for Kept {
    async fn put(&self, _: &SessionId, contents: Vec<Content>) -> Result<(), Error> {
        self.contents.lock().unwrap().extend(contents);
        if let Some(then) = self.then.lock().unwrap().take() {
            then();
        }
        Ok(())
    }

    async fn artifact(&self, _: &SessionId, id: &str) -> Result<Option<Vec<u8>>, Error> {
        let kept = self.contents.lock().unwrap();
        Ok(kept.iter().find(|content| content.hash.starts_with(id)).map(|content| content.bytes.clone()))
    }

    async fn content(&self, hash: &str) -> Result<Option<Vec<u8>>, Error> {
        let kept = self.contents.lock().unwrap();
        Ok(kept.iter().find(|content| content.hash == hash).map(|content| content.bytes.clone()))
    }

    async fn project_snapshot(&self, _: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(None)
    }

    async fn put_project_snapshot(&self, _: &str, _: Vec<u8>) -> Result<(), Error> {
        Ok(())
    }
}

struct AsItBegan;

impl crate::FolderRules for AsItBegan {
    fn now(&self, _: &PolicySettings) -> Option<PolicySettings> {
        None
    }

    fn changed_git(&self) -> ChangedGit {
        ChangedGit::default()
    }

    fn is_agreed(&self, _file: &'static str, line: Option<&str>) -> bool {
        !line.is_some_and(|line| line.starts_with("changed"))
    }

    fn tell(&self, _: String) {}
}

/// An executor with some tools more, and one run that calls them.
struct Bench {
    log: Arc<MemoryLog>,
    shown: Arc<Shown>,
    kept: Arc<Kept>,
    executor: Arc<ToolExecutor>,
    options: RunOptions,
    cancel: CancellationToken,
    folder: tempfile::TempDir,
    /// What checkers build.
    _checks: tempfile::TempDir,
}

impl Bench {
    fn new(tools: Vec<Tool>, approve: ApprovalMode) -> Self {
        Self::before(Audience::Nobody, tools, approve)
    }

    /// In the strongest sandbox of this machine.
    #[cfg(target_os = "linux")]
    fn in_sandbox(approve: ApprovalMode) -> Self {
        let sandbox = arki_sandbox::Sandbox::strongest();
        assert!(sandbox.available, "{:?}", sandbox.reason);
        Self::prepared(Audience::Nobody, Vec::new(), approve, sandbox)
    }

    fn before(audience: Audience, tools: Vec<Tool>, approve: ApprovalMode) -> Self {
        let none = SandboxStatus { available: false, name: "none".into(), reason: None };
        Self::prepared(audience, tools, approve, none)
    }

    fn prepared(audience: Audience, tools: Vec<Tool>, approve: ApprovalMode, sandbox: SandboxStatus) -> Self {
        Self::with(audience, (tools, Vec::new(), Vec::new()), approve, sandbox)
    }

    fn with(
        audience: Audience,
        (tools, hooks, checkers): (Vec<Tool>, Vec<crate::Hook>, Vec<crate::Checker>),
        approve: ApprovalMode,
        sandbox: SandboxStatus,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let checks = tempfile::tempdir().unwrap();
        let log = Arc::new(MemoryLog::default());
        let shown = Arc::new(Shown::default());
        let kept = Arc::new(Kept::default());
        let settings = ExecutorSettings {
            imported: BTreeSet::new(),
            audience,
            model: "lab/x".to_owned(),
            private_hosts: crate::PrivateHosts::default(),
            project: Arc::new(Project::open(folder.path()).unwrap()),
            trusted: true,
            policy: PolicySettings::default(),
            limits: ToolLimits {
                timeout_seconds: 60,
                max_output_bytes: 1000,
                command: CommandLimits::default(),
                max_effects_bytes: 256 << 20,
            },
            secrets: GlobSet::empty(),
            secret_globs: Vec::new(),
            own_folders: Vec::new(),
            hidden: Vec::new(),
            views: folder.path().join("views"),
            trash: folder.path().join("trash"),
            journals: folder.path().join("journals"),
            sandbox,
            standing: Arc::new(AsItBegan),
            tools,
            guides: crate::Guides::default(),
            context: Arc::new(arki_retrieval::NoContext),
            hooks,
            checkers,
            checks: checks.path().join("own"),
            background: Arc::new(BackgroundCommands::new(log.clone())),
            contents: kept.clone(),
            buffers: None,
            view_fault: std::sync::OnceLock::new(),
        };
        let executor = ToolExecutor::new(log.clone(), shown.clone(), Redactor::default(), settings);
        let options = RunOptions { approve, ..RunOptions::default() };
        Self { log, shown, kept, executor, options, cancel: CancellationToken::new(), folder, _checks: checks }
    }

    /// The model calls a tool; nothing is done yet.
    async fn called(&self, tool_id: &str, args: Value) {
        self.called_as("c", tool_id, args).await;
    }

    fn started(&self) -> RunStarted {
        RunStarted {
            prompt: "go".into(),
            agent: "arki".into(),
            model: "m/m".into(),
            core: "tool-loop".into(),
            system_prompt_hash: String::new(),
            options: self.options.clone(),
            message_id: None,
            parent: None,
            session_start: None,
            request: None,
        }
    }

    async fn called_as(&self, call_id: &str, tool_id: &str, args: Value) {
        self.append(vec![self.started().into()]).await;
        self.also_called(call_id, tool_id, args).await;
    }

    async fn also_called(&self, call_id: &str, tool_id: &str, args: Value) {
        let (call_id, tool_id) = (CallId::from(call_id), tool_id.to_owned());
        let call = ToolCall { turn: 1, call_id, tool_id, args, category: None, async_call_id: None };
        self.append(vec![call.into()]).await;
    }

    async fn append(&self, bodies: Vec<EventBody>) {
        let run = RunId::from("r");
        let drafts = bodies.into_iter().map(|body| EventDraft::of_run(&run, body)).collect();
        self.log.append(&SessionId::from("s"), drafts).await.unwrap();
    }

    fn state(&self) -> RunState {
        let events = self.log.0.lock().unwrap().clone();
        RunState::fold(events.iter().map(AsRef::as_ref)).unwrap()
    }

    /// Carries the first call without a result on, from what the log says.
    async fn carry_on(&self) -> CallOutcome {
        let state = self.state();
        self.executor.execute(&state.pending_calls()[0], &self.context()).await.unwrap().outcome
    }

    /// Carries all calls without a result on, as the model's one answer.
    async fn carry_on_together(&self) -> CallOutcome {
        let state = self.state();
        self.executor.execute_together(state.pending_calls(), &self.context()).await.unwrap().outcome
    }

    fn context(&self) -> CallContext {
        CallContext {
            session_id: SessionId::from("s"),
            run_id: RunId::from("r"),
            options: self.options.clone(),
            time_left: None,
            cost_left_usd: None,
            previous: None,
            sees_pictures: false,
            agent_state: Default::default(),
            last_seq: self.log.0.lock().unwrap().len() as u64,
            cancel: self.cancel.clone(),
            pause: CancellationToken::new(),
        }
    }

    fn kinds(&self) -> Vec<String> {
        self.log.0.lock().unwrap().iter().skip(2).map(|event| event.kind.clone()).collect()
    }

    /// The last result: its text and the code of its error.
    fn result(&self) -> (String, Option<String>) {
        let result = self.whole_result();
        (result.result, result.code)
    }

    fn whole_result(&self) -> ToolResult {
        let events = self.log.0.lock().unwrap();
        let result = events.iter().rev().find_map(|event| match event.body() {
            EventBody::ToolResult(result) => Some(result),
            _ => None,
        });
        result.unwrap()
    }
}
