//! The tags of a page, found as a parser's tokenizer finds them: past comments and quoted attributes.

#[derive(Debug, PartialEq)]
pub(super) enum Markup {
    Tag(HtmlTag),
    Comment,
    /// Text in drawings, a comment elsewhere.
    Cdata,
}

#[derive(Debug, PartialEq)]
pub(super) struct HtmlTag {
    pub(super) name: String,
    pub(super) is_end: bool,
    /// Written with a slash at its end, which means something in drawings only.
    pub(super) is_empty: bool,
    pub(super) attributes: usize,
}

/// The rest of the page, still to be read.
pub(super) struct UnreadPage<'a>(pub(super) &'a str);

impl<'a> UnreadPage<'a> {
    /// The text before the next markup, and the markup.
    pub(super) fn next(&mut self) -> Option<(&'a str, Markup)> {
        let html = self.0;
        let mut from = 0;
        loop {
            let start = from + html[from..].find('<')?;
            let (before, inner) = (&html[..start], &html[start + 1..]);
            let is_end = inner.starts_with('/');
            let named = &inner[usize::from(is_end)..];
            if named.starts_with(|c: char| c.is_ascii_alphabetic()) {
                let (tag, after) = tag(named, is_end);
                self.0 = after;
                return Some((before, Markup::Tag(tag)));
            }
            if is_end && !named.is_empty() || inner.starts_with(['!', '?']) {
                self.0 = after_comment(inner);
                let is_cdata = inner.starts_with("![CDATA[");
                return Some((before, if is_cdata { Markup::Cdata } else { Markup::Comment }));
            }
            from = start + 1;
        }
    }

    /// Past the next end of this name. What is between is no markup, and is given.
    pub(super) fn skip_to_end_of(&mut self, name: &str) -> &'a str {
        let html = self.0;
        let ends = |start: usize| {
            let named = &html.as_bytes()[start + 2..];
            let is_this = named.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
            is_this
                && named.get(name.len()).is_none_or(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
        };
        let end = html.match_indices("</").map(|(start, _)| start).find(|start| ends(*start)).unwrap_or(html.len());
        self.0 = html.get(end + 2..).map_or("", |named| tag(named, true).1);
        &html[..end]
    }
}

/// A tag from its name on, and what follows it.
fn tag(named: &str, is_end: bool) -> (HtmlTag, &str) {
    let bytes = named.as_bytes();
    let is_space = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
    let to = |from: usize, stops: &dyn Fn(u8) -> bool| {
        bytes[from..].iter().position(|byte| stops(*byte)).map_or(bytes.len(), |length| from + length)
    };
    let mut at = to(0, &|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    let mut tag = HtmlTag { name: named[..at].to_ascii_lowercase(), is_end, is_empty: false, attributes: 0 };
    loop {
        at = to(at, &|byte| !byte.is_ascii_whitespace());
        match bytes.get(at) {
            None => return (tag, ""),
            Some(b'>') => return (tag, &named[at + 1..]),
            Some(b'/') => {
                at += 1;
                tag.is_empty = bytes.get(at) == Some(&b'>');
                continue;
            }
            Some(_) => {}
        }
        tag.attributes += 1;
        at = to(at + 1, &|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>' | b'='));
        let value = if is_space(at) { to(at, &|byte| !byte.is_ascii_whitespace()) } else { at };
        if bytes.get(value) != Some(&b'=') {
            continue;
        }
        at = to(value + 1, &|byte| !byte.is_ascii_whitespace());
        at = match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => (to(at + 1, &|byte| byte == *quote) + 1).min(bytes.len()),
            _ => to(at, &|byte| byte.is_ascii_whitespace() || byte == b'>'),
        };
    }
}

fn after_comment(inner: &str) -> &str {
    let Some(comment) = inner.strip_prefix("!--") else {
        return inner.split_once('>').map_or("", |(_, after)| after);
    };
    if let Some(after) = comment.strip_prefix('>').or_else(|| comment.strip_prefix("->")) {
        return after;
    }
    let mut dashes = comment.match_indices("--").map(|(start, _)| &comment[start + 2..]);
    dashes.find_map(|after| after.strip_prefix('>').or_else(|| after.strip_prefix("!>"))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tags as they would be written plainly, and the text.
    fn check(html: &str, expected: &str) {
        let mut page = UnreadPage(html);
        let mut found = String::new();
        while let Some((before, markup)) = page.next() {
            found.push_str(before);
            match markup {
                Markup::Tag(tag) => {
                    let (end, empty) = (if tag.is_end { "/" } else { "" }, if tag.is_empty { "/" } else { "" });
                    found.push_str(&format!("<{end}{}:{}{empty}>", tag.name, tag.attributes));
                }
                Markup::Comment => found.push_str("<!>"),
                Markup::Cdata => found.push_str("<[]>"),
            }
        }
        assert_eq!(found + page.0, expected, "{html}");
    }

    #[test]
    fn tags_are_found_past_quotes_and_comments() {
        check("a<B>c</b >d", "a<b:0>c</b:0>d");
        check("<a title='></b>' x=\"/>\" y>t", "<a:3>t");
        check("<br/><g a=b/><g a='b'/><g a = b c />", "<br:0/><g:1><g:1/><g:2/>");
        check("1 < 2 <3 <", "1 < 2 <3 <");
        check("<!-- <b> --><!--><b><!---><b><!-- --!>x", "<!><!><b:0><!><b:0><!>x");
        check("<!DOCTYPE html><?x?></ b></>x<![CDATA[y]]>", "<!><!><!><!>x<[]>");
        check("<b<i>x<a =b>y<a b", "<b<i:0>x<a:1>y<a:1>");
        check("<ü><é/>", "<ü><é/>");
    }

    #[test]
    fn what_is_no_markup_is_skipped_to_its_end() {
        let mut page = UnreadPage("a</scripts></SCRIPT x='>'>b");
        assert_eq!((page.skip_to_end_of("script"), page.0), ("a</scripts>", "b"));
        assert_eq!((page.skip_to_end_of("script"), page.0), ("b", ""));
    }
}
