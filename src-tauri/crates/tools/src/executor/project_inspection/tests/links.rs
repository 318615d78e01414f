//! What lies behind links: whoever opens them reads where they lead.

use super::{judged, subject_in};
use arki_domain::Decision;
use arki_files::Project;
use std::os::unix::fs::symlink;

#[test]
fn what_is_read_or_built_through_a_link_that_leads_out_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let [project, outside] = ["project", "outside"].map(|name| folder.path().join(name));
    for file in ["project/src/a.rs", "project/README.md", "outside/note.txt", "outside/Cargo.toml", "outside/o.json"] {
        std::fs::create_dir_all(folder.path().join(file).parent().unwrap()).unwrap();
        std::fs::write(folder.path().join(file), "text").unwrap();
    }
    symlink(outside.join("note.txt"), project.join("src/n")).unwrap();
    symlink(outside.join("o.json"), project.join("l.json")).unwrap();
    symlink(&outside, project.join("o")).unwrap();
    let project = Project::open(&project).unwrap();
    let is_unasked = |line| judged(&subject_in(&project, line, true), true).decision == Decision::Allow;
    for line in [
        "python3 -m json.tool l.json",
        "python3 -m json.tool o/o.json",
        "node --test o/f.js",
        "python3 -m unittest discover -s o",
        "python3 -m py_compile src/n",
        "cargo test --manifest-path o/Cargo.toml",
        "cargo test --manifest-path=o/Cargo.toml",
        "npm test --prefix o",
        "pytest o/test_a.py::test_b",
        "go test ./o/...",
    ] {
        assert!(!is_unasked(line), "{line}");
    }
    for line in [
        "find src -type f -exec cat {} +",
        "find . -type f -name '*.rs' -exec cat {} +",
        "find src -name '*.rs' -exec cat {} +",
        "cargo test --manifest-path src/Cargo.toml",
        "pytest src/test_a.py::test_b",
        "go test ./...",
        "cargo test module::name",
    ] {
        assert!(is_unasked(line), "{line}");
    }
}
