//! The work that follows runs, on nobody's way.

use std::sync::{Mutex, PoisonError};
use tokio::task::JoinHandle;

/// The tasks that follow runs and that only the end of the program waits for.
#[derive(Default)]
pub struct Afterwards {
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Afterwards {
    /// Begins something that follows a run.
    pub(super) fn begin(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        tasks.retain(|task| !task.is_finished());
        tasks.push(tokio::spawn(work));
    }

    /// Waits until what follows the runs is done. For the end of the program.
    pub async fn finish(&self) {
        let tasks = std::mem::take(&mut *self.tasks.lock().unwrap_or_else(PoisonError::into_inner));
        for task in tasks {
            let _ = task.await;
        }
    }
}
