//! Guides: texts that tell the model how something is done well. A *skill* is a folder with a `SKILL.md` and what
//! belongs to it (<https://agentskills.io/specification>); a *procedure* is one text with the steps of recurring work
//! (seed 000). The prompt names them; the model reads those that it needs.

use crate::nearest::nearest;
use arki_domain::{Code, Error, one_plain_line};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The name of the file that makes a folder a skill.
pub const SKILL_FILE: &str = "SKILL.md";
/// The longest name of a skill or procedure.
pub const MAX_GUIDE_NAME_CHARS: usize = 64;
/// The number of characters kept of a description.
pub const MAX_GUIDE_DESCRIPTION_CHARS: usize = 1024;

#[derive(Clone)]
pub struct Guide {
    pub name: String,
    /// One line.
    pub description: String,
    pub text: Arc<str>,
    /// The source, for people: a path, or `built in`.
    pub origin: String,
    /// The files beside it, to which its text may send the model. Procedures have none.
    pub files: Option<GuideFiles>,
}

/// The other files of a skill.
#[derive(Clone)]
pub struct GuideFiles {
    /// The skill's own folder, opened when something in it is read.
    pub folder: PathBuf,
    /// The SHA-256 (hex) of each approved file, by path below the folder; `None` for the user's own skills.
    pub hashes: BTreeMap<String, Option<String>>,
}

/// The skills or the procedures known to a run, each name once.
#[derive(Clone, Default)]
pub struct Guides {
    pub skills: Vec<Guide>,
    pub procedures: Vec<Guide>,
}

impl Guide {
    /// Reads a procedure from a text whose first line is `name: description`.
    ///
    /// # Errors
    /// `GUIDE_INVALID` when its first line is another.
    pub fn procedure(source: &str, origin: &str) -> Result<Self, Error> {
        let (first, text) = source.split_once('\n').unwrap_or((source, ""));
        let first = first.trim_start_matches('\u{feff}');
        let (name, description) =
            first.split_once(':').ok_or_else(|| invalid(origin, "its first line is not `name: description`"))?;
        let name = name.trim();
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.chars().count() > MAX_GUIDE_NAME_CHARS || !name.chars().all(is_plain) {
            return Err(invalid(
                origin,
                &format!(
                    "{name:?} is not a valid name, which has up to {MAX_GUIDE_NAME_CHARS} letters, digits, `-`, \
                    `_` and `.`"
                ),
            ));
        }
        let description = one_plain_line(description, MAX_GUIDE_DESCRIPTION_CHARS);
        if description.is_empty() {
            return Err(invalid(origin, "it has no description"));
        }
        Ok(Self {
            name: name.to_owned(),
            description,
            text: text.trim().into(),
            origin: origin.to_owned(),
            files: None,
        })
    }
}

/// The guide of that name.
///
/// # Errors
/// `GUIDE_UNKNOWN`, with the nearest name. `what` is the word for its kind.
pub fn find_guide<'a>(guides: &'a [Guide], what: &str, name: &str) -> Result<&'a Guide, Error> {
    guides.iter().find(|guide| guide.name == name).ok_or_else(|| {
        let hint = if guides.is_empty() {
            format!("There are no {what}s here.")
        } else {
            nearest(guides.iter().map(|guide| guide.name.as_str()), name)
        };
        Error::new(Code::GUIDE_UNKNOWN, format!("There is no {what} {name:?}."), hint)
    })
}

fn invalid(origin: &str, why: &str) -> Error {
    let hint = "A procedure begins with a line `name: description`.";
    Error::new(Code::GUIDE_INVALID, format!("Can't use {origin}: {why}."), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_procedure_has_both_on_its_first_line() {
        let read = Guide::procedure("release: how it is: done\n\n1. Test\n", "release.md").unwrap();
        assert_eq!((&*read.name, &*read.description, &*read.text), ("release", "how it is: done", "1. Test"));
        for source in ["", "# Release\n", "release:\n1. Test\n"] {
            assert!(Guide::procedure(source, "x").is_err_and(|fault| fault.is(Code::GUIDE_INVALID)), "{source:?}");
        }
    }

    #[test]
    fn a_name_that_is_not_there_leads_to_the_nearest() {
        let guides = [Guide::procedure("release: x\n", "x").unwrap()];
        let fault = find_guide(&guides, "procedure", "relase").err().unwrap();
        assert!(fault.is(Code::GUIDE_UNKNOWN) && fault.hint.contains("release"), "{fault:?}");
        assert!(find_guide(&[], "skill", "x").err().unwrap().hint.contains("no skills here"));
    }
}
