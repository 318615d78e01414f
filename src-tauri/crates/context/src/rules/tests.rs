use super::*;
use proptest::prelude::*;

fn file<'a>(path: &'a str, text: &'a str) -> RuleFile<'a> {
    RuleFile { path, text, is_users: false }
}

fn nothing(_: &str) -> ImportedText {
    ImportedText::Missing
}

fn reader<'a>(files: &'a [(&'a str, &'a str)]) -> impl FnMut(&str) -> ImportedText + 'a {
    |path| {
        let found = files.iter().find(|(known, _)| *known == path);
        found.map_or(ImportedText::Missing, |(_, text)| ImportedText::Text((*text).to_owned()))
    }
}

fn paths(rules: &[&LoadedRule]) -> Vec<String> {
    rules.iter().map(|rule| rule.path.clone()).collect()
}

fn warnings(loaded: &LoadedRules) -> String {
    loaded.warnings.iter().map(|warning| format!("{}: {}\n", warning.path, warning.message)).collect()
}

#[test]
fn the_roots_rules_apply_at_start_and_those_of_a_folder_when_something_in_it_is_touched() {
    let files = [
        RuleFile { path: "~/.config/arki/AGENTS.md", text: "user", is_users: true },
        file("AGENTS.md", "root"),
        file(".claude/CLAUDE.md", "claude"),
        file("a/b/AGENTS.md", "inner"),
        file("a/CLAUDE.md", "outer"),
    ];
    let loaded = load_rules(&files, &mut nothing);
    let start: Vec<&str> = loaded.at_start().map(|rule| rule.text.as_str()).collect();
    assert_eq!(start, ["user", "root", "claude"]);
    assert_eq!(paths(&loaded.touched("a/b/c.rs")), ["a/CLAUDE.md", "a/b/AGENTS.md"]);
    assert_eq!(paths(&loaded.touched("a")), ["a/CLAUDE.md"]);
    assert!(loaded.touched("ab/c.rs").is_empty() && loaded.touched("README.md").is_empty());
}

#[test]
fn rules_with_paths_apply_when_one_of_them_is_touched() {
    let files = [
        file(".claude/rules/api.md", "---\npaths: \"src/api/**/*.{ts,tsx}\"\n---\nApi."),
        file(".claude/rules/all.md", "All."),
        file(".cursor/rules/ts.mdc", "---\ndescription: TS\nglobs: *.ts\nalwaysApply: false\n---\nTs."),
        file(".cursor/rules/always.mdc", "---\nalwaysApply: true\n---\nAlways."),
        file(".cursor/rules/asked.mdc", "---\ndescription: How to deploy\nalwaysApply: false\n---\nDeploy."),
        file(".github/copilot-instructions.md", "Copilot."),
    ];
    let loaded = load_rules(&files, &mut nothing);
    let start: Vec<&str> = loaded.at_start().map(|rule| rule.text.as_str()).collect();
    assert_eq!(start, ["All.", "Always.", "Copilot."]);
    assert_eq!(paths(&loaded.touched("src/api/x/y.ts")), [".claude/rules/api.md", ".cursor/rules/ts.mdc"]);
    assert_eq!(paths(&loaded.touched("lib/y.ts")), [".cursor/rules/ts.mdc"]);
    let asked = loaded.rules.iter().find(|rule| rule.path.contains("asked")).unwrap();
    assert!(matches!(&asked.applies, Applies::OnRequest { description } if description == "How to deploy"));
    assert!(warnings(&loaded).contains(".cursor/rules/ts.mdc: its first lines are not YAML"), "{}", warnings(&loaded));
}

#[test]
fn imports_stand_below_the_rule_once_each() {
    let files =
        [file("sub/AGENTS.md", "Read @../docs/a.md, @b.md. Not `@c.md`, me@d.md or @Override.\n```\n@e.md\n```\n")];
    let mut read = reader(&[("docs/a.md", "A imports @../sub/b.md"), ("sub/b.md", "B")]);
    let loaded = load_rules(&files, &mut read);
    assert!(
        loaded.rules[0].text.ends_with("\n\nFrom docs/a.md:\n\nA imports @../sub/b.md\n\nFrom sub/b.md:\n\nB"),
        "{:?}",
        loaded.rules[0].text
    );
    assert_eq!(warnings(&loaded), "");
}

#[test]
fn imports_that_cannot_be_are_warned_about_and_the_text_is_used() {
    let deep: Vec<(String, String)> = (0..9).map(|n| (format!("d{n}.md"), format!("@d{}.md", n + 1))).collect();
    let mut all: Vec<(&str, &str)> = deep.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    all.extend([("round.md", "@AGENTS.md"), ("AGENTS.md", "x")]);
    let text = "Go. @missing.md @/etc/passwd @~/x.md @../../up.md @round.md @d0.md";
    let loaded = load_rules(&[file("AGENTS.md", text)], &mut reader(&all));
    let all = warnings(&loaded);
    for expected in [
        "missing.md, which doesn't exist",
        "/etc/passwd, which is outside",
        "~/x.md, which is outside",
        "../../up.md, which is outside",
        "round.md imports AGENTS.md, which imports it",
        "more than 5",
    ] {
        assert!(all.contains(expected), "{expected} is not in {all}");
    }
    assert!(loaded.rules[0].text.starts_with("Go."));
}

#[test]
fn an_import_that_cannot_be_used_says_why() {
    let mut read = |_: &str| ImportedText::Unusable("is no text".to_owned());
    let loaded = load_rules(&[file("AGENTS.md", "@a.png")], &mut read);
    assert_eq!(warnings(&loaded), "AGENTS.md: it imports a.png, which is no text\n");
}

#[test]
fn a_long_rule_is_cut_with_a_word_for_both() {
    let long = "line of a rule\n".repeat(400_000);
    let loaded = load_rules(&[file("AGENTS.md", &long)], &mut nothing);
    assert!(loaded.rules[0].text.len() < MAX_RULE_BYTES + 100);
    assert!(loaded.rules[0].text.contains("Read AGENTS.md for the rest."));
    assert!(warnings(&loaded).contains("are left out"));
    let names: Vec<(String, String)> =
        (0..5).map(|n| (format!(".claude/rules/{n}.md"), format!("{n}{long}"))).collect();
    let files: Vec<RuleFile<'_>> = names.iter().map(|(path, text)| file(path, text)).collect();
    let all: usize = load_rules(&files, &mut nothing).at_start().map(|rule| rule.text.len()).sum();
    assert!(all < MAX_RULES_AT_START_BYTES + 1000, "{all}");
}

#[test]
fn the_same_text_twice_counts_once_and_there_is_a_most() {
    let loaded = load_rules(&[file("AGENTS.md", "Same.\n"), file("CLAUDE.md", "Same.")], &mut nothing);
    assert_eq!(loaded.rules.len(), 1);
    let names: Vec<String> = (0..=MAX_RULES).map(|n| format!("d{n}/AGENTS.md")).collect();
    let files: Vec<RuleFile<'_>> = names.iter().map(|path| file(path, "x")).collect();
    let loaded = load_rules(&files, &mut nothing);
    assert!(loaded.rules.len() == MAX_RULES && warnings(&loaded).contains("d200/AGENTS.md: this and all later rules"));
}

/// Every text that comes in once all of these paths were touched.
fn told(files: &[(&str, &str)], touched: &[&str]) -> String {
    let rules: Vec<RuleFile<'_>> =
        files.iter().filter(|(path, _)| rule_kind(path).is_some()).map(|(path, text)| file(path, text)).collect();
    let loaded = load_rules(&rules, &mut reader(files));
    let late = touched.iter().flat_map(|path| loaded.touched(path));
    loaded.at_start().chain(late).map(|rule| format!("{}\n", rule.text)).collect()
}

#[test]
fn a_text_goes_out_once_whether_as_a_rule_or_imported() {
    let (all, claude) = ("For all.", "For Claude.");
    let both = format!("@CLAUDE.md\n{all}");
    let back = format!("@AGENTS.md\n{claude}");
    let up = format!("@../AGENTS.md {claude}");
    for (files, touched) in [
        (vec![("AGENTS.md", all), ("CLAUDE.md", &back)], vec![]),
        (vec![("AGENTS.md", &both), ("CLAUDE.md", claude)], vec![]),
        (vec![("AGENTS.md", &both), ("CLAUDE.md", &back)], vec![]),
        (vec![("AGENTS.md", all), (".claude/CLAUDE.md", &up)], vec![]),
        (vec![("AGENTS.md", all), ("sub/CLAUDE.md", &up)], vec!["sub/x"]),
        (vec![("sub/AGENTS.md", all), ("sub/CLAUDE.md", &back)], vec!["sub/x"]),
        (
            vec![
                ("AGENTS.md", "@docs/a.md"),
                ("CLAUDE.md", "@docs/a.md @docs/b.md"),
                ("docs/a.md", all),
                ("docs/b.md", claude),
            ],
            vec![],
        ),
        // The same file by a link, and the same text in an inner folder.
        (
            vec![("AGENTS.md", all), ("CLAUDE.md", all), ("sub/AGENTS.md", all), ("sub/CLAUDE.md", claude)],
            vec!["sub/x"],
        ),
        (
            vec![("AGENTS.md", all), ("CLAUDE.md", "@copy.md @b.md"), ("copy.md", "For all.\n"), ("b.md", claude)],
            vec![],
        ),
    ] {
        let told = told(&files, &touched);
        assert_eq!((told.matches(all).count(), told.matches(claude).count()), (1, 1), "{files:?}: {told}");
    }
    assert_eq!(told(&[("AGENTS.md", all), ("CLAUDE.md", "@AGENTS.md\n")], &[]), "For all.\n", "nothing is left of it");
    let again = [("AGENTS.md", all), ("a/AGENTS.md", claude), ("a/b/AGENTS.md", all)];
    assert_eq!(told(&again, &["a/b/x"]).matches(all).count(), 2, "the folder between says something else");
}

proptest! {
    #[test]
    fn no_text_and_no_import_makes_it_fail(text in "[-@a-z./~: \n`*{}\\[\\]]{0,300}", path in "(AGENTS.md|\\.cursor/rules/x\\.mdc|\\.claude/rules/y\\.md)") {
        let mut read = |path: &str| match path.len() % 3 {
            0 => ImportedText::Text(text.clone()),
            1 => ImportedText::Missing,
            _ => ImportedText::Unusable("is no text".to_owned()),
        };
        let loaded = load_rules(&[file(&path, &text)], &mut read);
        prop_assert!(loaded.rules.len() <= 1);
        prop_assert!(loaded.rules.iter().all(|rule| rule.text.len() < MAX_RULE_BYTES + 200));
    }
}
