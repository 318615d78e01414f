//! The user's own rules, one by one; what they mean together is for `settings` to say.

use super::checks::Hit;
use super::coverage::{self, AllowedByEffect, AllowingSources};
use super::question::Subject;
use super::{CommandLine, Shell, SimpleCommand, powershell};
use arki_domain::{BUILT_IN_TOOLS, Decision, ReasonCode, TranslatableText, glob_readings};
use globset::{Glob, GlobBuilder, GlobSet};
use serde::{Deserialize, Serialize};

/// A rule as it stands in the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RuleDefinition {
    pub decision: Decision,
    /// The tool that the rule is about; `mcp__SERVER__*` stands for all tools of a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// An argv prefix, matched against every simple command of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// A glob, relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// A host that is spoken to, in lower case and without a port; `*.example.org` is all below it. Allowed together
    /// with a `command`, the command may reach it from its view; that says nothing about running it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Holds only in this folder, by its canonical path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Also allows commands to use the network. Without it an allowing rule is for commands that do not ask for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub network: bool,
    /// Also allows commands to get input from a pipe, a here-document or a file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stdin: bool,
    /// Also lands what the commands change without a review, as far as it isn't sensitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<EffectsPermission>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Shell lines, paths or hosts that the rule must match; checked when the configuration is loaded.
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    pub matches: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_match: Vec<String>,
}

/// The permission that a rule gives to the changes of the commands that it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EffectsPermission {
    /// They land without a review.
    Allow,
}

impl RuleDefinition {
    /// Allows a tool; to be narrowed.
    pub(super) fn allowing(tool: &str) -> Self {
        Self {
            decision: Decision::Allow,
            tool: Some(tool.to_owned()),
            command: None,
            path: None,
            host: None,
            project: None,
            network: false,
            stdin: false,
            effects: None,
            reason: String::new(),
            matches: Vec::new(),
            not_match: Vec::new(),
        }
    }

    fn names_nothing(&self) -> bool {
        self.tool.is_none() && self.command.is_none() && self.path.is_none() && self.host.is_none()
    }
}

/// The tool whose commands change files without naming them.
pub(super) const COMMAND_TOOL: &str = "run_command";
/// The tools whose rules are about changes to files, whoever makes them.
const WRITING_TOOLS: [&str; 3] = ["apply_patch", "edit_file", "write_file"];
const REMOVING_TOOL: &str = "delete_file";

/// Stands for whatever is in a folder: no glob is about this name.
const ANY_NAME: char = '\u{1}';

#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    #[error("rule {number}: {glob:?} is not a glob: {reason}")]
    Glob { number: usize, glob: String, reason: String },
    #[error("rule {number}: {glob:?} points outside the project, so it can't match anything")]
    OutsideProject { number: usize, glob: String },
    #[error("rule {number}: {host:?} is neither a lower-case host nor `*.` followed by one")]
    Host { number: usize, host: String },
    #[error(
        "rule {number} can't decide \"review\", which only \"policy.categories.exec\" can be; use \"approval\" to be asked first"
    )]
    Review { number: usize },
    #[error("rule {number} can't have \"effects\", which is only for a rule that allows commands")]
    Effects { number: usize },
    #[error("rule {number} needs a \"command\": a host is granted to a command, never to every line")]
    HostForEveryLine { number: usize },
    #[error("rule {number} has no tool, command, path or host")]
    Empty { number: usize },
    #[error("rule {number} names an unknown tool {tool:?}; did you mean {nearest:?}?")]
    Tool { number: usize, tool: String, nearest: &'static str },
    #[error("rule {number} should match {example:?} but does not")]
    MatchFailed { number: usize, example: String },
    #[error("rule {number} should not match {example:?} but does")]
    NotMatchFailed { number: usize, example: String },
}

/// A rule that has passed its own tests.
#[derive(Debug, Clone)]
pub struct PolicyRule {
    definition: RuleDefinition,
    path: Option<RulePath>,
    /// The command under the name that a PowerShell line has it, where that is another.
    in_powershell: Option<Vec<String>>,
    name: String,
    /// Its files are looked for wherever secret files are, so that nothing unseen falls under it.
    is_looked_for: bool,
}

/// Compares the content of two rules, wherever they stand.
impl PartialEq for PolicyRule {
    fn eq(&self, other: &Self) -> bool {
        self.definition == other.definition
    }
}

impl PolicyRule {
    /// `number` counts from 1 in its file; `origin` is `config` or `project`.
    ///
    /// # Errors
    /// When the rule is empty, names no tool, has a broken glob, or fails one of its own examples.
    pub fn new(definition: RuleDefinition, origin: &str, number: usize) -> Result<Self, RuleError> {
        if definition.names_nothing() || definition.command.as_ref().is_some_and(Vec::is_empty) {
            return Err(RuleError::Empty { number });
        }
        if definition.decision == Decision::Review {
            return Err(RuleError::Review { number });
        }
        let allows_commands = definition.decision == Decision::Allow
            && definition.host.is_none()
            && definition.tool.as_deref().is_none_or(|tool| tool == COMMAND_TOOL);
        if definition.effects.is_some() && !allows_commands {
            return Err(RuleError::Effects { number });
        }
        let is_for_lines = definition.decision == Decision::Allow && definition.tool.as_deref() == Some(COMMAND_TOOL);
        if definition.host.is_some() && definition.command.is_none() && is_for_lines {
            return Err(RuleError::HostForEveryLine { number });
        }
        if let Some(tool) = definition.tool.as_ref().filter(|tool| !is_tool_or_foreign(tool)) {
            let nearest = nearest_to(tool);
            return Err(RuleError::Tool { number, tool: tool.clone(), nearest });
        }
        if let Some(host) = definition.host.as_ref().filter(|host| !is_host_pattern(host)) {
            return Err(RuleError::Host { number, host: host.clone() });
        }
        let reach = if definition.decision == Decision::Allow { GlobReach::AsWritten } else { GlobReach::Wide };
        let path = definition.path.as_deref().map(|glob| compile(glob, reach, number)).transpose()?;
        let in_powershell = definition.command.as_deref().and_then(canonical);
        let name = format!("{origin}:rules[{number}]");
        let rule = Self { definition, path, in_powershell, name, is_looked_for: false };
        rule.check_examples(number)?;
        Ok(rule)
    }

    /// Denies every tool a file; `key` is the setting that names it.
    pub(super) fn denying(glob: &str, key: &str, number: usize, reason: &str) -> Result<Self, RuleError> {
        let definition = RuleDefinition {
            decision: Decision::Deny,
            tool: None,
            path: Some(glob.to_owned()),
            reason: reason.to_owned(),
            ..RuleDefinition::allowing("")
        };
        let rule = Self::new(definition, key, number)?;
        let path = Some(compile(glob, GlobReach::AsSecretFiles, number)?);
        Ok(Self { path, name: format!("{key}[{number}]"), is_looked_for: true, ..rule })
    }

    fn check_examples(&self, number: usize) -> Result<(), RuleError> {
        if let Some(example) = self.definition.matches.iter().find(|example| !self.matches_example(example)) {
            return Err(RuleError::MatchFailed { number, example: example.clone() });
        }
        match self.definition.not_match.iter().find(|example| self.matches_example(example)) {
            Some(example) => Err(RuleError::NotMatchFailed { number, example: example.clone() }),
            None => Ok(()),
        }
    }

    fn matches_example(&self, example: &str) -> bool {
        match (&self.definition.command, &self.path) {
            (Some(_), _) if self.allows() => self.allows_alone(&CommandLine::parse(example)),
            (Some(_), _) => self.command_matches(Some(&CommandLine::parse(example))),
            (None, Some(path)) => path.is_match(example.trim_start_matches("./")),
            (None, None) if self.definition.host.is_some() => self.host_matches(&[example.to_lowercase()]),
            (None, None) => self.definition.tool.as_deref() == Some(example),
        }
    }

    pub(super) fn matches(&self, tool: &str, subject: &Subject, command: Option<&CommandLine>) -> bool {
        self.may_concern(tool, subject) && self.command_matches(command)
    }

    /// Returns whether the rule is for this tool, and for what the call names besides commands.
    pub(super) fn may_concern(&self, tool: &str, subject: &Subject) -> bool {
        // A host that is granted is no permission to run.
        let is_of_host_alone = tool == COMMAND_TOOL && self.allows() && self.definition.host.is_some();
        !is_of_host_alone && self.is_about(tool) && self.path_matches(subject) && self.host_matches(&subject.hosts)
    }

    /// Returns whether the rule lets its commands reach this host.
    pub(super) fn grants_host(&self, host: &str) -> bool {
        let RuleDefinition { command, path, host: named, .. } = &self.definition;
        let is_grant = self.allows() && command.is_some() && path.is_none() && named.is_some();
        is_grant && self.is_about(COMMAND_TOOL) && self.host_matches(&[host.to_owned()])
    }

    /// Returns whether the rule is for this tool, or for all.
    pub(super) fn is_about(&self, tool: &str) -> bool {
        let is_named = |name: &str| name.strip_suffix('*').map_or(name == tool, |stem| tool.starts_with(stem));
        self.definition.tool.as_deref().is_none_or(is_named)
    }

    /// Returns whether the line needs no other rule, nor anybody who looks at what it reads.
    fn allows_alone(&self, line: &CommandLine) -> bool {
        let known = AllowedByEffect::ReadingAndBuilding;
        let sources = AllowingSources { shell: Shell::native(), rules: vec![self], grants: Vec::new(), known };
        coverage::covered(line, &sources).is_some()
    }

    /// Returns whether the rule allows this command by itself, whatever it is fed.
    pub(super) fn covers(&self, command: &SimpleCommand) -> bool {
        let begins = |prefix: &Vec<String>| command.begins_with(prefix);
        self.definition.command.as_ref().is_some_and(begins) || self.in_powershell.as_ref().is_some_and(begins)
    }

    /// Returns whether the rule speaks of this call, whatever else is decided about it: of one of its commands at least.
    #[must_use]
    pub fn speaks_of(&self, tool: &str, subject: &Subject) -> bool {
        self.matches(tool, subject, subject.command.as_deref().map(CommandLine::parse).as_ref())
    }

    fn host_matches(&self, hosts: &[String]) -> bool {
        let Some(wanted) = &self.definition.host else { return true };
        let is_meant = |host: &String| match wanted.strip_prefix("*.") {
            Some(domain) => host.strip_suffix(domain).is_some_and(|name| name.ends_with('.')),
            None => host == wanted,
        };
        if self.needs_all() { !hosts.is_empty() && hosts.iter().all(is_meant) } else { hosts.iter().any(is_meant) }
    }

    fn path_matches(&self, subject: &Subject) -> bool {
        let Some(glob) = &self.path else { return true };
        // A link is as good as what it leads to.
        let mut paths = subject.paths.iter().flat_map(|path| [Some(&path.path), path.real.as_ref()]).flatten();
        if self.needs_all() {
            !subject.paths.is_empty() && paths.all(|path| glob.is_match(path))
        } else {
            paths.any(|path| self.is_meant(glob, path))
                || subject.mentioned.iter().any(|path| self.is_meant(glob, path))
        }
    }

    /// Globs of files that are looked for match as they do there: a path or a name. What is below a folder that a command
    /// names is mentioned as `folder/.`, which a glob for hidden files would match.
    fn is_meant(&self, glob: &RulePath, path: &str) -> bool {
        if !self.is_looked_for {
            return glob.is_match(path);
        }
        let path = path
            .strip_suffix('.')
            .filter(|folder| folder.ends_with('/'))
            .map_or_else(|| path.to_owned(), |folder| format!("{folder}{ANY_NAME}"));
        glob.is_match(&path) || path.rsplit('/').next().is_some_and(|name| glob.is_match(name))
    }

    fn command_matches(&self, line: Option<&CommandLine>) -> bool {
        let Some(prefix) = &self.definition.command else { return true };
        let Some(line) = line else { return false };
        let matches = |prefix: &[String]| {
            if self.allows() {
                // What is not understood is never loosened.
                line.unclear().is_none() && line.all().into_iter().any(|command| command.begins_with(prefix))
            } else {
                line.may_run(prefix)
            }
        };
        matches(prefix) || self.in_powershell.as_deref().is_some_and(matches)
    }

    /// The rule as it speaks of a file that a command changed, or removed; `None` if it doesn't. `lands` says whether the
    /// command's line is covered by rules that let its changes land, and this is one of them.
    pub(super) fn of_effects(&self, line: &CommandLine, removes: bool, lands: bool) -> Option<Self> {
        let RuleDefinition { tool, command, path, host, .. } = &self.definition;
        let of_path = path.is_some() && host.is_none();
        let decision = match (tool.as_deref(), self.definition.decision) {
            (_, Decision::Allow) => {
                let of_any_tool = of_path && tool.is_none() && command.is_none();
                (lands || of_any_tool).then_some(Decision::Allow)?
            }
            _ if !of_path || !self.command_matches(Some(line)) => return None,
            (None | Some(COMMAND_TOOL), decision) => decision,
            (Some(REMOVING_TOOL), decision) => removes.then_some(decision)?,
            (Some(tool), decision) if WRITING_TOOLS.contains(&tool) => decision,
            // It is kept from tools that read, so nobody changes it unasked either.
            (Some(tool), Decision::Deny | Decision::Approval) if BUILT_IN_TOOLS.contains(&tool) => Decision::Approval,
            _ => return None,
        };
        let definition = RuleDefinition { decision, tool: None, command: None, ..self.definition.clone() };
        Some(Self { definition, in_powershell: None, ..self.clone() })
    }

    /// The name that decisions by it are recorded under: `config:rules[1]`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    #[must_use]
    pub fn definition(&self) -> &RuleDefinition {
        &self.definition
    }

    #[must_use]
    pub fn allows(&self) -> bool {
        self.definition.decision == Decision::Allow
    }

    /// Loosening needs every part to match; tightening needs one.
    pub(super) fn needs_all(&self) -> bool {
        self.allows()
    }

    /// The reason that decisions by it are recorded with, behind what the user is warned of.
    #[must_use]
    pub fn reason(&self) -> TranslatableText {
        let own = self.definition.reason.as_str();
        if own.is_empty() { ReasonCode::MATCHED_RULE.into() } else { own.into() }
    }

    pub(super) fn is_about_paths(&self) -> bool {
        self.path.is_some()
    }

    /// The globs of its path.
    pub(super) fn globs(&self) -> impl Iterator<Item = &Glob> {
        self.path.iter().flat_map(|path| &path.globs)
    }

    pub(super) fn is_looked_for(&self) -> bool {
        self.is_looked_for
    }

    pub(super) fn is_for_commands(&self) -> bool {
        self.definition.command.is_some()
    }

    pub(super) fn hit(&self) -> Hit {
        (self.definition.decision, self.name.clone(), self.reason().into())
    }
}

/// Returns whether a tool of this name is built in, or may come from outside.
fn is_tool_or_foreign(name: &str) -> bool {
    name.starts_with("mcp__") || BUILT_IN_TOOLS.contains(&name)
}

/// The built-in tool whose name is the most like this one.
fn nearest_to(name: &str) -> &'static str {
    BUILT_IN_TOOLS.iter().min_by_key(|known| strsim::damerau_levenshtein(known, name)).copied().unwrap_or_default()
}

fn canonical(command: &[String]) -> Option<Vec<String>> {
    let (first, rest) = command.split_first()?;
    let name = powershell::canonical(first);
    (name != *first).then(|| [&[name], rest].concat())
}

/// Nothing but the name: no scheme, port or path, and no star but the first part.
fn is_host_pattern(pattern: &str) -> bool {
    let name = pattern.strip_prefix("*.").unwrap_or(pattern);
    let is_name = |c: char| (c.is_alphanumeric() && !c.is_uppercase()) || matches!(c, '.' | '-' | '_');
    let is_address = name.parse::<core::net::IpAddr>().is_ok();
    is_address || (!name.is_empty() && name.chars().all(is_name) && !name.starts_with('.') && !name.ends_with('.'))
}

/// The reach of a rule's globs. A disk may have `infra` also as `INFRA`, so a rule that forbids matches in any case,
/// and a rule that allows only as written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlobReach {
    AsWritten,
    /// Matches in any case, and `*` and `?` reach into folders below.
    Wide,
    /// Matches in any case.
    AsSecretFiles,
}

/// The path of a rule, in each reading of its glob.
#[derive(Debug, Clone)]
struct RulePath {
    globs: Vec<Glob>,
    set: GlobSet,
}

impl RulePath {
    fn is_match(&self, path: &str) -> bool {
        self.set.is_match(path)
    }
}

/// Compiles a rule's glob. One that ends in a slash matches everything below that folder.
fn compile(glob: &str, reach: GlobReach, number: usize) -> Result<RulePath, RuleError> {
    let bad = |reason: String| RuleError::Glob { number, glob: glob.to_owned(), reason };
    let pattern = glob.trim_start_matches("./");
    if leads_outside(pattern) {
        return Err(RuleError::OutsideProject { number, glob: glob.to_owned() });
    }
    let whole = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
    let build = |reading: String| {
        GlobBuilder::new(&reading)
            .case_insensitive(reach != GlobReach::AsWritten)
            .literal_separator(reach != GlobReach::Wide)
            .build()
            .map_err(|error| bad(error.kind().to_string()))
    };
    let globs = glob_readings(&whole).into_iter().map(build).collect::<Result<Vec<_>, _>>()?;
    let mut set = GlobSet::builder();
    for glob in &globs {
        set.add(glob.clone());
    }
    let set = set.build().map_err(|_| bad("it is too large, or nested too deep".to_owned()))?;
    Ok(RulePath { globs, set })
}

/// A rule that can match nothing guards against nothing.
fn leads_outside(pattern: &str) -> bool {
    let mut start = pattern.chars();
    let has_drive = start.next().is_some_and(|c| c.is_ascii_alphabetic())
        && start.next() == Some(':')
        && start.next().is_some_and(|c| matches!(c, '/' | '\\'));
    has_drive || pattern.starts_with('/') || pattern.starts_with("~/") || pattern.split('/').any(|part| part == "..")
}
