//! `arki policy check`: the decision and the rule that made it, and in words how it came about. `arki policy backtest`:
//! what a rule would have meant. Neither executes anything.

use crate::exit::{CommandExit, Exit, wrong_use};
use crate::json_fault::not_json;
use crate::output::{Printer, visible, word_of};
use crate::regular_file;
use arki_domain::{
    CheckOutcome, CommandPart, CommandReading, Decision, Error, PolicyCheck, PolicyTrace, TracedCheck, plural,
};
use arki_engine::{Backtest, Engine, Judgement, PastCall};
use clap::Subcommand;
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

pub(crate) fn run(engine: &Engine, dir: &Path, command: PolicyCommand, output: &Printer) -> CommandExit {
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
    for line in judgement.trace.iter().flat_map(trace_lines) {
        output.line(line);
    }
    Ok(Exit::Done)
}

/// The arguments of a call: as JSON, or a command. `examples` is the hint where they are neither.
pub(super) fn arguments_of(args: Option<&str>, command: &[String], examples: &str) -> Result<Value, Error> {
    let usage = |message: &str| wrong_use(message, examples);
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
    let risk = word_of(judgement.risk);
    let reason = judgement.reason.trim_end_matches('.');
    let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
    format!("{what} (rule {}, risk: {risk}){because}.", judgement.rule)
}

fn backtest(engine: &Engine, file: &Path, output: &Printer) -> CommandExit {
    regular_file::ensure(file)?;
    let hint = "Use a file with one rule, as under \"rules\" in the configuration.";
    let read = std::fs::read_to_string(file);
    let text = read.map_err(|error| regular_file::unreadable(file, &error, hint))?;
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
    let (now, with) = (word_of(past.decision), word_of(past.with_rule));
    let decided = past.decided.map_or_else(|| "none".to_owned(), word_of);
    let call = visible(&past.about()).replace('\n', "\\n");
    format!(
        "{}  {:>5}  was: {decided} · now: {now} · with the rule: {with} ({change})  {}  {call}",
        past.session_id, past.seq, past.tool_id
    )
}

/// One line each, without line ends.
fn trace_lines(trace: &PolicyTrace) -> Vec<String> {
    let mut lines = Vec::new();
    if !trace.parts.is_empty() {
        lines.push("The command, part by part:".to_owned());
        lines.extend(trace.parts.iter().map(part_line));
    }
    lines.push("The checks, in order; the first one that applies decides:".to_owned());
    lines.extend(trace.checks.iter().map(check_line));
    lines
}

fn part_line(part: &CommandPart) -> String {
    let command = visible(&part.command).replace('\n', "\\n");
    let reading = match part.reading {
        CommandReading::OnlyReads => "only reads",
        CommandReading::BuildsOrTests => "builds or tests",
        CommandReading::NotKnown => "not known",
        CommandReading::Dangerous => "dangerous",
        CommandReading::NotUnderstood => "can't be understood",
    };
    match &part.why {
        Some(why) if part.reading == CommandReading::NotUnderstood => {
            format!("  {command}: {reading}: it contains {why}")
        }
        Some(why) => format!("  {command}: {reading}: {}", why.trim_end_matches('.')),
        None => format!("  {command}: {reading}"),
    }
}

fn check_line(traced: &TracedCheck) -> String {
    let outcome = match traced.outcome {
        CheckOutcome::Passed => "passed",
        CheckOutcome::Decided => "DECIDED",
        CheckOutcome::NotReached => "not asked",
    };
    let rules = match (traced.rules_before, traced.outcome) {
        (None, _) => String::new(),
        (Some(count), CheckOutcome::Decided) => format!(" ({} before it)", plural(count as u64, "rule")),
        (Some(count), _) => format!(" ({} looked at)", plural(count as u64, "rule")),
    };
    format!("  {outcome:<9} {}{rules}", about(traced.check))
}

fn about(check: PolicyCheck) -> &'static str {
    match check {
        PolicyCheck::Trust => "folder trust",
        PolicyCheck::UnknownTool => "unknown tools",
        PolicyCheck::AgentTools => "tools that the agent doesn't have",
        PolicyCheck::DisabledTools => "tools switched off for the session",
        PolicyCheck::PlanOnly => "runs that only plan",
        PolicyCheck::ReadOnlyAgent => "agents that only read",
        PolicyCheck::DenyRules => "rules and categories that deny",
        PolicyCheck::UnreadableConfiguration => "configuration that can't be read",
        PolicyCheck::HookDenial => "hooks that deny",
        PolicyCheck::Sensitive => "secrets and protected paths",
        PolicyCheck::HookQuestion => "hooks that ask",
        PolicyCheck::ChangedGit => "changes to git's configuration and hooks",
        PolicyCheck::RepeatedCall => "repeated calls",
        PolicyCheck::OnProject => "commands on the project itself",
        PolicyCheck::Rules => "rules that allow or ask",
        PolicyCheck::SessionGrants => "permissions for this session",
        PolicyCheck::EffectsReview => "commands whose changes are reviewed",
        PolicyCheck::ApprovedInAdvance => "approval in advance",
        PolicyCheck::ChangeRisk => "large changes and files that control tools",
        PolicyCheck::KnownCommand => "commands known to only read, build or test",
        PolicyCheck::NotUnderstood => "commands that can't be understood",
        PolicyCheck::TriedReadOnly => "commands that first run read-only",
        PolicyCheck::CategoryDefault => "the category's default",
    }
}
