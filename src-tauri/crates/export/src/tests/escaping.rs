use super::script::saying;
use arki_api::ExportFormat;
use arki_domain::visible::{InvisibleCharacters, visible};
use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use scraper::{Html, Selector};

/// What has a meaning in Markdown, in HTML, or to the eye.
fn hostile() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "`",
        "```",
        "````````",
        "~~~",
        "\n",
        "\r",
        "\r\n",
        "\n\n",
        "# x",
        "- x",
        "> ",
        "| a | b |",
        "\n---\n",
        "    ",
        "<script>alert(1)</script>",
        "</pre>",
        "</code></details>",
        "<!--",
        "-->",
        "]]>",
        "<img src=x onerror=y>",
        "&lt;",
        "![x](http://a)",
        "[x](javascript:y)",
        "[x]: http://a",
        "\\",
        "\"",
        "'",
        "*",
        "_",
        "$$",
        "\u{202e}",
        "\u{2066}",
        "\u{0}",
        "\u{1b}[2J",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "a",
        "ä",
        "</style>",
        "</title>",
        "{{x}}",
        "\u{200d}",
    ];
    let piece = prop_oneof![
        proptest::sample::select(PIECES).prop_map(str::to_owned),
        "\\PC{0,4}",
        any::<char>().prop_map(String::from)
    ];
    proptest::collection::vec(piece, 1..12).prop_map(|pieces| pieces.concat())
}

/// The headings of a document, and how many code blocks it has; anything that would be more than text fails.
fn markdown_shape(text: &str) -> (usize, Vec<String>) {
    let (mut headings, mut blocks, mut in_block) = (0, Vec::new(), false);
    for event in Parser::new_ext(text, Options::all()) {
        match event {
            Event::Start(Tag::Heading { .. }) => headings += 1,
            Event::Start(Tag::CodeBlock(_)) => {
                in_block = true;
                blocks.push(String::new());
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_block = false,
            Event::Text(text) if in_block => blocks.last_mut().unwrap().push_str(&text),
            Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Item) | Event::End(_) => {}
            Event::Text(_) | Event::Code(_) | Event::SoftBreak => {}
            other => panic!("{other:?} in {text}"),
        }
    }
    (headings, blocks)
}

/// How often each element stands in a page.
fn page_shape(page: &str) -> Vec<(&'static str, usize)> {
    let parsed = Html::parse_document(page);
    assert!(parsed.errors.is_empty(), "{:?}\n{page}", parsed.errors);
    let elements =
        ["*", "script", "img", "a", "h1", "h2", "h3", "section", "details", "pre", "style", "meta", "title", "main"];
    let own = |name: &&str| *name != "*";
    let count = |name: &str| parsed.select(&Selector::parse(name).unwrap()).count();
    elements.into_iter().filter(own).map(|name| (name, count(name))).collect()
}

fn is_unseen(character: char) -> bool {
    character != '\n'
        && character != '\t'
        && visible(&character.to_string(), InvisibleCharacters::Prose) != character.to_string()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_breaks_out_of_its_place_in_markdown(text in hostile()) {
        let document = saying(&text).export("session-1", ExportFormat::Markdown);
        let (plain_headings, _) = markdown_shape(&saying("plain").export("session-1", ExportFormat::Markdown));
        let (headings, blocks) = markdown_shape(&document);
        prop_assert!(!document.contains(is_unseen), "{:?}", document);
        // Only what is blank is not shown; where it is, its heading is missing too.
        if !text.trim().is_empty() {
            prop_assert_eq!(headings, plain_headings);
            let mut said = visible(&text, InvisibleCharacters::Prose);
            if !said.ends_with('\n') {
                said.push('\n');
            }
            prop_assert!(blocks.contains(&said), "{:?} in {:?}", said, blocks);
        }
    }

    #[test]
    fn nothing_breaks_out_of_its_place_on_a_page(text in hostile()) {
        let page = saying(&text).export("session-1", ExportFormat::Html);
        prop_assert!(!page.contains(is_unseen), "{:?}", page);
        let shape = page_shape(&page);
        let count = |name: &str| shape.iter().find(|(found, _)| *found == name).unwrap().1;
        prop_assert_eq!((count("script"), count("img"), count("a")), (0, 0, 1));
        prop_assert_eq!((count("style"), count("meta"), count("title"), count("main")), (1, 4, 1, 1));
        prop_assert_eq!((count("h1"), count("h2"), count("section")), (1, 2, 2));
    }
}

#[test]
fn a_page_keeps_what_was_said_to_the_letter() {
    let text = "if a < b && c > \"d\" { 'e' } </div>\n\n  indented & done";
    let page = Html::parse_document(&saying(text).export("session-1", ExportFormat::Html));
    let said = page.select(&Selector::parse(".said.user").unwrap()).next().unwrap();
    assert_eq!(said.text().collect::<String>(), text);
}
