//! The settings of a run; stored in `run.started`, so that it goes on the same way after a restart.

use crate::{Image, PipelineStart, ToolNames};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// The approvals that the user grants beforehand (`--approve`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[ts(rename = "RunApprovalMode")]
#[schemars(rename = "RunApprovalMode")]
pub enum ApprovalMode {
    /// The run stops for an approval wherever the policy does not allow a call by itself.
    #[default]
    Ask,
    /// Writes inside the project are granted, but not to protected paths and secret files.
    Edits,
    /// Everything not denied is granted; commands only where a sandbox works.
    All,
    /// Every approval becomes a rejection.
    Never,
}

impl ApprovalMode {
    /// Returns who resolves an approval that this mode answers, in `approval.resolved`.
    #[must_use]
    pub fn resolver(self) -> &'static str {
        match self {
            Self::Ask => "approve:ask",
            Self::Edits => "approve:edits",
            Self::All => "approve:all",
            Self::Never => "approve:never",
        }
    }
}

payload! {
    #[derive(Default)]
    #[serde(default)]
    RunOptions {
        pub approve: ApprovalMode,
        /// Only tools that read exist in the run, whatever is granted.
        pub plan?: bool,
        /// A plan is approved before it is carried out.
        pub approve_plan?: bool,
        /// Nothing is changed in the run and nothing leaves the computer, whatever is granted: there are the tools that read,
        /// and the commands that are known to only read.
        pub read_only?: bool,
        pub max_turns: Option<u32>,
        pub max_seconds: Option<u64>,
        pub max_cost_usd: Option<f64>,
        /// The time after which an unanswered request is rejected.
        pub approval_timeout_seconds?: Option<u64>,
        /// The call-level system prompt.
        pub system?: Option<String>,
        /// The only tools that its agent has; all where `None`.
        pub tools?: Option<ToolNames>,
        /// Tools that there are not in the run, by name.
        pub disabled_tools?: Vec<String>,
        /// Globs of files that neither tools nor commands of the run may touch: the denylist of the pipeline that it works for.
        pub denied_paths?: Vec<String>,
        /// Parts that requests of the run go without, such as `rule:AGENTS.md`.
        pub off?: Vec<String>,
        /// The session's; the configuration's where `None`.
        pub reasoning_effort?: Option<String>,
        /// Skills whose text the system prompt has, by name.
        pub skills?: Vec<String>,
        /// The images of the prompt.
        pub images?: Vec<Image>,
        /// JSON Schema that the final answer has to follow.
        #[ts(type = "unknown")]
        pub output_schema?: Option<Value>,
        /// The pipeline, where the run is of one.
        pub pipeline?: Option<PipelineStart>,
    }
}
