//! The rules of a folder: the user's own; then the project's, by all conventions, as far as it is trusted and they are as
//! they were agreed to, with what they import.
//!
//! The scan for trust pins imports too (`arki_context::imports_of` finds them). One that wasn't agreed to can't be used, and
//! a rule's imports are protected: the user is asked before one is written.

use crate::{OpenProject, Projects};
use arki_context::{FileWarning, ImportedText, LoadedRules, Rule, RuleFile, load_rules, rule_kind, rule_order};
use arki_disk::EntryKind;
use arki_domain::plural;
use arki_files::{PinKind, Project};
use globset::GlobSet;
use std::collections::BTreeSet;

/// The user's own, in the configuration folder.
const OWN_RULES: &str = "AGENTS.md";
/// A longer file is none; of shorter ones the beginning counts (`arki_context::MAX_RULE_BYTES`).
const MAX_RULE_FILE_BYTES: u64 = 32 * 1024 * 1024;
/// The rules for which a warning is given if they are a link that leads out of the project.
const ROOT_RULES: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Warnings that are told one by one.
const MAX_TOLD: usize = 5;

impl Projects {
    /// Read once for each time the folder is opened.
    pub(crate) fn rules_of<'a>(&self, open: &'a OpenProject) -> &'a LoadedRules {
        open.rules.get_or_init(|| self.load_rules(open))
    }

    fn load_rules(&self, open: &OpenProject) -> LoadedRules {
        let config = &self.records.directories().config;
        let shown = config.join(OWN_RULES).display().to_string();
        let own = Project::open(config).ok().and_then(|folder| text_in(&folder, OWN_RULES));
        let mut paths: Vec<&str> = open.rule_paths().filter(|path| rule_kind(path).is_some()).collect();
        paths.sort_by_cached_key(|path| rule_order(path));
        let texts: Vec<(&str, String)> =
            paths.into_iter().filter_map(|path| Some((path, open.agreed_rule(path)?))).collect();
        let own = own.iter().map(|text| RuleFile { path: &shown, text, is_users: true });
        let project = texts.iter().map(|(path, text)| RuleFile { path, text, is_users: false });
        let files: Vec<RuleFile<'_>> = own.chain(project).collect();
        let mut loaded = load_rules(&files, &mut |path| open.imported(path));
        loaded.warnings.extend(open.rules_that_lead_out());
        loaded
    }
}

impl OpenProject {
    fn rule_paths(&self) -> impl Iterator<Item = &str> {
        self.current.iter().filter(|pin| pin.kind == PinKind::Rule).map(|pin| pin.path.as_str())
    }

    /// Files that are no rules themselves.
    pub(crate) fn imported_paths(&self) -> BTreeSet<String> {
        self.rule_paths().filter(|path| rule_kind(path).is_none()).map(str::to_owned).collect()
    }

    fn agreed_rule(&self, path: &str) -> Option<String> {
        let bytes = self.agreed_bytes_up_to(PinKind::Rule, path, MAX_RULE_FILE_BYTES)?;
        Some(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
    }

    fn imported(&self, path: &str) -> ImportedText {
        let unusable = |why: &str| ImportedText::Unusable(why.to_owned());
        let Ok(place) = self.project.resolve(path) else { return unusable("has a name that can't be used") };
        if self.project.is_secret(&place, &GlobSet::empty()) {
            return unusable("is a secret file");
        }
        match self.project.kind(&place) {
            Ok(None) => ImportedText::Missing,
            Ok(Some(EntryKind::Folder)) => unusable("is a folder"),
            Ok(Some(_)) if !self.rule_paths().any(|known| known == place.as_str()) => unusable("is too large"),
            Ok(Some(_)) => match self.agreed_bytes_up_to(PinKind::Rule, path, MAX_RULE_FILE_BYTES) {
                None => unusable("has changed since you approved it"),
                Some(bytes) => String::from_utf8(bytes).map_or_else(|_| unusable("is no text"), ImportedText::Text),
            },
            Err(_) => unusable("leads out of the project"),
        }
    }

    fn rules_that_lead_out(&self) -> Vec<FileWarning> {
        let leads_out = |path: &str| {
            let place = self.project.resolve(path).ok().filter(|_| self.is_trusted());
            place.is_some_and(|place| self.project.kind(&place).is_err())
        };
        let warning = |path: &str| FileWarning {
            path: path.to_owned(),
            message: "it is a link that leads out of the project, and is not used".to_owned(),
        };
        ROOT_RULES.into_iter().filter(|path| leads_out(path)).map(warning).collect()
    }
}

fn text_in(folder: &Project, path: &str) -> Option<String> {
    let file = folder.read(&folder.resolve(path).ok()?, MAX_RULE_FILE_BYTES).ok()?;
    Some(String::from_utf8_lossy(&file.bytes).into_owned())
}

/// Returns the rules that are in the prompt from the beginning.
pub(crate) fn at_start(rules: &LoadedRules) -> Vec<Rule> {
    let rule = |rule: &arki_context::LoadedRule| Rule {
        path: rule.path.clone(),
        text: rule.text.clone(),
        is_users: rule.is_users,
    };
    rules.at_start().map(rule).collect()
}

/// A sentence each; the rest as a number.
pub(crate) fn told(warnings: &[FileWarning]) -> Vec<String> {
    let mut told: Vec<String> =
        warnings.iter().take(MAX_TOLD).map(|warning| format!("{}: {}.", warning.path, warning.message)).collect();
    if let more @ 1.. = warnings.len().saturating_sub(MAX_TOLD) {
        told.push(format!("And {} more.", plural(more as u64, "warning")));
    }
    told
}
