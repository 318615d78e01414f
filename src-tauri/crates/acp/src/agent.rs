//! The agent: the answers to the protocol's methods.

use crate::live_session::{LiveSession, OpenSessions, PromptTurn, TurnOrder};
use crate::messages::{
    ClientCapabilityFlags, ContentBlock, Initialize, ListSessions, NamedSessionParams, PromptParams,
    SessionConfigOption, SessionUpdate, SetConfigOption, SetMode, StopReason, initialized, tell_update, timestamp,
};
use crate::prompt::{PromptText, read_prompt};
use crate::replay::Past;
use crate::rpc::{RequestId, RpcConnection, RpcRefusal};
use crate::session_options::{ChosenOption, EditorMode, session_choices};
use crate::telling::CommandOutputForm;
use crate::turn;
use arki_domain::Error;
use arki_engine::Client;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// Sessions of one answer to `session/list`, and those that are looked through.
const LIST_PAGE: usize = 100;
const MAX_LISTED: usize = 10_000;

pub(crate) struct EditorAgent {
    pub(crate) client: Arc<Client>,
    pub(crate) connection: Arc<RpcConnection>,
    pub(crate) sessions: Arc<OpenSessions>,
    /// Set once by `initialize`.
    capabilities: OnceLock<ClientCapabilityFlags>,
}

/// The answer to a request.
pub(crate) enum AgentReply {
    Now(Value),
    /// With news of a session, right after the answer.
    Then(Value, Arc<LiveSession>, Vec<SessionUpdate>),
    /// It was sent, or follows later.
    Elsewhere,
}

/// A prompt that has its turn, or waits for it.
struct BegunPrompt {
    session: Arc<LiveSession>,
    turn: PromptTurn,
    blocks: Vec<ContentBlock>,
}

impl EditorAgent {
    pub(crate) fn new(client: Arc<Client>, connection: Arc<RpcConnection>) -> Arc<Self> {
        Arc::new(Self { client, connection, sessions: Arc::default(), capabilities: OnceLock::new() })
    }

    pub(crate) fn capabilities(&self) -> ClientCapabilityFlags {
        self.capabilities.get().copied().unwrap_or_default()
    }

    pub(crate) fn output_form(&self) -> CommandOutputForm {
        if self.capabilities().terminal_output { CommandOutputForm::Terminal } else { CommandOutputForm::Text }
    }

    /// Reads on a thread of its own.
    pub(crate) async fn reading<T: Send + 'static>(
        &self,
        read: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<T, RpcRefusal> {
        Ok(tokio::task::spawn_blocking(read).await.map_err(Error::internal)??)
    }

    pub(crate) async fn tell(&self, session: &LiveSession, updates: Vec<SessionUpdate>) {
        for update in updates {
            tell_update(&self.connection, &session.id, &update).await;
        }
    }

    /// Takes in a request; what is returned answers it, whatever comes of it. A prompt has its place among
    /// the turns then: a cancellation right behind it finds it.
    pub(crate) fn accept(
        self: Arc<Self>,
        id: RequestId,
        method: String,
        mut params: Value,
    ) -> impl Future<Output = ()> + Send {
        let prompt = (method == "session/prompt").then(|| self.begin_prompt(&id, params.take()));
        async move {
            let reply = match prompt {
                Some(Ok(prompt)) => self.carry_out(prompt).await,
                Some(Err(refusal)) => Err(refusal),
                None => self.reply(&id, &method, params).await,
            };
            self.answer(&id, reply).await;
        }
    }

    async fn answer(&self, id: &RequestId, reply: Result<AgentReply, RpcRefusal>) {
        match reply {
            Ok(AgentReply::Now(result)) => self.connection.answer(id, Ok(result)).await,
            Ok(AgentReply::Then(result, session, updates)) => {
                self.connection.answer(id, Ok(result)).await;
                self.tell(&session, updates).await;
            }
            Ok(AgentReply::Elsewhere) => {}
            Err(refusal) => self.connection.answer(id, Err(refusal)).await,
        }
    }

    fn ensure_initialized(&self) -> Result<(), RpcRefusal> {
        match self.capabilities.get() {
            Some(_) => Ok(()),
            None => Err(RpcRefusal::invalid_request("Send `initialize` before anything else.")),
        }
    }

    async fn reply(&self, id: &RequestId, method: &str, params: Value) -> Result<AgentReply, RpcRefusal> {
        if method == "initialize" {
            return self.initialize(params);
        }
        self.ensure_initialized()?;
        match method {
            "session/new" => self.open_new(id, read(params)?).await,
            "session/load" => self.open_again(id, read(params)?, Past::Told).await,
            "session/resume" => self.open_again(id, read(params)?, Past::Known).await,
            "session/list" => self.list(read(params)?).await,
            "session/close" => self.close(&read(params)?).await,
            "session/delete" => self.delete(&read(params)?).await,
            "session/set_mode" => self.set_mode(&read(params)?).await,
            "session/set_config_option" => self.set_option(read(params)?).await,
            "authenticate" => {
                Err(RpcRefusal::invalid_params("Arki has no sign-in here. `arki keys set PROVIDER` stores a key."))
            }
            _ => Err(RpcRefusal::unknown_method(method)),
        }
    }

    /// Takes in a notification. An unknown one is no error.
    pub(crate) fn notified(&self, method: &str, params: Value) {
        match method {
            "session/cancel" => {
                let named = read::<NamedSessionParams>(params).ok();
                if let Some(session) = named.and_then(|named| self.sessions.find(&named.session_id)) {
                    session.cancel(&self.client);
                }
            }
            "$/cancel_request" => {
                let request = params.get("requestId").cloned().and_then(RequestId::new);
                if let Some(request) = request {
                    self.sessions.list().iter().for_each(|session| session.cancel_request(&request, &self.client));
                }
            }
            _ => tracing::debug!(method, "an unknown notification"),
        }
    }

    fn initialize(&self, params: Value) -> Result<AgentReply, RpcRefusal> {
        let said: Initialize = read(params)?;
        // A client that begins anew keeps to what it said first.
        let _ = self.capabilities.set(said.client_capabilities);
        Ok(AgentReply::Now(initialized()))
    }

    async fn list(&self, asked: ListSessions) -> Result<AgentReply, RpcRefusal> {
        let from: usize = match &asked.cursor {
            Some(cursor) => {
                cursor.parse().map_err(|_| RpcRefusal::invalid_params("This cursor isn't one of Arki's."))?
            }
            None => 0,
        };
        let engine = self.client.engine().clone();
        let reading = self.reading(move || {
            let folder = asked.cwd.map(|cwd| engine.projects().folder(&cwd)).transpose()?;
            let folder = folder.map(|folder| folder.display().to_string());
            let mut sessions = engine.session_reader().list(MAX_LISTED)?;
            let is_own = |project: &str| folder.as_deref().is_none_or(|folder| folder == project);
            sessions.retain(|one| one.parent.is_none() && !one.archived && is_own(&one.project));
            Ok(sessions)
        });
        let sessions = reading.await?;
        let has_more = sessions.len() > from.saturating_add(LIST_PAGE);
        let page = sessions.into_iter().skip(from).take(LIST_PAGE).map(|session| {
            let updated_at = timestamp(session.updated_at);
            json!({"sessionId": session.session_id, "cwd": session.project, "title": session.title, "updatedAt": updated_at})
        });
        let next_cursor = has_more.then(|| (from + LIST_PAGE).to_string());
        Ok(AgentReply::Now(json!({"sessions": page.collect::<Vec<_>>(), "nextCursor": next_cursor})))
    }

    async fn close(&self, named: &NamedSessionParams) -> Result<AgentReply, RpcRefusal> {
        let session = self.sessions.named(&named.session_id)?;
        session.cancel(&self.client);
        session.closing.cancel();
        self.sessions.remove(&session.id);
        self.client.engine().mcp().end_session_servers(&session.id).await;
        Ok(AgentReply::Now(json!({})))
    }

    async fn delete(&self, named: &NamedSessionParams) -> Result<AgentReply, RpcRefusal> {
        if self.sessions.find(&named.session_id).is_some_and(|session| session.has_turn()) {
            return Err(RpcRefusal::invalid_request("The session is still working on a prompt. Cancel it first."));
        }
        self.client.engine().retention().remove_session(&named.session_id).await?;
        if let Some(session) = self.sessions.remove(&named.session_id) {
            session.closing.cancel();
        }
        self.client.engine().mcp().end_session_servers(&named.session_id).await;
        Ok(AgentReply::Now(json!({})))
    }

    fn begin_prompt(&self, id: &RequestId, params: Value) -> Result<BegunPrompt, RpcRefusal> {
        self.ensure_initialized()?;
        let asked: PromptParams = read(params)?;
        let session = self.sessions.named(&asked.session_id)?;
        let turn = session.begin_turn(id.clone())?;
        Ok(BegunPrompt { session, turn, blocks: asked.prompt })
    }

    async fn carry_out(&self, BegunPrompt { session, turn, blocks }: BegunPrompt) -> Result<AgentReply, RpcRefusal> {
        if !turn.begins().await {
            session.end_turn(&turn.request);
            return Ok(AgentReply::Now(json!({"stopReason": StopReason::Cancelled})));
        }
        let (engine, folder) = (self.client.engine().clone(), session.folder.clone());
        let reading = tokio::task::spawn_blocking(move || read_prompt(&engine, &folder, blocks));
        let prompt = match reading.await.unwrap_or_else(|error| Err(Error::internal(error).into())) {
            Ok(prompt) => prompt,
            Err(refusal) => {
                session.end_turn(&turn.request);
                return Err(refusal);
            }
        };
        let (cancelled, has_waited) = (turn.cancelled.clone(), turn.has_waited);
        session.order(TurnOrder::Begin(turn)).await;
        self.permit_servers(&session, &cancelled).await;
        let prompt = PromptText { has_waited, ..prompt };
        turn::carry_out(&self.client, &session, prompt, &cancelled).await;
        self.tell_server_faults(&session).await;
        Ok(AgentReply::Elsewhere)
    }

    async fn set_mode(&self, asked: &SetMode) -> Result<AgentReply, RpcRefusal> {
        let session = self.sessions.named(&asked.session_id)?;
        session.set_mode(EditorMode::named(&asked.mode_id)?);
        let options = self.options(&session).await?;
        Ok(AgentReply::Then(json!({}), session, vec![SessionUpdate::ConfigOptionUpdate { config_options: options }]))
    }

    async fn set_option(&self, asked: SetConfigOption) -> Result<AgentReply, RpcRefusal> {
        let session = self.sessions.named(&asked.session_id)?;
        let updates = match ChosenOption::read(&asked.config_id, asked.value)? {
            ChosenOption::Mode(mode) => {
                session.set_mode(mode);
                vec![SessionUpdate::CurrentModeUpdate { current_mode_id: mode.id() }]
            }
            ChosenOption::Stored(changes) => {
                self.client.engine().session_configuring().configure(&session.id, changes).await?;
                Vec::new()
            }
        };
        let result = json!({"configOptions": self.options(&session).await?});
        Ok(AgentReply::Then(result, session, updates))
    }

    async fn options(&self, session: &LiveSession) -> Result<Vec<SessionConfigOption>, RpcRefusal> {
        let (engine, id, mode) = (self.client.engine().clone(), session.id.clone(), session.mode());
        Ok(self.reading(move || session_choices(&engine, &id, mode)).await?.options)
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, RpcRefusal> {
    serde_json::from_value(params)
        .map_err(|error| RpcRefusal::invalid_params(format!("The parameters don't fit: {error}.")))
}
