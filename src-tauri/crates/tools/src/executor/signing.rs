//! Signs the commits that a command has made: in the sandbox they are made unsigned, for nothing there reaches the user's
//! keys, and Arki signs them outside, with the program that the user's own global configuration names.
//!
//! The repository has no say in it. Its configuration is not read by the git that signs, which works in an empty repository
//! with the project's objects; no hook and no filter runs. Signed are only commits that no reference led to before.

use super::ExecutorSettings;
use crate::builtin::run_command;
use arki_disk::PrivateTempDir;
use arki_domain::{Code, Error};
use arki_policy::CommitSigning;
use arki_process::{
    Answered, AnsweringSpec, CancellationToken, CommandLimits, Meanwhile, inherited_environment, own_path, own_program,
    run_answering,
};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Somebody may have to type a passphrase.
const TIME_LIMIT: Duration = Duration::from_secs(120);
const MAX_KEPT_BYTES: usize = 4 << 20;
/// By the format: the setting that names a program, and the usual one.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("openpgp", "gpg.openpgp.program", "gpg"),
    ("ssh", "gpg.ssh.program", "ssh-keygen"),
    ("x509", "gpg.x509.program", "gpgsm"),
];
const READ: &str = "git config --global --includes --null --list";
/// Tells the commits that there are, each as one whose history is left out.
const BEFORE: &str = "git for-each-ref --format='^%(objectname)'; git rev-parse --verify --quiet HEAD | sed 's/^/^/'";
const SIGN: &str = r#"set -eu
new=$(git rev-parse --verify --quiet HEAD) || exit 0
commits=$(git rev-list --reverse --topo-order --stdin)
[ -n "$commits" ] || exit 0
for state in rebase-merge rebase-apply; do
    if [ -e "$(git rev-parse --git-path "$state")" ]; then echo "A rebase is in progress." >&2; exit 1; fi
done
objects=$(cd "$(git rev-parse --git-path objects)" && pwd)
git init --quiet --bare --template= --object-format="$(git rev-parse --show-object-format)" "$ARKI_SCRATCH/repository"
for commit in $commits; do
    set --
    for parent in $(git rev-list --parents -n 1 "$commit" | cut -s -d' ' -f2-); do
        if [ -e "$ARKI_SCRATCH/$parent" ]; then parent=$(cat "$ARKI_SCRATCH/$parent"); fi
        set -- "$@" -p "$parent"
    done
    told() { git log -1 --date=raw --format="$1" "$commit"; }
    GIT_AUTHOR_NAME=$(told %an) GIT_AUTHOR_EMAIL=$(told %ae) GIT_AUTHOR_DATE=@$(told %ad)
    GIT_COMMITTER_NAME=$(told %cn) GIT_COMMITTER_EMAIL=$(told %ce) GIT_COMMITTER_DATE=@$(told %cd)
    export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE
    tree=$(git rev-parse "$commit^{tree}")
    signed=$(git cat-file commit "$commit" | sed '1,/^$/d' |
        GIT_DIR=$ARKI_SCRATCH/repository GIT_OBJECT_DIRECTORY=$objects git commit-tree -S"$ARKI_KEY" "$tree" "$@")
    printf %s "$signed" >"$ARKI_SCRATCH/$commit"
done
git update-ref -m "commit: signed by Arki" HEAD "$(cat "$ARKI_SCRATCH/$new")" "$new"
git rev-parse --short HEAD
"#;

/// The note for a line that may have run git, and whose output doesn't tell whether it could write.
pub(super) const GIT_WAS_HELD: &str = "\n[.git was read-only for this line, so git could not commit to it: only git's own commands, beside programs \
                            that only read, may write it. Run the git commands by themselves.]";

/// How the commits of a command are signed when they are made.
pub(super) struct Signing {
    /// The command with its commits unsigned.
    pub(super) command: String,
    program: PathBuf,
    key: String,
    settings: BTreeMap<String, String>,
    /// The commits that references led to before.
    before: String,
}

impl Signing {
    /// Returns a sentence for whoever is asked about the command.
    pub(super) fn note(&self) -> String {
        format!(
            "Commits are made unsigned, then Arki signs them with {}, as your global git configuration says.",
            self.program.display()
        )
    }

    /// Returns the variables of a git that makes its commits unsigned.
    pub(super) fn environment() -> Vec<(String, String)> {
        let unsigned = [("COUNT", "1"), ("KEY_0", "commit.gpgSign"), ("VALUE_0", "false")];
        unsigned.map(|(name, value)| (format!("GIT_CONFIG_{name}"), value.to_owned())).into()
    }
}

/// Signs commits outside the sandbox.
pub(super) struct CommitSigner(pub(super) Arc<ExecutorSettings>);

impl CommitSigner {
    /// Returns how the commits of a command are to be signed; `None` where they aren't, or where it is git that does it.
    pub(super) async fn signing(&self, arguments: &run_command::Arguments) -> Result<Option<Signing>, Error> {
        let line = &arguments.command;
        let wish = match arki_policy::commit_signing(line) {
            CommitSigning::Never => return Ok(None),
            wish if !self.0.sandbox.available || !arki_policy::writes_repository(line) => {
                drop(wish);
                return Ok(None);
            }
            wish => wish,
        };
        let answered = self.outside_sandbox(READ, Vec::new(), Vec::new()).await?;
        let entries = answered.stdout.split('\0').filter_map(|entry| entry.split_once('\n'));
        let mut settings: BTreeMap<String, String> =
            entries.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
        settings.retain(|key, _| key.starts_with("gpg.") || key == "user.signingkey" || key == "commit.gpgsign");
        let is_wanted = settings
            .remove("commit.gpgsign")
            .is_some_and(|value| matches!(value.as_str(), "true" | "yes" | "on" | "1"));
        let (command, key) = match wish {
            CommitSigning::Asked(key) => (arki_policy::without_signing(line).ok_or_else(unclear_option)?, key),
            _ if is_wanted => (line.clone(), None),
            _ => return Ok(None),
        };
        let format = settings.get("gpg.format").cloned().unwrap_or_else(|| "openpgp".to_owned());
        let Some((_, setting, usual)) = PROGRAMS.iter().find(|(known, ..)| **known == format) else {
            return Err(no_program(&format));
        };
        let old_name = settings.get("gpg.program").filter(|_| format == "openpgp");
        let named = settings.get(*setting).or(old_name).map_or(*usual, String::as_str).to_owned();
        let named = match (named.strip_prefix("~/"), std::env::home_dir()) {
            (Some(below), Some(home)) => home.join(below).display().to_string(),
            _ => named,
        };
        let program = own_program(&named, &[self.0.project.root()]).ok_or_else(|| no_program(&named))?;
        settings.remove("gpg.program");
        settings.insert("gpg.format".to_owned(), format);
        settings.insert((*setting).to_owned(), program.display().to_string());
        let before = self.outside_sandbox(BEFORE, Vec::new(), Vec::new()).await?.stdout;
        Ok(Some(Signing { command, program, key: key.unwrap_or_default(), settings, before }))
    }

    /// Signs what is new since, and says so after the command's output. Where that fails, the commits stay unsigned.
    pub(super) async fn sign(&self, signing: &Signing) -> String {
        let failed = |why: &str| {
            let program = signing.program.display();
            format!(
                "\n[The commit is there, but not signed: {program} failed. {} Ask the user to sign it.]",
                why.trim()
            )
        };
        let Ok(scratch) = PrivateTempDir::create() else { return failed("") };
        let own = [("ARKI_SCRATCH", scratch.path().display().to_string()), ("ARKI_KEY", signing.key.clone())];
        let mut environment: Vec<_> = own.map(|(name, value)| (name.to_owned(), value)).into();
        environment.extend(signing.settings.iter().map(|(key, value)| (format!("{SETTING}{key}"), value.clone())));
        match self.outside_sandbox(SIGN, environment, format!("HEAD\n{}", signing.before).into_bytes()).await {
            Ok(Answered { exit_code: Some(0), stdout, .. }) if stdout.is_empty() => String::new(),
            Ok(Answered { exit_code: Some(0), stdout, .. }) => {
                format!("\n[Arki signed the commit with {}. It is now {}.]", signing.program.display(), stdout.trim())
            }
            Ok(answered) => failed(&answered.stderr),
            Err(fault) => failed(&fault.message),
        }
    }

    /// Runs a line of Arki's own, whose git runs no program that the repository names.
    async fn outside_sandbox(
        &self,
        line: &str,
        more: Vec<(String, String)>,
        input: Vec<u8>,
    ) -> Result<Answered, Error> {
        let root = self.0.project.root();
        let path = std::env::join_paths(own_path(&[root])).map_err(Error::internal)?;
        let mut environment = inherited_environment();
        let is_gits = |name: &str| name.starts_with("GIT_") && name != "GIT_CONFIG_GLOBAL";
        environment.retain(|(name, _)| name != "PATH" && !is_gits(name));
        environment.push(("PATH".to_owned(), path.to_string_lossy().into_owned()));
        let unasked = arki_git::unasked_environment(root);
        // Git that only tells its configuration runs nothing.
        if unasked.is_none() && line != READ {
            return Err(unclear_git());
        }
        environment.extend(unasked.unwrap_or_default());
        let (settings, variables): (Vec<_>, Vec<_>) = more.into_iter().partition(|(name, _)| name.starts_with(SETTING));
        environment.extend(variables);
        add_settings(&mut environment, &settings);
        let spec = AnsweringSpec {
            name: "git".to_owned(),
            command_line: line.to_owned(),
            directory: root.to_owned(),
            environment,
            sandbox: None,
            time_limit: TIME_LIMIT,
            limits: CommandLimits::default(),
            max_kept_bytes: MAX_KEPT_BYTES,
            meanwhile: Meanwhile::new(|_| {}),
        };
        run_answering(spec, input, CancellationToken::new())
            .await
            .map_err(|error| crate::outcome::ToolError::from(error).into())
    }
}

/// Before the key of a setting of git's, among variables.
const SETTING: &str = "setting:";

/// Adds settings after those that are there: the last one counts.
fn add_settings(environment: &mut Vec<(String, String)>, settings: &[(String, String)]) {
    let Some(count) = environment.iter_mut().find(|(name, _)| name == "GIT_CONFIG_COUNT") else { return };
    let first: usize = count.1.parse().unwrap_or_default();
    count.1 = (first + settings.len()).to_string();
    for (number, (name, value)) in settings.iter().enumerate() {
        let key = name.strip_prefix(SETTING).unwrap_or(name);
        environment.push((format!("GIT_CONFIG_KEY_{}", first + number), key.to_owned()));
        environment.push((format!("GIT_CONFIG_VALUE_{}", first + number), value.clone()));
    }
}

fn unclear_git() -> Error {
    let message = "Arki can't tell which programs git's configuration would run here, so it can't sign the commit.";
    Error::new(Code::POLICY_DENIED, message, "Commit with `--no-gpg-sign`, or ask the user to commit.")
}

fn unclear_option() -> Error {
    let message = "Arki signs commits itself, and can't tell the option to sign from the rest of this line.";
    Error::new(Code::ARGUMENTS_INVALID, message, "Write `git commit -S …` in a line of its own.")
}

fn no_program(name: &str) -> Error {
    let message = format!(
        "The commit is to be signed, but there is no program `{name}`, which your global git configuration asks for."
    );
    let hint = "Install it, correct gpg.program (or gpg.format, gpg.ssh.program) in the global git configuration, or commit with `--no-gpg-sign`.";
    Error::new(Code::COMMAND_FAILED, message, hint)
}

pub(super) fn no_signing_in_background() -> Error {
    let message = "A commit that is to be signed can't be made in the background.";
    Error::new(Code::ARGUMENTS_INVALID, message, "Run it in the foreground, or commit with `--no-gpg-sign`.")
}
