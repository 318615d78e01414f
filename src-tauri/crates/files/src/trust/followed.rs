//! The files that a shell line of the project's configuration runs, followed through the scripts it leads to.
//!
//! Each file that it runs is found with its content; one that isn't there counts as well, for it would be run once it is,
//! and so does what a pattern may match. Scripts of shells are read by [`RunsOf`]. Of those in other languages what they
//! import by a plain relative name is found, and all of a folder for hooks; what else they load isn't.

use std::collections::BTreeSet;

use arki_domain::{RunFile, RunLanguage, ShellRuns, ShellText, UnknownRun};
use globset::{GlobBuilder, GlobMatcher};

use super::folder_scan::{FolderScan, MAX_PIN_BYTES, PinnedFile, skip_or_fail};
use super::{Pin, PinKind, config_pieces};
use crate::change_set::content_hash;
use crate::error::{FileError, FilesError, Result};
use crate::project::Project;

/// Tells which files a shell text runs.
pub type RunsOf = fn(&ShellText<'_>) -> ShellRuns;

/// A line that leads to more files is followed no further.
const MAX_FOLLOWED: usize = 500;
const HOOK_FOLDERS: &[&str] = &[".arki/hooks", ".claude/hooks", ".hooks"];
/// Endings that Node tries behind a name.
const ENDINGS: &[&str] = &["", ".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"];
/// The note of a script in another language.
const LOADS_MORE: &str = "Arki pins this script and what it imports from beside it. What else it loads isn't pinned.";

/// The files that a line runs.
pub struct Followed {
    pub(super) files: Vec<PinnedFile>,
    unknown: BTreeSet<UnknownRun>,
    /// Files that it runs where they are there.
    names: BTreeSet<String>,
    patterns: Vec<GlobMatcher>,
    folders: BTreeSet<&'static str>,
}

impl Followed {
    /// The files, as they are now.
    pub fn pins(&self) -> Vec<Pin> {
        super::pins(self.files.clone())
    }

    /// Returns whether it would run the file, were it there.
    pub fn covers(&self, path: &str) -> bool {
        let is_below = |folder: &&str| path.strip_prefix(*folder).is_some_and(|rest| rest.starts_with('/'));
        self.names.contains(path)
            || self.folders.iter().any(is_below)
            || self.patterns.iter().any(|pattern| pattern.is_match(path))
    }

    /// Why not all that it runs can be pinned, if so. A checker is there to build.
    pub fn unpinned(&self, is_checker: bool) -> Option<String> {
        let told = self.unknown.iter().filter(|unknown| !(is_checker && unknown.is_build));
        let told: Vec<&str> = told.map(|unknown| unknown.why.as_str()).collect();
        (!told.is_empty()).then(|| told.join("; "))
    }
}

/// The pin of what can't be pinned: of the line, and of why.
pub fn unpinned_pin(file: &str, line: &str, why: &str) -> Pin {
    let hash = content_hash(format!("{line}\n{why}").as_bytes());
    let note = format!("Arki can't pin what this runs: {why}.");
    Pin { kind: PinKind::UnpinnedHook, path: format!("{file}#{line}"), hash, note: Some(note) }
}

/// Follows a line that is run in the project's folder. Blocking: it reads all of the files.
///
/// # Errors
/// When one of them can't be read.
pub fn follow(project: &Project, line: &str, runs: RunsOf) -> Result<Followed> {
    let root = project.root().display().to_string();
    let found = Followed {
        files: Vec::new(),
        unknown: BTreeSet::new(),
        names: BTreeSet::new(),
        patterns: Vec::new(),
        folders: BTreeSet::new(),
    };
    let scan = FolderScan { project, files: Vec::new() };
    let mut follower = Follower { scan, runs, root: root.clone(), open: Vec::new(), seen: BTreeSet::new(), found };
    let start = BTreeSet::from([root]);
    // What is a path's separator on Windows means nothing there to bash's grammar.
    let plain = if cfg!(windows) { line.replace('\\', "/") } else { line.to_owned() };
    follower.text(&plain, None, &start);
    for path in config_pieces::scripts_in(line) {
        follower.found.names.extend(project.resolve(&path).ok().map(|path| path.to_string()));
        follower.scan.file(&path, PinKind::Hook)?;
    }
    while let Some((file, folders)) = follower.open.pop() {
        if follower.scan.files.len() > MAX_FOLLOWED {
            follower.unknown(format!("it leads to more than {MAX_FOLLOWED} files"));
            break;
        }
        if follower.seen.insert((file.clone(), folders.clone())) {
            follower.file(&file, &folders)?;
        }
    }
    Ok(Followed { files: follower.scan.files, ..follower.found })
}

type Folders = BTreeSet<String>;

struct Follower<'a> {
    scan: FolderScan<'a>,
    runs: RunsOf,
    root: String,
    open: Vec<(RunFile, Folders)>,
    seen: BTreeSet<(RunFile, Folders)>,
    found: Followed,
}

impl Follower<'_> {
    fn unknown(&mut self, why: String) {
        self.found.unknown.insert(UnknownRun { why, is_build: false });
    }

    /// A shell text, in a script or not.
    fn text(&mut self, text: &str, script: Option<&str>, folders: &Folders) {
        let place = script.map(|script| format!("{}/{script}", self.root));
        let text = ShellText { text, place: place.as_deref(), root: &self.root, folders };
        let ShellRuns { files, unknown, folders } = (self.runs)(&text);
        self.open.extend(files.into_iter().map(|file| (file, folders.clone())));
        let told = unknown.into_iter().map(|unknown| match script {
            Some(script) => UnknownRun { why: format!("{script}: {}", unknown.why), ..unknown },
            None => unknown,
        });
        self.found.unknown.extend(told);
    }

    fn file(&mut self, file: &RunFile, folders: &Folders) -> Result<()> {
        if file.is_pattern {
            return self.pattern(file, folders);
        }
        let Ok(path) = self.scan.project.resolve(&file.path) else { return Ok(()) };
        self.found.names.insert(path.to_string());
        match self.scan.project.read(&path, MAX_PIN_BYTES) {
            Ok(content) => {
                let text = match String::from_utf8(content.bytes.clone()) {
                    Ok(text) => text,
                    // A program for the machine.
                    Err(_) if content.bytes.contains(&0) => String::new(),
                    Err(_) => {
                        self.unknown(format!("{path}: it isn't UTF-8 text"));
                        String::new()
                    }
                };
                self.scan.push(PinKind::Hook, &path, content.bytes)?;
                self.script(path.as_str(), &text, file.language, folders)
            }
            Err(FilesError::Path(_)) => {
                self.unknown(format!("{path} leads out of the folder"));
                Ok(())
            }
            Err(FilesError::File(FileError::NotRegular { .. })) if file.language >= RunLanguage::Python => {
                self.unknown(format!("{path} is no file"));
                Ok(())
            }
            Err(error) => skip_or_fail(error),
        }
    }

    /// A pattern's stars stand in its last part.
    fn pattern(&mut self, file: &RunFile, folders: &Folders) -> Result<()> {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let matcher = GlobBuilder::new(&file.path).literal_separator(true).build();
        let Some(matcher) =
            matcher.ok().filter(|_| !folder.contains(['*', '?', '['])).map(|glob| glob.compile_matcher())
        else {
            self.unknown(format!("it runs what {} matches", file.path));
            return Ok(());
        };
        for name in self.scan.names(if folder.is_empty() { "." } else { folder })? {
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if matcher.is_match(&path) {
                self.open.push((RunFile { path, is_pattern: false, language: file.language }, folders.clone()));
            }
        }
        self.found.patterns.push(matcher);
        Ok(())
    }

    /// Follows a script.
    fn script(&mut self, path: &str, text: &str, language: RunLanguage, folders: &Folders) -> Result<()> {
        match (language, text.strip_prefix("#!")) {
            (RunLanguage::Program, Some(head)) => {
                let reader = head.lines().next().unwrap_or_default();
                self.text(&format!("{reader} '{}/{path}'", self.root), None, folders);
                return Ok(());
            }
            (RunLanguage::Program | RunLanguage::Shell, _) => {
                self.text(text, Some(path), folders);
                return Ok(());
            }
            _ => {}
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = match language {
            RunLanguage::Python => python_modules(text),
            RunLanguage::JavaScript => node_modules(text),
            _ => Vec::new(),
        };
        for name in beside {
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            self.open.push((RunFile { path, is_pattern: false, language }, folders.clone()));
        }
        let is_around = |around: &&&str| path.strip_prefix(**around).is_some_and(|rest| rest.starts_with('/'));
        match HOOK_FOLDERS.iter().find(is_around) {
            Some(around) if self.found.folders.insert(around) => self.scan.folder(around, PinKind::Hook, 0),
            _ => Ok(()),
        }
    }
}

/// The files of a script's plain imports, from where it lies.
fn python_modules(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let first = |name: &str| name.split_whitespace().next().unwrap_or_default().to_owned();
    for line in text.lines().map(str::trim) {
        if let Some(imported) = line.strip_prefix("import ") {
            names.extend(imported.split(',').map(first));
        } else if let Some((from, imported)) = line.strip_prefix("from ").and_then(|line| line.split_once(" import ")) {
            let from = from.trim().trim_start_matches('.');
            names.extend(imported.split([',', '(', ')']).map(|name| format!("{from}.{}", first(name))));
            names.push(from.to_owned());
        }
    }
    let path = |name: String| name.trim_matches('.').replace('.', "/");
    let paths = names.into_iter().map(path).filter(|path| !path.is_empty());
    paths.flat_map(|path| ["", "/__init__"].map(|ending| format!("{path}{ending}.py"))).collect()
}

/// The files that quoted relative paths may be, from where the script lies.
fn node_modules(text: &str) -> Vec<String> {
    let quoted = text.split(['\'', '"', '`']).filter(|part| part.starts_with("./") || part.starts_with("../"));
    let paths = quoted.filter(|path| path.len() < 200 && !path.contains(char::is_whitespace));
    paths.flat_map(|path| ENDINGS.iter().map(move |ending| format!("{path}{ending}"))).collect()
}

/// Returns the note of a pinned program: nothing of a shell's script, of which everything is followed.
pub(super) fn note_of(path: &str, bytes: &[u8]) -> Option<String> {
    let head = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_script = std::str::from_utf8(head).is_ok_and(|head| match head.strip_prefix("#!") {
        Some(reader) => reader.split(['/', ' ']).any(|word| word.ends_with("sh")),
        None => !config_pieces::is_script(path) || path.ends_with(".sh"),
    });
    (!is_script).then(|| LOADS_MORE.to_owned())
}
