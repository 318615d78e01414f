//! Pictures that a message showed, asked for again.

use crate::stage::Stage;
use arki_domain::{EventBody, SessionId};
use arki_engine::StartRun;
use arki_testkit::Turn;
use base64::{Engine as _, prelude::BASE64_STANDARD};

/// One grey pixel.
const PNG: &[u8] = include_bytes!("../../../../../tests/fixtures/pixel.png");

fn hash_of_first_picture(stage: &Stage, session: &SessionId) -> String {
    let events = stage.engine.session_reader().events_after(session, 0, 100).unwrap().events;
    let images = events.iter().find_map(|event| match event.body() {
        EventBody::RunStarted(started) => Some(started.options.images),
        _ => None,
    });
    images.unwrap()[0].content_hash.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_shown_again_in_its_session_and_its_forks_and_in_no_other() {
    let stage = Stage::new(vec![Turn::text("one"), Turn::text("two")]).await;
    let start = StartRun { images: vec![PNG.to_vec()], ..stage.new_session() };
    let (run, handle) = stage.client.start_run(start).await.unwrap();
    handle.await.unwrap().unwrap();
    let hash = hash_of_first_picture(&stage, &run.session_id);
    let shown = |session: &SessionId| stage.engine.sent_requests().picture(session, &hash).unwrap();
    assert_eq!(shown(&run.session_id).unwrap(), format!("data:image/png;base64,{}", BASE64_STANDARD.encode(PNG)));
    let fork = stage.engine.sessions().fork(&run.session_id, None).await.unwrap();
    assert!(shown(&fork.session_id).is_some());
    let (other, _) = stage.run_to_end().await;
    assert_eq!(shown(&other), None);
}
