//! Reviews of pending approvals, as clients get them: requests with long arguments cut, large diffs in pages, the lines
//! around a hunk, and the project as it would be with what a command changed, to be tried before it is decided on.
//!
//! In the log there are placeholders; a review has the real bytes, which the preview's hash covers. The lines around a hunk
//! are read from the file itself and are for reading only: what is decided is bound to the hash, whatever they say.

use crate::approvals::pending::PendingApprovals;
use crate::{OpenProject, Projects, Records, ReviewDiff, SessionReader};
use arki_api::{ApprovalSummary, ReviewContext, ReviewFile, ReviewPage};
use arki_disk::create_private_dir;
use arki_domain::{ApprovalId, ApprovalKind, ApprovalRequested, Code, Error, EventBody};
use arki_export::EventSource;
use arki_files::{CopyLimits, read_lines};
use arki_redaction::{PlaceholderUse, text_with_secrets, with_secrets};
use arki_store::ApprovalRecord;
use arki_tools::write_changed_tree;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The size of one page of a diff.
const PAGE_BYTES: usize = 64 << 10;
/// Lines around a hunk that one question gets, and their bytes.
const MAX_LINES: usize = 200;
const MAX_LINES_BYTES: usize = 256 * 1024;
/// The limits of a changed tree.
const LIMITS: CopyLimits = CopyLimits { files: 50_000, bytes: 2 << 30 };
/// A changed tree that is older is removed when another is made.
const KEPT: Duration = Duration::from_secs(2 * 24 * 60 * 60);

/// The content of approvals as the user reviews it: with the secrets that the log has only placeholders for.
pub struct ApprovalReviews {
    pub(super) records: Arc<Records>,
    pub(super) projects: Arc<Projects>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) pending: Arc<PendingApprovals>,
    /// The large diff that was last looked at, by its hash.
    pub(super) reviewed: Mutex<Option<(String, ReviewDiff)>>,
}

impl ApprovalReviews {
    /// The diff of what is asked: `requested`, which is `record`'s as it is shown. A large one as the log keeps it, with
    /// placeholders for its secrets ([`Self::revealed_text`]).
    ///
    /// # Errors
    /// `IMAGE_MISSING` where a large diff is no longer kept.
    pub fn review_diff(&self, record: &ApprovalRecord, requested: &ApprovalRequested) -> Result<ReviewDiff, Error> {
        let Some(preview) = &requested.preview else {
            let hint = format!("`arki approvals show {}` shows what it is about.", record.approval_id);
            return Err(Error::new(Code::USAGE, "This approval is not about a change to files.", hint));
        };
        let Some(hash) = &preview.diff_hash else { return Ok(ReviewDiff::new(preview.diff.clone(), preview)) };
        if let Some((kept, review)) = &*self.reviewed.lock().unwrap_or_else(PoisonError::into_inner)
            && kept == hash
        {
            return Ok(review.clone());
        }
        let diff = self.reader.large_diff(hash)?.ok_or_else(not_kept)?;
        let review = ReviewDiff::new(diff, preview);
        *self.reviewed.lock().unwrap_or_else(PoisonError::into_inner) = Some((hash.clone(), review.clone()));
        Ok(review)
    }

    /// Returns a piece of the diff of `path` with the secrets in place of their placeholders, as far as they are known
    /// here or are in that file. For the user's eyes alone.
    #[must_use]
    pub fn revealed_text(&self, record: &ApprovalRecord, path: &str, text: &str) -> String {
        text_with_secrets(text, &self.secrets_in(record, &[path.to_owned()], &Value::from(text)))
    }

    /// The files of a change that waits or was decided.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, and those of [`Self::review_diff`].
    pub fn review_files(&self, approval: &ApprovalId) -> Result<Vec<ReviewFile>, Error> {
        Ok(self.review(approval)?.1.files().iter().map(file_entry).collect())
    }

    /// A page of the diff of one of these files, by its place among them, with its secrets: what the user reviews.
    ///
    /// # Errors
    /// As for [`Self::review_files`], and `FILE_NOT_FOUND`.
    pub fn review_page(&self, approval: &ApprovalId, file: usize, from: usize) -> Result<ReviewPage, Error> {
        let (record, review) = self.review(approval)?;
        let (text, next) = review.page(file, from, PAGE_BYTES)?;
        let path = review.files().get(file).map(|file| file.path.as_str()).unwrap_or_default();
        Ok(ReviewPage { text: self.revealed_text(&record, path, text), next })
    }

    fn review(&self, approval: &ApprovalId) -> Result<(ApprovalRecord, ReviewDiff), Error> {
        let record = self.pending.approval(approval)?;
        let requested = record.request().ok_or_else(|| Error::internal("an approval that can't be read"))?;
        let review = self.review_diff(&record, &requested)?;
        Ok((record, review))
    }

    /// Returns what waits for the user in all sessions, the newest first, as it is shown in the window.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn inbox(&self) -> Result<Vec<ApprovalSummary>, Error> {
        let pending = self.pending.pending_approvals()?;
        Ok(pending.iter().filter_map(|record| Some(approval_summary(record, self.revealed(record)?))).collect())
    }

    /// Returns the request, with the secrets in the place of their placeholders as far as they can be found here. For
    /// the user's eyes alone: not to be stored or sent. Arki's own keys stay hidden. `None` for what this version
    /// cannot read.
    #[must_use]
    pub fn revealed(&self, record: &ApprovalRecord) -> Option<ApprovalRequested> {
        let requested = record.request()?;
        let Ok(stored) = serde_json::to_value(&requested) else { return Some(requested) };
        let uses = self.secrets_in(record, &affected(&requested), &stored);
        if uses.is_empty() {
            return Some(requested);
        }
        serde_json::from_value(with_secrets(&stored, &uses)).ok().or(Some(requested))
    }

    /// The placeholders in a call that can't be put back in this process: for secrets that somebody typed, or that were
    /// in files and no longer are. Nobody keeps them.
    #[must_use]
    pub fn unresolved_secrets(&self, record: &ApprovalRecord) -> Vec<String> {
        // A gate only lets through what the log has.
        let requested = record.request().filter(|requested| requested.kind != ApprovalKind::Gate);
        let Some(requested) = requested else { return Vec::new() };
        // What is not looked for can't be said to be missing.
        let Ok(open) = self.project_of(record) else { return Vec::new() };
        let Ok(config) = self.projects.config_of(&open) else { return Vec::new() };
        if !open.is_trusted() {
            return Vec::new();
        }
        let paths = affected(&requested);
        let mut unresolved =
            arki_tools::unresolved_placeholders(self.records.redactor(), open.workplace(), &paths, &requested.args);
        // A provider's key is known as soon as the run goes on.
        let is_key = |placeholder: &String| {
            config.providers.iter().any(|provider| placeholder.starts_with(&format!("[secret:{}#", provider.name)))
        };
        unresolved.retain(|placeholder| !is_key(placeholder));
        unresolved
    }

    /// The placeholders in what is shown that stand for secrets which are known here, or are in these files of the
    /// session's folder, as far as it may be read. Arki's own keys are none of them.
    fn secrets_in(&self, record: &ApprovalRecord, paths: &[String], shown: &Value) -> Vec<PlaceholderUse> {
        let redactor = self.records.redactor();
        let mut uses = redactor.placeholders(shown);
        if uses.iter().any(|used| used.is_exact && used.secret.is_none()) {
            if let Some(open) = self.project_of(record).ok().filter(OpenProject::is_trusted) {
                arki_tools::search_for_secrets(redactor, open.workplace(), paths, shown);
            }
            uses = redactor.placeholders(shown);
        }
        uses.retain(|used| used.secret.as_ref().is_some_and(|secret| !secret.is_key()));
        uses
    }

    fn project_of(&self, record: &ApprovalRecord) -> Result<OpenProject, Error> {
        self.projects.load_project(Path::new(&self.reader.session(&record.session_id)?.project))
    }

    /// Lines of a file that a pending change is about, as they stand in it now; `from` counts from 1. Blocking.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, `FILE_NOT_FOUND` for a file that the change isn't about or that is gone, and those of reading
    /// it.
    pub fn review_context(
        &self,
        approval_id: &ApprovalId,
        path: &str,
        from: usize,
        lines: usize,
    ) -> Result<ReviewContext, Error> {
        let record = self.pending.approval(approval_id)?;
        let preview = record.request().and_then(|requested| requested.preview);
        if !preview.is_some_and(|preview| preview.files_affected.iter().any(|affected| affected == path)) {
            let message = format!("The change doesn't include the file {path}.");
            return Err(Error::new(Code::FILE_NOT_FOUND, message, "Open the review again."));
        }
        let open = self.project_of(&record)?;
        let place = open.workplace().resolve(path)?;
        let window = read_lines(open.workplace(), &place, from as u64, lines.min(MAX_LINES) as u64, MAX_LINES_BYTES)?;
        let text: Vec<String> = window.lines.into_iter().map(|line| line.text).collect();
        // As the diff beside it: secrets are shown to the user, Arki's own keys are not.
        let redacted = self.records.redactor().redact(&text.join("\n")).into_owned();
        let shown = self.revealed_text(&record, path, &redacted);
        let lines = if text.is_empty() { Vec::new() } else { shown.split('\n').map(str::to_owned).collect() };
        let total = window.total_lines.unwrap_or(u64::MAX);
        Ok(ReviewContext { lines, total: usize::try_from(total).unwrap_or(usize::MAX) })
    }

    /// Writes a folder with the project's files as they would be if all that a command changed landed, and returns its
    /// path. Nothing in it can be written. It has neither secret files nor what git ignores.
    ///
    /// # Errors
    /// `USAGE` for an approval of another kind, `WORKTREE_TOO_LARGE` for a project that is too large to be copied.
    pub async fn write_changed_tree(&self, record: &ApprovalRecord) -> Result<PathBuf, Error> {
        let list = self.changes_of(record)?;
        let open = self.project_of(record)?;
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
        let requested = record.request().filter(|requested| requested.kind == ApprovalKind::Effects);
        let (call, run) =
            requested.and_then(|requested| requested.call_id).zip(record.run_id.as_ref()).ok_or_else(|| {
                let message = "This approval isn't about what a command changed.";
                Error::new(Code::USAGE, message, "`arki approvals show` shows what it is about.")
            })?;
        let mut list = None;
        self.reader.each_run_event(run, |event| {
            if let EventBody::CommandEnded(ended) = event.body()
                && ended.call_id == call
            {
                list = Some(ended.effects.clone());
            }
        })?;
        list.ok_or_else(|| Error::internal("a review without its command's end"))
    }
}

fn file_entry(file: &crate::ReviewFile) -> ReviewFile {
    ReviewFile {
        path: file.path.clone(),
        change: file.change,
        first_hunk: file.first_hunk,
        hunks: file.hunks,
        added: file.added,
        removed: file.removed,
        bytes: file.diff_bytes(),
    }
}

/// `shown`: what was asked, as it is shown.
fn approval_summary(record: &ApprovalRecord, shown: ApprovalRequested) -> ApprovalSummary {
    let shown = arki_api::shortened_request(shown);
    ApprovalSummary {
        approval_id: shown.approval_id.to_string(),
        session_id: record.session_id.to_string(),
        run_id: record.run_id.as_ref().map(ToString::to_string).unwrap_or_default(),
        kind: shown.kind,
        call_id: shown.call_id.map(|call_id| call_id.to_string()),
        tool_id: shown.tool_id,
        args: shown.args,
        risk: shown.risk,
        rule: shown.rule,
        reason: shown.reason,
        sentences: shown.sentences,
        requested_at: record.requested.ts,
        timeout_seconds: shown.timeout_seconds,
        preview: shown.preview,
        command: shown.command,
    }
}

fn affected(requested: &ApprovalRequested) -> Vec<String> {
    requested.preview.iter().flat_map(|preview| preview.files_affected.clone()).collect()
}

fn not_kept() -> Error {
    let message = "The diff of this change is not stored on this machine.";
    Error::new(Code::IMAGE_MISSING, message, "Reject the change and ask for it again.")
}
