//! `bench memory`: the peak memory of a run of 3,000 turns beside that of one of 300, in a window that holds some twenty
//! of them.
//!
//! What is sent is bounded by the window, so that what a run keeps should be too.

use super::{home::Home, model_server::ModelServer, script, turns::peak_memory_kib};
use crate::{failure::Failure, process, repository::Repository};

const SHORT: usize = 300;
const LONG: usize = 3000;
/// The number of files that are read in turn, since repeating the same call would need approval.
const FILES: usize = 7;
const FILE_BYTES: usize = 12_000;
const WINDOW: &str = "32768";
/// In bytes: more than that many tokens have.
const LONGEST_REQUEST: usize = 6 * 32768;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let short = peak_of_a_run(repository, SHORT)?;
    let long = peak_of_a_run(repository, LONG)?;
    let mib = |kib: u64| kib as f64 / 1024.0;
    let ratio = long as f64 / short.max(1) as f64;
    let bytes_a_turn = long.saturating_sub(short) * 1024 / (LONG - SHORT) as u64;
    println!("\nPeak memory of a run of `read_file`, {FILE_BYTES} bytes a turn, in a window of {WINDOW} tokens");
    println!("  {:<44} {:>9.1} MiB", format!("{SHORT} turns"), mib(short));
    println!("  {:<44} {:>9.1} MiB", format!("{LONG} turns"), mib(long));
    println!("  {:<44} {ratio:>9.2} times", "long beside short");
    println!("  {:<44} {bytes_a_turn:>9} bytes", "more for each turn more");
    println!(
        r#"{{"bench":"memory","shortTurns":{SHORT},"longTurns":{LONG},"shortKib":{short},"longKib":{long},"ratio":{ratio:.3},"bytesATurn":{bytes_a_turn}}}"#
    );
    Ok(())
}

/// In KiB.
fn peak_of_a_run(repository: &Repository, turns: usize) -> Result<u64, Failure> {
    let server = ModelServer::start((0..turns).map(answer).chain([script::text("done")]).collect())?;
    let home = Home::prepare(repository, "memory", &server.base_url)?;
    (0..FILES).try_for_each(|file| home.write(&name(file), &"a line of some file\n".repeat(FILE_BYTES / 20)))?;
    // Asks for no summaries, so that each request is a turn.
    for (key, value) in
        [("compaction.strategy", "\"keep-recent\""), ("providers.mock.models.mock.contextWindow", WINDOW)]
    {
        process::capture(home.arki().args(["config", "set", key, value]))?;
    }
    let most = (turns + 1).to_string();
    let mut command = home.arki();
    command.args(["exec", "--json", "--approve", "all", "--max-turns", &most, "read"]).stderr(home.log()?);
    let child = command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))?;
    let mut peak = 0;
    home.finish(child, |id| peak = peak_memory_kib(id).max(peak))?;
    let exchanges = server.exchanges();
    if exchanges.len() != turns + 1 {
        return Err(Failure::new(format!("{} requests came, not {}", exchanges.len(), turns + 1)));
    }
    match exchanges.iter().map(|exchange| exchange.body_bytes).max() {
        Some(bytes) if bytes > LONGEST_REQUEST => Err(Failure::new(format!("a request has {bytes} bytes"))),
        _ => Ok(peak),
    }
}

fn name(file: usize) -> String {
    format!("src/file{file}.txt")
}

fn answer(turn: usize) -> Vec<u8> {
    script::without_usage(&script::call(turn, "read_file", &format!(r#"{{"path":"{}"}}"#, name(turn % FILES))))
}
