//! Changes of files with unsaved text, which the editor writes.

use super::{AcceptedChange, FileWriter, Judge, places, written};
use crate::executor::record::Record;
use crate::executor::stopped_by_user;
use crate::executor::unsaved::{EditorPart, EditorSave, UnsavedFile, WrittenInEditor};
use arki_domain::{ApprovalRequested, CallOutcome, Content, ContentKind, Error, ToolCall, sha256_hex};

impl AcceptedChange {
    /// Says that a file was changed which may be unsaved in the editor.
    pub(super) fn silence(&self) -> Option<String> {
        let Some(EditorPart::Silent(path)) = &self.in_editor else { return None };
        Some(format!("The editor didn't say whether {path} has unsaved changes; the file on the disk was changed."))
    }
}

impl Judge {
    /// Returns whether a change can be approved only where the editor is at hand whose unsaved text it was shown on.
    #[must_use]
    pub fn needs_editor(&self, requested: &ApprovalRequested) -> bool {
        let has_editor = self.subjects.settings.buffers.is_some();
        requested.is_on_unsaved_text() && !has_editor && self.is_stale(requested)
    }
}

impl FileWriter {
    pub(super) async fn write_in_editor(
        &self,
        file: &UnsavedFile,
        call: &ToolCall,
        accepted: &AcceptedChange,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        if record.cancel().is_cancelled() {
            return record.fail(call, &stopped_by_user()).await;
        }
        let session_id = record.context.session_id.clone();
        let written_there = tokio::select! {
            biased;
            () = record.cancel().cancelled() => Err(file.unclear()),
            written = file.write(&accepted.change, &session_id, &self.settings) => written,
        };
        let WrittenInEditor { applied, save, saved } = match written_there {
            Ok(written) => written,
            Err(fault) => return record.fail(call, &fault).await,
        };
        // Also what the editor made of it, so that it can be told from later changes.
        let saved = saved.map(|bytes| Content { hash: sha256_hex(&bytes), bytes, kind: ContentKind::Plain });
        self.settings.contents.put(&session_id, saved.into_iter().collect()).await?;
        let checked = match save {
            EditorSave::Saved | EditorSave::Changed => {
                self.checking.check_after(&places(&accepted.change), record).await
            }
            EditorSave::Unsaved => None,
        };
        let bodies = written(call, accepted, vec![applied], [Some(save.told().to_owned()), checked], record);
        record.settle(bodies).await
    }
}
