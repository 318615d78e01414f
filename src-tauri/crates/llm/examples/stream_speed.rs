//! How fast one streamed answer is read, on one thread: `stream_speed stack|bare BASE_URL`, for
//! `cargo xtask bench providers`, whose server it asks. `stack` is what a run uses; `bare` is the same HTTP client and
//! the parser of server-sent events alone, without JSON, limits and time-outs.

#![allow(clippy::print_stdout, reason = "its output is the figures")]

use arki_domain::{ChatRequest, Error, Message, ModelOptions, StreamEvent};
use arki_llm::{KeySource, ProviderKind, ProviderSettings, Providers, Secret};
use async_trait::async_trait;
use futures_util::StreamExt;
use futures_util::stream::unfold;
use reqwest::Client;
use sse_stream::SseByteStream;
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Instant;

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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn StdError>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [way, base_url] = arguments.as_slice() else { return Err("stream_speed stack|bare BASE_URL".into()) };
    // The client's TLS is made outside of what is measured.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let started = Instant::now();
    let events = match way.as_str() {
        "stack" => stack(base_url).await?,
        "bare" => bare(base_url).await?,
        _ => return Err("there are stack and bare".into()),
    };
    println!("seconds {:.6}\nevents {events}\npeak_kib {}", started.elapsed().as_secs_f64(), peak_kib());
    Ok(())
}

/// Events delivered: pieces of text, and what the end brings.
async fn stack(base_url: &str) -> Result<usize, Box<dyn StdError>> {
    let settings = ProviderSettings {
        base_url: Some(base_url.to_owned()),
        is_local: true,
        ..ProviderSettings::new("bench", ProviderKind::Custom)
    };
    let model = Providers::new(vec![settings], Arc::new(NoKeys)).model("bench/bench")?;
    let request = ChatRequest {
        system: Arc::from(""),
        messages: Arc::new(vec![Arc::new(Message::user("hi"))]),
        tools: Arc::from([]),
        images: Arc::new(BTreeMap::new()),
        options: ModelOptions::default(),
    };
    let mut answer = model.send(model.prepare(&request)?).await?;
    let (mut events, mut ended) = (0, false);
    while let Some(event) = answer.next().await {
        ended = event? == StreamEvent::End;
        events += 1;
    }
    if ended { Ok(events) } else { Err("the answer has no end".into()) }
}

async fn bare(base_url: &str) -> Result<usize, Box<dyn StdError>> {
    // As the stack does for an address without TLS: reading the system's certificates takes long.
    let client = Client::builder().tls_certs_only([]).no_proxy().build()?;
    let response = client.post(format!("{base_url}/chat/completions")).body("{}").send().await?;
    let chunks = unfold(response, async |mut response| {
        let chunk = response.chunk().await.transpose()?;
        Some((chunk, response))
    });
    let mut parser = SseByteStream::new(chunks.boxed());
    let mut events = 0;
    while let Some(event) = parser.next().await {
        event?;
        events += 1;
    }
    Ok(events)
}

/// From the kernel's own account of the process; 0 where there is none.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
