//! What is dropped onto the window. The paths stay here until the window asks what becomes of the files: it hears only
//! that something is dragged over it, has left, or was dropped.

use arki_api::DragStep;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tauri::{DragDropEvent, Emitter, Manager, Window, WindowEvent};

/// The window listens to this name.
const DRAG_EVENT: &str = "arki://drag";

/// The paths that were dropped last.
#[derive(Default)]
pub(crate) struct Dropped(Mutex<Vec<PathBuf>>);

impl Dropped {
    pub(crate) fn take(&self) -> Vec<PathBuf> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn keep(&self, paths: Vec<PathBuf>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = paths;
    }
}

pub(crate) fn hear(window: &Window, event: &WindowEvent) {
    let WindowEvent::DragDrop(event) = event else { return };
    let step = match event {
        DragDropEvent::Enter { paths, .. } if paths.is_empty() => return,
        DragDropEvent::Enter { .. } => DragStep::Over,
        DragDropEvent::Leave => DragStep::Left,
        DragDropEvent::Drop { paths, .. } => {
            window.state::<Dropped>().keep(paths.clone());
            DragStep::Dropped
        }
        _ => return,
    };
    if let Err(error) = window.emit(DRAG_EVENT, step) {
        tracing::warn!(%error, "a drag did not reach the window");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dropped_is_taken_once_and_the_last_drop_counts() {
        let dropped = Dropped::default();
        dropped.keep(vec![PathBuf::from("/a")]);
        dropped.keep(vec![PathBuf::from("/b")]);
        assert_eq!(dropped.take(), [PathBuf::from("/b")]);
        assert!(dropped.take().is_empty());
    }
}
