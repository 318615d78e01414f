//! Hooks at the moments of a run that are no calls: on its way in, on what the user says meanwhile, on its way out. The
//! host runs them, so that no core can go without, and reads what they said off the log.
//!
//! A sub-agent's run has none of them: what a model writes to another is no prompt of the user's, and its end is not the
//! end of the work.

use crate::run_host::{RunEnd, RunHost};
use arki_domain::projection::{AnsweredHook, NextStep, QueuedMessage};
use arki_domain::{Code, Fault, HookMoment, MessageId, QueueMode, SessionSource};

impl RunHost {
    /// Runs the hooks that come before a run's first request. One that blocks the prompt ends the run.
    pub(crate) async fn begin(&mut self) -> Result<Option<RunEnd>, Fault> {
        if self.record.state.is_ended() || self.record.state.parent.is_some() || self.record.state.turn > 0 {
            return Ok(None);
        }
        if !self.cancel.is_cancelled()
            && let Some(end) = self.start_session().await?
        {
            return Ok(Some(end));
        }
        // Where the run is stopped before they have answered, the log then says that they let nothing pass.
        let moment = HookMoment::Prompt { text: self.record.state.prompt.clone(), message_id: None };
        self.run_hooks(&moment).await?;
        match self.objection(&moment).map(prompt_blocked) {
            Some(fault) => self.failed(fault, None).await.map(Some),
            None => Ok(None),
        }
    }

    /// Runs the hooks of a session that begins, is taken up again, or was compacted since the model was last asked.
    pub(crate) async fn start_session(&mut self) -> Result<Option<RunEnd>, Fault> {
        let Some(source) = self.session_source() else { return Ok(None) };
        let moment = HookMoment::SessionStart(source);
        self.run_hooks(&moment).await?;
        match self.objection(&moment).map(stopped) {
            Some(fault) => self.failed(fault, None).await.map(Some),
            None => Ok(None),
        }
    }

    /// Runs the hooks that come before a run completes; returns whether the agent goes on. What the user said meanwhile is
    /// delivered.
    pub(crate) async fn is_held(&mut self) -> Result<bool, Fault> {
        if self.record.state.parent.is_none() {
            let moment = HookMoment::Stop {
                last_text: self.record.state.last_text.clone(),
                times_held: self.record.state.hooks.times_held(),
            };
            if self.run_hooks(&moment).await? {
                self.deliver_steering().await?;
            }
        }
        Ok(self.record.state.next_step() != NextStep::Complete)
    }

    /// Delivers the user's messages before the model is asked again. What a hook blocks waits on, as the prompt of a run
    /// of its own: nobody but the user takes it out of the queue.
    pub(crate) async fn deliver_steering(&mut self) -> Result<(), Fault> {
        self.record.catch_up().await?;
        let steering: Vec<QueuedMessage> = self.record.transcript.queue().steering().cloned().collect();
        if steering.is_empty() {
            return Ok(());
        }
        let (mut delivered, mut held) = (Vec::new(), Vec::new());
        for message in steering {
            let moment =
                HookMoment::Prompt { text: message.text.clone(), message_id: Some(message.message_id.clone()) };
            self.run_hooks(&moment).await?;
            let place = if self.objection(&moment).is_some() { &mut held } else { &mut delivered };
            place.push(message);
        }
        if self.cancel.is_cancelled() {
            return Ok(());
        }
        self.record.catch_up().await?;
        self.change_queue(&delivered, &held).await
    }

    /// Only what is still as it was checked: the user may have changed it while hooks ran.
    async fn change_queue(&mut self, delivered: &[QueuedMessage], held: &[QueuedMessage]) -> Result<(), Fault> {
        let queue = self.record.transcript.queue();
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
        self.record.append(vec![changed.into()]).await
    }

    /// Returns whether any ran.
    async fn run_hooks(&mut self, moment: &HookMoment) -> Result<bool, Fault> {
        let context = self.context(None);
        let events = self.parts.executor.run_hooks(moment, &self.record.state.hooks, &context).await?;
        self.record.take(&events).await?;
        Ok(!events.is_empty())
    }

    fn objection<'a>(&'a self, moment: &'a HookMoment) -> Option<&'a AnsweredHook> {
        self.record.state.hooks.at(moment).find(|answered| answered.blocks())
    }

    fn session_source(&self) -> Option<SessionSource> {
        if self.record.state.parent.is_some() {
            None
        } else if self.record.transcript.is_compacted_anew() {
            Some(SessionSource::Compact)
        } else {
            self.record.state.session_start.filter(|_| self.record.state.turn == 0)
        }
    }
}

fn prompt_blocked(answered: &AnsweredHook) -> Fault {
    Fault::new(
        Code::HOOK_BLOCKED_PROMPT,
        format!("The hook {:?} blocked this message: {}", answered.hook, reason(answered)),
        "The model didn't get it. Change it and send it again, or change the hook and run `arki resume last`.",
    )
}

fn stopped(answered: &AnsweredHook) -> Fault {
    Fault::new(
        Code::HOOK_STOPPED,
        format!("The hook {:?} stopped the run: {}", answered.hook, reason(answered)),
        "Resume the run with `arki resume last` once the cause is gone, or change the hook.",
    )
}

fn reason(answered: &AnsweredHook) -> &str {
    answered.said.as_deref().unwrap_or("it gave no reason")
}
