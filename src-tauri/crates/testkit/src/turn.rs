//! One turn of the scripted model.

use crate::sse_encoding;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// One answer of the scripted model, and what goes wrong with it.
#[derive(Clone)]
pub struct Turn {
    pub(crate) answer: ScriptedAnswer,
    pub(crate) ending: StreamEnding,
    pub(crate) pause: Duration,
    pub(crate) chunk_pause: Duration,
    pub(crate) events_a_second: Option<u32>,
}

#[derive(Clone)]
pub(crate) enum ScriptedAnswer {
    Spoken(SpokenTurn),
    Raw(Response),
    Computed(Arc<dyn Fn(&Value) -> Turn + Send + Sync>),
}

/// Words, then calls.
#[derive(Clone, Default)]
pub(crate) struct SpokenTurn {
    pub(crate) text: String,
    /// Names and arguments; the arguments verbatim.
    pub(crate) calls: Vec<(String, String)>,
}

#[derive(Clone)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// Shared, because a turn is cloned for each request.
    pub(crate) body: Arc<[u8]>,
}

#[derive(Clone, Copy)]
pub(crate) enum StreamEnding {
    Whole,
    /// The connection is closed after that many bytes of the body.
    CutAfter(usize),
    /// After that many bytes of the body nothing more comes, until the client hangs up.
    HangAfter(usize),
    /// Not even a status comes, until the client hangs up.
    Silent,
}

impl Turn {
    fn new(answer: ScriptedAnswer) -> Self {
        Self {
            answer,
            ending: StreamEnding::Whole,
            pause: Duration::ZERO,
            chunk_pause: Duration::ZERO,
            events_a_second: None,
        }
    }

    /// Says the text, word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(ScriptedAnswer::Spoken(SpokenTurn { text: text.into(), calls: Vec::new() }))
    }

    /// Says nothing; for `.call(...)`.
    #[must_use]
    pub fn calls() -> Self {
        Self::text("")
    }

    /// Adds a tool call; several in one turn are parallel calls. Only for turns that speak.
    #[must_use]
    #[allow(clippy::needless_pass_by_value)]
    pub fn call(self, name: &str, arguments: Value) -> Self {
        self.call_raw(name, arguments.to_string())
    }

    /// Makes a call like [`Turn::call`], with arguments that need not be JSON.
    #[must_use]
    pub fn call_raw(mut self, name: &str, arguments: impl Into<String>) -> Self {
        if let ScriptedAnswer::Spoken(spoken) = &mut self.answer {
            spoken.calls.push((name.to_owned(), arguments.into()));
        }
        self
    }

    /// Decides by the request.
    pub fn computed(turn: impl Fn(&Value) -> Turn + Send + Sync + 'static) -> Self {
        Self::new(ScriptedAnswer::Computed(Arc::new(turn)))
    }

    /// These very bytes as the event stream.
    pub fn stream(body: impl Into<Vec<u8>>) -> Self {
        Self::raw(200, "text/event-stream", body)
    }

    /// An event stream with each value as the data of an event, then `[DONE]`.
    #[must_use]
    pub fn chunks(values: &[Value]) -> Self {
        let events: Vec<u8> = values.iter().flat_map(|value| sse_encoding::event(&value.to_string())).collect();
        Self::stream([events, sse_encoding::event("[DONE]")].concat())
    }

    /// A JSON answer with that status.
    #[must_use]
    #[allow(clippy::needless_pass_by_value)]
    pub fn json(status: u16, body: Value) -> Self {
        Self::raw(status, "application/json", body.to_string())
    }

    pub fn raw(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::new(ScriptedAnswer::Raw(Response::new(status, content_type, body.into())))
    }

    /// Adds a header; only for turns that are given as bytes.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let ScriptedAnswer::Raw(response) = &mut self.answer {
            response.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Never answers.
    #[must_use]
    pub fn silent() -> Self {
        Self { ending: StreamEnding::Silent, ..Self::calls() }
    }

    #[must_use]
    pub fn cut_after(self, bytes: usize) -> Self {
        Self { ending: StreamEnding::CutAfter(bytes), ..self }
    }

    #[must_use]
    pub fn hang_after(self, bytes: usize) -> Self {
        Self { ending: StreamEnding::HangAfter(bytes), ..self }
    }

    /// Waits before it answers.
    #[must_use]
    pub fn pause(self, pause: Duration) -> Self {
        Self { pause, ..self }
    }

    /// Waits after each piece it writes.
    #[must_use]
    pub fn chunk_pause(self, chunk_pause: Duration) -> Self {
        Self { chunk_pause, ..self }
    }

    /// Sends so many events a second, by the clock, whatever pieces and pauses are asked for besides.
    #[must_use]
    pub fn events_a_second(self, events: u32) -> Self {
        Self { events_a_second: Some(events), ..self }
    }

    /// Says these pieces, an event each.
    #[must_use]
    pub fn pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Self {
        Self::stream(sse_encoding::pieces(pieces))
    }

    pub(crate) fn resolve(&self, request: &Value) -> Self {
        match &self.answer {
            ScriptedAnswer::Computed(turn) => turn(request).resolve(request),
            ScriptedAnswer::Spoken(_) | ScriptedAnswer::Raw(_) => self.clone(),
        }
    }

    /// `turn` is its number, which the ids of its calls carry.
    pub(crate) fn response(&self, turn: usize) -> Response {
        match &self.answer {
            ScriptedAnswer::Raw(response) => response.clone(),
            ScriptedAnswer::Spoken(spoken) => {
                Response::new(200, "text/event-stream", sse_encoding::spoken(spoken, turn))
            }
            // Resolved before.
            ScriptedAnswer::Computed(_) => Response::new(500, "text/plain", Vec::new()),
        }
    }
}

impl Response {
    pub(crate) fn new(status: u16, content_type: &str, body: Vec<u8>) -> Self {
        let headers = vec![("content-type".to_owned(), content_type.to_owned())];
        Self { status, headers, body: body.into() }
    }
}
