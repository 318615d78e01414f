//! The names that a line defines, by a rule that knows no language: what stands behind a word such as `class`, or before the
//! parameters of what looks like a function.

use crate::words::push_identifier;
use regex::Regex;
use std::sync::LazyLock;

/// The words behind which a name is defined, in many languages; a part of a regular expression.
pub const DEFINITION_WORDS: &str =
    "fn|struct|enum|trait|type|const|static|mod|macro_rules!|class|interface|def|function|func";

/// Words with which a line begins that has its parentheses for something else than parameters.
const CONTROL: [&str; 17] = [
    "if", "else", "for", "foreach", "while", "do", "switch", "match", "catch", "return", "with", "using", "lock",
    "when", "unless", "pub", "try",
];

static DEFINITION: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let modifiers = "pub(?:\\([^)]*\\))?|export|default|declare|public|private|protected|internal|static|abstract|final|async|\
        unsafe|extern|override|open|sealed|data|inline|virtual|const|local";
    let more = "record|object|protocol|extension|namespace|module|union|sub|proc|typedef|defn|defun";
    let pattern = format!(
        r"^\s*(?:(?:{modifiers})\s+)*(?:{DEFINITION_WORDS}|{more})\*?\s+(?:\([^)]*\)\s*|mut\s+|self\.)*([\p{{L}}_$][\w$]*)"
    );
    Regex::new(&pattern).ok()
});

/// Appends the words of the names that a line defines.
pub(crate) fn push_definitions(line: &str, symbols: &mut String) {
    let defined = || Some(DEFINITION.as_ref()?.captures(line)?.get(1)?.as_str());
    if let Some(name) = function_name(line).or_else(defined) {
        push_identifier(name.trim_matches(['_', '$']), symbols);
    }
}

/// The name before the parentheses of a line that opens a block, as C and Java have functions, and JavaScript methods.
fn function_name(line: &str) -> Option<&str> {
    let head = line.trim_end().strip_suffix('{')?;
    let (before, _) = head.split_once('(')?;
    let first = before.split(|c: char| !c.is_alphanumeric() && c != '_').find(|word| !word.is_empty())?;
    let is_sign = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start =
        before.rfind(|c: char| !is_sign(c)).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let name = &before[start..];
    let is_name = name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$');
    // What is called, or given to something else, defines nothing.
    let is_plain =
        !before.contains(['=', '.', '"', '\'', '}']) && !CONTROL.contains(&first) && !CONTROL.contains(&name);
    (is_name && is_plain).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_many_languages() {
        for (line, expected) in [
            ("pub(crate) fn parse_line(text: &str) {", "parse line parseline "),
            ("    def parse_line(self):", "parse line parseline "),
            ("export default async function loadPage() {", "load page loadpage "),
            ("func (s *Server) Listen(addr string) error {", "listen "),
            ("public static final class Widget {", "widget "),
            ("pub const MAX: usize = 3;", "max "),
            ("  async render(props) {", "render "),
            ("static int read_all(int fd) {", "read all readall "),
            ("  def self.build(x)", "build "),
            ("export const useStore = create(() => ({", "use store usestore "),
            ("    if (x) {", ""),
            ("} else if (y) {", ""),
            ("    foo.bar(function () {", ""),
            ("// the type of it", ""),
            ("let x = call(1);", ""),
            ("{", ""),
        ] {
            let mut symbols = String::new();
            push_definitions(line, &mut symbols);
            assert_eq!(symbols, expected, "{line}");
        }
    }
}
