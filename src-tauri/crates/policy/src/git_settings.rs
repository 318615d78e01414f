//! The variables and the values of `-c` that a git which writes may be given: tables of those that name no program, file
//! or place.
//!
//! Git is told so much by them that a list of the harmful ones is never complete. Of variables that are not git's, those
//! that steer shells, loaders and interpreters are known by their names, since a repository's hooks may be told anything
//! (`HUSKY=0`, `SKIP=lint`).

use super::command_line::is_harmless;
use super::plain_shell::Word;
use arki_domain::{ReasonCode, TranslatableText, steers_programs};

/// The keys in lower case. One that ends with a dot stands for all of its section.
const KEYS: &str = "advice. apply.whitespace author.email author.name branch.autosetupmerge branch.autosetuprebase branch.sort \
    color. column. commit.cleanup commit.status commit.verbose committer.email committer.name core.abbrev \
    core.autocrlf core.commentchar core.commentstring core.eol core.filemode core.ignorecase core.longpaths \
    core.precomposeunicode core.preloadindex core.quotepath core.safecrlf core.symlinks core.whitespace \
    diff.algorithm diff.context diff.mnemonicprefix diff.noprefix diff.renamelimit diff.renames diff.submodule \
    fetch.parallel fetch.prune fetch.prunetags gc.auto i18n.commitencoding i18n.logoutputencoding \
    init.defaultbranch log.date log.decorate maintenance.auto merge.conflictstyle merge.ff merge.log \
    merge.renamelimit merge.renames merge.stat pack.threads protocol.file.allow pull.ff pull.rebase \
    push.autosetupremote push.default push.followtags rebase.autosquash rebase.autostash rebase.updaterefs \
    rerere.autoupdate rerere.enabled stash.showpatch status. submodule.recurse tag.sort user.email user.name \
    user.useconfigonly versionsort.suffix";
/// Keys that are harmless with these values.
const VALUES: &[(&str, &[&str])] = &[
    ("commit.gpgsign", NO),
    ("core.editor", DOES_NOTHING),
    ("core.pager", PRINTS),
    ("credential.helper", &[""]),
    ("log.showsignature", NO),
    ("merge.gpgsign", NO),
    ("push.gpgsign", NO),
    ("sequence.editor", DOES_NOTHING),
    ("tag.gpgsign", NO),
];
/// Variables that are harmless with these values.
const VARIABLE_VALUES: &[(&str, &[&str])] = &[
    ("EDITOR", DOES_NOTHING),
    ("GIT_DIR", &[".git", "./.git"]),
    ("GIT_EDITOR", DOES_NOTHING),
    ("GIT_PAGER", PRINTS),
    ("GIT_SEQUENCE_EDITOR", DOES_NOTHING),
    ("GIT_TRACE", &["0", "1", "2", "true", "false"]),
    ("GIT_WORK_TREE", &[".", "./"]),
    ("HUSKY", &["0"]),
    ("PAGER", PRINTS),
    ("VISUAL", DOES_NOTHING),
];
const NO: &[&str] = &["false", "no", "off", "0"];
const DOES_NOTHING: &[&str] = &["true", ":"];
const PRINTS: &[&str] = &["", "cat"];
/// Further variables of git's own that are harmless whatever they are.
const OF_GIT: &[&str] = &["GIT_ADVICE", "GIT_ICASE_PATHSPECS", "GIT_LITERAL_PATHSPECS", "GIT_REFLOG_ACTION"];
/// Ends of names of variables that may name a program, a file or a folder.
const STEERING_ENDS: &[&str] = &[
    "BIN", "CMD", "COMMAND", "CONFIG", "DIR", "EDITOR", "EXEC", "FILE", "HOME", "HOOK", "OPTIONS", "OPTS", "PATH",
    "PROXY", "RC", "SHELL",
];

/// Returns what is wrong with a variable in front of git, to the model.
pub(super) fn objection_to_variable(assignment: &Word) -> Option<TranslatableText> {
    let (name, value) = assignment.text.split_once('=')?;
    let fits = |(known, values): &(&str, &[&str])| *known == name && values.contains(&value);
    let is_known = is_harmless(assignment) || OF_GIT.contains(&name) || VARIABLE_VALUES.iter().any(fits);
    let upper = name.to_ascii_uppercase();
    let steers =
        steers_programs(&upper) || upper.starts_with('_') || STEERING_ENDS.iter().any(|end| upper.ends_with(end));
    let is_plain = value.chars().all(|next| next.is_ascii_alphanumeric() || " _.,:+@%-".contains(next));
    if !assignment.expands && (is_known || (!steers && is_plain)) {
        return None;
    }
    let objection = if steers { ReasonCode::GIT_VARIABLE_STEERS } else { ReasonCode::GIT_VARIABLE_UNKNOWN };
    Some(objection.with("name", name))
}

/// Returns what is wrong with the value of a `-c`, to the model.
pub(super) fn objection_to_setting(setting: &Word) -> Option<TranslatableText> {
    let (key, value) = setting.text.split_once('=').unwrap_or((&setting.text, "true"));
    let lower = key.to_ascii_lowercase();
    let fits = |(known, values): &(&str, &[&str])| *known == lower && values.contains(&value);
    let is_of = |known: &str| known == lower || (known.ends_with('.') && lower.starts_with(known));
    if !setting.expands && (KEYS.split(' ').any(is_of) || VALUES.iter().any(fits)) {
        return None;
    }
    Some(ReasonCode::GIT_SETTING_REFUSED.with("key", key))
}
