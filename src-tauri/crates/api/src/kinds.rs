//! The two kinds of types that most of the protocol is made of, and what they have in common.

/// Structs, with their fields in camel case.
macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[ts(export)]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}

/// Enums without data, as words in snake case.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of_word:meta])* $word:ident),* $(,)? })*) => {
        $(#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[ts(export)]
        $(#[$doc])*
        pub enum $name { $($(#[$of_word])* $word),* })*
    };
}

/// Structs that are only printed, with their fields in camel case.
macro_rules! printed {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, Serialize)]
        #[serde(rename_all = "camelCase")]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}
