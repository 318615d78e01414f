//! `arki exec`: one headless run.

use crate::arguments::{APPROVAL_MODES, one_of};
use crate::exit::{CommandExit, wrong_use};
use crate::follow;
use crate::json_fault::not_json;
use crate::output::{Printer, visible};
use crate::regular_file;
use crate::standard_input;
use arki_domain::{ApprovalMode, Code, Error, MAX_IMAGE_BYTES, RunOptions};
use arki_engine::{Client, Engine, OpenedFolder, RunTarget, StartRun, ensure_usable_schema};
use clap::Args;
use serde_json::Value;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Run one prompt: print the answer on standard output and the tools' activity on standard error
#[derive(Debug, Args)]
pub(crate) struct ExecArguments {
    /// The prompt; `-` or nothing reads it from standard input. With a prompt, piped input is appended to it
    prompt: Option<String>,
    /// Don't read standard input
    #[arg(long)]
    no_stdin: bool,
    /// The model, as PROVIDER/MODEL; default: the configured one
    #[arg(long)]
    model: Option<String>,
    /// Continue this session
    #[arg(long, value_name = "ID", conflicts_with = "continue_last")]
    session: Option<String>,
    /// Continue the folder's newest session
    #[arg(long = "continue")]
    continue_last: bool,
    /// Work in the project's worktree for this branch; it is made first if there is none (see `arki worktrees`)
    #[arg(long, value_name = "BRANCH", conflicts_with = "session", allow_hyphen_values = true)]
    worktree: Option<String>,
    /// Choose how the agent works: `tool-loop` acts step by step, `pes` plans first; default: the configured core
    #[arg(long, value_name = "NAME")]
    core: Option<String>,
    /// Approve calls in advance: `edits` approves writes inside the project, `all` everything that isn't denied,
    /// `never` rejects whatever needs approval
    #[arg(long, default_value = "ask", value_parser = one_of(APPROVAL_MODES))]
    approve: ApprovalMode,
    /// Only plan: give the model read-only tools
    #[arg(long)]
    plan: bool,
    /// Pause after this many model turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_turns: Option<u32>,
    /// Pause after this many seconds
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=31_536_000))]
    max_seconds: Option<u64>,
    /// Pause once this much is spent
    #[arg(long, value_name = "USD", value_parser = dollars)]
    max_cost: Option<f64>,
    /// Add this to the system prompt, for this run
    #[arg(long, value_name = "TEXT")]
    system: Option<String>,
    /// Have the model use this skill (see `arki skills`); repeatable
    #[arg(long, value_name = "NAME")]
    skill: Vec<String>,
    /// Switch this tool off in the session (see `arki tools`); repeatable
    #[arg(long, value_name = "NAME")]
    disable_tool: Vec<String>,
    /// Attach this picture to the prompt (PNG, JPEG, GIF or WebP), relative to -C; repeatable
    #[arg(long, value_name = "FILE")]
    image: Vec<PathBuf>,
    /// A file with a JSON Schema, relative to -C; an answer that doesn't match it is an error
    #[arg(long, value_name = "FILE")]
    output_schema: Option<PathBuf>,
    /// Keep nothing after the run
    #[arg(long, conflicts_with_all = ["session", "continue_last", "worktree"])]
    pub(crate) ephemeral: bool,
}

/// An amount in US dollars, with or without the sign.
fn dollars(text: &str) -> Result<f64, String> {
    let amount: f64 =
        text.trim_start_matches('$').parse().map_err(|_| "use an amount in US dollars, such as 0.50".to_owned())?;
    if amount.is_finite() && amount >= 0.0 {
        Ok(amount)
    } else {
        Err("use an amount in US dollars, such as 0.50".to_owned())
    }
}

const CHECK_NAME: &str = "Check the file's name.";
const MAX_SCHEMA_BYTES: u64 = 1024 * 1024;

pub(crate) async fn run(client: &Client, dir: &Path, arguments: ExecArguments, output: &Printer) -> CommandExit {
    let engine = client.engine();
    let given_dir = dir;
    let worktree = match &arguments.worktree {
        Some(branch) => Some(engine.worktrees().find_or_add(dir, branch).await?.folder),
        None => None,
    };
    let dir = worktree.as_deref().map_or(dir, Path::new);
    let target = target(engine, dir, &arguments)?;
    let (prompt, piped) = match arguments.prompt.as_deref() {
        Some("-") | None if arguments.no_stdin => return Err(no_prompt()),
        Some("-") | None => (standard_input::as_prompt(output)?, Vec::new()),
        Some(prompt) if arguments.no_stdin => (prompt.to_owned(), Vec::new()),
        Some(prompt) => (prompt.to_owned(), standard_input::beside_prompt(output)?),
    };
    let start = StartRun {
        model: arguments.model,
        core: arguments.core,
        options: RunOptions {
            approve: arguments.approve,
            plan: arguments.plan,
            max_turns: arguments.max_turns,
            max_seconds: arguments.max_seconds,
            max_cost_usd: arguments.max_cost,
            system: arguments.system,
            skills: arguments.skill,
            output_schema: arguments.output_schema.map(|file| read_schema(&given_dir.join(file))).transpose()?,
            ..RunOptions::default()
        },
        images: arguments.image.iter().map(|file| read_image(&given_dir.join(file))).collect::<Result<_, _>>()?,
        piped,
        disabled_tools: Some(arguments.disable_tool).filter(|tools| !tools.is_empty()),
        ..StartRun::new(target, prompt)
    };
    // What stands in the folder is looked at when nothing is waited for any more, and once.
    let opened = open(engine, &start.target)?;
    tell_what_is_off(&opened, output);
    let warnings = engine.system_prompts().start_warnings(&opened, &start);
    warnings.iter().for_each(|warning| output.aside(visible(warning)));
    let subscription = engine.subscribe();
    let running = client.start_run_in(opened, start).await?;
    follow::to_end(client, output, subscription, running).await
}

fn target(engine: &Engine, dir: &Path, arguments: &ExecArguments) -> Result<RunTarget, Error> {
    if let Some(id) = &arguments.session {
        return Ok(RunTarget::Session(engine.session_names().find_session(id)?.session_id));
    }
    if arguments.continue_last {
        let folder = engine.projects().folder(dir)?;
        return match engine.session_reader().latest_session(&folder)? {
            Some(session) => Ok(RunTarget::Session(session.session_id)),
            None => Err(Error::new(
                Code::SESSION_NOT_FOUND,
                format!("There is no session in {} to continue.", folder.display()),
                "Leave out --continue to start a new one.",
            )),
        };
    }
    Ok(RunTarget::NewSession(dir.to_owned()))
}

fn open(engine: &Engine, target: &RunTarget) -> Result<OpenedFolder, Error> {
    match target {
        RunTarget::NewSession(folder) => engine.projects().open_folder(folder),
        RunTarget::Session(id) => {
            engine.projects().open_folder(Path::new(&engine.session_names().find_session(id.as_str())?.project))
        }
    }
}

/// Names what changed since the user approved it, such as the project's rules, and is off in this run.
fn tell_what_is_off(opened: &OpenedFolder, output: &Printer) {
    let off = opened.changed_pieces();
    if !off.is_empty() {
        output.aside(format!(
            "Changed since you trusted this folder, so off until you approve the changes: {}. `arki trust --show` shows \
            them, `arki trust` approves them.",
            off.join(", ")
        ));
    }
}

fn no_prompt() -> Error {
    wrong_use("No prompt was given, and --no-stdin turns standard input off.", "Pass the prompt as an argument.")
}

/// Beyond the engine's own limit nothing is read.
fn read_image(file: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    regular_file::ensure(file)?;
    let opened = File::open(file).and_then(|open| open.take(MAX_IMAGE_BYTES as u64 + 1).read_to_end(&mut bytes));
    opened.map_err(|error| regular_file::unreadable(file, &error, CHECK_NAME))?;
    Ok(bytes)
}

fn read_schema(file: &Path) -> Result<Value, Error> {
    let mut text = String::new();
    regular_file::ensure(file)?;
    let opened = File::open(file).and_then(|open| open.take(MAX_SCHEMA_BYTES).read_to_string(&mut text));
    opened.map_err(|error| regular_file::unreadable(file, &error, CHECK_NAME))?;
    let schema = serde_json::from_str(&text).map_err(|error| {
        wrong_use(not_json(&file.display().to_string(), &error), "Use a file with one JSON Schema of at most 1 MiB.")
    })?;
    ensure_usable_schema(&schema)?;
    Ok(schema)
}
