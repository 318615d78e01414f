//! The table of build and test commands (`programs.txt`).

use super::super::table::{self, ProgramEntry};
use std::sync::LazyLock;

/// A program with what it may be given.
pub(super) struct Build {
    pub(super) names: Vec<&'static str>,
    /// See `flags`.
    pub(super) short: &'static str,
    pub(super) long: &'static str,
    pub(super) operands: BuildOperands,
    pub(super) behind: Option<TestArguments>,
    /// One of these options has to be there.
    pub(super) needs: Vec<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BuildOperands {
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
pub(super) enum TestArguments {
    Dashes,
    Target,
    Name,
}

pub(super) static BUILDS: LazyLock<Vec<Build>> = LazyLock::new(|| table::read(include_str!("programs.txt"), build));

fn build(entry: ProgramEntry) -> Option<Build> {
    let (operands, rules) = entry.rules.split_first()?;
    let operands = match *operands {
        "any" => BuildOperands::Any,
        "none" => BuildOperands::None,
        "folder" => BuildOperands::Folder,
        "targets" => BuildOperands::Targets,
        _ => return None,
    };
    let ProgramEntry { names, short, long, .. } = entry;
    let mut build = Build { names, short, long, operands, behind: None, needs: Vec::new() };
    for rule in rules {
        match rule.split_once(' ')? {
            ("needs", options) => build.needs = options.split(' ').collect(),
            ("behind", "dashes") => build.behind = Some(TestArguments::Dashes),
            ("behind", "target") => build.behind = Some(TestArguments::Target),
            ("behind", "name") => build.behind = Some(TestArguments::Name),
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
