//! HTTP/1.1 by hand over one socket: only so is every byte and every write under the script's control.

use crate::scripted_server::{Recorded, SharedScript};
use crate::turn::{Response, StreamEnding, Turn};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Between two writes by the clock.
const PACE: Duration = Duration::from_millis(4);

pub(crate) fn serve(stream: &TcpStream, shared: &SharedScript) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    while let Some((method, request)) = read_request(&mut reader)? {
        if let Some((_, told)) = shared.script.told.iter().find(|(path, _)| *path == request.path) {
            let response = Response::new(200, "application/json", told.to_string().into());
            write_response(stream, &response, &Turn::calls(), shared)?;
        } else if method == "GET" {
            let list = json!({"object": "list", "data": [{"id": "mock", "object": "model"}]}).to_string();
            let response = Response::new(200, "application/json", list.into());
            write_response(stream, &response, &Turn::calls(), shared)?;
        } else {
            let (turn, number) = shared.turn_for(request);
            thread::sleep(turn.pause);
            match turn.ending {
                StreamEnding::Silent => return wait_for_hang_up(&mut reader, shared),
                StreamEnding::HangAfter(_) => {
                    write_response(stream, &turn.response(number), &turn, shared)?;
                    return wait_for_hang_up(&mut reader, shared);
                }
                StreamEnding::CutAfter(_) => {
                    write_response(stream, &turn.response(number), &turn, shared)?;
                    return stream.shutdown(Shutdown::Both);
                }
                StreamEnding::Whole => write_response(stream, &turn.response(number), &turn, shared)?,
            }
        }
        if !shared.script.keep_alive {
            // Not `Both`: unread bytes of the client would turn the end into a reset.
            return stream.shutdown(Shutdown::Write);
        }
    }
    Ok(())
}

/// `None` when the client has closed the connection.
fn read_request(reader: &mut impl BufRead) -> io::Result<Option<(String, Recorded)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body)?;
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some((method, Recorded { path, headers, body, json, at: Instant::now() })))
}

fn write_response(mut stream: &TcpStream, response: &Response, turn: &Turn, shared: &SharedScript) -> io::Result<()> {
    let keep_alive = shared.script.keep_alive;
    let framing = if keep_alive { "transfer-encoding: chunked" } else { "connection: close" };
    let headers: String = response.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    write!(stream, "HTTP/1.1 {} Scripted\r\n{headers}{framing}\r\n\r\n", response.status)?;
    let (length, whole) = match turn.ending {
        StreamEnding::CutAfter(bytes) | StreamEnding::HangAfter(bytes) => (bytes.min(response.body.len()), false),
        StreamEnding::Whole | StreamEnding::Silent => (response.body.len(), true),
    };
    let mut write = |piece: &[u8]| {
        if keep_alive {
            stream.write_all(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat())
        } else {
            stream.write_all(piece)
        }
    };
    let body = &response.body[..length];
    if let Some(events) = turn.events_a_second {
        write_by_the_clock(body, events, &mut write)?;
    } else {
        for piece in body.chunks(shared.script.chunk.unwrap_or(usize::MAX)) {
            write(piece)?;
            thread::sleep(turn.chunk_pause);
        }
    }
    if keep_alive && whole {
        stream.write_all(b"0\r\n\r\n")?;
    }
    Ok(())
}

/// However late a write comes, the next one catches up: the rate holds over the whole.
fn write_by_the_clock(
    body: &[u8],
    events_a_second: u32,
    mut write: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let started = Instant::now();
    let (mut sent, mut rest) = (0, body);
    while !rest.is_empty() {
        let due = (started.elapsed().as_secs_f64() * f64::from(events_a_second)) as usize;
        let mut end = 0;
        while sent < due && end < rest.len() {
            end += rest[end..].windows(2).position(|pair| pair == b"\n\n").map_or(rest.len() - end, |at| at + 2);
            sent += 1;
        }
        if end > 0 {
            write(&rest[..end])?;
        }
        rest = &rest[end..];
        thread::sleep(PACE);
    }
    Ok(())
}

fn wait_for_hang_up(reader: &mut impl Read, shared: &SharedScript) -> io::Result<()> {
    // Ends with the client's goodbye, orderly or by reset.
    let _ = io::copy(reader, &mut io::sink());
    shared.note(|journal| journal.hung_up += 1);
    Ok(())
}
