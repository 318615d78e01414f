//! Keeps the computer from falling asleep by itself while a run works, if the user wants that (`window.keepAwake`).

use arki_engine::Engine;
use keepawake::{Builder, KeepAwake};
use std::sync::{Arc, Mutex, PoisonError};

/// The hold that keeps the computer awake, while there is one.
#[derive(Default)]
pub(crate) struct Awake(Mutex<Option<KeepAwake>>);

impl Awake {
    /// Looks again whenever a run begins or ends, until the engine is gone.
    pub(crate) async fn follow_runs(self: Arc<Self>, engine: Arc<Engine>) {
        let mut count = engine.runs().active_count();
        let engine = Arc::downgrade(&engine);
        while count.changed().await.is_ok() {
            let Some(engine) = engine.upgrade() else { return };
            self.look(&engine).await;
        }
    }

    /// Keeps the computer awake or lets it sleep, by the current runs and the user's configuration.
    pub(crate) async fn look(self: &Arc<Self>, engine: &Arc<Engine>) {
        let (awake, engine) = (self.clone(), engine.clone());
        // It asks the system.
        let looked = tauri::async_runtime::spawn_blocking(move || awake.look_now(&engine));
        if let Err(error) = looked.await {
            tracing::warn!(%error, "whether to stay awake was not looked at");
        }
    }

    fn look_now(&self, engine: &Engine) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let works = *engine.runs().active_count().borrow() > 0;
        let wanted = works && engine.accounts().user_config().is_ok_and(|config| config.window.keeps_awake);
        match (wanted, kept.is_some()) {
            (true, false) => match stay_awake() {
                Ok(awake) => *kept = Some(awake),
                Err(error) => tracing::warn!(%error, "the computer can't be kept awake"),
            },
            (false, true) => *kept = None,
            _ => {}
        }
    }
}

fn stay_awake() -> keepawake::Result<KeepAwake> {
    let mut builder = Builder::default();
    builder.idle(true).reason("A run is active").app_name("Arki").app_reverse_domain("org.arki.desktop").create()
}
