//! A session that the client has open: its choices, and the turn that it waits for.

use crate::messages::StopReason;
use crate::rpc::{RequestId, RpcRefusal};
use crate::session_options::EditorMode;
use arki_domain::{Error, RunId, SessionId};
use arki_engine::Client;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The origin of the client's decisions in the log.
pub(crate) const CLIENT: &str = "acp";
/// Orders that wait for the follower.
const MAX_ORDERS: usize = 16;

/// A prompt that waits for the end of its run.
pub(crate) struct PromptTurn {
    pub(crate) request: RequestId,
    pub(crate) cancelled: CancellationToken,
    /// `None` until it has begun.
    pub(crate) run: Option<RunId>,
}

/// An order for the follower.
pub(crate) enum TurnOrder {
    Begin(PromptTurn),
    /// The turn's run, or what goes on for it.
    Started(RunId),
    Failed(Error),
    /// The turn is over without a run.
    Ended(StopReason),
}

pub(crate) struct LiveSession {
    pub(crate) id: SessionId,
    pub(crate) folder: PathBuf,
    mode: Mutex<EditorMode>,
    /// Cancelled when the client cancels the turn; `None` where there is none.
    turn: Mutex<Option<(RequestId, CancellationToken)>>,
    orders: mpsc::Sender<TurnOrder>,
    /// Cancelled when the client closes the session.
    pub(crate) closing: CancellationToken,
}

impl LiveSession {
    /// The second goes to its follower.
    pub(crate) fn new(id: SessionId, folder: PathBuf, mode: EditorMode) -> (Arc<Self>, mpsc::Receiver<TurnOrder>) {
        let (orders, received) = mpsc::channel(MAX_ORDERS);
        let (mode, turn, closing) = (Mutex::new(mode), Mutex::default(), CancellationToken::new());
        (Arc::new(Self { id, folder, mode, turn, orders, closing }), received)
    }

    pub(crate) fn mode(&self) -> EditorMode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_mode(&self, mode: EditorMode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    fn turn(&self) -> MutexGuard<'_, Option<(RequestId, CancellationToken)>> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn order(&self, order: TurnOrder) {
        let _ = self.orders.send(order).await;
    }

    /// Begins a turn; there is one at a time.
    pub(crate) fn begin_turn(&self, request: RequestId) -> Result<PromptTurn, RpcRefusal> {
        let mut turn = self.turn();
        if turn.is_some() {
            return Err(RpcRefusal::invalid_request(
                "The session is still working on a prompt. Wait for its end, or cancel it.",
            ));
        }
        let cancelled = CancellationToken::new();
        *turn = Some((request.clone(), cancelled.clone()));
        Ok(PromptTurn { request, cancelled, run: None })
    }

    pub(crate) fn has_turn(&self) -> bool {
        self.turn().is_some()
    }

    pub(crate) fn end_turn(&self) {
        *self.turn() = None;
    }

    /// Cancels the turn, and stops what works for it. Nothing to cancel is fine.
    pub(crate) fn cancel(self: &Arc<Self>, client: &Arc<Client>) {
        let turn = self.turn().as_ref().map(|(_, cancelled)| cancelled.clone());
        let Some(cancelled) = turn.filter(|cancelled| !cancelled.is_cancelled()) else { return };
        cancelled.cancel();
        let (session, client) = (self.clone(), client.clone());
        tokio::spawn(async move {
            if let Err(fault) = client.stop_session(&session.id).await {
                session.order(TurnOrder::Failed(fault)).await;
            }
        });
    }

    /// Cancels the turn where it's this request's.
    pub(crate) fn cancel_request(self: &Arc<Self>, request: &RequestId, client: &Arc<Client>) {
        let is_its = self.turn().as_ref().is_some_and(|(its, _)| its == request);
        if is_its {
            self.cancel(client);
        }
    }
}
