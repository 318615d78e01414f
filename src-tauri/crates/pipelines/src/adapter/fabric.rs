//! `fabric`: a pattern of the program `fabric`, which has keys of its own and asks a model over the network.

use super::command::run_command;
use super::{Adapter, AttemptResult, Grant, KeyProblem, StepFault, checked};
use crate::key_schema;
use crate::step_host::{CommandTask, StepHost, Task};
use arki_domain::{Code, Error};
use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// The file with `fabric`'s keys, within the home folder.
const KEYS: &str = ".config/fabric/.env";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FabricSettings {
    /// The pattern's name, as `fabric -p` takes it.
    pattern: String,
    /// The model, as `fabric -m` takes it.
    #[serde(default)]
    model: Option<String>,
}

pub(super) struct Fabric;

#[async_trait]
impl Adapter for Fabric {
    fn name(&self) -> &'static str {
        "fabric"
    }

    fn about(&self) -> &'static str {
        "Runs `fabric -p PATTERN` with the input on standard input. It may use the network and fabric's own keys."
    }

    fn settings(&self) -> Value {
        key_schema::of::<FabricSettings>()
    }

    fn check(&self, settings: &Value) -> Result<(), KeyProblem> {
        let settings: FabricSettings = checked(settings)?;
        let words = [("pattern", Some(&settings.pattern)), ("model", settings.model.as_ref())];
        for (key, word) in words {
            if let Some(word) = word
                && !is_word(word)
            {
                let message = format!("`{key}` can't be {word:?}.");
                return Err(KeyProblem::of(key, message, "Use letters, digits and `._:/-`, no `-` first."));
            }
        }
        Ok(())
    }

    fn grants(&self, _: &Value) -> Vec<Grant> {
        vec![Grant::Network, Grant::HomeFile { path: KEYS.to_owned() }]
    }

    async fn work(&self, task: &Task, world: &dyn StepHost) -> Result<AttemptResult, StepFault> {
        let FabricSettings { pattern, model } = task.read()?;
        if !world.has_program("fabric") {
            return Err(StepFault::final_(Error::new(
                Code::STEP_TOOL_MISSING,
                "The program `fabric` isn't installed.",
                "Install it, or use the adapter `agent` with the same `pattern`, which needs only fabric's patterns.",
            )));
        }
        let model = model.map(|model| format!(" -m {model}")).unwrap_or_default();
        let line = format!("fabric -p {pattern}{model}");
        let command = CommandTask { line: &line, network: true, home_files: &[KEYS] };
        run_command(task, &command, world).await
    }
}

/// Nothing that a shell or an option parser would read as more than a word.
pub(super) fn is_word(word: &str) -> bool {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "._:/-".contains(character);
    !word.is_empty() && word.len() <= 200 && !word.starts_with('-') && word.chars().all(is_allowed)
}
