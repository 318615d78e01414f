//! The conversation as CommonMark.
//!
//! What people, models and files said stands in fenced blocks and code spans, never as Markdown of its own: quoted text
//! could otherwise pass for a heading, a decision or a link of this document, or load an image when it is opened. A
//! fence is longer than any run of backticks inside it, and what would not be seen is written out.

use crate::blocks::{Block, BlockLine, SentencePiece, Speaker, each_block};
use crate::fold::{ShownLimit, fold};
use crate::lineage::{EventSource, Stretch};
use crate::writing::{Out, Stop};
use arki_domain::projection::SessionSummary;
use arki_domain::visible::{InvisibleCharacters, one_line, visible};
use std::io;

/// The limit for a tool's result and for its arguments.
const RESULT_LIMIT: ShownLimit = ShownLimit { lines: 60, chars: 8_000 };
/// The limit for a diff, and for a text that replaces another.
const DIFF_LIMIT: ShownLimit = ShownLimit { lines: 2_000, chars: 200_000 };

pub(crate) fn write(
    source: &dyn EventSource,
    session: &SessionSummary,
    stretches: &[Stretch],
    out: Out<'_>,
) -> Result<(), Stop> {
    head(session, out)?;
    let totals = each_block(source, stretches, |shown| block(shown, out))?;
    writeln!(out, "## Totals\n")?;
    for (name, value) in totals.rows() {
        writeln!(out, "- {name}: {value}")?;
    }
    Ok(())
}

fn head(session: &SessionSummary, out: Out<'_>) -> io::Result<()> {
    writeln!(out, "# {}\n", escaped(&one_line(&session.title)))?;
    writeln!(out, "- Project: {}", code_span(&session.project))?;
    writeln!(out, "- Session: {}", code_span(session.session_id.as_str()))?;
    writeln!(out, "- Begun: {}", crate::writing::utc(session.created_at))?;
    writeln!(out, "- Last changed: {}", crate::writing::utc(session.updated_at))?;
    writeln!(out, "- State: {}\n", session.state.as_str())?;
    writeln!(
        out,
        "Results and arguments are shown up to {} lines or {} characters; the export as JSON Lines has all of them.\n",
        RESULT_LIMIT.lines, RESULT_LIMIT.chars
    )
}

fn block(block: &Block, out: Out<'_>) -> io::Result<()> {
    match block {
        Block::Run { number, at, model } => {
            writeln!(out, "## Prompt {number}\n\n{}, {}\n", crate::writing::utc(*at), code_span(model))
        }
        Block::Said { by, text } => {
            let (heading, language) = match by {
                Speaker::User => ("### User", "text"),
                Speaker::Model => ("### Arki", "markdown"),
                Speaker::Thoughts => ("### Arki, to itself", "markdown"),
                Speaker::Note => ("Note to the model:", "text"),
            };
            writeln!(out, "{heading}\n")?;
            fenced(language, &visible(text, InvisibleCharacters::Prose), out)
        }
        Block::Call { tool, arguments } => {
            writeln!(out, "### Tool call: {}\n", code_span(tool))?;
            folded("json", arguments, RESULT_LIMIT, out)
        }
        Block::Statement { line, .. } => writeln!(out, "{}\n", sentence(line)),
        Block::Command(command) => folded("bash", command, DIFF_LIMIT, out),
        Block::Diff(diff) => folded("diff", diff, DIFF_LIMIT, out),
        Block::Replacement(text) => folded("text", text, DIFF_LIMIT, out),
        Block::Result { line, text, .. } if text.trim().is_empty() => writeln!(out, "{}: nothing.\n", sentence(line)),
        Block::Result { line, text, .. } => {
            writeln!(out, "{}:\n", sentence(line))?;
            folded("text", text, RESULT_LIMIT, out)
        }
    }
}

fn sentence(line: &BlockLine) -> String {
    let span = |span: &SentencePiece| match span {
        SentencePiece::Words(words) => words.to_string(),
        SentencePiece::Quoted(text) => code_span(text),
        SentencePiece::Text(text) => escaped(text),
    };
    line.iter().map(span).collect()
}

fn folded(language: &str, text: &str, limit: ShownLimit, out: Out<'_>) -> io::Result<()> {
    let folded = fold(text, limit);
    fenced(language, &visible(folded.shown, InvisibleCharacters::Code), out)?;
    match folded.left_out() {
        Some(words) => writeln!(out, "… {words}\n"),
        None => Ok(()),
    }
}

/// `text` has no character that is not seen, so that no reader can take one for a line break.
fn fenced(language: &str, text: &str, out: Out<'_>) -> io::Result<()> {
    const SHORTEST: usize = 3;
    let fence = "`".repeat(SHORTEST.max(longest_run(text) + 1));
    let line_end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    writeln!(out, "{fence}{language}\n{text}{line_end}{fence}\n")
}

fn code_span(text: &str) -> String {
    let text = one_line(text);
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // Without the space a backtick at the edge would join the fence; readers take one space off again.
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

/// Text of one line: every character that could mean something to a reader of Markdown means itself.
fn escaped(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for character in line.chars() {
        if character.is_ascii_punctuation() && !matches!(character, '.' | ',' | ';' | ':' | '\'' | '/' | '?' | '%') {
            plain.push('\\');
        }
        plain.push(character);
    }
    plain
}
