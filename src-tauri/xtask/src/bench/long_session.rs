//! `bench session`: what a turn costs the processor in a session of 2,000 turns of 50 kB, beside one of its first turns
//! and beside nothing but writing a request of that length to a socket.
//!
//! All of a conversation goes to the model with each turn, so that writing it is part of every turn; what is beyond that
//! must not grow with the session.

use std::{
    io::{self, Write},
    net::{TcpListener, TcpStream},
    thread,
    time::Duration,
};

use super::{
    home::Home,
    http,
    model_server::{Exchange, ModelServer},
    script,
    statistics::{median, milliseconds, ratio},
};
use crate::{
    cpu_time,
    failure::{Context, Failure},
    repository::Repository,
};

const TURNS: usize = 2000;
/// The number of files that are read in turn, since repeating the same call would need approval.
const FILES: usize = 7;
const FILE_BYTES: usize = 50_000;
/// The first turns fill caches and start threads.
const SHORT: std::ops::Range<usize> = 10..60;
const LAST: usize = 50;
const BARE_WRITES: usize = 25;

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let server = ModelServer::start((0..TURNS).map(answer).chain([script::text("done")]).collect())?;
    let home = Home::prepare(repository, "session", &server.base_url)?;
    (0..FILES).try_for_each(|file| home.write(&name(file), &text(file)))?;
    let mut command = home.arki();
    let turns = (TURNS + 1).to_string();
    command.args(["exec", "--json", "--approve", "all", "--max-turns", &turns, "read"]).stderr(home.log()?);
    let child = command.spawn().map_err(|error| Failure::new(format!("cannot start arki: {error}")))?;
    server.watch(child.id());
    home.finish(child, |_| {})?;
    let exchanges = server.exchanges();
    if exchanges.len() != TURNS + 1 {
        return Err(Failure::new(format!("{} requests came, not {}", exchanges.len(), TURNS + 1)));
    }
    let bytes = exchanges.last().map_or(0, |last| last.body_bytes);
    report(&exchanges, bytes, bare_writes(bytes).context(|| "write to a socket".into())?);
    Ok(())
}

fn name(file: usize) -> String {
    format!("src/file{file}.txt")
}

/// Lines such as a source file has.
fn text(file: usize) -> String {
    let line =
        |number: usize| format!("    let value_{number} = table.get(\"row {file}.{number}\")?; // checked above\n");
    let mut text = String::new();
    for number in 0.. {
        text.push_str(&line(number));
        if text.len() >= FILE_BYTES {
            break;
        }
    }
    text
}

fn answer(turn: usize) -> Vec<u8> {
    script::call(turn, "read_file", &format!(r#"{{"path":"{}"}}"#, name(turn % FILES)))
}

/// Measures the processor time for writing as many bytes to a reader that reads as the model's server does.
fn bare_writes(bytes: usize) -> io::Result<Duration> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let reading = thread::spawn(move || -> io::Result<()> {
        let (connection, _) = listener.accept()?;
        let mut reader = http::reader(&connection);
        for _ in 0..BARE_WRITES {
            http::read_request(&mut reader)?;
        }
        Ok(())
    });
    let mut connection = TcpStream::connect(address)?;
    let head = format!("POST / HTTP/1.1\r\ncontent-length: {bytes}\r\n\r\n");
    let body = vec![b'x'; bytes];
    let mut taken = Vec::new();
    for _ in 0..BARE_WRITES {
        let before = cpu_time::of_this_thread();
        connection.write_all(head.as_bytes())?;
        connection.write_all(&body)?;
        taken.push(cpu_time::of_this_thread().saturating_sub(before));
    }
    drop(connection);
    reading.join().map_err(|_| io::Error::other("the reader stopped"))??;
    Ok(median(&taken))
}

fn report(exchanges: &[Exchange], bytes: usize, written: Duration) {
    let turns: Vec<Duration> =
        exchanges.windows(2).map(|pair| pair[1].client_cpu.saturating_sub(pair[0].client_cpu)).collect();
    let (short, long) = (median(&turns[SHORT]), median(&turns[turns.len() - LAST..]));
    let beyond = long.saturating_sub(written);
    let megabytes = bytes as f64 / 1e6;
    println!("\nProcessor time of a turn of `read_file`, {TURNS} turns, the last request of {megabytes:.0} MB");
    let row = |name: &str, value: Duration| println!("  {name:<44} {:>9.2} ms", milliseconds(value));
    row("in a short session", short);
    row(&format!("in a session of {TURNS} turns"), long);
    row("  of which a bare write of as many bytes takes", written);
    println!("  {:<44} {:>9.2} times", "long beside short", ratio(long, short));
    println!("  {:<44} {:>9.2} times", "long without the write beside short", ratio(beyond, short));
    println!(
        r#"{{"bench":"session","turns":{TURNS},"bytes":{bytes},"shortMs":{:.3},"longMs":{:.3},"writeMs":{:.3},"growth":{:.3},"growthBeyondWrite":{:.3}}}"#,
        milliseconds(short),
        milliseconds(long),
        milliseconds(written),
        ratio(long, short),
        ratio(beyond, short)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_read_twice_in_a_row_and_each_is_as_long_as_it_should_be() {
        assert!((1..TURNS).all(|turn| answer(turn) != answer(turn - 1)));
        assert!((FILE_BYTES..FILE_BYTES + 100).contains(&text(0).len()));
    }

    #[test]
    fn a_bare_write_is_read_to_its_end() {
        assert!(bare_writes(3 << 20).is_ok());
    }
}
