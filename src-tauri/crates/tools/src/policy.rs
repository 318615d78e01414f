//! Whether a call may be carried out: a plain function over data, in the order of the contract. First hit wins.

mod command_line;
mod question;
mod read_only;
mod rules;

pub use command_line::{CommandLine, SimpleCommand};
pub use question::{Impact, Question, Subject, TouchedPath, Verdict};
pub use rules::{PolicyRule, PolicySettings, RuleDefinition, RuleError};

use arki_domain::{ApprovalMode, Category, Decision, Risk, UNTRUSTED_RULE};

/// A change of more lines than this, or of more files than [`LARGE_FILES`], is always shown first.
pub const LARGE_LINES: usize = 400;
pub const LARGE_FILES: usize = 10;

/// Judges one call. Executes nothing, reads nothing.
#[must_use]
pub fn decide(question: &Question<'_>, settings: &PolicySettings) -> Verdict {
    let command = question.subject.command.as_deref().map(CommandLine::parse);
    let risk = risk(question, command.as_ref());
    let (decision, rule, reason) = first_hit(question, settings, command.as_ref());
    Verdict { decision, rule, reason, risk }
}

fn first_hit(
    question: &Question<'_>,
    settings: &PolicySettings,
    command: Option<&CommandLine>,
) -> (Decision, String, String) {
    let Some(category) = question.category else {
        if !question.trusted {
            return hit(Decision::Deny, UNTRUSTED_RULE, "The folder is not trusted.");
        }
        return hit(Decision::Deny, "builtin:unknown-tool", "There is no tool of this name.");
    };
    untrusted(question, category)
        .or_else(|| settings.denies(question, category, command))
        .or_else(|| sensitive(question, category, command))
        .or_else(|| settings.explicit(question, command))
        .or_else(|| granted(question, category))
        .or_else(|| large(question, category))
        .or_else(|| known_command(question, command))
        .unwrap_or_else(|| settings.category_default(category))
}

/// Whether a shell line is known to change nothing.
#[must_use]
pub fn is_read_only(command: &str, sandboxed: bool) -> bool {
    let command = CommandLine::parse(command);
    command.commands().is_some_and(|commands| read_only::all_read_only(commands, sandboxed))
}

type Hit = (Decision, String, String);

fn hit(decision: Decision, rule: &str, reason: &str) -> Hit {
    (decision, rule.to_owned(), reason.to_owned())
}

fn untrusted(question: &Question<'_>, category: Category) -> Option<Hit> {
    let denied = !question.trusted && category != Category::Read;
    denied.then(|| hit(Decision::Deny, UNTRUSTED_RULE, "The folder is not trusted: only reading is allowed."))
}

fn sensitive(question: &Question<'_>, category: Category, command: Option<&CommandLine>) -> Option<Hit> {
    if let Some(path) = question.subject.paths.iter().find(|path| path.secret) {
        let reason = format!("{} looks like a file of secrets.", path.path);
        return Some((Decision::Approval, "builtin:secret-file".to_owned(), reason));
    }
    if category == Category::Read || only_reads(question, command) {
        return None;
    }
    let path = question.subject.paths.iter().find(|path| path.protected)?;
    let reason = format!("{} is protected: it steers tools or people.", path.path);
    Some((Decision::Approval, "builtin:protected-path".to_owned(), reason))
}

/// What the user granted beforehand. A command is covered only where a sandbox holds it.
fn granted(question: &Question<'_>, category: Category) -> Option<Hit> {
    match (question.approve, category) {
        (ApprovalMode::Edits | ApprovalMode::All, Category::Write) => {
            Some(hit(Decision::Allow, "approve:edits", "Edits inside the project were granted beforehand."))
        }
        (ApprovalMode::All, Category::Exec) if !question.sandboxed => None,
        (ApprovalMode::All, _) => Some(hit(Decision::Allow, "approve:all", "Everything not denied was granted.")),
        (ApprovalMode::Ask | ApprovalMode::Edits | ApprovalMode::Never, _) => None,
    }
}

fn large(question: &Question<'_>, category: Category) -> Option<Hit> {
    (category == Category::Write && is_large(question.impact))
        .then(|| hit(Decision::Preview, "builtin:large-change", "The change is large."))
}

fn known_command(question: &Question<'_>, command: Option<&CommandLine>) -> Option<Hit> {
    only_reads(question, command).then(|| hit(Decision::Allow, "builtin:read-only", "The command only reads."))
}

fn only_reads(question: &Question<'_>, command: Option<&CommandLine>) -> bool {
    let commands = command.and_then(CommandLine::commands);
    commands.is_some_and(|commands| read_only::all_read_only(commands, question.sandboxed))
}

fn is_large(impact: Impact) -> bool {
    impact.lines > LARGE_LINES || impact.files > LARGE_FILES
}

fn risk(question: &Question<'_>, command: Option<&CommandLine>) -> Risk {
    let secret = question.subject.paths.iter().any(|path| path.secret);
    match (question.category, command) {
        _ if secret => Risk::High,
        (_, Some(command)) => command_risk(command, question.sandboxed),
        (Some(Category::Read), None) => Risk::Low,
        (Some(Category::Write), None) if is_large(question.impact) => Risk::High,
        (Some(Category::Write), None) if question.subject.paths.iter().any(|path| path.protected) => Risk::High,
        (Some(Category::Write), None) => Risk::Low,
        (Some(Category::Exec | Category::Network), None) => Risk::Medium,
        (None, None) => Risk::High,
    }
}

fn command_risk(command: &CommandLine, sandboxed: bool) -> Risk {
    match command.commands() {
        None => Risk::High,
        Some(commands) if commands.iter().any(SimpleCommand::is_destructive) => Risk::High,
        Some(commands) if read_only::all_read_only(commands, sandboxed) => Risk::Low,
        Some(_) => Risk::Medium,
    }
}

#[cfg(test)]
mod tests;
