//! Prompts that fit to a folder, by the names of what lies in it: rules alone, no model, and no file is read.

use crate::projects::open::canonical;
use crate::{Mentionables, Projects};
use arki_api::{ExamplePrompt, ExamplePromptKind, TrustState};
use arki_domain::Error;
use std::path::Path;
use std::sync::Arc;

/// More would have to be read.
const MAX_EXAMPLES: usize = 3;
/// Files in a project's top folder that tell that a command can build and test it.
const BUILD_FILES: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "setup.py",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Makefile",
    "CMakeLists.txt",
    "Gemfile",
    "mix.exs",
    "composer.json",
];
const CODE: &[&str] = &[
    "rs", "ts", "tsx", "js", "jsx", "py", "go", "java", "kt", "c", "cc", "cpp", "h", "hpp", "cs", "rb", "php", "swift",
    "scala", "ex", "exs", "lua", "zig", "hs", "ml", "dart", "sh", "vue", "svelte",
];
/// The usual names of the file that a program begins with, without extension; the first ones are preferred.
const ENTRIES: &[&str] = &["main", "app", "index", "lib", "server", "cli", "mod", "__init__"];

/// Returns prompts that the user could try in a folder. In one that isn't trusted, none is suggested that would be
/// denied. Blocking.
///
/// # Errors
/// When the folder cannot be read.
pub fn example_prompts(
    projects: &Projects,
    mentionables: &Arc<Mentionables>,
    folder: &Path,
) -> Result<Vec<ExamplePrompt>, Error> {
    let trust = projects.project(folder)?.trust;
    let paths = mentionables.paths_in(&canonical(folder)?)?;
    Ok(examples(&paths, trust == TrustState::Trusted))
}

/// `paths`: relative, folders with a slash at their end.
fn examples(paths: &[Box<str>], is_trusted: bool) -> Vec<ExamplePrompt> {
    use ExamplePromptKind as Kind;
    let whole = |kind| Some(ExamplePrompt { kind, path: None });
    let of = |kind, path: Option<&str>| path.map(|path| ExamplePrompt { kind, path: Some(path.to_owned()) });
    let files: Vec<&str> = paths.iter().map(|path| &**path).filter(|path| !path.ends_with('/')).collect();
    let code: Vec<&str> = files.iter().copied().filter(|path| is_code(path) && !is_test(path)).collect();
    let entry = code.iter().copied().min_by_key(|path| (depth(path), entry_rank(path), path.len()));
    let readme = files.iter().copied().find(|path| is_readme(path));
    let any = readme.or_else(|| files.iter().copied().min_by_key(|path| depth(path)));
    let reading = [whole(Kind::ExplainProject), of(Kind::SumUpFile, any), whole(Kind::ListOpenTasks)];
    let fitting = match (files.is_empty(), is_trusted) {
        (true, true) => vec![whole(Kind::StartPage), whole(Kind::StartScript), whole(Kind::StartNotes)],
        (true, false) => Vec::new(),
        (false, false) if entry.is_none() => reading.into(),
        (false, false) => {
            vec![whole(Kind::ExplainProject), of(Kind::ExplainFile, entry), of(Kind::FindBugs, entry)]
        }
        (false, true) => {
            let builds = files.iter().any(|path| BUILD_FILES.contains(path));
            let has_tests = files.iter().any(|path| is_code(path) && is_test(path));
            let test = match (builds, has_tests) {
                (true, true) => whole(Kind::RunTests),
                _ => of(Kind::WriteTests, entry),
            };
            let words = match readme {
                Some(readme) => of(Kind::CheckReadme, Some(readme)),
                None => whole(Kind::WriteReadme),
            };
            vec![whole(Kind::ExplainProject), test, words, whole(Kind::ListOpenTasks)]
        }
    };
    fitting.into_iter().flatten().take(MAX_EXAMPLES).collect()
}

fn is_code(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| CODE.contains(&extension))
}

fn is_test(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    lower.split('/').any(|part| {
        matches!(part, "test" | "tests" | "spec" | "__tests__")
            || part.starts_with("test_")
            || ["_test.", ".test.", ".spec.", "_spec.", "_tests.", "tests."].iter().any(|mark| part.contains(mark))
    })
}

fn is_readme(path: &str) -> bool {
    let name = path.split('.').next().unwrap_or_default();
    name.eq_ignore_ascii_case("readme")
}

/// Sources mostly lie in a folder of their own.
fn depth(path: &str) -> usize {
    path.strip_prefix("src/").unwrap_or(path).matches('/').count()
}

fn entry_rank(path: &str) -> usize {
    let stem = path.rsplit('/').next().and_then(|name| name.split('.').next()).unwrap_or_default();
    ENTRIES.iter().position(|entry| *entry == stem).unwrap_or(ENTRIES.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ExamplePromptKind as Kind;

    fn of(paths: &[&str], is_trusted: bool) -> Vec<(Kind, Option<String>)> {
        let paths: Vec<Box<str>> = paths.iter().map(|path| Box::from(*path)).collect();
        examples(&paths, is_trusted).into_iter().map(|example| (example.kind, example.path)).collect()
    }

    #[test]
    fn examples_name_what_lies_in_the_folder() {
        let rust = ["Cargo.toml", "README.md", "src/", "src/lib.rs", "src/main.rs", "tests/", "tests/all.rs"];
        let all = [(Kind::ExplainProject, None), (Kind::RunTests, None), (Kind::CheckReadme, Some("README.md".into()))];
        assert_eq!(of(&rust, true), all);
        let script = ["deep/er/tool.py", "app.py"];
        let all = [(Kind::ExplainProject, None), (Kind::WriteTests, Some("app.py".into())), (Kind::WriteReadme, None)];
        assert_eq!(of(&script, true), all);
        let words = |kind| (kind, Some("readme.txt".to_owned()));
        let notes = ["deep/er/notes.txt", "readme.txt"];
        let tasks = (Kind::ListOpenTasks, None);
        assert_eq!(of(&notes, true), [(Kind::ExplainProject, None), words(Kind::CheckReadme), tasks.clone()]);
        assert_eq!(of(&notes, false), [(Kind::ExplainProject, None), words(Kind::SumUpFile), tasks]);
    }

    #[test]
    fn in_an_untrusted_folder_nothing_is_suggested_that_would_be_denied() {
        let entry = Some("src/main.rs".to_owned());
        let all = [(Kind::ExplainProject, None), (Kind::ExplainFile, entry.clone()), (Kind::FindBugs, entry)];
        assert_eq!(of(&["Cargo.toml", "src/main.rs", "tests/all.rs"], false), all);
        assert_eq!(of(&[], false), []);
    }

    #[test]
    fn an_empty_folder_gets_beginnings() {
        let kinds: Vec<Kind> = of(&["empty/"], true).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::StartPage, Kind::StartScript, Kind::StartNotes]);
    }
}
