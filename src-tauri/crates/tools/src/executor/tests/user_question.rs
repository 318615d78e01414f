use super::*;
use serde_json::json;

async fn asked(audience: Audience, args: Value) -> (Bench, CallOutcome) {
    let bench = Bench::before(audience, Vec::new(), ApprovalMode::Ask);
    bench.called("ask_user", args).await;
    let outcome = bench.carry_on().await;
    (bench, outcome)
}

#[tokio::test]
async fn a_question_waits_without_a_result_and_its_answer_is_the_result() {
    let (bench, outcome) = asked(Audience::User, json!({"question": "Which?", "options": ["a", "b"]})).await;
    let CallOutcome::AwaitingAnswer(question_id) = outcome else { panic!("{outcome:?}") };
    assert_eq!(bench.kinds(), ["policy.decided", "question.asked"]);
    // Looked at again, as after a restart, it waits on.
    assert_eq!(bench.carry_on().await, CallOutcome::AwaitingAnswer(question_id.clone()));
    assert_eq!(bench.kinds().len(), 2);
    bench.append(vec![QuestionAnswered { question_id, text: "b, but small".into() }.into()]).await;
    assert_eq!(bench.carry_on().await, CallOutcome::Finished);
    assert_eq!(bench.result(), ("b, but small".to_owned(), None));
}

#[tokio::test]
async fn where_nobody_is_the_model_is_told_at_once() {
    let (bench, outcome) = asked(Audience::Nobody, json!({"question": "Which?"})).await;
    assert_eq!(outcome, CallOutcome::Finished);
    assert_eq!(bench.kinds(), ["policy.decided", "tool.result"]);
    let (text, code) = bench.result();
    assert_eq!(code.as_deref(), Some("NOBODY_TO_ASK"));
    assert!(text.contains("Make the most likely choice"), "{text}");
}

#[tokio::test]
async fn a_question_that_is_none_is_not_asked() {
    for args in [json!({}), json!({"question": ""}), json!({"question": "?", "options": "a"})] {
        let (bench, outcome) = asked(Audience::User, args.clone()).await;
        assert_eq!(outcome, CallOutcome::Finished, "{args}");
        assert_eq!(bench.result().1.as_deref(), Some("ARGUMENTS_INVALID"), "{args}");
    }
}
