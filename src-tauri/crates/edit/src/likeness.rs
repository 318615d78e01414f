//! The likeness of two lines. Pure.

/// Returns what two lines share at their beginning and end: most slips are one changed spot.
pub(crate) fn likeness_percent(a: &[u8], b: &[u8]) -> usize {
    let longer = a.len().max(b.len());
    let shorter = a.len().min(b.len());
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    ((prefix + suffix).min(shorter) * 100).checked_div(longer).unwrap_or(0)
}
