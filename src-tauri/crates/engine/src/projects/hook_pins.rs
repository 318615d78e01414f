//! Tells whether all that a project's hook or checker runs is what the user agreed to: each file that its line leads to, and where
//! not everything can be pinned, the line itself.

use crate::projects::open::kind_word;
use arki_context::imports_of;
use arki_files::{PinKind, Project, Readers, follow, unpinned_pin};
use arki_policy::shell_runs;
use arki_store::TrustRecord;
use std::collections::BTreeSet;

pub(crate) const READERS: Readers = Readers { imports: imports_of, runs: shell_runs };

/// How a line stands to what the user agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LineAgreement {
    Agreed,
    /// A file that it leads to is new, another one or gone, or can't be read.
    Changed,
    /// Why not everything that it runs can be pinned, to which nobody agreed.
    Unpinned(String),
}

/// `file` is the configuration in which the line stands. Blocking: it reads all that the line leads to.
pub(crate) fn line_standing(
    trust: Option<&TrustRecord>,
    project: &Project,
    (file, line): (&str, &str),
    is_checker: bool,
) -> LineAgreement {
    let Ok(followed) = follow(project, line, READERS.runs) else { return LineAgreement::Changed };
    let word = kind_word(PinKind::Hook);
    let records = || trust.iter().filter(|trust| trust.trusted).flat_map(|trust| &trust.pins).map(|record| &record.pin);
    let agreed = records().filter(|pin| pin.kind == word && followed.covers(&pin.path));
    let agreed: BTreeSet<(&str, &str)> = agreed.map(|pin| (&*pin.path, &*pin.hash)).collect();
    let current = followed.pins();
    if agreed != current.iter().map(|pin| (&*pin.path, &*pin.hash)).collect() {
        return LineAgreement::Changed;
    }
    let Some(why) = followed.unpinned(is_checker) else { return LineAgreement::Agreed };
    let (asked, word) = (unpinned_pin(file, line, &why), kind_word(PinKind::UnpinnedHook));
    let is_asked = |pin: &arki_domain::TrustPin| (&pin.kind, &pin.path, &pin.hash) == (&word, &asked.path, &asked.hash);
    if records().any(is_asked) { LineAgreement::Agreed } else { LineAgreement::Unpinned(why) }
}
