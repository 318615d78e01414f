//! The environment of a child process: an allow-list, never what looks like a secret. Pure.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::LazyLock;

/// Set to 1 in every child; `arki` refuses to govern itself under it.
const TOOL_MARKER: &str = "ARKI_TOOL";
const SANDBOX_MARKER: &str = "ARKI_SANDBOX";

static ALLOWED: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lists = [
        // Who and where.
        "PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TZ TZDIR HOSTNAME XDG_CONFIG_HOME XDG_DATA_HOME \
         XDG_CACHE_HOME XDG_STATE_HOME XDG_CONFIG_DIRS XDG_DATA_DIRS",
        // Tool chains.
        "CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_JOBS GOPATH GOROOT GOCACHE \
         GOMODCACHE GOFLAGS GOPROXY JAVA_HOME JDK_HOME GRADLE_USER_HOME MAVEN_HOME M2_HOME ANDROID_HOME \
         ANDROID_SDK_ROOT NVM_DIR NVM_BIN FNM_DIR VOLTA_HOME NODE_PATH NODE_ENV NODE_EXTRA_CA_CERTS COREPACK_HOME \
         PNPM_HOME BUN_INSTALL DENO_DIR PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV \
         CONDA_EXE PYTHONPATH PYTHONHOME UV_CACHE_DIR RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH BUNDLE_PATH \
         ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR SDKMAN_DIR DOTNET_ROOT DOTNET_CLI_HOME FLUTTER_ROOT PUB_CACHE \
         COMPOSER_HOME GHCUP_INSTALL_BASE_PREFIX OPAMROOT OPAMSWITCH HOMEBREW_PREFIX NIX_PATH NIX_PROFILES \
         NIX_SSL_CERT_FILE IN_NIX_SHELL CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH \
         CMAKE_PREFIX_PATH LD_LIBRARY_PATH DYLD_LIBRARY_PATH SDKROOT DEVELOPER_DIR SOURCE_DATE_EPOCH CI",
        // The network. A proxy's address may hold a password, see `is_allowed`.
        "HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY FTP_PROXY SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE \
         REQUESTS_CA_BUNDLE",
        // Windows does not work without.
        "SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT PSMODULEPATH APPDATA LOCALAPPDATA PROGRAMDATA \
         ALLUSERSPROFILE PUBLIC USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH COMPUTERNAME OS PROGRAMFILES \
         PROGRAMFILES(X86) PROGRAMW6432 COMMONPROGRAMFILES COMMONPROGRAMFILES(X86) COMMONPROGRAMW6432 \
         NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE PROCESSOR_IDENTIFIER VCINSTALLDIR INCLUDE LIB LIBPATH",
    ];
    lists.iter().flat_map(|list| list.split(' ')).collect()
});

/// A variable whose name has one of these is a secret, whatever allowed it, also as a part of a longer word.
const SECRET_WORDS: &[&str] =
    &["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "APIKEY", "API_KEY", "PRIVATE_KEY", "AUTH"];
/// These only as a word of their own: `MONKEY` is none.
const SECRET_PARTS: &[&str] = &["KEY", "KEYS", "PASS", "PWD", "COOKIE", "SESSION", "PAT"];

/// Variables that keep programs from asking, since nobody is there to answer, and from paging.
const NON_INTERACTIVE: &[(&str, &str)] = &[
    ("GIT_TERMINAL_PROMPT", "0"),
    // Git directories are read-only in the sandbox, and what only looks need not try to write them.
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("AWS_PAGER", ""),
    ("DEBIAN_FRONTEND", "noninteractive"),
    // Not at a terminal, see `at_terminal`: piped lines are for programs, which don't expect escape sequences.
    (NO_COLOR, "1"),
    ("TERM", "dumb"),
    ("PYTHONUNBUFFERED", "1"),
    ("npm_config_yes", "true"),
];

const NO_COLOR: &str = "NO_COLOR";

/// The same environment for a command at a terminal: what kind it is, and programs decide for themselves whether they
/// use colours.
pub(super) fn at_terminal(environment: &[(String, String)], kind: &str) -> Vec<(String, String)> {
    let others = environment.iter().filter(|(name, _)| name != "TERM" && name != NO_COLOR).cloned();
    others.chain([("TERM".to_owned(), kind.to_owned())]).collect()
}

/// The part of the environment that differs from run to run.
#[derive(Debug, Clone, Copy)]
pub struct EnvironmentSpec<'a> {
    /// The private temporary folder; becomes `TMPDIR` (and `TEMP` and `TMP`).
    pub temp_dir: &'a Path,
    /// The sandbox's name, as the user is told; `None` outside one.
    pub sandbox: Option<&'a str>,
}

/// The whole environment of a child process, by name: the allowed ones of `current`; over them what no one is there to
/// answer or to scroll; then `extra` (the user's or a pipeline's, taken as it is); and last Arki's own.
pub fn child_environment(
    current: impl IntoIterator<Item = (String, String)>,
    extra: &[(String, String)],
    spec: EnvironmentSpec<'_>,
) -> Vec<(String, String)> {
    let temp_dir = spec.temp_dir.to_string_lossy().into_owned();
    let mut variables: BTreeMap<String, String> =
        current.into_iter().filter(|(name, value)| is_allowed(name, value)).collect();
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    variables.extend(NON_INTERACTIVE.iter().map(owned));
    variables.extend(extra.iter().filter(|(name, _)| is_name(name)).cloned());
    for name in ["TMPDIR", "TEMP", "TMP"] {
        variables.insert(name.to_owned(), temp_dir.clone());
    }
    variables.insert(TOOL_MARKER.to_owned(), "1".to_owned());
    variables.insert(SANDBOX_MARKER.to_owned(), spec.sandbox.unwrap_or("none").to_owned());
    variables.into_iter().collect()
}

/// Names are compared without case: `http_proxy` is as usual as `HTTP_PROXY`, and Windows knows no case.
fn is_allowed(name: &str, value: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let is_listed = ALLOWED.contains(&upper.as_str()) || upper.starts_with("LC_");
    // user:password@host
    let has_password = upper.ends_with("_PROXY") && value.contains('@');
    // No command can write there, so that each build would begin anew; without it, cargo builds in the project.
    let is_lost = upper == "CARGO_TARGET_DIR" && Path::new(value).is_absolute();
    is_name(name) && is_listed && !has_password && !is_lost && !looks_secret(&upper)
}

fn looks_secret(upper: &str) -> bool {
    SECRET_WORDS.iter().any(|word| upper.contains(word)) || upper.split('_').any(|part| SECRET_PARTS.contains(&part))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(current: &[(&str, &str)], extra: &[(&str, &str)]) -> BTreeMap<String, String> {
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let spec = EnvironmentSpec { temp_dir: Path::new("/tmp/run"), sandbox: Some("landlock ABI 7") };
        child_environment(owned(current), &owned(extra), spec).into_iter().collect()
    }

    #[test]
    fn only_what_is_allowed_passes() {
        let current = [
            ("PATH", "/bin"),
            ("LC_ALL", "C.UTF-8"),
            ("https_proxy", "http://proxy:3128"),
            ("HTTP_PROXY", "http://user:pw@proxy:3128"),
            ("OPENAI_API_KEY", "x"),
            ("LC_SECRET_TOKEN", "x"),
            ("SSH_AUTH_SOCK", "/run/agent"),
            ("DBUS_SESSION_BUS_ADDRESS", "x"),
            ("XDG_RUNTIME_DIR", "/run/user/1"),
            ("BASH_ENV", "/evil"),
            ("LD_PRELOAD", "/evil.so"),
            ("GIT_SSH_COMMAND", "x"),
            ("", "x"),
        ];
        let mut result = check(&current, &[]);
        for (name, _) in NON_INTERACTIVE {
            result.remove(*name);
        }
        let names: Vec<&str> = result.keys().map(String::as_str).collect();
        assert_eq!(names, ["ARKI_SANDBOX", "ARKI_TOOL", "LC_ALL", "PATH", "TEMP", "TMP", "TMPDIR", "https_proxy"]);
    }

    #[test]
    fn extra_wins_over_the_current_and_arkis_own_over_both() {
        let result = check(&[("PATH", "/bin"), ("PAGER", "less")], &[("PATH", "/x"), ("ARKI_TOOL", "0"), ("A=B", "x")]);
        assert_eq!((result["PATH"].as_str(), result["ARKI_TOOL"].as_str()), ("/x", "1"));
        assert_eq!((result["PAGER"].as_str(), result["TMPDIR"].as_str()), ("cat", "/tmp/run"));
        assert!(!result.contains_key("A=B"));
    }

    #[test]
    fn cargo_builds_where_its_output_is_kept() {
        let absolute = if cfg!(windows) { r"C:\builds" } else { "/builds" };
        assert!(!check(&[("CARGO_TARGET_DIR", absolute)], &[]).contains_key("CARGO_TARGET_DIR"));
        assert_eq!(check(&[("CARGO_TARGET_DIR", "out")], &[])["CARGO_TARGET_DIR"], "out");
        assert_eq!(check(&[], &[("CARGO_TARGET_DIR", "/own")])["CARGO_TARGET_DIR"], "/own");
    }

    #[test]
    fn only_at_a_terminal_programs_may_use_colours() {
        let piped = check(&[("PATH", "/bin")], &[]);
        assert_eq!((piped["NO_COLOR"].as_str(), piped["TERM"].as_str()), ("1", "dumb"));
        let piped: Vec<(String, String)> = piped.into_iter().collect();
        let at_terminal: BTreeMap<String, String> = at_terminal(&piped, "xterm").into_iter().collect();
        assert_eq!(at_terminal["TERM"], "xterm");
        assert!(!at_terminal.contains_key("NO_COLOR") && at_terminal["PATH"] == "/bin");
        assert_eq!(at_terminal.len(), piped.len() - 1);
    }

    proptest! {
        #[test]
        fn a_key_never_passes(prefix in "[A-Z]{0,8}", word in "(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)") {
            for name in [format!("{prefix}_{word}"), format!("LC_{prefix}_{word}"), word.clone()] {
                prop_assert!(!check(&[(&name, "v")], &[]).contains_key(&name));
            }
        }
    }
}
