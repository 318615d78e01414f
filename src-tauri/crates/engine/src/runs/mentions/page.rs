//! A page of the web, as `fetch_url` reads it, from a host that a rule allows.

use super::{Mentioned, Read};
use serde_json::{Value, json};

const FETCH_URL: &str = "fetch_url";
/// The room for the words before the page, in bytes.
const WORDS: usize = 1024;

pub(super) fn read(mentioned: &Mentioned, url: &str, room: usize) -> Result<Read, String> {
    let args = json!({ "url": url });
    if let Err(fault) = mentioned.executor.unasked_reads().ensure_readable(FETCH_URL, &args) {
        return Err(format!("{}{}", fault.message, how_to_allow(mentioned, &args)));
    }
    if mentioned.is_draft {
        return Ok(Read { text: String::new(), is_cut: false });
    }
    let page = mentioned.bounded_tool(FETCH_URL, &args, room.saturating_sub(WORDS))?;
    Ok(Read { text: format!("The user mentions a page:\n\n{}", page.text), ..page })
}

/// Empty where no rule would do.
fn how_to_allow(mentioned: &Mentioned, args: &Value) -> String {
    let rule = mentioned.executor.judge().proposed_rules(FETCH_URL, args).into_iter().find_map(|rule| rule.host);
    rule.map_or_else(String::new, |host| {
        let rule = json!({ "decision": "allow", "tool": FETCH_URL, "host": host });
        format!(
            " This rule in `policy.rules` lets its pages be attached: {rule}. Without it, `fetch_url` asks the user."
        )
    })
}
