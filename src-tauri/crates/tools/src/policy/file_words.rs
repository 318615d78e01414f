//! The words of a shell line that may name files, however they are quoted and from wherever they are read: rather one too
//! many. Whoever has the files at hand looks which of them are secret.

use super::CommandLine;

/// Beyond so many changes of folder only the words themselves are told.
const MAX_FOLDERS: usize = 16;

/// Whatever could stand before or after a file's name in a word: `if=FILE`, `HEAD:FILE`, `@FILE`.
fn is_separator(character: char) -> bool {
    character.is_whitespace() || "'\"`;|&<>()$={},:@".contains(character)
}

/// Each once.
#[must_use]
pub fn file_words(line: &str) -> Vec<String> {
    let plain = plain_words(line);
    let pieces = plain.iter().flat_map(|word| word.split(is_separator)).chain(line.split(is_separator));
    let mut words: Vec<String> = pieces.map(str::to_owned).chain(plain.iter().cloned()).collect();
    words.retain(|word| !word.is_empty());
    words.sort_unstable();
    words.dedup();
    let folders = folders(&plain);
    if folders.len() <= MAX_FOLDERS {
        let below: Vec<String> = folders
            .iter()
            .flat_map(|folder| words.iter().map(move |word| format!("{}/{word}", folder.trim_end_matches('/'))))
            .collect();
        words.extend(below);
    }
    words
}

/// Quotes and backslashes removed, in order.
fn plain_words(line: &str) -> Vec<String> {
    match CommandLine::parse(line) {
        CommandLine::Opaque { words, .. } => words,
        understood @ CommandLine::Understood(_) => {
            let commands = understood.all();
            commands.iter().flat_map(|command| &command.words).map(|word| word.text.clone()).collect()
        }
    }
}

/// Where the line goes: each folder below the one before it, and alone.
fn folders(words: &[String]) -> Vec<String> {
    let mut folders: Vec<String> = Vec::new();
    for pair in words.windows(2) {
        let [before, folder] = pair else { continue };
        if !matches!(before.as_str(), "cd" | "chdir" | "pushd" | "-C" | "Set-Location" | "Push-Location") {
            continue;
        }
        let below = folders.last().map(|last| format!("{}/{folder}", last.trim_end_matches('/')));
        folders.extend([folder.clone()].into_iter().chain(below));
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(line: &str, word: &str) -> bool {
        file_words(line).iter().any(|known| known == word)
    }

    #[test]
    fn quotes_and_backslashes_hide_no_name() {
        for line in [
            "cat .e\"nv\"",
            "cat '.e'nv",
            "cat .e''nv",
            "cat \".en\"\"v\"",
            "cat \\.env",
            "git show HEAD:.e\"nv\"",
            "sh -c 'cat .e\"nv\"'",
            "dd if=.e\"nv\"",
            "cat .e\"nv\" > $(x)",
        ] {
            assert!(has(line, ".env"), "{line}: {:?}", file_words(line));
        }
        assert!(has("head ./\".\"env", "./.env"));
    }

    #[test]
    fn a_name_is_read_from_where_the_line_has_gone() {
        assert!(has("cd keys && cat k.txt", "keys/k.txt"));
        assert!(has("cd a/ && cd b && cat k", "a/b/k"));
        assert!(has("git -C keys show HEAD:k.txt", "keys/k.txt"));
        assert!(!has("echo keys && cat k.txt", "keys/k.txt"));
    }

    #[test]
    fn many_folders_are_bounded() {
        let line = format!("{}cat k", "cd a; ".repeat(200));
        assert!(file_words(&line).len() < 1_000);
    }
}
