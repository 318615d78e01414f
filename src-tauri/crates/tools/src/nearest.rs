//! Finding the name that was probably meant.

use crate::hooks::foreign::{self, plain_name};
use arki_domain::ToolDefinition;

/// A name is taken for a misspelt one if at most a third of it differs.
const MISSPELT_SHARE: usize = 3;
/// More names than this are not listed.
const MAX_NAMED: usize = 40;

/// A hint that names what was probably meant, or what there is where no name is near.
pub(crate) fn nearest<'a>(known: impl Iterator<Item = &'a str>, name: &str) -> String {
    let (known, wanted): (Vec<&str>, String) = (known.collect(), plain_name(name));
    let distance = |known: &str| strsim::levenshtein(&plain_name(known), &wanted);
    let nearest = known.iter().min_by_key(|known| distance(known));
    match nearest.filter(|nearest| distance(nearest) <= wanted.chars().count() / MISSPELT_SHARE) {
        Some(nearest) => format!("Did you mean {nearest}?"),
        None if known.len() > MAX_NAMED => String::new(),
        None => format!("There are: {}.", known.join(", ")),
    }
}

/// The same for a tool, which a model may call by the name that others have for it.
pub(crate) fn nearest_tool(known: &[ToolDefinition], name: &str) -> String {
    let known: Vec<&str> = known.iter().map(|tool| &*tool.name).collect();
    let of_server = |known: &&&str| known.rsplit_once("__").is_some_and(|(_, tool)| tool == name);
    match foreign::meant(&known, name).or_else(|| known.iter().find(of_server).copied()) {
        Some(meant) => format!("Did you mean {meant}?"),
        None => nearest(known.into_iter(), name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_name_that_is_near_is_taken_for_a_misspelt_one() {
        let near = |name: &str| nearest(["read_file", "calculate"].into_iter(), name);
        assert_eq!((near("ReadFile"), near("calculater")), (near("read-file"), "Did you mean calculate?".to_owned()));
        assert_eq!(near("frobnicate"), "There are: read_file, calculate.");
    }
}
