//! A server's tools as the executor knows tools.

use crate::offer::{self, Offer, OfferTarget};
use crate::server::{Call, Server};
use arki_domain::{Code, Error};
use arki_tools::{CallScope, JudgedAs, Output, RemoteTool, Tool, ToolTraits, ViewedProgram};
use async_trait::async_trait;
use serde_json::Value;
use std::sync::Arc;

struct ServerTool {
    server: Arc<Server>,
    target: OfferTarget,
}

/// The tools of an offer; one that cannot be a tool is left out.
#[must_use]
pub fn tools_of(server: &Arc<Server>, offer: Offer) -> Vec<Tool> {
    let tool = |offered: crate::Offered| {
        let remote = Arc::new(ServerTool { server: server.clone(), target: offered.target.clone() });
        let conduct = ToolTraits {
            is_idempotent: matches!(
                offered.target,
                OfferTarget::ListResources | OfferTarget::ReadResource | OfferTarget::SearchTools
            ),
            time_limit: server.settings().call_timeout,
            ..ToolTraits::default()
        };
        let tool = Tool::remote(&offered.name, &offered.description, offered.parameters, remote);
        tool.map(|tool| tool.in_category(offered.category).with_conduct(conduct))
    };
    let usable = |tool: Result<Tool, Error>| match tool {
        Ok(tool) => Some(tool),
        Err(fault) => {
            tracing::warn!(server = server.settings().name, %fault, "an MCP tool is not offered");
            None
        }
    };
    offer.tools.into_iter().map(tool).filter_map(usable).collect()
}

/// A tool by its offered name, for the verdict on a call of it, where the server was never asked for its tools.
#[must_use]
pub fn unmet_tool(server: &Arc<Server>, offered: &str) -> Option<Tool> {
    let name = offered.strip_prefix("mcp__")?.strip_prefix(&server.settings().name)?.strip_prefix("__")?;
    let tools = vec![offer::unmet(server.settings(), name)];
    tools_of(server, Offer { tools, is_searched: false, estimated_tokens: 0 }).pop()
}

#[async_trait]
impl RemoteTool for ServerTool {
    async fn call(&self, args: Value, scope: CallScope) -> Result<Output, Error> {
        let show = |text: String| scope.progress.show(&text);
        let call = Call { cancel: scope.cancel.clone(), on_progress: &mut { show }, caller: scope.caller.clone() };
        let answer = self.server.call(&self.target, &args, call).await?;
        if answer.is_error {
            // Told as an error, and bounded like any answer.
            let text: String = answer.text.chars().take(scope.max_output_bytes / 2).collect();
            return Err(Error::new(Code::MCP_CALL_REFUSED, text, ""));
        }
        Ok(Output { text: answer.text, truncated: false })
    }

    fn viewed_program(&self) -> Option<&dyn ViewedProgram> {
        let is_asked = self.target != OfferTarget::SearchTools;
        (is_asked && self.server.works_in_view()).then_some(self.server.as_ref())
    }

    fn judged_as(&self, args: &Value) -> Option<JudgedAs> {
        let (tool, category) = self.target.judged_as(self.server.settings(), args)?;
        let args = args.get("arguments").cloned().unwrap_or_else(|| serde_json::json!({}));
        Some(JudgedAs { tool, category, args })
    }
}
