//! Carrying out the tools that only read.

use super::Kernel;
use super::record::Record;
use crate::left_out::LeftOut;
use crate::tool::{Action, Output, ReadTask, Tool};
use arki_domain::{Code, Fault, ToolCall};
use globset::GlobSetBuilder;
use std::time::Duration;

impl Kernel {
    pub(super) async fn read(&self, tool: &Tool, call: &ToolCall, record: &Record<'_>) -> Result<Output, Fault> {
        let Action::Read(read) = tool.action else {
            return Err(Fault::internal(format_args!("{} is no read tool", tool.name())));
        };
        let task = ReadTask {
            project: self.settings.project.clone(),
            args: call.args.clone(),
            artifact: self.artifact_for(call, record).await?,
            left_out: self.left_out_by(tool.name())?,
            redactor: self.redactor.clone(),
            sees_pictures: record.context().sees_pictures,
            max_output_bytes: self.settings.limits.max_output_bytes,
            cancel: record.cancel().child_token(),
        };
        self.learn_shown_file(tool, &call.args);
        let limit = Duration::from_secs(self.settings.limits.timeout_seconds);
        let stop = task.cancel.clone().drop_guard();
        let reading = tokio::task::spawn_blocking(move || read(&task).map_err(Fault::from));
        let read = tokio::time::timeout(limit, reading).await;
        drop(stop);
        match read {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(Fault::internal(format_args!("{} stopped in the middle", tool.name()))),
            Err(_) => Err(Fault::new(
                Code::TOOL_TIMEOUT,
                format!("{} took longer than {} s.", tool.name(), limit.as_secs()),
                "Ask for less at a time, or raise limits.toolTimeoutSeconds.",
            )),
        }
    }

    /// The files that a tool which reads many leaves out: the user's secret files, and what rules keep from the tool.
    pub(super) fn left_out_by(&self, tool: &str) -> Result<LeftOut, Fault> {
        let denied = self.policy().denied_files(tool);
        if denied.is_empty() {
            return Ok(LeftOut { files: self.settings.secrets.clone(), by_rules: false });
        }
        let mut all = GlobSetBuilder::new();
        self.settings.secret_globs.iter().cloned().chain(denied).for_each(|glob| _ = all.add(glob));
        Ok(LeftOut { files: all.build().map_err(Fault::internal)?, by_rules: true })
    }
}
