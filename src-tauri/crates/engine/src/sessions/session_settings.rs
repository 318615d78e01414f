//! A session's own settings: its next run begins with them.

use crate::config::Config;
use arki_domain::projection::Overview;

/// The settings; `None` where the configuration's hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SessionSettings {
    pub(crate) model: Option<String>,
    pub(crate) effort: Option<String>,
    pub(crate) core: Option<String>,
    pub(crate) system: Option<String>,
    /// The parts that its requests go without, by their ids.
    pub(crate) off: Vec<String>,
    pub(crate) disabled_tools: Vec<String>,
}

impl SessionSettings {
    pub(crate) fn in_overview(overview: &Overview) -> Self {
        Self {
            model: overview.model.clone(),
            effort: overview.effort.clone(),
            core: overview.core.clone(),
            system: overview.system.clone(),
            off: overview.off.clone(),
            disabled_tools: overview.disabled_tools.clone(),
        }
    }
}

impl Config {
    /// Applies the session's prompt, and the parts that it goes without, to the configuration.
    pub(crate) fn in_session(mut self, settings: &SessionSettings) -> Self {
        self.session_prompt.clone_from(&settings.system);
        self.off.clone_from(&settings.off);
        self
    }
}
