//! Tells whether the commits of a line are to be signed, and writes the line without that: nothing in a sandbox reaches the
//! user's keys, so they are signed once they are made.

use super::CommandLine;
use super::command_line::SimpleCommand;
use super::git_line::called;

/// The subcommands that make commits of nobody else's.
const SIGNED: &[&str] = &["am", "cherry-pick", "commit", "merge", "rebase", "revert"];
/// Those that bring the commits of others, which are never signed anew.
const BRINGING: &[&str] = &["fetch", "pull"];
/// Short options of `git commit` and the like that take no value, and may stand before an `S`.
const FLAGS: &str = "aeinopqsvz";
const UNSIGNED: &str = "--no-gpg-sign";

/// The wish of a line for its commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitSigning {
    Never,
    /// If the user's configuration says so.
    AsConfigured,
    /// With this key, or the configured one.
    Asked(Option<String>),
}

/// Returns whether the commits of a line are to be signed.
#[must_use]
pub fn commit_signing(line: &str) -> CommitSigning {
    let line = CommandLine::parse_with_assignments(line);
    let commands = line.all();
    let brings =
        |command: &&SimpleCommand| called(command.arguments()).is_some_and(|git| BRINGING.contains(&git.subcommand));
    if commands.iter().filter(|command| command.name() == "git").any(brings) {
        return CommitSigning::Never;
    }
    let wishes = commands.into_iter().filter_map(wish);
    wishes.fold(CommitSigning::Never, |all, one| match (&all, &one) {
        (CommitSigning::Asked(_), _) | (_, CommitSigning::Never) => all,
        _ => one,
    })
}

/// Returns the line with its commits unsigned; `None` where that can't be told from the rest of it.
#[must_use]
pub fn without_signing(line: &str) -> Option<String> {
    let (mut written, mut quote, mut rest) = (String::new(), None, line);
    while let Some(next) = rest.chars().next() {
        let begins_word = written.chars().next_back().is_none_or(|last| " \t\n;|&(".contains(last));
        let length = rest.find(|next: char| " \t\n;|&()<>'\"".contains(next)).unwrap_or(rest.len());
        if quote.is_none() && rest.starts_with("<<") {
            break;
        }
        if quote.is_none() && begins_word && option_of(&rest[..length]).is_some() {
            let word = without_key(&rest[..length]);
            written.push_str(&[word.as_str(), UNSIGNED].join(if word.is_empty() { "" } else { " " }));
            rest = &rest[length..];
            continue;
        }
        match (next, quote) {
            ('\'' | '"', None) => quote = Some(next),
            (_, Some(begun)) if begun == next => quote = None,
            _ => {}
        }
        let length = next.len_utf8()
            + if next == '\\' && quote != Some('\'') { rest[1..].chars().next()?.len_utf8() } else { 0 };
        written.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    written.push_str(rest);
    (words(line) == words(&written) && !matches!(commit_signing(&written), CommitSigning::Asked(_))).then_some(written)
}

/// All words but those that speak of signing.
fn words(line: &str) -> Vec<Vec<String>> {
    let of = |command: &SimpleCommand| {
        let signs = wish(command).is_some();
        let kept = command.words.iter().map(|word| if signs { without_key(&word.text) } else { word.text.clone() });
        kept.filter(|word| !word.is_empty()).collect()
    };
    CommandLine::parse_with_assignments(line).simple().unwrap_or_default().into_iter().map(of).collect()
}

/// `None` for what makes no commit.
fn wish(command: &SimpleCommand) -> Option<CommitSigning> {
    let git = called(command.arguments()).filter(|git| command.name() == "git" && SIGNED.contains(&git.subcommand))?;
    let is_off = |text: &str| text.to_ascii_lowercase().starts_with("commit.gpgsign=");
    let off = command.arguments().iter().any(|word| is_off(&word.text)).then_some(CommitSigning::Never);
    let asked = git.arguments.iter().take_while(|word| word.text != "--").filter_map(|word| match word.text.as_str() {
        UNSIGNED => Some(CommitSigning::Never),
        text => option_of(text).map(CommitSigning::Asked),
    });
    asked.last().or(off).or(Some(CommitSigning::AsConfigured))
}

/// Returns the key that an option to sign names, if it is one.
fn option_of(word: &str) -> Option<Option<String>> {
    if let Some(long) = word.strip_prefix("--gpg-sign") {
        return if long.is_empty() { Some(None) } else { long.strip_prefix('=').map(|key| Some(key.to_owned())) };
    }
    let (flags, key) = word.strip_prefix('-')?.split_once('S')?;
    flags.chars().all(|flag| FLAGS.contains(flag)).then(|| Some(key).filter(|key| !key.is_empty()).map(str::to_owned))
}

/// Returns what is left of an option without the wish to sign; of others all.
fn without_key(word: &str) -> String {
    match option_of(word) {
        None if word == UNSIGNED => String::new(),
        None => word.to_owned(),
        Some(_) => {
            word.split_once('S').map(|(flags, _)| flags).filter(|flags| flags.len() > 1).unwrap_or_default().to_owned()
        }
    }
}

#[cfg(all(test, not(windows)))]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_whether_its_commits_are_signed() {
        let with = |key: &str| CommitSigning::Asked(Some(key.to_owned()));
        for (line, signing) in [
            ("git status", CommitSigning::Never),
            ("git add . && git commit -m x", CommitSigning::AsConfigured),
            ("git commit -S -m x", CommitSigning::Asked(None)),
            ("git commit -aS -m x", CommitSigning::Asked(None)),
            ("git commit --gpg-sign=ABC -m x", with("ABC")),
            ("git commit -SABC -m x", with("ABC")),
            ("git commit --no-gpg-sign -m x", CommitSigning::Never),
            ("git -c commit.gpgsign=false commit -m x", CommitSigning::Never),
            ("git commit -m '-S'", CommitSigning::Asked(None)),
            ("git merge -S x; git log -S x", CommitSigning::Asked(None)),
            ("git pull && git commit -S -m x", CommitSigning::Never),
        ] {
            assert_eq!(commit_signing(line), signing, "{line}");
        }
    }

    #[test]
    fn a_line_is_written_without_signing_or_not_at_all() {
        for (line, written) in [
            ("git commit -S -m 'a -S b'", Some("git commit --no-gpg-sign -m 'a -S b'")),
            ("git commit -aSABC -m x | tail", Some("git commit -a --no-gpg-sign -m x | tail")),
            ("git commit -S -F - <<'EOF'\nuse -S\nEOF", Some("git commit --no-gpg-sign -F - <<'EOF'\nuse -S\nEOF")),
            ("git add a && git commit --gpg-sign=A -m \"x\"", Some("git add a && git commit --no-gpg-sign -m \"x\"")),
            ("git commit -S -m x && git log -S x", None),
            ("git commit '-S' -m x", None),
        ] {
            assert_eq!(without_signing(line).as_deref(), written, "{line}");
        }
    }
}
