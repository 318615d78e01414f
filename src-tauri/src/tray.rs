//! An icon in the system's tray, where the user wants one (`window.tray`): how many decisions wait and how many runs are
//! active, and a way back to a window.
//!
//! With it, Arki and its runs go on after the last window was closed, but only while the system shows the icon: nobody
//! could reach it otherwise. Decision 0045 says what the icon is on each system.

#[cfg(target_os = "linux")]
mod status_notifier;
#[cfg(not(target_os = "linux"))]
mod system_icon;

#[cfg(target_os = "linux")]
use self::status_notifier as system;
#[cfg(not(target_os = "linux"))]
use self::system_icon as system;
use crate::desktop_state::Shared;
use crate::desktop_words::Words;
use crate::windows::{self, Windows};
use arki_api::TrayWords;
use arki_engine::{Engine, EventClass, EventFilter};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tauri::{AppHandle, ExitRequestApi, Manager};

/// An item of the tray's menu.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    Show,
    NewSession,
    Inbox,
    Quit,
}

impl Choice {
    const ALL: [Self; 4] = [Self::Show, Self::NewSession, Self::Inbox, Self::Quit];

    fn id(self) -> &'static str {
        match self {
            Self::Show => "tray:show",
            Self::NewSession => "tray:new-session",
            Self::Inbox => "tray:inbox",
            Self::Quit => "tray:quit",
        }
    }

    /// Returns what an item of a menu stands for; `None` for an item of another menu.
    pub(crate) fn of(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.id() == id)
    }
}

/// The words of the icon and its menu.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Content {
    /// Empty while nothing waits or runs.
    tooltip: String,
    items: Vec<(Choice, String)>,
}

impl Content {
    fn new(words: &TrayWords, Counts { waiting, running }: Counts) -> Self {
        let inbox = if waiting == 0 { words.inbox.clone() } else { format!("{} ({waiting})", words.inbox) };
        let counted = [(&words.pending, waiting), (&words.running, running)];
        let told = counted.iter().filter(|(_, count)| *count > 0).map(|(words, count)| format!("{words}: {count}"));
        let tooltip = told.collect::<Vec<_>>().join(" · ");
        let words = [words.show.clone(), words.new_session.clone(), inbox, words.quit.clone()];
        Self { tooltip, items: Choice::ALL.into_iter().zip(words).collect() }
    }
}

/// The numbers that the icon shows.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    waiting: usize,
    running: usize,
}

pub(crate) struct Tray {
    app: AppHandle,
    icon: tokio::sync::Mutex<Option<system::Icon>>,
    /// True while there is an icon; read where nothing can be awaited.
    has_icon: AtomicBool,
    words: Arc<Words>,
    waiting: AtomicUsize,
    running: AtomicUsize,
}

impl Tray {
    pub(crate) fn new(app: &AppHandle, words: Arc<Words>) -> Self {
        Self {
            app: app.clone(),
            icon: tokio::sync::Mutex::default(),
            has_icon: AtomicBool::new(false),
            words,
            waiting: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
        }
    }

    /// Shows the icon, if it is wanted, and what it counts, until the engine is gone.
    pub(crate) async fn follow(self: Arc<Self>, engine: Arc<Engine>) {
        let classes = vec![EventClass::Approval, EventClass::Question, EventClass::Run, EventClass::Session];
        let mut heard = engine.subscribe_to(EventFilter { classes: Some(classes), ..EventFilter::default() });
        let mut active = engine.runs().active_count();
        self.look(&engine).await;
        let engine = Arc::downgrade(&engine);
        loop {
            tokio::select! {
                event = heard.next() => if event.is_none() { return },
                // A run is over a moment after its last event.
                changed = active.changed() => if changed.is_err() { return },
            }
            // What came with it is counted with it.
            while heard.ready().is_some() {}
            let Some(engine) = engine.upgrade() else { return };
            if self.has_icon.load(Ordering::Relaxed) {
                self.count(&engine).await;
                self.say(self.icon.lock().await.as_ref()).await;
            }
        }
    }

    /// Shows the icon or takes it away, by the user's configuration.
    pub(crate) async fn look(&self, engine: &Arc<Engine>) {
        let of = engine.clone();
        let is_wanted = tauri::async_runtime::spawn_blocking(move || {
            of.accounts().user_config().is_ok_and(|config| config.window.has_tray)
        });
        let is_wanted = is_wanted.await.unwrap_or(false);
        let mut icon = self.icon.lock().await;
        match (is_wanted, icon.take()) {
            (true, None) => {
                self.count(engine).await;
                *icon = system::Icon::show(&self.app, self.content()).await;
                // The page may have named the items meanwhile.
                self.say(icon.as_ref()).await;
            }
            (false, Some(shown)) => shown.remove().await,
            (_, there) => *icon = there,
        }
        self.has_icon.store(icon.is_some(), Ordering::Relaxed);
    }

    /// The words are other ones now.
    pub(crate) async fn speak(&self) {
        self.say(self.icon.lock().await.as_ref()).await;
    }

    async fn say(&self, icon: Option<&system::Icon>) {
        if let Some(icon) = icon {
            icon.say(self.content()).await;
        }
    }

    fn content(&self) -> Content {
        let (waiting, running) = (self.waiting.load(Ordering::Relaxed), self.running.load(Ordering::Relaxed));
        Content::new(&self.words.now().tray, Counts { waiting, running })
    }

    async fn count(&self, engine: &Arc<Engine>) {
        self.running.store(*engine.runs().active_count().borrow(), Ordering::Relaxed);
        let engine = engine.clone();
        match tauri::async_runtime::spawn_blocking(move || engine.inbox().waiting_count()).await {
            Ok(Ok(waiting)) => self.waiting.store(waiting, Ordering::Relaxed),
            Ok(Err(fault)) => tracing::warn!(%fault, "how much waits is not shown in the tray"),
            Err(error) => tracing::warn!(%error, "how much waits was not counted"),
        }
    }

    async fn is_shown(&self) -> bool {
        match self.icon.lock().await.as_ref() {
            Some(icon) => icon.is_shown().await,
            None => false,
        }
    }
}

/// The last window was closed: Arki goes on if it can be reached by its icon, and ends as ever if not.
pub(crate) fn stay(app: &AppHandle, api: &ExitRequestApi) {
    let Some(shared) = app.try_state::<Shared>() else { return };
    let (tray, engine) = (shared.tray.clone(), shared.engine.clone());
    if !tray.has_icon.load(Ordering::Relaxed) {
        return;
    }
    api.prevent_exit();
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        // It may have been switched off by hand.
        tray.look(&engine).await;
        if !tray.is_shown().await && app.state::<Windows>().are_all_closed() {
            tracing::info!("the last window was closed, and no tray shows Arki: it ends");
            app.exit(0);
        }
    });
}

/// Carries out what was chosen. At once: who tells of a choice must not wait for a window.
pub(crate) fn carry_out(app: &AppHandle, choice: Choice) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let Some(shared) = app.try_state::<Shared>() else { return };
        match choice {
            Choice::Show => windows::show(&app, &shared.engine),
            Choice::NewSession => windows::run_command(&app, &shared.engine, "new"),
            Choice::Inbox => windows::run_command(&app, &shared.engine, "inbox"),
            Choice::Quit => app.exit(0),
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::desktop_words::english;

    #[test]
    fn what_waits_and_runs_is_said_only_where_something_does() {
        let said = |waiting, running| {
            let Content { tooltip, items } = Content::new(&english().tray, Counts { waiting, running });
            (tooltip, items.into_iter().map(|(_, words)| words).collect::<Vec<_>>().join(", "))
        };
        assert_eq!(said(0, 0), (String::new(), "Show Arki, New session, Inbox, Quit".to_owned()));
        assert_eq!(
            said(3, 2),
            ("Pending decisions: 3 · Active runs: 2".to_owned(), "Show Arki, New session, Inbox (3), Quit".to_owned())
        );
        assert_eq!(said(0, 1).0, "Active runs: 1");
    }

    #[test]
    fn an_item_leads_back_to_its_choice() {
        for choice in Choice::ALL {
            assert_eq!(Choice::of(choice.id()), Some(choice));
        }
        assert_eq!(Choice::of("command:quit"), None);
    }
}
