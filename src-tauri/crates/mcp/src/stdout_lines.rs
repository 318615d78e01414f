//! A server's standard output on its way to the protocol: one bounded message a line, and little else.
//!
//! The protocol's own reader throws away what it cannot read and waits on. Here a message that is too long, or too much
//! of what is no message, ends the connection, and what was printed is told.

use std::sync::{Mutex, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// One message; a picture in base64 fits.
pub(crate) const MAX_MESSAGE_BYTES: usize = 8 * 1024 * 1024;
/// Lines that are no messages, such as a greeting, before a server is given up.
pub(crate) const MAX_NOISE_LINES: usize = 100;

/// `serde_json` reads 128 levels.
const MAX_DEPTH: usize = 100;

/// Why the connection cannot go on, and what was printed that is no message.
#[derive(Debug, Default)]
pub(crate) struct StdoutTrouble(Mutex<(Option<String>, Option<String>)>);

impl StdoutTrouble {
    pub(crate) fn broken(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }

    pub(crate) fn noise(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    fn note_broken(&self, why: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.get_or_insert(why);
    }

    fn note_noise(&self, line: &[u8]) {
        let text = || crate::fault::quoted(&String::from_utf8_lossy(line));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.get_or_insert_with(text);
    }
}

/// Passes messages on until the output ends, nobody reads any more, or it breaks the rules.
pub(crate) async fn pass_on(
    output: impl AsyncRead + Unpin,
    mut protocol: impl AsyncWrite + Unpin,
    findings: &StdoutTrouble,
) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    let mut noise_lines = 0;
    loop {
        line.clear();
        match read_line(&mut output, &mut line).await {
            LineState::Whole => {}
            LineState::TooLong => {
                return findings.note_broken(format!("sent a message of more than {} MiB.", MAX_MESSAGE_BYTES >> 20));
            }
            LineState::End => return,
        }
        if is_noise(&line) {
            findings.note_noise(&line);
            noise_lines += 1;
            if noise_lines > MAX_NOISE_LINES {
                return findings.note_broken("prints something that is not MCP on its standard output.".to_owned());
            }
            continue;
        }
        if let Some(shallower) = without_depths(&line) {
            line = shallower;
        }
        if protocol.write_all(&line).await.is_err() {
            return;
        }
    }
}

/// A message with `null` in the place of what is nested deeper than the protocol's reader goes, so that the rest of it
/// is read. `None`: it is not.
fn without_depths(line: &[u8]) -> Option<Vec<u8>> {
    let (mut depth, mut in_string, mut is_escaped, mut is_cut) = (0usize, false, false, false);
    let mut kept = Vec::new();
    for &byte in line {
        let before = depth;
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if before.max(depth) <= MAX_DEPTH {
            kept.push(byte);
        } else if before == MAX_DEPTH {
            is_cut = true;
            kept.extend_from_slice(b"null");
        }
    }
    is_cut.then_some(kept)
}

enum LineState {
    Whole,
    TooLong,
    /// The end of the output; a rest without a line break is no message.
    End,
}

async fn read_line(output: &mut (impl AsyncBufReadExt + Unpin), line: &mut Vec<u8>) -> LineState {
    loop {
        let Ok(available) = output.fill_buf().await else { return LineState::End };
        if available.is_empty() {
            return LineState::End;
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(available.len(), |end| end + 1);
        if line.len() + length > MAX_MESSAGE_BYTES {
            return LineState::TooLong;
        }
        line.extend_from_slice(&available[..length]);
        output.consume(length);
        if end.is_some() {
            return LineState::Whole;
        }
    }
}

/// Messages are objects, or lists of them.
fn is_noise(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    !text.is_empty() && !matches!(text.first(), Some(b'{' | b'['))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(output: &[u8]) -> (String, StdoutTrouble) {
        let findings = StdoutTrouble::default();
        let mut passed = Vec::new();
        pass_on(output, &mut passed, &findings).await;
        (String::from_utf8(passed).unwrap(), findings)
    }

    #[tokio::test]
    async fn a_greeting_is_left_out_and_told() {
        let (passed, findings) = check(b"Hello!\n{\"a\":1}\nunfinished").await;
        assert_eq!(passed, "{\"a\":1}\n");
        assert_eq!((findings.noise().as_deref(), findings.broken()), (Some("Hello!"), None));
    }

    #[tokio::test]
    async fn what_is_nested_too_deeply_is_left_out_of_its_message_alone() {
        let deep = |levels: usize| format!("{{\"a\":{}\"]{{\"{},\"b\":[1]}}\n", "[".repeat(levels), "]".repeat(levels));
        let (passed, findings) = check(deep(MAX_DEPTH - 1).as_bytes()).await;
        assert_eq!((passed, findings.broken()), (deep(MAX_DEPTH - 1), None));
        let (passed, _) = check(deep(200).as_bytes()).await;
        let read: serde_json::Value = serde_json::from_str(&passed).unwrap();
        assert_eq!(read["b"][0], 1);
    }

    #[tokio::test]
    async fn endless_noise_and_an_endless_message_end_it() {
        let (_, findings) = check(&b"noise\n".repeat(MAX_NOISE_LINES + 2)).await;
        assert!(findings.broken().unwrap().contains("not MCP"));
        let (passed, findings) = check(&vec![b'{'; MAX_MESSAGE_BYTES + 1]).await;
        assert!(passed.is_empty() && findings.broken().unwrap().contains("8 MiB"));
    }
}
