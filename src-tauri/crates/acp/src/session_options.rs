//! The choices that a client offers for a session: the mode, the model and the reasoning effort.

use crate::messages::{SessionConfigOption, SessionMode, ValueOption};
use crate::rpc::RpcRefusal;
use arki_api::SessionChanges;
use arki_domain::projection::Overview;
use arki_domain::{ApprovalMode, Error, RunOptions, SessionId};
use arki_engine::Engine;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

const MODE: &str = "mode";
const MODEL: &str = "model";
const EFFORT: &str = "effort";
/// The value that stands for what is configured.
const AS_CONFIGURED: &str = "default";
const EFFORTS: [&str; 4] = ["minimal", "low", "medium", "high"];
/// Models that are offered; the current one is always among them.
const MAX_MODELS: usize = 500;

/// How the session's next runs work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum EditorMode {
    #[default]
    Ask,
    Edits,
    Plan,
}

const MODES: [(EditorMode, SessionMode); 3] = [
    (
        EditorMode::Ask,
        SessionMode { id: "ask", name: "Ask", description: "Ask before each change and each risky command" },
    ),
    (
        EditorMode::Edits,
        SessionMode { id: "edits", name: "Edits", description: "Write inside the project without asking" },
    ),
    (EditorMode::Plan, SessionMode { id: "plan", name: "Plan", description: "Only read, and plan" }),
];

impl EditorMode {
    pub(crate) fn named(id: &str) -> Result<Self, RpcRefusal> {
        let known = MODES.iter().find(|(_, mode)| mode.id == id);
        known.map(|(mode, _)| *mode).ok_or_else(|| {
            RpcRefusal::invalid_params(format!("There is no mode {id:?}. Use `ask`, `edits` or `plan`."))
        })
    }

    /// The mode that the session's last run worked in.
    pub(crate) fn last_in(overview: &Overview) -> Self {
        match overview.run.as_ref().map(|run| &run.options) {
            Some(options) if options.plan => Self::Plan,
            Some(options) if options.approve == ApprovalMode::Edits => Self::Edits,
            _ => Self::Ask,
        }
    }

    pub(crate) fn id(self) -> &'static str {
        MODES.iter().find(|(mode, _)| *mode == self).map_or("ask", |(_, mode)| mode.id)
    }

    pub(crate) fn run_options(self) -> RunOptions {
        let approve = if self == Self::Edits { ApprovalMode::Edits } else { ApprovalMode::Ask };
        RunOptions { approve, plan: self == Self::Plan, ..RunOptions::default() }
    }

    pub(crate) fn state(self) -> Value {
        let modes: Vec<&SessionMode> = MODES.iter().map(|(_, mode)| mode).collect();
        json!({"currentModeId": self.id(), "availableModes": modes})
    }
}

/// The choices as they stand.
pub(crate) struct SessionChoices {
    pub(crate) options: Vec<SessionConfigOption>,
    /// The model's context window, in tokens; `None` where nobody knows it.
    pub(crate) window: Option<u64>,
}

/// Returns the choices as they stand. Blocking.
///
/// # Errors
/// When the configuration has an error.
pub(crate) fn session_choices(
    engine: &Arc<Engine>,
    session: &SessionId,
    mode: EditorMode,
) -> Result<SessionChoices, Error> {
    let next = engine.next_requests().next_request(Path::new(""), Some(session))?;
    let modes = MODES.iter().map(|(_, mode)| option(mode.id, mode.name, Some(mode.description.to_owned())));
    let efforts = EFFORTS.iter().map(|effort| option(effort, effort, None));
    let configured = next.configured.effort.map(|effort| format!("As configured: {effort}"));
    let window = next.window;
    let efforts = std::iter::once(option(AS_CONFIGURED, "default", configured)).chain(efforts).collect();
    let effort = next.settings.effort.unwrap_or_else(|| AS_CONFIGURED.to_owned());
    let models = models(engine, &next.model)?;
    let choice = |(id, name, category), current_value, options| SessionConfigOption {
        id,
        name,
        category,
        current_value,
        options,
    };
    let options = vec![
        choice((MODE, "Mode", "mode"), mode.id().to_owned(), modes.collect()),
        choice((MODEL, "Model", "model"), next.model, models),
        choice((EFFORT, "Effort", "thought_level"), effort, efforts),
    ];
    Ok(SessionChoices { options, window })
}

fn models(engine: &Engine, current: &str) -> Result<Vec<ValueOption>, Error> {
    let models = engine.accounts().models()?;
    let mut options: Vec<ValueOption> = models
        .iter()
        .take(MAX_MODELS)
        .map(|model| option(&model.id, &model.name, Some(model.provider.clone())))
        .collect();
    if !options.iter().any(|option| option.value == current) {
        options.insert(0, option(current, current, None));
    }
    Ok(options)
}

fn option(value: &str, name: &str, description: Option<String>) -> ValueOption {
    ValueOption { value: value.to_owned(), name: name.to_owned(), description }
}

/// A choice that a client sets.
pub(crate) enum ChosenOption {
    Mode(EditorMode),
    Stored(SessionChanges),
}

impl ChosenOption {
    pub(crate) fn read(id: &str, value: String) -> Result<Self, RpcRefusal> {
        let changes = match id {
            MODE => return EditorMode::named(&value).map(Self::Mode),
            MODEL => SessionChanges { model: Some(value), ..SessionChanges::default() },
            EFFORT => {
                let effort = if value == AS_CONFIGURED { String::new() } else { value };
                SessionChanges { effort: Some(effort), ..SessionChanges::default() }
            }
            _ => return Err(RpcRefusal::invalid_params(format!("There is no option {id:?}."))),
        };
        Ok(Self::Stored(changes))
    }
}
