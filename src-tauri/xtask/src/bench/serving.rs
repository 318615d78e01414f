//! `bench http`: 200 readers of `arki serve`'s events while six runs of other processes store about 1,000 a second: what
//! each reader got beside what is in the log, and how long after it was stored.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use super::{home::Home, model_server::ModelServer, script};
use crate::{
    failure::{Context, Failure},
    files,
    repository::Repository,
};

const READERS: usize = 200;
const RUNS: usize = 6;
/// A turn takes as long as the model's pause, and stores some five events: about a minute in all.
const TURNS: usize = 2_000;
/// The number of files that are read in turn, since repeating the same call would need approval.
const FILES: usize = 97;
/// A reader that hears nothing for so long has heard all: heartbeats come after 15 s.
const SILENCE: Duration = Duration::from_secs(5);

/// The address of the server, and the token that it is asked with.
#[derive(Clone)]
struct Server {
    address: String,
    token: String,
}

/// The cursors that a reader got, and how long after each event was stored, in milliseconds.
#[derive(Default)]
struct ReadEvents {
    cursors: Vec<String>,
    delays: Vec<u64>,
}

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let model = ModelServer::pausing((0..RUNS * TURNS).map(answer).collect())?;
    let home = Home::prepare(repository, "http", &model.base_url)?;
    (0..FILES).try_for_each(|file| home.write(&name(file), "a line\n"))?;
    let (mut child, server) = serve(&home)?;
    let readers: Vec<_> = (0..READERS)
        .map(|_| {
            let reader = server.reader();
            thread::spawn(move || reader.map(read))
        })
        .collect();
    // So that all of them are there.
    thread::sleep(Duration::from_secs(2));
    let began = Instant::now();
    let runs: Vec<Child> = (0..RUNS).map(|_| run(&home)).collect::<Result<_, _>>()?;
    for mut run in runs {
        run.wait().context(|| "wait for a run".into())?;
    }
    let seconds = began.elapsed().as_secs();
    let read: Vec<ReadEvents> = readers
        .into_iter()
        .map(|reader| reader.join().map_err(|_| Failure::new("a reader stopped"))?)
        .collect::<Result<_, _>>()?;
    let stored = server.stored()?;
    let _ = child.kill();
    let _ = child.wait();
    report(&read, stored, seconds)
}

fn name(file: usize) -> String {
    format!("src/file{file}.txt")
}

fn answer(turn: usize) -> Vec<u8> {
    script::call(turn, "read_file", &format!(r#"{{"path":"{}"}}"#, name(turn % FILES)))
}

fn run(home: &Home) -> Result<Child, Failure> {
    let turns = TURNS.to_string();
    let mut command = home.arki();
    command.args(["exec", "--json", "--approve", "all", "--max-turns", &turns, "read"]).stderr(Stdio::null());
    command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))
}

fn serve(home: &Home) -> Result<(Child, Server), Failure> {
    let mut command = home.arki();
    command.args(["serve", "--json", "--port", "0"]).stdout(Stdio::piped()).stderr(home.log()?);
    let mut child = command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))?;
    let mut line = String::new();
    let output = child.stdout.take().ok_or_else(|| Failure::new("the server has no output"))?;
    BufReader::new(output).read_line(&mut line).context(|| "read the server's address".into())?;
    let field = |name: &str| line.split(&format!("\"{name}\":\"")).nth(1)?.split('"').next().map(str::to_owned);
    let (Some(url), Some(file)) = (field("url"), field("tokenFile")) else { return Err(home.failed(&line)) };
    let token = String::from_utf8_lossy(&files::read(file.as_ref())?).trim().to_owned();
    Ok((child, Server { address: url.trim_start_matches("http://").to_owned(), token }))
}

impl Server {
    fn asked(&self, path: &str) -> Result<TcpStream, Failure> {
        let Self { address, token } = self;
        let mut stream = TcpStream::connect(address).context(|| "reach the server".into())?;
        stream.set_read_timeout(Some(SILENCE)).context(|| "set a timeout".into())?;
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).context(|| "ask the server".into())?;
        Ok(stream)
    }

    fn reader(&self) -> Result<TcpStream, Failure> {
        self.asked("/v1/events")
    }

    fn text(&self, path: &str) -> Result<String, Failure> {
        let mut text = String::new();
        self.asked(path)?.read_to_string(&mut text).context(|| format!("read {path}"))?;
        Ok(text)
    }

    /// Counts what the log has of all sessions.
    fn stored(&self) -> Result<usize, Failure> {
        let sessions = self.text("/v1/sessions")?;
        let mut stored = 0;
        for id in sessions.split("\"sessionId\":\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let mut from = 1;
            loop {
                let page = self.text(&format!("/v1/sessions/{id}/events?from={from}"))?;
                let count = page.matches("\"eventId\":").count();
                stored += count;
                from += count;
                if !page.contains("\"hasMore\":true") {
                    break;
                }
            }
        }
        Ok(stored)
    }
}

/// Reads until nothing comes.
fn read(stream: TcpStream) -> ReadEvents {
    let mut got = ReadEvents::default();
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if let Some(cursor) = line.strip_prefix("id: ") {
            got.cursors.push(cursor.to_owned());
        } else if let Some(stored_at) = line.strip_prefix("data: ").and_then(stored_at)
            && got.delays.len() < got.cursors.len()
        {
            got.delays.push(now().saturating_sub(stored_at));
        }
    }
    got
}

fn stored_at(data: &str) -> Option<u64> {
    let digits = data.split("\"ts\":").nth(1)?;
    digits.split(|character: char| !character.is_ascii_digit()).next()?.parse().ok()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or_default()
}

fn report(read: &[ReadEvents], stored: usize, seconds: u64) -> Result<(), Failure> {
    let first = read.first().ok_or_else(|| Failure::new("nobody read"))?;
    let unlike = read.iter().filter(|one| one.cursors != first.cursors).count();
    if unlike > 0 || first.cursors.len() != stored {
        let message = format!("{unlike} readers got others; {} came of {stored} stored", first.cursors.len());
        return Err(Failure::new(message));
    }
    let mut delays: Vec<u64> = read.iter().flat_map(|one| one.delays.iter().copied()).collect();
    delays.sort_unstable();
    let at = |share: f64| delays.get(((delays.len() - 1) as f64 * share) as usize).copied().unwrap_or_default();
    let (middle, late, last) = (at(0.5), at(0.99), at(1.0));
    println!("\n{READERS} readers of {stored} events in {seconds} s, all of which each got in the same order");
    println!("  after it was stored an event came: median {middle} ms, 99 % {late} ms, the last {last} ms");
    println!(
        r#"{{"bench":"http","readers":{READERS},"events":{stored},"seconds":{seconds},"medianMs":{middle},"p99Ms":{late},"maxMs":{last}}}"#
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_an_event_is_found_in_it() {
        assert_eq!(stored_at(r#"{"eventId":"e","seq":1,"ts":1760000000000,"type":"x"}"#), Some(1_760_000_000_000));
        assert_eq!(stored_at("{}"), None);
    }
}
