//! Input by lines of bounded length.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest message: pictures come in Base64.
pub(crate) const MAX_LINE_BYTES: usize = 16 << 20;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    Whole(Vec<u8>),
    /// Read to its end, and not kept.
    TooLong,
}

pub(crate) struct InputLines<R> {
    input: BufReader<R>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> InputLines<R> {
    pub(crate) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), limit: MAX_LINE_BYTES }
    }

    /// Returns the next line; `None` at the end, before which half a line is none.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<InputLine>> {
        let (mut line, mut is_too_long) = (Vec::new(), false);
        loop {
            let ready = self.input.fill_buf().await?;
            if ready.is_empty() {
                return Ok(None);
            }
            let end = ready.iter().position(|byte| *byte == b'\n');
            let piece = &ready[..end.unwrap_or(ready.len())];
            is_too_long |= line.len() + piece.len() > self.limit;
            if is_too_long {
                line = Vec::new();
            } else {
                line.extend_from_slice(piece);
            }
            let read = piece.len() + usize::from(end.is_some());
            self.input.consume(read);
            if end.is_some() {
                return Ok(Some(if is_too_long { InputLine::TooLong } else { InputLine::Whole(line) }));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_half_a_line_is_none() {
        let mut lines =
            InputLines { input: BufReader::with_capacity(3, &b"one\ntoo long by far\ntwo\n\nhal"[..]), limit: 5 };
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            read.push(line);
        }
        let whole = |text: &str| InputLine::Whole(text.into());
        assert_eq!(read, [whole("one"), InputLine::TooLong, whole("two"), whole("")]);
    }
}
