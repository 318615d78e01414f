//! Hooks at the moments of a run that are no calls: on its way in, on what the user says meanwhile, on its way out. The
//! host runs them, so that no core can go without, and reads what they said off the log.
//!
//! A sub-agent's run has none of them: what a model writes to another is no prompt of the user's, and its end is not the
//! end of the work.

use crate::call_runner::CallRunner;
use crate::run_log::RunLog;
use arki_domain::projection::{AnsweredHook, NextStep, QueuedMessage};
use arki_domain::{Code, Error, HookMoment, MessageId, QueueMode, SessionSource};

/// The hooks of a run, which its log tells of.
pub(crate) struct LifecycleHooks<'a> {
    pub(crate) calls: &'a CallRunner,
    pub(crate) log: &'a mut RunLog,
}

impl LifecycleHooks<'_> {
    /// Runs the hooks that come before a run's first request. Returns why one of them ends the run.
    pub(crate) async fn before_prompt(&mut self) -> Result<Option<Error>, Error> {
        if self.log.state.is_ended() || self.log.state.parent.is_some() || self.log.state.turn > 0 {
            return Ok(None);
        }
        if !self.is_cancelled()
            && let Some(stopped) = self.at_session_start().await?
        {
            return Ok(Some(stopped));
        }
        // Where the run is stopped before they have answered, the log then says that they let nothing pass.
        let moment = HookMoment::Prompt { text: self.log.state.prompt.clone(), message_id: None };
        self.calls.run_hooks(self.log, &moment).await?;
        Ok(self.objection(&moment).map(prompt_blocked))
    }

    /// Runs the hooks of a session that begins, is taken up again, or was compacted since the model was last asked.
    /// Returns why one of them ends the run.
    pub(crate) async fn at_session_start(&mut self) -> Result<Option<Error>, Error> {
        let Some(source) = self.session_source() else { return Ok(None) };
        let moment = HookMoment::SessionStart(source);
        self.calls.run_hooks(self.log, &moment).await?;
        Ok(self.objection(&moment).map(stopped))
    }

    /// Runs the hooks that come before a run completes; returns whether the agent goes on. What the user said meanwhile is
    /// delivered.
    pub(crate) async fn is_held(&mut self) -> Result<bool, Error> {
        if self.log.state.parent.is_none() {
            let moment = HookMoment::Stop {
                last_text: self.log.state.last_text.clone(),
                times_held: self.log.state.hooks.times_held(),
            };
            if self.calls.run_hooks(self.log, &moment).await? {
                self.deliver_steering().await?;
            }
        }
        Ok(self.log.state.next_step() != NextStep::Complete)
    }

    /// Delivers the user's messages before the model is asked again. What a hook blocks waits on, as the prompt of a run
    /// of its own: nobody but the user takes it out of the queue.
    pub(crate) async fn deliver_steering(&mut self) -> Result<(), Error> {
        self.log.catch_up().await?;
        let steering: Vec<QueuedMessage> = self.log.transcript.queue().steering().cloned().collect();
        if steering.is_empty() {
            return Ok(());
        }
        let (mut delivered, mut held) = (Vec::new(), Vec::new());
        for message in steering {
            let moment =
                HookMoment::Prompt { text: message.text.clone(), message_id: Some(message.message_id.clone()) };
            self.calls.run_hooks(self.log, &moment).await?;
            let place = if self.objection(&moment).is_some() { &mut held } else { &mut delivered };
            place.push(message);
        }
        if self.is_cancelled() {
            return Ok(());
        }
        self.log.catch_up().await?;
        self.change_queue(&delivered, &held).await
    }

    /// Only what is still as it was checked: the user may have changed it while hooks ran.
    async fn change_queue(&mut self, delivered: &[QueuedMessage], held: &[QueuedMessage]) -> Result<(), Error> {
        let queue = self.log.transcript.queue();
        let is_as_checked = |message: &QueuedMessage| queue.get(&message.message_id) == Some(message);
        let ids: Vec<MessageId> = delivered
            .iter()
            .filter(|message| is_as_checked(message))
            .map(|message| message.message_id.clone())
            .collect();
        let rest: Vec<QueuedMessage> = queue
            .messages()
            .iter()
            .filter(|message| !ids.contains(&message.message_id))
            .map(|message| match held.contains(message) {
                true => QueuedMessage { mode: QueueMode::FollowUp, ..message.clone() },
                false => message.clone(),
            })
            .collect();
        if rest == queue.messages() {
            return Ok(());
        }
        let changed = queue.changed_to(&rest, ids);
        self.log.append(vec![changed.into()]).await
    }

    fn is_cancelled(&self) -> bool {
        self.calls.stops.cancel.is_cancelled()
    }

    fn objection<'a>(&'a self, moment: &'a HookMoment) -> Option<&'a AnsweredHook> {
        self.log.state.hooks.at(moment).find(|answered| answered.blocks())
    }

    fn session_source(&self) -> Option<SessionSource> {
        if self.log.state.parent.is_some() {
            None
        } else if self.log.transcript.is_compacted_anew() {
            Some(SessionSource::Compact)
        } else {
            self.log.state.session_start.filter(|_| self.log.state.turn == 0)
        }
    }
}

fn prompt_blocked(answered: &AnsweredHook) -> Error {
    let message = format!("The hook {:?} blocked this message: {}", answered.hook, reason(answered));
    let hint = "The model didn't get it. Change it and send it again, or change the hook and run `arki resume last`.";
    Error::new(Code::HOOK_BLOCKED_PROMPT, message, hint)
}

fn stopped(answered: &AnsweredHook) -> Error {
    let hint = "Resume the run with `arki resume last` once the cause is gone, or change the hook.";
    Error::new(Code::HOOK_STOPPED, format!("The hook {:?} stopped the run: {}", answered.hook, reason(answered)), hint)
}

fn reason(answered: &AnsweredHook) -> &str {
    answered.said.as_deref().unwrap_or("it gave no reason")
}
