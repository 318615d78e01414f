use super::scan::take_at;
use super::*;
use crate::change_set::content_hash;
use crate::project::Project;
use arki_domain::Code;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};
use tokio_util::sync::CancellationToken;

/// A project whose snapshots are taken at a time of the test's choice.
pub(super) struct Scanned {
    folder: tempfile::TempDir,
    project: Project,
    pub(super) limits: SnapshotLimits,
    pub(super) secrets: GlobSet,
    /// The contents handed out to be kept, since this was looked at last.
    kept: Vec<String>,
}

impl Scanned {
    pub(super) fn new(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::open(folder.path()).unwrap();
        let scanned =
            Self { folder, project, limits: SnapshotLimits::default(), secrets: GlobSet::empty(), kept: Vec::new() };
        for (age, (path, content)) in (1..).zip(files) {
            scanned.write(path, content, minutes(age));
        }
        scanned
    }

    pub(super) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a file as modified `age` before the test's now.
    pub(super) fn write(&self, path: &str, content: &[u8], age: Duration) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        File::options().write(true).open(path).unwrap().set_modified(now() - age).unwrap();
    }

    pub(super) fn scan(&mut self, previous: Option<&Snapshot>) -> Snapshot {
        let Self { project, limits, secrets, kept, .. } = self;
        let keep = |hash: &str, bytes: &[u8]| {
            assert_eq!(hash, content_hash(bytes));
            kept.push(String::from_utf8(bytes.to_vec()).unwrap());
        };
        take_at(now(), project, previous, limits, secrets, keep, &CancellationToken::new()).unwrap()
    }

    pub(super) fn kept(&mut self) -> Vec<String> {
        let mut kept = std::mem::take(&mut self.kept);
        kept.sort();
        kept
    }
}

/// Fixed, so that what is fresh does not hang on how fast a test runs.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_760_000_000)
}

pub(super) fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

pub(super) fn paths(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.files.keys().map(String::as_str).collect()
}

pub(super) fn image(snapshot: &Snapshot, path: &str) -> PreImage {
    snapshot.files[path].image.clone()
}

fn known(content: &str) -> ImageRef {
    ImageRef::Known(content_hash(content.as_bytes()))
}

fn change(path: &str, before: ImageRef, after: ImageRef) -> SnapshotChange {
    SnapshotChange { path: path.to_owned(), before, after }
}

#[test]
fn hidden_and_ignored_files_are_there_and_what_can_be_made_again_is_not() {
    let mut scanned = Scanned::new(&[
        (".gitignore", b"*.log\n"),
        ("a.log", b"ignored"),
        (".arki/config.json", b"{}"),
        (".hidden/x", b"x"),
        ("src/a.rs", b"a"),
        ("src.rs", b"b"),
        (".git/config", b"no"),
        ("web/node_modules/p/index.js", b"no"),
        ("target/debug/x.d", b"no"),
        ("sub/.git", b"gitdir: ../.git/modules/sub"),
        ("venv", b"a file, not a folder"),
    ]);
    let snapshot = scanned.scan(None);
    let expected = [".arki/config.json", ".gitignore", ".hidden/x", "a.log", "src.rs", "src/a.rs", "venv"];
    assert_eq!(paths(&snapshot), expected);
    assert_eq!(image(&snapshot, "a.log"), PreImage::Kept(content_hash(b"ignored")));
    assert_eq!((snapshot.imaged_files(), snapshot.left_out()), (expected.len(), NotCaptured::default()));
    assert_eq!(snapshot.imaged_bytes(), 6 + 7 + 2 + 1 + 1 + 1 + 20);
}

#[test]
fn what_is_not_text_or_secret_is_listed_without_content() {
    let mut scanned = Scanned::new(&[
        ("a.bin", b"a\0b"),
        ("latin", b"caf\xe9"),
        (".env", b"KEY=1"),
        ("own.secret", b"x"),
        ("a.txt", "\u{feff}caf\u{e9}\r\n".as_bytes()),
    ]);
    scanned.secrets = GlobSetBuilder::new().add(Glob::new("*.secret").unwrap()).build().unwrap();
    let snapshot = scanned.scan(None);
    assert_eq!(scanned.kept(), ["\u{feff}caf\u{e9}\r\n"]);
    assert_eq!(snapshot.left_out(), NotCaptured { not_text: 2, secret: 2, ..NotCaptured::default() });
    assert_eq!(snapshot.left_out().files(), 4);
    assert_eq!((image(&snapshot, ".env"), snapshot.files[".env"].size), (PreImage::None(NotImaged::Secret), 5));
    assert_eq!(scanned.scan(Some(&snapshot)), snapshot);
}

#[test]
fn a_glob_for_secrets_that_is_new_holds_for_what_was_imaged_before() {
    let mut scanned = Scanned::new(&[("own.secret", b"x")]);
    let first = scanned.scan(None);
    scanned.secrets = GlobSetBuilder::new().add(Glob::new("*.secret").unwrap()).build().unwrap();
    assert_eq!(image(&scanned.scan(Some(&first)), "own.secret"), PreImage::None(NotImaged::Secret));
}

#[test]
fn only_contents_that_are_new_are_handed_out_and_each_once() {
    let mut scanned = Scanned::new(&[("a", b"same"), ("b", b"same"), ("c", b"other")]);
    let first = scanned.scan(None);
    assert_eq!(scanned.kept(), ["other", "same"]);
    scanned.write("d", b"other", minutes(9));
    scanned.write("a", b"new", minutes(9));
    let second = scanned.scan(Some(&first));
    assert_eq!(scanned.kept(), ["new"]);
    assert_eq!(image(&second, "d"), PreImage::Kept(content_hash(b"other")));
}

#[test]
fn a_file_with_the_same_metadata_is_not_read_again() {
    let mut scanned = Scanned::new(&[("a", b"old")]);
    let first = scanned.scan(None);
    // Same size, same time: only reading would tell.
    scanned.write("a", b"new", minutes(1));
    assert_eq!(scanned.scan(Some(&first)), first);
    scanned.write("a", b"new", minutes(1) - Duration::from_nanos(100));
    assert_eq!(image(&scanned.scan(Some(&first)), "a"), PreImage::Kept(content_hash(b"new")));
}

#[test]
fn a_file_written_just_before_the_scan_or_after_it_began_is_read_again() {
    for (age, is_fresh) in [(0, true), (1, true), (2, true), (3, false)] {
        let mut scanned = Scanned::new(&[]);
        let age = Duration::from_secs(age);
        scanned.write("a", b"old", age);
        let first = scanned.scan(None);
        assert_eq!(first.files["a"].is_fresh, is_fresh, "{age:?}");
        scanned.write("a", b"new", age);
        let found = scanned.scan(Some(&first)).files["a"].hash() == Some(content_hash(b"new").as_str());
        assert_eq!(found, is_fresh, "{age:?}");
    }
}

#[test]
fn created_changed_and_removed_files_are_told_and_a_touched_one_is_not() {
    let mut scanned = Scanned::new(&[("changed", b"1"), ("removed", b"2"), ("touched", b"3"), ("same", b"4")]);
    let before = scanned.scan(None);
    scanned.write("changed", b"5", minutes(0));
    scanned.write("made/here", b"6", minutes(0));
    scanned.write("touched", b"3", minutes(0));
    fs::remove_file(scanned.root().join("removed")).unwrap();
    let after = scanned.scan(Some(&before));
    let expected = [
        change("changed", known("1"), known("5")),
        change("made/here", ImageRef::NoFile, known("6")),
        change("removed", known("2"), ImageRef::NoFile),
    ];
    assert_eq!(snapshot_changes(&before, &after), expected);
}

#[test]
fn a_file_without_an_image_counts_as_changed_by_its_size_and_time() {
    let mut scanned = Scanned::new(&[("a.bin", b"\0"), ("b.bin", b"\0"), ("c", b"text")]);
    let before = scanned.scan(None);
    scanned.write("b.bin", b"\0", minutes(0));
    scanned.write("c", b"\0", minutes(0));
    scanned.write("d.bin", b"\0", minutes(0));
    let expected = [
        change("b.bin", ImageRef::Unknown, ImageRef::Unknown),
        change("c", known("text"), ImageRef::Unknown),
        change("d.bin", ImageRef::NoFile, ImageRef::Unknown),
    ];
    assert_eq!(snapshot_changes(&before, &scanned.scan(Some(&before))), expected);
}

#[test]
fn a_scan_that_is_cancelled_says_so() {
    let scanned = Scanned::new(&[("a", b"a")]);
    let cancel = CancellationToken::new();
    cancel.cancel();
    let limits = SnapshotLimits::default();
    let error = take_snapshot(&scanned.project, None, &limits, &GlobSet::empty(), |_, _| {}, &cancel).unwrap_err();
    assert_eq!(error.code(), Code::CANCELLED);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn links_are_not_followed_and_pipes_and_names_that_no_path_can_say_are_passed_over() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "outside").unwrap();
        let mut scanned = Scanned::new(&[("in/a", b"a"), ("zero\u{200b}width", b"x")]);
        let root = scanned.root();
        symlink(outside.path(), root.join("folder-out")).unwrap();
        symlink(outside.path().join("secret"), root.join("file-out")).unwrap();
        symlink("in", root.join("inside")).unwrap();
        symlink(".", root.join("in/loop")).unwrap();
        rustix::fs::mknodat(
            rustix::fs::CWD,
            root.join("pipe"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .unwrap();
        fs::write(root.join(std::ffi::OsStr::from_bytes(b"latin\xe9")), "x").unwrap();
        let snapshot = scanned.scan(None);
        let expected = vec!["file-out", "folder-out", "in/a", "in/loop", "inside"];
        assert_eq!((paths(&snapshot), snapshot.left_out().unnamed), (expected, 2));
        let folder_out = outside.path().to_str().unwrap();
        let mut kept = vec![format!("{folder_out}/secret"), folder_out.to_owned(), "a".into(), ".".into(), "in".into()];
        let mut found = scanned.kept();
        kept.sort();
        found.sort();
        assert_eq!(found, kept);
    }

    #[test]
    fn a_link_that_leads_elsewhere_or_became_a_file_is_a_change() {
        let mut scanned = Scanned::new(&[("a", b"a")]);
        let root = scanned.root().to_owned();
        symlink("a", root.join("moved")).unwrap();
        symlink("a", root.join("replaced")).unwrap();
        symlink("a", root.join("same")).unwrap();
        let before = scanned.scan(None);
        let exchange = |name: &str| fs::remove_file(root.join(name)).unwrap();
        exchange("moved");
        symlink("b", root.join("moved")).unwrap();
        exchange("replaced");
        // Just what the link's own content was.
        fs::write(root.join("replaced"), "a").unwrap();
        let after = scanned.scan(Some(&before));
        let link = |target: &str| ImageRef::Link(content_hash(target.as_bytes()));
        let change = |path: &str, before, after| SnapshotChange { path: path.to_owned(), before, after };
        let file = ImageRef::Known(content_hash(b"a"));
        let expected = [change("moved", link("a"), link("b")), change("replaced", link("a"), file)];
        assert_eq!(snapshot_changes(&before, &after), expected);
    }

    #[test]
    fn a_change_of_what_no_path_can_name_is_counted() {
        use std::os::unix::ffi::OsStrExt;
        let mut scanned = Scanned::new(&[("in/a", b"a")]);
        let name = scanned.root().join("in").join(std::ffi::OsStr::from_bytes(b"latin\xe9"));
        fs::write(&name, "precious").unwrap();
        let before = scanned.scan(None);
        assert_eq!(before.unnamed.keys().collect::<Vec<_>>(), ["in/latin\\xe9"]);
        assert_eq!(unnamed_changes(&before, &scanned.scan(Some(&before))), 0);
        fs::write(&name, "changed and longer").unwrap();
        let after = scanned.scan(Some(&before));
        assert_eq!((unnamed_changes(&before, &after), snapshot_changes(&before, &after)), (1, vec![]));
        fs::remove_file(&name).unwrap();
        assert_eq!(unnamed_changes(&after, &scanned.scan(Some(&after))), 1);
    }

    #[test]
    fn permissions_are_noted_and_alone_are_no_change() {
        let mut scanned = Scanned::new(&[("run", b"#!/bin/sh\n")]);
        let before = scanned.scan(None);
        fs::set_permissions(scanned.root().join("run"), fs::Permissions::from_mode(0o755)).unwrap();
        let after = scanned.scan(Some(&before));
        let mode = |snapshot: &Snapshot| snapshot.files["run"].permissions.mode();
        assert_eq!((mode(&before), mode(&after)), (0o644, 0o755));
        assert_eq!(snapshot_changes(&before, &after), []);
    }

    #[test]
    fn an_unreadable_file_is_listed_and_of_an_unreadable_folder_nothing_is_claimed() {
        let mut scanned = Scanned::new(&[("file", b"x"), ("folder/a", b"a")]);
        let before = scanned.scan(None);
        let set = |path: &str, mode| {
            fs::set_permissions(scanned.folder.path().join(path), fs::Permissions::from_mode(mode)).unwrap();
        };
        set("file", 0o000);
        set("folder", 0o000);
        let project = Project::open(scanned.folder.path()).unwrap();
        let (limits, secrets) = (scanned.limits, scanned.secrets.clone());
        let after = take_at(now(), &project, None, &limits, &secrets, |_, _| {}, &CancellationToken::new()).unwrap();
        set("folder", 0o700);
        if !rustix::process::geteuid().is_root() {
            assert_eq!(image(&after, "file"), PreImage::None(NotImaged::Unreadable));
            assert_eq!(after.left_out(), NotCaptured { unreadable: 1, unlisted: 1, ..NotCaptured::default() });
        }
        assert_eq!(snapshot_changes(&before, &after), []);
    }
}
