//! The pieces of a trusted folder that aren't as the user agreed to them, with the difference that is shown before they agree again.

use super::{MAX_PINNED_TEXT_BYTES, OpenProject, file_of_piece, kind_word};
use arki_api::{ChangedPin, PinChange};
use arki_git::beyond_harmless;
use arki_redaction::Redactor;
use arki_store::TrustRecord;

impl OpenProject {
    pub(super) fn changed(&self, current: &[arki_files::Pin], redactor: &Redactor) -> Vec<ChangedPin> {
        let Some(trust) = &self.trust else { return Vec::new() };
        self.off(current)
            .into_iter()
            .map(|change| ChangedPin {
                diff: Some(self.difference(trust, &change.path, redactor)),
                kind: kind_word(change.kind),
                note: current.iter().find(|pin| pin.path == change.path).and_then(|pin| pin.note.clone()),
                change: match change.change {
                    arki_files::PinChange::Added => PinChange::Added,
                    arki_files::PinChange::Changed => PinChange::Changed,
                    arki_files::PinChange::Removed => PinChange::Removed,
                },
                path: change.path,
            })
            .collect()
    }

    /// Returns what changed, as a unified diff; where there can be none, why, and the texts that there are.
    fn difference(&self, trust: &TrustRecord, path: &str, redactor: &Redactor) -> String {
        let record = trust.pins.iter().find(|record| record.pin.path == path);
        let old = record.map_or_else(|| Some(String::new()), |record| record.content.clone());
        let (file, is_programs) = file_of_piece(path);
        let text = String::from_utf8(self.read(file, MAX_PINNED_TEXT_BYTES).unwrap_or_default()).ok();
        let new = text.map(|text| if is_programs { beyond_harmless(&text) } else { text });
        let new = new.map(|new| redactor.redact(&new).into_owned());
        match (old, new) {
            (Some(old), Some(new)) => {
                let diff = similar::TextDiff::from_lines(old.as_str(), &new);
                diff.unified_diff().context_radius(3).header(path, path).to_string()
            }
            (None, Some(new)) => format!(
                "No difference can be shown: the version you approved isn't stored as text. {path} is now:\n{new}"
            ),
            (Some(old), None) => {
                format!("No difference can be shown: {path} isn't text any more. You approved:\n{old}")
            }
            (None, None) => "No difference can be shown: neither version is text.".to_owned(),
        }
    }
}
