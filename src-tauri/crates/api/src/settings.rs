//! The configuration, value by value, as the settings show and change it.

use serde_json::Value;

words! {
    /// The source of a value: the defaults, the user's own file, or the open folder's.
    SettingOrigin { Default, User, Project }
    /// The way a value is entered; anything that fits none of the others is entered as JSON.
    ///
    /// `LongText` has several lines. `Secret` may be one, is never told and only written. The items of a `List`, the
    /// entries of a `Map` and the values of a `Group` follow it, each under its own key.
    SettingKind { Switch, Number, Text, LongText, Choice, Secret, List, Map, Group, Json }
    /// The effect of `unset_setting`: none, another value holds again, or the item or entry is gone.
    SettingReset { Nothing, Restores, Removes }
}

wire! {
    /// One value of the configuration that holds, or one that could be set.
    SettingEntry {
        /// The key from the outermost braces, such as `limits.maxTurns` or `policy.rules[0]`.
        pub key: String,
        /// Null where nothing is set and nothing holds by default; `"(hidden)"` for a secret; null for a map and a group.
        #[ts(type = "unknown")]
        pub value: Value,
        pub origin: SettingOrigin,
        /// The file that says so; null for a default.
        pub file: Option<String>,
        pub kind: SettingKind,
        /// The values that a choice offers, or the names that a map's entries have; empty where any may stand there.
        pub choices: Vec<String>,
        /// The value's purpose, in a sentence; empty where the key says it.
        pub about: String,
        /// True if `set_setting` takes the key; for a list and a map, if one can be added to it.
        pub can_be_set: bool,
        pub reset: SettingReset,
        /// The way that a new item of a list, or a new entry of a map, is entered; null for any other kind.
        pub item_kind: Option<SettingKind>,
        /// The values that the choice of a new item or entry offers.
        pub item_choices: Vec<String>,
        /// An example of a new item, a new entry or a missing JSON value; null where that is plain.
        #[ts(type = "unknown")]
        pub template: Value,
    }
    /// A change of the user's own file.
    SettingChange {
        /// A key as in [`SettingEntry`]; one that ends in `[]` adds an item to that list.
        pub key: String,
        /// The new value: JSON, or a text as it stands; null removes the key or the item.
        pub text: Option<String>,
        /// The value as JSON, as it was listed: the change is refused if the file has another by now. `"null"`: the file
        /// has none. Null: whatever it has.
        pub was: Option<String>,
    }
    /// The disk space that Arki's data takes, in bytes.
    StorageUse {
        /// The folder with the data.
        pub folder: String,
        /// The database, with everything below but the logs.
        pub database_bytes: u64,
        pub events: u64,
        /// The database's part for pictures, and for files as they were before and after a change, compressed.
        pub contents_bytes: u64,
        /// The database's part that is free: it is used again before the database grows.
        pub free_bytes: u64,
        /// The changes that are not in the database's own file yet.
        pub journal_bytes: u64,
        /// The desktop app's diagnostics.
        pub log_bytes: u64,
        /// The room left on that disk; null where nobody knows.
        pub disk_free_bytes: Option<u64>,
        /// Milliseconds since 1970; null where nothing was tidied yet.
        pub tidied_at: Option<i64>,
        /// The contents are kept up to this size.
        pub max_contents_bytes: u64,
        /// The largest sessions, the largest first.
        pub largest: Vec<StoredSession>,
    }
    StoredSession {
        pub session_id: String,
        pub title: String,
        /// The size of its events.
        pub bytes: u64,
    }
}
