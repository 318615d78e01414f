//! Requests from a server to us: the project's place, and questions to the user. It gets no model to ask (sampling).

#![allow(deprecated, reason = "servers of earlier protocol versions still ask for roots and send their log")]

use crate::calls_at_work::CallsAtWork;
use crate::ports::Elicitor;
use crate::progress::Listeners;
use crate::stdout_lines::StdoutTrouble;
use crate::trail::Trail;
use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorData,
    FormElicitationCapability, Implementation, ListRootsResult, LoggingMessageNotificationParam,
    ProgressNotificationParam, Root, RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A server's messages besides answers.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) trail: Trail,
    pub(crate) findings: StdoutTrouble,
    /// False if the tools have changed, and at first, when nothing was listed yet.
    pub(crate) knows_tools: AtomicBool,
    pub(crate) progress: Listeners,
    pub(crate) calls: CallsAtWork,
    /// There was no program to run.
    pub(crate) never_ran: AtomicBool,
    /// An answer over HTTP was none of a session in order: the next call begins another one.
    pub(crate) is_spent: AtomicBool,
}

pub(crate) struct Handler {
    pub(crate) server: String,
    pub(crate) root: Option<PathBuf>,
    pub(crate) elicitor: Option<Arc<dyn Elicitor>>,
    pub(crate) heard: Arc<Heard>,
}

impl Handler {
    /// Why a question was not put to the user, for whoever looks at what the server says.
    pub(crate) fn say(&self, why: &str) {
        self.heard.trail.push(format!("[arki] a question to the user was declined: {why}\n").as_bytes());
    }
}

impl ClientHandler for Handler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = self.root.is_some().then(RootsCapabilities::default);
        let form = || FormElicitationCapability::new().with_schema_validation(true);
        let elicitation =
            || ElicitationCapability::new().with_form(form()).with_url(UrlElicitationCapability::default());
        capabilities.elicitation = self.elicitor.is_some().then(elicitation);
        ClientConfig::new(capabilities, Implementation::new("arki", env!("CARGO_PKG_VERSION")))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        let root = self.root.as_ref().and_then(|root| reqwest::Url::from_directory_path(root).ok());
        let root = root.map(|url| Root::new(url.as_str().trim_end_matches('/')));
        Ok(ListRootsResult::new(root.into_iter().collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(self.elicit(request, context.ct).await)
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let done = match params.total {
            Some(total) => format!("{} of {total}", params.progress),
            None => params.progress.to_string(),
        };
        let message = params.message.map(|message| format!(" {}", crate::fault::quoted(&message))).unwrap_or_default();
        self.heard.progress.tell(&params.progress_token, format!("[{done}]{message}\n"));
    }

    async fn on_logging_message(&self, params: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        let text = params.data.as_str().map_or_else(|| params.data.to_string(), str::to_owned);
        self.heard.trail.push(format!("[{:?}] {text}\n", params.level).to_lowercase().as_bytes());
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.knows_tools.store(false, Ordering::Relaxed);
    }
}
