//! A session's usage: tokens and money, by run and by model. Going back does not undo it: it was spent.

use crate::left_out::is_default;
use crate::{Event, EventBody, RunId, UnknownTokens, Usage};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// Runs that are told apart, the newest; the session's sum counts all.
pub const MAX_COUNTED_RUNS: usize = 200;
/// Models that are told apart; further ones are counted together as [`OTHER_MODELS`].
pub const MAX_COUNTED_MODELS: usize = 50;
/// The name under which the models beyond [`MAX_COUNTED_MODELS`] are counted, and answers whose request is not in the
/// log.
pub const OTHER_MODELS: &str = "other";

/// Tokens and money of some requests. `prompt_tokens` includes the cached ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageTotal {
    /// Requests that were answered.
    pub requests: u64,
    pub prompt_tokens: u64,
    pub completion_tokens: u64,
    pub total_tokens: u64,
    pub cached_tokens: u64,
    /// In US dollars; of the requests whose price is known.
    pub known_cost_usd: f64,
    /// True if there are requests of unknown price, so that the whole cost is higher.
    pub has_unknown_cost: bool,
    /// The figures that nobody has told of some requests, so that there were more.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unknown: UnknownTokens,
}

impl UsageTotal {
    /// In US dollars; `None` where a part of it is not known.
    #[must_use]
    pub fn cost_usd(&self) -> Option<f64> {
        (!self.has_unknown_cost).then_some(self.known_cost_usd)
    }

    /// The figures that nobody has told of any request.
    #[must_use]
    pub fn untold(&self) -> UnknownTokens {
        let UnknownTokens { prompt, completion, total, cached } = self.unknown;
        UnknownTokens {
            prompt: prompt && self.prompt_tokens == 0,
            completion: completion && self.completion_tokens == 0,
            total: total && self.total_tokens == 0,
            cached: cached && self.cached_tokens == 0,
        }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            requests: self.requests + other.requests,
            prompt_tokens: self.prompt_tokens.saturating_add(other.prompt_tokens),
            completion_tokens: self.completion_tokens.saturating_add(other.completion_tokens),
            total_tokens: self.total_tokens.saturating_add(other.total_tokens),
            cached_tokens: self.cached_tokens.saturating_add(other.cached_tokens),
            known_cost_usd: self.known_cost_usd + other.known_cost_usd,
            has_unknown_cost: self.has_unknown_cost || other.has_unknown_cost,
            unknown: self.unknown.or(other.unknown),
        }
    }

    pub(super) fn add(&mut self, usage: Usage) {
        self.requests += 1;
        self.prompt_tokens = self.prompt_tokens.saturating_add(usage.prompt_tokens);
        self.completion_tokens = self.completion_tokens.saturating_add(usage.completion_tokens);
        self.total_tokens = self.total_tokens.saturating_add(usage.total_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(usage.cached_tokens);
        self.known_cost_usd += usage.cost_usd.unwrap_or(0.0);
        self.has_unknown_cost |= usage.cost_usd.is_none();
        self.unknown = self.unknown.or(usage.unknown);
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunUsage {
    pub run_id: RunId,
    pub total: UsageTotal,
}

/// A fold over a session's events; what a fork's origins used is not the fork's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageTotals {
    session: UsageTotal,
    runs: VecDeque<RunUsage>,
    models: BTreeMap<String, UsageTotal>,
    asked: Option<OpenRequest>,
}

/// The request whose answer is still to come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenRequest {
    run_id: Option<RunId>,
    model: String,
}

impl UsageTotals {
    pub fn apply(&mut self, event: &Event, body: &EventBody) {
        match body {
            EventBody::SessionForked(_) => *self = Self::default(),
            EventBody::EngineRequest(request) => {
                let model = format!("{}/{}", request.provider, request.model);
                self.asked = Some(OpenRequest { run_id: event.run_id.clone(), model });
            }
            EventBody::EngineResponse(response) => {
                let asked = self.asked.take().filter(|asked| asked.run_id == event.run_id);
                self.count(event.run_id.as_ref(), asked.map(|asked| asked.model), response.usage);
            }
            _ => {}
        }
    }

    #[must_use]
    pub fn session(&self) -> &UsageTotal {
        &self.session
    }

    /// The newest runs, oldest first; a run without an answer is not among them.
    #[must_use]
    pub fn runs(&self) -> &VecDeque<RunUsage> {
        &self.runs
    }

    /// The totals by `provider/model`.
    #[must_use]
    pub fn models(&self) -> &BTreeMap<String, UsageTotal> {
        &self.models
    }

    fn count(&mut self, run_id: Option<&RunId>, model: Option<String>, usage: Usage) {
        self.session.add(usage);
        let has_room = |models: &BTreeMap<String, UsageTotal>, model: &String| {
            models.contains_key(model) || models.len() < MAX_COUNTED_MODELS
        };
        let model = model.filter(|model| has_room(&self.models, model)).unwrap_or_else(|| OTHER_MODELS.to_owned());
        self.models.entry(model).or_default().add(usage);
        if let Some(run_id) = run_id {
            self.of_run(run_id).add(usage);
        }
    }

    fn of_run(&mut self, run_id: &RunId) -> &mut UsageTotal {
        let place = self.runs.iter().rposition(|run| run.run_id == *run_id).unwrap_or_else(|| {
            if self.runs.len() == MAX_COUNTED_RUNS {
                self.runs.pop_front();
            }
            self.runs.push_back(RunUsage { run_id: run_id.clone(), total: UsageTotal::default() });
            self.runs.len() - 1
        });
        &mut self.runs[place].total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::{User, event, sessions};
    use crate::{EngineRequest, EngineResponse, FinishReason, SessionForked, SessionId, SessionRewound};
    use proptest::prelude::*;

    fn apply(totals: &mut UsageTotals, run: &str, body: impl Into<EventBody>) {
        let body = body.into();
        let event = Event { run_id: Some(RunId::from(run)), ..event(1, body.clone()) };
        totals.apply(&event, &body);
    }

    fn request(model: &str) -> EngineRequest {
        let (provider, model) = ("mock".to_owned(), model.to_owned());
        EngineRequest {
            turn: 1,
            provider,
            model,
            request_hash: String::new(),
            message_count: 1,
            context_window: None,
            purpose: None,
            stage: None,
            head_hash: None,
        }
    }

    fn response(tokens: u64, cost_usd: Option<f64>) -> EngineResponse {
        let usage = Usage { prompt_tokens: tokens, total_tokens: tokens, cost_usd, ..Usage::default() };
        EngineResponse {
            turn: 1,
            finish_reason: FinishReason::Stop,
            usage,
            ttft_ms: None,
            duration_ms: 1,
            purpose: None,
        }
    }

    #[test]
    fn requests_are_summed_for_the_session_each_run_and_each_model() {
        let mut totals = UsageTotals::default();
        for (run, model, tokens) in [("r1", "big", 10), ("r1", "small", 5), ("r2", "big", 1)] {
            apply(&mut totals, run, request(model));
            apply(&mut totals, run, response(tokens, Some(0.25)));
        }
        assert_eq!((totals.session().requests, totals.session().prompt_tokens), (3, 16));
        assert_eq!(totals.session().cost_usd(), Some(0.75));
        assert_eq!(totals.runs().iter().map(|run| run.total.total_tokens).collect::<Vec<_>>(), [15, 1]);
        let models: Vec<_> =
            totals.models().iter().map(|(model, total)| (model.as_str(), total.total_tokens)).collect();
        assert_eq!(models, [("mock/big", 11), ("mock/small", 5)]);
    }

    #[test]
    fn an_unknown_cost_stays_unknown_and_the_known_part_is_told() {
        let mut totals = UsageTotals::default();
        apply(&mut totals, "r", response(1, Some(0.5)));
        apply(&mut totals, "r", response(1, None));
        let total = totals.session();
        assert_eq!((total.cost_usd(), total.known_cost_usd, total.has_unknown_cost), (None, 0.5, true));
    }

    #[test]
    fn an_answer_without_its_request_is_not_put_down_to_another_runs_model() {
        let mut totals = UsageTotals::default();
        apply(&mut totals, "r1", request("big"));
        apply(&mut totals, "r2", response(1, None));
        assert_eq!(totals.models().keys().collect::<Vec<_>>(), [OTHER_MODELS]);
    }

    #[test]
    fn what_was_spent_is_not_undone_by_going_back_and_not_charged_to_a_fork() {
        let mut totals = UsageTotals::default();
        apply(&mut totals, "r", response(3, None));
        let changes = Vec::new();
        apply(
            &mut totals,
            "r",
            SessionRewound { to_seq: 0, files: true, conversation: true, checkpoint_id: None, changes },
        );
        assert_eq!(totals.session().prompt_tokens, 3);
        apply(&mut totals, "r", SessionForked { created: None, from_session: SessionId::from("o"), from_seq: 1 });
        assert_eq!(totals, UsageTotals::default());
    }

    #[test]
    fn runs_and_models_have_their_limits_and_sums_do_not_overflow() {
        let mut totals = UsageTotals::default();
        for n in 0..=MAX_COUNTED_RUNS {
            apply(&mut totals, &format!("r{n}"), request(&format!("m{n}")));
            apply(&mut totals, &format!("r{n}"), response(u64::MAX / 2, None));
        }
        assert_eq!(totals.session().requests, MAX_COUNTED_RUNS as u64 + 1);
        assert_eq!((totals.runs().len(), totals.models().len()), (MAX_COUNTED_RUNS, MAX_COUNTED_MODELS + 1));
        assert_eq!(totals.runs()[0].run_id, RunId::from("r1"));
        assert_eq!(totals.session().prompt_tokens, u64::MAX);
    }

    proptest! {
        #[test]
        fn the_parts_add_up_to_the_session(session in sessions(User::Watches)) {
            let mut totals = UsageTotals::default();
            session.all().iter().for_each(|event| totals.apply(event, &event.body()));
            let tokens = |parts: Vec<&UsageTotal>| {
                parts.iter().map(|total| (total.requests, total.total_tokens)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
            };
            let whole = (totals.session().requests, totals.session().total_tokens);
            prop_assert_eq!(tokens(totals.models().values().collect()), whole);
            prop_assert_eq!(tokens(totals.runs().iter().map(|run| &run.total).collect()), whole);
            let answered = session.events.iter().filter(|event| event.kind == "engine.response").count();
            prop_assert_eq!(whole.0, answered as u64);
        }
    }
}
