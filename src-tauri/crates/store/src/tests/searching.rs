use super::{Fixture, HandClock, START_MS, called, created, options_with, parsed, started};
use crate::{EventSearchHit, EventSearchQuery, INDEX_BATCH_EVENTS, MAX_SEARCH_HITS, Store};
use arki_domain::{EventDraft, RunId, SessionId};
use serde_json::json;

fn said(text: &str) -> EventDraft {
    started(&RunId::from("r"), text)
}

fn query(text: &str) -> EventSearchQuery {
    EventSearchQuery { text: text.into(), limit: 50, ..EventSearchQuery::default() }
}

fn result(tool: &str, text: &str) -> EventDraft {
    let payload = json!({
        "callId": "c1", "toolId": tool, "result": text, "isError": false, "durationMs": 1, "truncated": false,
    });
    parsed(&RunId::from("r"), "tool.result", &payload)
}

async fn search(store: &Store, query: &EventSearchQuery) -> Vec<EventSearchHit> {
    store.upkeep().index_for_search().await.unwrap();
    store.reader().search(query).unwrap()
}

fn places(hits: &[EventSearchHit]) -> Vec<(&str, u64)> {
    hits.iter().map(|hit| (hit.session_id.as_str(), hit.seq)).collect()
}

/// Hits in brackets.
fn marked(hit: &EventSearchHit) -> String {
    hit.snippet.iter().map(|part| if part.hit { format!("[{}]", part.text) } else { part.text.clone() }).collect()
}

async fn with_two_sessions() -> Fixture {
    let fixture = Fixture::new();
    let call = json!({"path": "src/net/socket.rs", "content": "the parser reads a héader"});
    for (offset, session, drafts) in [
        (0, "a", vec![created("Networking", "/p"), said("Why does the parser fail?"), called(&"r".into(), call)]),
        (1000, "b", vec![created("Other", "/q"), said("Parse the parser's parse errors")]),
        (2000, "a", vec![result("run_command", "error: parser exploded"), result("read_file", "plain")]),
    ] {
        fixture.clock.set(START_MS + offset);
        fixture.append(&session.into(), drafts).await;
    }
    fixture
}

#[tokio::test]
async fn words_are_found_in_what_was_said_run_and_changed_the_newest_first() {
    let Fixture { store, .. } = &with_two_sessions().await;
    let hits = search(store, &query("parser")).await;
    assert_eq!(places(&hits), [("a", 4), ("b", 2), ("a", 3), ("a", 2)]);
    let first = &hits[0];
    assert_eq!((first.kind.as_str(), first.ts), ("tool.result", START_MS + 2000));
    assert_eq!((first.title.as_str(), first.project.as_str()), ("Networking", "/p"));
    assert_eq!(marked(first), "error: [parser] exploded");
    assert_eq!(places(&search(store, &EventSearchQuery { limit: 1, ..query("parser") }).await), [("a", 4)]);
}

#[tokio::test]
async fn words_phrases_and_beginnings_narrow_the_search() {
    let Fixture { store, .. } = &with_two_sessions().await;
    for (text, expected) in [
        ("parser fail", vec![("a", 2)]),
        ("\"parser fail\"", vec![("a", 2)]),
        ("\"fail parser\"", vec![]),
        ("expl*", vec![("a", 4)]),
        ("\"parser expl\"*", vec![("a", 4)]),
        ("HEADER", vec![("a", 3)]),
        ("socket.rs", vec![("a", 3)]),
        ("parser nowhere", vec![]),
        ("networking", vec![("a", 1)]),
        ("", vec![]),
        ("…", vec![]),
    ] {
        assert_eq!(places(&search(store, &query(text)).await), expected, "{text}");
    }
}

#[tokio::test]
async fn words_are_found_in_scripts_without_blanks() {
    let fixture = Fixture::new();
    let texts = ["我想重命名这个函数。", "解析器が失敗する", "ที่อยู่ไฟล์", "함수의이름을 바꾼다", "用Rust重写"];
    fixture.append(&"s".into(), texts.map(said).into()).await;
    for (text, found, shown) in [
        ("函数", 1, "我想重命名这个[函数]。"),
        ("重命名 我想", 1, "[我想重命名]这个函数。"),
        ("失敗", 2, "解析器が[失敗]する"),
        ("失敗す*", 2, "解析器が[失敗す]る"),
        ("ไฟล์", 3, "ที่อยู่[ไฟล]์"),
        ("이름", 4, "함수의[이름]을 바꾼다"),
        ("rust", 5, "用[Rust]重写"),
    ] {
        let hits = search(&fixture.store, &query(text)).await;
        assert_eq!(
            hits.iter().map(|hit| (hit.seq, marked(hit))).collect::<Vec<_>>(),
            [(found, shown.into())],
            "{text}"
        );
    }
    assert!(search(&fixture.store, &query("数函")).await.is_empty());
}

#[tokio::test]
async fn an_index_in_an_earlier_form_is_made_anew() {
    let fixture = Fixture::new();
    fixture.append(&"s".into(), vec![said("重命名")]).await;
    fixture.store.upkeep().index_for_search().await.unwrap();
    let before = "INSERT INTO search (search) VALUES ('delete-all'); DELETE FROM meta WHERE key = 'search.form'; \
                  INSERT INTO search (rowid, text, path, facets) VALUES (1, '重命名', '', '')";
    super::foreign(&fixture.path).execute_batch(before).unwrap();
    assert_eq!(places(&search(&fixture.store, &query("命名")).await), [("s", 1)]);
    assert_eq!(places(&search(&fixture.store, &query("重*")).await), [("s", 1)]);
}

#[tokio::test]
async fn a_search_is_narrowed_by_project_time_tool_and_file() {
    let Fixture { store, .. } = &with_two_sessions().await;
    let parser = query("parser");
    let (tool, path) = (|tool: &str| Some(tool.to_owned()), |path: &str| Some(path.to_owned()));
    for (query, expected) in [
        (EventSearchQuery { project: path("/q"), ..parser.clone() }, vec![("b", 2)]),
        (EventSearchQuery { project: path("/"), ..parser.clone() }, vec![]),
        (EventSearchQuery { since_ms: Some(START_MS + 1000), ..parser.clone() }, vec![("a", 4), ("b", 2)]),
        (EventSearchQuery { until_ms: Some(START_MS + 1000), ..parser.clone() }, vec![("a", 3), ("a", 2)]),
        (EventSearchQuery { tool: tool("run_command"), ..parser.clone() }, vec![("a", 4)]),
        (EventSearchQuery { tool: tool("run"), ..parser.clone() }, vec![]),
        (EventSearchQuery { path: path("net/socket.rs"), ..parser.clone() }, vec![("a", 3)]),
        (EventSearchQuery { path: path("src/socket.rs"), ..parser.clone() }, vec![]),
        (EventSearchQuery { path: path("../"), ..parser }, vec![]),
        (EventSearchQuery { tool: tool("read_file"), ..query("") }, vec![("a", 5), ("a", 3)]),
        (EventSearchQuery { project: path("/p"), ..query("") }, vec![]),
    ] {
        assert_eq!(places(&search(store, &query).await), expected, "{query:?}");
    }
}

#[tokio::test]
async fn a_search_without_words_shows_the_beginning() {
    let Fixture { store, .. } = &with_two_sessions().await;
    let hits = search(store, &EventSearchQuery { path: Some("socket.rs".into()), ..query("") }).await;
    assert_eq!(marked(&hits[0]), "the parser reads a héader");
}

#[tokio::test]
async fn a_path_is_marked_where_the_hit_is_in_it() {
    let Fixture { store, .. } = &with_two_sessions().await;
    assert_eq!(marked(&search(store, &query("net")).await[0]), "src/[net]/socket.rs");
}

#[tokio::test]
async fn the_index_is_filled_in_batches_and_once_by_two_processes() {
    let fixture = Fixture::new();
    let other = Store::open(&fixture.path, options_with(&HandClock::new())).unwrap();
    let count = INDEX_BATCH_EVENTS + 1;
    fixture.append(&SessionId::new(), vec![said("same"); count]).await;
    let (one, two) = tokio::join!(fixture.store.upkeep().index_for_search(), other.upkeep().index_for_search());
    one.unwrap();
    two.unwrap();
    let indexed: i64 =
        super::foreign(&fixture.path).query_row("SELECT count(*) FROM search('same')", [], |row| row.get(0)).unwrap();
    assert_eq!(indexed, count as i64);
}

#[tokio::test]
async fn what_many_small_fills_leave_is_joined_and_everything_found_still() {
    let fixture = Fixture::new();
    let fills = 40;
    for fill in 0..fills {
        fixture.append(&"s".into(), vec![said(&format!("same word{fill}"))]).await;
        fixture.store.upkeep().index_for_search().await.unwrap();
        // SQLite by itself joins only when there are sixteen.
        let sql = "SELECT count(DISTINCT segid) FROM search_idx";
        let pieces: i64 = super::foreign(&fixture.path).query_row(sql, [], |row| row.get(0)).unwrap();
        assert!(pieces < 4, "{pieces} pieces after fill {fill}");
    }
    assert_eq!(search(&fixture.store, &query("same")).await.len(), fills);
    assert_eq!(places(&search(&fixture.store, &query("word7")).await), [("s", 8)]);
}

#[tokio::test]
async fn a_page_of_hits_is_bounded() {
    let fixture = Fixture::new();
    fixture.append(&SessionId::new(), vec![said("same"); MAX_SEARCH_HITS + 1]).await;
    let query = EventSearchQuery { limit: usize::MAX, ..query("same") };
    assert_eq!(search(&fixture.store, &query).await.len(), MAX_SEARCH_HITS);
}

#[tokio::test]
async fn the_search_stops_when_its_page_is_full() {
    let Fixture { path, .. } = &with_two_sessions().await;
    let sql = "EXPLAIN QUERY PLAN SELECT events.seq FROM search CROSS JOIN events ON events.rowid = search.rowid \
               CROSS JOIN sessions ON sessions.session_id = events.session_id \
               WHERE search MATCH 'parser' ORDER BY search.rowid DESC LIMIT 1";
    let connection = super::foreign(path);
    let mut statement = connection.prepare(sql).unwrap();
    let plan: Vec<String> = statement.query_map([], |row| row.get(3)).unwrap().map(Result::unwrap).collect();
    assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{plan:?}");
}

#[tokio::test]
async fn in_a_session_a_text_is_found_letter_by_letter_and_in_all_of_a_long_event() {
    let fixture = with_two_sessions().await;
    let long = format!("{}\nfn MyWidget\n  Factory() {{}}\n{}", "a ".repeat(30_000), "b ".repeat(30_000));
    fixture.append(&"a".into(), vec![result("run_command", &long), said("Say \"no\" (twice)")]).await;
    let find = |text: &str| fixture.store.reader().log().find_in_session(&"a".into(), text, 50, || true).unwrap();
    let hits = find("widget factory");
    assert_eq!(places(&hits), [("a", 6)]);
    let snippet = marked(&hits[0]);
    assert!(snippet.starts_with('…') && snippet.contains("fn My[Widget Factory]() {} b b"), "{snippet}");
    assert_eq!(places(&find("ARSE")), [("a", 4), ("a", 3), ("a", 2)]);
    assert_eq!(places(&find("\"no\" (")), [("a", 7)]);
    assert_eq!(places(&find("net/SOCK")), [("a", 3)]);
    assert_eq!(find("  "), []);
    assert_eq!(find("parser?").len(), 0);
    assert_eq!(fixture.store.reader().log().find_in_session(&"none".into(), "parser", 50, || true).unwrap(), []);
    assert_eq!(fixture.store.reader().log().find_in_session(&"a".into(), "parse", 1, || true).unwrap().len(), 1);
    assert_eq!(fixture.store.reader().log().find_in_session(&"a".into(), "parse", 50, || false).unwrap(), []);
}
