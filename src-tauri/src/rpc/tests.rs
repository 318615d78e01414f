//! Tests that the handlers are the commands that `arki-api` declares, with the same parameters and results. Read off the
//! sources: Tauri looks parameters up by their names, so that the compiler alone would not notice a renamed one.

use arki_api::{DeclaredCommand, declared_commands};

const REGISTERED: &str = include_str!("../desktop.rs");
const HANDLERS: &[(&str, &str)] = &[
    ("rpc", include_str!("../rpc.rs")),
    ("rpc_configured", include_str!("../rpc_configured.rs")),
    ("rpc_context", include_str!("../rpc_context.rs")),
    ("rpc_frames", include_str!("../rpc_frames.rs")),
    ("rpc_history", include_str!("../rpc_history.rs")),
    ("rpc_keeping", include_str!("../rpc_keeping.rs")),
    ("rpc_mcp", include_str!("../rpc_mcp.rs")),
    ("rpc_memory", include_str!("../rpc_memory.rs")),
    ("rpc_observations", include_str!("../rpc_observations.rs")),
    ("rpc_pictures", include_str!("../rpc_pictures.rs")),
    ("rpc_pipelines", include_str!("../rpc_pipelines.rs")),
    ("rpc_places", include_str!("../rpc_places.rs")),
    ("rpc_runs", include_str!("../rpc_runs.rs")),
    ("rpc_sent", include_str!("../rpc_sent.rs")),
    ("rpc_settings", include_str!("../rpc_settings.rs")),
    ("rpc_windows", include_str!("../rpc_windows.rs")),
];

#[test]
fn the_registered_handlers_are_the_declared_commands() {
    let list = between(REGISTERED, "generate_handler![", "]");
    let mut registered: Vec<DeclaredCommand> =
        list.split(',').map(str::trim).filter(|path| !path.is_empty()).map(handler).collect();
    registered.sort();
    let mut declared = declared_commands();
    declared.sort();
    assert!(declared.len() > 50, "only {} are declared", declared.len());
    compare(&declared, &registered);
}

/// Command by command, so that what differs can be seen.
fn compare(declared: &[DeclaredCommand], registered: &[DeclaredCommand]) {
    let missing = |from: &[DeclaredCommand], of: &[DeclaredCommand]| {
        from.iter().filter(|one| !of.contains(one)).map(|one| format!("{one:?}\n")).collect::<String>()
    };
    let (unhandled, undeclared) = (missing(declared, registered), missing(registered, declared));
    assert_eq!(
        (unhandled.as_str(), undeclared.as_str()),
        ("", ""),
        "declared alone:\n{unhandled}\nhandled alone:\n{undeclared}"
    );
    assert_eq!(declared.len(), registered.len(), "one is there twice");
}

/// The handler at `path` as its signature declares it.
fn handler(path: &str) -> DeclaredCommand {
    let (module, name) = path.split_once("::").unwrap();
    let (_, source) = HANDLERS.iter().find(|(of, _)| *of == module).unwrap();
    let beginning = format!("#[tauri::command]\npub(crate) async fn {name}(");
    let signature: String = between(source, &beginning, " {\n").split_whitespace().collect();
    let (parameters, result) = signature.rsplit_once(")->Answer<").unwrap();
    let mut command = DeclaredCommand {
        name: name.to_owned(),
        parameters: Vec::new(),
        result: result.strip_suffix('>').unwrap().to_owned(),
        step: None,
    };
    for (name, of) in parameters_of(parameters) {
        if let Some(step) = of.strip_prefix("Channel<") {
            assert_eq!(name, "on_step", "of {path}");
            command.step = Some(step.strip_suffix('>').unwrap().to_owned());
        } else if of != "AppHandle" && of != "Desktop" && !of.starts_with("State<") {
            command.parameters.push((name.to_owned(), of.trim_start_matches("arki_api::").to_owned()));
        }
    }
    command
}

/// Names and types; no type of a parameter has a comma but `State`, behind its lifetime.
fn parameters_of(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|parameter| parameter.split_once(':'))
}

fn between<'a>(text: &'a str, beginning: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(beginning).unwrap_or_else(|| panic!("{beginning} is not there"));
    rest.split_once(end).unwrap().0
}
