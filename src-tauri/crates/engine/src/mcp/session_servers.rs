//! The MCP servers that a client names for one session, as an editor does: no configuration has them.
//!
//! None starts before the user has permitted it. A permission that is kept is for this folder, as long as it stays trusted
//! without a break, and for exactly this server: its name, its command line or address, its variables and headers, and the
//! programs of the project's own in it. A configured server of the same name wins.

use crate::mcp::entries::changed;
use crate::{Mcp, OpenProject, Projects, Records, blocking};
use arki_api::McpChangedTool;
use arki_config::{Config, ConfiguredServer, McpOrigin, McpServerConfig};
use arki_domain::{Error, SessionId, sha256_hex};
use arki_mcp::{Server, is_server_name, shown_url};
use arki_redaction::env_secrets;
use futures_util::future::join_all;
use serde_json::json;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Servers that a session has.
const MAX_SERVERS: usize = 16;
/// A longer command line isn't read before it is permitted.
const MAX_SHOWN_BYTES: usize = 4096;
/// The largest program of the project's own that a permission can be for.
const MAX_PROGRAM_BYTES: u64 = 16 << 20;
/// Longer changes of a server's tools aren't read; the tools stay off.
const MAX_CHANGES_BYTES: usize = 32 << 10;

/// A server as a client names it.
pub struct NamedServer {
    pub name: String,
    /// The program; `None` for a server over HTTP.
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub url: Option<String>,
    pub headers: BTreeMap<String, String>,
}

/// A server that waits for the user's permission.
#[derive(Debug, Clone, Default)]
pub struct ServerRequest {
    pub name: String,
    /// The command line with its variables, or the address: what is asked about, without secrets.
    pub place: String,
    pub is_program: bool,
    /// False where nothing would confine the program.
    pub is_confined: bool,
    /// The tools that are others since the server was permitted. They are agreed to with it.
    pub changed_tools: Vec<McpChangedTool>,
    /// The hash of the tools as they were shown.
    pub digest: Option<String>,
}

/// The user's permission for a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerPermission {
    /// Kept for further sessions in the folder.
    pub always: bool,
    /// The program may use the network.
    pub network: bool,
}

struct NamedServerState {
    config: McpServerConfig,
    permitted: Option<PermittedServer>,
}

#[derive(Clone, PartialEq, Eq)]
struct PermittedServer {
    fingerprint: Fingerprint,
    network: bool,
}

/// The identity of what is permitted; `None` where a program is too large to tell, so that nothing can be kept.
type Fingerprint = Option<String>;

type ServersBySession = HashMap<SessionId, BTreeMap<String, NamedServerState>>;

/// The named servers of the sessions that clients have open, and what was permitted of them.
pub struct SessionServers {
    records: Arc<Records>,
    projects: Arc<Projects>,
    named: Mutex<ServersBySession>,
}

impl SessionServers {
    pub(super) fn new(records: Arc<Records>, projects: Arc<Projects>) -> Self {
        Self { records, projects, named: Mutex::default() }
    }

    fn all(&self) -> MutexGuard<'_, ServersBySession> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes in the servers that a client names for a session, in place of those before. Starts none. Returns those that
    /// are left out, in a sentence each. Blocking.
    ///
    /// # Errors
    /// When the folder or the configuration cannot be used.
    pub fn name_servers(
        &self,
        folder: &Path,
        session: &SessionId,
        named: Vec<NamedServer>,
    ) -> Result<Vec<String>, Error> {
        let config = self.projects.config_of(&self.projects.load_project(folder)?)?;
        let (mut servers, mut left_out) = (BTreeMap::new(), Vec::new());
        for server in named {
            let (name, shown) = (plain_name(&server.name), arki_domain::visible::one_line(&server.name));
            let taken = config.mcp_servers.contains_key(&name).then_some("Arki has one of this name configured");
            let again = servers.contains_key(&name).then_some("another has the same name");
            let many = (servers.len() >= MAX_SERVERS).then_some("a session has at most 16");
            match taken.or(again).or(many).map_or_else(|| usable(server), |reason| Err(reason.to_owned())) {
                Ok(config) => {
                    self.learn_secrets(&config);
                    servers.insert(name, NamedServerState { config, permitted: None });
                }
                Err(reason) => left_out.push(format!("The MCP server {shown:?} is left out: {reason}.")),
            }
        }
        self.all().insert(session.clone(), servers);
        Ok(left_out)
    }

    fn learn_secrets(&self, config: &McpServerConfig) {
        // The last word: what stands before it is a scheme, as in `Bearer TOKEN`.
        let token = |(name, value): (&String, &String)| {
            let last = value.split_whitespace().last().unwrap_or_default();
            (name.clone(), json!(last))
        };
        let values = config.env.iter().chain(&config.headers).map(token).collect::<serde_json::Map<_, _>>();
        self.records.redactor().add_all(env_secrets(&serde_json::Value::Object(values).to_string()));
    }

    /// The session's servers that may not start yet. Keeps what is known to be permitted.
    fn unpermitted(
        &self,
        open: &OpenProject,
        session: &SessionId,
        config: &Config,
    ) -> Result<Vec<ServerRequest>, Error> {
        let mut requests = Vec::new();
        for (name, server) in self.all().get_mut(session).into_iter().flatten() {
            let fingerprint = fingerprint(open, name, &server.config);
            if server.permitted.as_ref().is_none_or(|permitted| permitted.fingerprint != fingerprint) {
                server.permitted = self.kept_permission(fingerprint)?;
            }
            if server.permitted.is_none() && !config.mcp_servers.contains_key(name) {
                requests.push(self.request(name, &server.config));
            }
        }
        Ok(requests)
    }

    fn request(&self, name: &str, config: &McpServerConfig) -> ServerRequest {
        ServerRequest {
            name: name.to_owned(),
            place: self.records.redactor().redact(&place(config)).into_owned(),
            is_program: config.command.is_some(),
            is_confined: self.projects.sandbox().available,
            changed_tools: Vec::new(),
            digest: None,
        }
    }

    fn kept_permission(&self, fingerprint: Fingerprint) -> Result<Option<PermittedServer>, Error> {
        let Some(known) = &fingerprint else { return Ok(None) };
        let network = match self.records.reader().meta(&item(known))?.as_deref() {
            Some(NETWORK) => true,
            Some(OFFLINE) => false,
            Some(_) | None => return Ok(None),
        };
        Ok(Some(PermittedServer { fingerprint, network }))
    }

    /// Notes a permission; returns the key under which it is to be kept, if so.
    fn permit(&self, open: &OpenProject, session: &SessionId, name: &str, given: ServerPermission) -> Option<String> {
        let mut all = self.all();
        let server = all.get_mut(session)?.get_mut(name)?;
        let fingerprint = fingerprint(open, name, &server.config);
        let kept = fingerprint.as_deref().filter(|_| given.always).map(item);
        server.permitted = Some(PermittedServer { fingerprint, network: given.network });
        kept
    }

    /// Leaves a server out of a session, until the client opens it again.
    pub fn leave_out(&self, session: &SessionId, name: &str) {
        if let Some(servers) = self.all().get_mut(session) {
            servers.remove(name);
        }
    }

    /// Adds a session's permitted servers to what is configured.
    pub(crate) fn add_to(&self, open: &OpenProject, session: &SessionId, config: &mut Config) {
        for (name, server) in self.all().get(session).into_iter().flatten() {
            let Some(permitted) = &server.permitted else { continue };
            if permitted.fingerprint == fingerprint(open, name, &server.config)
                && !config.mcp_servers.contains_key(name)
            {
                let network = server.config.command.is_some().then_some(permitted.network);
                let of_session = McpServerConfig { network, ..server.config.clone() };
                let origin = McpOrigin::Session(session.clone());
                config.mcp_servers.insert(name.clone(), ConfiguredServer { origin, config: of_session });
            }
        }
    }
}

impl Mcp {
    /// The servers that clients name for sessions.
    #[must_use]
    pub fn session_servers(&self) -> &SessionServers {
        &self.session_servers
    }

    /// The session's servers that may not start yet, or whose tools have changed since. Starts none. Blocking.
    ///
    /// # Errors
    /// When the folder, the configuration or the database cannot be used.
    pub fn session_server_requests(&self, folder: &Path, session: &SessionId) -> Result<Vec<ServerRequest>, Error> {
        if self.session_servers.all().get(session).is_none_or(BTreeMap::is_empty) {
            return Ok(Vec::new());
        }
        let open = self.projects.load_project(folder)?;
        let mut config = self.projects.config_of(&open)?;
        let mut requests = self.session_servers.unpermitted(&open, session, &config)?;
        self.session_servers.add_to(&open, session, &mut config);
        for server in self.mcp_servers(&open, &config).iter().filter(|server| is_named(server, &config)) {
            let name = &server.settings().name;
            let known = server.remembered()?.unwrap_or_default();
            let changed_tools: Vec<McpChangedTool> = known.changes().iter().map(changed).collect();
            let texts = changed_tools.iter().flat_map(|tool| [&tool.before, &tool.now]).flatten();
            let is_readable = texts.map(String::len).sum::<usize>() <= MAX_CHANGES_BYTES;
            if let Some(configured) = config.mcp_servers.get(name).filter(|_| !changed_tools.is_empty() && is_readable)
            {
                let request = self.session_servers.request(name, &configured.config);
                requests.push(ServerRequest { changed_tools, digest: Some(known.digest()), ..request });
            }
        }
        Ok(requests)
    }

    /// Permits a server that was asked about, with its tools as they were shown.
    ///
    /// # Errors
    /// When the permission cannot be kept, or the tools are others by now.
    pub async fn permit_session_server(
        self: &Arc<Self>,
        folder: &Path,
        session: &SessionId,
        request: &ServerRequest,
        permission: ServerPermission,
    ) -> Result<(), Error> {
        let (folder, of, name) = (folder.to_owned(), session.clone(), request.name.clone());
        let permitting = blocking(self, move |mcp| {
            let open = mcp.projects.load_project(&folder)?;
            let mut config = mcp.projects.config_of(&open)?;
            let kept = mcp.session_servers.permit(&open, &of, &name, permission);
            mcp.session_servers.add_to(&open, &of, &mut config);
            let servers = mcp.mcp_servers(&open, &config).into_iter();
            Ok((kept, servers.filter(|server| is_named(server, &config)).find(|server| server.settings().name == name)))
        });
        let (kept, server) = permitting.await?;
        if let Some(key) = kept {
            self.records.store().set_meta(&key, if permission.network { NETWORK } else { OFFLINE }).await?;
        }
        match (server, &request.digest) {
            (Some(server), Some(digest)) => server.agree(digest).await.map(drop),
            _ => Ok(()),
        }
    }

    /// Ends a session's own servers, and forgets them.
    pub async fn end_session_servers(&self, session: &SessionId) {
        self.session_servers.all().remove(session);
        let mut ended = Vec::new();
        self.servers.lock().unwrap_or_else(PoisonError::into_inner).retain(|place, kept| {
            let is_its = place.session.as_ref() == Some(session);
            ended.extend(is_its.then(|| kept.server.clone()));
            !is_its
        });
        join_all(ended.iter().map(|server| server.stop())).await;
    }
}

const NETWORK: &str = "network";
const OFFLINE: &str = "offline";

fn item(fingerprint: &str) -> String {
    format!("mcp_permission:{fingerprint}")
}

fn is_named(server: &Arc<Server>, config: &Config) -> bool {
    let configured = config.mcp_servers.get(&server.settings().name);
    configured.is_some_and(|configured| matches!(configured.origin, McpOrigin::Session(_)))
}

/// A name that tools can bear: editors have names with spaces and colons.
fn plain_name(name: &str) -> String {
    if is_server_name(name) {
        return name.to_owned();
    }
    name.chars().take(32).map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}

fn usable(server: NamedServer) -> Result<McpServerConfig, String> {
    let NamedServer { name, command, args, env, url, headers } = server;
    let config = McpServerConfig { command, args, env, url, headers, ..McpServerConfig::default() };
    let is_address = |url: &String| url.starts_with("http://") || url.starts_with("https://");
    if name.trim().is_empty() {
        return Err("it has no name".to_owned());
    }
    match (&config.command, &config.url) {
        (Some(command), None) if !command.trim().is_empty() => {}
        (None, Some(url)) if is_address(url) => {}
        _ => return Err("it has neither a program nor an address with http:// or https://".to_owned()),
    }
    if place(&config).len() > MAX_SHOWN_BYTES {
        return Err("its command line is too long to be reviewed".to_owned());
    }
    Ok(config)
}

/// Shows how a server is reached, a variable a line.
fn place(config: &McpServerConfig) -> String {
    let Some(command) = &config.command else { return config.url.as_deref().map(shown_url).unwrap_or_default() };
    let quoted = |word: &String| match word.contains(|c: char| c.is_whitespace() || c.is_control()) {
        true => format!("{word:?}"),
        false => word.clone(),
    };
    let mut shown = std::iter::once(command).chain(&config.args).map(quoted).collect::<Vec<_>>().join(" ");
    for (name, value) in &config.env {
        let _ = write!(shown, "\n{}={}", quoted(name), quoted(value));
    }
    shown
}

/// Returns the identity of what a permission is for.
fn fingerprint(open: &OpenProject, name: &str, config: &McpServerConfig) -> Fingerprint {
    let command = config.command.as_deref().unwrap_or_default();
    let mut programs = BTreeMap::new();
    for word in arki_files::command_programs(command, &config.args) {
        let Ok(path) = open.project.resolve(&word) else { continue };
        let read = open.project.read_if_present(&path, MAX_PROGRAM_BYTES);
        // A folder, such as the project itself, is no program.
        let is_file = open.project.root().join(PathBuf::from(path.as_str())).is_file();
        match read {
            Ok(found) => programs.insert(path.to_string(), found.map(|found| sha256_hex(&found.bytes))),
            Err(_) if is_file => return None,
            Err(_) => continue,
        };
    }
    let trusted_since = open.trust.as_ref().map(|trust| trust.decided_at);
    let place = json!([config.command, config.args, config.env, config.url, config.headers]);
    Some(sha256_hex(json!([open.path(), trusted_since, name, place, programs]).to_string().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, command: &str, args: &[&str]) -> NamedServer {
        let (command, args) = (Some(command.to_owned()), args.iter().map(ToString::to_string).collect());
        NamedServer { name: name.into(), command, args, env: BTreeMap::new(), url: None, headers: BTreeMap::new() }
    }

    fn address(url: &str) -> NamedServer {
        NamedServer { command: None, url: Some(url.to_owned()), ..program("x", "", &[]) }
    }

    #[test]
    fn names_are_made_such_that_tools_can_bear_them() {
        for (name, expected) in [("git", "git"), ("My Server: 1", "My-Server--1"), ("a__b", "a--b"), ("ä", "-")] {
            assert_eq!(plain_name(name), expected);
            assert!(is_server_name(&plain_name(name)), "{name}");
        }
        assert_eq!(plain_name(&"x".repeat(40)).len(), 32);
    }

    #[test]
    fn what_cannot_be_a_server_is_left_out_with_its_reason() {
        assert!(usable(program("x", "npx", &["-y", "a b"])).is_ok_and(|config| place(&config) == "npx -y \"a b\""));
        assert!(usable(address("https://x/mcp")).is_ok());
        let long = "x".repeat(MAX_SHOWN_BYTES);
        for (server, word) in [
            (program("", "npx", &[]), "name"),
            (program("x", " ", &[]), "neither"),
            (program("x", "npx", &[&long]), "too long"),
            (address("file:///x"), "neither"),
        ] {
            let reason = usable(server).unwrap_err();
            assert!(reason.contains(word), "{reason}");
        }
    }
}
