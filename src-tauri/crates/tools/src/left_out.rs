//! The files that a tool that reads many leaves out.

use arki_domain::plural;
use globset::GlobSet;

pub(crate) struct LeftOut {
    pub(crate) files: GlobSet,
    /// Not only files of secrets, also what rules keep from the tool.
    pub(crate) by_rules: bool,
}

impl LeftOut {
    /// A line for the model; empty where nothing was left out. `names` are the first few.
    pub(crate) fn note(&self, count: usize, names: &[String]) -> String {
        let kind = if self.by_rules { "secret or denied file" } else { "secret file" };
        let was = if count == 1 { "was" } else { "were" };
        match count {
            0 => String::new(),
            _ => format!("[{} {was} left out: {}]\n", plural(count as u64, kind), names.join(", ")),
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
            LeftOut { files: GlobSet::empty(), by_rules }.note(count, &names)
        };
        assert_eq!(note(false, 0, &[]), "");
        assert_eq!(note(false, 1, &[".env"]), "[1 secret file was left out: .env]\n");
        assert_eq!(note(true, 2, &[".env", "a"]), "[2 secret or denied files were left out: .env, a]\n");
    }
}
