//! The project's environment files (`.env*`), whose values must not reach a model: found also where git ignores them,
//! and read again when they have changed. And looking through a project's other texts for one that is sought.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::SystemTime;

use cap_std::fs::Dir;
use zeroize::Zeroizing;

use crate::project::{Project, ProjectPath};
use crate::walk;
use arki_disk::EntryKind;
use arki_disk::{entries, open_folder};

/// The depth of the search below the project's folder.
const MAX_DEPTH: usize = 3;
/// Files and folders looked at.
const MAX_ENTRIES: usize = 5000;
const MAX_FILES: usize = 64;
const MAX_FILE_BYTES: u64 = 256 << 10;
/// Folders that are large and in which nobody keeps an environment file of their own.
const LEFT_OUT: &[&str] =
    &[".git", ".hg", ".jj", ".svn", ".venv", "__pycache__", "node_modules", "target", "vendor", "venv"];

/// The state of the files when they were last read.
#[derive(Debug, Default)]
pub struct EnvFiles {
    seen: BTreeMap<String, (u64, Option<SystemTime>)>,
}

impl EnvFiles {
    /// The texts of those that are new or have changed since. What cannot be read is left out. Blocks.
    pub fn changed(&mut self, project: &Project) -> Vec<Zeroizing<String>> {
        let mut search = EnvSearch { found: BTreeMap::new(), left: MAX_ENTRIES };
        search.look_into(project.dir(), "", 0);
        let texts = search.found.iter().filter(|(path, state)| self.seen.get(*path) != Some(state));
        let texts = texts.filter_map(|(path, _)| {
            let path = project.resolve(path).ok()?;
            text_of(Zeroizing::new(project.read(&path, MAX_FILE_BYTES).ok()?.bytes))
        });
        let texts = texts.collect();
        self.seen = search.found;
        texts
    }
}

/// UTF-8, or UTF-16 with its mark, as editors on Windows write it.
fn text_of(mut bytes: Zeroizing<Vec<u8>>) -> Option<Zeroizing<String>> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return String::from_utf8(std::mem::take(&mut *bytes)).ok().map(Zeroizing::new),
    };
    let (units, _) = bytes.as_chunks::<2>();
    let units: Zeroizing<Vec<u16>> = Zeroizing::new(units.iter().map(|pair| unit(*pair)).collect());
    String::from_utf16(&units).ok().map(Zeroizing::new)
}

/// Returns whether a file is one of values for the environment, by its name.
#[must_use]
pub fn is_env_file(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(".env"))
}

struct EnvSearch {
    found: BTreeMap<String, (u64, Option<SystemTime>)>,
    left: usize,
}

impl EnvSearch {
    fn look_into(&mut self, folder: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = entries(folder) else { return };
        for (name, kind) in entries.flatten() {
            if self.left == 0 || self.found.len() == MAX_FILES {
                return;
            }
            self.left -= 1;
            let Ok(name) = name.into_string() else { continue };
            let path = format!("{prefix}{name}");
            if kind == EntryKind::Folder {
                let below =
                    (depth < MAX_DEPTH && !LEFT_OUT.contains(&name.as_str())).then(|| open_folder(folder, &name));
                if let Some(Ok(below)) = below {
                    self.look_into(&below, &format!("{path}/"), depth + 1);
                }
            } else if is_env_file(&name)
                && let Ok(metadata) = folder.metadata(&name)
                && metadata.is_file()
            {
                let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
                self.found.insert(path, (metadata.len(), modified));
            }
        }
    }
}

/// All of the texts looked at together.
const MAX_SOUGHT_BYTES: u64 = 64 << 20;
const MAX_SOUGHT_FILE_BYTES: u64 = 1 << 20;

/// Shows every text of the project that git does not ignore, of a bounded size, until `look` says that it is enough.
/// Blocks.
pub fn look_through_texts(project: &Project, mut look: impl FnMut(&str) -> ControlFlow<()>) {
    let mut left = MAX_SOUGHT_BYTES;
    let files = walk::walk(project, &ProjectPath::root(), None).flatten();
    for entry in files.filter(|entry| entry.kind == EntryKind::File) {
        let relative = entry.path.strip_prefix(project.root()).ok().and_then(|path| path.to_str());
        let path = relative.and_then(|path| project.resolve(path).ok());
        let Some(file) = path.and_then(|path| project.read(&path, MAX_SOUGHT_FILE_BYTES).ok()) else { continue };
        left = left.saturating_sub(file.bytes.len() as u64);
        let text = Zeroizing::new(file.bytes);
        let is_enough = std::str::from_utf8(&text).is_ok_and(|text| look(text).is_break());
        if is_enough || left == 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn changed(files: &mut EnvFiles, project: &Project) -> Vec<String> {
        files.changed(project).iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn environment_files_are_found_wherever_they_are_usual_and_read_again_when_they_change() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".gitignore", ".env*\n");
        write(".env", "A=1");
        write("apps/web/.env.local", "B=2");
        write("node_modules/x/.env", "C=3");
        write("a/b/c/d/.env", "D=4");
        write("environment", "E=5");
        let project = Project::open(folder.path()).unwrap();
        let mut files = EnvFiles::default();
        assert_eq!(changed(&mut files, &project), ["A=1", "B=2"]);
        assert_eq!(changed(&mut files, &project), [""; 0]);
        write(".env", "A=10");
        write(".env.test", "F=6");
        assert_eq!(changed(&mut files, &project), ["A=10", "F=6"]);
    }

    #[cfg(unix)]
    #[test]
    fn one_that_leads_out_of_the_project_is_not_read() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secrets"), "A=1").unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path().join("secrets"), folder.path().join(".env")).unwrap();
        let project = Project::open(folder.path()).unwrap();
        assert!(EnvFiles::default().changed(&project).is_empty());
    }

    #[test]
    fn texts_are_shown_until_it_is_enough() {
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a", &b"first"[..]), ("b", b"\xff\xfe"), ("c", b"second"), ("d", b"third")] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        let project = Project::open(folder.path()).unwrap();
        let mut shown = Vec::new();
        look_through_texts(&project, |text| {
            shown.push(text.to_owned());
            if text == "second" { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(shown, ["first", "second"]);
    }

    #[test]
    fn a_text_in_utf_16_is_read() {
        let written = |unit: fn(u16) -> [u8; 2]| "\u{feff}A=1\n".encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        for bytes in [written(u16::to_le_bytes), written(u16::to_be_bytes)] {
            assert_eq!(text_of(Zeroizing::new(bytes)).unwrap().as_str(), "\u{feff}A=1\n");
        }
        assert!(text_of(Zeroizing::new(vec![0xff, 0x41])).is_none());
    }
}
