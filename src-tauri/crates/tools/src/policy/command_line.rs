//! A shell line as simple commands, or the plain statement that it is not fully understood.
//!
//! Read with the real grammar of bash and an allow-list of node kinds: whatever is not on it (substitutions,
//! redirections, variables, functions, background jobs, …) makes the whole line opaque, and an opaque line is never
//! allowed silently. Being too strict here costs a question; being too lax could cost a disk.

use tree_sitter::{Node, Parser};

/// A longer line is not looked into.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// Commands that destroy, reach out or change who may do what.
const DESTRUCTIVE: &[&str] = &[
    "chgrp", "chmod", "chown", "dd", "doas", "eval", "exec", "fdisk", "kill", "killall", "mkfs", "mount", "pkill",
    "reboot", "rm", "rmdir", "shred", "shutdown", "su", "sudo", "truncate", "umount", "unlink", "wipefs",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommandLine {
    /// Everything the line runs, in order, joined by `;`, `&&`, `||` or `|`.
    Understood(Vec<SimpleCommand>),
    /// Only the words in it are known, in order, quotes and backslashes removed.
    Opaque(Vec<String>),
}

/// One program with its arguments, quotes removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimpleCommand {
    pub argv: Vec<String>,
    /// An argument has `*`, `?`, `[` or `{` outside quotes, so the shell may turn it into others.
    pub has_pattern: bool,
}

impl CommandLine {
    #[must_use]
    pub fn parse(line: &str) -> Self {
        if line.len() > MAX_LINE_BYTES || line.contains('\0') {
            return Self::opaque(line);
        }
        let mut parser = Parser::new();
        if parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_err() {
            return Self::opaque(line);
        }
        let Some(tree) = parser.parse(line, None) else { return Self::opaque(line) };
        let root = tree.root_node();
        let mut commands = Vec::new();
        let around_is_blank = is_blank(&line[..root.start_byte()]) && is_blank(&line[root.end_byte()..]);
        if !around_is_blank || collect(root, line, &mut commands).is_none() || commands.is_empty() {
            return Self::opaque(line);
        }
        Self::Understood(commands)
    }

    /// An argument vector given as such: no shell is involved.
    #[must_use]
    pub fn from_argv(argv: Vec<String>) -> Self {
        if argv.is_empty() {
            return Self::Opaque(Vec::new());
        }
        Self::Understood(vec![SimpleCommand { argv, has_pattern: false }])
    }

    #[must_use]
    pub fn commands(&self) -> Option<&[SimpleCommand]> {
        match self {
            Self::Understood(commands) => Some(commands),
            Self::Opaque(_) => None,
        }
    }

    /// Whether these words stand in the line one after another, the first one also at the end of a path.
    #[must_use]
    pub fn mentions(&self, wanted: &[String]) -> bool {
        let Self::Opaque(words) = self else { return false };
        let Some(first) = wanted.first() else { return false };
        words
            .windows(wanted.len())
            .any(|found| found[0].rsplit('/').next() == Some(first.as_str()) && found[1..] == wanted[1..])
    }

    fn opaque(line: &str) -> Self {
        let plain: String = line.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        let words = plain.split(|c: char| c.is_whitespace() || ";|&<>(){}$`=!".contains(c));
        Self::Opaque(words.filter(|word| !word.is_empty()).map(str::to_owned).collect())
    }
}

impl SimpleCommand {
    /// The program's name without its folder.
    #[must_use]
    pub fn program(&self) -> &str {
        self.argv.first().map_or("", |program| program.rsplit('/').next().unwrap_or(program))
    }

    #[must_use]
    pub fn is_destructive(&self) -> bool {
        DESTRUCTIVE.contains(&self.program()) || self.program().starts_with("mkfs.")
    }
}

/// `None` as soon as something is not understood.
fn collect(node: Node<'_>, line: &str, commands: &mut Vec<SimpleCommand>) -> Option<()> {
    if node.is_error() || node.is_missing() || !gaps_are_blank(node, line) {
        return None;
    }
    match node.kind() {
        "program" | "list" | "pipeline" => {
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                collect(child, line, commands)?;
            }
            Some(())
        }
        "command" => {
            commands.push(simple_command(node, line)?);
            Some(())
        }
        "&&" | "||" | ";" | "|" | "\n" | "comment" => Some(()),
        _ => None,
    }
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

fn simple_command(node: Node<'_>, line: &str) -> Option<SimpleCommand> {
    let mut command = SimpleCommand { argv: Vec::new(), has_pattern: false };
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        let word = match child.kind() {
            "command_name" if child.child_count() == 1 => word(child.child(0)?, line)?,
            "command_name" => return None,
            _ => word(child, line)?,
        };
        command.has_pattern |= word.has_pattern;
        command.argv.push(word.text);
    }
    // A name made by quoting or joining pieces is a disguise more often than a need.
    let plain_name = command.argv.first().is_some_and(|name| line[node.byte_range()].starts_with(name.as_str()));
    plain_name.then_some(command)
}

struct Word {
    text: String,
    has_pattern: bool,
}

fn word(node: Node<'_>, line: &str) -> Option<Word> {
    if node.is_error() || node.is_missing() {
        return None;
    }
    let source = &line[node.byte_range()];
    match node.kind() {
        "word" | "number" => {
            if source.contains(['\\', '`', '$', '!']) {
                return None;
            }
            Some(Word { text: source.to_owned(), has_pattern: source.contains(['*', '?', '[', '{']) })
        }
        "raw_string" => {
            let inner = source.strip_prefix('\'')?.strip_suffix('\'')?;
            Some(Word { text: inner.to_owned(), has_pattern: false })
        }
        "string" => {
            let inner = source.strip_prefix('"')?.strip_suffix('"')?;
            let plain = !inner.contains(['\\', '`', '$', '!', '"']);
            plain.then(|| Word { text: inner.to_owned(), has_pattern: false })
        }
        "concatenation" => {
            let mut joined = Word { text: String::new(), has_pattern: false };
            let mut cursor = node.walk();
            for child in node.children(&mut cursor) {
                let piece = word(child, line)?;
                joined.text.push_str(&piece.text);
                joined.has_pattern |= piece.has_pattern;
            }
            Some(joined)
        }
        _ => None,
    }
}
