//! One approval, from the request to the decision.

use crate::asking::{hunk_form, permission, questions};
use crate::live_session::LiveSession;
use crate::messages::{ClientCapabilityFlags, CreateElicitation, Elicited, FormSchema, ToolCallUpdate};
use crate::rpc::{AskFailure, RpcConnection};
use arki_api::Resolution;
use arki_domain::{ApprovalId, ApprovalKind, ApprovalRequested, Code, Error, QuestionAsked};
use arki_engine::{ApprovalRecord, Client, Engine, RuleDefinition, rule_text};
use serde_json::{Map, Value};
use std::sync::Arc;

/// More hunks than this are reviewed in Arki.
const MAX_ASKED_HUNKS: usize = 100;
/// More files than this aren't asked about one by one.
const MAX_ASKED_FILES: usize = 20;

/// How asking ended.
#[derive(Debug)]
pub(crate) enum AskEnd {
    /// It is decided, and the run goes on.
    Decided,
    /// It waits in Arki; the sentence says why.
    Left(String),
    Failed(Error),
}

/// Asks for one session of the client's.
#[derive(Clone)]
pub(crate) struct EditorAsker {
    pub(crate) client: Arc<Client>,
    pub(crate) connection: Arc<RpcConnection>,
    pub(crate) session: Arc<LiveSession>,
    pub(crate) capabilities: ClientCapabilityFlags,
}

/// An approval as it is shown.
pub(crate) struct ShownApproval {
    pub(crate) record: ApprovalRecord,
    pub(crate) requested: ApprovalRequested,
    /// The diff of its change, also a large one; empty where there is none.
    pub(crate) diff: String,
    /// The rules that would allow it from now on.
    pub(crate) rules: Vec<RuleDefinition>,
}

impl ShownApproval {
    pub(crate) fn call(&self) -> ToolCallUpdate {
        let id = self.requested.waiting_calls().next().map(ToString::to_string);
        ToolCallUpdate::of(id.unwrap_or_else(|| self.record.approval_id.to_string()))
    }

    pub(crate) fn rule(&self) -> String {
        rule_text(&self.rules)
    }
}

/// Returns why a change is not to be decided in an editor, if it isn't: one that steers tools, or a secret, or isn't text.
fn decided_in_arki(requested: &ApprovalRequested) -> Option<&'static str> {
    let is_sensitive = matches!(
        requested.rule.as_str(),
        "builtin:protected-path"
            | "builtin:secret-file"
            | "builtin:secret"
            | "builtin:git-directory"
            | "builtin:git-program"
    );
    let hunks = requested.preview.iter().flat_map(|preview| &preview.hunks);
    match () {
        () if requested.kind == ApprovalKind::Gate => Some("a pipeline's question"),
        () if is_sensitive => Some("about a protected or secret file"),
        () if hunks.clone().any(|hunk| hunk.what.is_some()) => Some("a change that isn't only text"),
        () if hunks.count() > MAX_ASKED_HUNKS => Some("a large change"),
        () => None,
    }
}

impl EditorAsker {
    fn engine(&self) -> &Arc<Engine> {
        self.client.engine()
    }

    /// Asks about an approval.
    pub(crate) async fn ask(self, approval_id: ApprovalId) -> AskEnd {
        let shown = match self.read(&approval_id).await {
            Ok(shown) => shown,
            Err(fault) => return AskEnd::Failed(fault),
        };
        if let Some(why) = decided_in_arki(&shown.requested) {
            return AskEnd::Left(format!("it's {why}"));
        }
        match self.choice(&shown).await {
            Ok(Some(resolution)) => self.decide(&approval_id, resolution).await,
            Ok(None) | Err(AskFailure::Refused) => AskEnd::Left("nothing was decided here".to_owned()),
            Err(AskFailure::Gone) => AskEnd::Left("it couldn't be asked here".to_owned()),
        }
    }

    /// The client's decision; `None` where it is left to Arki.
    async fn choice(&self, shown: &ShownApproval) -> Result<Option<Resolution>, AskFailure> {
        let hunks = shown.requested.preview.as_ref().map_or(0, |preview| preview.hunks.len());
        let files = shown.requested.preview.as_ref().map_or(0, |preview| preview.files_affected.len());
        match (hunks, files) {
            (2.., _) if self.capabilities.forms => hunk_form::ask(self, shown).await,
            (_, 2..=MAX_ASKED_FILES) => permission::ask_by_file(self, shown).await,
            (_, 0 | 1) => permission::ask(self, shown).await,
            _ => Ok(None),
        }
    }

    async fn read(&self, approval_id: &ApprovalId) -> Result<ShownApproval, Error> {
        let (engine, id) = (self.engine().clone(), approval_id.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let approvals = engine.approvals();
            let record = approvals.pending().approval(&id)?;
            let requested = record.request().ok_or_else(|| Error::internal("an approval that can't be read"))?;
            let rules = approvals.rules().proposed_rules(&id)?;
            let diff = match &requested.preview {
                Some(_) => {
                    let review = approvals.reviews().review_diff(&record, &requested)?;
                    review.all().iter().map(|part| review.text(part)).collect()
                }
                None => String::new(),
            };
            Ok(ShownApproval { record, requested, diff, rules })
        });
        reading.await.map_err(Error::internal)?
    }

    async fn decide(&self, approval_id: &ApprovalId, resolution: Resolution) -> AskEnd {
        match self.client.decide(approval_id, resolution).await {
            Ok(decided) => {
                if let Some(fault) = decided.rule_not_kept {
                    tracing::warn!(%fault, "the rule was not kept");
                }
                if let Some((_, handle)) = decided.run {
                    self.session.watch(handle);
                }
                AskEnd::Decided
            }
            // Somebody was faster.
            Err(fault) if fault.is(Code::APPROVAL_ALREADY_RESOLVED) => AskEnd::Decided,
            Err(fault) => AskEnd::Failed(fault),
        }
    }

    /// Asks the model's question; `Left` where the client has no forms or the user gives no answer.
    pub(crate) async fn ask_question(self, asked: QuestionAsked) -> AskEnd {
        let left = || AskEnd::Left(String::new());
        if !self.capabilities.forms {
            return left();
        }
        let Ok(Some(answer)) = questions::ask(&self, &asked).await else { return left() };
        match self.client.answer_question(&self.session.id, &asked.question_id, &answer).await {
            Ok((_, handle)) => {
                self.session.watch(handle);
                AskEnd::Decided
            }
            Err(fault) if fault.is(Code::QUESTION_ALREADY_ANSWERED) => AskEnd::Decided,
            Err(fault) => AskEnd::Failed(fault),
        }
    }

    /// Has the user fill in a form, beside the call that it is about; `None` where they send no values.
    pub(super) async fn fill_in(
        &self,
        tool_call_id: Option<String>,
        message: String,
        requested_schema: FormSchema,
    ) -> Result<Option<Map<String, Value>>, AskFailure> {
        let form = CreateElicitation::new(self.session.id.as_str(), tool_call_id, message, requested_schema);
        let answer: Elicited = self.connection.ask("elicitation/create", &form).await?;
        Ok(answer.values())
    }
}
