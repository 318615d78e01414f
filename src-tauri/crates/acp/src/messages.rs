//! The protocol's messages, as far as Arki speaks it: what clients send is read leniently, what Arki sends is typed.

mod asked;
mod content;
mod elicitation;
mod opening;
mod tool_calls;
mod updates;

pub(crate) use asked::{
    ClientCapabilityFlags, Initialize, ListSessions, NamedServerParams, NamedSessionParams, OpenSession, PromptParams,
    SetConfigOption, SetMode,
};
pub(crate) use content::{ContentBlock, EmbeddedResource};
pub(crate) use elicitation::{CreateElicitation, Elicited, FormSchema, choice_field, choices_field, text_field};
pub(crate) use opening::{SessionConfigOption, SessionMode, ValueOption, initialized};
pub(crate) use tool_calls::{
    PermissionAnswer, PermissionKind, PermissionOption, RequestPermission, ToolCallContent, ToolCallLocation,
    ToolCallStatus, ToolCallUpdate, ToolKind,
};
pub(crate) use updates::{
    AvailableCommand, PlanEntry, SessionNotification, SessionUpdate, StopReason, TextChunk, UsageCost,
};
