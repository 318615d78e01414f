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
    check(r"\\?\C:\code\app\a", Ok("a"));
    check(r"C:/code/app/../app/a", Ok("a"));
    check(r"C:\code\app", Ok("."));
    check(r"C:\code\application\a", Err(Code::PATH_OUTSIDE_PROJECT));
    check(r"C:\code\app\..\other", Err(Code::PATH_OUTSIDE_PROJECT));
    check(r"D:\code\app\a", Err(Code::PATH_OUTSIDE_PROJECT));
    check(r"\\.\C:\code\app\a", Err(Code::PATH_OUTSIDE_PROJECT));
    check(r"C:\code\app\nul", Err(Code::PATH_INVALID));
    check(r"C:\code\app\a.txt:stream", Err(Code::PATH_INVALID));
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

type Expected = Result<&'static str, Code>;

const OUTSIDE: Expected = Err(Code::PATH_OUTSIDE_PROJECT);
const INVALID: Expected = Err(Code::PATH_INVALID);
const SUSPICIOUS: Expected = Err(Code::PATH_SUSPICIOUS);

/// Tricks ever used to get past a check of names: on Unix (Linux and macOS), and on Windows.
const TRICKS: &[(&str, Expected, Expected)] = &[
    // Up, and elsewhere.
    ("a/../../x", OUTSIDE, OUTSIDE),
    ("a\\..\\..\\x", Ok("a\\..\\..\\x"), OUTSIDE),
    ("/proc/self/root/code/app/a", OUTSIDE, OUTSIDE),
    ("/proc/self/cwd/a", OUTSIDE, OUTSIDE),
    ("/dev/fd/3", OUTSIDE, OUTSIDE),
    ("//server/share", OUTSIDE, OUTSIDE),
    ("\\\\server\\share", OUTSIDE, OUTSIDE),
    ("\\\\?\\C:\\x", OUTSIDE, OUTSIDE),
    ("\\\\.\\PhysicalDrive0", OUTSIDE, OUTSIDE),
    ("\\??\\C:\\x", Ok("\\??\\C:\\x"), OUTSIDE),
    ("\\Windows\\x", Ok("\\Windows\\x"), OUTSIDE),
    ("C:\\x", OUTSIDE, OUTSIDE),
    ("c:/x", OUTSIDE, OUTSIDE),
    ("C:", OUTSIDE, OUTSIDE),
    ("C:x", Ok("C:x"), INVALID),
    ("~", OUTSIDE, OUTSIDE),
    ("~/x", OUTSIDE, OUTSIDE),
    ("file:///etc/passwd", Ok("file:/etc/passwd"), INVALID),
    // Devices.
    ("NUL", Ok("NUL"), INVALID),
    ("a/con.txt", Ok("a/con.txt"), INVALID),
    ("AUX .c", Ok("AUX .c"), INVALID),
    ("com1", Ok("com1"), INVALID),
    ("COM\u{b9}.log", Ok("COM\u{b9}.log"), INVALID),
    ("lpt9", Ok("lpt9"), INVALID),
    ("CONOUT$", Ok("CONOUT$"), INVALID),
    ("console", Ok("console"), Ok("console")),
    ("com10", Ok("com10"), Ok("com10")),
    // Streams and forks.
    ("a.txt:stream", Ok("a.txt:stream"), INVALID),
    ("a.txt::$DATA", Ok("a.txt::$DATA"), INVALID),
    (".git::$INDEX_ALLOCATION/config", Ok(".git::$INDEX_ALLOCATION/config"), INVALID),
    ("id_rsa/..namedfork/data", INVALID, INVALID),
    ("id_rsa/..NamedFork/rsrc", INVALID, INVALID),
    // Ends that are dropped, and short names.
    ("...", Ok("..."), INVALID),
    ("a.txt.", Ok("a.txt."), INVALID),
    ("a.txt ", Ok("a.txt "), INVALID),
    (".git./config", Ok(".git./config"), INVALID),
    ("GIT~1/config", Ok("GIT~1/config"), INVALID),
    ("GI7EBA~1/config", Ok("GI7EBA~1/config"), INVALID),
    ("docs/ENV~1.LOC", Ok("docs/ENV~1.LOC"), INVALID),
    ("longer-name~1.txt", Ok("longer-name~1.txt"), Ok("longer-name~1.txt")),
    ("draft~.txt", Ok("draft~.txt"), Ok("draft~.txt")),
    ("a.b~1", Ok("a.b~1"), Ok("a.b~1")),
    // What HFS+ and git's readers pass over: joiners, marks of direction, the byte-order mark.
    (".g\u{200c}it/config", SUSPICIOUS, SUSPICIOUS),
    (".gi\u{200d}t/config", SUSPICIOUS, SUSPICIOUS),
    (".git\u{200e}/config", SUSPICIOUS, SUSPICIOUS),
    (".git\u{200f}/config", SUSPICIOUS, SUSPICIOUS),
    ("\u{202a}.git/config", SUSPICIOUS, SUSPICIOUS),
    (".\u{202e}git/config", SUSPICIOUS, SUSPICIOUS),
    (".git\u{206a}/config", SUSPICIOUS, SUSPICIOUS),
    (".gi\u{206f}t/config", SUSPICIOUS, SUSPICIOUS),
    (".git\u{feff}/config", SUSPICIOUS, SUSPICIOUS),
    ("a\0b", SUSPICIOUS, SUSPICIOUS),
    // Two spellings of one letter are two names here; which are protected says `protection`.
    ("cafe\u{301}.txt", Ok("cafe\u{301}.txt"), Ok("cafe\u{301}.txt")),
];

#[test]
fn every_trick_is_known_on_every_system() {
    for (path, on_unix, on_windows) in TRICKS {
        for (system, expected) in [(System::Unix, on_unix), (System::Windows, on_windows)] {
            let resolved = resolve_on(system, path, &[]);
            let shown = resolved.as_ref().map(ProjectPath::as_str).map_err(PathError::code);
            assert_eq!(shown, *expected, "{system:?}: {path:?}");
        }
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
