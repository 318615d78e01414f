//! An editor of our own: a client of the Agent Client Protocol over `arki acp`.

#![allow(clippy::needless_pass_by_value, reason = "the values are made where they are passed")]

use crate::harness::{Done, Running, Stage};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{ChildStdin, Stdio};

/// An editor, and all that was said to it.
pub(crate) struct Editor {
    input: Option<ChildStdin>,
    running: Running,
    last_id: u64,
    pub(crate) heard: Vec<Value>,
}

impl Editor {
    /// Starts `arki acp`; nothing is said yet.
    pub(crate) fn start(stage: &Stage) -> Self {
        let mut child = stage.command(&["acp"]).stdin(Stdio::piped()).spawn().unwrap();
        Self { input: child.stdin.take(), running: Running::of(child), last_id: 0, heard: Vec::new() }
    }

    /// Starts it and says what the editor can do.
    pub(crate) fn with(stage: &Stage, capabilities: &Value) -> Self {
        let mut editor = Self::start(stage);
        let said = editor.ask("initialize", json!({"protocolVersion": 1, "clientCapabilities": capabilities}));
        assert_eq!(said["result"]["protocolVersion"], 1, "{said}");
        editor
    }

    pub(crate) fn plain(stage: &Stage) -> Self {
        Self::with(stage, &json!({}))
    }

    /// One that shows forms.
    pub(crate) fn with_forms(stage: &Stage) -> Self {
        Self::with(stage, &json!({"elicitation": {"form": {}}}))
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // It may be gone already.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; the answer is waited for by [`Self::answer`].
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    #[track_caller]
    pub(crate) fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.running.until(|_| true);
            self.heard.push(message.clone());
            if is_it(&message) {
                return message;
            }
        }
    }

    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        self.until(|message| message["id"] == id && message["method"].is_null())
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// Waits until Arki asks for something.
    #[track_caller]
    pub(crate) fn asked(&mut self, method: &str) -> Value {
        self.until(|message| message["method"] == method && !message["id"].is_null())
    }

    pub(crate) fn reply(&mut self, asked: &Value, result: &Value) {
        self.say(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}));
    }

    pub(crate) fn choose(&mut self, asked: &Value, option: &str) {
        self.reply(asked, &json!({"outcome": {"outcome": "selected", "optionId": option}}));
    }

    /// A new session in the stage's folder.
    #[track_caller]
    pub(crate) fn open(&mut self, stage: &Stage) -> String {
        let opened = self.ask("session/new", json!({"cwd": stage.home.project_dir(), "mcpServers": []}));
        opened["result"]["sessionId"].as_str().unwrap_or_else(|| panic!("{opened}")).to_owned()
    }

    pub(crate) fn prompt(&mut self, session: &str, text: &str) -> u64 {
        self.begin("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    #[track_caller]
    pub(crate) fn stop_reason(&mut self, prompt: u64) -> String {
        let answer = self.answer(prompt);
        answer["result"]["stopReason"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The updates of a kind that were heard.
    pub(crate) fn updates(&self, kind: &str) -> Vec<Value> {
        let updates = self.heard.iter().map(|message| &message["params"]["update"]);
        updates.filter(|update| update["sessionUpdate"] == kind).cloned().collect()
    }

    /// Returns all that the agent said.
    pub(crate) fn said(&self) -> String {
        let pieces = self.updates("agent_message_chunk");
        pieces.iter().map(|piece| piece["content"]["text"].as_str().unwrap_or_default()).collect()
    }

    /// Ends the input, and waits for the end of the program.
    #[track_caller]
    pub(crate) fn end(mut self) -> Done {
        drop(self.input.take());
        self.running.end()
    }
}
