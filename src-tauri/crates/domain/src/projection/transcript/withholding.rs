//! A prompt that a hook blocks counts in no request, of this run or a later one, until the run is tried again and the hook
//! lets it pass.

use super::Transcript;
use crate::{EventBody, PauseReason};

impl Transcript {
    pub(super) fn guard_prompt(&mut self, body: &EventBody) {
        match body {
            EventBody::HookRan(ran) if ran.blocks_prompt() => _ = self.withhold_prompt(true),
            // The hook is asked again too.
            EventBody::RunResumed(resumed) if resumed.reason == PauseReason::Failed => {
                self.is_prompt_retried = self.withhold_prompt(false);
            }
            EventBody::RunCancelled(_) | EventBody::RunFailed(_) if self.is_prompt_retried => {
                self.is_prompt_retried = false;
                self.withhold_prompt(true);
            }
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.is_prompt_retried = false,
            _ => {}
        }
    }

    /// Returns whether that changes anything.
    fn withhold_prompt(&mut self, is_withheld: bool) -> bool {
        let place = self.place(self.prompt_seq);
        let prompt = self.entries.iter_mut().rfind(|entry| entry.place == place && entry.is_withheld != is_withheld);
        let Some(prompt) = prompt else { return false };
        prompt.is_withheld = is_withheld;
        self.show_anew();
        true
    }
}
