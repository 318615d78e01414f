//! The places outside a project that anyone may read: the system's folders, and the sources of toolchains and of what
//! they installed.
//!
//! An allow-list, since a list of what is private never ends. Of the system's configuration only that counts which every
//! user of this computer may read; of what the kernel tells only what speaks of the computer and of no process.

use crate::project::Project;
use std::path::{Component, Path, PathBuf};

/// Programs, libraries and their documentation.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/nix/store",
    "/run/current-system",
    "/opt/homebrew",
    "/home/linuxbrew/.linuxbrew",
    "/System/Library",
    "/Library/Developer",
    "/Applications/Xcode.app",
];
/// Its configuration, of which not all is for everybody.
const CONFIGURATION: &[&str] = &["/etc", "/private/etc"];
const KERNEL: &[&str] = &[
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/swaps",
    "/proc/sys/fs",
    "/proc/sys/kernel",
    "/proc/sys/vm",
    "/proc/uptime",
    "/proc/version",
    "/proc/vmstat",
    "/sys/devices/system/cpu",
    "/sys/devices/system/memory",
    "/sys/devices/system/node",
    "/sys/fs/cgroup",
];
/// Devices by their names alone: some are links to what the current process has open.
const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// The folders of toolchains below the user's home.
const TOOLCHAINS: &[&str] = &[
    ".asdf/installs",
    ".bun/install/cache",
    ".cabal/packages",
    ".cargo/git/checkouts",
    ".cargo/registry",
    ".composer/vendor",
    ".config/composer/vendor",
    ".dotnet/packs",
    ".dotnet/sdk",
    ".dotnet/shared",
    ".elan/toolchains",
    ".fnm/node-versions",
    ".gem/ruby",
    ".ghcup/ghc",
    ".gradle/caches/modules-2",
    ".hex/packages",
    ".julia/packages",
    ".local/lib",
    ".local/pipx/venvs",
    ".local/share/fnm/node-versions",
    ".local/share/mise/installs",
    ".local/share/pipx/venvs",
    ".local/share/uv/python",
    ".local/share/uv/tools",
    ".m2/repository",
    ".nuget/packages",
    ".nvm/versions",
    ".pub-cache/hosted",
    ".pyenv/versions",
    ".rbenv/versions",
    ".rustup/toolchains",
    ".rvm/gems",
    ".rvm/rubies",
    ".sdkman/candidates",
    ".volta/tools",
    "go/pkg/mod",
    "miniconda3/lib",
    "miniconda3/pkgs",
    "anaconda3/lib",
    "anaconda3/pkgs",
];
/// The folders below those that variables name.
const NAMED_BY_VARIABLES: &[(&str, &str)] = &[
    ("ANDROID_HOME", ""),
    ("ANDROID_SDK_ROOT", ""),
    ("ASDF_DATA_DIR", "installs"),
    ("CARGO_HOME", "git/checkouts"),
    ("CARGO_HOME", "registry"),
    ("CONDA_PREFIX", "lib"),
    ("DOTNET_ROOT", "packs"),
    ("DOTNET_ROOT", "sdk"),
    ("DOTNET_ROOT", "shared"),
    ("FNM_DIR", "node-versions"),
    ("GEM_HOME", ""),
    ("GOMODCACHE", ""),
    ("GOPATH", "pkg/mod"),
    ("GOROOT", ""),
    ("GRADLE_USER_HOME", "caches/modules-2"),
    ("JAVA_HOME", ""),
    ("MISE_DATA_DIR", "installs"),
    ("NVM_DIR", "versions"),
    ("PUB_CACHE", "hosted"),
    ("PYENV_ROOT", "versions"),
    ("RBENV_ROOT", "versions"),
    ("RUSTUP_HOME", "toolchains"),
    ("SDKMAN_DIR", "candidates"),
    ("VIRTUAL_ENV", "lib"),
    ("VOLTA_HOME", "tools"),
];

/// The system's own files of secrets. A star stands for the rest of a name.
const SYSTEM_SECRETS: &[&str] = &[
    "/etc/shadow*",
    "/etc/gshadow*",
    "/etc/sudoers*",
    "/etc/ssl/private",
    "/etc/pki/tls/private",
    "/etc/ssh/ssh_host_*_key",
    "/etc/master.passwd",
    "/private/etc/master.passwd",
    "/private/etc/sudoers*",
];
/// Folders with a home for each user.
const HOMES: &[&str] = &["/home", "/Users"];
const ROOTS_HOME: &str = "/root";
/// The shared folders beside home folders, which are nobody's home.
const SHARED: &[&str] = &["/home/linuxbrew", "/Users/Shared"];

/// Returns whether it is a secret of the system, or in the home of another user. `path` is absolute, without links and
/// ways up.
///
/// The project's own files are neither, wherever the project lies, nor are the folders that it lies in. Of what is beside
/// them only what is there: a `..` that is read from the wrong folder names nothing.
pub fn is_system_secret(project: &Project, path: &Path) -> bool {
    is_secret_around(project.root(), path, std::env::home_dir().as_deref())
}

fn is_secret_around(project: &Path, path: &Path, home: Option<&Path>) -> bool {
    let is_own = path.starts_with(project) || project.starts_with(path);
    let is_nothing_beside =
        || home_of(path).is_some_and(|of| project.starts_with(of)) && path.symlink_metadata().is_err();
    !is_own && is_secret_for(path, home) && !is_nothing_beside()
}

/// `/root`, or `/home/NAME`.
fn home_of(path: &Path) -> Option<&Path> {
    let is_home = |folder: &&Path| {
        *folder == Path::new(ROOTS_HOME) || HOMES.iter().any(|homes| folder.parent() == Some(Path::new(homes)))
    };
    path.ancestors().find(is_home)
}

fn is_secret_for(path: &Path, home: Option<&Path>) -> bool {
    let text = path.to_string_lossy();
    let is_one = |secret: &&str| match secret.split_once('*') {
        Some((before, after)) => text.strip_prefix(before).is_some_and(|rest| {
            let name = rest.split('/').next().unwrap_or_default();
            name.ends_with(after)
        }),
        None => path.starts_with(secret),
    };
    SYSTEM_SECRETS.iter().any(is_one) || is_foreign_home(path, home)
}

fn is_foreign_home(path: &Path, home: Option<&Path>) -> bool {
    let is_own = home.is_some_and(|home| path.starts_with(home));
    let is_shared = SHARED.iter().any(|shared| path.starts_with(shared));
    let is_below = |folder: &&str| path.starts_with(folder) && path != Path::new(folder);
    !is_own && !is_shared && (HOMES.iter().any(is_below) || path.starts_with(ROOTS_HOME))
}

/// Returns what is below a folder, of the secrets that everybody's system has; `None` where there is none.
pub(crate) fn system_secret_below(folder: &Path) -> Option<&'static str> {
    let place = |secret: &&&str| Path::new(secret.split('*').next().unwrap_or_default()).starts_with(folder);
    SYSTEM_SECRETS.iter().find(place).copied()
}

/// A secret that an absolute pattern may stand for.
pub(crate) fn system_secret_like(pattern: &str) -> Option<&'static str> {
    let Ok(glob) = globset::GlobBuilder::new(pattern).literal_separator(true).build() else {
        return SYSTEM_SECRETS.first().copied();
    };
    let matcher = glob.compile_matcher();
    let examples = |secret: &str| {
        let plain = secret.replace('*', "");
        [
            plain.clone(),
            format!("{plain}-"),
            secret.replace('*', "rsa"),
            secret.replace('*', "ed25519"),
            secret.replace('*', ".d"),
        ]
    };
    let below = |example: &String| {
        matcher.is_match(example)
            || matcher.is_match(format!("{example}/x"))
            || matcher.is_match(format!("{example}/x.key"))
    };
    SYSTEM_SECRETS.iter().find(|secret| examples(secret).iter().any(below)).copied()
}

/// Returns whether anyone may read it. `path` is absolute, without links and ways up; `named` is how it was called.
pub(crate) fn is_public(named: &str, path: &Path) -> bool {
    if DEVICES.contains(&named) {
        return true;
    }
    let is_below = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    !is_secret_for(path, std::env::home_dir().as_deref())
        && (is_below(SYSTEM)
            || is_below(KERNEL)
            || (is_below(CONFIGURATION) && is_for_everybody(path))
            || public_folders().iter().any(|folder| path.starts_with(folder)))
}

/// Returns whether its files are, as far as nobody follows links: it takes more than a look where not all is for
/// everybody.
pub(crate) fn is_public_below(named: &str, path: &Path) -> bool {
    is_public(named, path)
        && system_secret_below(path).is_none()
        && (!CONFIGURATION.iter().any(|folder| path.starts_with(folder))
            || all_for_everybody(path, &mut MAX_ENTRIES.clone()))
}

/// Looking at more takes longer than asking.
const MAX_ENTRIES: usize = 2_000;

fn all_for_everybody(path: &Path, left: &mut usize) -> bool {
    let Ok(metadata) = path.symlink_metadata() else { return true };
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    if metadata.is_symlink() {
        return true;
    }
    if !is_open(&metadata) {
        return false;
    }
    let entries = if metadata.is_dir() { std::fs::read_dir(path).ok() } else { None };
    entries.into_iter().flatten().flatten().all(|entry| all_for_everybody(&entry.path(), left))
}

/// Returns whether the path may be read by everybody; one that does not exist may not.
fn is_for_everybody(path: &Path) -> bool {
    path.ancestors().all(|place| place.symlink_metadata().map_or(true, |metadata| is_open(&metadata)))
}

#[cfg(unix)]
fn is_open(metadata: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_READ: u32 = 0o004;
    const OTHERS_ENTER: u32 = 0o001;
    let wanted = if metadata.is_dir() { OTHERS_READ | OTHERS_ENTER } else { OTHERS_READ };
    metadata.mode() & wanted == wanted
}

#[cfg(not(unix))]
fn is_open(_: &std::fs::Metadata) -> bool {
    false
}

/// The toolchains' sources that are there.
pub(crate) fn public_folders() -> Vec<PathBuf> {
    let home = std::env::home_dir();
    let below_home = home.iter().flat_map(|home| TOOLCHAINS.iter().map(move |folder| home.join(folder)));
    let named = NAMED_BY_VARIABLES.iter().flat_map(|(variable, folder)| {
        let value = std::env::var_os(variable).unwrap_or_default();
        std::env::split_paths(&value).map(|place| place.join(folder)).collect::<Vec<_>>()
    });
    let too_wide = |folder: &PathBuf| {
        let depth = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
        depth < 2
            || home.as_ref().is_some_and(|home| home.starts_with(folder))
            || is_foreign_home(folder, home.as_deref())
    };
    let real = |folder: PathBuf| folder.canonicalize().ok();
    below_home
        .chain(named)
        .filter(|folder| folder.is_absolute())
        .filter_map(real)
        .filter(|folder| !too_wide(folder))
        .collect()
}

/// Returns whether all that an absolute pattern may stand for lies where anyone may read.
pub(crate) fn is_public_pattern(pattern: &str) -> bool {
    let first = pattern.find(['*', '?', '[', '{']).unwrap_or(pattern.len());
    let folder = pattern[..first].rsplit_once('/').map_or("", |(folder, _)| folder);
    let goes_up = pattern.split('/').any(|part| part == ".." || (part.contains("..") && part.contains(['{', '['])));
    let real = Path::new(folder).canonicalize();
    !folder.is_empty() && !goes_up && real.is_ok_and(|real| is_public(folder, &real))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn public(path: &str) -> bool {
        is_public(path, Path::new(path))
    }

    #[test]
    fn the_system_is_for_everybody_but_for_its_secrets() {
        for path in
            ["/usr/include/stdio.h", "/usr/lib/x", "/etc/passwd", "/etc", "/proc/cpuinfo", "/dev/null", "/bin/sh"]
        {
            assert!(public(path), "{path}");
        }
        for path in [
            "/",
            "/etc/shadow",
            "/etc/shadow-",
            "/etc/gshadow",
            "/etc/sudoers",
            "/etc/sudoers.d/x",
            "/etc/ssl/private/a.key",
            "/etc/ssh/ssh_host_rsa_key",
            "/proc/1/environ",
            "/proc/kcore",
            "/sys/firmware/x",
            "/var/lib/x",
            "/tmp/x",
            "/home/somebody/x",
            "/root/x",
            "/mnt/x",
            "/usrx/y",
        ] {
            assert!(!public(path), "{path}");
        }
        assert!(is_public_below("/usr/include", Path::new("/usr/include")));
        assert!(!is_public_below("/etc", Path::new("/etc")));
    }

    #[test]
    fn homes_of_others_are_secret_and_ones_own_is_not() {
        let home = Some(Path::new("/home/me"));
        for path in
            ["/home/you/x", "/home/mean", "/root", "/root/.x", "/Users/you/a", "/etc/shadow", "/etc/sudoers.d/x"]
        {
            assert!(is_secret_for(Path::new(path), home), "{path}");
        }
        for path in ["/home/me/x", "/home", "/rooted", "/home/linuxbrew/.linuxbrew/x", "/etc/ssh/ssh_host_rsa_key.pub"]
        {
            assert!(!is_secret_for(Path::new(path), home), "{path}");
        }
        assert!(!is_secret_for(Path::new("/root/x"), Some(Path::new("/root"))));
    }

    #[test]
    fn the_projects_own_files_are_no_home_of_another_user_wherever_it_lies() {
        let home = Some(Path::new("/home/me"));
        for project in ["/root/x", "/home/you/x"] {
            let (project, above) = (Path::new(project), Path::new(project).parent().unwrap());
            let own = [project.to_owned(), project.join("a.txt"), above.to_owned(), above.join("no-such-file")];
            for path in own {
                assert!(!is_secret_around(project, &path, home), "{}", path.display());
            }
            for path in ["/home/them/no-such-file", "/etc/shadow"] {
                assert!(is_secret_around(project, Path::new(path), home), "{path}");
            }
        }
        assert!(is_secret_around(Path::new("/home/you/x"), Path::new("/root/no-such-file"), home));
    }

    #[test]
    fn a_pattern_that_may_stand_for_a_secret_is_known() {
        for pattern in [
            "/etc/s*",
            "/etc/*",
            "/etc/sh?dow",
            "/etc/{passwd,shadow}",
            "/etc/*/*",
            "/e*/shadow",
            "/etc/ssh/*_key",
            "/etc/ssl/private/*",
            "/etc/sudoers.d/*",
        ] {
            assert!(system_secret_like(pattern).is_some(), "{pattern}");
        }
        for pattern in ["/etc/*release*", "/usr/include/*.h", "/etc/apt/*.list"] {
            assert!(system_secret_like(pattern).is_none() && is_public_pattern("/usr/include/*.h"), "{pattern}");
        }
        for pattern in ["/*/shadow", "/home/*", "/{etc,home}/x", "/usr/{..,lib}/*", "/usr/../home/*", "/tmp/*"] {
            assert!(!is_public_pattern(pattern), "{pattern}");
        }
    }
}
