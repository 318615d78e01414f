//! The commands about rules, hooks, agents and skills: thin delegates to the engine.

use crate::{Asker, CommandAnswer, Surroundings};
use arki_api::{AgentEntries, BacktestResult, GuideCommands, HookEntries, MadeUpEvent, SkillEntries, TriedHookEntry};
use std::path::PathBuf;

impl<S: Surroundings> GuideCommands for Asker<S> {
    async fn backtest_rule(self, rule: String) -> CommandAnswer<BacktestResult> {
        self.reading(move |engine| engine.approvals().rules().backtest_rule(&rule)).await
    }

    async fn add_rule(self, rule: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.approvals().rules().add_typed_rule(&rule)).await
    }

    async fn remove_rule(self, rule: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.approvals().rules().remove_rule(&rule)).await
    }

    async fn list_hooks(self, folder: Option<PathBuf>) -> CommandAnswer<HookEntries> {
        self.reading(move |engine| arki_engine::list_hooks(engine.projects(), folder.as_deref())).await
    }

    async fn list_agents(self, folder: Option<PathBuf>) -> CommandAnswer<AgentEntries> {
        self.reading(move |engine| arki_engine::list_agents(engine.projects(), folder.as_deref())).await
    }

    async fn list_skills(self, folder: Option<PathBuf>) -> CommandAnswer<SkillEntries> {
        self.reading(move |engine| arki_engine::list_skills(engine.projects(), folder.as_deref())).await
    }

    async fn try_hooks(self, folder: PathBuf, happens: MadeUpEvent) -> CommandAnswer<Vec<TriedHookEntry>> {
        Ok(self.engine().approvals().policy().try_hooks_with(&folder, happens).await?)
    }

    async fn open_configured(self, folder: Option<PathBuf>, path: String) -> CommandAnswer<()> {
        self.reading(move |engine| engine.own_programs().open_configured(folder.as_deref(), &path)).await
    }
}
