//! A session's own settings: its next run begins with them.

use arki_config::Config;
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

    /// Returns the configuration with the session's prompt, without the parts that it goes without.
    pub(crate) fn applied_to(&self, config: Config) -> Config {
        Config { session_prompt: self.system.clone(), off: self.off.clone(), ..config }
    }
}
