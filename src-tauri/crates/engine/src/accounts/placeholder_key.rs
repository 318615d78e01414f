//! The key of placeholders: in the configuration's folder, so that it does not lie beside the log that it protects.

use crate::Directories;
use arki_disk::write_private_file_once;
use arki_redaction::PlaceholderKey;
use std::path::Path;
use zeroize::Zeroizing;

const KEY_FILE: &str = "placeholder.key";

/// The user's key, made where there is none yet. Where it cannot be kept, or must not be (`keep`), it is one of this
/// process's own: placeholders of other processes then stand for nothing, and calls that have one fail.
pub(crate) fn placeholder_key(directories: &Directories, keep: bool) -> PlaceholderKey {
    let path = directories.config.join(KEY_FILE);
    if let Some(key) = read(&path) {
        return key;
    }
    let mut bytes = Zeroizing::new([0; 32]);
    let made = keep && !path.exists() && getrandom::fill(bytes.as_mut_slice()).is_ok();
    let text = Zeroizing::new(hex::encode(bytes.as_slice()));
    if made && let Err(error) = write_private_file_once(&path, text.as_bytes()) {
        tracing::warn!(%error, "the key of placeholders was not kept");
    }
    // Another process may have been first.
    read(&path).unwrap_or_else(PlaceholderKey::random)
}

fn read(path: &Path) -> Option<PlaceholderKey> {
    let text = Zeroizing::new(std::fs::read_to_string(path).ok()?);
    let mut bytes = Zeroizing::new([0; 32]);
    hex::decode_to_slice(text.trim(), bytes.as_mut_slice()).ok()?;
    Some(PlaceholderKey::new(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_redaction::Redactor;

    fn placeholder(folder: &Path, keep: bool) -> String {
        let directories = Directories { config: folder.to_owned(), data: folder.to_owned() };
        let redactor = Redactor::new(placeholder_key(&directories, keep));
        redactor.add("k", "a-value-of-it");
        redactor.redact("a-value-of-it").into_owned()
    }

    #[test]
    fn placeholders_are_the_same_in_every_process_that_may_keep_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let passing = placeholder(folder.path(), false);
        assert!(!folder.path().join(KEY_FILE).exists());
        let kept = placeholder(folder.path(), true);
        assert_ne!(passing, kept);
        assert_eq!([placeholder(folder.path(), true), placeholder(folder.path(), false)], [kept.clone(), kept]);
    }

    #[test]
    fn a_broken_key_file_is_left_alone_and_not_used() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(KEY_FILE), "nonsense").unwrap();
        assert_ne!(placeholder(folder.path(), true), placeholder(folder.path(), true));
        assert_eq!(std::fs::read_to_string(folder.path().join(KEY_FILE)).unwrap(), "nonsense");
    }
}
