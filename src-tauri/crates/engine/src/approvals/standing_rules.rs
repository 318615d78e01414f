//! Rules that the user makes of an answer ("always allow"), and what a new rule would have meant so far.

use crate::accounts::Accounts;
use crate::approvals::pending::PendingApprovals;
use crate::executor_factory::ExecutorFactory;
use crate::projects::Projects;
use crate::records::Records;
use crate::session_reader::SessionReader;
use arki_config::{invalid, parse_rule};
use arki_domain::projection::SessionSummary;
use arki_domain::{ApprovalId, ApprovalKind, ApprovalMode, Code, Decision, Error, EventBody, REPEATED_RULE, SessionId};
use arki_policy::{PolicyRule, RuleDefinition};
use arki_tools::ToolExecutor;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use serde::Serialize;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

/// Read at once.
const EVENTS_A_PAGE: usize = 1000;
const SESSIONS_A_PAGE: usize = 200;

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
        let Some(requested) = record
            .request()
            .filter(|requested| requested.rule != REPEATED_RULE && is_of_call(requested.kind))
            .filter(|requested| requested.calls.is_empty())
        else {
            return Ok(Vec::new());
        };
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
        let values = as_values(rules)?;
        self.accounts.edit_config(|root| {
            values.into_iter().for_each(|value| append_rule(root, value));
            Ok(())
        })
    }

    /// Checks that [`Self::add_rules`] would find a configuration that it can add to.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(crate) fn ensure_addable(&self, rules: &[RuleDefinition]) -> Result<(), Error> {
        let values = as_values(rules)?;
        let append = |root: &CstRootNode| {
            values.into_iter().for_each(|value| append_rule(root, value));
            Ok(())
        };
        self.accounts.edited_config(&self.accounts.user_config_text()?, append).map(drop)
    }

    /// Tells `take` of each past call that a rule speaks of, and how today's decision on it would change: the newest
    /// session first, each in order.
    ///
    /// # Errors
    /// `CONFIG_INVALID` where the rule is none or fails its own examples, or when the database cannot be read.
    pub fn backtest(&self, text: &str, file: &Path, take: &mut dyn FnMut(PastCall)) -> Result<Backtest, Error> {
        let backtest =
            parse_rule(text, file).and_then(|rule| self.backtest_definition(rule, file, &mut |_, past| take(past)));
        backtest.map_err(|fault| match fault.is(Code::CONFIG_INVALID) {
            true => Error { hint: "Fix the rule in this file, then test it again.".to_owned(), ..fault },
            false => fault,
        })
    }

    pub(super) fn backtest_definition(
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
        let (mut after_seq, mut matched) = (0, Vec::<PastCall>::new());
        let mut places = HashMap::new();
        loop {
            let page = self.records.reader().log().events(session, after_seq, EVENTS_A_PAGE)?;
            for event in &page.events {
                match event.body() {
                    EventBody::ToolCall(call) => {
                        backtest.calls += 1;
                        let Some(executor) = executor else {
                            backtest.left_out += 1;
                            continue;
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
                }
            }
            match page.events.last() {
                Some(last) if page.has_more => after_seq = last.seq,
                _ => return Ok(matched),
            }
        }
    }
}

fn as_values(rules: &[RuleDefinition]) -> Result<Vec<Value>, Error> {
    rules.iter().map(|rule| serde_json::to_value(rule).map_err(Error::internal)).collect()
}

fn append_rule(root: &CstRootNode, rule: Value) {
    let rules = root.object_value_or_set().object_value_or_set("policy").array_value_or_set("rules");
    rules.ensure_multiline();
    rules.append(input(rule));
}

fn input(value: Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text),
        Value::Array(items) => CstInputValue::Array(items.into_iter().map(input).collect()),
        Value::Object(map) => CstInputValue::Object(map.into_iter().map(|(key, value)| (key, input(value))).collect()),
    }
}
