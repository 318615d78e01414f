//! The view of a command that the user wasn't asked about: the system's folders, the toolchains with their caches, what
//! git goes by, and the project.
//!
//! All the rest is hidden, the user's home and whatever lies beside it: a build runs whatever the project says, and a
//! reading of a line may be wrong. A list of what to show can be too short, and then a program fails and the user is
//! asked; one of what to hide never ends.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::public_places::public_folders;
use arki_git::WorkingTree;

/// Version managers as a whole, and configuration of programs that read, below the home.
const NEEDED: &[&str] = &[
    ".asdf",
    ".config/bat",
    ".config/fd",
    ".config/git/attributes",
    ".config/git/config",
    ".config/git/ignore",
    ".config/mise",
    ".config/ripgrep",
    ".gitconfig",
    ".gitignore",
    ".gitignore_global",
    ".jenv",
    ".jq",
    ".local/share/mise",
    ".nodenv",
    ".pyenv",
    ".rbenv",
    ".ripgreprc",
    ".rustup",
    ".sdkman",
    ".terminfo",
    ".tool-versions",
    ".volta",
];
/// Folders of package managers and build tools below the home.
const CACHES: &str = ".bun .bundle .cabal .cache/Cypress .cache/bazel .cache/ccache .cache/composer .cache/coursier .cache/deno \
    .cache/electron .cache/go-build .cache/ms-playwright .cache/node .cache/node-gyp .cache/pip .cache/pnpm \
    .cache/pre-commit .cache/puppeteer .cache/pypoetry .cache/sccache .cache/uv .cache/yarn .cache/zig .cargo \
    .ccache .conan .conan2 .conda .condarc .config/go .config/pip .config/pnpm .config/pypoetry .config/uv \
    .config/yarn .deno .dotnet .elan .fnm .gem .ghcup .gradle .hex .ivy2 .julia .local/bin .local/lib \
    .local/pipx .local/share/fnm .local/share/pipx .local/share/pnpm .local/share/uv .m2 .mix .npm .nuget .nvm \
    .opam .pub-cache .rvm .sbt .stack .yarn .yarnrc Library/Caches/Homebrew Library/Caches/Yarn \
    Library/Caches/go-build Library/Caches/ms-playwright Library/Caches/pip Library/Caches/pypoetry \
    Library/Python Library/pnpm anaconda3 go miniconda3";
/// Variables that name such places elsewhere.
const NAMING: &str = "ANDROID_HOME ANDROID_SDK_ROOT ASDF_DATA_DIR ASDF_DIR BUN_INSTALL BUNDLE_PATH CARGO_HOME CARGO_TARGET_DIR \
    CMAKE_PREFIX_PATH COMPOSER_HOME CONDA_PREFIX COREPACK_HOME CURL_CA_BUNDLE DENO_DIR DEVELOPER_DIR DOTNET_ROOT \
    FLUTTER_ROOT FNM_DIR GEM_HOME GEM_PATH GOCACHE GOMODCACHE GOPATH GOROOT GRADLE_USER_HOME JAVA_HOME JDK_HOME \
    LD_LIBRARY_PATH M2_HOME MAVEN_HOME MISE_DATA_DIR NODE_EXTRA_CA_CERTS NODE_PATH NVM_DIR OPAMROOT \
    PKG_CONFIG_PATH PNPM_HOME PUB_CACHE PYENV_ROOT PYTHONHOME PYTHONPATH RBENV_ROOT REQUESTS_CA_BUNDLE \
    RUSTUP_HOME SDKMAN_DIR SDKROOT SSL_CERT_DIR SSL_CERT_FILE UV_CACHE_DIR VIRTUAL_ENV VOLTA_HOME";
/// The folders of a system's root that are for everybody. What else lies there may be somebody's.
const OPEN: &[&str] =
    &["bin", "dev", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "proc", "sbin", "snap", "sys", "usr"];
/// Files outside of these that programs need.
const NEEDED_OF_SYSTEM: &[&str] = &[
    "/mnt/wsl/resolv.conf",
    "/opt",
    "/run/NetworkManager/resolv.conf",
    "/run/current-system",
    "/run/opengl-driver",
    "/run/resolvconf",
    "/run/systemd/resolve",
    "/var/cache/fontconfig",
    "/var/db/pkg",
    "/var/lib/apt",
    "/var/lib/ca-certificates",
    "/var/lib/dpkg",
    "/var/lib/gems",
    "/var/lib/pacman",
    "/var/lib/rpm",
    "/var/lib/texmf",
];
/// The places of others than the system on macOS, whose root has no fixed list.
const HOMES_AND_DISKS: &[&str] = &["/Users", "/Volumes"];
/// Holds programs, beside what is nobody's business.
const LOCAL: &str = ".local";
/// Repositories that lend their objects.
const ALTERNATES: &str = "objects/info/alternates";
const OBJECTS: &str = "objects";
const MAX_ALTERNATES_BYTES: u64 = 64 << 10;

/// The hidden places, and the parts of them that are shown all the same.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadersView {
    pub hidden: Vec<PathBuf>,
    /// The existing ones.
    pub shown: Vec<PathBuf>,
}

impl ReadersView {
    /// Returns the view for commands in `project`, which is its canonical path.
    #[must_use]
    pub fn of(project: &Path) -> Self {
        // A home that is everything hides everything.
        let home = std::env::home_dir().filter(|home| home.parent().is_some());
        Self::with(project, home.as_deref(), private_folders(Path::new("/")))
    }

    fn with(project: &Path, home: Option<&Path>, private: Vec<PathBuf>) -> Self {
        let is_around = |folder: &PathBuf| !folder.starts_with(project);
        let hidden: Vec<PathBuf> = private.into_iter().chain(home.map(Path::to_owned)).filter(is_around).collect();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let programs = std::env::split_paths(&path).map(|folder| whole_of(&folder, &hidden));
        let at_home = NEEDED.iter().copied().chain(CACHES.split(' ')).filter_map(|name| Some(home?.join(name)));
        let of_system = NEEDED_OF_SYSTEM.iter().map(PathBuf::from);
        let named = NAMING.split(' ').filter_map(std::env::var_os);
        let named: Vec<PathBuf> = named.flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>()).collect();
        let needed =
            at_home.chain(of_system).chain(named).chain(programs).chain(public_folders()).chain(of_git(project));
        let is_part = |place: &PathBuf| {
            !hidden.contains(place) && hidden.iter().any(|folder| place.starts_with(folder)) && place.exists()
        };
        let mut shown: Vec<PathBuf> = needed.filter(is_part).collect();
        shown.sort();
        shown.dedup();
        Self { hidden, shown }
    }
}

/// The folders of the system's root that are not for everybody; links lead to where they are looked at by themselves.
fn private_folders(root: &Path) -> Vec<PathBuf> {
    if cfg!(target_os = "macos") {
        return HOMES_AND_DISKS.iter().map(PathBuf::from).collect();
    }
    let Ok(entries) = fs::read_dir(root) else { return Vec::new() };
    let is_private = |entry: &fs::DirEntry| {
        entry.file_type().is_ok_and(|kind| kind.is_dir())
            && !OPEN.iter().any(|open| entry.file_name() == OsStr::new(open))
    };
    let mut private: Vec<PathBuf> = entries.flatten().filter(is_private).map(|entry| entry.path()).collect();
    private.sort();
    private
}

/// Programs in `X/bin` need what is beside them in `X`.
fn whole_of(folder: &Path, hidden: &[PathBuf]) -> PathBuf {
    let is_its_own = |above: &&Path| {
        !hidden.iter().any(|hidden| hidden.starts_with(above)) && above.file_name() != Some(OsStr::new(LOCAL))
    };
    folder.parent().filter(is_its_own).unwrap_or(folder).to_owned()
}

/// Returns the git folders of a worktree or a shared clone, which lie outside the project.
fn of_git(project: &Path) -> Vec<PathBuf> {
    let is_foreign = arki_git::foreign_repository(project, project).is_some();
    let Some(tree) = WorkingTree::at(project).filter(|_| !is_foreign) else { return Vec::new() };
    let alternates = tree.common().join(ALTERNATES);
    let is_short = alternates.metadata().is_ok_and(|found| found.is_file() && found.len() <= MAX_ALTERNATES_BYTES);
    let named = if is_short { fs::read_to_string(&alternates).unwrap_or_default() } else { String::new() };
    let lent = named.lines().map(PathBuf::from).filter(|place| place.ends_with(OBJECTS));
    // The project names them: a folder that is no repository stays hidden.
    let is_git = |folder: &PathBuf| folder.join(OBJECTS).is_dir() || folder.join("commondir").is_file();
    [tree.common(), tree.git].into_iter().filter(is_git).chain(lent).collect()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn programs_are_seen_with_what_they_need_and_nothing_else() {
        let hidden = ["/home", "/home/u", "/opt"].map(PathBuf::from);
        for (folder, whole) in [
            ("/home/u/.cargo/bin", "/home/u/.cargo"),
            ("/home/u/.local/bin", "/home/u/.local/bin"),
            ("/home/u/bin", "/home/u/bin"),
            ("/opt/bin", "/opt/bin"),
            ("/opt/go/bin", "/opt/go"),
            ("/home/u/.nvm/versions/node/v20/bin", "/home/u/.nvm/versions/node/v20"),
        ] {
            assert_eq!(whole_of(Path::new(folder), &hidden), Path::new(whole));
        }
    }

    #[test]
    fn a_worktree_has_its_repository_and_one_that_borrows_its_lender() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        for (path, text) in [
            ("main/.git/worktrees/w/commondir", "../..\n".to_owned()),
            ("main/.git/worktrees/w/gitdir", format!("{}\n", home.join("w/.git").display())),
            ("main/.git/objects/info/alternates", format!("{}\n", home.join("lender/objects").display())),
            ("lender/objects/x", String::new()),
            ("w/.git", format!("gitdir: {}\n", home.join("main/.git/worktrees/w").display())),
            (".gitconfig", String::new()),
            ("diary", String::new()),
        ] {
            fs::create_dir_all(home.join(path).parent().unwrap()).unwrap();
            fs::write(home.join(path), text).unwrap();
        }
        let expected = [".gitconfig", "lender/objects", "main/.git", "main/.git/worktrees/w"];
        let view = ReadersView::with(&home.join("w"), Some(&home), Vec::new());
        assert_eq!(view.shown, expected.map(|path| home.join(path)));
    }

    #[test]
    fn all_that_is_not_the_systems_is_hidden_but_for_the_project() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        for name in ["usr", "etc", "srv/project/sub", "srv/other", "data", "home/u"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        std::os::unix::fs::symlink("usr", root.join("linked")).unwrap();
        let private = private_folders(&root);
        if cfg!(target_os = "linux") {
            assert_eq!(private, ["data", "home", "srv"].map(|name| root.join(name)));
        }
        let view = ReadersView::with(&root.join("srv"), Some(&root.join("home/u")), private.clone());
        assert!(!view.hidden.contains(&root.join("srv")), "a project that is such a folder is seen");
        let view = ReadersView::with(&root.join("srv/project"), None, private);
        assert!(cfg!(target_os = "macos") || view.hidden.contains(&root.join("srv")));
    }
}
