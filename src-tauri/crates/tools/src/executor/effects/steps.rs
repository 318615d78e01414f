//! The changes that the steps of a pipeline, and hooks after an edit, make in their views. Nobody is asked: starting the pipeline
//! has approved what its steps change, so all of it lands, or, where one of the files may not be changed so, nothing, and
//! the step fails. Of a hook's changes those land that are of the edit's files.
//!
//! A step is run again if its attempt was cut off. What that attempt had landed is taken back before, so that a step has
//! changed the project once, however often it was begun.

use super::stored::listed;
use super::{CommandEffects, changed, effects_of, images};
use crate::executor::call_log::CallLog;
use crate::outcome::ToolError;
use arki_domain::{
    ApprovalMode, CallContext, Code, Decision, Error, Event, EventBody, FileChanged, PolicyDecided, ToolCall,
};
use arki_files::{Effect, plan_effects, plan_interrupted};
use arki_policy::Verdict;
use std::sync::Arc;

impl CommandEffects {
    /// Lands what a step changed; returns the changes as they are told.
    ///
    /// # Errors
    /// `POLICY_DENIED` for a file that no pipeline may change, `CHANGE_CONFLICT` for one that was changed meanwhile, and
    /// what writing can fail with. Nothing has landed then.
    pub(in crate::executor) async fn land_step(
        &self,
        call: &ToolCall,
        list: &str,
        (call_log, context): (&CallLog, &CallContext),
    ) -> Result<Vec<FileChanged>, Error> {
        let (effects, outside) = self.stored(list).await?;
        let planned = self.planned(effects)?;
        let conflict = planned.conflicts.first().map(|conflict| conflict.sentence.clone());
        let meanwhile = outside.first().map(|path| format!("{path} was changed while the step ran."));
        if let Some(why) = conflict.or(meanwhile) {
            let message = format!("Nothing of what the step changed landed: {why}");
            return Err(Error::new(Code::CHANGE_CONFLICT, message, "Resume the run; the step is run again."));
        }
        if planned.set.is_empty() {
            return Ok(Vec::new());
        }
        let judged = self.judge.judge_effects(call, &planned.set, ApprovalMode::All);
        let refused = judged.paths.iter().find(|path| path.decision != Decision::Allow);
        if let Some(refused) = refused {
            let message = format!("Starting a pipeline doesn't allow what this step changed: {}", refused.reason);
            let hint = "Use an `agent` step, whose changes you can review, or change the step.";
            return Err(Error::new(Code::POLICY_DENIED, message, hint));
        }
        let verdict =
            Verdict { decision: Decision::Allow, rule: judged.rule, reason: judged.reason, risk: judged.risk };
        let list = listed(&planned.set)?;
        let landing = Some(list.hash.clone());
        let kept = images(&planned.set).into_iter().chain([list]).collect();
        self.settings.contents.put(&context.session_id, kept).await?;
        let decided = PolicyDecided { landing, ..verdict.decided(call, effects_of(&planned.set)) };
        call_log.tell(context, vec![decided.into()]).await?;
        planned.set.apply(&self.settings.project).map_err(ToolError::from)?;
        let changes: Vec<FileChanged> =
            planned.set.files().iter().map(|file| changed(call, file, Vec::new())).collect();
        call_log.tell(context, changes.iter().cloned().map(EventBody::from).collect()).await?;
        Ok(changes)
    }

    /// Lands what a hook made of an edit's files; returns the other files that it changed.
    pub(in crate::executor) async fn land_formatted(
        &self,
        list: &str,
        is_edited: impl Fn(&str) -> bool,
    ) -> Result<Vec<String>, Error> {
        let (effects, outside) = self.stored(list).await?;
        // What the user saved meanwhile, the hook didn't see.
        if let Some(path) = outside.iter().find(|path| is_edited(path)) {
            let message = format!("{path} was changed while the hook ran.");
            return Err(Error::new(Code::CHANGE_CONFLICT, message, "Edit the file again, and the hook runs again."));
        }
        let (edited, others): (Vec<Effect>, Vec<Effect>) =
            effects.into_iter().partition(|effect| is_edited(effect.path.as_str()));
        let set = self.planned(edited)?.set;
        set.apply(&self.settings.project).map_err(ToolError::from)?;
        Ok(others.iter().map(|effect| effect.path.to_string()).collect())
    }

    /// Takes back what an attempt of the step landed that was cut off. What somebody changed since stays.
    pub(in crate::executor) async fn take_back_cut_off(
        &self,
        call: &ToolCall,
        (call_log, context): (&CallLog, &CallContext),
    ) -> Result<(), Error> {
        let events = call_log.log.read_after(&context.session_id, 0).await?;
        let Some(CutOff { landing, is_told }) = cut_off(&events, call) else { return Ok(()) };
        let (effects, _) = self.stored(&landing).await?;
        let back =
            effects.into_iter().map(|Effect { path, before, after }| Effect { path, before: after, after: before });
        let back = plan_effects(back.collect()).map_err(ToolError::from)?;
        let left = plan_interrupted(&back, &self.settings.project).map_err(ToolError::from)?.left;
        left.apply(&self.settings.project).map_err(ToolError::from)?;
        let told = left.files().iter().filter(|_| is_told).map(|file| changed(call, file, Vec::new()).into());
        call_log.tell(context, told.collect()).await
    }
}

/// The landing of an attempt that was cut off.
struct CutOff {
    landing: String,
    /// The log has what it changed.
    is_told: bool,
}

/// The log ends with the attempt that begins now.
fn cut_off(events: &[Arc<Event>], call: &ToolCall) -> Option<CutOff> {
    let (mut attempts, mut is_told) = (0, false);
    for event in events.iter().rev() {
        match event.body() {
            EventBody::StepStarted(started) if started.step == call.call_id.as_str() => {
                attempts += 1;
                if attempts > 1 {
                    return None;
                }
            }
            EventBody::StepCompleted(completed) if completed.step == call.call_id.as_str() => return None,
            EventBody::StepFailed(failed) if failed.step == call.call_id.as_str() => return None,
            EventBody::FileChanged(changed) => is_told |= changed.call_id == call.call_id,
            EventBody::PolicyDecided(decided) if decided.call_id == call.call_id => {
                if let Some(landing) = decided.landing.clone() {
                    return (attempts == 1).then_some(CutOff { landing, is_told });
                }
            }
            _ => {}
        }
    }
    None
}
