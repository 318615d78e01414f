//! Files that are dropped onto the window. Their paths stay here until the window asks for the files: it only hears
//! that something is dragged over it, has left, or was dropped.

use crate::windows::{Windows, send};
use arki_api::DragStep;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use tauri::{DragDropEvent, Manager, Window};

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

pub(crate) fn hear(window: &Window, event: &DragDropEvent) {
    let step = match event {
        DragDropEvent::Enter { paths, .. } if paths.is_empty() => return,
        DragDropEvent::Enter { .. } => DragStep::Over,
        DragDropEvent::Leave => DragStep::Left,
        DragDropEvent::Drop { paths, .. } => {
            if let Some(open) = window.state::<Windows>().of(window.label()) {
                open.dropped.keep(paths.clone());
            }
            DragStep::Dropped
        }
        _ => return,
    };
    send(window.app_handle(), window.label(), DRAG_EVENT, step);
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
