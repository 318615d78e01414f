//! Tells whether a git configuration that a command made is one that git itself writes, and runs nothing.
//!
//! An allow-list: of keys, and of ways to write them down. Git knows dozens of keys that name a program, and gets more; it
//! knows few that `git init`, `git clone`, submodules and worktrees need. What is not on the list, or not written as git
//! writes it, is not harmless.

/// `section.key`, in lower case; what a section is about (`remote "origin"`) is left out.
const HARMLESS: &str = "branch.merge branch.rebase branch.remote commit.gpgsign core.autocrlf core.bare core.eol \
    core.filemode core.ignorecase core.logallrefupdates core.longpaths core.precomposeunicode \
    core.repositoryformatversion core.safecrlf core.sparsecheckout core.sparsecheckoutcone core.symlinks \
    core.worktree extensions.compatobjectformat extensions.objectformat extensions.partialclone \
    extensions.refstorage extensions.relativeworktrees extensions.worktreeconfig gc.auto gc.autodetach \
    init.defaultbranch maintenance.auto remote.fetch remote.partialclonefilter remote.promisor remote.pushurl \
    remote.tagopt remote.url submodule.active submodule.url tag.gpgsign user.email user.name";

/// Returns whether nothing in it may have git run something.
pub fn is_harmless(text: &str) -> bool {
    beyond_harmless(text).is_empty()
}

/// The lines that are not harmless, each after the section it is in. Once a line is not written as git writes it, all
/// that follow are among them.
pub fn beyond_harmless(text: &str) -> String {
    let (mut section, mut header) = (None, "");
    let mut found = String::new();
    let mut is_readable = true;
    for line in text.lines() {
        let is_harmless = match read(line).filter(|_| is_readable) {
            Some(ConfigLine::Nothing) => true,
            Some(ConfigLine::Section(name)) => {
                (section, header) = (Some(name), line);
                true
            }
            Some(ConfigLine::Value { key, value }) => {
                section.as_ref().is_some_and(|section| allows(section, key, value))
            }
            None => {
                is_readable = false;
                false
            }
        };
        if !is_harmless {
            found.extend([header, "\n", line, "\n"]);
        }
    }
    found
}

fn allows(section: &str, key: &str, value: &str) -> bool {
    let name = format!("{section}.{}", key.to_ascii_lowercase());
    HARMLESS.split(' ').any(|harmless| harmless == name) && (!name.ends_with("url") || is_plain_address(value))
}

/// `helper::address` starts a program of that name, and quotes could hide it.
fn is_plain_address(value: &str) -> bool {
    !value.contains("::") && !value.contains(['"', '\\'])
}

enum ConfigLine<'a> {
    Nothing,
    Section(String),
    Value { key: &'a str, value: &'a str },
}

/// `None` where it is not written as git writes it.
fn read(line: &str) -> Option<ConfigLine<'_>> {
    // The end of a line may go on with the next.
    if line.ends_with('\\') || line.chars().any(|character| character.is_control() && character != '\t') {
        return None;
    }
    let line = line.trim_matches([' ', '\t']);
    if line.is_empty() || line.starts_with(['#', ';']) {
        return Some(ConfigLine::Nothing);
    }
    if let Some(header) = line.strip_prefix('[') {
        return section(header.strip_suffix(']')?).map(ConfigLine::Section);
    }
    let (key, value) = line.split_once('=').unwrap_or((line, ""));
    let key = key.trim_matches([' ', '\t']);
    is_name(key).then_some(ConfigLine::Value { key, value })
}

/// `name` or `name "what it is about"`.
fn section(header: &str) -> Option<String> {
    let (name, about) = header.split_once(' ').unwrap_or((header, "\"\""));
    let about = about.strip_prefix('"')?.strip_suffix('"')?;
    let is_plain = !about.contains(['"', '\\', ']', '[']);
    (is_name(name) && is_plain).then(|| name.to_ascii_lowercase())
}

fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic()) && text.bytes().all(is_part)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn what_git_writes_is_harmless() {
        for text in [
            "",
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
            "[core]\n\tbare = true\n[remote \"origin\"]\n\turl = https://example.org/a.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
            "[submodule]\n\tactive = .\n[submodule \"a b\"]\n\tactive = true\n\turl = /x/y\n",
            "# mine\n; too\n[user]\n\tname = Jane Doe\n\temail = \"j@example.org\"\n",
            "[extensions]\n\tworktreeConfig\n",
        ] {
            assert!(is_harmless(text), "{text}");
        }
    }

    #[test]
    fn what_is_beyond_is_told_with_its_section_whatever_is_harmless_around_it() {
        let text = "[core]\n\tbare = false\n\teditor = vi\n[user]\n\tname = J\n[alias]\n\tst = status\n";
        let beyond = "[core]\n\teditor = vi\n[alias]\n\tst = status\n";
        assert_eq!(beyond_harmless(text), beyond);
        let followed = format!("{text}[branch \"b\"]\n\tremote = origin\n");
        assert_eq!(beyond_harmless(&followed), beyond);
        assert_eq!(beyond_harmless("[core] x = y\n[user]\nname = J\n"), "\n[core] x = y\n\n[user]\n\nname = J\n");
    }

    #[test]
    fn what_names_a_program_or_another_file_is_not() {
        for (section, line) in [
            ("core", "fsmonitor = ./evil"),
            ("core", "FSMonitor=./evil"),
            ("core", "hooksPath = x"),
            ("core", "sshCommand = x"),
            ("core", "editor = x"),
            ("core", "pager = x"),
            ("core", "attributesFile = x"),
            ("core", "gitProxy = x"),
            ("core", "alternateRefsCommand = x"),
            ("pager", "log = x"),
            ("diff", "external = x"),
            ("diff \"x\"", "textconv = x"),
            ("filter \"x\"", "clean = x"),
            ("merge \"x\"", "driver = x"),
            ("alias", "st = !x"),
            ("credential", "helper = x"),
            ("include", "path = x"),
            ("includeIf \"gitdir:x\"", "path = x"),
            ("gpg", "program = x"),
            ("remote \"x\"", "uploadpack = x"),
            ("remote \"x\"", "url = ext::sh -c x"),
            ("remote \"x\"", "url = ext:\":\"sh -c x"),
            ("submodule \"x\"", "update = !x"),
            ("url \"x\"", "insteadOf = y"),
            ("protocol", "allow = always"),
            ("safe", "directory = *"),
            ("uploadpack", "packObjectsHook = x"),
        ] {
            assert!(!is_harmless(&format!("[{section}]\n\t{line}\n")), "{section} {line}");
        }
    }

    #[test]
    fn what_could_be_read_in_another_way_is_not() {
        for text in [
            "[core] fsmonitor = x\n",
            "[core] bare = true\n",
            "[user]\n\tname = x\\\n[core]\n",
            "[user \"\\\"]\n[core]\n\tfsmonitor = x\n#\"]\n",
            "[user]\n\tname = x\r[core]\r\tfsmonitor = x\n",
            "bare = true\n",
            "[core.x]\n\tbare = true\n",
            "[core\n",
            "\u{feff}[core]\n\tbare = true\n",
            "[core]\n\tbare\u{0} = true\n",
            "nothing of the sort\n",
        ] {
            assert!(!is_harmless(text), "{text:?}");
        }
    }
}
