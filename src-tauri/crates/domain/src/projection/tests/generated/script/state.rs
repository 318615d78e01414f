//! The steps that are not a run's turns: queue, plan, memory, going back, forks, and what merely is noted.

use super::*;

impl Script {
    pub(super) fn pause(&mut self, a: u8) {
        if self.run.is_none() {
            return;
        }
        let reason = if a.is_multiple_of(2) { PauseReason::Budget } else { PauseReason::User };
        self.add(RunPaused::because(reason));
        self.add(RunResumed { approve: Some(ApprovalMode::Edits), ..RunResumed::because(reason) });
    }

    pub(super) fn wait_in_queue(&mut self, a: u8) {
        let message_id = MessageId::from(format!("m{}", self.made));
        let mode = if a.is_multiple_of(2) { QueueMode::Steer } else { QueueMode::FollowUp };
        self.queue.push(QueuedMessageDraft { message_id: message_id.clone(), mode });
        self.add(MessageQueued { message_id, text: format!("also {a}"), mode });
    }

    pub(super) fn change_queue(&mut self, a: u8, b: u8) {
        let mut delivered = Vec::new();
        if !self.queue.is_empty() {
            let place = a as usize % self.queue.len();
            let taken = self.queue.remove(place);
            match b % 3 {
                0 => delivered.push(taken.message_id),
                1 => self.queue.insert(0, taken),
                _ => {}
            }
        }
        let text = |place: usize| (place == 0 && b.is_multiple_of(2)).then(|| format!("edited {b}"));
        let entry = |(place, message): (usize, &QueuedMessageDraft)| QueuedEntry {
            message_id: message.message_id.clone(),
            mode: message.mode,
            text: text(place),
        };
        let queued = self.queue.iter().enumerate().map(entry).collect();
        self.add(QueueChanged { queued, delivered });
    }

    pub(super) fn plan(&mut self, a: u8, b: u8) {
        let step = |step: u8| PlanStep { title: format!("step {step}"), state: PlanStepState::Pending };
        let steps: Vec<PlanStep> = (0..b % 6).map(step).collect();
        if a.is_multiple_of(3) {
            self.add(PlanProposed { intent: format!("intent {a}"), steps, steps_left_out: 0 });
        } else {
            self.add(PlanUpdated { intent: String::new(), steps });
        }
    }

    pub(super) fn remember(&mut self, a: u8, b: u8) {
        let id = self.made;
        let remembered = |n: u8| Remembered {
            id: format!("o{id}.{n}"),
            text: format!("fact {b}"),
            based_on: vec!["o1".into()],
            proposed_for: n.is_multiple_of(2).then_some(MemoryScope::Project),
            ..Remembered::default()
        };
        let all: Vec<Remembered> = (0..b % 3).map(remembered).collect();
        if a.is_multiple_of(5) {
            let (decision, text) = (MemoryDecision::Accepted, a.is_multiple_of(2).then(|| format!("better {a}")));
            self.add(MemoryReviewed { id: format!("o{}.0", self.made - 1), decision, text });
        } else if a.is_multiple_of(2) {
            self.add(MemoryObserved { observations: all, ..MemoryObserved::default() });
        } else {
            self.add(MemoryReflected { reflections: all, ..MemoryReflected::default() });
        }
    }

    pub(super) fn rewind(&mut self, a: u8, b: u8) {
        self.end_run(1);
        let to_seq = u64::from(a) * self.session.events.len() as u64 / 255;
        let (files, conversation) = (!b.is_multiple_of(3), !b.is_multiple_of(2));
        let before = self.disk.clone();
        let changes = if files { self.put_back(to_seq, b) } else { Vec::new() };
        self.add(SessionRewound { to_seq, files, conversation, checkpoint_id: None, changes: changes.clone() });
        self.note_touches(&changes, &before);
    }

    /// What the disk held at that moment, for the paths that are not ours to leave alone.
    fn put_back(&mut self, to_seq: u64, b: u8) -> Vec<RestoredFile> {
        let wanted = self.session.disks[to_seq as usize].clone();
        let later = self.session.touches.iter().filter(|touch| touch.seq > to_seq);
        let paths: std::collections::BTreeSet<String> = later.map(|touch| touch.path.clone()).collect();
        let mut changes = Vec::new();
        for path in paths {
            let (now, wanted) = (self.disk.get(&path).copied(), wanted.get(&path).copied());
            let is_conflict = self.user == User::Edits && b.is_multiple_of(5);
            let action = match wanted {
                _ if now == wanted => RestoreAction::Keep,
                _ if is_conflict => RestoreAction::Conflict,
                Some(_) => RestoreAction::Restore,
                None => RestoreAction::Delete,
            };
            let after = if action == RestoreAction::Conflict { now } else { wanted };
            self.set(&path, after);
            let (before_hash, after_hash) = (hash_of(now), hash_of(after));
            changes.push(RestoredFile {
                path,
                action,
                before_hash,
                after_hash,
                before_permissions: Permissions::default(),
                before_link: false,
                after_link: false,
            });
        }
        changes
    }

    fn note_touches(&mut self, changes: &[RestoredFile], before: &Disk) {
        let seq = self.session.events.len() as u64;
        for change in changes {
            if matches!(change.action, RestoreAction::Restore | RestoreAction::Delete) {
                let (before, after) = (before.get(&change.path).copied(), self.disk.get(&change.path).copied());
                self.session.touches.push(Touch { seq, path: change.path.clone(), before, after });
            }
        }
    }

    pub(super) fn take_back(&mut self, a: u8) {
        if self.session.touches.is_empty() {
            return;
        }
        let touch = self.session.touches[a as usize % self.session.touches.len()].clone();
        let disk = self.disk.clone();
        let now = disk.get(&touch.path).copied();
        self.set(&touch.path, touch.before);
        let action = match touch.before {
            before if before == now => RestoreAction::Keep,
            Some(_) => RestoreAction::Restore,
            None => RestoreAction::Delete,
        };
        let (before_hash, after_hash) = (hash_of(now), hash_of(touch.before));
        let changes = vec![RestoredFile {
            path: touch.path,
            action,
            before_hash,
            after_hash,
            before_permissions: Permissions::default(),
            before_link: false,
            after_link: false,
        }];
        self.add(ChangeTakenBack { call_id: CallId::from("c"), seq: touch.seq, changes: changes.clone() });
        self.note_touches(&changes, &disk);
        let files = changes.into_iter().map(|file| file.path).collect();
        self.add(ChangesCommitted { commit: "0123456789".into(), message: "Change it".into(), files });
    }

    pub(super) fn user_edits(&mut self, a: u8, b: u8) {
        if self.user == User::Edits {
            self.set(&path(a), content(b));
        }
    }

    pub(super) fn configure(&mut self, a: u8) {
        if a.is_multiple_of(6) {
            self.add(SessionGranted { rules: vec![serde_json::json!({"decision": "allow", "tool": "fetch_url"})] });
        } else if a.is_multiple_of(2) {
            let (model, approve) = (a.is_multiple_of(4).then(|| format!("mock/m{a}")), Some(ApprovalMode::All));
            let disabled_tools = a.is_multiple_of(8).then(|| vec![format!("tool_{a}")]);
            self.add(SessionConfigured {
                model,
                approve,
                disabled_tools,
                title: a.is_multiple_of(5).then(|| format!("title {a}")),
                effort: a.is_multiple_of(6).then(|| "high".to_owned()),
                core: a.is_multiple_of(14).then(|| "pes".to_owned()),
                system: a.is_multiple_of(10).then(String::new),
                off: a.is_multiple_of(4).then(|| vec![format!("result:c{a}")]),
                pinned: a.is_multiple_of(16).then_some(true),
                archived: a.is_multiple_of(18).then_some(a.is_multiple_of(4)),
            });
        } else if a == 11 {
            self.add(SandboxCleanedUp { call_id: None, notes: vec!["Put back.".to_owned()] });
        } else {
            self.add(TrustChanged { project: "/p".into(), trusted: a.is_multiple_of(3), pins: vec![] });
        }
    }

    pub(super) fn keep_state(&mut self, a: u8) {
        let checkpoint_id = CheckpointId::from(format!("k{}", self.made));
        let last_seq = self.session.events.len() as u64;
        match a % 5 {
            0 => {
                let (call_id, manifest) = (None, String::new());
                let remembered =
                    |list: &str| Remembered { id: list.into(), text: list.into(), ..Remembered::default() };
                let memory = MemorySnapshot {
                    observations: vec![remembered("fact")],
                    reflections: vec![remembered("conclusion")],
                    goals: vec!["goal".into()],
                    blockers: Vec::new(),
                };
                let checkpoint = checkpoint_id.clone();
                self.add(WorkingMemorySnapshot { checkpoint_id: checkpoint, last_seq, memory });
                self.add(CheckpointCreated {
                    checkpoint_id,
                    last_seq,
                    call_id,
                    manifest: Some(manifest),
                    files: 1,
                    skipped: 0,
                    hook: None,
                    reason: None,
                    summary: None,
                    memory_snapshot: None,
                });
            }
            1 => {
                self.add(StateSnapshot { checkpoint_id, last_seq });
            }
            2 => {
                let removed = vec![format!("key{}", a % 3)];
                self.add(StateChanged { removed, ..StateChanged::setting(format!("key{}", a % 4), a) });
            }
            _ if a.is_multiple_of(2) => self.compact(a),
            _ => {
                self.add(ContextAdded::new("rule", format!("{}/AGENTS.md", a % 4), format!("Rules {a}.")));
            }
        }
    }

    pub(super) fn compact(&mut self, a: u8) {
        let last = self.session.origin.len() as u64 + self.session.events.len() as u64;
        let first = u64::from(a) % 3;
        let pruned_calls = self.call.iter().map(|call| call.call_id.clone()).collect();
        let (strategy, dropped_seq_range) = match a % 4 {
            0 => (CompactionStrategy::Prune, None),
            _ => (CompactionStrategy::SummarizeEarly, Some((first, last * u64::from(a) / 255))),
        };
        let summary = dropped_seq_range.map(|_| format!("Until {last} it went well.")).unwrap_or_default();
        self.add(ContextCompacted {
            strategy,
            tokens_before: 100,
            tokens_after: 10,
            target_tokens: 50,
            dropped_seq_range,
            kept_seqs: vec![u64::from(a) / 2],
            pruned_calls,
            summary,
        });
    }

    pub(super) fn side_effects(&mut self, a: u8) {
        if a.is_multiple_of(5) {
            let call_id = self.call.as_ref().map_or_else(|| CallId::from("none"), |call| call.call_id.clone());
            let result = ToolResult::new(call_id.clone(), "run_command".to_owned(), "exit code 0".to_owned());
            self.add(CommandEnded { call_id, result, files: 2, effects: String::new() });
        } else if a.is_multiple_of(2) {
            let ran = HookRan::new(HookEvent::PostToolUse, "fmt", "cargo fmt");
            self.add(HookRan { exit_code: Some(i32::from(a % 4)), duration_ms: 3, ..ran });
        } else {
            let (artifact_id, content_hash) = (format!("x{}", self.made), String::new());
            let (name, media_type) = ("report.md".to_owned(), "text/markdown".to_owned());
            self.add(ArtifactEmitted { artifact_id, name, media_type, bytes: 3, content_hash });
        }
    }

    pub(super) fn ask_the_user(&mut self, a: u8) {
        let question_id = QuestionId::from(format!("q{}", self.made));
        let call_id = self.call.as_ref().map_or_else(|| CallId::from("none"), |call| call.call_id.clone());
        self.add(QuestionAsked { question_id: question_id.clone(), call_id, text: "Which?".into(), options: vec![] });
        if a.is_multiple_of(2) {
            self.add(QuestionAnswered { question_id, text: "That".into() });
        }
    }

    pub(super) fn delegate(&mut self, a: u8) {
        let call_id = self.call.as_ref().map_or_else(|| CallId::from("none"), |call| call.call_id.clone());
        let (session_id, run_id) = (SessionId::from(format!("child{}", self.made)), RunId::from("child"));
        self.add(SubagentStarted {
            call_id,
            agent: format!("agent-{a}"),
            session_id,
            run_id,
            max_cost_usd: None,
            tree: None,
        });
    }

    pub(super) fn pipeline(&mut self, a: u8) {
        let (step, idempotency_key, attempt, duration_ms) = ("count".to_owned(), "k".to_owned(), 1, 4);
        self.add(StepStarted { step: step.clone(), idempotency_key: idempotency_key.clone(), attempt, items: None });
        match a % 3 {
            0 => self.add(StepCompleted {
                step,
                idempotency_key,
                attempt,
                duration_ms,
                output: Some(format!("{a} words")),
                output_hash: hash_of(Some(a)).unwrap_or_default(),
                output_bytes: 7,
            }),
            1 => self.add(StepSkipped { step, idempotency_key, attempt, duration_ms, reason: SkipReason::Done }),
            _ => {
                let (code, message) = ("TOOL_TIMEOUT".to_owned(), "It took too long.".to_owned());
                self.add(StepFailed {
                    step,
                    idempotency_key,
                    attempt,
                    duration_ms,
                    code,
                    message,
                    hint: String::new(),
                    retry_in_ms: None,
                })
            }
        };
    }

    /// Rarely: the session so far becomes the origin of a new one.
    pub(super) fn fork(&mut self, a: u8) {
        if self.run.is_some() || !a.is_multiple_of(4) {
            self.add_raw("future.kind", serde_json::value::to_raw_value(&json!({"v": 7})).unwrap());
            return;
        }
        let (from_session, from_seq) = (self.session_id.clone(), self.session.events.len() as u64);
        let ended = std::mem::take(&mut self.session);
        self.session.origin = ended.origin.into_iter().chain(ended.events).collect();
        self.session.disks = vec![self.disk.clone()];
        self.session_id = SessionId::from(format!("s{}", self.made));
        self.queue.clear();
        self.create(Some(from_session.clone()));
        self.add(SessionForked { created: None, from_session, from_seq });
    }

    /// Of the newest event that may have such a part.
    pub(super) fn leave_out(&mut self, a: u8) {
        let kind = ["run.started", "tool.result", "output.message"][usize::from(a) % 3];
        let Some(event) = self.session.events.iter().rfind(|event| event.kind == kind) else { return };
        let part = match event.body() {
            EventBody::ToolResult(result) => format!("result:{}", result.call_id),
            EventBody::RunStarted(_) => "image:h".to_owned(),
            _ => "reasoning".to_owned(),
        };
        let (event_id, reason, restored) = (event.event_id.clone(), "refused".to_owned(), a.is_multiple_of(4));
        self.add(ContextDropped { event_id, part, reason, restored });
    }

    pub(super) fn retry(&mut self, a: u8) {
        self.start_run(a);
        let (code, attempt) = ("PROVIDER_RATE_LIMITED".to_owned(), 1);
        self.add(EngineRetry { turn: self.turn, code, delay_ms: u64::from(a), attempt });
    }
}
