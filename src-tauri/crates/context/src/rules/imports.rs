//! `@path` in rules: the file's text is added below the rule's.

use super::FileWarning;
use crate::mentions::outside_code;
use std::collections::BTreeSet;

/// The depth to which imports may go, as other agents have it.
const MAX_IMPORT_DEPTH: usize = 5;
/// Files that one rule may import.
const MAX_IMPORTS: usize = 50;

/// The result of reading an imported file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportedText {
    Text(String),
    Missing,
    /// It can't be used, in words that go on after "which": "is no text".
    Unusable(String),
}

/// Reads the file of an import.
pub(super) type ReadImport<'a> = dyn FnMut(&str) -> ImportedText + 'a;
/// Says of a path and its text whether it doesn't go out yet.
pub(super) type IsNewText<'a> = dyn FnMut(&str, &str) -> bool + 'a;

/// `is_new` says of a path and its text whether it doesn't go out yet. What only imports what does is empty.
pub(super) fn with_imports(
    path: &str,
    text: &str,
    (read, is_new): (&mut ReadImport<'_>, &mut IsNewText<'_>),
    warnings: &mut Vec<FileWarning>,
) -> String {
    let mut imports = Imports { rule: path, read, is_new, warnings, done: BTreeSet::new(), added: String::new() };
    imports.of(path, text, &mut vec![path.to_owned()]);
    let added = imports.added;
    let says_nothing = added.is_empty() && text.split_whitespace().all(|word| word.starts_with('@'));
    if says_nothing { String::new() } else { format!("{text}{added}") }
}

struct Imports<'a> {
    rule: &'a str,
    read: &'a mut ReadImport<'a>,
    is_new: &'a mut IsNewText<'a>,
    warnings: &'a mut Vec<FileWarning>,
    done: BTreeSet<String>,
    added: String,
}

impl Imports<'_> {
    fn of(&mut self, path: &str, text: &str, open: &mut Vec<String>) {
        for import in imports_in(text) {
            let Some(target) = resolved(path, import) else {
                self.warn(&format!("it imports {import}, which is outside the project"));
                continue;
            };
            if open.contains(&target) {
                self.warn(&format!("{path} imports {target}, which imports it in turn"));
            } else if open.len() > MAX_IMPORT_DEPTH {
                self.warn(&format!("{path} imports {target} at a depth of more than {MAX_IMPORT_DEPTH}"));
            } else if self.done.len() >= MAX_IMPORTS {
                self.warn(&format!("it imports more than {MAX_IMPORTS} files"));
                return;
            } else if self.done.insert(target.clone()) {
                self.add(&target, import, open);
            }
        }
    }

    fn add(&mut self, target: &str, import: &str, open: &mut Vec<String>) {
        match (self.read)(target) {
            ImportedText::Text(text) if !(self.is_new)(target, &text) => {}
            ImportedText::Text(text) => {
                self.added.push_str(&format!("\n\nFrom {target}:\n\n{}", text.trim()));
                open.push(target.to_owned());
                self.of(target, &text, open);
                open.pop();
            }
            // `@Override` and the like are no imports.
            ImportedText::Missing if looks_like_path(import) => {
                self.warn(&format!("it imports {target}, which doesn't exist"));
            }
            ImportedText::Missing => {}
            ImportedText::Unusable(why) => self.warn(&format!("it imports {target}, which {why}")),
        }
    }

    fn warn(&mut self, message: &str) {
        self.warnings.push(FileWarning { path: self.rule.to_owned(), message: message.to_owned() });
    }
}

/// The files of the project that a rule's text imports, whether they are there or not, by paths relative to the project.
#[must_use]
pub fn imports_of(path: &str, text: &str) -> Vec<String> {
    imports_in(text).into_iter().take(MAX_IMPORTS).filter_map(|import| resolved(path, import)).collect()
}

fn imports_in(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for plain in outside_code(text) {
        let words = plain.split_whitespace();
        let imports = words.filter_map(|word| word.strip_prefix('@'));
        let clean = |word: &'_ str| word.trim_end_matches(['.', ',', ';', ':', ')', '!', '?', '"', '\'']).len();
        found.extend(imports.map(|import| &import[..clean(import)]).filter(|import| !import.is_empty()));
    }
    found
}

fn looks_like_path(import: &str) -> bool {
    import.contains('/') || import.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && end.len() <= 4)
}

/// Relative to the project; `None` where it leads out of it.
fn resolved(from: &str, import: &str) -> Option<String> {
    if import.starts_with(['/', '~', '\\']) || import.contains(":\\") {
        return None;
    }
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in import.split('/') {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
