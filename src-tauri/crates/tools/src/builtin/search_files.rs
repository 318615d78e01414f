//! `search_files`: lines that match a regular expression.

use crate::left_out::ignored_note;
use crate::outcome::{Output, ToolError};
use crate::tool::{Action, ReadTask, Tool, arguments};
use arki_domain::plural;
use arki_files::{SearchQuery, search};
use arki_redaction::PlaceholderUse;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::fmt::Write;

/// More matches than this are not returned.
const MAX_MATCHES: usize = 500;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    pattern: String,
    glob: Option<String>,
    /// Default true.
    case_sensitive: Option<bool>,
    include_ignored: Option<bool>,
    /// Lines around each match.
    #[schemars(range(max = 20))]
    context: Option<usize>,
}

pub(crate) fn tool() -> Tool {
    Tool::new::<Arguments>("search_files", include_str!("search_files/manual.md"), Action::Read(read))
}

fn read(task: &ReadTask) -> Result<Output, ToolError> {
    let arguments: Arguments = arguments(&task.args)?;
    let uses = task.redactor.placeholders(&Value::from(arguments.pattern.as_str()));
    let query = SearchQuery {
        pattern: with_literals(&arguments.pattern, &uses, |used| used.secret.as_ref().map(|secret| secret.expose())),
        shown_pattern: with_literals(&arguments.pattern, &uses, |used| {
            used.secret.as_ref().map(|_| used.text.as_str())
        }),
        glob: arguments.glob,
        case_sensitive: arguments.case_sensitive.unwrap_or(true),
        include_ignored: arguments.include_ignored.unwrap_or_default(),
        context: arguments.context.unwrap_or(0),
        max_results: MAX_MATCHES,
        max_bytes: task.max_output_bytes,
        secrets: task.left_out.files.clone(),
    };
    let outcome = search(&task.project, &query, &task.redactor, &task.cancel)?;
    let mut text = String::new();
    let mut previous: Option<(&str, u64)> = None;
    for hit in &outcome.hits {
        let follows = previous.is_some_and(|(path, line)| path == hit.path && line + 1 == hit.line);
        if query.context > 0 && previous.is_some() && !follows {
            text.push_str("--\n");
        }
        let mark = if hit.is_match { ':' } else { '-' };
        let _ = writeln!(text, "{}{mark}{}{mark}{}", hit.path, hit.line, hit.text);
        previous = Some((&hit.path, hit.line));
    }
    let (matches, files) =
        (plural(outcome.matches as u64, "matching line"), plural(outcome.files_searched as u64, "file"));
    let _ = writeln!(text, "[{matches} in {files} searched]");
    if outcome.truncated {
        text.push_str("[more matches exist; narrow the pattern or the glob]\n");
    }
    text.push_str(&task.left_out.note(&outcome.secrets));
    text.push_str(&ignored_note(&outcome.ignored));
    Ok(Output { text, truncated: outcome.truncated })
}

/// The pattern with literal texts in the place of placeholders; those that have none stay.
fn with_literals<'a>(
    pattern: &str,
    uses: &'a [PlaceholderUse],
    literal: impl Fn(&'a PlaceholderUse) -> Option<&'a str>,
) -> String {
    let escaped = |text: &str| -> String {
        text.chars().flat_map(|c| c.is_ascii_punctuation().then_some('\\').into_iter().chain([c])).collect()
    };
    uses.iter().fold(pattern.to_owned(), |pattern, used| match literal(used) {
        Some(literal) => pattern.replace(&used.text, &escaped(literal)),
        None => pattern,
    })
}
