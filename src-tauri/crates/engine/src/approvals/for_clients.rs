//! Pending approvals as clients get them: requests with long arguments cut, and large diffs in pages.

use crate::OpenQuestion;
use crate::approvals::review::ApprovalReviews;
use arki_api::{ApprovalSummary, QuestionSummary, ReviewFile, ReviewPage};
use arki_domain::{ApprovalId, ApprovalRequested, Error};
use arki_store::ApprovalRecord;

/// The size of one page of a diff.
const PAGE_BYTES: usize = 64 << 10;

impl ApprovalReviews {
    /// The files of a change that waits or was decided.
    ///
    /// # Errors
    /// `APPROVAL_NOT_FOUND`, and those of [`Self::review_diff`].
    pub fn review_files(&self, approval: &ApprovalId) -> Result<Vec<ReviewFile>, Error> {
        let record = self.pending.approval(approval)?;
        let requested = record.request().ok_or_else(|| Error::internal("an approval that can't be read"))?;
        Ok(self.review_diff(&record, &requested)?.files().iter().map(file_entry).collect())
    }

    /// A page of the diff of one of these files, by its place among them, with its secrets: what the user reviews.
    ///
    /// # Errors
    /// As for [`Self::review_files`], and `FILE_NOT_FOUND`.
    pub fn review_page(&self, approval: &ApprovalId, file: usize, from: usize) -> Result<ReviewPage, Error> {
        let record = self.pending.approval(approval)?;
        let requested = record.request().ok_or_else(|| Error::internal("an approval that can't be read"))?;
        let review = self.review_diff(&record, &requested)?;
        let (text, next) = review.page(file, from, PAGE_BYTES)?;
        let path = review.files().get(file).map(|file| file.path.as_str()).unwrap_or_default();
        Ok(ReviewPage { text: self.revealed_text(&record, path, text), next })
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
pub(super) fn approval_summary(record: &ApprovalRecord, shown: ApprovalRequested) -> ApprovalSummary {
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

impl From<OpenQuestion> for QuestionSummary {
    fn from(open: OpenQuestion) -> Self {
        Self {
            question_id: open.asked.question_id.to_string(),
            session_id: open.session_id.to_string(),
            run_id: open.run_id.to_string(),
            call_id: open.asked.call_id.to_string(),
            text: open.asked.text,
            options: open.asked.options,
            asked_at: open.asked_at,
        }
    }
}
