//! Records which functions a run of `arki` calls: a start and some turns of each tool with a scripted model, under
//! valgrind, which counts every call.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    bench::Recorded,
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

/// The names of the functions that ran, as the linker knows them, each once
/// and in the order of their names.
pub(super) fn functions(repository: &Repository, arki: &Path) -> Result<Vec<String>, Failure> {
    let recorded = Recorded::prepare(arki.to_path_buf())?;
    let profiles = repository.scratch().join("dist-profiles");
    files::remove_folder(&profiles)?;
    files::create_folder(&profiles)?;
    process::capture(&mut under_valgrind(&recorded.command(), &profiles))?;
    let mut called = BTreeSet::new();
    for entry in fs::read_dir(&profiles).context(|| format!("list {}", profiles.display()))? {
        let path: PathBuf = entry.context(|| format!("list {}", profiles.display()))?.path();
        called.extend(called_functions(&String::from_utf8_lossy(&files::read(&path)?)));
    }
    if called.is_empty() {
        return Err(Failure::new("valgrind recorded no function"));
    }
    Ok(called.into_iter().collect())
}

/// The same command with the same environment, run by valgrind.
fn under_valgrind(command: &Command, profiles: &Path) -> Command {
    let mut output = std::ffi::OsString::from("--callgrind-out-file=");
    output.push(profiles.join("%p"));
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--quiet", "--demangle=no", "--compress-strings=no"]).arg(output);
    valgrind.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => valgrind.env(name, value),
            None => valgrind.env_remove(name),
        };
    }
    valgrind
}

/// A profile has a line `fn=NAME` for each function that ran.
fn called_functions(profile: &str) -> impl Iterator<Item = String> + '_ {
    let names = profile.lines().filter_map(|line| line.strip_prefix("fn="));
    names.filter(|name| !name.starts_with("0x") && !name.contains(' ')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_that_ran_are_read_off_a_profile() {
        let profile =
            "version: 1\nob=arki\nfl=???\nfn=_RNv_4main\n0 12\ncfn=_RNv_5other\ncalls=1 0\nfn=0x0000aa\n0 3\n";
        assert_eq!(called_functions(profile).collect::<Vec<_>>(), ["_RNv_4main"]);
    }
}
