//! Tells the convention of a rule file, by its path.

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

/// By a path relative to the project, with `/`.
#[must_use]
pub fn rule_kind(path: &str) -> RuleKind {
    let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
    let is_in = |place: &str| {
        let inside = |folder: &str| folder == place || folder.starts_with(&format!("{place}/"));
        inside(folder) || folder.match_indices('/').any(|(at, _)| inside(&folder[at + 1..]))
    };
    if is_in(".claude/rules") {
        return RuleKind::Claude;
    }
    if is_in(".cursor/rules") {
        return RuleKind::Cursor;
    }
    if is_in(".github") {
        return RuleKind::Copilot;
    }
    // A project may keep its CLAUDE.md in .claude.
    let folder = folder.strip_suffix(".claude").map_or(folder, |outer| outer.trim_end_matches('/'));
    RuleKind::Folder(folder.to_owned())
}
