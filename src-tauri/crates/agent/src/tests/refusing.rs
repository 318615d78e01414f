//! Requests that a provider refuses: what is left out, what comes back, and what never goes.

use super::*;

fn refused(words: &str) -> Option<Result<StreamEvent, Error>> {
    let message = format!("mock refused the request (status 400). It says: {words}");
    Some(Err(Error::new(Code::PROVIDER_BAD_REQUEST, message, "Check the model's options.")))
}

fn reads(call_ids: &[&str]) -> Turn {
    call_ids.iter().map(|call_id| call(call_id)).chain([end()]).collect()
}

fn dropped(stage: &Stage) -> Vec<(String, bool)> {
    let dropped = |event: &Arc<Event>| match event.body() {
        EventBody::ContextDropped(dropped) => Some((dropped.part, dropped.restored)),
        _ => None,
    };
    stage.log.0.lock().unwrap().iter().filter_map(dropped).collect()
}

#[tokio::test]
async fn the_newest_result_is_left_out_and_the_run_goes_on() {
    let stage = Stage::new(vec![reads(&["c", "d"]), vec![refused("odd")], vec![text("done"), end()]]);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(dropped(&stage), [("result:d".to_owned(), false)]);
    let mut transcript = Transcript::default();
    stage.log.0.lock().unwrap().iter().for_each(|event| transcript.apply(event));
    let contents: Vec<String> = transcript
        .messages()
        .iter()
        .filter_map(|message| match &**message {
            Message::ToolResult { content, .. } => Some(content.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(contents[0], "ok");
    assert!(contents[1].contains("left out"), "{contents:?}");
}

#[tokio::test]
async fn a_part_that_the_error_names_goes_first() {
    let stage = Stage::new(vec![reads(&["c", "d"]), vec![refused("messages[2]: bad content")], vec![text("x"), end()]]);
    stage.run().await;
    assert_eq!(dropped(&stage), [("result:c".to_owned(), false)]);
}

#[tokio::test]
async fn what_was_left_out_in_vain_comes_back_and_the_error_says_what_to_do() {
    let turns = [vec![reads(&["a", "b", "c", "d"])], vec![vec![refused("odd")]; 4], vec![vec![text("never"), end()]]];
    let stage = Stage::new(turns.concat());
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.hint.contains("arki rewind --conversation"), "{fault:?}");
    let part = |call: &str, restored| (format!("result:{call}"), restored);
    let left_out = [part("d", false), part("c", false), part("b", false)];
    let restored = [part("b", true), part("c", true), part("d", true)];
    assert_eq!(dropped(&stage), [left_out, restored].concat());
    assert_eq!(stage.model.turns.lock().unwrap().len(), 1, "asked too often");
    let mut transcript = Transcript::default();
    stage.log.0.lock().unwrap().iter().for_each(|event| transcript.apply(event));
    let kept = |message: &&Arc<Message>| matches!(&***message, Message::ToolResult { content, .. } if content == "ok");
    assert_eq!(transcript.messages().iter().filter(kept).count(), 4);
}

#[tokio::test]
async fn the_users_words_are_never_left_out() {
    let stage = Stage::new(vec![vec![refused("messages.0: bad words")], vec![text("never"), end()]]);
    assert!(matches!(stage.run().await, RunEnd::Failed(_)));
    assert_eq!((dropped(&stage).len(), stage.count("engine.request")), (0, 1));
}

#[tokio::test]
async fn reasoning_goes_as_a_whole() {
    let reasoning = |id: &str| {
        let (format, model) = ("mock".to_owned(), "mock".to_owned());
        Some(Ok(StreamEvent::Reasoning(Reasoning { format, model, items: serde_json::json!([id]) })))
    };
    let turns = vec![
        vec![call("a"), reasoning("r1"), end()],
        vec![call("b"), reasoning("r2"), end()],
        vec![refused("The encrypted content could not be verified.")],
        vec![text("done"), end()],
    ];
    let stage = Stage::new(turns);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(dropped(&stage), [("reasoning".to_owned(), false)]);
    let mut transcript = Transcript::default();
    stage.log.0.lock().unwrap().iter().for_each(|event| transcript.apply(event));
    let has = |message: &Arc<Message>| matches!(&**message, Message::ToolRequest { reasoning: Some(_), .. });
    assert!(!transcript.messages().iter().any(has));
}

fn filtered() -> Option<Result<StreamEvent, Error>> {
    Some(Err(Error::new(Code::CONTENT_REFUSED, "mock refused the request. It says: filtered", "Rephrase it.")))
}

#[tokio::test]
async fn what_a_filter_takes_offence_at_is_left_out_and_stays_out() {
    let stage = Stage::new(vec![reads(&["c", "d"]), vec![filtered()], vec![text("done"), end()]]);
    assert_eq!(stage.run().await, RunEnd::Completed { response: "done".into() });
    assert_eq!(dropped(&stage), [("result:d".to_owned(), false)]);
}

#[tokio::test]
async fn a_filter_that_refuses_the_users_words_is_told_as_such() {
    let stage = Stage::new(vec![vec![filtered()], vec![text("never"), end()]]);
    let RunEnd::Failed(fault) = stage.run().await else { panic!("not failed") };
    assert!(fault.is(Code::CONTENT_REFUSED) && dropped(&stage).is_empty(), "{fault:?}");
}
