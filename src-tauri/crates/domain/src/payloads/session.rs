//! Sessions: made, forked, rewound; and what the user changed of their settings and trust.

use crate::{ApprovalMode, CheckpointId, RestoredFile, SessionId};
use serde_json::Value;

payload! {
    SessionCreated {
        pub title: String,
        /// Canonical path of the folder.
        pub project: String,
        pub agent: String,
        pub parent_session?: Option<SessionId>,
        /// The worktree that the folder is.
        pub worktree?: Option<WorktreeOf>,
    }
    /// The project and the branch of a worktree that Arki made for sessions.
    #[derive(Eq)]
    WorktreeOf {
        /// Canonical path of the folder that it is a copy of.
        pub project: String,
        pub branch: String,
    }
    /// Only what changed is present. An empty model, effort, core or prompt is as in the configuration again.
    #[derive(Default)]
    SessionConfigured {
        pub model?: Option<String>,
        /// The model's reasoning effort.
        pub effort?: Option<String>,
        /// The name of the core that decides how the agent works.
        pub core?: Option<String>,
        /// The session's prompt: stronger than the configuration's, weaker than a call's.
        pub system?: Option<String>,
        pub approve?: Option<ApprovalMode>,
        /// The tools that runs begun from now on don't have, by name; all of them.
        pub disabled_tools?: Option<Vec<String>>,
        /// The parts that requests of runs begun from now on go without, such as `rule:AGENTS.md`; all of them.
        pub off?: Option<Vec<String>>,
        /// The title that the user gave the session.
        pub title?: Option<String>,
        /// True if lists show the session first.
        pub pinned?: Option<bool>,
        /// True if lists leave the session out; its next run brings it back.
        pub archived?: Option<bool>,
    }
    /// The user's permissions for the rest of this session: this list replaces the one before.
    SessionGranted {
        /// Each as it would stand in the configuration.
        #[ts(type = "unknown[]")]
        pub rules: Vec<Value>,
    }
    TrustChanged {
        pub project: String,
        pub trusted: bool,
        pub pins: Vec<TrustPin>,
    }
    /// A piece of the folder that is executable or instructs the model, as it was when the user agreed to it.
    TrustPin {
        pub kind: String,
        /// Relative to the project.
        pub path: String,
        /// SHA-256 hex.
        pub hash: String,
    }
    /// A session that begins where another one stood: its conversation is the other's up to `from_seq`, then its own.
    SessionForked {
        /// The fork's `session.created`; earlier versions left it out.
        #[serde(flatten)]
        #[ts(skip)]
        pub created: Option<SessionCreated>,
        pub from_session: SessionId,
        pub from_seq: u64,
    }
    /// Back to how things stood right after event `to_seq`. The events in between stay in the log.
    SessionRewound {
        pub to_seq: u64,
        /// True if files were restored.
        pub files: bool,
        /// True if the conversation was rewound.
        pub conversation: bool,
        /// The images of the touched files as they were just before, so that this can be taken back too.
        pub checkpoint_id?: Option<CheckpointId>,
        pub changes?: Vec<RestoredFile>,
    }
}

impl SessionConfigured {
    /// Returns whether it says only how lists show the session, so that no request is made differently.
    #[must_use]
    pub fn is_for_lists(&self) -> bool {
        let rest = Self { title: None, pinned: None, archived: None, ..self.clone() };
        rest == Self::default() && *self != rest
    }

    /// Returns whether it only puts the session elsewhere in lists: nobody worked in it.
    #[must_use]
    pub fn only_marks(&self) -> bool {
        self.title.is_none() && self.is_for_lists()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_only_lists_show_is_told_from_what_requests_need() {
        let none = SessionConfigured::default();
        let pinned = SessionConfigured { pinned: Some(false), ..none.clone() };
        let titled = SessionConfigured { title: Some("t".into()), ..pinned.clone() };
        let modelled = SessionConfigured { model: Some("m".into()), ..titled.clone() };
        assert!(pinned.is_for_lists() && pinned.only_marks());
        assert!(titled.is_for_lists() && !titled.only_marks());
        assert!(!modelled.is_for_lists() && !none.is_for_lists());
    }

    #[test]
    fn a_fork_is_read_as_earlier_versions_stored_it() {
        let earlier = json!({"fromSession": "o", "fromSeq": 3});
        let forked: SessionForked = serde_json::from_value(earlier.clone()).unwrap();
        assert_eq!(forked, SessionForked { created: None, from_session: "o".into(), from_seq: 3 });
        assert_eq!(serde_json::to_value(forked).unwrap(), earlier);
        let today = json!({
            "title": "t", "project": "/p", "agent": "arki", "parentSession": "o", "fromSession": "o", "fromSeq": 3
        });
        let forked: SessionForked = serde_json::from_value(today.clone()).unwrap();
        assert!(forked.created.is_some());
        assert_eq!(serde_json::to_value(forked).unwrap(), today);
    }
}
