//! Context that comes late: the rules of a folder once the run touches something in it, a skill whose keyword was said.
//! It is read off the conversation before the model is asked, so that a crash loses none and repeats none.

mod bound;

pub use bound::max_late_text_bytes;

use crate::run_log::RunLog;
use arki_domain::projection::{MessageKind, Transcript};
use arki_domain::{ContextAdded, Error, EventBody, LateContext, Message};
use bound::LateRoom;
use std::sync::Arc;

/// Appends what belongs to the user's last words and to the model's last calls and is not there yet.
pub(crate) async fn add(log: &mut RunLog, late: Arc<dyn LateContext>, window: Option<u64>) -> Result<(), Error> {
    let asked = asked(&mut log.transcript);
    if asked.is_empty() {
        return Ok(());
    }
    // Files are read for it.
    let belonging = tokio::task::spawn_blocking(move || belonging(&asked, &*late)).await;
    let room = LateRoom::new(window, log.state.late_bytes, &mut log.transcript);
    let added = missing(&mut log.transcript, belonging.map_err(Error::internal)?, room);
    if added.is_empty() {
        return Ok(());
    }
    log.append(added.into_iter().map(EventBody::from).collect()).await
}

/// The kinds of thing that late context can belong to.
enum ContextTrigger {
    Prompt(String),
    Call { tool_id: String, arguments: String },
}

fn missing(transcript: &mut Transcript, belonging: Vec<ContextAdded>, mut room: LateRoom) -> Vec<ContextAdded> {
    let mut missing: Vec<ContextAdded> = Vec::new();
    for added in belonging {
        let is_same = |known: &ContextAdded| (&known.part, &known.origin) == (&added.part, &added.origin);
        if !missing.iter().any(is_same) {
            missing.extend(room.take(added, transcript));
        }
    }
    missing
}

fn belonging(asked: &[ContextTrigger], late: &dyn LateContext) -> Vec<ContextAdded> {
    let belonging = |asked: &ContextTrigger| match asked {
        ContextTrigger::Prompt(prompt) => late.for_prompt(prompt),
        ContextTrigger::Call { tool_id, arguments } => late.for_call(tool_id, arguments),
    };
    asked.iter().flat_map(belonging).collect()
}

/// Since the model was asked last, oldest first.
fn asked(transcript: &mut Transcript) -> Vec<ContextTrigger> {
    let mut asked = Vec::new();
    for message in transcript.conversation().rev() {
        match (message.kind, &**message.whole) {
            (MessageKind::Said, Message::User { content, .. }) => asked.push(ContextTrigger::Prompt(content.clone())),
            (MessageKind::Said, Message::ToolRequest { calls, .. }) => {
                asked.extend(calls.iter().rev().map(|call| ContextTrigger::Call {
                    tool_id: call.tool_id.to_string(),
                    arguments: call.arguments.clone(),
                }));
                break;
            }
            (MessageKind::Said, Message::Assistant { .. }) => break,
            _ => {}
        }
    }
    asked.reverse();
    asked
}

/// Returns the text in its last form. Text that a compaction or the user left out counts only if it belongs to the last
/// prompt: otherwise it would come again as often as it's left out.
fn last_text(transcript: &mut Transcript, added: &ContextAdded) -> Option<String> {
    let mut is_before_prompt = false;
    transcript.conversation().rev().find_map(|message| match (message.kind, &**message.whole) {
        (MessageKind::Said, Message::User { .. }) => {
            is_before_prompt = true;
            None
        }
        (MessageKind::Added { part, origin }, Message::User { content, .. })
            if (part, origin) == (&added.part, &added.origin) && (!is_before_prompt || message.shown_as.is_shown()) =>
        {
            Some(content.clone())
        }
        _ => None,
    })
}

fn text_of(message: &Message) -> &str {
    match message {
        Message::User { content, .. } => content,
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::Event;
    use serde_json::{Value, json};

    /// The rules of a folder `a`, and a skill for "pdf".
    struct Known;

    impl LateContext for Known {
        fn for_prompt(&self, prompt: &str) -> Vec<ContextAdded> {
            if prompt.contains("pdf") { vec![added("skill", "pdf", "How.")] } else { Vec::new() }
        }

        fn for_call(&self, _: &str, arguments: &str) -> Vec<ContextAdded> {
            if arguments.contains("a/") { vec![added("rule", "a/AGENTS.md", "Rules.")] } else { Vec::new() }
        }
    }

    fn added(part: &str, origin: &str, text: &str) -> ContextAdded {
        ContextAdded::new(part, origin, text)
    }

    #[derive(Default)]
    struct Log(Transcript, u64);

    impl Log {
        fn add(&mut self, kind: &str, payload: &Value) {
            self.1 += 1;
            let event = json!({"eventId": format!("e{}", self.1), "runId": "r", "sessionId": "s", "seq": self.1, "ts": 0,
                "type": kind, "payload": payload, "prevHash": "", "hash": ""});
            self.0.apply(&serde_json::from_value::<Event>(event).unwrap());
        }

        fn call(&mut self, id: &str, path: &str) {
            self.add(
                "engine.request",
                &json!({"turn": 1, "provider": "p", "model": "m", "requestHash": "", "messageCount": 1}),
            );
            self.add(
                "tool.call",
                &json!({"turn": 1, "callId": id, "toolId": "read_file", "args": {"path": path}, "category": "read"}),
            );
            self.add(
                "tool.result",
                &json!({"callId": id, "toolId": "read_file", "result": "x", "isError": false,
                "durationMs": 1, "truncated": false}),
            );
        }

        fn origins(&mut self) -> Vec<String> {
            let belonging = belonging(&asked(&mut self.0), &Known);
            let room = LateRoom::new(None, 0, &mut self.0);
            missing(&mut self.0, belonging, room).into_iter().map(|added| added.origin).collect()
        }
    }

    #[test]
    fn what_was_touched_or_said_brings_its_text_once() {
        let mut log = Log::default();
        log.add(
            "run.started",
            &json!({"prompt": "read the pdf", "agent": "arki", "model": "m", "core": "tool-loop",
            "systemPromptHash": "", "options": {}}),
        );
        assert_eq!(log.origins(), ["pdf"]);
        log.add("context.added", &json!({"part": "skill", "origin": "pdf", "text": "How."}));
        assert!(log.origins().is_empty());
        log.call("c1", "b/x");
        assert!(log.origins().is_empty());
        log.call("c2", "a/x");
        assert_eq!(log.origins(), ["a/AGENTS.md"], "also after a crash at this point");
        log.add("context.added", &json!({"part": "rule", "origin": "a/AGENTS.md", "text": "Older rules."}));
        assert_eq!(log.origins(), ["a/AGENTS.md"], "they are others now");
        log.add("context.added", &json!({"part": "rule", "origin": "a/AGENTS.md", "text": "Rules."}));
        log.add(
            "context.compacted",
            &json!({"strategy": "summarize-early", "tokensBefore": 9, "tokensAfter": 1,
            "targetTokens": 2, "droppedSeqRange": [1, 9], "summary": "sum"}),
        );
        log.call("c3", "a/y");
        assert!(log.origins().is_empty(), "a compaction leaves them in");
    }
}
