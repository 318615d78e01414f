//! A prompt that a hook blocks counts in no request, of this run or a later one, until the run is tried again and the hook
//! lets it pass.

use super::messages::TranscriptMessages;
use crate::{EventBody, PauseReason};

/// The last run's prompt.
#[derive(Debug, Clone, Default)]
pub(super) struct LastPrompt {
    /// Its event.
    pub(super) seq: u64,
    /// A hook blocked it, and the run was tried again: the model has not been asked since.
    is_retried: bool,
}

impl LastPrompt {
    pub(super) fn apply(&mut self, messages: &mut TranscriptMessages, body: &EventBody) {
        match body {
            EventBody::HookRan(ran) if ran.blocks_prompt() => _ = self.withhold(messages, true),
            // The hook is asked again too.
            EventBody::RunResumed(resumed) if resumed.reason == PauseReason::Failed => {
                self.is_retried = self.withhold(messages, false);
            }
            EventBody::RunCancelled(_) | EventBody::RunFailed(_) if self.is_retried => {
                self.is_retried = false;
                self.withhold(messages, true);
            }
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.is_retried = false,
            _ => {}
        }
    }

    /// Returns whether that changes anything.
    fn withhold(&self, messages: &mut TranscriptMessages, is_withheld: bool) -> bool {
        let place = messages.place(self.seq);
        let prompt =
            messages.entries.iter_mut().rfind(|entry| entry.place == place && entry.is_withheld != is_withheld);
        let Some(prompt) = prompt else { return false };
        prompt.is_withheld = is_withheld;
        messages.show_anew();
        true
    }
}
