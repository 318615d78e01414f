//! `arki serve` as its tests speak to it: requests to the letter, and streams of events.
#![cfg(unix)]

use crate::harness::{Running, Stage, text};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// `arki serve` of a stage, with its own token.
pub(crate) struct Serving {
    pub(crate) running: Running,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// An answer: its status, its head and its body.
pub(crate) struct Answered {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answered {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{}\n{}", self.head, self.body))
    }

    pub(crate) fn code(&self) -> (u16, String) {
        (self.status, text(&self.json()["code"]))
    }
}

impl Serving {
    pub(crate) fn of(stage: &Stage) -> Self {
        Self::with_arguments(stage, &[])
    }

    pub(crate) fn with_arguments(stage: &Stage, arguments: &[&str]) -> Self {
        let mut running = stage.start(&[&["serve", "--port", "0"], arguments].concat());
        let at = running.until(|line| !line["url"].is_null());
        let port = text(&at["url"]).rsplit(':').next().unwrap().parse().unwrap();
        let token = std::fs::read_to_string(text(&at["tokenFile"])).unwrap();
        Self { running, port, token }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        connected(self.port)
    }

    /// Sends a request whose head is all given.
    pub(crate) fn sent(&self, request: &str) -> Answered {
        sent_to(self.port, request)
    }

    pub(crate) fn with(&self, token: &str, method: &str, path: &str, body: &str) -> Answered {
        self.sent(&self.request(token, (method, path), "", body))
    }

    /// Asks with one more header.
    pub(crate) fn post_with(&self, header: &str, path: &str, body: &Value) -> Answered {
        self.sent(&self.request(&self.token, ("POST", path), &format!("{header}\r\n"), &body.to_string()))
    }

    pub(crate) fn request(&self, token: &str, (method, path): (&str, &str), headers: &str, body: &str) -> String {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {token}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
            self.port,
            body.len()
        )
    }

    pub(crate) fn get(&self, path: &str) -> Answered {
        self.with(&self.token, "GET", path, "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answered {
        self.with(&self.token, "POST", path, &body.to_string())
    }

    pub(crate) fn start(&self, stage: &Stage, prompt: &str) -> (String, String) {
        let project = stage.home.project_dir();
        let started = self.post("/v1/runs", &json!({"project": project, "prompt": prompt}));
        assert_eq!(started.status, 201, "{}", started.body);
        let started = started.json();
        (text(&started["sessionId"]), text(&started["runId"]))
    }

    /// Reads a stream of events from a place on.
    pub(crate) fn stream(&self, path: &str, last: Option<&str>) -> EventReader {
        let mut stream = self.connect();
        let last = last.map(|last| format!("Last-Event-ID: {last}\r\n")).unwrap_or_default();
        let head = format!("Host: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n{last}", self.port, self.token);
        stream.write_all(format!("GET {path} HTTP/1.1\r\n{head}\r\n").as_bytes()).unwrap();
        let mut lines = BufReader::new(stream);
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        assert!(line.starts_with("HTTP/1.1 200"), "{line}");
        while line != "\r\n" {
            line.clear();
            lines.read_line(&mut line).unwrap();
        }
        EventReader { lines, text: Vec::new() }
    }

    pub(crate) fn end(self) {
        self.running.signal(Signal::INT);
        self.running.end().exits(0);
    }
}

fn connected(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream
}

pub(crate) fn sent_to(port: u16, request: &str) -> Answered {
    let mut stream = connected(port);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answered(&answer)
}

/// An answer as it came.
pub(crate) fn answered(answer: &str) -> Answered {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or_default();
    Answered { status, head: head.to_owned(), body: body.to_owned() }
}

/// An event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: Option<String>,
    pub(crate) kind: String,
    pub(crate) data: Value,
}

pub(crate) struct EventReader {
    pub(crate) lines: BufReader<TcpStream>,
    /// The bytes that are out of their chunks, and no event yet.
    pub(crate) text: Vec<u8>,
}

impl EventReader {
    /// The next event; `None` at the end of the stream.
    pub(crate) fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(end) = self.text.windows(2).position(|pair| pair == b"\n\n") {
                let event: Vec<u8> = self.text.drain(..end + 2).collect();
                return Some(told(&String::from_utf8(event).unwrap()));
            }
            let mut size = String::new();
            self.lines.read_line(&mut size).ok()?;
            let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
            let mut chunk = vec![0; size + 2];
            self.lines.read_exact(&mut chunk).ok()?;
            self.text.extend(&chunk[..size]);
        }
    }

    pub(crate) fn until(&mut self, kind: &str) -> Vec<Told> {
        let mut seen = Vec::new();
        while let Some(event) = self.next() {
            let is_it = event.kind == kind;
            seen.push(event);
            if is_it {
                return seen;
            }
        }
        panic!("the stream ended before {kind}: {seen:?}");
    }

    pub(crate) fn all(mut self) -> Vec<Told> {
        std::iter::from_fn(|| self.next()).collect()
    }
}

pub(crate) fn told(event: &str) -> Told {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
    let data = serde_json::from_str(field("data: ").unwrap()).unwrap();
    Told { id: field("id: ").map(str::to_owned), kind: field("event: ").unwrap().to_owned(), data }
}

pub(crate) fn stored(events: &[Told]) -> Vec<Value> {
    events.iter().filter(|event| event.id.is_some()).map(|event| event.data.clone()).collect()
}
