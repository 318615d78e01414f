//! Broken JSON in plain words: where it breaks, and what was expected there.

/// Returns the sentence for JSON that can't be read. `what` names it, such as `--args`.
pub(crate) fn not_json(what: &str, error: &serde_json::Error) -> String {
    // Nothing at all has no place.
    let place = match (error.line(), error.column()) {
        (_, 0) => String::new(),
        (line, column) => format!(" at line {line}, column {column}"),
    };
    format!("{what} is not JSON{place}: {}.", expected(&error.to_string()))
}

/// The parser's words, by what they begin with, and ours.
const WORDS: [(&str, &str); 20] = [
    ("EOF while parsing a value", "it ends where a value was expected"),
    ("EOF while parsing a list", "it ends before the list's closing bracket `]`"),
    ("EOF while parsing an object", "it ends before the object's closing brace `}`"),
    ("EOF while parsing a string", "it ends before the text's closing quote"),
    ("EOF", "it ends too early"),
    (
        "expected value",
        "a value was expected: a number, a text in double quotes, a list, an object, true, false or null",
    ),
    ("expected ident", "true, false or null was expected"),
    ("expected `:`", "a colon was expected after the name"),
    ("expected `,` or `]`", "a comma or the list's closing bracket `]` was expected"),
    ("expected `,` or `}`", "a comma or the object's closing brace `}` was expected"),
    ("expected `\"`", "a closing double quote was expected"),
    ("key must be a string", "a name in double quotes was expected"),
    ("trailing comma", "a value was expected after the comma"),
    ("trailing characters", "the end was expected, as the value is complete"),
    ("invalid number", "a digit was expected"),
    ("number out of range", "a smaller number was expected"),
    ("control character", "line breaks and tabs within a text must be written as `\\n` and `\\t`"),
    ("invalid escape", "after a backslash, one of `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t` or `u` was expected"),
    ("recursion limit", "it is nested too deeply"),
    ("invalid unicode", "four hexadecimal digits that stand for a character were expected after `\\u`"),
];

fn expected(told: &str) -> &'static str {
    let found = WORDS.iter().find(|(begin, _)| told.starts_with(begin));
    found.map_or("a `\\u` escape there stands for no character", |(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[track_caller]
    fn check(text: &str, words: &str) {
        let error = serde_json::from_str::<Value>(text).unwrap_err();
        let told = not_json("--args", &error);
        assert!(told.starts_with("--args is not JSON") && told.contains(words), "{text}: {told} ({error})");
        for jargon in ["EOF", "parsing", "ident", "trailing", "key must"] {
            assert!(!told.contains(jargon), "{told}");
        }
    }

    #[test]
    fn broken_json_is_told_with_its_place_and_what_was_expected() {
        check("", "JSON: it ends where a value was expected.");
        check("{", "at line 1, column 1: it ends before the object's closing brace");
        check("{\"a\":", "column 5: it ends where a value");
        check("[1", "closing bracket");
        check("\"a", "closing quote");
        check("{a: 1}", "column 2: a name in double quotes was expected");
        check("{\n \"a\" 1}", "line 2, column 6: a colon");
        check("[1 2]", "a comma or the list's");
        check("{\"a\": 1 2}", "a comma or the object's");
        check("[1,]", "after the comma");
        check("{\"a\": 1,}", "after the comma");
        check("{} x", "the end was expected");
        check("Ada", "a value was expected: a number");
        check("tru", "it ends where a value");
        check("trux", "true, false or null");
        check("-x", "a digit");
        check("1e999", "a smaller number");
        check("\"a\nb\"", "line breaks");
        check("\"\\x\"", "after a backslash");
        check("\"\\uzzzz\"", "after a backslash");
        check("\"\\ud800\"", "");
        check(&"[".repeat(500), "nested too deeply");
    }
}
