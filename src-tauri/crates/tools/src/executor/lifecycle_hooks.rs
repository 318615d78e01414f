//! Hooks where there is no call: before a run's first request, on the user's words, before a run completes, and once it has
//! ended or waits.
//!
//! Each hook's answer is in the log before the next one runs, and what the log has of them is not asked for again.

use super::hook_runner::{HookRunner, HookTask, RanHook, context, told_of};
use super::record::Record;
use crate::hooks::Hook;
use crate::hooks::condition::ToolNaming;
use crate::hooks::occasion::HookOccasion;
use arki_domain::projection::{AnsweredHook, AnsweredHooks};
use arki_domain::{CallContext, Error, EventBody, HookMoment, HookOutcome, HookRan};

impl HookRunner {
    /// Runs the hooks of a moment in their order, until one blocks it.
    pub(super) async fn run_hooks_at(
        &self,
        moment: &HookMoment,
        answered: &AnsweredHooks,
        record: &mut Record<'_>,
    ) -> Result<(), Error> {
        let mut answered: Vec<&AnsweredHook> = answered.at(moment).collect();
        if answered.iter().any(|answered| answered.blocks()) {
            return Ok(());
        }
        let occasion = HookOccasion::Moment(moment.clone());
        for (hook, spoken) in self.hooks_at(moment, &occasion) {
            let is_it = |known: &&AnsweredHook| known.hook == hook.name && known.command == hook.action.command();
            if let Some(place) = answered.iter().position(is_it) {
                answered.remove(place);
                continue;
            }
            let ran = self.run_hook_at(hook, &spoken, (moment, &occasion), record.context).await;
            let event = HookRan { message_id: moment.message_id().cloned(), ..told_of(hook, &ran, None) };
            let is_last = event.blocks() || event.outcome == Some(HookOutcome::Cancelled);
            // What the user said is kept from the model; what holds the run is said to it.
            let reason = ran.answer.reason.as_deref().filter(|_| event.holds_run());
            let texts = [reason, ran.answer.context.as_deref()].into_iter().flatten();
            let contexts: Vec<EventBody> = texts.map(|text| context(hook, text)).collect();
            record.note(std::iter::once(event.into()).chain(contexts).collect()).await?;
            if is_last {
                break;
            }
        }
        Ok(())
    }

    /// Runs the hooks of a notification. Returns what is to be told of them.
    pub(super) async fn run_notification_hooks(&self, moment: &HookMoment, run: &CallContext) -> Vec<HookRan> {
        let occasion = HookOccasion::Moment(moment.clone());
        let mut told = Vec::new();
        for (hook, spoken) in self.hooks_at(moment, &occasion) {
            let ran = self.run_hook_at(hook, &spoken, (moment, &occasion), run).await;
            told.push(told_of(hook, &ran, None));
        }
        told
    }

    fn hooks_at<'a>(
        &'a self,
        moment: &'a HookMoment,
        occasion: &'a HookOccasion,
    ) -> impl Iterator<Item = (&'a Hook, ToolNaming)> {
        let hooks = if self.runs_hooks() { self.settings.hooks.as_slice() } else { &[] };
        let of_event = hooks.iter().filter(|hook| hook.event == moment.event());
        of_event.filter_map(|hook| Some((hook, self.spoken_to(hook, occasion)?)))
    }

    async fn run_hook_at(
        &self,
        hook: &Hook,
        spoken: &ToolNaming,
        (moment, occasion): (&HookMoment, &HookOccasion),
        context: &CallContext,
    ) -> RanHook {
        let ran = self.carry_out_hook(HookTask::reading(hook, (occasion, spoken), context)).await;
        RanHook { answer: ran.answer.at(moment), ..ran }
    }
}
