use super::*;
use crate::events::bus::Bus;
use crate::{EventFilter, Subscription};
use arki_domain::{CallId, RunId, SessionId, SystemClock};
use serde_json::{Value, json};

fn place(session: &str) -> CallPlace {
    CallPlace { session_id: SessionId::from(session), run_id: RunId::from("r"), call_id: CallId::from("c") }
}

fn page(server: &str, sessions: &[&str]) -> ServerQuestion {
    let url = "https://example.org/a?b=example.org".to_owned();
    ServerQuestion {
        server: server.to_owned(),
        calls: sessions.iter().map(|session| place(session)).collect(),
        message: "Look at this.".to_owned(),
        wanted: WantedAnswer::Page(WebAddress { url, host: "example.org".to_owned() }),
    }
}

fn window() -> (Arc<InTheWindow>, Subscription) {
    let bus = Arc::new(Bus::new());
    let heard = bus.subscribe(EventFilter::default());
    let clock = Arc::new(SystemClock);
    (Arc::new(InTheWindow { register: Arc::default(), bus, clock, project: "/p".to_owned() }), heard)
}

fn reply(action: ElicitationAction, values: &Value) -> ElicitationReply {
    ElicitationReply { action, values: values.as_object().cloned().unwrap_or_default() }
}

/// Asks and answers as soon as it is shown.
async fn answered(question: ServerQuestion, action: ElicitationAction) -> Reply {
    let (window, mut heard) = window();
    let asking = tokio::spawn({
        let window = window.clone();
        async move { window.ask(question).await }
    });
    assert!(matches!(heard.next().await, Some(Ok(LiveEvent::ElicitationsChanged))));
    let shown = window.register.list().remove(0);
    assert_eq!(window.register.answer(shown.id, reply(action, &json!({}))).unwrap().len(), 0);
    let reply = asking.await.unwrap();
    assert!(matches!(heard.next().await, Some(Ok(LiveEvent::ElicitationsChanged))), "it is taken away");
    assert!(window.register.list().is_empty());
    assert!(window.register.answer(shown.id, self::reply(action, &json!({}))).is_err(), "nobody waits any more");
    reply
}

#[tokio::test]
async fn accept_decline_and_cancel_are_three_answers() {
    for (action, told) in [
        (ElicitationAction::Accept, Reply::Accept(Map::new())),
        (ElicitationAction::Decline, Reply::Decline),
        (ElicitationAction::Cancel, Reply::Cancel),
    ] {
        assert_eq!(answered(page("x", &["s"]), action).await, told);
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_ever() {
    let (window, _heard) = window();
    let began = tokio::time::Instant::now();
    assert_eq!(window.ask(page("x", &["s"])).await, Reply::TimedOut);
    assert_eq!((began.elapsed(), window.register.list().len()), (PATIENCE, 0));
}

#[tokio::test]
async fn more_of_one_server_than_fit_are_declined_and_another_one_may_still_ask() {
    let (window, _heard) = window();
    let waiting: Vec<_> = (0..MAX_OPEN_A_SERVER).map(|_| window.show(page("x", &["s"])).unwrap()).collect();
    assert_eq!(window.ask(page("x", &["s"])).await, Reply::Decline);
    assert!(window.show(page("y", &["s"])).is_some());
    drop(waiting);
    assert!(window.show(page("x", &["s"])).is_some());
}

#[tokio::test]
async fn what_no_longer_matters_is_taken_away() {
    let (window, _heard) = window();
    let mut asking = Box::pin(window.ask(page("x", &["s"])));
    assert!(futures_util::poll!(&mut asking).is_pending());
    assert_eq!(window.register.list().len(), 1);
    drop(asking);
    assert!(window.register.list().is_empty());
}

#[tokio::test]
async fn a_host_is_told_from_the_rest_and_a_session_only_where_it_is_known() {
    let (window, _heard) = window();
    let _shown = [page("x", &["a", "a"]), page("x", &["a", "b"])].map(|question| window.show(question).unwrap());
    let listed = window.register.list();
    let parts = listed[0].page.as_ref().unwrap();
    assert_eq!((&*parts.before, &*parts.host, &*parts.after), ("https://", "example.org", "/a?b=example.org"));
    assert_eq!((listed[0].session_id.as_deref(), &listed[1].session_id), (Some("a"), &None));
}
