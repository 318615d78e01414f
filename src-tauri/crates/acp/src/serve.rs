//! Serving one client: its lines in, ours out, until it says nothing more.

use crate::agent::EditorAgent;
use crate::live_session::CLIENT;
use crate::rpc::{ClientMessage, InputLine, InputLines, RequestId, RpcConnection, RpcRefusal, write_all};
use arki_domain::{Error, io_words};
use arki_engine::{Client, ClientCapabilities, Engine};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Semaphore;

/// Requests that are at work at once; more are refused.
const MAX_AT_WORK: usize = 64;
/// The time that the last messages have to be read.
const END_PATIENCE: Duration = Duration::from_secs(1);

/// Speaks with the client until its input ends, nobody reads its output, or `end` comes; then all that it began is
/// stopped.
///
/// # Errors
/// When the database cannot be read.
pub async fn serve<R, W>(engine: &Arc<Engine>, input: R, output: W, end: impl Future<Output = ()>) -> Result<(), Error>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    engine.follow_others()?;
    let client = Arc::new(Client::attach(engine, CLIENT, ClientCapabilities { answers: true, stays: true }));
    client.expire_waiting();
    let (connection, waiting) = RpcConnection::new();
    let writing = tokio::spawn(write_all(output, waiting, connection.closing.clone()));
    let agent = EditorAgent::new(client, connection.clone());
    let mut lines = InputLines::new(input);
    tokio::select! {
        () = hear(&agent, &mut lines) => {}
        () = connection.closing.cancelled() => {}
        () = end => {}
    }
    // Before the runs stop: the next prompt begins with the end of the one at work.
    agent.sessions.list().iter().for_each(|session| session.drop_waiting());
    engine.runs().stop_all().await;
    connection.closing.cancel();
    if tokio::time::timeout(END_PATIENCE, writing).await.is_err() {
        tracing::info!("the client didn't read the last messages");
    }
    Ok(())
}

async fn hear<R: AsyncRead + Unpin>(agent: &Arc<EditorAgent>, lines: &mut InputLines<R>) {
    let room = Arc::new(Semaphore::new(MAX_AT_WORK));
    loop {
        let line = match lines.next().await {
            Ok(Some(InputLine::Whole(line))) => line,
            Ok(Some(InputLine::TooLong)) => {
                let refusal = RpcRefusal::invalid_request("A message may have 16 MiB.");
                if agent.connection.answer_soon(&RequestId::NULL, refusal).await {
                    continue;
                }
                return;
            }
            Ok(None) => return,
            Err(error) => return tracing::warn!(why = io_words(error.kind()), "the client's messages can't be read"),
        };
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        match ClientMessage::parse(&line) {
            ClientMessage::Request { id, method, params } => match room.clone().try_acquire_owned() {
                Ok(place) => {
                    let answering = agent.clone().accept(id, method, params);
                    tokio::spawn(async move {
                        answering.await;
                        drop(place);
                    });
                }
                Err(_) if agent.connection.answer_soon(&id, RpcRefusal::overloaded()).await => {}
                Err(_) => return,
            },
            ClientMessage::Notification { method, params } => agent.notified(&method, params),
            ClientMessage::Response { id: Some(id), outcome } => agent.connection.answered(id, outcome),
            ClientMessage::Response { id: None, .. } => {}
            ClientMessage::Unreadable(refusal) => {
                if !agent.connection.answer_soon(&RequestId::NULL, refusal).await {
                    return;
                }
            }
        }
    }
}
