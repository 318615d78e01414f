//! Keys, providers and models, and the settings that name them.

pub(crate) mod environment_keys;
pub(crate) mod keys;
pub(crate) mod model_entry;
pub(crate) mod placeholder_key;
pub(crate) mod provider_test;
pub(crate) mod settings;
