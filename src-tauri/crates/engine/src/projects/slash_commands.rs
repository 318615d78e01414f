//! The slash commands of a folder: built-in ones; those of the project, as far as it is trusted and they are as they were
//! agreed to; then the user's own. Of several with one name the first counts, but a built-in one that only sends a
//! prompt yields.

use crate::projects::guides::{files_of, text_of};
use crate::{OpenProject, Projects};
use arki_api::SlashCommandEntry;
use arki_context::{AllowedTools, BUILT_IN_COMMANDS, BuiltInCommand, FileWarning, SlashCommand, UserCommand};
use arki_domain::{Code, Error};
use arki_files::{PinKind, Project};
use std::path::Path;

/// Commands that count.
const MAX_COMMANDS: usize = 500;
/// The project's folders of commands, in the order of their precedence.
const PROJECT_COMMANDS: [&str; 2] = [".arki/commands", ".claude/commands"];
/// The folder of the user's commands in the configuration folder.
const OWN_COMMANDS: &str = "commands";
const BUILT_IN: &str = "built in";
/// Names that an error lists.
const MAX_NEAREST: usize = 3;
/// The greatest distance, in edits, at which a name counts as near.
const MAX_DISTANCE: usize = 3;

/// The commands that people wrote, and what is wrong with some.
#[derive(Debug, Default)]
pub(crate) struct FoundCommands {
    pub(crate) commands: Vec<FoundCommand>,
    pub(crate) warnings: Vec<FileWarning>,
}

#[derive(Debug)]
pub(crate) struct FoundCommand {
    pub(crate) command: UserCommand,
    pub(crate) allowed: AllowedTools,
    /// The source, for people: a path.
    pub(crate) origin: String,
}

impl Projects {
    /// The slash commands that can be typed in a folder, by name; in none only those that are there everywhere.
    ///
    /// # Errors
    /// When the folder cannot be used.
    pub fn slash_commands(&self, folder: Option<&Path>) -> Result<Vec<SlashCommandEntry>, Error> {
        let open = folder.map(|folder| self.load_project(folder)).transpose()?;
        let found = self.find_commands(open.as_ref());
        let is_replaced = |command: &&BuiltInCommand| found.replacing(command).is_some();
        let built_in =
            BUILT_IN_COMMANDS.iter().filter(|command| !is_replaced(command)).map(|command| SlashCommandEntry {
                name: command.name.to_owned(),
                description: command.description.to_owned(),
                arguments: command.arguments.to_owned(),
                source: BUILT_IN.to_owned(),
                begins_run: command.begins_run,
            });
        let written = found.reachable().map(|found| SlashCommandEntry {
            name: found.command.name.clone(),
            description: found.description(),
            arguments: found.command.argument_hint.clone().unwrap_or_default(),
            source: found.origin.clone(),
            begins_run: true,
        });
        let mut all: Vec<SlashCommandEntry> = built_in.chain(written).collect();
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    pub(crate) fn find_commands(&self, open: Option<&OpenProject>) -> FoundCommands {
        let mut found = FoundCommands::default();
        for folder in PROJECT_COMMANDS {
            let files = open.into_iter().flat_map(|open| commands_in(open, folder));
            files.for_each(|(inside, text)| found.take(&inside, &format!("{folder}/{inside}"), &text));
        }
        let own = self.records.directories().config.join(OWN_COMMANDS);
        if let Ok(folder) = Project::open(&own) {
            for inside in files_of(&folder) {
                if let Some(text) = text_of(&folder, &inside) {
                    found.take(&inside, &own.join(&inside).display().to_string(), &text);
                }
            }
        }
        found
    }
}

/// Returns the commands by their paths below the folder.
fn commands_in(open: &OpenProject, folder: &'static str) -> impl Iterator<Item = (String, String)> {
    let paths = open.current.iter().filter(|pin| pin.kind == PinKind::Command);
    paths.filter_map(move |pin| {
        let inside = pin.path.strip_prefix(folder)?.strip_prefix('/')?;
        Some((inside.to_owned(), open.agreed_text(PinKind::Command, &pin.path)?))
    })
}

impl FoundCommand {
    /// Says whose it is where people know another command under its name.
    fn description(&self) -> String {
        let description = &self.command.description;
        let is_built_in = BUILT_IN_COMMANDS.iter().any(|command| command.name == self.command.name);
        let is_of_project = PROJECT_COMMANDS.iter().any(|folder| self.origin.starts_with(folder));
        match (is_built_in, is_of_project) {
            (false, _) => description.clone(),
            (true, true) => format!("{description} (project)"),
            (true, false) => format!("{description} (your own)"),
        }
    }
}

impl FoundCommands {
    /// The command that stands in for a built-in one.
    pub(crate) fn replacing(&self, built_in: &BuiltInCommand) -> Option<&FoundCommand> {
        let replaces = |found: &&FoundCommand| built_in.is_replaceable() && found.command.name == built_in.name;
        self.commands.iter().find(replaces)
    }

    fn take(&mut self, inside: &str, origin: &str, text: &str) {
        let Some(command) = UserCommand::read(inside, text) else { return };
        let allowed = AllowedTools::read(&command.allowed_tools);
        let warn = |message: &String| FileWarning { path: origin.to_owned(), message: message.clone() };
        self.warnings.extend(command.warnings.iter().chain(&allowed.warnings).map(warn));
        let is_known = self.commands.iter().any(|known| known.command.name == command.name);
        if !is_known && self.commands.len() < MAX_COMMANDS {
            self.commands.push(FoundCommand { command, allowed, origin: origin.to_owned() });
        }
    }

    fn reachable(&self) -> impl Iterator<Item = &FoundCommand> {
        let is_built_in =
            |name: &str| BUILT_IN_COMMANDS.iter().any(|command| command.name == name && !command.is_replaceable());
        self.commands.iter().filter(move |found| !is_built_in(&found.command.name))
    }

    /// The command that was typed.
    ///
    /// # Errors
    /// `COMMAND_UNKNOWN`, with the nearest names.
    pub(crate) fn named(&self, typed: &SlashCommand<'_>) -> Result<&FoundCommand, Error> {
        self.commands.iter().find(|found| found.command.name == typed.name).ok_or_else(|| {
            let near = self.nearest(typed.name);
            let hint = match near.as_slice() {
                [] => "`/help` lists the commands. To send this as text, put a space before the slash.".to_owned(),
                near => format!("Nearest: {}. To send this as text, put a space before the slash.", near.join(", ")),
            };
            Error::new(Code::COMMAND_UNKNOWN, format!("There is no command /{}.", typed.name), hint)
        })
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let built_in = BUILT_IN_COMMANDS.iter().map(|command| command.name);
        let all = built_in.chain(self.reachable().map(|found| found.command.name.as_str()));
        let distance = |known: &str| match known.starts_with(name) || name.starts_with(known) {
            true => 0,
            false => strsim::damerau_levenshtein(known, name),
        };
        let mut near: Vec<(usize, &str)> = all.map(|known| (distance(known), known)).collect();
        near.retain(|(distance, _)| *distance <= MAX_DISTANCE);
        near.sort_unstable();
        near.into_iter().take(MAX_NEAREST).map(|(_, name)| format!("/{name}")).collect()
    }
}
