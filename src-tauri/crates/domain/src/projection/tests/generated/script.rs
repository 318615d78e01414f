//! Plays steps as a session would: runs before turns, calls before results, files as the disk has them.

use super::{Disk, Generated, Step, Touch, User, hash_of};
use crate::*;
use serde_json::json;

pub(super) const STEP_KINDS: u8 = 31;
const PATHS: &[&str] = &["a.rs", "b.rs", "src/c.rs", "src/d.rs", "e.md"];

struct Script {
    session: Generated,
    session_id: SessionId,
    disk: Disk,
    run: Option<RunId>,
    made: u64,
    turn: u32,
    call: Option<ToolCall>,
    queue: Vec<QueuedMessageDraft>,
    user: User,
}

#[derive(Clone)]
struct QueuedMessageDraft {
    message_id: MessageId,
    mode: QueueMode,
}

pub(super) fn played(steps: &[Step], user: User) -> Generated {
    let disk: Disk = [("a.rs".to_owned(), 200), ("e.md".to_owned(), 201)].into();
    let mut script = Script {
        session: Generated { disks: vec![disk.clone()], ..Generated::default() },
        session_id: SessionId::from("s0"),
        disk,
        run: None,
        made: 0,
        turn: 0,
        call: None,
        queue: Vec::new(),
        user,
    };
    script.create(None);
    for step in steps {
        script.play(*step);
    }
    script.session
}

fn content(a: u8) -> Option<u8> {
    (!a.is_multiple_of(5)).then_some(a)
}

fn path(a: u8) -> String {
    PATHS[a as usize % PATHS.len()].to_owned()
}

impl Script {
    fn play(&mut self, (kind, a, b): Step) {
        match kind {
            0..=1 => self.start_run(a),
            2..=4 => self.take_turn(a, b),
            5..=7 => self.make_call(a, b),
            8..=10 => self.finish_call(a, b),
            11 => self.end_run(a),
            12 => self.pause(a),
            13 => self.wait_in_queue(a),
            14 => self.change_queue(a, b),
            15 => self.plan(a, b),
            16 => self.remember(a, b),
            17..=18 => self.rewind(a, b),
            19 => self.take_back(a),
            20 => self.user_edits(a, b),
            21 => self.configure(a),
            22 => self.keep_state(a),
            23 => self.side_effects(a),
            24 => self.ask_the_user(a),
            25 => self.pipeline(a),
            26 => self.fork(a),
            27 => self.delegate(a),
            28 => self.compact(a),
            29 => self.leave_out(a),
            _ => self.retry(a),
        }
    }

    fn add(&mut self, body: impl Into<EventBody>) -> u64 {
        let body = body.into();
        let payload = serde_json::value::to_raw_value(&body.payload().unwrap()).unwrap();
        self.add_raw(body.kind(), payload)
    }

    fn add_raw(&mut self, kind: &str, payload: Box<serde_json::value::RawValue>) -> u64 {
        let seq = self.session.events.len() as u64 + 1;
        self.made += 1;
        self.session.events.push(Event {
            event_id: EventId::from(format!("e{}", self.made)),
            run_id: self.run.clone(),
            session_id: self.session_id.clone(),
            seq,
            ts: 1000 * self.made as i64,
            kind: kind.to_owned(),
            payload,
            prev_hash: String::new(),
            hash: String::new(),
        });
        self.session.disks.push(self.disk.clone());
        seq
    }

    fn create(&mut self, parent_session: Option<SessionId>) {
        let (title, project, agent) = ("Title".to_owned(), "/p".to_owned(), "arki".to_owned());
        self.add(SessionCreated { title, project, agent, parent_session, worktree: None });
    }

    fn start_run(&mut self, a: u8) {
        if self.run.is_some() {
            return;
        }
        self.run = Some(RunId::from(format!("r{}", self.made)));
        self.turn = 0;
        let from_queue = a.is_multiple_of(2) && !self.queue.is_empty();
        let message_id = from_queue.then(|| self.queue.remove(0).message_id);
        self.add(RunStarted {
            prompt: format!("prompt {a}"),
            agent: "arki".into(),
            model: "mock/mock".into(),
            core: "tool-loop".into(),
            system_prompt_hash: String::new(),
            options: RunOptions { max_cost_usd: Some(f64::from(a) / 7.0), ..RunOptions::default() },
            message_id,
            parent: None,
            session_start: None,
            request: None,
        });
    }

    fn take_turn(&mut self, a: u8, b: u8) {
        if self.run.is_none() || self.call.is_some() {
            return;
        }
        self.turn += 1;
        let turn = self.turn;
        let (provider, model) = ("mock".to_owned(), format!("m{}", a % 3));
        self.add(EngineRequest {
            turn,
            provider,
            model,
            request_hash: String::new(),
            message_count: 1,
            context_window: None,
            purpose: None,
            stage: None,
            head_hash: None,
        });
        let interrupted = b.is_multiple_of(9);
        if !interrupted {
            let usage = Usage {
                prompt_tokens: u64::from(a),
                completion_tokens: u64::from(b),
                total_tokens: u64::from(a) + u64::from(b),
                cached_tokens: u64::from(a) / 2,
                cost_usd: (!b.is_multiple_of(7)).then(|| f64::from(b) / 3.0e6),
                ..Usage::default()
            };
            let (finish_reason, ttft_ms) = (FinishReason::Stop, Some(1));
            self.add(EngineResponse { turn, finish_reason, usage, ttft_ms, duration_ms: 2, purpose: None });
        }
        let thoughts = a.is_multiple_of(2).then(|| format!("thought {a}"));
        self.add(OutputMessage {
            turn,
            role: Role::Assistant,
            content: format!("said {b}"),
            thoughts,
            reasoning: None,
            interrupted,
            retried: false,
        });
    }

    fn make_call(&mut self, a: u8, b: u8) {
        if self.run.is_none() || self.call.is_some() {
            return;
        }
        let call_id = CallId::from(format!("c{}", self.made));
        let (tool_id, args) = match a % 3 {
            0 => ("run_command", json!({"command": format!("cargo test {b}")})),
            1 => ("edit_file", json!({"path": path(b), "ratio": f64::from(b) / 11.0})),
            _ => ("imagined", json!("not JSON")),
        };
        let (tool_id, category, async_call_id) = (tool_id.into(), Some(Category::Write), Some(call_id.clone()));
        let call = ToolCall { turn: self.turn, call_id, tool_id, args, category, async_call_id };
        self.add(call.clone());
        if b.is_multiple_of(2) {
            self.ask_for_approval(&call, b);
        }
        self.decide(&call, if a.is_multiple_of(4) { Decision::Deny } else { Decision::Allow });
        self.call = Some(call);
    }

    fn decide(&mut self, call: &ToolCall, decision: Decision) {
        let (rule, reason) = ("category:write".to_owned(), String::new());
        self.add(PolicyDecided {
            call_id: call.call_id.clone(),
            decision,
            rule,
            reason,
            sentences: Vec::new(),
            risk: Risk::Low,
            files: vec![],
            landing: None,
        });
    }

    fn ask_for_approval(&mut self, call: &ToolCall, b: u8) {
        let approval_id = ApprovalId::from(format!("a{}", self.made));
        self.decide(call, Decision::Approval);
        self.add(ApprovalRequested {
            approval_id: approval_id.clone(),
            kind: ApprovalKind::Tool,
            call_id: Some(call.call_id.clone()),
            tool_id: call.tool_id.clone(),
            args: call.args.clone(),
            risk: Risk::Low,
            rule: "category:write".into(),
            reason: String::new(),
            sentences: Vec::new(),
            preview: None,
            calls: Vec::new(),
            command: None,
            supersedes: None,
            timeout_seconds: None,
        });
        let reason = PauseReason::Approval;
        self.add(RunPaused { reason, approval_id: Some(approval_id.clone()), question_id: None, worked_ms: None });
        self.add(ApprovalResolved {
            approval_id: approval_id.clone(),
            decision: if b.is_multiple_of(4) { ApprovalDecision::Approve } else { ApprovalDecision::Reject },
            hunks: None,
            edited: Default::default(),
            command: None,
            plan: None,
            reason: None,
            resolved_by: "cli".into(),
            preview_hash: String::new(),
            request: None,
        });
        self.add(RunResumed { approval_id: Some(approval_id), ..RunResumed::because(reason) });
    }

    fn finish_call(&mut self, a: u8, b: u8) {
        let Some(ToolCall { call_id, tool_id, .. }) = self.call.take() else { return };
        for place in 0..b % 4 {
            self.change_file(path(a.wrapping_add(place)), content(b.wrapping_mul(3).wrapping_add(a)), &call_id);
        }
        let (result, is_error) = (format!("exit code {}\n", a % 3), a.is_multiple_of(3));
        let code = None;
        self.add(ToolResult {
            call_id: call_id.clone(),
            tool_id: tool_id.clone(),
            result,
            styles: Vec::new(),
            is_error,
            duration_ms: 5,
            truncated: false,
            code,
            possible_secrets: 0,
            async_call_id: a.is_multiple_of(6).then(|| call_id.clone()),
            process_id: Some(7),
            usage: b.is_multiple_of(5).then(|| Usage { cost_usd: Some(0.25), ..Usage::default() }),
            background: Vec::new(),
            elicitations: Vec::new(),
        });
        if a.is_multiple_of(12) {
            self.add(ToolAsyncResult {
                async_call_id: call_id,
                tool_id,
                result: "late".into(),
                styles: Vec::new(),
                is_error: false,
                usage: None,
                background: Vec::new(),
            });
        }
    }

    fn change_file(&mut self, path: String, after: Option<u8>, call_id: &CallId) {
        let before = self.disk.get(&path).copied();
        let (before_hash, after_hash) = (hash_of(before), hash_of(after));
        self.set(&path, after);
        let (call_id, hunks) = (call_id.clone(), vec![]);
        let seq = self.add(FileChanged {
            path: path.clone(),
            before_hash,
            after_hash,
            before_unknown: false,
            after_unknown: false,
            before_permissions: Permissions::default(),
            before_link: false,
            after_link: false,
            call_id,
            hunks,
            by_session: None,
            by_hook: None,
        });
        self.session.touches.push(Touch { seq, path, before, after });
    }

    fn set(&mut self, path: &str, content: Option<u8>) {
        match content {
            Some(content) => self.disk.insert(path.to_owned(), content),
            None => self.disk.remove(path),
        };
    }

    fn end_run(&mut self, a: u8) {
        if self.run.is_none() {
            return;
        }
        let (message, retryable) = (String::new(), true);
        match a % 3 {
            0 => {
                self.add(RunFailed {
                    code: "PROVIDER_TIMEOUT".into(),
                    message,
                    hint: String::new(),
                    retryable,
                    cause: None,
                });
            }
            1 => {
                self.add(RunCancelled { code: "CANCELLED".into(), message, retryable });
            }
            _ => {
                let (response, usage) = ("done".to_owned(), Usage::zero());
                self.add(RunCompleted { response, turns: self.turn, usage });
            }
        }
        (self.run, self.call) = (None, None);
    }
}

mod state;
