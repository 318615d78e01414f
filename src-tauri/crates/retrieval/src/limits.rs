//! The bounds of an index.

use std::time::Duration;

/// The bounds of an index.
#[derive(Debug, Clone, Copy)]
pub struct IndexLimits {
    pub max_files: usize,
    /// Larger files are left out, in bytes.
    pub max_file_bytes: u64,
    /// All files that are indexed together, in bytes.
    pub max_total_bytes: u64,
    /// A question is answered after this time, with what is indexed so far.
    pub patience: Duration,
}

impl Default for IndexLimits {
    fn default() -> Self {
        Self {
            max_files: 200_000,
            max_file_bytes: 1 << 20,
            max_total_bytes: 1 << 30,
            patience: Duration::from_secs(10),
        }
    }
}
