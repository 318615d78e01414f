//! A project's own configuration: as it stands in the folder, and what of it holds.
//!
//! As it was agreed to, all of it holds. Changed since, it enables nothing, but what it forbade when it was agreed to
//! holds on, and what it forbids now holds at once. One that can't be read is refused: nothing is begun in the folder,
//! and a run that is at work there does nothing more.

use crate::projects::agents::add_found_agents;
use crate::projects::hooks::{LineAgreement, line_standing};
use crate::projects::leavings::Leavings;
use crate::projects::open::{changed_git, kind_word};
use crate::{OpenProject, Projects};
use arki_config::{ClaudeSettings, Config, PROJECT_CONFIG, ReadConfig, ShownConfig, denials_of};
use arki_domain::{Code, Error, sha256_hex};
use arki_files::{CLAUDE_SETTINGS, GitScan, PinKind, Project};
use arki_policy::{ChangedGit, PolicyRule, PolicySettings};
use arki_store::{PinRecord, TrustRecord};
use arki_tools::{Checker, FolderRules, Hook, HookAction};
use globset::GlobSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MCP_JSON: &str = ".mcp.json";
/// Beyond it the text that was agreed to would not be kept.
const MAX_BYTES: u64 = 256 * 1024;

/// The configuration in force in a folder.
pub(crate) struct InForce {
    pub(crate) config: Config,
    /// Why nothing may be begun there.
    pub(crate) refused: Option<Error>,
}

/// The file as it stands in the folder, and what was agreed to of it.
pub(crate) struct ProjectConfig {
    name: &'static str,
    file: PathBuf,
    agreed: Option<PinRecord>,
    /// `None` where there is none.
    text: Result<Option<String>, Error>,
}

impl ProjectConfig {
    pub(crate) fn of(open: &OpenProject) -> Self {
        Self::read(&open.project, open.trust.as_ref(), PROJECT_CONFIG)
    }

    /// `name` is [`PROJECT_CONFIG`] or one of [`CLAUDE_SETTINGS`].
    pub(crate) fn read(project: &Project, trust: Option<&TrustRecord>, name: &'static str) -> Self {
        let kind = kind_word(PinKind::Config);
        let agreed = trust.into_iter().filter(|trust| trust.trusted).flat_map(|trust| &trust.pins);
        let agreed = agreed.into_iter().find(|record| record.pin.path == name && record.pin.kind == kind);
        Self { name, file: project.root().join(name), agreed: agreed.cloned(), text: read(project, name) }
    }

    /// The whole text, if it is the one that was agreed to.
    pub(crate) fn agreed_text(&self) -> Option<&str> {
        let text = self.text.as_ref().ok()?.as_deref()?;
        self.agreed.as_ref().filter(|agreed| agreed.pin.hash == sha256_hex(text.as_bytes())).map(|_| text)
    }

    /// The whole text with its file, whether it was agreed to or not; `None` where there is none.
    pub(crate) fn text_and_file(&self) -> Result<Option<(&str, &Path)>, Error> {
        let text = self.text.as_ref().map_err(Error::clone)?;
        Ok(text.as_deref().map(|text| (text, self.file.as_path())))
    }

    /// Returns whether it is such that it can be agreed to.
    pub(crate) fn is_readable(&self) -> bool {
        match &self.text {
            Ok(None) => true,
            Ok(Some(text)) if self.name == PROJECT_CONFIG => arki_config::parse(text, &self.file).is_ok(),
            Ok(Some(_)) => self.claude_settings().is_ok(),
            Err(_) => false,
        }
    }

    /// Reads the settings of another agent.
    ///
    /// # Errors
    /// `CONFIG_INVALID`.
    pub(crate) fn claude_settings(&self) -> Result<ClaudeSettings, Error> {
        let Some((text, file)) = self.text_and_file()? else { return Ok(ClaudeSettings::default()) };
        ClaudeSettings::parse(text, self.name, file)
    }

    /// The same as far as it holds: as of this file, a change enables nothing and loosens nothing.
    fn claude_settings_in_force(&self) -> Result<ClaudeSettings, Error> {
        let mut settings = self.claude_settings()?;
        if self.agreed_text().is_none() {
            settings.hooks.clear();
        }
        for text in self.denials() {
            settings.rules.extend(ClaudeSettings::parse(&text, self.name, &self.file)?.rules);
        }
        Ok(settings)
    }

    /// Each of the two sets of denials, where there are any.
    fn denials(&self) -> impl Iterator<Item = String> {
        let of_agreed = self.agreed.as_ref().and_then(|agreed| {
            // Records of before say only what was shown.
            agreed.forbids.clone().or_else(|| denials_of(agreed.content.as_deref()?))
        });
        let now = self.text.as_ref().ok().and_then(Option::as_deref).and_then(denials_of);
        of_agreed.into_iter().chain(now)
    }

    /// The user's configuration, with what of this one holds.
    fn over(&self, user: ReadConfig<'_>) -> Result<InForce, Error> {
        let of_user = Config::merge(user, None)?;
        let whole = match &self.text {
            Ok(None) => Ok(None),
            Ok(Some(text)) => arki_config::parse(text, &self.file)
                .and_then(|file| Config::merge(user, Some(ReadConfig::of(&file, &self.file))).map(Some)),
            Err(fault) => Err(fault.clone()),
        };
        let refused = match whole {
            Ok(Some(config)) if self.agreed_text().is_some() => return Ok(InForce { config, refused: None }),
            Ok(_) => None,
            Err(fault) => Some(fault),
        };
        let mut config = of_user;
        let restricted = self.denials().try_for_each(|text| {
            let file = arki_config::parse(&text, &self.file)?;
            config.restrict(&file, &self.file)
        });
        Ok(InForce { config, refused: refused.or(restricted.err()) })
    }
}

fn read(project: &Project, name: &str) -> Result<Option<String>, Error> {
    let file = project.root().join(name);
    let found = project.resolve(name).and_then(|path| project.read_if_present(&path, MAX_BYTES));
    let refused = |error: &dyn std::fmt::Display| {
        let hint = "Restore the version that you approved, or remove the file. Then run `arki doctor`.";
        Error::new(Code::CONFIG_INVALID, format!("{} can't be used: {error}", file.display()), hint)
    };
    let Some(found) = found.map_err(|error| refused(&error))? else { return Ok(None) };
    arki_config::text_of(&found.bytes, &file).map(|text| Some(text.to_owned()))
}

impl Projects {
    /// The folder, where there is one, and the configuration that holds there or is the user's.
    pub(super) fn open_and_config(&self, folder: Option<&Path>) -> Result<(Option<OpenProject>, Config), Error> {
        let Some(folder) = folder else { return Ok((None, self.accounts.user_config()?)) };
        let open = self.load_project(folder)?;
        let config = self.config_of(&open)?;
        Ok((Some(open), config))
    }

    /// The configuration that holds in a folder.
    ///
    /// # Errors
    /// `CONFIG_INVALID` or `CONFIG_UNKNOWN_KEY`, also of the project's that nobody has agreed to.
    pub(crate) fn config_of(&self, open: &OpenProject) -> Result<Config, Error> {
        let InForce { config, refused } = self.config_in_force(open)?;
        refused.map_or(Ok(config), Err)
    }

    /// Why the configuration of a folder can't be used, if so: nothing works there but to mend it.
    #[must_use]
    pub fn configuration_fault(&self, folder: &Path) -> Option<Error> {
        self.config_of(&self.load_project(folder).ok()?).err()
    }

    /// The configuration that holds in a folder, as people read it.
    ///
    /// # Errors
    /// As of [`Self::config_of`].
    pub fn shown_config(&self, folder: &Path) -> Result<ShownConfig, Error> {
        let open = self.load_project(folder)?;
        self.config_of(&open)?;
        let own = self.accounts.user_config_text()?;
        let project = ProjectConfig::of(&open);
        let mut files = vec![(self.records.directories().config_file().display().to_string(), own.as_str())];
        if let Some(text) = project.agreed_text().filter(|_| open.is_trusted()) {
            files.push((project.file.display().to_string(), text));
        }
        arki_config::shown(&files).map_err(Error::internal)
    }

    /// # Errors
    /// Where the user's own configuration has an error.
    pub(crate) fn config_in_force(&self, open: &OpenProject) -> Result<InForce, Error> {
        let mut file = self.accounts.user_file()?;
        add_found_agents(self, open, &mut file);
        let path = self.records.directories().config_file();
        let user = ReadConfig::of(&file, &path);
        let mut in_force = match open.is_trusted() {
            true => ProjectConfig::of(open).over(user)?,
            false => InForce { config: Config::merge(user, None)?, refused: None },
        };
        let InForce { config, refused } = &mut in_force;
        for name in CLAUDE_SETTINGS.into_iter().filter(|_| open.is_trusted()) {
            let file = ProjectConfig::read(&open.project, open.trust.as_ref(), name);
            match file.claude_settings_in_force() {
                Ok(settings) => {
                    config.hooks.extend(settings.hooks);
                    add_rules(&mut config.policy, settings.rules);
                }
                Err(fault) => *refused = refused.take().or(Some(fault)),
            }
        }
        config.policy.keep_rules_of(&open.path());
        let secret = config.hooks.iter().find_map(|hook| names_secret(open, hook, &config.secret_files.set));
        *refused = refused.take().or(secret);
        config.hooks.retain_mut(|hook| is_agreed(open, hook));
        let standing = |checker: &Checker| open.line_standing(checker.origin, &checker.command, true);
        config.checkers.retain(|checker| standing(checker) == LineAgreement::Agreed);
        if let Some(bytes) = open.agreed_bytes(PinKind::McpServer, MCP_JSON) {
            let file = open.project.root().join(MCP_JSON);
            config.mcp_left_out = arki_config::add_mcp_json(&mut config.mcp_servers, &bytes, &file, &config.providers);
        }
        Ok(in_force)
    }
}

/// The pin of another agent's settings says what of them Arki ignores or reads more strictly.
pub(crate) fn noted(open: &OpenProject, pin: &arki_files::Pin) -> arki_files::Pin {
    let name = CLAUDE_SETTINGS.into_iter().find(|name| *name == pin.path);
    let file = name.map(|name| ProjectConfig::read(&open.project, open.trust.as_ref(), name));
    let note = file.map(|file| match file.claude_settings() {
        Ok(settings) => settings.notes.join(" "),
        Err(fault) => fault.message,
    });
    arki_files::Pin { note: note.filter(|note| !note.is_empty()).or_else(|| pin.note.clone()), ..pin.clone() }
}

/// Adds those that are not there yet, and returns whether there was one.
fn add_rules(policy: &mut PolicySettings, rules: Vec<PolicyRule>) -> bool {
    let known = policy.rules.len();
    for rule in rules {
        if !policy.rules.contains(&rule) {
            policy.rules.push(rule);
        }
    }
    policy.rules.len() > known
}

/// The text of a hook goes to the model, so it never comes from a secret file.
fn names_secret(open: &OpenProject, hook: &Hook, secrets: &GlobSet) -> Option<Error> {
    let path = open.project.resolve(hook.action.file()?).ok()?;
    let message = format!("The hook {:?} names the secret file {path} as its text.", hook.name);
    let fault = || Error::new(Code::CONFIG_INVALID, message, "Name another file, or remove the hook.");
    open.project.is_secret(&path, secrets).then(fault)
}

/// A project's hook whose program or text changed since the user agreed to it is off. One of which not everything can be
/// pinned stays, to say that it is off. A text in a file takes the place of its name.
fn is_agreed(open: &OpenProject, hook: &mut Hook) -> bool {
    if let Some(path) = hook.action.file() {
        let text = open.agreed_hook_text(path);
        hook.action = hook.action.with_text(text.clone().unwrap_or_default());
        return text.is_some();
    }
    let HookAction::Command(command) = &hook.action else { return true };
    match open.line_standing(hook.origin, &command.line, false) {
        LineAgreement::Agreed => true,
        LineAgreement::Changed => false,
        LineAgreement::Unpinned(why) => {
            hook.action = HookAction::Off { line: command.line.clone(), why };
            true
        }
    }
}

/// The rules in force in a folder while a run is at work in it.
pub(crate) struct OpenFolderRules {
    leavings: Arc<Leavings>,
    project: Arc<Project>,
    /// The folder in which hooks find their programs.
    workplace: Arc<Project>,
    trust: Option<TrustRecord>,
    git: GitScan,
    /// The hash of the configuration that the run began with.
    began_with: Option<String>,
}

impl OpenFolderRules {
    pub(crate) fn of(open: &OpenProject, leavings: Arc<Leavings>) -> Self {
        let began_with = read(&open.project, PROJECT_CONFIG).ok().flatten();
        let (project, trust, git) = (open.project.clone(), open.trust.clone(), open.git.clone());
        Self { leavings, project, workplace: open.workplace().clone(), trust, git, began_with }
    }

    fn tightened(&self, policy: &PolicySettings) -> Result<Option<PolicySettings>, Error> {
        let mut policy = policy.clone();
        let mut is_tighter = false;
        for name in CLAUDE_SETTINGS {
            let rules = ProjectConfig::read(&self.project, self.trust.as_ref(), name).claude_settings()?.rules;
            is_tighter |= add_rules(&mut policy, rules);
        }
        let now = ProjectConfig::read(&self.project, self.trust.as_ref(), PROJECT_CONFIG);
        if let Some(text) = now.text?.filter(|text| self.began_with.as_ref() != Some(text)) {
            let file = arki_config::parse(&text, &now.file)?;
            arki_config::restrict_policy(&mut policy, &file, &now.file)?;
            policy.keep_rules_of(&self.project.root().display().to_string());
            is_tighter = true;
        }
        Ok(is_tighter.then_some(policy))
    }
}

impl FolderRules for OpenFolderRules {
    fn now(&self, policy: &PolicySettings) -> Option<PolicySettings> {
        if !self.trust.as_ref().is_some_and(|trust| trust.trusted) {
            return None;
        }
        self.tightened(policy)
            .unwrap_or_else(|fault| Some(PolicySettings { refused: Some(fault.message), ..policy.clone() }))
    }

    fn changed_git(&self) -> ChangedGit {
        let Some(trust) = self.trust.as_ref().filter(|trust| trust.trusted) else { return ChangedGit::default() };
        match self.git.pins(&self.project) {
            Ok(current) => changed_git(trust, &current),
            Err(error) => {
                tracing::warn!(%error, "what git would run could not be looked at");
                ChangedGit { programs: true, hooks: true, ..ChangedGit::default() }
            }
        }
    }

    fn is_agreed(&self, file: &'static str, line: Option<&str>) -> bool {
        let trust = self.trust.as_ref().filter(|trust| trust.trusted);
        if ProjectConfig::read(&self.project, trust, file).agreed_text().is_none() {
            return false;
        }
        let standing = |line: &str| line_standing(trust, &self.workplace, (file, line), false);
        // Whether the user agrees to what can't be pinned was asked when the run began.
        line.is_none_or(|line| standing(line) != LineAgreement::Changed)
    }

    fn tell(&self, note: String) {
        self.leavings.add(&self.project.root().display().to_string(), &[note]);
    }
}
