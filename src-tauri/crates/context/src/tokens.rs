//! Counting tokens. How many a text has is asked of whoever calls; what is learned from providers' counts is kept here.

use arki_domain::{Message, ToolDefinition};

/// The bound on how far the vendors' counts may bend an estimate.
const MAX_FACTOR: f64 = 2.0;
/// The weight of the newest count against what was learned before.
const WEIGHT_OF_NEWEST: f64 = 0.5;

/// Counts the tokens of something.
pub trait CountTokens: Send + Sync {
    fn text(&self, text: &str) -> u64;
    fn message(&self, message: &Message) -> u64;
    fn tool(&self, tool: &ToolDefinition) -> u64;
}

/// The ratio of what providers counted to what was estimated, for one model. A fold over a session's requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TokenCorrection {
    factor: f64,
    has_learned: bool,
}

impl Default for TokenCorrection {
    fn default() -> Self {
        Self { factor: 1.0, has_learned: false }
    }
}

impl TokenCorrection {
    /// `estimated` is the uncorrected estimate of a request, `counted` the provider's count, cached tokens included. A
    /// zero is no count.
    pub fn learn(&mut self, estimated: u64, counted: u64) {
        if estimated == 0 || counted == 0 {
            return;
        }
        let factor = (counted as f64 / estimated as f64).clamp(1.0 / MAX_FACTOR, MAX_FACTOR);
        self.factor = if self.has_learned { self.factor + WEIGHT_OF_NEWEST * (factor - self.factor) } else { factor };
        self.has_learned = true;
    }

    #[must_use]
    pub fn factor(&self) -> f64 {
        self.factor
    }

    #[must_use]
    pub fn apply(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.factor).ceil() as u64
    }
}

/// An estimate, corrected by what was learned.
#[derive(Clone, Copy)]
pub struct Corrected<'a> {
    pub estimate: &'a dyn CountTokens,
    pub correction: TokenCorrection,
}

impl CountTokens for Corrected<'_> {
    fn text(&self, text: &str) -> u64 {
        self.correction.apply(self.estimate.text(text))
    }

    fn message(&self, message: &Message) -> u64 {
        self.correction.apply(self.estimate.message(message))
    }

    fn tool(&self, tool: &ToolDefinition) -> u64 {
        self.correction.apply(self.estimate.tool(tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_first_count_is_believed_and_later_ones_are_averaged_in() {
        let mut correction = TokenCorrection::default();
        assert_eq!(correction.apply(100), 100);
        correction.learn(100, 150);
        assert_eq!(correction.apply(100), 150);
        correction.learn(100, 130);
        assert_eq!(correction.apply(100), 140);
    }

    #[test]
    fn no_count_teaches_nothing() {
        let mut correction = TokenCorrection::default();
        correction.learn(100, 0);
        correction.learn(0, 100);
        assert_eq!(correction, TokenCorrection::default());
    }

    proptest! {
        #[test]
        fn whatever_comes_back_the_factor_stays_within_its_bounds(counts in prop::collection::vec((any::<u32>(), any::<u32>()), 0..20)) {
            let mut correction = TokenCorrection::default();
            for (estimated, counted) in counts {
                correction.learn(estimated.into(), counted.into());
                prop_assert!((1.0 / MAX_FACTOR..=MAX_FACTOR).contains(&correction.factor()));
            }
        }
    }
}
