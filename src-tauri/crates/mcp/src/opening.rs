//! Opening a connection: starting the program or reaching the address, and the handshake.

use crate::authorization;
use crate::connection::{ConnectedProgram, Connection};
use crate::fault::{self, failed, quoted, variable_not_set};
use crate::handler::{Handler, Heard};
use crate::http;
use crate::ports::{Ended, Launched, Ports, ServerProcess};
use crate::progress::OwnTokens;
use crate::readable::Readable;
use crate::settings::{Remote, ServerSettings, Transport};
use crate::stdout_lines;
use arki_domain::Error;
use arki_tools::ProgramView;
use rmcp::model::ProtocolVersion;
use rmcp::service::ClientInitializeError;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::auth::AuthClient;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncWrite, DuplexStream, duplex};
use tokio_util::task::AbortOnDropHandle;

const PIPE_BYTES: usize = 64 * 1024;
/// The time for reading a program's last output after its end.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Times that the user is asked to sign in before an answer that asks again counts as a refusal.
pub(crate) const MAX_SIGN_INS: usize = 2;

/// A step in opening a connection, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningStep {
    Start,
    Initialize,
    Tools,
}

/// A server that was started, or whose address is known, and that has not spoken yet.
pub(crate) struct StartedServer {
    way: OpenedTransport,
    heard: Arc<Heard>,
}

enum OpenedTransport {
    Pipes(ServerPipes),
    Http,
}

struct ServerPipes {
    protocol: DuplexStream,
    stdin: Box<dyn AsyncWrite + Send + Unpin>,
    process: Box<dyn ServerProcess>,
    view: Option<Arc<ProgramView>>,
    lines: AbortOnDropHandle<()>,
    trail: AbortOnDropHandle<()>,
}

impl StartedServer {
    pub(crate) async fn new(settings: &ServerSettings, ports: &Ports, heard: Arc<Heard>) -> Result<Self, Error> {
        if let Some(variable) = settings.unset_variables.first() {
            return Err(variable_not_set(&settings.name, variable));
        }
        let way = match &settings.transport {
            Transport::Stdio(command) => {
                OpenedTransport::Pipes(ServerPipes::new(ports.launcher.launch(command).await?, &heard))
            }
            Transport::Http(_) => OpenedTransport::Http,
        };
        Ok(Self { way, heard })
    }

    /// The handshake, within the server's time limit. Signing in is the user's and takes as long as it takes.
    pub(crate) async fn initialize(self, settings: &ServerSettings, ports: &Ports) -> Result<Connection, Error> {
        let heard = self.heard;
        match (self.way, &settings.transport) {
            (OpenedTransport::Pipes(pipes), Transport::Stdio(command)) => {
                let first = pipes.initialize(settings, ports, &heard, newest_first()).await;
                let Err(NotBegun::Misunderstood(_)) = first else { return first.map_err(NotBegun::into_fault) };
                // It would say everything twice.
                heard.trail.clear();
                let again = ServerPipes::new(ports.launcher.launch(command).await?, &heard);
                again
                    .initialize(settings, ports, &heard, ClientLifecycleMode::Initialize)
                    .await
                    .map_err(NotBegun::into_fault)
            }
            (OpenedTransport::Http, Transport::Http(remote)) => {
                let first = over_http(settings, remote, ports, &heard, newest_first()).await;
                let Err(NotBegun::Misunderstood(_)) = first else { return first.map_err(NotBegun::into_fault) };
                let again = over_http(settings, remote, ports, &heard, ClientLifecycleMode::Initialize);
                again.await.map_err(NotBegun::into_fault)
            }
            _ => Err(Error::internal("a server that is reached another way than it is configured")),
        }
    }
}

/// Why a handshake failed.
enum NotBegun {
    /// Perhaps for its first word, which servers of earlier protocols may stumble over.
    Misunderstood(Error),
    Failed(Error),
}

impl NotBegun {
    fn into_fault(self) -> Error {
        match self {
            Self::Misunderstood(fault) | Self::Failed(fault) => fault,
        }
    }
}

impl From<Error> for NotBegun {
    fn from(fault: Error) -> Self {
        Self::Failed(fault)
    }
}

impl ServerPipes {
    fn new(launched: Launched, heard: &Arc<Heard>) -> Self {
        let (protocol, passed) = duplex(PIPE_BYTES);
        let Launched { stdin, stdout, stderr, process, view } = launched;
        let (for_lines, for_trail) = (heard.clone(), heard.clone());
        let lines = tokio::spawn(async move { stdout_lines::pass_on(stdout, passed, &for_lines.findings).await });
        let trail = tokio::spawn(async move { for_trail.trail.follow(stderr).await });
        let (lines, trail) = (AbortOnDropHandle::new(lines), AbortOnDropHandle::new(trail));
        Self { protocol, stdin, process, view, lines, trail }
    }

    async fn initialize(
        self,
        settings: &ServerSettings,
        ports: &Ports,
        heard: &Arc<Heard>,
        lifecycle: ClientLifecycleMode,
    ) -> Result<Connection, NotBegun> {
        let Self { protocol, stdin, mut process, view, lines, trail } = self;
        let transport =
            AsyncRwTransport::new_client(protocol, stdin).with_max_line_length(stdout_lines::MAX_MESSAGE_BYTES);
        let serving =
            handler(settings, ports, heard).serve_with_lifecycle(OwnTokens(Readable::new(transport, None)), lifecycle);
        let error = match tokio::time::timeout(settings.start_timeout, serving).await {
            Ok(Ok(running)) => {
                let program = ConnectedProgram { process, view };
                return Ok(Connection::new(settings, running, heard.clone(), Some(program), vec![lines, trail]));
            }
            Ok(Err(error)) => Some(error),
            Err(_) => None,
        };
        let ended = process.stop().await;
        // What it said last is read to its end, as far as that comes.
        let _ = tokio::time::timeout(LAST_WORDS, trail).await;
        heard.never_ran.store(error.as_ref().is_some_and(has_ended) && was_not_found(heard, &ended), Ordering::Relaxed);
        let fault = failed(&settings.name, why_not_begun(settings, heard, error.as_ref(), &ended));
        let is_broken = heard.findings.broken().is_some() || matches!(ended, Ended::OverLimit(_));
        Err(if !is_broken && error.is_some_and(|error| is_misunderstood(&error)) {
            NotBegun::Misunderstood(fault)
        } else {
            NotBegun::Failed(fault)
        })
    }
}

async fn over_http(
    settings: &ServerSettings,
    remote: &Remote,
    ports: &Ports,
    heard: &Arc<Heard>,
    lifecycle: ClientLifecycleMode,
) -> Result<Connection, NotBegun> {
    let mut sign_ins = 0;
    loop {
        let client = http::client(&settings.name, remote)?;
        let manager = authorization::manager(&settings.name, remote, ports).await?;
        let config = http::config(&settings.name, remote)?;
        let transport = StreamableHttpClientTransport::with_client(AuthClient::new(client, manager), config);
        let transport = OwnTokens(Readable::new(transport, Some(heard.clone())));
        let serving = handler(settings, ports, heard).serve_with_lifecycle(transport, lifecycle.clone());
        match tokio::time::timeout(settings.start_timeout, serving).await {
            Ok(Ok(running)) => return Ok(Connection::new(settings, running, heard.clone(), None, Vec::new())),
            Ok(Err(error)) if wants_sign_in(&error) && sign_ins < MAX_SIGN_INS => {
                sign_ins += 1;
                authorization::sign_in(settings, remote, ports, error.auth_challenge()).await?;
            }
            Ok(Err(error)) => {
                let why = format_args!("can't be reached at {}: {}.", remote.shown_url(), in_short(&error));
                let fault = failed(&settings.name, why);
                let is_misunderstood = is_misunderstood(&error);
                return Err(if is_misunderstood { NotBegun::Misunderstood(fault) } else { NotBegun::Failed(fault) });
            }
            Err(_) => {
                return Err(
                    failed(&settings.name, why_not_begun(settings, heard, None, &Ended::Left(String::new()))).into()
                );
            }
        }
    }
}

/// It answered with something else than what was asked for, or went away.
fn is_misunderstood(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. }
        | ClientInitializeError::ConnectionClosed(_) => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => is_misunderstood(fallback),
        _ => false,
    }
}

fn in_short(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => fault::cause(error.error.as_ref()),
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => in_short(fallback),
        ClientInitializeError::ExpectedInitResponse(_)
        | ClientInitializeError::ExpectedInitResult(_)
        | ClientInitializeError::ConflictInitResponseId(..)
        | ClientInitializeError::UncorrelatedErrorResponse { .. } => "its answer to `initialize` is invalid".to_owned(),
        other => fault::cause(other),
    }
}

fn wants_sign_in(error: &ClientInitializeError) -> bool {
    error.is_authorization_required() || error.auth_challenge().is_some()
}

/// The newest protocol first; a server that does not know it is spoken to as before.
fn newest_first() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::LATEST],
        legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
    }
}

fn handler(settings: &ServerSettings, ports: &Ports, heard: &Arc<Heard>) -> Handler {
    Handler {
        server: settings.name.clone(),
        root: ports.root.clone(),
        elicitor: ports.elicitor.clone(),
        heard: heard.clone(),
    }
}

/// Why there is no connection, from what is known of both sides.
fn why_not_begun(
    settings: &ServerSettings,
    heard: &Heard,
    error: Option<&ClientInitializeError>,
    ended: &Ended,
) -> String {
    let ended = match ended {
        Ended::OverLimit(how) => return format!("{how}, so Arki ended it."),
        Ended::Left(how) => how,
    };
    if let Some(broken) = heard.findings.broken() {
        return broken;
    }
    let mut why = match error {
        None => format!("did not answer within {} s.", settings.start_timeout.as_secs()),
        Some(error) if has_ended(error) => format!("ended before it answered ({ended})."),
        Some(error) => format!("refused the connection: {}.", in_short(error)),
    };
    if let Some(noise) = heard.findings.noise() {
        why.push_str(&format!(" It printed something that is not MCP: \"{noise}\"."));
    }
    if let Some(last) = heard.trail.text().lines().rfind(|line| !line.trim().is_empty()) {
        why.push_str(&format!(" It said: \"{}\".", quoted(last)));
    }
    why
}

/// Returns whether what should have started the program says that it can't: the sandbox in its words, others by their
/// exit code.
fn was_not_found(heard: &Heard, ended: &Ended) -> bool {
    let by_code = |how: &str| how.starts_with("exit code 126") || how.starts_with("exit code 127");
    let Ended::Left(how) = ended else { return false };
    by_code(how) || heard.trail.text().lines().any(|line| line.starts_with("bwrap: execvp"))
}

fn has_ended(error: &ClientInitializeError) -> bool {
    match error {
        ClientInitializeError::ConnectionClosed(_) | ClientInitializeError::TransportError { .. } => true,
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => has_ended(fallback),
        _ => false,
    }
}
