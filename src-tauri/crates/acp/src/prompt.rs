//! A prompt's blocks as one text and its pictures. Files of the folder become mentions, which Arki reads by its own rules;
//! the text of one that the client embeds goes along, unless the policy would ask before reading that file.

use crate::messages::{ContentBlock, EmbeddedResource};
use crate::rpc::RpcRefusal;
use crate::telling::fenced;
use arki_domain::Decision;
use arki_engine::{Engine, MAX_IMAGES, mention_of};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use std::path::{Component, Path, PathBuf};

/// The text that a prompt embeds, all files together.
const MAX_EMBEDDED_BYTES: usize = 1 << 20;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PromptText {
    pub(crate) text: String,
    pub(crate) images: Vec<Vec<u8>>,
    /// It was sent while another was at work, so that it answers no question of that one.
    pub(crate) has_waited: bool,
}

/// Reads a prompt's blocks. Blocking: the policy is asked about files.
///
/// # Errors
/// For sounds, and what is too large, too much, or no Base64.
pub(crate) fn read_prompt(engine: &Engine, folder: &Path, blocks: Vec<ContentBlock>) -> Result<PromptText, RpcRefusal> {
    let may_read = |path: &str| {
        let judged = engine.approvals().policy().judge(folder, "read_file", &json!({"path": path}));
        judged.is_ok_and(|judged| judged.decision == Decision::Allow)
    };
    assembled(folder, blocks, &may_read)
}

fn assembled(
    folder: &Path,
    blocks: Vec<ContentBlock>,
    may_read: &dyn Fn(&str) -> bool,
) -> Result<PromptText, RpcRefusal> {
    let (mut prompt, mut attached) = (PromptText::default(), String::new());
    for block in blocks {
        match block {
            ContentBlock::Text { text } => prompt.text.push_str(&text),
            ContentBlock::ResourceLink { uri, name } => prompt.text.push_str(&link(folder, &uri, &name)),
            ContentBlock::Resource { resource: EmbeddedResource::Text { uri, text } } => {
                prompt.text.push_str(&embedded(folder, &uri, &text, may_read, &mut attached));
            }
            ContentBlock::Image { data, .. } => prompt.images.push(decoded(&data)?),
            ContentBlock::Resource { resource: EmbeddedResource::Blob { blob, mime_type, uri } } => {
                if !mime_type.is_some_and(|kind| kind.starts_with("image/")) {
                    let shown = arki_engine::one_line(&uri);
                    return Err(RpcRefusal::invalid_params(format!(
                        "{shown} isn't text or a picture. Mention it instead."
                    )));
                }
                prompt.images.push(decoded(&blob)?);
            }
            ContentBlock::Audio {} => return Err(RpcRefusal::invalid_params("Arki can't take sounds.")),
        }
        if attached.len() > MAX_EMBEDDED_BYTES || prompt.images.len() > MAX_IMAGES {
            return Err(RpcRefusal::invalid_params(format!(
                "A prompt embeds at most 1 MiB of text and {MAX_IMAGES} pictures. Mention files instead."
            )));
        }
    }
    prompt.text.push_str(&attached);
    Ok(prompt)
}

fn decoded(data: &str) -> Result<Vec<u8>, RpcRefusal> {
    BASE64_STANDARD.decode(data).map_err(|_| RpcRefusal::invalid_params("A picture isn't Base64."))
}

/// Returns the path below the folder that an address leads to.
fn path_within(folder: &Path, uri: &str) -> Option<String> {
    let path = uri.strip_prefix("file://")?.split(['#', '?']).next()?;
    let path = PathBuf::from(percent_decoded(path)?);
    let inside = path.strip_prefix(folder).ok()?;
    let is_plain = inside.components().all(|part| matches!(part, Component::Normal(_)));
    inside.to_str().filter(|inside| is_plain && !inside.is_empty()).map(str::to_owned)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

fn link(folder: &Path, uri: &str, name: &str) -> String {
    match path_within(folder, uri) {
        Some(path) => mention_of(&path),
        None => format!("[{}]({})", arki_engine::one_line(name), arki_engine::one_line(uri)),
    }
}

/// Returns what stands in the text for an embedded file; what it contains goes to `attached`.
fn embedded(folder: &Path, uri: &str, text: &str, may_read: &dyn Fn(&str) -> bool, attached: &mut String) -> String {
    let named = match path_within(folder, uri) {
        Some(path) if !may_read(&path) => return mention_of(&path),
        Some(path) => path,
        None => arki_engine::one_line(uri),
    };
    attached.push_str(&format!("\n\nThe user attached `{}`:\n\n{}", named.replace('`', "'"), fenced("", text)));
    format!("`{}`", named.replace('`', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(blocks: serde_json::Value) -> Result<PromptText, RpcRefusal> {
        let blocks = serde_json::from_value(blocks).unwrap();
        assembled(Path::new("/p"), blocks, &|path| path != ".env")
    }

    fn text(blocks: serde_json::Value) -> String {
        read(blocks).unwrap().text
    }

    #[test]
    fn links_to_files_of_the_folder_are_mentions() {
        let link = |uri: &str| text(json!([{"type": "resource_link", "uri": uri, "name": "n"}]));
        assert_eq!(link("file:///p/src/a.rs#L3"), "@src/a.rs");
        assert_eq!(link("file:///p/a%20b.md"), "@\"a b.md\"");
        for elsewhere in ["file:///q/a", "file:///p/../q/a", "https://x.org/a", "file:///p/%zz", "file:///p"] {
            assert_eq!(link(elsewhere), format!("[n]({elsewhere})"));
        }
    }

    #[test]
    fn embedded_text_is_fenced_and_a_secret_files_is_left_out() {
        let embed = |uri: &str| {
            text(json!([
                {"type": "text", "text": "Look at "},
                {"type": "resource", "resource": {"uri": uri, "text": "@x ```", "mimeType": "text/plain"}},
                {"type": "text", "text": ", please"}
            ]))
        };
        assert_eq!(embed("file:///p/a"), "Look at `a`, please\n\nThe user attached `a`:\n\n````\n@x ```\n````");
        assert_eq!(embed("file:///p/.env"), "Look at @.env, please");
    }

    #[test]
    fn what_cannot_be_taken_is_refused_in_words() {
        let image = read(json!([{"type": "image", "data": "aGk=", "mimeType": "image/png"}])).unwrap();
        assert_eq!(image.images, [b"hi"]);
        let large = "x".repeat(MAX_EMBEDDED_BYTES + 1);
        for blocks in [
            json!([{"type": "image", "data": "no!", "mimeType": "image/png"}]),
            json!([{"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}]),
            json!([{"type": "resource", "resource": {"uri": "file:///p/a.zip", "blob": "aGk="}}]),
            json!([{"type": "resource", "resource": {"uri": "file:///p/a", "text": large}}]),
        ] {
            assert_eq!(read(blocks).unwrap_err().code, -32_602);
        }
    }
}
