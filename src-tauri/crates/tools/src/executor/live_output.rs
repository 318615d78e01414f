//! The output of a command while it runs.

use super::call_log::CallLog;
use super::record::Record;
use arki_domain::{LiveBus, LiveEvent, RunId, SessionId, StyledText, ToolCall};
use arki_process::AnsiReader;
use arki_redaction::StreamingRedactor;

/// Shows what the command prints as it prints it: whole characters only, keys left out, also those with a colour in the
/// middle. Each piece has the colours it needs as SGR sequences, and no other escape sequence.
pub(super) struct LiveOutput<'a> {
    bus: &'a dyn LiveBus,
    call: &'a ToolCall,
    session_id: SessionId,
    run_id: RunId,
    redactor: StreamingRedactor,
    reader: AnsiReader,
    /// The text that the redactor still holds back.
    unshown: StyledText,
    /// The beginning of a character whose end has not come yet.
    undecoded: Vec<u8>,
}

impl<'a> LiveOutput<'a> {
    pub(super) fn new(call_log: &'a CallLog, call: &'a ToolCall, record: &Record<'_>) -> Self {
        let context = record.context();
        Self {
            bus: call_log.bus.as_ref(),
            call,
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            redactor: StreamingRedactor::new(call_log.redactor.clone()),
            reader: AnsiReader::default(),
            unshown: StyledText::default(),
            undecoded: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.undecoded.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.undecoded) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => self.undecoded.len(),
        };
        let rest = self.undecoded.split_off(whole);
        let text = String::from_utf8_lossy(&self.undecoded).into_owned();
        self.undecoded = rest;
        let read = self.reader.push(&text);
        self.show_decided(&read);
    }

    pub(super) fn finish(&mut self) {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.undecoded)).into_owned();
        let mut read = self.reader.push(&rest);
        read.append(&self.reader.finish());
        self.show_decided(&read);
        let rest = self.redactor.finish();
        let unshown = std::mem::take(&mut self.unshown);
        self.show(as_shown(rest, &unshown));
    }

    fn show_decided(&mut self, read: &StyledText) {
        self.unshown.append(read);
        let (decided, bytes) = self.redactor.push_counted(&read.text);
        let unshown = self.unshown.split_to(bytes);
        self.show(as_shown(decided, &unshown));
    }

    fn show(&self, text: String) {
        if !text.is_empty() {
            self.bus.publish(LiveEvent::CommandOutput {
                session_id: self.session_id.clone(),
                run_id: self.run_id.clone(),
                call_id: self.call.call_id.clone(),
                text,
                changed: Vec::new(),
            });
        }
    }
}

/// The text with its colours; without them where a secret was taken out of it.
fn as_shown(text: String, unredacted: &StyledText) -> String {
    if text == unredacted.text { unredacted.to_ansi() } else { text }
}
