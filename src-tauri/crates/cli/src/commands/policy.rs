//! `arki policy check`: the decision and the rule that made it. `arki policy backtest`: what a rule would have meant.
//! Neither executes anything.

use clap::Subcommand;
mod trace;

use crate::exit::Exit;
use crate::json_fault::not_json;
use crate::output::{Printer, visible};
use crate::regular_file;
use arki_domain::{Code, Decision, Error, io_words};
use arki_engine::{Backtest, Engine, Judgement, PastCall};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Check a call against the policy, or test a new rule on past calls
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyCommand {
    /// Show which past calls a new rule matches and how it would change their decisions; stores nothing
    Backtest {
        /// A JSON file with one rule, as in the configuration
        rule: PathBuf,
    },
    /// Show the decision on a call and the rule behind it, without executing anything
    Check {
        /// The tool to check
        #[arg(long, default_value = "run_command")]
        tool: String,
        /// The tool's arguments, as JSON
        #[arg(long, value_name = "JSON", conflicts_with = "command")]
        args: Option<String>,
        /// Also show how the decision came about: what Arki makes of each command of the line, and every check in order
        /// with its outcome
        #[arg(long)]
        trace: bool,
        /// The command: one argument is a shell line; several, after `--`, are a program and its arguments
        command: Vec<String>,
    },
}

const EXAMPLES: &str = "Try `arki policy check 'ls -la'`, or `--tool edit_file --args '{\"path\": \"a\"}'`.";

pub(crate) fn run(engine: &Engine, dir: &Path, command: PolicyCommand, output: &Printer) -> Result<Exit, Error> {
    let (tool, args, trace, command) = match command {
        PolicyCommand::Check { tool, args, trace, command } => (tool, args, trace, command),
        PolicyCommand::Backtest { rule } => return backtest(engine, &dir.join(rule), output),
    };
    let args = arguments_of(args.as_deref(), &command, EXAMPLES)?;
    let mut judgement = engine.approvals().policy().judge(dir, &tool, &args)?;
    if !trace {
        judgement.trace = None;
    }
    if output.json {
        output.object(&judgement);
        return Ok(Exit::Done);
    }
    output.line(visible(&sentence(&judgement)));
    for line in judgement.trace.iter().flat_map(trace::lines) {
        output.line(line);
    }
    Ok(Exit::Done)
}

/// The arguments of a call: as JSON, or a command. `examples` is the hint where they are neither.
pub(super) fn arguments_of(args: Option<&str>, command: &[String], examples: &str) -> Result<Value, Error> {
    let usage = |message: &str| Error::new(Code::USAGE, message, examples);
    let Some(args) = args else {
        let line = match command {
            [] => return Err(usage("No call to check: give a command or --args.")),
            [line] => line.clone(),
            // An argv as the shell line that means just that.
            argv => shlex::try_join(argv.iter().map(String::as_str))
                .map_err(|_| usage("An argument contains a NUL character."))?,
        };
        return Ok(json!({"command": line}));
    };
    match serde_json::from_str(args) {
        Ok(args @ Value::Object(_)) => Ok(args),
        Ok(_) => Err(usage("--args is not a JSON object.")),
        Err(error) => Err(usage(&not_json("--args", &error))),
    }
}

/// The decision, the rule that made it and why.
fn sentence(judgement: &Judgement) -> String {
    let what = match judgement.decision {
        Decision::Allow => "Allowed",
        Decision::Review => "Runs, and shows its changes before they land",
        Decision::Deny => "Denied",
        Decision::Approval => "Asks for your approval",
        Decision::Preview => "Shows the change and asks",
    };
    let risk = format!("{:?}", judgement.risk).to_lowercase();
    let reason = judgement.reason.trim_end_matches('.');
    let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    format!("{what} (rule {}, risk: {risk}){because}.", judgement.rule)
}

fn backtest(engine: &Engine, file: &Path, output: &Printer) -> Result<Exit, Error> {
    regular_file::ensure(file)?;
    let text = std::fs::read_to_string(file).map_err(|error| {
        let what = format!("{} can't be read: {}.", file.display(), io_words(error.kind()));
        Error::new(Code::USAGE, what, "Use a file with one rule, as under \"rules\" in the configuration.")
    })?;
    let backtest = engine.approvals().rules().backtest(&text, file, &mut |past| match output.json {
        true => output.object(&past),
        false => output.line(past_line(&past)),
    })?;
    let Backtest { matched, changed, calls, .. } = backtest;
    output.aside(format!("{matched} of {calls} past calls match; {changed} would be decided differently."));
    if backtest.left_out > 0 {
        output.aside(format!("Left out {} calls whose folders no longer exist.", backtest.left_out));
    }
    Ok(Exit::Done)
}

fn past_line(past: &PastCall) -> String {
    let change = if past.is_changed() { "changed" } else { "same" };
    let (now, with) = (word(past.decision), word(past.with_rule));
    let decided = past.decided.map_or_else(|| "none".to_owned(), word);
    let call = visible(&past.about()).replace('\n', "\\n");
    format!(
        "{}  {:>5}  was: {decided} · now: {now} · with the rule: {with} ({change})  {}  {call}",
        past.session_id, past.seq, past.tool_id
    )
}

fn word(decision: Decision) -> String {
    format!("{decision:?}").to_lowercase()
}
