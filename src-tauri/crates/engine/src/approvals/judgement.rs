//! `policy check` and `hooks test`: a decision without its deed, and hooks without anything that they are for.

use crate::approvals::Approvals;
use arki_domain::Fault;
use arki_tools::{HookTrial, TriedHook};
use serde::Serialize;

/// The policy's judgement of one call.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    pub decision: arki_domain::Decision,
    pub rule: String,
    pub reason: String,
    pub risk: arki_domain::Risk,
    /// How it came about; absent where nobody asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<arki_domain::PolicyTrace>,
}

impl Approvals {
    /// Runs the hooks that are for something in a folder, without anything happening.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub async fn try_hooks(&self, folder: &std::path::Path, trial: &HookTrial) -> Result<Vec<TriedHook>, Fault> {
        Ok(self.kernels.judging_kernel(folder)?.try_hooks(trial).await)
    }

    /// Returns what the policy says of a call in a folder and how it came to that, without carrying it out.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn judge(&self, folder: &std::path::Path, tool_id: &str, args: &serde_json::Value) -> Result<Judgement, Fault> {
        let kernel = self.kernels.judging_kernel(folder)?;
        let verdict = kernel.judge(tool_id, args, arki_domain::ApprovalMode::Ask);
        let trace = kernel.trace(tool_id, args, &verdict);
        let arki_policy::Verdict { decision, rule, reason, risk } = verdict;
        Ok(Judgement { decision, rule, reason, risk, trace })
    }
}
