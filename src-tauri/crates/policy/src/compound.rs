//! Compound commands as what they run: subshells, groups, `if`, `!`, plain `for` loops, and loops that read lines.
//!
//! Of branches it is not told which is taken, of loops not how often they run: each command may be left out, in a loop
//! also repeated, and whoever judges them takes them so. A `for` loop over a literal list is written out, once for each
//! word. Where the list has a pattern, the variable's place is taken by that pattern: whatever the body then does to
//! one name at a time is judged as being done to all that the pattern stands for. A line that a loop reads may be
//! anything, so a command that is given one is judged as one that `xargs` runs. Whatever else a variable could be (a
//! substitution, a program's name, an option's value) is not understood, nor is a loop of which nobody knows when it
//! ends.

use super::command_line::{is_harmless, steers_builds};
use super::flags::{self, Flag};
use super::plain_shell::{BARE, IN_QUOTES, LineCommand, Unclear, VARIABLE_END, Word, begins_plainly, is_assignment};
use super::plain_shell::{Joint, VARIABLE};
use super::wrappers::{self, Inside};
use std::iter::Peekable;
use std::vec::IntoIter;

/// They only say what they are given, or make a name of it.
const SAYING: &[&str] = &[":", "basename", "dirname", "echo", "printf", "seq", "true"];
/// They look at what they are given, one word at a time.
const TESTING: &[&str] = &["[", "[[", "test"];
const NOT_PLAIN: Unclear = Unclear::COMPLEX_COMPOUND;
const NO_END: Unclear = Unclear::ENDLESS_LOOP;
/// Compound commands deeper within each other are not looked into.
const MAX_DEPTH: usize = 8;

/// A simple command, or a compound one with what it runs.
pub(super) struct CommandNode {
    /// The command itself; the words of a compound one are its first mark.
    pub(super) command: LineCommand,
    /// A word of it is only known when it runs.
    pub(super) open_ended: bool,
    pub(super) inner: Option<InnerCommands<CommandNode>>,
}

/// The commands inside a compound command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerCommands<T> {
    pub order: Order,
    pub commands: Vec<T>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// One after another, in a shell of their own.
    Subshell,
    /// One after another, and each may be left out.
    Branches,
    /// The same, and all of it may come again.
    Loop,
}

/// The variables that may stand in front of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assignments {
    /// Only those that change nothing of what it does.
    Harmless,
    Any,
}

/// All commands put together, with no variable left but where it is only said or looked at.
pub(super) fn put_together(
    commands: Vec<LineCommand>,
    max_commands: usize,
    assignments: Assignments,
) -> Result<Vec<CommandNode>, Unclear> {
    let mut reader = CompoundReader { rest: commands.into_iter().peekable(), depth: 0 };
    let nodes = reader.list(&[])?;
    CompoundWriter { known: Vec::new(), left: max_commands, assignments }.parts(&nodes)
}

/// A node as it stands in the line.
struct LineNode {
    /// A simple command, or the first mark of a compound one.
    head: LineCommand,
    inputs: Vec<Word>,
    kind: NodeShape,
    nodes: Vec<LineNode>,
}

enum NodeShape {
    Simple,
    Of(Order),
    For,
    /// A loop with these names for what it reads; with one of them alone it is the whole line.
    Lines(Vec<String>),
}

struct CompoundReader {
    rest: Peekable<IntoIter<LineCommand>>,
    depth: usize,
}

impl CompoundReader {
    fn list(&mut self, ends: &[&str]) -> Result<Vec<LineNode>, Unclear> {
        let mut nodes = Vec::new();
        while self.rest.peek().is_some_and(|next| !ends.iter().any(|end| next.is_mark(end))) {
            nodes.push(self.node()?);
        }
        if nodes.is_empty() { Err(NOT_PLAIN) } else { Ok(nodes) }
    }

    fn node(&mut self) -> Result<LineNode, Unclear> {
        let head = self.rest.next().ok_or(NOT_PLAIN)?;
        let first = head.words.first().filter(|word| !word.quoted).map_or("", |word| word.text.as_str());
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Unclear::TOO_MUCH);
        }
        let (kind, nodes, inputs) = match first {
            "(" => (NodeShape::Of(Order::Subshell), self.list(&[")"])?, self.end(")")?),
            "{" => (NodeShape::Of(Order::Branches), self.list(&["}"])?, self.end("}")?),
            // It negates a pipe as a whole.
            "!" if head.joint != Joint::Pipe => (NodeShape::Of(Order::Branches), vec![self.node()?], Vec::new()),
            "if" => (NodeShape::Of(Order::Branches), self.branches()?, self.end("fi")?),
            "for" => {
                self.end("do")?;
                (NodeShape::For, self.list(&["done"])?, self.end("done")?)
            }
            "while" => {
                let names = lines_read(&self.list(&["do"])?)?;
                self.end("do")?;
                (NodeShape::Lines(names), self.list(&["done"])?, self.end("done")?)
            }
            "until" => return Err(NO_END),
            "!" | ")" | "}" | "do" | "done" | "elif" | "else" | "fi" | "then" => return Err(NOT_PLAIN),
            _ => (NodeShape::Simple, Vec::new(), Vec::new()),
        };
        self.depth -= 1;
        Ok(LineNode { head, inputs, kind, nodes })
    }

    /// Returns what an `if` may run, its conditions included.
    fn branches(&mut self) -> Result<Vec<LineNode>, Unclear> {
        let mut nodes = Vec::new();
        loop {
            nodes.extend(self.list(&["then"])?);
            self.end("then")?;
            nodes.extend(self.list(&["elif", "else", "fi"])?);
            match self.rest.peek() {
                Some(next) if next.is_mark("elif") => self.end("elif")?,
                Some(next) if next.is_mark("else") => {
                    self.end("else")?;
                    nodes.extend(self.list(&["fi"])?);
                    return Ok(nodes);
                }
                _ => return Ok(nodes),
            };
        }
    }

    /// A mark behind a list, and what is fed to the command that it ends.
    fn end(&mut self, name: &str) -> Result<Vec<Word>, Unclear> {
        let mark = self.rest.next().filter(|mark| mark.is_mark(name) && mark.joint == Joint::Then).ok_or(NOT_PLAIN)?;
        Ok(mark.inputs)
    }
}

/// The names of `while read -r NAME …`; of any other loop nobody knows when it ends.
fn lines_read(condition: &[LineNode]) -> Result<Vec<String>, Unclear> {
    let [LineNode { head, kind: NodeShape::Simple, .. }] = condition else { return Err(NO_END) };
    let assignments = head.words.iter().take_while(|word| is_assignment(word)).count();
    let (set, words) = head.words.split_at(assignments);
    let separators = match set {
        [] => "",
        [only] if !only.variable => only.text.strip_prefix("IFS=").ok_or(NO_END)?,
        _ => return Err(NO_END),
    };
    let [read, arguments @ ..] = words else { return Err(NO_END) };
    let given = flags::leading("rsd:", "", arguments).filter(|_| read.text == "read" && !read.quoted).ok_or(NO_END)?;
    let names = &arguments[given.end..];
    let is_plain = head.inputs.is_empty() && !names.is_empty() && names.iter().all(is_name);
    // Up to another sign it is a part of a line.
    let is_part = |flag: &Flag<'_>| matches!(flag, Flag::Short('d', Some(sign)) if !sign.is_empty());
    if !is_plain || ((!separators.is_empty() || given.found.iter().any(is_part)) && names.len() == 1) {
        return Err(NOT_PLAIN);
    }
    Ok(names.iter().map(|word| word.text.clone()).collect())
}

/// Returns whether the word is a safe name. In capitals it may be one that decides what runs, such as `PATH`; so may
/// some that tools have in their environment.
fn is_name(word: &Word) -> bool {
    let is_plain = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '_';
    word.text.starts_with(|first: char| first.is_ascii_lowercase())
        && word.text.chars().all(is_plain)
        && !word.quoted
        && !word.text.starts_with("npm_")
        && !word.text.ends_with("_proxy")
}

/// The value of a loop's variable.
enum LoopValue {
    Word(Word),
    Line,
}

struct CompoundWriter {
    /// The known variables, the innermost last.
    known: Vec<(String, LoopValue)>,
    left: usize,
    assignments: Assignments,
}

impl CompoundWriter {
    fn parts(&mut self, nodes: &[LineNode]) -> Result<Vec<CommandNode>, Unclear> {
        nodes.iter().map(|node| self.part(node)).collect()
    }

    fn part(&mut self, node: &LineNode) -> Result<CommandNode, Unclear> {
        self.left = self.left.checked_sub(1).ok_or(Unclear::TOO_MUCH)?;
        let (order, commands) = match &node.kind {
            NodeShape::Simple => return self.simple(&node.head),
            NodeShape::Of(order) => (*order, self.parts(&node.nodes)?),
            NodeShape::For => self.written_out(node)?,
            NodeShape::Lines(names) => {
                let known = self.known.len();
                self.known.extend(names.iter().map(|name| (name.clone(), LoopValue::Line)));
                let commands = self.parts(&node.nodes)?;
                self.known.truncate(known);
                (Order::Loop, commands)
            }
        };
        let words = node.head.words.iter().take(1).cloned().collect();
        let command = LineCommand { words, inputs: node.inputs.clone(), joint: node.head.joint };
        Ok(CommandNode { command, open_ended: false, inner: Some(InnerCommands { order, commands }) })
    }

    fn written_out(&mut self, node: &LineNode) -> Result<(Order, Vec<CommandNode>), Unclear> {
        let [_, variable, within, list @ ..] = node.head.words.as_slice() else { return Err(NOT_PLAIN) };
        let is_plain = is_name(variable)
            && within.text == "in"
            && !within.quoted
            && !list.is_empty()
            && node.head.inputs.is_empty();
        is_plain.then_some(()).ok_or(NOT_PLAIN)?;
        let mut order = Order::Branches;
        let mut commands = Vec::new();
        for word in list {
            let value = self.filled(word, false)?;
            if value.variable || value.text.is_empty() || value.is_each {
                return Err(NOT_PLAIN);
            }
            if value.expands {
                order = Order::Loop;
            }
            self.known.push((variable.text.clone(), LoopValue::Word(value)));
            commands.extend(self.parts(&node.nodes)?);
            self.known.pop();
        }
        Ok((order, commands))
    }

    fn simple(&self, command: &LineCommand) -> Result<CommandNode, Unclear> {
        begins_plainly(&command.words)?;
        let name = command.words.first().map_or("", |name| name.text.as_str());
        let (says, tests) = (SAYING.contains(&name), TESTING.contains(&name));
        let filled = command.words.iter().map(|word| self.filled(word, says));
        let mut words: Vec<Word> = filled.collect::<Result<_, _>>()?;
        let is_taken = |word: &Word| self.assignments == Assignments::Any || is_harmless(word) || steers_builds(word);
        if !words.iter().take_while(|word| is_assignment(word)).all(is_taken) {
            return Err(Unclear::ASSIGNMENT_BEFORE);
        }
        // What comes first could be an option: `printf -v NAME`.
        let has_format = words.get(1).is_some_and(|format| !format.variable && !format.text.starts_with('-'));
        let is_said = |place: usize| says && place > 0 && (name != "printf" || (place > 1 && has_format));
        // `[[` splits nothing.
        let is_tested = |word: &Word| tests && (name == "[[" || is_one_word_of_a_test(word));
        let mut open_ended = false;
        for (place, word) in words.iter().enumerate().filter(|(_, word)| word.variable) {
            if is_said(place) || is_tested(word) {
                open_ended |= self.has_line(word);
            } else if place > 0 && !tests && self.is_of_lines(word) {
                open_ended = true;
            } else {
                // `test` must not be given several words for one.
                return Err(VARIABLE);
            }
        }
        open_ended &= !says;
        for word in &mut words {
            word.expands |= word.variable;
            word.text = word.text.replace([IN_QUOTES, BARE], "${").replace(VARIABLE_END, "}");
        }
        if open_ended && wrappers::inside(&words, true, 0) != Inside::Nothing {
            return Err(VARIABLE);
        }
        Ok(CommandNode { command: LineCommand { words, ..command.clone() }, open_ended, inner: None })
    }

    fn value(&self, name: &str) -> Option<&LoopValue> {
        self.known.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    fn has_line(&self, word: &Word) -> bool {
        variables(&word.text).any(|name| matches!(self.value(name), Some(LoopValue::Line)))
    }

    fn is_of_lines(&self, word: &Word) -> bool {
        variables(&word.text).all(|name| matches!(self.value(name), Some(LoopValue::Line)))
    }

    /// The word with what is known in the places of its variables.
    fn filled(&self, word: &Word, says: bool) -> Result<Word, Unclear> {
        let mut filled = Word { text: String::new(), variable: false, ..word.clone() };
        let mut rest = word.text.as_str();
        while let Some(begin) = rest.find([IN_QUOTES, BARE]) {
            let (before, from) = rest.split_at(begin);
            let (name, after) = from[1..].split_once(VARIABLE_END).ok_or(NOT_PLAIN)?;
            let splits = from.starts_with(BARE);
            filled.text.push_str(before);
            rest = after;
            match self.value(name) {
                Some(LoopValue::Word(value)) if !(value.expands && says) => fill(&mut filled, value, splits)?,
                None if !says && !splits && filled.text.is_empty() && (rest.is_empty() || rest.starts_with('/')) => {
                    match name {
                        "HOME" => filled.text.push('~'),
                        "PWD" => filled.text.push('.'),
                        _ => keep(&mut filled, from, after),
                    }
                }
                _ => keep(&mut filled, from, after),
            }
        }
        filled.text.push_str(rest);
        let is_path = |next: char| next.is_ascii_alphanumeric() || "_./-*?[]!^{},+".contains(next);
        let is_known = !filled.is_each || (!filled.variable && filled.text.chars().all(is_path));
        is_known.then_some(filled).ok_or(NOT_PLAIN)
    }
}

/// Keeps a word whose value nobody knows here.
fn keep(filled: &mut Word, from: &str, after: &str) {
    filled.text.push_str(&from[..from.len() - after.len()]);
    filled.variable = true;
}

fn fill(filled: &mut Word, value: &Word, splits: bool) -> Result<(), Unclear> {
    let is_home_within = value.text.starts_with('~') && (value.quoted || !filled.text.is_empty());
    if is_home_within {
        return Err(NOT_PLAIN);
    }
    filled.text.push_str(&value.text);
    if value.expands {
        if filled.is_each {
            return Err(NOT_PLAIN);
        }
        (filled.expands, filled.is_each) = (true, true);
    } else if splits && !value.text.chars().all(is_one_word) {
        return Err(NOT_PLAIN);
    }
    Ok(())
}

/// Neither split nor taken for a pattern.
fn is_one_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_./-+@%:,=~".contains(character) || !character.is_ascii()
}

fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.split([IN_QUOTES, BARE]).skip(1).map(|from| from.split(VARIABLE_END).next().unwrap_or_default())
}

/// Returns whether the word stays one word whatever it stands for, as in quotes or as the number of an exit code.
fn is_one_word_of_a_test(word: &Word) -> bool {
    let is_number = |name: &str| name == "?" || name.starts_with("PIPESTATUS[0") || name.starts_with("PIPESTATUS[1");
    !word.text.contains(BARE) || variables(&word.text).all(is_number)
}
