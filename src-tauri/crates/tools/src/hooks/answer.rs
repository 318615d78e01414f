//! A hook's answer: what an exit code and two outputs mean for an event. Pure.
//!
//! Exit code 0: standard output counts, as JSON where it is JSON. 2: blocked, and standard error says why. Any other, or
//! no end of its own: the user is told, and the run goes on. Nothing in an answer can allow what the policy does not.

use super::bounded;
use arki_domain::{HookEvent, HookMoment, HookOutcome, MAX_STOP_HOLDS};
use arki_process::{AnswerEnding, Answered};
use serde_json::Value;
use std::time::Duration;

/// The exit code that blocks.
const BLOCKED: i32 = 2;
const NO_REASON: &str = "The hook gave no reason.";

/// The meaning of a hook's answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookAnswer {
    pub(crate) outcome: HookOutcome,
    /// Why it blocks, asks or stops.
    pub(crate) reason: Option<String>,
    /// The words for the model.
    pub(crate) context: Option<String>,
    /// The words for the user.
    pub(crate) said: Option<String>,
    /// The arguments that it wants, as it named them.
    pub(crate) args: Option<Value>,
}

impl HookAnswer {
    pub(crate) fn of(outcome: HookOutcome) -> Self {
        Self { outcome, reason: None, context: None, said: None, args: None }
    }

    /// Makes an answer about a problem with the hook itself: the user is told.
    pub(crate) fn trouble(outcome: HookOutcome, why: &str) -> Self {
        Self { said: Some(bounded(why)), ..Self::of(outcome) }
    }

    /// Narrows the answer to what it can mean outside a call: no approval is asked for there, some moments can't be
    /// blocked, and hooks can keep an agent going only so often.
    pub(crate) fn at(self, moment: &HookMoment) -> Self {
        let objects = matches!(self.outcome, HookOutcome::Blocked | HookOutcome::Asked);
        let reason = self.reason.as_deref().unwrap_or(NO_REASON);
        match moment {
            HookMoment::SessionStart(_) if objects => {
                Self::trouble(HookOutcome::Failed, &format!("A session's start can't be blocked. {reason}"))
            }
            HookMoment::Notification { .. } if strictness(self.outcome) > 0 => {
                Self::trouble(HookOutcome::Failed, &format!("A notification can't be blocked. {reason}"))
            }
            HookMoment::Stop { times_held, .. } if objects && *times_held >= MAX_STOP_HOLDS => {
                let why = format!("The hook kept the agent going {MAX_STOP_HOLDS} times. The run has ended. {reason}");
                Self::trouble(HookOutcome::OverLimit, &why)
            }
            _ if objects => Self { outcome: HookOutcome::Blocked, ..self },
            _ => self,
        }
    }
}

/// Reads an answer.
pub(crate) fn read(event: HookEvent, answered: &Answered, time_limit: Duration) -> HookAnswer {
    let stderr = bounded(&answered.stderr);
    match (answered.ending, answered.exit_code) {
        (AnswerEnding::Exited, Some(0)) => success(event, answered),
        (AnswerEnding::Exited, Some(BLOCKED)) => {
            let reason = if stderr.is_empty() { NO_REASON.to_owned() } else { stderr };
            HookAnswer { reason: Some(reason), ..HookAnswer::of(HookOutcome::Blocked) }
        }
        (AnswerEnding::Exited, code) => {
            let ending = code.map_or_else(|| "It was killed.".to_owned(), |code| format!("Exit code {code}."));
            let why = if stderr.is_empty() { ending } else { format!("{ending} {stderr}") };
            HookAnswer::trouble(HookOutcome::Failed, &why)
        }
        (AnswerEnding::TimedOut, _) => {
            let why = format!("It took longer than {} s and was ended.", time_limit.as_secs());
            HookAnswer::trouble(HookOutcome::TimedOut, &why)
        }
        (AnswerEnding::Cancelled, _) => HookAnswer::of(HookOutcome::Cancelled),
        (AnswerEnding::Overran(limit), _) => {
            HookAnswer::trouble(HookOutcome::OverLimit, &format!("It {limit} and was ended."))
        }
    }
}

fn success(event: HookEvent, answered: &Answered) -> HookAnswer {
    let text = answered.stdout.trim();
    if !text.starts_with('{') {
        return plain(event, text);
    }
    if answered.stdout_cut {
        let why = format!("Its answer is longer than {} KiB, so it can't be read.", super::MAX_HOOK_OUTPUT_BYTES >> 10);
        return HookAnswer::trouble(HookOutcome::Failed, &why);
    }
    match serde_json::from_str::<Value>(text) {
        Ok(answer) => of_json(&answer),
        Err(_) => plain(event, text),
    }
}

/// Text is for the model where the event is about what it is told, and otherwise for nobody.
fn plain(event: HookEvent, text: &str) -> HookAnswer {
    let is_context = matches!(event, HookEvent::SessionStart | HookEvent::UserPromptSubmit) && !text.is_empty();
    HookAnswer { context: is_context.then(|| bounded(text)), ..HookAnswer::of(HookOutcome::Passed) }
}

fn of_json(answer: &Value) -> HookAnswer {
    let nested = &answer["hookSpecificOutput"];
    let word = |value: &Value| value.as_str().map(str::to_owned);
    let text = |value: &Value| word(value).filter(|text| !text.trim().is_empty()).map(|text| bounded(&text));
    // Of several the strictest counts.
    let outcome = [&answer["decision"], &nested["permissionDecision"], &nested["decision"]]
        .into_iter()
        .filter_map(|value| outcome_of(&word(value)?))
        .max_by_key(|outcome| strictness(*outcome))
        .unwrap_or(HookOutcome::Passed);
    let stops = answer["continue"] == Value::Bool(false);
    let reason = text(&answer["reason"]).or_else(|| text(&nested["permissionDecisionReason"]));
    let reason = if stops { text(&answer["stopReason"]).or(reason) } else { reason };
    let outcome = if stops { HookOutcome::Stopped } else { outcome };
    let objects = strictness(outcome) > 0;
    let args = [&answer["updatedInput"], &nested["updatedInput"]].into_iter().find(|args| args.is_object());
    HookAnswer {
        outcome,
        reason: objects.then(|| reason.unwrap_or_else(|| NO_REASON.to_owned())),
        context: text(&answer["additionalContext"]).or_else(|| text(&nested["additionalContext"])),
        said: text(&answer["systemMessage"]),
        args: args.cloned(),
    }
}

/// `None` for what says nothing against it. A word that nobody knows asks: it was meant to decide something.
fn outcome_of(decision: &str) -> Option<HookOutcome> {
    match decision {
        "allow" | "approve" => None,
        "deny" | "block" => Some(HookOutcome::Blocked),
        _ => Some(HookOutcome::Asked),
    }
}

fn strictness(outcome: HookOutcome) -> u8 {
    match outcome {
        HookOutcome::Stopped => 3,
        HookOutcome::Blocked => 2,
        HookOutcome::Asked => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::SessionSource;
    use arki_process::Overrun;
    use serde_json::json;

    fn answered(code: i32, stdout: &str, stderr: &str) -> Answered {
        Answered {
            exit_code: Some(code),
            ending: AnswerEnding::Exited,
            stdout: stdout.into(),
            stderr: stderr.into(),
            stdout_is_text: true,
            stdout_cut: false,
            duration: Duration::ZERO,
        }
    }

    fn read_of(answered: &Answered) -> HookAnswer {
        read(HookEvent::PreToolUse, answered, Duration::from_secs(9))
    }

    #[test]
    fn exit_codes_mean_what_they_mean_elsewhere() {
        let blocked = read_of(&answered(2, "ignored", " not on main \n"));
        assert_eq!((blocked.outcome, blocked.reason.as_deref()), (HookOutcome::Blocked, Some("not on main")));
        assert_eq!(read_of(&answered(2, "", "")).reason.as_deref(), Some(NO_REASON));
        let failed = read_of(&answered(1, "", "no jq"));
        assert_eq!((failed.outcome, failed.said.as_deref()), (HookOutcome::Failed, Some("Exit code 1. no jq")));
        assert_eq!(read_of(&answered(0, "fine", "")), HookAnswer::of(HookOutcome::Passed));
    }

    #[test]
    fn one_that_did_not_end_by_itself_decides_nothing() {
        let of = |ending| read_of(&Answered { exit_code: None, ending, ..answered(0, "{\"decision\": \"deny\"}", "") });
        let timed_out = of(AnswerEnding::TimedOut);
        assert_eq!(timed_out.outcome, HookOutcome::TimedOut);
        assert_eq!(timed_out.said.as_deref(), Some("It took longer than 9 s and was ended."));
        let over = of(AnswerEnding::Overran(Overrun::WrittenBytes(16 << 20)));
        assert_eq!(over.outcome, HookOutcome::OverLimit);
        assert_eq!(over.said.as_deref(), Some("It wrote more than 16 MiB and was ended."));
        assert_eq!(of(AnswerEnding::Cancelled).outcome, HookOutcome::Cancelled);
    }

    #[test]
    fn json_decides_in_both_forms_and_the_strictest_counts() {
        let check = |answer: Value, outcome, reason: Option<&str>| {
            let read = read_of(&answered(0, &answer.to_string(), ""));
            assert_eq!((read.outcome, read.reason.as_deref()), (outcome, reason), "{answer}");
        };
        check(json!({"decision": "deny", "reason": "r"}), HookOutcome::Blocked, Some("r"));
        check(json!({"decision": "block"}), HookOutcome::Blocked, Some(NO_REASON));
        check(json!({"decision": "ask", "reason": "sure?"}), HookOutcome::Asked, Some("sure?"));
        check(json!({"decision": "allow", "reason": "fine"}), HookOutcome::Passed, None);
        check(json!({"decision": "maybe"}), HookOutcome::Asked, Some(NO_REASON));
        let nested = json!({"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "n"}});
        check(nested.clone(), HookOutcome::Blocked, Some("n"));
        let mut both = nested;
        both["decision"] = "approve".into();
        check(both, HookOutcome::Blocked, Some("n"));
        check(json!({"continue": false, "stopReason": "enough"}), HookOutcome::Stopped, Some("enough"));
    }

    #[test]
    fn json_adds_context_changes_arguments_and_speaks_to_the_user() {
        let answer = json!({"systemMessage": "hi", "hookSpecificOutput":
            {"additionalContext": "note", "updatedInput": {"command": "ls"}}});
        let read = read_of(&answered(0, &answer.to_string(), ""));
        assert_eq!((read.context.as_deref(), read.said.as_deref()), (Some("note"), Some("hi")));
        assert_eq!(read.args, Some(json!({"command": "ls"})));
    }

    #[test]
    fn text_is_for_the_model_where_it_is_told_something_anyway() {
        let said = answered(0, " On branch main.\n", "");
        let of = |event| read(event, &said, Duration::ZERO).context;
        assert_eq!(of(HookEvent::SessionStart).as_deref(), Some("On branch main."));
        assert_eq!(of(HookEvent::UserPromptSubmit).as_deref(), Some("On branch main."));
        assert_eq!(of(HookEvent::PostToolUse), None);
    }

    #[test]
    fn where_there_is_no_call_nothing_is_asked_and_some_moments_cannot_be_blocked() {
        let at = |outcome, moment: &HookMoment| {
            let answer = HookAnswer { reason: Some("why".into()), ..HookAnswer::of(outcome) }.at(moment);
            (answer.outcome, answer.said)
        };
        let prompt = HookMoment::Prompt { text: "go".into(), message_id: None };
        assert_eq!(at(HookOutcome::Asked, &prompt), (HookOutcome::Blocked, None));
        let stop = |times_held| HookMoment::Stop { last_text: String::new(), times_held };
        assert_eq!(at(HookOutcome::Blocked, &stop(MAX_STOP_HOLDS - 1)), (HookOutcome::Blocked, None));
        let ends = "The hook kept the agent going 3 times. The run has ended. why".to_owned();
        assert_eq!(at(HookOutcome::Blocked, &stop(MAX_STOP_HOLDS)), (HookOutcome::OverLimit, Some(ends)));
        let start = HookMoment::SessionStart(SessionSource::Startup);
        let refused = "A session's start can't be blocked. why".to_owned();
        assert_eq!(at(HookOutcome::Blocked, &start), (HookOutcome::Failed, Some(refused)));
        assert_eq!(at(HookOutcome::Stopped, &start), (HookOutcome::Stopped, None));
        let kind = arki_domain::NotificationKind::Idle;
        let notification = HookMoment::Notification { kind, message: String::new() };
        assert_eq!(at(HookOutcome::Stopped, &notification).0, HookOutcome::Failed);
        assert_eq!(at(HookOutcome::Passed, &notification), (HookOutcome::Passed, None));
    }

    #[test]
    fn an_answer_that_is_cut_is_no_permission() {
        let cut = Answered { stdout_cut: true, ..answered(0, "{\"decision\": \"deny\", \"reason\": \"", "") };
        assert_eq!(read_of(&cut).outcome, HookOutcome::Failed);
    }
}
