//! Unsaved text of files that are open in an editor: reads show it, and a change of such a file is refused, for it would be
//! made to a text that the user doesn't see.
//!
//! The editor is asked only about files that the policy permits, and never about secret ones: their values are known from
//! the disk.

use super::ExecutorSettings;
use super::subject::SubjectOf;
use crate::open_buffers::{BufferText, OpenBuffers};
use crate::tool_output::Output;
use arki_domain::{Code, Error};
use std::sync::Arc;

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
                format!(
                    "[{path} has unsaved changes in the editor; this is the editor's text. Changes to it are refused \
                    until it is saved.]\n"
                )
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

    /// Returns why a change of these files is refused, if so.
    pub(super) async fn refusal(&self, subject: &SubjectOf) -> Option<Error> {
        match self.state(subject).await {
            EditorState::Unsaved { path, .. } => Some(Error::new(
                Code::UNSAVED_CHANGES,
                format!("{path} has unsaved changes in the editor, so nothing was written."),
                "Ask the user to save it first. Then read it again, and propose the change again.",
            )),
            EditorState::Saved | EditorState::Silent { .. } => None,
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
        |text: &str| text.trim_start_matches('\u{feff}').replace("\r\n", "\n").trim_end_matches('\n').to_owned();
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
