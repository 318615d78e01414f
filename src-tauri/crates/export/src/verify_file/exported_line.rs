//! A line of an export as an event, read more strictly than a log of our own: every field once, and no other.
//!
//! What a hash is over is the values, so that a line that was only laid out anew is still the same event. A name that
//! stands twice would let two readers see two values; such a line is no event.

use arki_domain::{Event, EventId, RunId, SessionId};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

#[derive(serde::Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct LineToVerify {
    event_id: EventId,
    /// Null, but there.
    #[serde(deserialize_with = "Option::deserialize")]
    run_id: Option<RunId>,
    session_id: SessionId,
    seq: u64,
    ts: i64,
    #[serde(rename = "type")]
    kind: String,
    payload: Box<RawValue>,
    prev_hash: String,
    hash: String,
}

/// `None` for what is no stored event.
pub(crate) fn read_event(line: &[u8]) -> Option<Event> {
    let line: LineToVerify = serde_json::from_slice(line).ok()?;
    serde_json::from_str::<Unambiguous>(line.payload.get()).ok()?;
    let LineToVerify { event_id, run_id, session_id, seq, ts, kind, payload, prev_hash, hash } = line;
    Some(Event { event_id, run_id, session_id, seq, ts, kind, payload, prev_hash, hash })
}

/// Any JSON in which no object has the same name twice.
struct Unambiguous;

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Unambiguous {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON in which every name stands once")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self, A::Error> {
        let mut names = HashSet::new();
        while let Some(name) = entries.next_key::<String>()? {
            entries.next_value::<Self>()?;
            if !names.insert(name) {
                return Err(serde::de::Error::custom("a name stands twice"));
            }
        }
        Ok(self)
    }
}
