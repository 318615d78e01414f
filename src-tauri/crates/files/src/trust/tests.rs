use super::*;
use arki_domain::Code;
use arki_domain::{RunFile, RunLanguage, ShellRuns, ShellText, UnknownRun};
use std::fs;

fn scanned(root: &Path) -> Result<TrustScan> {
    // One import a line, in words of this test's own.
    let imports =
        |_: &str, text: &str| text.lines().filter_map(|line| line.strip_prefix("import ")).map(str::to_owned).collect();
    scan(root, Readers { imports, runs })
}

/// In words of this test's own as well: a file a line with its language before it, or `?` and what isn't known.
fn runs(text: &ShellText<'_>) -> ShellRuns {
    let mut runs = ShellRuns { folders: text.folders.clone(), ..ShellRuns::default() };
    for line in text.text.split(['\n', ';']).filter(|line| !line.starts_with('#')) {
        let (word, path) = line.split_once(' ').unwrap_or(("", line));
        let language = match word {
            "?" => {
                runs.unknown.insert(UnknownRun { why: path.to_owned(), is_build: path == "builds" });
                continue;
            }
            "sh" | "/bin/sh" => RunLanguage::Shell,
            "python" => RunLanguage::Python,
            "node" => RunLanguage::JavaScript,
            "run" => RunLanguage::Program,
            _ => continue,
        };
        let path = path.trim_matches('\'').trim_start_matches(text.root).trim_start_matches('/').to_owned();
        runs.files.insert(RunFile { is_pattern: path.contains('*'), path, language });
    }
    runs
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        write(folder.path(), name, content);
    }
    folder
}

fn write(root: &Path, name: &str, content: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

fn found(root: &Path) -> Vec<String> {
    let kind = |kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned();
    scanned(root).unwrap().pins.iter().map(|pin| format!("{} {}", kind(pin.kind), pin.path)).collect()
}

fn changes(before: &[Pin], after: &[Pin]) -> Vec<(String, PinChange)> {
    compare(before, after).into_iter().map(|changed| (changed.path, changed.change)).collect()
}

#[test]
fn everything_executable_or_instructive_is_found() {
    let config = r#"{ /* c */ "hooks": {"PostToolUse": [{"command": "x"}]},
        "mcpServers": {"b": {"command": "b"}, "a": {"url": "http://a"}} }"#;
    let folder = folder(&[
        (".arki/config.json", config),
        ("AGENTS.md", "r"),
        ("deep/down/CLAUDE.md", "r"),
        ("node_modules/x/AGENTS.md", "ignored"),
        (".gitignore", "node_modules\n.claude\n"),
        (".claude/rules/a/b.md", "r"),
        (".claude/skills/s/run.sh", "s"),
        (".claude/commands/c.md", "c"),
        (".claude/agents/deep/a.md", "a"),
        (".agents/skills/s/SKILL.md", "s"),
        (".arki/procedures/p.md", "p"),
        (".arki/pipelines/p.yaml", "p"),
        (".git/config", "[core]\n\tbare = false\n"),
        (".git/hooks/pre-commit", "h"),
        (".git/hooks/pre-commit.sample", "no"),
        ("README.md", "no"),
    ]);
    assert_eq!(
        found(folder.path()),
        [
            "config .arki/config.json",
            "hook .arki/config.json#hooks",
            "mcp_server .arki/config.json#mcpServers.a",
            "mcp_server .arki/config.json#mcpServers.b",
            "rule .claude/rules/a/b.md",
            "rule AGENTS.md",
            "rule deep/down/CLAUDE.md",
            "skill .agents/skills/s/SKILL.md",
            "skill .claude/skills/s/run.sh",
            "procedure .arki/procedures/p.md",
            "command .claude/commands/c.md",
            "agent .claude/agents/deep/a.md",
            "pipeline .arki/pipelines/p.yaml",
            "git_config .git/config",
            "git_hook .git/hooks/pre-commit",
        ]
    );
}

#[test]
fn gits_other_configuration_is_found_and_what_it_includes() {
    let folder = folder(&[
        (".git/config", "[include]\n\tpath = ../.gitconfig\n"),
        (".gitconfig", "[include]\n\tpath = deep/more\n\tpath = .gitconfig\n\tpath = ../outside\n"),
        ("deep/more", "[core]\n"),
        (".git/config.worktree", "[core]\n"),
        (".git/worktrees/one/config.worktree", "[core]\n"),
        (".git/worktrees/one/HEAD", "h"),
        (".git/modules/sm/HEAD", "h"),
        (".git/modules/sm/config", "[core]\n"),
        (".git/modules/sm/modules/inner/HEAD", "h"),
        (".git/modules/sm/modules/inner/config", "[core]\n"),
        (".git/modules/lib/deep/HEAD", "h"),
        (".git/modules/lib/deep/config", "[core]\n"),
        (".git/objects/config", "no"),
    ]);
    assert_eq!(
        found(folder.path()),
        [
            "git_config .git/config",
            "git_config .git/config#programs",
            "git_config .git/config.worktree",
            "git_config .git/modules/lib/deep/config",
            "git_config .git/modules/sm/config",
            "git_config .git/modules/sm/modules/inner/config",
            "git_config .git/worktrees/one/config.worktree",
            "git_config .gitconfig",
            "git_config .gitconfig#programs",
            "git_config deep/more",
        ]
    );
}

#[test]
fn hooks_are_found_wherever_git_runs_them_from() {
    let folder = folder(&[
        (".gitignore", "trees\n"),
        (".git/config", "[core]\n\thooksPath = .husky/_\n"),
        (".git/worktrees/w/commondir", "../..\n"),
        (".husky/_/pre-commit", "h"),
        (".husky/pre-commit", "h"),
        ("trees/w/.git", "gitdir: ../../.git/worktrees/w\n"),
        ("trees/w/.husky/pre-push", "h"),
        ("vendor/lib/.git/config", "[core]\n\thooksPath = tools/hooks\n"),
        ("vendor/lib/.git/hooks/post-merge", "h"),
        ("vendor/lib/tools/hooks/pre-commit", "h"),
    ]);
    let worktree = folder.path().canonicalize().unwrap().join("trees/w/.git");
    write(folder.path(), ".git/worktrees/w/gitdir", &format!("{}\n", worktree.display()));
    let scanned = scanned(folder.path()).unwrap();
    let hooks: Vec<_> = scanned.pins.iter().filter(|pin| pin.kind == PinKind::GitHook).map(|pin| &*pin.path).collect();
    assert_eq!(
        hooks,
        [
            ".husky/_/pre-commit",
            ".husky/pre-commit",
            "trees/w/.husky/pre-push",
            "vendor/lib/.git/hooks/post-merge",
            "vendor/lib/tools/hooks/pre-commit",
        ]
    );
    assert!(scanned.pins.iter().any(|pin| pin.path == "vendor/lib/.git/config#programs"));
    write(folder.path(), ".husky/pre-commit", "another");
    let now = scanned.git.pins(&Project::open(folder.path()).unwrap()).unwrap();
    assert_eq!(changes(&scanned.pins, &now), [(".husky/pre-commit".into(), PinChange::Changed)]);
}

#[test]
fn a_worktree_has_its_repositorys_hooks_wherever_that_is() {
    let repository = folder(&[
        (".git/config", "[core]\n\tbare = false\n"),
        (".git/hooks/pre-commit", "h"),
        (".git/worktrees/w/commondir", "../..\n"),
    ]);
    let git = repository.path().canonicalize().unwrap().join(".git");
    let worktree = folder(&[]);
    write(worktree.path(), ".git", &format!("gitdir: {}\n", git.join("worktrees/w").display()));
    let back = worktree.path().canonicalize().unwrap().join(".git");
    write(repository.path(), ".git/worktrees/w/gitdir", &format!("{}\n", back.display()));
    let expected = [("git_config", "config"), ("git_hook", "hooks/pre-commit")];
    let expected = expected.map(|(kind, path)| format!("{kind} {}", git.join(path).display()));
    assert_eq!(found(worktree.path()), expected);
}

#[test]
fn only_what_git_may_run_puts_it_off() {
    let config = "[core]\n\tbare = false\n[alias]\n\tst = status\n";
    let folder = folder(&[(".git/config", config)]);
    let agreed = scanned(folder.path()).unwrap().pins;
    let off_with = |text: &str| {
        write(folder.path(), ".git/config", text);
        let changes = compare(&agreed, &scanned(folder.path()).unwrap().pins);
        changes.into_iter().filter(ChangedPin::puts_off).map(|change| change.path).collect::<Vec<_>>()
    };
    assert!(off_with(&format!("{config}[branch \"b\"]\n\tremote = origin\n")).is_empty());
    assert!(off_with("[core]\n\tbare = false\n").is_empty());
    assert_eq!(off_with(&config.replace("= status", "= !./x")), [".git/config#programs"]);
    assert_eq!(off_with(&config.replace("bare = false", "fsmonitor = ./x")), [".git/config#programs"]);
}

#[test]
fn a_servers_own_program_is_pinned_and_its_data_is_not() {
    let config = r#"{"mcpServers": {
        "a": {"command": "python3", "args": ["tools/a.py", "--db", "data.db", "../out.py"]},
        "b": {"command": "./tools/b", "args": ["gone.js", 1]}, "c": {"url": "http://a"}, "d": 1 }}"#;
    let folder = folder(&[(".arki/config.json", config), ("tools/a.py", "1"), ("tools/b", "1"), ("data.db", "1")]);
    let before = scanned(folder.path()).unwrap().pins;
    let files: Vec<&str> = before.iter().map(|pin| pin.path.as_str()).filter(|path| !path.starts_with('.')).collect();
    assert_eq!(files, ["tools/a.py", "tools/b"]);
    write(folder.path(), "tools/a.py", "2");
    write(folder.path(), "data.db", "2");
    assert_eq!(changes(&before, &scanned(folder.path()).unwrap().pins), [("tools/a.py".into(), PinChange::Changed)]);
}

#[test]
fn an_empty_folder_enables_nothing_and_its_template_only_itself() {
    let folder = folder(&[]);
    assert!(found(folder.path()).is_empty());
    install_template(folder.path()).unwrap();
    assert_eq!(found(folder.path()), ["config .arki/config.json"]);
}

#[test]
fn a_change_is_told_from_what_is_new_and_what_is_gone() {
    let folder = folder(&[("AGENTS.md", "1"), ("a/AGENTS.md", "1"), ("b/AGENTS.md", "1")]);
    let before = scanned(folder.path()).unwrap().pins;
    assert!(compare(&before, &scanned(folder.path()).unwrap().pins).is_empty());
    write(folder.path(), "AGENTS.md", "2");
    write(folder.path(), "c/CLAUDE.md", "1");
    fs::remove_file(folder.path().join("b/AGENTS.md")).unwrap();
    assert_eq!(
        changes(&before, &scanned(folder.path()).unwrap().pins),
        [
            ("AGENTS.md".into(), PinChange::Changed),
            ("b/AGENTS.md".into(), PinChange::Removed),
            ("c/CLAUDE.md".into(), PinChange::Added),
        ]
    );
}

#[test]
fn a_comment_changes_the_configuration_but_not_its_hooks() {
    let folder = folder(&[(".arki/config.json", r#"{"hooks": {"A": [], "B": []}}"#)]);
    let before = scanned(folder.path()).unwrap().pins;
    write(folder.path(), ".arki/config.json", "{ // why\n \"hooks\": {\"B\": [], \"A\": []}}");
    let after = scanned(folder.path()).unwrap().pins;
    assert_eq!(changes(&before, &after), [(".arki/config.json".into(), PinChange::Changed)]);
}

#[test]
fn a_broken_configuration_is_pinned_as_a_whole() {
    let folder = folder(&[(".arki/config.json", "{")]);
    assert_eq!(found(folder.path()), ["config .arki/config.json"]);
}

#[test]
fn what_is_too_large_to_pin_is_an_error() {
    let folder = folder(&[("AGENTS.md", "")]);
    fs::File::options().write(true).open(folder.path().join("AGENTS.md")).unwrap().set_len(1 << 30).unwrap();
    assert_eq!(scanned(folder.path()).unwrap_err().code(), Code::TRUST_TOO_LARGE);
}

#[test]
fn too_many_files_are_an_error() {
    let folder = folder(&[]);
    for number in 0..=5000 {
        write(folder.path(), &format!(".skills/{}/{number}", number % 10), "");
    }
    assert_eq!(scanned(folder.path()).unwrap_err().code(), Code::TRUST_TOO_LARGE);
}

#[test]
fn the_template_is_a_configuration_that_says_nothing() {
    let value = jsonc_parser::parse_to_serde_value::<serde_json::Value>(
        template::TEMPLATE_FOR_TEST,
        &jsonc_parser::ParseOptions::default(),
    );
    assert_eq!(value.unwrap(), serde_json::json!({}));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn links_are_followed_inside_the_project_only() {
        let outside = folder(&[("skill/run.sh", "x"), ("rule.md", "x")]);
        let folder = folder(&[("real/run.sh", "x")]);
        fs::create_dir(folder.path().join(".skills")).unwrap();
        symlink("../real", folder.path().join(".skills/inside")).unwrap();
        symlink(outside.path().join("skill"), folder.path().join(".skills/outside")).unwrap();
        symlink(outside.path().join("rule.md"), folder.path().join("AGENTS.md")).unwrap();
        symlink(".", folder.path().join(".skills/loop")).unwrap();
        assert_eq!(scanned(folder.path()).unwrap_err().code(), Code::TRUST_TOO_LARGE);
        fs::remove_file(folder.path().join(".skills/loop")).unwrap();
        assert_eq!(found(folder.path()), ["skill .skills/inside/run.sh"]);
    }

    #[test]
    fn the_template_is_for_the_owner_alone_and_never_overwrites() {
        let folder = folder(&[]);
        let path = folder.path().join(".arki/config.json");
        install_template(folder.path()).unwrap();
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        fs::write(&path, "{}").unwrap();
        install_template(folder.path()).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    }

    #[test]
    fn the_template_is_not_written_through_a_link() {
        let outside = folder(&[]);
        let folder = folder(&[]);
        symlink(outside.path(), folder.path().join(".arki")).unwrap();
        assert_eq!(install_template(folder.path()).unwrap_err().code(), Code::PATH_OUTSIDE_PROJECT);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }
}

#[test]
fn rules_of_other_tools_are_found_and_what_rules_import() {
    let folder = folder(&[
        ("AGENTS.md", "import docs/a.md\nimport .env\nimport ../out.md\nimport missing.md\nimport docs\n"),
        ("docs/a.md", "import docs/b.md\nimport AGENTS.md\n"),
        ("docs/b.md", "import docs/a.md\n"),
        ("docs/c.md", "no"),
        (".env", "TOKEN=x"),
        (".cursor/rules/x.mdc", "x"),
        (".github/copilot-instructions.md", "import docs/large.md\n"),
        (".github/instructions/y.md", "y"),
        (".github/workflows/ci.yml", "no"),
    ]);
    let large = fs::File::create(folder.path().join("docs/large.md")).unwrap();
    large.set_len(64 * 1024 * 1024).unwrap();
    assert_eq!(
        found(folder.path()),
        [
            "rule .cursor/rules/x.mdc",
            "rule .github/copilot-instructions.md",
            "rule .github/instructions/y.md",
            "rule AGENTS.md",
            "rule docs/a.md",
            "rule docs/b.md",
        ]
    );
}

fn followed(root: &Path, line: &str) -> Followed {
    follow(&Project::open(root).unwrap(), line, runs).unwrap()
}

fn paths(followed: &Followed) -> Vec<String> {
    followed.pins().into_iter().map(|pin| pin.path).collect()
}

#[test]
fn what_a_line_leads_to_is_followed_through_scripts() {
    let folder = folder(&[
        ("a.sh", "#!/bin/sh\nsh lib/b.sh\nsh gone.sh\n"),
        ("lib/b.sh", "python lib/c.py\nsh a.sh\n"),
        ("lib/c.py", "import os, d\nfrom . import e\nfrom f.g import h\n"),
        ("lib/d.py", ""),
        ("lib/e.py", ""),
        ("lib/f/g.py", ""),
        ("lib/other.py", ""),
        ("x.js", "const y = require('./y'); import z from \"./z.mjs\"; const data = './data.txt'"),
        ("y/index.js", ""),
        ("z.mjs", ""),
    ]);
    let found = followed(folder.path(), "run a.sh");
    assert_eq!(paths(&found), ["a.sh", "lib/b.sh", "lib/c.py", "lib/d.py", "lib/e.py", "lib/f/g.py"]);
    assert_eq!(found.unpinned(false), None);
    // What isn't there yet would be run.
    assert!(found.covers("gone.sh") && found.covers("lib/os.py") && !found.covers("lib/other.py"));
    assert_eq!(paths(&followed(folder.path(), "node x.js")), ["x.js", "y/index.js", "z.mjs"]);
}

#[test]
fn a_pattern_and_a_folder_of_hooks_are_pinned_with_whatever_comes_into_them() {
    let folder = folder(&[
        (".hooks/a.sh", ""),
        (".hooks/b.txt", ""),
        (".claude/hooks/g.py", ""),
        (".claude/hooks/d/e.bin", "\0"),
    ]);
    let found = followed(folder.path(), "sh .hooks/*.sh");
    assert_eq!(paths(&found), [".hooks/a.sh"]);
    assert!(found.covers(".hooks/new.sh") && !found.covers(".hooks/b.txt") && !found.covers(".hooks/d/x.sh"));
    let found = followed(folder.path(), "python .claude/hooks/g.py");
    assert_eq!(paths(&found), [".claude/hooks/d/e.bin", ".claude/hooks/g.py"]);
    assert!(found.covers(".claude/hooks/d/new.py"));
    let notes: Vec<bool> = found.pins().iter().map(|pin| pin.note.is_some()).collect();
    assert_eq!(notes, [false, true], "what else a script in another language loads isn't pinned");
    assert!(followed(folder.path(), "sh .h*/x/*.sh").unpinned(false).unwrap().contains(".h*/x/*.sh"));
}

#[test]
fn what_cannot_be_pinned_is_told_with_the_script_that_it_is_in() {
    let folder = folder(&[("a.sh", "? it is odd\n? builds\n"), ("latin.sh", "")]);
    fs::write(folder.path().join("latin.sh"), b"# \xe9\nsh b.sh\n").unwrap();
    let found = followed(folder.path(), "sh a.sh");
    assert_eq!(found.unpinned(false).unwrap(), "a.sh: builds; a.sh: it is odd");
    assert_eq!(found.unpinned(true).unwrap(), "a.sh: it is odd", "a checker is there to build");
    assert_eq!(followed(folder.path(), "sh latin.sh").unpinned(false).unwrap(), "latin.sh: it isn't UTF-8 text");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hostname", folder.path().join("out.sh")).unwrap();
        assert_eq!(followed(folder.path(), "sh out.sh").unpinned(false).unwrap(), "out.sh leads out of the folder");
    }
    write(folder.path(), ".arki/config.json", r#"{"hooks": {"Stop": [{"command": "? odd"}]}}"#);
    let pins = scanned(folder.path()).unwrap().pins;
    let unpinned: Vec<&Pin> = pins.iter().filter(|pin| pin.kind == PinKind::UnpinnedHook).collect();
    assert_eq!((unpinned.len(), unpinned[0].path.as_str()), (1, ".arki/config.json#? odd"));
    assert_eq!(unpinned[0].note.as_deref(), Some("Arki can't pin what this runs: odd."));
    assert!(!compare(&[], &pins).iter().any(|change| change.kind == PinKind::UnpinnedHook && change.puts_off()));
}
