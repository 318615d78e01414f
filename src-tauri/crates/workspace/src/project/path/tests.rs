use super::*;
use arki_domain::Code;
use proptest::prelude::*;

fn check(path: &str, expected: Result<&str, Code>) {
    let root = if cfg!(windows) { Path::new(r"C:\code\app") } else { Path::new("/code/app") };
    let resolved = resolve(path, &[root]);
    let shown = resolved.as_ref().map(ProjectPath::as_str).map_err(PathError::code);
    assert_eq!(shown, expected, "{path:?}");
}

#[test]
fn relative_paths_are_normalised() {
    check("src/main.rs", Ok("src/main.rs"));
    check("./src//./lib/../main.rs", Ok("src/main.rs"));
    check("src/", Ok("src"));
    check(".", Ok("."));
    check("a/..", Ok("."));
    check("...", Ok("..."));
    check("ünïcode/日本語.txt", Ok("ünïcode/日本語.txt"));
}

#[cfg(unix)]
#[test]
fn absolute_paths_inside_the_project_are_accepted() {
    check("/code/app/src/main.rs", Ok("src/main.rs"));
    check("/code/app", Ok("."));
    check("/code/../code/app/a", Ok("a"));
    check("/code/application/a", Err(Code::PATH_OUTSIDE_PROJECT));
    check("/code/app/../other", Err(Code::PATH_OUTSIDE_PROJECT));
    check("/etc/passwd", Err(Code::PATH_OUTSIDE_PROJECT));
}

#[cfg(windows)]
#[test]
fn windows_spellings_are_understood() {
    check(r"src\main.rs", Ok("src/main.rs"));
    check(r"c:\code\app\a", Ok("a"));
    check("nul.txt", Err(Code::PATH_INVALID));
    check("a.txt:stream", Err(Code::PATH_INVALID));
}

#[test]
fn what_leads_out_is_refused() {
    for path in ["..", "../x", "a/../../x", "~/.ssh/id_rsa", "~", r"\\server\share", r"D:\Windows", "d:/x"] {
        check(path, Err(Code::PATH_OUTSIDE_PROJECT));
    }
}

#[test]
fn what_cannot_be_seen_is_refused_and_named() {
    let hidden = "\0\n\u{1b}\u{200b}\u{202e}\u{2066}\u{feff}\u{ad}\u{a0}\u{e0041}";
    for character in hidden.chars() {
        check(&format!("a{character}b"), Err(Code::PATH_SUSPICIOUS));
    }
    let error = resolve("a\u{202e}txt", &[]).unwrap_err();
    let message = "The path \"a\\u{202e}txt\" contains the invisible or control character U+202E.";
    assert_eq!(error.to_string(), message);
}

#[test]
fn empty_and_endless_paths_are_refused() {
    check("", Err(Code::PATH_INVALID));
    check("  ", Err(Code::PATH_INVALID));
    check(&"a/".repeat(MAX_PATH_BYTES), Err(Code::PATH_INVALID));
}

#[test]
fn windows_reserves_some_names() {
    for name in ["con", "NUL.txt", "com1", "LPT9.log", "aux .c", "a:b", "x.", "x "] {
        assert!(is_windows_reserved(name), "{name}");
    }
    for name in ["console", "com", "com10", "null", "lpt.txt"] {
        assert!(!is_windows_reserved(name), "{name}");
    }
}

proptest! {
    #[test]
    fn a_resolved_path_is_normal_and_resolves_to_itself(path in "[a.~/\\\\: é\u{200b}]{0,24}") {
        if let Ok(resolved) = resolve(&path, &[]) {
            let parts: Vec<&str> = resolved.as_str().split('/').collect();
            prop_assert!(resolved.is_root() || parts.iter().all(|part| !matches!(*part, "" | "." | "..")));
            prop_assert_eq!(resolve(&format!("./{resolved}"), &[]), Ok(resolved));
        }
    }

    #[test]
    fn joining_below_a_root_never_leaves_it(path in "(\\.\\.|a|b|/|\\.){0,12}") {
        if let Ok(resolved) = resolve(&path, &[Path::new("/r")]) {
            prop_assert!(!resolved.as_str().starts_with("../") && resolved.as_str() != "..");
            prop_assert!(!resolved.as_str().starts_with('/'));
        }
    }
}
