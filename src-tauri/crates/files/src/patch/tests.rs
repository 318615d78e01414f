use super::*;
use crate::change_set::ChangeSet;
use arki_domain::Code;
use arki_edit::patch::patch_paths;
use proptest::prelude::*;
use std::fs;

fn project(content: &str) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), content).unwrap();
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

/// The diff that users see, which is what `git diff` prints.
fn unified_diff(project: &Project, before: &str, after: &str) -> String {
    let path = project.resolve("a.txt").unwrap();
    let bytes = |text: &str| Some(text.as_bytes().to_vec().into());
    let change = FileChange { path, before: bytes(before), after: bytes(after), mode: Some(0o644), new_mode: None };
    ChangeSet::new(vec![change]).unwrap().preview().diff
}

/// Few different lines, so that they repeat and places are the same.
fn text() -> impl Strategy<Value = String> {
    let line =
        prop_oneof![Just("a"), Just("b"), Just("  b"), Just(""), Just("-- c"), Just("@@ -1 +1 @@"), Just("+++ x")];
    let ending = prop_oneof![4 => Just("\n"), 1 => Just("\r\n")];
    let lines = prop::collection::vec((line, ending), 0..40);
    (lines, any::<bool>()).prop_map(|(lines, ends)| {
        let mut text: String = lines.into_iter().map(|(line, ending)| format!("{line}{ending}")).collect();
        if !ends {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

/// Pieces of both forms in any order.
fn patchlike() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("*** Begin Patch"),
        Just("*** End Patch"),
        Just("*** Update File: a.txt"),
        Just("*** Add File: b.txt"),
        Just("*** Delete File: a.txt"),
        Just("*** Move to: c.txt"),
        Just("*** End of File"),
        Just("--- a/a.txt"),
        Just("+++ b/a.txt"),
        Just("--- /dev/null"),
        Just("+++ /dev/null"),
        Just("@@"),
        Just("@@ a"),
        Just("@@ -1,2 +1,2 @@"),
        Just("@@ -0,0 +1 @@"),
        Just("@@ -9999999999999999999999 +1 @@"),
        Just("@@ -18446744073709551615,3 +1,3 @@"),
        Just("diff --git a/a.txt b/b.txt"),
        Just("rename from a.txt"),
        Just("rename to b.txt"),
        Just("new file mode 100755"),
        Just("deleted file mode 100644"),
        Just("\\ No newline at end of file"),
        Just("```"),
        Just("cat <<EOF"),
        Just("EOF"),
        Just("-- "),
        Just(" one"),
        Just("-one"),
        Just("+two"),
        Just(""),
        Just(" "),
        Just("\u{201c}"),
        Just("\r"),
        Just("--- \"a/\\303"),
        Just("+++ \"b/\\9\""),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.join("\n"))
}

proptest! {
    #[test]
    fn the_diff_of_two_texts_makes_one_of_the_other(before in text(), after in text()) {
        prop_assume!(before != after);
        let (_folder, project) = project(&before);
        let diff = unified_diff(&project, &before, &after);
        let planned = match plan_patch(&project, &diff) {
            Ok(planned) => planned,
            // Lines repeat so much here that a diff often shows too little to say where it belongs.
            Err(error) => {
                prop_assert!([Code::EDIT_AMBIGUOUS, Code::PATCH_INVALID].contains(&error.code()), "{error}");
                return Ok(());
            }
        };
        prop_assert_eq!(planned.notes().len(), 0);
        let file = &planned.files()[0];
        prop_assert_eq!(String::from_utf8_lossy(file.after.as_deref().unwrap_or_default()), after);
    }

    #[test]
    fn nothing_but_what_a_patch_names_is_touched_whatever_it_is(patch in patchlike(), content in text()) {
        let (_folder, project) = project(&content);
        let named = patch_paths(&patch);
        if let Ok(change) = plan_patch(&project, &patch) {
            for file in change.files() {
                prop_assert!(named.iter().any(|name| project.resolve(name).unwrap() == file.path), "{} {:?}", file.path, named);
            }
        }
    }

    #[test]
    fn no_text_is_too_odd_to_be_read(patch in "\\PC{0,200}", lines in prop::collection::vec("[-+ @*\\\\\"/a-c0-9,]{0,12}", 0..20)) {
        let (_folder, project) = project("a\n");
        let _ = plan_patch(&project, &patch);
        let _ = plan_patch(&project, &format!("--- a/a.txt\n+++ b/a.txt\n{}", lines.join("\n")));
        let _ = plan_patch(&project, &format!("*** Begin Patch\n*** Update File: a.txt\n{}", lines.join("\n")));
    }
}

#[test]
fn every_path_is_named_for_the_policy() {
    let envelope = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n*** Add File: d\n+x\n";
    assert_eq!(patch_paths(envelope), ["a", "b", "c", "d"]);
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/y b/z\nrename from y\nrename to z\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+a\n";
    assert_eq!(patch_paths(diff), ["x", "y", "z", "n"]);
    assert!(patch_paths("no patch").is_empty());
}

#[test]
fn a_long_patch_and_a_long_file_take_no_time_to_speak_of() {
    // Everything repeats, which is what makes searching slow where it is not linear.
    let content = "same\n".repeat(200_000);
    let (_folder, project) = project(&content);
    let hunk = format!("@@\n{}-missing\n", " same\n".repeat(20_000));
    let patch = format!("*** Begin Patch\n*** Update File: a.txt\n{}", hunk.repeat(5));
    assert_eq!(plan_patch(&project, &patch).unwrap_err().code(), arki_domain::Code::EDIT_NOT_FOUND);
}

#[test]
fn hunks_that_fit_everywhere_are_not_all_kept_before_one_is_told() {
    let (_folder, project) = project(&"same\n".repeat(200_000));
    let patch = format!("*** Begin Patch\n*** Update File: a.txt\n{}", "@@\n same\n-same\n+other\n".repeat(100));
    let told = plan_patch(&project, &patch).unwrap_err().to_string();
    assert!(told.starts_with("Hunk 6 of a.txt") && told.contains("fits 199999 places"), "{told}");
}
