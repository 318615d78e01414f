//! The parts of a request that a session can go without, and the ids by which they are switched off: `rule:AGENTS.md`,
//! `skill:pdf`, `mcp:docs`, `result:CALL`, `mention:EVENT`, `memory`.

use crate::CallId;

/// The only memory part: memory is switched off as a whole.
const MEMORY: &str = "memory";

/// The `context.added` part for what a prompt mentions. It's left out together with the prompt, and added again when
/// another prompt mentions it.
pub const MENTION_PART: &str = "mention";

/// A picture that `read_file` has read, as `context.added` names it. A compaction leaves it out with what was said then.
pub const PICTURE_PART: &str = "picture";

/// The `context.added` part for what a core tells the model between its stages.
pub const STAGE_PART: &str = "stage";

/// The `context.added` part for a reminder of the form that answers need. The model is asked again with it.
pub const REMINDER_PART: &str = "reminder";

/// A kind of part that can be switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartKind {
    /// A rule, by its path as it's shown.
    Rule,
    Skill,
    Procedure,
    /// All tools of an MCP server.
    McpServer,
    /// The result of a call, by the call's id.
    Result,
    /// The content that a prompt mentions, by the number of the prompt's event. Another mention adds it again.
    Mention,
    /// The memory, which has no name.
    Memory,
}

impl PartKind {
    /// The id of the part of this kind with that name.
    #[must_use]
    pub fn id(self, name: &str) -> String {
        match self {
            Self::Memory => MEMORY.to_owned(),
            kind => format!("{}:{name}", kind.word()),
        }
    }

    /// Returns whether the part is among those that are off.
    #[must_use]
    pub fn is_off(self, name: &str, off: &[String]) -> bool {
        off.iter().any(|part| match self {
            Self::Memory => part == MEMORY,
            kind => part.split_once(':') == Some((kind.word(), name)),
        })
    }

    fn word(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Skill => "skill",
            Self::Procedure => "procedure",
            Self::McpServer => "mcp",
            Self::Result => "result",
            Self::Mention => MENTION_PART,
            Self::Memory => MEMORY,
        }
    }
}

/// The id of context that came late, as `context.added` names it; `None` where it can't be switched off. `place` is its
/// number in the conversation.
#[must_use]
pub fn late_part_id(part: &str, origin: &str, place: u64) -> Option<String> {
    match part {
        MENTION_PART => Some(PartKind::Mention.id(&place.to_string())),
        part => {
            let kind = [PartKind::Rule, PartKind::Skill].into_iter().find(|kind| kind.word() == part)?;
            Some(kind.id(origin))
        }
    }
}

/// The calls whose results are off.
pub fn results_off(off: &[String]) -> impl Iterator<Item = CallId> {
    let word = PartKind::Result.word();
    off.iter().filter_map(move |part| part.split_once(':').filter(|(kind, _)| *kind == word)).map(|(_, id)| id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_off_by_its_kind_and_whole_name() {
        let off = ["rule:docs/a:b.md".to_owned(), "result:c1".to_owned(), "memory".to_owned()];
        assert!(PartKind::Rule.is_off("docs/a:b.md", &off));
        assert!(!PartKind::Rule.is_off("docs/a", &off) && !PartKind::Skill.is_off("docs/a:b.md", &off));
        assert!(PartKind::Memory.is_off("", &off));
        assert_eq!(PartKind::Rule.id("docs/a:b.md"), off[0]);
        assert_eq!(late_part_id("rule", "docs/a:b.md", 7).as_ref(), Some(&off[0]));
        assert_eq!(late_part_id("mention", "docs/a:b.md", 7).as_deref(), Some("mention:7"));
        assert_eq!(late_part_id("hook", "format", 7), None);
        assert_eq!(results_off(&off).collect::<Vec<_>>(), [CallId::from("c1")]);
    }
}
