//! Hooks around calls, run for real in the strongest sandbox of this machine.

use super::*;
use crate::executor::hook_runner::CHANGED;
use crate::hooks::{Hook, HookAction, HookCommand, HookCondition, HookOrigin, name_of};
use arki_domain::{HookEvent, HookOutcome, HookRan};
use serde_json::json;
use std::time::Duration;

pub(super) fn hook(event: HookEvent, matcher: &str, line: &str) -> Hook {
    let action =
        HookAction::Command(HookCommand { line: line.into(), time_limit: Duration::from_secs(60), network: false });
    let condition = HookCondition::of_matcher(matcher).unwrap();
    Hook { name: name_of(&action), event, condition, action, origin: HookOrigin::User }
}

fn before(matcher: &str, line: &str) -> Hook {
    hook(HookEvent::PreToolUse, matcher, line)
}

pub(super) fn bench(hooks: Vec<Hook>) -> Bench {
    let sandbox = arki_sandbox::Sandbox::strongest();
    assert!(sandbox.available, "{:?}", sandbox.reason);
    Bench::with(Audience::Nobody, (Vec::new(), hooks, Vec::new()), ApprovalMode::All, sandbox)
}

impl Bench {
    fn bodies(&self) -> Vec<EventBody> {
        self.log.0.lock().unwrap().iter().map(|event| event.body()).collect()
    }

    pub(super) fn hooks_that_ran(&self) -> Vec<HookRan> {
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

    pub(super) fn context_added(&self) -> Vec<String> {
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
    let asking = Bench::with(Audience::Nobody, (Vec::new(), vec![allow], Vec::new()), ApprovalMode::Ask, sandbox);
    asking.called("run_command", json!({"command": "touch x"})).await;
    assert!(matches!(asking.carry_on().await, CallOutcome::AwaitingApproval(_)));
    let ask = before("Bash", r#"echo '{"decision": "ask", "reason": "sure?"}'"#);
    let bench = bench(vec![ask]);
    bench.called("run_command", json!({"command": "ls"})).await;
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
    assert!(bench.decided().1.starts_with("hook:"), "{:?}", bench.decided());
}

#[tokio::test]
async fn a_projects_guard_that_changed_meanwhile_does_not_run_and_the_user_is_asked() {
    let guard = Hook { origin: HookOrigin::Project(".arki/config.json"), ..before("Read", "changed; exit 0") };
    let bench = bench(vec![guard]);
    bench.put("a.txt", "mine");
    bench.called("read_file", json!({"path": "a.txt"})).await;
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
    let ran = bench.hooks_that_ran();
    assert_eq!((ran[0].outcome, ran[0].said.as_deref()), (Some(HookOutcome::Asked), Some(CHANGED)));
}

#[tokio::test]
async fn a_projects_hook_that_is_as_agreed_runs_beside_one_that_changed() {
    let of = |line: &str| Hook { origin: HookOrigin::Project(".arki/config.json"), ..before("Read", line) };
    let bench = bench(vec![of("changed; exit 0"), of("exit 2")]);
    bench.put("a.txt", "mine");
    bench.called("read_file", json!({"path": "a.txt"})).await;
    bench.carry_on().await;
    assert_eq!(bench.hooks_that_ran()[1].outcome, Some(HookOutcome::Blocked));
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
    assert_eq!(after, ["tool.result", "checkpoint.created", "hook.ran", "context.added"]);
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

fn format(line: &str) -> Hook {
    hook(HookEvent::PostToolUse, "Edit|Write", line)
}

impl Bench {
    fn changes(&self) -> Vec<(String, Option<String>)> {
        let bodies = self.bodies().into_iter();
        let told = |body| match body {
            EventBody::FileChanged(changed) => Some((changed.path, changed.by_hook)),
            _ => None,
        };
        bodies.filter_map(told).collect()
    }

    fn put(&self, path: &str, content: &str) {
        std::fs::write(self.folder.path().join(path), content).unwrap();
    }
}

#[tokio::test]
async fn a_formatter_writes_the_files_of_its_edit_and_the_change_names_it() {
    let line = "sed -i 's/a/A/' a.txt";
    let bench = bench(vec![format(line)]);
    bench.put("b.txt", "a");
    bench.writes("a.txt", "a").await;
    assert_eq!((bench.file("a.txt").as_deref(), bench.file("b.txt").as_deref()), (Some("A"), Some("a")));
    assert_eq!(bench.changes(), [("a.txt".to_owned(), None), ("a.txt".to_owned(), Some(line.to_owned()))]);
    let kinds = bench.kinds();
    let after: Vec<&str> = kinds.iter().map(String::as_str).skip_while(|kind| *kind != "tool.result").collect();
    assert_eq!(after, ["tool.result", "checkpoint.created", "file.changed", "hook.ran", "context.added"]);
    assert_eq!(bench.hooks_that_ran()[0].words(), format!("Hook {line} changed 1 file"));
    assert!(bench.context_added()[0].contains("It changed a.txt after your edit"), "{:?}", bench.context_added());
}

#[tokio::test]
async fn whatever_else_a_formatter_changes_is_restored_and_told() {
    let line = "echo x >b.txt; rm c.txt; echo new >d.txt; mkdir -p .arki; echo '{}' >.arki/config.json; echo ok >a.txt";
    let bench = bench(vec![format(line)]);
    bench.put("b.txt", "b");
    bench.put("c.txt", "c");
    bench.writes("a.txt", "a").await;
    let files = ["a.txt", "b.txt", "c.txt", "d.txt", ".arki/config.json"].map(|path| bench.file(path));
    assert_eq!(files, [Some("ok\n".to_owned()), Some("b".to_owned()), Some("c".to_owned()), None, None]);
    let ran = &bench.hooks_that_ran()[0];
    let restored: Vec<&str> = ran.restored.iter().map(|file| file.path.as_str()).collect();
    assert!(["b.txt", "c.txt", "d.txt"].iter().all(|path| restored.contains(path)), "{ran:?}");
    assert!(ran.not_restored.is_empty() && ran.changed == ["a.txt"], "{ran:?}");
    let kept = bench.kept.contents.lock().unwrap();
    assert!(kept.iter().any(|content| content.bytes == b"x\n"), "what the hook made of it is kept");
}

#[tokio::test]
async fn a_large_file_that_nobody_imaged_is_told_as_what_it_is() {
    let bench = bench(vec![format("echo x >>large.txt")]);
    bench.put("large.txt", &"x".repeat(300 << 10));
    bench.writes("a.txt", "a").await;
    let ran = &bench.hooks_that_ran()[0];
    assert_eq!((ran.not_restored.as_slice(), ran.restored.len()), (["large.txt".to_owned()].as_slice(), 0));
    assert!(ran.words().contains("can't be undone: large.txt"), "{}", ran.words());
}

#[tokio::test]
async fn after_a_command_a_hook_may_not_write() {
    let bench = bench(vec![hook(HookEvent::PostToolUse, "Bash", "echo x >b.txt")]);
    bench.called("run_command", json!({"command": "echo a >a.txt"})).await;
    bench.carry_on().await;
    assert_eq!((bench.file("a.txt").as_deref(), bench.file("b.txt")), (Some("a\n"), None));
}

#[tokio::test]
async fn a_formatter_that_a_crash_cut_off_is_told_and_not_run_again() {
    let bench = bench(vec![format("echo again >a.txt")]);
    bench.put("other.txt", "mine, since");
    let hook = WritingHook { hook: "fmt".into(), command: "fmt".into(), files: vec!["a.txt".into()] };
    let content =
        |text: &str| Content { hash: sha256_hex(text.as_bytes()), bytes: text.into(), kind: ContentKind::Plain };
    bench.kept.contents.lock().unwrap().push(content("edited"));
    bench.called("write_file", json!({"path": "a.txt", "content": "edited"})).await;
    let changed = FileChanged {
        path: "a.txt".into(),
        before_hash: None,
        after_hash: Some(sha256_hex(b"edited")),
        before_unknown: false,
        after_unknown: false,
        before_permissions: Permissions::default(),
        before_link: false,
        after_link: false,
        call_id: CallId::from("c"),
        hunks: vec![1],
        by_session: None,
        by_hook: None,
    };
    let created = CheckpointCreated {
        checkpoint_id: CheckpointId::new(),
        last_seq: 2,
        call_id: Some(CallId::from("c")),
        manifest: None,
        files: 1,
        skipped: 0,
        hook: Some(hook),
        reason: None,
        summary: None,
        memory_snapshot: None,
    };
    bench.append(vec![changed.into(), created.into()]).await;
    bench.put("a.txt", "half");
    let interrupted = bench.state().interrupted_hook().unwrap().clone();
    bench.executor.settle_hook(&interrupted, &bench.context()).await.unwrap();
    assert_eq!(bench.changes().last(), Some(&("a.txt".to_owned(), Some("fmt".to_owned()))));
    assert_eq!(bench.hooks_that_ran()[0].outcome, Some(HookOutcome::Interrupted));
    assert_eq!(bench.file("a.txt").as_deref(), Some("half"));
    assert!(bench.state().interrupted_hook().is_none(), "it is told once");
}

#[tokio::test]
async fn what_a_prompt_mentions_is_not_read_past_a_hook_that_could_object() {
    let read = |bench: &Bench| {
        std::fs::write(bench.folder.path().join("a.txt"), "words").unwrap();
        let (args, cancel) = (json!({"path": "a.txt"}), CancellationToken::new());
        let read =
            crate::UnaskedRead { tool_id: "read_file", args: &args, max_bytes: 1000, session: None, cancel: &cancel };
        bench.executor.unasked_reads().read(&read).map(|output| output.text)
    };
    let fault = read(&bench(vec![before("Read", "exit 2")])).unwrap_err();
    assert!(fault.is(Code::POLICY_DENIED) && fault.message.contains("hook"), "{fault:?}");
    for other in [before("Bash", "exit 2"), hook(HookEvent::PostToolUse, "Read", "exit 2")] {
        assert!(read(&bench(vec![other])).unwrap().contains("words"));
    }
}
