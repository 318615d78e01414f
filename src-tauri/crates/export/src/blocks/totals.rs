//! The totals of a session.

use crate::fold::grouped;
use arki_domain::{ApprovalDecision, EventBody, Usage};

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Totals {
    pub(super) runs: usize,
    /// Answers of the model.
    turns: usize,
    /// `None` where no model has answered.
    usage: Option<Usage>,
    calls: usize,
    changes: usize,
    approved: usize,
    rejected: usize,
    failed_runs: usize,
    failed_calls: usize,
}

impl Totals {
    pub(super) fn count(&mut self, body: &EventBody) {
        match body {
            EventBody::RunStarted(_) => self.runs += 1,
            EventBody::EngineResponse(response) => {
                self.turns += usize::from(response.purpose.is_none());
                self.usage = Some(self.usage().plus(response.usage));
            }
            EventBody::ToolCall(_) => self.calls += 1,
            EventBody::FileChanged(_) => self.changes += 1,
            EventBody::ApprovalResolved(resolved) => match resolved.decision {
                ApprovalDecision::Approve => self.approved += 1,
                ApprovalDecision::Reject => self.rejected += 1,
            },
            EventBody::RunFailed(_) => self.failed_runs += 1,
            EventBody::ToolResult(result) if result.is_error => self.failed_calls += 1,
            _ => {}
        }
    }

    fn usage(&self) -> Usage {
        self.usage.unwrap_or_else(Usage::zero)
    }

    /// Names and what to say of each.
    pub(crate) fn rows(&self) -> Vec<(&'static str, String)> {
        let number = |count: usize| grouped(count as u64);
        vec![
            ("Prompts", format!("{}, {} failed", number(self.runs), number(self.failed_runs))),
            ("Turns of the model", number(self.turns)),
            ("Tokens", tokens(self.usage())),
            ("Cost", cost(self.usage())),
            ("Tool calls", format!("{}, {} failed", number(self.calls), number(self.failed_calls))),
            ("Decisions", format!("{} approved, {} rejected", number(self.approved), number(self.rejected))),
            ("File changes", number(self.changes)),
        ]
    }
}

pub(super) fn run_words(turns: u32, usage: Usage) -> String {
    let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{} turns", grouped(u64::from(turns))) };
    format!("Done. {turns}; tokens: {}; cost: {}.", tokens(usage), cost(usage))
}

fn tokens(usage: Usage) -> String {
    if usage.unknown.any_used() {
        let known = usage.total_tokens.max(usage.prompt_tokens.saturating_add(usage.completion_tokens));
        return match known {
            0 => "unknown".to_owned(),
            known => format!("unknown, at least {}", grouped(known)),
        };
    }
    let cached = match usage.unknown.cached && usage.cached_tokens == 0 {
        true => String::new(),
        false => format!(", {} of them cached", grouped(usage.cached_tokens)),
    };
    format!(
        "{} ({} in{cached}; {} out)",
        grouped(usage.total_tokens),
        grouped(usage.prompt_tokens),
        grouped(usage.completion_tokens)
    )
}

fn cost(usage: Usage) -> String {
    usage.cost_usd.map_or_else(|| "unknown".to_owned(), |dollars| format!("${dollars:.4}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_cost_says_so() {
        let usage = Usage {
            prompt_tokens: 1200,
            completion_tokens: 34,
            total_tokens: 1234,
            cached_tokens: 1000,
            cost_usd: None,
            ..Usage::default()
        };
        assert_eq!(
            run_words(1, usage),
            "Done. 1 turn; tokens: 1,234 (1,200 in, 1,000 of them cached; 34 out); cost: unknown."
        );
        assert_eq!(cost(Usage { cost_usd: Some(0.5), ..usage }), "$0.5000");
        assert_eq!(tokens(Usage::told(Some(1200), Some(34), None, None)), "1,234 (1,200 in; 34 out)");
        assert_eq!(tokens(Usage::told(Some(1200), None, None, None)), "unknown, at least 1,200");
        assert_eq!(tokens(Usage::unknown()), "unknown");
    }
}
