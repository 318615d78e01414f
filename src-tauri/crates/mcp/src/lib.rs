//! MCP servers: connections to them, their tools, and what of these is offered to a model.
//!
//! Everything that a server says is somebody else's word. Its messages are bounded, its tools' schemas are checked, its
//! names are made safe, its hints about what a tool does loosen nothing, and a tool that is not what was agreed to is
//! off until the user agrees again.
//!
//! *Architecture invariant:* only this crate knows `rmcp`. It starts no process: whoever opens a server over pipes hands
//! them in ([`Launcher`]). It keeps nothing: agreements ([`AgreementStore`]) and tokens ([`TokenStore`]) are the
//! engine's.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

mod agreement;
mod authorization;
mod backoff;
mod calls_at_work;
mod connection;
mod elicitation;
mod fault;
mod form;
mod handler;
mod http;
mod listed_tool;
mod offer;
mod opening;
mod ports;
mod progress;
mod readable;
mod remote_tool;
mod result_text;
mod server;
mod settings;
mod stdout_lines;
mod tool_name;
mod tool_search;
mod trail;

pub use agreement::{Agreement, AgreementStore, Change, ToolChange};
pub use connection::{Prompt, PromptArgument};
pub use form::{Choice, Field, FieldFault, FieldKind, Form, TextFormat};
pub use listed_tool::{ListedTool, Refused};
pub use offer::{Offer, OfferTarget, Offered};
pub use opening::OpeningStep;
pub use ports::{
    Elicitor, Ended, Launched, Launcher, Ports, Reply, ServerProcess, ServerQuestion, SignIn, TokenStore, WantedAnswer,
    WebAddress,
};
pub use remote_tool::{tools_of, unmet_tool};
pub use result_text::Answer;
pub use server::{Call, Server, ServerState};
pub use settings::{Command, OAuth, Remote, ServerSettings, Transport, shown_url};
pub use tool_name::is_server_name;
