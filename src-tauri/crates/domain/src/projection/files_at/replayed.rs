//! Every file that a session changes at some time, as it was at a moment: for looking, not for going back.

use super::FileAt;
use crate::Event;
use crate::projection::changed_files::file_states;
use std::collections::BTreeMap;

/// A file as the log tells of it; between two changes it may have been another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedFile {
    /// The file before the session's first change.
    pub began: FileAt,
    /// Right after the event.
    pub then: FileAt,
    /// The session has changed it by then.
    pub is_touched: bool,
}

impl ReplayedFile {
    /// Says if it is as it was before the session. A file of unknown content is only where nothing touched it.
    #[must_use]
    pub fn is_as_before(&self) -> bool {
        self.began == self.then && !(self.is_touched && self.then == FileAt::Unknown)
    }
}

/// Returns the files by path, right after event `at_seq`. `events` are the session's own that tell of files, oldest
/// first, those after the moment too: what is changed later is already there.
#[must_use]
pub fn replayed_files<'a>(at_seq: u64, events: impl IntoIterator<Item = &'a Event>) -> BTreeMap<String, ReplayedFile> {
    let mut files: BTreeMap<String, ReplayedFile> = BTreeMap::new();
    for event in events {
        for state in file_states(&event.body()) {
            let file = files.entry(state.path.to_owned()).or_insert_with(|| {
                let began = FileAt::before(&state);
                ReplayedFile { then: began.clone(), began, is_touched: false }
            });
            if event.seq <= at_seq {
                file.then = FileAt::after(&state);
                file.is_touched = true;
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::files_at::tests::changed;

    #[test]
    fn a_file_is_as_the_last_change_before_the_moment_left_it() {
        let events = [changed(3, "", "one"), changed(5, "one", "two"), changed(8, "two", "")];
        let then = |seq| replayed_files(seq, &events).remove("a").unwrap();
        let file = |hash: &str| FileAt::File(hash.to_owned());
        let told: Vec<FileAt> = [2, 3, 4, 5, 8].map(|seq| then(seq).then).into();
        assert_eq!(told, [FileAt::Nothing, file("one"), file("one"), file("two"), FileAt::Nothing]);
        assert_eq!(then(8).began, FileAt::Nothing);
    }

    #[test]
    fn what_nobody_knows_is_as_before_only_where_it_was_not_touched() {
        let file = |is_touched| ReplayedFile { began: FileAt::Unknown, then: FileAt::Unknown, is_touched };
        assert!(file(false).is_as_before());
        assert!(!file(true).is_as_before());
        let events = [changed(3, "one", "two"), changed(5, "two", "one")];
        let as_before = |seq| replayed_files(seq, &events)["a"].is_as_before();
        assert_eq!([2, 3, 5].map(as_before), [true, false, true]);
    }

    #[test]
    fn what_somebody_else_did_in_between_is_known_by_the_next_change() {
        let events = [changed(3, "one", "two"), changed(5, "three", "four")];
        let file = replayed_files(4, &events).remove("a").unwrap();
        assert_eq!((file.began, file.then), (FileAt::File("one".into()), FileAt::File("two".into())));
    }
}
