//! A past request in parts, so that one of any size can be shown: a page of parts with the beginning of each, and more
//! of a part's text when it is asked for. And all of it as JSON.

use super::SentRequest;
use arki_api::{SentForm, SentPart, SentParts, SentRole, SentSide, SentText};
use arki_domain::{Code, Error, EventBody, Image, Message, ToolRequest};
use serde_json::{Value, json};
use std::borrow::Cow;

/// The parts that are told at once.
const PARTS_A_PAGE: usize = 100;
/// The bytes that are told of a part unasked, and at once where more is asked for.
const FIRST_BYTES: usize = 2_000;
const BYTES_A_PIECE: usize = 64 << 10;

struct WholePart<'a> {
    role: SentRole,
    name: Option<Cow<'a, str>>,
    is_error: bool,
    text: Cow<'a, str>,
}

impl SentRequest {
    pub(super) fn for_clients(&self) -> arki_api::SentRequest {
        let request = &self.request;
        arki_api::SentRequest {
            session_id: self.session_id.to_string(),
            seq: self.seq,
            turn: request.turn,
            provider: request.provider.clone(),
            model: request.model.clone(),
            request_hash: request.request_hash.clone(),
            purpose: request.purpose,
            stage: request.stage,
            proof: self.proof,
            message_count: self.messages.len(),
            tool_count: self.tools.len(),
            body_bytes: self.body.as_ref().map(|body| body.len()),
            prompt: self.parts_from(SentSide::Prompt, 0),
            answer: self.parts_from(SentSide::Answer, 0),
        }
    }

    pub(super) fn parts_from(&self, side: SentSide, from: usize) -> SentParts {
        let parts = self.parts(side);
        let end = parts.len().min(from.saturating_add(PARTS_A_PAGE));
        let page = parts.get(from..end).unwrap_or_default().iter().zip(from..);
        let part = |(part, place): (&WholePart<'_>, usize)| {
            let SentText { text, next } = piece(&part.text, 0, FIRST_BYTES);
            let (name, bytes) = (part.name.as_deref().map(str::to_owned), part.text.len());
            SentPart { place, role: part.role, name, is_error: part.is_error, text, bytes, next }
        };
        SentParts { parts: page.map(part).collect(), next: (end < parts.len()).then_some(end) }
    }

    pub(super) fn text_from(&self, side: SentSide, place: usize, from: usize) -> Result<SentText, Error> {
        let parts = self.parts(side);
        let part = parts.get(place).ok_or_else(|| {
            Error::new(Code::USAGE, format!("The request has no part {place}."), "Open the request again.")
        })?;
        Ok(piece(&part.text, from, BYTES_A_PIECE))
    }

    pub(super) fn json(&self, form: SentForm) -> Result<String, Error> {
        match form {
            SentForm::Neutral => serde_json::to_string_pretty(&self.as_json()).map_err(Error::internal),
            SentForm::Body => Ok(String::from_utf8_lossy(self.proven_body()?).into_owned()),
        }
    }

    /// The bytes that were sent: their SHA-256 is the request's hash.
    ///
    /// # Errors
    /// `USAGE` where they aren't proven.
    pub fn proven_body(&self) -> Result<&[u8], Error> {
        self.body.as_deref().ok_or_else(|| {
            let message = format!("The bytes of request {} can't be proven, so they aren't shown.", self.seq);
            Error::new(Code::USAGE, message, "Look at the request in Arki's own form instead.")
        })
    }

    /// The request in Arki's own form, and the events of its answer as they are stored.
    #[must_use]
    pub fn as_json(&self) -> Value {
        let request = &self.request;
        let tools = self.tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "category": tool.category,
                "parameters": tool.parameters})
        });
        json!({
            "sessionId": self.session_id,
            "seq": self.seq,
            "turn": request.turn,
            "purpose": request.purpose,
            "stage": request.stage,
            "provider": request.provider,
            "model": request.model,
            "requestHash": request.request_hash,
            "proof": self.proof,
            "request": {
                "system": self.system,
                "messages": self.messages.iter().map(|message| neutral(message)).collect::<Vec<_>>(),
                "tools": tools.collect::<Vec<_>>(),
                "options": self.options,
            },
            "answer": self.answer,
        })
    }

    fn parts(&self, side: SentSide) -> Vec<WholePart<'_>> {
        match side {
            SentSide::Prompt => self.prompt_parts(),
            SentSide::Answer => self.answer_parts(),
        }
    }

    fn prompt_parts(&self) -> Vec<WholePart<'_>> {
        let mut parts = Vec::new();
        if !self.system.is_empty() {
            parts.push(WholePart::of(SentRole::System, &*self.system));
        }
        for tool in &*self.tools {
            let text = format!("{}\n\n{:#}", tool.description.trim(), tool.parameters);
            parts.push(WholePart::of(SentRole::Tool, text).named(&*tool.name));
        }
        let options = serde_json::to_value(&self.options).unwrap_or_default();
        parts.push(WholePart::of(SentRole::Options, format!("{options:#}")));
        self.messages.iter().for_each(|message| add_message(&mut parts, message));
        parts
    }

    fn answer_parts(&self) -> Vec<WholePart<'static>> {
        let mut parts = Vec::new();
        for event in &self.answer {
            match event.body() {
                EventBody::OutputMessage(said) => {
                    let thoughts = said.thoughts.filter(|thoughts| !thoughts.is_empty());
                    parts.extend(thoughts.map(|thoughts| WholePart::of(SentRole::Thoughts, thoughts)));
                    if !said.content.is_empty() {
                        parts.push(WholePart::of(SentRole::Assistant, said.content));
                    }
                }
                EventBody::ToolCall(call) => {
                    let arguments = match call.args {
                        Value::String(raw) => raw,
                        args => args.to_string(),
                    };
                    parts.push(WholePart::of(SentRole::Call, arguments).named(call.tool_id));
                }
                EventBody::ContextCompacted(compacted) => {
                    parts.push(WholePart::of(SentRole::Summary, compacted.summary))
                }
                EventBody::MemoryReflected(reflected) => {
                    let texts = reflected.reflections.into_iter().map(|one| one.text);
                    parts.extend(texts.map(|text| WholePart::of(SentRole::Summary, text)));
                }
                EventBody::EngineRetry(retry) => parts.push(WholePart::of(SentRole::Failure, retry.code)),
                EventBody::RunFailed(failed) => {
                    parts.push(WholePart::of(SentRole::Failure, format!("{}: {}", failed.code, failed.message)));
                }
                _ => {}
            }
        }
        parts
    }
}

impl<'a> WholePart<'a> {
    fn of(role: SentRole, text: impl Into<Cow<'a, str>>) -> Self {
        Self { role, name: None, is_error: false, text: text.into() }
    }

    fn named(self, name: impl Into<Cow<'a, str>>) -> Self {
        Self { name: Some(name.into()), ..self }
    }
}

/// Adds the parts of a message. Earlier thoughts are left out: only the body shows which vendors get them back, and in
/// what form.
fn add_message<'a>(parts: &mut Vec<WholePart<'a>>, message: &'a Message) {
    match message {
        Message::System { content } => parts.push(WholePart::of(SentRole::System, content)),
        Message::User { content, images } => {
            parts.push(WholePart::of(SentRole::User, content));
            let image = |image: &'a Image| WholePart::of(SentRole::Image, &image.content_hash).named(&image.media_type);
            parts.extend(images.iter().map(image));
        }
        Message::Assistant { content, .. } => parts.push(WholePart::of(SentRole::Assistant, content)),
        Message::ToolRequest { content, calls, .. } => {
            if !content.is_empty() {
                parts.push(WholePart::of(SentRole::Assistant, content));
            }
            let call = |call: &'a ToolRequest| WholePart::of(SentRole::Call, &call.arguments).named(&call.tool_id);
            parts.extend(calls.iter().map(call));
        }
        Message::ToolResult { tool_id, content, is_error, .. } => {
            parts.push(WholePart { is_error: *is_error, ..WholePart::of(SentRole::Result, content).named(tool_id) });
        }
    }
}

fn neutral(message: &Message) -> Value {
    match message {
        Message::System { content } => json!({"role": "system", "content": content}),
        Message::User { content, images } if images.is_empty() => json!({"role": "user", "content": content}),
        Message::User { content, images } => json!({"role": "user", "content": content, "images": images}),
        Message::Assistant { content, .. } => json!({"role": "assistant", "content": content}),
        Message::ToolRequest { content, calls, .. } => {
            json!({"role": "assistant", "content": content, "toolCalls": calls})
        }
        Message::ToolResult { call_id, tool_id, content, is_error } => {
            json!({"role": "tool", "callId": call_id, "toolId": tool_id, "content": content, "isError": is_error})
        }
    }
}

/// Returns at most `most` bytes of a text from `from` on; both are moved to the beginning of a character.
fn piece(text: &str, from: usize, most: usize) -> SentText {
    let from = text.ceil_char_boundary(from.min(text.len()));
    let rest = &text[from..];
    let end = rest.floor_char_boundary(most);
    SentText { text: rest[..end].to_owned(), next: (end < rest.len()).then_some(from + end) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_told_in_pieces_that_make_up_the_whole() {
        let text = "é".repeat(BYTES_A_PIECE);
        let (mut whole, mut next, mut pieces) = (String::new(), Some(0), 0);
        while let Some(from) = next {
            let told = piece(&text, from, BYTES_A_PIECE);
            assert!(told.text.len() <= BYTES_A_PIECE);
            whole.push_str(&told.text);
            (next, pieces) = (told.next, pieces + 1);
        }
        assert!(whole == text && pieces == 2);
        assert_eq!(piece("ab", 9, 1).text, "");
    }
}
