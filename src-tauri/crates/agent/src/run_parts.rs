//! The parts that a run works with, and the next request to the model: what is frozen for the run, with what the run's log
//! has come to.

use crate::answer::ask::Ask;
use crate::compacting::CompactionParts;
use crate::run_log::RunLog;
use crate::text_only;
use arki_domain::projection::StateSavingStrategy;
use arki_domain::{
    ChatModel, ChatRequest, Clock, Error, Event, EventBody, EventLog, Executor, LateContext, LiveBus, ModelOptions,
    PreparedRequest, RequestHead, ToolDefinition,
};
use arki_redaction::Redactor;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The parts that a run works with; everything that touches the world is behind a port.
#[derive(Clone)]
pub struct RunParts {
    pub log: Arc<dyn EventLog>,
    pub bus: Arc<dyn LiveBus>,
    pub model: Arc<dyn ChatModel>,
    pub executor: Arc<dyn Executor>,
    pub clock: Arc<dyn Clock>,
    pub redactor: Redactor,
    /// Frozen for the run, as are the executor's definitions.
    pub system: Arc<str>,
    /// The bytes of every image of the conversation, by their SHA-256 hex.
    pub images: Arc<BTreeMap<String, Bytes>>,
    pub model_options: ModelOptions,
    /// Says whether what failed may succeed a little later, if it is simply tried again.
    pub is_retryable: fn(&Error) -> bool,
    /// The time one answer may take, from its request to its last word.
    pub max_answer: Duration,
    pub compaction: CompactionParts,
    pub late_context: Arc<dyn LateContext>,
    pub state_saving: StateSavingStrategy,
}

impl RunParts {
    pub(crate) fn request(&self, log: &mut RunLog, ask: &Ask) -> ChatRequest {
        let mut options = self.model_options.clone();
        // It is the answer's to the user.
        options.output_schema = options.output_schema.filter(|_| !ask.is_of_plan());
        let request = ChatRequest {
            system: self.system.clone(),
            messages: log.transcript.messages(),
            tools: self.tools(&log.state.refused_tools),
            images: self.images.clone(),
            options,
        };
        if self.writes_tools_as_text() { text_only::request(request, ask.stage) } else { request }
    }

    fn tools(&self, refused: &[String]) -> Arc<[ToolDefinition]> {
        let tools = self.executor.definitions();
        match refused.is_empty() {
            true => tools,
            false => tools.iter().filter(|tool| !refused.iter().any(|name| *name == *tool.name)).cloned().collect(),
        }
    }

    pub(crate) fn writes_tools_as_text(&self) -> bool {
        !self.model.takes_tools()
    }

    /// Returns whether the request is another one now: without an optional part that the provider has just refused.
    pub(crate) fn is_another(&self, log: &mut RunLog, ask: &Ask, sent: &PreparedRequest) -> bool {
        let request = self.request(log, ask);
        self.model.prepare(&request).is_ok_and(|again| again.request_hash != sent.request_hash)
    }

    /// Has the pictures that calls have read at hand for the next request.
    pub(crate) async fn keep_pictures(&mut self, events: &[Arc<Event>]) {
        for event in events.iter().filter(|event| event.kind == "context.added") {
            let EventBody::ContextAdded(added) = event.body() else { continue };
            for hash in added.images.into_iter().map(|image| image.content_hash) {
                if let Some(bytes) = self.executor.picture(&hash).await {
                    Arc::make_mut(&mut self.images).insert(hash, bytes.into());
                }
            }
        }
    }
}

/// The facts about the last request that the log has: only what differs is said again.
#[derive(Default)]
pub(crate) struct LoggedRequest {
    window: Option<u64>,
    head: Option<RequestHead>,
}

impl LoggedRequest {
    /// Returns the model's context window, where it is news.
    pub(crate) fn new_window(&mut self, window: Option<u64>) -> Option<u64> {
        let is_news = window != self.window;
        self.window = window;
        window.filter(|_| is_news)
    }

    /// Returns the hash under which the head lies, where it is another than that of the turn before.
    pub(crate) async fn new_head(
        &mut self,
        log: &RunLog,
        head: RequestHead,
        prepared: &PreparedRequest,
    ) -> Result<Option<String>, Error> {
        if self.head.as_ref() == Some(&head) {
            return Ok(None);
        }
        let hash = log.followed.log.keep_head(&head.clone().written_as(prepared)).await?;
        self.head = Some(head);
        Ok(Some(hash))
    }

    /// The next head is news, whatever it is.
    pub(crate) fn forget_head(&mut self) {
        self.head = None;
    }
}
