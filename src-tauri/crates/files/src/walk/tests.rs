use super::*;
use std::fs;

fn walked(project: &Project, start: &str) -> Vec<String> {
    let start = project.resolve(start).unwrap();
    walk(project, &start, None).map(|found| shown(project, &found.unwrap().path)).collect()
}

/// The walk of ripgrep, by paths, which what git ignores is measured by.
fn as_ripgrep(project: &Project, start: &str) -> Vec<String> {
    ignore::WalkBuilder::new(project.root().join(start))
        .hidden(false)
        .require_git(false)
        .sort_by_file_name(|a, b| a.cmp(b))
        .filter_entry(|entry| entry.file_name() != ".git")
        .build()
        .skip(1)
        .map(|entry| shown(project, entry.unwrap().path()))
        .collect()
}

#[test]
fn what_is_left_out_is_what_ripgrep_leaves_out() {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in [
        (".gitignore", "*.log\n/build/\n!keep.log\ndeep/**/gen\n# comment\nname with space\n[\n"),
        ("project/.gitignore", "\u{feff}target\n*.tmp\n!b.log\n"),
        ("project/.ignore", "*.snap\n!a.tmp\n"),
        ("project/.git/info/exclude", "private\n"),
        ("project/src/.gitignore", "/generated.rs\n!c.tmp\n"),
        ("project/src/.ignore", "!b.snap\n"),
        ("project/inner/.git/info/exclude", "mine\n"),
        ("project/inner/.gitignore", "own\n"),
        ("project/inner/own", ""),
        ("project/inner/mine", ""),
        ("project/inner/d.tmp", ""),
        ("project/inner/private", ""),
        ("project/a.tmp", ""),
        ("project/b.tmp", ""),
        ("project/a.log", ""),
        ("project/b.log", ""),
        ("project/keep.log", ""),
        ("project/a.snap", ""),
        ("project/private/x", ""),
        ("project/name with space", ""),
        ("project/.hidden/x", ""),
        ("project/build/x", ""),
        ("project/target/debug/x", ""),
        ("project/deep/er/gen/x", ""),
        ("project/src/generated.rs", ""),
        ("project/src/c.tmp", ""),
        ("project/src/b.snap", ""),
        ("project/src/deep/generated.rs", ""),
        ("project/src/deep/target", ""),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::create_dir(folder.path().join(".git")).unwrap();
    for root in ["project", "project/src", "."] {
        let project = Project::open(&folder.path().join(root)).unwrap();
        for start in [".", "src", "src/deep", "inner", "project/inner"] {
            if project.root().join(start).is_dir() {
                assert_eq!(walked(&project, start), as_ripgrep(&project, start), "{root}: {start}");
            }
        }
    }
    let project = Project::open(&folder.path().join("project")).unwrap();
    let told = walked(&project, ".");
    assert!(told.contains(&"a.tmp".to_owned()) && !told.contains(&"b.tmp".to_owned()), "{told:?}");
}

#[test]
fn what_is_too_deep_is_told_and_not_entered() {
    let folder = tempfile::tempdir().unwrap();
    let deep = "d/".repeat(MAX_LEVELS + 1);
    fs::create_dir_all(folder.path().join(&deep)).unwrap();
    let project = Project::open(folder.path()).unwrap();
    let all: Vec<_> = walk(&project, &ProjectPath::root(), None).collect();
    assert_eq!(all.iter().filter(|found| found.is_ok()).count(), MAX_LEVELS);
    assert!(all.last().unwrap().is_err());
    assert_eq!(walk(&project, &ProjectPath::root(), Some(2)).filter(|found| found.is_ok()).count(), 2);
    assert!(walk(&project, &ProjectPath::root(), Some(2)).all(|found| found.is_ok()));
}
