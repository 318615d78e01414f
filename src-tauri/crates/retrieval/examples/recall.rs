//! `recall FOLDER QUESTIONS`: for each question in a file, one a line, prints the first ten files that the index of a folder
//! finds, and those that `search_files` finds with the question's words. `recall FOLDER`: how long an index takes, in a
//! folder to write into. `cargo xtask bench retrieval` runs it.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use arki_files::{CancellationToken, Project, SearchQuery, search};
use arki_redaction::Redactor;
use arki_retrieval::{ContextProvider, ContextQuery, IndexLimits, ProjectIndex, ProjectIndexes};
use globset::GlobSet;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const FILES: usize = 10;
/// Words shorter than this are not searched for: the baseline asks as a person would who knows ripgrep.
const SHORTEST_WORD: usize = 4;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first() else { return println!("name a folder") };
    let data = tempfile::tempdir().unwrap();
    let limits = IndexLimits { patience: Duration::from_secs(3600), ..IndexLimits::default() };
    let indexes = Arc::new(ProjectIndexes::new(data.path().to_owned(), limits, |_| true));
    let project = Arc::new(Project::open(Path::new(folder)).unwrap());
    let index = ProjectIndex::new(indexes, folder.clone(), project.clone(), Redactor::default());
    match arguments.get(1) {
        Some(questions) => recall(&index, &project, &std::fs::read_to_string(questions).unwrap()),
        None => speed(&index, &project, data.path()),
    }
}

fn asked(index: &ProjectIndex, question: &str) -> Vec<String> {
    let (left_out, cancel) = (GlobSet::empty(), CancellationToken::new());
    let query = ContextQuery { question, max_files: FILES, left_out: &left_out, cancel: &cancel };
    let mut files: Vec<String> = index.find(&query).unwrap().passages.into_iter().map(|passage| passage.path).collect();
    files.dedup();
    files
}

fn recall(index: &ProjectIndex, project: &Project, questions: &str) {
    for question in questions.lines() {
        println!("{}\t{}", asked(index, question).join(" "), searched(project, question).join(" "));
    }
}

/// The files with most lines that have one of the question's words.
fn searched(project: &Project, question: &str) -> Vec<String> {
    let words = question.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() >= SHORTEST_WORD);
    let pattern = words.collect::<Vec<_>>().join("|");
    if pattern.is_empty() {
        return Vec::new();
    }
    let query = SearchQuery {
        shown_pattern: pattern.clone(),
        pattern,
        glob: None,
        case_sensitive: false,
        include_ignored: false,
        context: 0,
        max_results: usize::MAX,
        max_bytes: usize::MAX,
        secrets: GlobSet::empty(),
    };
    let found = search(project, &query, &Redactor::default(), &CancellationToken::new()).unwrap();
    let mut counts: HashMap<String, usize> = HashMap::new();
    found.hits.into_iter().for_each(|hit| *counts.entry(hit.path).or_default() += 1);
    let mut files: Vec<(String, usize)> = counts.into_iter().collect();
    files.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    files.into_iter().take(FILES).map(|(path, _)| path).collect()
}

/// Prints figures in microseconds, and the index's bytes.
fn speed(index: &ProjectIndex, project: &Project, data: &Path) {
    let timed = |question: &str| {
        let begun = Instant::now();
        let found = asked(index, question);
        (begun.elapsed().as_micros(), found.len())
    };
    println!("first {}", timed("where is a connection closed").0);
    // What was written just now is looked at once more.
    std::thread::sleep(Duration::from_secs(3));
    timed("x");
    let unchanged = (0..9).map(|_| timed("where is a connection closed").0).min().unwrap();
    println!("unchanged {unchanged}");
    let changed = project.root().join("changed_just_now.rs");
    std::fs::write(&changed, "fn the_zebra_is_here() {}\n".repeat(100)).unwrap();
    let (took, found) = timed("zebra");
    std::fs::remove_file(&changed).unwrap();
    println!("changed {took}\nfound {found}");
    let bytes = |folder: &Path| -> u64 {
        let files = std::fs::read_dir(folder).unwrap().flatten();
        files.map(|file| file.metadata().unwrap().len()).sum()
    };
    let place = std::fs::read_dir(data).unwrap().flatten().next().unwrap().path();
    let folders = std::fs::read_dir(place).unwrap().flatten().filter(|entry| entry.path().is_dir());
    println!("bytes {}", folders.map(|entry| bytes(&entry.path())).sum::<u64>());
}
