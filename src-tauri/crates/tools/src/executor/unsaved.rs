//! Unsaved text of files that are open in an editor: reads show it, and a change of such a file is planned on it and
//! written through the editor, so that neither the user's text nor the change is lost. What an editor can't take is refused.
//!
//! The editor is asked only about files that the policy permits, and never about secret ones: their values are known from
//! the disk.

use super::ExecutorSettings;
use super::record::stale;
use super::subject::SubjectOf;
use crate::error::ToolError;
use crate::open_buffers::{BufferText, BufferWrite, OpenBuffers};
use crate::tool::WriteAction;
use crate::tool_output::Output;
use arki_domain::{ApprovalRequested, Code, Error, ReasonCode, TranslatableText, sha256_hex};
use arki_files::{AppliedChange, ChangeSet, FileChange, Project, plan_write};
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
            Self::Silent { path } => {
                format!("[The editor didn't say whether {path} has unsaved changes; this is the file on the disk.]\n")
            }
        };
        Output { text: told + &output.text, ..output }
    }
}

/// Asks the editor, where there is one.
pub(super) struct UnsavedFiles(pub(super) Arc<ExecutorSettings>);

impl UnsavedFiles {
    /// Returns the state of the first file that is touched and isn't saved.
    pub(super) async fn state(&self, subject: &SubjectOf) -> EditorState {
        let Some(buffers) = &self.0.buffers else { return EditorState::Saved };
        for path in names(subject) {
            match self.state_of(buffers.as_ref(), &path).await {
                EditorState::Saved => {}
                other => return other,
            }
        }
        EditorState::Saved
    }

    async fn state_of(&self, buffers: &dyn OpenBuffers, path: &str) -> EditorState {
        let (project, named) = (self.0.project.clone(), path.to_owned());
        let reading = tokio::task::spawn_blocking(move || {
            let path = project.resolve(&named).ok()?;
            String::from_utf8(project.read_if_present(&path, MAX_FILE_BYTES).ok()??.bytes).ok()
        });
        // Pictures, folders, and what isn't there yet are no buffers.
        let Ok(Some(on_disk)) = reading.await else { return EditorState::Saved };
        match buffers.text(&self.0.project.root().join(path)).await {
            BufferText::Text(text) if !is_same(&on_disk, &text) => EditorState::Unsaved { path: path.to_owned(), text },
            BufferText::Text(_) | BufferText::Unknown => EditorState::Saved,
            BufferText::Silent => EditorState::Silent { path: path.to_owned() },
        }
    }

    /// Returns the first file that would be changed and isn't saved.
    pub(super) async fn file(&self, subject: &SubjectOf) -> Option<UnsavedFile> {
        match self.state(subject).await {
            EditorState::Unsaved { path, text } => Some(UnsavedFile { path, text }),
            EditorState::Saved | EditorState::Silent { .. } => None,
        }
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
        let unsaved = plan_write(project, &project.resolve(&self.path)?, &self.text)?.placed_in(project);
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

    /// Writes the change through the editor, and says what the model is to know of it. The inner error: the editor's text is
    /// another by now, so that nothing was written.
    pub(super) async fn write(
        &self,
        change: &ChangeSet,
        settings: &ExecutorSettings,
    ) -> Result<(AppliedChange, EditorSave), Error> {
        let (Some(buffers), [file]) = (&settings.buffers, change.files()) else {
            return Err(Error::internal("a change for an editor that isn't there"));
        };
        let path = settings.project.root().join(&self.path);
        if buffers.text(&path).await != BufferText::Text(self.text.clone()) {
            return Err(stale(&self.path, "Its text in the editor is another by now."));
        }
        let after = String::from_utf8_lossy(file.after.as_deref().unwrap_or_default()).into_owned();
        match buffers.write(&path, &self.in_editors_form(&after)).await {
            BufferWrite::Taken => {}
            BufferWrite::Refused => return Err(self.refusal("The editor didn't take the change.")),
            BufferWrite::Silent => match buffers.text(&path).await {
                BufferText::Text(now) if is_same(&now, &after) => {}
                BufferText::Text(now) if now == self.text => {
                    return Err(self.refusal("The editor didn't take the change."));
                }
                _ => {
                    return Err(Error::new(
                        Code::UNSAVED_CHANGES,
                        format!("The editor didn't say whether {} has the change.", self.path),
                        "Read the file again to see.",
                    ));
                }
            },
        }
        let on_disk = settings.project.read_if_present(&file.path, MAX_FILE_BYTES).ok().flatten();
        let is_saved = on_disk.is_some_and(|now| is_same(&String::from_utf8_lossy(&now.bytes), &after));
        let applied = AppliedChange {
            path: file.path.to_string(),
            before_hash: file.before.as_deref().map(sha256_hex),
            after_hash: file.after.as_deref().map(sha256_hex),
            leaves_another_name: false,
        };
        Ok((applied, if is_saved { EditorSave::Saved } else { EditorSave::Unsaved }))
    }

    /// A text with the line ends and the beginning that the editor's own text has.
    fn in_editors_form(&self, text: &str) -> String {
        let text = if self.text.starts_with(BYTE_ORDER_MARK) { text } else { text.trim_start_matches(BYTE_ORDER_MARK) };
        if self.text.contains("\r\n") { text.to_owned() } else { text.replace("\r\n", "\n") }
    }
}

/// The state of a file on the disk once the editor has taken a change of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditorSave {
    Saved,
    Unsaved,
}

impl EditorSave {
    pub(super) fn told(self) -> &'static str {
        match self {
            Self::Saved => "It was made in the editor, on top of the user's unsaved changes, and saved with them.",
            Self::Unsaved => {
                "It was made in the editor, on top of the user's unsaved changes, and isn't saved yet: commands and \
                searches still see the old file."
            }
        }
    }
}

/// The names under which the editor may have the files open; none where there is a secret one among them.
fn names(subject: &SubjectOf) -> Vec<String> {
    let paths = &subject.subject.paths;
    if paths.iter().any(|path| path.secret) {
        return Vec::new();
    }
    let mut names = Vec::new();
    for touched in paths {
        names.push(touched.path.clone());
        names.extend(touched.real.clone());
    }
    names
}

/// Returns whether two texts are the same but for what editors keep apart from a buffer's text: line endings, a mark at the
/// beginning, and the last line's end.
fn is_same(on_disk: &str, buffer: &str) -> bool {
    let plain =
        |text: &str| text.trim_start_matches(BYTE_ORDER_MARK).replace("\r\n", "\n").trim_end_matches('\n').to_owned();
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
            ("a\n", "", false),
            ("a\rb", "a\nb", false),
        ] {
            assert_eq!(is_same(on_disk, buffer), same, "{on_disk:?} {buffer:?}");
        }
    }
}
