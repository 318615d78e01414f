//! The protocol, on standard input and output.

use crate::scope::Scope;
use crate::tools;
use arki_domain::{Code, Error};
use arki_engine::Engine;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Calls that are answered at once; more wait.
const AT_ONCE: usize = 4;
const INSTRUCTIONS: &str = "Read what people did with Arki, a program in which a language model works on their code: \
                            sessions, runs of pipelines, open questions. Nothing can be changed here.";

/// Answers another agent until its end of standard input.
///
/// # Errors
/// When what comes is no MCP.
pub async fn serve_standard_streams(engine: Arc<Engine>, scope: Scope) -> Result<(), Error> {
    let reader = SessionServer { engine, scope, places: Arc::new(Semaphore::new(AT_ONCE)) };
    let misspoken = |what: String| {
        let hint = "`arki mcp serve` is started by another agent, as one of its MCP servers.";
        Error::new(Code::USAGE, format!("This is no MCP: {what}."), hint)
    };
    let streams = (tokio::io::stdin(), tokio::io::stdout());
    let serving = reader.serve(streams).await.map_err(|error| misspoken(error.to_string()))?;
    serving.waiting().await.map_err(|error| misspoken(error.to_string()))?;
    Ok(())
}

#[derive(Clone)]
struct SessionServer {
    engine: Arc<Engine>,
    scope: Scope,
    places: Arc<Semaphore>,
}

impl ServerHandler for SessionServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let named = Implementation::new("arki", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(named).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::offered()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unanswered = |error: &dyn std::fmt::Display| ErrorData::internal_error(error.to_string(), None);
        let _place = self.places.acquire().await.map_err(|error| unanswered(&error))?;
        let (engine, scope, name) = (self.engine.clone(), self.scope.clone(), request.name.clone());
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let answering = tokio::task::spawn_blocking(move || tools::answer(&engine, &scope, &name, arguments));
        let Some(answer) = answering.await.map_err(|error| unanswered(&error))? else {
            let message = format!("There is no tool {}.", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        Ok(CallToolResponse::from(match answer {
            Ok(value) => CallToolResult::structured(value),
            Err(fault) => {
                let words = format!("{} {} [{}]", fault.message, fault.hint, fault.code);
                CallToolResult::error(vec![ContentBlock::text(words)])
            }
        }))
    }
}
