//! A model on the loopback interface that answers from a script and notes
//! when each request had arrived and when each answer was written.
//!
//! One thread a connection and no runtime, so that the times are the
//! client's and not a scheduler's.

use std::{
    io,
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use super::http;
use crate::{
    cpu_time,
    failure::{Context, Failure},
};

const EVENT_STREAM: &str = "text/event-stream";

/// The pause between the first event of an answer and the others, if there is one: longer than anything that the first
/// event sets off.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) arrived: Instant,
    pub(crate) answered: Instant,
    pub(crate) body_bytes: usize,
    /// The processor time that the client had used when its request had arrived; zero if it isn't watched.
    pub(crate) client_cpu: Duration,
}

pub(crate) struct ModelServer {
    pub(crate) base_url: String,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    arrivals: Receiver<Instant>,
    /// The client's process; 0 where it isn't watched.
    client: Arc<AtomicU32>,
}

impl ModelServer {
    /// Serves `answers` in order and then the last one again and again. Lives
    /// until the process ends: a measurement is the whole life of one.
    pub(crate) fn start(answers: Vec<Vec<u8>>) -> Result<Self, Failure> {
        Self::serving(answers, Duration::ZERO)
    }

    /// Serves `answers` like [`Self::start`], and pauses after the first event of each.
    pub(crate) fn pausing(answers: Vec<Vec<u8>>) -> Result<Self, Failure> {
        Self::serving(answers, PAUSE)
    }

    fn serving(answers: Vec<Vec<u8>>, pause: Duration) -> Result<Self, Failure> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context(|| "listen on loopback".into())?;
        let address = listener.local_addr().context(|| "read the server's address".into())?;
        let exchanges = Arc::new(Mutex::new(Vec::new()));
        let (sender, arrivals) = mpsc::channel();
        let answers: Arc<[Vec<u8>]> = answers.into();
        let client = Arc::new(AtomicU32::new(0));
        let serving =
            Serving { answers, pause, exchanges: Arc::clone(&exchanges), sender, client: Arc::clone(&client) };
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let serving = serving.clone();
                // A client that hangs up is a run that ended.
                thread::spawn(move || serving.serve(&connection));
            }
        });
        Ok(Self { base_url: format!("http://{address}/v1"), exchanges, arrivals, client })
    }

    /// From now on what the process has of the processor is noted with each request.
    pub(crate) fn watch(&self, client: u32) {
        self.client.store(client, Ordering::Relaxed);
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.exchanges).clone()
    }

    /// The arrivals noted since the last call.
    pub(crate) fn new_arrivals(&self) -> Vec<Instant> {
        self.arrivals.try_iter().collect()
    }
}

#[derive(Clone)]
struct Serving {
    answers: Arc<[Vec<u8>]>,
    pause: Duration,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    sender: Sender<Instant>,
    client: Arc<AtomicU32>,
}

impl Serving {
    fn serve(&self, connection: &TcpStream) -> io::Result<()> {
        connection.set_nodelay(true)?;
        let mut reader = http::reader(connection);
        let mut writer = connection;
        while let Some(request) = http::read_request(&mut reader)? {
            let arrived = Instant::now();
            let client_cpu = match self.client.load(Ordering::Relaxed) {
                0 => Duration::ZERO,
                client => cpu_time::of_process(client),
            };
            if request.method != "POST" {
                http::write_answer(&mut writer, "application/json", br#"{"object":"list","data":[]}"#)?;
                continue;
            }
            // The receiver is gone when the measurement is over.
            let _ = self.sender.send(arrived);
            let turn = lock(&self.exchanges).len();
            let answer = self.answers.get(turn).or(self.answers.last()).map_or(b"".as_slice(), Vec::as_slice);
            // Noted before writing: the client may come back before this thread
            // runs again, and then finds the next answer.
            let body_bytes = request.body_bytes;
            lock(&self.exchanges).push(Exchange { arrived, answered: arrived, body_bytes, client_cpu });
            self.answer(writer, answer)?;
            let answered = Instant::now();
            if let Some(exchange) = lock(&self.exchanges).get_mut(turn) {
                exchange.answered = answered;
            }
            if request.closes {
                break;
            }
        }
        Ok(())
    }

    fn answer(&self, mut writer: &TcpStream, answer: &[u8]) -> io::Result<()> {
        if self.pause.is_zero() {
            return http::write_answer(&mut writer, EVENT_STREAM, answer);
        }
        let (first, rest) = answer.split_at(end_of_first_event(answer));
        http::write_first(&mut writer, EVENT_STREAM, first)?;
        thread::sleep(self.pause);
        http::write_rest(&mut writer, rest)
    }
}

fn end_of_first_event(answer: &[u8]) -> usize {
    answer.windows(2).position(|pair| pair == b"\n\n").map_or(answer.len(), |at| at + 2)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
