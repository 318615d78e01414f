//! Calls of programs that work in a view of the project and live longer than a call: what one has changed is decided on
//! after the call, as with a command.
//!
//! What landed stays in the view as well, so the view is good only while the project holds the same. Where it doesn't,
//! since something was rejected, or the user has worked on since, the program starts anew before its next call. So it
//! never goes on from what isn't there, and nothing lands that it changed between calls. Its calls are made one after the
//! other.

use super::command_sandbox::CommandView;
use super::effects::{self, BoundFolders};
use super::record::Record;
use super::remote::{RemoteCall, RemoteCalls};
use crate::remote_tool::{ProgramView, ViewedProgram};
use arki_domain::{CallOutcome, Code, Error, EventBody};
use std::sync::Arc;

const STARTED_ANEW: &str =
    "Its program was started anew before this call: the project wasn't as the program had left it.";
const THROWN_AWAY: &str = "What it changed in the project was thrown away, and its program is started anew.";
const ELSEWHERE: &str =
    "What it changed was thrown away: this agent works in a worktree, and the server in the project.";

impl RemoteCalls {
    /// Makes a call when it is its turn, and has what it changed decided on.
    pub(super) async fn call_in_view(
        &self,
        program: &dyn ViewedProgram,
        made: RemoteCall<'_>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let (call, cancel) = (made.call, record.cancel().clone());
        let _turn = tokio::select! {
            turn = program.turn() => turn,
            () = cancel.cancelled() => return record.fail(call, &super::stopped_by_user()).await,
        };
        let renewed = self.renew(program).await;
        let done = self.call_remote(made, record).await;
        let is_unfinished = done.as_ref().is_err_and(|fault| fault.is(Code::CANCELLED) || fault.is(Code::TOOL_TIMEOUT));
        let (seen, ended) = self.view_after(program, is_unfinished).await;
        // It may have written a new one and told of it.
        if let Some(seen) = &seen {
            self.secrets.learn_view(seen.view.clone()).await;
        }
        let mut bodies = self.results.result(call, done, record).await;
        if let Some(EventBody::ToolResult(result)) = bodies.last_mut() {
            for note in [renewed, ended].into_iter().flatten() {
                result.result.push_str(&format!("\n[{note}]"));
            }
        }
        let Some(seen) = seen else { return record.settle(bodies).await };
        seen.note_call();
        let view = CommandView { view: seen.view.clone(), bound: BoundFolders::default() };
        let mut collected = effects::collect(&self.settings, view, &record.context.session_id).await;
        if let Ok(collected) = &mut collected {
            collected.notes.retain(|note| seen.is_news(note));
        }
        self.effects.settle_collected(call, collected, bodies, record).await
    }

    /// Ends the program if the project isn't as its view shows it, and returns a sentence on that. What it did when it
    /// started belongs to its first call.
    async fn renew(&self, program: &dyn ViewedProgram) -> Option<&'static str> {
        let seen = program.view().await.filter(|seen| seen.was_called())?;
        // Before it is looked at: who changes a file from here on changes it during the call.
        let is_marked = seen.view.begin_call().is_ok();
        let is_landed = !self.is_of_project(&seen) || effects::is_landed(&self.settings, seen.view.clone()).await;
        if is_marked && is_landed {
            return None;
        }
        program.restart().await;
        Some(STARTED_ANEW)
    }

    /// The view whose changes are decided on, and a sentence where there is none any more.
    async fn view_after(
        &self,
        program: &dyn ViewedProgram,
        is_unfinished: bool,
    ) -> (Option<Arc<ProgramView>>, Option<&'static str>) {
        let Some(seen) = program.view().await else { return (None, None) };
        let words = if is_unfinished {
            THROWN_AWAY
        } else if self.is_of_project(&seen) {
            return (Some(seen), None);
        } else if seen.view.changes(&seen.project, 1, |_| false).is_ok_and(|found| found.changes.is_empty()) {
            seen.note_call();
            return (None, None);
        } else {
            ELSEWHERE
        };
        program.restart().await;
        (None, Some(words))
    }

    /// A sub-agent in a worktree calls the same programs as the others, which know only the project.
    fn is_of_project(&self, seen: &ProgramView) -> bool {
        seen.project == self.settings.project.root()
    }
}
