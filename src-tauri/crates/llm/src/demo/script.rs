//! The demo model's part: what it says and which tool it asks for next, decided from the conversation alone.

use super::conversation::{DemoConversation, Done};
use super::edit_proposal::{self, NumberedFile};
use super::summary;
use serde_json::{Value, json};

/// A text, and then the calls.
#[derive(Debug, PartialEq)]
pub(super) struct Turn {
    pub(super) text: String,
    pub(super) call: Option<(&'static str, Value)>,
}

/// Files that turn out not to be readable text are passed over, but not for ever.
const MAX_READ_ATTEMPTS: usize = 3;
/// The size of a file with room for two separate changes; below it there is hardly any.
const ROOMY_FILE_BYTES: u64 = 400;
const PROSE: &[&str] = &["md", "markdown", "txt", "rst"];
const SOURCE: &[&str] = &["rs", "py", "js", "ts", "go", "c", "h", "java", "sh", "rb", "toml", "yaml", "yml"];
const ORDERS_TO_EDIT: &[&str] = &["edit", "change", "improve", "add", "write", "fix", "update", "rewrite"];

/// Repeats the last user message.
pub(super) fn echo(conversation: &DemoConversation) -> Turn {
    say(conversation.prompt.clone())
}

/// The job: look around, read, propose a change, run a command, say what became of it.
pub(super) fn next(conversation: &DemoConversation) -> Turn {
    if let Some(denied) = conversation.now.iter().find(|done| done.denied()) {
        return say(summary::denied(denied));
    }
    match conversation.now.last() {
        None => begin(conversation),
        Some(done) => match done.tool.as_str() {
            "list_directory" => read(conversation),
            "read_file" => edit(conversation, done),
            "edit_file" => check(conversation, done),
            _ => say(summary::of(conversation)),
        },
    }
}

fn begin(conversation: &DemoConversation) -> Turn {
    let is_follow_up = !conversation.before.is_empty();
    if is_follow_up && !asks_for_edit(&conversation.prompt) {
        return say(summary::of_earlier(conversation));
    }
    if !conversation.offers("list_directory") {
        return say("I'm the demo model, and I need tools, but there are none here.".to_owned());
    }
    let text = if is_follow_up {
        "I'll look at the folder again and propose **one more change**.\n".to_owned()
    } else {
        "I'm Arki's **demo model**: I play a short script, offline. This is my plan:\n\n\
         1. look at the folder\n2. read one text file\n3. propose a small change, which *you* decide on\n\
         4. run a harmless command\n\nFirst, what is here?\n"
            .to_owned()
    };
    Turn { text, call: Some(("list_directory", json!({"path": "."}))) }
}

fn read(conversation: &DemoConversation) -> Turn {
    let Some(path) = next_candidate(conversation) else {
        return say("I found no text file to change here, so I'll stop. Put a `README.md` into the folder and ask me \
            again.\n"
            .to_owned());
    };
    Turn { text: format!("I'll read `{path}`.\n"), call: Some(("read_file", json!({"path": path}))) }
}

fn edit(conversation: &DemoConversation, read_file: &Done) -> Turn {
    let file = NumberedFile::parse(&read_file.result);
    if read_file.failed() || file.is_empty() {
        let attempts = conversation.now.iter().filter(|done| done.tool == "read_file").count();
        return if attempts < MAX_READ_ATTEMPTS { read(conversation) } else { say(summary::of(conversation)) };
    }
    let path = read_file.path();
    let edits = edit_proposal::propose(path, &file, !conversation.before.is_empty());
    if edits.is_empty() || !conversation.offers("edit_file") {
        return say(format!("I've read `{path}`, but there is nothing in it I could change.\n"));
    }
    let what = match edits.as_slice() {
        [_] => "a small change near its end".to_owned(),
        edits => format!("{} small changes, far apart, so that you can keep one and reject the other", edits.len()),
    };
    let lines = match file.len() {
        1 => "one line".to_owned(),
        count => format!("{count} lines"),
    };
    let text = format!("`{path}` has {lines}. I propose {what}.\n");
    let edits: Vec<Value> =
        edits.iter().map(|edit| json!({"old_text": edit.old_text, "new_text": edit.new_text})).collect();
    Turn { text, call: Some(("edit_file", json!({"path": path, "edits": edits}))) }
}

fn check(conversation: &DemoConversation, edit_file: &Done) -> Turn {
    if !conversation.offers("run_command") || !conversation.before.is_empty() {
        return say(summary::of(conversation));
    }
    let command = harmless_command(edit_file.path());
    let text = format!("{} Let me look at the folder now.\n", summary::fate_in_a_sentence(edit_file));
    Turn { text, call: Some(("run_command", json!({"command": command}))) }
}

fn say(text: String) -> Turn {
    Turn { text, call: None }
}

fn asks_for_edit(prompt: &str) -> bool {
    let prompt = prompt.to_lowercase();
    prompt.split(|c: char| !c.is_alphanumeric()).any(|word| ORDERS_TO_EDIT.contains(&word))
}

/// The best file of the last listing that was not tried yet.
fn next_candidate(conversation: &DemoConversation) -> Option<String> {
    let listing = conversation.now.iter().rfind(|done| done.tool == "list_directory" && !done.failed())?;
    let mut tried: Vec<&str> = Vec::new();
    tried.extend(conversation.now.iter().filter(|done| done.tool == "read_file").map(Done::path));
    tried.extend(conversation.before.iter().filter(|done| done.tool == "edit_file").map(Done::path));
    let mut candidates: Vec<(u8, &str)> = listing
        .result
        .lines()
        .filter_map(|line| {
            let (path, size) = line.split_once('\t')?;
            let bytes = size.split(' ').next().and_then(|bytes| bytes.parse().ok()).unwrap_or(0);
            Some((rank(path, bytes)?, path))
        })
        .collect();
    candidates.sort_unstable();
    let untried = candidates.iter().find(|(_, path)| !tried.contains(path));
    // A follow-up in a folder with one file changes that one again.
    let again = candidates.first().filter(|_| !conversation.now.iter().any(|done| done.tool == "read_file"));
    untried.or(again).map(|(_, path)| (*path).to_owned())
}

/// Lower is better; `None` is not for us.
fn rank(path: &str, bytes: u64) -> Option<u8> {
    let (stem, extension) = path.rsplit_once('.')?;
    if bytes == 0 || stem.is_empty() || stem.ends_with('/') {
        return None;
    }
    let extension = extension.to_lowercase();
    if PROSE.contains(&extension.as_str()) {
        let is_readme = path.to_lowercase().starts_with("readme");
        return Some(match (is_readme, bytes >= ROOMY_FILE_BYTES) {
            (true, true) => 0,
            (false, true) => 1,
            (true, false) => 2,
            (false, false) => 3,
        });
    }
    SOURCE.contains(&extension.as_str()).then_some(4)
}

fn harmless_command(path: &str) -> String {
    if cfg!(windows) {
        return "dir".to_owned();
    }
    format!("ls -la && wc -l '{}'", path.replace('\'', r"'\''"))
}
