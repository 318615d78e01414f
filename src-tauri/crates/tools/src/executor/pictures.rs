//! Pictures of the project that `read_file` has read: kept for the session, and shown to a model that sees them.

use super::kept_whole::CallResults;
use super::record::Record;
use crate::builtin::read_file;
use arki_domain::{Content, ContentKind, ContextAdded, EventBody, PICTURE_PART, ToolCall};

impl CallResults {
    /// Returns the picture that a call has read, for the conversation after its result.
    pub(super) async fn picture_read(&self, call: &ToolCall, record: &Record<'_>) -> Option<EventBody> {
        if call.tool_id != read_file::NAME || !record.context().sees_pictures {
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
        if let Err(fault) = self.settings.contents.put(&record.context().session_id, vec![content]).await {
            tracing::warn!(%fault, "a picture was not kept, so it isn't shown");
            return None;
        }
        let text = format!("[The picture {path}, read by read_file. It is from the project, not from the user.]");
        Some(ContextAdded { images: vec![image], ..ContextAdded::new(PICTURE_PART, path, text) }.into())
    }
}
