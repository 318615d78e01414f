//! Hooks at the moments of a run that are no calls, whatever they do.

use super::*;
use arki_domain::projection::Queue;

fn answers(event: HookEvent, outcome: HookOutcome) -> HookRan {
    HookRan { outcome: Some(outcome), said: Some("tests fail".into()), ..HookRan::new(event, "gate", "./gate.sh") }
}

fn stage(hooks: &[HookRan], turns: &[&str]) -> Stage {
    let stage = Stage::new(turns.iter().map(|words| vec![text(words), end()]).collect());
    *stage.hooks.lock().unwrap() = hooks.to_vec();
    stage
}

#[tokio::test]
async fn a_hook_makes_the_agent_go_on_until_it_has_nothing_against_the_end() {
    let stop = |outcome| answers(HookEvent::Stop, outcome);
    let stage = stage(&[stop(HookOutcome::Blocked), stop(HookOutcome::Passed)], &["first", "second"]);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "second".into() });
    assert_eq!((stage.count("engine.request"), stage.count("hook.ran")), (2, 2));
}

#[tokio::test]
async fn a_blocked_prompt_ends_the_run_before_the_model_is_asked() {
    let passed = answers(HookEvent::SessionStart, HookOutcome::Passed);
    let stage = stage(&[passed, answers(HookEvent::UserPromptSubmit, HookOutcome::Blocked)], &["never"]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("it goes on") };
    assert!(fault.is(Code::HOOK_BLOCKED_PROMPT) && fault.message.contains("tests fail"), "{fault:?}");
    assert_eq!(stage.log.kinds(), ["run.started", "hook.ran", "hook.ran", "run.failed"]);
}

#[tokio::test]
async fn a_hook_can_end_the_run_before_it_begins() {
    let stage = stage(&[answers(HookEvent::SessionStart, HookOutcome::Stopped)], &["never"]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("it goes on") };
    assert!(fault.is(Code::HOOK_STOPPED), "{fault:?}");
    assert_eq!(stage.count("engine.request"), 0);
}

#[tokio::test]
async fn a_blocked_message_waits_on_and_the_run_goes_on_without_it() {
    let prompt = |outcome| answers(HookEvent::UserPromptSubmit, outcome);
    let stage = Stage::new(vec![vec![call("c"), end()], vec![text("done"), end()]]);
    *stage.hooks.lock().unwrap() = vec![prompt(HookOutcome::Passed), prompt(HookOutcome::Blocked)];
    stage.hears_meanwhile(QueueMode::Steer);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 3], "the prompt, the call and its result");
    let mut queue = Queue::default();
    stage.log.0.lock().unwrap().iter().for_each(|event| queue.apply(&event.body()));
    let [waiting] = queue.messages() else { panic!("{queue:?}") };
    assert_eq!((waiting.text.as_str(), waiting.mode), ("and tests", QueueMode::FollowUp));
}

#[tokio::test]
async fn what_the_user_says_while_the_run_is_about_to_end_is_heard() {
    let stage = stage(
        &[answers(HookEvent::UserPromptSubmit, HookOutcome::Passed), answers(HookEvent::Stop, HookOutcome::Passed)],
        &["first", "second"],
    );
    stage.hears_meanwhile(QueueMode::Steer);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "second".into() });
}

#[tokio::test]
async fn a_sub_agents_run_has_no_hooks_of_its_own() {
    let parent = ParentCall { session_id: "s".into(), run_id: "above".into(), call_id: "c".into() };
    let blocked = answers(HookEvent::UserPromptSubmit, HookOutcome::Blocked);
    let stage = Stage { parent: Some(parent), ..stage(&[blocked], &["done"]) };
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(stage.count("hook.ran"), 0);
}
