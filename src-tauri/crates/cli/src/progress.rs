//! The last line of a terminal while nothing else is printed: what the run is doing, and for how long.
//!
//! It stands on standard error, is drawn over itself, and is wiped before anything else is printed. Where standard error is
//! no terminal, or nobody wants colours, there is none.

use crate::output::visible;
use arki_domain::{EventBody, TokenType};
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// The interval between two drawings.
pub(crate) const TICK: Duration = Duration::from_millis(120);
/// Work that is over sooner isn't told.
const PATIENCE: Duration = Duration::from_millis(600);
const FRAMES: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// The width of a terminal that doesn't tell it.
const WIDTH: usize = 79;

/// The work that a run is at.
#[derive(Debug, Clone, PartialEq)]
enum Doing {
    Nothing,
    Waiting { model: String },
    Thinking,
    Writing,
    Running { what: String },
    Retrying { code: String, until: Instant },
}

pub(crate) struct ProgressLine {
    doing: Doing,
    since: Instant,
    frame: usize,
    is_drawn: bool,
    is_on: bool,
}

impl ProgressLine {
    /// `wanted`: people read this, not a program.
    pub(crate) fn new(wanted: bool) -> Self {
        let has_terminal = std::io::stderr().is_terminal();
        let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        let has_colours = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        let is_on = wanted && has_terminal && !is_dumb && has_colours;
        Self { doing: Doing::Nothing, since: Instant::now(), frame: 0, is_drawn: false, is_on }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    pub(crate) fn event(&mut self, body: &EventBody, now: Instant) {
        let doing = match body {
            EventBody::EngineRequest(request) => Doing::Waiting { model: request.model.clone() },
            EventBody::EngineRetry(retry) => {
                let until = now + Duration::from_millis(retry.delay_ms);
                Doing::Retrying { code: retry.code.to_string(), until }
            }
            EventBody::ToolCall(call) => {
                let command = call.args.get("command").and_then(|command| command.as_str());
                Doing::Running { what: command.unwrap_or(&call.tool_id).to_owned() }
            }
            EventBody::ToolResult(_)
            | EventBody::EngineResponse(_)
            | EventBody::OutputMessage(_)
            | EventBody::RunPaused(_)
            | EventBody::RunCompleted(_)
            | EventBody::RunFailed(_)
            | EventBody::RunCancelled(_) => Doing::Nothing,
            _ => return,
        };
        self.begin(doing, now);
    }

    pub(crate) fn delta(&mut self, token_type: TokenType, now: Instant) {
        let doing = match token_type {
            TokenType::LlmThinking | TokenType::AgentThoughtLlmResponse => Doing::Thinking,
            TokenType::LlmResponse | TokenType::FinalSynthesisLlmResponse => Doing::Writing,
        };
        if self.doing != doing {
            self.begin(doing, now);
        }
    }

    fn begin(&mut self, doing: Doing, now: Instant) {
        self.doing = doing;
        self.since = now;
    }

    /// The text at a moment; `None` where there is nothing to tell.
    fn text(&self, last_line: Option<&str>, now: Instant) -> Option<String> {
        let passed = now.saturating_duration_since(self.since);
        let seconds = passed.as_secs();
        let text = match &self.doing {
            _ if passed < PATIENCE => return None,
            Doing::Nothing => return None,
            Doing::Waiting { model } => format!("Waiting for {model} · {seconds} s"),
            Doing::Thinking => format!("Thinking · {seconds} s"),
            Doing::Writing => format!("Writing · {seconds} s"),
            Doing::Running { what } => {
                let last = last_line.map(|line| format!(" · {}", line.trim())).unwrap_or_default();
                format!("Running {} · {seconds} s{last}", what.lines().next().unwrap_or_default())
            }
            Doing::Retrying { code, until } => match until.saturating_duration_since(now).as_millis().div_ceil(1000) {
                0 => format!("Trying again after {code}"),
                left => format!("{code}: trying again in {left} s"),
            },
        };
        Some(visible(&text))
    }

    /// Draws it anew. Nothing of an answer may stand on the line.
    pub(crate) fn draw(&mut self, last_line: Option<&str>) {
        let Some(text) = self.text(last_line, Instant::now()).filter(|_| self.is_on) else { return };
        self.frame = (self.frame + 1) % FRAMES.len();
        let width = terminal_width().saturating_sub(4);
        let text: String = text.chars().take(width).collect();
        let mut stderr = std::io::stderr();
        let _ = write!(stderr, "\r\x1b[2m{} {text}\x1b[0m\x1b[K", FRAMES[self.frame]).and_then(|()| stderr.flush());
        self.is_drawn = true;
    }

    /// Wipes it, before something else is printed.
    pub(crate) fn wipe(&mut self) {
        if std::mem::take(&mut self.is_drawn) {
            let mut stderr = std::io::stderr();
            let _ = write!(stderr, "\r\x1b[K").and_then(|()| stderr.flush());
        }
    }
}

fn terminal_width() -> usize {
    let columns = terminal_size::terminal_size_of(std::io::stderr()).map(|(width, _)| usize::from(width.0));
    columns.filter(|columns| *columns > 0).unwrap_or(WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_does_is_told_once_it_takes_a_while() {
        let now = Instant::now();
        let mut line = ProgressLine { doing: Doing::Nothing, since: now, frame: 0, is_drawn: false, is_on: false };
        let later = |seconds| now + Duration::from_secs(seconds);
        assert_eq!(line.text(None, later(9)), None);
        line.begin(Doing::Waiting { model: "lab/tiny".into() }, now);
        assert_eq!(line.text(None, now + Duration::from_millis(200)), None);
        assert_eq!(line.text(None, later(4)).as_deref(), Some("Waiting for lab/tiny · 4 s"));
        line.delta(TokenType::LlmThinking, later(5));
        line.delta(TokenType::LlmThinking, later(6));
        assert_eq!(line.text(None, later(8)).as_deref(), Some("Thinking · 3 s"));
        line.begin(Doing::Running { what: "cargo test\n&& x".into() }, now);
        assert_eq!(
            line.text(Some(" ok 12 \u{1b}[2J"), later(12)).as_deref().map(|text| text.contains('\u{1b}')),
            Some(false)
        );
        assert_eq!(line.text(Some(" ok 12 "), later(12)).as_deref(), Some("Running cargo test · 12 s · ok 12"));
        line.begin(Doing::Retrying { code: "RATE_LIMITED".into(), until: later(10) }, now);
        assert_eq!(line.text(None, later(3)).as_deref(), Some("RATE_LIMITED: trying again in 7 s"));
    }
}
