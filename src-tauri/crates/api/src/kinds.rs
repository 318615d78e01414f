//! The kinds of types that most of the protocol is made of, and what they have in common.

/// Structs, with their fields in camel case.
macro_rules! wire {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, ts_rs::TS, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[ts(export)]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}

/// Enums without data, as words in snake case.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of_word:meta])* $word:ident),* $(,)? })*) => {
        $(#[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[derive(serde::Serialize, serde::Deserialize, ts_rs::TS, schemars::JsonSchema)]
        #[serde(rename_all = "snake_case")]
        #[ts(export)]
        $(#[$doc])*
        pub enum $name { $($(#[$of_word])* $word),* })*
    };
}

/// Structs that are told and never taken, with their fields in camel case.
macro_rules! told {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, serde::Serialize, ts_rs::TS, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        #[ts(export)]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}

/// Structs that are only printed, with their fields in camel case.
macro_rules! printed {
    ($($(#[$doc:meta])* $name:ident { $($body:tt)* })*) => {
        $(#[derive(Debug, Clone, serde::Serialize)]
        #[serde(rename_all = "camelCase")]
        $(#[$doc])*
        pub struct $name { $($body)* })*
    };
}
