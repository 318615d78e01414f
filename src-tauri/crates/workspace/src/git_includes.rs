//! Which other files a git configuration includes: whoever writes one of them configures git.

use std::path::{Component, Path, PathBuf};

/// As git finds them from the folder that the configuration is in; those in a home folder are left out. Read more
/// generously than git reads it: what it would not include does no harm here.
pub(crate) fn included(text: &str, folder: &Path) -> Vec<PathBuf> {
    let mut is_include = false;
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some((section, after)) = line.strip_prefix('[').and_then(|header| header.rsplit_once(']')) {
            is_include = section.trim_start().to_ascii_lowercase().starts_with("include");
            rest = after.trim_start();
        }
        let value = rest.split_once('=').filter(|(key, _)| key.trim().eq_ignore_ascii_case("path"));
        if let Some((_, value)) = value.filter(|_| is_include) {
            let value = value.trim().trim_matches('"');
            if !value.is_empty() && !value.starts_with(['~', '%']) {
                found.push(plain(&folder.join(value)));
            }
        }
    }
    found
}

/// Without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        assert_eq!(included(text, Path::new("/project/.git")), expected, "{text}");
    }

    #[test]
    fn includes_are_found_however_they_are_written() {
        check("[include]\n\tpath = ../.gitconfig\n", &["/project/.gitconfig"]);
        check("[Include] PATH=\"./more\"", &["/project/.git/more"]);
        check("[includeIf \"gitdir:/a[b]/\"]\n path = /etc/x\n[core]\n path = no", &["/etc/x"]);
        check("[include]\n path = a\n path = ../b # words", &["/project/.git/a", "/project/b # words"]);
    }

    #[test]
    fn what_is_at_home_or_says_nothing_is_none() {
        check("[include]\n path = ~/.gitconfig\n path =\n other = x\n[user]\n path = y", &[]);
    }
}
