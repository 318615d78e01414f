//! Tells the convention of a rule file, by its path.

/// The names of rules in any folder and any case.
const NAMES: [&str; 2] = ["agents.md", "claude.md"];
const CLAUDE_RULES: &str = ".claude/rules";
const CURSOR_RULES: &str = ".cursor/rules";
const COPILOT: &str = ".github/copilot-instructions.md";
const COPILOT_RULES: &str = ".github/instructions";

/// The kind of a rule file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleKind {
    /// `AGENTS.md` or `CLAUDE.md`, for everything below this folder; the project's root is empty.
    Folder(String),
    /// `.claude/rules/*.md`
    Claude,
    /// `.cursor/rules/*.mdc`
    Cursor,
    /// `.github/copilot-instructions.md` and `.github/instructions/*.md`
    Copilot,
}

/// Returns the kind of the rule at a path relative to the project, with `/`; `None` if the file is no rule.
#[must_use]
pub fn rule_kind(path: &str) -> Option<RuleKind> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in = |place: &str| folder == place || folder.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    let ends_in = |ends: &[&str]| name.rsplit_once('.').is_some_and(|(_, end)| ends.contains(&end));
    if is_in(CLAUDE_RULES) {
        return ends_in(&["md"]).then_some(RuleKind::Claude);
    }
    if is_in(CURSOR_RULES) {
        return ends_in(&["md", "mdc"]).then_some(RuleKind::Cursor);
    }
    if path == COPILOT || is_in(COPILOT_RULES) {
        return ends_in(&["md"]).then_some(RuleKind::Copilot);
    }
    if !NAMES.iter().any(|known| name.eq_ignore_ascii_case(known)) {
        return None;
    }
    // A project may keep its CLAUDE.md in .claude.
    let folder = match folder.strip_suffix(".claude") {
        Some(outer) if outer.is_empty() || outer.ends_with('/') => outer.trim_end_matches('/'),
        _ => folder,
    };
    Some(RuleKind::Folder(folder.to_owned()))
}

/// The order in which rules stand: by convention, outer folders before inner ones, by name.
#[must_use]
pub fn rule_order(path: &str) -> impl Ord {
    let depth = path.matches('/').count();
    let convention = match rule_kind(path) {
        Some(RuleKind::Folder(folder)) if folder.is_empty() => 0,
        Some(RuleKind::Claude) => 1,
        Some(RuleKind::Cursor) => 2,
        Some(RuleKind::Copilot) => 3,
        Some(RuleKind::Folder(_)) | None => 4,
    };
    (convention, depth, path.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_rule_is_told_by_its_path() {
        let folder = |folder: &str| Some(RuleKind::Folder(folder.to_owned()));
        for (path, kind) in [
            ("AGENTS.md", folder("")),
            ("a/b/claude.MD", folder("a/b")),
            (".claude/CLAUDE.md", folder("")),
            ("a/.claude/CLAUDE.md", folder("a")),
            ("my.claude/CLAUDE.md", folder("my.claude")),
            (".claude/rules/a/b.md", Some(RuleKind::Claude)),
            (".cursor/rules/x.mdc", Some(RuleKind::Cursor)),
            (".github/copilot-instructions.md", Some(RuleKind::Copilot)),
            (".github/instructions/x.instructions.md", Some(RuleKind::Copilot)),
            (".github/workflows/x.md", None),
            (".claude/rules/run.sh", None),
            ("docs/style.md", None),
        ] {
            assert_eq!(rule_kind(path), kind, "{path}");
        }
    }

    #[test]
    fn the_roots_rules_come_first() {
        let mut paths =
            ["b/AGENTS.md", ".github/copilot-instructions.md", ".claude/rules/a.md", "CLAUDE.md", "AGENTS.md"];
        paths.sort_by_key(|path| rule_order(path));
        assert_eq!(
            paths,
            ["AGENTS.md", "CLAUDE.md", ".claude/rules/a.md", ".github/copilot-instructions.md", "b/AGENTS.md"]
        );
    }
}
