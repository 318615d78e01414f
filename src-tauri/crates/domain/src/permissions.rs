//! Unix permissions of a file: needed beside its content to create it again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Permission bits, 0o777 at most. In an event `{"beforeMode": "600"}`, in octal; for 0o755 `{"beforeExecutable": true}`, as
/// earlier versions wrote it; and nothing for 0o644, which a file has of which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredPermissions", into = "StoredPermissions")]
pub struct Permissions(u32);

const ORDINARY: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;
const ALL: u32 = 0o777;
const OWNERS: u32 = 0o700;

impl Permissions {
    /// Takes the permission bits out of a file's whole mode.
    #[must_use]
    pub fn of_mode(mode: u32) -> Self {
        Self(mode & ALL)
    }

    #[must_use]
    pub fn mode(self) -> u32 {
        self.0
    }

    /// Returns whether these are the usual permissions, which need not be recorded.
    #[must_use]
    pub fn are_ordinary(self) -> bool {
        self.0 == ORDINARY
    }

    /// Narrows the `mode` of a file for a content that had these permissions, so that nobody can read it who couldn't
    /// before. Ordinary permissions narrow nothing.
    #[must_use]
    pub fn narrow(self, mode: u32) -> u32 {
        if self.are_ordinary() { mode } else { mode & (self.0 | OWNERS) }
    }
}

impl Default for Permissions {
    fn default() -> Self {
        Self(ORDINARY)
    }
}

#[derive(Serialize, Deserialize, TS, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct StoredPermissions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    before_mode: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    before_executable: bool,
}

written_as!(Permissions, StoredPermissions);

impl From<StoredPermissions> for Permissions {
    fn from(stored: StoredPermissions) -> Self {
        let mode = stored.before_mode.and_then(|octal| u32::from_str_radix(&octal, 8).ok());
        match (mode, stored.before_executable) {
            (Some(mode), _) => Self::of_mode(mode),
            (None, true) => Self(EXECUTABLE),
            (None, false) => Self::default(),
        }
    }
}

impl From<Permissions> for StoredPermissions {
    fn from(Permissions(mode): Permissions) -> Self {
        let is_told = mode != ORDINARY && mode != EXECUTABLE;
        Self { before_mode: is_told.then(|| format!("{mode:o}")), before_executable: mode == EXECUTABLE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_mode_survives_being_stored_and_the_ordinary_one_takes_no_room() {
        for mode in 0..=ALL {
            let stored = serde_json::to_value(Permissions(mode)).unwrap();
            assert_eq!(serde_json::from_value::<Permissions>(stored).unwrap().mode(), mode);
        }
        assert_eq!(serde_json::to_value(Permissions::default()).unwrap(), json!({}));
        assert_eq!(serde_json::to_value(Permissions::of_mode(0o100_755)).unwrap(), json!({"beforeExecutable": true}));
        assert_eq!(serde_json::to_value(Permissions(0o600)).unwrap(), json!({"beforeMode": "600"}));
    }

    #[test]
    fn a_content_is_shown_to_nobody_to_whom_it_was_closed() {
        assert_eq!(Permissions(0o600).narrow(0o644), 0o600);
        assert_eq!(Permissions(0o600).narrow(0o755), 0o700);
        assert_eq!(Permissions(0o644).narrow(0o777), 0o777);
    }
}
