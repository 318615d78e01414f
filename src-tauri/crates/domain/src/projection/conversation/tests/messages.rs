//! The words of both sides, and the notices in their place.

use super::*;

#[test]
fn a_plan_is_told_in_the_place_of_its_text_and_its_calls_wait_with_it() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "Hello"}));
    log.add("engine.request", json!({"turn": 1, "stage": "plan"}));
    log.add("output.message", json!({"content": "{\"intent\": \"Mend\"}"}));
    log.add("plan.proposed", json!({"intent": "Mend", "steps": [{"title": "Look", "state": "pending"}]}));
    log.add("tool.call", json!({"callId": "c", "toolId": "read_file"}));
    log.add("approval.requested", json!({"approvalId": "a", "kind": "plan", "callId": null, "toolId": "plan"}));
    log.add("run.paused", json!({"reason": "plan", "approvalId": "a"}));
    let told = folded("plan", &log);
    assert_eq!(told.kinds(), ["user", "notice", "tool"]);
    told.has(1, &json!({"notice": {"what": "planned", "intent": "Mend", "steps": [{"title": "Look"}]}}));
    assert_eq!((told.states(), &told.standing["pausedFor"]), (vec!["waiting".to_owned()], &json!("plan")));
    log.add("run.resumed", json!({"reason": "plan", "approvalId": "a"}));
    assert_eq!(folded("plan_approved", &log).states(), ["running"]);
}

#[test]
fn calls_that_were_read_off_a_text_are_shown_as_calls_alone() {
    let shown = |name: &str, stage: &str, content: &str, thoughts: &str| {
        let mut log = Log::default();
        log.add("engine.request", json!({"turn": 2, "stage": stage}));
        log.add("output.message", json!({"turn": 2, "content": content, "thoughts": thoughts}));
        log.add("tool.call", json!({"turn": 2, "callId": "c", "toolId": "read_file"}));
        folded(name, &log).kinds()
    };
    let alone = ["tool"];
    assert_eq!(shown("calls_execute", "execute", "Here they are.", ""), alone);
    assert_eq!(shown("calls_fenced", "synthesize", "```json\n{\"toolCalls\": []}\n```", ""), alone);
    assert_eq!(shown("calls_thought", "synthesize", "<think>One file.</think>\n{\"toolCalls\": []}\n", ""), alone);
    let both = ["assistant", "tool"];
    assert_eq!(shown("calls_and_words", "synthesize", "One more look.", ""), both);
    assert_eq!(shown("calls_and_code", "synthesize", "```sh\ncargo test\n```\nThis passes now.", ""), both);
    assert_eq!(shown("calls_and_brace", "synthesize", "{name} is a placeholder.", ""), both);
    assert_eq!(shown("calls_and_thoughts", "execute", "Here they are.", "hm"), both);
}

#[test]
fn an_answer_that_was_sent_again_and_an_empty_one_are_not_shown() {
    let mut log = Log::default();
    log.add("output.message", json!({"content": "half", "interrupted": true, "retried": true}));
    log.add("output.message", json!({}));
    log.add("output.message", json!({"interrupted": true}));
    let told = folded("empty_answers", &log);
    assert_eq!(told.kinds(), ["assistant"]);
    told.has(0, &json!({"interrupted": true}));
}

#[test]
fn a_message_has_its_pictures() {
    let mut log = Log::default();
    let picture = json!({"mediaType": "image/png", "contentHash": "a".repeat(64)});
    let options = json!({"approve": "ask", "maxTurns": null, "maxSeconds": null, "maxCostUsd": null,
        "images": [picture.clone()]});
    log.add("run.started", json!({"prompt": "Look", "options": options}));
    let parent = json!({"sessionId": "above", "runId": "r", "callId": "c"});
    log.add("run.started", json!({"prompt": "Go on", "parent": parent}));
    let told = folded("pictures", &log);
    assert_eq!(told.each("pictures"), [json!([picture]), json!([])]);
    assert_eq!(told.each("isTask"), [false, true]);
}

#[test]
fn what_was_queued_is_shown_as_said_when_it_was_told_with_its_last_words() {
    let mut log = Log::default();
    log.add("message.queued", json!({"messageId": "m", "text": "not yet", "mode": "steer"}));
    assert!(folded("queued", &log).kinds().is_empty());
    log.add("queue.changed", json!({"queued": [{"messageId": "m", "mode": "steer", "text": "now"}]}));
    log.add("queue.changed", json!({"queued": [], "delivered": ["m", "lost"]}));
    let told = folded("delivered", &log);
    assert_eq!(told.kinds(), ["user", "notice"]);
    told.has(0, &json!({"text": "now", "steered": true}));
    told.has(1, &json!({"notice": {"what": "unknown_words"}}));
}

#[test]
fn a_question_is_part_of_its_call_and_so_is_the_answer() {
    let mut log = Log::default();
    log.add("run.started", json!({"prompt": "Move the settings."}));
    for (call_id, question_id) in [("ask1", "q1"), ("ask2", "q2")] {
        log.add("tool.call", json!({"callId": call_id, "toolId": "ask_user", "category": "read"}));
        log.add("policy.decided", json!({"callId": call_id, "rule": "category:read"}));
        let options = json!(["One", "Both"]);
        log.add(
            "question.asked",
            json!({"callId": call_id, "questionId": question_id, "text": "Which?", "options": options}),
        );
        log.add("run.paused", json!({"reason": "user", "questionId": question_id}));
        if question_id == "q1" {
            log.add("question.answered", json!({"questionId": "q1", "text": "Both"}));
            log.add("run.resumed", json!({"reason": "user", "questionId": "q1"}));
            log.add("tool.result", json!({"callId": "ask1", "toolId": "ask_user", "result": "Both"}));
        }
    }
    let told = folded("questions", &log);
    told.has(1, &json!({"state": "done", "question": {"answer": "Both"}}));
    told.has(2, &json!({"state": "waiting", "question": {"questionId": "q2", "answer": null}}));
    assert_eq!(told.standing["pausedFor"], "question");
    log.add("run.cancelled", json!({}));
    assert_eq!(folded("questions_cancelled", &log).states(), ["done", "interrupted"]);
}
