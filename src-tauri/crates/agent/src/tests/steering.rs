//! Messages of the user while a run is at work.

use super::*;

#[tokio::test]
async fn a_steering_message_reaches_the_model_at_its_next_turn() {
    let turns = vec![vec![call("c"), end()], vec![text("done"), end()]];
    let stage = Stage::new(turns);
    stage.hears_meanwhile(QueueMode::Steer);
    let ended = stage.run().await;
    assert_eq!(ended, RunEnd::Completed { response: "done".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 4]);
}

#[tokio::test]
async fn a_steering_message_in_the_midst_of_a_call_reaches_the_model_right_after_it() {
    let stage = Stage::new(vec![vec![call("c"), end()], vec![text("done"), end()]]);
    let stage = Stage { heard_in_a_call: Some(QueueMode::Steer), ..stage };
    stage.run().await;
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 4]);
}

#[tokio::test]
async fn a_steering_message_that_comes_with_the_last_answer_is_answered_too() {
    let stage = Stage::new(vec![vec![text("done"), end()], vec![text("that too"), end()]]);
    stage.hears_meanwhile(QueueMode::Steer);
    let ended = stage.run().await;
    assert_eq!(ended, RunEnd::Completed { response: "that too".into() });
    assert_eq!(*stage.model.message_counts.lock().unwrap(), [1, 3]);
}

#[tokio::test]
async fn a_message_that_follows_up_waits_for_the_end_of_the_run() {
    let stage = Stage::new(vec![vec![call("c"), end()], vec![text("done"), end()]]);
    stage.hears_meanwhile(QueueMode::FollowUp);
    let ended = stage.run().await;
    assert_eq!(ended, RunEnd::Completed { response: "done".into() });
    assert_eq!((stage.count("message.queued"), stage.count("queue.changed")), (1, 0));
}
