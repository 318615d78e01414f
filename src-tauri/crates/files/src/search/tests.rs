use super::*;
use arki_domain::Code;
use std::fs;

fn project(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Project) {
    let folder = tempfile::tempdir().unwrap();
    for (file, content) in files {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let project = Project::open(folder.path()).unwrap();
    (folder, project)
}

fn query(pattern: &str) -> SearchQuery {
    SearchQuery {
        pattern: pattern.to_owned(),
        shown_pattern: pattern.to_owned(),
        glob: None,
        case_sensitive: true,
        include_ignored: false,
        context: 0,
        max_results: 100,
        max_bytes: 100_000,
        secrets: GlobSet::empty(),
    }
}

fn lines(outcome: &SearchOutcome) -> Vec<String> {
    let sign = |hit: &SearchHit| if hit.is_match { ':' } else { '-' };
    outcome.hits.iter().map(|hit| format!("{}{}{}", hit.path, sign(hit), hit.line)).collect()
}

fn run(project: &Project, query: &SearchQuery) -> SearchOutcome {
    search(project, query, &Redactor::default(), &CancellationToken::new()).unwrap()
}

#[test]
fn hits_come_by_path_then_line_and_binary_files_have_none() {
    let (_folder, project) =
        project(&[("b.txt", b"needle\nx\nneedle\r\n"), ("a/c.txt", b"a needle$"), ("z.bin", b"needle\n\0")]);
    let outcome = run(&project, &query("needle"));
    assert_eq!(lines(&outcome), ["a/c.txt:1", "b.txt:1", "b.txt:3"]);
    assert_eq!((outcome.matches, outcome.files_searched, outcome.truncated), (3, 3, false));
    assert_eq!(lines(&run(&project, &query("needle$"))), ["b.txt:1", "b.txt:3"]);
}

#[test]
fn context_case_and_glob_are_honoured() {
    let (_folder, project) = project(&[("a.rs", b"1\nNeedle\n3\n4\n"), ("a.py", b"needle\n")]);
    let query = SearchQuery { case_sensitive: false, context: 1, glob: Some("*.rs".into()), ..query("needle") };
    assert_eq!(lines(&run(&project, &query)), ["a.rs-1", "a.rs:2", "a.rs-3"]);
}

#[test]
fn secret_files_are_left_out_and_named() {
    let (_folder, project) = project(&[(".env", b"needle"), ("a.txt", b"needle"), ("my.private", b"needle")]);
    let mut own = globset::GlobSetBuilder::new();
    own.add(globset::Glob::new("*.private").unwrap());
    let outcome = run(&project, &SearchQuery { secrets: own.build().unwrap(), ..query("needle") });
    assert_eq!(lines(&outcome), ["a.txt:1"]);
    let named: Vec<String> = vec![".env".into(), "my.private".into()];
    assert_eq!((outcome.secrets.names, outcome.secrets.count), (named, 2));
}

#[test]
fn both_limits_cut_and_say_so() {
    let (_folder, project) = project(&[("a", b"needle\nneedle\n"), ("b", b"needle\n")]);
    let few = run(&project, &SearchQuery { max_results: 2, ..query("needle") });
    assert_eq!((lines(&few).join(" "), few.truncated), ("a:1 a:2".into(), true));
    assert!(!run(&project, &SearchQuery { max_results: 3, ..query("needle") }).truncated);
    let short = run(&project, &SearchQuery { max_bytes: 10, ..query("needle") });
    assert_eq!((lines(&short).join(" "), short.truncated), ("a:1".into(), true));
}

#[test]
fn a_long_line_is_cut_around_its_match() {
    let line = format!("{}needle{}", "ä".repeat(1000), "ö".repeat(1000));
    let (_folder, project) = project(&[("a", line.as_bytes())]);
    let text = &run(&project, &query("needle")).hits[0].text;
    assert!(text.len() < 520 && text.contains("needle") && text.starts_with('…') && text.ends_with('…'), "{text}");
    assert!(!text.contains('\u{fffd}'));
}

#[test]
fn a_bad_pattern_says_what_is_wrong_with_it() {
    let (_folder, project) = project(&[]);
    let error = search(&project, &query("a("), &Redactor::default(), &CancellationToken::new()).unwrap_err();
    assert_eq!(error.to_string(), "The pattern \"a(\" is not a regular expression: unclosed group.");
}

#[test]
fn many_files_give_the_same_answer_every_time() {
    let files: Vec<String> = (0..400).map(|number| format!("d{}/f{number}", number % 7)).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|name| (name.as_str(), &b"needle\n"[..])).collect();
    let (_folder, project) = project(&files);
    let query = SearchQuery { max_results: 150, ..query("needle") };
    let first = run(&project, &query);
    assert_eq!((first.matches, first.truncated), (150, true));
    assert!(first.hits.is_sorted_by(|a, b| a.path <= b.path));
    assert_eq!(run(&project, &query), first);
}

#[test]
fn a_cancelled_search_stops() {
    let (_folder, project) = project(&[("a", b"x")]);
    let token = CancellationToken::new();
    token.cancel();
    let error = search(&project, &query("x"), &Redactor::default(), &token).unwrap_err();
    assert_eq!(error.code(), Code::CANCELLED);
}

#[test]
fn a_secret_is_not_found_by_a_piece_of_it_but_by_its_placeholder() {
    let redactor = Redactor::default();
    redactor.add("mine", "Zx81-first\nsecond-line");
    let (_folder, project) = project(&[("a", b"key='Zx81-first\nsecond-line' # needle\nneedle\n")]);
    let found = |exact: &str, shown: &str| {
        let query = SearchQuery { shown_pattern: shown.to_owned(), ..query(exact) };
        search(&project, &query, &redactor, &CancellationToken::new()).unwrap()
    };
    for piece in ["key='Z", "Zx81", "^second"] {
        assert_eq!(lines(&found(piece, piece)), [""; 0], "{piece}");
    }
    let needles = found("needle", "needle");
    assert_eq!(lines(&needles), ["a:2", "a:3"]);
    assert_eq!(needles.hits[0].text, "' # needle");
    redactor.add("other", "a-secret-of-one-line");
    std::fs::write(project.root().join("a"), "x = a-secret-of-one-line\n").unwrap();
    let by_placeholder = found("a-secret-of-one-line", "\\[secret:other#");
    assert_eq!(lines(&by_placeholder), ["a:1"]);
    assert!(!by_placeholder.hits[0].text.contains("a-secret"), "{by_placeholder:?}");
}

#[cfg(unix)]
#[test]
fn another_name_of_a_secret_file_is_left_out_like_the_file() {
    let (folder, project) = project(&[(".env", b"needle"), ("a.txt", b"needle"), (".gitignore", b".env\n")]);
    fs::create_dir(folder.path().join("sub")).unwrap();
    fs::hard_link(folder.path().join(".env"), folder.path().join("sub/notes.txt")).unwrap();
    fs::hard_link(folder.path().join("a.txt"), folder.path().join("sub/b.txt")).unwrap();
    let outcome = run(&project, &query("needle"));
    assert_eq!(lines(&outcome), ["a.txt:1", "sub/b.txt:1"]);
    assert_eq!(outcome.secrets.names, ["sub/notes.txt"]);
    let all = SearchQuery { include_ignored: true, ..query("needle") };
    assert_eq!(lines(&run(&project, &all)), ["a.txt:1", "sub/b.txt:1"]);
}
