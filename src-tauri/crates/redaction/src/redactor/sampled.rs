//! Finds any of many long values by looking at a few bytes of the text only.
//!
//! Every value that stands in the text covers one of the places that are looked at, for they are closer together than
//! the shortest value is long. Thousands of values cost hardly more than one this way, which an automaton of all their
//! bytes does not: it outgrows the processor's caches.

use std::collections::HashMap;

/// The number of bytes compared at each place.
const SAMPLE_BYTES: usize = 4;
/// Bits of the filter for each sample, so that few places are looked up in vain.
const FILTER_BITS: usize = 16;

type Sample = [u8; SAMPLE_BYTES];

#[derive(Clone, Default)]
pub(super) struct Sampled {
    /// The distance from one place to the next; 0 if there are no values.
    step: usize,
    /// The samples that may occur, by their hash; a power of two of bits.
    filter: Vec<u64>,
    /// The values that contain each sample, with the sample's offset.
    values: HashMap<Sample, Vec<(usize, usize)>>,
}

impl Sampled {
    /// Builds the index of values that are each at least [`SAMPLE_BYTES`] long.
    pub(super) fn new<'a>(values: impl Iterator<Item = &'a [u8]> + Clone) -> Self {
        let Some(shortest) = values.clone().map(<[u8]>::len).min() else { return Self::default() };
        let step = shortest.saturating_sub(SAMPLE_BYTES - 1);
        let mut by_sample: HashMap<Sample, Vec<(usize, usize)>> = HashMap::new();
        for (index, value) in values.enumerate() {
            for (offset, sample) in value.array_windows().take(step).enumerate() {
                by_sample.entry(*sample).or_default().push((index, offset));
            }
        }
        let words = (by_sample.len() * FILTER_BITS / 64).next_power_of_two();
        let mut sampled = Self { step, filter: vec![0; words], values: by_sample };
        for sample in sampled.values.keys() {
            let bit = bit_of(*sample, words);
            sampled.filter[bit / 64] |= 1 << (bit % 64);
        }
        sampled
    }

    /// Calls `candidate` with the values that may stand in the text, and where they would begin; they have to be
    /// compared.
    pub(super) fn each_candidate(&self, text: &[u8], mut candidate: impl FnMut(usize, usize)) {
        if self.step == 0 {
            return;
        }
        for at in (0..(text.len() + 1).saturating_sub(SAMPLE_BYTES)).step_by(self.step) {
            let Some(sample) = text[at..].first_chunk() else { return };
            let bit = bit_of(*sample, self.filter.len());
            if self.filter[bit / 64] & 1 << (bit % 64) == 0 {
                continue;
            }
            for &(index, offset) in self.values.get(sample).into_iter().flatten() {
                if let Some(start) = at.checked_sub(offset) {
                    candidate(index, start);
                }
            }
        }
    }
}

/// Multiplicative hashing (Knuth, TAOCP 3, 6.4) by the golden ratio.
fn bit_of(sample: Sample, words: usize) -> usize {
    let hash = u64::from(u32::from_le_bytes(sample)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> 32) as usize & (words * 64 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_value_is_found_wherever_it_stands(
            values in prop::collection::vec("[a-c]{4,9}", 1..6),
            text in "[a-d]{0,80}",
        ) {
            let sampled = Sampled::new(values.iter().map(String::as_bytes));
            let mut found = Vec::new();
            sampled.each_candidate(text.as_bytes(), |index, start| {
                if text.as_bytes()[start..].starts_with(values[index].as_bytes()) {
                    found.push((index, start));
                }
            });
            for (index, value) in values.iter().enumerate() {
                for start in (0..text.len()).filter(|start| text[*start..].starts_with(value.as_str())) {
                    prop_assert!(found.contains(&(index, start)), "{} at {}", value, start);
                }
            }
        }
    }
}
