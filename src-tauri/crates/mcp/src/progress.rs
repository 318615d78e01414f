//! Finds the call that a server's progress report belongs to.
//!
//! `rmcp` gives each request a token by which the server speaks of it, and tells nobody which. So a call brings one of
//! its own among its parameters, and [`OwnTokens`] puts that in the place of the other on the way out.

use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequestParams, ClientRequest, GetMeta, JsonRpcMessage, NumberOrString, ProgressToken, RequestMetaObject,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use tokio::sync::mpsc;

/// Progress that waits to be shown; what comes while nobody looks is left out.
const MAX_QUEUED: usize = 64;

/// The calls at work, by their tokens.
#[derive(Debug, Default)]
pub(crate) struct Listeners {
    next: AtomicU64,
    by_token: Mutex<HashMap<ProgressToken, mpsc::Sender<String>>>,
}

/// One call's ear.
pub(crate) struct Listener {
    pub(crate) token: ProgressToken,
    pub(crate) told: mpsc::Receiver<String>,
}

impl Listeners {
    pub(crate) fn listen(&self) -> Listener {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        // A word, which none of the numbers that `rmcp` gives is.
        let token = ProgressToken(NumberOrString::String(format!("call-{number}").into()));
        let (sender, told) = mpsc::channel(MAX_QUEUED);
        let mut by_token = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        by_token.retain(|_, listener| !listener.is_closed());
        by_token.insert(token.clone(), sender);
        Listener { token, told }
    }

    pub(crate) fn tell(&self, token: &ProgressToken, text: String) {
        let by_token = self.by_token.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(listener) = by_token.get(token) {
            let _ = listener.try_send(text);
        }
    }
}

/// The parameters of a call whose progress is told under this token.
pub(crate) fn told_as(params: CallToolRequestParams, token: &ProgressToken) -> CallToolRequestParams {
    let mut params = params;
    params.meta = Some(RequestMetaObject::with_progress_token(token.clone()));
    params
}

/// A transport that sends calls with the tokens they brought.
pub(crate) struct OwnTokens<T>(pub(crate) T);

impl<T: Transport<RoleClient>> Transport<RoleClient> for OwnTokens<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        mut message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        if let JsonRpcMessage::Request(sent) = &mut message
            && let Some(token) = brought_token(&sent.request)
        {
            sent.request.get_meta_mut().set_progress_token(token);
        }
        self.0.send(message)
    }

    fn receive(&mut self) -> impl Future<Output = Option<RxJsonRpcMessage<RoleClient>>> + Send {
        self.0.receive()
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.0.close()
    }
}

fn brought_token(request: &ClientRequest) -> Option<ProgressToken> {
    match request {
        ClientRequest::CallToolRequest(call) => call.params.meta.as_ref()?.get_progress_token(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Connection;
    use crate::handler::{Handler, Heard};
    use crate::settings::{Command, ServerSettings};
    use rmcp::transport::async_rw::AsyncRwTransport;
    use rmcp::{ClientLifecycleMode, ClientServiceExt};
    use serde_json::{Value, json};
    use std::sync::Arc;
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, duplex, split};

    /// Waits for two calls, tells of each twice, the one that came last first, and then answers both.
    async fn server(stream: DuplexStream) {
        let (reading, mut writing) = split(stream);
        let mut lines = BufReader::new(reading).lines();
        let mut calls = Vec::new();
        while let Some(line) = lines.next_line().await.unwrap() {
            let request: Value = serde_json::from_str(&line).unwrap();
            let mut answers = Vec::new();
            match request["method"].as_str() {
                Some("initialize") => answers.push(json!({
                    "jsonrpc": "2.0",
                    "id": request["id"],
                    "result": {
                        "protocolVersion": request["params"]["protocolVersion"],
                        "capabilities": {"tools": {}},
                        "serverInfo": {"name": "x", "version": "1"},
                    },
                })),
                Some("tools/call") => calls.push(request),
                _ => {}
            }
            if calls.len() == 2 {
                for (progress, call) in [(1, 1), (1, 0), (2, 1), (2, 0)] {
                    let params = &calls[call]["params"];
                    answers.push(json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                        "progressToken": params["_meta"]["progressToken"],
                        "progress": progress,
                        "message": params["name"],
                    }}));
                }
                for call in calls.drain(..) {
                    let result = json!({"content": [{"type": "text", "text": "done"}]});
                    answers.push(json!({"jsonrpc": "2.0", "id": call["id"], "result": result}));
                }
            }
            for answer in answers {
                writing.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            }
        }
    }

    async fn call(connection: &Connection, tool: &str) -> Vec<String> {
        let mut listener = connection.heard().progress.listen();
        let answer = connection.call(tool, &json!({}), &listener.token).await;
        assert!(answer.is_ok());
        std::iter::from_fn(|| listener.told.try_recv().ok()).collect()
    }

    #[tokio::test]
    async fn calls_at_the_same_time_are_each_told_of_their_own() {
        let (ours, theirs) = duplex(4096);
        tokio::spawn(server(theirs));
        let heard = Arc::<Heard>::default();
        let handler = Handler { server: "x".into(), root: None, elicitor: None, heard: heard.clone() };
        let (reading, writing) = split(ours);
        let transport = OwnTokens(AsyncRwTransport::new_client(reading, writing));
        let running = handler.serve_with_lifecycle(transport, ClientLifecycleMode::Initialize).await.unwrap();
        let command = Command {
            command: "x".into(),
            args: Vec::new(),
            env: Default::default(),
            network: false,
            writable: Vec::new(),
        };
        let settings = ServerSettings::new("x", crate::settings::Transport::Stdio(command));
        let connection = Connection::new(&settings, running, heard, None, Vec::new());
        let (first, second) = tokio::join!(call(&connection, "first"), call(&connection, "second"));
        assert_eq!(first, ["[1] first\n", "[2] first\n"]);
        assert_eq!(second, ["[1] second\n", "[2] second\n"]);
    }
}
