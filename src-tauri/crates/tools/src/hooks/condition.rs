//! A hook's condition: the calls, or the kinds of an event, that it is for.

use super::foreign;
use super::occasion::{HookOccasion, HookedCall};
use arki_domain::glob_readings;
use arki_policy::line_matches;
use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::{Regex, RegexBuilder};

/// The limit for a compiled matcher, in bytes.
const MAX_MATCHER_BYTES: usize = 1 << 20;

/// All of its parts have to hold; one that is absent does.
#[derive(Debug, Clone, Default)]
pub struct HookCondition {
    /// The names of tools, or the kind of an event without one.
    names: Option<Regex>,
    /// The names are other agents', or may be: the hook is told theirs.
    is_foreign: bool,
    paths: Option<GlobSet>,
    commands: Option<GlobSet>,
    words: String,
}

/// The name by which a hook is told of the tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ToolNaming {
    Ours,
    Theirs(String),
}

impl HookCondition {
    /// Builds a condition from names of tools (`*` stands for anything), globs of paths and globs of commands. Empty
    /// lists match everything.
    pub fn new(tools: &[String], paths: &[String], commands: &[String]) -> Result<Self, String> {
        let pattern = tools.iter().map(|name| regex::escape(name).replace(r"\*", ".*")).collect::<Vec<_>>().join("|");
        Ok(Self {
            names: (!tools.is_empty()).then(|| anchored(&pattern)).transpose()?,
            is_foreign: tools.iter().any(|name| foreign::is_theirs(name)),
            paths: globs(paths)?,
            commands: globs(commands)?,
            words: [("", tools), ("in ", paths), ("running ", commands)]
                .into_iter()
                .filter(|(_, patterns)| !patterns.is_empty())
                .map(|(before, patterns)| format!("{before}{}", patterns.join(", ")))
                .collect::<Vec<_>>()
                .join("; "),
        })
    }

    /// Builds a condition from a matcher in the form of other agents: a regular expression for the whole name; empty or
    /// `*` for all.
    pub fn of_matcher(matcher: &str) -> Result<Self, String> {
        let names = (!matches!(matcher.trim(), "" | "*")).then(|| anchored(matcher.trim())).transpose()?;
        Ok(Self { names, is_foreign: true, words: matcher.trim().to_owned(), ..Self::default() })
    }

    /// The condition for people, as it was written: `Edit|Write`, or `run_command; running git push*`. Empty for all.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.words
    }

    /// Returns how the hook is told of it, if it is meant.
    pub(crate) fn matched(&self, occasion: &HookOccasion) -> Option<ToolNaming> {
        match occasion.call() {
            Some(call) => {
                let spoken = self.spoken_of(call)?;
                (self.is_about_paths_of(call) && self.is_about_command_of(call)).then_some(spoken)
            }
            None => {
                let names = self.names.as_ref();
                let is_meant = names.is_none_or(|names| occasion.kind().is_none_or(|kind| names.is_match(kind)));
                is_meant.then_some(ToolNaming::Ours)
            }
        }
    }

    fn spoken_of(&self, call: &HookedCall) -> Option<ToolNaming> {
        let theirs = foreign::names(&call.tool);
        let found = match &self.names {
            None => theirs.first(),
            Some(names) => match theirs.iter().find(|name| names.is_match(name)) {
                None if names.is_match(&call.tool) => theirs.first(),
                None => return None,
                found => found,
            },
        };
        Some(found.filter(|_| self.is_foreign).map_or(ToolNaming::Ours, |name| ToolNaming::Theirs((*name).to_owned())))
    }

    fn is_about_paths_of(&self, call: &HookedCall) -> bool {
        self.paths.as_ref().is_none_or(|globs| call.paths.iter().any(|path| globs.is_match(path)))
    }

    fn is_about_command_of(&self, call: &HookedCall) -> bool {
        let Some(globs) = &self.commands else { return true };
        call.command.as_deref().is_some_and(|line| line_matches(line, |command| globs.is_match(command)))
    }
}

fn anchored(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(&format!("^(?:{pattern})$"))
        .size_limit(MAX_MATCHER_BYTES)
        .build()
        .map_err(|_| format!("{pattern:?} is not a regular expression"))
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>, String> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        for reading in glob_readings(pattern) {
            set.add(Glob::new(&reading).map_err(|_| format!("{pattern:?} is not a glob"))?);
        }
    }
    set.build().map(Some).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{HookMoment, SessionSource};
    use serde_json::json;

    fn call(tool: &str, paths: &[&str], command: Option<&str>) -> HookOccasion {
        HookOccasion::Before(HookedCall {
            call_id: "c".into(),
            tool: tool.into(),
            args: json!({}),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
            command: command.map(str::to_owned),
        })
    }

    fn theirs(name: &str) -> Option<ToolNaming> {
        Some(ToolNaming::Theirs(name.into()))
    }

    #[test]
    fn a_matcher_speaks_of_tools_by_the_names_of_other_agents() {
        let edits = HookCondition::of_matcher("Edit|Write").unwrap();
        for (tool, name) in
            [("edit_file", "Edit"), ("write_file", "Write"), ("apply_patch", "Edit"), ("delete_file", "Edit")]
        {
            assert_eq!(edits.matched(&call(tool, &[], None)), theirs(name), "{tool}");
        }
        assert_eq!(edits.matched(&call("run_command", &[], None)), None);
        let all = HookCondition::of_matcher("*").unwrap();
        assert_eq!(all.matched(&call("run_command", &[], None)), theirs("Bash"));
        let server = HookCondition::of_matcher("mcp__docs__.*").unwrap();
        assert_eq!(server.matched(&call("mcp__docs__find", &[], None)), Some(ToolNaming::Ours));
        assert_eq!(server.matched(&call("mcp__other__find", &[], None)), None);
        assert!(HookCondition::of_matcher("Edit(").is_err());
    }

    #[test]
    fn a_condition_holds_as_a_whole() {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        let condition = HookCondition::new(&list(&["run_command"]), &list(&["src/**"]), &list(&["rm *"])).unwrap();
        let matched = |tool, paths: &[&str], line| condition.matched(&call(tool, paths, Some(line))).is_some();
        assert!(matched("run_command", &["src/a.rs"], "rm src/a.rs"));
        assert!(matched("run_command", &["src/a.rs"], "cd x; rm src/a.rs"));
        assert!(!matched("run_command", &["docs/a"], "rm docs/a"));
        assert!(!matched("run_command", &["src/a.rs"], "cat src/a.rs"));
        assert!(!matched("edit_file", &["src/a.rs"], "rm src/a.rs"));
        assert_eq!(HookCondition::of_matcher(" Edit|Write ").unwrap().words(), "Edit|Write");
        let both = HookCondition::new(&list(&["edit_file"]), &list(&["src/**", "a"]), &list(&["git push*"])).unwrap();
        assert_eq!(both.words(), "edit_file; in src/**, a; running git push*");
        assert!(HookCondition::new(&[], &list(&["a["]), &[]).is_err());
        let named = HookCondition::new(&list(&["Write", "mcp__*"]), &[], &[]).unwrap();
        assert_eq!(named.matched(&call("write_file", &[], None)), theirs("Write"));
        assert_eq!(named.matched(&call("mcp__a__b", &[], None)), Some(ToolNaming::Ours));
    }

    #[test]
    fn without_a_call_the_kind_is_matched() {
        let compact = HookCondition::of_matcher("compact|resume").unwrap();
        let session = |source| compact.matched(&HookOccasion::Moment(HookMoment::SessionStart(source))).is_some();
        assert!(session(SessionSource::Compact) && !session(SessionSource::Startup));
        let prompt = HookOccasion::Moment(HookMoment::Prompt { text: String::new(), message_id: None });
        assert!(compact.matched(&prompt).is_some(), "a prompt has no kind");
    }
}
