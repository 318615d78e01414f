//! `arki hooks list`: the hooks of this project and which of them are off. `arki hooks test`: what they would answer.

use super::policy::arguments_of;
use crate::exit::{CommandExit, Exit, wrong_use};
use crate::output::{Printer, visible, word_of};
use arki_api::{HookEntries, HookEntry, HookOffReason};
use arki_domain::{Error, HookEvent, HookMoment, NotificationKind, SessionSource};
use arki_engine::{Engine, HookTrial, TriedHook, one_line};
use clap::Subcommand;
use std::path::Path;

/// List the hooks of this project, or try them out
#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List each hook with its event, what it is for and does, where it is configured, and why it is off if it is
    List,
    /// Run the hooks of an event in their sandbox and show what each answered; nothing else happens
    Test {
        /// The event, such as PreToolUse
        event: String,
        /// The tool that is called
        #[arg(long, default_value = "run_command")]
        tool: String,
        /// The tool's arguments, as JSON
        #[arg(long, value_name = "JSON", conflicts_with = "command")]
        args: Option<String>,
        /// The prompt, the last answer, the notification's message or the tool's result
        #[arg(long, default_value = "")]
        text: String,
        /// For SessionStart: startup, resume or compact. For Notification: permission_prompt, elicitation_dialog or
        /// idle_prompt
        #[arg(long)]
        kind: Option<String>,
        /// For Stop: a hook has made the agent go on before
        #[arg(long)]
        again: bool,
        /// The command: one argument is a shell line; several, after `--`, are a program and its arguments
        command: Vec<String>,
    },
}

const EXAMPLES: &str = "Try `arki hooks test PreToolUse 'git push'`, or `--tool edit_file --args '{\"path\": \"a\"}'`.";

pub(crate) async fn run(engine: &Engine, dir: &Path, command: HooksCommand, output: &Printer) -> CommandExit {
    match command {
        HooksCommand::List => list(engine, dir, output),
        test @ HooksCommand::Test { .. } => try_out(engine, dir, &trial(test)?, output).await,
    }
}

fn list(engine: &Engine, dir: &Path, output: &Printer) -> CommandExit {
    let HookEntries { hooks, refused } = arki_engine::list_hooks(engine.projects(), Some(dir))?;
    for hook in &hooks {
        output.tell(hook, || visible(&line(hook)));
    }
    if let Some(fault) = refused {
        output.aside(visible(&format!("{} {}", fault.message, fault.hint)));
    } else if hooks.is_empty() {
        output.aside("No hooks are configured. Add them under \"hooks\" in the configuration.");
    }
    Ok(Exit::Done)
}

fn line(hook: &HookEntry) -> String {
    let HookEntry { name, event, condition, does, origin, off, unpinned, .. } = hook;
    let state = if off.is_none() { "on" } else { "off" };
    let condition = if condition.is_empty() { "*" } else { condition };
    let what = if name == does { String::new() } else { format!("  {}: {}", word_of(hook.action), one_line(does)) };
    let turn_on = |why: &String| format!(": {why}; `arki trust --with-unpinned` turns it on");
    let unpinned = unpinned.as_ref().map(turn_on).unwrap_or_default();
    let why = off.map(|off| format!("  (off: {}{unpinned})", off_words(off))).unwrap_or_default();
    format!("{state:<3} {:<16} {condition:<24} {}{what}  {origin}{why}", event.name(), one_line(name))
}

/// A clause for people.
fn off_words(off: HookOffReason) -> &'static str {
    match off {
        HookOffReason::Untrusted => "this folder isn't trusted",
        HookOffReason::ConfigurationChanged => "the project's configuration changed since you approved it",
        HookOffReason::Unpinned => "Arki can't pin what it runs",
        HookOffReason::ScriptChanged => "a script that it names changed since you approved it",
    }
}

/// Reads off the command line what is to be tried.
fn trial(command: HooksCommand) -> Result<HookTrial, Error> {
    let HooksCommand::Test { event, tool, args, text, kind, again, command } = command else {
        return Err(Error::internal("nothing to try"));
    };
    let event = HookEvent::of_name(&event).ok_or_else(|| {
        let known: Vec<&str> = HookEvent::ALL.iter().map(|event| event.name()).collect();
        wrong_use(format!("Unknown hook event {event:?}."), format!("Use one of: {}.", known.join(", ")))
    })?;
    let kind = kind.as_deref();
    let moment = match event {
        HookEvent::PreToolUse | HookEvent::PostToolUse | HookEvent::PreCommit => {
            let args = arguments_of(args.as_deref(), &command, EXAMPLES)?;
            return Ok(HookTrial::Call { event, tool, args, result: text });
        }
        HookEvent::SessionStart => HookMoment::SessionStart(one_of(kind, SessionSource::ALL, SessionSource::word)?),
        HookEvent::UserPromptSubmit => HookMoment::Prompt { text, message_id: None },
        HookEvent::Stop => HookMoment::Stop { last_text: text, times_held: u32::from(again) },
        HookEvent::Notification => {
            let kind = one_of(kind, NotificationKind::ALL, NotificationKind::word)?;
            HookMoment::Notification { kind, message: text }
        }
    };
    Ok(HookTrial::Moment(moment))
}

/// The kind of that word; the first where none is given.
fn one_of<T: Copy>(word: Option<&str>, all: &[T], word_of: fn(T) -> &'static str) -> Result<T, Error> {
    let found = all.iter().copied().find(|kind| word.is_none_or(|word| word_of(*kind) == word));
    found.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|kind| word_of(*kind)).collect();
        wrong_use(format!("Unknown kind {:?}.", word.unwrap_or_default()), format!("Use one of: {}.", known.join(", ")))
    })
}

async fn try_out(engine: &Engine, dir: &Path, trial: &HookTrial, output: &Printer) -> CommandExit {
    let tried = engine.approvals().policy().try_hooks(dir, trial).await?;
    for TriedHook { ran, context } in &tried {
        if output.json {
            let mut shown = serde_json::to_value(ran).map_err(Error::internal)?;
            if let Some(context) = context {
                shown["context"] = context.as_str().into();
            }
            output.object(&shown);
            continue;
        }
        let sign = if ran.has_worked() { '⚙' } else { '✕' };
        output.line(visible(&format!("{sign} {} ({} ms)", ran.words(), ran.duration_ms)));
        if let Some(args) = &ran.args {
            output.line(visible(&format!("  arguments: {args}")));
        }
        for line in context.iter().flat_map(|context| context.lines()) {
            output.line(visible(&format!("  to the model: {line}")));
        }
    }
    if tried.is_empty() {
        let is_off = |hook: &HookEntry| hook.off == Some(HookOffReason::Untrusted);
        let is_untrusted = arki_engine::list_hooks(engine.projects(), Some(dir))?.hooks.iter().any(is_off);
        output.aside(match is_untrusted {
            true => "This folder isn't trusted, so no hook runs here. `arki trust` changes that.",
            false => "No hook matches this. `arki hooks list` shows all hooks.",
        });
    }
    Ok(Exit::Done)
}
