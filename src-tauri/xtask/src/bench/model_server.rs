//! A model on the loopback interface that answers from a script and notes
//! when each request had arrived and when each answer was written.
//!
//! One thread a connection and no runtime, so that the times are the
//! client's and not a scheduler's.

use std::{
    io::{self, BufReader},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread,
    time::{Duration, Instant},
};

use super::http;
use crate::failure::{Context, Failure};

const EVENT_STREAM: &str = "text/event-stream";

/// Between the first event of an answer and the others, where there is one: longer than anything takes that the first
/// event sets off.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) arrived: Instant,
    pub(crate) answered: Instant,
}

pub(crate) struct ModelServer {
    pub(crate) base_url: String,
    exchanges: Arc<Mutex<Vec<Exchange>>>,
    arrivals: Receiver<Instant>,
}

impl ModelServer {
    /// Serves `answers` in order and then the last one again and again. Lives
    /// until the process ends: a measurement is the whole life of one.
    pub(crate) fn start(answers: Vec<Vec<u8>>) -> Result<Self, Failure> {
        Self::serving(answers, Duration::ZERO)
    }

    /// Serves the same answer again and again, and pauses after its first event.
    pub(crate) fn pausing(answer: Vec<u8>) -> Result<Self, Failure> {
        Self::serving(vec![answer], PAUSE)
    }

    fn serving(answers: Vec<Vec<u8>>, pause: Duration) -> Result<Self, Failure> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).context(|| "listen on loopback".into())?;
        let address = listener.local_addr().context(|| "read the server's address".into())?;
        let exchanges = Arc::new(Mutex::new(Vec::new()));
        let (sender, arrivals) = mpsc::channel();
        let answers: Arc<[Vec<u8>]> = answers.into();
        let shared = Arc::clone(&exchanges);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (answers, exchanges, sender) = (Arc::clone(&answers), Arc::clone(&shared), sender.clone());
                // A client that hangs up is a run that ended.
                thread::spawn(move || serve(&connection, &answers, pause, &exchanges, &sender));
            }
        });
        Ok(Self { base_url: format!("http://{address}/v1"), exchanges, arrivals })
    }

    pub(crate) fn exchanges(&self) -> Vec<Exchange> {
        lock(&self.exchanges).clone()
    }

    /// The arrivals noted since the last call.
    pub(crate) fn new_arrivals(&self) -> Vec<Instant> {
        self.arrivals.try_iter().collect()
    }
}

fn serve(
    connection: &TcpStream,
    answers: &[Vec<u8>],
    pause: Duration,
    exchanges: &Mutex<Vec<Exchange>>,
    arrivals: &Sender<Instant>,
) -> io::Result<()> {
    connection.set_nodelay(true)?;
    let mut reader = BufReader::new(connection);
    let mut writer = connection;
    while let Some(request) = http::read_request(&mut reader)? {
        let arrived = Instant::now();
        if request.method != "POST" {
            http::write_answer(&mut writer, "application/json", br#"{"object":"list","data":[]}"#)?;
            continue;
        }
        // The receiver is gone when the measurement is over.
        let _ = arrivals.send(arrived);
        let turn = lock(exchanges).len();
        let answer = answers.get(turn).or(answers.last()).map_or(b"".as_slice(), Vec::as_slice);
        // Noted before writing: the client may come back before this thread
        // runs again, and then finds the next answer.
        lock(exchanges).push(Exchange { arrived, answered: arrived });
        if pause.is_zero() {
            http::write_answer(&mut writer, EVENT_STREAM, answer)?;
        } else {
            let (first, rest) = answer.split_at(end_of_first_event(answer));
            http::write_first(&mut writer, EVENT_STREAM, first)?;
            thread::sleep(pause);
            http::write_rest(&mut writer, rest)?;
        }
        let answered = Instant::now();
        if let Some(exchange) = lock(exchanges).get_mut(turn) {
            exchange.answered = answered;
        }
        if request.closes {
            break;
        }
    }
    Ok(())
}

fn end_of_first_event(answer: &[u8]) -> usize {
    answer.windows(2).position(|pair| pair == b"\n\n").map_or(answer.len(), |at| at + 2)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
