//! Records, for tests, which lines read the store, and on which threads.

use std::panic::Location;
use std::sync::{Mutex, PoisonError};
use std::thread::ThreadId;

#[derive(Default)]
pub(crate) struct Reads(Mutex<Vec<(ThreadId, &'static Location<'static>)>>);

impl Reads {
    pub(crate) fn note(&self, by: &'static Location<'static>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((std::thread::current().id(), by));
    }

    /// The lines since the last time that read on this thread: on a runtime of one thread, the one that everything
    /// asynchronous waits for.
    pub(crate) fn on_this_thread(&self) -> Vec<String> {
        let here = std::thread::current().id();
        self.take().into_iter().filter(|(thread, _)| *thread == here).map(|(_, by)| by.to_string()).collect()
    }

    /// The number of reads since the last time, by the file that they are in.
    pub(crate) fn in_file(reads: &[(ThreadId, &'static Location<'static>)], file: &str) -> usize {
        reads.iter().filter(|(_, by)| by.file().ends_with(file)).count()
    }

    pub(crate) fn take(&self) -> Vec<(ThreadId, &'static Location<'static>)> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
