//! Hooks that may write: one that runs after an edit may change the files of that edit, without a question of its own.
//!
//! Nobody knows beforehand what a formatter writes, and it may need to put files beside those that it changes. So it works
//! in a view, of which only what it made of the edit's files lands, as a `file.changed` of its own. Where there are no
//! views, the project is writable for it, and imaged before; every other file is restored, and told. The note that such a
//! hook is at work is on the disk before it begins, so that what one did that a crash cut off is told when the run goes on.

use super::ExecutorSettings;
use super::call_log::file_changed;
use super::checkpoint::ProjectImages;
use super::command_sandbox::CommandView;
use super::effects::{self, BoundFolders, CommandEffects};
use super::hook_runner::context_of;
use super::record::Record;
use crate::hooks::{Hook, HookAction};
use crate::tool::{Action, Tool};
use arki_domain::projection::InterruptedHook;
use arki_domain::{
    CallContext, CallId, Content, ContentKind, Error, EventBody, EventLog, FileChanged, HookEvent, HookOutcome,
    HookRan, RestoreAction, RestoredFile, SessionId, ToolCall, WritingHook, sha256_hex,
};
use arki_edit::EDIT_LIMIT_BYTES;
use arki_files::{
    DELETE_LIMIT_BYTES, FileContent, FileFound, ImageRef, Restoration, Snapshot, SnapshotChange, apply_restorations,
    snapshot_changes,
};
use arki_sandbox::OverlayView;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// More other files than this are not restored; they are told.
const MAX_RESTORED: usize = 5000;

/// The limit for other files that are named as different after an interrupted hook.
const MAX_TOLD: usize = 20;

/// The project before a hook that may write.
pub(super) struct Formatting {
    hook: String,
    call_id: CallId,
    /// The edit's files by path, as the edit left them.
    files: BTreeMap<String, Option<FileFound>>,
    room: FormattingRoom,
}

/// The place in which a hook writes.
enum FormattingRoom {
    View(Arc<OverlayView>),
    /// The project itself, as it was before.
    Project(Arc<Snapshot>),
}

impl Formatting {
    pub(super) fn view(&self) -> Option<&Arc<OverlayView>> {
        if let FormattingRoom::View(view) = &self.room { Some(view) } else { None }
    }
}

/// The effect of a hook on files.
#[derive(Default)]
pub(super) struct Formatted {
    changes: Vec<FileChanged>,
    restored: Vec<RestoredFile>,
    not_restored: Vec<String>,
    /// Other files that it changed in its view.
    dropped: Vec<String>,
    /// The reason why nothing of what it changed landed.
    failed: Option<String>,
}

impl Formatted {
    /// Its changes and its end, in the order of the log.
    pub(super) fn told_in(self, ran: HookRan) -> Vec<EventBody> {
        let changed = self.changes.iter().map(|change| change.path.clone()).collect();
        let ran = HookRan { changed, restored: self.restored, not_restored: self.not_restored, ..ran };
        self.changes.into_iter().map(EventBody::from).chain([ran.into()]).collect()
    }

    /// Tells the model, which takes the files for what it made of them.
    pub(super) fn words(&self) -> Option<String> {
        let list = |paths: Vec<&str>| paths.join(", ");
        let changed: Vec<&str> = self.changes.iter().map(|change| change.path.as_str()).collect();
        let restored = self.restored.iter().map(|file| &file.path).chain(self.dropped.iter().take(MAX_TOLD));
        let restored: Vec<&str> = restored.map(String::as_str).collect();
        let mut words = Vec::new();
        if !changed.is_empty() {
            words.push(format!("It changed {} after your edit. Read before you edit there again.", list(changed)));
        }
        if !restored.is_empty() {
            words.push(format!("Its changes to other files were undone: {}.", list(restored)));
        }
        if !self.not_restored.is_empty() {
            let others = self.not_restored.iter().map(String::as_str).collect();
            words.push(format!("It also changed these, which could not be undone: {}.", list(others)));
        }
        words.extend(self.failed.as_ref().map(|why| format!("Nothing of what it changed landed: {why}")));
        (!words.is_empty()).then(|| words.join("\n"))
    }
}

/// Has hooks write, and restores what was not theirs to change.
pub(super) struct Formatter {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) log: Arc<dyn EventLog>,
    pub(super) images: Arc<ProjectImages>,
    pub(super) effects: Arc<CommandEffects>,
}

impl Formatter {
    /// Makes a view, or images the project, before a hook that runs after an edit; `None` for any other, which may not
    /// write. A project that can't be imaged is not written either.
    pub(super) async fn begin_formatting(
        &self,
        hook: &Hook,
        (tool, call): (Option<&Tool>, &ToolCall),
        record: &mut Record<'_>,
    ) -> Result<Option<Formatting>, Error> {
        let is_edit = tool.is_some_and(|tool| matches!(tool.action, Action::Write(_)));
        let HookAction::Command(command) = &hook.action else { return Ok(None) };
        let edited = edited_files(call, record);
        if !is_edit || edited.is_empty() {
            return Ok(None);
        }
        let (hook_name, call_id) = (hook.name.clone(), call.call_id.clone());
        if self.settings.has_views() {
            let view = OverlayView::create(&self.settings.views, Vec::new()).map_err(Error::internal)?;
            let (room, files) = (FormattingRoom::View(Arc::new(view)), self.found_all(&edited));
            return Ok(Some(Formatting { hook: hook_name, call_id, files, room }));
        }
        let Some((before, mut created)) = self.images.image_before(call, record.context).await? else {
            return Ok(None);
        };
        let files = self.found_all(&edited);
        let kept = files.values().flatten().map(|found| content(&found.content)).collect();
        self.settings.contents.put(&record.context.session_id, kept).await?;
        created.hook = Some(WritingHook {
            hook: hook.name.clone(),
            command: command.line.clone(),
            files: files.keys().cloned().collect(),
        });
        record.note(vec![created.into()]).await?;
        Ok(Some(Formatting { hook: hook_name, call_id, files, room: FormattingRoom::Project(before) }))
    }

    /// Looks at what the hook did, and restores what was not its to change.
    pub(super) async fn end_formatting(
        &self,
        formatting: Formatting,
        context: &CallContext,
    ) -> Result<Formatted, Error> {
        let session_id = &context.session_id;
        let before = match &formatting.room {
            FormattingRoom::Project(before) => before.clone(),
            FormattingRoom::View(view) => {
                let landed = self.land(view.clone(), &formatting, session_id).await;
                let changes = self.changes_of_edit(&formatting, session_id).await?;
                let (dropped, failed) =
                    landed.map_or_else(|fault| (Vec::new(), Some(fault.message)), |files| (files, None));
                return Ok(Formatted { changes, dropped, failed, ..Formatted::default() });
            }
        };
        let changes = self.changes_of_edit(&formatting, session_id).await?;
        let mut formatted = Formatted { changes, ..Formatted::default() };
        let Some(after) = self.images.look(Some(before.clone()), session_id).await? else {
            return Ok(formatted);
        };
        let others = snapshot_changes(&before, &after);
        let others = others.into_iter().filter(|change| !formatting.files.contains_key(&change.path));
        for (index, change) in others.enumerate() {
            let restored = if index < MAX_RESTORED { self.restore(&change, &before, session_id).await? } else { None };
            match restored {
                Some(restored) => formatted.restored.push(restored),
                None => formatted.not_restored.push(change.path),
            }
        }
        Ok(formatted)
    }

    /// Lands what a hook made of the edit's files in its view; returns the others that it changed.
    async fn land(
        &self,
        view: Arc<OverlayView>,
        formatting: &Formatting,
        session_id: &SessionId,
    ) -> Result<Vec<String>, Error> {
        let view = CommandView { view, bound: BoundFolders::default() };
        let collected = effects::collect(&self.settings, view, session_id).await?;
        if collected.files == 0 {
            return Ok(Vec::new());
        }
        self.effects.land_formatted(&collected.list, |path| formatting.files.contains_key(path)).await
    }

    fn found_all(&self, paths: &BTreeSet<String>) -> BTreeMap<String, Option<FileFound>> {
        paths.iter().filter_map(|path| Some((path.clone(), self.found(path, EDIT_LIMIT_BYTES)?))).collect()
    }

    /// The program ended while a hook could write. It is not run again, and nothing is restored: what differs now may be
    /// the user's.
    pub(super) async fn hook_interrupted(
        &self,
        interrupted: &InterruptedHook,
        record: &mut Record<'_>,
    ) -> Result<(), Error> {
        let WritingHook { hook, command, files } = &interrupted.hook;
        let context = record.context;
        let left = self.left_by_edit(&interrupted.call_id, files, context).await?;
        let mut changes = Vec::new();
        for (path, before) in left {
            let now = self.found(&path, EDIT_LIMIT_BYTES).flatten();
            let formatting = (hook.as_str(), &interrupted.call_id);
            changes.extend(self.change_of(formatting, &path, before.as_ref(), now, &context.session_id).await?);
        }
        let formatted = Formatted { changes, ..Formatted::default() };
        let others = self.other_files_since(files, &context.session_id).await?;
        let others = (!others.is_empty()).then(|| {
            format!("These other files differ since it began, and were left as they are: {}.", others.join(", "))
        });
        let changed = formatted.changes.iter().map(|change| change.path.as_str()).collect::<Vec<_>>().join(", ");
        let changed = (!changed.is_empty()).then(|| format!("It had changed {changed}."));
        let said = changed.into_iter().chain(others.clone()).collect::<Vec<_>>().join(" ");
        let ran = HookRan {
            outcome: Some(HookOutcome::Interrupted),
            call_id: Some(interrupted.call_id.clone()),
            said: Some(said).filter(|said| !said.is_empty()),
            ..HookRan::new(HookEvent::PostToolUse, hook, command)
        };
        let mut words = "It was interrupted: Arki ended while it ran. It was not run again.".to_owned();
        formatted.words().into_iter().chain(others).for_each(|effect| words.push_str(&format!("\n{effect}")));
        let told = context_of(hook, HookEvent::PostToolUse, &words);
        record.note(formatted.told_in(ran).into_iter().chain([told]).collect()).await
    }

    /// Files but the edit's that are others than when the hook began; of many, the first.
    async fn other_files_since(&self, files: &[String], session_id: &SessionId) -> Result<Vec<String>, Error> {
        let Some(before) = self.images.stored_snapshot().await? else { return Ok(Vec::new()) };
        let Some(after) = self.images.look(Some(before.clone()), session_id).await? else { return Ok(Vec::new()) };
        let changed = snapshot_changes(&before, &after).into_iter().map(|change| change.path);
        Ok(changed.filter(|path| !files.contains(path)).take(MAX_TOLD).collect())
    }

    /// The edit's files as the log last knew them before the hook.
    async fn left_by_edit(
        &self,
        call_id: &CallId,
        files: &[String],
        context: &CallContext,
    ) -> Result<BTreeMap<String, Option<FileContent>>, Error> {
        let events = self.log.read_after(&context.session_id, 0).await?;
        let mut left = BTreeMap::new();
        for event in events.iter().filter(|event| event.kind == "file.changed") {
            if let EventBody::FileChanged(changed) = event.body()
                && changed.call_id == *call_id
                && files.contains(&changed.path)
            {
                left.insert(changed.path.clone(), changed);
            }
        }
        let mut contents = BTreeMap::new();
        for (path, changed) in left {
            let content = match &changed.after_hash {
                Some(hash) => self.settings.contents.content(hash).await?,
                None => None,
            };
            let is_link = changed.after_link;
            contents.insert(path, content.map(|bytes| of_bytes(bytes, is_link)));
        }
        Ok(contents)
    }

    async fn changes_of_edit(
        &self,
        formatting: &Formatting,
        session_id: &SessionId,
    ) -> Result<Vec<FileChanged>, Error> {
        let mut changes = Vec::new();
        for (path, before) in &formatting.files {
            let Some(now) = self.found(path, EDIT_LIMIT_BYTES) else { continue };
            let of = (formatting.hook.as_str(), &formatting.call_id);
            let before = before.as_ref().map(|found| &found.content);
            changes.extend(self.change_of(of, path, before, now, session_id).await?);
        }
        Ok(changes)
    }

    /// Keeps what the hook made of a file, before it is told.
    async fn change_of(
        &self,
        (hook, call_id): (&str, &CallId),
        path: &str,
        before: Option<&FileContent>,
        now: Option<FileFound>,
        session_id: &SessionId,
    ) -> Result<Option<FileChanged>, Error> {
        let permissions = now.as_ref().map(FileFound::permissions).unwrap_or_default();
        let now = now.map(|found| found.content);
        if before == now.as_ref() {
            return Ok(None);
        }
        self.settings.contents.put(session_id, now.iter().map(content).collect()).await?;
        let hash = |content: Option<&FileContent>| content.map(|content| sha256_hex(content));
        let is_link = |content: Option<&FileContent>| content.is_some_and(FileContent::is_link);
        Ok(Some(FileChanged {
            before_hash: hash(before),
            after_hash: hash(now.as_ref()),
            before_permissions: if now.is_none() { permissions } else { Default::default() },
            before_link: is_link(before),
            after_link: is_link(now.as_ref()),
            by_hook: Some(hook.to_owned()),
            ..file_changed(path.to_owned(), call_id)
        }))
    }

    /// Restores one file; what the hook had made of it is kept. `None` where it can't be done.
    async fn restore(
        &self,
        change: &SnapshotChange,
        before: &Snapshot,
        session_id: &SessionId,
    ) -> Result<Option<RestoredFile>, Error> {
        let wanted = match &change.before {
            ImageRef::NoFile => None,
            ImageRef::Known(hash) | ImageRef::Link(hash) => {
                let Some(bytes) = self.settings.contents.content(hash).await? else { return Ok(None) };
                Some(of_bytes(bytes, matches!(change.before, ImageRef::Link(_))))
            }
            ImageRef::Unknown => return Ok(None),
        };
        let Some(found) = self.found(&change.path, DELETE_LIMIT_BYTES) else { return Ok(None) };
        let disk_permissions = found.as_ref().map(FileFound::permissions).unwrap_or_default();
        let disk = found.map(|found| found.content);
        self.settings.contents.put(session_id, disk.iter().map(content).collect()).await?;
        let project = &self.settings.project;
        let Ok(path) = project.resolve(&change.path) else { return Ok(None) };
        let permissions = before.files.get(&change.path).map(|file| file.permissions).unwrap_or_default();
        let restoration = Restoration { path, wanted: wanted.clone(), expected_now: disk.clone(), permissions };
        if let Err(error) = apply_restorations(project, vec![restoration]) {
            tracing::warn!(%error, path = change.path, "what a hook changed was not restored");
            return Ok(None);
        }
        let is_link = |content: &Option<FileContent>| content.as_ref().is_some_and(FileContent::is_link);
        Ok(Some(RestoredFile {
            path: change.path.clone(),
            action: if wanted.is_some() { RestoreAction::Restore } else { RestoreAction::Delete },
            before_hash: disk.as_deref().map(sha256_hex),
            after_hash: wanted.as_deref().map(sha256_hex),
            before_permissions: disk_permissions,
            before_link: is_link(&disk),
            after_link: is_link(&wanted),
        }))
    }

    /// The inner `None` is no file; the outer one where it can't be read.
    fn found(&self, path: &str, limit: u64) -> Option<Option<FileFound>> {
        let project = &self.settings.project;
        project.found(&project.resolve(path).ok()?, limit).ok()
    }
}

fn edited_files(call: &ToolCall, record: &Record<'_>) -> BTreeSet<String> {
    let changed = |body| match body {
        EventBody::FileChanged(changed) if changed.call_id == call.call_id => Some(changed.path),
        _ => None,
    };
    record.events().iter().filter_map(|event| changed(event.body())).collect()
}

fn content(bytes: &FileContent) -> Content {
    Content { hash: sha256_hex(bytes), bytes: bytes.to_vec(), kind: ContentKind::Plain }
}

fn of_bytes(bytes: Vec<u8>, is_link: bool) -> FileContent {
    if is_link { FileContent::Link(bytes) } else { FileContent::File(bytes) }
}
