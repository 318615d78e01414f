use super::shell_runs;
use arki_domain::ShellText;
use std::collections::BTreeSet;

const ROOT: &str = "/home/me/project";

fn of(text: &str, place: Option<&str>) -> (Vec<String>, String) {
    let folders = BTreeSet::from([ROOT.to_owned()]);
    let runs = shell_runs(&ShellText { text, place, root: ROOT, folders: &folders });
    let unknown: Vec<String> = runs.unknown.into_iter().map(|unknown| unknown.why).collect();
    (runs.files.into_iter().map(|file| file.path).collect(), unknown.join("; "))
}

#[track_caller]
fn check(line: &str, expected: &[&str]) {
    let (files, unknown) = of(line, None);
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    assert_eq!((files.as_slice(), unknown.as_str()), (expected, ""), "{line}");
}

#[track_caller]
fn unknown(line: &str, why: &str) {
    let (_, unknown) = of(line, None);
    assert!(unknown.contains(why), "{line}: {unknown:?}");
}

#[test]
fn what_a_line_names_for_certain_is_told() {
    check("./check.sh --fast", &["check.sh"]);
    check("cargo fmt", &[]);
    check("jq -r .tool_input.file_path | grep -q push && exit 2; exit 0", &[]);
    check("f=$(jq -r .file_path); prettier --write \"$f\" 2>>log.txt", &[]);
    check("sh \"$PWD/.hooks/h.sh\"", &[".hooks/h.sh"]);
    check("\"${PWD}\"/.hooks/h.sh x", &[".hooks/h.sh"]);
    check("\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py", &[".claude/hooks/guard.py"]);
    check("python3 ${CLAUDE_PROJECT_DIR}/tools/guard \"$X\"", &["tools/guard"]);
    check("/home/me/project/a.sh; /usr/bin/env true; $(pwd)/b.sh", &["a.sh", "b.sh"]);
    check("jq -r .x | node tools/fmt.mjs $(jq .y)", &["tools/fmt.mjs"]);
    check("bash -eu scripts/guard && env X=1 timeout 5 scripts/b --all", &["scripts/b", "scripts/guard"]);
    check("cd .hooks && ./h.sh", &[".hooks/h.sh", "h.sh"]);
    check("bash -c 'sh h.sh' && (. ./lib.sh)", &["h.sh", "lib.sh"]);
    check("sh .hooks/*.sh", &[".hooks/*.sh"]);
    check("node -r ./x.js --import=./z.js y.js", &["x.js", "y.js", "z.js"]);
    check("find . -name '*.tmp' -exec ./clean {} +", &["clean"]);
    check("git diff --name-only | xargs ./lint", &["lint"]);
    check("trap 'sh end.sh' EXIT; ./a", &["a", "end.sh"]);
    check("python3 -E x.py; python3 -c 'print(1)' \"$X\"; perl -pe 's/a/b/' x; awk '{print}' x", &["x.py"]);
    check("sh ü.sh", &["ü.sh"]);
    let modules =
        ["pkg.py", "pkg/__init__.py", "pkg/__main__.py", "pkg/m.py", "pkg/m/__init__.py", "pkg/m/__main__.py"];
    check("python3 -u -m pkg.m", &modules);
}

#[test]
fn a_script_finds_what_lies_beside_it() {
    let script = |text: &str, expected: &[&str]| {
        let (files, unknown) = of(text, Some("/home/me/project/.hooks/h.sh"));
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        assert_eq!((files.as_slice(), unknown.as_str()), (expected, ""), "{text}");
    };
    script(". \"$(dirname \"$0\")/lib.sh\"", &[".hooks/lib.sh"]);
    script("source \"${BASH_SOURCE%/*}/lib.sh\"", &[".hooks/lib.sh"]);
    script(". \"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" >/dev/null 2>&1 && pwd)/lib.sh\"", &[".hooks/lib.sh"]);
    let branches = "#!/bin/sh\nset -eu\n# x\nif [ -f lib.sh ]; then . ./lib.sh; fi\ncase $1 in a) sh a.sh;; esac\n";
    script(branches, &["a.sh", "lib.sh"]);
    script("helper() { ./x \"$1\"; }\nwhile read -r line; do helper \"$line\"; done\nexec ./y \"$@\"\n", &["x", "y"]);
}

#[test]
fn what_is_not_certain_is_told_with_its_reason() {
    for line in ["sh \"$(cat name)\"", "`cat name`", "sh .hooks/$(ls .hooks)", "timeout 5 \"$(pick)\"", "sh ~/x.sh"] {
        unknown(line, "it builds the name of what it runs with");
    }
    for line in ["$CMD x", "sh \"$1\"", "\"$@\"", "sh ${DIR}/h.sh", "node -r \"$X\" y.js", "D=a; sh $D/h.sh"] {
        unknown(line, "it names what it runs with $");
    }
    for line in ["PWD=/x; sh $PWD/h.sh", "export \"PWD=/x\"", "for PWD in a b; do sh $PWD/h.sh; done", "read -r PWD"] {
        unknown(line, "PWD");
    }
    unknown("eval \"$X\"", "eval");
    for line in ["cat h.sh | sh", "sh <&3", "sh < x.sh", "ls .hooks | xargs sh", "cat x | python3 -", "node"] {
        unknown(line, "runs what it is fed");
    }
    unknown("find .hooks -name '*.sh' -exec sh {} \\;", "it runs whatever it finds");
    unknown("find .hooks -type f -exec {} \\;", "it runs whatever it finds");
    for line in ["make lint", "npm run x", "npx eslint .", "just", "cargo test", "python3 -m pytest", "uv run x"] {
        unknown(line, "runs what files of the project say");
    }
    unknown("PATH=$PWD/bin:$PATH lint", "it sets PATH");
    unknown("env NODE_OPTIONS=--require=./x.js prettier .", "it sets NODE_OPTIONS");
    unknown("node --odd ./a real", "--odd");
    unknown("sh /tmp/x.sh", "/tmp/x.sh, outside the folder");
    unknown("bash /dev/stdin", "/dev/stdin, outside the folder");
    for line in ["cd \"$X\" && ./h.sh", "command cd $X; ./h.sh", "cd; ./h.sh"] {
        unknown(line, "it changes to a folder whose name it builds");
    }
    unknown("while true; do ./h.sh; cd sub; done", "it changes folders in a function or a loop");
    unknown("sh h.sh & (", "can't read all of it");
    unknown("parallel sh ::: a.sh", "`parallel` runs what its arguments say");
    unknown("alias x='sh h.sh'; x", "alias");
    unknown("sh {a,b}.sh", "{a,b}.sh");
    unknown("awk -f tools/a.awk x", "`awk` runs a file of commands");
}

#[test]
fn what_runs_after_a_change_of_folder_starts_there() {
    let folders = BTreeSet::from([ROOT.to_owned()]);
    let runs = shell_runs(&ShellText { text: "(cd sub && sh x.sh); ./y", place: None, root: ROOT, folders: &folders });
    let files: Vec<&str> = runs.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(files, ["sub/x.sh", "x.sh", "y"]);
    assert!(runs.folders.contains("/home/me/project/sub") && runs.folders.contains(ROOT), "{:?}", runs.folders);
}
