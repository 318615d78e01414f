//! Hooks around calls, run for real in the strongest sandbox of this machine.

use super::*;
use crate::hooks::{Hook, HookAction, HookCommand, HookCondition, HookOrigin, name_of};
use arki_domain::{HookEvent, HookOutcome, HookRan};
use serde_json::json;
use std::time::Duration;

fn hook(event: HookEvent, matcher: &str, line: &str) -> Hook {
    let action =
        HookAction::Command(HookCommand { line: line.into(), time_limit: Duration::from_secs(60), network: false });
    let condition = HookCondition::of_matcher(matcher).unwrap();
    Hook { name: name_of(&action), event, condition, action, origin: HookOrigin::User }
}

fn before(matcher: &str, line: &str) -> Hook {
    hook(HookEvent::PreToolUse, matcher, line)
}

fn bench(hooks: Vec<Hook>) -> Bench {
    let sandbox = arki_sandbox::Sandbox::strongest();
    assert!(sandbox.available, "{:?}", sandbox.reason);
    Bench::with_hooks(Audience::Nobody, Vec::new(), ApprovalMode::All, sandbox, hooks)
}

impl Bench {
    fn bodies(&self) -> Vec<EventBody> {
        self.log.0.lock().unwrap().iter().map(|event| event.body()).collect()
    }

    fn hooks_that_ran(&self) -> Vec<HookRan> {
        let bodies = self.bodies().into_iter();
        bodies.filter_map(|body| if let EventBody::HookRan(ran) = body { Some(ran) } else { None }).collect()
    }

    fn decided(&self) -> (arki_domain::Decision, String) {
        let decided = self.bodies().into_iter().rev().find_map(|body| match body {
            EventBody::PolicyDecided(decided) => Some((decided.decision, decided.rule)),
            _ => None,
        });
        decided.unwrap()
    }

    fn context_added(&self) -> Vec<String> {
        let bodies = self.bodies().into_iter();
        bodies
            .filter_map(|body| if let EventBody::ContextAdded(added) = body { Some(added.text) } else { None })
            .collect()
    }

    async fn writes(&self, path: &str, content: &str) {
        self.called("write_file", json!({"path": path, "content": content})).await;
        assert_eq!(self.carry_on().await, CallOutcome::Finished);
    }

    fn file(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.folder.path().join(path)).ok()
    }
}

#[tokio::test]
async fn exit_code_2_denies_the_call_and_the_model_is_told_why() {
    let bench = bench(vec![before("Edit|Write", "echo 'not on main' >&2; exit 2")]);
    bench.writes("a.txt", "x").await;
    assert_eq!(bench.kinds(), ["hook.ran", "policy.decided", "tool.result"]);
    let rule = "hook:echo 'not on main' >&2; exit 2";
    assert_eq!(bench.decided(), (arki_domain::Decision::Deny, rule.to_owned()));
    let (result, code) = bench.result();
    assert!(result.contains("not on main"), "{result}");
    assert_eq!(code.as_deref(), Some("POLICY_DENIED"));
    assert_eq!(bench.file("a.txt"), None);
    let ran = &bench.hooks_that_ran()[0];
    assert_eq!(
        (ran.exit_code, ran.outcome, ran.event),
        (Some(2), Some(HookOutcome::Blocked), Some(HookEvent::PreToolUse))
    );
}

#[tokio::test]
async fn a_hook_that_allows_loosens_nothing_and_one_that_asks_asks_whatever_was_granted() {
    let allow = before("Bash", r#"echo '{"decision": "allow"}'"#);
    let sandbox = arki_sandbox::Sandbox::strongest();
    let asking = Bench::with_hooks(Audience::Nobody, Vec::new(), ApprovalMode::Ask, sandbox, vec![allow]);
    asking.called("run_command", json!({"command": "touch x"})).await;
    assert!(matches!(asking.carry_on().await, CallOutcome::AwaitingApproval(_)));
    let ask = before("Bash", r#"echo '{"decision": "ask", "reason": "sure?"}'"#);
    let bench = bench(vec![ask]);
    bench.called("run_command", json!({"command": "ls"})).await;
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
    assert!(bench.decided().1.starts_with("hook:"), "{:?}", bench.decided());
}

#[tokio::test]
async fn the_command_is_told_of_the_call_in_the_names_of_other_agents() {
    let line = r#"cat >&2; echo " $CLAUDE_PROJECT_DIR" >&2; exit 2"#;
    let bench = bench(vec![before("Write", line)]);
    bench.writes("src/a.txt", "x").await;
    let (told, _) = bench.result();
    let root = bench.folder.path().canonicalize().unwrap().display().to_string();
    for words in [
        r#""session_id":"s""#,
        r#""hook_event_name":"PreToolUse""#,
        r#""tool_name":"Write""#,
        r#""content":"x""#,
        &format!(r#""cwd":"{root}""#),
        &format!(r#""file_path":"{root}/src/a.txt""#),
        &format!(" {root}"),
    ] {
        assert!(told.contains(words), "{words} in {told}");
    }
}

#[tokio::test]
async fn changed_arguments_are_what_is_decided_on_and_done() {
    let line = r#"echo '{"hookSpecificOutput": {"updatedInput": {"content": "better"}}}'"#;
    let bench = bench(vec![before("Write", line)]);
    bench.writes("a.txt", "worse").await;
    assert_eq!(bench.file("a.txt").as_deref(), Some("better"));
    assert_eq!(bench.hooks_that_ran()[0].args, Some(json!({"path": "a.txt", "content": "better"})));
}

#[tokio::test]
async fn changed_arguments_outlive_the_question_about_them() {
    let change = before("Bash", r#"echo '{"updatedInput": {"command": "touch b"}, "decision": "ask"}'"#);
    let bench = bench(vec![change]);
    bench.called("run_command", json!({"command": "touch a"})).await;
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
    assert_eq!(bench.state().pending_calls()[0].call.args, json!({"command": "touch b"}));
}

#[tokio::test]
async fn a_hook_changes_nothing_in_the_project_and_reaches_no_network() {
    let line = "echo x >new.txt; echo y >a.txt; rm -f a.txt; \
        (exec 3<>/dev/tcp/127.0.0.1/22) 2>/dev/null && echo reached; cat a.txt >&2; exit 2";
    let bench = bench(vec![before("Read", line)]);
    std::fs::write(bench.folder.path().join("a.txt"), "mine").unwrap();
    bench.called("read_file", json!({"path": "a.txt"})).await;
    bench.carry_on().await;
    assert_eq!((bench.file("new.txt"), bench.file("a.txt").as_deref()), (None, Some("mine")));
    assert!(bench.result().0.contains("mine"), "{}", bench.result().0);
}

#[tokio::test]
async fn a_hook_that_fails_hangs_or_floods_is_told_to_the_user_and_the_call_goes_on() {
    let mut hanging = before("Read", "sleep 1000");
    if let HookAction::Command(command) = &mut hanging.action {
        command.time_limit = Duration::from_secs(1);
    }
    let bench = bench(vec![before("Read", "echo broken >&2; exit 1"), hanging, before("Read", "yes")]);
    std::fs::write(bench.folder.path().join("a.txt"), "mine").unwrap();
    bench.called("read_file", json!({"path": "a.txt"})).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert!(bench.result().0.contains("mine"));
    let said: Vec<_> =
        bench.hooks_that_ran().into_iter().map(|ran| (ran.outcome.unwrap(), ran.said.unwrap())).collect();
    let expected = [
        (HookOutcome::Failed, "Exit code 1. broken"),
        (HookOutcome::TimedOut, "It took longer than 1 s and was ended."),
        (HookOutcome::OverLimit, "It wrote more than 16 MiB and was ended."),
    ];
    assert_eq!(said, expected.map(|(outcome, words)| (outcome, words.to_owned())));
}

#[tokio::test]
async fn after_a_call_a_hook_sees_its_result_and_tells_the_model() {
    let line = r#"grep -o '"is_error":false' >/dev/null && echo 'run the tests' >&2; exit 2"#;
    let bench = bench(vec![hook(HookEvent::PostToolUse, "Write", line)]);
    bench.writes("a.txt", "x").await;
    assert_eq!(bench.file("a.txt").as_deref(), Some("x"), "it has happened");
    let kinds = bench.kinds();
    let after: Vec<&str> = kinds.iter().map(String::as_str).skip_while(|kind| *kind != "tool.result").collect();
    assert_eq!(after, ["tool.result", "hook.ran", "context.added"]);
    assert!(bench.context_added()[0].ends_with("run the tests"), "{:?}", bench.context_added());
}

#[tokio::test]
async fn a_call_that_was_not_carried_out_has_no_hooks_after_it() {
    let bench = bench(vec![hook(HookEvent::PostToolUse, "*", "exit 2")]);
    bench.called("read_file", json!({"path": "missing.txt"})).await;
    bench.carry_on().await;
    assert!(bench.hooks_that_ran().is_empty());
}

#[tokio::test]
async fn a_commit_of_the_agent_has_its_own_event() {
    let bench = bench(vec![hook(HookEvent::PreCommit, "", "echo 'tests first' >&2; exit 2")]);
    bench.called("run_command", json!({"command": "git status"})).await;
    bench.carry_on().await;
    assert!(bench.hooks_that_ran().is_empty());
    bench.also_called("d", "run_command", json!({"command": "cd x && git -C y commit -m z"})).await;
    bench.carry_on().await;
    assert!(bench.result().0.contains("tests first"));
}

#[tokio::test]
async fn texts_are_added_and_noted_without_a_command() {
    let text = |action: HookAction| Hook { name: action.word().into(), action, ..before("Read", "") };
    let bench = bench(vec![
        text(HookAction::Inject("Mind {{path}}.".into())),
        text(HookAction::Log("Read {{path}}".into())),
        text(HookAction::Remind("Once more".into())),
    ]);
    bench.called("read_file", json!({"path": "a.txt"})).await;
    std::fs::write(bench.folder.path().join("a.txt"), "mine").unwrap();
    bench.carry_on().await;
    let said: Vec<_> = bench.hooks_that_ran().into_iter().map(|ran| ran.said).collect();
    assert_eq!(said, [None, Some("Read a.txt".to_owned()), Some("Once more".to_owned())]);
    let added = bench.context_added();
    assert!(added.len() == 2 && added[0].ends_with("Mind a.txt.") && added[1].ends_with("Once more"), "{added:?}");
}

#[tokio::test]
async fn a_hook_that_wants_the_run_to_end_ends_it() {
    let bench = bench(vec![before("*", r#"echo '{"continue": false, "stopReason": "enough"}'"#)]);
    bench.called("read_file", json!({"path": "a.txt"})).await;
    let CallOutcome::Stopped(fault) = bench.carry_on().await else { panic!("it goes on") };
    assert!(fault.is(arki_domain::Code::HOOK_STOPPED) && fault.message.contains("enough"), "{fault:?}");
}

#[tokio::test]
async fn reads_with_hooks_are_not_done_together() {
    let bench = bench(vec![before("Read", "echo no >&2; exit 2")]);
    bench.called("read_file", json!({"path": "a.txt"})).await;
    bench.also_called("d", "read_file", json!({"path": "b.txt"})).await;
    bench.carry_on_together().await;
    bench.carry_on_together().await;
    assert_eq!(bench.hooks_that_ran().len(), 2);
}
