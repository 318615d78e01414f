//! Decisions about what waits: recorded first, then the run goes on.

use crate::approvals::hunk_choice::check_hunks;
use crate::{Approvals, blocking};
use arki_api::{KeepScope, Resolution};
use arki_domain::projection::MAX_PLAN_STEPS;
use arki_domain::{
    AnsweredRequest, ApprovalDecision, ApprovalId, ApprovalKind, ApprovalRequested, ApprovalResolved, Code, Decision,
    Error, EventDraft, EventLog, SessionId,
};
use arki_policy::RuleDefinition;
use arki_store::{ApprovalRecord, ApprovalStatus};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The result of a decision.
#[derive(Debug)]
pub struct DecisionOutcome {
    pub session_id: SessionId,
    /// Why the rule that was to be kept is not. The decision holds all the same.
    pub rule_not_kept: Option<Error>,
}

/// Whoever decides.
pub struct DecidedBy {
    /// Such as `window`.
    pub name: &'static str,
    /// The request over HTTP that decides, if it may be sent again.
    pub request: Option<AnsweredRequest>,
}

impl From<&'static str> for DecidedBy {
    fn from(name: &'static str) -> Self {
        Self { name, request: None }
    }
}

impl Approvals {
    /// Records the decision, and then the rule that is to be kept; the caller goes on with the run of the session
    /// returned.
    ///
    /// # Errors
    /// When it was decided before, names hunks that are not there, was made on another preview, or would store a rule
    /// that was not shown. Nothing is stored then.
    pub async fn resolve_approval(
        self: &Arc<Self>,
        approval_id: &ApprovalId,
        resolution: Resolution,
        by: impl Into<DecidedBy>,
    ) -> Result<DecisionOutcome, Error> {
        let (approval_id, by) = (approval_id.clone(), by.into());
        let CheckedDecision { session_id, drafts, rules } =
            blocking(self, move |approvals| approvals.checked(&approval_id, resolution, by)).await?;
        self.records.log().append(&session_id, drafts).await?;
        // Only now is it decided: another process may have rejected it meanwhile.
        let kept = match rules.is_empty() {
            false => blocking(&self.rules, move |stored| stored.add_rules(&rules)).await,
            true => Ok(()),
        };
        let rule_not_kept = kept.err().map(rule_not_kept);
        Ok(DecisionOutcome { session_id, rule_not_kept })
    }

    /// Returns what a resolution would record, where it can be.
    fn checked(
        &self,
        approval_id: &ApprovalId,
        resolution: Resolution,
        by: DecidedBy,
    ) -> Result<CheckedDecision, Error> {
        let record = self.pending.approval(approval_id)?;
        if record.status != ApprovalStatus::Pending {
            let message = format!("The approval {approval_id} is no longer pending.");
            let hint = "`arki approvals list` shows the pending approvals.";
            return Err(Error::new(Code::APPROVAL_ALREADY_RESOLVED, message, hint));
        }
        let Some(requested) = record.request() else {
            return Err(Error::internal("an approval that this version cannot read"));
        };
        check(&requested, &resolution)?;
        if resolution.decision == ApprovalDecision::Approve {
            self.pending.ensure_in_time(&record)?;
        }
        // A decision that nobody could act on must not be spent.
        if let Some(run) = self.reader.overview(&record.session_id)?.run {
            self.reader.ensure_begun_here(&run.run_id)?;
            self.reader.frozen_system_prompt(&run)?;
        }
        if resolution.decision == ApprovalDecision::Approve {
            self.ensure_secrets_are_known(&record)?;
            self.ensure_editor_is_here(&record)?;
        }
        let mut drafts = Vec::new();
        let mut rules = self.rules_to_keep(&record, &resolution)?;
        match &resolution.keep {
            Some(keep) if keep.scope == KeepScope::Session => {
                drafts.push(EventDraft::of_session(self.grants.granting(&record.session_id, &rules)?));
                rules.clear();
            }
            Some(_) => self.rules.ensure_addable(&rules)?,
            None => {}
        }
        let resolved = ApprovalResolved {
            approval_id: approval_id.clone(),
            decision: resolution.decision,
            hunks: resolution.hunks.map(|hunks| BTreeSet::from_iter(hunks).into_iter().collect()),
            edited: resolution.edited.unwrap_or_default(),
            command: resolution.command.filter(|command| !is_as_shown(&requested, command)),
            plan: resolution.plan.filter(|steps| *steps != shown_steps(&requested)),
            reason: resolution.note.filter(|note| !note.trim().is_empty()),
            resolved_by: by.name.to_owned(),
            preview_hash: requested.shown_hash().to_owned(),
            request: by.request,
        };
        self.projects.learn_secrets_of(&self.reader.session(&record.session_id)?.project)?;
        drafts.push(EventDraft { run_id: record.run_id, body: resolved.into() });
        Ok(CheckedDecision { session_id: record.session_id, drafts, rules })
    }

    /// A run that works in another process goes on there, and knows them perhaps.
    fn ensure_secrets_are_known(&self, record: &ApprovalRecord) -> Result<(), Error> {
        let unresolved = self.reviews.unresolved_secrets(record);
        let Some(placeholder) = unresolved.first() else { return Ok(()) };
        if self.records.reader().lists().lease_holder(&record.session_id)?.is_some() {
            return Ok(());
        }
        Err(Error::new(
            Code::SECRET_UNRESOLVED,
            format!("{placeholder} stands for a secret that only the process knows in which it was typed or read."),
            "If you typed it in the window, approve there. Otherwise reject it, put the secret into a file of the \
             project yourself, and let the model use it from there.",
        ))
    }

    /// A change that was shown on an editor's unsaved text would be another one without it.
    fn ensure_editor_is_here(&self, record: &ApprovalRecord) -> Result<(), Error> {
        let Some(requested) = self.reviews.revealed(record) else { return Ok(()) };
        if !requested.is_on_unsaved_text() {
            return Ok(());
        }
        let session = self.reader.session(&record.session_id)?;
        if !self.executors.judging_executor(Path::new(&session.project))?.judge().needs_editor(&requested) {
            return Ok(());
        }
        Err(Error::new(
            Code::UNSAVED_CHANGES,
            "The change was shown on top of text that isn't saved in the editor, so nothing was decided.",
            "Decide in the editor, or save the file there first. Otherwise reject it, and let the model propose it again.",
        ))
    }

    /// The rules that are to be stored. They are agreed to with the call that was shown: where that would be asked about
    /// anew, because a file has changed, nothing has been permitted yet.
    fn rules_to_keep(&self, record: &ApprovalRecord, resolution: &Resolution) -> Result<Vec<RuleDefinition>, Error> {
        let Some(keep) = &resolution.keep else { return Ok(Vec::new()) };
        let edited = resolution.edited.iter().flatten().next();
        let is_whole = resolution.hunks.is_none() && edited.is_none() && resolution.command.is_none();
        let is_denial = resolution.decision == ApprovalDecision::Reject;
        if !is_whole || (is_denial && keep.scope == KeepScope::Session) {
            let message = "Only a call that you approve as shown can be allowed permanently.";
            return Err(Error::new(Code::USAGE, message, "Decide on it this once."));
        }
        if record.request().is_some_and(|requested| !requested.calls.is_empty()) {
            return Err(not_offered());
        }
        if self.is_stale(record)? {
            let message = "The file changed after the preview was shown, so nothing was decided and no rule stored.";
            let hint = "Approve it once. The change is then shown again, and you can allow it permanently.";
            return Err(Error::new(Code::STALE_PREVIEW, message, hint));
        }
        let mut rules = self.rules.proposed_rules(&record.approval_id)?;
        if is_denial {
            rules = denying_rule(&rules).into_iter().collect();
        }
        if rules.is_empty() {
            return Err(not_offered());
        }
        if rule_text(&rules) != keep.rule {
            let message = "The rules have changed since they were shown to you.";
            return Err(Error::new(Code::STALE_PREVIEW, message, "Look at the rules again, then decide."));
        }
        Ok(rules)
    }

    fn is_stale(&self, record: &ApprovalRecord) -> Result<bool, Error> {
        let Some(requested) = self.reviews.revealed(record) else { return Ok(true) };
        let session = self.reader.session(&record.session_id)?;
        Ok(self.executors.judging_executor(Path::new(&session.project))?.judge().is_stale(&requested))
    }
}

/// The record of an answer, and the rules that hold from then on.
struct CheckedDecision {
    session_id: SessionId,
    drafts: Vec<EventDraft>,
    rules: Vec<RuleDefinition>,
}

fn not_offered() -> Error {
    let message = "No lasting permission is offered for this call.";
    Error::new(Code::USAGE, message, "Approve it this once, or write a rule into the configuration yourself.")
}

fn rule_not_kept(fault: Error) -> Error {
    Error { message: format!("This once it is decided, but no rule was stored. {}", fault.message), ..fault }
}

/// Rules as they are shown and stored: each as JSON on a line of its own.
#[must_use]
pub fn rule_text(rules: &[RuleDefinition]) -> String {
    let lines = rules.iter().map(|rule| serde_json::to_string(rule).unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The rule that denies what `rules` would allow. None where they are several: each would deny more than the call.
#[must_use]
pub fn denying_rule(rules: &[RuleDefinition]) -> Option<RuleDefinition> {
    let [rule] = rules else { return None };
    let is_for_host_of_command = rule.command.is_some() && rule.host.is_some();
    let denied =
        RuleDefinition { decision: Decision::Deny, network: false, stdin: false, effects: None, ..rule.clone() };
    (!is_for_host_of_command).then_some(denied)
}

fn is_as_shown(requested: &ApprovalRequested, command: &str) -> bool {
    requested.command.as_ref().is_some_and(|shown| shown.command == command)
}

/// The steps of the plan that is to be approved.
fn shown_steps(requested: &ApprovalRequested) -> Vec<String> {
    let steps = requested.args.get("steps").and_then(serde_json::Value::as_array);
    steps.into_iter().flatten().filter_map(|step| step.as_str().map(str::to_owned)).collect()
}

fn check_plan(requested: &ApprovalRequested, steps: &[String]) -> Result<(), Error> {
    let wrong = if requested.kind != ApprovalKind::Plan {
        "This approval is not for a plan, so it has no steps to edit.".to_owned()
    } else if steps.is_empty() || steps.iter().any(|step| step.trim().is_empty()) {
        "The edited plan is empty, or has an empty step.".to_owned()
    } else if steps.len() > MAX_PLAN_STEPS {
        format!("The edited plan has {} steps, and at most {MAX_PLAN_STEPS} are allowed.", steps.len())
    } else {
        return Ok(());
    };
    let hint = format!("`arki approvals show {}` shows what it is.", requested.approval_id);
    Err(Error::new(Code::USAGE, wrong, hint))
}

fn check(requested: &ApprovalRequested, resolution: &Resolution) -> Result<(), Error> {
    if let Some(steps) = &resolution.plan {
        check_plan(requested, steps)?;
    }
    if resolution.preview_hash.as_deref().is_some_and(|hash| hash != requested.shown_hash()) {
        let message = "The preview changed after it was shown to you.";
        return Err(Error::new(Code::STALE_PREVIEW, message, "Look at the preview again, then decide."));
    }
    match (&resolution.command, &requested.command) {
        (Some(_), None) => {
            let hint = format!("`arki approvals show {}` shows what it is.", requested.approval_id);
            return Err(Error::new(Code::USAGE, "This approval is not for a command, so you can't edit it.", hint));
        }
        (Some(command), Some(_)) if command.trim().is_empty() => {
            let message = "The edited command is empty.";
            return Err(Error::new(Code::USAGE, message, "Reject the approval if nothing should run."));
        }
        _ => {}
    }
    check_hunks(requested, resolution)
}
