use super::*;
use arki_domain::Code;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const LIMITS: CopyLimits = CopyLimits { files: 9, bytes: 1 << 20 };

struct Place {
    project: Project,
    folder: TempDir,
}

fn place(files: &[(&str, &str)]) -> Place {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        put_text(folder.path(), path, content);
    }
    Place { project: Project::open(folder.path()).unwrap(), folder }
}

fn put_text(folder: &Path, path: &str, content: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn copied(from: &Project, paths: &[&str], limits: CopyLimits) -> Result<(Place, Vec<String>)> {
    let target = place(&[]);
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let copied = copy_files(from, &[&target.project], &paths, &GlobSet::empty(), limits)?;
    Ok((target, copied))
}

#[test]
fn files_are_copied_but_not_secret_ones_and_nothing_of_git() {
    let from = place(&[("src/a.rs", "a"), (".env", "KEY=x"), (".git/config", ""), ("b", "b")]);
    let paths = ["src/a.rs", ".env", ".git/config", "b", "gone", "../b", "."];
    let (target, copied) = copied(&from.project, &paths, LIMITS).unwrap();
    assert_eq!(copied, ["src/a.rs", "b"]);
    assert_eq!(fs::read_to_string(target.folder.path().join("src/a.rs")).unwrap(), "a");
    assert!(!target.folder.path().join(".env").exists());
}

#[test]
fn more_than_the_limits_allow_is_refused() {
    let from = place(&[("a", "123"), ("b", "456")]);
    let code = |files, bytes| {
        let refused = copied(&from.project, &["a", "b"], CopyLimits { files, bytes }).map(|(_, copied)| copied);
        refused.map_err(|error| error.code())
    };
    assert_eq!(code(1, 6), Err(Code::WORKTREE_TOO_LARGE));
    assert_eq!(code(2, 5), Err(Code::WORKTREE_TOO_LARGE));
    assert_eq!(code(2, 6).unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn links_are_copied_as_links_and_followed_nowhere() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let outside = place(&[("secret", "not yours")]);
    let from = place(&[("run.sh", "x")]);
    fs::set_permissions(from.folder.path().join("run.sh"), PermissionsExt::from_mode(0o755)).unwrap();
    symlink(outside.folder.path(), from.folder.path().join("out")).unwrap();
    let (target, copied) = copied(&from.project, &["out", "out/secret", "run.sh"], LIMITS).unwrap();
    assert_eq!(copied, ["out", "run.sh"]);
    assert_eq!(fs::read_link(target.folder.path().join("out")).unwrap(), outside.folder.path());
    let mode = fs::metadata(target.folder.path().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o700, 0o700);
}

#[test]
fn what_differs_is_changed_made_or_removed() {
    let base = place(&[("same", "1"), ("changed", "1"), ("removed", "1")]);
    let work = place(&[
        ("same", "1"),
        ("changed", "2"),
        ("made/new", "1"),
        (".gitignore", "out\n"),
        ("out/x", ""),
        (".git", ""),
    ]);
    let known = ["changed", "removed", "same"].map(str::to_owned);
    let differing = differing_files(&base.project, &work.project, &known).unwrap();
    assert_eq!(differing, [".gitignore", "changed", "made/new", "removed"]);
}

#[test]
fn a_file_that_is_too_large_differs_and_keeps_no_other_from_being_taken() {
    let (base, work, disk) = (place(&[]), place(&[("small", "1")]), place(&[]));
    fs::File::create(work.folder.path().join("large")).unwrap().set_len(DELETE_LIMIT_BYTES + 1).unwrap();
    let differing = differing_files(&base.project, &work.project, &[]).unwrap();
    assert_eq!(differing, ["large", "small"]);
    let code = |path: &str| {
        let taken = plan_take(&base.project, &work.project, &disk.project, &[path.to_owned()]);
        taken.map(drop).map_err(|error| error.code())
    };
    assert_eq!((code("large"), code("small")), (Err(Code::FILE_TOO_LARGE), Ok(())));
}

const LINES: &str = "1\n2\n3\n4\n5\n";

fn taken(base: &[(&str, &str)], work: &[(&str, &str)], disk: &[(&str, &str)], paths: &[&str]) -> (Place, TakenChanges) {
    let (base, work, disk) = (place(base), place(work), place(disk));
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let taken = plan_take(&base.project, &work.project, &disk.project, &paths).unwrap();
    (disk, taken)
}

#[test]
fn changes_are_merged_with_what_was_done_since() {
    let (disk, taken) = taken(
        &[("a", LINES), ("gone", "x")],
        &[("a", "one\n2\n3\n4\n5\n"), ("new", "n")],
        &[("a", "1\n2\n3\n4\nfive\n"), ("gone", "x")],
        &["a", "gone", "new"],
    );
    let TakenChanges::Change(change) = taken else { panic!("{taken:?}") };
    change.apply(&disk.project).unwrap();
    let read = |path: &str| fs::read_to_string(disk.folder.path().join(path)).ok();
    assert_eq!(
        (read("a").as_deref(), read("gone"), read("new").as_deref()),
        (Some("one\n2\n3\n4\nfive\n"), None, Some("n"))
    );
}

#[test]
fn what_both_changed_is_a_conflict() {
    let base = [("a", LINES), ("b", LINES), ("c", "x")];
    let (_, taken) =
        taken(&base, &[("a", "A\n"), ("b", LINES)], &[("a", "B\n"), ("b", "B\n"), ("c", "y")], &["a", "b", "c", "d"]);
    let TakenChanges::Conflicts(wanted) = taken else { panic!("{taken:?}") };
    let paths: Vec<&str> = wanted.files().iter().map(|change| change.path.as_str()).collect();
    assert_eq!(paths, ["a", "c"]);
    assert!(wanted.preview().diff.contains("\n+A\n"), "{}", wanted.preview().diff);
}

#[test]
fn what_was_taken_before_is_not_changed_again() {
    let (_, taken) = taken(&[("a", LINES)], &[("a", "A\n")], &[("a", "A\n")], &["a"]);
    assert_eq!(taken, TakenChanges::Change(ChangeSet::default()));
}
