//! Carrying out the tools that only read.

use super::judging::Judge;
use super::kept_whole::CallResults;
use super::record::Record;
use super::unsaved::{EditorState, UnsavedFiles};
use super::{ExecutorSettings, stopped_by_user};
use crate::builtin::read_file;
use crate::left_out::LeftOut;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, ReadTask, Tool};
use arki_domain::{Code, Error, SessionId, ToolCall};
use globset::GlobSetBuilder;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The pauses between the attempts of a read whose failure may pass.
pub(crate) const READ_PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];

/// Carries out the tools that only read.
pub(super) struct ReadCalls {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) judge: Arc<Judge>,
    pub(super) results: Arc<CallResults>,
    pub(super) unsaved: Arc<UnsavedFiles>,
}

impl ReadCalls {
    pub(super) async fn read(&self, tool: &Tool, call: &ToolCall, record: &Record<'_>) -> Result<Output, Error> {
        let Action::Read(read) = tool.action else {
            return Err(Error::internal(format_args!("{} is no read tool", tool.name())));
        };
        let asking = (Some(&record.context.session_id), record.cancel());
        let state = self.state_in_editor(tool, &call.args, asking).await?;
        let unsaved = state.text().map(|text| text.as_bytes().to_vec());
        let task = ReadTask {
            artifact: self.results.artifact_for(call, record).await?.or(unsaved),
            sees_pictures: record.context.sees_pictures,
            ..self.task(tool, &call.args, record.cancel())?
        };
        let limit = Duration::from_secs(self.settings.limits.timeout_seconds);
        let stop = task.cancel.clone().drop_guard();
        let reading = tokio::task::spawn_blocking(move || {
            patiently(&task.cancel, READ_PAUSES, || read(&task)).map_err(Error::from)
        });
        let read = tokio::time::timeout(limit, reading).await;
        drop(stop);
        match read {
            Ok(Ok(done)) => done.map(|output| state.told(output)),
            Ok(Err(_)) => Err(Error::internal(format_args!("{} stopped in the middle", tool.name()))),
            Err(_) => Err(Error::new(
                Code::TOOL_TIMEOUT,
                format!("{} took longer than {} s.", tool.name(), limit.as_secs()),
                "Ask for less at a time, or raise limits.toolTimeoutSeconds.",
            )),
        }
    }

    /// The state in the editor of the file that a permitted call reads.
    ///
    /// # Errors
    /// `CANCELLED`.
    pub(super) async fn state_in_editor(
        &self,
        tool: &Tool,
        args: &Value,
        (session, cancel): (Option<&SessionId>, &CancellationToken),
    ) -> Result<EditorState, Error> {
        if tool.name() != read_file::NAME || self.settings.buffers.is_none() {
            return Ok(EditorState::Saved);
        }
        let subject = self.judge.subject_of(Some(tool), args);
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(stopped_by_user()),
            state = self.unsaved.state(session, &subject) => Ok(state),
        }
    }

    /// A read of the project's files, to be made at once.
    pub(super) fn task(&self, tool: &Tool, args: &Value, cancel: &CancellationToken) -> Result<ReadTask, Error> {
        self.judge.secrets.learn_shown_file(tool, args);
        Ok(ReadTask {
            project: self.settings.project.clone(),
            args: args.clone(),
            artifact: None,
            left_out: self.left_out_by(tool.name())?,
            context: self.settings.context.clone(),
            redactor: self.results.redactor.clone(),
            sees_pictures: false,
            max_output_bytes: self.settings.limits.max_output_bytes,
            cancel: cancel.child_token(),
        })
    }

    /// The files that a tool which reads many leaves out: the user's secret files, and what rules keep from the tool.
    fn left_out_by(&self, tool: &str) -> Result<LeftOut, Error> {
        let denied = self.judge.policy().denied_files(tool);
        if denied.is_empty() {
            return Ok(LeftOut { files: self.settings.secrets.clone(), by_rules: false });
        }
        let mut all = GlobSetBuilder::new();
        self.settings.secret_globs.iter().cloned().chain(denied).for_each(|glob| _ = all.add(glob));
        Ok(LeftOut { files: all.build().map_err(Error::internal)?, by_rules: true })
    }
}

/// Tries again where the disk or the system failed in a way that may pass.
fn patiently<T, const N: usize>(
    cancel: &CancellationToken,
    pauses: [Duration; N],
    mut read: impl FnMut() -> Result<T, ToolError>,
) -> Result<T, ToolError> {
    for pause in pauses {
        match read() {
            Err(error) if error.may_pass() && !cancel.is_cancelled() => std::thread::sleep(pause),
            done => return done,
        }
    }
    read()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_disk::{FileAction, FileError};
    use std::io;

    fn attempts(kind: io::ErrorKind, cancel: &CancellationToken) -> usize {
        let mut attempts = 0;
        let failed: Result<(), ToolError> = patiently(cancel, [Duration::ZERO; 2], || {
            attempts += 1;
            Err(FileError::of("a", FileAction::Read, kind.into()).into())
        });
        assert!(failed.is_err());
        attempts
    }

    #[test]
    fn a_failure_that_may_pass_is_tried_again_a_few_times() {
        let going = CancellationToken::new();
        assert_eq!(attempts(io::ErrorKind::TimedOut, &going), 3);
        assert_eq!(attempts(io::ErrorKind::ResourceBusy, &going), 3);
        assert_eq!(attempts(io::ErrorKind::NotFound, &going), 1);
        let stopped = CancellationToken::new();
        stopped.cancel();
        assert_eq!(attempts(io::ErrorKind::TimedOut, &stopped), 1);
        let mut left = 1;
        let read = patiently(&going, [Duration::ZERO; 2], || match left {
            0 => Ok("read"),
            _ => {
                left -= 1;
                Err(FileError::of("a", FileAction::Read, io::ErrorKind::Interrupted.into()).into())
            }
        });
        assert_eq!(read.unwrap(), "read");
    }
}
