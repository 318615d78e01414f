//! Texts that are kept beside the log, under the hash of what they say.

use arki_domain::{ArtifactEmitted, Content, ContentKind, Redactor, sha256_hex};

/// Before the hash in what a model is told, and in what it may give as a path.
pub(crate) const SCHEME: &str = "artifact:";
/// Hexadecimal digits of the hash that name an artifact.
const ID_DIGITS: usize = 16;

/// The content without keys, and the event that tells of it.
pub(crate) fn of_text(name: &str, media_type: &str, text: &str, redactor: &Redactor) -> (Content, ArtifactEmitted) {
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

/// As a tool's `path` may name it.
pub(crate) fn reference(emitted: &ArtifactEmitted) -> String {
    format!("{SCHEME}{}", emitted.artifact_id)
}
