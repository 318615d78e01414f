//! The changes of commands in their views, and of servers' calls in theirs: judged, shown, and landed only as they were
//! shown. What is rejected never existed.
//!
//! The list of the changes and their contents lie beside the log before anyone is asked, so that a review outlives this
//! process and the view. How a decision about them comes into the log is as with an edit: `approval.requested`, or
//! `policy.decided` with the files that are about to be written, then what was written.

mod collecting;
mod generated;
mod judging;
mod steps;
mod stored;

use super::call_log::file_changed;
use super::judging::{Judge, permitted};
use super::question::UserQuestions;
use super::record::Record;
use super::{ExecutorSettings, question};
use crate::outcome::ToolError;
use arki_domain::projection::ResolvedApproval;
use arki_domain::{
    ApprovalDecision, ApprovalMode, CallOutcome, CommandEnded, Content, ContentKind, Decision, Error, EventBody,
    FileChanged, FileEffect, Permissions, PolicyDecided, Reason, ReasonCode, ToolCall, ToolResult, plural,
};
use arki_files::{
    CarriedSelection, ChangeSet, Effect, FileChange, FileContent, FilesError, FollowedChange, HunkSelection, Preview,
    carry_selection, follow_edits, plan_effects, plan_interrupted, plan_landing,
};
use arki_policy::Verdict;
use arki_redaction::Redactor;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) use collecting::{CollectedEffects, collect, is_landed};
pub(super) use generated::{BoundFolders, GeneratedFolders};
use judging::is_command;
pub use stored::write_changed_tree;
use stored::{StoredEffects, listed};

/// The files that a result names, at most.
const MAX_NAMED: usize = 50;
/// The sentences on what is left out that a question tells, at most.
const MAX_TOLD: usize = 5;

/// Lands what calls changed, or asks.
pub(super) struct CommandEffects {
    pub(super) settings: Arc<ExecutorSettings>,
    pub(super) judge: Arc<Judge>,
    pub(super) asking: Arc<UserQuestions>,
}

/// The changes of a call as they would land now.
struct OpenEffects {
    set: ChangeSet,
    verdict: Verdict,
    /// Sentences on what is left out, and why.
    left_out: Vec<String>,
}

impl CommandEffects {
    /// Adds what a call changed to its result, which is the last of `bodies`, and has it decided on.
    pub(super) async fn settle_collected(
        &self,
        call: &ToolCall,
        collected: Result<CollectedEffects, Error>,
        mut bodies: Vec<EventBody>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let Some(EventBody::ToolResult(mut result)) = bodies.pop() else {
            return Err(Error::internal("a call without its result"));
        };
        let collected = match collected {
            Ok(collected) => collected,
            Err(fault) => {
                bodies.push(without_changes(result, fault).into());
                return record.settle(bodies).await;
            }
        };
        for note in &collected.notes {
            result.result.push_str(&format!("\n[{note}]"));
        }
        if collected.files == 0 {
            bodies.push(result.into());
            return record.settle(bodies).await;
        }
        let (files, call_id) = (collected.files as u64, call.call_id.clone());
        let ended = CommandEnded { call_id, result, files, effects: collected.list };
        bodies.push(ended.clone().into());
        record.note(bodies).await?;
        self.settle(call, &ended, None, record).await
    }

    /// Decides on what a call changed, and lands it or asks; where the user has decided already, lands what was accepted.
    async fn settle(
        &self,
        call: &ToolCall,
        ended: &CommandEnded,
        approval: Option<&ResolvedApproval>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let open = match self.open(call, ended, record.approve()).await {
            Ok(open) => open,
            Err(fault) => return self.conclude(ended, &format!("Nothing landed: {}", fault.message), record).await,
        };
        if open.set.is_empty() || open.verdict.decision == Decision::Deny {
            return self.conclude(ended, &open.left_out.join(" "), record).await;
        }
        if let Some(approval) = approval {
            let accepted = Accepted::by_user(&open, approval, record.redactor);
            let permitted = permitted(&approval.requested);
            return self.land(call, ended, (open.set, accepted), (&permitted, Some(approval)), record).await;
        }
        if open.verdict.decision == Decision::Allow {
            let accepted = Accepted::all(&open);
            return self.land(call, ended, (open.set, accepted), (&open.verdict, None), record).await;
        }
        if record.approve() == ApprovalMode::Never {
            let words = "What it changed was thrown away: nothing may be approved in this run (--approve never).";
            return self.conclude(ended, words, record).await;
        }
        let question = question::of_effects(call, &open.verdict, open.set.preview());
        self.asking.put_to_user(call, question, record).await
    }

    /// Carries out the user's answer.
    pub(super) async fn answered(
        &self,
        call: &ToolCall,
        ended: &CommandEnded,
        approval: &ResolvedApproval,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        if approval.resolved.decision == ApprovalDecision::Reject {
            let note = approval.resolved.reason.as_deref().map(|note| format!("\nThe user's note: {note}"));
            let words = "The user rejected what it changed: none of it is in the project.";
            return self.conclude(ended, &format!("{words}{}", note.unwrap_or_default()), record).await;
        }
        let approval = Some(approval).filter(|approval| !approval.resolved.is_by_mode());
        self.settle(call, ended, approval, record).await
    }

    /// Goes on after this process ended: between the command's end and a decision, or in the midst of landing.
    pub(super) async fn interrupted(
        &self,
        call: &ToolCall,
        ended: &CommandEnded,
        landing: Option<&str>,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let Some(landing) = landing else { return self.settle(call, ended, None, record).await };
        let (landing, _) = self.stored(landing).await?;
        let landing = plan_effects(landing).map_err(ToolError::from)?;
        let found = plan_interrupted(&landing, &self.settings.project).map_err(ToolError::from)?;
        let left = match found.left.apply(&self.settings.project) {
            Ok(_) => found.left,
            Err(error) => {
                let fault = Error::from(ToolError::from(error));
                return self.conclude(ended, &format!("Interrupted while it landed: {}", fault.message), record).await;
            }
        };
        let landed = || found.done.files().iter().chain(left.files());
        let mut bodies: Vec<EventBody> = landed().map(|file| changed(call, file, Vec::new()).into()).collect();
        let mut words = landed_words(landed().map(|file| file.path.as_str()));
        for file in found.changed.files() {
            words.push_str(&format!(" {} was changed meanwhile and stays as it is.", file.path));
        }
        bodies.push(with_words(ended, &words).into());
        record.settle(bodies).await
    }

    async fn open(&self, call: &ToolCall, ended: &CommandEnded, approve: ApprovalMode) -> Result<OpenEffects, Error> {
        let (effects, outside) = self.stored(&ended.effects).await?;
        let planned = self.planned(effects.clone())?;
        let judged = self.judge.judge_effects(call, &planned.set, approve);
        let mut left_out: Vec<String> = planned.conflicts.into_iter().map(|conflict| conflict.sentence).collect();
        let verdicts = planned.set.files().iter().zip(&judged.paths);
        let denied: BTreeMap<&str, &Reason> = verdicts
            .filter(|(_, verdict)| verdict.decision == Decision::Deny)
            .map(|(file, verdict)| (file.path.as_str(), &verdict.reason))
            .collect();
        let refused = denied.iter().take(MAX_NAMED).map(|(path, why)| format!("{path} was left out: {why}"));
        left_out.extend(refused);
        let set = if denied.is_empty() {
            planned.set
        } else {
            let allowed = effects.into_iter().filter(|effect| !denied.contains_key(effect.path.as_str()));
            self.planned(allowed.collect())?.set
        };
        let mut verdict =
            Verdict { decision: judged.decision, rule: judged.rule, reason: judged.reason, risk: judged.risk };
        if verdict.decision == Decision::Preview && verdict.rule == "category:write" {
            let files = match set.shown_files() {
                1 => ReasonCode::ONE_FILE.into(),
                count => ReasonCode::FILES.with("count", count.to_string()),
            };
            let changed = if is_command(call) { ReasonCode::COMMAND_CHANGED } else { ReasonCode::SERVER_CHANGED };
            verdict.reason = changed.with("files", files).into();
        }
        let was_outside = set.files().iter().find(|file| outside.contains(file.path.as_str()));
        if let Some(file) = was_outside.filter(|_| verdict.decision == Decision::Allow) {
            verdict.decision = Decision::Preview;
            verdict.rule = "builtin:changed-meanwhile".to_owned();
            let changed = match is_command(call) {
                true => ReasonCode::CHANGED_WHILE_COMMAND_RAN,
                false => ReasonCode::CHANGED_WHILE_SERVER_WORKED,
            };
            verdict.reason = changed.with("path", file.path.as_str()).into();
        }
        for sentence in left_out.iter().filter(|_| !set.is_empty()).take(MAX_TOLD) {
            verdict.reason.sentences.push(sentence.as_str().into());
        }
        Ok(OpenEffects { set, verdict, left_out })
    }

    fn planned(&self, effects: Vec<Effect>) -> Result<FollowedChange, Error> {
        let set = plan_effects(effects).map_err(ToolError::from)?;
        Ok(follow_edits(&set, &self.settings.project).map_err(ToolError::from)?)
    }

    async fn stored(&self, list: &str) -> Result<(Vec<Effect>, BTreeSet<String>), Error> {
        StoredEffects { contents: &*self.settings.contents, project: &self.settings.project }.effects(list).await
    }

    /// Writes what was accepted of what was shown. Which files that are, and their contents, is on the disk before.
    async fn land(
        &self,
        call: &ToolCall,
        ended: &CommandEnded,
        (shown, accepted): (ChangeSet, Accepted),
        (verdict, approval): (&Verdict, Option<&ResolvedApproval>),
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let planned = match plan_landing(&shown, &accepted.selection, &self.settings.project) {
            Ok(planned) => planned,
            Err(error) => return record.fail(call, &ToolError::from(error).into()).await,
        };
        let session_id = record.context.session_id.clone();
        let list = listed(&planned.set)?;
        let landing = Some(list.hash.clone());
        let kept = images(&planned.set).into_iter().chain([list]).collect();
        let decided = PolicyDecided { landing, ..verdict.decided(call, effects_of(&planned.set)) };
        let (kept, decided) =
            tokio::join!(self.settings.contents.put(&session_id, kept), record.note(vec![decided.into()]));
        kept.and(decided)?;
        let applied = planned.set.apply(&self.settings.project);
        let is_stale = matches!(applied, Err(FilesError::Stale(_)));
        if let Err(error) = applied
            && !is_stale
        {
            return self.conclude_failed(call, ended, &planned.set, &ToolError::from(error).into(), record).await;
        }
        let landed = if is_stale { &[] } else { planned.set.files() };
        let mut bodies: Vec<EventBody> =
            landed.iter().map(|file| changed(call, file, accepted.hunks_of(file.path.as_str())).into()).collect();
        let mut changed: BTreeSet<String> = accepted.changed.clone();
        changed.extend(
            (if is_stale { &planned.set } else { &planned.changed }).files().iter().map(|file| file.path.to_string()),
        );
        if !changed.is_empty() {
            record.note(bodies).await?;
            let mut open = self.open(call, ended, record.approve()).await?;
            // What was decided about the others holds.
            open.set = open.set.only(|path| changed.contains(path));
            let ask = |verdict: &Verdict| question::of_effects(call, verdict, open.set.preview());
            let question = match approval {
                _ if open.set.is_empty() => return self.conclude(ended, &open.left_out.join(" "), record).await,
                Some(approval) => question::anew(approval, (Decision::Preview, ReasonCode::STALE_EFFECTS), ask),
                None => ask(&open.verdict),
            };
            return self.asking.put_to_user(call, question, record).await;
        }
        bodies.push(with_words(ended, &accepted.words(landed)).into());
        record.settle(bodies).await
    }

    /// A landing that failed; most often all of it is taken back, and else it is told what stays.
    async fn conclude_failed(
        &self,
        call: &ToolCall,
        ended: &CommandEnded,
        landing: &ChangeSet,
        fault: &Error,
        record: &mut Record<'_>,
    ) -> Result<CallOutcome, Error> {
        let done = plan_interrupted(landing, &self.settings.project).map_err(ToolError::from)?.done;
        let mut bodies: Vec<EventBody> =
            done.files().iter().map(|file| changed(call, file, Vec::new()).into()).collect();
        let landed = match done.is_empty() {
            true => "Nothing landed:".to_owned(),
            false => landed_words(done.files().iter().map(|file| file.path.as_str())),
        };
        bodies.push(with_words(ended, &format!("{landed} {}", fault.message)).into());
        record.settle(bodies).await
    }

    async fn conclude(&self, ended: &CommandEnded, words: &str, record: &mut Record<'_>) -> Result<CallOutcome, Error> {
        record.settle(vec![with_words(ended, words).into()]).await
    }
}

/// The part of a change that the user keeps, or all of it.
struct Accepted {
    preview: Preview,
    selection: HunkSelection,
    /// The numbers of its hunks where they were shown, if the user was asked.
    shown: BTreeMap<usize, usize>,
    /// The files that are no longer as shown, to be asked anew.
    changed: BTreeSet<String>,
    note: Option<String>,
    /// Sentences on what was left out before anyone decided.
    left_out: Vec<String>,
}

impl Accepted {
    fn all(open: &OpenEffects) -> Self {
        let preview = open.set.preview();
        let selection = HunkSelection::all(&preview);
        let (shown, changed, left_out) = (BTreeMap::new(), BTreeSet::new(), open.left_out.clone());
        Self { preview, selection, shown, changed, note: None, left_out }
    }

    /// The accepted part of what was shown, in the change as it is now.
    fn by_user(open: &OpenEffects, approval: &ResolvedApproval, redactor: &Redactor) -> Self {
        let resolved = &approval.resolved;
        let all = Self { note: resolved.reason.clone(), ..Self::all(open) };
        let Some(shown) = &approval.requested.preview else { return all };
        let named = resolved.hunks.clone().unwrap_or_else(|| shown.hunks.iter().map(|hunk| hunk.index).collect());
        let mut chosen = HunkSelection { accepted: named.into_iter().collect(), edited: resolved.edited.clone() };
        chosen.accepted.extend(resolved.edited.keys());
        if all.preview.preview_hash == shown.preview_hash {
            return Self { selection: chosen, ..all };
        }
        if shown.diff_hash.is_some() {
            // It isn't at hand; all of it is asked anew.
            let changed = all.preview.hunks.iter().map(|hunk| hunk.path.clone()).collect();
            return Self { selection: HunkSelection::default(), changed, ..all };
        }
        let shown = question::preview_of(shown);
        // The log has placeholders for secrets.
        let now = Preview { diff: redactor.redact(&all.preview.diff).into_owned(), ..all.preview.clone() };
        let CarriedSelection { mut selection, changed, shown } = carry_selection(&shown, &now, &chosen);
        selection.accepted.extend(selection.edited.keys());
        Self { selection, shown, changed, ..all }
    }

    fn hunks_of(&self, path: &str) -> Vec<usize> {
        let hunks = self.preview.hunks.iter();
        let kept = hunks.filter(|hunk| hunk.path == path && self.selection.accepted.contains(&hunk.index));
        kept.map(|hunk| self.shown.get(&hunk.index).copied().unwrap_or(hunk.index)).collect()
    }

    /// The words to the model.
    fn words(&self, landed: &[FileChange]) -> String {
        let mut words = landed_words(landed.iter().map(|file| file.path.as_str()));
        self.left_out.iter().take(MAX_NAMED).for_each(|sentence| words.push_str(&format!(" {sentence}")));
        let rejected: Vec<String> = self
            .preview
            .hunks
            .iter()
            .filter(|hunk| !self.selection.accepted.contains(&hunk.index))
            .map(|hunk| format!("{} ({}, line {})", hunk.index, hunk.path, hunk.old_start))
            .collect();
        if !rejected.is_empty() {
            let named = rejected.iter().take(MAX_NAMED).cloned().collect::<Vec<_>>().join(", ");
            words.push_str(&format!(" The user rejected {}: {named}.", plural(rejected.len() as u64, "hunk")));
        }
        for (index, text) in &self.selection.edited {
            words.push_str(&format!("\nIn hunk {index} the user wrote instead:\n{}", text.trim_end_matches('\n')));
        }
        if let Some(note) = &self.note {
            words.push_str(&format!("\nThe user's note: {note}"));
        }
        words
    }
}

fn without_changes(mut result: ToolResult, fault: Error) -> ToolResult {
    result.result.push_str(&format!("\n[Nothing of what it changed was kept: {} {}]", fault.message, fault.hint));
    (result.is_error, result.code) = (true, Some(fault.code));
    result
}

fn landed_words<'a>(paths: impl Iterator<Item = &'a str>) -> String {
    let paths: BTreeSet<&str> = paths.collect();
    if paths.is_empty() {
        return "Nothing of what it changed is in the project.".to_owned();
    }
    let named = paths.iter().take(MAX_NAMED).copied().collect::<Vec<_>>().join(", ");
    let more = match paths.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} changed: {named}{more}.", plural(paths.len() as u64, "file"))
}

/// The result of a call with what became of its changes.
fn with_words(ended: &CommandEnded, words: &str) -> ToolResult {
    let mut result = ended.result.clone();
    if !words.is_empty() {
        let gap = if result.result.ends_with('\n') { "" } else { "\n" };
        result.result.push_str(&format!("{gap}[{words}]"));
    }
    result
}

fn effects_of(set: &ChangeSet) -> Vec<FileEffect> {
    let effect = |file: &FileChange| FileEffect {
        path: file.path.to_string(),
        before_hash: file.before.as_ref().and_then(FileContent::hash),
        after_hash: file.after.as_ref().and_then(FileContent::hash),
        before_permissions: permissions(file),
        before_link: file.before.as_ref().is_some_and(FileContent::is_link),
    };
    set.files().iter().map(effect).collect()
}

/// The files before and after, so that the change can be finished after a crash, and taken back.
fn images(set: &ChangeSet) -> Vec<Content> {
    let contents = set.files().iter().flat_map(|file| [file.before.as_ref(), file.after.as_ref()]).flatten();
    let image = |content: &FileContent| {
        Some(Content { hash: content.hash()?, bytes: content.to_vec(), kind: ContentKind::Plain })
    };
    contents.filter_map(image).collect()
}

/// Returns the permissions that a file loses, by its removal or by others; any other file's are told by what is there.
fn permissions(file: &FileChange) -> Permissions {
    if file.after.is_none() || file.changes_mode() { file.permissions() } else { Permissions::default() }
}

fn changed(call: &ToolCall, file: &FileChange, hunks: Vec<usize>) -> FileChanged {
    FileChanged {
        hunks,
        before_hash: file.before.as_ref().and_then(FileContent::hash),
        after_hash: file.after.as_ref().and_then(FileContent::hash),
        before_permissions: permissions(file),
        before_link: file.before.as_ref().is_some_and(FileContent::is_link),
        after_link: file.after.as_ref().is_some_and(FileContent::is_link),
        ..file_changed(file.path.to_string(), &call.call_id)
    }
}
