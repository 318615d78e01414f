//! The project as it would be with what a command changed, to be tried before it is decided on.

use crate::approvals::review::ApprovalReviews;
use arki_disk::create_private_dir;
use arki_domain::{ApprovalKind, Code, Error, EventBody, RunId};
use arki_files::CopyLimits;
use arki_store::ApprovalRecord;
use arki_tools::write_changed_tree;
use std::path::{Path, PathBuf};
use std::time::Duration;

const LIMITS: CopyLimits = CopyLimits { files: 50_000, bytes: 2 << 30 };
/// One that is older is removed when another is made.
const KEPT: Duration = Duration::from_secs(2 * 24 * 60 * 60);

impl ApprovalReviews {
    /// Writes a folder with the project's files as they would be if all that a command changed landed, and returns its
    /// path. Nothing in it can be written. It has neither secret files nor what git ignores.
    ///
    /// # Errors
    /// `USAGE` for an approval of another kind, `WORKTREE_TOO_LARGE` for a project that is too large to be copied.
    pub async fn write_changed_tree(&self, record: &ApprovalRecord) -> Result<PathBuf, Error> {
        let list = self.changes_of(record)?;
        let session = self.reader.session(&record.session_id)?;
        let open = self.projects.load_project(Path::new(&session.project))?;
        let secrets = self.projects.config_of(&open)?.secret_files.set.clone();
        let trees = self.records.directories().changed_trees();
        create_private_dir(&trees)?;
        arki_sandbox::remove_abandoned_views(&trees, KEPT);
        let folder = trees.join(format!("{}-{}", record.approval_id, self.records.clock().now_ms()));
        create_private_dir(&folder)?;
        let project = open.workplace().clone();
        write_changed_tree(&**self.records.contents(), project, &list, secrets, &folder, LIMITS).await?;
        Ok(folder)
    }

    /// The list of what the command changed.
    fn changes_of(&self, record: &ApprovalRecord) -> Result<String, Error> {
        let is_of_effects = |kind| kind == ApprovalKind::Effects;
        let requested = record.request().filter(|requested| is_of_effects(requested.kind));
        let (call, run) =
            requested.and_then(|requested| requested.call_id).zip(record.run_id.as_ref()).ok_or_else(|| {
                let message = "This approval isn't about what a command changed.";
                Error::new(Code::USAGE, message, "`arki approvals show` shows what it is about.")
            })?;
        self.list_in(run, |ended| ended.call_id == call)
    }

    fn list_in(&self, run: &RunId, is_it: impl Fn(&arki_domain::CommandEnded) -> bool) -> Result<String, Error> {
        let mut list = None;
        self.reader.each_run_event(run, |event| {
            if let EventBody::CommandEnded(ended) = event.body()
                && is_it(&ended)
            {
                list = Some(ended.effects.clone());
            }
        })?;
        list.ok_or_else(|| Error::internal("a review without its command's end"))
    }
}
