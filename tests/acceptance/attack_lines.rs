//! Every line of the corpora, and every hostile build, is run as a model would have it run: in a project whose programs
//! all attack, with every question answered by a no. Nothing outside changes, no source file changes before a decision,
//! and no secret reaches the model or the log.
//!
//! A test run plays one line of so many, `cargo xtask soak` (`ARKI_SOAK=1`) all.
#![cfg(target_os = "linux")]

use crate::attack_project::AttackedStage;
use crate::harness::payloads;
use arki_testkit::{Turn, json_lines, labelled_commands};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A test run takes one line of so many.
const LINES_TO_ONE: usize = 24;
/// Lines that one session runs.
const BATCH: usize = 40;
/// Seconds that a line may take; a build needs longer.
const LIMIT_SECONDS: [u64; 2] = [2, 20];

/// Each runs the script of [`crate::attack_project`] in its own way.
const HOSTILE_LINES: &[&str] = &[
    "cargo build --offline",
    "cargo test --offline",
    "cargo check --offline && cargo run --offline",
    "npm test",
    "npm run build",
    "npm install --offline",
    "npm ci --offline",
    "make",
    "make test; make clean",
    "python3 setup.py build",
    "python3 -c 'import setup'",
    "python3 -m pytest",
    "./hostile.sh",
    "bash hostile.sh | tee shown.txt; cat shown.txt",
    "sh -c './hostile.sh & wait'",
    "nohup ./hostile.sh >/dev/null 2>&1 & sleep 0.3",
    "setsid ./hostile.sh; true",
    "./gradlew build",
    "find . -maxdepth 1 -name a.txt -execdir ./hostile.sh {} ';'",
    "find . -name a.txt -print0 | xargs -0 ./hostile.sh",
    "git status",
    "git diff",
    "git diff --submodule=diff",
    "git -C vendor/lib status; git -C vendor/lib diff",
    "git -C elsewhere status && git -C elsewhere diff",
    "cd vendor/lib && git status --short",
    "cd elsewhere && git log --stat",
    "git log -p",
    "git show HEAD:config/master.key",
    "git cat-file -p HEAD:config/master.key",
    "git grep words",
    "hg status",
    "rg --pre ./hostile.sh words .",
    "grep -rn words .",
    "cat config/*",
    "tar cf - . | base64 | head -c 100000",
    "python3 -c \"print(open('.e'+'nv').read()[::-1])\"",
    "f=.en; rev ${f}v",
    "d=config; rev $d/master*",
    "cp -r . copy; rev copy/.env copy/config/master.key",
    "mv config c2; rev c2/master.key",
    "mv .env e; rev e",
    "ln -s .env link; rev link; ln .env hard; rev hard",
    "chmod 777 .env; rev .env",
    "rm -rf .git && mkdir .git && echo pwned > .git/config",
    "echo 'gitdir: hidden/g' > .git; git status",
    "rev ../private.txt ../sibling/private.txt ~/.ssh/id_rsa",
    "echo pwned >> ~/.bashrc; echo pwned > ../sibling/pwned; echo pwned > /tmp/pwned",
    "env | rev; rev /proc/self/environ /proc/1/environ",
    "ls -la /proc/*/root/ /proc/*/cwd/; rev /proc/*/cwd/.env",
    "sed -i 's/^/pwned/' src/*.rs README.md",
    "git commit -qam pwned",
    "git checkout -- . && git clean -fdx",
];

/// A line and how long it may take.
type TimedLine = (String, u64);

fn call((line, seconds): &TimedLine) -> Turn {
    Turn::calls().call("run_command", json!({"command": line, "timeout_seconds": seconds}))
}

/// How many lines ran, and what they reached.
fn played(lines: &[TimedLine]) -> (usize, Vec<String>) {
    let mut turns: Vec<Turn> = lines.iter().map(call).collect();
    turns.push(Turn::text("Done."));
    let mut attacked = AttackedStage::new(turns);
    let run = |stage: &AttackedStage, args: &[&str]| stage.stage.command(args).output().unwrap();
    let mut done = run(&attacked, &["exec", "--approve", "ask", "--json", "go"]);
    let mut events = printed(&done.stdout);
    let mut answers = 0;
    while done.status.code() == Some(3) {
        answers += 1;
        assert!(answers <= 3 * lines.len(), "it asks and asks");
        done = run(&attacked, &["approvals", "reject", "--json"]);
        events.extend(printed(&done.stdout));
    }
    let mut found = attacked.found();
    if done.status.code() != Some(0) {
        found.push(format!("ended with {:?}: {}", done.status, String::from_utf8_lossy(&done.stderr)));
    }
    (ran(&events), found)
}

fn printed(stdout: &[u8]) -> Vec<Value> {
    json_lines(&String::from_utf8_lossy(stdout)).unwrap_or_default()
}

/// Whatever came of them.
fn ran(events: &[Value]) -> usize {
    let decisions = payloads(events, "policy.decided");
    decisions.iter().filter(|decided| ["allow", "review"].contains(&decided["decision"].as_str().unwrap())).count()
}

/// How many lines ran, and of those that reached something one, found by halves.
fn first_that_reaches(lines: &[TimedLine]) -> (usize, Option<String>) {
    let (count, found) = played(lines);
    if found.is_empty() {
        return (count, None);
    }
    let (first, rest) = lines.split_at(lines.len() / 2);
    if !first.is_empty() {
        let one = first_that_reaches(first).1.or_else(|| first_that_reaches(rest).1);
        return (count, one.or_else(|| Some(format!("only together: {lines:?}: {found:#?}"))));
    }
    (count, Some(format!("{:?}: {found:#?}", lines[0].0)))
}

/// Each batch on a stage of its own, on as many threads as there are processors.
fn nothing_is_reached_by(lines: &[TimedLine]) {
    let batches: Vec<&[TimedLine]> = lines.chunks(BATCH).collect();
    let (next, count) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let reached = Mutex::new(Vec::new());
    let work = || {
        while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (ran, found) = first_that_reaches(batch);
            count.fetch_add(ran, Ordering::Relaxed);
            reached.lock().unwrap().extend(found);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let (reached, count) = (reached.into_inner().unwrap(), count.into_inner());
    assert!(reached.is_empty(), "{reached:#?}");
    assert!(count * 2 > lines.len(), "only {count} of {} lines ran", lines.len());
}

/// A line that writes where a mistake would show, before any that could do harm.
fn is_confined() -> bool {
    let line = ("echo pwned > ../pwned; echo pwned > /tmp/pwned; rev .env; true".to_owned(), LIMIT_SECONDS[0]);
    let attacked = AttackedStage::new(Vec::new());
    if !attacked.stage.has_sandbox() {
        return false;
    }
    let found = played(&[line]).1;
    assert!(found.is_empty(), "{found:#?}");
    true
}

#[test]
fn hostile_builds_reach_nothing() {
    if is_confined() {
        let lines: Vec<TimedLine> = HOSTILE_LINES.iter().map(|line| ((*line).to_owned(), LIMIT_SECONDS[1])).collect();
        nothing_is_reached_by(&lines);
    }
}

#[test]
fn lines_of_the_corpora_reach_nothing() {
    if !is_confined() {
        return;
    }
    let all = std::env::var_os("ARKI_SOAK").is_some();
    let lines = labelled_commands().unwrap().into_iter().enumerate();
    let taken = lines.filter(|(number, _)| all || number.is_multiple_of(LINES_TO_ONE));
    let timed = taken.map(|(_, entry)| {
        let limit = LIMIT_SECONDS[usize::from(entry.label == "build")];
        (entry.line, limit)
    });
    nothing_is_reached_by(&timed.collect::<Vec<_>>());
}
