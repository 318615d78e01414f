//! A model that misbehaves, made up from a seed, in every wire format: whatever it does, the run ends well, what it did is
//! in the log whole, nothing is shown twice and no half call is made. `ARKI_SOAK=1` plays 3,000 turns.

mod wire;

use crate::harness::{Stage, payloads, text};
use arki_testkit::{Script, Turn};
use serde_json::{Value, json};
use std::collections::HashSet;
use wire::{KINDS, Said, WireKind};

const TURNS: usize = 150;
const SOAK_TURNS: usize = 3000;
/// Good turns of one run, the last one its answer.
const RUN_TURNS: usize = 5;

/// Numbers from a seed: splitmix64.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % sides as u64).unwrap()
    }
}

/// One run as it is played.
struct Play {
    turns: Vec<Turn>,
    /// The files that are written by calls that came whole.
    written: HashSet<String>,
    /// Those of calls that did not.
    half: HashSet<String>,
    answer: String,
}

fn write(path: &str) -> (String, String) {
    ("write_file".to_owned(), json!({"path": path, "content": format!("of {path}\n")}).to_string())
}

fn play(kind: &WireKind, seed: u64) -> Play {
    let mut dice = Dice(seed);
    let mut play =
        Play { turns: Vec::new(), written: HashSet::new(), half: HashSet::new(), answer: format!("D0NE-{seed}") };
    // A refusal only comes where something can still be left out.
    let (mut results, mut refusals) = (0, 0);
    for number in 0..RUN_TURNS {
        let mut was_empty = false;
        for fault in 0..dice.roll(3) {
            let broken = match dice.roll(9) {
                0 => Turn::json(503, json!({"error": {"message": "overloaded"}})).header("retry-after-ms", "1"),
                1 => Turn::json(429, json!({"error": "slow down"})).header("retry-after-ms", "1"),
                2 => Turn::raw(502, "text/html", "<html>Bad gateway</html>"),
                refused @ 3..=4 if refusals < results => {
                    refusals += 1;
                    match refused {
                        3 => Turn::json(400, json!({"message": "Bad request"})),
                        _ => Turn::raw(413, "text/plain", ""),
                    }
                }
                5 if !was_empty => {
                    was_empty = true;
                    kind.turn(&Said { thoughts: "Hm. ", ..Said::default() })
                }
                6 => kind.overloaded_within(&Said { text: "Half an ans", ..Said::default() }),
                7 => kind.damaged_after(&Said { thoughts: "Let me see. ", ..Said::default() }),
                _ => {
                    let path = format!("half-{seed}-{number}-{fault}.txt");
                    let calls = vec![write(&path)];
                    play.half.insert(path);
                    kind.cut(&Said { thoughts: "I wr", text: "Writing no", calls }, dice.roll(1000))
                }
            };
            play.turns.push(broken);
        }
        if number + 1 == RUN_TURNS {
            play.turns.push(kind.turn(&Said { text: &play.answer, ..Said::default() }));
            break;
        }
        let path = format!("file-{seed}-{number}.txt");
        let call = match dice.roll(6) {
            0 => ("no_such_tool".to_owned(), "{}".to_owned()),
            1 => ("read_file".to_owned(), json!({"path": "a.txt", "limit": "3"}).to_string()),
            2 if kind.has_raw_arguments => ("read_file".to_owned(), "{\"path\": ".to_owned()),
            3 if kind.has_raw_arguments => {
                play.written.insert(path.clone());
                ("write_file".to_owned(), json!(write(&path).1).to_string())
            }
            _ => {
                play.written.insert(path.clone());
                write(&path)
            }
        };
        play.turns.push(kind.turn(&Said { thoughts: "So. ", text: "Next.", calls: vec![call] }));
        results += 1;
    }
    play
}

fn stage_of(kind: &WireKind, turns: Vec<Turn>) -> Stage {
    let shown = json!({"model_info": {"general.architecture": "x", "x.context_length": 200_000}});
    let script = Script::new(turns).sequential().telling("/api/show", shown).telling("/api/ps", json!({"models": []}));
    let stage = Stage::of(script);
    stage.write("a.txt", "one\ntwo\nthree\nfour\n");
    let url = stage.model.url();
    let base_url = if kind.is_below_v1 { url.as_str() } else { url.trim_end_matches("/v1") };
    let models = json!({"mock": {"contextWindow": 200_000, "capabilities": ["text", "streaming", "tool_use"]}});
    let provider = json!({"kind": kind.name, "baseUrl": base_url, "apiKeyEnv": "MOCK_KEY", "models": models});
    let config = json!({"agents": {"arki": {"model": "mock/mock"}}, "providers": {"mock": provider}});
    stage.write_config(&config.to_string());
    stage
}

fn run(kind: &WireKind, seed: u64) {
    let play = play(kind, seed);
    let context = format!("{} {seed}", kind.name);
    let stage = stage_of(kind, play.turns.clone());
    let done = stage.exec(&["--approve", "all", "go"]);
    let events = done.lines();
    let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
    assert_eq!(done.code, Some(0), "{context}: {:?} {kinds:?}", done.stderr);
    assert_eq!(text(&payloads(&events, "run.completed")[0]["response"]).trim(), play.answer, "{context}");
    for path in &play.written {
        assert!(stage.path(path).exists(), "{context}: {path} was not written");
    }
    for path in &play.half {
        assert!(!stage.path(path).exists(), "{context}: half a call was made for {path}");
    }
    let written = payloads(&events, "file.changed").len();
    assert_eq!(written, play.written.len(), "{context}: a call was made twice");
    let calls: Vec<Value> = payloads(&events, "tool.call");
    let ids: HashSet<String> = calls.iter().map(|call| text(&call["callId"])).collect();
    assert_eq!((ids.len(), payloads(&events, "tool.result").len()), (calls.len(), calls.len()), "{context}");
    let told = stage.arki(&["sessions", "show", "last"]).exits(0).stdout;
    assert_eq!(told.matches(&play.answer).count(), 1, "{context}: {told}");
    assert!(!told.contains("Half an ans") && !told.contains("Writing no"), "{context}: {told}");
    stage.verifies();
}

#[test]
fn no_run_of_a_misbehaving_model_ends_for_what_a_retry_or_a_left_out_part_mends() {
    let turns = if std::env::var_os("ARKI_SOAK").is_some() { SOAK_TURNS } else { TURNS };
    let runs = turns.div_ceil(RUN_TURNS * KINDS.len()) as u64;
    std::thread::scope(|scope| {
        for kind in &KINDS {
            scope.spawn(move || (1..=runs).for_each(|seed| run(kind, seed)));
        }
    });
}
