//! Results within their limit. Of what is longer, head and tail go to the model, the whole is kept beside the log, and the
//! result names it so that the model can read parts of it. Pictures of the project that `read_file` has read are kept for
//! the session too, and shown to a model that sees them.

use super::ExecutorSettings;
use super::record::Record;
use crate::artifact::{self, MAX_ARTIFACT_BYTES};
use crate::builtin::read_file;
use crate::outcome::Output;
use arki_domain::{
    CallOutcome, Code, Content, ContentKind, ContextAdded, Error, EventBody, PICTURE_PART, StyledPart, StyledText,
    ToolCall, ToolResult, json_text_bytes, move_styles, text_styles,
};
use arki_policy::Verdict;
use arki_redaction::Redactor;
use std::ops::Range;
use std::sync::Arc;

/// The longest result, in bytes of JSON, whatever the configuration allows: more than any model can read, and well below
/// what the log takes as one event.
pub(super) const MAX_RESULT_BYTES: usize = 4 << 20;

/// Room for the words that say what is missing.
const NOTE_BYTES: usize = 64;

/// Makes the results of calls.
pub(super) struct CallResults {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) redactor: Redactor,
}

impl CallResults {
    pub(super) async fn conclude(
        &self,
        call: &ToolCall,
        verdict: &Verdict,
        done: Result<Output, Error>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let bodies = self.result(call, done, record).await;
        record.settle_decided(call, verdict, bodies).await
    }

    pub(super) async fn finish(
        &self,
        call: &ToolCall,
        done: Result<Output, Error>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let bodies = self.result(call, done, record).await;
        record.settle(bodies).await
    }

    /// The result, before it what was kept of it, and behind it the picture that it has read.
    pub(super) async fn result(
        &self,
        call: &ToolCall,
        done: Result<Output, Error>,
        record: &Record<'_>,
    ) -> Vec<EventBody> {
        let (kept, shown, done) = match done {
            Ok(output) => {
                let (kept, output) = self.bounded(call, output, record).await;
                (kept, self.picture_read(call, record).await, Ok(output))
            }
            Err(fault) => (None, None, Err(fault)),
        };
        kept.into_iter().chain([record.result(call, done).into()]).chain(shown).collect()
    }

    /// A command's result: cut like any other, however it ended, and its styles with it.
    pub(super) async fn of_command(
        &self,
        call: &ToolCall,
        result: ToolResult,
        styles: Vec<StyledPart>,
        record: &Record<'_>,
    ) -> Vec<EventBody> {
        let mut whole = StyledText { text: result.result, styles };
        self.redactor.redact_styled(&mut whole);
        let StyledText { text, mut styles } = whole;
        if let Some(middle) = middle(&text, self.max_result_bytes()) {
            let words = left_out(middle.len());
            move_styles(&mut styles, middle, words.len());
        }
        let is_cut_twice = text.len() > MAX_ARTIFACT_BYTES;
        let whole = Output { text, truncated: result.truncated };
        let (kept, output) = self.bounded(call, whole, record).await;
        let told = record.text(call, output.text);
        if is_cut_twice || told.truncated {
            styles.clear();
        }
        let result = ToolResult {
            styles: text_styles(&told.result, &styles),
            result: told.result,
            truncated: output.truncated || told.truncated,
            possible_secrets: told.possible_secrets,
            ..result
        };
        kept.into_iter().chain([result.into()]).collect()
    }

    fn max_result_bytes(&self) -> usize {
        self.settings.limits.max_output_bytes.min(MAX_RESULT_BYTES)
    }

    async fn bounded(&self, call: &ToolCall, whole: Output, record: &Record<'_>) -> (Option<EventBody>, Output) {
        let limit = self.max_result_bytes();
        if whole.text.len() <= limit {
            return (None, whole);
        }
        let whole = bounded(whole, MAX_ARTIFACT_BYTES);
        let name = format!("{}.txt", call.tool_id);
        let (content, emitted) = artifact::of_text(&name, "text/plain", &whole.text, &self.redactor);
        let reference = artifact::reference(&emitted);
        let mut told = bounded(whole, limit);
        // Without it the model has what it would have had anyway.
        if let Err(fault) = self.settings.contents.put(&record.context.session_id, vec![content]).await {
            tracing::warn!(%fault, "a long result was not kept whole");
            return (None, told);
        }
        told.text.push_str(&format!(
            "\n[all {} bytes are stored as {reference}: read parts with read_file, path {reference:?}, offset and \
            limit]",
            emitted.bytes
        ));
        (Some(emitted.into()), told)
    }

    /// Returns the picture that a call has read, for the conversation after its result.
    pub(super) async fn picture_read(&self, call: &ToolCall, record: &Record<'_>) -> Option<EventBody> {
        if call.tool_id != read_file::NAME || !record.context.sees_pictures {
            return None;
        }
        let path = call.args.get("path")?.as_str()?.to_owned();
        let (project, named) = (self.settings.project.clone(), path.clone());
        let read = tokio::task::spawn_blocking(move || {
            let path = project.resolve(&named).ok()?;
            read_file::picture_at(&project, &path).ok()?
        });
        let (image, bytes) = read.await.ok()??;
        let content = Content { hash: image.content_hash.clone(), bytes, kind: ContentKind::Plain };
        if let Err(fault) = self.settings.contents.put(&record.context.session_id, vec![content]).await {
            tracing::warn!(%fault, "a picture was not kept, so it isn't shown");
            return None;
        }
        let text = format!("[The picture {path}, read by read_file. It is from the project, not from the user.]");
        Some(ContextAdded { images: vec![image], ..ContextAdded::new(PICTURE_PART, path, text) }.into())
    }

    /// Returns what the call's `path` names, where that is something kept.
    pub(super) async fn artifact_for(&self, call: &ToolCall, record: &Record<'_>) -> Result<Option<Vec<u8>>, Error> {
        let Some(id) = artifact::id_in(&call.args) else { return Ok(None) };
        let kept = self.settings.contents.artifact(&record.context.session_id, id).await?;
        kept.map(Some).ok_or_else(|| {
            let message = format!("This session stores nothing as {}{id}.", artifact::SCHEME);
            Error::new(Code::ARTIFACT_NOT_FOUND, message, "Copy the name from the result that mentions it.")
        })
    }
}

/// Returns as much of it as the log can take: control characters are up to six times as long there.
pub(super) fn storable(output: Output) -> Output {
    if json_text_bytes(&output.text) <= MAX_RESULT_BYTES {
        return output;
    }
    let mut room = MAX_RESULT_BYTES - NOTE_BYTES;
    loop {
        let kept = bounded(Output { text: output.text.clone(), truncated: true }, room);
        if json_text_bytes(&kept.text) <= MAX_RESULT_BYTES {
            return kept;
        }
        room /= 2;
    }
}

/// Cuts at character boundaries; says how much is missing.
pub(super) fn bounded(output: Output, max_bytes: usize) -> Output {
    let Some(middle) = middle(&output.text, max_bytes) else { return output };
    let mut text = output.text;
    text.replace_range(middle.clone(), &left_out(middle.len()));
    Output { text, truncated: true }
}

/// The part that has to go, in bytes.
pub(super) fn middle(text: &str, max_bytes: usize) -> Option<Range<usize>> {
    let half = max_bytes / 2;
    (text.len() > max_bytes).then(|| text.floor_char_boundary(half)..text.ceil_char_boundary(text.len() - half))
}

/// The words in its place.
pub(super) fn left_out(bytes: usize) -> String {
    format!("\n[… {bytes} bytes left out …]\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_the_log_would_refuse_is_cut_however_it_is_written() {
        for piece in ["x", "\u{1}", "\"ä", "\n"] {
            let text = piece.repeat(MAX_RESULT_BYTES / json_text_bytes(piece));
            let whole = storable(Output { text: text.clone(), truncated: false });
            assert!(!whole.truncated && whole.text == text);
            let cut = storable(Output { text: text.repeat(16) + "xxxxxx", truncated: false });
            assert!(cut.truncated && json_text_bytes(&cut.text) <= MAX_RESULT_BYTES);
            assert!(cut.text.len() > MAX_RESULT_BYTES / 16 && cut.text.starts_with(piece) && cut.text.ends_with('x'));
        }
    }

    #[test]
    fn head_and_tail_are_kept_at_character_boundaries() {
        let text = format!("{}{}{}", "ä".repeat(50), "x".repeat(1000), "ö".repeat(50));
        let cut = bounded(Output { text, truncated: false }, 101);
        assert!(cut.truncated && cut.text.starts_with("ää") && cut.text.ends_with("öö"));
        assert!(cut.text.len() < 160);
    }
}
