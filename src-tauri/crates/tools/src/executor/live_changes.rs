//! The files that a command has changed in its view, while it runs.

use super::ExecutorSettings;
use super::call_log::CallLog;
use super::effects::GeneratedFolders;
use super::record::Record;
use arki_domain::{LiveBus, LiveEvent, RunId, SessionId, ToolCall};
use arki_sandbox::{OverlayView, ViewChangeKind};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The files that are named, at most.
const MAX_NAMED: usize = 50;
const EVERY: Duration = Duration::from_secs(1);
/// A look that takes long, in a large repository, is followed by a pause of so many times that.
const QUIET_SHARE: u32 = 30;

/// Shows them as they become more.
pub(super) struct LiveChanges {
    bus: Arc<dyn LiveBus>,
    settings: Arc<ExecutorSettings>,
    call: ToolCall,
    session_id: SessionId,
    run_id: RunId,
    view: Option<Arc<OverlayView>>,
}

impl LiveChanges {
    pub(super) fn new(
        (call_log, settings): (&CallLog, &Arc<ExecutorSettings>),
        call: &ToolCall,
        view: Option<Arc<OverlayView>>,
        record: &Record<'_>,
    ) -> Self {
        let context = record.context();
        Self {
            bus: call_log.bus.clone(),
            settings: settings.clone(),
            call: call.clone(),
            session_id: context.session_id.clone(),
            run_id: context.run_id.clone(),
            view,
        }
    }

    /// Looks again and again, until whoever waits for it drops it.
    pub(super) async fn watch(&self) -> Infallible {
        let Some(view) = &self.view else { return std::future::pending().await };
        let (mut told, mut pause) = (Vec::new(), EVERY);
        loop {
            tokio::time::sleep(pause).await;
            let began = Instant::now();
            let (view, settings) = (view.clone(), self.settings.clone());
            let look = tokio::task::spawn_blocking(move || changed_files(&view, &settings));
            let changed = look.await.unwrap_or_default();
            pause = EVERY.max(began.elapsed() * QUIET_SHARE);
            if changed != told && !changed.is_empty() {
                told.clone_from(&changed);
                let (session_id, run_id) = (self.session_id.clone(), self.run_id.clone());
                let call_id = self.call.call_id.clone();
                self.bus.publish(LiveEvent::CommandOutput {
                    session_id,
                    run_id,
                    call_id,
                    text: String::new(),
                    changed,
                });
            }
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
