//! Puts secrets back into a call that is about to be carried out, and gets to know the project's own.
//!
//! In the log and before the model a secret is a placeholder. Here, and nowhere else, a call gets the real bytes: the
//! policy judges them, the preview is of them, the tool does what they say. Appended, they are placeholders again.

use super::ExecutorSettings;
use super::record::Record;
use crate::tool::{Action, Tool};
use arki_domain::projection::{CallProgress, PendingCall};
use arki_domain::{ApprovalDecision, Category, Code, Error};
use arki_edit::EDIT_LIMIT_BYTES;
use arki_files::{ChangeSet, EnvFiles, FileChange, FileContent, Project, is_env_file, look_through_texts};
use arki_redaction::{PlaceholderUse, Redactor, SecretValue, env_secrets, text_with_secrets, with_secrets};
use arki_sandbox::{OverlayView, ViewChangeKind, ViewEntry};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};

/// The beginnings of secrets that are longer than a line.
const KEYS_OF_MANY_LINES: [&str; 2] = ["PRIVATE KEY", "Private-Lines"];

/// The secrets of the project, and where they are put back.
pub(super) struct ProjectSecrets {
    settings: Arc<ExecutorSettings>,
    pub(super) redactor: Redactor,
    /// The project's environment files as they were last read.
    env_files: Arc<Mutex<EnvFiles>>,
}

/// The changes of a view among which environment files are looked for.
const MAX_VIEW_CHANGES: usize = 20_000;
const MAX_VIEW_ENV_BYTES: u64 = 1 << 20;

/// Has the secrets in the project's environment files replaced from now on. Blocks.
pub fn learn_env_files(redactor: &Redactor, project: &Project, files: &mut EnvFiles) {
    let secrets: Vec<SecretValue> = files.changed(project).iter().flat_map(|text| env_secrets(text)).collect();
    redactor.add_all(secrets);
}

/// Looks for the secrets of placeholders that nobody has seen in this process: first in the files named, then in all of
/// the project's texts. Blocks.
pub fn search_for_secrets(redactor: &Redactor, project: &Project, paths: &[String], wanted: &Value) {
    let is_found = || redactor.placeholders(wanted).iter().all(|used| !used.is_exact || used.secret.is_some());
    for path in paths {
        if let Some(text) = text_of(project, path) {
            learn_text(redactor, path, &text);
        }
    }
    if !is_found() {
        look_through_texts(project, |text| {
            redactor.look_through(text);
            if is_found() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
    }
}

/// The placeholders in `wanted` that could not be put back here: nobody knows what they stand for, also after looking
/// for it in the project, and they are not the files' own text. Blocks.
#[must_use]
pub fn unresolved_placeholders(
    redactor: &Redactor,
    project: &Project,
    paths: &[String],
    wanted: &Value,
) -> Vec<String> {
    let is_unknown = |used: &PlaceholderUse| used.is_exact && used.secret.is_none();
    if !redactor.placeholders(wanted).iter().any(is_unknown) {
        return Vec::new();
    }
    search_for_secrets(redactor, project, paths, wanted);
    let files: Vec<String> = paths.iter().filter_map(|path| text_of(project, path)).collect();
    let unknown = redactor.placeholders(wanted).into_iter().filter(is_unknown).map(|used| used.text);
    unknown.filter(|text| !files.iter().any(|file| file.contains(text))).collect()
}

fn learn_text(redactor: &Redactor, path: &str, text: &str) {
    if is_env_file(path) {
        redactor.add_all(env_secrets(text));
    }
    redactor.look_through(text);
}

fn text_of(project: &Project, path: &str) -> Option<String> {
    let path = project.resolve(path).ok()?;
    String::from_utf8(project.read_if_present(&path, EDIT_LIMIT_BYTES).ok()??.bytes).ok()
}

impl ProjectSecrets {
    pub(super) fn new(settings: Arc<ExecutorSettings>, redactor: Redactor) -> Self {
        Self { settings, redactor, env_files: Arc::default() }
    }

    /// Reads what is new in the environment files. In a folder that is not trusted nothing is read but by read tools.
    pub(super) async fn learn_env_files(&self) {
        if !self.settings.trusted {
            return;
        }
        let (redactor, project, files) = (self.redactor.clone(), self.settings.project.clone(), self.env_files.clone());
        let learning = tokio::task::spawn_blocking(move || {
            let mut files = files.lock().unwrap_or_else(PoisonError::into_inner);
            learn_env_files(&redactor, &project, &mut files);
        });
        if learning.await.is_err() {
            tracing::warn!("the environment files were not read");
        }
    }

    /// Reads the environment files that a command has left in its view.
    pub(super) async fn learn_view(&self, view: Arc<OverlayView>) {
        if !self.settings.trusted {
            return;
        }
        let (redactor, project) = (self.redactor.clone(), self.settings.project.clone());
        let learning = tokio::task::spawn_blocking(move || {
            let listed = view.changes(project.root(), MAX_VIEW_CHANGES, |_| false).unwrap_or_default();
            let written = listed.changes.iter().filter(|change| change.kind == ViewChangeKind::Written);
            for change in written.filter(|change| change.path.to_str().is_some_and(is_env_file)) {
                if let Ok(ViewEntry::File { bytes, .. }) = view.entry(&change.path, MAX_VIEW_ENV_BYTES) {
                    redactor.add_all(env_secrets(&String::from_utf8_lossy(&bytes)));
                }
            }
        });
        if learning.await.is_err() {
            tracing::warn!("the environment files of a view were not read");
        }
    }

    /// A file that the model is shown, perhaps in part: what in it is secret is known by its name as well as by its
    /// form, and a line of a private key only by the lines around it.
    pub(super) fn learn_shown_file(&self, tool: &Tool, args: &Value) {
        for path in &tool.touches(args).paths {
            let has_many_lines = |text: &String| KEYS_OF_MANY_LINES.iter().any(|mark| text.contains(mark));
            let text = text_of(&self.settings.project, path);
            if let Some(text) = text.filter(|text| is_env_file(path) || has_many_lines(text)) {
                learn_text(&self.redactor, path, &text);
            }
        }
    }

    /// The call with the secrets in the place of their placeholders, also in what the user wrote instead of a hunk.
    ///
    /// # Errors
    /// `SECRET_UNRESOLVED`: then nothing may be done.
    pub(super) async fn with_secrets(
        &self,
        tool: Option<&Tool>,
        pending: &PendingCall,
        record: &mut Record<'_>,
    ) -> Result<PendingCall, Error> {
        // What never leaves Arki needs no secret.
        let stays = |tool: &Tool| matches!(tool.action, Action::Inside(_) | Action::Ask | Action::Delegate(_));
        let leaves = |tool: &&Tool| is_carried_out(pending) && !stays(tool);
        let Some(tool) = tool.filter(leaves) else {
            return Ok(pending.clone());
        };
        let edited = edited_in(pending);
        let all = json!([pending.call.args, edited]);
        let mut uses = self.redactor.placeholders(&all);
        if uses.is_empty() {
            return Ok(pending.clone());
        }
        let paths = tool.touches(&pending.call.args).paths;
        if uses.iter().any(|used| used.is_exact && used.secret.is_none()) {
            self.search(paths.clone(), all.clone()).await;
            uses = self.redactor.placeholders(&all);
        }
        let files = match tool.action {
            Action::Write(_) => paths.iter().filter_map(|path| text_of(&self.settings.project, path)).collect(),
            _ => Vec::new(),
        };
        let mut moved = Vec::new();
        for used in &mut uses {
            judge(used, tool, &files)?;
            if let Some(secret) = used.secret.as_ref().filter(|secret| !stays_in_place(secret.expose(), &files)) {
                moved.push(secret.name().to_owned());
            }
        }
        // What goes to somebody else's program goes, whatever the user calls it.
        if tool.definition.category != Category::Read || matches!(tool.action, Action::Remote(_)) {
            record.use_secrets(moved);
        }
        let exact = with_exact(pending, tool, &uses);
        self.keep_hidden(&exact, &uses);
        Ok(exact)
    }

    /// The names of the secrets that a change would carry from one of its files into another, as a move does.
    pub(super) fn carried_secrets(&self, change: &ChangeSet) -> Vec<String> {
        let text = |content: &Option<FileContent>| {
            String::from_utf8(content.as_deref().unwrap_or_default().to_vec()).unwrap_or_default()
        };
        // What is moved away from a link is what it leads to.
        let before = |file: &FileChange| match &file.before {
            Some(FileContent::Link(_)) => text_of(&self.settings.project, file.path.as_str()).unwrap_or_default(),
            content => text(content),
        };
        let before: Vec<String> = change.files().iter().map(before).collect();
        let mut names = Vec::new();
        for (at, file) in change.files().iter().enumerate() {
            let came = |value: &str| before.iter().enumerate().any(|(other, text)| other != at && text.contains(value));
            let secrets = if before.len() > 1 { self.redactor.secrets_in(&text(&file.after)) } else { Vec::new() };
            let carried =
                secrets.iter().filter(|secret| !before[at].contains(secret.expose()) && came(secret.expose()));
            names.extend(carried.map(|secret| secret.name().to_owned()));
        }
        names
    }

    async fn search(&self, paths: Vec<String>, wanted: Value) {
        let (redactor, project) = (self.redactor.clone(), self.settings.project.clone());
        let searching = move || search_for_secrets(&redactor, &project, &paths, &wanted);
        if tokio::task::spawn_blocking(searching).await.is_err() {
            tracing::warn!("secrets were not looked for");
        }
    }

    /// A secret that is known by what stands beside it, or only as a word of its own, may stand elsewhere now. Before
    /// it is written into the log again it is known wherever it stands.
    fn keep_hidden(&self, exact: &PendingCall, uses: &[PlaceholderUse]) {
        let shown = self.redactor.redact_json(json!([exact.call.args, edited_in(exact)])).to_string();
        let is_seen = |secret: &&Arc<arki_redaction::KnownSecret>| {
            let quoted = Value::from(secret.expose()).to_string();
            shown.contains(quoted.trim_matches('"'))
        };
        let seen = uses.iter().filter_map(|used| used.secret.as_ref()).filter(is_seen);
        self.redactor.hide_everywhere(seen.cloned().collect());
    }
}

/// Returns whether the call is carried out: not one that waits or is denied.
fn is_carried_out(pending: &PendingCall) -> bool {
    match &pending.progress {
        CallProgress::AwaitingApproval(_)
        | CallProgress::AwaitingAnswer(_)
        | CallProgress::Answered(_)
        | CallProgress::Delegated(_) => false,
        CallProgress::Resolved(approval) => approval.resolved.decision != ApprovalDecision::Reject,
        CallProgress::New | CallProgress::Begun { .. } => true,
    }
}

fn edited_in(pending: &PendingCall) -> Vec<&String> {
    let approval = match &pending.progress {
        CallProgress::Resolved(approval) | CallProgress::Begun { approval: Some(approval), .. } => approval,
        _ => return Vec::new(),
    };
    approval.resolved.edited.values().chain(&approval.resolved.command).collect()
}

/// Takes the secret from a placeholder that is the file's own text, and refuses what stands for nothing.
fn judge(used: &mut PlaceholderUse, tool: &Tool, files: &[String]) -> Result<(), Error> {
    let is_text_of_file = files.iter().any(|text| text.contains(&used.text));
    match &used.secret {
        Some(secret) if is_text_of_file && files.iter().any(|text| text.contains(secret.expose())) => Err(unresolved(
            &used.text,
            "stands for a secret in this file but also appears in its text, so it is ambiguous.",
        )),
        Some(_) if is_text_of_file => {
            used.secret = None;
            Ok(())
        }
        Some(_) => Ok(()),
        None if is_text_of_file || (!used.is_exact && tool.definition.category == Category::Read) => Ok(()),
        None => Err(unresolved(&used.text, "doesn't stand for a known secret.")),
    }
}

fn unresolved(placeholder: &str, why: &str) -> Error {
    let hint = "Copy placeholders exactly. Read the file with the secret again, or ask the user to insert it.";
    Error::new(Code::SECRET_UNRESOLVED, format!("Nothing was done: {placeholder} {why}"), hint)
}

/// Returns whether a secret only stays where it is.
fn stays_in_place(secret: &str, files: &[String]) -> bool {
    !files.is_empty() && files.iter().all(|text| text.contains(secret))
}

fn with_exact(pending: &PendingCall, tool: &Tool, uses: &[PlaceholderUse]) -> PendingCall {
    let mut exact = pending.clone();
    exact.call.args = with_secrets(&exact.call.args, uses);
    // In a regular expression a secret stands for itself: the search puts it in.
    if tool.name() == "search_files"
        && let Some(pattern) = pending.call.args.get("pattern")
    {
        exact.call.args["pattern"] = pattern.clone();
    }
    if let CallProgress::Resolved(approval) | CallProgress::Begun { approval: Some(approval), .. } = &mut exact.progress
    {
        let texts = approval.resolved.edited.values_mut().chain(&mut approval.resolved.command);
        texts.for_each(|text| *text = text_with_secrets(text, uses));
    }
    exact
}
