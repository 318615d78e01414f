//! The part of a streamed answer that a client has shown, so that nothing is shown twice and nothing is missing.

use std::borrow::Cow;

/// The part of the answer that has been shown. A client slower than the model falls behind, and then gets what it missed
/// from the stored message.
#[derive(Debug, Default)]
pub struct StreamedAnswer {
    turn: u32,
    /// The shown part of that turn's answer, in bytes.
    bytes: usize,
    /// Pieces were missed, and no turn has begun since.
    behind: bool,
    said: String,
    /// The words of an answer that broke off: where the next one begins with them, they are not shown again.
    broken_off: String,
}

impl StreamedAnswer {
    /// Goes on with a turn's answer; returns whether it's another turn than before.
    pub fn begin_turn(&mut self, turn: u32) -> bool {
        let is_other = turn != self.turn;
        if is_other {
            *self = Self { turn, behind: self.behind, ..Self::default() };
        }
        is_other
    }

    #[must_use]
    pub fn is_behind(&self) -> bool {
        self.behind
    }

    /// Pieces were missed.
    pub fn fall_behind(&mut self) {
        self.behind = true;
    }

    /// A turn begins, all of whose pieces are still to come.
    pub fn catch_up(&mut self) {
        self.behind = false;
    }

    /// The answer broke off and comes anew, from its beginning.
    pub fn begin_again(&mut self) {
        let longer = if self.said.len() < self.broken_off.len() { &mut self.broken_off } else { &mut self.said };
        *self = Self { turn: self.turn, behind: self.behind, broken_off: std::mem::take(longer), ..Self::default() };
    }

    /// Returns what of the next piece is not shown yet.
    pub fn piece<'a>(&mut self, text: &'a str) -> Cow<'a, str> {
        self.bytes += text.len();
        self.said.push_str(text);
        if self.broken_off.is_empty() {
            return Cow::Borrowed(text);
        }
        if self.broken_off.starts_with(&self.said) {
            return Cow::Borrowed("");
        }
        let broken_off = std::mem::take(&mut self.broken_off);
        match self.said.strip_prefix(&broken_off) {
            Some(rest) => Cow::Owned(rest.to_owned()),
            None => Cow::Owned(format!("\n{}", self.said)),
        }
    }

    /// Returns what is missing of the turn's whole answer, which is shown then.
    pub fn rest<'a>(&mut self, content: &'a str) -> &'a str {
        let seen = self.bytes;
        *self = Self { turn: self.turn, bytes: content.len(), behind: self.behind, ..Self::default() };
        content.get(seen..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_an_answer_that_broke_off_are_not_shown_again() {
        let shown = |again: &[&str]| {
            let mut told = StreamedAnswer::default();
            let mut screen = told.piece("One two").into_owned();
            told.begin_again();
            again.iter().for_each(|text| screen.push_str(&told.piece(text)));
            screen
        };
        assert_eq!(shown(&["One ", "two three", " four"]), "One two three four");
        assert_eq!(shown(&["One ", "more"]), "One two\nOne more");
        assert_eq!(shown(&["Other", " words"]), "One two\nOther words");
    }

    #[test]
    fn after_several_attempts_the_longest_is_on_the_screen() {
        let mut told = StreamedAnswer::default();
        let mut screen = told.piece("One two three").into_owned();
        for attempt in ["One", "One two three four"] {
            told.begin_again();
            screen.push_str(&told.piece(attempt));
        }
        assert_eq!(screen, "One two three four");
    }

    #[test]
    fn whoever_fell_behind_gets_the_rest_from_the_whole() {
        let mut told = StreamedAnswer::default();
        assert!(told.begin_turn(1) && !told.begin_turn(1));
        assert_eq!((told.piece("One "), told.rest("One two")), (Cow::Borrowed("One "), "two"));
        assert_eq!(told.rest("One two"), "");
        assert!(told.begin_turn(2));
        assert_eq!(told.rest("Two"), "Two");
    }
}
