//! Tells whether the rest of a rebase runs a program once somebody goes on with it.

/// All that git knows but `exec`. Another comment character than git's own is none of these.
const HARMLESS: &str = "# b break d drop e edit f fixup l label m merge noop p pick r reset reword s squash t u \
    update-ref";

pub(super) fn is_harmless(text: &str) -> bool {
    let lines = text.split('\n').map(str::trim_start).filter(|line| !line.is_empty());
    lines.into_iter().all(|line| {
        let command =
            if line.starts_with('#') { "#" } else { line.split_ascii_whitespace().next().unwrap_or_default() };
        HARMLESS.split(' ').any(|harmless| harmless == command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picks_are_harmless_and_programs_are_not() {
        assert!(is_harmless("pick 1234 first\n\n# a comment\n#another\nf -C 12 x\nupdate-ref refs/heads/x\nnoop\n"));
        for text in
            ["exec ./evil\n", "pick 1 x\n  x ./evil", "pick 1\r\nexec ./evil", "; exec", "exec\t./evil\n", "\u{b}exec"]
        {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
