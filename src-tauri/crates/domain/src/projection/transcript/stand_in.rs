//! The note that stands in for an old result which a compaction took out.

use crate::{CallId, Message};
use std::sync::Arc;

/// The tool by which the model reads such a result again.
pub const READ_RESULT_TOOL: &str = "read_result";

/// The note for the result of a call. It depends on nothing but the result, so that it is the same each time.
#[must_use]
pub fn stand_in(call_id: &CallId, content: &str) -> String {
    let (lines, bytes) = (content.lines().count(), content.len());
    format!(
        "[Taken out to save space: {lines} lines, {bytes} bytes. Read it again with `{READ_RESULT_TOOL}` and the \
         call_id {call_id:?}.]",
        call_id = call_id.as_str()
    )
}

pub(super) fn standing_in(whole: &Arc<Message>) -> Arc<Message> {
    let Message::ToolResult { call_id, tool_id, content, is_error } = &**whole else { return whole.clone() };
    Arc::new(Message::ToolResult {
        call_id: call_id.clone(),
        tool_id: tool_id.clone(),
        content: stand_in(call_id, content),
        is_error: *is_error,
    })
}
