//! A conversation in the protocol's words. Pure: what changed of an item goes in, updates come out.

mod calls;
mod diffs;
mod notices;
mod teller;
mod tools;

pub(crate) use calls::CommandOutputForm;
pub(crate) use diffs::{fenced, shown_change};
pub(crate) use notices::{message, plan_update, replayed};
pub(crate) use teller::{PromptOrigin, Teller};
pub(crate) use tools::tool_facts;
