//! The paths that always ask: protected ones before a write, secret ones before any touch. Pure.
//!
//! Judged by what some file system could take the name for, not by what this one does: `.GIT`, `.git.` and
//! `.gıt` with a decomposed letter are the same folder somewhere, and a project travels. Links are the business
//! of whoever knows the disk.

use std::path::Path;

use globset::GlobSet;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folders whose content is executed or obeyed, wherever they are in the project.
const PROTECTED_FOLDERS: &[&str] = &[
    ".git",
    ".arki",
    ".claude",
    ".cursor",
    ".agent",
    ".agents",
    ".skills",
    ".codex",
    ".devcontainer",
    ".gemini",
    ".hg",
    ".husky",
    ".idea",
    ".jj",
];
/// Begins the names of an agent's files, whatever follows.
const PROTECTED_PREFIX: &str = ".claude";
/// Files that instruct or name programs, wherever they are in the project.
const PROTECTED_FILES: &[&str] = &[
    "agents.md",
    "claude.md",
    "agents.local.md",
    "claude.local.md",
    "copilot-instructions.md",
    ".mcp.json",
    ".devcontainer.json",
    ".envrc",
    ".lefthook.yaml",
    ".lefthook.yml",
    ".npmrc",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yaml",
    "lefthook.yml",
    "opencode.json",
    "opencode.jsonc",
];
/// Files that instruct or name programs, below a folder that doesn't.
const PROTECTED_PAIRS: [[&str; 2]; 5] = [
    [".github", "instructions"],
    [".vscode", "launch.json"],
    [".vscode", "mcp.json"],
    [".vscode", "settings.json"],
    [".vscode", "tasks.json"],
];

const SECRET_FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".azure", ".kube", ".password-store"];
const SECRET_NAMES: &[&str] = &[
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".git-credentials",
    ".htpasswd",
    ".pgpass",
    ".my.cnf",
    ".dockercfg",
    ".yarnrc.yml",
    ".vault-token",
    ".terraformrc",
    "terraform.rc",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "client_secret.json",
    "service-account.json",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
    "kubeconfig",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "master.key",
    "terraform.tfstate",
];
const SECRET_PREFIXES: &[&str] = &[".env", "id_rsa.", "id_ed25519."];
const SECRET_SUFFIXES: &[&str] = &[
    ".pem",
    ".key",
    ".p12",
    ".pfx",
    ".p8",
    ".ppk",
    ".jks",
    ".keystore",
    ".kdbx",
    ".kdb",
    ".asc",
    ".gpg",
    ".age",
    ".keytab",
    ".tfvars",
    ".kubeconfig",
    ".ovpn",
    ".env",
];
/// Suffixes that editors and careful people put behind a name.
const COPY_SUFFIXES: &[&str] = &["~", ".backup", ".bak", ".old", ".orig", ".save", ".swp"];
/// Secrets that are known by their folder and name together.
const SECRET_PAIRS: &[(&str, &str)] = &[
    (".docker", "config.json"),
    (".cargo", "credentials.toml"),
    (".config", "gh"),
    (".config", "gcloud"),
    (".gem", "credentials"),
];
/// The public half of a key pair is no secret.
const PUBLIC_SUFFIX: &str = ".pub";

/// Returns whether a write to this path in a project always asks: it would change what runs or what instructs.
pub fn is_protected_name(path: &str) -> bool {
    let parts = folded_parts(path);
    let is_one_of = |names: &[&str], part: &String| names.iter().any(|name| part == name || is_short_for(part, name));
    parts.iter().any(|part| is_one_of(PROTECTED_FOLDERS, part))
        || parts.iter().any(|part| part.starts_with(PROTECTED_PREFIX))
        || parts.windows(2).any(|pair| {
            PROTECTED_PAIRS
                .iter()
                .any(|known| pair.iter().zip(known).all(|(part, name)| part == name || is_short_for(part, name)))
        })
        || parts.last().is_some_and(|name| is_one_of(PROTECTED_FILES, name))
}

/// Returns whether any touch of this always asks. `extra` is what the user's configuration names; its globs are matched
/// against the path and against the name.
pub fn is_secret_name(path: &str, extra: &GlobSet) -> bool {
    let own_name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if extra.is_match(path) || extra.is_match(own_name) {
        return true;
    }
    let (folder, name) = path.rsplit_once(['/', '\\']).unwrap_or(("", path));
    let within = SecretsWithin::folder(Path::new(folder), extra);
    within.has_folder(name) || within.has_file(name)
}

/// The secret entries of one folder.
pub struct SecretsWithin<'a> {
    folder: &'a Path,
    extra: &'a GlobSet,
    folder_name: String,
    is_all: bool,
}

impl<'a> SecretsWithin<'a> {
    /// `folder` is relative to the project.
    pub fn folder(folder: &'a Path, extra: &'a GlobSet) -> Self {
        let parts: Vec<String> = folded_parts(&folder.to_string_lossy());
        let is_pair = |pair: &[String]| is_secret_pair(&pair[0], &pair[1]);
        let is_all = parts.iter().any(|part| SECRET_FOLDERS.contains(&part.as_str())) || parts.windows(2).any(is_pair);
        Self { folder, extra, folder_name: parts.last().cloned().unwrap_or_default(), is_all }
    }

    /// Returns whether a file of that name is.
    pub fn has_file(&self, name: &str) -> bool {
        let folded = folded(name);
        self.is_all
            || is_secret_file(&folded)
            || is_secret_pair(&self.folder_name, &folded)
            || (!self.extra.is_empty() && (self.extra.is_match(name) || self.extra.is_match(self.folder.join(name))))
    }

    /// Returns whether a folder of that name is, with all that is in it.
    pub fn has_folder(&self, name: &str) -> bool {
        let folded = folded(name);
        self.is_all || SECRET_FOLDERS.contains(&folded.as_str()) || is_secret_pair(&self.folder_name, &folded)
    }
}

fn is_secret_pair(folder: &str, name: &str) -> bool {
    SECRET_PAIRS.contains(&(folder, name))
}

fn is_secret_file(name: &str) -> bool {
    let name = COPY_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)).unwrap_or(name);
    SECRET_NAMES.contains(&name)
        || SECRET_PREFIXES.iter().any(|prefix| name.starts_with(prefix) && !name.ends_with(PUBLIC_SUFFIX))
        || SECRET_SUFFIXES.iter().any(|suffix| name.ends_with(suffix))
}

/// Returns the parts of a name: one name here may be several on Windows.
fn folded_parts(path: &str) -> Vec<String> {
    path.split(['/', '\\']).map(folded).collect()
}

/// Returns whether Windows may have `name` also under this one: `git~1` for `.git`, `agents~1.md` for
/// `agents.local.md`.
fn is_short_for(short: &str, name: &str) -> bool {
    const KEPT_OF_STEM: usize = 6;
    const KEPT_OF_EXTENSION: usize = 3;
    let Some((stem, rest)) = short.split_once('~') else { return false };
    let (number, extension) = rest.split_once('.').unwrap_or((rest, ""));
    let bare = name.trim_start_matches('.');
    let (long_stem, long_extension) = bare.rsplit_once('.').unwrap_or((bare, ""));
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let kept: String = long_stem.chars().filter(|character| *character != '.').take(KEPT_OF_STEM).collect();
    let kept_extension: String = long_extension.chars().take(KEPT_OF_EXTENSION).collect();
    is_number && stem == kept && extension == kept_extension
}

/// Returns what the loosest file system makes of a name: compatibility forms and case folded, marks dropped, and, as
/// Windows does, without a stream name, trailing dots and spaces. What can't be seen never comes here.
fn folded(name: &str) -> String {
    let plain: String = if name.is_ascii() { name.to_ascii_lowercase() } else { folded_form(name) };
    let plain = plain.split(':').next().unwrap_or_default();
    plain.trim_end_matches(['.', ' ']).trim_start_matches(' ').to_owned()
}

fn folded_form(name: &str) -> String {
    name.nfkd()
        .filter(|character| !is_combining_mark(*character))
        .flat_map(char::to_lowercase)
        .map(|character| match character {
            'ı' => 'i',
            'ſ' => 's',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protected(text: &str) -> bool {
        is_protected_name(text)
    }

    fn secret(text: &str) -> bool {
        is_secret_name(text, &GlobSet::empty())
    }

    #[test]
    fn what_runs_or_instructs_is_protected() {
        for text in [
            ".git/hooks/pre-commit",
            ".git",
            "vendor/lib/.git/config",
            ".arki/pipelines/a.yaml",
            "AGENTS.md",
            "docs/CLAUDE.md",
            ".claude/settings.json",
            ".agent/skills/x/run.sh",
            ".agents/skills/x/SKILL.md",
            ".skills/a",
            ".cursor/rules/a.mdc",
            ".github/copilot-instructions.md",
            ".mcp.json",
            ".github/instructions/a.md",
            ".hg/hgrc",
            ".jj/repo/config.toml",
            "web/.vscode/tasks.json",
            ".VSCode/Settings.json",
            ".vscode/launch.json",
            ".vscode/mcp.json",
            ".idea/workspace.xml",
            ".devcontainer/devcontainer.json",
            "sub/.envrc",
            ".husky/pre-commit",
            ".codex/config.toml",
            ".gemini/settings.json",
            ".claude.json",
            ".claude-plugin/plugin.json",
            "opencode.json",
            "app/.npmrc",
            ".pre-commit-config.yaml",
            "LEFTHOOK.yml",
        ] {
            assert!(protected(text), "{text}");
        }
    }

    #[test]
    fn spellings_that_some_file_system_takes_for_the_same_are_protected_too() {
        for text in [
            ".GIT/config",
            ".git./config",
            ".git /config",
            ".g\u{131}t/config",
            ".gi\u{301}t/config",
            ".ｇｉｔ/config",
            "GIT~1/config",
            "git~4/config",
            "a/GIT~1./hooks/x",
            "AGENT~1/skills/x",
            "AGENTS~2/skills/x",
            "SKILLS~1/x",
            "AGENTS~1.MD",
            "Claude~1.md",
            ".git::$INDEX_ALLOCATION/config",
            ".git:stream",
            ".git. . ./config",
            " .git/config",
            ".\u{ff47}\u{ff29}\u{ff54}/config",
            "\u{ff0e}git/config",
            "\u{2024}git/config",
            ".\u{24d6}it/config",
            ".s\u{212a}ills/x",
            ".\u{17f}kills/x",
            ".cl\u{e4}ude/settings.json",
            ".cla\u{308}ude/settings.json",
            "src\\.git\\config",
            "src\\.GIT./hooks/x",
            "agents.MD",
            "AGENTS.md::$DATA",
            ".Arki/config.json",
            "AGENTS.md. .",
        ] {
            assert!(protected(text), "{text:?}");
        }
        for text in
            [".ENV", ".env::$DATA", ".env. .", "keys\\id_rsa", "ID_RSA ", ".e\u{ff4e}v", ".AWS\\x", "a.PE\u{ff2d}"]
        {
            assert!(secret(text), "{text:?}");
        }
    }

    #[test]
    fn ordinary_files_are_neither() {
        for text in [
            "src/main.rs",
            ".github/workflows/ci.yml",
            ".gitignore",
            ".vscode/extensions.json",
            "vscode/tasks.json",
            "tasks.json",
            "git/config",
            "keys.rs",
            "monkey",
            "env.rs",
            ".",
            "notes~1",
            "git~",
            "git~x",
            "legit~1",
            "agents~1.rs",
            "a~b~1",
        ] {
            assert!(!protected(text), "{text}");
            assert!(!secret(text), "{text}");
        }
    }

    #[test]
    fn keys_and_credential_stores_are_secret() {
        for text in [
            ".env",
            ".env.example",
            "app/.ENV.local",
            "server.PEM",
            "tls/server.key",
            "id_rsa",
            "id_ed25519",
            "id_rsa.bak",
            "id_rsa~",
            "server.key.old",
            "prod.env",
            ".npmrc",
            ".netrc",
            ".git-credentials",
            ".aws/credentials",
            ".aws/config",
            ".ssh/known_hosts",
            "store.p12",
            "app.keystore",
            "kubeconfig",
            ".docker/config.json",
            ".env.",
        ] {
            assert!(secret(text), "{text}");
        }
        assert!(!secret("id_rsa.pub"));
    }

    #[test]
    fn the_users_own_globs_count() {
        let mut own = globset::GlobSetBuilder::new();
        own.add(globset::Glob::new("*.private").unwrap());
        let own = own.build().unwrap();
        assert!(is_secret_name("deep/a.private", &own));
        assert!(!is_secret_name("deep/a.public", &own));
    }
}
