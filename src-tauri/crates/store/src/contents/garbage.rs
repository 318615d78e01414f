//! Clearing away contents: those that no session speaks of, and, where the rest is over a quota, those that are missed
//! least.
//!
//! What may go is found out by reading, without holding up anyone; a content is then removed only if nobody asked for it
//! to be kept since. When the quota demands more, this is the order:
//!
//! 1. images that only lists (checkpoints) name, those of the oldest lists first: they undo what commands did;
//! 2. images that a change itself names, the oldest first: without them it cannot be taken back any more.
//!
//! Prompts, artifacts and the lists themselves stay as long as their session.

use crate::chain::cross_references::ContentUse;
use crate::database::row::unsigned;
use crate::database::statements::{each, list};
use crate::writer::write::Durability;
use crate::{ContentReader, StoreError, StoreUpkeep};
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// A content that nobody speaks of yet is left alone this long: the event that will is on its way.
pub const UNREFERENCED_GRACE: Duration = Duration::from_secs(60 * 60);
/// Contents that one transaction removes.
const GARBAGE_BATCH: usize = 500;

/// Reads the hashes of the contents that a manifest names; the store does not know its form.
pub trait ManifestReader: Fn(&[u8]) -> Vec<String> + Send + 'static {}

impl<F: Fn(&[u8]) -> Vec<String> + Send + 'static> ManifestReader for F {}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Collected {
    /// Contents.
    pub removed: u64,
    /// The stored, compressed size.
    pub freed_bytes: u64,
}

impl StoreUpkeep<'_> {
    /// Removes contents that no session speaks of, and then as many more, in this module's order, as `quota_bytes` of
    /// stored contents ask for. `list_of_manifest` tells the hashes that a list names.
    ///
    /// # Errors
    /// When the database cannot be read or written; what was removed until then stays so.
    pub async fn collect_garbage(
        self,
        quota_bytes: u64,
        list_of_manifest: impl ManifestReader,
    ) -> Result<Collected, StoreError> {
        self.collect(quota_bytes, Released::default(), list_of_manifest).await
    }

    pub(crate) async fn collect(
        self,
        quota_bytes: u64,
        released: Released,
        list_of_manifest: impl ManifestReader,
    ) -> Result<Collected, StoreError> {
        self.finish_removing_events().await?;
        let doomed =
            self.store.read(move |reader| reader.contents().doomed(quota_bytes, &released, &list_of_manifest)).await?;
        let mut collected = Collected::default();
        for batch in doomed.chunks(GARBAGE_BATCH) {
            let batch = batch.to_vec();
            let removed = self.store.write(Durability::Normal, move |transaction| remove(transaction, &batch)).await?;
            collected.removed += removed.removed;
            collected.freed_bytes += removed.freed_bytes;
        }
        Ok(collected)
    }
}

/// Contents that sessions spoke of which were just removed: nobody waits for these any more, however young they are.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Released {
    /// Hashes, and those of them that are lists.
    named: HashSet<String>,
    lists: Vec<String>,
    /// When the last of the sessions was last spoken in. What was kept later, somebody else wanted.
    until_ms: i64,
}

impl Released {
    pub(crate) fn join(&mut self, other: Self) {
        self.named.extend(other.named);
        self.lists.extend(other.lists);
        self.until_ms = self.until_ms.max(other.until_ms);
    }

    /// Adds a session's contents. Call it before the session's references are gone.
    pub(crate) fn add(&mut self, transaction: &Connection, session: &str) -> Result<(), StoreError> {
        each(transaction, "SELECT hash, kind FROM blob_refs WHERE session_id = ?1", [session], |row| {
            let hash: String = row.get(0)?;
            if row.get::<_, i64>(1)? == ContentUse::Manifest as i64 {
                self.lists.push(hash.clone());
            }
            self.named.insert(hash);
            Ok(())
        })?;
        let last = "SELECT updated_at FROM sessions WHERE session_id = ?1";
        let last: Option<i64> = transaction.query_row(last, [session], |row| row.get(0)).optional()?;
        self.until_ms = self.until_ms.max(last.unwrap_or(0));
        Ok(())
    }
}

#[derive(Debug, Clone)]
struct StoredBlob {
    hash: String,
    kept_at: i64,
    bytes: u64,
}

fn remove(transaction: &Connection, doomed: &[StoredBlob]) -> Result<Collected, StoreError> {
    let mut collected = Collected::default();
    let mut statement = transaction.prepare_cached("DELETE FROM blobs WHERE hash = ?1 AND kept_at = ?2")?;
    for StoredBlob { hash, kept_at, bytes } in doomed {
        if statement.execute(params![hash, kept_at])? > 0 {
            collected.removed += 1;
            collected.freed_bytes += bytes;
        }
    }
    Ok(collected)
}

/// The need for a content; the least needed is removed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    /// Since when nobody newer names it.
    Listed(i64),
    Named(i64),
}

impl ContentReader<'_> {
    fn doomed(
        self,
        quota_bytes: u64,
        released: &Released,
        list_of_manifest: &dyn Fn(&[u8]) -> Vec<String>,
    ) -> Result<Vec<StoredBlob>, StoreError> {
        // References first: what is stored in between is too young to be missed by them.
        let uses = self.reader.read(uses)?;
        let stored = self.reader.read(stored)?;
        let lists = stored.iter().filter(|content| uses.get(&content.hash) == Some(&(ContentUse::Manifest as i64)));
        let listed = self.listed(lists.map(|list| (list.hash.as_str(), list.kept_at)), list_of_manifest)?;
        let was_listed = self.listed(released.lists.iter().map(|list| (list.as_str(), 0)), list_of_manifest)?;
        let is_released = |content: &StoredBlob| {
            let was_named = released.named.contains(&content.hash) || was_listed.contains_key(&content.hash);
            was_named && content.kept_at <= released.until_ms
        };
        let now_ms = self.reader.clock.now_ms();
        let (mut doomed, mut spare, mut total) = (Vec::new(), Vec::new(), 0);
        for content in stored {
            let need = match (uses.get(&content.hash), listed.get(&content.hash)) {
                (Some(&kind), _) if kind != ContentUse::Image as i64 => None,
                (Some(_), _) => Some(Need::Named(content.kept_at)),
                (None, Some(&since)) => Some(Need::Listed(since)),
                (None, None) if is_young(&content, now_ms) && !is_released(&content) => None,
                (None, None) => {
                    doomed.push(content);
                    continue;
                }
            };
            total += content.bytes;
            spare.extend(need.map(|need| (need, content)));
        }
        spare.sort_unstable_by(|(one, a), (other, b)| one.cmp(other).then_with(|| a.hash.cmp(&b.hash)));
        for (_, content) in spare {
            if total <= quota_bytes {
                break;
            }
            total -= content.bytes;
            doomed.push(content);
        }
        Ok(doomed)
    }

    /// The hashes that lists name, with when the newest of these lists was kept. A list that cannot be read leads
    /// nowhere.
    fn listed<'a>(
        self,
        lists: impl Iterator<Item = (&'a str, i64)>,
        list_of_manifest: &dyn Fn(&[u8]) -> Vec<String>,
    ) -> Result<HashMap<String, i64>, StoreError> {
        let mut listed = HashMap::new();
        for (list, kept_at) in lists {
            let bytes = match self.blob(list) {
                Ok(bytes) => bytes.unwrap_or_default(),
                Err(StoreError::Damaged { .. }) => continue,
                Err(error) => return Err(error),
            };
            for hash in list_of_manifest(&bytes) {
                let newest = listed.entry(hash).or_insert(kept_at);
                *newest = kept_at.max(*newest);
            }
        }
        Ok(listed)
    }
}

/// The clock may have been set back: an age is a distance.
fn is_young(content: &StoredBlob, now_ms: i64) -> bool {
    u128::from(now_ms.abs_diff(content.kept_at)) <= UNREFERENCED_GRACE.as_millis()
}

fn uses(connection: &Connection) -> Result<HashMap<String, i64>, StoreError> {
    let sql = "SELECT hash, max(kind) FROM blob_refs GROUP BY hash";
    list(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
}

fn stored(connection: &Connection) -> Result<Vec<StoredBlob>, StoreError> {
    list(connection, "SELECT hash, kept_at, octet_length(content) FROM blobs", [], |row| {
        Ok(StoredBlob { hash: row.get(0)?, kept_at: row.get(1)?, bytes: unsigned(row.get(2)?) })
    })
}
