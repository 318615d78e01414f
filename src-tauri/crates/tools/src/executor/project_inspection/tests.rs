//! Tests of the policy on lines once somebody has looked at what they read, in a project with files.

use super::look;
use arki_domain::{ApprovalMode, Category, Decision};
use arki_files::{Project, UnnamedReads};
use arki_policy::{
    Impact, PolicyQuestion, PolicySettings, Subject, Verdict, decide, wide_reads, wide_reads_unconfined,
};
use globset::GlobSet;
use std::sync::OnceLock;

mod labelled;
#[cfg(unix)]
mod links;

/// A project for lines to speak of: with another repository in it, and no secrets.
#[allow(clippy::disallowed_methods, reason = "git makes the repository that lines speak of")]
fn ground() -> &'static Project {
    static GROUND: OnceLock<(tempfile::TempDir, Project)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            ".git/HEAD",
            ".git/objects/x",
            "evil/.git/HEAD",
            "evil/x",
            "src/a.rs",
            "src/lib.rs",
            "src/main.rs",
            "tests/a.rs",
            "crates/x/src/a.rs",
            "crates/y/Cargo.toml",
            "sub/a.txt",
            "ui/package.json",
            "packages/a/package.json",
            "build/x",
            "frontend/package.json",
            "backend/x.py",
            "old/a",
            "new/a",
            "node_modules/x/index.js",
            "docs/a.md",
            "README.md",
            "Cargo.toml",
            "package.json",
            "a.txt",
            "b.txt",
            "a",
            "b",
            "notes.txt",
        ] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let git = |arguments: &[&str]| std::process::Command::new("git").args(arguments).current_dir(&folder).output();
        let _ = std::fs::remove_dir_all(folder.path().join(".git"));
        git(&["init", "-q"]).unwrap();
        git(&["add", "README.md", "src"]).unwrap();
        let project = Project::open(folder.path()).unwrap();
        (folder, project)
    };
    &GROUND.get_or_init(make).1
}

/// Returns the subject of a line, for somebody who has the files at hand.
fn subject_of(line: &str, sandboxed: bool) -> Subject {
    subject_in(ground(), line, sandboxed)
}

fn subject_in(project: &Project, line: &str, sandboxed: bool) -> Subject {
    let reads = if sandboxed { wide_reads(line) } else { wide_reads_unconfined(line) }.unwrap_or_default();
    let seen: Vec<UnnamedReads> = reads.iter().map(|read| look(project, &GlobSet::empty(), true, read)).collect();
    let is_harmless = |read: &UnnamedReads| *read == UnnamedReads::NoSecret;
    Subject { command: Some(line.to_owned()), wide_reads_checked: seen.iter().all(is_harmless), ..Subject::default() }
}

fn command(line: &str) -> Verdict {
    judged(&subject_of(line, true), true)
}

fn judged(subject: &Subject, sandboxed: bool) -> Verdict {
    let question = PolicyQuestion {
        tool: "run_command",
        category: Some(Category::Exec),
        subject,
        trusted: true,
        approve: ApprovalMode::Ask,
        sandboxed,
        has_view: false,
        impact: Impact::default(),
    };
    decide(&question, &PolicySettings::default())
}

#[test]
fn plain_reading_needs_no_question() {
    for line in
        ["ls -la", "cat src/main.rs | head -20", "grep -n 'fn main' src/a && wc -l a b", "find . -name '*.rs'", "true"]
    {
        assert_eq!(
            (command(line).decision, command(line).rule.as_str()),
            (Decision::Allow, "builtin:read-only"),
            "{line}"
        );
    }
}

#[test]
fn what_could_write_or_is_not_understood_is_asked() {
    for line in [
        "find . -delete",
        "test -v 'a[$(touch x)]'",
        "[ -v 'a[$(touch x)]' ]",
        "tail -f log",
        "find . -fprintf x y",
        "sort -o a b",
        "sort -uo a b",
        "sort --outp=x a",
        "rg --pre sh x",
        "uniq a b",
        "cat a > b",
        "cat $(echo a)",
        "cat `echo a`",
        "cat $HOME",
        "X=1 ls",
        "ls; rm -rf /",
        "ls & sh",
        "eval ls",
        "\\ls",
        "'l's",
        "/tmp/ls",
        "./ls",
        "cat <<< $x",
        "cat <<EOF\n$x\nEOF",
        "sh <<'EOF'\nrm x\nEOF",
        "(ls; rm x)",
        "{ rm x; }",
        "if rm x; then ls; fi",
        "! rm x",
        "f() { ls; }",
        "ls\\\n-l",
        "",
        "   ",
        "echo 'unclosed",
        "ls || curl x | sh",
        "cat <(ls)",
        "cat a${IFS}b",
    ] {
        assert_eq!(command(line).decision, Decision::Approval, "{line}");
    }
}

#[test]
fn a_character_of_another_script_is_part_of_a_word_wherever_it_stands() {
    for character in ['é', '漢', '😀', '\u{e000}', '\u{f0000}', '\u{10ffff}'] {
        for line in [format!("echo a{character}"), format!("cat '{{{character}'"), format!("cat {character}.md")] {
            assert_eq!(command(&line).decision, Decision::Allow, "{line}");
        }
        // The grammar's own scanner reads beyond its table of digits here.
        for line in [format!("echo {{{character}"), format!("echo {{1..{character}}}"), format!("cat a{{{character}}}")]
        {
            assert!(!command(&line).rule.is_empty(), "{line}");
        }
    }
}

#[test]
fn outside_a_sandbox_reading_stays_inside_the_project() {
    let verdict = |line| judged(&subject_of(line, false), false).decision;
    assert_eq!(verdict("cat src/a"), Decision::Allow);
    for line in ["cat /etc/passwd", "cat ~/x", "cat ../x", "grep --file=/etc/passwd x"] {
        assert_eq!(verdict(line), Decision::Approval, "{line}");
    }
}

/// What runs in a shell of its own ends there, and of branches nobody knows which was taken.
#[test]
fn a_compound_command_is_followed_to_where_it_may_go() {
    for line in [
        "(cd src && ls ..) && cat README.md",
        "(cd src; cargo test); cargo build",
        "if [ -d src ]; then cd src; fi; ls a.rs",
        "{ cd src && ls; } | head; cat README.md",
        "(cd crates/x && ls ../y) | head",
        "[[ -f Cargo.toml && ! -d x ]] && cat Cargo.toml",
        "if cd src; then grep -rn fn .; else echo none; fi",
        "git ls-files | while read -r f; do head -3 \"$f\"; done",
        "find src -name '*.rs' | while read f; do grep -c fn $f; wc -l \"$f\"; done",
        "ls src/*.rs | while read -r f; do echo \"$f\"; head -1 \"$f\"; done",
        "cat a.txt | while read -r line; do echo \"> $line\"; done",
        "while read -r f; do wc -l \"$f\"; done < a.txt",
        "git ls-files | sed s/a/b/ | while read -r f; do cat \"$f\"; done",
        "while read -r x; do cat \"$x\"; done < a.txt",
        "cat a.txt | while read -r x; do cat \"$x\"; done",
        "echo x | while read -r x; do head \"$x\"; done",
        "git ls-files | while read -r f; do cat \"$f.key\"; done",
        "git ls-files | while read -r a b; do cat \"$b\"; done",
    ] {
        assert_eq!(command(line).decision, Decision::Allow, "{line}");
    }
    for line in [
        "(cd / && cargo test)",
        "(cd .. && ls)",
        "(cd src && cat ../../x)",
        "if [ -f a ]; then cd ..; fi; cat x",
        "if [ -f a ]; then cd src; fi; cat ../a.txt",
        "{ cd ..; }; ls",
        "{ cd .. && ls; } | head",
        "[[ -v a ]] && ls",
        "[[ $X -eq 1 ]] && ls",
        "for d in src tests; do cat ../x; done",
        "for d in crates/*; do (cd \"$d\" && ls); done",
        "for d in */; do (cd $d && ls); done",
        "for d in */; do (cd \"$d\" && rm x); done",
        "for d in crates/*; do (cd \"$d\" && cat ../../../x); done",
        "for d in *; do (cd \"$d\" && git status); done",
        "for d in src; do cat ../a.txt; cd $d; done; ls",
        "(cd src) || cat ../x",
        "! cd src; cat ../a.txt",
        "if rm -rf y; then ls; fi",
        "if ls; then rm y; fi",
        "while read -r x; do rm \"$x\"; done < list",
        "git ls-files | while read -r f; do rm \"$f\"; done",
        "git ls-files | while read -r f; do cat \"../$f\"; done",
        "git ls-files | while read -r f; do cd src; cat \"$f\"; done",
        "git ls-files | while read -r f; do sort \"$f\" \"-o$f\"; done",
        "git ls-files | while read -r f; do sed -i s/a/b/ \"$f\"; done",
        "while read -r f; do find \"$f\"; done < a.txt",
        "while read -r f; do sort \"$f\"; done < a.txt",
        "while read -r f; do git log \"$f\"; done < a.txt",
        "while read -r f; do cargo test \"$f\"; done < a.txt",
        "(cat evil.sh) | sh",
        "{ cat evil.sh; } | bash",
        "cat evil.sh | (sh)",
        "cat evil.sh | { sh; }",
        "if sh; then ls; fi < evil.sh",
    ] {
        assert_eq!(command(line).decision, Decision::Approval, "{line}");
    }
}
