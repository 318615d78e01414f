//! Unsaved text of files that are open in an editor: reads show it, and a change of such a file is planned on it and
//! written through the editor, so that neither the user's text nor the change is lost. What an editor can't take is refused.
//!
//! The editor is asked only about files that the policy permits, and never about secret ones: their values are known from
//! the disk.

use super::ExecutorSettings;
use super::record::stale;
use super::subject::SubjectOf;
use crate::open_buffers::{BufferChange, BufferText, BufferWrite, OpenBuffers};
use crate::outcome::{Output, ToolError};
use crate::tool::WriteAction;
use arki_domain::{ApprovalRequested, Code, Error, ReasonCode, SessionId, TranslatableText, sha256_hex};
use arki_files::{AppliedChange, ChangeSet, FileChange, FileContent, Project, plan_write};
use serde_json::Value;
use std::sync::Arc;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Larger files are taken from the disk.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// The state of a file in the editor.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EditorState {
    Saved,
    Unsaved {
        path: String,
        text: String,
    },
    /// The editor didn't say.
    Silent {
        path: String,
        /// It said before that the file isn't saved, or is about to be gone.
        is_likely_unsaved: bool,
    },
}

impl EditorState {
    /// The text to read in place of the file's.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Unsaved { text, .. } => Some(text),
            Self::Saved | Self::Silent { .. } => None,
        }
    }

    /// The output of a read, which says what was read where that isn't simply the file.
    pub(super) fn told(&self, output: Output) -> Output {
        let told = match self {
            Self::Saved => return output,
            Self::Unsaved { path, .. } => {
                format!("[{path} has unsaved changes in the editor; this is the editor's text.]\n")
            }
            Self::Silent { path, .. } => {
                format!("[The editor didn't say whether {path} has unsaved changes; this is the file on the disk.]\n")
            }
        };
        Output { text: told + &output.text, ..output }
    }
}

/// The part that an editor has in a change.
#[derive(Debug)]
pub(super) enum EditorPart {
    /// It writes this file.
    Writes(Arc<UnsavedFile>),
    /// It didn't say whether this file is saved.
    Silent(String),
}

/// Asks the editor, where there is one.
pub(super) struct UnsavedFiles(pub(super) Arc<ExecutorSettings>);

impl UnsavedFiles {
    /// Returns the state of the first file that is read and isn't saved.
    pub(super) async fn state(&self, session: Option<&SessionId>, subject: &SubjectOf) -> EditorState {
        let Some(buffers) = &self.0.buffers else { return EditorState::Saved };
        for path in names(subject) {
            match self.state_of(buffers.as_ref(), session, &path).await {
                EditorState::Saved => {}
                other => return other,
            }
        }
        EditorState::Saved
    }

    async fn state_of(&self, buffers: &dyn OpenBuffers, session: Option<&SessionId>, path: &str) -> EditorState {
        let (project, named) = (self.0.project.clone(), path.to_owned());
        let reading = tokio::task::spawn_blocking(move || {
            let path = project.resolve(&named).ok()?;
            String::from_utf8(project.read_if_present(&path, MAX_FILE_BYTES).ok()??.bytes).ok()
        });
        // Pictures, folders, and what isn't there yet are no buffers.
        let Ok(Some(on_disk)) = reading.await else { return EditorState::Saved };
        let (path, absolute) = (path.to_owned(), self.0.project.root().join(path));
        match buffers.text(session, &absolute).await {
            BufferText::Text(text) => {
                let is_unsaved = !is_same(&on_disk, &text);
                buffers.note(&absolute, is_unsaved);
                if is_unsaved { EditorState::Unsaved { path, text } } else { EditorState::Saved }
            }
            BufferText::Unknown => {
                buffers.note(&absolute, false);
                EditorState::Saved
            }
            BufferText::Silent => EditorState::Silent { path, is_likely_unsaved: buffers.was_unsaved(&absolute) },
            BufferText::Gone => EditorState::Silent { path, is_likely_unsaved: true },
        }
    }

    /// Returns the editor's part in a change of these files.
    ///
    /// # Errors
    /// `UNSAVED_CHANGES` where one of them is likely unsaved, and the editor doesn't say with which text.
    pub(super) async fn part_in(&self, session: &SessionId, subject: &SubjectOf) -> Result<Option<EditorPart>, Error> {
        let Some(buffers) = &self.0.buffers else { return Ok(None) };
        let mut part = None;
        for path in names(subject) {
            match self.state_of(buffers.as_ref(), Some(session), &path).await {
                EditorState::Unsaved { path, text } => {
                    return Ok(Some(EditorPart::Writes(Arc::new(UnsavedFile { path, text }))));
                }
                EditorState::Silent { path, is_likely_unsaved: true } => {
                    let message = format!(
                        "{path} may have unsaved changes whose text the editor doesn't tell, so nothing was written."
                    );
                    let hint = "Try again later, or ask the user to save it first.";
                    return Err(Error::new(Code::UNSAVED_CHANGES, message, hint));
                }
                EditorState::Silent { path, .. } => part = part.or(Some(EditorPart::Silent(path))),
                EditorState::Saved => {}
            }
        }
        Ok(part)
    }
}

/// A file with text that isn't saved in the editor.
#[derive(Debug)]
pub(super) struct UnsavedFile {
    /// The name under which the editor has it open.
    path: String,
    /// The text as the editor told it.
    text: String,
}

impl UnsavedFile {
    /// The same plan on the editor's text in place of the file's.
    pub(super) fn under(self: &Arc<Self>, plan: &WriteAction) -> WriteAction {
        let (file, plan) = (self.clone(), plan.clone());
        Arc::new(move |project, args| file.planned(&plan, project, args))
    }

    fn planned(&self, plan: &WriteAction, project: &Project, args: &Value) -> Result<ChangeSet, ToolError> {
        let mut with_text = project.for_drafts()?;
        let unsaved = self.as_saved(project)?;
        unsaved.draft_in(&mut with_text);
        let change = plan(&with_text, args)?.placed_in(project);
        let is_its_text = |file: &FileChange| {
            let is_it = unsaved.files().iter().all(|own| unsaved.place_of(own) == change.place_of(file));
            is_it && file.before.is_some() && file.after.is_some() && !file.is_of_link() && !file.changes_mode()
        };
        match change.files() {
            [] => Ok(change),
            [file] if is_its_text(file) => Ok(change),
            _ => Err(self.refusal("Change the text of this file in a call of its own.").into()),
        }
    }

    /// The file as it would be saved: with its own line ends, and ending as the text does.
    fn as_saved(&self, project: &Project) -> Result<ChangeSet, ToolError> {
        let planned = plan_write(project, &project.resolve(&self.path)?, &self.text)?;
        let is_open_ended = !self.text.ends_with('\n');
        let cut = |mut file: FileChange| {
            if let Some(FileContent::File(bytes)) = file.after.as_mut().filter(|_| is_open_ended) {
                let kept = bytes.strip_suffix(b"\n").map(|text| text.strip_suffix(b"\r").unwrap_or(text).len());
                bytes.truncate(kept.unwrap_or(bytes.len()));
            }
            file
        };
        Ok(ChangeSet::new(planned.files().iter().cloned().map(cut).collect())?.placed_in(project))
    }

    /// Nothing is written to a file whose text the editor can't take.
    pub(super) fn refusal(&self, hint: &str) -> Error {
        let path = &self.path;
        let message = format!("{path} has unsaved changes in the editor, so nothing was written.");
        Error::new(Code::UNSAVED_CHANGES, message, format!("{hint} Otherwise ask the user to save it first."))
    }

    /// Says in a question what the change is made to.
    pub(super) fn tell_in(&self, requested: &mut ApprovalRequested) {
        if requested.preview.is_none() {
            return;
        }
        let sentence = TranslatableText::from(ReasonCode::UNSAVED_TEXT).with("path", self.path.clone());
        requested.reason = format!("{} {sentence}", requested.reason);
        requested.sentences.push(sentence);
    }

    /// Writes the change through the editor.
    ///
    /// # Errors
    /// `STALE_PREVIEW` where the editor's text is another by now, `UNSAVED_CHANGES` where it doesn't take the change, or
    /// doesn't say.
    pub(super) async fn write(
        &self,
        change: &ChangeSet,
        session: &SessionId,
        settings: &ExecutorSettings,
    ) -> Result<WrittenInEditor, Error> {
        let (Some(buffers), [file]) = (&settings.buffers, change.files()) else {
            return Err(Error::internal("a change for an editor that isn't there"));
        };
        // The editor goes by names, and a link may lead elsewhere by now.
        if !settings.project.canonical(&file.path).is_ok_and(|place| place == *change.place_of(file)) {
            return Err(stale(&self.path, "It leads to another file by now."));
        }
        let on_disk = || settings.project.read_if_present(&file.path, MAX_FILE_BYTES).ok().flatten();
        let before = on_disk();
        let path = settings.project.root().join(&self.path);
        let intended = file.after.as_deref().unwrap_or_default();
        let after = self.in_editors_form(&String::from_utf8_lossy(intended));
        let asked = BufferChange { path: &path, before: &self.text, after: &after };
        match buffers.replace(Some(session), asked).await {
            BufferWrite::Taken => {}
            BufferWrite::Changed => return Err(stale(&self.path, "Its text in the editor is another by now.")),
            BufferWrite::Refused => return Err(self.refusal("The editor didn't take the change.")),
            BufferWrite::Silent => match buffers.text(Some(session), &path).await {
                BufferText::Text(now) if is_same(&now, &after) => {}
                // It may still take it.
                _ => return Err(self.unclear()),
            },
        }
        let now = on_disk();
        let is_as_intended = now.as_ref().is_some_and(|now| is_same(&String::from_utf8_lossy(&now.bytes), &after));
        let is_untouched = now.as_ref().map(|now| &now.bytes) == before.as_ref().map(|before| &before.bytes);
        let save = match (is_as_intended, is_untouched) {
            (true, _) => EditorSave::Saved,
            (false, false) => EditorSave::Changed,
            (false, true) => EditorSave::Unsaved,
        };
        let saved = now.filter(|_| save != EditorSave::Unsaved).map(|now| now.bytes);
        let applied = AppliedChange {
            path: file.path.to_string(),
            before_hash: file.before.as_deref().map(sha256_hex),
            after_hash: Some(sha256_hex(saved.as_deref().unwrap_or(intended))),
            leaves_another_name: false,
        };
        Ok(WrittenInEditor { applied, save, saved })
    }

    /// Nobody knows whether the editor has the change.
    pub(super) fn unclear(&self) -> Error {
        let message = format!("The editor didn't say whether {} has the change.", self.path);
        Error::new(Code::UNSAVED_CHANGES, message, "Read the file again to see.")
    }

    /// A text with the line ends and the beginning that the editor's own text has.
    fn in_editors_form(&self, text: &str) -> String {
        let text = if self.text.starts_with(BYTE_ORDER_MARK) { text } else { text.trim_start_matches(BYTE_ORDER_MARK) };
        if self.text.contains("\r\n") { text.to_owned() } else { text.replace("\r\n", "\n") }
    }
}

/// A change that the editor has taken.
pub(super) struct WrittenInEditor {
    pub(super) applied: AppliedChange,
    pub(super) save: EditorSave,
    /// The file's bytes, where it was saved.
    pub(super) saved: Option<Vec<u8>>,
}

/// The state of a file on the disk once the editor has taken a change of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditorSave {
    Saved,
    /// With changes of the editor's own, such as formatting.
    Changed,
    Unsaved,
}

impl EditorSave {
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Saved => "It was made in the editor, on top of the user's unsaved changes, and saved with them.",
            Self::Changed => {
                "It was made in the editor, on top of the user's unsaved changes, and saved with them. The editor changed \
                the file further when it saved it, such as by formatting: read it again before you change it."
            }
            Self::Unsaved => {
                "It was made in the editor, on top of the user's unsaved changes, and isn't saved yet: commands and \
                searches still see the old file."
            }
        }
    }
}

/// The names under which the editor may have the files open; it isn't asked about secret ones.
fn names(subject: &SubjectOf) -> Vec<String> {
    let shown = subject.subject.paths.iter().filter(|touched| !touched.secret);
    shown.flat_map(|touched| std::iter::once(touched.path.clone()).chain(touched.real.clone())).collect()
}

/// Returns whether two texts are the same but for what editors keep apart from a buffer's text: line endings, a mark at the
/// beginning, and the last line's end.
fn is_same(on_disk: &str, buffer: &str) -> bool {
    let plain = |text: &str| {
        let text = text.trim_start_matches(BYTE_ORDER_MARK).replace("\r\n", "\n");
        text.strip_suffix('\n').map(str::to_owned).unwrap_or(text)
    };
    on_disk == buffer || plain(on_disk) == plain(buffer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_keep_apart_is_no_change() {
        for (on_disk, buffer, same) in [
            ("a\nb\n", "a\nb\n", true),
            ("a\r\nb\r\n", "a\nb\n", true),
            ("a\nb\n", "a\nb", true),
            ("\u{feff}a\n", "a\n", true),
            ("", "", true),
            ("a\n", "a \n", false),
            ("a\n", "a\n\n", false),
            ("a\n", "", false),
            ("a\rb", "a\nb", false),
        ] {
            assert_eq!(is_same(on_disk, buffer), same, "{on_disk:?} {buffer:?}");
        }
    }
}
