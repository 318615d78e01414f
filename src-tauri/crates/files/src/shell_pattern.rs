//! Expands a pattern as a shell does, looked up in the folders themselves: rather too much than too little.
//!
//! As bash does it without `globstar`, `dotglob` and `extglob`: braces first, then name by name, through links. What is not
//! plain is not guessed at: a bracket expression with ranges is any character, one with anything else is anything at all,
//! and nested braces, ranges in braces and ways up are not taken apart.

use std::io::ErrorKind;

use crate::project::Project;

/// The limit for the words that braces expand to.
const MAX_ALTERNATIVES: usize = 64;

/// The paths, relative to the project, as the shell would spell them; `None` where they can't be told, or are looked for
/// among more than `max_entries`.
pub(crate) fn expand(project: &Project, pattern: &str, max_entries: usize) -> Option<Vec<String>> {
    let mut found = Vec::new();
    let mut entries_left = max_entries;
    for alternative in alternatives(pattern)? {
        let leads_elsewhere = alternative.starts_with(['/', '~']) || alternative.split('/').any(|name| name == "..");
        if leads_elsewhere {
            return None;
        }
        let mut paths = vec![String::new()];
        for name in alternative.split_inclusive('/') {
            let (name, slash) = name.strip_suffix('/').map_or((name, ""), |name| (name, "/"));
            let mut next = Vec::new();
            for path in &paths {
                let names = names_like(project, path, name, &mut entries_left)?;
                next.extend(names.into_iter().map(|name| format!("{path}{name}{slash}")));
            }
            paths = next;
        }
        found.extend(paths);
    }
    Some(found)
}

/// Returns what there is in a folder by that name or pattern. `folder` is empty or ends with a slash.
fn names_like(project: &Project, folder: &str, name: &str, entries_left: &mut usize) -> Option<Vec<String>> {
    if matches!(name, "" | ".") {
        return Some(vec![name.to_owned()]);
    }
    if !name.contains(['*', '?', '[']) {
        return match project.dir().metadata(format!("{folder}{name}")) {
            Ok(_) => Some(vec![name.to_owned()]),
            Err(error) if is_nothing(error.kind()) => Some(Vec::new()),
            Err(_) => None,
        };
    }
    if name.starts_with('.') {
        return None;
    }
    let entries = match project.dir().read_dir(if folder.is_empty() { "." } else { folder }) {
        Ok(entries) => entries,
        Err(error) if is_nothing(error.kind()) => return Some(Vec::new()),
        Err(_) => return None,
    };
    let pattern = pieces(name);
    let mut names = Vec::new();
    for entry in entries {
        *entries_left = entries_left.checked_sub(1)?;
        let Ok(entry) = entry.map(|entry| entry.file_name()) else { continue };
        match entry.to_str() {
            Some(hidden) if hidden.starts_with('.') => {}
            Some(plain) if may_match(&pattern, plain) => names.push(plain.to_owned()),
            Some(_) => {}
            None => return None,
        }
    }
    Some(names)
}

fn is_nothing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// `a{b,c}` as `ab` and `ac`.
fn alternatives(pattern: &str) -> Option<Vec<String>> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return (!pattern.contains('}')).then(|| vec![pattern.to_owned()]);
    };
    let (inner, after) = rest.split_once('}')?;
    let is_plain = inner.contains(',') && !inner.contains('{') && !inner.contains("..") && !before.contains('}');
    let ends = alternatives(after).filter(|_| is_plain)?;
    let all = inner.split(',').flat_map(|choice| ends.iter().map(move |end| format!("{before}{choice}{end}")));
    Some(all.collect()).filter(|all: &Vec<String>| all.len() <= MAX_ALTERNATIVES)
}

#[derive(Debug, PartialEq)]
enum PatternPiece {
    Just(char),
    One,
    OneOf(String),
    NoneOf(String),
    /// Any name, of any length.
    Any,
}

fn pieces(name: &str) -> Vec<PatternPiece> {
    let mut pieces = Vec::new();
    let mut characters = name.char_indices();
    while let Some((place, character)) = characters.next() {
        match character {
            '*' => pieces.push(PatternPiece::Any),
            '?' => pieces.push(PatternPiece::One),
            '[' => {
                let Some((piece, length)) = bracket(&name[place + 1..]) else {
                    pieces.push(PatternPiece::Any);
                    return pieces;
                };
                pieces.push(piece);
                characters = name.char_indices();
                characters.by_ref().take_while(|(at, _)| *at < place + length).for_each(drop);
            }
            other => pieces.push(PatternPiece::Just(other)),
        }
    }
    pieces
}

/// The expression behind its opening bracket, and its length with both brackets; `None` unless it is plain.
fn bracket(rest: &str) -> Option<(PatternPiece, usize)> {
    let (inner, _) = rest.split_once(']')?;
    let set = inner.strip_prefix(['!', '^']);
    let characters = set.unwrap_or(inner);
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "_.-".contains(character);
    if characters.is_empty() || !characters.chars().all(is_plain) {
        return None;
    }
    let piece = match set {
        _ if characters.contains('-') => PatternPiece::One,
        Some(_) => PatternPiece::NoneOf(characters.to_owned()),
        None => PatternPiece::OneOf(characters.to_owned()),
    };
    Some((piece, inner.len() + 1))
}

/// Returns whether the shell could take the name for the pattern. How many characters another script has depends on its
/// locale.
fn may_match(pattern: &[PatternPiece], name: &str) -> bool {
    if !name.is_ascii() {
        return true;
    }
    // The places in the pattern that may have been reached.
    let mut reached = vec![false; pattern.len() + 1];
    reached[0] = true;
    skip_any(pattern, &mut reached);
    for character in name.chars() {
        let mut next = vec![false; pattern.len() + 1];
        for (place, piece) in pattern.iter().enumerate().filter(|(place, _)| reached[*place]) {
            match piece {
                PatternPiece::Any => next[place] = true,
                PatternPiece::One => next[place + 1] = true,
                PatternPiece::Just(wanted) => next[place + 1] |= *wanted == character,
                PatternPiece::OneOf(wanted) => next[place + 1] |= wanted.contains(character),
                PatternPiece::NoneOf(unwanted) => next[place + 1] |= !unwanted.contains(character),
            }
        }
        skip_any(pattern, &mut next);
        reached = next;
    }
    reached[pattern.len()]
}

/// A star may also stand for nothing.
fn skip_any(pattern: &[PatternPiece], reached: &mut [bool]) {
    for (place, piece) in pattern.iter().enumerate() {
        if reached[place] && *piece == PatternPiece::Any {
            reached[place + 1] = true;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "compared with the program itself")]

    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    fn project() -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a", "b", "ab", "a.b", "-a", ".a", "d/a", "d/ab", "d/.b", "d/e/b", "[a]", "a-b", "é"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        symlink("..", folder.path().join("d/up")).unwrap();
        let project = Project::open(folder.path()).unwrap();
        (folder, project)
    }

    fn check(pattern: &str, expected: &[&str]) {
        let (_folder, project) = project();
        let mut found = expand(&project, pattern, 1_000).unwrap();
        found.sort_unstable();
        assert_eq!(found, expected, "{pattern}");
    }

    #[test]
    fn a_pattern_is_what_the_folders_have() {
        check("d/a*", &["d/a", "d/ab"]);
        check("./[b]", &["./b", "./é"]);
        check("d/*/b", &["d/e/b", "d/up/b"]);
        check("d/up/d/e/*", &["d/up/d/e/b"]);
        check("d/{a,e/b}", &["d/a", "d/e/b"]);
        check("a[!.]b", &["a-b", "é"]);
    }

    #[test]
    fn what_is_not_plain_is_not_told() {
        let (folder, project) = project();
        symlink("/", folder.path().join("out")).unwrap();
        for pattern in ["../*", "/*", "~/*", "{a,{b,c}}", "{a..c}", "a}*", ".*", "{.,x}*", "out/*", "d/../*"] {
            assert_eq!(expand(&project, pattern, 1_000), None, "{pattern}");
        }
        assert_eq!(expand(&project, "*", 3), None);
    }

    proptest! {
        #[test]
        fn whatever_bash_finds_is_found(pattern in r"[-abde.*?!^{},/\[\]:l]{1,9}") {
            let (folder, project) = project();
            let Some(found) = expand(&project, &pattern, 1_000) else { return Ok(()) };
            let found: BTreeSet<String> = found.into_iter().collect();
            let script = format!("printf '%s\\n' {pattern}");
            let bash = Command::new("bash").args(["-O", "nullglob", "-c", &script]).current_dir(folder.path()).output();
            let output = bash.unwrap();
            let told = String::from_utf8(output.stdout).unwrap();
            for path in told.lines().filter(|path| folder.path().join(path).exists() && !path.is_empty()) {
                prop_assert!(found.contains(path), "{pattern}: {path} not in {found:?}");
            }
        }
    }
}
