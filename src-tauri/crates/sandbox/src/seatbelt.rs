//! The profile for `sandbox-exec`, macOS's own way to confine a program and all that it starts. Pure.
//!
//! It begins with nothing allowed, and names what is. Of a git directory nothing can be written, or, by git's own
//! commands, only what git writes while it works, by its exact names: what a disk without upper and lower case takes
//! for `hooks` has more spellings than can be listed. A path is said in full and in quotes; one that could end its
//! quotes is refused, and nothing runs.

mod probe;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::kept_secrets::secrets_beside_git;
use super::{
    ARKI_FOLDER, CommandReach, GitAccess, Network, OWN_GIT, ProjectAccess, Root, STEERS_GIT, SandboxSpec, SecretSight,
};
pub(super) use probe::ProbeWorld;

const BASE: &str = include_str!("seatbelt/base.sb");
const NETWORK: &str = include_str!("seatbelt/network.sb");

/// The folders in `.git`, with what is below them.
const GIT_FOLDERS: &[&str] =
    &["objects", "refs", "logs", "lfs", "rr-cache", "rebase-merge", "rebase-apply", "sequencer"];
/// The files in `.git`; each can have a `.lock` beside it.
const GIT_FILES: &str = "AUTO_MERGE BISECT_LOG BISECT_NAMES BISECT_START BISECT_TERMS CHERRY_PICK_HEAD \
    COMMIT_EDITMSG FETCH_HEAD HEAD MERGE_HEAD MERGE_MODE MERGE_MSG MERGE_RR ORIG_HEAD REBASE_HEAD REVERT_HEAD \
    SQUASH_MSG TAG_EDITMSG gc.log gc.pid index packed-refs shallow";

/// The paths that a command may use, and what for, all of them absolute and with their links followed.
#[derive(Debug, Default)]
pub(super) struct SeatbeltPaths {
    pub(super) writable: Vec<PathBuf>,
    /// Seen, whatever hides what is around them, and not written.
    pub(super) readable: Vec<PathBuf>,
    /// Neither seen nor written, unless a writable one lies in it.
    pub(super) hidden: Vec<PathBuf>,
    /// Git directories, and whether of them what git writes while it works is written, or nothing.
    pub(super) git: Vec<PathBuf>,
    pub(super) git_access: GitAccess,
    /// Never written, whether they exist or not.
    pub(super) read_only: Vec<PathBuf>,
    /// The command's terminal.
    pub(super) terminal: Option<PathBuf>,
}

impl SeatbeltPaths {
    /// Looked at as they are now.
    pub(super) fn of(spec: &SandboxSpec, terminal: Option<&Path>, reach: CommandReach<'_>) -> Self {
        let CommandReach { found: git, git: git_access, writes_hooks, secrets, .. } = reach;
        let root = spec.project_root.canonicalize().unwrap_or_else(|_| spec.project_root.clone());
        // A project that is a repository without a `.git` is there to be written.
        let (own, below): (Vec<_>, Vec<_>) = git.folders.keys().partition(|folder| folder.as_os_str().is_empty());
        let is_held = |path: &&PathBuf| git_access == GitAccess::ReadOnly || **path == Path::new(OWN_GIT);
        let secrets = match secrets {
            SecretSight::Shown => Vec::new(),
            SecretSight::Hidden | SecretSight::HiddenAlsoInStores => git.secrets.iter().cloned().collect(),
            SecretSight::HiddenFromGit => secrets_beside_git(&root, git),
        };
        let is_writable = spec.project == ProjectAccess::Writable;
        let mut read_only = vec![root.join(ARKI_FOLDER)];
        read_only.extend(git.pointers.keys().filter(is_held).map(|path| root.join(path)));
        read_only.extend(git.included.iter().map(|path| root.join(path)));
        read_only.extend(git.hooks.iter().filter(|_| !writes_hooks).map(|path| root.join(path)));
        read_only.extend(own.iter().flat_map(|_| STEERS_GIT.iter().map(|name| root.join(name))));
        let (writable, readable): (Vec<_>, Vec<_>) = spec.roots().into_iter().partition(|root| root.is_writable);
        let shown = spec.shown().into_iter().map(|shown| shown.real);
        let paths = |roots: Vec<Root>| roots.into_iter().map(|root| root.path).collect::<Vec<_>>();
        Self {
            writable: paths(writable),
            readable: paths(readable).into_iter().chain(shown).collect(),
            hidden: spec.hidden_spellings().all.into_iter().chain(secrets.iter().map(|path| root.join(path))).collect(),
            // Where nothing may be written, nothing is allowed again.
            git: below.into_iter().filter(|_| is_writable).map(|folder| root.join(folder)).collect(),
            git_access,
            read_only,
            terminal: terminal.map(Path::to_owned),
        }
    }
}

/// A path that can't be said without a chance of saying something else.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unsayable(pub(super) PathBuf);

pub(super) fn profile(paths: &SeatbeltPaths, network: Network) -> Result<String, Unsayable> {
    let mut profile = Profile(BASE.to_owned());
    if network == Network::Granted {
        profile.0.push_str(NETWORK);
    }
    if let Some(terminal) = &paths.terminal {
        profile
            .rule("allow file-read* file-write* file-ioctl", &[literal(terminal)?, literal(Path::new("/dev/tty"))?])?;
    }
    let roots = paths.writable.iter().chain(&paths.readable);
    let is_inside = |path: &&PathBuf| roots.clone().any(|root| path.starts_with(root));
    profile.hide(paths.hidden.iter().filter(|path| !is_inside(path)))?;
    for root in &paths.readable {
        profile.rule("allow file-read*", &[subpath(root)?])?;
        profile.show_way_to(root)?;
    }
    for root in &paths.writable {
        profile.rule("allow file-read* file-write*", &[subpath(root)?])?;
        // It could otherwise be moved away and another put in its place.
        profile.rule("deny file-write-unlink", &[literal(root)?])?;
        profile.show_way_to(root)?;
    }
    profile.hide(paths.hidden.iter().filter(is_inside))?;
    for git in &paths.git {
        profile.protect_git(git, paths.git_access)?;
    }
    for path in &paths.read_only {
        profile.rule("deny file-write*", &[literal(path)?, subpath(path)?])?;
    }
    Ok(profile.0)
}

struct Profile(String);

impl Profile {
    fn rule(&mut self, words: &str, filters: &[String]) -> Result<(), Unsayable> {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "({words} {})", filters.join(" "));
        Ok(())
    }

    fn show_way_to(&mut self, root: &Path) -> Result<(), Unsayable> {
        root.ancestors().skip(1).try_for_each(|ancestor| self.rule("allow file-read-metadata", &[literal(ancestor)?]))
    }

    fn hide<'a>(&mut self, hidden: impl Iterator<Item = &'a PathBuf>) -> Result<(), Unsayable> {
        for path in hidden {
            self.rule("deny file-read* file-write*", &[literal(path)?, subpath(path)?])?;
        }
        Ok(())
    }

    fn protect_git(&mut self, git: &Path, access: GitAccess) -> Result<(), Unsayable> {
        self.rule("deny file-write*", &[literal(git)?, subpath(git)?])?;
        if access == GitAccess::ReadOnly {
            return Ok(());
        }
        let mut written = Vec::new();
        for folder in GIT_FOLDERS {
            written.push(subpath(&git.join(folder))?);
        }
        for file in GIT_FILES.split(' ') {
            written.push(literal(&git.join(file))?);
            written.push(literal(&git.join(format!("{file}.lock")))?);
        }
        written.push(format!(r##"(require-all {} (regex #"/next-index-[0-9]+(\.lock)?$"))"##, subpath(git)?));
        self.rule("allow file-write*", &written)
    }
}

fn literal(path: &Path) -> Result<String, Unsayable> {
    Ok(format!("(literal {})", quoted(path)?))
}

fn subpath(path: &Path) -> Result<String, Unsayable> {
    Ok(format!("(subpath {})", quoted(path)?))
}

fn quoted(path: &Path) -> Result<String, Unsayable> {
    let text = path.to_str().filter(|text| path.is_absolute() && !text.contains(['"', '\\']));
    let text = text.filter(|text| !text.contains(char::is_control));
    text.map(|text| format!("\"{text}\"")).ok_or_else(|| Unsayable(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::super::sensitive;
    use super::*;
    use std::sync::Mutex;

    fn reach_of(found: &sensitive::Sensitive, git: GitAccess) -> CommandReach<'_> {
        CommandReach { found, git, writes_hooks: false, secrets: SecretSight::Shown, view: None, door: None }
    }

    fn paths() -> SeatbeltPaths {
        SeatbeltPaths {
            writable: vec!["/Users/u/project".into(), "/private/tmp/run".into()],
            readable: Vec::new(),
            hidden: vec!["/Users/u/.ssh".into(), "/Users/u/project/.env-store".into()],
            git: vec!["/Users/u/project/.git".into()],
            git_access: GitAccess::Writable,
            read_only: vec!["/Users/u/project/.arki".into()],
            terminal: None,
        }
    }

    fn of(paths: &SeatbeltPaths) -> String {
        profile(paths, Network::None).unwrap()
    }

    /// The place of a rule: a later one wins.
    fn place(profile: &str, rule: &str) -> usize {
        profile.find(rule).unwrap_or_else(|| panic!("{rule} is not in\n{profile}"))
    }

    #[test]
    fn it_is_what_was_reviewed() {
        insta::assert_snapshot!(of(&paths()).strip_prefix(BASE).unwrap());
    }

    #[test]
    fn nothing_is_allowed_that_is_not_named() {
        let profile = of(&paths());
        assert!(profile.starts_with("(version 1)\n") && profile.contains("\n(deny default)\n"));
        assert!(!profile.contains("allow default") && !profile.contains("no-sandbox"));
        for word in ["network", "system-socket", "appleevent", "lsopen", "SecurityServer", "securityd", "procargs"] {
            assert!(!profile.contains(&format!("({word}")) && !profile.contains(&format!("allow {word}")), "{word}");
            assert!(
                !profile.contains(&format!("com.apple.{word}")) && !profile.contains(&format!("kern.{word}")),
                "{word}"
            );
        }
        assert_eq!(profile.matches("(allow mach-lookup").count(), 1);
    }

    #[test]
    fn a_granted_network_is_by_address_and_reaches_no_socket_but_the_resolvers() {
        let profile = profile(&paths(), Network::Granted).unwrap();
        for rule in profile.lines().filter(|line| line.starts_with("(allow network")) {
            assert!(
                rule.contains(" ip \"*:*\"") || rule.contains("(literal \"/private/var/run/mDNSResponder\")"),
                "{rule}"
            );
        }
        assert!(!profile.contains("unix") && !profile.contains("SecurityServer"));
    }

    #[test]
    fn what_is_written_last_protects() {
        let profile = of(&paths());
        let project = place(&profile, "(allow file-read* file-write* (subpath \"/Users/u/project\"))");
        assert!(place(&profile, "(deny file-read* file-write* (literal \"/Users/u/.ssh\")") < project);
        assert!(place(&profile, "(deny file-read* file-write* (literal \"/Users/u/project/.env-store\")") > project);
        let git = place(&profile, "(deny file-write* (literal \"/Users/u/project/.git\") (subpath");
        assert!(git > project);
        let written = &profile[place(&profile, "(allow file-write* (subpath \"/Users/u/project/.git/objects\")")..];
        assert!(place(&profile, written) > git);
        assert!(written.contains("/.git/index.lock\"") && !written.contains("hooks") && !written.contains("config"));
        assert!(place(&profile, "(deny file-write* (literal \"/Users/u/project/.arki\")") > project);
        assert!(place(&profile, "(deny file-write-unlink (literal \"/Users/u/project\"))") > project);
    }

    #[test]
    fn a_project_in_a_hidden_folder_is_itself_visible() {
        let profile = of(&SeatbeltPaths { hidden: vec!["/Users/u".into()], ..paths() });
        let hidden = place(&profile, "(deny file-read* file-write* (literal \"/Users/u\") (subpath \"/Users/u\"))");
        assert!(hidden < place(&profile, "(allow file-read* file-write* (subpath \"/Users/u/project\"))"));
        assert!(hidden < place(&profile, "(allow file-read-metadata (literal \"/Users/u\"))"));
    }

    #[test]
    fn what_is_there_decides_what_is_protected() {
        let world = ProbeWorld::new().unwrap();
        let paths_with = |git| {
            let found = sensitive::find(&world.project(), &Mutex::default());
            SeatbeltPaths::of(&world.spec(), None, reach_of(&found, git))
        };
        let paths = paths_with(GitAccess::Writable);
        assert_eq!(paths.git, [world.project().join(".git")]);
        assert_eq!(paths.read_only, [world.project().join(".arki")]);
        assert!(paths.writable.contains(&world.project()) && paths.writable.len() == 2);
        assert!(paths.hidden.contains(&world.project().with_file_name("hidden")));
        std::fs::create_dir_all(world.project().join("nested/.git")).unwrap();
        assert!(paths_with(GitAccess::ReadOnly).git.contains(&world.project().join("nested/.git")));
        std::fs::remove_dir_all(world.project().join(".git")).unwrap();
        std::fs::write(world.project().join(".git"), "gitdir: elsewhere").unwrap();
        let paths = paths_with(GitAccess::Writable);
        assert_eq!(paths.git, [world.project().join("nested/.git")]);
        assert!(paths.read_only.contains(&world.project().join(".git")));
        assert_ne!(of(&paths), BASE);
    }

    #[test]
    fn nothing_of_a_read_only_git_directory_is_written() {
        let profile = of(&SeatbeltPaths { git_access: GitAccess::ReadOnly, ..paths() });
        place(&profile, "(deny file-write* (literal \"/Users/u/project/.git\") (subpath");
        assert!(!profile.contains("(allow file-write* (subpath \"/Users/u/project/.git/objects\")"));
        assert!(!profile.contains("next-index"));
    }

    #[test]
    fn a_read_only_project_is_seen_and_nothing_in_it_is_allowed_to_be_written() {
        let world = ProbeWorld::new().unwrap();
        let found = sensitive::find(&world.project(), &Mutex::default());
        let spec = SandboxSpec { project: ProjectAccess::ReadOnly, ..world.spec() };
        let reach = reach_of(&found, GitAccess::Writable);
        let paths = SeatbeltPaths {
            hidden: vec![world.project().parent().unwrap().into()],
            ..SeatbeltPaths::of(&spec, None, reach)
        };
        let profile = of(&paths);
        let project = world.project().display().to_string();
        place(&profile, &format!("(allow file-read* (subpath \"{project}\"))"));
        let allows_writing = |line: &&str| line.starts_with("(allow") && line.contains("file-write");
        assert!(profile.lines().filter(allows_writing).all(|line| !line.contains(&project)), "{profile}");
        assert!(profile.lines().filter(allows_writing).any(|line| line.contains("/temp\"")), "{profile}");
    }

    #[test]
    fn no_terminal_is_in_reach_but_the_commands_own() {
        let with = of(&SeatbeltPaths { terminal: Some("/dev/ttys007".into()), ..paths() });
        assert!(
            with.contains(
                "(allow file-read* file-write* file-ioctl (literal \"/dev/ttys007\") (literal \"/dev/tty\"))"
            )
        );
        assert!(!of(&paths()).contains("\"/dev/tty\""));
    }

    #[test]
    fn a_path_that_could_say_something_else_is_refused_wherever_it_stands() {
        for name in ["a\"b", "a\\b", "a\nb", "a\")) (allow default) ((\"", "a\u{7f}", "a\u{0}b"] {
            let path = PathBuf::from(format!("/Users/u/{name}"));
            for paths in [
                SeatbeltPaths { writable: vec![path.clone()], ..paths() },
                SeatbeltPaths { hidden: vec![path.clone()], ..paths() },
                SeatbeltPaths { git: vec![path.clone()], ..paths() },
                SeatbeltPaths { read_only: vec![path.clone()], ..paths() },
                SeatbeltPaths { terminal: Some(path.clone()), ..paths() },
            ] {
                assert_eq!(profile(&paths, Network::None), Err(Unsayable(path.clone())), "{name:?}");
            }
        }
        assert!(profile(&SeatbeltPaths { writable: vec!["relative".into()], ..paths() }, Network::None).is_err());
        let strange = SeatbeltPaths { writable: vec!["/Users/u/Ünïcode (1); it's $HOME #x".into()], ..paths() };
        assert!(of(&strange).contains("(subpath \"/Users/u/Ünïcode (1); it's $HOME #x\")"));
    }

    #[test]
    fn its_brackets_are_balanced() {
        for network in [Network::None, Network::Granted] {
            let profile =
                profile(&SeatbeltPaths { terminal: Some("/dev/ttys001".into()), ..paths() }, network).unwrap();
            let mut depth = 0_i32;
            for line in profile.lines().map(|line| line.split(';').next().unwrap_or_default()) {
                // In a regular expression they come in pairs.
                for character in line.chars() {
                    depth += i32::from(character == '(') - i32::from(character == ')');
                    assert!(depth >= 0, "{line}");
                }
            }
            assert_eq!(depth, 0);
        }
    }
}
