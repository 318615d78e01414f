//! Conversions between SQLite's values and the domain's.
//!
//! Reading is lenient: a row that was tampered with is still shown, and `verify` says that it is broken.

use arki_domain::Event;
use rusqlite::types::ValueRef;
use rusqlite::{Result, Row};
use serde_json::value::RawValue;

/// The columns in the order that [`event`] reads them.
pub(crate) const EVENT_COLUMNS: &str = "event_id, run_id, session_id, seq, ts, type, payload, prev_hash, hash";

/// The same, named with their table, where another one is joined to it.
pub(crate) fn event_columns_of(table: &str) -> String {
    EVENT_COLUMNS.split(", ").map(|column| format!("{table}.{column}")).collect::<Vec<_>>().join(", ")
}

/// Finds the events of the session `?1` by their index, which has only the end of the id. `IS`, since SQLite may put a
/// value that a column equals in the column's place everywhere, and then finds no use for the index.
pub(crate) const OF_SESSION: &str = "substr(session_id, -8) = substr(?1, -8) AND session_id IS ?1";

pub(crate) fn event(row: &Row<'_>) -> Result<Event> {
    let text = |column| row.get_ref(column).map(lossy_text);
    let run_id = match row.get_ref(1)? {
        ValueRef::Null => None,
        value => Some(lossy_text(value).into()),
    };
    Ok(Event {
        event_id: text(0)?.into(),
        run_id,
        session_id: text(2)?.into(),
        seq: unsigned(integer(row.get_ref(3)?)),
        ts: integer(row.get_ref(4)?),
        kind: text(5)?,
        payload: json(text(6)?),
        prev_hash: text(7)?,
        hash: text(8)?,
    })
}

/// Returns the text as JSON; what is not JSON becomes a string.
fn json(text: String) -> Box<RawValue> {
    RawValue::from_string(text).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

pub(crate) fn lossy_text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => String::from_utf8_lossy(bytes).into_owned(),
        },
    }
}

fn integer(value: ValueRef<'_>) -> i64 {
    match value {
        ValueRef::Integer(number) => number,
        _ => 0,
    }
}

/// SQLite's integers are signed; numbers of events and sizes never are.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
