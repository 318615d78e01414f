//! Keeps secrets out of whatever is stored, shown or sent: a placeholder stands in their place, and nothing but a tool
//! that is carried out gets the secret back.
//!
//! Secrets are the values that were added (keys, those of `.env` files), text of a secret's form, and matches of the
//! user's own rules. Whoever wants to know whether something *might* be one asks [`possible_secrets`], which
//! replaces nothing.

mod domain_values;
mod redactor;
mod secret_values;
mod streaming;
mod word_list;

pub use redactor::{
    KnownSecret, PlaceholderKey, PlaceholderUse, RedactionRule, Redactor, SecretValue, check_redaction_rules,
    text_with_secrets, with_secrets,
};
pub use secret_values::{env_secrets, possible_secrets};
pub use streaming::StreamingRedactor;
