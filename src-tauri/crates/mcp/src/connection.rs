//! One live connection to a server: opened in steps, asked, and closed.

use crate::fault::{cause, failed, quoted, refused};
use crate::handler::{Handler, Heard};
use crate::listed_tool::{ListedTool, Refused};
use crate::ports::{Ended, ServerProcess};
use crate::progress::told_as;
use crate::result_text::Answer;
use crate::settings::ServerSettings;
use arki_domain::Error;
use arki_tools::ProgramView;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetPromptRequestParams, JsonObject, ListToolsRequest, PaginatedRequestParams,
    ProgressToken, ReadResourceRequestParams, ResourceTemplate, ServerResult, SubscriptionFilter,
};
use rmcp::service::RunningService;
use rmcp::transport::DynamicTransportError;
use rmcp::{RoleClient, ServiceError};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Mutex, RwLock};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

/// Pages of a list before a server is held to go on for ever.
const MAX_PAGES: usize = 100;
/// Tools of one server; what it lists beyond them is refused.
const MAX_TOOLS: usize = 500;
/// The limit for all their descriptions and schemas together, which are kept in memory.
const MAX_TOOLS_BYTES: usize = 4 * 1024 * 1024;
const MAX_PROMPTS: usize = 500;
/// The most resources of a server that a model is told about.
const MAX_RESOURCES: usize = 500;
const CLOSE_PATIENCE: Duration = Duration::from_secs(2);

/// A prompt that a server has ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    pub name: String,
    pub description: String,
    pub arguments: Vec<PromptArgument>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptArgument {
    pub name: String,
    pub description: String,
    pub required: bool,
}

pub(crate) struct Connection {
    server: String,
    /// Read while something is asked, written to be closed.
    running: RwLock<RunningService<RoleClient, Handler>>,
    service: rmcp::Peer<RoleClient>,
    heard: Arc<Heard>,
    process: Mutex<Option<Box<dyn ServerProcess>>>,
    view: Option<Arc<ProgramView>>,
    closing: CancellationToken,
    _tasks: Vec<AbortOnDropHandle<()>>,
}

/// The program at the other end.
pub(crate) struct ConnectedProgram {
    pub(crate) process: Box<dyn ServerProcess>,
    pub(crate) view: Option<Arc<ProgramView>>,
}

/// Why a request was not answered.
pub(crate) enum Unanswered {
    /// The server wants the user to sign in, or to grant more; with its challenge.
    SignIn(Option<String>),
    /// The connection is gone.
    Ended,
    Refused(Error),
}

impl From<Error> for Unanswered {
    fn from(fault: Error) -> Self {
        Self::Refused(fault)
    }
}

impl Connection {
    pub(crate) fn new(
        settings: &ServerSettings,
        running: RunningService<RoleClient, Handler>,
        heard: Arc<Heard>,
        program: Option<ConnectedProgram>,
        mut tasks: Vec<AbortOnDropHandle<()>>,
    ) -> Self {
        let service = running.peer().clone();
        tasks.extend(listen_for_changes(&service, &heard));
        let (process, view) = program.map(|program| (program.process, program.view)).unzip();
        Self {
            server: settings.name.clone(),
            running: RwLock::new(running),
            service,
            heard,
            process: Mutex::new(process),
            view: view.flatten(),
            closing: CancellationToken::new(),
            _tasks: tasks,
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.service.is_transport_closed() && !self.heard.is_spent.load(Ordering::Relaxed)
    }

    /// The view of the project that its program works in, also after the program's end.
    pub(crate) fn view(&self) -> Option<&Arc<ProgramView>> {
        self.view.as_ref()
    }

    pub(crate) fn heard(&self) -> &Arc<Heard> {
        &self.heard
    }

    /// Returns what the server calls itself and the protocol's version, for people.
    pub(crate) fn introduction(&self) -> String {
        let Some(info) = self.service.peer_info() else { return String::new() };
        let version = info.protocol_version.as_str();
        match &info.server_info {
            Some(server) => format!("{} {} (MCP {version})", quoted(&server.name), quoted(&server.version)),
            None => format!("MCP {version}"),
        }
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.service.peer_info().is_some_and(|info| info.capabilities.resources.is_some())
    }

    fn has_tools(&self) -> bool {
        self.service.peer_info().is_none_or(|info| info.capabilities.tools.is_some())
    }

    /// All its tools, page by page, each looked at by itself: one that lies does not take the others with it.
    pub(crate) async fn list_tools(&self) -> Result<(Vec<ListedTool>, Vec<Refused>), Unanswered> {
        // Before: what changes meanwhile is asked for again.
        self.heard.knows_tools.store(true, Ordering::Relaxed);
        let listed = if self.has_tools() { self.all_tools().await } else { Ok(Default::default()) };
        if listed.is_err() {
            self.heard.knows_tools.store(false, Ordering::Relaxed);
        }
        listed
    }

    async fn all_tools(&self) -> Result<(Vec<ListedTool>, Vec<Refused>), Unanswered> {
        let (mut tools, mut refused) = (Vec::<ListedTool>::new(), Vec::new());
        let (mut cursors, mut bytes) = (Cursors::default(), 0);
        while let Some(cursor) = cursors.next() {
            let page = self.tools_page(cursor).await?;
            for entry in page.get("tools").and_then(Value::as_array).into_iter().flatten() {
                match ListedTool::parse(entry) {
                    Ok(tool) if tools.contains(&tool) => {}
                    Ok(tool) if tools.iter().any(|known| known.name == tool.name) => {
                        refused.push(Refused { name: tool.name, reason: "it is listed twice".to_owned() });
                    }
                    Ok(tool) if tools.len() == MAX_TOOLS => {
                        let reason = format!("the server has more than {MAX_TOOLS} tools");
                        refused.push(Refused { name: tool.name, reason });
                    }
                    Ok(tool) if bytes + tool.bytes() > MAX_TOOLS_BYTES => {
                        let reason = format!("the server's tools take up more than {} MiB", MAX_TOOLS_BYTES >> 20);
                        refused.push(Refused { name: tool.name, reason });
                    }
                    Ok(tool) => {
                        bytes += tool.bytes();
                        tools.push(tool);
                    }
                    Err(lie) => refused.push(lie),
                }
                refused.truncate(MAX_TOOLS);
            }
            cursors.note(page.get("nextCursor").and_then(Value::as_str).map(str::to_owned));
        }
        Ok((tools, refused))
    }

    async fn tools_page(&self, cursor: Option<String>) -> Result<Value, Unanswered> {
        let request = ListToolsRequest { params: after(cursor), ..Default::default() };
        let answer = self.service.send_request(ClientRequest::ListToolsRequest(request)).await;
        match answer.map_err(|error| self.unanswered(error))? {
            ServerResult::ListToolsResult(page) => serde_json::to_value(page).map_err(|error| self.odd(&error)),
            // A single entry that is no tool makes the whole page something else.
            ServerResult::CustomResult(page) => Ok(page.0),
            _ => Err(self.odd(&"it is not a list of tools")),
        }
    }

    /// Calls a tool and waits for its answer; its progress is told under the token. Dropping the future tells the
    /// server to stop.
    pub(crate) async fn call(&self, tool: &str, args: &Value, token: &ProgressToken) -> Result<Answer, Unanswered> {
        let mut params = told_as(CallToolRequestParams::new(tool.to_owned()), token);
        if let Value::Object(args) = args {
            params = params.with_arguments(args.clone());
        }
        let running = self.running.read().await;
        let answer = self.or_closed(running.call_tool(params)).await?;
        Ok(Answer::of_call(&answer))
    }

    pub(crate) async fn list_resources(&self) -> Result<Answer, Unanswered> {
        let describe = |uri: &str, name: &str, text: Option<&str>| match text {
            Some(text) => format!("{}  {}: {}", quoted(uri), quoted(name), quoted(text)),
            None => format!("{}  {}", quoted(uri), quoted(name)),
        };
        let mut lines = Vec::new();
        let mut cursors = Cursors::default();
        while let Some(cursor) = cursors.next() {
            let page = self.service.list_resources(after(cursor)).await;
            let page = page.map_err(|error| self.unanswered(error))?;
            lines.extend(page.resources.iter().map(|one| describe(&one.uri, &one.name, one.description.as_deref())));
            cursors.note(page.next_cursor.filter(|_| lines.len() <= MAX_RESOURCES));
        }
        // Not every server that has resources makes some on request.
        if let Ok(page) = self.service.list_resource_templates(None).await {
            let template = |one: &ResourceTemplate| describe(&one.uri_template, &one.name, one.description.as_deref());
            lines.extend(page.resource_templates.iter().map(template));
        }
        if lines.len() > MAX_RESOURCES || cursors.is_cut {
            lines.truncate(MAX_RESOURCES);
            lines.push("… and more".to_owned());
        }
        Ok(Answer::text(if lines.is_empty() { "(none)".to_owned() } else { lines.join("\n") }))
    }

    pub(crate) async fn read_resource(&self, uri: &str) -> Result<Answer, Unanswered> {
        let params = ReadResourceRequestParams::new(uri);
        let running = self.running.read().await;
        let answer = self.or_closed(running.read_resource(params)).await?;
        Ok(Answer::of_resource(&answer))
    }

    pub(crate) async fn prompts(&self) -> Result<Vec<Prompt>, Unanswered> {
        if self.service.peer_info().is_none_or(|info| info.capabilities.prompts.is_none()) {
            return Ok(Vec::new());
        }
        let (mut prompts, mut cursors) = (Vec::new(), Cursors::default());
        while let Some(cursor) = cursors.next() {
            let page = self.service.list_prompts(after(cursor)).await;
            let page = page.map_err(|error| self.unanswered(error))?;
            prompts.extend(page.prompts);
            cursors.note(page.next_cursor.filter(|_| prompts.len() <= MAX_PROMPTS));
        }
        let argument = |argument: rmcp::model::PromptArgument| PromptArgument {
            name: argument.name,
            description: argument.description.unwrap_or_default(),
            required: argument.required == Some(true),
        };
        let prompt = |prompt: rmcp::model::Prompt| Prompt {
            name: prompt.name,
            description: prompt.description.unwrap_or_default(),
            arguments: prompt.arguments.into_iter().flatten().map(argument).collect(),
        };
        Ok(prompts.into_iter().take(MAX_PROMPTS).map(prompt).collect())
    }

    /// A prompt with its arguments filled in, as text.
    pub(crate) async fn prompt(&self, name: &str, arguments: &JsonObject) -> Result<String, Unanswered> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments.clone());
        let running = self.running.read().await;
        let answer = self.or_closed(running.get_prompt(params)).await?;
        let texts: Vec<String> = answer
            .messages
            .iter()
            .filter_map(|message| match &message.content {
                rmcp::model::ContentBlock::Text(text) => Some(text.text.clone()),
                _ => None,
            })
            .collect();
        Ok(texts.join("\n\n"))
    }

    /// An answer, unless the connection is closed meanwhile.
    async fn or_closed<T>(&self, answer: impl Future<Output = Result<T, ServiceError>>) -> Result<T, Unanswered> {
        tokio::select! {
            answer = answer => answer.map_err(|error| self.unanswered(error)),
            () = self.closing.cancelled() => Err(Unanswered::Ended),
        }
    }

    fn unanswered(&self, error: ServiceError) -> Unanswered {
        match error {
            ServiceError::TransportClosed | ServiceError::Cancelled { .. } => Unanswered::Ended,
            ServiceError::TransportSend(error) => match challenge(&error) {
                Some(challenge) => Unanswered::SignIn(Some(challenge)),
                None if self.is_open() => {
                    self.heard.is_spent.store(true, Ordering::Relaxed);
                    let why = cause(error.error.as_ref());
                    Unanswered::Refused(failed(&self.server, format_args!("can't be reached: {why}.")))
                }
                None => Unanswered::Ended,
            },
            ServiceError::McpError(error) => Unanswered::Refused(refused(&self.server, &error)),
            other => self.odd(&other),
        }
    }

    fn odd(&self, what: &dyn std::fmt::Display) -> Unanswered {
        let what = quoted(&what.to_string());
        Unanswered::Refused(failed(&self.server, format_args!("sent an invalid answer: {what}.")))
    }

    /// The limit that the program was ended at; completes "it …". Waits for nothing.
    pub(crate) fn over_limit(&self) -> Option<String> {
        self.process.try_lock().ok()?.as_ref()?.over_limit()
    }

    /// Takes leave, and ends the program. Says how it ended, where there is one.
    pub(crate) async fn close(&self) -> Option<Ended> {
        self.closing.cancel();
        // The program is ended anyway.
        let _ = self.running.write().await.close_with_timeout(CLOSE_PATIENCE).await;
        let mut process = self.process.lock().await;
        match process.take() {
            Some(mut process) => Some(process.stop().await),
            None => None,
        }
    }
}

/// The pages of a list: at most [`MAX_PAGES`], and none that was there before.
#[derive(Default)]
struct Cursors {
    told: Vec<Option<String>>,
    has_more: Option<bool>,
    /// The list goes on, and nobody looks any further.
    is_cut: bool,
}

impl Cursors {
    /// Returns where the next page begins.
    fn next(&mut self) -> Option<Option<String>> {
        match self.has_more.replace(false) {
            None => Some(None),
            Some(true) => self.told.last().cloned(),
            Some(false) => None,
        }
    }

    fn note(&mut self, cursor: Option<String>) {
        let is_new = cursor.is_some() && !self.told.contains(&cursor);
        self.is_cut = is_new && self.told.len() + 1 >= MAX_PAGES;
        if is_new && !self.is_cut {
            self.told.push(cursor);
            self.has_more = Some(true);
        }
    }
}

fn after(cursor: Option<String>) -> Option<PaginatedRequestParams> {
    cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)))
}

/// The server's challenge, where an answer of HTTP asks to sign in or to grant more.
fn challenge(error: &DynamicTransportError) -> Option<String> {
    use rmcp::transport::streamable_http_client::{AuthRequiredError, InsufficientScopeError};
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error.error.as_ref());
    while let Some(current) = source {
        if let Some(required) = current.downcast_ref::<AuthRequiredError>() {
            return Some(required.www_authenticate_header.clone());
        }
        if let Some(insufficient) = current.downcast_ref::<InsufficientScopeError>() {
            return Some(insufficient.www_authenticate_header.clone());
        }
        source = current.source();
    }
    None
}

/// Since the newest protocol, servers tell changes only to those who subscribed to them.
fn listen_for_changes(service: &rmcp::Peer<RoleClient>, heard: &Arc<Heard>) -> Option<AbortOnDropHandle<()>> {
    let info = service.peer_info()?;
    let tells = info.capabilities.tools.as_ref().is_some_and(|tools| tools.list_changed == Some(true));
    if info.protocol_version.has_initialize() || !tells {
        return None;
    }
    let (service, heard) = (service.clone(), heard.clone());
    Some(AbortOnDropHandle::new(tokio::spawn(async move {
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let Ok(mut changes) = service.listen(filter).await else { return };
        while let Ok(Some(_)) = changes.next().await {
            heard.knows_tools.store(false, Ordering::Relaxed);
        }
    })))
}
