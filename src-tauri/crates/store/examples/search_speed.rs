//! How long a search takes over a log of a million events (or as many as are asked for), after how long an indexing, in
//! how large a file; and what it costs to look for news: `cargo run --release -p arki-store --example search_speed
//! [EVENTS]`.

#![allow(clippy::print_stdout)]

use arki_domain::{EventBody, EventDraft, RunId, SessionId, SystemClock};
use arki_redaction::Redactor;
use arki_store::{EventSearchQuery, Store, StoreOptions};
use serde_json::json;
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const EVENTS: usize = 1_000_000;
const EVENTS_OF_SESSION: usize = 5000;
const PROJECTS: usize = 20;
const DRAFTS_AT_ONCE: usize = 500;
/// Different words; the n-th is about n times as rare as the first, as in most languages.
const VOCABULARY: f64 = 60_000.0;
const WORDS_OF_EVENT: usize = 40;
const REPETITIONS: usize = 15;
const IDLE_POLLS: u32 = 10_000;

struct Words(u64);

impl Words {
    fn number(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn word(&mut self) -> String {
        let fraction = (self.number() >> 11) as f64 / (1_u64 << 53) as f64;
        Self::of_rank(VOCABULARY.powf(fraction) as u64)
    }

    fn of_rank(rank: u64) -> String {
        let (syllables, mut rest, mut word) = (b"kalemitonurasopedivagu", rank * 7919 % 65_521, String::new());
        for _ in 0..3 {
            let at = (rest % 11) as usize * 2;
            word.extend([char::from(syllables[at]), char::from(syllables[at + 1])]);
            rest /= 11;
        }
        format!("{word}{}", rest % 50)
    }

    fn text(&mut self) -> String {
        (0..WORDS_OF_EVENT).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn draft(number: usize, words: &mut Words) -> EventDraft {
    let text = words.text();
    let (kind, payload) = match number % 4 {
        0 => ("output.message", json!({"turn": 1, "role": "assistant", "content": text, "interrupted": false})),
        1 => {
            let args = json!({"path": format!("src/{}/{}.rs", words.word(), words.word()), "content": text});
            ("tool.call", json!({"turn": 1, "callId": "c", "toolId": "write_file", "args": args, "category": "write"}))
        }
        2 => {
            let args = json!({"command": text});
            ("tool.call", json!({"turn": 1, "callId": "c", "toolId": "run_command", "args": args, "category": "exec"}))
        }
        _ => {
            let result = format!("{text} {}", if number % 100_003 == 3 { "singular" } else { "" });
            let payload = json!({
                "callId": "c", "toolId": "run_command", "result": result, "isError": false, "durationMs": 1,
                "truncated": false,
            });
            ("tool.result", payload)
        }
    };
    EventDraft::of_run(&RunId::from("r"), EventBody::parse(kind, &payload.to_string()))
}

async fn fill(store: &Store, events: usize) -> Result<(), Box<dyn Error>> {
    let mut words = Words(88_172_645_463_325_252);
    let mut session = SessionId::new();
    for first in (0..events).step_by(DRAFTS_AT_ONCE) {
        let mut drafts: Vec<_> = (first..first + DRAFTS_AT_ONCE).map(|number| draft(number, &mut words)).collect();
        if first % EVENTS_OF_SESSION == 0 {
            session = SessionId::new();
            let project = format!("/home/user/project{}", first / EVENTS_OF_SESSION % PROJECTS);
            let created = json!({"title": words.word(), "project": project, "agent": "arki"});
            drafts[0] = EventDraft::of_session(EventBody::parse("session.created", &created.to_string()));
        }
        store.append(&session, drafts).await?;
    }
    Ok(())
}

fn median(store: &Store, query: &EventSearchQuery) -> Result<(usize, Duration), Box<dyn Error>> {
    let mut times = Vec::new();
    let mut hits = 0;
    for _ in 0..REPETITIONS {
        let started = Instant::now();
        hits = store.reader().search(query)?.len();
        times.push(started.elapsed());
    }
    times.sort_unstable();
    Ok((hits, times[times.len() / 2]))
}

fn queries(words: &mut Words) -> Vec<(&'static str, EventSearchQuery)> {
    let of = |text: String| EventSearchQuery { text, limit: 50, ..EventSearchQuery::default() };
    let common = Words::of_rank(1);
    let (some, other) = (words.word(), words.word());
    vec![
        ("rare word", of("singular".into())),
        ("common word", of(common.clone())),
        ("two words", of(format!("{some} {other}"))),
        ("phrase", of(format!("\"{common} {some}\""))),
        ("beginning of three", of("lek*".into())),
        ("beginning of one", of("l*".into())),
        ("common, one project", EventSearchQuery { project: Some("/home/user/project3".into()), ..of(common.clone()) }),
        ("common, one tool", EventSearchQuery { tool: Some("write_file".into()), ..of(common.clone()) }),
        ("common, long ago", EventSearchQuery { until_ms: Some(0), ..of(common) }),
        ("nothing", of("nothinglikethis".into())),
    ]
}

fn megabytes(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len() >> 20)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let events = std::env::args().nth(1).map_or(Ok(EVENTS), |count| count.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("arki.db");
    let options = || StoreOptions { clock: Arc::new(SystemClock), redactor: Redactor::default() };
    let store = Store::open(&path, options())?;
    let started = Instant::now();
    fill(&store, events).await?;
    store.close()?;
    println!("{events} events appended in {:?}, {} MiB", started.elapsed(), megabytes(&path));
    let store = Store::open(&path, options())?;
    let started = Instant::now();
    store.upkeep().index_for_search().await?;
    println!("indexed in {:?}", started.elapsed());
    let started = Instant::now();
    store.upkeep().index_for_search().await?;
    println!("nothing to index: {:?}", started.elapsed());
    for (name, query) in queries(&mut Words(5)) {
        let (hits, time) = median(&store, &query)?;
        println!("{name:<22} {:<18} {hits:>3} hits {time:>12.3?}", query.text);
    }
    let mut tail = store.commits().tail()?;
    let started = Instant::now();
    for _ in 0..IDLE_POLLS {
        tail.poll()?;
    }
    println!("an idle look at the log's end: {:?}", started.elapsed() / IDLE_POLLS);
    drop(tail);
    store.close()?;
    println!("{} MiB with the index", megabytes(&path));
    Ok(())
}
