//! What is allowed because it only reads changes nothing: lines are made of every table, of the languages that some
//! programs speak, and of the labelled ones; whatever of them passes for reading is run, and the project is the same to
//! the last byte, mode and time.
//!
//! Twice over. In a project that is read-only, as it is done, where nothing may change whatever the line does. And in
//! one that is not, where a change shows that the line was misunderstood; but for its git directories, in which `git diff`
//! notes what it has seen.

use super::corpus::all_lines;
use crate::policy::is_read_only;
use crate::policy::read_only::tables;
use arki_workspace::{
    CancellationToken, CommandLimits, CommandSpec, EnvironmentSpec, Network, PrivateTempDir, ProjectAccess, Sandbox,
    SandboxSpec, child_environment, inherited_environment,
};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Lines that are run between two looks at the project; a change is then looked for line by line.
const BATCH: usize = 250;
/// How long a line may take. Some wait for ever.
const LIMIT_SECONDS: u32 = 1;
/// Made up for each language.
const MADE_UP: usize = 60_000;

/// A project with something of everything, beside a home.
struct World {
    folder: tempfile::TempDir,
    temp_dir: PrivateTempDir,
}

const SETUP: &str = r#"
    set -e
    git init -q -b main . && git config user.name me && git config user.email me@example.org
    printf 'one\ntwo\nthree\n' >file; printf 'a/b]c x out\n' >notes.txt; printf '{"a":[1,2]}\n' >data.json
    printf '1,2\n3,4\n' >table.csv; mkdir -p sub/below node_modules/x empty; cp file sub/a.rs; cp file sub/below/b.txt
    printf '{"name":"x","version":"1.0.0","scripts":{"test":"true"}}' | tee package.json >node_modules/x/package.json
    printf 'touch out\n' >-e; printf 'link set lo down\n' >a; printf 'echo x >out\n' >x; cp file +; cp file 'b c'
    tar cf archive.tar file sub; gzip -k table.csv; ln -s file link; ln -s nowhere dangling; chmod 600 data.json
    git add -A && git commit -qm first && git tag v1 && git branch other && git stash list
    git notes add -m note && git worktree add -q ../tree other
    git init -q sub/nested && git -C sub/nested -c user.name=m -c user.email=m@e.org commit -q --allow-empty -m one
    printf 'four\n' >>file; touch -d '2020-01-01' notes.txt sub/a.rs; git add table.csv
"#;

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        ["project", "home", "lines"].iter().for_each(|name| fs::create_dir(folder.path().join(name)).unwrap());
        let world = Self { folder, temp_dir: PrivateTempDir::create().unwrap() };
        let (output, exit_code) = world.run(None, SETUP);
        assert_eq!(exit_code, Some(0), "{output}");
        world
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn spec(&self, project: ProjectAccess) -> SandboxSpec {
        SandboxSpec {
            project_root: self.path("project"),
            project,
            temp_dir: self.temp_dir.path().to_owned(),
            hidden: Vec::new(),
            also_writable: Vec::new(),
            network: Network::None,
            secrets: None,
            trash: None,
            journals: None,
        }
    }

    fn run(&self, sandbox: Option<&Sandbox>, line: &str) -> (String, Option<i32>) {
        let spec = EnvironmentSpec { temp_dir: self.temp_dir.path(), sandbox: sandbox.map(Sandbox::name) };
        let mut environment = child_environment(inherited_environment(), &[], spec);
        environment.retain(|(name, _)| name != "HOME");
        environment.push(("HOME".to_owned(), self.path("home").display().to_string()));
        let spec = CommandSpec {
            command_line: line.to_owned(),
            directory: self.path("project"),
            environment,
            sandbox,
            terminal: false,
            time_limit: Duration::from_secs(900),
            limits: CommandLimits::default(),
            max_output_bytes: 2_000,
            meanwhile: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let outcome = runtime.block_on(arki_workspace::run(spec, |_| {}, CancellationToken::new())).unwrap();
        (outcome.output, outcome.exit_code)
    }

    /// Each as the shell gets it, one after another.
    fn run_all(&self, sandbox: &Sandbox, lines: &[&str]) {
        fs::write(self.path("lines/all"), lines.join("\0") + "\0").unwrap();
        let script = format!(
            "while IFS= read -r -d '' line <&3; do timeout -s KILL {LIMIT_SECONDS} bash -c -- \"$line\" \
             </dev/null >/dev/null 2>&1; done 3<{}",
            self.path("lines/all").display()
        );
        let (output, exit_code) = self.run(Some(sandbox), &script);
        assert!(exit_code.is_some(), "the lines did not end: {output}");
    }

    fn tree(&self) -> BTreeMap<PathBuf, Known> {
        let mut tree = BTreeMap::new();
        ["project", "home", "tree"].iter().for_each(|name| add(&self.path(name), &mut tree));
        tree
    }
}

/// What of a file a command could change; reading may change when it was last read.
#[derive(Debug, PartialEq, Eq)]
struct Known {
    inode: u64,
    mode: u32,
    written: (i64, i64),
    changed: (i64, i64),
    content: Vec<u8>,
}

fn add(path: &Path, tree: &mut BTreeMap<PathBuf, Known>) {
    let found = path.symlink_metadata().unwrap();
    let content = match found.file_type() {
        kind if kind.is_symlink() => path.read_link().unwrap().into_os_string().into_encoded_bytes(),
        kind if kind.is_file() => fs::read(path).unwrap(),
        _ => Vec::new(),
    };
    let (written, changed) = ((found.mtime(), found.mtime_nsec()), (found.ctime(), found.ctime_nsec()));
    tree.insert(path.to_owned(), Known { inode: found.ino(), mode: found.mode(), written, changed, content });
    if found.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| add(&entry.unwrap().path(), tree));
    }
}

/// Which of the lines change the project, of each batch the first.
fn that_change(access: ProjectAccess, layer: usize, lines: &[&str]) -> Vec<String> {
    let changed = lines.chunks(BATCH).filter_map(|batch| first_that_changes(access, layer, batch));
    changed.collect()
}

/// In a new project each time, for what was done once need not be done again.
fn first_that_changes(access: ProjectAccess, layer: usize, lines: &[&str]) -> Option<String> {
    let world = World::new();
    let sandbox = Sandbox::prepare_each(&world.spec(access)).unwrap().swap_remove(layer);
    let before = world.tree();
    world.run_all(&sandbox, lines);
    let after = world.tree();
    if after == before {
        return None;
    }
    let (first, rest) = lines.split_at(lines.len() / 2);
    if !first.is_empty() {
        let found = first_that_changes(access, layer, first).or_else(|| first_that_changes(access, layer, rest));
        return found.or_else(|| Some(format!("{}: only together: {lines:?}", sandbox.name())));
    }
    let paths = after.keys().chain(before.keys()).filter(|path| after.get(*path) != before.get(*path));
    Some(format!("{}: {:?} changes {:?}", sandbox.name(), lines[0], paths.take(3).collect::<Vec<_>>()))
}

/// Fails where one that passes for reading changes anything.
fn check(lines: &[String], at_least: usize) {
    let installed = Installed::default();
    let mut reading: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| installed.has_all(line) && is_read_only(line, true)).collect();
    reading.sort_unstable();
    reading.dedup();
    println!("{} of {} lines pass for reading and are run", reading.len(), lines.len());
    assert!(reading.len() >= at_least, "{} of {}", reading.len(), lines.len());
    let layers = Sandbox::layers().iter().filter(|layer| layer.available).count();
    let held = (0..layers).flat_map(|layer| that_change(ProjectAccess::ReadOnly, layer, &reading));
    let wrong: Vec<String> = held.chain(that_change(ProjectAccess::Writable, 0, &reading)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whoever is not here can't be run here.
#[derive(Default)]
struct Installed(std::cell::RefCell<HashMap<String, bool>>);

impl Installed {
    fn has_all(&self, line: &str) -> bool {
        let program = line.split(' ').next().unwrap_or_default();
        *self.0.borrow_mut().entry(program.to_owned()).or_insert_with(|| {
            let folders = std::env::var_os("PATH").unwrap_or_default();
            let is_builtin = ["cd", "type", "command", "echo", "printf", "test", "["].contains(&program);
            is_builtin || std::env::split_paths(&folders).any(|folder| folder.join(program).exists())
        })
    }
}

/// Values that would show where an option names a file to write, or something to run.
const VALUES: &[&str] = &["out", "3"];

/// Every program with every option, before and after files, with values attached and apart.
fn of_tables() -> Vec<String> {
    let mut lines = Vec::new();
    for (name, short, long) in tables() {
        let mut options: Vec<String> = vec![String::new()];
        let letters: Vec<char> = short.chars().collect();
        for (place, letter) in letters.iter().enumerate().filter(|(_, letter)| letter.is_ascii_alphanumeric()) {
            match letters.get(place + 1) {
                Some(':') => VALUES.iter().for_each(|value| options.push(format!("-{letter} '{value}'"))),
                Some('?') => options.extend([format!("-{letter}"), format!("-{letter}3")]),
                _ => options.push(format!("-{letter}")),
            }
        }
        for word in long.split_ascii_whitespace() {
            match word.strip_suffix(['=', '?']) {
                Some(word) => VALUES.iter().for_each(|value| options.push(format!("--{word}='{value}'"))),
                None => options.push(format!("--{word}")),
            }
        }
        // One after another, or all of them, and slow programs once with each option.
        let is_slow =
            ["npm", "pip", "pip3", "docker", "gh", "kubectl", "rpm", "apt"].contains(&name.split(' ').next().unwrap());
        let operands = if is_slow { &[""][..] } else { &["", " file", " file out", " sub", " -- a x"] };
        for (number, option) in options.iter().enumerate() {
            let operands = if runs_all() { operands } else { &operands[number % operands.len()..][..1] };
            lines.extend(operands.iter().map(|rest| format!("{name} {option}{rest}")));
        }
    }
    lines
}

/// A small generator of numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

fn made_up(seed: u64, pieces: &[&str], most: usize, around: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let mut numbers = Numbers(seed);
    let one = |_| {
        let count = 1 + numbers.below(most);
        let text: String = (0..count).map(|_| pieces[numbers.below(pieces.len())]).collect();
        around(&text)
    };
    (0..MADE_UP).flat_map(one).collect()
}

const BRACKETS: &[&str] = &[
    "[x]",
    "[]x]",
    "[^]x]",
    "[]/]",
    "[^]/]",
    "[/]",
    "[[:alpha:]x]",
    "[[:alpha:]/]",
    "[[.x.]y]",
    "[[./.]y]",
    "[[.].]/]",
    "[[=x=]y]",
    "[[=]=]/]",
    "[^[:space:]]",
    "[a\\]",
    "[\\]/]",
    "[\\/]",
    "[\\n]",
    "[[]",
    "[]]",
    "[^]]",
    "[][]",
    "[[:x]",
    "[:]",
];

fn scripts_of_sed() -> Vec<String> {
    let tails =
        ["w out", "e touch out", "e", "r out", "W out", "R out", "p", "d", "", "s/x/touch out/e", "s/x/y/w out"];
    let mut scripts: Vec<String> = Vec::new();
    for bracket in BRACKETS {
        for tail in tails {
            for second in [";", "/;", "]/;", "/]/;", "x/;", "\\]/;", "\n", "/p;"] {
                scripts.push(format!("/{bracket}/{second}{tail}"));
                scripts.push(format!("/{bracket}{second}{tail};/x/p"));
                scripts.push(format!("s/{bracket}/x/{second}{tail}"));
                scripts.push(format!("s/{bracket}{second}{tail}/x/"));
                scripts.push(format!("s|{bracket}|touch out{second}|{tail}"));
                scripts.push(format!("s/x/{bracket}{second}{tail}"));
                scripts.push(format!("y/{bracket}/abc/{second}{tail}"));
                scripts.push(format!("/{bracket}/,/{bracket}{second}/{tail}"));
                scripts.push(format!("/{bracket}/{{{tail}{second}}}"));
            }
        }
    }
    let pieces = [
        "[",
        "]",
        "^",
        "[:alpha:]",
        "[.x.]",
        "[=x=]",
        "\\",
        "\\\\",
        "/",
        "/",
        "/",
        "e touch out",
        "w out",
        ";",
        "s/",
        "y/",
        "p",
        "\n",
        "x",
        "|",
        "&",
        "{",
        "}",
        "!",
        "$",
        "1",
        ",",
        "g",
        "e",
        "w",
        "s|",
        "s,",
        "#",
        "*",
        "\\(",
        "\\{",
        "I",
        "M",
        "0~2",
    ];
    let quoted = |script: &str| vec![format!("sed '{script}' notes.txt")];
    let mut lines: Vec<String> = scripts.iter().flat_map(|script| quoted(script)).collect();
    lines.extend(made_up(1, &pieces, 9, quoted));
    lines
}

fn words_of_find() -> Vec<String> {
    let pieces = [
        " -exec",
        " -execdir",
        " -ok",
        " +",
        " {}",
        " \\;",
        " ';'",
        " echo",
        " sort",
        " -o",
        " out",
        " file",
        " -name",
        " -path",
        " -print",
        " -printf",
        " -fprint",
        " -fls",
        " -delete",
        " (",
        " \\(",
        " \\)",
        " !",
        " cat",
        " touch",
        " -a",
        " ,",
        " -newer",
        " x",
        " -L",
        " -regex",
        " -maxdepth",
        " 1",
        " -size",
        " uniq",
        " '*'",
    ];
    let wholes = [
        "find . -exec sort + -o -name ';'",
        "find . -exec sort + -o -name \\;",
        "find . -exec uniq + out ';' -name x",
        "find . -name -exec -exec sort -o out ';'",
        "find . -maxdepth 1 -exec echo {} + -print",
    ];
    let mut lines = made_up(2, &pieces, 8, |words| vec![format!("find .{words}"), format!("find . -exec{words}")]);
    lines.extend(wholes.map(str::to_owned));
    lines
}

fn programs_of_awk() -> Vec<String> {
    let pieces = [
        "{",
        "}",
        "print",
        "printf",
        " ",
        "\"x\"",
        "\"out\"",
        ">",
        ">>",
        "|",
        "|&",
        "system(",
        "\"touch out\"",
        ")",
        "getline",
        "<",
        "$1",
        "NR",
        "==",
        "1",
        ";",
        "BEGIN",
        "END",
        "/x/",
        "/[/]/",
        "\\",
        "\n",
        "close(",
        "fflush(",
        "-",
        "=",
        "@include ",
        "@load ",
        "ENVIRON",
        "sub(/x/,\"y\")",
        "in",
        "~",
    ];
    made_up(3, &pieces, 8, |program| vec![format!("awk '{program}' notes.txt"), format!("awk 'BEGIN{{{program}}}'")])
}

fn other_languages() -> Vec<String> {
    let words = [
        " -o",
        " out",
        " -x",
        " -c",
        " -f",
        " -t",
        " -",
        " --",
        " file",
        " sub",
        " -b",
        " -S",
        " -D",
        " -T",
        " --output=out",
        " --files0-from=x",
        " --to-command=x",
        " -I",
        " x",
        " a",
        " -i",
        " -n",
        " -r",
        " -w",
        " -v",
        " l",
        " set",
        " show",
        " add",
        " list",
        " --compress-program=x",
        " -d",
        " HEAD",
        " --output",
        " -O",
        " --ext-diff",
        " --textconv",
        " --exec",
        " archive.tar",
        " 'b c'",
        " --checkpoint-action=exec=x",
        " diff",
        " log",
        " branch",
        " tag",
        " status",
        " config",
        " --list",
        " remote",
        " notes",
        " reflog",
        " expire",
        " -1",
    ];
    let programs = [
        "tar",
        "sort",
        "uniq",
        "env",
        "ip",
        "date",
        "git",
        "git diff",
        "git log",
        "git branch",
        "git tag",
        "git config",
        "xxd",
        "tree",
        "file",
        "hostname",
        "jq .",
        "grep",
        "rg x",
        "xargs",
        "test",
        "[ x",
        "timeout 1",
        "nice",
        "command",
        "time",
        "du",
        "diff",
        "od",
        "column",
    ];
    let mut lines = Vec::new();
    for (number, program) in programs.iter().enumerate() {
        let mut numbers = Numbers(100 + number as u64);
        for _ in 0..MADE_UP / programs.len() {
            let count = 1 + numbers.below(4);
            let rest: String = (0..count).map(|_| words[numbers.below(words.len())]).collect();
            lines.push(format!("{program}{rest}"));
            lines.push(format!("LC_ALL=C {program}{rest} | head -n 1"));
        }
    }
    lines
}

#[test]
fn labelled_lines_that_read_change_nothing() {
    check(&all_lines(), 200);
}

#[test]
fn every_program_with_every_option_changes_nothing() {
    check(&of_tables(), 1_500);
}

#[test]
fn scripts_of_sed_change_nothing() {
    check(&sample(scripts_of_sed()), 100);
}

#[test]
fn words_of_find_change_nothing() {
    check(&sample(words_of_find()), 100);
}

#[test]
fn programs_of_awk_change_nothing() {
    check(&sample(programs_of_awk()), 100);
}

#[test]
fn other_programs_given_anything_change_nothing() {
    check(&sample(other_languages()), 100);
}

/// As `ARKI_ALL_LINES=1` asks for; that takes half an hour.
fn runs_all() -> bool {
    std::env::var_os("ARKI_ALL_LINES").is_some()
}

/// Those that pass for reading, but no more than can be run in a while.
fn sample(lines: Vec<String>) -> Vec<String> {
    const MOST: usize = 400;
    let mut reading: Vec<String> = lines.into_iter().filter(|line| is_read_only(line, true)).collect();
    reading.sort_unstable();
    reading.dedup();
    if runs_all() || reading.len() <= MOST {
        return reading;
    }
    let every = reading.len() / MOST;
    reading.into_iter().step_by(every).collect()
}

/// The look at the project sees what it has to.
#[test]
fn whatever_changes_is_seen() {
    let world = World::new();
    let project = world.path("project");
    let changes: Vec<Box<dyn Fn()>> = vec![
        Box::new(|| fs::write(project.join("sub/new"), "").unwrap()),
        Box::new(|| fs::write(project.join(".git/x"), "").unwrap()),
        Box::new(|| fs::set_permissions(project.join("file"), fs::Permissions::from_mode(0o755)).unwrap()),
        Box::new(|| fs::File::open(project.join("file")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap()),
        Box::new(|| symlink("x", project.join("other")).unwrap()),
        Box::new(|| fs::remove_file(project.join("link")).unwrap()),
    ];
    for (number, change) in changes.iter().enumerate() {
        let before = world.tree();
        change();
        assert!(world.tree() != before, "change {number}");
    }
}
