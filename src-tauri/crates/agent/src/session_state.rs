//! The session's state as a run sees it, and when what a core changes in it is stored.

use crate::run_host::RunHost;
use arki_domain::projection::StateSavingStrategy;
use arki_domain::{EventBody, Fault};
use serde_json::{Map, Value};

impl RunHost {
    /// The session's state: with what this run has set, stored or not.
    #[must_use]
    pub fn agent_state(&self) -> &Map<String, Value> {
        self.seen_state().values()
    }

    /// Makes `values` the session's state. It is stored at once, or with [`StateSavingStrategy::Implicit`] when the run
    /// ends or waits.
    ///
    /// # Errors
    /// `STATE_TOO_LARGE`, and those of the log. The state is as before then.
    pub async fn set_agent_state(&mut self, values: Map<String, Value>) -> Result<(), Fault> {
        let seen = self.seen_state();
        let change = seen.change_to(&values);
        let changed = seen.changed(&change)?;
        match self.parts.state_saving {
            _ if change.is_empty() => {}
            StateSavingStrategy::Explicit => self.append(vec![change.into()]).await?,
            StateSavingStrategy::Implicit => self.unsaved_state = Some(changed),
        }
        Ok(())
    }

    /// Takes what the run's copy of the state has that is not stored; there is no copy any more then.
    pub(crate) fn take_unsaved_state(&mut self) -> Option<EventBody> {
        let unsaved = self.unsaved_state.take()?;
        let change = self.progress.agent_state.change_to(unsaved.values());
        (!change.is_empty()).then(|| change.into())
    }
}
