//! Edits and patches that can't be applied, and files that are no text.

use crate::fit::Tier;
use arki_domain::Code;

/// A line at which an ambiguous text was found, or which comes closest to a missing one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Counted from 1.
    pub line: usize,
    pub text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("Edit {edit} for {path} has an empty old_text.")]
    EmptyOldText { path: String, edit: usize },
    #[error("Edit {edit} for {path} has the same old_text and new_text.")]
    Identical { path: String, edit: usize },
    #[error("There are no edits for {path}.")]
    NoEdits { path: String },
    #[error("The old_text of edit {edit} is not in {path}.{}", closest_words(.closest.as_ref()))]
    NotFound { path: String, edit: usize, closest: Option<Candidate> },
    /// `candidates` holds the first few of `count`.
    #[error(
        "The old_text of edit {edit} occurs {count} times in {path}{}: {}",
        forgiven(*.tier),
        candidate_words(.candidates, *.count)
    )]
    Ambiguous { path: String, edit: usize, tier: Tier, count: usize, candidates: Vec<Candidate> },
    /// The place is known; what the new text should be there is not.
    #[error(
        "The old_text of edit {edit} is at line {line} of {path}, but for {}, so it isn't clear how to adapt its \
         new_text.", .tier.difference()
    )]
    Unclear { path: String, edit: usize, tier: Tier, line: usize },
    #[error("Edit {edit} would make {path} larger than {limit} bytes.")]
    TooMuch { path: String, edit: usize, limit: u64 },
    #[error("The new text for {path} has a placeholder instead of code: {line}")]
    Placeholder { path: String, line: String },
    #[error("The new text for {path} contains NUL bytes.")]
    ContentNotText { path: String },
}

impl EditError {
    pub fn code(&self) -> Code {
        match self {
            Self::EmptyOldText { .. } | Self::Identical { .. } | Self::NoEdits { .. } => Code::EDIT_INVALID,
            Self::NotFound { .. } | Self::Unclear { .. } => Code::EDIT_NOT_FOUND,
            Self::Ambiguous { .. } => Code::EDIT_AMBIGUOUS,
            Self::TooMuch { .. } => Code::FILE_TOO_LARGE,
            Self::Placeholder { .. } => Code::EDIT_PLACEHOLDER,
            Self::ContentNotText { .. } => Code::FILE_NOT_TEXT,
        }
    }

    pub fn hint(&self) -> String {
        match self {
            Self::EmptyOldText { .. } => "Give the text to replace, or write the whole file.",
            Self::Identical { .. } => "Leave the edit out, or say what should change.",
            Self::NoEdits { .. } => "Give at least one edit.",
            Self::NotFound { .. } => {
                "Read the file again and copy the text exactly, with its indentation. No edit was applied."
            }
            Self::Ambiguous { .. } => {
                "Add lines before or after so that it fits one place, or set replace_all. No edit was applied."
            }
            Self::Unclear { .. } => {
                "Read those lines again and copy them exactly, with their indentation and characters. No edit was applied."
            }
            Self::TooMuch { .. } => "Change fewer places, or put less into each. No edit was applied.",
            Self::Placeholder { .. } => {
                "Write out every line that should be in the file, or edit only the lines that change. Nothing was applied."
            }
            Self::ContentNotText { .. } => "Write text only.",
        }
        .to_owned()
    }
}

/// `hunk` counts from 1 within its file, `line` from 1 in the patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    #[error("This is not a patch: it has neither `*** Begin Patch` nor the lines `---` and `+++` of a unified diff.")]
    NotAPatch,
    /// `problem` completes "Line 3 of the patch …".
    #[error("Line {line} of the patch {problem}.")]
    Syntax { line: usize, problem: String },
    #[error("The patch is longer than {limit} bytes.")]
    TooLong { limit: usize },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) does not fit the file.{}", closest_words(.closest.as_ref()))]
    HunkNotFound { path: String, hunk: usize, line: usize, closest: Option<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) fits {count} places{}: {}",
        forgiven(*.tier),
        candidate_words(.candidates, *.count)
    )]
    HunkAmbiguous { path: String, hunk: usize, line: usize, tier: Tier, count: usize, candidates: Vec<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) belongs at line {at}, but for {}, so it isn't clear how to \
         adapt its new lines.", .tier.difference()
    )]
    HunkUnclear { path: String, hunk: usize, line: usize, tier: Tier, at: usize },
    /// `there` is the line with the number that the hunk has, or the last one.
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) only adds lines and shows no line of the file, so its place \
         can't be told.{}", number_words(*.is_numbered, .there.as_ref())
    )]
    NoContext { path: String, hunk: usize, line: usize, is_numbered: bool, there: Option<Candidate> },
    #[error(
        "Hunk {hunk} of {path} (line {line} of the patch) only adds lines, and its header names a line that isn't in \
         the file: {section}.{}", closest_words(.closest.as_ref())
    )]
    NoSection { path: String, hunk: usize, line: usize, section: String, closest: Option<Candidate> },
    #[error("Hunk {hunk} of {path} (line {line} of the patch) changes the same lines as hunk {other}.")]
    Overlap { path: String, hunk: usize, other: usize, line: usize },
    #[error("Line {line} of the patch creates {path}, which already exists.")]
    Exists { path: String, line: usize },
    #[error("Line {line} of the patch changes {path} a second time.")]
    Twice { path: String, line: usize },
    #[error("Line {line} of the patch deletes {path}, but the file has more lines than the patch shows.")]
    DeletesOther { path: String, line: usize },
}

impl PatchError {
    pub(crate) fn syntax(line: usize, problem: impl Into<String>) -> Self {
        Self::Syntax { line, problem: problem.into() }
    }

    pub fn code(&self) -> Code {
        match self {
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } | Self::NoSection { .. } => Code::EDIT_NOT_FOUND,
            Self::HunkAmbiguous { .. } => Code::EDIT_AMBIGUOUS,
            Self::NotAPatch
            | Self::Syntax { .. }
            | Self::TooLong { .. }
            | Self::NoContext { .. }
            | Self::Overlap { .. }
            | Self::Exists { .. }
            | Self::Twice { .. }
            | Self::DeletesOther { .. } => Code::PATCH_INVALID,
        }
    }

    pub fn hint(&self) -> String {
        let advice = match self {
            Self::NotAPatch | Self::Syntax { .. } => "Fix the patch and send all of it again.",
            Self::TooLong { .. } => "Send several smaller patches.",
            Self::HunkNotFound { .. } | Self::HunkUnclear { .. } => {
                "Read the file again and copy the lines around the change exactly."
            }
            Self::HunkAmbiguous { .. } => {
                "Add lines before and after the change, so that they fit one place only. Line numbers don't decide."
            }
            Self::NoContext { .. } | Self::NoSection { .. } => {
                "Show the lines before and after the place, each with a space in front. To add at the end, show the \
                 last line, or end the hunk with *** End of File."
            }
            Self::Overlap { .. } => "Make one hunk of the two.",
            Self::Exists { .. } => "Update it instead, or choose another name.",
            Self::Twice { .. } => "Put all changes to one file into one section.",
            Self::DeletesOther { .. } => "Read the file again. To delete it, leave its lines out of the patch.",
        };
        format!("{advice} Nothing was applied.")
    }
}

/// Returns what a number points at, or what the end would be.
fn number_words(is_numbered: bool, there: Option<&Candidate>) -> String {
    let Some(Candidate { line, text }) = there else { return String::new() };
    match is_numbered {
        true => format!(" A line number alone isn't enough to find the place. Line {line} is: {text}"),
        false => format!(" The last line is {line}: {text}"),
    }
}

/// `reason` completes "it …", for example "contains NUL bytes".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is not UTF-8 text: it {reason}.")]
pub struct NotText {
    pub path: String,
    pub reason: &'static str,
}

impl NotText {
    pub fn code(&self) -> Code {
        Code::FILE_NOT_TEXT
    }

    pub fn hint(&self) -> String {
        "Use a command that understands this format.".to_owned()
    }
}

/// Empty where nothing was.
fn forgiven(tier: Tier) -> String {
    if tier == Tier::Exact { String::new() } else { format!(", but for {}", tier.difference()) }
}

fn closest_words(closest: Option<&Candidate>) -> String {
    closest.map_or_else(String::new, |line| format!(" The closest line is {}: {}", line.line, line.text))
}

fn candidate_words(candidates: &[Candidate], count: usize) -> String {
    let mut words: Vec<String> =
        candidates.iter().map(|candidate| format!("line {}: {}", candidate.line, candidate.text)).collect();
    if count > candidates.len() {
        words.push(format!("and {} more", count - candidates.len()));
    }
    words.join("; ")
}
