//! Models that only their servers know, those of the user's own computer or network: who is asked, and what is made of
//! the answer.

use crate::catalogue::{self, ModelInfo, ModelSource};
use crate::model_list::ListedModel;
use crate::proxy::is_loopback;
use crate::{ProviderKind, ProviderSettings};
use reqwest::Url;

/// Vendors' models are in the catalogue, with prices; asking for them would cost a request and a look into the keychain.
pub(crate) fn is_asked(settings: &ProviderSettings) -> bool {
    let is_here =
        || settings.base_url.as_deref().and_then(|url| Url::parse(url).ok()).is_some_and(|url| is_loopback(&url));
    match settings.kind {
        ProviderKind::Demo => false,
        ProviderKind::Ollama => true,
        ProviderKind::Custom => settings.is_local || is_here(),
        _ => settings.is_local,
    }
}

/// Returns the facts about a model: the user's settings go before what the server says, and that before the defaults.
pub(crate) fn info(settings: &ProviderSettings, model: &str, listed: &ListedModel) -> ModelInfo {
    let info = catalogue::model_info(settings, model);
    let configured = settings.models.get(model).cloned().unwrap_or_default();
    let said = configured.context_window.or(match settings.kind {
        ProviderKind::Ollama => listed.chosen_window,
        _ => listed.context_window,
    });
    // What Ollama says is the most that a model can take; it is loaded with what is asked for.
    let most = match settings.kind {
        ProviderKind::Ollama => listed.context_window,
        _ => listed.trained_window.filter(|_| said.is_none()),
    };
    let window = said.unwrap_or(info.context_window);
    let has_told = listed.context_window.is_some() || listed.chosen_window.is_some();
    let says_something = has_told || listed.capabilities.is_some();
    let source = match info.source {
        ModelSource::Local | ModelSource::Default if says_something => ModelSource::Server,
        source => source,
    };
    ModelInfo {
        context_window: most.map_or(window, |most| window.min(most)),
        assumes_window: info.assumes_window && !has_told,
        output_limit: configured.output_limit.or(listed.output_limit).or(info.output_limit),
        capabilities: configured.capabilities.or_else(|| listed.capabilities.clone()).unwrap_or(info.capabilities),
        assumes_capabilities: info.assumes_capabilities && listed.capabilities.is_none(),
        source,
        ..info
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capability, ModelSettings};

    fn provider(kind: ProviderKind, base_url: &str, is_local: bool) -> ProviderSettings {
        ProviderSettings { base_url: Some(base_url.into()), is_local, ..ProviderSettings::new("p", kind) }
    }

    #[test]
    fn only_servers_nearby_are_asked() {
        let asked = |kind, url, is_local| is_asked(&provider(kind, url, is_local));
        assert!(asked(ProviderKind::Ollama, "http://10.0.0.2:11434", false));
        assert!(asked(ProviderKind::Custom, "http://127.0.0.1:8080/v1", false));
        assert!(asked(ProviderKind::Custom, "http://lab.example/v1", true));
        assert!(!asked(ProviderKind::Custom, "https://api.example/v1", false));
        assert!(!asked(ProviderKind::Openai, "http://127.0.0.1:8080/v1", false));
        assert!(!is_asked(&ProviderSettings::new("demo", ProviderKind::Demo)));
    }

    #[test]
    fn the_user_goes_before_the_server_and_the_server_before_what_is_assumed() {
        let mut settings = provider(ProviderKind::Custom, "http://127.0.0.1:1/v1", true);
        let listed = ListedModel { id: "m".into(), context_window: Some(4096), ..ListedModel::default() };
        let from_server = info(&settings, &listed.id, &listed);
        assert_eq!((from_server.context_window, from_server.source), (4096, ModelSource::Server));
        settings.models.insert("m".into(), ModelSettings { context_window: Some(9), ..ModelSettings::default() });
        let able = ListedModel { capabilities: Some(vec![Capability::Text]), ..listed };
        let from_user = info(&settings, &able.id, &able);
        assert_eq!((from_user.context_window, from_user.source), (9, ModelSource::Configuration));
        assert_eq!(from_user.capabilities, [Capability::Text]);
        let silent = info(&settings, "other", &ListedModel { id: "other".into(), ..ListedModel::default() });
        assert_eq!(silent.source, ModelSource::Local);
    }
}
