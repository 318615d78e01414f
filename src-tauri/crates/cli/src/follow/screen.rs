//! The view of a run while it works, for people and programs: answers, the tools' activity, and what commands print.

use crate::activity::activity;
use crate::command_output::{self, CommandOutputs};
use crate::output::{Printer, dim, visible};
use crate::progress::ProgressLine;
use crate::style_tags::StyleTags;
use arki_api::PrintedDelta;
use arki_domain::projection::{Conversation, ConversationItem, ItemBody, ItemPart, StreamedAnswer};
use arki_domain::{
    Clock, Error, Event, EventBody, LiveEvent, OutputDelta, RunId, SessionId, Stage, StepCompleted, StepFailed,
    SubagentStarted, SystemClock, TokenType,
};
use arki_engine::{ActiveRun, Engine, InvisibleCharacters, RunEnd, VisiblePieces};
use std::collections::{HashMap, HashSet};
use std::io::IsTerminal;
use std::time::Instant;

/// Events are caught up in pieces of this many.
const CATCH_UP: usize = 500;

/// Prints a run, and knows how far it has got.
pub(super) struct Screen<'a> {
    output: &'a Printer,
    run: &'a ActiveRun,
    last_seq: u64,
    at_line_start: bool,
    /// The filter for a terminal, which would obey control characters in the model's text. A program gets them
    /// unchanged.
    shown: Option<VisiblePieces>,
    /// The styles of the answer, on a terminal that shows colours.
    styles: Option<StyleTags>,
    told: StreamedAnswer,
    /// The session's conversation and its sub-agents', from where the run is followed.
    conversations: HashMap<SessionId, Conversation>,
    /// The sub-agents that work for the run.
    subagents: Vec<SubagentStarted>,
    /// True while the run has a cost limit and no warning about an unknown price was printed.
    has_cost_limit: bool,
    /// The stage of the last request.
    stage: Option<Stage>,
    /// The steps of a pipeline's run; `None` for any other run.
    steps: Option<PipelineSteps>,
    outputs: CommandOutputs,
    progress: ProgressLine,
    /// The last answer, where standard output is no terminal: it gets only that one, when the run stops.
    held: Option<String>,
}

impl<'a> Screen<'a> {
    /// `steps`: of a pipeline's run.
    pub(super) fn new(output: &'a Printer, run: &'a ActiveRun, steps: Option<PipelineSteps>) -> Self {
        Self {
            output,
            run,
            last_seq: 0,
            at_line_start: true,
            shown: std::io::stdout().is_terminal().then(VisiblePieces::default),
            styles: shows_colours().then(StyleTags::default),
            told: StreamedAnswer::default(),
            has_cost_limit: false,
            conversations: HashMap::new(),
            subagents: run.subagents.clone(),
            stage: None,
            outputs: CommandOutputs::new(output.show_output),
            progress: ProgressLine::new(!output.json),
            held: None,
            steps,
        }
    }

    pub(super) fn is_of_pipeline(&self) -> bool {
        self.steps.is_some()
    }

    pub(super) fn shows_progress(&self) -> bool {
        self.progress.is_on()
    }
}

/// The steps of a pipeline, and those of them that have ended.
pub(super) struct PipelineSteps {
    names: Vec<String>,
    ended: HashSet<String>,
}

const BAR_CHARS: usize = 10;

impl PipelineSteps {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { names, ended: HashSet::new() }
    }

    /// Returns a bar, if the event ends a step.
    fn bar(&mut self, body: &EventBody) -> Option<String> {
        let step = match body {
            EventBody::StepCompleted(completed) => &completed.step,
            EventBody::StepSkipped(skipped) => &skipped.step,
            _ => return None,
        };
        if !self.names.contains(step) {
            return None;
        }
        self.ended.insert(step.clone());
        let (ended, all) = (self.ended.len(), self.names.len());
        let full = BAR_CHARS * ended / all.max(1);
        Some(format!("{}{} {ended}/{all}", "█".repeat(full), "░".repeat(BAR_CHARS - full)))
    }
}

impl Screen<'_> {
    pub(super) fn show(
        &mut self,
        engine: &Engine,
        announced: Option<Result<LiveEvent, arki_engine::Lagged>>,
    ) -> Result<(), Error> {
        match announced {
            Some(Ok(LiveEvent::Stored(event))) if event.session_id == self.run.session_id => {
                // It was stored after what was caught up, so that its turn's pieces are all still to come.
                let begins = event.seq > self.last_seq && matches!(event.body(), EventBody::EngineRequest(_));
                if begins {
                    self.told.catch_up();
                }
                self.event(&event);
            }
            Some(Ok(LiveEvent::Stored(event)))
                if self.subagents.iter().any(|subagent| subagent.session_id == event.session_id) =>
            {
                self.tell_activity(&event, &event.body(), "    ");
            }
            Some(Ok(LiveEvent::Delta { session_id, run_id, delta })) if session_id == self.run.session_id => {
                self.delta(&session_id, &run_id, delta);
            }
            Some(Ok(LiveEvent::CommandOutput { session_id, call_id, text, .. }))
                if session_id == self.run.session_id && !text.is_empty() =>
            {
                let lines = self.outputs.piece(&call_id, &text);
                self.tell_output(&lines);
            }
            Some(Err(_)) => {
                self.told.fall_behind();
                let page = engine.session_reader().events_after(&self.run.session_id, self.last_seq, CATCH_UP)?;
                page.events.iter().for_each(|event| self.event(event));
            }
            Some(Ok(_)) | None => {}
        }
        Ok(())
    }

    fn event(&mut self, event: &Event) {
        if event.seq <= self.last_seq {
            return;
        }
        self.last_seq = event.seq;
        self.tell_unknown_cost(event);
        match event.body() {
            EventBody::SubagentStarted(started) => self.subagents.push(started),
            EventBody::ToolResult(result) if result.async_call_id.is_none() => {
                self.subagents.retain(|subagent| subagent.call_id != result.call_id);
            }
            EventBody::ToolAsyncResult(result) => {
                self.subagents.retain(|subagent| subagent.call_id != result.async_call_id);
            }
            EventBody::StepCompleted(StepCompleted { step, .. }) | EventBody::StepFailed(StepFailed { step, .. }) => {
                self.subagents.retain(|subagent| subagent.call_id.as_str() != step);
            }
            EventBody::EngineRequest(request) if request.purpose.is_none() => self.stage = request.stage,
            _ => {}
        }
        let is_answer = self.stage.is_none_or(|stage| stage == Stage::Synthesize);
        let body = event.body();
        self.progress.event(&body, Instant::now());
        self.tell_activity(event, &body, "");
        match body {
            _ if self.output.json => self.output.object(event),
            EventBody::OutputMessage(message) if self.shown.is_none() && is_answer && !message.retried => {
                self.held = Some(message.content).filter(|content| !content.trim().is_empty());
            }
            EventBody::RunCompleted(completed) if self.shown.is_none() => self.held = Some(completed.response),
            EventBody::EngineRequest(_) if self.shown.is_none() => self.tell_held(),
            EventBody::OutputMessage(message) if message.retried => self.told.begin_again(),
            EventBody::OutputMessage(message) if self.told.is_behind() && is_answer => {
                self.answer(message.turn, &message.content);
            }
            // Asked for another plan, the model may have answered instead.
            EventBody::RunCompleted(completed) if !is_answer => self.answer(completed.turns, &completed.response),
            _ => {}
        }
    }

    /// Prints what is missing of a turn's answer.
    fn answer(&mut self, turn: u32, content: &str) {
        self.begin_answer(turn);
        let rest = self.told.rest(content).to_owned();
        self.text(&rest);
    }

    /// Another turn's answer begins on a line of its own.
    fn begin_answer(&mut self, turn: u32) {
        if self.told.begin_turn(turn) {
            self.end_line();
            self.styles = self.styles.take().map(|_| StyleTags::default());
        }
    }

    /// Programs get the events of the run alone.
    fn tell_activity(&mut self, event: &Event, body: &EventBody, indent: &str) {
        if self.output.json {
            return;
        }
        let own = event.session_id == self.run.session_id;
        let bar = self.steps.as_mut().filter(|_| own).and_then(|steps| steps.bar(body));
        let bar = bar.map(|bar| format!("  {bar}")).unwrap_or_default();
        let mut conversation = self.conversations.remove(&event.session_id).unwrap_or_default();
        let changes = conversation.apply(event, body);
        for change in &changes {
            if let Some(item) = conversation.item(change.place) {
                self.tell_change(item, change.part, indent, &bar);
            }
        }
        conversation.let_go(&changes);
        self.conversations.insert(event.session_id.clone(), conversation);
    }

    fn tell_change(&mut self, item: &ConversationItem, part: ItemPart, indent: &str, bar: &str) {
        if let Some(line) = activity(item, part) {
            self.end_line();
            self.progress.wipe();
            self.output.aside(dim(&format!("{indent}{line}{bar}")));
        }
        if let ItemBody::Call(call) = &item.body
            && part == ItemPart::Result
            && indent.is_empty()
        {
            let lines = self.outputs.ended(call);
            self.tell_output(&lines);
        }
    }

    fn tell_output(&mut self, lines: &[String]) {
        if !lines.is_empty() && !self.output.json {
            self.end_line();
            self.progress.wipe();
            command_output::tell(self.output, lines);
        }
    }

    pub(super) fn draw_progress(&mut self) {
        if self.at_line_start {
            self.progress.draw(self.outputs.last_line());
        }
    }

    /// Another answer follows: this one was said on the way.
    fn tell_held(&mut self) {
        if let Some(text) = self.held.take().filter(|_| self.steps.is_none()) {
            self.progress.wipe();
            self.output.aside(visible(text.trim_end()));
        }
    }

    /// Writes the last answer to where programs read it.
    pub(super) fn tell_answer(&mut self, end: &RunEnd) {
        self.progress.wipe();
        let Some(held) = self.held.take().filter(|_| self.steps.is_none() && !self.output.json) else { return };
        let text = if let RunEnd::Completed { response } = end { response.clone() } else { held };
        let text = text.trim_end();
        if !text.is_empty() {
            self.output.text(&format!("{text}\n"));
        }
    }

    /// A limit that cannot be kept must not look as if it were.
    fn tell_unknown_cost(&mut self, event: &Event) {
        match event.body() {
            EventBody::RunStarted(started) => self.has_cost_limit = started.options.max_cost_usd.is_some(),
            EventBody::EngineResponse(response) if self.has_cost_limit && response.usage.cost_usd.is_none() => {
                self.has_cost_limit = false;
                self.end_line();
                self.output.aside("This model's price is unknown, so the cost limit can't stop the run.");
            }
            _ => {}
        }
    }

    fn delta(&mut self, session_id: &SessionId, run_id: &RunId, delta: OutputDelta) {
        if self.output.json {
            let (session_id, run_id) = (session_id.clone(), run_id.clone());
            self.output.object(&PrintedDelta::new(session_id, run_id, SystemClock.now_ms(), delta));
            return;
        }
        self.progress.delta(delta.token_type, Instant::now());
        if is_answer(delta.token_type) && !self.told.is_behind() && self.shown.is_some() {
            self.begin_answer(delta.turn);
            let unsaid = self.told.piece(&delta.text).into_owned();
            self.text(&unsaid);
        }
    }

    fn text(&mut self, text: &str) {
        if !text.is_empty() {
            self.progress.wipe();
            self.at_line_start = text.ends_with('\n');
            self.write(text);
        }
    }

    fn write(&mut self, text: &str) {
        match &mut self.shown {
            Some(shown) => {
                let text = shown.next(text, InvisibleCharacters::Prose);
                self.output.text(&self.styles.as_mut().map_or(text.clone(), |styles| styles.next(&text)));
            }
            None => self.output.text(text),
        }
    }

    pub(super) fn end_line(&mut self) {
        if let Some(rest) = self.styles.as_mut().map(StyleTags::suspend).filter(|rest| !rest.is_empty()) {
            self.output.text(&rest);
        }
        if !self.at_line_start && !self.output.json {
            self.write("\n");
            self.at_line_start = true;
        }
    }
}

fn shows_colours() -> bool {
    let stdout = std::io::stdout();
    stdout.is_terminal() && anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never
}

/// Returns whether the text is for the user; a core's own words, such as a plan in JSON, are told as what they mean.
fn is_answer(token_type: TokenType) -> bool {
    match token_type {
        TokenType::LlmResponse | TokenType::FinalSynthesisLlmResponse => true,
        TokenType::LlmThinking | TokenType::AgentThoughtLlmResponse => false,
    }
}
