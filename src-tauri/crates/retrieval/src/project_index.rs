//! One project's index, as it answers questions.

use crate::context_provider::{ContextPassage, ContextProvider, ContextQuery, FoundContext};
use crate::database;
use crate::error::{Result, RetrievalError};
use crate::excerpt::excerpt;
use crate::places::ProjectIndexes;
use crate::question::{RankedChunk, RankedFile, ranked_files, terms};
use crate::state::IndexState;
use crate::update::{Update, Waited};
use arki_domain::{Error, plural};
use arki_files::{CancellationToken, Project, is_secret, read_indexable};
use arki_redaction::Redactor;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

const NOT_TRUSTED: &str = "Only trusted folders have an index; search_files works in any.";
const BEING_MADE: &str = "The index is being made. Ask again in a moment, or use search_files.";
const NO_WORDS: &str = "The question has no words to look for.";

/// The index of a trusted folder, or of a worktree of it.
pub struct ProjectIndex {
    indexes: Arc<ProjectIndexes>,
    /// The canonical path of the folder that is trusted.
    trusted: String,
    /// The folder of the files: the project itself or a worktree of it.
    project: Arc<Project>,
    redactor: Redactor,
}

impl ProjectIndex {
    #[must_use]
    pub fn new(indexes: Arc<ProjectIndexes>, trusted: String, project: Arc<Project>, redactor: Redactor) -> Self {
        Self { indexes, trusted, project, redactor }
    }

    fn place(&self) -> PathBuf {
        self.indexes.place(&self.trusted, self.project.root())
    }

    fn update(&self, query: &ContextQuery<'_>) -> Update {
        Update {
            folder: self.place(),
            project: self.project.clone(),
            left_out: query.left_out.clone(),
            redactor: self.redactor.clone(),
            limits: self.indexes.limits,
            stop: CancellationToken::new(),
        }
    }

    /// Brings the index up to date, as far as there is time, and asks it.
    fn updated_answer(&self, query: &ContextQuery<'_>, terms: &[String]) -> Result<FoundContext, Error> {
        let until = Instant::now() + self.indexes.limits.patience;
        let waited = self.indexes.wait_for_update(|| self.update(query), until, query.cancel);
        if waited == Waited::Cancelled {
            return Err(RetrievalError::Cancelled.into());
        }
        let answer = match self.answer(query, terms) {
            Err(error) if error.is_damage() => {
                // Found only now: what makes the index anew is an update.
                database::remove(&self.place());
                self.indexes.wait_for_update(|| self.update(query), until, query.cancel);
                self.answer(query, terms)
            }
            answer => answer,
        };
        match (answer?, waited) {
            (Some(mut found), Waited::Failed(error)) => {
                found.notes.push(format!("The index couldn't be brought up to date: {}", error.message));
                Ok(found)
            }
            (Some(found), _) => Ok(found),
            (None, Waited::Failed(error)) => Err(error),
            (None, _) => Ok(only(BEING_MADE)),
        }
    }

    /// `None` where there is no index yet.
    fn answer(&self, query: &ContextQuery<'_>, terms: &[String]) -> Result<Option<FoundContext>> {
        let Some(connection) = database::open_to_read(&self.place())? else { return Ok(None) };
        let ranked = ranked_files(&connection, terms)?;
        let mut found = FoundContext::default();
        let (mut files, mut changed) = (0, 0);
        for file in ranked {
            if files == query.max_files {
                break;
            }
            match self.passages(&file, query, terms) {
                Some(passages) if passages.is_empty() => changed += 1,
                Some(passages) => {
                    files += 1;
                    found.passages.extend(passages);
                }
                None => {}
            }
        }
        found.notes = IndexState::read(&connection)?.notes(&connection)?;
        if changed > 0 {
            found.notes.push(format!("{} changed meanwhile.", plural(changed, "file")));
        }
        Ok(Some(found))
    }

    /// The passages as the file is now; none of one that changed since it was indexed, `None` for one that is left out.
    fn passages(&self, file: &RankedFile, query: &ContextQuery<'_>, terms: &[String]) -> Option<Vec<ContextPassage>> {
        let path = self.project.resolve(&file.path).ok()?;
        // Whoever brought it up to date may be allowed more.
        if is_secret(&path, query.left_out) {
            return None;
        }
        let read = read_indexable(&self.project, &path, &file.stamp, self.indexes.limits.max_file_bytes);
        let Ok(Some(bytes)) = read else { return Some(Vec::new()) };
        let text = String::from_utf8_lossy(&bytes);
        let redacted = self.redactor.redact_in_lines(&text);
        let text = redacted.as_deref().unwrap_or(&text);
        let passage = |chunk: &RankedChunk| ContextPassage {
            path: path.to_string(),
            first_line: chunk.first,
            last_line: chunk.last,
            score: chunk.score,
            excerpt: excerpt(text, chunk.first, chunk.last, terms),
        };
        Some(file.chunks.iter().map(passage).collect())
    }
}

impl ContextProvider for ProjectIndex {
    fn find(&self, query: &ContextQuery<'_>) -> Result<FoundContext, Error> {
        // Asked each time: a run may outlive the trust that it began with.
        if !self.indexes.trusts(&self.trusted) {
            return Ok(only(NOT_TRUSTED));
        }
        match terms(query.question) {
            terms if terms.is_empty() => Ok(only(NO_WORDS)),
            terms => self.updated_answer(query, &terms),
        }
    }
}

/// An answer that has nothing but a sentence.
fn only(note: &str) -> FoundContext {
    FoundContext { notes: vec![note.to_owned()], ..FoundContext::default() }
}
