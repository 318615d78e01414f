//! The conversation as one page: no script, nothing loaded from anywhere, light and dark, printable.
//!
//! All text goes through [`Text`], which escapes it; the page's own policy forbids everything but its style sheet, so
//! that even a mistake here could not load or run anything. An answer's fenced code is set as code, the rest of its
//! Markdown stays as it was written. Colours and type are those of the window (`ui/src/styles/tokens.css`).

use crate::blocks::{Block, BlockLine, SentencePiece, Speaker, Tone, each_block};
use crate::fold::{ShownLimit, fold, grouped};
use crate::lineage::{EventSource, Stretch};
use crate::writing::{Out, Stop};
use arki_domain::projection::SessionSummary;
use arki_domain::visible::{InvisibleCharacters, VisiblePart, one_line, parts, written_out};
use std::fmt::{self, Write as _};
use std::io;

/// The limit for one text; results are closed at first, so it can be high.
const TEXT_LIMIT: ShownLimit = ShownLimit { lines: 5_000, chars: 500_000 };

const STYLE: &str = include_str!("page.css");
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

pub(crate) fn write(
    source: &dyn EventSource,
    session: &SessionSummary,
    stretches: &[Stretch],
    out: Out<'_>,
) -> Result<(), Stop> {
    head(session, out)?;
    let mut page = HtmlPage { out, in_run: false };
    let totals = each_block(source, stretches, |shown| page.block(shown))?;
    page.end_run()?;
    writeln!(page.out, "</main>\n<section aria-labelledby=\"totals\">\n<h2 id=\"totals\">Totals</h2>\n<dl>")?;
    for (name, value) in totals.rows() {
        writeln!(page.out, "<dt>{name}</dt><dd>{}</dd>", HtmlText(&value, InvisibleCharacters::Code))?;
    }
    writeln!(page.out, "</dl>\n</section>\n<footer>Exported by Arki.</footer>\n</body>\n</html>")?;
    Ok(())
}

fn head(session: &SessionSummary, out: Out<'_>) -> io::Result<()> {
    let title = one_line(&session.title);
    let title = HtmlText(&title, InvisibleCharacters::Prose);
    writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
    writeln!(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">")?;
    writeln!(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")?;
    writeln!(out, "<meta name=\"referrer\" content=\"no-referrer\">")?;
    writeln!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>")?;
    writeln!(out, "<h1 dir=\"auto\" lang=\"\">{title}</h1>\n<dl>")?;
    writeln!(out, "<dt>Project</dt><dd>{}</dd>", HtmlCode(&session.project))?;
    writeln!(out, "<dt>Session</dt><dd>{}</dd>", HtmlCode(session.session_id.as_str()))?;
    writeln!(out, "<dt>Begun</dt><dd>{}</dd>", HtmlMoment(session.created_at))?;
    writeln!(out, "<dt>Last changed</dt><dd>{}</dd>", HtmlMoment(session.updated_at))?;
    writeln!(out, "<dt>State</dt><dd>{}</dd>\n</dl>\n</header>", session.state.as_str())?;
    writeln!(out, "<nav aria-label=\"This page\"><p><a href=\"#totals\">Go to the totals</a></p></nav>")?;
    writeln!(out, "<main aria-label=\"Conversation\">")
}

struct HtmlPage<'a> {
    out: Out<'a>,
    in_run: bool,
}

impl HtmlPage<'_> {
    fn block(&mut self, block: &Block) -> io::Result<()> {
        match block {
            Block::Run { number, at, model } => self.begin_run(*number, *at, model),
            Block::Said { by, text } => self.said(*by, text),
            Block::Call { tool, arguments } => {
                writeln!(self.out, "<h3>Tool call: {}</h3>", HtmlCode(tool))?;
                self.folded("text", "Arguments", arguments)
            }
            Block::Statement { tone, line } => {
                let tone = match tone {
                    Tone::Plain => "",
                    Tone::Good => " good",
                    Tone::Bad => " bad",
                    Tone::Attention => " attention",
                };
                writeln!(self.out, "<p class=\"statement{tone}\">{}</p>", Sentence(line))
            }
            Block::Command(command) => self.folded("text", "Command", command),
            Block::Diff(diff) => self.diff(diff),
            Block::Replacement(text) => self.folded("text", "New text", text),
            Block::Result { line, text, is_error } => self.result(line, text, *is_error),
        }
    }

    fn begin_run(&mut self, number: usize, at: i64, model: &str) -> io::Result<()> {
        self.end_run()?;
        self.in_run = true;
        writeln!(
            self.out,
            "<section aria-labelledby=\"prompt-{number}\">\n<h2 id=\"prompt-{number}\">Prompt {number}</h2>"
        )?;
        writeln!(self.out, "<p class=\"about\">{}, {}</p>", HtmlMoment(at), HtmlCode(model))
    }

    fn end_run(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.in_run) { writeln!(self.out, "</section>") } else { Ok(()) }
    }

    fn said(&mut self, by: Speaker, text: &str) -> io::Result<()> {
        let (name, class) = match by {
            Speaker::User => ("User", "user"),
            Speaker::Model => ("Arki", "model"),
            Speaker::Thoughts => ("Arki, to itself", "thoughts"),
            Speaker::Note => ("Note to the model", "note"),
        };
        writeln!(self.out, "<h3 class=\"{class}\">{name}</h3>")?;
        for passage in passages(text) {
            match passage {
                Passage::Prose(prose) => {
                    let prose = HtmlText(prose, InvisibleCharacters::Prose);
                    writeln!(self.out, "<div class=\"said {class}\" dir=\"auto\" lang=\"\">{prose}</div>")?;
                }
                Passage::Code(code) => self.pre("code", "Code", code)?,
            }
        }
        Ok(())
    }

    fn result(&mut self, line: &BlockLine, text: &str, is_error: bool) -> io::Result<()> {
        let class = if is_error { " class=\"bad\"" } else { "" };
        if text.trim().is_empty() {
            return writeln!(self.out, "<p class=\"statement\">{}: nothing.</p>", Sentence(line));
        }
        let lines = match text.lines().count() {
            1 => "1 line".to_owned(),
            lines => format!("{} lines", grouped(lines as u64)),
        };
        writeln!(self.out, "<details{class}><summary>{} ({lines})</summary>", Sentence(line))?;
        self.folded("text", "Result", text)?;
        writeln!(self.out, "</details>")
    }

    fn folded(&mut self, class: &str, name: &str, text: &str) -> io::Result<()> {
        let folded = fold(text, TEXT_LIMIT);
        self.pre(class, name, folded.shown)?;
        self.left_out(folded.left_out())
    }

    /// A reader without a pointer reaches what is wider than the page by the focus.
    fn pre(&mut self, class: &str, name: &str, text: &str) -> io::Result<()> {
        let text = HtmlText(text, InvisibleCharacters::Code);
        // The first line break inside a `pre` is not shown, so that one more is needed.
        writeln!(self.out, "<pre class=\"{class}\" role=\"group\" aria-label=\"{name}\" tabindex=\"0\">\n{text}</pre>")
    }

    /// Each line keeps its sign, so that nothing depends on colour.
    fn diff(&mut self, diff: &str) -> io::Result<()> {
        let folded = fold(diff, TEXT_LIMIT);
        write!(self.out, "<pre class=\"diff\" role=\"group\" aria-label=\"Change\" tabindex=\"0\">")?;
        for line in folded.shown.split('\n') {
            let shown = HtmlText(line.strip_suffix('\r').unwrap_or(line), InvisibleCharacters::Code);
            match line.bytes().next() {
                Some(b'+') if !line.starts_with("+++ ") => write!(self.out, "<ins>{shown}\n</ins>")?,
                Some(b'-') if !line.starts_with("--- ") => write!(self.out, "<del>{shown}\n</del>")?,
                Some(b'@') => write!(self.out, "<span class=\"hunk\">{shown}\n</span>")?,
                _ => write!(self.out, "<span>{shown}\n</span>")?,
            }
        }
        writeln!(self.out, "</pre>")?;
        self.left_out(folded.left_out())
    }

    fn left_out(&mut self, words: Option<String>) -> io::Result<()> {
        match words {
            Some(words) => writeln!(self.out, "<p class=\"left-out\">… {words}</p>"),
            None => Ok(()),
        }
    }
}

/// Escaped, with what would not be seen written out and marked.
struct HtmlText<'a>(&'a str, InvisibleCharacters);

impl fmt::Display for HtmlText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.0.split_inclusive('\n') {
            let (line, end) = line.strip_suffix("\r\n").map_or((line, ""), |line| (line, "\n"));
            for part in parts(line, self.1) {
                match part {
                    VisiblePart::Seen(seen) => escape(seen, f)?,
                    VisiblePart::Unseen(character) => write!(f, "<mark>{}</mark>", written_out(character))?,
                }
            }
            f.write_str(end)?;
        }
        Ok(())
    }
}

fn escape(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for character in text.chars() {
        match character {
            '&' => f.write_str("&amp;")?,
            '<' => f.write_str("&lt;")?,
            '>' => f.write_str("&gt;")?,
            '"' => f.write_str("&quot;")?,
            '\'' => f.write_str("&#39;")?,
            other => f.write_char(other)?,
        }
    }
    Ok(())
}

struct HtmlCode<'a>(&'a str);

impl fmt::Display for HtmlCode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<code>{}</code>", HtmlText(self.0, InvisibleCharacters::Code))
    }
}

struct HtmlMoment(i64);

impl fmt::Display for HtmlMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = jiff::Timestamp::from_millisecond(self.0).unwrap_or_default();
        write!(f, "<time datetime=\"{}\">{}</time>", moment.strftime("%Y-%m-%dT%H:%M:%SZ"), crate::writing::utc(self.0))
    }
}

struct Sentence<'a>(&'a BlockLine);

impl fmt::Display for Sentence<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|span| match span {
            SentencePiece::Words(words) => escape(words, f),
            SentencePiece::Quoted(text) => write!(f, "{}", HtmlCode(text)),
            SentencePiece::Text(text) => {
                write!(f, "<span lang=\"\">{}</span>", HtmlText(text, InvisibleCharacters::Prose))
            }
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Passage<'a> {
    Prose(&'a str),
    Code(&'a str),
}

/// Splits at fenced code. All of it is escaped, so that a fence that others see differently does no harm.
fn passages(text: &str) -> Vec<Passage<'_>> {
    let mut passages = Vec::new();
    let (mut from, mut at, mut fence) = (0, 0, None);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (fence, fence_of(line)) {
            (None, Some(opened)) => {
                passages.push(Passage::Prose(&text[from..at]));
                (fence, from) = (Some(opened), next);
            }
            (Some((mark, length)), Some((closing, closing_length))) if mark == closing && closing_length >= length => {
                passages.push(Passage::Code(&text[from..at]));
                (fence, from) = (None, next);
            }
            _ => {}
        }
        at = next;
    }
    let rest = &text[from.min(text.len())..];
    passages.push(if fence.is_some() { Passage::Code(rest) } else { Passage::Prose(rest) });
    passages.retain_mut(|passage| match passage {
        Passage::Prose(prose) => {
            *prose = prose.trim();
            !prose.is_empty()
        }
        Passage::Code(code) => !code.trim().is_empty(),
    });
    passages
}

/// The fence's character and length.
fn fence_of(line: &str) -> Option<(char, usize)> {
    const SHORTEST: usize = 3;
    let line = line.trim_start();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|character| *character == mark).count();
    (length >= SHORTEST && !line[length..].contains('`')).then_some((mark, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_code_is_told_from_prose() {
        let text = "Look:\n```rust\nfn a() {}\n```\nand\n~~~~\n```\n~~~~\n";
        let found = passages(text);
        assert_eq!(
            found,
            [Passage::Prose("Look:"), Passage::Code("fn a() {}\n"), Passage::Prose("and"), Passage::Code("```\n"),]
        );
        assert_eq!(passages("```\nopen"), [Passage::Code("open")]);
        assert_eq!(passages("plain"), [Passage::Prose("plain")]);
    }

    #[test]
    fn text_stays_text() {
        let shown = HtmlText("<b a='\"'>&\u{202e}\r\n", InvisibleCharacters::Prose).to_string();
        assert_eq!(shown, "&lt;b a=&#39;&quot;&#39;&gt;&amp;<mark>\\u{202e}</mark>\n");
    }
}
