//! A core of one file, registered by one line, is all that another way to work takes.

use super::reviewer::Reviewer;
use super::*;
use crate::cores::{CORES, find};

/// Asks until it has an answer, and never lets a call be carried out.
struct OneTurn;

#[async_trait]
impl Core for OneTurn {
    fn name(&self) -> &'static str {
        "one-turn"
    }

    async fn run(&self, host: &mut RunHost) -> Result<RunEnd, Error> {
        loop {
            if let Some(end) = host.ask_model().await? {
                return Ok(end);
            }
            if !host.record.state.pending_calls().is_empty() {
                return host.cancelled().await;
            }
            if let Some(end) = host.completed_unless_held().await? {
                return Ok(end);
            }
        }
    }
}

static WITH_ONE_TURN: &[&dyn Core] = &[CORES[0], &OneTurn];

#[tokio::test]
async fn another_core_works_on_the_same_host() {
    let core = find(WITH_ONE_TURN, "one-turn").unwrap();
    let stage = Stage { core, ..Stage::new(vec![vec![text("done"), end()]]) };
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    let stage = Stage { core, ..Stage::new(vec![vec![call("c"), end()], vec![text("never"), end()]]) };
    assert_eq!(stage.run().await, RunEnd::Cancelled);
    assert_eq!((stage.count("engine.request"), stage.count("tool.result")), (1, 1));
}

#[tokio::test]
async fn what_the_log_refuses_ends_the_run_of_any_core_in_words() {
    let core = find(WITH_ONE_TURN, "one-turn").unwrap();
    let stage = Stage { core, ..Stage::new(vec![vec![text("done"), end()]]) };
    stage.refuse(|body| match body {
        EventBody::RunCompleted(_) => Some(Error::new(Code::EVENT_TOO_LARGE, "too large", "")),
        _ => None,
    });
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.is(Code::EVENT_TOO_LARGE) && stage.count("run.failed") == 1);
}

#[tokio::test]
async fn thoughts_that_only_a_closing_tag_gives_away_are_not_the_answer() {
    for core in ["tool-loop", "pes"] {
        let Ok(core) = find(CORES, core) else { panic!("no {core}") };
        let calls = vec![text("I look.\n</thi"), text("nk>Wait."), call("c"), end()];
        let plan = text(r#"Hm.</think>{"intent": "x", "plan": ["y"], "toolCalls": []}"#);
        let answer = vec![text("Hm, `</think>`?"), text("\n</think>\n\nDo"), text("ne, `</think>`."), end()];
        let turns = if core.name() == "pes" { vec![vec![plan, end()], answer] } else { vec![calls, answer] };
        let stage = Stage { core, ..Stage::new(turns) };
        assert_eq!(stage.run().await, RunEnd::Completed { response: "Done, `</think>`.".into() });
        let log = stage.log.0.lock().unwrap();
        let last = log.iter().rev().find_map(|event| match event.body() {
            EventBody::OutputMessage(message) => Some(message),
            _ => None,
        });
        let last = last.unwrap();
        assert_eq!((&*last.content, last.thoughts.as_deref()), ("Done, `</think>`.", Some("Hm, `</think>`?")));
    }
}

#[test]
fn an_unknown_core_is_refused_with_the_names_that_there_are() {
    let Err(fault) = find(WITH_ONE_TURN, "magic") else { panic!("found") };
    assert_eq!(
        (fault.message.as_str(), fault.hint.as_str()),
        ("There is no core \"magic\".", "Use one of: tool-loop, one-turn.",)
    );
}

static WITH_REVIEWER: &[&dyn Core] = &[CORES[0], &Reviewer];

#[tokio::test]
async fn the_reviewer_of_the_documentation_criticises_before_it_answers() {
    let core = find(WITH_REVIEWER, "reviewer").unwrap();
    let turns = vec![
        vec![call("c"), end()],
        vec![text("a draft"), end()],
        vec![call("d"), end()],
        vec![text("the answer"), end()],
    ];
    let stage = Stage { core, ..Stage::new(turns) };
    assert_eq!(stage.run().await, RunEnd::Completed { response: "the answer".into() });
    assert_eq!((stage.count("context.added"), stage.count("tool.result")), (1, 2));
    let log = stage.log.0.lock().unwrap();
    let asked: Vec<_> = log
        .iter()
        .filter_map(|event| match event.body() {
            EventBody::EngineRequest(request) => request.stage,
            _ => None,
        })
        .collect();
    use arki_domain::Stage::{Execute, Synthesize};
    assert_eq!(asked, [Execute, Execute, Synthesize, Synthesize]);
}

#[test]
fn the_documentation_has_the_code_that_is_tested() {
    let documentation = include_str!("../../../../../docs/extending.md");
    assert!(documentation.contains(&format!("```rust\n{}```\n", include_str!("reviewer.rs"))));
}
