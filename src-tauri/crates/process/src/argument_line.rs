//! The one text that a program on Windows gets for all its arguments, and takes apart by itself. Pure.
//!
//! Nearly all do it as Microsoft's C library does. Batch files do not: `cmd` reads the text before they do, and takes what
//! it can for commands (CVE-2024-24576); for these it is written as Rust's standard library does since then.

/// Builds the line for a program that reads it as C programs do. `None` for what can't be written: a NUL.
pub(super) fn for_program(program: &str, arguments: &[impl AsRef<str>]) -> Option<String> {
    if program.contains(['\0', '"']) {
        return None;
    }
    // The first is a name and knows no backslashes.
    let mut line = format!("\"{program}\"");
    for argument in arguments {
        let argument = argument.as_ref();
        if argument.contains('\0') {
            return None;
        }
        line.push(' ');
        let is_plain = !argument.is_empty() && !argument.contains([' ', '\t', '\n', '\r', '\u{b}', '"']);
        if is_plain {
            line.push_str(argument);
        } else {
            push_quoted(&mut line, argument, "\\\"");
        }
    }
    Some(line)
}

/// Builds the line for `cmd.exe`, which is to run the batch file `script`. `None` for what can't be written: a NUL, the
/// end of a line, a script's name that would end its own quotes.
pub(super) fn for_batch_file(script: &str, arguments: &[impl AsRef<str>]) -> Option<String> {
    if script.contains(['\0', '"', '\r', '\n', '%']) || script.ends_with('\\') {
        return None;
    }
    // Extensions on, for `escape_percent`; variables between exclamation marks off; nothing of the registry's to run before.
    let mut line = format!("cmd.exe /e:ON /v:OFF /d /c \"\"{script}\"");
    for argument in arguments {
        let argument = argument.as_ref();
        if argument.contains(['\0', '\r', '\n']) {
            return None;
        }
        line.push(' ');
        push_quoted(&mut line, &escape_percent(argument), "\"\"");
    }
    line.push('"');
    Some(line)
}

/// Part of the working folder's name, from nowhere to nowhere, which is nothing: with it `%PATH%` names no variable.
fn escape_percent(argument: &str) -> String {
    argument.replace('%', "%%cd:~,%")
}

/// Backslashes mean themselves, but before a quote they are read in pairs.
fn push_quoted(line: &mut String, argument: &str, quote: &str) {
    line.push('"');
    let mut backslashes = 0;
    for character in argument.chars() {
        match character {
            '\\' => backslashes += 1,
            '"' => {
                line.extend(std::iter::repeat_n('\\', backslashes));
                backslashes = 0;
                line.push_str(quote);
                continue;
            }
            _ => backslashes = 0,
        }
        line.push(character);
    }
    line.extend(std::iter::repeat_n('\\', backslashes));
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn program(arguments: &[&str]) -> String {
        for_program("p", arguments).unwrap().strip_prefix("\"p\"").unwrap().to_owned()
    }

    fn batch(arguments: &[&str]) -> String {
        let line = for_batch_file(r"C:\a b\x.cmd", arguments).unwrap();
        let line = line.strip_prefix(r#"cmd.exe /e:ON /v:OFF /d /c ""C:\a b\x.cmd""#).unwrap();
        line.strip_suffix('"').unwrap().to_owned()
    }

    /// Splits a command line as Microsoft describes it for C programs, the name left out.
    fn read(line: &str) -> Vec<String> {
        let mut arguments: Vec<String> = Vec::new();
        let mut current: Option<String> = None;
        let (mut backslashes, mut is_quoted) = (0, false);
        for character in line.chars().chain([' ', '\0']) {
            if character == '\\' {
                backslashes += 1;
                continue;
            }
            let meant = if character == '"' { backslashes / 2 } else { backslashes };
            let is_escaped = character == '"' && backslashes % 2 == 1;
            if backslashes > 0 {
                current.get_or_insert_default().extend(std::iter::repeat_n('\\', meant));
            }
            backslashes = 0;
            match character {
                '"' if !is_escaped => {
                    is_quoted = !is_quoted;
                    current.get_or_insert_default();
                }
                ' ' | '\t' if !is_quoted => arguments.extend(current.take()),
                other => current.get_or_insert_default().push(other),
            }
        }
        arguments
    }

    #[test]
    fn arguments_are_quoted_where_they_must_be() {
        assert_eq!(program(&["a", "b c", "", r"d\e", "f\"g"]), r#" a "b c" "" d\e "f\"g""#);
        assert_eq!(program(&[r"a b\", r#"c\"d"#, r"C:\x\"]), r#" "a b\\" "c\\\"d" C:\x\"#);
    }

    #[test]
    fn a_batch_file_is_given_nothing_that_cmd_would_read() {
        assert_eq!(batch(&["a", "b & calc", ""]), r#" "a" "b & calc" """#);
        assert_eq!(batch(&["a\" & calc"]), r#" "a"" & calc""#);
        assert_eq!(batch(&["%PATH%"]), r#" "%%cd:~,%PATH%%cd:~,%""#);
        assert_eq!(batch(&[r"a\", r#"b\"c"#]), r#" "a\\" "b\\""c""#);
    }

    #[test]
    fn what_cannot_be_said_is_refused() {
        assert_eq!(for_program("p", &["a\0"]), None);
        assert_eq!(for_program("p\" x", &["a"]), None);
        for argument in ["a\0", "a\nb", "a\rb"] {
            assert_eq!(for_batch_file("x.cmd", &[argument]), None, "{argument:?}");
        }
        for script in ["a\".cmd", "%a%.cmd", "a\\"] {
            assert_eq!(for_batch_file(script, &["a"]), None, "{script}");
        }
    }

    proptest! {
        #[test]
        fn what_a_program_reads_is_what_was_meant(arguments in prop::collection::vec("[a\\\\\" \t%&é]{0,8}", 0..5)) {
            let line = for_program("p", &arguments).unwrap();
            prop_assert_eq!(read(line.strip_prefix("\"p\"").unwrap()), arguments);
        }

        /// Quotes come in pairs, so that for `cmd` all of it stays in quotes.
        #[test]
        fn no_argument_leaves_its_quotes(argument in "[a\\\\\" %&|^<>()!]{0,12}") {
            let line = batch(&[&argument]);
            let inner = line.strip_prefix(" \"").unwrap().strip_suffix('"').unwrap();
            prop_assert!(!inner.replace("\"\"", "").contains('"'));
        }
    }
}
