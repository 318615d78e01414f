//! A configured server: started when it is first needed, started again when it ended, remembered between starts.

mod test_run;
mod viewed;

use crate::agreement::Agreement;
use crate::authorization;
use crate::backoff::Backoff;
use crate::connection::{Connection, Prompt, Unanswered};
use crate::fault::{changed_again, failed, has_own_token, over_limit, tool_changed};
use crate::handler::Heard;
use crate::offer::{Offer, OfferTarget};
use crate::opening::{MAX_SIGN_INS, StartedServer};
use crate::ports::{Ended, Ports};
use crate::result_text::Answer;
use crate::settings::{ServerSettings, Transport};
use crate::tool_search;
use arki_domain::{Code, Error};
use arki_tools::Caller;
use rmcp::model::ProgressToken;
use serde::Serialize;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ServerState {
    /// Switched off in the configuration.
    Disabled,
    /// Starts when it is needed.
    Idle,
    Starting,
    Running,
    /// It ended or could not be started; it is tried again when it is needed.
    Failed,
}

/// The way a call is followed.
pub struct Call<'a> {
    pub cancel: CancellationToken,
    /// Told what the server says of its progress.
    pub on_progress: &'a mut (dyn FnMut(String) + Send),
    pub caller: Caller,
}

pub struct Server {
    settings: ServerSettings,
    ports: Ports,
    inner: tokio::sync::Mutex<ConnectionState>,
    /// Held by the call that has the program's view to itself.
    turn: Arc<tokio::sync::Mutex<()>>,
    shown: Mutex<ShownServer>,
}

#[derive(Default)]
struct ConnectionState {
    connection: Option<Arc<Connection>>,
    backoff: Backoff,
}

/// The facts that can be shown without waiting for anything.
struct ShownServer {
    state: ServerState,
    /// Why it has failed, while it has.
    failure: Option<Error>,
    heard: Arc<Heard>,
}

impl Server {
    #[must_use]
    pub fn new(settings: ServerSettings, ports: Ports) -> Self {
        let state = if settings.enabled { ServerState::Idle } else { ServerState::Disabled };
        let shown = Mutex::new(ShownServer { state, failure: None, heard: Arc::default() });
        Self { settings, ports, inner: tokio::sync::Mutex::default(), turn: Arc::default(), shown }
    }

    /// Returns what a model is offered of it as far as it was met before, without starting it.
    pub fn remembered_offer(&self) -> Result<Option<Offer>, Error> {
        Ok(self.remembered()?.map(|agreement| Offer::of(&self.settings, &agreement)))
    }

    #[must_use]
    pub fn settings(&self) -> &ServerSettings {
        &self.settings
    }

    #[must_use]
    pub fn state(&self) -> ServerState {
        if self.over_limit().is_some() { ServerState::Failed } else { self.shown().state }
    }

    /// Why it ended or could not be started, until it runs again.
    #[must_use]
    pub fn failure(&self) -> Option<Error> {
        let over = self.over_limit().map(|how| over_limit(&self.settings.name, &how));
        over.or_else(|| self.shown().failure.clone())
    }

    /// The limit that it was ended at while nobody called it.
    fn over_limit(&self) -> Option<String> {
        self.inner.try_lock().ok()?.connection.as_ref()?.over_limit()
    }

    /// The last of what it printed besides the protocol.
    #[must_use]
    pub fn trail(&self) -> String {
        self.shown().heard.trail.text()
    }

    /// Returns what is known of its tools, without starting it; `None` when it was never met.
    pub fn remembered(&self) -> Result<Option<Agreement>, Error> {
        self.ports.agreements.load(&self.settings.key())
    }

    /// Returns what a model is offered of it. A server that was met before is not started for it.
    pub async fn offer(&self) -> Result<Offer, Error> {
        let agreement = match self.remembered()? {
            Some(agreement) => agreement,
            None => self.look().await?,
        };
        Ok(Offer::of(&self.settings, &agreement))
    }

    /// Starts it if need be, and has it list its tools anew.
    pub async fn look(&self) -> Result<Agreement, Error> {
        self.asked(|connection| async move { self.list(&connection).await }).await
    }

    /// The user agrees to the tools that the server listed last, which they were shown under this digest.
    ///
    /// # Errors
    /// `MCP_TOOL_CHANGED` when they are others by now, or when the agreement cannot be kept.
    pub async fn agree(&self, digest: &str) -> Result<Agreement, Error> {
        let mut agreement = self.remembered()?.unwrap_or_default();
        if agreement.digest() != digest {
            return Err(changed_again(&self.settings.name));
        }
        agreement.agree();
        self.ports.agreements.save(&self.settings.key(), &agreement).await?;
        Ok(agreement)
    }

    /// Lets the user sign in, also where tokens are kept already.
    ///
    /// # Errors
    /// When it is no server that is signed in to, it has a token of its own, or signing in failed.
    pub async fn sign_in(&self) -> Result<(), Error> {
        let Transport::Http(remote) = &self.settings.transport else {
            let hint = "Set what it needs under \"env\" in its configuration.";
            let message = format!("The MCP server \"{}\" is a local program and needs no sign-in.", self.settings.name);
            return Err(Error::new(Code::USAGE, message, hint));
        };
        if remote.has_own_authorization() {
            return Err(has_own_token(&self.settings.name));
        }
        authorization::sign_in(&self.settings, remote, &self.ports, None).await
    }

    /// Calls what a model was offered.
    ///
    /// # Errors
    /// When the tool is off, the server cannot be started or asked, or it ended meanwhile. It is not called again then.
    pub async fn call(&self, target: &OfferTarget, args: &Value, call: Call<'_>) -> Result<Answer, Error> {
        if *target == OfferTarget::SearchTools {
            return self.search(args);
        }
        let cancelled = call.cancel.clone();
        tokio::select! {
            answer = self.call_listening(target, args, call) => answer,
            () = cancelled.cancelled() => {
                Err(Error::new(Code::CANCELLED, "Stopped.", "Arki told the server to stop."))
            }
        }
    }

    /// Prompts that the server has ready.
    pub async fn prompts(&self) -> Result<Vec<Prompt>, Error> {
        self.asked(|connection| async move { self.in_time(connection.prompts()).await }).await
    }

    /// The text of a prompt.
    pub async fn prompt(&self, name: &str, arguments: &serde_json::Map<String, Value>) -> Result<String, Error> {
        self.asked(|connection| async move { self.in_time(connection.prompt(name, arguments)).await }).await
    }

    /// Ends it; it starts again when it is needed.
    pub async fn stop(&self) {
        if let Some(connection) = self.inner.lock().await.connection.take() {
            connection.close().await;
            self.show(ServerState::Idle);
        }
    }

    /// Asks over an open connection; once more where the user has to sign in first.
    async fn asked<T, F>(&self, ask: impl Fn(Arc<Connection>) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Unanswered>>,
    {
        let mut sign_ins = 0;
        loop {
            let connection = self.connected().await?;
            match ask(connection.clone()).await {
                Ok(answer) => return Ok(answer),
                Err(unanswered) => self.settle(unanswered, &connection, &mut sign_ins).await?,
            }
        }
    }

    async fn call_listening(&self, target: &OfferTarget, args: &Value, mut call: Call<'_>) -> Result<Answer, Error> {
        let mut sign_ins = 0;
        loop {
            let connection = self.connected().await?;
            match self.call_once(&connection, target, args, &mut call).await {
                Ok(answer) => {
                    self.inner.lock().await.backoff.clear();
                    return Ok(answer);
                }
                Err(unanswered) => self.settle(unanswered, &connection, &mut sign_ins).await?,
            }
        }
    }

    async fn call_once(
        &self,
        connection: &Connection,
        target: &OfferTarget,
        args: &Value,
        call: &mut Call<'_>,
    ) -> Result<Answer, Unanswered> {
        if !connection.heard().knows_tools.load(Ordering::Relaxed) {
            self.list(connection).await?;
        }
        self.ensure_agreed(target, args)?;
        let mut listener = connection.heard().progress.listen();
        let asked = ask(connection, target, args, &listener.token);
        let asked = connection.heard().calls.during(&call.caller, asked);
        tokio::pin!(asked);
        loop {
            tokio::select! {
                biased;
                Some(text) = listener.told.recv() => (call.on_progress)(text),
                answer = &mut asked => return answer,
            }
        }
    }

    /// Handles a question that was not answered: the user signs in and it is asked again, or it is at an end.
    async fn settle(
        &self,
        unanswered: Unanswered,
        connection: &Arc<Connection>,
        sign_ins: &mut usize,
    ) -> Result<(), Error> {
        match unanswered {
            Unanswered::SignIn(challenge) if *sign_ins < MAX_SIGN_INS => {
                *sign_ins += 1;
                self.sign_in_again(challenge.as_deref()).await
            }
            unanswered => Err(self.fault_of(unanswered, connection).await),
        }
    }

    async fn sign_in_again(&self, challenge: Option<&str>) -> Result<(), Error> {
        if let Transport::Http(remote) = &self.settings.transport {
            authorization::sign_in(&self.settings, remote, &self.ports, challenge).await?;
        }
        self.stop().await;
        Ok(())
    }

    /// Nothing is called that the user has not agreed to as it is now.
    fn ensure_agreed(&self, target: &OfferTarget, args: &Value) -> Result<(), Error> {
        let tool = match target {
            OfferTarget::Tool(tool) => tool.as_str(),
            OfferTarget::CallTool => args.get("name").and_then(Value::as_str).unwrap_or_default(),
            OfferTarget::ListResources | OfferTarget::ReadResource | OfferTarget::SearchTools => return Ok(()),
        };
        let agreement = self.remembered()?.unwrap_or_default();
        if let Some(listed) = agreement.in_force().find(|listed| listed.name == tool) {
            return match target {
                // The executor has checked the others.
                OfferTarget::CallTool => listed.check(args.get("arguments").unwrap_or(&serde_json::json!({}))),
                _ => Ok(()),
            };
        }
        let known = |tools: &[crate::ListedTool]| tools.iter().any(|known| known.name == tool);
        if known(&agreement.agreed) || known(&agreement.latest) {
            return Err(tool_changed(&self.settings.name, tool));
        }
        Err(Error::new(
            Code::TOOL_UNKNOWN,
            format!("The MCP server \"{}\" has no tool {tool:?}.", self.settings.name),
            "Search its tools again.",
        ))
    }

    fn search(&self, args: &Value) -> Result<Answer, Error> {
        let agreement = self.remembered()?.unwrap_or_default();
        let tools: Vec<crate::ListedTool> = agreement.in_force().cloned().collect();
        let found = tool_search::search(&tools, args.get("query").and_then(Value::as_str).unwrap_or_default());
        let told: Vec<String> = found
            .iter()
            .map(|tool| format!("{}: {}\narguments: {}", tool.name, tool.description, tool.schema))
            .collect();
        Ok(Answer::text(if told.is_empty() {
            "No tool matches. Try other words.".to_owned()
        } else {
            told.join("\n\n")
        }))
    }

    async fn connected(&self) -> Result<Arc<Connection>, Error> {
        if !self.settings.enabled {
            let message = format!("The MCP server \"{}\" is switched off.", self.settings.name);
            return Err(Error::new(Code::MCP_SERVER_FAILED, message, "Switch it on in the settings."));
        }
        let mut inner = self.inner.lock().await;
        if let Some(connection) = inner.connection.as_ref().filter(|connection| connection.is_open()) {
            return Ok(connection.clone());
        }
        if let Some(gone) = inner.connection.take()
            && let Some(Ended::OverLimit(how)) = gone.close().await
        {
            self.note_failure(&mut inner, &over_limit(&self.settings.name, &how));
        }
        if let Some(reason) = inner.backoff.reason(Instant::now()) {
            return Err(failed(&self.settings.name, reason));
        }
        self.show(ServerState::Starting);
        match self.open().await {
            Ok(connection) => {
                let connection = Arc::new(connection);
                inner.connection = Some(connection.clone());
                self.show(ServerState::Running);
                Ok(connection)
            }
            Err(fault) => {
                self.note_failure(&mut inner, &fault);
                Err(fault)
            }
        }
    }

    async fn open(&self) -> Result<Connection, Error> {
        let heard = self.begin_hearing();
        let started = StartedServer::new(&self.settings, &self.ports, heard).await?;
        started.initialize(&self.settings, &self.ports).await
    }

    /// Has the tools listed, and remembers how they are now. What was never seen is agreed to with the server itself.
    async fn list(&self, connection: &Connection) -> Result<Agreement, Unanswered> {
        let (tools, refused) = self.in_time(connection.list_tools()).await?;
        for lie in &refused {
            let (server, tool, reason) = (&self.settings.name, &lie.name, &lie.reason);
            tracing::warn!(server, tool, reason, "an MCP tool is not offered");
        }
        let known = self.remembered()?;
        let agreement = match known.clone() {
            None => Agreement::of_first_sight(tools, refused, connection.has_resources()),
            Some(known) => Agreement { latest: tools, refused, has_resources: connection.has_resources(), ..known },
        };
        if known.as_ref() != Some(&agreement) {
            self.ports.agreements.save(&self.settings.key(), &agreement).await?;
        }
        Ok(agreement)
    }

    async fn fault_of(&self, unanswered: Unanswered, connection: &Arc<Connection>) -> Error {
        let has_ended = matches!(unanswered, Unanswered::Ended);
        let fault = self.words(unanswered, connection).await;
        if has_ended {
            let mut inner = self.inner.lock().await;
            if inner.connection.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection)) {
                inner.connection = None;
                self.note_failure(&mut inner, &fault);
            }
        }
        fault
    }

    async fn words(&self, unanswered: Unanswered, connection: &Connection) -> Error {
        let server = &self.settings.name;
        match unanswered {
            Unanswered::Refused(fault) => fault,
            Unanswered::SignIn(_) => crate::fault::authorization_needed(server),
            Unanswered::Ended => {
                let how = match connection.close().await {
                    Some(Ended::OverLimit(how)) => return over_limit(server, &how),
                    Some(Ended::Left(how)) => format!(" ({how})"),
                    None => String::new(),
                };
                if let Some(broken) = connection.heard().findings.broken() {
                    return failed(server, format_args!("{broken} Arki stopped it."));
                }
                let before = match connection.view() {
                    Some(_) => "What it changed in the project was thrown away; what else it did is unknown.",
                    None => "What it did before is unknown.",
                };
                failed(server, format_args!("ended during a call{how}. {before}"))
            }
        }
    }

    fn note_failure(&self, inner: &mut ConnectionState, fault: &Error) {
        inner.backoff.note_failure(Instant::now());
        self.show_failure(fault);
    }

    /// Bounds a request besides calls to the time that starting may take.
    async fn in_time<T>(&self, asked: impl Future<Output = Result<T, Unanswered>>) -> Result<T, Unanswered> {
        let limit = self.settings.start_timeout;
        tokio::time::timeout(limit, asked).await.map_err(|_| self.too_slow(limit))?
    }

    fn too_slow(&self, limit: Duration) -> Error {
        Error::new(
            Code::TOOL_TIMEOUT,
            format!("The MCP server \"{}\" took longer than {} s.", self.settings.name, limit.as_secs()),
            "Ask for less at a time, or raise its time limit in the configuration.",
        )
    }

    fn place(&self) -> String {
        match &self.settings.transport {
            Transport::Stdio(command) => command.command.clone(),
            Transport::Http(remote) => remote.shown_url(),
        }
    }

    fn shown(&self) -> std::sync::MutexGuard<'_, ShownServer> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn show(&self, state: ServerState) {
        let mut shown = self.shown();
        shown.state = state;
        shown.failure = None;
    }

    fn show_failure(&self, fault: &Error) {
        let mut shown = self.shown();
        shown.state = ServerState::Failed;
        shown.failure = Some(fault.clone());
    }

    fn begin_hearing(&self) -> Arc<Heard> {
        let heard = Arc::<Heard>::default();
        self.shown().heard = heard.clone();
        heard
    }
}

async fn ask(
    connection: &Connection,
    target: &OfferTarget,
    args: &Value,
    token: &ProgressToken,
) -> Result<Answer, Unanswered> {
    let text = |name: &str| args.get(name).and_then(Value::as_str).unwrap_or_default();
    match target {
        OfferTarget::Tool(tool) => connection.call(tool, args, token).await,
        OfferTarget::CallTool => {
            let arguments = args.get("arguments").cloned().unwrap_or_else(|| Value::Object(serde_json::Map::new()));
            connection.call(text("name"), &arguments, token).await
        }
        OfferTarget::ListResources => connection.list_resources().await,
        OfferTarget::ReadResource => connection.read_resource(text("uri")).await,
        OfferTarget::SearchTools => Ok(Answer::default()),
    }
}
