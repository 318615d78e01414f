//! MCP servers that the client names for a session: read, put before the user, and ended with the session.
//!
//! They are asked about within the first prompt, before its run begins: a client shows questions then.

use crate::agent::EditorAgent;
use crate::live_session::LiveSession;
use crate::messages::{
    NamedServerParams, PermissionAnswer, PermissionKind, PermissionOption, RequestPermission, SessionUpdate,
    ToolCallContent, ToolCallStatus, ToolCallUpdate, ToolKind,
};
use crate::rpc::AskFailure;
use crate::telling::{fenced, message};
use arki_api::McpChangedTool;
use arki_domain::{Error, SessionId};
use arki_engine::{NamedServer, ServerPermission, ServerRequest};
use serde_json::Value;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Servers that are read; a session has fewer.
const MAX_NAMED: usize = 64;
const SESSION: &str = "allow_session";
const ALWAYS: &str = "allow_always";
const NETWORK: &str = "allow_network";
const LEAVE_OUT: &str = "leave_out";

impl EditorAgent {
    /// Takes in the servers that the client names; returns what is to be told of them.
    pub(crate) async fn take_in_servers(&self, id: &SessionId, folder: &Path, named: Vec<Value>) -> Option<String> {
        let engine = self.client.engine().clone();
        engine.mcp().end_session_servers(id).await;
        if named.is_empty() {
            return None;
        }
        let (readable, mut told) = read(named);
        let (of, folder) = (id.clone(), folder.to_owned());
        match self.reading(move || engine.mcp().session_servers().name_servers(&folder, &of, readable)).await {
            Ok(left_out) => told.extend(left_out),
            Err(refusal) => told.push(format!("The editor's MCP servers are left out: {}", refusal.message)),
        }
        (!told.is_empty()).then(|| format!("{}\n\n", told.join("\n")))
    }

    /// Asks about each server that may not start yet. One that isn't permitted is left out of the session.
    pub(crate) async fn permit_servers(&self, session: &LiveSession, cancelled: &CancellationToken) {
        let (engine, of, folder) = (self.client.engine().clone(), session.id.clone(), session.folder.clone());
        let requests = match self.reading(move || engine.mcp().session_server_requests(&folder, &of)).await {
            Ok(requests) => requests,
            Err(refusal) => return self.tell_of_servers(session, &refusal.message).await,
        };
        for request in requests {
            let asking = self.ask_about_server(session, &request);
            let answer = tokio::select! {
                biased;
                () = cancelled.cancelled() => return,
                answer = asking => answer,
            };
            let permission = match &answer {
                Ok(answer) => permission(answer, &request),
                Err(_) => None,
            };
            if let Err(fault) = self.settle_server(session, &request, permission).await {
                self.tell_of_servers(session, &format!("{} {}", fault.message, fault.hint)).await;
            } else if answer.is_err() {
                let why = format!("The MCP server {:?} is left out: it couldn't be asked about here.", request.name);
                self.tell_of_servers(session, &why).await;
            }
        }
    }

    async fn ask_about_server(
        &self,
        session: &LiveSession,
        request: &ServerRequest,
    ) -> Result<PermissionAnswer, AskFailure> {
        let call = call_of(request);
        self.tell(session, vec![SessionUpdate::ToolCall(call.clone())]).await;
        let options = options(request);
        let asked = RequestPermission { session_id: session.id.as_str(), tool_call: call, options: &options };
        self.connection.ask("session/request_permission", &asked).await
    }

    async fn settle_server(
        &self,
        session: &LiveSession,
        request: &ServerRequest,
        permission: Option<ServerPermission>,
    ) -> Result<(), Error> {
        let mcp = self.client.engine().mcp();
        let settled = match permission {
            Some(permission) => mcp.permit_session_server(&session.folder, &session.id, request, permission).await,
            None => {
                mcp.session_servers().leave_out(&session.id, &request.name);
                Ok(())
            }
        };
        let is_in = permission.is_some() && settled.is_ok();
        let status = if is_in { ToolCallStatus::Completed } else { ToolCallStatus::Failed };
        let update = ToolCallUpdate { status: Some(status), ..ToolCallUpdate::of(call_id(request)) };
        self.tell(session, vec![SessionUpdate::ToolCallUpdate(update)]).await;
        settled
    }

    /// Tells why servers, or tools of theirs, are missing in the run that has just begun.
    pub(crate) async fn tell_server_faults(&self, session: &LiveSession) {
        for fault in self.client.engine().mcp().take_mcp_faults() {
            self.tell_of_servers(session, &format!("{} {}", fault.message, fault.hint)).await;
        }
    }

    async fn tell_of_servers(&self, session: &LiveSession, text: &str) {
        self.tell(session, vec![message("servers", format!("{}\n\n", text.trim_end()))]).await;
    }
}

/// Those that can be read, and a sentence for each other.
fn read(named: Vec<Value>) -> (Vec<NamedServer>, Vec<String>) {
    let (mut servers, mut left_out) = (Vec::new(), Vec::new());
    if named.len() > MAX_NAMED {
        left_out.push(format!("Of {} MCP servers, all but the first {MAX_NAMED} are left out.", named.len()));
    }
    for server in named.into_iter().take(MAX_NAMED) {
        let name = server["name"].as_str().map_or_else(|| "without a name".to_owned(), |name| format!("{name:?}"));
        let reason = match serde_json::from_value::<NamedServerParams>(server) {
            Ok(NamedServerParams { transport: Some(other), .. }) if !matches!(other.as_str(), "stdio" | "http") => {
                format!("its transport {other:?} isn't supported")
            }
            Ok(server) => {
                servers.push(server.into_named());
                continue;
            }
            Err(error) => format!("it can't be read ({error})"),
        };
        left_out.push(format!("The MCP server {} is left out: {reason}.", arki_engine::one_line(&name)));
    }
    (servers, left_out)
}

fn call_id(request: &ServerRequest) -> String {
    format!("mcp-server-{}", request.name)
}

fn call_of(request: &ServerRequest) -> ToolCallUpdate {
    let verb = if request.is_program { "Start" } else { "Connect to" };
    let mut words = vec![fenced("", &request.place)];
    words.push(match (request.is_program, request.is_confined) {
        (true, true) => {
            "A program that this editor names. It gets the project read-only, in Arki's sandbox.".to_owned()
        }
        (true, false) => {
            "A program that this editor names. Nothing confines it: it can do all that you can.".to_owned()
        }
        (false, _) => "An address that this editor names.".to_owned(),
    });
    words.push("Each call of its tools is decided by your rules.".to_owned());
    if !request.changed_tools.is_empty() {
        words.push("Its tools are others since you allowed it:".to_owned());
        words.push(fenced("diff", &request.changed_tools.iter().map(difference).collect::<Vec<_>>().join("\n")));
    }
    ToolCallUpdate {
        title: Some(format!("{verb} the MCP server {}", request.name)),
        kind: Some(ToolKind::Other),
        status: Some(ToolCallStatus::Pending),
        content: Some(vec![ToolCallContent::text(words.join("\n\n"))]),
        ..ToolCallUpdate::of(call_id(request))
    }
}

/// A tool's descriptions, before and now.
fn difference(tool: &McpChangedTool) -> String {
    let mut lines = vec![arki_engine::one_line(&tool.name)];
    for (sign, text) in [('-', &tool.before), ('+', &tool.now)] {
        let text = text.iter().flat_map(|text| text.lines());
        lines.extend(text.map(|line| format!("{sign} {}", arki_engine::one_line(line))));
    }
    lines.join("\n")
}

fn options(request: &ServerRequest) -> Vec<PermissionOption> {
    let option = |option_id, name: &str, kind| PermissionOption { option_id, name: name.to_owned(), kind };
    let leave_out = option(LEAVE_OUT, "Leave it out of this session", PermissionKind::RejectOnce);
    // Without a sandbox there is no network to keep from it.
    if !request.is_program || !request.is_confined {
        return vec![
            option(SESSION, "Use it in this session", PermissionKind::AllowOnce),
            option(ALWAYS, "Always use it in this folder", PermissionKind::AllowAlways),
            leave_out,
        ];
    }
    vec![
        option(SESSION, "Start it in this session, without network", PermissionKind::AllowOnce),
        option(ALWAYS, "Always start it in this folder, without network", PermissionKind::AllowAlways),
        option(NETWORK, "Always start it in this folder, with network access", PermissionKind::AllowAlways),
        leave_out,
    ]
}

/// Returns what an answer permits; nothing unless it is one of the options.
fn permission(answer: &PermissionAnswer, request: &ServerRequest) -> Option<ServerPermission> {
    let chosen = answer.chosen().filter(|chosen| options(request).iter().any(|option| option.option_id == *chosen))?;
    match chosen {
        SESSION => Some(ServerPermission { always: false, network: false }),
        ALWAYS => Some(ServerPermission { always: true, network: false }),
        NETWORK => Some(ServerPermission { always: true, network: true }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(is_program: bool, is_confined: bool) -> ServerRequest {
        ServerRequest { name: "x".into(), place: "x".into(), is_program, is_confined, ..ServerRequest::default() }
    }

    #[test]
    fn only_a_clear_answer_permits() {
        let permitted = |outcome: Value, request: &ServerRequest| {
            permission(&serde_json::from_value(json!({"outcome": outcome})).unwrap(), request)
        };
        let chosen = |option: &str| json!({"outcome": "selected", "optionId": option});
        let confined = request(true, true);
        assert!(permitted(chosen(NETWORK), &confined).is_some_and(|permission| permission.network));
        assert!(permitted(chosen(SESSION), &confined).is_some_and(|permission| !permission.always));
        for refused in [json!({"outcome": "cancelled"}), chosen(LEAVE_OUT), chosen("allow"), chosen("")] {
            assert_eq!(permitted(refused.clone(), &confined), None, "{refused}");
        }
        assert_eq!(permitted(chosen(NETWORK), &request(false, true)), None, "it wasn't offered");
    }

    #[test]
    fn servers_are_read_one_by_one() {
        let named = vec![
            json!({"name": "a", "command": "npx", "args": ["-y"], "env": [{"name": "T", "value": "1"}]}),
            json!({"type": "http", "name": "b", "url": "https://b/mcp", "headers": [{"name": "K", "value": "v"}]}),
            json!({"type": "sse", "name": "c", "url": "https://c", "headers": []}),
            json!({"name": "d", "command": ["sh"]}),
            json!(7),
        ];
        let (servers, left_out) = read(named);
        assert_eq!(servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((servers[0].env["T"].as_str(), servers[1].headers["K"].as_str()), ("1", "v"));
        for (word, told) in ["\"sse\"", "\"d\"", "without a name"].iter().zip(&left_out) {
            assert!(told.contains(word), "{told}");
        }
        assert_eq!(left_out.len(), 3);
        assert_eq!(read(vec![json!(7); MAX_NAMED + 1]).1.len(), MAX_NAMED + 1);
    }
}
