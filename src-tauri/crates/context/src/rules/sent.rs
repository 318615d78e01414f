//! The texts that go out already, whether as rules or as what rules import: each goes out once.

use super::Applies;

#[derive(Default)]
pub(super) struct SentTexts(Vec<SentText>);

struct SentText {
    path: String,
    text: String,
    applies: Applies,
}

impl SentTexts {
    /// Notes a text. Returns false where it goes out already, wherever it would apply, and no folder between says
    /// something else.
    pub(super) fn add(&mut self, path: &str, text: &str, applies: &Applies) -> bool {
        let is_it = |sent: &&SentText| sent.path == path || sent.text == text.trim();
        let known = self.0.iter().filter(|sent| sent.applies.covers(applies)).filter(is_it);
        let known = known.max_by_key(|sent| sent.applies.level());
        let levels = known.map(|known| known.applies.level() + 1..applies.level());
        let is_between = |sent: &SentText| {
            sent.applies.covers(applies) && levels.as_ref().is_some_and(|levels| levels.contains(&sent.applies.level()))
        };
        if levels.is_some() && !self.0.iter().any(is_between) {
            return false;
        }
        let (path, text) = (path.to_owned(), text.trim().to_owned());
        self.0.push(SentText { path, text, applies: applies.clone() });
        true
    }
}

impl Applies {
    /// Returns whether this one applies wherever the other does.
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::AtStart, _) => true,
            (Self::BelowFolder(_), Self::BelowFolder(inner)) => self.is_for(inner),
            _ => false,
        }
    }

    /// Returns the level, from the outermost in.
    fn level(&self) -> usize {
        if matches!(self, Self::AtStart) { 0 } else { self.depth() }
    }
}
