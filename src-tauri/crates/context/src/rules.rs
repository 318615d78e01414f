//! Rules: texts of a project, or of the user, that say how work is done there. Which files are rules, what they import,
//! and when each applies.
//!
//! **Use.** Hand [`load_rules`] the texts of the rule files that are trusted, in the order of their precedence, and a
//! reader for what they import. [`LoadedRules::at_start`] goes into the system prompt; when a call touches a path, append
//! a `context.added` for each of [`LoadedRules::touched`] that the session has not had yet.

mod imports;
mod kind;

#[cfg(test)]
mod tests;

pub use imports::{ImportedText, imports_of};
pub use kind::{RuleKind, rule_kind, rule_order};

use crate::FrontMatter;
use arki_domain::glob_readings;
use globset::{GlobBuilder, GlobMatcher};

/// One rule, what it imports included.
pub const MAX_RULE_BYTES: usize = 64 * 1024;
/// All rules that stand in the prompt.
pub const MAX_RULES_AT_START_BYTES: usize = 128 * 1024;
/// Rules of a project that count.
pub const MAX_RULES: usize = 200;

/// The text of a file that holds rules.
#[derive(Debug, Clone, Copy)]
pub struct RuleFile<'a> {
    /// Relative to the project with `/`; for the user's own rules as it is shown.
    pub path: &'a str,
    pub text: &'a str,
    /// The user's own, from the configuration folder: it applies everywhere, and imports nothing.
    pub is_users: bool,
}

/// A problem with a file that doesn't keep it from being used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileWarning {
    pub path: String,
    /// Goes on after the path: "it imports x.md, which doesn't exist".
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct LoadedRule {
    pub path: String,
    pub is_users: bool,
    /// The text with what it imports.
    pub text: String,
    pub applies: Applies,
}

/// When a rule applies.
#[derive(Debug, Clone)]
pub enum Applies {
    AtStart,
    /// When something below this folder is touched.
    BelowFolder(String),
    /// When one of these is touched.
    ToPaths(Vec<GlobMatcher>),
    /// Only when the model asks for it by its description.
    OnRequest {
        description: String,
    },
}

#[derive(Debug, Clone, Default)]
pub struct LoadedRules {
    pub rules: Vec<LoadedRule>,
    pub warnings: Vec<FileWarning>,
}

/// `read` is asked for what rules import, by paths relative to the project.
#[must_use]
pub fn load_rules(files: &[RuleFile<'_>], read: &mut dyn FnMut(&str) -> ImportedText) -> LoadedRules {
    let (mut loaded, mut sent) = (LoadedRules::default(), SentTexts::default());
    for file in files.iter().take(MAX_RULES) {
        let rule = loaded.rule(file, &mut sent, read);
        loaded.rules.extend(rule.filter(|rule| !rule.text.trim().is_empty()));
    }
    if let Some(first) = files.get(MAX_RULES) {
        loaded.warn(first.path, &format!("this and all later rules are left out: the limit is {MAX_RULES} rules"));
    }
    loaded.bound_at_start();
    loaded
}

impl LoadedRules {
    pub fn at_start(&self) -> impl Iterator<Item = &LoadedRule> {
        self.rules.iter().filter(|rule| matches!(rule.applies, Applies::AtStart))
    }

    /// The rules that come in when `path`, relative to the project, is touched; those of outer folders first.
    #[must_use]
    pub fn touched(&self, path: &str) -> Vec<&LoadedRule> {
        let mut touched: Vec<&LoadedRule> = self.rules.iter().filter(|rule| rule.applies.is_for(path)).collect();
        touched.sort_by_key(|rule| rule.applies.depth());
        touched
    }

    /// `None` for a file that is no rule by any convention, or whose text goes out already: projects often have
    /// CLAUDE.md and AGENTS.md with the same text, or have one import the other.
    fn rule(
        &mut self,
        file: &RuleFile<'_>,
        sent: &mut SentTexts,
        read: &mut dyn FnMut(&str) -> ImportedText,
    ) -> Option<LoadedRule> {
        let kind = if file.is_users { RuleKind::Folder(String::new()) } else { rule_kind(file.path)? };
        let head = FrontMatter::read(file.text);
        if let Some(warning) = &head.warning {
            self.warn(file.path, warning);
        }
        let applies = self.applies(file.path, &kind, &head);
        let body = if matches!(kind, RuleKind::Folder(_)) && !head.is_present { file.text } else { head.body };
        let mut text = body.trim_start_matches('\u{feff}').to_owned();
        if !sent.add(file.path, &text, &applies) {
            return None;
        }
        if !file.is_users {
            let is_new = &mut |path: &str, text: &str| sent.add(path, text, &applies);
            text = imports::with_imports(file.path, &text, (read, is_new), &mut self.warnings);
        }
        let text = self.bounded(file.path, &text, MAX_RULE_BYTES);
        Some(LoadedRule { path: file.path.to_owned(), is_users: file.is_users, text, applies })
    }

    fn applies(&mut self, path: &str, kind: &RuleKind, head: &FrontMatter<'_>) -> Applies {
        let patterns = match kind {
            RuleKind::Folder(folder) if folder.is_empty() => return Applies::AtStart,
            RuleKind::Folder(folder) => return Applies::BelowFolder(folder.clone()),
            RuleKind::Copilot => head.list("applyTo"),
            RuleKind::Claude => head.list("paths"),
            RuleKind::Cursor if head.flag("alwaysApply") == Some(true) => return Applies::AtStart,
            RuleKind::Cursor => head.list("globs"),
        };
        let is_on_request = *kind == RuleKind::Cursor && head.is_present && patterns.is_empty();
        if is_on_request {
            return Applies::OnRequest { description: head.text("description").unwrap_or_default() };
        }
        let is_all = |pattern: &String| matches!(pattern.as_str(), "**" | "**/*" | "*");
        if patterns.is_empty() || patterns.iter().any(is_all) {
            return Applies::AtStart;
        }
        Applies::ToPaths(patterns.iter().flat_map(|pattern| self.globs(path, pattern)).collect())
    }

    fn globs(&mut self, path: &str, pattern: &str) -> Vec<GlobMatcher> {
        let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
        let anywhere = anywhere.trim_start_matches("./").trim_start_matches('/');
        let build = |reading: &String| GlobBuilder::new(reading).literal_separator(true).build();
        let globs: Result<Vec<_>, _> = glob_readings(anywhere).iter().map(build).collect();
        if globs.is_err() {
            self.warn(path, &format!("its pattern {pattern:?} can't be read"));
        }
        globs.unwrap_or_default().iter().map(globset::Glob::compile_matcher).collect()
    }

    fn bound_at_start(&mut self) {
        let mut left = MAX_RULES_AT_START_BYTES;
        let mut cut: Vec<(usize, usize)> = Vec::new();
        for (at, rule) in self.rules.iter().enumerate().filter(|(_, rule)| matches!(rule.applies, Applies::AtStart)) {
            if rule.text.len() > left {
                cut.push((at, left));
            }
            left = left.saturating_sub(rule.text.len());
        }
        for (at, left) in cut {
            let (path, text) = (self.rules[at].path.clone(), std::mem::take(&mut self.rules[at].text));
            self.rules[at].text = self.bounded(&path, &text, left);
        }
    }

    /// Cut at a line's end, with a word for the model and one for the user.
    fn bounded(&mut self, path: &str, text: &str, max_bytes: usize) -> String {
        if text.len() <= max_bytes {
            return text.to_owned();
        }
        let end = text.floor_char_boundary(max_bytes);
        let end = text[..end].rfind('\n').map_or(end, |line| line + 1);
        let more = text.len() - end;
        self.warn(path, &format!("only its first {end} bytes are used, {more} are left out"));
        format!("{}\n[Cut here: {more} bytes more. Read {path} for the rest.]\n", &text[..end])
    }

    fn warn(&mut self, path: &str, message: &str) {
        self.warnings.push(FileWarning { path: path.to_owned(), message: message.to_owned() });
    }
}

impl Applies {
    fn is_for(&self, path: &str) -> bool {
        match self {
            Self::AtStart | Self::OnRequest { .. } => false,
            Self::BelowFolder(folder) => {
                path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            }
            Self::ToPaths(globs) => globs.iter().any(|glob| glob.is_match(path)),
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::BelowFolder(folder) => 1 + folder.matches('/').count(),
            _ => usize::MAX,
        }
    }

    /// Returns whether this one applies wherever the other does.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AtStart, _) => true,
            (Self::BelowFolder(_), Self::BelowFolder(inner)) => self.is_for(inner),
            _ => false,
        }
    }

    /// Returns the level, from the outermost in.
    fn level(&self) -> usize {
        if matches!(self, Self::AtStart) { 0 } else { self.depth() }
    }
}

/// The texts that go out already, whether as rules or as what rules import: each goes out once.
#[derive(Default)]
struct SentTexts(Vec<SentText>);

struct SentText {
    path: String,
    text: String,
    applies: Applies,
}

impl SentTexts {
    /// Notes a text. Returns false where it goes out already, wherever it would apply, and no folder between says
    /// something else.
    fn add(&mut self, path: &str, text: &str, applies: &Applies) -> bool {
        let is_it = |sent: &&SentText| sent.path == path || sent.text == text.trim();
        let known = self.0.iter().filter(|sent| sent.applies.covers(applies)).filter(is_it);
        let known = known.max_by_key(|sent| sent.applies.level());
        let levels = known.map(|known| known.applies.level() + 1..applies.level());
        let is_between = |sent: &SentText| {
            sent.applies.covers(applies) && levels.as_ref().is_some_and(|levels| levels.contains(&sent.applies.level()))
        };
        if levels.is_some() && !self.0.iter().any(is_between) {
            return false;
        }
        let (path, text) = (path.to_owned(), text.trim().to_owned());
        self.0.push(SentText { path, text, applies: applies.clone() });
        true
    }
}
