//! Rules that the user writes in the window: what one would have changed, adding it, and removing a stored one.

use crate::approvals::standing_rules::StandingRules;
use arki_api::{BacktestResult, PastCallEntry};
use arki_config::{invalid, parse_rule};
use arki_domain::{Code, Error};
use arki_policy::{PolicyRule, RuleDefinition};
use jsonc_parser::cst::{CstNode, CstRootNode};
use serde_json::Value;
use std::path::Path;

/// The past calls that are listed, of each kind: changed by a rule, and decided as before.
const MAX_LISTED_CALLS: usize = 200;
/// The characters of a listed call that are shown.
const MAX_CALL_CHARS: usize = 1000;
/// Stands for a file's name in errors.
const TYPED: &str = "The rule";

impl StandingRules {
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

fn stored_rules(root: &CstRootNode) -> Vec<CstNode> {
    let policy = root.object_value().and_then(|root| root.object_value("policy"));
    policy.and_then(|policy| policy.array_value("rules")).map(|rules| rules.elements()).unwrap_or_default()
}

/// A rule that passes its own examples.
fn typed_rule(text: &str) -> Result<RuleDefinition, Error> {
    let definition = parse_rule(text, Path::new(TYPED)).map_err(|fault| match fault.is(Code::CONFIG_INVALID) {
        true => Error { hint: CORRECT.to_owned(), ..fault },
        false => fault,
    })?;
    PolicyRule::new(definition.clone(), "typed", 1).map_err(|error| rule_fault(&error.to_string()))?;
    Ok(definition)
}

const CORRECT: &str = "Correct it, and try again; nothing was stored.";

fn rule_fault(reason: &str) -> Error {
    Error { hint: CORRECT.to_owned(), ..invalid(Path::new(TYPED), reason) }
}
