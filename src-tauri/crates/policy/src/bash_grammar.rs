//! Bash's whole grammar (tree-sitter), for shell texts of which only the names of what they run count.

use std::borrow::Cow;
use std::cell::RefCell;
use tree_sitter::{Parser, Tree};

thread_local! {
    static PARSER: RefCell<Option<Parser>> = RefCell::new(bash());
}

fn bash() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

/// The text must be ASCII.
pub(super) fn tree(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| parser.as_mut()?.parse(text, None))
}

/// Replaces characters that aren't ASCII: to a shell they are all alike. The grammar's scanner calls C's `isdigit` on
/// them, which reads beyond its table and may end the process.
pub(super) fn in_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(|character| if character.is_ascii() { character } else { '%' }).collect())
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
