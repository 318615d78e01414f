//! The next request of a session before it is sent, and what it is made of, as clients get it.

use crate::projects::rules::told;
use crate::runs::system_prompt::{PromptScope, takes_no_tools, unknown_variables};
use crate::session_reader::overview::agent_in;
use crate::{
    Accounts, ClientCapabilities, EstimatedTokens, ExecutorFactory, Projects, SessionReader, SessionSettings,
    SystemPrompts,
};
use arki_api::{ConfiguredSettings, ContextCompaction, ContextPart, LeftOut, LeftOutKind, LeftOutMessage, NextRequest};
use arki_config::{AGENT, Config};
use arki_context::{ContextView, ContextViewInputs, CountedRequest, SystemPrompt, TokenCorrection};
use arki_domain::projection::{ConversationMessage, MessageKind, RunState, ShownAs};
use arki_domain::{
    ContextCompacted, Error, EventBody, Executor, Message, RunOptions, SessionId, ToolDefinition, Usage,
};
use arki_llm::ModelInfo;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The part of a request before the conversation.
pub(super) struct NextHead {
    pub(super) config: Config,
    pub(super) system: SystemPrompt,
    pub(super) tools: Arc<[ToolDefinition]>,
    settings: SessionSettings,
    warnings: Vec<String>,
}

/// The requests with which sessions' next runs would begin.
pub struct NextRequests {
    pub(super) accounts: Arc<Accounts>,
    pub(super) projects: Arc<Projects>,
    pub(super) executors: Arc<ExecutorFactory>,
    pub(super) reader: Arc<SessionReader>,
    pub(super) system_prompts: Arc<SystemPrompts>,
}

impl NextRequests {
    /// The request with which the next run of the session would begin, but for its prompt; of a new session where none
    /// is named.
    ///
    /// # Errors
    /// When the folder, the configuration or the session can't be used.
    pub fn next_request(&self, folder: &Path, session: Option<&SessionId>) -> Result<NextRequest, Error> {
        let head = self.head(folder, session)?;
        let (mut history, told) = match session {
            Some(session) => (self.reader.history(session)?, self.told(session)?),
            None => Default::default(),
        };
        let NextHead { config, system, tools, settings, .. } = &head;
        history.transcript.switch_parts(history.last_seq + 1, &settings.off);
        let model = head.model(history.run.as_ref());
        let providers = self.accounts.providers(config);
        let window = providers.model(&model).ok().and_then(|model| model.context_window());
        let info = providers.model_info(&model).ok();
        let mut warnings = head.warnings.clone();
        warnings.extend(info.as_ref().and_then(takes_no_tools));
        let conversation: Vec<_> = history.transcript.conversation().collect();
        let view = ContextView::of(&ContextViewInputs {
            system,
            tools,
            conversation: &conversation,
            counted: told.counted,
            correction: TokenCorrection::default(),
            window,
            off: &settings.off,
            estimate: &EstimatedTokens,
        });
        let compactions = compactions(&told.compactions, &conversation);
        Ok(for_clients(model, view, compactions, settings, (config, info.as_ref()), warnings))
    }

    pub(super) fn head(&self, folder: &Path, session: Option<&SessionId>) -> Result<NextHead, Error> {
        let (folder, agent, settings) = match session {
            Some(session) => {
                let overview = self.reader.overview(session)?;
                let settings = SessionSettings::in_overview(&overview);
                (PathBuf::from(self.reader.session(session)?.project), agent_in(overview), settings)
            }
            None => (folder.to_owned(), AGENT.to_owned(), SessionSettings::default()),
        };
        let open = self.projects.load_project(&folder)?;
        let mut config = settings.applied_to(self.projects.config_of(&open)?.for_agent(&agent)?);
        config.policy.disabled_tools.extend(settings.disabled_tools.iter().cloned());
        let core = settings.core.as_deref().unwrap_or(&config.core);
        let scope = PromptScope { core, is_subagent: false, answers: false };
        let system = self.system_prompts.parts(&open, &config, &RunOptions::default(), scope)?;
        let tools = self.executors.executor_of_run(&open, &config, ClientCapabilities::default(), None).definitions();
        let mut warnings = told(&self.projects.rules_of(&open).warnings);
        let custom = self.system_prompts.custom_prompt(&open, &config, &RunOptions::default())?;
        warnings.extend(custom.as_ref().and_then(unknown_variables));
        Ok(NextHead { config, system, tools, settings, warnings })
    }

    /// Returns what the session's own log says of its requests.
    fn told(&self, session: &SessionId) -> Result<LoggedRequests, Error> {
        let mut told = LoggedRequests::default();
        self.reader.each_own_event(session, 0, |event| told.apply(event.seq, event.body()))?;
        Ok(told)
    }
}

impl NextHead {
    /// The session's model, or that of its last run, or the configured one.
    pub(super) fn model(&self, last: Option<&RunState>) -> String {
        let model = self.settings.model.as_ref().or_else(|| last.map(|run| &run.model));
        model.unwrap_or(&self.config.model).clone()
    }
}

#[derive(Default)]
struct LoggedRequests {
    /// Messages of the last request, and its count once the provider has told it.
    asked: usize,
    counted: Option<CountedRequest>,
    compactions: Vec<(u64, ContextCompacted)>,
}

impl LoggedRequests {
    fn apply(&mut self, seq: u64, body: EventBody) {
        match body {
            // The system prompt is counted among them.
            EventBody::EngineRequest(request) if request.purpose.is_none() => {
                self.asked = request.message_count.saturating_sub(1);
            }
            EventBody::EngineResponse(response) if response.purpose.is_none() => {
                self.counted = counted(self.asked, response.usage);
            }
            EventBody::ContextCompacted(compacted) => {
                self.counted = None;
                self.compactions.push((seq, compacted));
            }
            EventBody::SessionRewound(rewound) => {
                self.counted = None;
                if rewound.conversation {
                    self.compactions.retain(|(seq, _)| *seq <= rewound.to_seq);
                }
            }
            EventBody::SessionConfigured(configured) if !configured.is_for_lists() => self.counted = None,
            _ => {}
        }
    }
}

fn counted(messages: usize, usage: Usage) -> Option<CountedRequest> {
    let is_told = !usage.unknown.prompt && usage.prompt_tokens > 0;
    is_told.then_some(CountedRequest { messages, tokens: usage.prompt_tokens })
}

/// The messages that are told of one compaction.
const MAX_TOLD_MESSAGES: usize = 200;
/// The characters that are told of each.
const MAX_TOLD_CHARS: usize = 200;

pub(super) fn for_clients(
    model: String,
    view: ContextView,
    compactions: Vec<ContextCompaction>,
    settings: &SessionSettings,
    (config, info): (&Config, Option<&ModelInfo>),
    warnings: Vec<String>,
) -> NextRequest {
    let part = |part: arki_context::ContextPart| ContextPart {
        part: part.part,
        origin: part.origin,
        tokens: part.tokens,
        share: part.share,
        seq: part.seq,
        id: part.id,
        off: part.off,
    };
    NextRequest {
        model,
        window: view.window,
        total_tokens: view.total_tokens,
        counted_tokens: view.counted_tokens,
        parts: view.parts.into_iter().map(part).collect(),
        left_out: LeftOut { messages: view.left_out.messages, tokens: view.left_out.tokens },
        compactions,
        settings: arki_api::SessionSettings {
            model: settings.model.clone(),
            effort: settings.effort.clone(),
            core: settings.core.clone(),
            system: settings.system.clone(),
        },
        configured: ConfiguredSettings {
            model: config.model.clone(),
            effort: info.and_then(|info| config.effort_of(None, info)),
            core: config.core.clone(),
            cores: arki_agent::core_names().map(str::to_owned).collect(),
            system: config.system_prompt.clone(),
        },
        warnings,
    }
}

/// Each compaction with the messages that it was the first to leave out or shorten.
pub(super) fn compactions(
    compacted: &[(u64, ContextCompacted)],
    conversation: &[ConversationMessage<'_>],
) -> Vec<ContextCompaction> {
    let is_gone = |message: &&ConversationMessage<'_>| {
        !matches!(message.shown_as, ShownAs::Whole | ShownAs::SwitchedOff) && *message.kind != MessageKind::Summary
    };
    let mut left: Vec<&ConversationMessage<'_>> = conversation.iter().filter(is_gone).collect();
    let mut told = Vec::with_capacity(compacted.len());
    for (seq, one) in compacted {
        let pruned: HashSet<_> = one.pruned_calls.iter().collect();
        let (dropped, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|message| {
            let is_pruned = matches!(&**message.whole, Message::ToolResult { call_id, .. } if pruned.contains(call_id));
            is_pruned || one.drops(message.place)
        });
        left = others;
        told.push(ContextCompaction {
            seq: *seq,
            strategy: one.strategy,
            tokens_before: one.tokens_before,
            tokens_after: one.tokens_after,
            target_tokens: one.target_tokens,
            summary: one.summary.clone(),
            dropped_count: dropped.len(),
            dropped: dropped.into_iter().take(MAX_TOLD_MESSAGES).map(left_out).collect(),
        });
    }
    told
}

fn left_out(message: &ConversationMessage<'_>) -> LeftOutMessage {
    let (kind, text) = match &**message.whole {
        Message::System { content } | Message::User { content, .. } => (LeftOutKind::User, content.clone()),
        Message::Assistant { content, .. } => (LeftOutKind::Assistant, content.clone()),
        Message::ToolRequest { content, calls, .. } => {
            let calls = calls.iter().map(|call| format!("{} {}", call.tool_id, call.arguments));
            (LeftOutKind::Assistant, [content.clone()].into_iter().chain(calls).collect::<Vec<_>>().join("\n"))
        }
        Message::ToolResult { tool_id, content, .. } => (LeftOutKind::Result, format!("{tool_id}: {content}")),
    };
    LeftOutMessage { seq: message.place, kind, text: text.trim().chars().take(MAX_TOLD_CHARS).collect() }
}
