//! A provider's server that plays a script and remembers what it was asked.

use crate::connection;
use crate::turn::Turn;
use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The turns to play, and how they are sent.
pub struct Script {
    pub(crate) turns: Vec<Turn>,
    pub(crate) chunk: Option<usize>,
    pub(crate) keep_alive: bool,
    pub(crate) sequential: bool,
    pub(crate) told: Vec<(String, Value)>,
}

impl Script {
    /// The turn to play is the number of assistant messages with tool calls in the request, as a stateless model would
    /// know; past the end the last one is repeated.
    #[must_use]
    pub fn new(turns: Vec<Turn>) -> Self {
        Self { turns, chunk: None, keep_alive: false, sequential: false, told: Vec::new() }
    }

    /// Sends bodies in pieces of so many bytes, each a write of its own.
    #[must_use]
    pub fn chunk(self, bytes: usize) -> Self {
        Self { chunk: Some(bytes.max(1)), ..self }
    }

    /// Keeps connections open after an answer, which is then framed by chunked transfer coding.
    #[must_use]
    pub fn keep_alive(self) -> Self {
        Self { keep_alive: true, ..self }
    }

    /// Plays one turn a request, in order, whatever the request says.
    #[must_use]
    pub fn sequential(self) -> Self {
        Self { sequential: true, ..self }
    }

    /// Answers whatever is asked at this path with this JSON, beside the script; it is not among the requests.
    #[must_use]
    pub fn telling(mut self, path: &str, json: Value) -> Self {
        self.told.push((path.to_owned(), json));
        self
    }

    /// # Errors
    /// When no port of loopback can be bound.
    pub fn start(self) -> io::Result<ScriptedServer> {
        ScriptedServer::serve(self)
    }
}

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Recorded {
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// `Null` when the body is not JSON.
    pub json: Value,
    pub at: Instant,
}

impl Recorded {
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// The events so far.
#[derive(Debug, Clone, Default)]
pub struct ServerJournal {
    /// POSTs only.
    pub requests: Vec<Recorded>,
    pub connections: usize,
    /// Clients that went away during a turn that hangs or is silent.
    pub hung_up: usize,
}

/// Runs until it is dropped.
pub struct ScriptedServer {
    address: SocketAddr,
    shared: Arc<SharedScript>,
}

pub(crate) struct SharedScript {
    pub(crate) script: Script,
    journal: Mutex<ServerJournal>,
    changed: Condvar,
    stopping: AtomicBool,
    sockets: Mutex<Vec<TcpStream>>,
}

/// Longer than anything waited for in a test.
const PATIENCE: Duration = Duration::from_secs(20);

impl ScriptedServer {
    /// Plays the turns with the settings of [`Script::new`].
    ///
    /// # Errors
    /// When no port of loopback can be bound.
    pub fn start(turns: Vec<Turn>) -> io::Result<Self> {
        Script::new(turns).start()
    }

    fn serve(script: Script) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(SharedScript {
            script,
            journal: Mutex::default(),
            changed: Condvar::new(),
            stopping: AtomicBool::new(false),
            sockets: Mutex::default(),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || accept(&listener, &accepting));
        Ok(Self { address, shared })
    }

    /// The base URL, `/v1` included.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    #[must_use]
    pub fn journal(&self) -> ServerJournal {
        self.shared.journal().clone()
    }

    #[must_use]
    pub fn requests(&self) -> Vec<Recorded> {
        self.journal().requests
    }

    /// Waits until the journal satisfies the condition; false when it does not in good time.
    #[must_use]
    pub fn wait_until(&self, mut condition: impl FnMut(&ServerJournal) -> bool) -> bool {
        let journal = self.shared.journal();
        let waited = self.shared.changed.wait_timeout_while(journal, PATIENCE, |journal| !condition(journal));
        waited.is_ok_and(|(_, result)| !result.timed_out())
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.shared.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts, so that the port is free again.
        let _ = TcpStream::connect(self.address);
        for socket in self.shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }
}

impl SharedScript {
    fn journal(&self) -> MutexGuard<'_, ServerJournal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, change: impl FnOnce(&mut ServerJournal)) {
        change(&mut self.journal());
        self.changed.notify_all();
    }

    /// The turn that answers this request, and its number. The request is noted.
    pub(crate) fn turn_for(&self, request: Recorded) -> (Turn, usize) {
        let json = request.json.clone();
        let mut number = self.journal().requests.len();
        self.note(|journal| journal.requests.push(request));
        if !self.script.sequential {
            number = tool_rounds(&json);
        }
        let turn = self.script.turns.get(number).or(self.script.turns.last());
        (turn.cloned().unwrap_or_else(Turn::calls).resolve(&json), number)
    }
}

fn tool_rounds(request: &Value) -> usize {
    let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let asks = |message: &&Value| {
        message["role"] == "assistant" && message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())
    };
    messages.iter().filter(asks).count()
}

fn accept(listener: &TcpListener, shared: &Arc<SharedScript>) {
    for stream in listener.incoming() {
        if shared.stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok(stream) = stream else { continue };
        if let Ok(handle) = stream.try_clone() {
            shared.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        }
        shared.note(|journal| journal.connections += 1);
        let shared = Arc::clone(shared);
        // A client that goes away in the middle is part of many tests, no error.
        thread::spawn(move || drop(connection::serve(&stream, &shared)));
    }
}
