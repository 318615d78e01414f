use super::*;
use serde_json::json;

/// Reads of `a`, `b` and `c`, and what is called after the first two.
async fn reading(third: (&str, Value)) -> Bench {
    let bench = Bench::new(Vec::new(), ApprovalMode::Ask);
    for name in ["a", "b", "c"] {
        std::fs::write(bench.folder.path().join(name), format!("I am {name}")).unwrap();
    }
    bench.called_as("1", "read_file", json!({"path": "a"})).await;
    bench.also_called("2", "read_file", json!({"path": "b"})).await;
    bench.also_called("3", third.0, third.1).await;
    bench.also_called("4", "read_file", json!({"path": "c"})).await;
    bench
}

fn results(bench: &Bench) -> Vec<String> {
    let events = bench.log.0.lock().unwrap();
    let bodies = events.iter().filter_map(|event| match event.body() {
        EventBody::ToolResult(result) => Some(result.result.lines().next().unwrap_or_default().to_owned()),
        _ => None,
    });
    bodies.collect()
}

#[tokio::test]
async fn reads_of_one_answer_are_recorded_in_its_order() {
    let bench = reading(("list_directory", json!({}))).await;
    assert_eq!(bench.carry_on_together().await, CallOutcome::Finished);
    let results = results(&bench);
    assert_eq!(results.len(), 4, "{results:?}");
    assert_eq!((&*results[0], &*results[1], &*results[3]), ("1\tI am a", "1\tI am b", "1\tI am c"));
    let kinds = bench.kinds();
    let told: Vec<&str> = kinds.iter().map(String::as_str).filter(|kind| *kind != "tool.call").collect();
    assert_eq!(told, ["policy.decided", "tool.result"].repeat(4));
}

#[tokio::test]
async fn what_asks_fails_or_does_more_than_read_is_waited_for() {
    for third in [
        ("read_file", json!({"path": ".env"})),
        ("read_file", json!({"path": 7})),
        ("read_file", json!({"path": "../a"})),
        ("write_file", json!({"path": "d", "content": "x"})),
        ("calculate", json!({"expression": "1"})),
        ("imagined", json!({})),
    ] {
        let bench = reading(third.clone()).await;
        bench.carry_on_together().await;
        assert_eq!(results(&bench), ["1\tI am a", "1\tI am b"], "{third:?}");
    }
}
