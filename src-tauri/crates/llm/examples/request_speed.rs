//! How long the next request of a long conversation takes to assemble, for `cargo xtask bench context`: the first time,
//! when every message is translated, and from then on, when only what came since is. Beside it the plain serialisation
//! of the same messages, and a copy of the request's bytes.

#![allow(clippy::print_stdout, reason = "its output is the figures")]

use arki_domain::{ChatRequest, Error, Message, ModelOptions};
use arki_llm::{KeySource, ProviderKind, ProviderSettings, Providers, Secret};
use async_trait::async_trait;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MESSAGES: usize = 10_000;
const TEXT_BYTES: usize = 2_000;
const ROUNDS: usize = 30;

struct NoKeys;

#[async_trait]
impl KeySource for NoKeys {
    async fn key(&self, _provider: &ProviderSettings) -> Result<Option<Secret>, Error> {
        Ok(None)
    }

    fn place(&self, _provider: &ProviderSettings) -> String {
        "nowhere".to_owned()
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    println!("{MESSAGES} messages of {TEXT_BYTES} bytes, medians of {ROUNDS}");
    for kind in [ProviderKind::Custom, ProviderKind::Openai, ProviderKind::Anthropic, ProviderKind::Gemini] {
        measure(kind)?;
    }
    Ok(())
}

fn measure(kind: ProviderKind) -> Result<(), Box<dyn StdError>> {
    let settings = ProviderSettings {
        base_url: Some("http://127.0.0.1:9/v1".to_owned()),
        is_local: true,
        ..ProviderSettings::new("bench", kind)
    };
    let providers = Providers::new(vec![settings], Arc::new(NoKeys));
    let mut messages: Vec<Arc<Message>> = (0..MESSAGES).map(message).collect();
    let plain = median(|| Ok(serde_json::to_vec(&messages)?.len()))?;
    let first = median(|| Ok(providers.model("bench/bench")?.prepare(&request(&messages))?.body.len()))?;

    let model = providers.model("bench/bench")?;
    let mut whole = model.prepare(&request(&messages))?.body;
    let copy = median(|| Ok(std::hint::black_box(whole.to_vec()).len()))?;
    let mut next = Vec::new();
    for _ in 0..ROUNDS {
        // As in a run, where the last request is gone when the next is made.
        let before = std::mem::take(&mut whole);
        let before_len = before.len();
        drop(before);
        messages.extend([message(messages.len()), message(messages.len() + 1)]);
        let request = request(&messages);
        let started = Instant::now();
        whole = model.prepare(&request)?.body;
        next.push(started.elapsed());
        assert!(whole.len() > before_len, "the request has not grown");
    }
    next.sort();
    let [plain, first, copy, next] = [plain, first, copy, next[ROUNDS / 2]].map(|time| time.as_secs_f64() * 1000.0);
    println!(
        "{kind:<12} the next request {next:.3} ms, a copy of its {:.1} MB {copy:.2} ms; the first {first:.1} ms, {:.2} times plain JSON ({plain:.1} ms)",
        whole.len() as f64 / 1e6,
        first / plain,
    );
    Ok(())
}

fn request(messages: &[Arc<Message>]) -> ChatRequest {
    ChatRequest {
        system: Arc::from("Be brief."),
        messages: Arc::new(messages.to_vec()),
        tools: Arc::from([]),
        images: Arc::new(BTreeMap::new()),
        options: ModelOptions::default(),
    }
}

fn message(number: usize) -> Arc<Message> {
    let text = format!("message {number}: ").repeat(TEXT_BYTES / 14);
    Arc::new(if number.is_multiple_of(2) {
        Message::user(text)
    } else {
        Message::Assistant { content: text, thoughts: None, reasoning: None }
    })
}

fn median(mut work: impl FnMut() -> Result<usize, Box<dyn StdError>>) -> Result<Duration, Box<dyn StdError>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        std::hint::black_box(work()?);
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}
