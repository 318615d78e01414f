//! Runs: starting, listing, and steering them, whoever began them.

use crate::answers::{HttpRefusal, RouteAnswer, json, to_its_end};
use crate::guard::TokenHolder;
use crate::idempotency::{Repeatable, looked_up, replayed};
use crate::limits::{MAX_BODY_BYTES, MAX_PROMPT_BYTES};
use crate::routes::{parsed, read, whole};
use crate::serve::RouteState;
use arki_api::{ApprovalMode, RunRequest, RunSummary, Shown, StartedRun, SteerRequest, TokenRights};
use arki_domain::projection::SessionState;
use arki_domain::{Code, Error, QueueMode, RunId, RunOptions, SessionId};
use arki_engine::{Engine, ListedRuns, RunTarget, StartRun};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use serde::Deserialize;
use std::path::PathBuf;
use std::sync::Arc;

const LISTED: usize = 1000;

#[derive(Deserialize)]
pub(crate) struct RunsQuery {
    #[serde(default)]
    active: bool,
}

pub(crate) async fn list(State(shared): State<Arc<RouteState>>, Query(wanted): Query<RunsQuery>) -> RouteAnswer {
    let listed = if wanted.active { ListedRuns::Unfinished } else { ListedRuns::All };
    let runs = shared.reading(move |engine| engine.session_reader().runs(listed, LISTED)).await?;
    Ok(json(StatusCode::OK, &runs))
}

pub(crate) async fn one(State(shared): State<Arc<RouteState>>, Path(id): Path<String>) -> RouteAnswer {
    Ok(json(StatusCode::OK, &run(&shared, id).await?))
}

pub(crate) async fn start(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> RouteAnswer {
    caller.ensure_may(TokenRights::Full)?;
    let bytes = whole(body, MAX_BODY_BYTES).await?;
    let key = match looked_up(&shared, &caller, (&uri, &headers), &bytes).await? {
        Repeatable::First(key) => key,
        Repeatable::Again(kept) => return Ok(replayed(started(&kept.session_id, &kept.run_id))),
    };
    let asked: RunRequest = parsed(&bytes)?;
    if asked.options.approve == Some(ApprovalMode::All) {
        caller.ensure_is_here()?;
    }
    let asking = shared.callers.asking(&caller);
    let start = shared.reading(move |engine| to_start(engine, asked)).await?;
    let start = StartRun { request: key.as_ref().map(|key| key.request.clone()), ..start };
    let starting = async move {
        let _key = key;
        asking.client.start_run(start).await
    };
    let (run, _) = to_its_end(starting).await?;
    Ok(started(&run.session_id, &run.run_id))
}

fn started(session_id: &SessionId, run_id: &RunId) -> Response {
    json(StatusCode::CREATED, &StartedRun { session_id: session_id.to_string(), run_id: run_id.to_string() })
}

fn to_start(engine: &Engine, asked: RunRequest) -> Result<StartRun, Error> {
    let RunRequest { project, prompt, session_id, skills, options } = asked;
    if prompt.len() > MAX_PROMPT_BYTES {
        let message = format!("The prompt is longer than {} MiB.", MAX_PROMPT_BYTES >> 20);
        return Err(Error::new(Code::REQUEST_TOO_LARGE, message, "Put it into a file of the project, and name that."));
    }
    let target = match (session_id, project) {
        (Some(session_id), Some(folder)) => {
            let shown = Shown { folder, session_id: Some(session_id) };
            RunTarget::Session(engine.session_reader().session_shown(shown)?)
        }
        (Some(session_id), None) => RunTarget::Session(whole_session(engine, &session_id)?),
        (None, Some(folder)) => RunTarget::NewSession(PathBuf::from(folder)),
        (None, None) => {
            let message = "Neither a project nor a session is named.";
            return Err(Error::new(Code::USAGE, message, "Name the folder as `project`, or a `sessionId`."));
        }
    };
    let options_of_mode: RunOptions = options.approve.unwrap_or(ApprovalMode::Ask).into();
    let run_options = RunOptions {
        max_turns: options.max_turns,
        max_seconds: options.max_seconds,
        max_cost_usd: options.max_cost_usd,
        skills,
        ..options_of_mode
    };
    Ok(StartRun { model: options.model, options: run_options, ..StartRun::new(target, prompt) })
}

/// Only by its full id.
fn whole_session(engine: &Engine, session_id: &str) -> Result<SessionId, Error> {
    let session = engine.session_names().find_session(session_id)?;
    if session.session_id.as_str() == session_id {
        return Ok(session.session_id);
    }
    Err(Error::new(Code::SESSION_NOT_FOUND, format!("There is no session {session_id}."), "Name it by its full id."))
}

pub(crate) async fn stop(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
) -> RouteAnswer {
    let run = current(&shared, &caller, id).await?;
    let client = shared.callers.asking(&caller).client;
    to_its_end(async move { client.stop_session(&SessionId::from(run.session_id)).await }).await?;
    told(&shared, run.run_id).await
}

pub(crate) async fn pause(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
) -> RouteAnswer {
    let run = current(&shared, &caller, id).await?;
    let is_at_work = shared.engine().runs().pause_session(&SessionId::from(run.session_id)).await?;
    let run = self::run(&shared, run.run_id).await?;
    if !is_at_work && run.state != SessionState::Paused {
        let message = format!("The run {} isn't at work, so there is nothing to pause.", run.run_id);
        let hint = "`GET /v1/runs/ID` has its state: decide what it waits for, or stop it.";
        return Err(Error::new(Code::USAGE, message, hint).into());
    }
    Ok(json(StatusCode::OK, &run))
}

pub(crate) async fn resume(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
) -> RouteAnswer {
    let run = current(&shared, &caller, id).await?;
    let client = shared.callers.asking(&caller).client;
    to_its_end(async move { client.resume_run(&SessionId::from(run.session_id), None).await }).await?;
    told(&shared, run.run_id).await
}

pub(crate) async fn steer(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
    body: Body,
) -> RouteAnswer {
    let run = current(&shared, &caller, id).await?;
    let SteerRequest { text, mode } = read(body).await?;
    if mode == Some(QueueMode::FollowUp) {
        // It begins a run of its own, which has granted what this one has.
        caller.ensure_may(TokenRights::Full)?;
        caller.ensure_is_here()?;
    }
    ensure_goes_on(&run)?;
    let session_id = run.session_id.clone();
    let queued = shared
        .engine()
        .message_queues()
        .queue_message(&SessionId::from(session_id), text, mode.unwrap_or(QueueMode::Steer))
        .await?;
    Ok(json(StatusCode::OK, &serde_json::json!({ "messageId": queued })))
}

/// Refuses to say something to a run that has ended: it would wait for ever.
fn ensure_goes_on(run: &RunSummary) -> Result<(), Error> {
    let is_ended = matches!(run.state, SessionState::Done | SessionState::Failed | SessionState::Cancelled);
    if !is_ended {
        return Ok(());
    }
    let hint = "Start another one in its session: `POST /v1/runs` with its `sessionId`.";
    Err(Error::new(Code::USAGE, format!("The run {} has ended.", run.run_id), hint))
}

/// The run, if it is its session's last and the token may steer it.
async fn current(shared: &Arc<RouteState>, caller: &TokenHolder, id: String) -> Result<RunSummary, HttpRefusal> {
    caller.ensure_may(TokenRights::Decide)?;
    let run = run(shared, id).await?;
    let session_id = run.session_id.clone();
    let session = shared.reading(move |engine| engine.session_names().find_session(&session_id)).await?;
    if session.run_id.as_ref().is_some_and(|last| last.as_str() == run.run_id) {
        return Ok(run);
    }
    let message = format!("The run {} is not the last of its session.", run.run_id);
    Err(Error::new(Code::RUN_NOT_FOUND, message, "`GET /v1/runs?active=true` lists what runs.").into())
}

async fn run(shared: &Arc<RouteState>, id: String) -> Result<RunSummary, HttpRefusal> {
    Ok(shared.reading(move |engine| engine.session_reader().run(&RunId::from(id))).await?)
}

async fn told(shared: &Arc<RouteState>, id: String) -> RouteAnswer {
    Ok(json(StatusCode::OK, &run(shared, id).await?))
}
