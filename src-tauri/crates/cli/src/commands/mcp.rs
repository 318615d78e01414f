//! `arki mcp`: servers that bring tools of their own.

use crate::arguments::McpCommand;
use crate::exit::Exit;
use crate::output::Printer;
use arki_api::{
    McpChangedTool, McpServerEntry, McpServerSettings, McpServerState, McpTestStep, McpTestStepName, McpVariable,
    PinChange,
};
use arki_domain::{Code, Fault};
use arki_engine::{Engine, EnvironmentKeys, one_line};
use serde_json::json;
use std::path::Path;

pub(crate) async fn run(engine: &Engine, dir: &Path, command: McpCommand, output: &Printer) -> Result<Exit, Fault> {
    match command {
        McpCommand::List => list(engine, dir, output),
        McpCommand::Add { name, env, network, url, header, command } => {
            let mut command = command.into_iter();
            let settings = McpServerSettings {
                command: command.next(),
                args: command.collect(),
                env: env.iter().map(|given| variable(given, '=')).collect::<Result<_, _>>()?,
                network,
                url,
                headers: header.iter().map(|given| variable(given, ':')).collect::<Result<_, _>>()?,
            };
            add(engine, name.trim(), &settings, output)
        }
        McpCommand::Rm { name } => {
            engine.mcp().remove_mcp_server(&name)?;
            match output.json {
                true => output.object(&json!({ "name": name, "removed": true })),
                false => output.line(format!("Removed {name}.")),
            }
            Ok(Exit::Done)
        }
        McpCommand::Test { name } => test(engine, dir, &name, output).await,
        McpCommand::Agree { name } => agree(engine, dir, &name, output).await,
        McpCommand::Login { name } => login(engine, dir, &name, output).await,
        McpCommand::Prompts { name, prompt: None, .. } => prompts(engine, dir, &name, output).await,
        McpCommand::Prompts { name, prompt: Some(prompt), arguments } => {
            let arguments = arguments.iter().map(|argument| named_value(argument)).collect::<Result<_, _>>()?;
            let text = engine.mcp().mcp_prompt(dir, &name, &prompt, &arguments).await?;
            match output.json {
                true => output.object(&json!({ "name": prompt, "text": text })),
                false => output.line(text),
            }
            Ok(Exit::Done)
        }
    }
}

fn add(engine: &Engine, name: &str, settings: &McpServerSettings, output: &Printer) -> Result<Exit, Fault> {
    if settings.command.is_none() && settings.url.is_none() {
        return Err(Fault::new(
            Code::USAGE,
            "An MCP server needs a program or an address.",
            format!("Use `arki mcp add {name} -- COMMAND` or `arki mcp add {name} --url URL`."),
        ));
    }
    engine.mcp().add_mcp_server(name, settings)?;
    let is_secret = |one: &&McpVariable| {
        let value = one.value.as_deref().unwrap_or_default();
        EnvironmentKeys::looks_like_a_key(&one.name) && !value.contains("${")
    };
    for one in settings.env.iter().chain(&settings.headers).filter(is_secret) {
        output.aside(format!(
            "{} is stored in config.json in plain text. To keep it out, run `arki mcp rm {name}`, add the server \
            again with '${{{}}}', and set that variable.",
            one.name, one.name
        ));
    }
    if output.json {
        output.object(&json!({ "name": name, "added": true }));
        return Ok(Exit::Done);
    }
    let network =
        if settings.command.is_some() && !settings.network { " Its program has no network access." } else { "" };
    output.line(format!("Added {name}.{network} Run `arki mcp test {name}` to try it."));
    Ok(Exit::Done)
}

/// `NAME=VALUE`, or `NAME: VALUE`.
fn variable(given: &str, between: char) -> Result<McpVariable, Fault> {
    let (name, value) = given.split_once(between).ok_or_else(|| {
        let hint = format!("Write it as NAME{between}VALUE.");
        Fault::new(Code::USAGE, "A variable or header has no name or no value.", hint)
    })?;
    let value = if between == ':' { value.trim() } else { value };
    Ok(McpVariable { name: name.trim().to_owned(), value: Some(value.to_owned()) })
}

fn list(engine: &Engine, dir: &Path, output: &Printer) -> Result<Exit, Fault> {
    for server in engine.mcp().mcp_listed(dir)? {
        if output.json {
            output.object(&server);
            continue;
        }
        let (name, transport, state) = (&server.name, &server.transport, state(server.state));
        output.line(format!(
            "{name:<20} {transport:<6} {state:<10} {:<10} {}",
            tools(&server),
            one_line(&server.place)
        ));
        if !server.changed.is_empty() {
            let count = server.changed.len();
            output.line(format!("  {count} tools changed and are off; review them with `arki mcp agree {name}`"));
        }
        for tool in &server.refused {
            output.line(format!("  {} is off: {}", one_line(&tool.name), tool.reason));
        }
    }
    engine.mcp().mcp_left_out(dir).iter().for_each(|words| output.aside(one_line(words)));
    Ok(Exit::Done)
}

fn state(state: McpServerState) -> &'static str {
    match state {
        McpServerState::Disabled => "disabled",
        McpServerState::Untrusted => "untrusted",
        McpServerState::Idle => "idle",
        McpServerState::Starting => "starting",
        McpServerState::Running => "running",
        McpServerState::Failed => "failed",
    }
}

fn tools(server: &McpServerEntry) -> String {
    match &server.tools {
        None => "? tools".to_owned(),
        Some(tools) if server.is_searched => format!("{} tools, searched", tools.len()),
        Some(tools) => format!("{} tools", tools.len()),
    }
}

async fn test(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    let mut listed = None;
    let mut on_step = |step: McpTestStep| match output.json {
        // Told with the tools.
        true if step.ok && step.step == McpTestStepName::Tools => listed = Some(step),
        true => output.object(&step),
        false => told(&step).into_iter().for_each(|line| output.line(line)),
    };
    if !engine.mcp().mcp_test(dir, name, &mut on_step).await? {
        return Ok(Exit::Failed);
    }
    let (tools, left_out) = engine.mcp().mcp_tools_listed(dir, name)?;
    if let Some(mut step) = listed.and_then(|step| serde_json::to_value(step).ok()) {
        let told = tools.iter().map(|tool| json!({ "name": tool.name, "description": tool.description }));
        step["tools"] = told.collect();
        step["leftOut"] = json!(left_out);
        output.object(&step);
        return Ok(Exit::Done);
    }
    for tool in &tools {
        output.line(format!("  {:<24} {}", one_line(&tool.name), first_line(&tool.description)));
    }
    for tool in &left_out {
        output.line(format!("  {:<24} left out: {}", one_line(&tool.name), tool.reason));
    }
    Ok(Exit::Done)
}

fn first_line(description: &str) -> String {
    one_line(description.lines().find(|line| !line.trim().is_empty()).unwrap_or_default())
}

fn told(step: &McpTestStep) -> Vec<String> {
    let mark = if step.ok { "\x1b[32m✓\x1b[0m" } else { "\x1b[31m✕\x1b[0m" };
    let name = match step.step {
        arki_api::McpTestStepName::Start => "start",
        arki_api::McpTestStepName::Initialize => "initialize",
        arki_api::McpTestStepName::Tools => "tools",
    };
    let mut lines = vec![format!("{mark} {name:<10} {:>6} ms  {}", step.duration_ms, one_line(&step.message))];
    lines.extend(step.hint.iter().filter(|hint| !hint.is_empty()).map(|hint| format!("  hint: {hint}")));
    if let Some(trail) = &step.trail {
        lines.push("  last output:".to_owned());
        lines.extend(trail.lines().map(|line| format!("  | {}", one_line(line))));
    }
    lines
}

async fn agree(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    let before = engine.mcp().mcp_look(dir, name).await?;
    if !output.json {
        before.changed.iter().flat_map(difference).for_each(|line| output.line(line));
    }
    engine.mcp().mcp_agree(dir, name, &before.digest).await?;
    if output.json {
        before.changed.iter().for_each(|change| output.object(change));
    } else {
        output.line(format!("Accepted the current tools of {name}."));
    }
    Ok(Exit::Done)
}

fn difference(tool: &McpChangedTool) -> Vec<String> {
    let (mark, word) = match tool.change {
        PinChange::Added => ("+", "new"),
        PinChange::Changed => ("~", "changed"),
        PinChange::Removed => ("-", "gone"),
    };
    let mut lines = vec![format!("{mark} {} ({word})", one_line(&tool.name))];
    for (sign, text) in [("-", &tool.before), ("+", &tool.now)] {
        let text = text.as_deref().unwrap_or_default();
        lines.extend(text.lines().map(|line| format!("    {sign} {}", one_line(line))));
    }
    lines
}

async fn login(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    // Beside the answer, so that `--json` stays JSON.
    let show = |url: &str| {
        let words = format!("Open this page in a browser on this computer to sign in:\n{}", one_line(url));
        Printer::new(false).aside(words);
    };
    engine.mcp().mcp_sign_in(dir, name, show).await?;
    if output.json {
        output.object(&json!({ "name": name, "signedIn": true }));
    } else {
        output.line(format!("Signed in to {name}."));
    }
    Ok(Exit::Done)
}

async fn prompts(engine: &Engine, dir: &Path, name: &str, output: &Printer) -> Result<Exit, Fault> {
    for prompt in engine.mcp().mcp_prompts(dir, name).await? {
        if output.json {
            output.object(&prompt);
        } else {
            let arguments: Vec<String> =
                prompt.arguments.iter().map(|argument| format!(" {{{}}}", argument.name)).collect();
            output.line(format!("{}{}  {}", prompt.name, arguments.concat(), one_line(&prompt.description)));
        }
    }
    Ok(Exit::Done)
}

fn named_value(argument: &str) -> Result<(String, serde_json::Value), Fault> {
    let (name, value) = argument.split_once('=').ok_or_else(|| {
        let message = format!("\"{argument}\" has no argument name.");
        Fault::new(Code::USAGE, message, "Write it as NAME=VALUE.")
    })?;
    Ok((name.to_owned(), value.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_shows_what_the_server_printed() {
        let step = McpTestStep {
            step: arki_api::McpTestStepName::Initialize,
            ok: false,
            duration_ms: 5,
            message: "It ended.".into(),
            code: Some("MCP_SERVER_FAILED".into()),
            hint: Some("Look.".into()),
            trail: Some("Traceback\nno module".into()),
        };
        let lines = told(&step);
        assert!(lines[0].ends_with("initialize      5 ms  It ended."), "{}", lines[0]);
        assert_eq!(lines[1..], ["  hint: Look.", "  last output:", "  | Traceback", "  | no module"]);
    }
}
