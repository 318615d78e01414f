//! Usage by day, model and project, over any number of sessions. Where [`super::UsageTotals`] is bounded and kept with a
//! session, this is folded when somebody asks, and gone on with from where it was kept.

use super::{OTHER_MODELS, UsageTotal};
use crate::{Event, EventBody, RunId, SessionId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::{BTreeMap, HashMap};

/// A fold over events, each session's in its order; the sessions may be mixed.
///
/// Bounded by the days, the models, the projects and the runs that were cut off between a request and its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DailyUsage {
    #[serde(serialize_with = "as_pairs", deserialize_with = "from_pairs")]
    totals: BTreeMap<UsagePlace, UsageTotal>,
    sum: UsageTotal,
    /// The requests whose answers are still to come.
    #[serde(serialize_with = "as_pairs", deserialize_with = "from_pairs")]
    asked: HashMap<(SessionId, Option<RunId>), String>,
}

/// The stored form of a map: JSON's objects have only strings for keys.
fn as_pairs<'m, S: Serializer, Map>(map: &'m Map, serializer: S) -> Result<S::Ok, S::Error>
where
    &'m Map: IntoIterator<Item: Serialize>,
{
    serializer.collect_seq(map)
}

fn from_pairs<'de, D, Key, Value, Map>(deserializer: D) -> Result<Map, D::Error>
where
    D: Deserializer<'de>,
    Vec<(Key, Value)>: Deserialize<'de>,
    Map: FromIterator<(Key, Value)>,
{
    Ok(Vec::<(Key, Value)>::deserialize(deserializer)?.into_iter().collect())
}

/// A day and a model, in the order of the days.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DayAndModel {
    pub day: String,
    pub model: String,
}

/// A day, model and project, in the order of the days.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct UsagePlace {
    /// The day the answer was complete, such as `2026-11-22`.
    pub day: String,
    /// `provider/model`; [`OTHER_MODELS`] for an answer without its request.
    pub model: String,
    /// The path of the session's project.
    pub project: String,
}

impl DailyUsage {
    /// `project`: of the event's session. `day_of`: the day of a moment, in milliseconds since 1970, where the user lives.
    pub fn apply(&mut self, event: &Event, project: &str, day_of: impl Fn(i64) -> String) {
        let asker = || (event.session_id.clone(), event.run_id.clone());
        match event.body() {
            EventBody::EngineRequest(request) => {
                self.asked.insert(asker(), format!("{}/{}", request.provider, request.model));
            }
            EventBody::EngineResponse(response) => {
                let model = self.asked.remove(&asker()).unwrap_or_else(|| OTHER_MODELS.to_owned());
                let place = UsagePlace { day: day_of(event.ts), model, project: project.to_owned() };
                self.totals.entry(place).or_default().add(response.usage);
                self.sum.add(response.usage);
            }
            _ => {}
        }
    }

    /// The totals by day, then by model, then by project; the oldest day first.
    #[must_use]
    pub fn totals(&self) -> &BTreeMap<UsagePlace, UsageTotal> {
        &self.totals
    }

    /// The same of all projects together.
    #[must_use]
    pub fn by_day_and_model(&self) -> BTreeMap<DayAndModel, UsageTotal> {
        let mut totals: BTreeMap<DayAndModel, UsageTotal> = BTreeMap::new();
        for (UsagePlace { day, model, .. }, total) in &self.totals {
            let place = DayAndModel { day: day.clone(), model: model.clone() };
            let sum = totals.entry(place).or_default();
            *sum = sum.plus(total);
        }
        totals
    }

    #[must_use]
    pub fn sum(&self) -> &UsageTotal {
        &self.sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::projection::tests::generated::event;
    use crate::{EngineRequest, EngineResponse, FinishReason, Usage};

    const DAY_MS: i64 = 86_400_000;

    fn apply(usage: &mut DailyUsage, (session, run): (&str, &str), ts: i64, body: impl Into<EventBody>) {
        let session_id = SessionId::from(session);
        let event = Event { session_id, run_id: Some(RunId::from(run)), ts, ..event(1, body.into()) };
        usage.apply(&event, &format!("/{session}"), |ts| format!("day {}", ts / DAY_MS));
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

    fn lines(usage: &DailyUsage) -> Vec<(String, String, u64, Option<f64>)> {
        let totals = usage.by_day_and_model().into_iter();
        totals.map(|(place, total)| (place.day, place.model, total.prompt_tokens, total.cost_usd())).collect()
    }

    fn line(day: &str, model: &str, tokens: u64, cost: Option<f64>) -> (String, String, u64, Option<f64>) {
        (day.to_owned(), model.to_owned(), tokens, cost)
    }

    #[test]
    fn requests_are_summed_by_day_and_model_over_sessions_that_run_at_once() {
        let mut usage = DailyUsage::default();
        let (a, b) = (("s1", "r1"), ("s2", "r2"));
        apply(&mut usage, a, 0, request("big"));
        apply(&mut usage, b, 0, request("small"));
        apply(&mut usage, a, 1, response(10, Some(0.5)));
        apply(&mut usage, b, 2, response(1, Some(0.25)));
        apply(&mut usage, b, 3, request("big"));
        apply(&mut usage, b, 4, response(5, Some(0.5)));
        apply(&mut usage, a, DAY_MS, request("big"));
        apply(&mut usage, a, DAY_MS, response(7, Some(0.125)));
        let expected = [
            line("day 0", "mock/big", 15, Some(1.0)),
            line("day 0", "mock/small", 1, Some(0.25)),
            line("day 1", "mock/big", 7, Some(0.125)),
        ];
        assert_eq!(lines(&usage), expected);
        let of_big: Vec<_> = usage.totals().iter().filter(|(place, _)| place.model == "mock/big").collect();
        let by_project: Vec<_> =
            of_big.iter().map(|(place, total)| (place.project.as_str(), total.prompt_tokens)).collect();
        assert_eq!(by_project, [("/s1", 10), ("/s2", 5), ("/s1", 7)]);
        assert_eq!((usage.sum().requests, usage.sum().cost_usd()), (4, Some(1.375)));
    }

    #[test]
    fn it_is_gone_on_with_from_where_it_was_kept() {
        let mut usage = DailyUsage::default();
        apply(&mut usage, ("s", "r"), 0, request("m"));
        apply(&mut usage, ("s", "r"), 1, response(10, Some(0.1)));
        apply(&mut usage, ("s", "r"), 2, request("m"));
        let mut kept: DailyUsage = serde_json::from_str(&serde_json::to_string(&usage).unwrap()).unwrap();
        assert_eq!(kept, usage);
        for usage in [&mut kept, &mut usage] {
            apply(usage, ("s", "r"), 3, response(5, None));
        }
        assert_eq!(lines(&kept), [line("day 0", "mock/m", 15, None)]);
        assert_eq!(kept, usage);
    }

    #[test]
    fn an_answer_counts_on_the_day_it_was_complete() {
        let mut usage = DailyUsage::default();
        apply(&mut usage, ("s", "r"), DAY_MS - 1, request("m"));
        apply(&mut usage, ("s", "r"), DAY_MS, response(1, None));
        assert_eq!(lines(&usage), [line("day 1", "mock/m", 1, None)]);
    }

    #[test]
    fn an_unknown_cost_makes_its_own_line_and_the_sum_unknown_and_no_other() {
        let mut usage = DailyUsage::default();
        for (model, cost) in [("known", Some(0.5)), ("unknown", None)] {
            apply(&mut usage, ("s", "r"), 0, request(model));
            apply(&mut usage, ("s", "r"), 0, response(1, cost));
        }
        assert_eq!(lines(&usage), [line("day 0", "mock/known", 1, Some(0.5)), line("day 0", "mock/unknown", 1, None)]);
        assert_eq!((usage.sum().cost_usd(), usage.sum().known_cost_usd), (None, 0.5));
    }

    #[test]
    fn an_answer_without_its_request_is_nobodys_model() {
        let mut usage = DailyUsage::default();
        apply(&mut usage, ("s1", "r"), 0, request("m"));
        apply(&mut usage, ("s2", "r"), 0, response(1, None));
        assert_eq!(lines(&usage), [line("day 0", OTHER_MODELS, 1, None)]);
    }
}
