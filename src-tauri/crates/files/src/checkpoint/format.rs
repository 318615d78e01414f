//! The stored form of a snapshot: JSON, a row a file, so that thousands of them stay small.
//!
//! `{"version":2,"files":{"src/a.rs":[120,1760000000000000000,420,"<64 hex>"]}}`: size, modification time in
//! nanoseconds, Unix permissions with flags above them, and the content's hash or the reason why there is none. A list of
//! another version counts as none: the project is looked at anew.

use std::collections::{BTreeMap, BTreeSet};

use arki_domain::Permissions;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::listed::{FileState, NotImaged, PreImage, Snapshot};

const VERSION: u32 = 2;
/// Above the permissions, which end at 0o777.
const FRESH: u32 = 0o1000;
const LINK: u32 = 0o2000;
const REASONS: &[(NotImaged, &str)] = &[
    (NotImaged::TooLarge, "tooLarge"),
    (NotImaged::NotText, "notText"),
    (NotImaged::OverBudget, "overBudget"),
    (NotImaged::Unreadable, "unreadable"),
    (NotImaged::Secret, "secret"),
];
const HASH_DIGITS: usize = 64;

/// Size, modification time, permissions and flags, hash or reason.
#[derive(Serialize, Deserialize)]
struct Row<Text>(u64, i64, u32, Text);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenCheckpoint<'a> {
    version: u32,
    files: BTreeMap<&'a str, Row<&'a str>>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    unlisted: &'a BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    walked_until: &'a Option<String>,
    #[serde(rename = "unnamedFiles", skip_serializing_if = "BTreeMap::is_empty")]
    unnamed: &'a BTreeMap<String, (u64, i64)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredCheckpoint {
    version: u32,
    files: BTreeMap<String, Row<String>>,
    #[serde(default)]
    unlisted: BTreeSet<String>,
    walked_until: Option<String>,
    #[serde(rename = "unnamedFiles", default)]
    unnamed: BTreeMap<String, (u64, i64)>,
}

impl Serialize for Snapshot {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { files, unlisted, walked_until, unnamed } = self;
        let files = files.iter().map(|(path, file)| (path.as_str(), row(file))).collect();
        WrittenCheckpoint { version: VERSION, files, unlisted, walked_until, unnamed }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Snapshot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let StoredCheckpoint { version, files, unlisted, walked_until, unnamed } =
            StoredCheckpoint::deserialize(deserializer)?;
        if version != VERSION {
            return Err(serde::de::Error::custom(format!("a snapshot of version {version}, not {VERSION}")));
        }
        let files = files.into_iter().map(|(path, row)| Ok((path, file_state(row)?)));
        let files = files.collect::<Result<_, String>>().map_err(serde::de::Error::custom)?;
        Ok(Self { files, unlisted, walked_until, unnamed })
    }
}

fn row(file: &FileState) -> Row<&str> {
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    let flags = file.permissions.mode() | flag(file.is_fresh, FRESH) | flag(file.is_link, LINK);
    let image = match &file.image {
        PreImage::Kept(hash) => hash,
        PreImage::None(reason) => REASONS.iter().find(|(known, _)| known == reason).map_or("", |(_, word)| word),
    };
    Row(file.size, file.modified_ns, flags, image)
}

fn file_state(Row(size, modified_ns, flags, image): Row<String>) -> Result<FileState, String> {
    let image = match REASONS.iter().find(|(_, word)| *word == image) {
        Some((reason, _)) => PreImage::None(*reason),
        None if is_hash(&image) => PreImage::Kept(image),
        None => return Err(format!("{image:?} is neither a hash nor a reason")),
    };
    let (is_fresh, is_link) = (flags & FRESH != 0, flags & LINK != 0);
    Ok(FileState { size, modified_ns, permissions: Permissions::of_mode(flags), is_link, is_fresh, image })
}

fn is_hash(text: &str) -> bool {
    text.len() == HASH_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
