//! The demo model's last words: only what the tools' results say.

use super::conversation::{DemoConversation, Done};

/// Lines of a command's output that are shown again.
const MAX_SHOWN_LINES: usize = 8;

/// Returns what became of everything done for this prompt.
pub(super) fn of(conversation: &DemoConversation) -> String {
    let mut text = String::from("## What I did\n\n");
    for done in &conversation.now {
        text.push_str(&point(done));
    }
    if let Some(command) = conversation.now.iter().rfind(|done| done.tool == "run_command" && !done.failed()) {
        let shown: Vec<&str> = command.result.lines().take(MAX_SHOWN_LINES).collect();
        text.push_str(&format!("\nThe command said:\n\n```text\n{}\n```\n", shown.join("\n").replace("```", "'''")));
    }
    text.push_str("\nEverything above is in the timeline. Ask me what I did, or ask for another edit.\n");
    text
}

/// Answers a question about what happened before.
pub(super) fn of_earlier(conversation: &DemoConversation) -> String {
    let points: String = conversation.before.iter().map(point).collect();
    format!("So far in this session:\n\n{points}\nIf you want another edit, just ask for one.\n")
}

pub(super) fn denied(done: &Done) -> String {
    let reason = done.result.trim_start_matches("Error:").trim().replace('\n', "\n> ");
    let next = if reason.contains("trusted") {
        "Trust the folder if you know where it comes from, then ask me again."
    } else {
        "I won't try to get around it."
    };
    format!(
        "I'm not allowed to use `{}` here, so I'll stop without changing anything else.\n\n> \
        {reason}\n\n{next}\n",
        done.tool
    )
}

/// Returns what became of an edit.
pub(super) fn fate_in_a_sentence(edit: &Done) -> String {
    let hunks = hunk_fates(&edit.result);
    if edit.failed() {
        return "That change could not be made.".to_owned();
    }
    if edit.result.starts_with("Written") {
        return match hunks.iter().filter(|fate| fate.ends_with("rejected")).count() {
            0 => "The change is in place.".to_owned(),
            rejected => format!("The change is in place, except for {rejected} of {} hunks.", hunks.len()),
        };
    }
    if edit.result.to_lowercase().contains("reject") {
        return "You rejected the change, so the file is as it was.".to_owned();
    }
    first_line(&edit.result).to_owned()
}

fn point(done: &Done) -> String {
    match done.tool.as_str() {
        "list_directory" => "- looked at the folder\n".to_owned(),
        "read_file" if done.failed() => format!("- couldn't read `{}`\n", done.path()),
        "read_file" => format!("- read `{}`\n", done.path()),
        "edit_file" => {
            let hunks = hunk_fates(&done.result).into_iter().map(|fate| format!("  - {fate}\n"));
            format!(
                "- proposed a change to `{}`: {}\n{}",
                done.path(),
                fate_in_a_sentence(done),
                hunks.collect::<String>()
            )
        }
        "run_command" => {
            let command = done.args["command"].as_str().unwrap_or_default();
            format!("- asked for `{command}`: {}\n", first_line(&done.result))
        }
        other => format!("- used `{other}`\n"),
    }
}

/// `hunk 1: applied` for each hunk that the result names.
fn hunk_fates(result: &str) -> Vec<String> {
    let fate = |line: &str| {
        let line = line.strip_prefix("- hunk ")?;
        let number = line.split([' ', ':']).next()?;
        let fate = ["applied", "edited", "rejected"].into_iter().find(|fate| line.contains(&format!(": {fate}")))?;
        Some(format!("hunk {number}: {fate}"))
    };
    result.lines().filter_map(fate).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn edit(result: &str) -> Done {
        Done { tool: "edit_file".into(), args: json!({"path": "a.md"}), result: result.into() }
    }

    #[test]
    fn each_hunks_fate_is_told_as_the_result_says() {
        let done = edit(
            "Written: a.md (1 of 2 hunks). The user reviewed the change:\n- hunk 1 (a.md, lines 1 to 4 before): \
            applied\n\
             - hunk 2 (a.md, lines 9 to 11 before): rejected",
        );
        assert_eq!(
            point(&done),
            "- proposed a change to `a.md`: The change is in place, except for 1 of 2 hunks.\n  - hunk 1: applied\n  - \
            hunk 2: rejected\n"
        );
    }

    #[test]
    fn a_rejection_and_a_failure_are_not_called_done() {
        assert!(fate_in_a_sentence(&edit("The user rejected this. Nothing was done.")).contains("rejected"));
        assert!(fate_in_a_sentence(&edit("Error: it occurs twice")).contains("could not"));
    }
}
