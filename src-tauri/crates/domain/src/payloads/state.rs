//! The state of a session: what cores, tools and the user keep in it.

use serde_json::{Map, Value};

payload! {
    /// A change to the session's state, one JSON object: the keys that have a value from now on, and those that are gone.
    #[derive(Default)]
    StateChanged {
        #[ts(type = "{ [key: string]: unknown }")]
        pub set?: Map<String, Value>,
        pub removed?: Vec<String>,
    }
}

impl StateChanged {
    /// Gives one key a value.
    #[must_use]
    pub fn setting(key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { set: Map::from_iter([(key.into(), value.into())]), removed: Vec::new() }
    }

    /// Removes one key.
    #[must_use]
    pub fn removing(key: impl Into<String>) -> Self {
        Self { set: Map::new(), removed: vec![key.into()] }
    }

    /// Returns whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty()
    }

    /// The keys that it is about.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.set.keys().chain(&self.removed).map(String::as_str)
    }
}
