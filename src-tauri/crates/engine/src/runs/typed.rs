//! Slash commands, as the user types them: what begins a run becomes its prompt here, for every client alike. What does
//! not begin one is carried out by whoever shows the session, and is refused here with the way to it.

use crate::projects::slash_commands::FoundCommands;
use crate::{OpenedFolder, Projects, RunTarget, SessionReader, StartRun, blocking};
use arki_context::{BUILT_IN_COMMANDS, BuiltInCommand, SlashCommand};
use arki_domain::{Code, Error};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const INIT: &str = include_str!("typed/init.md");
const COMMIT: &str = include_str!("typed/commit.md");
const REVIEW: &str = include_str!("typed/review.md");

/// Slash commands as they are typed.
pub struct TypedCommands {
    pub(super) projects: Arc<Projects>,
    pub(super) reader: Arc<SessionReader>,
}

impl TypedCommands {
    /// Returns the prompt for what was typed. A text that is no command stays as it is.
    ///
    /// # Errors
    /// `COMMAND_UNKNOWN`, with the nearest names; `USAGE` for a command that begins no run, or that lacks something.
    pub(crate) async fn typed(
        self: &Arc<Self>,
        opened: Option<OpenedFolder>,
        start: StartRun,
    ) -> Result<(Option<OpenedFolder>, StartRun), Error> {
        if SlashCommand::parse(&start.prompt).is_none() {
            return Ok((opened, start));
        }
        blocking(self, move |typed| {
            let opened = match opened {
                Some(opened) => opened,
                None => typed.projects.open_folder(&typed.folder_of(&start.target)?)?,
            };
            let start = expanded(start, || typed.projects.find_commands(Some(&opened.0)))?;
            Ok((Some(opened), start))
        })
        .await
    }

    fn folder_of(&self, target: &RunTarget) -> Result<PathBuf, Error> {
        match target {
            RunTarget::NewSession(folder) => Ok(folder.clone()),
            RunTarget::Session(session) => Ok(PathBuf::from(self.reader.session(session)?.project)),
        }
    }
}

fn expanded(start: StartRun, commands: impl FnOnce() -> FoundCommands) -> Result<StartRun, Error> {
    let typed = start.prompt.clone();
    let Some(typed) = SlashCommand::parse(&typed) else { return Ok(start) };
    let built_in_one = typed.built_in();
    if let Some(command) = built_in_one.filter(|command| !command.is_replaceable()) {
        return built_in(start, command, typed.arguments, commands);
    }
    let commands = commands();
    if let Some(command) = built_in_one.filter(|command| commands.replacing(command).is_none()) {
        return built_in(start, command, typed.arguments, || commands);
    }
    let found = match commands.named(&typed) {
        Ok(found) => found,
        // "/tmp is full" is about a folder.
        Err(_) if Path::new(&format!("/{}", typed.name)).exists() => return Ok(start),
        Err(unknown) => return Err(unknown),
    };
    // Other agents' short names of models are none here.
    let model = found.command.model.clone().filter(|model| model.contains('/'));
    Ok(StartRun {
        prompt: found.command.expand(typed.arguments),
        model: start.model.or(model),
        allowed_tools: found.allowed.tools.clone(),
        ..start
    })
}

fn built_in(
    mut start: StartRun,
    command: &BuiltInCommand,
    arguments: &str,
    commands: impl FnOnce() -> FoundCommands,
) -> Result<StartRun, Error> {
    match command.name {
        "commit" => start.prompt = with_arguments(COMMIT, arguments),
        "init" => start.prompt = with_arguments(INIT, arguments),
        "review" => start.prompt = with_arguments(REVIEW, arguments),
        "plan" => {
            start.options.plan = true;
            start.prompt = needed(command, arguments)?.to_owned();
        }
        "skill" => {
            let arguments = needed(command, arguments)?;
            let (name, task) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
            start.options.skills.push(name.to_owned());
            start.prompt = match task.trim() {
                "" => format!("Use the skill {name}."),
                task => task.to_owned(),
            };
        }
        name => {
            let hint = instead(name).map_or_else(|| list(&commands()), str::to_owned);
            return Err(Error::new(Code::USAGE, format!("/{name} doesn't start a run."), hint));
        }
    }
    Ok(start)
}

fn with_arguments(prompt: &str, arguments: &str) -> String {
    match arguments {
        "" => prompt.trim_end().to_owned(),
        arguments => format!("{}\n\nThe user adds: {arguments}", prompt.trim_end()),
    }
}

fn needed<'a>(command: &BuiltInCommand, arguments: &'a str) -> Result<&'a str, Error> {
    if !arguments.is_empty() {
        return Ok(arguments);
    }
    let BuiltInCommand { name, arguments, .. } = command;
    let optional = arguments.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let message = format!("/{name} needs an argument.");
    Err(Error::new(Code::USAGE, message, format!("Write `/{name} {}`.", optional.unwrap_or(arguments))))
}

/// The way to what begins no run; `None` for the list of commands itself.
fn instead(name: &str) -> Option<&'static str> {
    Some(match name {
        "compact" => "Use `arki sessions compact ID`, or type it in the window.",
        "context" => "Use `arki context SESSION`, or type it in the window.",
        "model" => "Use `arki exec --model PROVIDER/MODEL`, or type it in the window.",
        "new" => "Use `arki exec` without --session and --continue, or type it in the window.",
        "rename" => "Use `arki sessions rename ID TITLE`, or type it in the window.",
        "tools" => "Use `arki sessions tools ID`, or type it in the window.",
        "undo" => "Use `arki undo SESSION SEQ`, or type it in the window.",
        "usage" => "Use `arki usage SESSION`, or type it in the window.",
        _ => return None,
    })
}

fn list(commands: &FoundCommands) -> String {
    let built_in = BUILT_IN_COMMANDS.iter().filter(|command| command.begins_run).map(|command| command.name);
    let all = built_in.chain(commands.commands.iter().map(|found| found.command.name.as_str()));
    let all: Vec<String> = all.map(|name| format!("/{name}")).collect();
    format!("These do: {}.", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projects::slash_commands::FoundCommand;
    use arki_context::{AllowedTools, UserCommand};

    fn typed(prompt: &str) -> Result<StartRun, Error> {
        let source = "---\nmodel: lab/x\nallowed-tools: Read\n---\nDeploy $1 of @main.rs.";
        let command = UserCommand::read("deploy.md", source).unwrap();
        let allowed = AllowedTools::read(&command.allowed_tools);
        let commands = vec![FoundCommand { command, allowed, origin: "x".to_owned() }];
        let start = StartRun::new(RunTarget::NewSession(PathBuf::new()), prompt);
        expanded(start, || FoundCommands { commands, warnings: Vec::new() })
    }

    #[test]
    fn a_command_of_the_users_becomes_its_prompt() {
        let start = typed("/deploy 'two words' more").unwrap();
        assert_eq!(start.prompt, "Deploy two words of @main.rs.");
        assert_eq!(start.model.as_deref(), Some("lab/x"));
        assert!(start.allowed_tools.is_some_and(|tools| tools.has("read_file") && !tools.has("write_file")));
    }

    #[test]
    fn built_in_commands_that_begin_a_run_say_how() {
        assert!(typed("/init in German").unwrap().prompt.ends_with("\n\nThe user adds: in German"));
        assert!(typed("/commit").unwrap().prompt.contains("git commit -m"));
        assert!(typed("/review").unwrap().prompt.contains("git diff"));
        let plan = typed("/plan the move").unwrap();
        assert_eq!((plan.options.plan, plan.prompt.as_str()), (true, "the move"));
        let skill = typed("/skill pdf fill\nit").unwrap();
        assert_eq!((skill.options.skills, skill.prompt.as_str()), (vec!["pdf".to_owned()], "fill\nit"));
        assert_eq!(typed("/skill pdf").unwrap().prompt, "Use the skill pdf.");
    }

    #[test]
    fn a_command_of_ones_own_replaces_a_built_in_one_that_only_sends_a_prompt() {
        let commands = || {
            let found = |name: &str| FoundCommand {
                command: UserCommand::read(&format!("{name}.md"), "Look at $ARGUMENTS twice.").unwrap(),
                allowed: AllowedTools::default(),
                origin: format!(".claude/commands/{name}.md"),
            };
            FoundCommands { commands: vec![found("review"), found("plan")], warnings: Vec::new() }
        };
        let typed =
            |prompt: &str| expanded(StartRun::new(RunTarget::NewSession(PathBuf::new()), prompt), commands).unwrap();
        assert_eq!(typed("/review a.rs").prompt, "Look at a.rs twice.");
        assert!(typed("/init").prompt.contains("AGENTS.md"));
        assert!(typed("/plan x").options.plan, "more than a prompt stays Arki's");
    }

    #[test]
    fn what_cannot_be_done_says_what_can() {
        for (prompt, code, hint) in [
            ("/deplo x", Code::COMMAND_UNKNOWN, "/deploy"),
            ("/zzzzzzzz", Code::COMMAND_UNKNOWN, "/help"),
            ("/compact", Code::USAGE, "arki sessions compact"),
            ("/help", Code::USAGE, "/deploy"),
            ("/plan", Code::USAGE, "/plan task"),
        ] {
            let fault = typed(prompt).err().unwrap();
            assert!(fault.is(code) && fault.hint.contains(hint), "{prompt}: {fault:?}");
        }
    }

    #[test]
    fn every_built_in_command_is_carried_out_or_names_the_way() {
        for command in BUILT_IN_COMMANDS {
            match typed(&format!("/{} x", command.name)) {
                Ok(_) => assert!(command.begins_run, "{}", command.name),
                Err(fault) => assert!(!command.begins_run && fault.is(Code::USAGE), "{fault:?}"),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_prompt_that_begins_with_a_path_is_none() {
        for prompt in ["/usr/bin/env fails", "/tmp is full", "what is /deploy"] {
            assert_eq!(typed(prompt).unwrap().prompt, prompt);
        }
    }
}
