//! `arki providers`: what is configured, and whether it works.

use crate::commands::keys::source;
use crate::exit::{CommandExit, Exit};
use crate::output::{Printer, word_of};
use arki_api::{KeyStatus, NamedChange, ProviderTestState, ProviderTestStep};
use arki_engine::Engine;
use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum ProvidersCommand {
    /// Add a provider to your configuration
    Add {
        /// The provider's name, as in PROVIDER/MODEL
        name: String,
        /// The kind: openai, openai-chat, anthropic, gemini, deepseek, ollama, openrouter or custom
        #[arg(long)]
        kind: String,
        /// The base URL of the API; default: the vendor's own
        #[arg(long, value_name = "URL")]
        base_url: Option<String>,
        /// The environment variable that holds the API key
        #[arg(long, value_name = "NAME")]
        key_env: Option<String>,
    },
    /// Remove a provider from your configuration
    Rm {
        /// The provider's name
        name: String,
    },
    /// Test a provider step by step: settings, key, connection, certificate, models; exit 1 if a step fails
    Test {
        /// The provider's name
        name: String,
        /// Also ask this model for a word, which costs a few tokens
        #[arg(long, value_name = "MODEL")]
        model: Option<String>,
    },
}

pub(crate) async fn run(engine: &Engine, command: Option<ProvidersCommand>, output: &Printer) -> CommandExit {
    match command {
        None => list(engine, output).await,
        Some(ProvidersCommand::Add { name, kind, base_url, key_env }) => {
            engine.accounts().add_provider(&name, &kind, base_url.as_deref(), key_env.as_deref())?;
            added(engine, name.trim(), output).await
        }
        Some(ProvidersCommand::Rm { name }) => {
            engine.accounts().remove_provider(&name)?;
            output.tell(&NamedChange::removed(&name), || {
                format!(
                    "Removed {name}. If its key is in the keychain, it stays there; `arki keys rm {name}` removes it."
                )
            });
            if let Err(fault) = engine.accounts().ensure_model_usable() {
                output.aside(format!("{} {}", fault.message, fault.hint));
            }
            Ok(Exit::Done)
        }
        Some(ProvidersCommand::Test { name, model }) => test(engine, &name, model.as_deref(), output).await,
    }
}

/// Prints the new provider and what is left to do.
async fn added(engine: &Engine, name: &str, output: &Printer) -> CommandExit {
    let Some(provider) = engine.accounts().providers_listed().await?.into_iter().find(|provider| provider.name == name)
    else {
        return Ok(Exit::Done);
    };
    if output.json {
        output.object(&provider);
        return Ok(Exit::Done);
    }
    output.line(format!("Added {name} ({}).", provider.kind));
    if provider.key_source == KeyStatus::Missing {
        let variable = provider.key_env.map_or_else(String::new, |variable| format!(", or set {variable}"));
        output.line(format!("It has no key yet: run `arki keys set {name}`{variable}."));
    }
    output.line(format!("Run `arki providers test {name}` to try it. Its models are named {name}/MODEL."));
    Ok(Exit::Done)
}

async fn list(engine: &Engine, output: &Printer) -> CommandExit {
    for provider in engine.accounts().providers_listed().await? {
        output.tell(&provider, || {
            let (name, kind, key) = (&provider.name, &provider.kind, source(provider.key_source));
            format!("{name:<16} {kind:<12} {:<40} key: {key}", provider.base_url.as_deref().unwrap_or_default())
        });
    }
    engine.accounts().ensure_model_usable()?;
    Ok(Exit::Done)
}

pub(super) async fn test(engine: &Engine, name: &str, model: Option<&str>, output: &Printer) -> CommandExit {
    let model = model.map(|model| model.strip_prefix(&format!("{name}/")).unwrap_or(model));
    let mut on_step = |step: ProviderTestStep| output.tell(&step, || line(&step));
    Ok(if engine.accounts().test_provider(name, model, &mut on_step).await? { Exit::Done } else { Exit::Failed })
}

fn line(step: &ProviderTestStep) -> String {
    let mark = match step.state {
        ProviderTestState::Ok => "\x1b[32m✓\x1b[0m",
        ProviderTestState::Skipped => "\x1b[2m–\x1b[0m",
        ProviderTestState::Failed => "\x1b[31m✕\x1b[0m",
    };
    let hint = step.hint.as_deref().map_or_else(String::new, |hint| format!(" {hint}"));
    format!("{mark} {:<9} {:>6} ms  {}{hint}", word_of(step.step), step.duration_ms, step.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_api::ProviderTestStepName;

    #[test]
    fn a_failed_step_says_what_to_do() {
        let step = ProviderTestStep {
            step: ProviderTestStepName::Reach,
            state: ProviderTestState::Failed,
            duration_ms: 12,
            message: "Can't reach lab.".into(),
            code: Some("PROVIDER_UNREACHABLE".into()),
            hint: Some("Start it.".into()),
        };
        assert!(line(&step).ends_with("reach         12 ms  Can't reach lab. Start it."), "{}", line(&step));
    }
}
