//! Hooks, and whoever shows the user notices, are told when a run has ended or waits for the user. The run is over by then:
//! nothing waits for them but the end of the program, and what hooks did is told beside it.

use crate::runs::settling::Afterwards;
use crate::{Approvals, Records, SessionReader, blocking, blocking_for};
use arki_agent::RunEnd;
use arki_domain::projection::RunState;
use arki_domain::{
    ApprovalId, CallContext, Error, EventDraft, EventLog, Executor, HookMoment, NotificationKind, SessionId,
};
use std::fmt;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Notices that nobody took yet; a listener that is slower misses the oldest.
const MAX_UNHEARD_NOTICES: usize = 64;

/// A run of this process has ended, or waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunNotice {
    pub session_id: SessionId,
    /// The session's.
    pub title: String,
    pub news: RunNews,
}

/// The way in which a run stopped. Its words are those that hooks are given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunNews {
    Done,
    BudgetExhausted,
    /// The run failed, with the error's words.
    Failed(String),
    /// A tool needs permission; its name.
    Permission(String),
    /// A decision, where the one that waits could not be read.
    Decision,
    /// The agent's question, in its own words.
    Asked(String),
    Question,
}

impl fmt::Display for RunNews {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => out.write_str("Arki is done and waiting for your input."),
            Self::BudgetExhausted => out.write_str("The run's budget is used up."),
            Self::Failed(error) => write!(out, "The run failed: {error}"),
            Self::Permission(tool) => write!(out, "Arki needs your permission to use {tool}."),
            Self::Decision => out.write_str("Arki needs your decision."),
            Self::Asked(question) => out.write_str(question),
            Self::Question => out.write_str("Arki has a question for you."),
        }
    }
}

/// The parts of a run that the hooks of its end need.
pub(crate) struct Notifier {
    executor: Arc<dyn Executor>,
    context: CallContext,
}

impl Notifier {
    /// `None` for a sub-agent's run: whoever waits for that is a model.
    pub(crate) fn of(executor: &Arc<dyn Executor>, session_id: &SessionId, run: &RunState) -> Option<Self> {
        let context = CallContext {
            session_id: session_id.clone(),
            run_id: run.run_id.clone(),
            options: run.options.clone(),
            time_left: None,
            cost_left_usd: None,
            previous: None,
            sees_pictures: false,
            agent_state: Default::default(),
            last_seq: 0,
            cancel: Default::default(),
            pause: Default::default(),
        };
        run.parent.is_none().then(|| Self { executor: executor.clone(), context })
    }
}

/// Tells hooks, and the clients that notify the user, of stopped runs.
pub struct RunNotices {
    records: Arc<Records>,
    reader: Arc<SessionReader>,
    approvals: Arc<Approvals>,
    channel: broadcast::Sender<RunNotice>,
}

impl RunNotices {
    pub(super) fn new(records: Arc<Records>, reader: Arc<SessionReader>, approvals: Arc<Approvals>) -> Self {
        Self { records, reader, approvals, channel: broadcast::Sender::new(MAX_UNHEARD_NOTICES) }
    }

    /// Begins to tell hooks how a run ended. What the user did needs no notification.
    pub(super) fn notify_soon(
        self: &Arc<Self>,
        afterwards: &Afterwards,
        notifier: Notifier,
        ended: &Result<RunEnd, Error>,
    ) {
        let Ok(end) = ended else { return };
        if matches!(end, RunEnd::Cancelled | RunEnd::Paused) {
            return;
        }
        let (notices, end) = (self.clone(), end.clone());
        afterwards.begin(async move {
            let session_id = notifier.context.session_id.clone();
            if let Err(fault) = notices.notify(notifier, end).await {
                tracing::warn!(%session_id, code = fault.code, %fault, "what hooks did is not told");
            }
        });
    }

    async fn notify(self: &Arc<Self>, notifier: Notifier, end: RunEnd) -> Result<(), Error> {
        let Notifier { executor, context } = notifier;
        let (kind, news) = match end {
            RunEnd::AwaitingApproval(approval_id) => {
                (NotificationKind::Permission, self.permission(&approval_id).await)
            }
            RunEnd::AwaitingAnswer(_) => (NotificationKind::Question, self.question(&context.session_id).await),
            RunEnd::BudgetExhausted => (NotificationKind::Idle, RunNews::BudgetExhausted),
            RunEnd::Failed(fault) => (NotificationKind::Idle, RunNews::Failed(fault.message)),
            RunEnd::Completed { .. } | RunEnd::Cancelled | RunEnd::Paused => (NotificationKind::Idle, RunNews::Done),
        };
        let message = news.to_string();
        self.send_notice(&context.session_id, news).await;
        let told = executor.notify(&HookMoment::Notification { kind, message }, &context).await;
        if told.is_empty() {
            return Ok(());
        }
        // The run's own log is closed: its lease is given back.
        let drafts = told.into_iter().map(EventDraft::of_session).collect();
        self.records.log().append(&context.session_id, drafts).await.map(drop)
    }

    /// Notices about the runs of this process, from now on: of each that ended or waits for the user, but not of what the
    /// user stopped or paused, nor of sub-agents.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<RunNotice> {
        self.channel.subscribe()
    }

    async fn send_notice(self: &Arc<Self>, session_id: &SessionId, news: RunNews) {
        if self.channel.receiver_count() == 0 {
            return;
        }
        let of = session_id.clone();
        let title = match blocking(self, move |notices| notices.reader.session(&of)).await {
            Ok(session) => session.title,
            Err(fault) => return tracing::warn!(%session_id, %fault, "the end of a run is not told"),
        };
        // Nobody may listen any more.
        let _ = self.channel.send(RunNotice { session_id: session_id.clone(), title, news });
    }

    async fn permission(&self, approval_id: &ApprovalId) -> RunNews {
        let asked = self.approvals.pending().approval_now(approval_id).await.and_then(|record| record.request());
        asked.map_or(RunNews::Decision, |asked| RunNews::Permission(asked.tool_id))
    }

    async fn question(self: &Arc<Self>, session_id: &SessionId) -> RunNews {
        let overview = blocking_for(self, session_id, move |notices, session| notices.reader.overview(session)).await;
        let asked = overview.ok().and_then(|overview| overview.run?.open_question().map(|asked| asked.text.clone()));
        asked.map_or(RunNews::Question, RunNews::Asked)
    }
}
