//! Hooks where there is no call, run for real in the strongest sandbox of this machine.

use super::hooks::{bench, hook};
use super::*;
use arki_domain::projection::AnsweredHooks;
use arki_domain::{HookEvent, HookMoment, HookOutcome, NotificationKind, SessionSource};

fn prompt(text: &str) -> HookMoment {
    HookMoment::Prompt { text: text.into(), message_id: None }
}

impl Bench {
    async fn begun(&self) {
        let started = self.started();
        self.append(vec![started.into()]).await;
    }

    async fn comes_to(&self, moment: &HookMoment) {
        let answered: AnsweredHooks = self.state().hooks;
        self.executor.run_hooks(moment, &answered, &self.context()).await.unwrap();
    }

    fn outcomes(&self) -> Vec<HookOutcome> {
        self.hooks_that_ran().into_iter().filter_map(|ran| ran.outcome).collect()
    }
}

#[tokio::test]
async fn a_hook_is_told_what_happens_and_its_words_are_context() {
    let start = hook(HookEvent::SessionStart, "startup", "cat; echo \" $CLAUDE_PROJECT_DIR\"");
    let bench = bench(vec![start, hook(HookEvent::UserPromptSubmit, "", "echo told; cat")]);
    bench.begun().await;
    bench.comes_to(&HookMoment::SessionStart(SessionSource::Resume)).await;
    assert!(bench.hooks_that_ran().is_empty(), "it is for new sessions");
    bench.comes_to(&HookMoment::SessionStart(SessionSource::Startup)).await;
    bench.comes_to(&prompt("fix it")).await;
    let told = bench.context_added();
    let root = bench.folder.path().canonicalize().unwrap().display().to_string();
    for words in [
        "[From the hook \"cat; echo",
        r#""hook_event_name":"SessionStart""#,
        r#""source":"startup""#,
        &format!(r#""cwd":"{root}""#),
        &format!("}} {root}"),
    ] {
        assert!(told[0].contains(words), "{words} in {}", told[0]);
    }
    for words in [r#""hook_event_name":"UserPromptSubmit""#, r#""prompt":"fix it""#, r#""session_id":"s""#] {
        assert!(told[1].contains(words), "{words} in {}", told[1]);
    }
}

#[tokio::test]
async fn a_blocked_prompt_ends_the_row_and_its_reason_is_no_context() {
    let line = "grep -q secret && echo 'no secrets' >&2 && exit 2; exit 0";
    let of = |line| hook(HookEvent::UserPromptSubmit, "", line);
    let bench = bench(vec![of("true"), of(line), of("echo never")]);
    bench.begun().await;
    bench.comes_to(&prompt("a secret")).await;
    assert_eq!(bench.outcomes(), [HookOutcome::Passed, HookOutcome::Blocked]);
    assert_eq!(bench.hooks_that_ran()[1].said.as_deref(), Some("no secrets"));
    assert!(bench.context_added().is_empty());
    bench.comes_to(&prompt("a secret")).await;
    assert_eq!(bench.outcomes().len(), 2, "the row has ended");
}

#[tokio::test]
async fn after_a_crash_only_those_run_that_have_not_answered() {
    let of = |line| hook(HookEvent::UserPromptSubmit, "", line);
    let answered = bench(vec![of("echo one"), of("echo one"), of("echo two")]);
    answered.begun().await;
    answered.comes_to(&prompt("go")).await;
    let events = answered.log.0.lock().unwrap().clone();
    // One and its twin have answered, the third had not.
    let after = bench(vec![of("echo one"), of("echo one"), of("echo two")]);
    let until_crash = events.iter().take(5).map(|event| event.body()).collect();
    after.append(until_crash).await;
    after.comes_to(&prompt("go")).await;
    assert_eq!(after.hooks_that_ran().len(), 3);
    assert!(after.context_added()[2].ends_with("two"), "{:?}", after.context_added());
}

#[tokio::test]
async fn a_hook_that_holds_the_run_tells_the_model_why_and_only_so_often() {
    let line =
        r#"grep -o '"stop_hook_active":[a-z]*'; echo '{"decision": "block", "reason": "run the tests"}' >&2; exit 2"#;
    let bench = bench(vec![hook(HookEvent::Stop, "", line)]);
    bench.begun().await;
    for times_held in 0..=3 {
        let moment = HookMoment::Stop { last_text: "done".into(), times_held };
        bench.comes_to(&moment).await;
    }
    let [held @ .., last] = bench.outcomes().try_into().unwrap_or([HookOutcome::Failed; 4]);
    assert_eq!((held, last), ([HookOutcome::Blocked; 3], HookOutcome::OverLimit));
    let told = bench.context_added();
    assert_eq!(told.len(), 3);
    assert!(told[0].contains("at Stop]") && told[0].contains("run the tests"), "{}", told[0]);
}

#[tokio::test]
async fn a_notification_tells_and_changes_nothing() {
    let bench = bench(vec![hook(HookEvent::Notification, "permission_prompt", "cat >&2; exit 2")]);
    bench.begun().await;
    let of = |kind| HookMoment::Notification { kind, message: "Arki needs you.".into() };
    assert!(bench.executor.notify(&of(NotificationKind::Idle), &bench.context()).await.is_empty());
    let told = bench.executor.notify(&of(NotificationKind::Permission), &bench.context()).await;
    let [ran] = &told[..] else { panic!("{told:?}") };
    let said = ran.said.as_deref().unwrap();
    assert_eq!(ran.outcome, Some(HookOutcome::Failed));
    assert!(said.contains("can't be blocked") && said.contains(r#""message":"Arki needs you.""#), "{said}");
    assert!(bench.hooks_that_ran().is_empty(), "the run's log is closed by then");
}
