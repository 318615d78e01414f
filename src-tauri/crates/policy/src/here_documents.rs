//! Here-documents, written out before a line is read: what stands in `"$(cat <<'EOF' … EOF)"` as quoted text of its word,
//! what a command gets as a file that it reads.
//!
//! A here-string, `<<< text`, is read as a here-document.
//!
//! Only plain text: the end is quoted, so that nothing is expanded, or the text has nothing to expand.

use super::plain_shell::{Unclear, VARIABLE};
use std::borrow::Cow;

/// Stands for a here-document where a command reads it. No file is read, whatever has this name.
pub(super) const DOCUMENT: &str = ".here-document";
const NOT_PLAIN: Unclear = Unclear::HERE_DOCUMENT;

/// A line without here-documents.
pub(super) struct WrittenOut<'a> {
    pub(super) line: Cow<'a, str>,
    /// A command gets one as its input.
    pub(super) feeds: bool,
}

pub(super) fn written_out(line: &str) -> Result<WrittenOut<'_>, Unclear> {
    if !line.contains("<<") {
        return Ok(WrittenOut { line: line.into(), feeds: false });
    }
    if line.contains(DOCUMENT) {
        return Err(NOT_PLAIN);
    }
    let mut scanner = Scanner { rest: line, written: String::new(), found: Vec::new(), awaited: Vec::new() };
    let feeds = scanner.scan()?;
    Ok(WrittenOut { line: scanner.written.into(), feeds })
}

/// The end of a here-document.
struct DocumentEnd {
    name: String,
    is_quoted: bool,
    /// True for `<<-`, which removes tabs at the beginning of lines.
    is_indented: bool,
    as_written: String,
}

struct Scanner<'a> {
    rest: &'a str,
    written: String,
    /// The ends as they are written, and the texts.
    found: Vec<(String, String)>,
    /// The here-documents whose text begins on the next line.
    awaited: Vec<DocumentEnd>,
}

impl Scanner<'_> {
    /// Returns whether a command gets one.
    fn scan(&mut self) -> Result<bool, Unclear> {
        let (mut in_quotes, mut feeds) = (false, false);
        while let Some(next) = self.rest.chars().next() {
            let begins = |text: &str| self.rest.starts_with(text);
            match next {
                '\\' => self.copy(1 + self.rest[1..].chars().next().map_or(0, char::len_utf8)),
                '\'' if !in_quotes => self.copy(2 + self.rest[1..].find('\'').ok_or(Unclear::UNCLOSED_QUOTE)?),
                '"' => {
                    in_quotes = !in_quotes;
                    self.copy(1);
                }
                '`' => return Err(VARIABLE),
                '$' if begins("$(") && in_quotes => self.substitution()?,
                '$' if begins("$(") || begins("${") => return Err(VARIABLE),
                '$' if !in_quotes && (begins("$'") || begins("$\"")) => return Err(VARIABLE),
                '(' if begins("((") && !in_quotes => return Err(NOT_PLAIN),
                '#' if !in_quotes
                    && self.written.chars().next_back().is_none_or(|last| " \t\n;|&()<>".contains(last)) =>
                {
                    self.copy(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '<' if !in_quotes && begins("<<<") => {
                    self.here_string()?;
                    feeds = true;
                }
                '<' if !in_quotes && begins("<<") => {
                    let end = self.end()?;
                    self.awaited.push(end);
                    self.written.push('<');
                    self.written.push_str(DOCUMENT);
                    feeds = true;
                }
                '\n' if !in_quotes => {
                    self.copy(1);
                    for end in std::mem::take(&mut self.awaited) {
                        self.text(end)?;
                    }
                }
                other => self.copy(other.len_utf8()),
            }
        }
        if self.awaited.is_empty() { Ok(feeds) } else { Err(Unclear::UNCLOSED_HERE_DOCUMENT) }
    }

    /// Reads `<<< WORD`, where nothing in the word is expanded.
    fn here_string(&mut self) -> Result<(), Unclear> {
        self.rest = self.rest.strip_prefix("<<<").ok_or(NOT_PLAIN)?;
        self.skip(&[' ', '\t']);
        let is_bare = |next: char| next.is_ascii_alphanumeric() || "_-+./:,@%=".contains(next);
        let quote = self.rest.chars().next().filter(|first| matches!(first, '\'' | '"'));
        let end = match quote {
            Some(quote) => self.rest[1..].find(quote).ok_or(Unclear::UNCLOSED_QUOTE)? + 2,
            None => self.rest.find(|next| !is_bare(next)).unwrap_or(self.rest.len()),
        };
        let (word, after) = self.rest.split_at(end);
        let is_plain = quote != Some('"') || !word.contains(['$', '`', '\\', '!']);
        let is_whole = after.is_empty() || after.starts_with([' ', '\t', '\n', ';', '|', '&', ')']);
        if word.is_empty() || !is_plain || !is_whole {
            return Err(NOT_PLAIN);
        }
        self.rest = after;
        self.written.push('<');
        self.written.push_str(DOCUMENT);
        Ok(())
    }

    fn copy(&mut self, bytes: usize) {
        let (copied, rest) = self.rest.split_at(bytes);
        self.written.push_str(copied);
        self.rest = rest;
    }

    fn skip(&mut self, blanks: &[char]) {
        self.rest = self.rest.trim_start_matches(blanks);
    }

    /// Reads `<<END`, `<<-END`, `<<'END'`, `<<"END"` or `<<\END`.
    fn end(&mut self) -> Result<DocumentEnd, Unclear> {
        self.rest = self.rest.strip_prefix("<<").ok_or(NOT_PLAIN)?;
        let indented = self.rest.strip_prefix('-');
        self.rest = indented.unwrap_or(self.rest);
        self.skip(&[' ', '\t']);
        let begin = self.rest;
        let quote = begin.chars().next().filter(|first| matches!(first, '\'' | '"' | '\\'));
        let name: String = begin[quote.map_or(0, char::len_utf8)..]
            .chars()
            .take_while(|next| next.is_ascii_alphanumeric() || *next == '_')
            .collect();
        let closing = quote.filter(|quote| *quote != '\\').map(String::from).unwrap_or_default();
        let opening = quote.map(String::from).unwrap_or_default();
        let as_written = format!("{opening}{name}{closing}");
        let after = begin.strip_prefix(as_written.as_str()).filter(|_| !name.is_empty()).ok_or(NOT_PLAIN)?;
        let is_whole = after.is_empty() || after.starts_with([' ', '\t', '\n', ';', '|', '&', ')']);
        self.rest = after;
        let end = DocumentEnd { name, is_quoted: quote.is_some(), is_indented: indented.is_some(), as_written };
        is_whole.then_some(end).ok_or(NOT_PLAIN)
    }

    /// Reads up to the line that ends it.
    fn text(&mut self, end: DocumentEnd) -> Result<&str, Unclear> {
        let mut text = String::new();
        loop {
            let (line, rest) = match self.rest.split_once('\n') {
                Some((line, rest)) => (line, Some(rest)),
                None => (self.rest, None),
            };
            let line = if end.is_indented { line.trim_start_matches('\t') } else { line };
            self.rest = rest.unwrap_or_default();
            if line == end.name {
                break;
            }
            rest.ok_or(Unclear::UNCLOSED_HERE_DOCUMENT)?;
            text.push_str(line);
            text.push('\n');
        }
        if !end.is_quoted && text.contains(['$', '`', '\\']) {
            return Err(VARIABLE);
        }
        self.found.push((end.as_written, text));
        Ok(self.found.last().map_or("", |(_, text)| text))
    }

    /// Reads `$(cat <<'END' … )` within double quotes.
    fn substitution(&mut self) -> Result<(), Unclear> {
        self.rest = self.rest.strip_prefix("$(").ok_or(VARIABLE)?;
        self.skip(&[' ']);
        self.rest = self.rest.strip_prefix("cat ").ok_or(VARIABLE)?;
        self.skip(&[' ']);
        let end = self.end()?;
        self.skip(&[' ', '\t']);
        self.rest = self.rest.strip_prefix('\n').ok_or(VARIABLE)?;
        let text = self.text(end)?.trim_end_matches('\n').to_owned();
        self.skip(&[' ', '\t', '\n']);
        self.rest = self.rest.strip_prefix(')').ok_or(VARIABLE)?;
        for next in text.chars() {
            if matches!(next, '"' | '\\' | '$' | '`') {
                self.written.push('\\');
            }
            self.written.push(next);
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
#[allow(clippy::disallowed_methods, reason = "a test compares with bash itself")]
mod tests {
    use super::super::{CommandLine, command_line::Shell};
    use proptest::prelude::*;

    fn words(line: &str) -> Option<Vec<Vec<String>>> {
        let parsed = CommandLine::parse_as(Shell::Bash, line);
        let words = |words: &[super::super::plain_shell::Word]| words.iter().map(|word| word.text.clone()).collect();
        Some(parsed.simple()?.into_iter().map(|command| words(&command.words)).collect())
    }

    fn check(line: &str, expected: &[&[&str]]) {
        assert_eq!(
            words(line).as_deref(),
            Some(
                expected
                    .iter()
                    .map(|w| w.iter().map(|w| (*w).to_owned()).collect())
                    .collect::<Vec<Vec<String>>>()
                    .as_slice()
            ),
            "{line}"
        );
    }

    #[test]
    fn a_text_for_a_word_is_that_word() {
        let message = "feat: x\n\n- `a` costs $5, \"it's\" \\ so!";
        check(&format!("git commit -m \"$(cat <<'EOF'\n{message}\nEOF\n)\""), &[&["git", "commit", "-m", message]]);
        check(
            &format!("git add -A && git commit -m \"$(cat <<'EOF'\n{message}\n\nEOF\n)\" 2>&1 | tail -3"),
            &[&["git", "add", "-A"], &["git", "commit", "-m", message], &["tail", "-3"]],
        );
        check("echo \"a $(cat <<EOF\nb\nEOF\n) c\" # <<x", &[&["echo", "a b c"]]);
    }

    #[test]
    fn a_text_for_a_command_is_its_input() {
        for end in ["'EOF'", "\"EOF\"", "\\EOF", "EOF"] {
            let line = format!("git commit -F - <<{end} 2>&1 | tail -3\none\n\ntwo\nEOF\ngit log");
            check(&line, &[&["git", "commit", "-F", "-"], &["tail", "-3"], &["git", "log"]]);
            let parsed = CommandLine::parse_as(Shell::Bash, &line);
            assert_eq!(parsed.simple().unwrap()[0].inputs.len(), 1);
        }
        check("cat <<'EOF' | git commit -F -\nx $y\nEOF", &[&["cat"], &["git", "commit", "-F", "-"]]);
        check(
            "cd a && git commit -F- <<-'E' || true\n\tx\n\tE\n",
            &[&["cd", "a"], &["git", "commit", "-F-"], &["true"]],
        );
    }

    #[test]
    fn whatever_expands_or_is_run_is_not_understood() {
        for line in [
            "git commit -F - <<EOF\n$(rm x)\nEOF",
            "git commit -F - <<EOF\n`rm x`\nEOF",
            "git commit -F - <<EOF\na\\\nEOF\nEOF",
            "git commit -m \"$(cat <<EOF\n$HOME\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'; rm x\na\nEOF\n)\"",
            "git commit -m \"$(cat <<'EOF'\na\nEOF\nrm x)\"",
            "git commit -m \"$(cat file <<'EOF'\na\nEOF\n)\"",
            "git commit -m $(cat <<'EOF'\na\nEOF\n)",
            "bash <<'EOF'\nrm x\nEOF",
            "cat <<'EOF' | sh\nrm x\nEOF",
            "python3 - <<'EOF'\nx\nEOF",
            "xargs rm <<'EOF'\nx\nEOF",
            "git bisect run sh <<'EOF'\nx\nEOF",
            "git commit -F - <<'EOF'\na",
            "git commit -F - <<'E'OF\na\nE\nEOF",
            "git commit -F - <<'EOF' > out\na\nEOF",
            "git commit -F - <.here-document",
            "git commit -F - <.here-document <<'EOF'\na\nEOF",
            "git commit -F - 3<<'EOF'\na\nEOF",
        ] {
            assert!(
                CommandLine::parse_as(Shell::Bash, line).unclear().is_some() || line.ends_with("<.here-document"),
                "{line}"
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn bash_reads_the_same_text(text in "[a-zE'\"$`\\\\ #()<|&;\n-]{0,40}") {
            prop_assume!(!text.lines().any(|line| line.trim() == "EOF"));
            let line = format!("echo \"$(cat <<'EOF'\n{text}\nEOF\n)\"");
            if let Some(seen) = words(&line) {
                let said = std::process::Command::new("bash").args(["-c", &line.replacen("echo", "printf %s", 1)]).output().unwrap();
                prop_assert_eq!(seen, vec![vec!["echo".to_owned(), String::from_utf8(said.stdout).unwrap()]]);
            }
        }
    }
}
