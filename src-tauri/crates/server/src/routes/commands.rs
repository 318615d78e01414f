//! Every command of the protocol by its name. Of one that tells steps, these come as lines of JSON to whoever takes such
//! lines; to others only the result is answered.

use crate::answers::{HttpRefusal, RouteAnswer, json, json_lines, to_its_end, written};
use crate::guard::{TokenHolder, unauthorized};
use crate::limits::{MAX_BODY_BYTES, MAX_COMMAND_BYTES};
use crate::rights;
use crate::routes::{parsed, whole};
use crate::serve::RouteState;
use crate::surroundings::NOT_HERE;
use arki_api::{BrowserAccess, COMMANDS, CommandError, Frame, TokenRights};
use arki_domain::{Code, Error};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Whoever waits for a frame hears an empty one after this: what lies between may cut off what is silent for a minute.
const FRAME_PATIENCE: Duration = Duration::from_secs(25);
/// Steps that are told and not read.
const MAX_STEPS_WAITING: usize = 64;

pub(crate) async fn answer(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> RouteAnswer {
    let least = rights::of_command(&name);
    caller.ensure_has(least)?;
    let limit = if least.rights == TokenRights::Full { MAX_COMMAND_BYTES } else { MAX_BODY_BYTES };
    let params: Value = parsed(&whole(body, limit).await?)?;
    let needs = rights::of_call(&name, &params);
    caller.ensure_has(needs)?;
    if takes_lines(&headers) && needs.rights > TokenRights::Read {
        return Ok(steps_and_result(&shared, &caller, name, params));
    }
    let asker = shared.callers.asking(&caller);
    let is_frame = name == "next_frame";
    let answer = async move { asker.answer(&name, params, Box::new(|_| {})).await };
    if needs.rights > TokenRights::Read {
        return Ok(written(StatusCode::OK, to_its_end(answer).await?));
    }
    let answer = tokio::select! {
        // Whoever waits for a frame would keep the server from its end.
        () = shared.closing.cancelled() => return Err(ended().into()),
        () = tokio::time::sleep(FRAME_PATIENCE), if is_frame => return Ok(json(StatusCode::OK, &Frame::default())),
        answer = answer => answer?,
    };
    // It may have waited for long.
    let is_known = shared.reading(move |engine| engine.pairings().stands(&caller.pairing.id)).await?;
    if is_known { Ok(written(StatusCode::OK, answer)) } else { Err(unauthorized()) }
}

/// The commands that whoever asks may ask for, and that can be answered here.
pub(crate) async fn access(Extension(caller): Extension<TokenHolder>) -> Response {
    let is_open = |name: &str| caller.ensure_has(rights::of_command(name)).is_ok() && !NOT_HERE.contains(&name);
    let names = COMMANDS.iter().map(|(_, name)| *name).filter(|name| is_open(name));
    let commands = names.map(str::to_owned).collect();
    json(StatusCode::OK, &BrowserAccess { rights: caller.pairing.rights, commands })
}

fn takes_lines(headers: &HeaderMap) -> bool {
    headers.get(header::ACCEPT).is_some_and(|accepted| accepted == json_lines::MEDIA_TYPE)
}

/// A line `{"step":…}` for each step, and at last one `{"result":…}` or `{"error":…}`. It goes on to its end, whoever reads.
fn steps_and_result(shared: &Arc<RouteState>, caller: &TokenHolder, name: String, params: Value) -> Response {
    let (lines, body) = json_lines::body(MAX_STEPS_WAITING);
    let asker = shared.callers.asking(caller);
    tokio::spawn(async move {
        let steps: mpsc::Sender<String> = lines.clone();
        let tell = Box::new(move |step: Value| {
            // Whoever doesn't read misses steps, and never the result.
            let _ = steps.try_send(json_lines::line("step", &step.to_string()));
        });
        let last = match asker.answer(&name, params, tell).await {
            Ok(result) => json_lines::line("result", &result),
            Err(error) => json_lines::line("error", &told(&error)),
        };
        let _ = lines.send(last).await;
    });
    body
}

fn told(error: &CommandError) -> String {
    serde_json::to_string(error).unwrap_or_else(|_| "{}".to_owned())
}

fn ended() -> Error {
    Error::new(Code::CANCELLED, "The server was ended.", "Start it again with `arki serve`.")
}

impl TokenHolder {
    /// # Errors
    /// `RIGHTS_MISSING`.
    fn ensure_has(&self, needs: rights::CommandNeeds) -> Result<(), HttpRefusal> {
        self.ensure_may(needs.rights)?;
        if needs.farthest == rights::Reach::Loopback {
            self.ensure_is_here()?;
        }
        Ok(())
    }
}
