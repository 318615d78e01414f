//! What MCP servers ask the user in the middle of a call, over a real server and a real run.

use crate::stage::Stage;
use arki_api::{ElicitationAction, ElicitationReply, ElicitationSummary};
use arki_domain::{Elicitation, ElicitationAnswer, EventBody, LiveEvent, SessionId, ToolResult};
use arki_engine::{ActiveRun, RunEnd, Subscription};
use arki_testkit::Turn;
use serde_json::{Value, json};

type Ended = tokio::task::JoinHandle<Result<RunEnd, arki_domain::Error>>;

struct Asked {
    stage: Stage,
    run: ActiveRun,
    ended: Ended,
    heard: Subscription,
}

/// A run whose server asks, and has not been answered yet.
async fn asking(text: &str) -> Asked {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/acceptance/mcp_server.py");
    let server = json!({ "command": "python3", "args": [program, "good"] });
    let call = Turn::calls().call("mcp__x__echo", json!({ "text": text }));
    let config = json!({ "mcpServers": { "x": server } });
    let mut stage = Stage::configured(vec![call, Turn::text("Done.")], &config).await;
    stage.put_questions();
    let heard = stage.engine.subscribe();
    let (run, ended) = stage.client.start_run(stage.granted()).await.unwrap();
    let mut asked = Asked { stage, run, ended, heard };
    asked.change().await;
    asked
}

impl Asked {
    /// Until the list of what is asked has changed.
    async fn change(&mut self) {
        while !matches!(self.heard.next().await.unwrap(), Ok(LiveEvent::ElicitationsChanged)) {}
    }

    fn shown(&self) -> ElicitationSummary {
        self.stage.engine.mcp().elicitations().remove(0)
    }

    /// The fields that are wrong, and why.
    fn answer(&self, action: ElicitationAction, values: &Value) -> Vec<(String, String)> {
        let reply = ElicitationReply { action, values: values.as_object().unwrap().clone() };
        let wrong = self.stage.engine.mcp().answer_elicitation(self.shown().id, reply).unwrap();
        wrong.into_iter().map(|fault| (fault.field, fault.message)).collect()
    }

    /// The call's result, once the run has ended.
    async fn result(self) -> ToolResult {
        self.ended.await.unwrap().unwrap();
        assert!(self.stage.engine.mcp().elicitations().is_empty());
        tool_result(&self.stage, &self.run.session_id)
    }
}

fn tool_result(stage: &Stage, session: &SessionId) -> ToolResult {
    let events = stage.engine.session_reader().events_after(session, 0, 10_000).unwrap().events;
    let result = events.iter().find_map(|event| match event.body() {
        EventBody::ToolResult(result) => Some(result),
        _ => None,
    });
    result.unwrap()
}

/// The only thing that was asked, and what the server was told.
fn noted(result: &ToolResult) -> (&Elicitation, Value) {
    let [noted] = result.elicitations.as_slice() else { panic!("{result:?}") };
    (noted, serde_json::from_str(&result.result).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_checked_sent_and_noted_with_the_call_while_the_run_goes_on() {
    let asked = asking("form").await;
    let shown = asked.shown();
    assert_eq!((shown.server.as_str(), shown.session_id.as_deref()), ("x", Some(asked.run.session_id.as_str())));
    assert_eq!(shown.message, "Whom is the ticket for?\nIt is printed on it.");
    let names: Vec<&str> = shown.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["who", "mail", "seats", "window", "class", "extras"]);

    let wrong = asked.answer(ElicitationAction::Accept, &json!({ "mail": "nobody", "seats": 5 }));
    let words = |field: &str, message: &str| (field.to_owned(), message.to_owned());
    let expected = [
        words("who", "Fill this in."),
        words("mail", "An e-mail address, such as ada@example.org."),
        words("seats", "At most 4."),
    ];
    assert_eq!(wrong, expected);
    assert_eq!(asked.shown().id, shown.id, "it goes on waiting");

    let secret = format!("ghp_{}", "a1B2".repeat(9));
    let values = json!({ "who": "Ada", "mail": "ada@example.org", "seats": 2, "window": false, "extras": [secret] });
    assert_eq!(asked.answer(ElicitationAction::Accept, &values), [words("extras", "Choose from the list.")]);
    let values = json!({ "who": secret, "seats": 2, "window": false, "class": "1", "extras": ["dog"] });
    assert_eq!(asked.answer(ElicitationAction::Accept, &values), []);
    let result = asked.result().await;
    let (noted, told) = noted(&result);
    assert_eq!((noted.answer, noted.server.as_str(), noted.fields.len()), (ElicitationAnswer::Accepted, "x", 6));
    assert_eq!(told["action"], "accept");
    assert_eq!((&noted.values["seats"], &noted.values["extras"]), (&json!(2), &json!(["dog"])));
    // The server got the secret itself; the log has its placeholder, here and in what the server said of it.
    let log = serde_json::to_string(&result).unwrap();
    assert!(!log.contains(&secret) && noted.values["who"].as_str().unwrap().starts_with("[secret:"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_agreed_to_or_declined_and_nothing_else_is_sent() {
    for (action, told, answer) in [
        (ElicitationAction::Accept, "accept", ElicitationAnswer::Accepted),
        (ElicitationAction::Decline, "decline", ElicitationAnswer::Declined),
        (ElicitationAction::Cancel, "cancel", ElicitationAnswer::Cancelled),
    ] {
        let asked = asking("page").await;
        let page = asked.shown().page.unwrap();
        assert_eq!((page.host.as_str(), page.after.as_str()), ("login.example", "/authorize?client=arki"));
        let url = asked.stage.engine.mcp().elicitation_page(asked.shown().id).unwrap();
        assert_eq!(url.as_deref(), Some("https://login.example/authorize?client=arki"));
        asked.answer(action, &json!({}));
        let result = asked.result().await;
        let (noted, sent) = noted(&result);
        assert_eq!((noted.answer, &noted.url, &sent), (answer, &url, &json!({ "action": told })));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_run_is_stopped_what_its_server_asks_is_taken_back() {
    let mut asked = asking("form").await;
    let shown = asked.shown();
    asked.run.stop();
    asked.change().await;
    let reply = ElicitationReply { action: ElicitationAction::Decline, values: Default::default() };
    assert!(asked.stage.engine.mcp().answer_elicitation(shown.id, reply).is_err());
    let result = asked.result().await;
    assert_eq!((result.code.as_deref(), result.elicitations.len()), (Some("CANCELLED"), 1));
    assert_eq!(result.elicitations[0].answer, ElicitationAnswer::Cancelled);
}
