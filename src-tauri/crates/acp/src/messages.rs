//! The protocol's messages, as far as Arki speaks it: what clients send is read leniently, what Arki sends is typed.

mod asked;
mod elicitation;
mod told;

pub(crate) use asked::{
    ClientCapabilityFlags, Initialize, ListSessions, NamedServerParams, NamedSessionParams, OpenSession, PromptParams,
    SetConfigOption, SetMode,
};
pub(crate) use elicitation::{CreateElicitation, Elicited, FormSchema, choice_field, choices_field, text_field};
pub(crate) use told::{
    AvailableCommand, ContentBlock, EmbeddedResource, PermissionAnswer, PermissionKind, PermissionOption, PlanEntry,
    RequestPermission, SessionConfigOption, SessionMode, SessionUpdate, StopReason, TextChunk, ToolCallContent,
    ToolCallLocation, ToolCallStatus, ToolCallUpdate, ToolKind, UsageCost, ValueOption, initialized, tell_update,
    timestamp,
};
