//! Rules that the user makes of an answer ("always allow") or writes in the window: adding one, removing a stored one, and
//! what a new one would have meant so far.

use crate::accounts::user_config::input;
use crate::approvals::pending::PendingApprovals;
use crate::{Accounts, ExecutorFactory, Projects, Records, SessionReader};
use arki_api::{BacktestResult, PastCallEntry};
use arki_config::{invalid, parse_rule};
use arki_domain::projection::SessionSummary;
use arki_domain::{
    ApprovalId, ApprovalKind, ApprovalMode, ApprovalRequested, Code, Decision, Error, EventBody, REPEATED_RULE,
    SessionId,
};
use arki_policy::{PolicyRule, RuleDefinition};
use arki_tools::ToolExecutor;
use jsonc_parser::cst::{CstNode, CstRootNode};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

const SESSIONS_A_PAGE: usize = 200;
/// The past calls that are listed, of each kind: changed by a rule, and decided as before.
const MAX_LISTED_CALLS: usize = 200;
/// The characters of a listed call that are shown.
const MAX_CALL_CHARS: usize = 1000;
/// Stands for a file's name in errors.
const TYPED: &str = "The rule";
const CORRECT: &str = "Correct it, and try again; nothing was stored.";

/// A past call that a new rule speaks of.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PastCall {
    pub session_id: SessionId,
    pub seq: u64,
    pub tool_id: String,
    pub args: Value,
    /// Then, by whatever rules there were; absent where the call was never judged.
    pub decided: Option<Decision>,
    /// Today, nothing granted beforehand.
    pub decision: Decision,
    pub with_rule: Decision,
}

impl PastCall {
    /// Returns whether the rule would change today's decision.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.decision != self.with_rule
    }

    /// The command or path that the call is about, or else its arguments.
    #[must_use]
    pub fn about(&self) -> String {
        let about = self.args.get("command").or_else(|| self.args.get("path")).and_then(Value::as_str);
        about.map_or_else(|| self.args.to_string(), str::to_owned)
    }
}

/// The effect that a rule would have had, in numbers of calls.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backtest {
    pub matched: usize,
    /// The number of matched calls that would be decided differently.
    pub changed: usize,
    pub calls: usize,
    /// Calls of projects that are no longer there.
    pub left_out: usize,
}

/// The rules in the user's configuration that were made of answers or typed, and what a new one would have meant.
pub struct StandingRules {
    pub(super) records: Arc<Records>,
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) pending: Arc<PendingApprovals>,
}

impl StandingRules {
    /// The narrowest rules that would allow what an approval asks about from now on, in that folder: one for each command
    /// of a line that still asks. None where no lasting permission is offered. Nothing is stored; [`arki_api::Keep`] stores
    /// them.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, or when the folder or the configuration cannot be used.
    pub fn proposed_rules(&self, approval_id: &ApprovalId) -> Result<Vec<RuleDefinition>, Error> {
        let record = self.pending.approval(approval_id)?;
        // What is asked because it was repeated no rule would have allowed.
        let is_of_call = |kind| matches!(kind, ApprovalKind::Tool | ApprovalKind::Effects);
        let is_of_one = |asked: &ApprovalRequested| asked.rule != REPEATED_RULE && asked.calls.is_empty();
        let requested = record.request().filter(|requested| is_of_one(requested) && is_of_call(requested.kind));
        let Some(requested) = requested else { return Ok(Vec::new()) };
        let folder = self.reader.session(&record.session_id)?.project;
        let executor = self.executors.judging_executor(Path::new(&folder))?;
        let judge = executor.judge();
        let rules = match requested.kind {
            ApprovalKind::Effects => judge.proposed_effects_rules(&requested.tool_id, &requested.args),
            _ => judge.proposed_rules(&requested.tool_id, &requested.args),
        };
        let project = self.projects.project_at(&folder);
        Ok(rules.into_iter().map(|rule| RuleDefinition { project: Some(project.clone()), ..rule }).collect())
    }

    /// Adds rules to the user's `config.json`; comments and everything else stay.
    ///
    /// # Errors
    /// `CONFIG_INVALID`; then the file is as it was.
    pub(crate) fn add_rules(&self, rules: &[RuleDefinition]) -> Result<(), Error> {
        self.accounts.edit_config(appending(rules)?)
    }

    /// Checks that [`Self::add_rules`] would find a configuration that it can add to.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(crate) fn ensure_addable(&self, rules: &[RuleDefinition]) -> Result<(), Error> {
        self.accounts.edited_config(&self.accounts.user_config_text()?, appending(rules)?).map(drop)
    }

    /// Tells `take` of each past call that a rule speaks of, and how today's decision on it would change: the newest
    /// session first, each in order.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where the rule is none or fails its own examples, or when the database cannot be read.
    pub fn backtest(&self, text: &str, file: &Path, take: &mut dyn FnMut(PastCall)) -> Result<Backtest, Error> {
        let backtest =
            parse_rule(text, file).and_then(|rule| self.backtest_definition(rule, file, &mut |_, past| take(past)));
        backtest.map_err(|fault| hinting(fault, "Fix the rule in this file, then test it again."))
    }

    fn backtest_definition(
        &self,
        definition: RuleDefinition,
        file: &Path,
        take: &mut dyn FnMut(&SessionSummary, PastCall),
    ) -> Result<Backtest, Error> {
        let project = definition.project.clone();
        let rule = PolicyRule::new(definition, "backtest", 1).map_err(|error| invalid(file, &error.to_string()))?;
        let mut backtest = Backtest::default();
        let mut executors: HashMap<String, Option<Arc<ToolExecutor>>> = HashMap::new();
        let mut offset = 0;
        loop {
            let sessions = self.records.reader().lists().sessions(SESSIONS_A_PAGE, offset)?;
            offset += sessions.len();
            if sessions.is_empty() {
                return Ok(backtest);
            }
            let meant = |folder: &str| project.as_deref().is_none_or(|project| project == folder);
            for session in sessions.iter().filter(|session| meant(&session.project)) {
                let executor = executors
                    .entry(session.project.clone())
                    .or_insert_with(|| self.executors.judging_executor(Path::new(&session.project)).ok());
                let matched = self.backtest_session(&session.session_id, executor.as_deref(), &rule, &mut backtest)?;
                backtest.matched += matched.len();
                backtest.changed += matched.iter().filter(|past| past.is_changed()).count();
                matched.into_iter().for_each(|past| take(session, past));
            }
        }
    }

    fn backtest_session(
        &self,
        session: &SessionId,
        executor: Option<&ToolExecutor>,
        rule: &PolicyRule,
        backtest: &mut Backtest,
    ) -> Result<Vec<PastCall>, Error> {
        let mut matched: Vec<PastCall> = Vec::new();
        let mut places = HashMap::new();
        self.reader.each_own_event(session, 0, |event| match event.body() {
            EventBody::ToolCall(call) => {
                backtest.calls += 1;
                let Some(executor) = executor else {
                    backtest.left_out += 1;
                    return;
                };
                let (speaks, with_rule) = executor.judge().judge_with(rule, &call.tool_id, &call.args);
                if speaks {
                    let today = executor.judge().verdict(&call.tool_id, &call.args, ApprovalMode::Ask).decision;
                    places.insert(call.call_id.clone(), matched.len());
                    matched.push(PastCall {
                        session_id: session.clone(),
                        seq: event.seq,
                        tool_id: call.tool_id,
                        args: call.args,
                        decided: None,
                        decision: today,
                        with_rule: with_rule.decision,
                    });
                }
            }
            EventBody::PolicyDecided(decided) => {
                // The first one is the policy's; a later one tells of the user's answer.
                let place = places.get(&decided.call_id);
                if let Some(past) = place.and_then(|place| matched.get_mut(*place)) {
                    past.decided.get_or_insert(decided.decision);
                }
            }
            _ => {}
        })?;
        Ok(matched)
    }

    /// Returns the past calls that a rule matches, those that it would change first. Nothing is stored. Blocking.
    ///
    /// # Errors
    /// `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY` where it is no rule, or when the database can't be read.
    pub fn backtest_rule(&self, text: &str) -> Result<BacktestResult, Error> {
        let (mut changed, mut unchanged) = (Vec::new(), Vec::new());
        let rule = typed_rule(text)?;
        let backtest = self.backtest_definition(rule, Path::new(TYPED), &mut |session, past| {
            let calls = if past.is_changed() { &mut changed } else { &mut unchanged };
            if calls.len() < MAX_LISTED_CALLS {
                calls.push(PastCallEntry {
                    session_id: past.session_id.to_string(),
                    seq: past.seq,
                    title: session.title.clone(),
                    project: session.project.clone(),
                    call: past.about().chars().take(MAX_CALL_CHARS).collect(),
                    tool_id: past.tool_id,
                    decided: past.decided,
                    decision: past.decision,
                    with_rule: past.with_rule,
                });
            }
        })?;
        changed.extend(unchanged);
        changed.truncate(MAX_LISTED_CALLS);
        Ok(BacktestResult {
            matched: changed,
            matched_count: backtest.matched,
            changed: backtest.changed,
            calls: backtest.calls,
            left_out: backtest.left_out,
        })
    }

    /// Adds a rule to the user's `config.json`; comments and everything else stay.
    ///
    /// # Errors
    /// `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY`; then the file is as it was.
    pub fn add_typed_rule(&self, text: &str) -> Result<(), Error> {
        self.add_rules(&[typed_rule(text)?])
    }

    /// Removes a rule from the user's `config.json`, by its JSON as settings list it: without its secrets.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where the file has no such rule or can't be changed; then it is as it was.
    pub fn remove_rule(&self, text: &str) -> Result<(), Error> {
        let wanted: Value = serde_json::from_str(text).map_err(|error| rule_fault(&error.to_string()))?;
        let stored =
            |rule: &CstNode| jsonc_parser::parse_to_serde_value::<Value>(&rule.to_string(), &Default::default());
        let is_wanted =
            |rule: &CstNode| stored(rule).is_ok_and(|rule| self.records.redactor().redact_json(rule) == wanted);
        let mut was_there = false;
        self.accounts.edit_config(|root| {
            if let Some(rule) = stored_rules(root).into_iter().find(is_wanted) {
                was_there = true;
                rule.remove();
            }
            Ok(())
        })?;
        let missing = || {
            let message = "Your configuration no longer has this rule.";
            Error::new(Code::CONFIG_INVALID, message, "Open the settings again to see its current rules.")
        };
        was_there.then_some(()).ok_or_else(missing)
    }
}

/// The edit that adds these rules.
fn appending(rules: &[RuleDefinition]) -> Result<impl FnOnce(&CstRootNode) -> Result<(), Error> + use<>, Error> {
    let values = rules.iter().map(|rule| serde_json::to_value(rule).map_err(Error::internal));
    let values = values.collect::<Result<Vec<_>, _>>()?;
    Ok(move |root: &CstRootNode| {
        let rules = root.object_value_or_set().object_value_or_set("policy").array_value_or_set("rules");
        for value in &values {
            rules.ensure_multiline();
            rules.append(input(value));
        }
        Ok(())
    })
}

fn stored_rules(root: &CstRootNode) -> Vec<CstNode> {
    let policy = root.object_value().and_then(|root| root.object_value("policy"));
    policy.and_then(|policy| policy.array_value("rules")).map(|rules| rules.elements()).unwrap_or_default()
}

/// A rule that passes its own examples.
fn typed_rule(text: &str) -> Result<RuleDefinition, Error> {
    let definition = parse_rule(text, Path::new(TYPED)).map_err(|fault| hinting(fault, CORRECT))?;
    PolicyRule::new(definition.clone(), "typed", 1).map_err(|error| rule_fault(&error.to_string()))?;
    Ok(definition)
}

fn hinting(fault: Error, hint: &str) -> Error {
    match fault.is(Code::CONFIG_INVALID) {
        true => Error { hint: hint.to_owned(), ..fault },
        false => fault,
    }
}

fn rule_fault(reason: &str) -> Error {
    Error { hint: CORRECT.to_owned(), ..invalid(Path::new(TYPED), reason) }
}
