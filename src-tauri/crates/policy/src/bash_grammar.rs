//! A shell line by bash's whole grammar (tree-sitter), with an allow-list of node kinds.

use super::plain_shell::{BARE, IN_QUOTES, VARIABLE_END};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use tree_sitter::{Node, Parser, Tree};

/// Words that `plain_shell` takes for commands of their own.
const MARKS: &[&str] = &["!", "(", ")", "{", "}", "do", "done", "elif", "else", "fi", "if", "then", "until", "while"];

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(bash());
}

fn bash() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// The parts of a line that bash's grammar sees.
#[derive(Default)]
pub(super) struct Grammatical {
    pub(super) commands: Vec<Vec<String>>,
    /// The redirections by their positions.
    pub(super) redirections: BTreeMap<usize, String>,
}

/// The text must be ASCII.
pub(super) fn tree(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(text, None))
}

/// `None` as soon as something is not understood.
pub(super) fn read(line: &str) -> Option<Grammatical> {
    let tree = tree(line)?;
    let root = tree.root_node();
    let mut read = Grammatical::default();
    let around_is_blank = is_blank(&line[..root.start_byte()]) && is_blank(&line[root.end_byte()..]);
    if !around_is_blank {
        return None;
    }
    collect(root, line, &mut read)?;
    Some(read)
}

/// Replaces characters that aren't ASCII: to a shell they are all alike. The grammar's scanner calls C's `isdigit` on
/// them, which reads beyond its table and may end the process.
pub(super) fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| if character.is_ascii() { character } else { '%' }).collect())
}

/// The ends of the line's here-documents as they are written, and their texts, in order.
pub(super) fn here_documents(line: &str) -> Option<Vec<(String, String)>> {
    let tree = PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(line, None))?;
    let (mut found, mut nodes) = (Vec::new(), vec![tree.root_node()]);
    while let Some(node) = nodes.pop() {
        let text = |kind| {
            let mut cursor = node.walk();
            let child = node.children(&mut cursor).find(|child: &Node<'_>| child.kind() == kind)?;
            Some(line.get(child.byte_range()).unwrap_or_default().to_owned())
        };
        if node.kind() == "heredoc_redirect" {
            found.push((text("heredoc_start")?, text("heredoc_body").unwrap_or_default()));
        }
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        nodes.extend(children.into_iter().rev());
    }
    Some(found)
}

/// `None` as soon as something is not understood.
fn collect(node: Node<'_>, line: &str, read: &mut Grammatical) -> Option<()> {
    if node.is_error() || node.is_missing() || !gaps_are_blank(node, line) {
        return None;
    }
    match node.kind() {
        "program"
        | "list"
        | "pipeline"
        | "redirected_statement"
        | "subshell"
        | "compound_statement"
        | "if_statement"
        | "elif_clause"
        | "else_clause"
        | "while_statement"
        | "do_group"
        | "negated_command" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                collect(child, line, read)?;
            }
            Some(())
        }
        "command" => {
            let command = simple_command(node, line, &mut read.redirections)?;
            read.commands.push(command);
            Some(())
        }
        "declaration_command" => {
            let words = export(node, line)?;
            read.commands.push(words);
            Some(())
        }
        "file_redirect" => redirection(node, line, &mut read.redirections),
        "for_statement" => for_loop(node, line, read),
        // `(( … ))` has other brackets and is not understood.
        "test_command" if ["[ ", "[[ "].iter().any(|begin| line[node.byte_range()].starts_with(begin)) => {
            let mut words = Vec::new();
            test_words(node, line, &mut words)?;
            read.commands.push(words);
            Some(())
        }
        "&&" | "||" | ";" | "|" | "|&" | "\n" | "comment" => Some(()),
        mark if MARKS.contains(&mark) && node.child_count() == 0 => {
            read.commands.push(vec![mark.to_owned()]);
            Some(())
        }
        _ => None,
    }
}

/// `export NAME=VALUE …`
fn export(node: Node<'_>, line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "export" if words.is_empty() => words.push("export".to_owned()),
            "variable_assignment" if !words.is_empty() => words.push(assignment(child, line)?),
            _ => return None,
        }
    }
    Some(words)
}

/// Reads the loop as `plain_shell` does: its head is a command.
fn for_loop(node: Node<'_>, line: &str, read: &mut Grammatical) -> Option<()> {
    let mut head = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "for" | "in" | "variable_name" => head.push(line[child.byte_range()].to_owned()),
            ";" | "\n" | "comment" => {}
            "do_group" => {
                read.commands.push(std::mem::take(&mut head));
                collect(child, line, read)?;
            }
            _ => head.push(word(child, line)?),
        }
    }
    head.is_empty().then_some(())
}

/// Reads a redirection without its blanks. One that takes what follows for a second file is not understood.
fn redirection(node: Node<'_>, line: &str, redirections: &mut BTreeMap<usize, String>) -> Option<()> {
    if node.has_error() || !gaps_are_blank(node, line) {
        return None;
    }
    let mut text = String::new();
    let mut files = 0;
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "file_descriptor" => text.push_str(&line[child.byte_range()]),
            "<" | ">" | ">>" | "&>" | "&>>" | ">&" if child.child_count() == 0 => {
                text.push_str(&line[child.byte_range()])
            }
            _ => {
                files += 1;
                text.push_str(&word(child, line)?);
            }
        }
    }
    redirections.insert(node.start_byte(), text);
    (files == 1).then_some(())
}

/// The grammar skips some text, such as a backslash before a line's end, without a node for it. Whatever stands between
/// nodes and is not plainly blank is not understood.
fn gaps_are_blank(node: Node<'_>, line: &str) -> bool {
    let mut end = node.start_byte();
    let mut cursor = node.walk();
    let mut blank = true;
    for child in node.children(&mut cursor) {
        blank &= is_blank(&line[end.min(child.start_byte())..child.start_byte()]);
        end = child.end_byte();
    }
    blank && (node.child_count() == 0 || is_blank(&line[end..node.end_byte()]))
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n'))
}

fn simple_command(node: Node<'_>, line: &str, redirections: &mut BTreeMap<usize, String>) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let word = match child.kind() {
            "file_redirect" => {
                redirection(child, line, redirections)?;
                continue;
            }
            "command_name" if child.child_count() == 1 => word(child.child(0)?, line)?,
            "command_name" => return None,
            "variable_assignment" => assignment(child, line)?,
            _ => word(child, line)?,
        };
        words.push(word);
    }
    Some(words)
}

fn assignment(node: Node<'_>, line: &str) -> Option<String> {
    let name = &line[node.child_by_field_name("name")?.byte_range()];
    let value = node.child_by_field_name("value").map_or_else(|| Some(String::new()), |value| word(value, line))?;
    let written_so = line[node.byte_range()].starts_with(&format!("{name}="));
    written_so.then(|| format!("{name}={value}"))
}

/// `[ … ]` and `[[ … ]]` are like commands; the grammar knows their expressions.
fn test_words(node: Node<'_>, line: &str, words: &mut Vec<String>) -> Option<()> {
    if !gaps_are_blank(node, line) {
        return None;
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "unary_expression" | "binary_expression" => test_words(child, line, words)?,
            "[" | "]" | "[[" | "]]" | "&&" | "||" | "!" | "test_operator" | "=" | "==" | "!=" => {
                words.push(line[child.byte_range()].to_owned())
            }
            _ => words.push(word(child, line)?),
        }
    }
    Some(())
}

fn word(node: Node<'_>, line: &str) -> Option<String> {
    if node.is_error() || node.is_missing() {
        return None;
    }
    let source = &line[node.byte_range()];
    match node.kind() {
        "word" | "number" if source == "!" => Some(source.to_owned()),
        "word" | "number" => unescaped(source),
        "extglob_pattern" if source.chars().all(|next| next.is_ascii_alphanumeric() || "_-./".contains(next)) => {
            Some(source.to_owned())
        }
        "raw_string" => Some(source.strip_prefix('\'')?.strip_suffix('\'')?.to_owned()),
        "string" => quoted(node, line),
        "simple_expansion" | "expansion" => variable(node, line, BARE),
        "concatenation" => {
            let mut cursor = node.walk();
            node.children(&mut cursor).map(|child| word(child, line)).collect()
        }
        // Brackets and braces of patterns, and a dollar that begins no variable.
        "[" | "]" | "{" | "}" | "$" | "brace_expression" => Some(source.to_owned()),
        _ => None,
    }
}

/// Returns what stands in double quotes; text between the nodes belongs to it.
fn quoted(node: Node<'_>, line: &str) -> Option<String> {
    let end = node.end_byte().checked_sub(1)?;
    let mut place = node.start_byte() + 1;
    line.get(node.byte_range())?.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        match child.kind() {
            "\"" | "string_content" | "$" => {}
            "simple_expansion" | "expansion" => {
                // To the grammar, blanks in front of it are a part of it.
                let blanks = line[child.byte_range()].find('$')?;
                text.push_str(&unescaped_in_quotes(line.get(place..child.start_byte() + blanks)?));
                text.push_str(&variable(child, line, IN_QUOTES)?);
                place = child.end_byte();
            }
            _ => return None,
        }
    }
    text.push_str(&unescaped_in_quotes(line.get(place..end)?));
    Some(text)
}

fn variable(node: Node<'_>, line: &str, begin: char) -> Option<String> {
    let source = line[node.byte_range()].trim_start().strip_prefix('$').filter(|_| !node.has_error())?;
    let inner = match source.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}')?,
        None => source,
    };
    Some(format!("{begin}{inner}{VARIABLE_END}"))
}

/// Returns what a backslash outside quotes makes of the next character; `None` for what is not plain.
fn unescaped(source: &str) -> Option<String> {
    let mut text = String::new();
    let mut characters = source.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => text.push(characters.next()?),
            '`' | '$' | '!' | '\'' | '"' => return None,
            other => text.push(other),
        }
    }
    Some(text)
}

pub(super) fn unescaped_in_quotes(inner: &str) -> String {
    let mut text = String::new();
    let mut characters = inner.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some('"' | '\\' | '$' | '`')) => text.extend(characters.next()),
            (other, _) => text.push(other),
        }
    }
    text
}
