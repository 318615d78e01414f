//! Deciding what goes: first old results, then old messages.

use super::facts::{DETAIL_LEVELS, facts};
use super::summary::SummaryPlan;
use super::units::{CompactionUnit, Importance, Prunable, Units, prunable, shorten};
use super::{CompactionError, CompactionInputs, MIN_SAVED_TOKENS};
use arki_domain::projection::ConversationMessage;
use arki_domain::{CompactionStrategy, ContextCompacted, Message};
use std::collections::BTreeSet;

/// The share of a conversation's tokens reserved for the newest results: they are not pruned while others can be.
const PROTECTED_SHARE: u64 = 4;
/// The share that the facts may take before they are told in fewer words.
const FACTS_SHARE: u64 = 4;
/// The share that is kept free for a model's summary, and its most.
const SUMMARY_SHARE: u64 = 5;
const MAX_SUMMARY_TOKENS: u64 = 4000;
/// The last prompt stays whole where it takes no larger share.
const PROMPT_SHARE: u64 = 4;

/// The compaction to carry out.
#[derive(Debug)]
pub enum Compaction {
    /// Append this.
    Ready(ContextCompacted),
    /// Ask a model first.
    Summarize(Box<SummaryPlan>),
}

/// `None` where the next request is within the target.
///
/// # Errors
/// When it can't be brought there.
pub fn plan_compaction(inputs: &CompactionInputs<'_>) -> Result<Option<Compaction>, CompactionError> {
    let units = Units::of(inputs.conversation, inputs.tokens);
    let (before, target) = (inputs.limits.fixed + units.total(), inputs.limits.target);
    if before <= target {
        return Ok(None);
    }
    let stays = inputs.limits.fixed + units.added_tokens;
    let room = target.checked_sub(stays).filter(|room| *room > 0);
    let room = room.ok_or(CompactionError::FixedTooLarge { tokens: stays, target })?;
    let candidates = prunable(&units.units, room / PROTECTED_SHARE, inputs.tokens);
    if inputs.limits.max_messages.is_none()
        && let Some(pruned) = enough(&candidates, before, target)
    {
        return Ok(Some(Compaction::Ready(pruned)));
    }
    if inputs.strategy == CompactionStrategy::Prune {
        return Err(CompactionError::NothingToDrop { tokens: before, target });
    }
    Dropping { inputs, units, room, before, pruned: candidates }.plan().map(Some)
}

/// The oldest results, as many as have to go, where that is enough.
fn enough(candidates: &[Prunable], before: u64, target: u64) -> Option<ContextCompacted> {
    let wanted = (before - target).max(MIN_SAVED_TOKENS);
    let mut saved = 0;
    let count = candidates.iter().position(|one| {
        saved += one.saves;
        saved >= wanted
    })?;
    Some(ContextCompacted {
        strategy: CompactionStrategy::Prune,
        tokens_before: before,
        tokens_after: before - saved,
        target_tokens: target,
        dropped_seq_range: None,
        kept_seqs: Vec::new(),
        pruned_calls: candidates[..=count].iter().map(|one| one.call_id.clone()).collect(),
        summary: String::new(),
    })
}

struct Dropping<'a> {
    inputs: &'a CompactionInputs<'a>,
    units: Units<'a>,
    /// The room for the conversation, summaries included.
    room: u64,
    before: u64,
    pruned: Vec<Prunable>,
}

impl Dropping<'_> {
    fn plan(mut self) -> Result<Compaction, CompactionError> {
        shorten(&mut self.units.units, &self.pruned);
        // As if every message went: the facts only get shorter when some stay.
        let level = self.level_of_facts();
        let facts_tokens = self.facts_tokens(level, |_| true);
        let for_summary = self.summary_tokens(facts_tokens);
        let room = self.room.saturating_sub(facts_tokens + for_summary);
        let kept = self.kept(room)?;
        let dropped: Vec<usize> = (0..self.units.units.len()).filter(|at| !kept.contains(at)).collect();
        let (Some(first), Some(last)) = (dropped.first(), dropped.last()) else {
            return Err(CompactionError::NothingToDrop { tokens: self.before, target: self.inputs.limits.target });
        };
        let place = |at: &usize| self.units.units[*at].place;
        let range = (place(first), place(last));
        let kept_seqs: Vec<u64> = kept.iter().map(place).filter(|at| (range.0..=range.1).contains(at)).collect();
        let gone: BTreeSet<u64> = dropped.iter().map(place).collect();
        let is_gone = |message: &ConversationMessage<'_>| gone.contains(&message.place);
        let kept_tokens: u64 = kept.iter().map(|at| self.units.units[*at].tokens).sum();
        let without = self.inputs.limits.fixed + self.units.added_tokens + kept_tokens;
        let after = without + self.facts_tokens(level, is_gone);
        if after > self.inputs.limits.target || after + MIN_SAVED_TOKENS > self.before {
            return Err(CompactionError::NothingToDrop { tokens: after, target: self.inputs.limits.target });
        }
        let pruned = self.pruned.iter().filter(|one| kept.contains(&one.unit));
        let event = ContextCompacted {
            strategy: without_model(self.inputs.strategy),
            tokens_before: self.before,
            tokens_after: after,
            target_tokens: self.inputs.limits.target,
            dropped_seq_range: Some(range),
            kept_seqs,
            pruned_calls: pruned.map(|one| one.call_id.clone()).collect(),
            summary: facts(self.inputs, level, is_gone),
        };
        if event.strategy == self.inputs.strategy {
            return Ok(Compaction::Ready(event));
        }
        let summaries = self.units.summaries.iter().copied();
        let replaced = dropped.iter().flat_map(|at| self.units.units[*at].messages.iter().copied());
        let replaced: Vec<ConversationMessage<'_>> = summaries.chain(replaced).collect();
        let plan = SummaryPlan::new(self.inputs, event, &replaced, without, for_summary);
        Ok(Compaction::Summarize(Box::new(plan)))
    }

    fn level_of_facts(&self) -> usize {
        let fits = |level: &usize| self.facts_tokens(*level, |_| true) <= self.room / FACTS_SHARE;
        (0..DETAIL_LEVELS).find(fits).unwrap_or(DETAIL_LEVELS - 1)
    }

    fn facts_tokens(&self, level: usize, is_dropped: impl Fn(&ConversationMessage<'_>) -> bool) -> u64 {
        self.inputs.tokens.message(&Message::user(facts(self.inputs, level, is_dropped)))
    }

    fn summary_tokens(&self, facts_tokens: u64) -> u64 {
        match self.inputs.strategy {
            CompactionStrategy::SummarizeEarly | CompactionStrategy::Checkpoint => {
                (self.room.saturating_sub(facts_tokens) / SUMMARY_SHARE).min(MAX_SUMMARY_TOKENS)
            }
            CompactionStrategy::Prune | CompactionStrategy::KeepRecent | CompactionStrategy::KeepImportant => 0,
        }
    }

    /// The units that stay, by index.
    fn kept(&mut self, room: u64) -> Result<BTreeSet<usize>, CompactionError> {
        let Some(last) = self.units.units.len().checked_sub(1) else { return Ok(BTreeSet::new()) };
        self.shorten_the_last(last, room)?;
        let of_the_last = self.units.units[last].messages.len();
        let messages_left = self.inputs.limits.max_messages.unwrap_or(usize::MAX).max(of_the_last);
        let mut kept = KeptUnits { left: room, messages_left, units: BTreeSet::new() };
        kept.take(last, &self.units.units[last]);
        if let Some(prompt) = self.units.last_prompt()
            && self.units.units[prompt].tokens <= room / PROMPT_SHARE
        {
            kept.take(prompt, &self.units.units[prompt]);
        }
        let all = self.inputs.strategy;
        let for_recent = match all {
            CompactionStrategy::Checkpoint => 0,
            CompactionStrategy::KeepImportant => kept.left / 2,
            _ => kept.left,
        };
        let mut recent = for_recent;
        for at in (0..last).rev() {
            let size = self.units.units[at].tokens;
            if kept.units.contains(&at) {
                continue;
            }
            if size > recent || !kept.take(at, &self.units.units[at]) {
                break;
            }
            recent -= size;
        }
        if all == CompactionStrategy::KeepImportant {
            self.keep_important(&mut kept);
        }
        Ok(kept.units)
    }

    /// Keeps the units that say most first; of those the newest first.
    fn keep_important(&self, kept: &mut KeptUnits) {
        let mut by_importance: Vec<usize> = (0..self.units.units.len()).collect();
        by_importance.sort_by_key(|at| std::cmp::Reverse((self.units.units[*at].importance, *at)));
        for at in by_importance {
            let unit = &self.units.units[at];
            if unit.importance > Importance::Looked && !kept.units.contains(&at) {
                kept.take(at, unit);
            }
        }
    }

    /// The last exchange has to stay. Where it is too long, the first of its results go too, but never the last one.
    fn shorten_the_last(&mut self, last: usize, room: u64) -> Result<(), CompactionError> {
        if self.units.units[last].tokens <= room {
            return Ok(());
        }
        let mut more = prunable(&self.units.units[last..], 0, self.inputs.tokens);
        more.pop();
        more.iter_mut().for_each(|one| one.unit += last);
        more.retain(|one| !self.pruned.contains(one));
        for one in more {
            if self.units.units[last].tokens <= room {
                break;
            }
            shorten(&mut self.units.units, std::slice::from_ref(&one));
            self.pruned.push(one);
        }
        match self.units.units[last].tokens {
            tokens if tokens > room => Err(CompactionError::LastExchangeTooLarge { tokens, room }),
            _ => Ok(()),
        }
    }
}

struct KeptUnits {
    left: u64,
    messages_left: usize,
    units: BTreeSet<usize>,
}

impl KeptUnits {
    fn take(&mut self, at: usize, unit: &CompactionUnit<'_>) -> bool {
        if self.units.contains(&at) {
            return true;
        }
        let Some(left) = self.left.checked_sub(unit.tokens) else { return false };
        let Some(messages_left) = self.messages_left.checked_sub(unit.messages.len()) else { return false };
        (self.left, self.messages_left) = (left, messages_left);
        self.units.insert(at)
    }
}

/// Returns the strategy where no model writes a summary.
fn without_model(strategy: CompactionStrategy) -> CompactionStrategy {
    match strategy {
        CompactionStrategy::SummarizeEarly | CompactionStrategy::Checkpoint => CompactionStrategy::KeepRecent,
        other => other,
    }
}
