//! Servers as lists show them.

use super::configuring::settings_of;
use crate::enum_words::word;
use arki_api::{McpChangedTool, McpRefusedTool, McpServerEntry, McpServerState};
use arki_config::{ConfiguredServer, McpOrigin};
use arki_mcp::{Agreement, Change, Offer, Server, ServerState, ToolChange, Transport, shown_url};
use arki_redaction::Redactor;
use std::sync::Arc;

pub(super) fn of(server: &Arc<Server>, configured: &ConfiguredServer, redactor: &Redactor) -> McpServerEntry {
    let settings = server.settings();
    let agreement = server.remembered().ok().flatten();
    let place = match &settings.transport {
        Transport::Stdio(command) => {
            [&command.command].into_iter().chain(&command.args).map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        Transport::Http(remote) => remote.shown_url(),
    };
    let state = match server.state() {
        ServerState::Disabled => McpServerState::Disabled,
        ServerState::Idle => McpServerState::Idle,
        ServerState::Starting => McpServerState::Starting,
        ServerState::Running => McpServerState::Running,
        ServerState::Failed => McpServerState::Failed,
    };
    let offer = agreement.as_ref().map(|agreement| Offer::of(settings, agreement));
    let known = agreement.unwrap_or_default();
    McpServerEntry {
        name: settings.name.clone(),
        transport: settings.transport_word().to_owned(),
        place,
        origin: origin(settings.project.is_some()),
        state,
        failure: server.failure().map(|fault| redactor.redact_error(fault).into()),
        category: word(&settings.category),
        tools: offer.as_ref().map(|_| known.in_force().map(|tool| tool.name.clone()).collect()),
        is_searched: offer.as_ref().is_some_and(|offer| offer.is_searched),
        estimated_tokens: offer.as_ref().map_or(0, |offer| offer.estimated_tokens as u64),
        changed: known.changes().iter().map(changed).collect(),
        refused: refused(&known),
        digest: known.digest(),
        settings: settings_of(configured),
    }
}

/// Nothing is known of it but what is configured.
pub(super) fn of_untrusted(name: &str, configured: &ConfiguredServer) -> McpServerEntry {
    let config = &configured.config;
    McpServerEntry {
        name: name.to_owned(),
        transport: if config.command.is_some() { "stdio" } else { "http" }.to_owned(),
        place: config.command.clone().or_else(|| config.url.as_deref().map(shown_url)).unwrap_or_default(),
        origin: origin(configured.origin != McpOrigin::User),
        state: McpServerState::Untrusted,
        failure: None,
        category: word(&config.category.unwrap_or(arki_domain::Category::Network)),
        tools: None,
        is_searched: false,
        estimated_tokens: 0,
        changed: Vec::new(),
        refused: Vec::new(),
        digest: String::new(),
        settings: settings_of(configured),
    }
}

fn origin(is_projects: bool) -> String {
    if is_projects { "project" } else { "user" }.to_owned()
}

pub(super) fn changed(change: &ToolChange) -> McpChangedTool {
    let text = |tool: &Option<arki_mcp::ListedTool>| {
        tool.as_ref().map(|tool| format!("{}\n{:#}", tool.description, tool.schema))
    };
    McpChangedTool {
        name: change.name().to_owned(),
        change: match change.change {
            Change::Added => arki_api::PinChange::Added,
            Change::Changed => arki_api::PinChange::Changed,
            Change::Removed => arki_api::PinChange::Removed,
        },
        before: text(&change.before),
        now: text(&change.now),
    }
}

pub(super) fn refused(agreement: &Agreement) -> Vec<McpRefusedTool> {
    let refused = |tool: &arki_mcp::Refused| McpRefusedTool { name: tool.name.clone(), reason: tool.reason.clone() };
    agreement.refused.iter().map(refused).collect()
}
