//! Tests whether a shell line runs a command that a condition is true of. It must not miss a command because of what
//! stands beside it.

use crate::CommandLine;

/// Returns whether `test` is true of the line, or of a command in it with its arguments, inside wrappers too. True for a
/// line that is not understood: it may run anything.
#[must_use]
pub fn line_matches(line: &str, test: impl Fn(&str) -> bool) -> bool {
    let parsed = CommandLine::parse(line);
    if parsed.unclear().is_some() || test(line.trim()) {
        return true;
    }
    parsed.all().into_iter().any(|command| {
        let words: Vec<&str> = command.words.iter().map(|word| word.text.as_str()).collect();
        test(&words.join(" "))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_found_beside_others_and_in_wrappers() {
        let pushes = |line: &str| line_matches(line, |command| command.starts_with("git push"));
        for line in ["git push", " git push -f", "cd a && git push", "env X=1 git push", "bash -c 'git push'"] {
            assert!(pushes(line), "{line}");
        }
        assert!(pushes("$(echo git push)"), "not understood");
        assert!(!pushes("git status; echo git push | wc"), "only an argument of echo");
    }
}
