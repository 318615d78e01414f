//! Announces the files that a command left behind while it still runs.

use std::fmt;
use std::sync::Arc;

/// Told at once, a sentence each, what was taken away or put back while a command runs. It must not block.
#[derive(Clone)]
pub struct Meanwhile(Arc<dyn Fn(Vec<String>) + Send + Sync>);

impl Meanwhile {
    pub fn new(tell: impl Fn(Vec<String>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Tells them.
    pub fn tell(&self, notes: Vec<String>) {
        (self.0)(notes);
    }
}

impl fmt::Debug for Meanwhile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Meanwhile")
    }
}
