//! Steps that run once for each item of their input.

use super::*;

#[tokio::test]
async fn foreach_runs_a_step_for_each_item() {
    let lines = Bench::new(&pipeline("{ name: each, adapter: command, run: upper, foreach: lines }"), "a\n\nb\nc\n");
    assert_eq!(lines.output().await, "A\nB\nC");
    assert_eq!(lines.state().steps["each"].items, Some(3));
    assert_eq!(lines.state().steps["each[1]"].output.as_ref().unwrap().text.as_deref(), Some("B"));
    let json =
        Bench::new(&pipeline("{ name: each, adapter: command, run: upper, foreach: json }"), "[\"a\", {\"b\": 1}]");
    assert_eq!(json.output().await, "[\"A\",{\"B\":1}]");
    let none = Bench::new(&pipeline("{ name: each, adapter: command, run: upper, foreach: json }"), "[]");
    assert_eq!(none.output().await, "[]");
}

#[tokio::test]
async fn foreach_is_bounded_and_fails_with_its_item() {
    let many: String = (0..200).map(|n| format!("{n}\n")).collect();
    let bench = Bench::new(&pipeline("{ name: each, adapter: command, run: upper, foreach: lines }"), &many);
    let fault = bench.failure().await;
    assert!(fault.is(Code::PIPELINE_LIMIT) && fault.message.contains("200 items"), "{fault:?}");
    let bench = Bench::new(&pipeline("{ name: each, adapter: command, run: fail 1, foreach: lines }"), "a\nb");
    let fault = bench.failure().await;
    assert!(fault.message.contains("each[0]"), "{fault:?}");
    assert_eq!(bench.state().steps["each"].phase, StepPhase::Failed);
    assert_eq!(bench.output().await, "a\nb", "those that were done are not done again");
    let bench = Bench::new(&pipeline("{ name: each, adapter: command, run: upper, foreach: json }"), "no list");
    assert!(bench.failure().await.message.contains("JSON array"));
}

#[tokio::test(start_paused = true)]
async fn an_item_that_ends_after_its_sibling_failed_is_done_for_good() {
    let bench = Bench::new(&pipeline("{ name: each, adapter: command, run: refuse a, foreach: lines }"), "a\nb");
    bench.failure().await;
    let state = bench.state();
    let item = &state.steps["each[1]"];
    assert_eq!(item.phase, StepPhase::Completed);
    let completed = bench.events().iter().find_map(|event| match event.body() {
        EventBody::StepCompleted(completed) => Some(completed),
        _ => None,
    });
    let key = format!("{}:each[1]:{}", bench.run_id, &sha256_hex(b"b")[..16]);
    assert_eq!((completed.unwrap().idempotency_key, &item.idempotency_key), (key.clone(), &key));
    bench.failure().await;
    assert_eq!((bench.world.runs("each[0]"), bench.world.runs("each[1]")), (2, 1));
}
