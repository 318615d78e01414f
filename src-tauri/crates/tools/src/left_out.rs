//! The files that a tool that reads many leaves out.

use arki_domain::plural;
use arki_files::Skipped;
use globset::GlobSet;

pub(crate) struct LeftOut {
    pub(crate) files: GlobSet,
    /// True if rules keep files from the tool, and not only files of secrets are left out.
    pub(crate) by_rules: bool,
}

impl LeftOut {
    /// A line for the model; empty where nothing was left out.
    pub(crate) fn note(&self, secrets: &Skipped) -> String {
        let Skipped { names, count } = secrets;
        let kind = if self.by_rules { "secret or denied file" } else { "secret file" };
        let was = if *count == 1 { "was" } else { "were" };
        match count {
            0 => String::new(),
            _ => format!("[{} {was} left out: {}]\n", plural(*count as u64, kind), names.join(", ")),
        }
    }
}

/// Names of ignored entries that a note has; the rest is counted.
const IGNORED_SHOWN: usize = 5;

/// A line for the model about what git ignores, with how to include it; empty where nothing was left out.
pub(crate) fn ignored_note(ignored: &Skipped) -> String {
    let shown = &ignored.names[..ignored.names.len().min(IGNORED_SHOWN)];
    let more = match ignored.count - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match ignored.count {
        0 => String::new(),
        _ => {
            format!("[left out: ignored by git: {}{more}; \"include_ignored\": true includes them]\n", shown.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_note_counts_and_says_why() {
        let note = |by_rules, count, names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            LeftOut { files: GlobSet::empty(), by_rules }.note(&Skipped { names, count })
        };
        assert_eq!(note(false, 0, &[]), "");
        assert_eq!(note(false, 1, &[".env"]), "[1 secret file was left out: .env]\n");
        assert_eq!(note(true, 2, &[".env", "a"]), "[2 secret or denied files were left out: .env, a]\n");
    }

    #[test]
    fn what_git_ignores_is_named_with_how_to_include_it() {
        let names: Vec<String> = ["out/", "b", "c", "d", "e", "f"].map(str::to_owned).into();
        assert_eq!(ignored_note(&Skipped::default()), "");
        assert_eq!(
            ignored_note(&Skipped { count: 9, names }),
            "[left out: ignored by git: out/, b, c, d, e and 4 more; \"include_ignored\": true includes them]\n"
        );
    }
}
