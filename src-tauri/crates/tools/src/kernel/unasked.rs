//! Reading on the user's word, without a call of the model: what a prompt mentions.

use super::Kernel;
use crate::tool::{Action, Output, ReadTask};
use arki_domain::{ApprovalMode, Code, Decision, Fault};
use arki_files::Project;
use arki_policy::{Impact, PolicySettings};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

impl Kernel {
    #[must_use]
    pub fn project(&self) -> &Arc<Project> {
        &self.settings.project
    }

    /// Carries out a read tool, whether the model has it or not. Blocking.
    ///
    /// # Errors
    /// Where the policy would ask or deny, for secret files always, and when the tool fails.
    pub fn read_unasked(&self, tool_id: &str, args: &Value) -> Result<Output, Fault> {
        self.ensure_readable(tool_id, args)?;
        let tool = self.tool(tool_id).ok_or_else(|| self.unknown_tool(tool_id))?;
        let Action::Read(read) = tool.action else {
            return Err(Fault::internal(format_args!("{tool_id} is no read tool")));
        };
        self.learn_shown_file(tool, args);
        let cancel = CancellationToken::new();
        let task = ReadTask {
            project: self.settings.project.clone(),
            args: args.clone(),
            artifact: None,
            left_out: self.left_out_by(tool_id)?,
            redactor: self.redactor.clone(),
            max_output_bytes: self.settings.limits.max_output_bytes,
            cancel: cancel.clone(),
        };
        let limit = Duration::from_secs(self.settings.limits.timeout_seconds);
        let timer = tokio::runtime::Handle::try_current().ok().map(|runtime| {
            runtime.spawn(async move {
                tokio::time::sleep(limit).await;
                cancel.cancel();
            })
        });
        let done = read(&task).map_err(Fault::from);
        if let Some(timer) = timer {
            timer.abort();
        }
        done
    }

    /// # Errors
    /// Where the policy would ask or deny, and for secret files always.
    pub fn ensure_readable(&self, tool_id: &str, args: &Value) -> Result<(), Fault> {
        self.look_at_policy();
        let subject = self.subject_of(self.tool(tool_id), args);
        if let Some(fault) = &subject.path_fault {
            return Err(fault.clone());
        }
        let policy =
            PolicySettings { tools: None, disabled_tools: Vec::new(), ..PolicySettings::clone(&self.policy()) };
        let question = self.question(tool_id, &subject, ApprovalMode::Ask, Impact::default());
        let verdict = arki_policy::decide(&question, &policy);
        let refused = |reason: String| Fault::new(Code::POLICY_DENIED, reason, "Ask the user.");
        if let Some(secret) = subject.subject.paths.iter().find(|path| path.secret) {
            return Err(refused(format!("{} looks like a file with secrets.", secret.path)));
        }
        (verdict.decision == Decision::Allow).then_some(()).ok_or_else(|| refused(verdict.reason))
    }
}
