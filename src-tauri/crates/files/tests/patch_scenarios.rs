//! Scenarios of `tests/fixtures/patch`: a folder before, a patch, edits or a deletion, and the folder after or the error.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use arki_edit::TextEdit;
use arki_edit::patch::patch_paths;
use arki_files::{ChangeSet, FilesError, Project, Result, plan_delete, plan_edit, plan_patch};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const LEAST_SCENARIOS: usize = 60;

type Tree = BTreeMap<String, Vec<u8>>;

#[test]
fn every_scenario_ends_as_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/patch");
    let mut scenarios: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    scenarios.retain(|path| path.is_dir());
    scenarios.sort();
    assert!(scenarios.len() >= LEAST_SCENARIOS, "only {} scenarios", scenarios.len());
    let failed: Vec<String> = scenarios.iter().filter_map(|scenario| play(scenario).err()).collect();
    assert!(failed.is_empty(), "{} of {} scenarios:\n{}", failed.len(), scenarios.len(), failed.join("\n"));
}

fn play(scenario: &Path) -> std::result::Result<(), String> {
    let name = scenario.file_name().unwrap().to_string_lossy().into_owned();
    let links = text(scenario, "links.txt").unwrap_or_default();
    if !links.is_empty() && !cfg!(unix) {
        return Ok(());
    }
    let folder = tempfile::tempdir().unwrap();
    let before = tree(&scenario.join("before"));
    for (path, bytes) in &before {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, bytes).unwrap();
    }
    links.lines().for_each(|line| link(folder.path(), line));
    text(scenario, "executable.txt")
        .iter()
        .flat_map(|list| list.lines())
        .for_each(|path| make_executable(&folder.path().join(path)));
    let project = Project::open(folder.path()).unwrap();
    let planned = plan(&project, scenario);
    if let Ok(change) = &planned {
        refuse_unnamed(scenario, change).map_err(|problem| format!("{name}: {problem}"))?;
    }
    let notes = planned.as_ref().map(|change| change.notes().to_vec()).unwrap_or_default();
    let applied = planned.and_then(|change| change.apply(&project));
    let after = tree(folder.path());
    let fail = |problem: String| Err(format!("{name}: {problem}"));
    match (text(scenario, "error.txt"), applied) {
        (Some(expected), Err(error)) => {
            if after != before {
                return fail("files changed although it failed".to_owned());
            }
            let told = told(&error);
            match expected.lines().find(|fragment| !told.contains(fragment)) {
                Some(missing) => fail(format!("{missing:?} is not in {told:?}")),
                None => Ok(()),
            }
        }
        (Some(_), Ok(_)) => fail(format!("it should fail, but made {}", shown(&after))),
        (None, Err(error)) => fail(told(&error)),
        (None, Ok(_)) => {
            let expected = tree(&scenario.join("after"));
            if after != expected {
                return fail(format!("\n{} instead of\n{}", shown(&after), shown(&expected)));
            }
            let noted = text(scenario, "notes.txt").is_none_or(|expected| expected.trim() == notes.join("\n"));
            if !noted {
                return fail(format!("notes {notes:?}"));
            }
            let modes = text(scenario, "executable_after.txt").unwrap_or_default();
            match modes.lines().find(|path| !is_executable(&folder.path().join(path))) {
                Some(path) => fail(format!("{path} is not executable")),
                None => Ok(()),
            }
        }
    }
}

fn plan(project: &Project, scenario: &Path) -> Result<ChangeSet> {
    if let Some(patch) = text(scenario, "patch.txt") {
        return plan_patch(project, &patch);
    }
    if let Some(json) = text(scenario, "delete.json") {
        let args: Value = serde_json::from_str(&json).unwrap();
        return plan_delete(project, &project.resolve(args["path"].as_str().unwrap())?);
    }
    let args: Value = serde_json::from_str(&text(scenario, "edits.json").unwrap()).unwrap();
    let string = |value: &Value| value.as_str().unwrap().to_owned();
    let edits = args["edits"].as_array().unwrap().iter().map(|edit| TextEdit {
        old_text: string(&edit["old_text"]),
        new_text: string(&edit["new_text"]),
        replace_all: edit["replace_all"] == true,
    });
    let edits: Vec<TextEdit> = edits.collect();
    plan_edit(project, &project.resolve(args["path"].as_str().unwrap())?, &edits)
}

/// What the policy judges has to be all that is touched.
fn refuse_unnamed(scenario: &Path, change: &ChangeSet) -> std::result::Result<(), String> {
    let Some(patch) = text(scenario, "patch.txt") else { return Ok(()) };
    let named = patch_paths(&patch);
    match change.files().iter().find(|file| !named.iter().any(|path| path == file.path.as_str())) {
        Some(file) => Err(format!("{} is touched but not named", file.path)),
        None => Ok(()),
    }
}

fn told(error: &FilesError) -> String {
    format!("{} {error} {}", error.code(), error.hint())
}

fn text(scenario: &Path, name: &str) -> Option<String> {
    fs::read_to_string(scenario.join(name)).ok()
}

/// Regular files only; links are part of the stage.
fn tree(folder: &Path) -> Tree {
    let mut files = Tree::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap().file_type();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/");
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    files
}

fn shown(tree: &Tree) -> String {
    tree.iter().map(|(path, bytes)| format!("  {path}: {:?}\n", String::from_utf8_lossy(bytes))).collect()
}

#[cfg(unix)]
fn link(folder: &Path, line: &str) {
    let (name, target) = line.split_once(" -> ").unwrap();
    std::os::unix::fs::symlink(target, folder.join(name)).unwrap();
}

#[cfg(not(unix))]
fn link(_: &Path, _: &str) {}

#[cfg(unix)]
fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[cfg(not(unix))]
fn make_executable(_: &Path) {}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).unwrap().permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> bool {
    true
}
