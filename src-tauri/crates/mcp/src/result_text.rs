//! Turns a server's answer into text for a model. Pictures and other bytes are named, not shown: as text they would
//! fill the model's window with what it cannot read.

use rmcp::model::{CallToolResult, ContentBlock, ReadResourceResult, ResourceContents};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// The server says that the tool failed; the text says why.
    pub is_error: bool,
}

impl Answer {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: false }
    }

    pub(crate) fn of_call(result: &CallToolResult) -> Self {
        let mut parts: Vec<String> = result.content.iter().map(part).collect();
        let has_text = result.content.iter().any(|block| matches!(block, ContentBlock::Text(_)));
        if let Some(structured) = &result.structured_content
            && !has_text
        {
            parts.push(structured.to_string());
        }
        let text = if parts.is_empty() { "(no output)".to_owned() } else { parts.join("\n") };
        Self { text, is_error: result.is_error == Some(true) }
    }

    pub(crate) fn of_resource(result: &ReadResourceResult) -> Self {
        let parts: Vec<String> = result.contents.iter().map(contents).collect();
        Self::text(if parts.is_empty() { "(empty)".to_owned() } else { parts.join("\n") })
    }
}

fn part(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::Image(image) => left_out("picture", &image.mime_type, &image.data),
        ContentBlock::Audio(audio) => left_out("sound", &audio.mime_type, &audio.data),
        ContentBlock::Resource(embedded) => contents(&embedded.resource),
        ContentBlock::ResourceLink(link) => format!("[resource {}: {}]", link.name, link.uri),
        _ => "[left out content of an unknown kind]".to_owned(),
    }
}

fn contents(resource: &ResourceContents) -> String {
    match resource {
        ResourceContents::TextResourceContents { text, .. } => text.clone(),
        ResourceContents::BlobResourceContents { mime_type, blob, uri, .. } => {
            format!("{uri}: {}", left_out("file", mime_type.as_deref().unwrap_or("unknown type"), blob))
        }
        _ => "[left out content of an unknown kind]".to_owned(),
    }
}

/// Base64 has four characters for three bytes.
fn left_out(what: &str, media_type: &str, base64: &str) -> String {
    format!("[left out a {what}: {media_type}, {} bytes]", base64.trim_end_matches('=').len() * 3 / 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(result: &serde_json::Value, text: &str, is_error: bool) {
        let result: CallToolResult = serde_json::from_value(result.clone()).unwrap();
        assert_eq!(Answer::of_call(&result), Answer { text: text.to_owned(), is_error });
    }

    #[test]
    fn text_is_told_and_bytes_are_named() {
        let content = json!([{"type": "text", "text": "a"}, {"type": "image", "data": "AAAA", "mimeType": "image/png"},
            {"type": "resource", "resource": {"uri": "x://1", "text": "b"}},
            {"type": "resource", "resource": {"uri": "x://2", "blob": "AAA="}},
            {"type": "resource_link", "uri": "x://3", "name": "three"}]);
        check(
            &json!({"content": content}),
            "a\n[left out a picture: image/png, 3 bytes]\nb\nx://2: [left out a file: unknown type, 2 \
            bytes]\n[resource three: x://3]",
            false,
        );
    }

    #[test]
    fn a_failure_and_a_bare_structure_are_told() {
        check(&json!({"content": [{"type": "text", "text": "no"}], "isError": true}), "no", true);
        check(&json!({"content": [], "structuredContent": {"a": 1}}), "{\"a\":1}", false);
        check(&json!({"content": []}), "(no output)", false);
    }
}
