//! Reads what a checker printed, whatever its form: cargo's JSON, ESLint's or Ruff's, or lines that name a place.

use super::place::ProblemPlaces;
use super::{Diagnostic, MAX_CODE_CHARS, MAX_DIAGNOSTICS, Severity, lines, one_line};
use arki_domain::{is_hidden, one_plain_line};
use serde_json::Value;
use std::collections::HashSet;
use std::path::PathBuf;

/// A finding at the place that the checker names.
#[derive(Clone)]
pub(crate) struct ReportedProblem {
    /// The path as the checker wrote it.
    pub(super) path: String,
    /// A folder from which, or from one above it, the path may be meant.
    pub(super) folder: Option<PathBuf>,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) severity: Severity,
    pub(super) code: Option<String>,
    pub(super) message: String,
}

/// Returns what both outputs of a checker say of the project's files, each thing once, [`MAX_DIAGNOSTICS`] at most.
/// `None` where it is JSON that nobody knows here.
pub(crate) fn read(stdout: &str, stderr: &str, places: &ProblemPlaces<'_>) -> Option<Vec<Diagnostic>> {
    let trimmed = stdout.trim_start();
    let found: Vec<ReportedProblem> = if trimmed.starts_with('[') {
        of_lint_json(&serde_json::from_str(trimmed).ok()?)?
    } else if trimmed.starts_with('{') {
        stdout.lines().filter_map(of_cargo_line).collect()
    } else {
        lines::read(stdout).into_iter().chain(lines::read(stderr)).collect()
    };
    Some(in_project(found, places))
}

/// Returns what was found in the project's files, each thing once, [`MAX_DIAGNOSTICS`] at most.
pub(crate) fn in_project(found: Vec<ReportedProblem>, places: &ProblemPlaces<'_>) -> Vec<Diagnostic> {
    let mut known = HashSet::new();
    let diagnostics = found.into_iter().filter_map(|found| {
        let path = places.in_project(&found.path, found.folder.as_deref())?;
        let ReportedProblem { line, column, severity, code, message, .. } = found;
        let code = code.map(|code| one_plain_line(&code, MAX_CODE_CHARS)).filter(|code| !code.is_empty());
        Some(Diagnostic { path, line, column, severity, code, message: one_line(&message) })
    });
    // The tools' own paths have no such characters; a command can make files that do.
    let diagnostics = diagnostics.filter(|one| !one.path.contains(is_hidden));
    diagnostics.filter(|one| known.insert(one.clone())).take(MAX_DIAGNOSTICS).collect()
}

/// One line of `cargo check --message-format json`.
fn of_cargo_line(line: &str) -> Option<ReportedProblem> {
    let line: Value = serde_json::from_str(line).ok()?;
    if line["reason"] != "compiler-message" {
        return None;
    }
    let message = &line["message"];
    let severity = match message["level"].as_str()? {
        "error" | "error: internal compiler error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let spans = message["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true).or_else(|| spans.first())?;
    // In what a macro made, the place is where it was called.
    let mut span = primary;
    while let Some(outer) = span.pointer("/expansion/span").filter(|outer| outer.is_object()) {
        span = outer;
    }
    let text = message["message"].as_str()?;
    let label = primary["label"].as_str().filter(|label| !label.is_empty() && !text.contains(label));
    Some(ReportedProblem {
        path: span["file_name"].as_str()?.to_owned(),
        folder: line["manifest_path"].as_str().and_then(|path| Some(PathBuf::from(path).parent()?.to_owned())),
        line: span["line_start"].as_u64().unwrap_or(0),
        column: span["column_start"].as_u64().unwrap_or(0),
        severity,
        code: message.pointer("/code/code").and_then(Value::as_str).map(str::to_owned),
        message: label.map_or_else(|| text.to_owned(), |label| format!("{text}: {label}")),
    })
}

/// ESLint has a file with its messages, Ruff a message with its file. `None` for anything else.
fn of_lint_json(output: &Value) -> Option<Vec<ReportedProblem>> {
    let mut found = Vec::new();
    for entry in output.as_array()? {
        match (entry["filePath"].as_str(), entry["filename"].as_str()) {
            (Some(path), _) => {
                let messages = entry["messages"].as_array().into_iter().flatten();
                found.extend(messages.filter_map(|message| of_eslint(path, message)));
            }
            (None, Some(path)) => found.extend(of_ruff(path, entry)),
            (None, None) => return None,
        }
    }
    Some(found)
}

fn of_eslint(path: &str, message: &Value) -> Option<ReportedProblem> {
    let severity = if message["severity"] == 1 { Severity::Warning } else { Severity::Error };
    of_message(path, (&message["line"], &message["column"]), severity, &message["ruleId"], &message["message"])
}

fn of_ruff(path: &str, message: &Value) -> Option<ReportedProblem> {
    let place = &message["location"];
    of_message(path, (&place["row"], &place["column"]), Severity::Unsaid, &message["code"], &message["message"])
}

fn of_message(
    path: &str,
    (line, column): (&Value, &Value),
    severity: Severity,
    code: &Value,
    message: &Value,
) -> Option<ReportedProblem> {
    let [line, column] = [line, column].map(|number| number.as_u64().unwrap_or(0));
    let (code, message) = (code.as_str().map(str::to_owned), message.as_str()?.to_owned());
    Some(ReportedProblem { path: path.to_owned(), folder: None, line, column, severity, code, message })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is read of an output, in words.
    fn check(stdout: &str, stderr: &str, expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for file in ["src/lib.rs", "src/a.ts", "a.py", "member/src/lib.rs"] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        let outputs = [stdout, stderr].map(|output| output.replace("ROOT", root.to_str().unwrap()));
        let read = read(&outputs[0], &outputs[1], &ProblemPlaces { root: &root }).unwrap();
        let words: Vec<String> = read.iter().map(Diagnostic::words).collect();
        assert_eq!(words, expected);
    }

    fn cargo(level: &str, spans: &Value) -> String {
        json!({"reason": "compiler-message", "manifest_path": "ROOT/member/Cargo.toml", "message":
            {"level": level, "message": "mismatched types", "code": {"code": "E0308"}, "spans": spans}})
        .to_string()
    }

    #[test]
    fn cargos_messages_have_their_code_and_what_the_place_says() {
        let span = json!({"file_name": "src/lib.rs", "line_start": 3, "column_start": 5, "is_primary": true,
            "label": "expected `u32`, found `&str`"});
        let other = json!({"file_name": "src/lib.rs", "line_start": 1, "column_start": 1, "is_primary": false});
        let error = cargo("error", &json!([other, span]));
        let artifact = json!({"reason": "compiler-artifact"}).to_string();
        let expected = "src/lib.rs:3:5: error[E0308]: mismatched types: expected `u32`, found `&str`";
        // The tests of a library are compiled apart, and say the same again.
        let output = [artifact, error.clone(), error, cargo("note", &json!([span])), cargo("error", &json!([]))];
        check(&output.join("\n"), "   Compiling a v0.1.0\n", &[expected]);
    }

    #[test]
    fn what_a_macro_made_is_told_where_the_macro_was_called() {
        let call = json!({"file_name": "src/lib.rs", "line_start": 9, "column_start": 2});
        let span = json!({"file_name": "/rustc/library/std/src/macros.rs", "line_start": 1, "column_start": 1,
            "is_primary": true, "expansion": {"span": call}});
        let warning = cargo("warning", &json!([span]));
        check(&warning, "", &["src/lib.rs:9:2: warning[E0308]: mismatched types"]);
    }

    #[test]
    fn eslint_and_ruff_are_told_apart_by_their_keys() {
        let eslint = json!([{"filePath": "ROOT/src/a.ts", "messages": [
            {"ruleId": "no-undef", "severity": 2, "message": "'x' is not defined.", "line": 1, "column": 2},
            {"ruleId": null, "severity": 1, "message": "Unused."}]}]);
        let expected = ["src/a.ts:1:2: error[no-undef]: 'x' is not defined.", "src/a.ts: warning: Unused."];
        check(&eslint.to_string(), "", &expected);
        let ruff = json!([{"filename": "ROOT/a.py", "code": "F401", "message": "`os` imported but unused",
            "location": {"row": 1, "column": 8}}]);
        check(&ruff.to_string(), "", &["a.py:1:8: [F401] `os` imported but unused"]);
        check("[]", "", &[]);
    }

    #[test]
    fn json_that_nobody_knows_is_not_taken_for_no_mistakes() {
        let places = ProblemPlaces { root: std::path::Path::new("/") };
        assert!(read(r#"[{"other": 1}]"#, "", &places).is_none());
        assert!(read("[1, 2", "", &places).is_none());
    }

    #[test]
    fn no_more_are_kept_than_the_limit() {
        let output: String = (1..=MAX_DIAGNOSTICS + 5).map(|line| format!("a.py:{line}:1: wrong\n")).collect();
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::write(root.join("a.py"), "").unwrap();
        assert_eq!(read(&output, "", &ProblemPlaces { root: &root }).unwrap().len(), MAX_DIAGNOSTICS);
    }
}
