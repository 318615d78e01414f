//! A past request as it was sent: made again from the events before it and from what was kept beside the log, and proven
//! by its hash.
//!
//! The hash in `engine.request` is of the bytes that went over the wire. Where what is made here has the same one, it is
//! what was sent; where it hasn't, that is said, and nothing is claimed. Exports carry no heads, so requests of imported
//! sessions are not proven.

mod parts;

use crate::runs::prompt_images::kept_images;
use crate::{Accounts, BelowRuns, ClientCapabilities, ExecutorFactory, Projects, Records, SessionReader};
use arki_agent::messages_as_text;
use arki_api::{RequestProof, SentForm, SentParts, SentSide, SentText};
use arki_domain::projection::Transcript;
use arki_domain::{
    ChatRequest, Code, EngineRequest, Error, Event, EventBody, Executor, MAX_IMAGE_BYTES, Message, ModelOptions,
    RequestHead, RunStarted, SessionId, ToolDefinition, picture_type,
};
use arki_export::{EVENTS_A_PIECE, Stretch};
use arki_llm::WrittenAgain;
use arki_policy::PolicySettings;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Results of background calls that came while a request was made, and stand before it in the log.
const MAX_TOO_LATE: usize = 8;

/// A larger one is made again for each of its parts: it would take the memory of the app.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// A past request and its answer.
#[derive(Debug, Clone)]
pub struct SentRequest {
    pub session_id: SessionId,
    /// Its `engine.request`.
    pub seq: u64,
    pub request: EngineRequest,
    pub proof: RequestProof,
    pub system: Arc<str>,
    pub tools: Arc<[ToolDefinition]>,
    pub options: ModelOptions,
    /// The messages as they were sent, the first one first.
    pub messages: Vec<Arc<Message>>,
    /// The bytes that were sent; `None` where they aren't proven.
    pub body: Option<Bytes>,
    /// The events that the answer is in: `engine.retry`, `engine.response`, `output.message`, `tool.call` and what else
    /// says how it ended.
    pub answer: Vec<Event>,
}

/// The state before a request was sent, as the log tells it.
#[derive(Default)]
struct LogBeforeRequest {
    transcript: Transcript,
    started: Option<RunStarted>,
    /// The last head that the run told.
    head: Option<String>,
}

/// Past requests, made again from the log.
pub struct SentRequests {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    executors: Arc<ExecutorFactory>,
    reader: Arc<SessionReader>,
    /// The one that a client opened last, whose parts it asks for one by one.
    opened: Mutex<Option<Arc<SentRequest>>>,
}

impl SentRequests {
    pub(crate) fn new(below: &BelowRuns) -> Self {
        let BelowRuns { records, accounts, projects, executors, reader, .. } = below.clone();
        Self { records, accounts, projects, executors, reader, opened: Mutex::default() }
    }

    /// Returns a picture that was sent in a session, or in one it was forked from, as a `data:` address; `None` where it
    /// is no longer kept.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn picture(&self, session_id: &SessionId, content_hash: &str) -> Result<Option<String>, Error> {
        let bytes = self.records.reader().contents().artifact(session_id, content_hash)?;
        let bytes = bytes.filter(|bytes| bytes.len() <= MAX_IMAGE_BYTES);
        let shown = |bytes: Vec<u8>| {
            let media_type = picture_type(&bytes)?;
            Some(format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(&bytes)))
        };
        Ok(bytes.and_then(shown))
    }

    /// Makes a past request again, as it was sent: `seq` is its event.
    ///
    /// # Errors
    /// `EVENT_NOT_FOUND` where the session has no such event, `USAGE` where it is no request, or when the database can't
    /// be read.
    pub fn find(&self, session_id: &SessionId, seq: u64) -> Result<SentRequest, Error> {
        let (event, request) = self.logged_request(session_id, seq)?;
        let mut to_seq = seq - 1;
        let mut sent = self.made_again(&event, &request, to_seq)?;
        // What others told while the request was made isn't in it.
        for _ in 0..MAX_TOO_LATE {
            let last = self.records.reader().log().event(session_id, to_seq)?;
            let came_too_late = last.is_some_and(|last| matches!(last.body(), EventBody::ToolAsyncResult(_)));
            if sent.proof != RequestProof::Differs || !came_too_late {
                break;
            }
            to_seq -= 1;
            let other = self.made_again(&event, &request, to_seq)?;
            if other.proof == RequestProof::Proven {
                sent = other;
            }
        }
        sent.answer = self.answer_to(&event, &request)?;
        Ok(sent)
    }

    /// The same for clients: the first parts, with what is known of the whole.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn first_parts(&self, session_id: &SessionId, seq: u64) -> Result<arki_api::SentRequest, Error> {
        Ok(self.open_request(session_id, seq)?.for_clients())
    }

    /// Makes it again, and keeps it for whoever asks for more of it.
    fn open_request(&self, session_id: &SessionId, seq: u64) -> Result<Arc<SentRequest>, Error> {
        let sent = Arc::new(self.find(session_id, seq)?);
        let size = sent.body.as_ref().map_or(0, Bytes::len);
        let kept = (size <= MAX_KEPT_BYTES).then(|| sent.clone());
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(sent)
    }

    /// The one that was opened last, or else made again.
    fn opened_request(&self, session_id: &SessionId, seq: u64) -> Result<Arc<SentRequest>, Error> {
        let last = self.opened.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match last.filter(|last| last.session_id == *session_id && last.seq == seq) {
            Some(last) => Ok(last),
            None => self.open_request(session_id, seq),
        }
    }

    /// # Errors
    /// As [`Self::find`].
    pub fn parts(&self, session_id: &SessionId, seq: u64, side: SentSide, from: usize) -> Result<SentParts, Error> {
        Ok(self.opened_request(session_id, seq)?.parts_from(side, from))
    }

    /// # Errors
    /// As [`Self::find`]; `USAGE` where there is no such part.
    pub fn text(
        &self,
        session_id: &SessionId,
        seq: u64,
        side: SentSide,
        place: usize,
        from: usize,
    ) -> Result<SentText, Error> {
        self.opened_request(session_id, seq)?.text_from(side, place, from)
    }

    /// # Errors
    /// As [`Self::find`]; `USAGE` where the bytes that were sent aren't proven.
    pub fn json(&self, session_id: &SessionId, seq: u64, form: SentForm) -> Result<String, Error> {
        self.opened_request(session_id, seq)?.json(form)
    }

    fn logged_request(&self, session_id: &SessionId, seq: u64) -> Result<(Event, EngineRequest), Error> {
        let hint = format!("`arki events {session_id} --json` shows the session's events with their numbers.");
        let Some(event) = self.records.reader().log().event(session_id, seq)? else {
            let message = format!("The session {session_id} has no event {seq}.");
            return Err(Error::new(Code::EVENT_NOT_FOUND, message, hint));
        };
        match event.body() {
            EventBody::EngineRequest(request) => Ok((event, request)),
            _ => {
                let message = format!("Event {seq} isn't a model request but {}.", event.kind);
                Err(Error::new(Code::USAGE, message, "Name an event of the type engine.request. ".to_owned() + &hint))
            }
        }
    }

    /// Makes the request again from the events up to `to_seq`.
    fn made_again(&self, event: &Event, request: &EngineRequest, to_seq: u64) -> Result<SentRequest, Error> {
        let mut before = self.before(event, to_seq)?;
        let is_turn = request.purpose.is_none();
        let hash = request.head_hash.clone().or_else(|| before.head.take().filter(|_| is_turn));
        let kept = match &hash {
            Some(hash) => self.records.reader().contents().blob(hash)?.and_then(|bytes| RequestHead::read(&bytes)),
            None => None,
        };
        let is_kept = kept.is_some();
        let head = match (kept, &before.started) {
            (Some(kept), _) => kept,
            (None, Some(started)) if is_turn => self.head_today(&event.session_id, started)?,
            (None, _) => RequestHead::default(),
        };
        let messages = match (&head.prompt, is_turn) {
            (Some(prompt), _) => Arc::new(vec![Arc::new(Message::user(prompt.clone()))]),
            (None, true) if head.tools_as_text => Arc::new(messages_as_text(&before.transcript.messages())),
            (None, true) => before.transcript.messages(),
            (None, false) => Arc::default(),
        };
        let chat = ChatRequest {
            system: head.system.clone(),
            messages,
            tools: head.tools.clone(),
            images: Arc::new(kept_images(&self.records, &before.transcript)?),
            options: head.options.clone(),
        };
        let providers = self.accounts.providers(&self.accounts.user_config()?);
        let (provider, model, wire) = (&request.provider, &request.model, head.wire.as_deref());
        let WrittenAgain { messages, body } =
            providers.written_again(provider, model, wire, &chat, &request.request_hash);
        let proof = match (&body, is_kept) {
            (Some(_), _) => RequestProof::Proven,
            (None, true) => RequestProof::Differs,
            (None, false) if is_turn => RequestProof::HeadUnknown,
            (None, false) => RequestProof::NotKept,
        };
        Ok(SentRequest {
            session_id: event.session_id.clone(),
            seq: event.seq,
            request: request.clone(),
            proof,
            system: head.system,
            tools: head.tools,
            options: head.options,
            messages,
            body,
            answer: Vec::new(),
        })
    }

    fn before(&self, request: &Event, to_seq: u64) -> Result<LogBeforeRequest, Error> {
        let mut before = LogBeforeRequest::default();
        for stretch in self.reader.lineage(&request.session_id)? {
            let is_own = stretch.session_id == request.session_id;
            let to_seq = if is_own { Some(to_seq) } else { stretch.to_seq };
            self.reader.each_event(&Stretch { to_seq, ..stretch }, |event| {
                let body = event.body();
                let is_of_run = is_own && event.run_id == request.run_id;
                match &body {
                    EventBody::RunStarted(started) if is_of_run => before.started = Some(started.clone()),
                    EventBody::EngineRequest(asked) if is_of_run && asked.purpose.is_none() => {
                        before.head = asked.head_hash.clone().or_else(|| before.head.take());
                    }
                    _ => {}
                }
                before.transcript.apply_body(event, body);
            })?;
        }
        Ok(before)
    }

    /// Returns the system prompt that the run began with, where it is stored here, and tools and options as they would be
    /// today: what requests were made of before it was kept with them.
    fn head_today(&self, session_id: &SessionId, started: &RunStarted) -> Result<RequestHead, Error> {
        let stored = self.records.reader().contents().blob(&started.system_prompt_hash)?;
        let system = stored.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
        let (tools, options) = self.tools_today(session_id, started).unwrap_or_else(|fault| {
            tracing::debug!(%session_id, %fault, "today's tools of a past request are not known");
            Default::default()
        });
        Ok(RequestHead { system: system.into(), tools, options, ..RequestHead::default() })
    }

    fn tools_today(
        &self,
        session_id: &SessionId,
        started: &RunStarted,
    ) -> Result<(Arc<[ToolDefinition]>, ModelOptions), Error> {
        let open = self.projects.load_project(Path::new(&self.reader.session(session_id)?.project))?;
        let mut config = self.projects.config_of(&open)?.for_agent(&started.agent)?;
        let RunStarted { options, model, .. } = started;
        config.policy = PolicySettings {
            plan: options.plan,
            read_only: options.read_only,
            tools: options.tools.clone(),
            disabled_tools: options.disabled_tools.clone(),
            ..config.policy
        };
        config.off.clone_from(&options.off);
        config.model.clone_from(model);
        let info = self.accounts.providers(&config).model_info(model)?;
        let effort = config.effort_of(options.reasoning_effort.as_ref(), &info);
        let output_schema = options.output_schema.clone();
        let asked = ModelOptions { output_schema, reasoning_effort: effort, ..config.model_options.clone() };
        config.policy.keep_rules_of(&open.path());
        Ok((self.executors.executor(&open, &config, ClientCapabilities::default()).definitions(), asked))
    }

    /// Returns the events from the request to the next one of the same run that say what came of it.
    fn answer_to(&self, event: &Event, request: &EngineRequest) -> Result<Vec<Event>, Error> {
        let (mut answer, mut after) = (Vec::new(), event.seq);
        loop {
            let page = self.reader.events_after(&event.session_id, after, EVENTS_A_PIECE)?;
            for next in page.events {
                after = next.seq;
                if next.run_id != event.run_id {
                    continue;
                }
                match told_by(&next.body(), request) {
                    AnswerEvent::Next => return Ok(answer),
                    AnswerEvent::Answer => answer.push(next),
                    AnswerEvent::End => {
                        answer.push(next);
                        return Ok(answer);
                    }
                    AnswerEvent::Nothing => {}
                }
            }
            if !page.has_more {
                return Ok(answer);
            }
        }
    }
}

/// The meaning of an event after a request for its answer.
enum AnswerEvent {
    Nothing,
    /// It is part of the answer.
    Answer,
    /// The same, and there is no more.
    End,
    /// The next request.
    Next,
}

fn told_by(body: &EventBody, request: &EngineRequest) -> AnswerEvent {
    let is_turn = request.purpose.is_none();
    match body {
        EventBody::EngineRequest(next) if next.purpose == request.purpose => AnswerEvent::Next,
        EventBody::EngineResponse(response) if response.purpose == request.purpose => AnswerEvent::Answer,
        EventBody::EngineRetry(_) | EventBody::OutputMessage(_) | EventBody::ToolCall(_) if is_turn => {
            AnswerEvent::Answer
        }
        // The calls were made: whatever failed then is not the answer.
        EventBody::ToolResult(_) | EventBody::PolicyDecided(_) | EventBody::ApprovalRequested(_) if is_turn => {
            AnswerEvent::Next
        }
        EventBody::RunFailed(_) if is_turn => AnswerEvent::End,
        EventBody::RunCompleted(_) | EventBody::RunCancelled(_) | EventBody::RunPaused(_) if is_turn => {
            AnswerEvent::Next
        }
        EventBody::ContextCompacted(_) | EventBody::MemoryReflected(_) if !is_turn => AnswerEvent::End,
        _ => AnswerEvent::Nothing,
    }
}
