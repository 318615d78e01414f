//! Writes that a crash cut off: what they left is put right, and they are made if they weren't.

use super::{AcceptedChange, FileWriter, accepted, effects, path_of, planned, written};
use crate::executor::ExecutorSettings;
use crate::executor::call_log::file_changed;
use crate::executor::record::{Record, stale};
use crate::outcome::ToolError;
use crate::tool::WriteAction;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{CallOutcome, Error, EventBody, FileChanged, FileEffect, ToolCall, sha256_hex};
use arki_files::{FileContent, Project};

impl FileWriter {
    /// Reconciles a write after a crash: the files' hashes tell whether the change was made.
    pub(in crate::executor) async fn reconcile(
        &self,
        plan: WriteAction,
        call: &ToolCall,
        files: &[FileEffect],
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let project = &self.settings.project;
        for file in files {
            remove_unfinished(project, &file.path);
            restore_torn(&self.settings, file).await?;
        }
        let now: Vec<Option<FileContent>> = files.iter().map(|file| content_of(project, &file.path)).collect();
        if files.iter().zip(&now).all(|(file, now)| is(now.as_ref(), file.after_hash.as_deref(), false)) {
            let mut bodies: Vec<EventBody> = files.iter().map(|file| already_written(call, file).into()).collect();
            let text = "Written before Arki was interrupted; the file is as intended.".to_owned();
            bodies.push(record.text(call, text).into());
            return record.settle(bodies).await;
        }
        let is_as_before = |(file, now): (&FileEffect, &Option<FileContent>)| {
            is(now.as_ref(), file.before_hash.as_deref(), file.before_link)
        };
        if !files.iter().zip(&now).all(is_as_before) {
            let why = "It matches neither its old content nor the intended content.";
            return record.fail(call, &stale(&path_of(call), why)).await;
        }
        let change = match planned(project, &plan, call) {
            Ok(change) => change,
            Err(fault) => return record.fail(call, &fault).await,
        };
        let preview = change.preview();
        let kept = match approval {
            Some(approval) => accepted(&change, preview, (approval, &approval.resolved)),
            None => Ok(AcceptedChange::all(change, preview)),
        };
        let kept = match kept {
            Ok(kept) if effects(&kept.change) == files => kept,
            Ok(_) => return record.fail(call, &stale(&path_of(call), "The change would now be different.")).await,
            Err(fault) => return record.fail(call, &fault).await,
        };
        match kept.change.apply(project) {
            Ok(applied) => {
                let bodies = written(call, &kept, applied, [None, None], record);
                record.settle(bodies).await
            }
            Err(error) => record.fail(call, &ToolError::from(error).into()).await,
        }
    }
}

/// Half a file beside the file; it is not worth failing for.
fn remove_unfinished(project: &Project, path: &str) {
    let removed = project.resolve(path).and_then(|path| arki_files::remove_unfinished(project, &path));
    if let Err(error) = removed {
        tracing::warn!(%error, path, "what an interrupted write left was not removed");
    }
}

/// A file that was being written in place gets its old content back.
async fn restore_torn(settings: &ExecutorSettings, file: &FileEffect) -> Result<(), Error> {
    let (Some(before), Some(after), false) = (&file.before_hash, &file.after_hash, file.before_link) else {
        return Ok(());
    };
    let (project, contents) = (&settings.project, &settings.contents);
    let (Some(before), Some(after)) = (contents.content(before).await?, contents.content(after).await?) else {
        return Ok(());
    };
    let restored = project.resolve(&file.path);
    let restored = restored.and_then(|path| arki_files::restore_torn(project, &path, &before, &after));
    if let Err(error) = restored {
        tracing::warn!(%error, path = file.path, "what an interrupted write in place left was not taken back");
    }
    Ok(())
}

fn content_of(project: &Project, path: &str) -> Option<FileContent> {
    let path = project.resolve(path).ok()?;
    Some(project.found(&path, arki_files::DELETE_LIMIT_BYTES).ok()??.content)
}

/// Returns whether there is, or was left, just this: a file or a link with this hash, or nothing.
fn is(now: Option<&FileContent>, hash: Option<&str>, is_link: bool) -> bool {
    now.map(|content| sha256_hex(content)).as_deref() == hash && now.is_some_and(FileContent::is_link) == is_link
}

fn already_written(call: &ToolCall, file: &FileEffect) -> FileChanged {
    FileChanged {
        before_hash: file.before_hash.clone(),
        after_hash: file.after_hash.clone(),
        before_permissions: file.before_permissions,
        before_link: file.before_link,
        ..file_changed(file.path.clone(), &call.call_id)
    }
}
