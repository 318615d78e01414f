//! What the sources keep to: who starts processes and writes files, that nothing stops hard, and how files are laid out.

use crate::sources::{Source, all, shipped};

const PROCESS: &str = "src-tauri/crates/process/";
const DEVELOPER_COMMANDS: &str = "src-tauri/xtask/";
const TESTKIT: &str = "src-tauri/crates/testkit/";

/// Outside the process crate only these start a process, each for a reason of its own.
const MAY_START: &[&str] = &[
    "src-tauri/crates/cli/src/commands/editor.rs",
    "src-tauri/crates/cli/src/commands/open.rs",
    "src-tauri/crates/sandbox/src/bubblewrap.rs",
    // This program as its own launcher: asked whether it works, and what becomes the command.
    "src-tauri/crates/sandbox/src/wrapping.rs",
    "src-tauri/crates/sandbox/src/launcher",
    "src-tauri/crates/sandbox/src/seatbelt/probe.rs",
];
/// What writes a project's files, and what it stands on.
const WRITES_PROJECTS: &[&str] = &["src-tauri/crates/files/", "src-tauri/crates/disk/"];
/// Files of Arki's own, never a project's; of what commands left in a project, what is taken away and put back; and the
/// folder of a view, with what is mounted in it.
const MAY_WRITE: &[&str] = &[
    "src-tauri/crates/process/src/unix.rs",
    "src-tauri/crates/sandbox/src/journal.rs",
    "src-tauri/crates/sandbox/src/launcher",
    "src-tauri/crates/sandbox/src/leavings.rs",
    "src-tauri/crates/sandbox/src/put_back.rs",
    "src-tauri/crates/sandbox/src/upper_layer.rs",
    "src-tauri/crates/sandbox/src/view.rs",
    "src-tauri/crates/sandbox/src/seatbelt/probe.rs",
    "src-tauri/crates/store/src/database/files.rs",
    "src-tauri/crates/store/src/database/private_copy.rs",
    "src-tauri/crates/store/src/salvage",
    "src-tauri/src/",
    "src-tauri/build.rs",
];

/// Where the system is spoken to; the last sets a variable of this process's own environment, before there is a second
/// thread.
const MAY_BE_UNSAFE: &[&str] = &[
    PROCESS,
    "src-tauri/crates/disk/src/free_space.rs",
    "src-tauri/crates/sandbox/src/domain.rs",
    "src-tauri/crates/sandbox/src/launcher",
    "src-tauri/crates/sandbox/src/mark.rs",
    "src-tauri/crates/sandbox/src/sealed.rs",
    // It starts the program under test, and is not shipped.
    "src-tauri/crates/testkit/src/default_signals.rs",
    "src-tauri/src/process_environment.rs",
    "src-tauri/src/webkit_threads.rs",
];

const MAX_LINES: usize = 500;
/// A shorter message names a thing; it takes some words to state an invariant.
const INVARIANT_WORDS: usize = 3;
/// A doc comment that begins with one of these leaves its reader to find the noun elsewhere.
const DANGLING: &[&str] = &["Of", "What", "Whether", "That", "Whose"];

fn is_any(source: &Source, places: &[&str]) -> bool {
    places.iter().any(|place| source.is_in(place))
}

#[track_caller]
fn none(found: &[String], what: &str) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn only_the_process_crate_starts_processes() {
    let starts = |source: &Source| {
        source.uses(&["Command::new(", "process::Command", "posix_spawn", "execve", "libc::fork", "CommandExt"])
    };
    let sources = shipped();
    assert!(sources.iter().any(|source| is_any(source, MAY_START) && !starts(source).is_empty()));
    let others = sources
        .iter()
        .filter(|source| !is_any(source, &[PROCESS, DEVELOPER_COMMANDS, TESTKIT]) && !is_any(source, MAY_START));
    none(&others.flat_map(starts).collect::<Vec<_>>(), "processes are started by arki-process alone");
}

#[test]
fn the_fence_around_processes_is_opened_in_few_places() {
    let opened = shipped()
        .into_iter()
        .filter(|source| !is_any(source, &[PROCESS, DEVELOPER_COMMANDS, TESTKIT]) && !is_any(source, MAY_START));
    none(
        &opened.flat_map(|source| source.uses(&["clippy::disallowed_methods"])).collect::<Vec<_>>(),
        "the lint is switched off",
    );
}

#[test]
fn only_the_files_crate_writes_files_of_a_project() {
    let writes = [
        "fs::write(",
        "fs::rename(",
        "fs::copy(",
        "fs::remove_file(",
        "fs::remove_dir",
        "fs::create_dir",
        "fs::hard_link(",
        "fs::set_permissions(",
        "File::create",
        "OpenOptions",
        "DirBuilder",
        "os::unix::fs::symlink",
    ];
    let others = shipped()
        .into_iter()
        .filter(|source| !is_any(source, &[DEVELOPER_COMMANDS, TESTKIT]) && !is_any(source, WRITES_PROJECTS))
        .filter(|source| !is_any(source, MAY_WRITE));
    none(&others.flat_map(|source| source.uses(&writes)).collect::<Vec<_>>(), "files are written by arki-files alone");
}

#[test]
fn only_the_llm_crate_knows_a_vendors_wire_format() {
    let words = ["\"/chat/completions\"", "\"/responses\"", "api.openai.com", "api.anthropic.com", "\"choices\""];
    let places = ["src-tauri/crates/llm/", DEVELOPER_COMMANDS, TESTKIT];
    let others = shipped().into_iter().filter(|source| !is_any(source, &places));
    let found = others.flat_map(|source| source.matching(|line| words.iter().any(|word| line.contains(word))));
    none(&found.collect::<Vec<_>>(), "wire formats live in arki-llm");
}

#[test]
fn nothing_that_is_shipped_stops_hard() {
    let words = [".unwrap()", ".unwrap_err()", "panic!(", "todo!(", "unimplemented!(", "unreachable!("];
    let found = shipped().into_iter().flat_map(|source| {
        // A build script has no other way to say that it failed.
        let exits = |line: &str| line.contains("process::exit(") && source.name() != "build.rs";
        source.matching(|line| exits(line) || words.iter().any(|word| line.contains(word)))
    });
    none(&found.collect::<Vec<_>>(), "it would stop the program instead of saying what is wrong");
}

#[test]
fn an_expect_states_the_invariant_that_it_rests_on() {
    let is_bare = |line: &str| {
        line.match_indices(".expect(").any(|(at, _)| {
            let message = line[at..].split('"').nth(1).unwrap_or_default();
            message.split_whitespace().count() < INVARIANT_WORDS
        })
    };
    none(
        &shipped().into_iter().flat_map(|source| source.matching(is_bare)).collect::<Vec<_>>(),
        "say why it cannot fail",
    );
}

#[test]
fn no_file_is_too_long_to_be_read() {
    let long = all().into_iter().filter_map(|source| {
        let lines = source.lines().len();
        (lines > MAX_LINES).then(|| format!("{}: {lines} lines", source.path))
    });
    none(&long.collect::<Vec<_>>(), "split it by meaning");
}

#[test]
fn every_module_opens_with_what_it_owns() {
    let silent = shipped().into_iter().filter(|source| !source.text.starts_with("//!"));
    none(&silent.map(|source| source.path).collect::<Vec<_>>(), "there is no //! at its head");
}

fn doc_text(line: &str) -> Option<&str> {
    let line = line.trim_start();
    line.strip_prefix("///").or_else(|| line.strip_prefix("//!")).map(str::trim_start)
}

fn begins_dangling(line: &str) -> bool {
    let word = doc_text(line).and_then(|text| text.split(|c: char| !c.is_alphanumeric()).next());
    word.is_some_and(|word| DANGLING.contains(&word))
}

#[test]
fn doc_comments_begin_with_what_the_item_is_or_does() {
    let found = shipped().into_iter().flat_map(|source| {
        let lines = source.lines();
        let before = std::iter::once("").chain(lines.iter().map(|(_, line)| *line));
        let blocks = lines.iter().zip(before).filter(|(_, before)| doc_text(before).is_none());
        let dangling = blocks.filter(|((_, line), _)| begins_dangling(line));
        dangling.map(|((number, line), _)| format!("{}:{number}: {}", source.path, line.trim())).collect::<Vec<_>>()
    });
    none(&found.collect::<Vec<_>>(), "begin with the item itself, such as \"The size of …\" or \"Returns …\"");
}

#[test]
fn a_module_is_named_by_its_file() {
    let named = all().into_iter().filter(|source| source.name() == "mod.rs");
    none(&named.map(|source| source.path).collect::<Vec<_>>(), "name it after its module");
}

#[test]
fn names_say_what_a_thing_does() {
    let vague = ["manager.rs", "helper.rs", "helpers.rs", "util.rs", "utils.rs", "misc.rs", "common.rs"];
    let files = all().into_iter().filter(|source| vague.contains(&source.name()));
    none(&files.map(|source| source.path).collect::<Vec<_>>(), "the name says nothing");
    let is_vague = |line: &str| {
        let declared = ["struct ", "enum ", "trait "].iter().find_map(|word| line.split_once(word));
        let name = declared.and_then(|(_, rest)| rest.split(|c: char| !c.is_alphanumeric()).next()).unwrap_or_default();
        // What installs packages is called so everywhere.
        name != "PackageManager" && ["Manager", "Helper", "Util", "Utils"].iter().any(|word| name.ends_with(word))
    };
    let types = shipped().into_iter().flat_map(|source| source.matching(is_vague));
    none(&types.collect::<Vec<_>>(), "the name says nothing");
}

#[test]
fn the_head_of_a_crate_only_documents_and_exports() {
    let heads = shipped().into_iter().filter(|source| {
        source.is_in("src-tauri/crates/") && source.name() == "lib.rs" && source.path.matches('/').count() == 4
    });
    let heads: Vec<Source> = heads.collect();
    assert!(heads.len() >= 8, "{} crates", heads.len());
    let declares = ["fn ", "struct ", "enum ", "trait ", "impl ", "macro_rules"];
    none(&heads.iter().flat_map(|source| source.uses(&declares)).collect::<Vec<_>>(), "move it into a module");
}

#[test]
fn unsafe_code_stays_where_the_system_is_spoken_to() {
    let others = shipped().into_iter().filter(|source| !is_any(source, MAY_BE_UNSAFE));
    none(
        &others.flat_map(|source| source.uses(&["unsafe {", "unsafe fn", "allow(unsafe_code"])).collect::<Vec<_>>(),
        "unsafe code",
    );
}
