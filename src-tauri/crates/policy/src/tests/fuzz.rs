//! The command parser against made-up lines, for a bounded number of them: it never panics, and where it understands a
//! line, bash itself runs just the commands that it saw.

use super::command;
use crate::{CommandLine, Shell};
use arki_domain::Decision;
use proptest::prelude::*;

/// Pieces that shells stumble over.
const PIECES: &[&str] = &[
    " ",
    "  ",
    "\t",
    "\n",
    "\r",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<EOF\n",
    "\nEOF\n",
    "<<<",
    "(",
    ")",
    "{",
    "}",
    "{}",
    "[",
    "]",
    "[[",
    "]]",
    "((",
    "$",
    "$(",
    "${x}",
    "$'",
    "`",
    "'",
    "\"",
    "\\",
    "\\\n",
    "\\;",
    "#",
    "!",
    "*",
    "?",
    "~",
    "=",
    "a=b",
    "A=1 ",
    "LC_ALL=C ",
    "ls",
    "echo",
    "rm x",
    "cat a",
    "git log",
    "find . ",
    "-exec ",
    "-name ",
    "sh -c ",
    "bash -c ",
    "env ",
    "time ",
    "timeout 5 ",
    "xargs ",
    "sudo ",
    "if ",
    "then ",
    "fi",
    "for ",
    "in ",
    "for f in a b; do ",
    "; done",
    "$f",
    "\"$f\"",
    "${f}",
    "$?",
    "2>&1",
    " >/dev/null",
    " 2> /dev/null",
    " &>/dev/null",
    " </dev/null",
    "/dev/null",
    "2>",
    "do ",
    "done",
    "case ",
    "esac",
    "function ",
    "coproc ",
    "test ",
    "sed -n ",
    "1p",
    "w out",
    "--",
    "-",
    "-rf",
    "/",
    "./",
    "..",
    "\u{200b}",
    "\u{a0}",
    "\u{2028}",
    "é",
    "𝒜",
    "\u{0}",
    "\u{7f}",
    "%",
    "@",
    ",",
    ":",
    "+",
    "^",
];

fn lines_of_pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[ -~]{1,6}",
        1 => any::<char>().prop_map(String::from),
    ];
    proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Lines that are mostly understood.
fn plain_lines() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => proptest::sample::select(&["ls", "cat", "a", "-l", "--x=y", "src/b", "'c d'", "\"e f\"", "\"\\.g\"", "h'i'\"j\"", "\\;", "\\(", "k\\ l",
            "{}", "a{b,c}d", "{a,-l}/e", "x{3..1}", "@{u}", "{,f}g", "{a,b", "m=n", "'$x'", "\"a$\"", "\"q\\\"r\"", "~", "%", "@", "+", "#s", "t#u", "'v\nw'", "é"][..]).prop_map(str::to_owned),
        1 => "[a-z]{1,4}",
        1 => "'[ -&(-~]{0,5}'",
        1 => "\"[ -!#%-\\[\\]-_a-~]{0,5}\"",
    ];
    let joint = proptest::sample::select(
        &[
            " ",
            "  ",
            "\t",
            "; ",
            ";",
            " && ",
            "|",
            " | ",
            " || ",
            "\n",
            "\n\n",
            " # x\n",
            " 2>&1; ",
            ">/dev/null ",
            " 2>/dev/null | ",
            " |& ",
            " &>/dev/null\n",
            " </dev/null && ",
        ][..],
    );
    proptest::collection::vec((word, joint), 1..12)
        .prop_map(|parts| parts.into_iter().map(|(word, joint)| format!("{word}{joint}")).collect::<String>())
}

/// Loops over literal lists, most of them plain.
fn loops() -> impl Strategy<Value = String> {
    let value = proptest::sample::select(
        &["a", "b/c", "'d'", "\"e f\"", "g\\ h", "-x", "k=l", "é", "#", "''", "'*'", "$f"][..],
    );
    let word = proptest::sample::select(
        &[
            "a", "$f", "\"$f\"", "x$f", "${f}y", "'$f'", "\"$f z\"", "-l", "$f$f", "\"a\"$f", "${f:-n}", "$g", "\\$f",
            "f", "done", "do", "in",
        ][..],
    );
    let joint = proptest::sample::select(&[" ", " ", "; ", " && ", " | ", "\n", " 2>&1; ", " >/dev/null\n"][..]);
    let head = proptest::sample::select(&["; do ", "\ndo ", "\ndo\n", ";do ", " do ", "; "][..]);
    let end = proptest::sample::select(
        &["; done", "\ndone", "; done 2>/dev/null", "; done | a", "; done && a b", "; done; a", " done", ""][..],
    );
    let list = proptest::collection::vec(value, 1..4);
    let body = proptest::collection::vec((word, joint), 0..5);
    (list, head, body, end).prop_map(|(list, head, body, end)| {
        let body: String = body.into_iter().map(|(word, joint)| format!("{word}{joint}")).collect();
        format!("for f in {}{head}a {}{end}", list.join(" "), body.trim_end_matches([' ', ';', '\n', '&', '|']))
    })
}

/// Subshells, groups, branches and loops within each other, most of them plain.
fn compounds() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(
        &["a", "b c", "'d e'", "if", "fi", "( x", "} y", "! z", "[ -f a ]", "then", "do", "{", "}", "!", "#"][..],
    );
    let joint = || proptest::sample::select(&["; ", " && ", "\n", " || ", " | ", " "][..]);
    word.prop_map(str::to_owned).prop_recursive(3, 12, 3, move |inner| {
        let list = proptest::collection::vec((inner, joint()), 1..4).prop_map(|parts| {
            let line: String = parts.into_iter().map(|(part, joint)| format!("{part}{joint}")).collect();
            line.trim_end_matches([' ', ';', '\n', '&', '|']).to_owned()
        });
        let end = proptest::sample::select(&["; ", "\n", " ;", " "][..]);
        (0..8_usize, list.clone(), list.clone(), list, end).prop_map(|(form, a, b, c, end)| match form {
            0 => format!("({a})"),
            1 => format!("( {a}{end})"),
            2 => format!("{{ {a}{end}}}"),
            3 => format!("if {a}{end}then {b}{end}fi"),
            4 => format!("if {a}{end}then {b}{end}else {c}{end}fi 2>/dev/null"),
            5 => format!("if {a}{end}then\n{b}{end}elif {c}{end}then {a}{end}fi"),
            6 => format!("! {a}"),
            _ => format!("for f in x y{end}do {a}{end}done"),
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_line_makes_the_parser_panic_and_opaque_ones_are_never_allowed(line in lines_of_pieces()) {
        let verdict = command(&line);
        let parsed = CommandLine::parse_as(Shell::Bash, &line);
        prop_assert!(parsed.commands().is_some() || verdict.decision != Decision::Allow, "{line:?}");
        let traced = crate::trace::trace_in(Shell::Bash, verdict.decision, &verdict.rule, &verdict.reason.to_string(), Some(&line));
        prop_assert!(traced.is_some_and(|traced| !traced.parts.is_empty()), "{line:?}");
        let _ = CommandLine::parse_as(Shell::PowerShell, &line);
    }
}

/// Returns what bash ran of each line, by its own account.
#[cfg(unix)]
#[allow(clippy::disallowed_methods, reason = "bash is the judge of what bash would do")]
fn run_by_bash(lines: &[String], status: &str) -> Vec<Vec<Vec<String>>> {
    // No command is found and no built-in one is on, so each only says what it was called with.
    let mut script = format!(
        "exec 9>&1\nPATH=/nonexistent\n\
         command_not_found_handle() {{ {status} printf '%s\\037' \"$@\" $'\\036' >&9; }}\n\
         names=\nwhile read -r name; do [ $name = printf ] || names+=\" $name\"; done < <(compgen -b)\nenable -n $names\n"
    );
    for line in lines {
        script.push_str(&format!("{line}\n__next_line\n"));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("script");
    std::fs::write(&file, script).unwrap();
    let run = std::process::Command::new("/bin/bash")
        .args(["--norc", "--noprofile"])
        .arg(&file)
        .env_clear()
        .current_dir(folder.path())
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8(run.stdout).unwrap();
    let calls = said.split_terminator("\u{1e}\u{1f}");
    let mut ran = vec![Vec::new()];
    for call in calls {
        let argv: Vec<String> = call.split_terminator('\u{1f}').map(str::to_owned).collect();
        match argv.first().map(String::as_str) {
            Some("__next_line") => ran.push(Vec::new()),
            _ => ran.last_mut().unwrap().push(argv),
        }
    }
    ran.pop();
    assert_eq!(ran.len(), lines.len(), "bash stopped: {}", String::from_utf8_lossy(&run.stderr));
    ran
}

/// The lines that are understood, of so many made up; those left out that bash would change beyond quotes, and those
/// whose commands would write into each other's account: bash writes a line at a time.
#[cfg(unix)]
fn understood(strategy: impl Strategy<Value = String>, made_up: usize, wanted: usize) -> Vec<String> {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::default();
    let lines = (0..made_up).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    let plain = |line: &String| {
        let parsed = CommandLine::parse_as(Shell::Bash, line);
        parsed.simple().is_some_and(|commands| {
            let words = || commands.iter().flat_map(|command| &command.words);
            let named = |command: &&crate::SimpleCommand| command.name() != "time" && !command.name().contains('/');
            // What bash can't open it does not run.
            let is_fed = parsed.all().iter().any(|command| !command.inputs.is_empty());
            !is_fed
                && words().all(|word| {
                    let is_two_lines_of_a_pipe = word.text.contains('\n') && line.contains('|');
                    let is_home = word.text.starts_with('~') || word.text.contains("=~");
                    !(word.expands || is_two_lines_of_a_pipe || is_home)
                })
                && commands.iter().all(named)
        })
    };
    lines.filter(plain).take(wanted).collect()
}

#[cfg(unix)]
#[test]
fn what_is_understood_is_what_bash_runs() {
    if !std::path::Path::new("/bin/bash").exists() {
        return;
    }
    let mut lines = understood(plain_lines(), 3000, 150);
    lines.extend(understood(lines_of_pieces(), 30_000, 150));
    let looped = understood(loops(), 6_000, 150);
    assert!(looped.len() > 50, "{}", looped.len());
    lines.extend(looped);
    let compound = understood(compounds(), 6_000, 300);
    assert!(compound.len() > 200, "{}", compound.len());
    lines.extend(compound);
    assert!(lines.len() > 150, "{}", lines.len());
    let (all_succeed, all_fail) = (run_by_bash(&lines, ""), run_by_bash(&lines, "!"));
    for ((line, succeeding), failing) in lines.iter().zip(all_succeed).zip(all_fail) {
        let parsed = CommandLine::parse_as(Shell::Bash, line);
        let argv = |command: &crate::SimpleCommand| -> Vec<String> {
            command.words.iter().map(|word| word.text.clone()).collect()
        };
        let mut seen: Vec<Vec<String>> = parsed.simple().unwrap().into_iter().map(argv).collect();
        for call in succeeding.iter().chain(&failing) {
            assert!(seen.contains(call), "bash runs {call:?}, of which nothing was seen in {line:?}");
        }
        if !["||", "if ", "! "].iter().any(|choice| line.contains(choice)) {
            let mut succeeding = succeeding;
            succeeding.sort();
            seen.sort();
            assert_eq!(succeeding, seen, "{line:?}");
        }
    }
    println!("{} lines that bash takes for the same", lines.len());
}
