//! Attaches files that the user chose, dropped or pasted: a picture is attached, any other file of the open folder is
//! mentioned, a folder can be opened, and the rest is refused with a sentence.
//!
//! A picture may lie anywhere, since the user pointed at it; its bytes are read once, here. A client never names the
//! paths: the shell has them from the system.

use crate::projects::open::canonical;
use crate::runs::prompt_images::{MAX_SOURCE_BYTES, facts};
use arki_api::AttachedFile;
use arki_context::mention_of;
use arki_domain::{Error, io_words, picture_type};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files that are looked at in one go; those after them are only counted.
const MAX_FILES: usize = 50;
/// The bytes of all pictures of one go.
const MAX_BYTES: usize = 60 << 20;
/// The longest signature of a picture.
const SIGNATURE: u64 = 12;

/// Says what becomes of a picture whose bytes are given. Blocking.
#[must_use]
pub fn attached_picture(name: &str, bytes: &[u8]) -> AttachedFile {
    attached_within(name, bytes, &mut { MAX_BYTES })
}

/// Says of each path what becomes of it, in order. `folder` is the open one. Blocking.
#[must_use]
pub fn attached_files(folder: Option<&Path>, paths: &[PathBuf]) -> Vec<AttachedFile> {
    let root = folder.and_then(|folder| canonical(folder).ok());
    let mut room = MAX_BYTES;
    let mut files: Vec<AttachedFile> =
        paths.iter().take(MAX_FILES).map(|path| attached_file(root.as_deref(), path, &mut room)).collect();
    if let Some(more) = paths.len().checked_sub(MAX_FILES).filter(|more| *more > 0) {
        let reason = format!("{more} more files are left out. Attach up to {MAX_FILES} at once.");
        files.push(AttachedFile::Refused { name: String::new(), reason });
    }
    files
}

fn attached_file(root: Option<&Path>, path: &Path, room: &mut usize) -> AttachedFile {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    let refused = |reason: String| AttachedFile::Refused { name: name.clone(), reason };
    if path.is_dir() {
        return folder(root, path, &name).unwrap_or_else(|why| refused(format!("{name} {why}")));
    }
    let picture = match picture(path) {
        Ok(picture) => picture,
        Err(error) => return refused(format!("{name} can't be read: {}.", io_words(error.kind()))),
    };
    let Some(bytes) = picture else {
        return match mention(root, path) {
            Ok(mention) => AttachedFile::Mention { mention },
            Err(why) => refused(format!("{name} {why}")),
        };
    };
    attached_within(&name, &bytes, room)
}

/// The error is a sentence's end.
fn folder(root: Option<&Path>, path: &Path, name: &str) -> Result<AttachedFile, String> {
    if Some(found(path)?.as_path()) == root {
        return Err("is the open folder itself.".to_owned());
    }
    let Some(place) = path.to_str() else { return Err("has a path that isn't text.".to_owned()) };
    Ok(AttachedFile::Folder { name: name.to_owned(), path: place.to_owned(), mention: mention(root, path).ok() })
}

fn found(path: &Path) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|error| format!("can't be found: {}.", io_words(error.kind())))
}

fn attached_within(name: &str, bytes: &[u8], room: &mut usize) -> AttachedFile {
    let refused = |reason: String| AttachedFile::Refused { name: name.to_owned(), reason };
    match facts(bytes) {
        Err(Error { message, hint, .. }) => refused(format!("{name}: {message} {hint}")),
        Ok(_) if bytes.len() > *room => {
            refused(format!("{name}: together, these pictures are larger than {} MiB. Attach fewer.", MAX_BYTES >> 20))
        }
        Ok(facts) => {
            *room -= bytes.len();
            AttachedFile::Picture { data: BASE64_STANDARD.encode(bytes), name: name.to_owned(), facts }
        }
    }
}

/// Reads a file that begins as a picture, up to a byte more than one may have; `None` for anything else. What isn't a
/// regular file may never end, and isn't opened.
fn picture(path: &Path) -> io::Result<Option<Vec<u8>>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref().take(SIGNATURE).read_to_end(&mut bytes)?;
    if picture_type(&bytes).is_none() {
        return Ok(None);
    }
    file.take(MAX_SOURCE_BYTES as u64 + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// Returns the text that mentions a path of the open folder. The error is a sentence's end.
fn mention(root: Option<&Path>, path: &Path) -> Result<String, String> {
    let Some(root) = root else { return Err("can't be mentioned: no folder is open.".to_owned()) };
    let target = found(path)?;
    let outside = || {
        let folder = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
        format!("is outside the folder {folder}. Copy it there to mention it; only pictures can come from elsewhere.")
    };
    let inside = target.strip_prefix(root).map_err(|_| outside())?;
    let parts: Option<Vec<&str>> = inside.iter().map(|part| part.to_str()).collect();
    let Some(parts) = parts else { return Err("has a name that isn't text.".to_owned()) };
    let end = if target.is_dir() { "/" } else { "" };
    Ok(mention_of(&format!("{}{end}", parts.join("/"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// One grey pixel.
    const PNG: &[u8] = include_bytes!("../../../../../../tests/fixtures/pixel.png");

    fn refusal(file: &AttachedFile) -> &str {
        match file {
            AttachedFile::Refused { reason, .. } => reason,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pictures_are_attached_files_of_the_folder_mentioned_folders_offered_and_others_refused() {
        let home = tempfile::tempdir().unwrap();
        let (folder, outside) = (home.path().join("project"), home.path().join("elsewhere"));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::create_dir_all(&outside).unwrap();
        fs::write(folder.join("src/a name.rs"), "fn main() {}").unwrap();
        fs::write(outside.join("notes.txt"), "mine").unwrap();
        fs::write(outside.join("shot"), PNG).unwrap();
        let paths = ["src/a name.rs", "src", "../elsewhere/shot", "../elsewhere/notes.txt", "gone", "."];
        let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
        let files = attached_files(Some(&folder), &paths);
        assert_eq!(files[0], AttachedFile::Mention { mention: "@\"src/a name.rs\"".to_owned() });
        assert_eq!(files[1], offered(&paths[1], "src", Some("@src/")));
        let AttachedFile::Picture { name, data, facts } = &files[2] else { panic!("{:?}", files[2]) };
        assert_eq!((name.as_str(), facts.width, facts.height), ("shot", 1, 1));
        assert_eq!(BASE64_STANDARD.decode(data).unwrap(), PNG);
        let outside = refusal(&files[3]);
        assert!(outside.starts_with("notes.txt is outside the folder project."), "{outside}");
        assert!(refusal(&files[4]).starts_with("gone can't be read"), "{:?}", files[4]);
        assert!(refusal(&files[5]).contains("the open folder itself"), "{:?}", files[5]);
    }

    fn offered(path: &Path, name: &str, mention: Option<&str>) -> AttachedFile {
        let path = path.to_str().unwrap().to_owned();
        AttachedFile::Folder { name: name.to_owned(), path, mention: mention.map(str::to_owned) }
    }

    #[test]
    fn a_folder_from_elsewhere_can_be_opened_but_not_mentioned() {
        let home = tempfile::tempdir().unwrap();
        let (folder, other) = (home.path().join("project"), home.path().join("other"));
        fs::create_dir(&folder).unwrap();
        fs::create_dir(&other).unwrap();
        assert_eq!(attached_files(Some(&folder), std::slice::from_ref(&other)), [offered(&other, "other", None)]);
        assert_eq!(attached_files(None, std::slice::from_ref(&other)), [offered(&other, "other", None)]);
    }

    #[test]
    fn a_damaged_picture_and_one_too_many_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let damaged = folder.path().join("damaged.png");
        fs::write(&damaged, &PNG[..10]).unwrap();
        let files = attached_files(Some(folder.path()), &vec![damaged; MAX_FILES + 3]);
        assert!(refusal(&files[0]).contains("damaged.png: The picture is damaged"), "{:?}", files[0]);
        assert!(refusal(&files[MAX_FILES]).starts_with("3 more files"), "{:?}", files.last());
        assert_eq!(files.len(), MAX_FILES + 1);
    }

    #[test]
    fn bytes_are_attached_as_a_file_of_them_would_be() {
        let AttachedFile::Picture { data, .. } = attached_picture("pasted", PNG) else { panic!("refused") };
        assert_eq!(BASE64_STANDARD.decode(data).unwrap(), PNG);
        assert!(refusal(&attached_picture("pasted", b"text")).starts_with("pasted: The file is not a picture"));
    }

    #[test]
    fn pictures_of_one_go_are_bounded_together() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("large.png");
        fs::write(&large, [PNG, &vec![0; MAX_SOURCE_BYTES - PNG.len()]].concat()).unwrap();
        let files = attached_files(None, &vec![large; 4]);
        assert!(files[..3].iter().all(|file| matches!(file, AttachedFile::Picture { .. })));
        assert!(refusal(&files[3]).contains("larger than 60 MiB"));
    }

    #[cfg(unix)]
    #[test]
    fn what_may_never_end_is_not_opened_and_links_lead_where_they_lead() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("project");
        fs::create_dir(&folder).unwrap();
        fs::write(home.path().join("secret"), "mine").unwrap();
        std::os::unix::fs::symlink(home.path().join("secret"), folder.join("link")).unwrap();
        let zero = attached_files(Some(&folder), &[PathBuf::from("/dev/zero"), folder.join("link")]);
        assert!(refusal(&zero[0]).contains("outside the folder"), "{zero:?}");
        assert!(refusal(&zero[1]).contains("outside the folder"), "{zero:?}");
    }
}
