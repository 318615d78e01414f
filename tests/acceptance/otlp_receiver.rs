//! A receiver of telemetry on loopback that takes everything, or keeps silent.
#![cfg(unix)]

use crate::harness::contains;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// The way in which a receiver treats a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    Takes,
    /// Reads it and never answers.
    Hangs,
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct ReceivedBatch {
    pub(crate) path: String,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl ReceivedBatch {
    pub(crate) fn has(&self, text: &str) -> bool {
        contains(&self.body, text.as_bytes())
    }
}

pub(crate) struct OtlpReceiver {
    pub(crate) port: u16,
    received: Arc<Mutex<Vec<ReceivedBatch>>>,
}

impl OtlpReceiver {
    pub(crate) fn start(manner: Manner) -> Self {
        Self::on(&TcpListener::bind("127.0.0.1:0").unwrap(), manner)
    }

    /// A receiver where nobody listened before.
    pub(crate) fn on_port(port: u16) -> Self {
        Self::on(&TcpListener::bind(("127.0.0.1", port)).unwrap(), Manner::Takes)
    }

    fn on(listener: &TcpListener, manner: Manner) -> Self {
        let (port, listener) = (listener.local_addr().unwrap().port(), listener.try_clone().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let taken = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let taken = taken.clone();
                std::thread::spawn(move || serve(stream, manner, &taken));
            }
        });
        Self { port, received }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn received(&self) -> Vec<ReceivedBatch> {
        self.received.lock().unwrap().clone()
    }

    /// The one batch of a signal that came.
    #[track_caller]
    pub(crate) fn one(&self, signal: &str) -> ReceivedBatch {
        let of_signal: Vec<ReceivedBatch> =
            self.received().into_iter().filter(|batch| batch.path == format!("/v1/{signal}")).collect();
        let [batch] = of_signal.as_slice() else { panic!("{} batches of {signal} came", of_signal.len()) };
        batch.clone()
    }
}

/// A port on which nobody listens.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Answers the requests of one connection; `None` at its end.
fn serve(mut stream: TcpStream, manner: Manner, taken: &Mutex<Vec<ReceivedBatch>>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            (reader.read_line(&mut head).ok()? > 0).then_some(())?;
        }
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "))?.parse().ok()?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let path = head.split(' ').nth(1)?.to_owned();
        taken.lock().unwrap().push(ReceivedBatch { path, head, body });
        match manner {
            Manner::Takes => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").ok()?,
            // Until the other side has had enough.
            Manner::Hangs => drop(reader.read(&mut [0])),
        }
    }
}
