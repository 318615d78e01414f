//! Finds what has to be replaced in a text, and how much of its end is not decided yet.

use super::formats;
use super::known::KnownSecrets;
use super::placeholder;
use super::span::SecretSpan;
use std::ops::Range;

pub(super) struct Scan {
    /// The spans in order, without overlaps.
    pub(super) spans: Vec<SecretSpan>,
    /// The position from which following text may change the result.
    pub(super) undecided_from: usize,
}

/// Looks at `text` from `from` on; what stands before it is only looked back at. `is_end`: nothing follows.
pub(super) fn scan(
    text: &str,
    from: usize,
    known: &KnownSecrets,
    is_ours: impl Fn(&str) -> bool,
    is_end: bool,
) -> Scan {
    let (values, open_value) = known.find(text, from, is_end);
    let forms = formats::find(text, from, is_end);
    let (ruled, open_line) = known.rules.find(text, from, is_end);
    let mut undecided_from = [open_value, forms.open, open_line].into_iter().flatten().min().unwrap_or(text.len());
    if !is_end {
        // Nothing that was recognised is cut, nor what it was recognised by.
        let found = values.iter().chain(&ruled).map(SecretSpan::place);
        let mut whole: Vec<_> = forms.regions.iter().cloned().chain(found).collect();
        whole.sort_by_key(|region| std::cmp::Reverse(region.end));
        for region in whole {
            if region.start < undecided_from && undecided_from < region.end {
                undecided_from = region.start;
            }
        }
    }
    if values.is_empty() && forms.spans.is_empty() && ruled.is_empty() {
        return Scan { spans: Vec::new(), undecided_from };
    }
    let placeholders = placeholders(text, from);
    // A rule may match what a placeholder is made of.
    let is_in_any = |span: &SecretSpan| placeholders.iter().any(|region| region.contains(&span.start));
    let ruled: Vec<SecretSpan> = ruled.into_iter().filter(|span| !is_in_any(span)).collect();
    let ours: Vec<_> = placeholders.iter().filter(|region| is_ours(&text[(*region).clone()])).collect();
    let is_in_placeholder = |span: &SecretSpan| ours.iter().any(|region| region.contains(&span.start));
    let mut spans: Vec<SecretSpan> =
        values.into_iter().chain(ruled).chain(forms.spans).filter(|span| !is_in_placeholder(span)).collect();
    spans.retain(|span| span.end <= undecided_from);
    Scan { spans: merged(spans), undecided_from }
}

/// The ranges that have the exact form of a placeholder, also within what was recognised.
fn placeholders(text: &str, from: usize) -> Vec<Range<usize>> {
    let mut at = text.floor_char_boundary(from.saturating_sub(placeholder::MAX_BYTES));
    let mut found = Vec::new();
    while let Some(next) = placeholder::find(text, at) {
        at = next.start + next.text.len();
        if next.tag.is_some() {
            found.push(next.start..at);
        }
    }
    found
}

/// Overlapping ones become one secret; of two that are the same place the known one
/// gives the name, then the user's rule.
fn merged(mut spans: Vec<SecretSpan>) -> Vec<SecretSpan> {
    spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.known.is_none(), span.rule.is_none()));
    let mut merged: Vec<SecretSpan> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                if span.end > last.end {
                    let name = if last.name.is_empty() { span.name } else { last.name };
                    let rule = last.rule.or(span.rule);
                    *last = SecretSpan { rule, ..SecretSpan::of_form(last.start..span.end, name) };
                }
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// The limit for looking back. Whoever drops text that is decided keeps this much of it.
pub(crate) const LOOK_BACK_BYTES: usize = 256;
