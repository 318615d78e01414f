//! The port through which tools and mentions find passages of a project.

use arki_domain::Error;
use arki_files::CancellationToken;
use globset::GlobSet;

/// A question, with what must not be among its answers.
pub struct ContextQuery<'a> {
    /// In whatever words.
    pub question: &'a str,
    pub max_files: usize,
    /// Secret and denied files, besides those that are secret by their names.
    pub left_out: &'a GlobSet,
    pub cancel: &'a CancellationToken,
}

/// Lines of a file that fit a question.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextPassage {
    pub path: String,
    /// Counted from 1.
    pub first_line: u64,
    /// Inclusive.
    pub last_line: u64,
    /// Higher is better; comparable within one answer only.
    pub score: f64,
    /// The few lines with most of the question's words, each with its number; secrets are placeholders.
    pub excerpt: Vec<(u64, String)>,
}

/// The answer to a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FoundContext {
    /// The best file first; a file's passages follow one another.
    pub passages: Vec<ContextPassage>,
    /// Sentences about what is not in the answer.
    pub notes: Vec<String>,
}

/// Finds passages of a project.
pub trait ContextProvider: Send + Sync {
    /// Blocking; where there is nothing to ask, there are no passages.
    ///
    /// # Errors
    /// `CANCELLED`, and `INDEX_UNAVAILABLE` where the index can be neither read nor made.
    fn find(&self, _: &ContextQuery<'_>) -> Result<FoundContext, Error> {
        Ok(FoundContext::default())
    }
}

/// A project that nothing is known of.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoContext;

impl ContextProvider for NoContext {}
