//! The values of a shell text's words, as far as that is certain.

use super::ShellRunReader;
use crate::bash_grammar::unescaped_in_quotes;
use crate::plain_shell::Word;
use tree_sitter::Node;

/// The value of a word, or why that can't be told.
pub(super) type Known = Result<String, String>;

/// In what a word stands for, `*`, `?`, `[` and `]` that stand outside quotes.
pub(super) const GLOBS: [(char, char); 4] = [('*', '\u{4}'), ('?', '\u{5}'), ('[', '\u{6}'), (']', '\u{7}')];
/// In a word that isn't known, the reason follows.
const BECAUSE: char = '\u{1}';

/// Returns the value of a word.
pub(super) fn known(word: &Word) -> Known {
    match word.text.split_once(BECAUSE) {
        Some((_, why)) => Err(why.to_owned()),
        // What `find` and `xargs` put in its place.
        None if word.variable || word.text.contains("{}") => Err("it runs whatever it finds".to_owned()),
        None => Ok(word.text.clone()),
    }
}

impl ShellRunReader<'_> {
    pub(super) fn word(&self, node: Node<'_>) -> Word {
        match self.value(node) {
            Ok(text) => Word { expands: text.contains(GLOBS.map(|glob| glob.1)), ..Word::literal(text) },
            Err(why) => {
                let source = self.source(node);
                // An option, or a variable's name.
                let is_plain = |next: &char| next.is_ascii_alphanumeric() || "_-=".contains(*next);
                let begin: String = source.chars().take_while(is_plain).collect();
                Word { text: format!("{begin}{BECAUSE}{why}"), expands: true, variable: true, ..Word::default() }
            }
        }
    }

    fn value(&self, node: Node<'_>) -> Known {
        let source = self.source(node);
        let unknown = || format!("it builds the name of what it runs with {}", source.trim());
        if node.has_error() {
            return Err(unknown());
        }
        let mut cursor = node.walk();
        match node.kind() {
            "command_name" => node.child(0).map_or_else(|| Err(unknown()), |name| self.value(name)),
            "raw_string" => Ok(source.trim_matches('\'').to_owned()),
            "string" => self.quoted(node),
            "concatenation" if is_several(&source) => Err(unknown()),
            "concatenation" => node.children(&mut cursor).map(|part| self.value(part)).collect(),
            "command_substitution" => self.substituted(node),
            "simple_expansion" | "expansion" => self.variable(source.trim()),
            "array" | "subscript" | "process_substitution" | "arithmetic_expansion" | "brace_expression" => {
                Err(unknown())
            }
            _ if source == "[" => Ok(source),
            _ => unquoted(&source).ok_or_else(unknown),
        }
    }

    fn quoted(&self, node: Node<'_>) -> Known {
        let mut text = String::new();
        let mut place = node.start_byte() + 1;
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).filter(|child| child.is_named() && child.kind() != "string_content") {
            // To the grammar, blanks in front of it are a part of it.
            let blanks = self.source(child).chars().take_while(|next| next.is_whitespace()).count();
            text.push_str(&unescaped_in_quotes(&self.between(place, child.start_byte() + blanks)));
            text.push_str(&self.value(child)?);
            place = child.end_byte();
        }
        Ok(text + &unescaped_in_quotes(&self.between(place, node.end_byte().saturating_sub(1))))
    }

    /// The folders that Arki sets and the text's own place.
    fn variable(&self, source: &str) -> Known {
        let inner = source.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
        let (name, is_folder) = inner.strip_suffix("%/*").map_or((inner, false), |name| (name, true));
        let stays = self.here == *self.text.folders;
        let value = match name {
            "CLAUDE_PROJECT_DIR" | "ARKI_PROJECT_DIR" => Some(self.text.root),
            "PWD" if self.here.len() == 1 => self.here.first().map(String::as_str),
            // Its own path may be relative to where it was started.
            "0" | "BASH_SOURCE" | "BASH_SOURCE[0]" if stays => self.text.place,
            _ => None,
        };
        let value = value.ok_or_else(|| format!("it names what it runs with {source}"))?;
        Ok(if is_folder { folder_of(value).to_owned() } else { value.to_owned() })
    }

    /// `$(dirname X)`, `$(pwd)` and `$(cd X && pwd)`.
    fn substituted(&self, node: Node<'_>) -> Known {
        let unknown = || "it builds the name of what it runs with $(…)".to_owned();
        let mut commands = Vec::new();
        simple_commands(node, &mut commands).ok_or_else(unknown)?;
        let words = |command: &Node<'_>| -> Vec<Known> {
            let mut cursor = command.walk();
            command.children(&mut cursor).filter(Node::is_named).map(|word| self.value(word)).collect()
        };
        let commands: Vec<Vec<Known>> = commands.iter().map(words).collect();
        let is = |command: &[Known], name: &str| command.first().is_some_and(|word| word.as_deref() == Ok(name));
        match commands.as_slice() {
            [dirname] if is(dirname, "dirname") && dirname.len() > 1 => {
                dirname[dirname.len() - 1].clone().map(|path| folder_of(&path).to_owned())
            }
            [pwd] if is(pwd, "pwd") => self.variable("PWD"),
            [cd, pwd] if is(cd, "cd") && cd.len() > 1 && is(pwd, "pwd") => match &cd[cd.len() - 1] {
                Ok(folder) if self.here.len() == 1 => Ok(self.absolute(folder).concat()),
                _ => Err(unknown()),
            },
            _ => Err(unknown()),
        }
    }
}

/// The commands of a substitution, joined by `&&` or `;`; `None` where there is more to it.
fn simple_commands<'t>(node: Node<'t>, commands: &mut Vec<Node<'t>>) -> Option<()> {
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "command" => commands.push(child),
            "list" | "redirected_statement" => simple_commands(child, commands)?,
            "$(" | ")" | "&&" | ";" | "\n" | "file_redirect" => {}
            _ => return None,
        }
    }
    Some(())
}

fn folder_of(path: &str) -> &str {
    path.trim_end_matches('/').rsplit_once('/').map_or(".", |(folder, _)| folder)
}

fn is_several(source: &str) -> bool {
    source.contains('{') && (source.contains(',') || source.contains(".."))
}

/// Outside quotes; `None` where it stands for several words, or for something outside the text.
fn unquoted(source: &str) -> Option<String> {
    if is_several(source) || source.starts_with('~') || source.contains(['(', '`']) {
        return None;
    }
    let mut text = String::new();
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.extend(characters.next()),
            other => text.push(GLOBS.iter().find(|glob| glob.0 == other).map_or(other, |glob| glob.1)),
        }
    }
    Some(text)
}
