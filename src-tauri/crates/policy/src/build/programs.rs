//! The table of build and test commands (`programs.txt`).

use super::super::table::{self, Entry};
use std::sync::LazyLock;

/// A program with what it may be given.
pub(super) struct Build {
    pub(super) names: Vec<&'static str>,
    /// See `flags`.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) operands: Operands,
    pub(super) behind: Option<Behind>,
    /// One of these options has to be there.
    pub(super) needs: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// Tests, packages or files, named without an option.
    Any,
    None,
    /// One argument at most, the folder that is built: the words after `--` go to the tool that builds.
    Folder,
    /// Each is a name that says building or testing.
    Targets,
}

/// The place of the arguments for the project's own tests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Behind {
    Dashes,
    Target,
    Name,
}

pub(super) static BUILDS: LazyLock<Vec<Build>> = LazyLock::new(|| table::read(include_str!("programs.txt"), build));

fn build(entry: Entry) -> Option<Build> {
    let (operands, rules) = entry.rules.split_first()?;
    let operands = match *operands {
        "any" => Operands::Any,
        "none" => Operands::None,
        "folder" => Operands::Folder,
        "targets" => Operands::Targets,
        _ => return None,
    };
    let Entry { names, short, long, .. } = entry;
    let mut build = Build { names, short, long, operands, behind: None, needs: Vec::new() };
    for rule in rules {
        match rule.split_once(' ')? {
            ("needs", options) => build.needs = options.split(' ').collect(),
            ("behind", "dashes") => build.behind = Some(Behind::Dashes),
            ("behind", "target") => build.behind = Some(Behind::Target),
            ("behind", "name") => build.behind = Some(Behind::Name),
            _ => return None,
        }
    }
    Some(build)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_table_is_read_and_names_each_program_once() {
        let mut names: Vec<&str> = BUILDS.iter().flat_map(|build| build.names.iter().copied()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert!(count > 200 && names.len() == count, "{count} {}", names.len());
        assert!(BUILDS.iter().all(|build| !build.short.contains(['\n', ' ']) && !build.long.contains(" -")));
    }
}
