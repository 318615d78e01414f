//! Reflection: having a model draw conclusions from what was observed in a session, and reading its answer. Nothing of it
//! is put into a prompt by itself: what it proposes to keep waits for the user.

use crate::{SummaryRequest, memory::MAX_MEMORY_BYTES};
use arki_domain::projection::MAX_REMEMBERED_SOURCES;
use arki_domain::{MemoryReflected, MemoryScope, Remembered};
use serde::Deserialize;
use std::fmt::Write;

const SYSTEM: &str = include_str!("reflection_prompt.md");
const MAX_ANSWER_TOKENS: u64 = 1024;
/// Conclusions that are taken of one answer.
const MAX_REFLECTIONS: usize = 5;
/// The limits of a request for conclusions: its newest prompts and observations, and the bytes of each prompt.
const MAX_GOALS: usize = 10;
const MAX_OBSERVATIONS: usize = 60;
const MAX_GOAL_BYTES: usize = 500;

/// A request for conclusions; `goals` are what the user asked for. It's sent without tools.
#[must_use]
pub fn reflection_request(goals: &[String], observations: &[Remembered]) -> SummaryRequest {
    let mut prompt = "The user asked for:\n".to_owned();
    for goal in &goals[goals.len().saturating_sub(MAX_GOALS)..] {
        let goal = goal.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = writeln!(prompt, "- {}", &goal[..goal.floor_char_boundary(MAX_GOAL_BYTES)]);
    }
    prompt.push_str("\nObserved:\n");
    for (number, one) in told(observations).iter().enumerate() {
        let _ = writeln!(prompt, "{}. {}", number + 1, one.text);
    }
    SummaryRequest { system: SYSTEM.to_owned(), prompt, max_tokens: MAX_ANSWER_TOKENS }
}

/// The conclusions in an answer, each with the events of the observations that it names; of what is no conclusion none.
/// The observations are those of the request.
#[must_use]
pub fn reflections(answer: &str, observations: &[Remembered], mut new_id: impl FnMut() -> String) -> MemoryReflected {
    let mut reflected = MemoryReflected::default();
    let list = answer.find('[').zip(answer.rfind(']')).and_then(|(first, last)| answer.get(first..=last));
    let values = list.and_then(|list| serde_json::from_str::<Vec<serde_json::Value>>(list).ok()).unwrap_or_default();
    let written = values.into_iter().filter_map(|value| serde_json::from_value::<WrittenReflection>(value).ok());
    let observations = told(observations);
    let reflection = |written: WrittenReflection| {
        let text = written.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let named = written.from.iter().filter_map(|number| observations.get(number.checked_sub(1)?));
        let mut based_on: Vec<String> = named.flat_map(|one| one.based_on.iter().cloned()).collect();
        based_on.truncate(MAX_REMEMBERED_SOURCES);
        let scope = match written.keep.as_str() {
            "project" => Some(MemoryScope::Project),
            "user" => Some(MemoryScope::User),
            _ => None,
        };
        let is_one = !text.is_empty() && text.len() <= MAX_MEMORY_BYTES && !based_on.is_empty();
        let confidence = written.confidence.map(|confidence| confidence.clamp(0.0, 1.0));
        let remembered =
            |id| Remembered { id, text, based_on, confidence, proposed_for: scope, ..Remembered::default() };
        is_one.then(|| (written.kind, remembered(new_id())))
    };
    for (kind, one) in written.filter_map(reflection).take(MAX_REFLECTIONS) {
        match kind.as_str() {
            "goal" => reflected.goals.push(one.text.clone()),
            "blocker" => reflected.blockers.push(one.text.clone()),
            _ => {}
        }
        reflected.reflections.push(one);
    }
    reflected
}

fn told(observations: &[Remembered]) -> &[Remembered] {
    &observations[observations.len().saturating_sub(MAX_OBSERVATIONS)..]
}

/// A conclusion in the form that the model is asked to write.
#[derive(Deserialize)]
struct WrittenReflection {
    text: String,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    confidence: Option<f64>,
    #[serde(default)]
    keep: String,
    #[serde(default)]
    from: Vec<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(count: usize) -> Vec<Remembered> {
        let one = |at: usize| Remembered {
            id: format!("o{at}"),
            text: format!("The command `{at}` worked."),
            based_on: vec![format!("e{at}")],
            ..Remembered::default()
        };
        (1..=count).map(one).collect()
    }

    fn read(answer: &str) -> Vec<(String, Vec<String>, Option<MemoryScope>)> {
        let all = reflections(answer, &observed(3), || "id".to_owned());
        all.reflections.into_iter().map(|one| (one.text, one.based_on, one.proposed_for)).collect()
    }

    #[test]
    fn the_request_has_the_goals_and_the_observations_and_stays_short() {
        let request = reflection_request(&["Fix it\nnow".to_owned()], &observed(2));
        assert_eq!(
            request.prompt,
            "The user asked for:\n- Fix it now\n\nObserved:\n1. The command `1` worked.\n2. The command `2` worked.\n"
        );
        let long = reflection_request(&vec!["goal ".repeat(1000); 50], &observed(1000));
        assert!(long.prompt.len() < 10_000, "{}", long.prompt.len());
        assert!(long.prompt.contains("`1000`") && !long.prompt.contains("`900`"));
    }

    #[test]
    fn conclusions_are_read_whatever_stands_around_them() {
        let answer = "Here:\n```json\n[{\"text\": \" Use\\npnpm. \", \"keep\": \"project\", \"from\": [1, 3]},\
            {\"text\": \"Short answers.\", \"keep\": \"user\", \"from\": [2, 99]},\
            {\"text\": \"Only now.\", \"from\": [2]}]\n```\nThat's all.";
        let events = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            read(answer),
            [
                ("Use pnpm.".to_owned(), events(&["e1", "e3"]), Some(MemoryScope::Project)),
                ("Short answers.".to_owned(), events(&["e2"]), Some(MemoryScope::User)),
                ("Only now.".to_owned(), events(&["e2"]), None),
            ]
        );
    }

    #[test]
    fn goals_and_blockers_are_told_apart_with_how_sure_the_model_is() {
        let answer = r#"[{"text": "Ship it.", "kind": "goal", "confidence": 0.5, "from": [1]},
            {"text": "No network.", "kind": "blocker", "confidence": 7, "from": [2]}]"#;
        let read = reflections(answer, &observed(3), || "id".to_owned());
        assert_eq!((read.goals, read.blockers), (vec!["Ship it.".to_owned()], vec!["No network.".to_owned()]));
        let sure: Vec<Option<f64>> = read.reflections.iter().map(|one| one.confidence).collect();
        assert_eq!(sure, [Some(0.5), Some(1.0)]);
    }

    #[test]
    fn what_is_no_conclusion_or_comes_from_nothing_is_left_out() {
        for answer in ["", "No.", "[", "][", "[1, {}]", "[{\"text\": \"x\"}]", "[{\"text\": \"\", \"from\": [1]}]"] {
            assert_eq!(read(answer), [], "{answer}");
        }
        let long = format!("[{{\"text\": \"{}\", \"from\": [1]}}]", "x".repeat(MAX_MEMORY_BYTES + 1));
        assert_eq!(read(&long), []);
        let many = format!("[{}]", vec!["{\"text\": \"x\", \"from\": [1]}"; 50].join(","));
        assert_eq!(read(&many).len(), MAX_REFLECTIONS);
    }
}
