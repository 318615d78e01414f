//! The side of the connection that speaks: answers, notifications, and requests to the client.

use crate::rpc::incoming::RequestId;
use crate::rpc::refusal::RpcRefusal;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Messages that wait to be written. Whoever has more to say waits for the client to read.
const MAX_WAITING: usize = 256;
/// The time that a client has to read what it asked too much of.
const READING_PATIENCE: Duration = Duration::from_secs(30);
/// Requests that wait for the client's answer at once.
const MAX_ASKED: usize = 64;
/// The error of a client that lets go of a request.
const REQUEST_CANCELLED: i64 = -32800;

/// Why there is no answer to a request of ours.
#[derive(Debug)]
pub(crate) enum AskFailure {
    /// The client refuses it, or answers something else.
    Refused,
    /// The connection has ended, too many requests wait already, or the client let go of this one.
    Gone,
}

type Asked = HashMap<u64, oneshot::Sender<Result<Value, RpcRefusal>>>;

pub(crate) struct RpcConnection {
    outgoing: mpsc::Sender<String>,
    asked: Mutex<Asked>,
    last_id: AtomicU64,
    /// Cancelled when nobody reads any more, or when nothing more is to be said.
    pub(crate) closing: CancellationToken,
}

impl RpcConnection {
    /// The second is what is to be written ([`write_all`]).
    pub(crate) fn new() -> (Arc<Self>, mpsc::Receiver<String>) {
        let (outgoing, waiting) = mpsc::channel(MAX_WAITING);
        let (last_id, closing) = (AtomicU64::new(0), CancellationToken::new());
        (Arc::new(Self { outgoing, asked: Mutex::default(), last_id, closing }), waiting)
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn say(&self, message: &Value) {
        tokio::select! {
            biased;
            () = self.closing.cancelled() => {}
            _ = self.outgoing.send(message.to_string()) => {}
        }
    }

    pub(crate) async fn notify(&self, method: &str, params: &impl Serialize) {
        self.say(&json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn answer(&self, id: &RequestId, outcome: Result<Value, RpcRefusal>) {
        self.say(&answer(id, outcome)).await;
    }

    /// Refuses a request; returns whether the client read enough in time. One that asks more than it reads is let go.
    pub(crate) async fn answer_soon(&self, id: &RequestId, refusal: RpcRefusal) -> bool {
        tokio::time::timeout(READING_PATIENCE, self.answer(id, Err(refusal))).await.is_ok()
    }

    /// Asks the client. Where nobody waits for the answer any more, the client is told.
    pub(crate) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, AskFailure> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (answer, answered) = oneshot::channel();
        {
            let mut asked = self.asked();
            if asked.len() >= MAX_ASKED {
                return Err(AskFailure::Gone);
            }
            asked.insert(id, answer);
        }
        let mut waiting = WaitingAsk { connection: self, id, is_answered: false };
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        let outcome = tokio::select! {
            biased;
            () = self.closing.cancelled() => return Err(AskFailure::Gone),
            outcome = answered => outcome,
        };
        waiting.is_answered = true;
        match outcome {
            Ok(Ok(result)) => serde_json::from_value(result).map_err(|error| {
                tracing::info!(%error, method, "the client's answer can't be read");
                AskFailure::Refused
            }),
            Ok(Err(refusal)) if refusal.code == REQUEST_CANCELLED => Err(AskFailure::Gone),
            Ok(Err(refusal)) => {
                tracing::info!(refusal.code, refusal.message, method, "the client refuses");
                Err(AskFailure::Refused)
            }
            Err(_) => Err(AskFailure::Gone),
        }
    }

    /// Takes the client's answer; one that nobody waits for is let go of.
    pub(crate) fn answered(&self, id: u64, outcome: Result<Value, RpcRefusal>) {
        if let Some(answer) = self.asked().remove(&id) {
            let _ = answer.send(outcome);
        }
    }
}

fn answer(id: &RequestId, outcome: Result<Value, RpcRefusal>) -> Value {
    match outcome {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(error) => json!({"jsonrpc": "2.0", "id": id, "error": error}),
    }
}

/// A request of ours that somebody waits for.
struct WaitingAsk<'a> {
    connection: &'a RpcConnection,
    id: u64,
    is_answered: bool,
}

impl Drop for WaitingAsk<'_> {
    fn drop(&mut self) {
        self.connection.asked().remove(&self.id);
        if !self.is_answered {
            let cancel = json!({"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": self.id}});
            let _ = self.connection.outgoing.try_send(cancel.to_string());
        }
    }
}

/// Writes what is said, a message a line, until nobody reads it or nothing more is to be said.
pub(crate) async fn write_all(
    output: impl AsyncWrite + Unpin,
    mut waiting: mpsc::Receiver<String>,
    closing: CancellationToken,
) {
    let mut output = BufWriter::new(output);
    loop {
        let next = tokio::select! {
            biased;
            next = waiting.recv() => next,
            () = closing.cancelled() => None,
        };
        let Some(mut line) = next else { break };
        line.push('\n');
        let written = async {
            output.write_all(line.as_bytes()).await?;
            if waiting.is_empty() { output.flush().await } else { Ok(()) }
        };
        if let Err(error) = written.await {
            tracing::info!(%error, "nobody reads any more");
            break;
        }
    }
    closing.cancel();
}
