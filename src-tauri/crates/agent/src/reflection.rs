//! Asking a model for conclusions from what was observed: beside the runs, and without any effect where it fails.

use crate::compacting::SessionLog;
use crate::summary::{Asking, SummaryOutcome};
use arki_context::SummaryRequest;
use arki_domain::{ChatModel, Error, RequestPurpose};
use std::convert::Infallible;
use std::future::pending;
use std::time::Duration;

/// Returns the model's answer. The request and what it took are in the log, whatever comes of it.
pub async fn reflect(
    mut log: SessionLog<'_>,
    model: &dyn ChatModel,
    request: &SummaryRequest,
    max_answer: Duration,
) -> Result<String, Error> {
    let asking = Asking { model, purpose: RequestPurpose::Reflection, turn: 0, max_answer };
    match asking.ask(request, &mut log, pending::<Infallible>()).await? {
        SummaryOutcome::Answered(answer) => Ok(answer.text),
        SummaryOutcome::Failed(fault) => Err(fault),
        SummaryOutcome::Stopped(never) => match never {},
    }
}
