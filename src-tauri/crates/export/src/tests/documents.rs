use super::script::{eventful, rich};
use arki_api::ExportFormat;
use serde_json::json;

#[test]
fn a_session_as_markdown() {
    insta::assert_snapshot!(rich().export("session-1", ExportFormat::Markdown));
}

#[test]
fn what_happens_around_a_conversation_is_told_in_its_place() {
    insta::assert_snapshot!(eventful().export("session-1", ExportFormat::Markdown));
}

#[test]
fn a_session_as_a_page() {
    let page = rich().export("session-1", ExportFormat::Html);
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{head}<style>…</style>{body}"));
}

#[test]
fn a_page_needs_nothing_but_itself() {
    let page = rich().export("session-1", ExportFormat::Html);
    for foreign in ["<script", "<link", "<img", "src=", "url(", "@import", "http://", "https://", "javascript:"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.contains("default-src 'none'") && page.contains("prefers-color-scheme: dark"));
}

#[test]
fn a_page_has_landmarks_headings_and_no_error() {
    use scraper::{Html, Selector};
    let page = Html::parse_document(&rich().export("session-1", ExportFormat::Html));
    assert!(page.errors.is_empty(), "{:?}", page.errors);
    let count = |selector: &str| page.select(&Selector::parse(selector).unwrap()).count();
    assert_eq!((count("html[lang=en]"), count("main"), count("nav[aria-label]"), count("h1")), (1, 1, 1, 1));
    assert_eq!((count("main > section[aria-labelledby]"), count("h2")), (2, 3));
    assert_eq!(count("details > summary"), 3);
    assert!(count("ins") > 0 && count("del") > 0);
    for labelled in page.select(&Selector::parse("[aria-labelledby]").unwrap()) {
        let id = labelled.value().attr("aria-labelledby").unwrap();
        assert_eq!(count(&format!("#{id}")), 1, "{id}");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let text = rich().export("session-1", ExportFormat::Markdown);
    assert!(text.contains("60: line\n```\n\n… 10 more lines are left out here."), "{text}");
    assert!(!text.contains("61: line"));
    assert!(rich().export("session-1", ExportFormat::Html).contains("70: line"));
}

#[test]
fn a_state_is_told_as_it_is_at_the_end() {
    let mut script = rich();
    assert!(!script.export("session-1", ExportFormat::Markdown).contains("session's state"));
    script.append("session-1", None, "state.changed", &json!({"set": {"ans": "14/3", "old": "<b>"}}));
    script.append("session-1", None, "state.changed", &json!({"set": {"count": 2}, "removed": ["old"]}));
    let text = script.export("session-1", ExportFormat::Markdown);
    let state = "The session's state at the end, as JSON:\n\n```text\n{\n  \"ans\": \"14/3\",\n  \"count\": 2\n}\n```";
    assert!(text.contains(state), "{text}");
    assert!(script.export("session-1", ExportFormat::Html).contains("The session&#39;s state at the end"));
}
