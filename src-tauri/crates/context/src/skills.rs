//! The front matter of a `SKILL.md` (<https://agentskills.io/specification>), read leniently, and when a skill suggests
//! itself: its triggers (seed 002) besides the model's own choice.

use crate::FrontMatter;
use arki_domain::glob_readings;
use globset::{Glob, GlobMatcher};

/// The specification's bounds.
const MAX_NAME_CHARS: usize = 64;
const MAX_DESCRIPTION_CHARS: usize = 1024;
/// The keys of the specification, and those of skills.sh.
const KNOWN_KEYS: [&str; 10] = [
    "allowed-tools",
    "compatibility",
    "description",
    "keywords",
    "license",
    "metadata",
    "name",
    "paths",
    "triggers",
    "version",
];

#[derive(Debug, Clone)]
pub struct SkillText {
    pub name: String,
    /// One line.
    pub description: String,
    pub text: String,
    pub triggers: Triggers,
    /// The tools a run that follows the skill is restricted to, as they are written; empty where it isn't.
    pub allowed_tools: Vec<String>,
    /// Breaches of the specification, in words that go on after the path.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Triggers {
    /// The keywords in lower case.
    keywords: Vec<String>,
    paths: Vec<GlobMatcher>,
}

impl SkillText {
    /// `folder_name` is its name where it has none that can be used. `None` where it says nothing at all.
    #[must_use]
    pub fn read(source: &str, folder_name: &str) -> Option<Self> {
        let head = FrontMatter::read(source);
        let text = head.body.trim().to_owned();
        let mut warnings: Vec<String> = head.warning.clone().into_iter().collect();
        if !head.is_present {
            warnings.push("it has no front matter between lines of `---`".to_owned());
        }
        if head.has_flow_values {
            warnings.push("some programs can't read a value in `[…]` or `{…}`; write one entry per line".to_owned());
        }
        let unknown: Vec<&str> = head.keys().filter(|key| !KNOWN_KEYS.contains(key)).collect();
        if !unknown.is_empty() {
            warnings.push(format!("it has fields that aren't in the specification: {}", unknown.join(", ")));
        }
        let name = name(head.text("name"), folder_name, &mut warnings);
        let description = description(head.text("description"), &text, &mut warnings);
        if description.is_empty() && text.is_empty() {
            return None;
        }
        let (mut keywords, mut paths) = (head.list("keywords"), head.list("paths"));
        keywords.extend(head.list("triggers"));
        keywords.extend(head.list_below("triggers", "keywords"));
        paths.extend(head.list_below("triggers", "paths"));
        let triggers = Triggers::new(&keywords, &paths, &mut warnings);
        let mut allowed_tools = head.list("allowed-tools");
        // The specification separates them by blanks.
        if let [one] = allowed_tools.as_slice()
            && !one.contains('(')
        {
            allowed_tools = one.split_whitespace().map(str::to_owned).collect();
        }
        Some(Self { name, description, text, triggers, allowed_tools, warnings })
    }

    /// Returns whether it keeps to the specification.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.warnings.is_empty()
    }
}

impl Triggers {
    fn new(keywords: &[String], paths: &[String], warnings: &mut Vec<String>) -> Self {
        let mut globs = Vec::new();
        for path in paths {
            let anywhere = if path.contains('/') { path.clone() } else { format!("**/{path}") };
            for reading in glob_readings(&anywhere) {
                match Glob::new(&reading) {
                    Ok(glob) => globs.push(glob.compile_matcher()),
                    Err(_) => warnings.push(format!("its pattern {path:?} can't be read")),
                }
            }
        }
        Self { keywords: keywords.iter().map(|keyword| keyword.to_lowercase()).collect(), paths: globs }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keywords.is_empty() && self.paths.is_empty()
    }

    #[must_use]
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.glob().glob())
    }

    /// The keyword that stands in the prompt as a word of its own.
    #[must_use]
    pub fn keyword_in(&self, prompt: &str) -> Option<&str> {
        let prompt = prompt.to_lowercase();
        self.keywords.iter().map(String::as_str).find(|keyword| has_word(&prompt, keyword))
    }

    #[must_use]
    pub fn is_for_path(&self, path: &str) -> bool {
        self.paths.iter().any(|glob| glob.is_match(path))
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    !word.is_empty()
        && text
            .match_indices(word)
            .any(|(at, _)| is_edge(text[..at].chars().next_back()) && is_edge(text[at + word.len()..].chars().next()))
}

fn name(name: Option<String>, folder_name: &str, warnings: &mut Vec<String>) -> String {
    let Some(name) = name else {
        warnings.push("it has no name".to_owned());
        return folder_name.to_owned();
    };
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let is_strict =
        name.chars().all(is_plain) && !name.starts_with('-') && !name.ends_with('-') && !name.contains("--");
    if !is_strict || name.chars().count() > MAX_NAME_CHARS {
        warnings.push(format!(
            "its name {name:?} must be up to {MAX_NAME_CHARS} lower-case letters, digits and single hyphens"
        ));
    } else if name != folder_name {
        warnings.push(format!("its name {name:?} differs from its folder's, {folder_name:?}"));
    }
    let is_usable = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.chars().count() <= MAX_NAME_CHARS && name.chars().all(is_usable) { name } else { folder_name.to_owned() }
}

/// Its own, or the first line of its text that is no heading.
fn description(description: Option<String>, text: &str, warnings: &mut Vec<String>) -> String {
    let description = description.unwrap_or_else(|| {
        warnings.push("it has no description".to_owned());
        let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('#'));
        line.unwrap_or_default().to_owned()
    });
    let description = description.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let description = description.collect::<Vec<_>>().join(" ");
    match description.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((end, _)) => {
            warnings.push(format!("its description is over {MAX_DESCRIPTION_CHARS} characters and was cut"));
            format!("{}…", &description[..end])
        }
        None => description,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skill(source: &str) -> SkillText {
        SkillText::read(source, "pdf").unwrap()
    }

    #[test]
    fn a_skill_by_the_specification_has_no_warnings() {
        let read = skill(
            "---\nname: pdf\ndescription: >\n  Fills\n  forms.\nmetadata:\n  note: |\n    [not] a: [list]\nlicense: MIT\nallowed-tools: Bash Read\n---\n# PDF\n",
        );
        assert_eq!((&*read.name, &*read.description, &*read.text), ("pdf", "Fills forms.", "# PDF"));
        assert!(read.is_valid() && read.allowed_tools == ["Bash", "Read"], "{read:?}");
    }

    #[test]
    fn what_breaks_the_specification_is_said_and_the_skill_is_used() {
        let long = format!("---\nname: pdf\ndescription: {}\n---\n", "x".repeat(2000));
        for (source, warning) in [
            ("# PDF\nFills forms.", "no front matter"),
            ("---\ndescription: x\n---\n", "no name"),
            ("---\nname: PDF Forms\ndescription: x\n---\n", "must be up to 64"),
            ("---\nname: other\ndescription: x\n---\n", "differs from its folder's"),
            ("---\nname: pdf\n---\n# H\nFills forms.", "no description"),
            ("---\nname: pdf\ndescription: Use when: forms\n---\n", "not YAML"),
            ("---\nname: pdf\ndescription: x\ncolour: red\n---\n", "in the specification: colour"),
            ("---\nname: pdf\ndescription: x\npaths: \"a[\"\n---\n", "can't be read"),
            ("---\nname: pdf\ndescription: x\nallowed-tools: [Read, Bash]\n---\n", "one entry per line"),
            ("---\nname: pdf\ndescription: x\nmetadata:\n  tags: {a: b}\n---\n", "one entry per line"),
            (long.as_str(), "was cut"),
        ] {
            let read = skill(source);
            assert!(read.warnings.iter().any(|one| one.contains(warning)) && !read.description.is_empty(), "{read:?}");
        }
        assert!(SkillText::read("---\n---\n", "x").is_none());
    }

    #[test]
    fn a_skill_suggests_itself_by_words_and_paths() {
        let source = "---\nname: pdf\ndescription: x\ntriggers:\n  keywords: [PDF, fill form]\n  paths: ['*.pdf', 'docs/**']\n---\n";
        let triggers = skill(source).triggers;
        assert_eq!(triggers.keyword_in("Make a Pdf, please"), Some("pdf"));
        assert_eq!(triggers.keyword_in("fill form 3"), Some("fill form"));
        assert_eq!(triggers.keyword_in("pdfs and snapdf"), None);
        assert!(triggers.is_for_path("a/b.pdf") && triggers.is_for_path("docs/x.md") && !triggers.is_for_path("x.md"));
    }

    #[test]
    fn triggers_as_a_list_are_keywords_and_a_version_is_no_breach() {
        let read = skill(
            "---\nname: pdf\ndescription: x\nversion: 1.0.0\ntriggers:\n  - fill-form\n  - \"Acro Form\"\n---\nText\n",
        );
        assert!(read.is_valid(), "{:?}", read.warnings);
        assert_eq!(read.triggers.keywords(), ["fill-form", "acro form"]);
        assert_eq!(read.triggers.keyword_in("Please fill-form x"), Some("fill-form"));
    }

    proptest! {
        #[test]
        fn no_file_makes_it_fail(source in "(---\n)?[a-z:\\-\n \\[\\]{}'\"*&#]{0,200}(---\n)?.{0,40}") {
            if let Some(read) = SkillText::read(&source, "folder") {
                prop_assert!(!read.name.is_empty() && read.name.chars().count() <= MAX_NAME_CHARS);
                prop_assert!(read.description.chars().count() <= MAX_DESCRIPTION_CHARS + 1);
            }
        }
    }
}
