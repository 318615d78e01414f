//! Checks the promises of the event log from the outside: over the JSON that `arki events` and `arki exec --json`
//! print.

use arki_domain::{Event, GENESIS_HASH};
use serde_json::Value;

/// The values of JSON Lines; `None` when a line is not JSON.
#[must_use]
pub fn json_lines(text: &str) -> Option<Vec<Value>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).ok()).collect()
}

/// Without what is only ever live.
#[must_use]
pub fn stored(events: &[Value]) -> Vec<Value> {
    events.iter().filter(|event| event.get("seq").is_some() && event["type"] != "output.delta").cloned().collect()
}

/// The types of the events, in order.
#[must_use]
pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

/// Numbers without gaps from 1 and unbroken hashes, for a session's stored events from its first.
///
/// # Errors
/// The index of the first event that is not what the one before it says.
pub fn verify_chain(events: &[Value]) -> Result<(), usize> {
    let mut previous = GENESIS_HASH.to_owned();
    for (index, value) in events.iter().enumerate() {
        let event: Event = serde_json::from_str(&value.to_string()).map_err(|_| index)?;
        let hash = event.computed_hash().map_err(|_| index)?;
        if event.seq != index as u64 + 1 || event.prev_hash != previous || event.hash != hash {
            return Err(index);
        }
        previous = hash;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arki_domain::{canonical_json, sha256_hex};
    use serde_json::json;

    fn chain(length: u64) -> Vec<Value> {
        let mut previous = GENESIS_HASH.to_owned();
        let event = |seq| {
            let mut event = json!({"eventId": format!("e{seq}"), "runId": null, "sessionId": "s", "seq": seq, "ts": 1,
                "type": "run.paused", "payload": {"reason": "user"}, "prevHash": previous});
            previous = sha256_hex(canonical_json(&event).unwrap().as_bytes());
            event["hash"] = json!(previous);
            event
        };
        (1..=length).map(event).collect()
    }

    #[test]
    fn a_whole_chain_verifies_and_a_changed_event_is_named() {
        let mut events = chain(3);
        assert_eq!(verify_chain(&events), Ok(()));
        events[1]["payload"]["reason"] = json!("budget");
        assert_eq!(verify_chain(&events), Err(1));
    }

    #[test]
    fn a_missing_event_breaks_the_chain() {
        let mut events = chain(3);
        events.remove(1);
        assert_eq!(verify_chain(&events), Err(1));
    }

    #[test]
    fn live_events_are_not_stored() {
        let events = json_lines("{\"type\":\"run.started\",\"seq\":1}\n\n{\"type\":\"output.delta\"}\n").unwrap();
        assert_eq!(kinds(&stored(&events)), ["run.started"]);
        assert_eq!(json_lines("oops"), None);
    }
}
