//! `policy check`: a decision without its deed.

use crate::approvals::Approvals;
use arki_domain::Fault;
use serde::Serialize;

/// The policy's judgement of one call.
#[derive(Debug, Clone, Serialize)]
pub struct Judgement {
    pub decision: arki_domain::Decision,
    pub rule: String,
    pub reason: String,
    pub risk: arki_domain::Risk,
}

impl Approvals {
    /// Returns what the policy says of a call in a folder, without carrying it out.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn judge(&self, folder: &std::path::Path, tool_id: &str, args: &serde_json::Value) -> Result<Judgement, Fault> {
        let verdict = self.kernels.judging_kernel(folder)?.judge(tool_id, args, arki_domain::ApprovalMode::Ask);
        Ok(Judgement { decision: verdict.decision, rule: verdict.rule, reason: verdict.reason, risk: verdict.risk })
    }
}
