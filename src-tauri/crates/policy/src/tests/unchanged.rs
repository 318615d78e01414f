//! What is allowed because it only reads changes nothing: lines are made of every table, of the languages that some
//! programs speak, and of the labelled ones; whatever of them passes for reading is run, and the project is the same to
//! the last byte, mode and time.
//!
//! Twice over. In a project that is read-only, as it is done, where nothing may change whatever the line does. And in
//! one that is not, where a change shows that the line was misunderstood; but for its git directories, in which `git diff`
//! notes what it has seen.

#[path = "unchanged_lines.rs"]
mod lines;

use super::labelled::all_lines;
use crate::is_read_only;
use arki_disk::PrivateTempDir;
use arki_process::{
    CancellationToken, CommandLimits, CommandSpec, EnvironmentSpec, child_environment, inherited_environment,
};
use arki_sandbox::{Network, ProjectAccess, Sandbox, SandboxSpec};
use lines::{compound_commands, of_tables, other_languages, programs_of_awk, runs_all, scripts_of_sed, words_of_find};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Lines that are run between two looks at the project; a change is then looked for line by line.
const BATCH: usize = 250;
/// The time that a line may take. Some wait for ever.
const LIMIT_SECONDS: u32 = 1;

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
            shown: Vec::new(),
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
            sandbox: sandbox.map(Sandbox::as_confinement),
            terminal: false,
            time_limit: Duration::from_secs(900),
            limits: CommandLimits::default(),
            max_output_bytes: 2_000,
            meanwhile: None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let outcome = runtime.block_on(arki_process::run(spec, |_| {}, CancellationToken::new())).unwrap();
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

/// The state of a file that a command could change; reading may change when it was last read.
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

/// Returns the lines that change the project, of each batch the first.
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
        lines.iter().map(String::as_str).filter(|line| installed.has_all(line) && is_read_only(line)).collect();
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
            const OF_THE_SHELL: &[&str] = &[
                "!", ":", "[", "[[", "cd", "command", "echo", "exit", "for", "if", "printf", "set", "test", "type",
                "ulimit", "umask", "while", "{",
            ];
            let is_builtin = OF_THE_SHELL.contains(&program) || program.starts_with('(');
            is_builtin || std::env::split_paths(&folders).any(|folder| folder.join(program).exists())
        })
    }
}

#[test]
fn labelled_lines_that_read_change_nothing() {
    check(&all_lines(), 200);
}

#[test]
fn every_program_with_every_option_changes_nothing() {
    check(&sample(of_tables()), 200);
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
fn compound_commands_change_nothing() {
    check(&sample(compound_commands()), 100);
}

#[test]
fn other_programs_given_anything_change_nothing() {
    check(&sample(other_languages()), 100);
}

/// Those that pass for reading, but no more than can be run in a while.
fn sample(lines: Vec<String>) -> Vec<String> {
    const MOST: usize = 400;
    let mut reading: Vec<String> = lines.into_iter().filter(|line| is_read_only(line)).collect();
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
