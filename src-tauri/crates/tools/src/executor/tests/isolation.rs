use super::*;
use crate::subagents::{AgentChoice, SubagentChanges, SubagentEnd, SubagentStop, SubagentTask, Subagents};
use arki_files::{ChangeSet, Project, plan_write};
use serde_json::json;

const TREE: &str = "tree-1";

/// A sub-agent that changes `a.txt` in its worktree, and that worktree.
#[derive(Default)]
struct Isolated {
    conflicts: bool,
    settled: Mutex<bool>,
}

#[async_trait]
impl Subagents for Isolated {
    fn only_reads(&self, _: &str) -> bool {
        false
    }

    fn is_isolated(&self, _: &str) -> bool {
        true
    }

    fn ensure_can_isolate(&self) -> Result<(), Error> {
        Ok(())
    }

    fn tree_of(&self, session_id: &SessionId) -> String {
        format!("/trees/{session_id}")
    }

    async fn is_settled(&self, _: &ApprovalId) -> Result<bool, Error> {
        Ok(false)
    }

    async fn work(&self, task: SubagentTask<'_>) -> Result<SubagentStop, Error> {
        let (started, end) = (task.started, SubagentEnd::Answered { response: "Done.".into() });
        assert_eq!(started.tree, Some(format!("/trees/{}", started.session_id)));
        let (files, background) = (Vec::new(), Vec::new());
        Ok(SubagentStop { end, usage: Usage::default(), files, background, in_tree: vec!["a.txt".into()] })
    }

    async fn tell_of_background(&self, _: &SubagentStarted) -> Result<(), Error> {
        Ok(())
    }
}

#[async_trait]
impl SubagentChanges for Isolated {
    fn paths(&self, worktree: &SessionId) -> Vec<String> {
        assert_eq!(worktree.as_str(), TREE);
        vec!["a.txt".into()]
    }

    fn plan(&self, project: &Project, _: &SessionId, _: Option<&[String]>) -> Result<ChangeSet, Error> {
        if self.conflicts {
            return Err(Error::new(Code::WORKTREE_CONFLICT, "a.txt", ""));
        }
        Ok(plan_write(project, &project.resolve("a.txt")?, "theirs\n")?)
    }

    async fn settle(&self, _: &SessionId) {
        *self.settled.lock().unwrap() = true;
    }
}

fn bench(isolated: &Arc<Isolated>, approve: ApprovalMode) -> Bench {
    let agents = [AgentChoice { name: "writer".into(), description: String::new() }];
    let tools = vec![crate::delegate(&agents, isolated.clone()), crate::take_changes(isolated.clone())];
    Bench::new(tools, approve)
}

async fn taken(isolated: &Arc<Isolated>, args: Value) -> Bench {
    let bench = bench(isolated, ApprovalMode::Edits);
    bench.called("take_changes", args).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    bench
}

#[tokio::test]
async fn the_run_above_is_told_what_waits_in_the_worktree() {
    let bench = bench(&Arc::default(), ApprovalMode::Ask);
    bench.called("delegate", json!({"agent": "writer", "task": "Write."})).await;
    bench.carry_on().await;
    let (result, code) = bench.result();
    assert!(
        code.is_none() && result.contains("call take_changes with worktree") && result.ends_with("- a.txt"),
        "{result}"
    );
    assert_eq!(bench.kinds(), ["policy.decided", "subagent.started", "tool.result"]);
}

#[tokio::test]
async fn without_the_tool_to_take_them_there_is_no_worktree() {
    let agents = [AgentChoice { name: "writer".into(), description: String::new() }];
    let bench = Bench::new(vec![crate::delegate(&agents, Arc::new(Isolated::default()))], ApprovalMode::Ask);
    bench.called("delegate", json!({"agent": "writer", "task": "Write."})).await;
    bench.carry_on().await;
    assert_eq!(bench.result().1.as_deref(), Some("WORKTREE_UNAVAILABLE"));
}

#[tokio::test]
async fn a_worktree_of_which_all_was_taken_is_settled() {
    let isolated = Arc::<Isolated>::default();
    let bench = taken(&isolated, json!({"worktree": TREE})).await;
    assert!(bench.result().0.contains("Written: a.txt") && *isolated.settled.lock().unwrap(), "{:?}", bench.result());
}

#[tokio::test]
async fn one_of_which_a_part_was_taken_or_that_conflicts_stays() {
    let isolated = Arc::<Isolated>::default();
    let bench = taken(&isolated, json!({"worktree": TREE, "paths": ["a.txt"]})).await;
    assert!(bench.result().1.is_none() && !*isolated.settled.lock().unwrap());
    let isolated = Arc::new(Isolated { conflicts: true, ..Isolated::default() });
    let bench = taken(&isolated, json!({"worktree": TREE})).await;
    assert_eq!(bench.result().1.as_deref(), Some("WORKTREE_CONFLICT"));
    assert!(!*isolated.settled.lock().unwrap());
}

#[tokio::test]
async fn what_is_taken_is_asked_about_like_an_edit() {
    let isolated = Arc::<Isolated>::default();
    let bench = bench(&isolated, ApprovalMode::Ask);
    bench.called("take_changes", json!({"worktree": TREE})).await;
    assert!(matches!(bench.carry_on().await, CallOutcome::AwaitingApproval(_)));
    assert!(!*isolated.settled.lock().unwrap());
}
