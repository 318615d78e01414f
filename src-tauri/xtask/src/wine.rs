//! Wine, in which programs for Windows run here: not Windows, but somebody
//! else's reading of it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

/// Tests of what Wine 8 does not have; all pass or fail on Windows.
const NOT_UNDER_WINE: [(&str, &str); 5] = [
    ("what_is_too_deep_is_told_and_not_entered", "it can't name an open folder of more than 260 characters"),
    ("a_batch_file_passes_on_what_looks_like_a_variable", "its `cmd` knows no part of a variable without bounds"),
    ("it_has_no_more_processes_than_its_limit", "its job objects count no processes"),
    ("it_is_one_for_input_output_and_error", "a terminal of another program's is not what a program starts with"),
    ("what_is_printed_comes_whole_and_as_text", "the same"),
];

/// In a library that Wine 8 lacks, and Rust's own begins with.
const RANDOM: &str = "#include <windows.h>\n#include <ntsecapi.h>\n\
    BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T length) { return RtlGenRandom(data, (ULONG)length); }\n";

/// Returns whether Wine works: on some machines it is installed but can't start. Makes its folder.
pub(crate) fn starts(repository: &Repository) -> Result<bool, Failure> {
    let home = home(repository);
    files::create_folder(&home)?;
    Ok(process::succeeds(surroundings(Command::new("wine").args(["wineboot", "--init"]), &home)))
}

/// Has a `cargo test` run what it builds in it.
pub(crate) fn run_tests_with(repository: &Repository, command: &mut Command) -> Result<(), Failure> {
    let home = home(repository);
    provide_random(&home)?;
    let runner = home.join("run");
    // What leads the compiler to its own libraries would lead Wine astray.
    files::write(&runner, "#!/bin/sh\nexec env -u LD_LIBRARY_PATH wine \"$@\"\n")?;
    make_executable(&runner)?;
    surroundings(command, &home)
        .env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &runner)
        // There is no Cargo in there to ask.
        .env("INSTA_WORKSPACE_ROOT", &repository.root)
        .arg("--");
    for (name, why) in NOT_UNDER_WINE {
        println!("  not under Wine: {name}: {why}");
        command.args(["--skip", name]);
    }
    Ok(())
}

fn home(repository: &Repository) -> PathBuf {
    repository.target.join("windows-check/wine")
}

/// No window, no download of what programs here don't use.
fn surroundings<'a>(command: &'a mut Command, home: &Path) -> &'a mut Command {
    command
        .env("WINEPREFIX", home)
        .env("WINEARCH", "win64")
        .env("WINEDEBUG", "-all")
        .env("WINEDLLOVERRIDES", "mscoree=;mshtml=;winemenubuilder.exe=")
        .env_remove("DISPLAY")
}

fn provide_random(home: &Path) -> Result<(), Failure> {
    let library = home.join("drive_c/windows/system32/bcryptprimitives.dll");
    if library.exists() {
        return Ok(());
    }
    let source = home.join("random.c");
    files::write(&source, RANDOM)?;
    let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
    process::run(compiler.arg("-shared").arg("-o").arg(library).arg(source).arg("-ladvapi32"))
}

#[cfg(unix)]
fn make_executable(file: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).context(|| format!("make {} run", file.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<(), Failure> {
    Ok(())
}
