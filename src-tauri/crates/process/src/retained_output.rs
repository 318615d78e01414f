//! The beginning and the end of an output of any length, in bounded memory. Pure.

use std::collections::VecDeque;

/// The beginning and the end of an output. Each gets half of the room, since they tell what was run and how it ended.
#[derive(Debug)]
pub(super) struct RetainedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    head_room: usize,
    tail_room: usize,
    total: u64,
}

impl RetainedOutput {
    pub(super) fn new(max_bytes: usize) -> Self {
        let head_room = max_bytes / 2;
        Self { head: Vec::new(), tail: VecDeque::new(), head_room, tail_room: max_bytes - head_room, total: 0 }
    }

    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let to_head = bytes.len().min(self.head_room - self.head.len());
        let (head, rest) = bytes.split_at(to_head);
        self.head.extend_from_slice(head);
        let rest = &rest[rest.len().saturating_sub(self.tail_room)..];
        let overflow = (self.tail.len() + rest.len()).saturating_sub(self.tail_room);
        self.tail.drain(..overflow);
        self.tail.extend(rest);
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// The text, and whether something was left out of it.
    pub(super) fn text(&mut self) -> (String, bool) {
        let tail = self.tail.make_contiguous();
        let left_out = self.total - (self.head.len() + tail.len()) as u64;
        if left_out == 0 {
            return (String::from_utf8_lossy(&[&self.head, &*tail].concat()).into_owned(), false);
        }
        let head = without_torn_end(&self.head);
        let tail = without_torn_start(tail);
        let text = format!(
            "{}\n[… {left_out} bytes left out …]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail)
        );
        (text, true)
    }
}

/// A cut may fall into a character, which is then dropped rather than shown as damage.
fn without_torn_end(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => &bytes[..error.valid_up_to()],
        _ => bytes,
    }
}

fn without_torn_start(bytes: &[u8]) -> &[u8] {
    let torn = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    &bytes[torn..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(max_bytes: usize, chunks: &[&str]) -> (String, bool) {
        let mut kept = RetainedOutput::new(max_bytes);
        chunks.iter().for_each(|chunk| kept.push(chunk.as_bytes()));
        kept.text()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(kept(6, &["ab", "cd", "ef"]), ("abcdef".into(), false));
        assert_eq!(kept(0, &[]), (String::new(), false));
    }

    #[test]
    fn of_more_the_beginning_and_the_end_are_kept() {
        assert_eq!(kept(4, &["abc", "defg", "h"]), ("ab\n[… 4 bytes left out …]\ngh".into(), true));
        assert_eq!(kept(5, &["é", "é", "é", "é"]).0, "é\n[… 3 bytes left out …]\né");
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_nothing_else_is_lost(
            chunks in prop::collection::vec("[a-z]{0,20}", 0..20),
            max in 0usize..64,
        ) {
            let mut kept = RetainedOutput::new(max);
            chunks.iter().for_each(|chunk| kept.push(chunk.as_bytes()));
            let all = chunks.concat();
            prop_assert!(kept.head.len() + kept.tail.len() <= max);
            prop_assert_eq!(kept.total() as usize, all.len());
            let (text, truncated) = kept.text();
            prop_assert_eq!(truncated, all.len() > max);
            if truncated {
                prop_assert!(text.starts_with(&all[..max / 2]) && text.ends_with(&all[all.len() - (max - max / 2)..]));
            } else {
                prop_assert_eq!(text, all);
            }
        }
    }
}
