//! The open questions of MCP servers to the user, and the answers.
//!
//! It is kept in memory alone: a question is a part of a call that a server works on, and ends with the call and with
//! this process. What came of it stands in the call's result. The run stays at work meanwhile: it is not paused.

use crate::Mcp;
use arki_api::{
    ElicitationAction, ElicitationChoice, ElicitationFault, ElicitationField, ElicitationFieldKind, ElicitationFormat,
    ElicitationPage, ElicitationReply, ElicitationSummary,
};
use arki_domain::{Clock, Code, Error, LiveBus, LiveEvent};
use arki_mcp::{Choice, Elicitor, Field, FieldKind, Reply, ServerQuestion, TextFormat, WantedAnswer, WebAddress};
use arki_tools::CallPlace;
use async_trait::async_trait;
use serde_json::Map;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// The time that a question waits for the user; then the server is told that it was cancelled.
const PATIENCE: Duration = Duration::from_secs(600);
/// Questions of one server that may wait at once; more are declined.
const MAX_OPEN_A_SERVER: usize = 4;

#[derive(Default)]
pub(crate) struct Elicitations(Mutex<Register>);

#[derive(Default)]
struct Register {
    last_id: u64,
    open: Vec<PendingElicitation>,
}

struct PendingElicitation {
    id: u64,
    project: String,
    asked_at: i64,
    question: ServerQuestion,
    answer: oneshot::Sender<Reply>,
}

/// Asks in the window, for the servers of one project.
pub(super) struct InTheWindow {
    pub(super) register: Arc<Elicitations>,
    pub(super) bus: Arc<dyn LiveBus>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) project: String,
}

#[async_trait]
impl Elicitor for InTheWindow {
    async fn ask(&self, question: ServerQuestion) -> Reply {
        let Some((shown, answer)) = self.show(question) else { return Reply::Decline };
        let reply = tokio::time::timeout(PATIENCE, answer).await;
        drop(shown);
        match reply {
            Ok(reply) => reply.unwrap_or(Reply::Cancel),
            Err(_) => Reply::TimedOut,
        }
    }
}

impl InTheWindow {
    fn show(&self, question: ServerQuestion) -> Option<(ShownElicitation<'_>, oneshot::Receiver<Reply>)> {
        let (answer, answered) = oneshot::channel();
        let id = self.register.add(&self.project, self.clock.now_ms(), question, answer)?;
        self.bus.publish(LiveEvent::ElicitationsChanged);
        Some((ShownElicitation { asking: self, id }, answered))
    }
}

/// Shown as long as it is held.
struct ShownElicitation<'a> {
    asking: &'a InTheWindow,
    id: u64,
}

impl Drop for ShownElicitation<'_> {
    fn drop(&mut self) {
        self.asking.register.locked().open.retain(|open| open.id != self.id);
        self.asking.bus.publish(LiveEvent::ElicitationsChanged);
    }
}

impl Elicitations {
    /// `None` where too many of the server's wait already.
    fn add(
        &self,
        project: &str,
        asked_at: i64,
        question: ServerQuestion,
        answer: oneshot::Sender<Reply>,
    ) -> Option<u64> {
        let mut register = self.locked();
        let is_its = |open: &&PendingElicitation| open.project == project && open.question.server == question.server;
        if register.open.iter().filter(is_its).count() >= MAX_OPEN_A_SERVER {
            return None;
        }
        register.last_id += 1;
        let id = register.last_id;
        register.open.push(PendingElicitation { id, project: project.to_owned(), asked_at, question, answer });
        Some(id)
    }

    fn locked(&self) -> MutexGuard<'_, Register> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn list(&self) -> Vec<ElicitationSummary> {
        self.locked().open.iter().map(summary).collect()
    }

    /// Returns what is wrong with the values; nothing where the server was told.
    fn answer(&self, id: u64, reply: ElicitationReply) -> Result<Vec<ElicitationFault>, Error> {
        let mut register = self.locked();
        let place = register.open.iter().position(|open| open.id == id).ok_or_else(gone)?;
        let told = match (reply.action, &register.open[place].question.wanted) {
            (ElicitationAction::Accept, WantedAnswer::Form(form)) => {
                if let Err(faults) = form.check(&reply.values) {
                    return Ok(faults
                        .into_iter()
                        .map(|fault| ElicitationFault { field: fault.field, message: fault.message })
                        .collect());
                }
                Reply::Accept(reply.values)
            }
            (ElicitationAction::Accept, WantedAnswer::Page(_)) => Reply::Accept(Map::new()),
            (ElicitationAction::Decline, _) => Reply::Decline,
            (ElicitationAction::Cancel, _) => Reply::Cancel,
        };
        register.open.remove(place).answer.send(told).map_err(|_| gone())?;
        Ok(Vec::new())
    }

    fn page(&self, id: u64) -> Result<Option<String>, Error> {
        let register = self.locked();
        let open = register.open.iter().find(|open| open.id == id).ok_or_else(gone)?;
        Ok(match &open.question.wanted {
            WantedAnswer::Page(page) => Some(page.url.clone()),
            WantedAnswer::Form(_) => None,
        })
    }
}

impl Mcp {
    /// Returns what MCP servers ask now, the oldest first.
    #[must_use]
    pub fn elicitations(&self) -> Vec<ElicitationSummary> {
        self.elicitations.list()
    }

    /// Answers a server's question. Where values don't fit its form, says what is wrong, and it goes on waiting.
    ///
    /// # Errors
    /// `QUESTION_NOT_FOUND` where it does not wait any more.
    pub fn answer_elicitation(&self, id: u64, reply: ElicitationReply) -> Result<Vec<ElicitationFault>, Error> {
        self.elicitations.answer(id, reply)
    }

    /// The page that a question is about, to be opened when the user accepts; `None` of a form.
    ///
    /// # Errors
    /// As [`Self::answer_elicitation`].
    pub fn elicitation_page(&self, id: u64) -> Result<Option<String>, Error> {
        self.elicitations.page(id)
    }
}

fn gone() -> Error {
    let message = "The server no longer waits for this answer.";
    Error::new(Code::QUESTION_NOT_FOUND, message, "Its call has ended, or nobody answered in time. Nothing was sent.")
}

fn summary(open: &PendingElicitation) -> ElicitationSummary {
    let (fields, page) = match &open.question.wanted {
        WantedAnswer::Form(form) => (form.fields.iter().map(field).collect(), None),
        WantedAnswer::Page(page) => (Vec::new(), Some(in_parts(page))),
    };
    ElicitationSummary {
        id: open.id,
        server: open.question.server.clone(),
        project: open.project.clone(),
        session_id: session_of(&open.question.calls),
        asked_at: open.asked_at,
        message: open.question.message.clone(),
        fields,
        page,
    }
}

/// The session that all calls are of.
fn session_of(calls: &[CallPlace]) -> Option<String> {
    let (first, rest) = calls.split_first()?;
    rest.iter().all(|call| call.session_id == first.session_id).then(|| first.session_id.to_string())
}

fn in_parts(page: &WebAddress) -> ElicitationPage {
    let (before, after) = page.url.split_once(page.host.as_str()).unwrap_or((&page.url, ""));
    ElicitationPage { before: before.to_owned(), host: page.host.clone(), after: after.to_owned() }
}

pub(super) fn field(field: &Field) -> ElicitationField {
    ElicitationField {
        name: field.name.clone(),
        label: field.label.clone(),
        description: field.description.clone(),
        required: field.required,
        kind: kind(&field.kind),
        default: field.default.clone(),
    }
}

fn kind(kind: &FieldKind) -> ElicitationFieldKind {
    match kind {
        FieldKind::Text { format, max_length } => {
            ElicitationFieldKind::Text { format: format.map(text_format), max_length: *max_length }
        }
        FieldKind::Number { is_integer, minimum, maximum } => {
            ElicitationFieldKind::Number { is_integer: *is_integer, minimum: *minimum, maximum: *maximum }
        }
        FieldKind::Boolean => ElicitationFieldKind::Boolean,
        FieldKind::Choice(options) => ElicitationFieldKind::Choice { options: choices(options) },
        FieldKind::Choices(options) => ElicitationFieldKind::Choices { options: choices(options) },
    }
}

fn text_format(format: TextFormat) -> ElicitationFormat {
    match format {
        TextFormat::Email => ElicitationFormat::Email,
        TextFormat::Uri => ElicitationFormat::Uri,
        TextFormat::Date => ElicitationFormat::Date,
        TextFormat::DateTime => ElicitationFormat::DateTime,
    }
}

fn choices(options: &[Choice]) -> Vec<ElicitationChoice> {
    let shown = |choice: &Choice| ElicitationChoice { value: choice.value.clone(), title: choice.title.clone() };
    options.iter().map(shown).collect()
}

#[cfg(test)]
mod tests;
