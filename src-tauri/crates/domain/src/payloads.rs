//! The payloads of the contract's events, typed, one file a subject.

/// Structs of the contract, and `enum`s whose values are single words. A field whose name is followed by `?` is left out
/// where it has its default.
macro_rules! payload {
    () => {};
    (@struct [$($meta:tt)*] $name:ident { $($fields:tt)* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize, ts_rs::TS, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($meta)*
        pub struct $name { $($fields)* }
    };
    (@struct $meta:tt $name:ident { $($fields:tt)* } $(#[$of:meta])* pub $field:ident?: $type:ty, $($rest:tt)*) => {
        payload! { @struct $meta $name {
            $($fields)*
            $(#[$of])*
            #[serde(default, skip_serializing_if = "crate::left_out::is_default")]
            pub $field: $type,
        } $($rest)* }
    };
    (@struct $meta:tt $name:ident { $($fields:tt)* } $(#[$of:meta])* pub $field:ident: $type:ty, $($rest:tt)*) => {
        payload! { @struct $meta $name { $($fields)* $(#[$of])* pub $field: $type, } $($rest)* }
    };
    ($(#[$meta:meta])* enum $name:ident { $($values:tt)* } $($rest:tt)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, ts_rs::TS, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        $(#[$meta])*
        pub enum $name { $($values)* }
        payload! { $($rest)* }
    };
    ($(#[$meta:meta])* $name:ident { $($fields:tt)* } $($rest:tt)*) => {
        payload! { @struct [$(#[$meta])*] $name {} $($fields)* }
        payload! { $($rest)* }
    };
}

mod answered_request;
mod approval;
mod call;
mod checkpoint;
mod context;
mod memory;
mod pipeline;
mod plan;
mod question;
mod queue;
mod run;
mod session;
mod state;
mod turn;

pub use answered_request::*;
pub use approval::*;
pub use call::*;
pub use checkpoint::*;
pub use context::*;
pub use memory::*;
pub use pipeline::*;
pub use plan::*;
pub use question::*;
pub use queue::*;
pub use run::*;
pub use session::*;
pub use state::*;
pub use turn::*;

payload! {
    enum PauseReason {
        Approval,
        Budget,
        Plan,
        User,
        /// The program ended in the middle; the run went on later.
        Interrupted,
        /// The run had failed and was tried again.
        Failed,
    }

    enum Role {
        Assistant,
    }

    enum ApprovalDecision {
        Approve,
        Reject,
    }
}
