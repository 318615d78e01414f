//! Tells, without parsing it, whether a page can be rendered in a time that somebody waits, and extracts its text where
//! it cannot.
//!
//! What renders HTML takes time and memory by how deep elements are nested, and by how many formatting elements are left
//! open, which are opened anew in each paragraph. A page that takes too much of either is not rendered: its text is taken
//! from between its tags. Where it is not certain that a parser would close an element, it counts as open: a page is
//! rather not rendered than without an end.

use super::tags::{Markup, UnreadPage};

/// Pages that people write have some thirty.
const MAX_NESTING: usize = 100;
/// Formatting elements that a parser may have to open anew, over all tags.
const MAX_REOPENED: usize = 1_000_000;
/// A parser compares each with all others.
const MAX_ATTRIBUTES: usize = 1_000;
/// Elements without content, or ended by the next of their kind or by what is around them, which counts.
const NOT_NESTED: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
    "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
];
/// Left open, they are opened again in what follows.
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
/// Elements whose content is no text of the page.
const SKIPPED: &[&str] = &["script", "style", "template", "noscript"];
/// Elements in which text that is not parsed elsewhere is parsed.
const FOREIGN: &[&str] = &["svg", "math", "select"];

pub(super) fn is_too_deep(html: &str) -> bool {
    let mut open = OpenElements::default();
    let mut page = UnreadPage(html);
    while let Some((_, markup)) = page.next() {
        let is_foreign = open.is_foreign();
        match markup {
            Markup::Comment => {}
            // Where it ends, a parser knows better.
            Markup::Cdata if is_foreign => return true,
            Markup::Cdata => {}
            Markup::Tag(tag) if tag.is_end => open.end(&tag.name),
            Markup::Tag(tag) if matches!(tag.name.as_str(), "script" | "style") && !is_foreign => {
                if has_script_within(page.skip_to_end_of(&tag.name)) {
                    return true;
                }
            }
            Markup::Tag(tag) if tag.attributes > MAX_ATTRIBUTES => return true,
            Markup::Tag(tag) if is_foreign && tag.is_empty => {}
            Markup::Tag(tag) if !is_foreign && NOT_NESTED.contains(&tag.name.as_str()) => {}
            Markup::Tag(tag) => open.begin(tag.name),
        }
        if open.is_too_much() {
            return true;
        }
    }
    false
}

/// A script in a comment in a script ends otherwise.
fn has_script_within(script: &str) -> bool {
    script.split_once("<!--").is_some_and(|(_, comment)| comment.to_ascii_lowercase().contains("<script"))
}

/// The text between the tags, a line each.
pub(super) fn text_between_tags(html: &str) -> String {
    let mut text = String::new();
    let mut push = |piece: &str| {
        let piece = piece.trim();
        if !piece.is_empty() {
            text.push_str(piece);
            text.push('\n');
        }
    };
    let mut page = UnreadPage(html);
    while let Some((before, markup)) = page.next() {
        push(before);
        if let Markup::Tag(tag) = markup
            && !tag.is_end
            && SKIPPED.contains(&tag.name.as_str())
        {
            page.skip_to_end_of(&tag.name);
        }
    }
    push(page.0);
    text
}

/// The elements that are open, the innermost last.
#[derive(Default)]
struct OpenElements {
    names: Vec<String>,
    formatting: usize,
    reopened: usize,
}

impl OpenElements {
    fn begin(&mut self, name: String) {
        self.formatting += usize::from(FORMATTING.contains(&name.as_str()));
        self.names.push(name);
    }

    /// Only formatting may be between an element and its end: anything else may be what keeps it open.
    fn end(&mut self, name: &str) {
        let may_be_between = |name: &str| name == "span" || FORMATTING.contains(&name);
        let mut inner = self.names.iter().enumerate().rev();
        let Some((index, _)) = inner.find(|(_, open)| *open == name || !may_be_between(open)) else { return };
        if self.names[index] == name {
            self.names.remove(index);
            self.formatting -= usize::from(FORMATTING.contains(&name));
        }
    }

    fn is_foreign(&self) -> bool {
        self.names.iter().any(|name| FOREIGN.contains(&name.as_str()))
    }

    fn is_too_much(&mut self) -> bool {
        self.reopened += self.formatting;
        self.names.len() > MAX_NESTING || self.reopened > MAX_REOPENED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write_is_not_too_deep() {
        let long = "<p>text<br><li><b>x</b><img src=a>".repeat(10_000);
        let script = format!("<script>{}</script>", "if (a<b) x='<div>';".repeat(1000));
        let misnested = "<b><i>x</b></i> <div><b>y</div></b>".repeat(1000);
        let drawing = "<svg><g><path d='M0'/><a title='>'>x</a></g><style>a{}</style></svg>".repeat(1000);
        let table = format!("<table>{}</table>", "<tr><td>1<td>2".repeat(1000));
        for page in [long, script, misnested, drawing, table, "<!-- <div> -->".repeat(1000)] {
            assert!(!is_too_deep(&page), "{}", &page[..80]);
        }
        assert!(!is_too_deep(&("<div>".repeat(60) + "x" + &"</div>".repeat(60)).repeat(50)));
    }

    /// Each is nested for a parser, whatever its ends look like.
    #[test]
    fn what_only_looks_closed_is_too_deep() {
        for deep in [
            "<div>",
            "<div/>",
            "<b></i>",
            "<table><tr><td>",
            "<ul><li>",
            "<div><b></div>",
            "<svg></p>",
            "<rt>",
            "<div><table></div></table>",
            "<div><!--</div>-->",
            "<div><a title='></div>'></a>",
            "<div><style></div></style>",
            "<div><textarea></div></textarea>",
            "<div></ div>",
            "<svg><td>",
            "<svg><g a=b/>",
            "<svg><title><div>",
        ] {
            assert!(is_too_deep(&deep.repeat(2 * MAX_NESTING)), "{deep}");
        }
        assert!(is_too_deep(&format!("<select><style></select>{}", "<div>".repeat(2 * MAX_NESTING))));
        let script = "<div><script><!--<script></script></div>--></script>";
        assert!(is_too_deep(&script.repeat(2 * MAX_NESTING)));
        assert!(is_too_deep(&format!("<svg><div><![CDATA[>{}", "<div>".repeat(2 * MAX_NESTING))));
    }

    #[test]
    fn formatting_that_is_opened_anew_without_end_and_attributes_without_end_are_too_much() {
        assert!(is_too_deep(&("<b>".repeat(90) + &"<p>x".repeat(MAX_REOPENED / 80))));
        assert!(is_too_deep(&format!("<b {}>", "a ".repeat(MAX_ATTRIBUTES + 1))));
    }

    #[test]
    fn the_text_is_what_stands_between_the_tags() {
        let html = "a <b>bold</b>\n<script>no()</script><STYLE>no</STYLE> 1 < 2 <!-- no --> x <i";
        assert_eq!(text_between_tags(html), "a\nbold\n1 < 2\nx\n");
        assert_eq!(text_between_tags("<div>the <b>end"), "the\nend\n");
    }
}
