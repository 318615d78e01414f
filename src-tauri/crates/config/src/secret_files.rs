//! The secret files that a configuration names, besides the known ones.

use super::invalid::invalid;
use arki_domain::{Error, glob_readings};
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;

#[derive(Debug, Clone)]
pub struct SecretFiles {
    pub globs: Vec<Glob>,
    /// The same to match with.
    pub set: GlobSet,
}

/// A glob without a slash is about names in any folder, one that ends in a slash about everything below a folder. Case
/// does not matter, as on the loosest of disks.
///
/// # Errors
/// `CONFIG_INVALID` for what is no glob; `path` is the file that names it.
pub(crate) fn compile(globs: &[String], path: &Path) -> Result<SecretFiles, Error> {
    let mut set = GlobSetBuilder::new();
    let mut compiled = Vec::new();
    for glob in globs {
        let whole = if glob.ends_with('/') { format!("{glob}**") } else { glob.clone() };
        let whole = whole.trim_start_matches("./");
        let why = |error: globset::Error| format!("{glob:?} in \"policy.secretFiles\" is not a glob: {}", error.kind());
        for reading in glob_readings(whole) {
            let built = GlobBuilder::new(&reading).case_insensitive(true).literal_separator(true).build();
            let built = built.map_err(|error| invalid(path, &why(error)))?;
            set.add(built.clone());
            compiled.push(built);
        }
    }
    let set = set.build().map_err(|error| invalid(path, &format!("\"policy.secretFiles\" is too large: {error}")))?;
    Ok(SecretFiles { globs: compiled, set })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_are_about_paths_names_and_folders() {
        let globs = ["keys/*.json", "private/", "./a.txt", "**/x/*.bin", "app/[user-id]/*.{a,b}"].map(str::to_owned);
        let set = compile(&globs, Path::new("config.json")).unwrap().set;
        for path in
            ["keys/a.json", "Keys/A.JSON", "private/deep/a", "a.txt", "x/a.bin", "b/x/a.bin", "app/[user-id]/k.b"]
        {
            assert!(set.is_match(path), "{path}");
        }
        for path in ["keys/deep/a.json", "private", "b/private/a", "b/a.txt"] {
            assert!(!set.is_match(path), "{path}");
        }
        assert!(compile(&["a[".to_owned()], Path::new("config.json")).is_err());
    }
}
