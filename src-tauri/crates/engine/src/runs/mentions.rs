//! The content of a prompt's mentions, as the model is shown it: read by the tools that would read it, where the policy
//! lets them do so unasked; a sentence where it doesn't.

mod reading;

use crate::runs::prompt_images::ensure_picture;
use crate::{EstimatedTokens, ExecutorFactory, SessionNames, SessionReader, blocking};
use arki_agent::{RunControl, max_late_text_bytes};
use arki_api::MentionSize;
use arki_context::{CODEBASE_MENTION, CountTokens, DIFF_MENTION, MentionTarget, PathKind, mentions};
use arki_domain::{ChatModel, Code, Error, MAX_IMAGE_BYTES, Message, SessionId, is_picture_name};
use arki_files::EntryKind;
use arki_tools::{ToolExecutor, UnaskedRead};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// The limit for another session's last answer.
const MAX_ANSWER_BYTES: usize = 16 * 1024;
/// Words behind an `@` that are looked up among the files.
const MAX_LOOKUPS: usize = 1000;

/// Reads what is mentioned in a folder.
pub(crate) struct Mentioned {
    pub(crate) executor: Arc<ToolExecutor>,
    pub(crate) names: Arc<SessionNames>,
    pub(crate) reader: Arc<SessionReader>,
    /// The session that the prompt is said in; `None` where there is none yet.
    pub(crate) session_id: Option<SessionId>,
    /// The model that is shown it, where that is settled.
    pub(crate) model: Option<Arc<dyn ChatModel>>,
    /// The prompt is still being written: nothing is fetched for it.
    pub(crate) is_draft: bool,
    /// Ends what takes long.
    pub(crate) control: RunControl,
}

/// The content that the model is shown for a mention.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attachment {
    /// The mention as it's written in the prompt.
    pub(crate) mention: String,
    pub(crate) origin: String,
    /// Empty for what is read only once the prompt is sent.
    pub(crate) text: String,
    /// Why it isn't attached, or that it is cut.
    pub(crate) note: Option<String>,
}

/// The text of one, and whether it is cut.
struct Read {
    text: String,
    is_cut: bool,
}

impl Mentioned {
    /// Returns the content for a prompt that is not sent yet.
    pub(crate) fn in_draft(executor: Arc<ToolExecutor>, names: Arc<SessionNames>, reader: Arc<SessionReader>) -> Self {
        Self { executor, names, reader, session_id: None, model: None, is_draft: true, control: RunControl::default() }
    }

    /// Returns the attachments in the order of the prompt, each once. Blocking.
    pub(crate) fn in_text(&self, prompt: &str) -> Vec<Attachment> {
        let mut attached: Vec<Attachment> = Vec::new();
        let most = self.max_bytes();
        let mut room = most;
        for found in self.found(prompt) {
            let origin = origin(&found.1);
            if attached.iter().any(|known| known.origin == origin) {
                continue;
            }
            let Some(read) = self.read(&found.1, prompt, room) else { continue };
            let read = match read {
                Ok(read) if read.text.len() > room => Err(format!(
                    "together, what is mentioned would be more than {} KiB; ask for it in parts.",
                    most >> 10
                )),
                read => read,
            };
            attached.push(attachment(found.0, origin, read));
            room = room.saturating_sub(attached.last().map_or(0, |last| last.text.len()));
        }
        attached
    }

    /// Returns the limit for everything that one prompt mentions.
    fn max_bytes(&self) -> usize {
        max_late_text_bytes(self.model.as_ref().and_then(|model| model.context_window()))
    }

    /// The pictures that are mentioned, of those that can be shown, at most `max`.
    pub(crate) fn pictures_in(&self, prompt: &str, max: usize) -> Vec<Vec<u8>> {
        let mut paths: Vec<String> = Vec::new();
        for (_, target) in self.found(prompt) {
            if let MentionTarget::File { path, .. } = target
                && is_picture_name(&path)
                && !paths.contains(&path)
            {
                paths.push(path);
            }
        }
        paths.iter().filter_map(|path| self.picture(path).ok()).take(max).collect()
    }

    fn picture(&self, path: &str) -> Result<Vec<u8>, Error> {
        self.executor.unasked_reads().ensure_readable("read_file", &json!({ "path": path }))?;
        let project = self.executor.project();
        let bytes = project.read(&project.resolve(path)?, MAX_IMAGE_BYTES as u64)?.bytes;
        ensure_picture(&bytes)?;
        Ok(bytes)
    }

    fn found(&self, prompt: &str) -> Vec<(String, MentionTarget)> {
        let mut lookups = 0;
        let found = mentions(prompt, &mut |path| {
            lookups += 1;
            (lookups <= MAX_LOOKUPS).then(|| self.kind_of(path))?
        });
        found.into_iter().map(|mention| (prompt[mention.range].to_owned(), mention.target)).collect()
    }

    /// Returns the kind of a path. A path that leads out of the project has one too, so that it is refused with a
    /// sentence.
    fn kind_of(&self, path: &str) -> Option<PathKind> {
        let project = self.executor.project();
        let path = project.resolve(path).ok()?;
        match project.kind(&path) {
            Ok(Some(EntryKind::Folder)) => Some(PathKind::Folder),
            Ok(Some(_)) | Err(_) => Some(PathKind::File),
            Ok(None) => None,
        }
    }

    /// `None` where it names nothing after all. What has a length of its own keeps to `room`, in bytes. The error is a
    /// sentence's end.
    fn read(&self, target: &MentionTarget, prompt: &str, room: usize) -> Option<Result<Read, String>> {
        match target {
            MentionTarget::File { path, .. } if is_picture_name(path) => Some(self.picture_words(path)),
            MentionTarget::File { path, lines } => Some(self.file(path, *lines)),
            MentionTarget::Folder { path } => Some(self.tool("list_directory", &json!({ "path": path })).map(|read| {
                Read { text: format!("The user mentions the folder {path}. What is in it:\n\n{}", read.text), ..read }
            })),
            MentionTarget::Symbol(name) => reading::symbol(self, name),
            MentionTarget::Session(id) => self.session(id),
            MentionTarget::Diff => Some(reading::diff(self, room)),
            MentionTarget::Codebase => Some(reading::codebase(self, prompt, room)),
            MentionTarget::Url(url) => Some(reading::page(self, url, room)),
        }
    }

    fn tool(&self, tool_id: &str, args: &Value) -> Result<Read, String> {
        self.bounded_tool(tool_id, args, usize::MAX)
    }

    fn bounded_tool(&self, tool_id: &str, args: &Value, max_bytes: usize) -> Result<Read, String> {
        let read =
            UnaskedRead { tool_id, args, max_bytes, session: self.session_id.as_ref(), cancel: &self.control.cancel };
        let output = self.executor.unasked_reads().read(&read).map_err(why_not)?;
        Ok(Read { text: output.text, is_cut: output.truncated })
    }

    fn file(&self, path: &str, lines: Option<(u64, u64)>) -> Result<Read, String> {
        let wanted = lines.map(|(first, last)| (first, (last - first).saturating_add(1)));
        let args = match wanted {
            Some((first, count)) => json!({ "path": path, "offset": first, "limit": count }),
            None => json!({ "path": path }),
        };
        let read = self.tool("read_file", &args)?;
        // The line about what follows stands behind those that were asked for.
        let has_all = wanted.is_some_and(|(_, count)| read.text.lines().count() as u64 > count);
        let part = lines.map_or_else(String::new, |(first, last)| format!(", lines {first} to {last}"));
        let text = format!("The user mentions the file {path}{part}:\n\n{}", read.text);
        Ok(Read { text, is_cut: read.is_cut && !has_all })
    }

    fn picture_words(&self, path: &str) -> Result<Read, String> {
        self.picture(path).map_err(|fault| fault.message)?;
        let text = format!(
            "{path} is a picture. It is shown with the message, if that begins a run and you can see pictures."
        );
        Ok(Read { text, is_cut: false })
    }

    fn session(&self, id: &str) -> Option<Result<Read, String>> {
        let session = self.names.find_session(id).ok().filter(|it| self.session_id.as_ref() != Some(&it.session_id));
        let session = session?;
        if session.project != self.executor.project().root().display().to_string() {
            return Some(Err("it belongs to another folder.".to_owned()));
        }
        let answer = self.reader.history(&session.session_id).map(|mut history| {
            history.transcript.conversation().rev().find_map(|message| match &**message.whole {
                Message::Assistant { content, .. } if !content.trim().is_empty() => Some(content.clone()),
                _ => None,
            })
        });
        Some(match answer {
            Ok(answer) => Ok(session_text(&session.title, session.session_id.as_str(), answer.as_deref())),
            Err(fault) => Err(fault.message),
        })
    }
}

/// Returns the words for what isn't attached; for a document, also what the user can do about it.
fn why_not(fault: Error) -> String {
    let documents =
        [Code::DOCUMENT_BROKEN, Code::DOCUMENT_ENCRYPTED, Code::DOCUMENT_TOO_LARGE, Code::DOCUMENT_WITHOUT_TEXT];
    if documents.iter().any(|code| fault.is(*code)) {
        return format!("{} {}", fault.message, fault.hint);
    }
    fault.message
}

/// Estimates what a draft's mentions add to its prompt.
pub struct DraftMentions {
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) names: Arc<SessionNames>,
    pub(super) reader: Arc<SessionReader>,
}

impl DraftMentions {
    /// Estimates the content that the model would be shown for the mentions of a draft, in tokens. Reads, and changes
    /// nothing.
    ///
    /// # Errors
    /// When the folder or its configuration cannot be read.
    pub async fn mentions_in(self: &Arc<Self>, folder: PathBuf, text: String) -> Result<Vec<MentionSize>, Error> {
        if !text.contains('@') {
            return Ok(Vec::new());
        }
        blocking(self, move |mentions| {
            let executor = mentions.executors.judging_executor(&folder)?;
            let mentioned = Mentioned::in_draft(executor, mentions.names.clone(), mentions.reader.clone());
            let size = |it: Attachment| MentionSize {
                tokens: (!it.text.is_empty()).then(|| EstimatedTokens.text(&it.text)),
                mention: it.mention,
                note: it.note,
            };
            Ok(mentioned.in_text(&text).into_iter().map(size).collect())
        })
        .await
    }
}

fn attachment(mention: String, origin: String, read: Result<Read, String>) -> Attachment {
    let (text, note) = match read {
        Ok(read) => (read.text, read.is_cut.then(|| "Only a part of it is attached.".to_owned())),
        Err(why) => (format!("{origin} is not attached: {why}"), Some(format!("Not attached: {why}"))),
    };
    Attachment { mention, origin, text, note }
}

/// The name of what is attached, the same however it is written.
fn origin(target: &MentionTarget) -> String {
    match target {
        MentionTarget::File { path, lines: Some((first, last)) } => format!("{path}:{first}-{last}"),
        MentionTarget::File { path, lines: None } => path.clone(),
        MentionTarget::Folder { path } => format!("{path}/"),
        MentionTarget::Symbol(name) => format!("symbol:{name}"),
        MentionTarget::Session(id) => format!("session:{id}"),
        MentionTarget::Diff => DIFF_MENTION.to_owned(),
        MentionTarget::Codebase => CODEBASE_MENTION.to_owned(),
        MentionTarget::Url(url) => url.clone(),
    }
}

fn session_text(title: &str, id: &str, answer: Option<&str>) -> Read {
    let mut text = format!("The user mentions another session of this folder, {id}: {title}\n\n");
    let Some(answer) = answer else {
        text.push_str("It has no answer yet.");
        return Read { text, is_cut: false };
    };
    let shown = &answer[..answer.floor_char_boundary(MAX_ANSWER_BYTES)];
    text.push_str("Its last answer:\n\n");
    text.push_str(shown);
    let is_cut = shown.len() < answer.len();
    if is_cut {
        text.push_str(&format!("\n[cut after {} bytes of {}]", shown.len(), answer.len()));
    }
    Read { text, is_cut }
}

#[cfg(test)]
mod tests;
