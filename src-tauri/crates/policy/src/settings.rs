//! Category defaults and rules, merged from every configuration file, and what they say of a call together.

use super::checks::{BUILD_RULE, Hit, RULE_SEPARATOR, hit};
use super::coverage::{AllowedByEffect, AllowingSources, Coverage};
use super::judged_line::JudgedLine;
use super::question::PolicyQuestion;
use super::rules::{PolicyRule, RuleDefinition, RuleError};
use super::{CommandLine, Shell};
use arki_domain::{Category, Decision, Reason, ReasonCode, ToolNames};
use globset::Glob;
use std::collections::BTreeMap;

/// Category defaults and rules, merged from every configuration file.
#[derive(Debug, Clone)]
pub struct PolicySettings {
    pub categories: BTreeMap<Category, Decision>,
    pub rules: Vec<PolicyRule>,
    /// The rules that the user granted for this session. They only ever loosen, and no rule yields to them.
    pub grants: Vec<PolicyRule>,
    /// Nothing but reading exists.
    pub plan: bool,
    /// Nothing exists but reading, and the commands that are known to only read.
    pub read_only: bool,
    /// The only tools that the agent has; all where `None`.
    pub tools: Option<ToolNames>,
    /// Tools that the user has switched off.
    pub disabled_tools: Vec<String>,
    /// Why nothing is done at all: what the project forbids is not known.
    pub refused: Option<String>,
}

impl Default for PolicySettings {
    fn default() -> Self {
        let categories = BTreeMap::from([
            (Category::Read, Decision::Allow),
            (Category::Write, Decision::Preview),
            (Category::Exec, Decision::Review),
            (Category::Network, Decision::Approval),
        ]);
        Self {
            categories,
            rules: Vec::new(),
            grants: Vec::new(),
            plan: false,
            read_only: false,
            tools: None,
            disabled_tools: Vec::new(),
            refused: None,
        }
    }
}

impl PolicySettings {
    /// The same with further rules; `None` where one of them can be none.
    #[must_use]
    pub fn with_rules(&self, rules: &[RuleDefinition]) -> Option<Self> {
        let further = rules.iter().map(|rule| PolicyRule::new(rule.clone(), "proposed", 1).ok());
        let further: Vec<PolicyRule> = further.collect::<Option<_>>()?;
        Some(Self { rules: [self.rules.as_slice(), &further].concat(), ..self.clone() })
    }

    /// Leaves out the rules of other folders; the others keep their names.
    pub fn keep_rules_of(&mut self, folder: &str) {
        let is_meant = |rule: &PolicyRule| rule.definition().project.as_deref().is_none_or(|project| project == folder);
        self.rules.retain(is_meant);
        self.grants.retain(is_meant);
    }

    /// Returns whether there are rules that ask for or deny files by their paths.
    #[must_use]
    pub fn tightens_paths(&self) -> bool {
        self.rules.iter().any(|rule| rule.is_about_paths() && !rule.needs_all())
    }

    /// Returns whether such rules may speak of files that a command reads without naming them.
    #[must_use]
    pub fn tightens_unseen_paths(&self) -> bool {
        self.rules.iter().any(|rule| rule.is_about_paths() && !rule.needs_all() && !rule.is_looked_for())
    }

    /// Returns whether files are denied by [`Self::deny_files`].
    #[must_use]
    pub fn denies_files(&self) -> bool {
        self.rules.iter().any(|rule| rule.is_looked_for())
    }

    /// Denies every tool the files that these globs match, as globs of secret files do. Globs that lead outside the project match nothing in it. The
    /// caller has the same files looked for as secret files are. `key` is the setting that the globs come from.
    ///
    /// # Errors
    /// For what is no glob.
    pub fn deny_files(&mut self, globs: &[String], key: &str, reason: &str) -> Result<(), RuleError> {
        for (place, glob) in globs.iter().enumerate() {
            match PolicyRule::denying(glob, key, place + 1, reason) {
                Ok(rule) => self.rules.push(rule),
                Err(RuleError::OutsideProject { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The files that rules keep from a tool altogether.
    #[must_use]
    pub fn denied_files(&self, tool: &str) -> Vec<Glob> {
        let denies = |rule: &&PolicyRule| {
            let definition = rule.definition();
            let is_meant = definition.tool.as_deref().is_none_or(|name| name == tool);
            definition.decision == Decision::Deny
                && is_meant
                && definition.command.is_none()
                && definition.host.is_none()
        };
        self.rules.iter().filter(denies).flat_map(|rule| rule.globs().cloned()).collect()
    }

    /// The files that rules keep from commands: whoever would open one by a tool is refused or asked about. In a sandbox
    /// they can't be opened.
    #[must_use]
    pub fn closed_to_commands(&self) -> Vec<Glob> {
        let is_closed = |rule: &&PolicyRule| matches!(rule.definition().decision, Decision::Deny | Decision::Approval);
        self.path_rules().filter(is_closed).flat_map(|rule| rule.globs().cloned()).collect()
    }

    /// Returns whether rules deny commands files, whoever agreed to one.
    #[must_use]
    pub fn denies_commands_files(&self) -> bool {
        self.path_rules().any(|rule| rule.definition().decision == Decision::Deny)
    }

    /// The rules about paths that hold for what a command opens.
    fn path_rules(&self) -> impl Iterator<Item = &PolicyRule> {
        let concerns = |rule: &&PolicyRule| {
            let RuleDefinition { tool, command, host, path, .. } = rule.definition();
            let is_meant = tool.as_deref().is_none_or(|tool| ["read_file", "run_command"].contains(&tool));
            is_meant && path.is_some() && command.is_none() && host.is_none()
        };
        self.rules.iter().filter(concerns)
    }

    /// Returns whether the agent has such a tool at all.
    #[must_use]
    pub fn has_tool(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.has(tool))
    }

    #[must_use]
    pub fn is_disabled(&self, tool: &str) -> bool {
        self.disabled_tools.iter().any(|disabled| disabled == tool)
    }

    pub(super) fn denies(
        &self,
        question: &PolicyQuestion<'_>,
        category: Category,
        command: Option<&CommandLine>,
    ) -> Option<Hit> {
        let by_rule = self.matching(question, command).find(|rule| rule.definition().decision == Decision::Deny);
        by_rule.map(PolicyRule::hit).or_else(|| {
            let default = self.category_default(category);
            (default.0 == Decision::Deny).then_some(default)
        })
    }

    /// Denies everything while the configuration that may forbid it can't be read.
    pub(super) fn refuses(&self) -> Option<Hit> {
        let why = self.refused.as_ref()?;
        Some(hit(Decision::Deny, "builtin:unreadable-configuration", why.as_str()))
    }

    /// The strictest of the rules that match. Those that allow commands add up, with what was allowed for the session and
    /// with what is known of a command.
    pub(super) fn explicit(&self, question: &PolicyQuestion<'_>, command: Option<&JudgedLine<'_>>) -> Option<Hit> {
        let line = command.map(|command| &command.line);
        let is_networked = is_command_with_network(question, line);
        let is_unclear = line.is_some_and(|line| line.not_followed().is_some());
        let is_whole = |rule: &&PolicyRule| !rule.is_for_commands() && (!is_networked || rule.definition().network);
        // What is not understood is never loosened.
        let speaks = |rule: &&PolicyRule| !rule.allows() || (is_whole(rule) && !is_unclear);
        let matching = self.matching(question, line).filter(speaks).max_by_key(|rule| rule.definition().decision);
        matching.map(PolicyRule::hit).or_else(|| {
            let covered = command?.covered.as_ref().filter(|covered| !covered.rules.is_empty())?;
            Some(hit_of(covered))
        })
    }

    /// Returns whether all commands are allowed, by the category or by a rule or a grant that names none.
    pub(super) fn allows_all_commands(&self, question: &PolicyQuestion<'_>, category: Category) -> bool {
        let mut rules = self.rules.iter().chain(&self.grants).filter(|rule| rule.allows() && !rule.is_for_commands());
        self.category_default(category).0 == Decision::Allow
            || rules.any(|rule| rule.matches(question.tool, question.subject, None))
    }

    /// Returns whether a rule forbids commands or asks about them, and a line could be one that nobody recognizes: it
    /// can't be followed, or it names the program somewhere.
    pub(super) fn may_restrict(&self, tool: &str, line: &CommandLine, text: &str) -> bool {
        let is_followed = line.not_followed().is_none();
        let words = CommandLine::opaque(text, ReasonCode::NOT_PLAIN_WORDS);
        let mut rules = self.rules.iter().filter(|rule| !rule.allows() && rule.is_about(tool));
        rules.any(|rule| rule.definition().command.as_ref().is_some_and(|named| !is_followed || words.may_run(named)))
    }

    /// Using the network is asked about each time: what was allowed without it is not allowed with it.
    pub(super) fn granted_for_session(
        &self,
        question: &PolicyQuestion<'_>,
        command: Option<&JudgedLine<'_>>,
    ) -> Option<Hit> {
        let line = command.map(|command| &command.line);
        if is_command_with_network(question, line) {
            return None;
        }
        let is_unclear = line.is_some_and(|line| line.not_followed().is_some());
        let is_whole = |rule: &&PolicyRule| rule.allows() && !rule.is_for_commands() && !is_unclear;
        let matches = |rule: &&PolicyRule| rule.matches(question.tool, question.subject, line);
        match self.grants.iter().filter(is_whole).find(matches) {
            Some(grant) => Some(hit(Decision::Allow, grant.name(), ReasonCode::GRANTED_FOR_SESSION)),
            None => {
                let (decision, names, _) = hit_of(command?.covered.as_ref()?);
                Some(hit(decision, &names, ReasonCode::GRANTED_FOR_SESSION))
            }
        }
    }

    /// The grounds on which a line's commands may be allowed.
    pub(super) fn sources(&self, shell: Shell, question: &PolicyQuestion<'_>) -> AllowingSources<'_> {
        let is_networked = question.category == Some(Category::Network);
        let is_meant = |rule: &&PolicyRule| {
            rule.allows()
                && rule.is_for_commands()
                && (!is_networked || rule.definition().network)
                && rule.may_concern(question.tool, question.subject)
        };
        let rules = self.rules.iter().filter(is_meant).collect();
        let grants = self.grants.iter().filter(|rule| !is_networked && is_meant(rule)).collect();
        let known = match (question.category, question.sandboxed) {
            (Some(Category::Exec), true) => AllowedByEffect::ReadingAndBuilding,
            (Some(Category::Exec), false) => AllowedByEffect::Reading,
            _ => AllowedByEffect::None,
        };
        AllowingSources { shell, rules, grants, known }
    }

    pub(super) fn category_default(&self, category: Category) -> Hit {
        let decision = match self.categories.get(&category) {
            // Where nothing can be reviewed afterwards, it is asked about before.
            None | Some(Decision::Review) => Decision::Approval,
            Some(decision) => *decision,
        };
        let (name, what) = match category {
            Category::Read => ("read", ReasonCode::READING),
            Category::Write => ("write", ReasonCode::CHANGING_FILES),
            Category::Exec => ("exec", ReasonCode::RUNNING_COMMANDS),
            Category::Network => ("network", ReasonCode::USING_NETWORK),
        };
        let reason = match decision {
            Decision::Allow => ReasonCode::CATEGORY_ALLOWED.with("what", what),
            Decision::Preview => ReasonCode::CHANGE_REVIEWED.into(),
            Decision::Review | Decision::Approval => ReasonCode::CATEGORY_ASKED.with("what", what),
            Decision::Deny => ReasonCode::CATEGORY_DENIED.with("what", what),
        };
        hit(decision, &format!("category:{name}"), reason)
    }

    fn matching<'a>(
        &'a self,
        question: &'a PolicyQuestion<'_>,
        command: Option<&'a CommandLine>,
    ) -> impl Iterator<Item = &'a PolicyRule> {
        self.rules.iter().filter(move |rule| rule.matches(question.tool, question.subject, command))
    }
}

/// Named by each of the rules; what is known of commands that only read needs no name.
fn hit_of(covered: &Coverage<'_>) -> Hit {
    let rules = || covered.rules.iter().chain(&covered.grants);
    let mut names: Vec<&str> = rules().map(|rule| rule.name()).collect();
    names.extend(covered.builds.then_some(BUILD_RULE));
    let mut sentences: Vec<_> = rules().map(|rule| rule.reason()).collect();
    sentences.dedup();
    hit(Decision::Allow, &names.join(RULE_SEPARATOR), Reason { sentences })
}

fn is_command_with_network(question: &PolicyQuestion<'_>, command: Option<&CommandLine>) -> bool {
    question.category == Some(Category::Network) && command.is_some()
}
