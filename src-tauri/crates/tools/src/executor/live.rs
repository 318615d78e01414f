//! Shows what a call does while it runs: what it prints, and the files that a command has changed in its view. Nothing of
//! it is kept.

use super::ExecutorSettings;
use super::call_log::CallLog;
use super::effects::GeneratedFolders;
use crate::caller::CallPlace;
use arki_domain::{CallContext, LiveBus, LiveEvent, StyledText, ToolCall};
use arki_process::AnsiReader;
use arki_redaction::StreamingRedactor;
use arki_sandbox::{OverlayView, ViewChangeKind};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The files that are named, at most.
const MAX_NAMED: usize = 50;
const EVERY: Duration = Duration::from_secs(1);
/// A look that takes long, in a large repository, is followed by a pause of so many times that.
const QUIET_SHARE: u32 = 30;

/// The place on the bus where one call is shown.
pub(super) struct LiveCall {
    bus: Arc<dyn LiveBus>,
    place: CallPlace,
}

impl CallLog {
    pub(super) fn live(&self, call: &ToolCall, context: &CallContext) -> LiveCall {
        LiveCall { bus: self.bus.clone(), place: CallPlace::of(call, context) }
    }
}

impl LiveCall {
    pub(super) fn show(&self, text: String, changed: Vec<String>) {
        let CallPlace { session_id, run_id, call_id } = self.place.clone();
        self.bus.publish(LiveEvent::CommandOutput { session_id, run_id, call_id, text, changed });
    }
}

/// Shows what the command prints as it prints it: whole characters only, keys left out, also those with a colour in the
/// middle. Each piece has the colours it needs as SGR sequences, and no other escape sequence.
pub(super) struct LiveOutput {
    call: LiveCall,
    redactor: StreamingRedactor,
    reader: AnsiReader,
    /// The text that the redactor still holds back.
    unshown: StyledText,
    /// The beginning of a character whose end has not come yet.
    undecoded: Vec<u8>,
}

impl LiveOutput {
    pub(super) fn new(call_log: &CallLog, call: &ToolCall, context: &CallContext) -> Self {
        Self {
            call: call_log.live(call, context),
            redactor: StreamingRedactor::new(call_log.redactor.clone()),
            reader: AnsiReader::default(),
            unshown: StyledText::default(),
            undecoded: Vec::new(),
        }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.undecoded.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.undecoded) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Ok(_) | Err(_) => self.undecoded.len(),
        };
        let rest = self.undecoded.split_off(whole);
        let text = String::from_utf8_lossy(&self.undecoded).into_owned();
        self.undecoded = rest;
        let read = self.reader.push(&text);
        self.show_decided(&read);
    }

    pub(super) fn finish(&mut self) {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.undecoded)).into_owned();
        let mut read = self.reader.push(&rest);
        read.append(&self.reader.finish());
        self.show_decided(&read);
        let rest = self.redactor.finish();
        let unshown = std::mem::take(&mut self.unshown);
        self.show(as_shown(rest, &unshown));
    }

    fn show_decided(&mut self, read: &StyledText) {
        self.unshown.append(read);
        let (decided, bytes) = self.redactor.push_counted(&read.text);
        let unshown = self.unshown.split_to(bytes);
        self.show(as_shown(decided, &unshown));
    }

    fn show(&self, text: String) {
        if !text.is_empty() {
            self.call.show(text, Vec::new());
        }
    }
}

/// The text with its colours; without them where a secret was taken out of it.
fn as_shown(text: String, unredacted: &StyledText) -> String {
    if text == unredacted.text { unredacted.to_ansi() } else { text }
}

/// Shows the files that a command has changed in its view, again and again, until whoever waits for it drops it.
pub(super) async fn show_changes(
    view: Option<Arc<OverlayView>>,
    settings: &Arc<ExecutorSettings>,
    call: &LiveCall,
) -> Infallible {
    let Some(view) = view else { return std::future::pending().await };
    let (mut told, mut pause) = (Vec::new(), EVERY);
    loop {
        tokio::time::sleep(pause).await;
        let began = Instant::now();
        let (view, settings) = (view.clone(), settings.clone());
        let look = tokio::task::spawn_blocking(move || changed_files(&view, &settings));
        let changed = look.await.unwrap_or_default();
        pause = EVERY.max(began.elapsed() * QUIET_SHARE);
        if changed != told && !changed.is_empty() {
            told.clone_from(&changed);
            call.show(String::new(), changed);
        }
    }
}

/// Looking never fails a command: what can't be looked at now is listed when it has ended.
fn changed_files(view: &OverlayView, settings: &ExecutorSettings) -> Vec<String> {
    let project = &settings.project;
    let generated = GeneratedFolders::of(project);
    let listed = view.changes(project.root(), MAX_NAMED, |path| generated.is_generated(path));
    let changes = listed.map(|listed| listed.changes).unwrap_or_default();
    let is_file = |kind| matches!(kind, ViewChangeKind::Written | ViewChangeKind::Removed);
    let files = changes.iter().filter(|change| is_file(change.kind));
    files.map(|change| change.path.display().to_string()).collect()
}
