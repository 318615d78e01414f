//! The files of memory: the user's own and a project's. A project's count as they were agreed to; what the user accepts
//! through Arki is agreed to with it.

use crate::projects::folder_trust::lock_trust;
use crate::projects::guides::{is_markdown, text_of};
use crate::projects::open::{kind_word, pin_record};
use crate::{OpenProject, Projects};
use arki_disk::{change_private_file, create_private_dir};
use arki_domain::{Code, Error, MemoryScope};
use arki_files::{Pin, PinKind, Project, ProjectPath, content_hash, files_below, plan_write};
use arki_store::PinRecord;
use std::path::Path;

const PROJECT_MEMORY: &str = ".arki/memory";
/// The folder of the user's memory in the configuration folder.
pub(crate) const OWN_MEMORY: &str = "memory";
/// The file that new memories are written to.
const FILE: &str = "memory.md";
const HEADING: &str = "# Memory\n\n";
/// A longer file is not read.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Files of one folder, and how deep they may lie.
const MAX_FILES: usize = 100;
const MAX_DEPTH: usize = 1;

/// A file of memories.
#[derive(Debug, Clone)]
pub(crate) struct FoundMemory {
    pub(crate) scope: MemoryScope,
    /// Relative to the project, or the whole path of one of the user's own.
    pub(crate) path: String,
    pub(crate) text: String,
    /// It is as the user agreed to it.
    pub(crate) is_agreed: bool,
}

/// The user's own files, in the order of their names.
pub(crate) fn own_memory(projects: &Projects) -> Vec<FoundMemory> {
    let folder = projects.records.directories().config.join(OWN_MEMORY);
    let Ok(own) = Project::open(&folder) else { return Vec::new() };
    let names = files_below(&own, &ProjectPath::root(), MAX_DEPTH, MAX_FILES).ok().flatten().unwrap_or_default();
    let file = |name: String| {
        let text = text_of(&own, &name)?;
        let path = folder.join(name).display().to_string();
        Some(FoundMemory { scope: MemoryScope::User, path, text, is_agreed: true })
    };
    names.into_iter().filter(|name| is_markdown(name)).filter_map(file).collect()
}

/// Changes a file of the user's own; `None` is the one that new memories go to.
///
/// # Errors
/// When it can't be written, and those of `edit`.
pub(crate) fn edit_own_memory(
    projects: &Projects,
    path: Option<&str>,
    edit: impl FnOnce(&str) -> Result<String, Error>,
) -> Result<(), Error> {
    let folder = projects.records.directories().config.join(OWN_MEMORY);
    create_private_dir(&folder)?;
    let path = path.map_or_else(|| folder.join(FILE), |path| Path::new(path).to_owned());
    change_private_file(&path, |bytes| {
        let is_short = bytes.is_none_or(|bytes| bytes.len() as u64 <= MAX_FILE_BYTES);
        let text = bytes.map_or(Ok(HEADING), str::from_utf8).ok().filter(|_| is_short);
        Ok(edit(text.ok_or_else(|| unreadable(&path.display().to_string()))?)?.into_bytes())
    })
}

/// Changes a file of a project's, which is agreed to as it is then; `None` is the one that new memories go to.
///
/// # Errors
/// `UNTRUSTED` in a folder that is not trusted, or whose file changed since it was; when it can't be written, and
/// those of `edit`.
pub(crate) async fn edit_project_memory(
    projects: &Projects,
    folder: &Path,
    path: Option<&str>,
    edit: impl FnOnce(&str) -> Result<String, Error>,
) -> Result<(), Error> {
    let new_file = format!("{PROJECT_MEMORY}/{FILE}");
    let path = path.unwrap_or(&new_file);
    let _trusting = lock_trust(&projects.records).await?;
    let open = projects.load_project(folder)?;
    let text = match open.pinned(PinKind::Memory).any(|pin| pin.path == path) {
        true => open.agreed_text(PinKind::Memory, path).ok_or_else(|| changed(path)),
        false => Ok(HEADING.to_owned()),
    };
    let Some(mut trust) = open.trust.clone().filter(|trust| trust.trusted) else { return Err(untrusted(&open)) };
    let edited = edit(&text?)?;
    let project = &open.project;
    plan_write(project, &project.resolve(path)?, &edited)?.apply(project)?;
    let hash = content_hash(edited.as_bytes());
    let pin = Pin { kind: PinKind::Memory, path: path.to_owned(), hash, note: None };
    let kind = kind_word(PinKind::Memory);
    let is_other = |record: &PinRecord| record.pin.kind != kind || record.pin.path != path;
    trust.pins.retain(is_other);
    trust.pins.push(pin_record(project, &pin, projects.records.redactor()));
    Ok(projects.records.store().set_trust(&open.path(), trust).await?)
}

/// The project's files of memory, in the order of their names; none of a folder that is not trusted.
pub(crate) fn project_memory(open: &OpenProject) -> Vec<FoundMemory> {
    let paths = open.pinned(PinKind::Memory).map(|pin| pin.path.clone()).filter(|path| is_markdown(path));
    let file = |path: String| {
        let agreed = open.agreed_text(PinKind::Memory, &path);
        let is_agreed = agreed.is_some();
        let text = agreed.or_else(|| text_of(&open.project, &path))?;
        Some(FoundMemory { scope: MemoryScope::Project, path, text, is_agreed })
    };
    paths.take(MAX_FILES).filter_map(file).collect()
}

fn unreadable(path: &str) -> Error {
    let hint = "Make it a text file of up to 256 KiB, or remove it.";
    Error::new(Code::FILE_NOT_TEXT, format!("{path} can't be read as text."), hint)
}

fn changed(path: &str) -> Error {
    let hint = "Review the change and approve it with `arki trust`, then try again.";
    Error::new(Code::UNTRUSTED, format!("{path} changed since you trusted this folder."), hint)
}

fn untrusted(open: &OpenProject) -> Error {
    let message = format!("The folder {} is not trusted, so Arki doesn't write to it.", open.path());
    Error::new(Code::UNTRUSTED, message, "Trust it with `arki trust`.")
}
