//! `arki models` and `arki providers`: what is configured.

use crate::commands::keys::source;
use crate::exit::Exit;
use crate::output::Output;
use arki_domain::Fault;
use arki_engine::Engine;

pub(crate) fn models(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    for model in engine.models()? {
        if output.json {
            output.object(&model);
        } else {
            let window = model.context_window.map_or_else(String::new, |tokens| format!("{tokens} tokens"));
            output.line(format!("{:<32} {window:>16}  {}", model.id, model.capabilities.join(", ")));
        }
    }
    Ok(Exit::Done)
}

pub(crate) async fn providers(engine: &Engine, output: &Output) -> Result<Exit, Fault> {
    for provider in engine.providers_listed().await? {
        if output.json {
            output.object(&provider);
        } else {
            let (name, kind, key) = (&provider.name, &provider.kind, source(provider.key_source));
            output.line(format!("{name:<16} {kind:<12} {:<40} key: {key}", provider.base_url.unwrap_or_default()));
        }
    }
    Ok(Exit::Done)
}
