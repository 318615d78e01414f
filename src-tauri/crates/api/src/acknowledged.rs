//! The answers of `arki --json` once a command has done something, and the entries of its smaller lists.

use crate::{McpRefusedTool, McpTestStep};
use arki_domain::projection::SessionState;
use arki_domain::{CompactionStrategy, RunId, SessionId, ToolNames};
use serde_json::Value;
use std::path::PathBuf;

printed! {
    /// A provider, server or agent that was set up or removed. The fields that are not about it are left out.
    NamedChange {
        pub name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub added: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub removed: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        pub signed_in: Option<bool>,
    }
    RemovedWorktree {
        /// Its branch.
        pub removed: String,
    }
    ChangedSetting {
        pub key: String,
    }
    SettingValue {
        pub key: String,
        pub value: Value,
    }
    RenamedSession {
        pub session_id: SessionId,
        pub title: String,
    }
    MarkedSession {
        pub session_id: SessionId,
        pub pinned: bool,
        pub archived: bool,
    }
    ConfiguredSession {
        pub session_id: SessionId,
        pub model: Option<String>,
        pub effort: Option<String>,
        pub core: Option<String>,
        pub system: Option<String>,
        /// The parts of the context that are left out.
        pub off: Vec<String>,
    }
    PrintedCompaction {
        pub session_id: SessionId,
        pub compacted: bool,
        /// How it was compacted, where it was.
        #[serde(flatten)]
        pub done: Option<Compaction>,
    }
    Compaction {
        pub strategy: CompactionStrategy,
        pub tokens_before: u64,
        pub tokens_after: u64,
    }
    /// A run that was told to stop, pause or go on.
    SteeredSession {
        pub session_id: SessionId,
        pub run_id: Option<RunId>,
        pub state: SessionState,
    }
    SavedArtifact {
        pub artifact_id: String,
        pub file: PathBuf,
    }
    PrintedArtifact {
        pub artifact_id: String,
        pub session_id: SessionId,
        pub run_id: Option<RunId>,
        pub seq: u64,
        /// Milliseconds since 1970.
        pub ts: i64,
        pub name: String,
        pub media_type: String,
        pub bytes: u64,
    }
    PrintedGuide {
        pub name: String,
        pub description: String,
        /// A path, or `built in`.
        pub origin: String,
    }
    PrintedSkill {
        #[serde(flatten)]
        pub guide: PrintedGuide,
        pub triggers: SkillTriggers,
        pub allowed_tools: Option<ToolNames>,
        pub warnings: Vec<String>,
    }
    SkillTriggers {
        pub keywords: Vec<String>,
        pub paths: Vec<String>,
    }
    CheckedContents {
        pub bytes: u64,
        pub contents: u64,
        pub ok: bool,
    }
    PrintedTrustedFolder {
        pub project: String,
        /// Milliseconds since 1970.
        pub trusted_at: i64,
        pub is_there: bool,
    }
    FilledPrompt {
        pub name: String,
        pub text: String,
    }
    /// The step of a server's test that lists its tools, with them.
    ListedMcpTools {
        #[serde(flatten)]
        pub step: McpTestStep,
        pub tools: Vec<PrintedMcpTool>,
        pub left_out: Vec<McpRefusedTool>,
    }
    PrintedMcpTool {
        pub name: String,
        pub description: String,
    }
}

impl NamedChange {
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self { name: name.to_owned(), added: None, removed: None, signed_in: None }
    }

    #[must_use]
    pub fn added(name: &str) -> Self {
        Self { added: Some(true), ..Self::of(name) }
    }

    #[must_use]
    pub fn removed(name: &str) -> Self {
        Self { removed: Some(true), ..Self::of(name) }
    }

    #[must_use]
    pub fn signed_in(name: &str) -> Self {
        Self { signed_in: Some(true), ..Self::of(name) }
    }
}
