//! Texts that are kept beside the log, under the hash of what they say.

use arki_domain::{ArtifactEmitted, Content, ContentKind, sha256_hex};
use arki_redaction::Redactor;
use serde_json::Value;

/// The prefix of the hash in what a model is told, and in what it may give as a path.
pub(crate) const SCHEME: &str = "artifact:";
/// The longest text that is kept of what a tool says; of a longer one the beginning and the end. It is compressed.
pub const MAX_ARTIFACT_BYTES: usize = 16 << 20;
/// Hexadecimal digits of the hash that name an artifact.
const ID_DIGITS: usize = 16;

/// The content without keys, and the event that tells of it.
#[must_use]
pub fn of_text(name: &str, media_type: &str, text: &str, redactor: &Redactor) -> (Content, ArtifactEmitted) {
    let bytes = redactor.redact(text).into_owned().into_bytes();
    let hash = sha256_hex(&bytes);
    let emitted = ArtifactEmitted {
        artifact_id: hash[..ID_DIGITS].to_owned(),
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        bytes: bytes.len() as u64,
        content_hash: hash.clone(),
    };
    (Content { hash, bytes, kind: ContentKind::Plain }, emitted)
}

/// The id in the argument `path`, if it is one.
pub(crate) fn id_in(args: &Value) -> Option<&str> {
    let id = args.get("path")?.as_str()?.strip_prefix(SCHEME)?;
    let is_id = id.len() == ID_DIGITS && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id)
}

/// Returns the reference that a tool's `path` can name.
#[must_use]
pub fn reference(emitted: &ArtifactEmitted) -> String {
    format!("{SCHEME}{}", emitted.artifact_id)
}
