//! The policy's verdict on a call, and its words.

use super::path::JudgedCall;
use super::secrets::ProjectSecrets;
use super::subject::{CallSubjects, SubjectOf};
use super::toolbox::Toolbox;
use super::usable;
use crate::builtin;
use crate::tool::{Action, Tool};
use arki_domain::{
    ApprovalMode, ApprovalRequested, CallId, Category, Code, Decision, Error, PolicyDecided, PolicyTrace, ReasonCode,
    Risk, ToolCall, UNTRUSTED_RULE,
};
use arki_policy::{Impact, PolicyQuestion, PolicySettings, REFUSED_GIT_RULE, RuleDefinition, Verdict};
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// Told of a call that fails before anything is decided: it lacks an argument, or its file lies outside.
const IMPOSSIBLE_RULE: &str = "builtin:impossible-call";

/// The one that decides on calls by the policy that holds.
pub struct Judge {
    pub(super) toolbox: Arc<Toolbox>,
    /// The policy that holds now; the one that the run began with is in the settings.
    pub(super) policy: Mutex<Arc<PolicySettings>>,
    pub(super) subjects: CallSubjects,
    pub(super) secrets: Arc<ProjectSecrets>,
}

impl Judge {
    /// Returns what the policy says of a call, without carrying it out.
    #[must_use]
    pub fn verdict(&self, tool_id: &str, args: &Value, approve: ApprovalMode) -> Verdict {
        let subject = self.subject_of(self.toolbox.tool(tool_id), args);
        let call = call_of(tool_id, tool_id, args.clone());
        match self.judge_call(&call, subject, approve) {
            JudgedCall::Plain(verdict)
            | JudgedCall::Command(verdict)
            | JudgedCall::Change(verdict, _)
            | JudgedCall::Refused(verdict, _) => verdict,
            JudgedCall::Failed(fault) => Verdict {
                decision: Decision::Deny,
                rule: IMPOSSIBLE_RULE.to_owned(),
                reason: fault.message.into(),
                risk: Risk::Low,
            },
        }
    }

    /// Returns the trace of this executor's verdict on a call, with the number of rules that were checked.
    #[must_use]
    pub fn trace(&self, tool_id: &str, args: &Value, verdict: &Verdict) -> Option<PolicyTrace> {
        let subject = self.subject_of(self.toolbox.tool(tool_id), args).subject;
        let reason = verdict.reason.to_string();
        let mut trace = arki_policy::trace(verdict.decision, &verdict.rule, &reason, subject.command.as_deref())?;
        self.policy().count_rules(&mut trace);
        Some(trace)
    }

    /// The rule that a recorded decision on a call names, where there still is one of this name that would say the same
    /// of the call: rules are named by their places, which change with the configuration.
    #[must_use]
    pub fn rule_behind(&self, decided: &PolicyDecided, tool_id: &str, args: &Value) -> Option<RuleDefinition> {
        let subject = self.subject_of(self.toolbox.tool(tool_id), args);
        let tool = subject.judged_as.as_ref().map_or(tool_id, |judged_as| judged_as.tool.as_str());
        let policy = self.policy();
        // Where several allowed it together, the first.
        let named = policy.rules.iter().find(|rule| decided.rule.split(", ").next() == Some(rule.name()))?;
        // As the log has it: without secrets.
        let reason = self.secrets.redactor.redact(&named.reason().to_string()).into_owned();
        let partly_seen = ReasonCode::GIT_PARTLY_SEEN.english;
        let said = decided.reason.strip_suffix(partly_seen).map_or(&*decided.reason, str::trim_end);
        let says_the_same = named.definition().decision == decided.decision && said.contains(&reason);
        (says_the_same && named.speaks_of(tool, &subject.subject)).then(|| named.definition().clone())
    }

    /// The narrowest rules that would allow this call from now on; see [`arki_policy::proposed_rules`].
    #[must_use]
    pub fn proposed_rules(&self, tool_id: &str, args: &Value) -> Vec<RuleDefinition> {
        let arguments = builtin::run_command::parse(args).ok().filter(|_| tool_id == builtin::run_command::NAME);
        let asking = arguments.filter(builtin::run_command::Arguments::wants_network);
        let of_hosts = match &asking {
            // A rule would not say that it is about the network.
            Some(arguments) if arguments.network => return Vec::new(),
            Some(arguments) => self.proposed_host_rules(arguments),
            None => Vec::new(),
        };
        let policy = self.policy();
        let subject = self.subject_of(self.toolbox.tool(tool_id), args);
        let question = self.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        if let Some(arguments) = &asking {
            let has_hosts = !of_hosts.is_empty() || self.has_hosts_by_rule(arguments);
            if !has_hosts || arki_policy::decide(&question, &policy).decision.is_unasked() {
                return of_hosts;
            }
        }
        let rules = arki_policy::proposed_rules(&question, &policy);
        let Some(with_rules) = policy.with_rules(&rules) else { return Vec::new() };
        let subject = self.subjects.subject_under(self.toolbox.tool(tool_id), args, &with_rules);
        let question = self.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        let would_allow = arki_policy::would_allow(&question, &policy, &with_rules);
        if would_allow { [rules, of_hosts].concat() } else { Vec::new() }
    }

    /// The narrowest rules by which what such a command changes would land from now on; see
    /// [`arki_policy::proposed_effects_rules`].
    #[must_use]
    pub fn proposed_effects_rules(&self, tool_id: &str, args: &Value) -> Vec<RuleDefinition> {
        if builtin::run_command::parse(args).is_ok_and(|arguments| arguments.wants_network()) {
            return Vec::new();
        }
        let subject = self.subject_of(self.toolbox.tool(tool_id), args);
        let question = self.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        arki_policy::proposed_effects_rules(&question, &self.policy())
    }

    /// Returns whether a rule speaks of a call, and what would be decided with it beside those that are there.
    #[must_use]
    pub fn judge_with(&self, rule: &arki_policy::PolicyRule, tool_id: &str, args: &Value) -> (bool, Verdict) {
        let mut with_rule = PolicySettings::clone(&self.policy());
        with_rule.rules.push(rule.clone());
        let subject = self.subjects.subject_under(self.toolbox.tool(tool_id), args, &with_rule);
        let question = self.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        (rule.speaks_of(tool_id, &subject.subject), arki_policy::decide(&question, &with_rule))
    }

    pub(super) fn policy(&self) -> Arc<PolicySettings> {
        self.policy.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads the policy before each call, since more may be forbidden by now.
    pub(super) fn look_at_policy(&self) {
        let began_with = &self.subjects.settings.policy;
        let now = self.subjects.settings.standing.now(began_with).unwrap_or_else(|| began_with.clone());
        *self.policy.lock().unwrap_or_else(PoisonError::into_inner) = Arc::new(now);
    }

    /// Returns whether a call is denied, or can't be made, whoever is asked.
    pub(super) fn is_denied_anyway(&self, call: &ToolCall, approve: ApprovalMode) -> bool {
        let Some(tool) = self.toolbox.tool(&call.tool_id) else { return true };
        let subject = self.subject_of(Some(tool), &call.args);
        let verdict = self.decide(&call.tool_id, &subject, approve, Impact::default());
        verdict.decision == Decision::Deny || usable(tool, call, &subject).is_err()
    }

    pub(super) fn subject_of(&self, tool: Option<&Tool>, args: &Value) -> SubjectOf {
        self.subjects.subject_under(tool, args, &self.policy())
    }

    pub(super) fn decide(&self, tool_id: &str, subject: &SubjectOf, approve: ApprovalMode, impact: Impact) -> Verdict {
        let question = self.question(tool_id, subject, approve, impact);
        let mut verdict = arki_policy::decide(&question, &self.policy());
        // Who asks about each command by choice needs not be told.
        let by_choice = self.policy().categories.get(&Category::Exec) == Some(&Decision::Approval);
        let asks = question.category == Some(Category::Exec) && verdict.decision == Decision::Approval && !by_choice;
        if let Some(fault) = self.subjects.settings.view_fault().filter(|_| asks && verdict.rule == "category:exec") {
            verdict.reason.sentences.push(ReasonCode::NO_VIEW.with("fault", fault));
        }
        verdict
    }

    /// A command that wants the network is judged as what uses the network too, and no sandbox answers for it.
    pub(super) fn with_network(&self, tool_id: &str, args: &Value, verdict: Verdict, approve: ApprovalMode) -> Verdict {
        let tool = self.toolbox.tool(tool_id).filter(|tool| matches!(tool.action, Action::Command));
        let arguments = tool.and_then(|_| builtin::run_command::parse(args).ok());
        let Some(arguments) = arguments.filter(builtin::run_command::Arguments::wants_network) else { return verdict };
        if !arguments.network && self.has_hosts_by_rule(&arguments) {
            return verdict;
        }
        let subject = self.subject_of(tool, args);
        let question = self.question(tool_id, &subject, approve, Impact::default());
        let category = Some(Category::Network);
        let question = PolicyQuestion { tool: tool_id, category, sandboxed: false, ..question };
        let mut of_network = arki_policy::decide(&question, &self.policy());
        if !arguments.network && of_network.rule == "category:network" && of_network.decision != Decision::Deny {
            of_network.reason = match arguments.hosts.split_last() {
                Some((last, hosts)) if !hosts.is_empty() => {
                    ReasonCode::NETWORK_HOSTS.with("hosts", hosts.join(", ")).with("last", last.as_str()).into()
                }
                _ => ReasonCode::NETWORK_HOST.with("host", arguments.hosts.join("")).into(),
            };
        }
        match (of_network.decision, verdict.decision) {
            (Decision::Deny, _) => of_network,
            (Decision::Approval | Decision::Preview, Decision::Allow | Decision::Review) => of_network,
            _ => verdict,
        }
    }

    pub(super) fn question<'a>(
        &self,
        tool_id: &'a str,
        subject: &'a SubjectOf,
        approve: ApprovalMode,
        impact: Impact,
    ) -> PolicyQuestion<'a> {
        let (tool, category) = match &subject.judged_as {
            Some(judged_as) => (judged_as.tool.as_str(), Some(judged_as.category)),
            None => (tool_id, self.toolbox.tool(tool_id).map(|tool| tool.definition.category)),
        };
        PolicyQuestion {
            tool,
            category,
            subject: &subject.subject,
            trusted: self.subjects.settings.trusted,
            approve,
            sandboxed: self.subjects.settings.sandbox.available,
            has_view: category == Some(Category::Exec) && self.subjects.settings.has_views(),
            impact,
        }
    }
}

/// The call that is judged where no model makes one; of a pipeline's step, whose changes belong to it.
pub(super) fn call_of(call_id: &str, tool_id: &str, args: Value) -> ToolCall {
    let (call_id, tool_id) = (CallId::from(call_id), tool_id.to_owned());
    ToolCall { turn: 0, call_id, tool_id, args, category: None, async_call_id: None }
}

pub(super) fn denied(verdict: &Verdict) -> Error {
    if verdict.rule == UNTRUSTED_RULE {
        return Error::new(
            Code::UNTRUSTED,
            "Denied: this folder is not trusted, so only reading is allowed.",
            "The user can trust the folder in the window or with `arki trust`.",
        );
    }
    if verdict.rule == REFUSED_GIT_RULE {
        let hint = "Git's configuration, hooks and attributes apply as they are.";
        return Error::new(Code::POLICY_DENIED, format!("Not run: {}", verdict.reason), hint);
    }
    let hint = "Don't look for a way around this. Continue without it or ask the user.";
    Error::new(Code::POLICY_DENIED, format!("Denied by {}: {}", verdict.rule, verdict.reason), hint)
}

/// The verdict that follows from the user's approval; its rule names it.
pub(super) fn permitted(requested: &ApprovalRequested) -> Verdict {
    Verdict {
        decision: Decision::Allow,
        rule: format!("approval:{}", requested.approval_id),
        reason: ReasonCode::USER_APPROVED.into(),
        risk: requested.risk,
    }
}
