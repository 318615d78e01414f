//! The sessions that the client has open: of each its choices, and the turns that it waits for, one after another.

use crate::messages::StopReason;
use crate::rpc::{RequestId, RpcRefusal};
use crate::session_options::EditorMode;
use arki_domain::{Error, RunId, SessionId};
use arki_engine::{Client, OpenBuffers};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// The origin of the client's decisions in the log.
pub(crate) const CLIENT: &str = "acp";
/// Orders that wait for the follower.
const MAX_ORDERS: usize = 16;
/// Prompts that wait for the one at work.
const MAX_WAITING: usize = 8;

/// A prompt that waits for its turn, and then for the end of its run.
#[derive(Clone)]
pub(crate) struct PromptTurn {
    pub(crate) request: RequestId,
    pub(crate) cancelled: CancellationToken,
    begins: Arc<Notify>,
    /// It was sent while another was at work.
    pub(crate) has_waited: bool,
    /// `None` until it has begun.
    pub(crate) run: Option<RunId>,
}

impl PromptTurn {
    /// Waits for the turn; false where it is cancelled before.
    pub(crate) async fn begins(&self) -> bool {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => false,
            () = self.begins.notified() => true,
        }
    }
}

/// The turn at work, and those that wait for its end.
#[derive(Default)]
struct TurnQueue {
    current: Option<PromptTurn>,
    waiting: VecDeque<PromptTurn>,
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
    /// The same as the client names it: links on the way are its own.
    pub(crate) named_folder: PathBuf,
    mode: Mutex<EditorMode>,
    turns: Mutex<TurnQueue>,
    /// Runs look at the client's open files for as long as this is held.
    _buffers: Option<Arc<dyn OpenBuffers>>,
    orders: mpsc::Sender<TurnOrder>,
    /// Cancelled when the client closes the session.
    pub(crate) closing: CancellationToken,
}

impl LiveSession {
    /// The second goes to its follower.
    pub(crate) fn new(
        id: SessionId,
        (folder, named_folder): (PathBuf, PathBuf),
        mode: EditorMode,
        _buffers: Option<Arc<dyn OpenBuffers>>,
    ) -> (Arc<Self>, mpsc::Receiver<TurnOrder>) {
        let (orders, received) = mpsc::channel(MAX_ORDERS);
        let (mode, turns, closing) = (Mutex::new(mode), Mutex::default(), CancellationToken::new());
        (Arc::new(Self { id, folder, named_folder, mode, turns, _buffers, orders, closing }), received)
    }

    pub(crate) fn mode(&self) -> EditorMode {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_mode(&self, mode: EditorMode) {
        *self.mode.lock().unwrap_or_else(PoisonError::into_inner) = mode;
    }

    fn turns(&self) -> MutexGuard<'_, TurnQueue> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) async fn order(&self, order: TurnOrder) {
        let _ = self.orders.send(order).await;
    }

    /// Tells the follower of an error of a run that isn't in its log.
    pub(crate) fn watch<T: Send + 'static>(self: &Arc<Self>, run: tokio::task::JoinHandle<Result<T, Error>>) {
        let session = self.clone();
        tokio::spawn(async move {
            if let Err(fault) = run.await.unwrap_or_else(|error| Err(Error::internal(error))) {
                session.order(TurnOrder::Failed(fault)).await;
            }
        });
    }

    /// Begins a turn, or has it wait for those before it.
    pub(crate) fn begin_turn(&self, request: RequestId) -> Result<PromptTurn, RpcRefusal> {
        let mut turns = self.turns();
        let (cancelled, begins, has_waited) = (CancellationToken::new(), Arc::default(), turns.current.is_some());
        let turn = PromptTurn { request, cancelled, begins, has_waited, run: None };
        if !has_waited {
            turn.begins.notify_one();
            turns.current = Some(turn.clone());
        } else if turns.waiting.len() < MAX_WAITING {
            turns.waiting.push_back(turn.clone());
        } else {
            let message = format!("{MAX_WAITING} prompts wait in this session already. Wait for their end, or cancel.");
            return Err(RpcRefusal::invalid_request(message));
        }
        Ok(turn)
    }

    pub(crate) fn has_turn(&self) -> bool {
        self.turns().current.is_some()
    }

    /// Ends this request's turn, whether it is at work or waits; the next one begins.
    pub(crate) fn end_turn(&self, request: &RequestId) {
        let mut turns = self.turns();
        if turns.current.as_ref().is_some_and(|current| current.request == *request) {
            turns.current = turns.waiting.pop_front();
            turns.current.iter().for_each(|next| next.begins.notify_one());
        } else {
            turns.waiting.retain(|waiting| waiting.request != *request);
        }
    }

    /// Cancels the turn with those that wait, and stops what works for it. Nothing to cancel is fine.
    pub(crate) fn cancel(self: &Arc<Self>, client: &Arc<Client>) {
        self.drop_waiting();
        self.cancel_current(client);
    }

    /// Cancels the turns that wait.
    pub(crate) fn drop_waiting(&self) {
        let waiting = std::mem::take(&mut self.turns().waiting);
        waiting.iter().for_each(|turn| turn.cancelled.cancel());
    }

    fn cancel_current(self: &Arc<Self>, client: &Arc<Client>) {
        let turn = self.turns().current.as_ref().map(|turn| turn.cancelled.clone());
        let Some(cancelled) = turn.filter(|cancelled| !cancelled.is_cancelled()) else { return };
        cancelled.cancel();
        let (session, client) = (self.clone(), client.clone());
        tokio::spawn(async move {
            if let Err(fault) = client.stop_session(&session.id).await {
                session.order(TurnOrder::Failed(fault)).await;
            }
        });
    }

    /// Cancels this request's turn alone, where it has one.
    pub(crate) fn cancel_request(self: &Arc<Self>, request: &RequestId, client: &Arc<Client>) {
        let of_request = |turn: &&PromptTurn| turn.request == *request;
        if self.turns().current.as_ref().filter(of_request).is_some() {
            self.cancel_current(client);
        } else if let Some(waiting) = self.turns().waiting.iter().find(of_request) {
            waiting.cancelled.cancel();
        }
    }
}

/// Sessions that a client has open at once.
const MAX_OPEN: usize = 64;

#[derive(Default)]
pub(crate) struct OpenSessions {
    open: Mutex<HashMap<SessionId, Arc<LiveSession>>>,
    /// Held while the client gets a new text for a file.
    pub(crate) writing: tokio::sync::Mutex<()>,
}

impl OpenSessions {
    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<LiveSession>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn list(&self) -> Vec<Arc<LiveSession>> {
        self.all().values().cloned().collect()
    }

    pub(crate) fn ensure_room(&self) -> Result<(), RpcRefusal> {
        if self.all().len() < MAX_OPEN {
            return Ok(());
        }
        Err(RpcRefusal::invalid_request(format!("{MAX_OPEN} sessions are open. Close one first.")))
    }

    /// Keeps a session; one that was opened under its ID before is closed.
    pub(crate) fn add(&self, session: &Arc<LiveSession>) {
        if let Some(before) = self.all().insert(session.id.clone(), session.clone()) {
            before.closing.cancel();
        }
    }

    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.all().get(id).cloned()
    }

    pub(crate) fn named(&self, id: &SessionId) -> Result<Arc<LiveSession>, RpcRefusal> {
        self.find(id)
            .ok_or_else(|| RpcRefusal::invalid_params(format!("The session {id} isn't open. Load or resume it first.")))
    }

    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<LiveSession>> {
        self.all().remove(id)
    }
}
