//! A file's permission bits.

use cap_std::fs::Metadata;

/// The permission bits; 0 where there are none.
#[cfg(unix)]
pub fn mode_of(metadata: &Metadata) -> u32 {
    use cap_std::fs::MetadataExt;
    metadata.mode() & 0o7777
}

#[cfg(not(unix))]
pub fn mode_of(_: &Metadata) -> u32 {
    0
}
