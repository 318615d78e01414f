//! Just enough HTTP/1.1 to be a server for one well-behaved client: requests
//! with a length or in chunks, answers in chunks on a connection that stays.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::TcpStream,
};

/// More than any request of a measured run; a bound against a broken client.
const MAX_BODY_BYTES: usize = 256 << 20;
/// The size of the read buffer, so that the writer of a long request seldom waits for the reader.
const READ_AT_ONCE: usize = 1 << 20;

/// The last chunk.
const END: &[u8] = b"0\r\n\r\n";

pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) closes: bool,
    pub(crate) body_bytes: usize,
}

pub(crate) fn reader(connection: &TcpStream) -> BufReader<&TcpStream> {
    BufReader::with_capacity(READ_AT_ONCE, connection)
}

/// Reads one request with its whole body; `None` when the client has hung up.
pub(crate) fn read_request(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let Some(first) = read_line(reader)? else { return Ok(None) };
    let method = first.split(' ').next().unwrap_or_default().to_owned();
    let (mut length, mut chunked, mut closes) = (0, false, false);
    while let Some(line) = read_line(reader)?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or(0),
            "transfer-encoding" => chunked = value.eq_ignore_ascii_case("chunked"),
            "connection" => closes = value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    if chunked {
        length = 0;
        loop {
            match discard_chunk(reader)? {
                0 => break,
                bytes => length += bytes,
            }
        }
    } else {
        discard(reader, length)?;
    }
    Ok(Some(Request { method, closes, body_bytes: length }))
}

pub(crate) fn write_answer(writer: &mut impl Write, media_type: &str, body: &[u8]) -> io::Result<()> {
    // In one write: the answer's end is then one moment, and no packet waits
    // for another.
    writer.write_all(&[&head(media_type), &chunk(body), END].concat())?;
    writer.flush()
}

/// Begins an answer, which `write_rest` ends.
pub(crate) fn write_first(writer: &mut impl Write, media_type: &str, piece: &[u8]) -> io::Result<()> {
    writer.write_all(&[head(media_type), chunk(piece)].concat())?;
    writer.flush()
}

pub(crate) fn write_rest(writer: &mut impl Write, piece: &[u8]) -> io::Result<()> {
    writer.write_all(&[&chunk(piece), END].concat())?;
    writer.flush()
}

fn head(media_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\ntransfer-encoding: chunked\r\n\r\n").into_bytes()
}

fn chunk(piece: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()
}

fn read_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    line.truncate(line.trim_end().len());
    Ok(Some(line))
}

fn discard_chunk(reader: &mut impl BufRead) -> io::Result<usize> {
    let line = read_line(reader)?.unwrap_or_default();
    let size = usize::from_str_radix(line.split(';').next().unwrap_or("0").trim(), 16).unwrap_or(0);
    discard(reader, size)?;
    read_line(reader)?;
    Ok(size)
}

fn discard(reader: &mut impl BufRead, length: usize) -> io::Result<()> {
    if length > MAX_BODY_BYTES {
        return Err(io::Error::other("the request is too long"));
    }
    let mut left = length;
    while left > 0 {
        let there = reader.fill_buf()?.len().min(left);
        if there == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        reader.consume(there);
        left -= there;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn methods(mut bytes: &[u8]) -> Vec<String> {
        let mut methods = Vec::new();
        while let Ok(Some(request)) = read_request(&mut bytes) {
            methods.push(request.method);
        }
        methods
    }

    #[test]
    fn requests_on_one_connection_are_told_apart() {
        let bytes = b"POST /a HTTP/1.1\r\ncontent-length: 3\r\n\r\nabc\
            PUT /b HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n\
            GET /c HTTP/1.1\r\n\r\n";
        assert_eq!(methods(bytes), ["POST", "PUT", "GET"]);
    }

    #[test]
    fn a_request_cut_off_in_its_body_is_an_error() {
        let mut bytes = b"POST /a HTTP/1.1\r\ncontent-length: 9\r\n\r\nabc".as_slice();
        assert!(read_request(&mut bytes).is_err());
    }
}
