//! Turns the response into text: HTML becomes plain text with its headings, lists and links; other text stays as it is.

use super::nesting::{is_too_deep, text_between_tags};
use super::tags::{self, Markup};
use arki_domain::{Code, Error};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use reqwest::Url;

/// The bytes in which a page says its own encoding.
const META_BYTES: usize = 1024;
/// Columns for tables; text is not wrapped by it.
const WIDTH: usize = 120;
const MAX_TITLE_BYTES: usize = 500;

pub(super) struct FetchedPage {
    pub(super) url: Url,
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
}

/// # Errors
/// `FILE_NOT_TEXT` for pictures, archives and the like.
pub(super) fn ensure_text(url: &Url, content_type: &str) -> Result<(), Error> {
    let kind = kind_of(content_type);
    let is_text = kind.is_empty()
        || kind.starts_with("text/")
        || kind.ends_with("+json")
        || kind.ends_with("+xml")
        || TEXT_KINDS.contains(&kind.as_str());
    if is_text { Ok(()) } else { Err(not_text(url, &format!("it is {kind}"))) }
}

const TEXT_KINDS: &[&str] = &[
    "application/ecmascript",
    "application/graphql",
    "application/javascript",
    "application/json",
    "application/jsonl",
    "application/ndjson",
    "application/sql",
    "application/toml",
    "application/x-javascript",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-yaml",
    "application/xml",
    "application/yaml",
];

fn not_text(url: &Url, what: &str) -> Error {
    let hint = "fetch_url reads only text, such as HTML, plain text or JSON.";
    Error::new(Code::FILE_NOT_TEXT, format!("{url} is not text: {what}."), hint)
}

/// Returns the type without its parameters, in lower case.
fn kind_of(content_type: &str) -> String {
    content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

impl FetchedPage {
    /// # Errors
    /// `FILE_NOT_TEXT` when what came is not what was said.
    pub(super) fn text(&self) -> Result<String, Error> {
        let text = self.decoded();
        if text.contains('\0') {
            return Err(not_text(&self.url, "it contains binary data"));
        }
        if !self.is_html(&text) {
            return Ok(text);
        }
        let title = title(&text).map(|title| format!("Title: {title}\n\n")).unwrap_or_default();
        Ok(title + &as_plain_text(&text))
    }

    fn is_html(&self, text: &str) -> bool {
        match kind_of(&self.content_type).as_str() {
            "text/html" | "application/xhtml+xml" => true,
            "" => text
                .trim_start()
                .get(..5)
                .is_some_and(|start| matches!(&*start.to_ascii_lowercase(), "<!doc" | "<html")),
            _ => false,
        }
    }

    /// Returns what a byte order mark says, else the header, else the page itself; else UTF-8 where it is that.
    fn decoded(&self) -> String {
        let said = charset(&self.content_type).or_else(|| self.said_in_page());
        let encoding = said.and_then(|label| Encoding::for_label(label.as_bytes()));
        let encoding = encoding.unwrap_or_else(|| if is_utf8(&self.bytes) { UTF_8 } else { WINDOWS_1252 });
        encoding.decode(&self.bytes).0.into_owned()
    }

    fn said_in_page(&self) -> Option<String> {
        let kind = kind_of(&self.content_type);
        let head = String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(META_BYTES)]);
        (kind.is_empty() || kind.contains("html")).then(|| charset(&head)).flatten()
    }
}

fn as_plain_text(html: &str) -> String {
    if is_too_deep(html) {
        return text_between_tags(html);
    }
    let rendered = html2text::config::plain().no_link_wrapping().string_from_read(html.as_bytes(), WIDTH);
    // What is too narrow for its lists and quotes has its text all the same.
    rendered.unwrap_or_else(|_| text_between_tags(html))
}

/// Returns what the head of a page calls it, in one line; there are no tags in a title.
fn title(html: &str) -> Option<String> {
    let mut page = tags::UnreadPage(html);
    while let Some((_, markup)) = page.next() {
        let Markup::Tag(tag) = markup else { continue };
        match tag.name.as_str() {
            "title" if !tag.is_end => {
                let title = page.skip_to_end_of("title");
                let escaped = title[..title.floor_char_boundary(MAX_TITLE_BYTES)].replace('<', "&lt;");
                let line = as_plain_text(&escaped).split_whitespace().collect::<Vec<_>>().join(" ");
                return Some(line).filter(|line| !line.is_empty());
            }
            name @ ("script" | "style" | "noscript" | "template") if !tag.is_end => {
                page.skip_to_end_of(name);
            }
            "html" | "head" | "meta" | "link" | "base" => {}
            // The head has ended, with or without a tag that says so.
            _ => return None,
        }
    }
    None
}

/// The end may be cut within a character.
fn is_utf8(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).map_or_else(|error| error.error_len().is_none(), |_| true)
}

fn charset(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (_, rest) = lower.split_once("charset=")?;
    let label = rest.trim_start_matches(['"', '\'', ' ']);
    let end = label.find(|c: char| !c.is_ascii_alphanumeric() && !"-_:.".contains(c)).unwrap_or(label.len());
    Some(label[..end].to_owned()).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(content_type: &str, bytes: impl Into<Vec<u8>>) -> FetchedPage {
        let url = Url::parse("https://example.org/a").unwrap();
        FetchedPage { url, content_type: content_type.to_owned(), bytes: bytes.into() }
    }

    #[test]
    fn html_becomes_text_with_its_headings_lists_and_links() {
        let html = "<!DOCTYPE html><title>T</title><script>evil()</script><style>p{}</style><h1>Head</h1>\
                    <p>One <b>bold</b> <a href='https://x.example/y'>link</a> &amp; more</p><ul><li>first</li></ul>";
        let text = page("text/html", html).text().unwrap();
        assert!(text.contains("# Head") && text.contains("* first") && text.contains("https://x.example/y"), "{text}");
        assert!(text.contains("& more") && !text.contains("evil") && !text.contains("p{}"), "{text}");
    }

    #[test]
    fn a_page_begins_with_its_title() {
        let text = |html: &str| page("text/html", html).text().unwrap();
        let html = "<html><head><TITLE lang=en>\n Fish &amp; chips\n  <b> &eacute;</title></head><body><p>x</p>";
        assert_eq!(text(html), "Title: Fish & chips <b> é\n\nx\n");
        assert_eq!(text("<p>x</p>"), "x\n");
        for none in
            ["<title></title><p>x</p>", "<title> \n</title><p>x</p>", "<body><p>x</p><svg><title>y</title></svg>"]
        {
            assert!(!text(none).contains("Title:"), "{none}");
        }
        let long = text(&format!("<title>{}</title><p>x</p>", "a".repeat(10_000)));
        assert!(long.starts_with("Title: aaa") && long.len() < 1000, "{}", long.len());
    }

    #[test]
    fn a_page_without_end_in_its_nesting_is_read_all_the_same() {
        for tag in ["div", "div/", "b", "table><tr><td", "ul><li", "blockquote", "p><b", "dl><dd"] {
            for times in [4, 60, 99, 50_000] {
                let text = page("text/html", format!("<{tag}>").repeat(times) + "the end").text().unwrap();
                let letters: String = text.chars().filter(char::is_ascii_alphabetic).collect();
                assert!(letters.contains("theend"), "{times} times {tag}: {text}");
            }
        }
    }

    #[test]
    fn other_text_stays_as_it_is_and_what_is_none_is_refused() {
        assert_eq!(page("application/json", "{\"a\": \"<b>\"}").text().unwrap(), "{\"a\": \"<b>\"}");
        assert_eq!(page("text/plain", "<p>").text().unwrap(), "<p>");
        assert_eq!(page("text/plain", "a\0b").text().unwrap_err().code, "FILE_NOT_TEXT");
        let url = Url::parse("https://example.org/a").unwrap();
        for refused in ["image/png", "application/octet-stream", "application/pdf", "video/mp4; x=y"] {
            assert_eq!(ensure_text(&url, refused).unwrap_err().code, "FILE_NOT_TEXT", "{refused}");
        }
        for taken in ["", "TEXT/HTML; charset=x", "application/ld+json", "image/svg+xml", "application/yaml"] {
            assert!(ensure_text(&url, taken).is_ok(), "{taken}");
        }
    }

    #[test]
    fn text_is_decoded_by_what_is_said_of_it_or_by_what_it_is() {
        let text = |content_type: &str, bytes: &[u8]| page(content_type, bytes).text().unwrap();
        assert_eq!(text("text/plain; charset=ISO-8859-1", b"gr\xfc\xdfe"), "grüße");
        assert_eq!(text("text/plain; charset=\"shift_jis\"", b"\x93\xfa\x96\x7b"), "日本");
        assert_eq!(text("text/plain", b"gr\xfc\xdfe"), "grüße");
        assert_eq!(text("text/plain; charset=nonsense", "grüße".as_bytes()), "grüße");
        assert_eq!(text("text/plain; charset=ascii", b"\xff\xfeh\0i\0"), "hi", "a byte order mark knows better");
        let html = b"<html><meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2</p>";
        assert_eq!(text("text/html", html).trim(), "Привет");
    }
}
