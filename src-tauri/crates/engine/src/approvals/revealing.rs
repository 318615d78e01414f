//! The content of a review: the real bytes, which the preview's hash covers. In the log there are placeholders.

use crate::approvals::for_clients::approval_summary;
use crate::approvals::review::ApprovalReviews;
use arki_api::ApprovalSummary;
use arki_domain::{ApprovalKind, ApprovalRequested, Error};
use arki_redaction::with_secrets;
use arki_store::ApprovalRecord;
use std::path::Path;

impl ApprovalReviews {
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
        let mut uses = self.records.redactor().placeholders(&stored);
        if uses.iter().any(|used| used.is_exact && used.secret.is_none()) {
            self.look_for_secrets(record, &affected(&requested), &stored);
            uses = self.records.redactor().placeholders(&stored);
        }
        uses.retain(|used| used.secret.as_ref().is_some_and(|secret| !secret.is_key()));
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
        let Ok(session) = self.reader.session(&record.session_id) else { return Vec::new() };
        // What is not looked for can't be said to be missing.
        let Ok(open) = self.projects.load_project(Path::new(&session.project)) else { return Vec::new() };
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

    /// Looks for secrets in the session's folder, as far as it may be read.
    pub(crate) fn look_for_secrets(&self, record: &ApprovalRecord, paths: &[String], wanted: &serde_json::Value) {
        let Ok(session) = self.reader.session(&record.session_id) else { return };
        let Ok(open) = self.projects.load_project(Path::new(&session.project)) else { return };
        if open.is_trusted() {
            arki_tools::search_for_secrets(self.records.redactor(), open.workplace(), paths, wanted);
        }
    }
}

fn affected(requested: &ApprovalRequested) -> Vec<String> {
    requested.preview.iter().flat_map(|preview| preview.files_affected.clone()).collect()
}
