//! The beginning of a request's JSON, whose last list grows.

use arki_domain::Error;
use serde::Serialize;

/// The head of a request: `value` without its closing brace, and the beginning of the list that `list` names.
pub(crate) fn open_list(value: &impl Serialize, list: &str) -> Result<Vec<u8>, Error> {
    let mut head = to_json(value)?;
    head.truncate(head.len() - 1);
    if !head.ends_with(b"{") {
        head.push(b',');
    }
    head.extend_from_slice(format!("\"{list}\":[").as_bytes());
    Ok(head)
}

pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Error> {
    serde_json::to_vec(value).map_err(Error::internal)
}
