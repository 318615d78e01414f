//! The MCP servers of a folder: from the user's configuration, and from the project's where it is trusted.
//!
//! One [`Server`] for each, for as long as its settings stay the same; it starts when it is first needed and ends with
//! this engine. In an untrusted folder there is none: a program that is started in it would read what lies there.

mod configuring;
mod elicitations;
mod entries;
mod keeping;
mod launcher;
mod session_servers;
mod settings;
mod sign_in;

use crate::{Accounts, OpenProject, Projects, Records, blocking};
use arki_api::{McpRefusedTool, McpServerEntry, McpTestStep, McpTestStepName};
use arki_config::{Config, ConfiguredServer, McpOrigin};
use arki_domain::{Code, Error, PartKind, SessionId};
use arki_mcp::{Elicitor, ListedTool, OpeningStep, Ports, Prompt, Server, SignIn, tools_of, unmet_tool};
use arki_process::CommandLimits;
use arki_tools::Tool;
use elicitations::{Elicitations, InTheWindow};
use futures_util::future::join_all;
use globset::Glob;
use keeping::{Agreements, Tokens};
use launcher::SandboxedLauncher;
use sign_in::Loopback;
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use session_servers::{NamedServer, ServerPermission, ServerRequest, SessionServers};

/// The MCP servers of all folders.
pub struct Mcp {
    records: Arc<Records>,
    accounts: Arc<Accounts>,
    projects: Arc<Projects>,
    servers: Mutex<HashMap<ServerPlace, KeptServer>>,
    session_servers: SessionServers,
    elicitations: Arc<Elicitations>,
    /// The number of clients that see servers' questions, and can answer.
    answering: Arc<AtomicUsize>,
    /// Why servers have no tools in the runs that were begun, until somebody asks.
    faults: Mutex<Vec<Error>>,
}

/// Counts a client that can show what servers ask, for as long as it lives.
pub(crate) struct Answering(Arc<AtomicUsize>);

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(PartialEq, Eq, Hash)]
struct ServerPlace {
    project: String,
    /// The session that it was named for; `None` for a configured one.
    session: Option<SessionId>,
    name: String,
}

/// A server, and what its program may take, and not open.
struct KeptServer {
    server: Arc<Server>,
    limits: CommandLimits,
    secrets: Vec<Glob>,
}

/// Faults that nobody asks for are forgotten beyond this many.
const MAX_FAULTS: usize = 32;

impl Mcp {
    pub(crate) fn new(records: Arc<Records>, accounts: Arc<Accounts>, projects: Arc<Projects>) -> Self {
        let (servers, elicitations, answering, faults) = Default::default();
        let session_servers = SessionServers::new(records.clone(), projects.clone());
        Self { records, accounts, projects, servers, session_servers, elicitations, answering, faults }
    }

    fn all(&self) -> Vec<Arc<Server>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).values().map(|kept| kept.server.clone()).collect()
    }

    fn note(&self, fault: Error) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if faults.len() < MAX_FAULTS {
            faults.push(fault);
        }
    }
}

impl Mcp {
    /// The servers of an open folder, whether they are switched on or not. None is started by it.
    fn mcp_servers(&self, open: &OpenProject, config: &Config) -> Vec<Arc<Server>> {
        let usable: Vec<_> = config.mcp_servers.iter().filter(|(_, server)| is_agreed(open, server)).collect();
        let mut known = self.servers.lock().unwrap_or_else(PoisonError::into_inner);
        // What is no longer configured or trusted ends with its last call.
        known.retain(|place, _| {
            let is_usable = || usable.iter().any(|(usable, _)| **usable == place.name);
            place.session.is_some() || place.project != open.path() || is_usable()
        });
        let limits = config.tool_limits.command;
        let secrets = &config.secret_files.globs;
        let mut servers = Vec::new();
        for (name, configured) in usable {
            let settings = settings::of(name, configured, &open.path(), self.accounts.keys());
            let session = match &configured.origin {
                McpOrigin::Session(session) => Some(session.clone()),
                McpOrigin::User | McpOrigin::Project | McpOrigin::McpJson => None,
            };
            let place = ServerPlace { project: open.path(), session, name: name.clone() };
            match known.get(&place) {
                Some(kept)
                    if *kept.server.settings() == settings && kept.limits == limits && kept.secrets == *secrets =>
                {
                    servers.push(kept.server.clone());
                }
                // What the one before has running ends when its last call does.
                _ => {
                    let closed = secrets.iter().cloned().chain(config.policy.closed_to_commands()).collect();
                    let server = Arc::new(Server::new(settings, self.mcp_ports(name, open, limits, closed)));
                    known.insert(place, KeptServer { server: server.clone(), limits, secrets: secrets.clone() });
                    servers.push(server);
                }
            }
        }
        servers
    }

    fn mcp_ports(&self, name: &str, open: &OpenProject, limits: CommandLimits, closed: Vec<Glob>) -> Ports {
        Ports {
            launcher: Arc::new(SandboxedLauncher {
                server: name.to_owned(),
                project: open.project.root().to_owned(),
                hidden: self.projects.hidden_folders(),
                trash: self.records.directories().trash(),
                journals: self.records.directories().journals(),
                views: self.records.directories().views(),
                closed,
                has_views: OnceLock::new(),
                leavings: self.projects.leavings().clone(),
                sandbox: self.projects.sandbox().clone(),
                limits,
            }),
            agreements: Arc::new(Agreements { records: self.records.clone() }),
            tokens: Arc::new(Tokens { redactor: self.records.redactor().clone() }),
            sign_in: None,
            elicitor: self.elicitor(open),
            root: Some(open.project.root().to_owned()),
        }
    }

    /// Returns the elicitor; where nobody sees a server's questions, no server is told that it may ask.
    fn elicitor(&self, open: &OpenProject) -> Option<Arc<dyn Elicitor>> {
        let asks = || -> Arc<dyn Elicitor> {
            let register = self.elicitations.clone();
            let (bus, clock) = (self.records.live_bus(), self.records.clock().clone());
            Arc::new(InTheWindow { register, bus, clock, project: open.path() })
        };
        (self.answering.load(Ordering::Relaxed) > 0).then(asks)
    }

    /// Servers that start from now on may ask the user, as long as this is held and until they end.
    pub(crate) fn answers(&self) -> Answering {
        self.answering.fetch_add(1, Ordering::Relaxed);
        Answering(self.answering.clone())
    }

    /// The tools of the servers that were met before. Starts none.
    pub(crate) fn mcp_tools(&self, open: &OpenProject, config: &Config) -> Vec<Tool> {
        let servers = self.mcp_servers(open, config);
        let offered = |server: &Arc<Server>| match server.remembered_offer() {
            Ok(offer) => offer.map(|offer| tools_of(server, offer)).unwrap_or_default(),
            Err(fault) => {
                tracing::warn!(server = server.settings().name, %fault, "an MCP server's tools are not known");
                Vec::new()
            }
        };
        servers.iter().filter(|server| is_on(server, config)).flat_map(offered).collect()
    }

    /// Returns the servers that were never met. Starts none.
    pub(crate) fn new_mcp_servers(&self, open: &OpenProject, config: &Config) -> Vec<Arc<Server>> {
        let is_new = |server: &Arc<Server>| is_on(server, config) && !matches!(server.remembered(), Ok(Some(_)));
        self.mcp_servers(open, config).into_iter().filter(is_new).collect()
    }

    /// Returns a tool of a server that was never met, as it would be judged. Starts none.
    pub(crate) fn unmet_tool(&self, open: &OpenProject, config: &Config, tool_id: &str) -> Option<Tool> {
        self.new_mcp_servers(open, config).iter().find_map(|server| unmet_tool(server, tool_id))
    }

    /// Starts new servers before a run, all at once, to learn their tools. A server that fails has no tools in this
    /// run.
    pub(crate) async fn meet_mcp_servers(&self, new: &[Arc<Server>]) {
        for (server, met) in join_all(new.iter().map(async |server| (server, server.look().await))).await {
            match met {
                Ok(agreement) => {
                    agreement.left_out(&server.settings().name).into_iter().for_each(|fault| self.note(fault))
                }
                Err(fault) => {
                    tracing::warn!(server = server.settings().name, %fault, "an MCP server has no tools in this run");
                    let hint = format!("This run continues without its tools. {}", fault.hint);
                    self.note(Error { hint, ..fault });
                }
            }
        }
    }

    /// Why servers, or some of their tools, are missing in the runs that were begun since this was asked last.
    #[must_use]
    pub fn take_mcp_faults(&self) -> Vec<Error> {
        std::mem::take(&mut *self.faults.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The configured servers, and what is known of them. Starts none.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn mcp_listed(&self, folder: &Path) -> Result<Vec<McpServerEntry>, Error> {
        let open = self.projects.load_project(folder)?;
        let config = self.projects.config_of(&open)?;
        let servers = self.mcp_servers(&open, &config);
        let entry = |(name, configured): (&String, &ConfiguredServer)| {
            let server = servers.iter().find(|server| server.settings().name == *name);
            let known = |server| entries::of(server, configured, self.records.redactor());
            server.map_or_else(|| entries::of_untrusted(name, configured), known)
        };
        Ok(config.mcp_servers.iter().map(entry).collect())
    }

    /// The servers that `.mcp.json` names and that can't be used, in a sentence each.
    #[must_use]
    pub fn mcp_left_out(&self, folder: &Path) -> Vec<String> {
        let config = self.projects.load_project(folder).and_then(|open| self.projects.config_of(&open));
        config.map(|config| config.mcp_left_out).unwrap_or_default()
    }

    /// The servers of the user's own configuration, where no folder is open.
    ///
    /// # Errors
    /// When the configuration cannot be used.
    pub fn mcp_configured(&self) -> Result<Vec<McpServerEntry>, Error> {
        let config = self.accounts.user_config()?;
        Ok(config.mcp_servers.iter().map(|(name, server)| entries::of_untrusted(name, server)).collect())
    }

    /// Opens a connection of its own to a server, and has it list its tools. `on_step` is told each step as it ends; the
    /// first that fails is the last. True when none failed.
    ///
    /// # Errors
    /// `MCP_SERVER_UNKNOWN`, `UNTRUSTED`, or when the configuration has an error.
    pub async fn mcp_test(
        self: &Arc<Self>,
        folder: &Path,
        name: &str,
        on_step: &mut (dyn FnMut(McpTestStep) + Send),
    ) -> Result<bool, Error> {
        let (server, _) = self.mcp_server(folder, name).await?;
        let mut since = Instant::now();
        let in_ms = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        let tested = server
            .test(&mut |step, message, took| {
                since = Instant::now();
                let (step, duration_ms) = (step_name(step), in_ms(took));
                on_step(McpTestStep { step, ok: true, duration_ms, message, code: None, hint: None, trail: None });
            })
            .await;
        let Err((step, fault)) = tested else { return Ok(true) };
        let fault = self.records.redactor().redact_error(fault);
        on_step(McpTestStep {
            step: step_name(step),
            ok: false,
            duration_ms: in_ms(since.elapsed()),
            message: fault.message,
            code: Some(fault.code),
            // Not to do what is being done.
            hint: Some(fault.hint).filter(|hint| !hint.contains("`arki mcp test ")),
            trail: Some(self.records.redactor().redact(&server.trail()).into_owned()).filter(|trail| !trail.is_empty()),
        });
        Ok(false)
    }

    /// The tools that a server listed last, and those of them that are left out.
    ///
    /// # Errors
    /// As [`Self::mcp_test`].
    pub fn mcp_tools_listed(&self, folder: &Path, name: &str) -> Result<(Vec<ListedTool>, Vec<McpRefusedTool>), Error> {
        let agreement = self.configured_mcp_server(folder, name)?.0.remembered()?.unwrap_or_default();
        let left_out = entries::refused(&agreement);
        Ok((agreement.latest, left_out))
    }

    /// The last of what a server printed besides the protocol.
    ///
    /// # Errors
    /// As [`Self::mcp_test`].
    pub fn mcp_trail(&self, folder: &Path, name: &str) -> Result<String, Error> {
        Ok(self.records.redactor().redact(&self.configured_mcp_server(folder, name)?.0.trail()).into_owned())
    }

    /// Agrees to a server's tools as they were shown, under this digest.
    ///
    /// # Errors
    /// As [`Self::mcp_test`], and `MCP_TOOL_CHANGED` when they are others by now.
    pub async fn mcp_agree(self: &Arc<Self>, folder: &Path, name: &str, digest: &str) -> Result<(), Error> {
        self.mcp_server(folder, name).await?.0.agree(digest).await.map(drop)
    }

    /// Has a server list its tools, so that what changed can be shown before it is agreed to.
    ///
    /// # Errors
    /// As [`Self::mcp_test`], and when the server cannot be asked.
    pub async fn mcp_look(self: &Arc<Self>, folder: &Path, name: &str) -> Result<McpServerEntry, Error> {
        let (server, configured) = self.mcp_server(folder, name).await?;
        server.look().await?;
        blocking(self, move |mcp| Ok(entries::of(&server, &configured, mcp.records.redactor()))).await
    }

    /// Lets the user sign in to a server: `show` is given the page's address; the browser comes back to this computer.
    ///
    /// # Errors
    /// As [`Self::mcp_test`], and when the user does not come back or there is no keychain.
    pub async fn mcp_sign_in(
        self: &Arc<Self>,
        folder: &Path,
        name: &str,
        show: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<(), Error> {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        let found = blocking(self, move |mcp| {
            let (server, _) = mcp.configured_mcp_server(&folder, &name)?;
            let open = mcp.projects.load_project(&folder)?;
            // It is only signed in to, and starts no program.
            Ok((server, mcp.mcp_ports(&name, &open, CommandLimits::default(), Vec::new())))
        });
        let (server, ports) = found.await?;
        let page: Arc<dyn SignIn> = Arc::new(Loopback::open(Box::new(show)).await?);
        let signing_in = Server::new(server.settings().clone(), Ports { sign_in: Some(page), ..ports });
        signing_in.sign_in().await?;
        // What is connected without the tokens begins anew with them.
        server.stop().await;
        Ok(())
    }

    /// Prompts that a server has ready.
    ///
    /// # Errors
    /// As [`Self::mcp_look`].
    pub async fn mcp_prompts(self: &Arc<Self>, folder: &Path, name: &str) -> Result<Vec<Prompt>, Error> {
        self.mcp_server(folder, name).await?.0.prompts().await
    }

    /// The text of a prompt, its arguments filled in.
    ///
    /// # Errors
    /// As [`Self::mcp_look`].
    pub async fn mcp_prompt(
        self: &Arc<Self>,
        folder: &Path,
        name: &str,
        prompt: &str,
        arguments: &serde_json::Map<String, serde_json::Value>,
    ) -> Result<String, Error> {
        self.mcp_server(folder, name).await?.0.prompt(prompt, arguments).await
    }

    /// Ends every server that runs.
    pub async fn stop_mcp_servers(&self) {
        join_all(self.all().iter().map(|server| server.stop())).await;
    }

    async fn mcp_server(self: &Arc<Self>, folder: &Path, name: &str) -> Result<(Arc<Server>, ConfiguredServer), Error> {
        let (folder, name) = (folder.to_owned(), name.to_owned());
        blocking(self, move |mcp| mcp.configured_mcp_server(&folder, &name)).await
    }

    fn configured_mcp_server(&self, folder: &Path, name: &str) -> Result<(Arc<Server>, ConfiguredServer), Error> {
        let open = self.projects.load_project(folder)?;
        let config = self.projects.config_of(&open)?;
        let Some(configured) = config.mcp_servers.get(name) else {
            let nearest = config.mcp_servers.keys().min_by_key(|known| strsim::damerau_levenshtein(known, name));
            let hint = match nearest {
                Some(nearest) => format!("The nearest is \"{nearest}\". `arki mcp list` shows them all."),
                None => "Add one with `arki mcp add`, or in the settings.".to_owned(),
            };
            return Err(Error::new(Code::MCP_SERVER_UNKNOWN, format!("There is no MCP server \"{name}\" here."), hint));
        };
        let mut servers = self.mcp_servers(&open, &config).into_iter();
        let server = servers.find(|server| server.settings().name == name).ok_or_else(|| {
            let message = match open.is_trusted() {
                true => format!("The program of the MCP server \"{name}\" has changed since you trusted this folder."),
                false => "MCP servers don't start in a folder that isn't trusted.".to_owned(),
            };
            Error::new(Code::UNTRUSTED, message, "Trust it with `arki trust`, or choose another folder with -C.")
        })?;
        Ok((server, configured.clone()))
    }
}

/// A project's server is there only in a trusted folder, and with the program that was agreed to.
fn is_agreed(open: &OpenProject, server: &ConfiguredServer) -> bool {
    let config = &server.config;
    let is_same = || open.has_agreed_programs(config.command.as_deref().unwrap_or_default(), &config.args);
    // What was named for a session, and not configured, was permitted with the programs that it has.
    let is_permitted = matches!(server.origin, McpOrigin::User | McpOrigin::Session(_));
    open.is_trusted() && (is_permitted || is_same())
}

fn step_name(step: OpeningStep) -> McpTestStepName {
    match step {
        OpeningStep::Start => McpTestStepName::Start,
        OpeningStep::Initialize => McpTestStepName::Initialize,
        OpeningStep::Tools => McpTestStepName::Tools,
    }
}

/// Returns whether the server has tools in a run of this configuration.
fn is_on(server: &Server, config: &Config) -> bool {
    let settings = server.settings();
    settings.enabled && !PartKind::McpServer.is_off(&settings.name, &config.off)
}
