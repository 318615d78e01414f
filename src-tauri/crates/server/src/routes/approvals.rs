//! Approvals: what waits, and decisions on it.

use crate::answers::{HttpRefusal, RouteAnswer, json, written};
use crate::guard::TokenHolder;
use crate::idempotency::{Repeatable, looked_up, replayed};
use crate::limits::MAX_BODY_BYTES;
use crate::routes::{parsed, whole};
use crate::serve::RouteState;
use arki_api::{DecisionRequest, Resolution, TokenRights};
use arki_domain::{ApprovalDecision, ApprovalId, Code, Error};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use std::sync::Arc;

pub(crate) async fn list(State(shared): State<Arc<RouteState>>) -> RouteAnswer {
    let inbox = shared.reading(|engine| engine.approvals().reviews().inbox()).await?;
    Ok(json(StatusCode::OK, &inbox))
}

pub(crate) async fn decide(
    State(shared): State<Arc<RouteState>>,
    Extension(caller): Extension<TokenHolder>,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
    body: Body,
) -> RouteAnswer {
    caller.ensure_may(TokenRights::Decide)?;
    let bytes = whole(body, MAX_BODY_BYTES).await?;
    let key = match looked_up(&shared, &caller, (&uri, &headers), &bytes).await? {
        Repeatable::First(key) => key,
        Repeatable::Again(_) => return Ok(replayed(written(StatusCode::OK, "{}"))),
    };
    let DecisionRequest { decision, hunks, reason, note, preview_hash } = parsed(&bytes)?;
    let resolution = Resolution { hunks, note: note.or(reason), preview_hash, ..Resolution::of(decision) };
    let approval = ApprovalId::from(id);
    let client = shared.callers.asking(&caller).client;
    let request = key.as_ref().map(|key| key.request.clone());
    let deciding = {
        let approval = approval.clone();
        async move {
            let _key = key;
            client.decide_on_request(&approval, resolution, request).await
        }
    };
    // To its end, also where whoever asked is gone.
    match tokio::spawn(deciding).await.map_err(Error::internal)? {
        Ok(_) => Ok(written(StatusCode::OK, "{}")),
        Err(fault) if fault.is(Code::APPROVAL_ALREADY_RESOLVED) => decided_before(&shared, approval, decision).await,
        Err(fault) => Err(fault.into()),
    }
}

/// The same decision again is no fault.
async fn decided_before(shared: &Arc<RouteState>, approval: ApprovalId, decision: ApprovalDecision) -> RouteAnswer {
    let then = shared.reading({
        let approval = approval.clone();
        move |engine| Ok(engine.approvals().pending().approval(&approval)?.decision())
    });
    if then.await? == Some(decision) {
        return Ok(written(StatusCode::OK, "{}"));
    }
    let message = format!("The approval {approval} was already decided otherwise.");
    Err(HttpRefusal::from(Error::new(Code::APPROVAL_ALREADY_DECIDED, message, "`GET /v1/approvals` lists what waits.")))
}
