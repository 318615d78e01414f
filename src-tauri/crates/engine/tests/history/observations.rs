//! Subscriptions to observations: the past, then what comes, each once.

use crate::stage::Stage;
use arki_domain::projection::{Observation, ObservationFilter, ObservationType, Observer};
use arki_domain::{Code, SessionId};
use arki_engine::Observations;
use arki_testkit::Turn;
use std::time::Duration;

/// Events that another process stores.
const ELSEWHERE: usize = 500;

fn of(session: &SessionId) -> ObservationFilter {
    ObservationFilter { session_id: Some(session.clone()), ..ObservationFilter::default() }
}

/// As the log has them by now.
fn folded(stage: &Stage, session: &SessionId) -> Vec<Observation> {
    let mut observer = Observer::default();
    let events = stage.engine.session_reader().events_after(session, 0, 100_000).unwrap().events;
    events.iter().flat_map(|event| observer.observe(event)).collect()
}

async fn next(observations: &mut Observations) -> Option<Vec<Observation>> {
    tokio::time::timeout(Duration::from_secs(30), observations.next()).await.unwrap().unwrap()
}

/// Hears on until so many runs have completed.
async fn heard(observations: &mut Observations, runs: usize) -> Vec<Observation> {
    let mut heard: Vec<Observation> = Vec::new();
    while heard.iter().filter(|seen| seen.kind == ObservationType::FinalResponse).count() < runs {
        heard.extend(next(observations).await.unwrap());
    }
    heard
}

#[tokio::test(flavor = "multi_thread")]
async fn the_past_comes_first_and_nothing_is_missed_or_told_twice() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two"), Turn::text("three")]).await;
    let (first, _) = stage.run_to_end().await;
    stage.engine.follow_others().unwrap();
    let mut of_first = stage.engine.observe(of(&first));
    let mut of_all = stage.engine.observe(ObservationFilter::default());
    let working = async {
        stage.store_elsewhere(&first, ELSEWHERE).await;
        stage.run_in(&first, "and now").await;
        stage.run_to_end().await.0
    };
    let (second, one, all) = tokio::join!(working, heard(&mut of_first, 2), heard(&mut of_all, 3));
    assert!(one.len() > ELSEWHERE && folded(&stage, &first).starts_with(&one));
    let (of_first, of_second): (Vec<_>, Vec<_>) = all.into_iter().partition(|seen| seen.thread_id == first);
    assert!(folded(&stage, &first).starts_with(&of_first) && of_first.len() >= one.len());
    assert!(folded(&stage, &second).starts_with(&of_second));
}

#[tokio::test(flavor = "multi_thread")]
async fn types_and_times_are_filtered_and_the_end_of_the_time_is_the_end() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two")]).await;
    let (session, _) = stage.run_to_end().await;
    let types = vec![ObservationType::Intent, ObservationType::FinalResponse];
    let last = folded(&stage, &session).last().unwrap().timestamp;
    let until = Some(last + 300);
    let mut observations = stage.engine.observe(ObservationFilter { types: types.clone(), until, ..of(&session) });
    let kinds: Vec<_> = next(&mut observations).await.unwrap().iter().map(|seen| seen.kind).collect();
    assert_eq!(kinds, types);
    assert_eq!(next(&mut observations).await, None);
    let since = Some(last + 301);
    stage.run_in(&session, "more").await;
    let mut later = stage.engine.observe(ObservationFilter { types, since, ..of(&session) });
    assert_eq!(next(&mut later).await.unwrap()[0].title, "Asked: more");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_hears_under_a_number_until_it_ends_it() {
    let stage = Stage::new(vec![Turn::text("one")]).await;
    let (session, _) = stage.run_to_end().await;
    let number = stage.client.begin_observations(of(&session)).await.unwrap();
    assert!(stage.client.next_observations(number).await.unwrap().is_some());
    let waiting = stage.client.next_observations(number);
    let ending = async { stage.client.end_observations(number) };
    assert_eq!(tokio::join!(waiting, ending).0.unwrap(), None);
    assert_eq!(stage.client.next_observations(number).await.unwrap(), None);
    let refused = stage.client.begin_observations(of(&"none".into())).await.unwrap_err();
    assert!(refused.is(Code::SESSION_NOT_FOUND), "{refused:?}");
    let oldest = stage.client.begin_observations(of(&session)).await.unwrap();
    for _ in 0..16 {
        stage.client.begin_observations(of(&session)).await.unwrap();
    }
    assert_eq!(stage.client.next_observations(oldest).await.unwrap(), None);
}
