//! Tools that reach out of the project: MCP servers' tools, the web. What they do is theirs; whether they are called,
//! for how long, and how much of the answer is kept is the executor's.

use crate::caller::Caller;
use crate::outcome::Output;
use crate::touched::Touched;
use arki_domain::{Category, Error};
use arki_sandbox::OverlayView;
use async_trait::async_trait;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OwnedMutexGuard;
use tokio_util::sync::CancellationToken;

/// The doing half of a tool from outside; [`crate::Tool::remote`] makes a tool of it.
#[async_trait]
pub trait RemoteTool: Send + Sync {
    /// Does the call. `args` fit the tool's schema and the policy has agreed.
    ///
    /// # Errors
    /// What went wrong, in words that the model can use.
    async fn call(&self, args: Value, scope: CallScope) -> Result<Output, Error>;

    /// Returns what a call with these arguments touches, for the policy. The arguments may be wrong: they are not
    /// checked yet.
    fn touches(&self, args: &Value) -> Touched {
        Touched::mentioned_in(args)
    }

    /// Returns, for a tool that only hands a call on, the tool that is called in the end. Rules and categories judge
    /// that one.
    fn judged_as(&self, _args: &Value) -> Option<JudgedAs> {
        None
    }

    /// Returns the program that does the calls, where it works in a view of the project.
    fn viewed_program(&self) -> Option<&dyn ViewedProgram> {
        None
    }
}

/// A program that works in a view of a project, and lives longer than a call.
#[async_trait]
pub trait ViewedProgram: Send + Sync {
    /// Waits until no other call of it is at work; the next one waits until this is dropped.
    async fn turn(&self) -> OwnedMutexGuard<()>;

    /// Returns its view; `None` while it doesn't run.
    async fn view(&self) -> Option<Arc<ProgramView>>;

    /// Ends it, and its view with it. The next call starts it in a new one.
    async fn restart(&self);
}

/// The view of a program, from its start to its end.
#[derive(Debug)]
pub struct ProgramView {
    pub(crate) view: Arc<OverlayView>,
    /// The folder of the project that it is of.
    pub(crate) project: PathBuf,
    was_called: AtomicBool,
    told: Mutex<BTreeSet<String>>,
}

impl ProgramView {
    #[must_use]
    pub fn new(view: Arc<OverlayView>, project: PathBuf) -> Self {
        Self { view, project, was_called: AtomicBool::new(false), told: Mutex::default() }
    }

    pub(crate) fn note_call(&self) {
        self.was_called.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_called(&self) -> bool {
        self.was_called.load(Ordering::Relaxed)
    }

    /// Returns whether this was not told after a call before.
    pub(crate) fn is_news(&self, sentence: &str) -> bool {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).insert(sentence.to_owned())
    }
}

/// The terms in which a call is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedAs {
    pub tool: String,
    pub category: Category,
    /// Its arguments, which are the call's `arguments`.
    pub args: Value,
}

/// The context of a call besides its arguments.
#[derive(Clone)]
pub struct CallScope {
    pub caller: Caller,
    /// Cancelled when the user stops the run and when time is up. What goes on after that is dropped.
    pub cancel: CancellationToken,
    pub progress: RemoteCallProgress,
    /// More than this need not be fetched: it is cut off.
    pub max_output_bytes: usize,
}

/// Shows how a call gets on while it does; nothing of it is kept.
#[derive(Clone)]
pub struct RemoteCallProgress(Arc<dyn Fn(&str) + Send + Sync>);

impl RemoteCallProgress {
    pub fn new(show: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(show))
    }

    /// A piece of text, shown after what was shown before.
    pub fn show(&self, text: &str) {
        (self.0)(text);
    }
}
