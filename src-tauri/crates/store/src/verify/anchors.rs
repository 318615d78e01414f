//! Vouching for the end of a session's log with a key that is not in the database.
//!
//! The chain shows what was changed by whoever did not recompute it; an anchor shows what was cut off or rewritten by
//! whoever did. It reaches as far as the event it was made for. Whoever deletes the anchor as well only gets
//! `anchored: false`, and so does whoever makes one with a key of their own: the key that an anchor was made with has a
//! name in it, so that losing the key is told apart from forging.

use crate::chain::hash_at;
use crate::database::row::{lossy_text, signed, unsigned};
use crate::database::statements::{change, each, find};
use crate::verify::report::{AnchorFinding, VerifyReport};
use crate::writer::write::Durability;
use crate::{LogVerifier, Store, StoreError};
use arki_domain::SessionId;
use hmac::{Hmac, KeyInit, Mac};
use rusqlite::{Connection, Row, params};
use sha2::Sha256;

/// The prefix of every HMAC's input: it names the purpose, so that none can stand for another.
const OF_ANCHOR: &[u8] = b"arki/anchor/1\0";
const OF_KEY_NAME: &[u8] = b"arki/anchor-key/1\0";
const KEY_NAME_BYTES: usize = 8;

const ANCHORS: &str = "SELECT session_id, seq, hash, mac FROM anchors";
const END: &str = "SELECT last_seq, last_hash FROM sessions WHERE session_id = ?1";
const SAVE: &str = "INSERT INTO anchors (session_id, seq, hash, mac) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (session_id) DO UPDATE SET seq = ?2, hash = ?3, mac = ?4";

impl Store {
    /// Vouches for the session's log as far as it goes now, and answers with the number of its last event (0 where
    /// there is none). Not on the way to anything: call it when there is time.
    ///
    /// # Errors
    /// `SessionBroken` when the log is not the one that was vouched for before, which a new anchor would hide, or when
    /// the database cannot be written.
    pub async fn anchor(&self, session: &SessionId, key: &[u8; 32]) -> Result<u64, StoreError> {
        let (session, key) = (session.clone(), zeroize::Zeroizing::new(*key));
        self.write(Durability::Normal, move |transaction| anchor(transaction, &session, &key)).await
    }
}

impl LogVerifier<'_> {
    /// Returns whether any log was vouched for.
    pub fn has_anchors(self) -> Result<bool, StoreError> {
        self.reader.read(|connection| Ok(connection.prepare_cached("SELECT 1 FROM anchors LIMIT 1")?.exists([])?))
    }
}

fn anchor(transaction: &Connection, session: &SessionId, key: &[u8; 32]) -> Result<u64, StoreError> {
    let sql = format!("{ANCHORS} WHERE session_id = ?1");
    let before = find(transaction, &sql, [session.as_str()], Anchor::read)?;
    if let Some(before) = &before
        && let finding @ (AnchorFinding::CutOff | AnchorFinding::Rewritten | AnchorFinding::Forged) =
            before.judge(transaction, key)?
    {
        tracing::warn!(%session, ?finding, "the log is not the one that was vouched for");
        return Err(StoreError::SessionBroken { session_id: session.clone(), seq: before.seq });
    }
    let read = |row: &Row<'_>| Ok((unsigned(row.get(0)?), lossy_text(row.get_ref(1)?)));
    let Some((seq, hash)) = find(transaction, END, [session.as_str()], read)? else { return Ok(0) };
    if hash_at(transaction, session.as_str(), seq)?.unwrap_or_default() != hash {
        return Err(StoreError::SessionBroken { session_id: session.clone(), seq });
    }
    let mac =
        format!("{}:{}", key_name(key), hex::encode(mac(key, session.as_str(), seq, &hash).finalize().into_bytes()));
    change(transaction, SAVE, params![session.as_str(), signed(seq), hash, mac])?;
    Ok(seq)
}

struct Anchor {
    session: String,
    seq: u64,
    hash: String,
    mac: String,
}

impl Anchor {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let seq = row.get_ref(1)?.as_i64().map_or(0, unsigned);
        let [session, hash, mac] = [0, 2, 3].map(|column| row.get_ref(column).map(lossy_text));
        Ok(Self { session: session?, seq, hash: hash?, mac: mac? })
    }

    fn judge(&self, connection: &Connection, key: &[u8; 32]) -> Result<AnchorFinding, StoreError> {
        let Some((name, code)) = self.mac.split_once(':') else { return Ok(AnchorFinding::Forged) };
        if name != key_name(key) {
            return Ok(AnchorFinding::OtherKey);
        }
        let expected = mac(key, &self.session, self.seq, &self.hash);
        if !hex::decode(code).is_ok_and(|code| expected.verify_slice(&code).is_ok()) {
            return Ok(AnchorFinding::Forged);
        }
        Ok(match hash_at(connection, &self.session, self.seq)? {
            None => AnchorFinding::CutOff,
            Some(hash) if hash == self.hash => AnchorFinding::Holds,
            Some(_) => AnchorFinding::Rewritten,
        })
    }
}

/// Adds to the reports what the anchors say, and reports the sessions of which nothing else is left.
pub(crate) fn check(
    connection: &Connection,
    session: Option<&SessionId>,
    key: &[u8; 32],
    reports: &mut Vec<VerifyReport>,
) -> Result<(), StoreError> {
    let mut found = std::collections::HashMap::new();
    each(connection, ANCHORS, [], |row| {
        let anchor = Anchor::read(row)?;
        if session.is_none_or(|session| session.as_str() == anchor.session) {
            let finding = anchor.judge(connection, key)?;
            found.insert(SessionId::from(anchor.session), (anchor.seq, finding));
        }
        Ok(())
    })?;
    for report in reports.iter_mut() {
        if let Some((seq, finding)) = found.remove(&report.session_id) {
            apply(report, seq, finding);
        }
    }
    for (session, (seq, finding)) in found {
        if finding == AnchorFinding::CutOff {
            let mut report = VerifyReport::sound(session, 0);
            apply(&mut report, seq, finding);
            reports.push(report);
        }
    }
    Ok(())
}

fn apply(report: &mut VerifyReport, seq: u64, finding: AnchorFinding) {
    report.anchor = finding;
    match finding {
        AnchorFinding::Absent | AnchorFinding::OtherKey => {}
        AnchorFinding::Holds => report.anchored = true,
        // Whatever is missing is missing from the end on.
        AnchorFinding::CutOff => report.break_at(seq.min(report.events + 1)),
        AnchorFinding::Rewritten => report.break_at(seq),
        // Not even its number can be trusted; the end is what it was to vouch for.
        AnchorFinding::Forged => report.break_at(report.events),
    }
}

/// Lengths come first, so that no two sets of parts are the same bytes.
fn mac(key: &[u8; 32], session: &str, seq: u64, hash: &str) -> Hmac<Sha256> {
    let mut mac = keyed(key);
    mac.update(OF_ANCHOR);
    for part in [session, hash] {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    mac.update(&seq.to_be_bytes());
    mac
}

fn key_name(key: &[u8; 32]) -> String {
    let mut name = keyed(key);
    name.update(OF_KEY_NAME);
    hex::encode(&name.finalize().into_bytes()[..KEY_NAME_BYTES])
}

fn keyed(key: &[u8; 32]) -> Hmac<Sha256> {
    Hmac::new_from_slice(key).expect("HMAC takes keys of any length")
}

#[cfg(test)]
mod tests;
