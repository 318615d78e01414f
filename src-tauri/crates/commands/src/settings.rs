//! The commands about providers, models and keys: thin delegates to the engine. A key goes in and never out.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{
    LiveModelList, LocalServer, ModelEntry, ProviderEntry, ProviderTestStep, SettingChange, SettingCommands,
    SettingEntry, Steps,
};
use std::path::PathBuf;

impl<S: Surroundings> SettingCommands for Asker<S> {
    async fn list_models(self) -> CommandAnswer<Vec<ModelEntry>> {
        self.reading(|engine| engine.accounts().models()).await
    }

    async fn live_models(self) -> CommandAnswer<LiveModelList> {
        Ok(self.engine().accounts().live_models().await?)
    }

    async fn test_provider(
        self,
        provider: String,
        model: Option<String>,
        mut tell: Steps<ProviderTestStep>,
    ) -> CommandAnswer<bool> {
        Ok(self.engine().accounts().test_provider(&provider, model.as_deref(), &mut *tell).await?)
    }

    async fn list_providers(self) -> CommandAnswer<Vec<ProviderEntry>> {
        Ok(self.engine().accounts().providers_listed().await?)
    }

    async fn set_key(self, provider: String, key: String) -> CommandAnswer<()> {
        let key = zeroize::Zeroizing::new(key);
        Ok(self.engine().accounts().set_key(&provider, &key).await?)
    }

    async fn remove_key(self, provider: String) -> CommandAnswer<()> {
        Ok(self.engine().accounts().remove_key(&provider).await?)
    }

    async fn save_provider(self, name: String, kind: String, base_url: Option<String>) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().save_provider(&name, &kind, base_url.as_deref())).await
    }

    async fn remove_provider(self, name: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().remove_provider(&name)).await
    }

    async fn set_reflection(self, on: bool) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().set_reflection(on)).await
    }

    async fn set_default_model(self, model: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().set_default_model(&model)).await
    }

    async fn find_local_servers(self) -> CommandAnswer<Vec<LocalServer>> {
        Ok(self.engine().accounts().find_local_servers().await?)
    }

    async fn choose_local_model(self, server: String, model: String) -> CommandAnswer<String> {
        self.reading(move |engine| engine.accounts().choose_local_model(&server, &model)).await
    }

    async fn list_settings(self, folder: Option<PathBuf>) -> CommandAnswer<Vec<SettingEntry>> {
        self.reading(move |engine| arki_engine::list_settings(engine.projects(), folder.as_deref())).await
    }

    async fn set_setting(self, key: String, text: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().set_config(&key, &text)).await?;
        self.surroundings.settings_changed().await;
        Ok(())
    }

    async fn unset_setting(self, key: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().unset_config(&key)).await?;
        self.surroundings.settings_changed().await;
        Ok(())
    }

    async fn change_settings(self, changes: Vec<SettingChange>) -> CommandAnswer<()> {
        self.reading(move |engine| engine.accounts().change_config(&changes)).await?;
        self.surroundings.settings_changed().await;
        Ok(())
    }
}
