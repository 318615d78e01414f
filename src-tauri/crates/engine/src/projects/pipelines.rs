//! Definitions of pipelines: those of a project, as far as it is trusted and they are as they were agreed to; then the
//! user's own; then the built-in ones. Of several with one name the first counts. A path names a file of its own.

pub(crate) mod entries;
mod whole;

pub(crate) use whole::{MAX_DEPTH, WholePipeline};

use crate::OpenProject;
use crate::projects::guides::files_of;
use arki_domain::{Code, Error, io_words};
use arki_files::{FileContent, FilesError, PinKind, Project};
use arki_pipelines::{Definition, MAX_DEFINITION_BYTES, as_fault};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

const PROJECT_PIPELINES: &str = ".arki/pipelines/";
/// The folder of the user's own pipelines, within the configuration folder.
const OWN_PIPELINES: &str = "pipelines";
const BUILT_IN: &str = "built in";
const ENDINGS: [&str; 2] = [".yaml", ".yml"];
/// Definitions of one place that count.
const MAX_PIPELINES: usize = 500;
/// The greatest distance, in edits, at which a name counts as near.
const MAX_DISTANCE: usize = 3;

/// The built-in ones, by name.
static BUILT_INS: &[(&str, &str)] = &[
    ("explain-folder", include_str!("pipelines/explain-folder.yaml")),
    ("release-notes", include_str!("pipelines/release-notes.yaml")),
    ("review-diff", include_str!("pipelines/review-diff.yaml")),
    ("summarise", include_str!("pipelines/summarise.yaml")),
    ("triage-tests", include_str!("pipelines/triage-tests.yaml")),
    ("upgrade-dependency", include_str!("pipelines/upgrade-dependency.yaml")),
];

/// The place of a definition, by which it is judged what it may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The folder offers it, as it was agreed to.
    Agreed,
    /// It is the user's own, or built in.
    Own,
    /// Another file of the project.
    InProject,
    Elsewhere,
}

/// A definition's text and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FoundPipeline {
    /// The name of its file.
    pub(crate) name: String,
    /// The source as users see it: a path, relative to the project if it lies there, or `built in`.
    pub(crate) origin: String,
    pub(crate) text: String,
}

impl FoundPipeline {
    /// # Errors
    /// `PIPELINE_INVALID`, with the place.
    pub(crate) fn definition(&self) -> Result<Definition, Error> {
        Definition::parse(&self.text).map_err(|problems| as_fault(&self.origin, &problems))
    }
}

/// The definitions of pipelines that can be run.
pub(crate) struct PipelineDefinitions {
    /// The folder of the user's own.
    own: PathBuf,
}

impl PipelineDefinitions {
    pub(crate) fn new(config: &Path) -> Self {
        Self { own: config.join(OWN_PIPELINES) }
    }

    /// All that can be run in the folder by their names, each once, in the order of the names.
    pub(crate) fn all(&self, open: &OpenProject) -> Vec<FoundPipeline> {
        let mut found = BTreeMap::new();
        let all = self.project_pipelines(open).into_iter().chain(self.own_pipelines()).chain(built_in());
        for pipeline in all {
            found.entry(pipeline.name.clone()).or_insert(pipeline);
        }
        found.into_values().collect()
    }

    /// The one that is named, or that a path leads to. A path is relative to `dir`.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND`, with the nearest name; `UNTRUSTED` for one of the project that was not agreed to.
    pub(crate) fn find_pipeline(&self, open: &OpenProject, dir: &Path, named: &str) -> Result<FoundPipeline, Error> {
        if is_path(named) {
            return self.pipeline_at(open, &dir.join(named), named);
        }
        let all = self.all(open);
        if let Some(found) = all.iter().find(|pipeline| pipeline.name == named) {
            return Ok(found.clone());
        }
        if let Some(path) = open.unagreed_pipeline(named) {
            return Err(not_agreed(&path));
        }
        Err(not_found(open, named, &all))
    }

    /// The file as it is now that a run's definition came from; `None` where it is gone.
    pub(crate) fn pipeline_again(&self, open: &OpenProject, origin: &str) -> Result<Option<FoundPipeline>, Error> {
        if origin == BUILT_IN {
            return Ok(None);
        }
        match self.pipeline_at(open, &open.project.root().join(origin), origin) {
            Err(fault) if fault.is(Code::PIPELINE_NOT_FOUND) => Ok(None),
            found => found.map(Some),
        }
    }

    fn pipeline_at(&self, open: &OpenProject, path: &Path, named: &str) -> Result<FoundPipeline, Error> {
        let path = without_parents(path).map_err(|error| unreadable(error.kind(), named))?;
        let name = stem(named).to_owned();
        // What the folder itself offers is only what was agreed to, whatever lies at its path by now.
        if let Some(origin) = open.offered_at(&path) {
            let text = open.agreed_pipeline(&origin).ok_or_else(|| match path.exists() {
                true => not_agreed(&origin),
                false => unreadable(ErrorKind::NotFound, named),
            })?;
            return Ok(FoundPipeline { name, origin, text });
        }
        let OpenedFile { text, real } = open_at(&path, named)?;
        let origin = match real.strip_prefix(open.project.root()) {
            Ok(inside) => with_slashes(inside),
            Err(_) => real.display().to_string(),
        };
        Ok(FoundPipeline { name, origin, text })
    }

    fn source(&self, origin: &str) -> Source {
        let path = Path::new(origin);
        if origin == BUILT_IN || path.starts_with(&self.own) {
            return Source::Own;
        }
        match path.is_absolute() {
            true => Source::Elsewhere,
            false if origin.starts_with(PROJECT_PIPELINES) => Source::Agreed,
            false => Source::InProject,
        }
    }

    fn project_pipelines(&self, open: &OpenProject) -> Vec<FoundPipeline> {
        let paths = open.pinned(PinKind::Pipeline).map(|pin| pin.path.clone()).filter(|path| is_definition(path));
        let found = paths.take(MAX_PIPELINES).filter_map(|path| {
            let text = open.agreed_pipeline(&path)?;
            Some(FoundPipeline { name: stem(&path).to_owned(), origin: path, text })
        });
        found.collect()
    }

    fn own_pipelines(&self) -> Vec<FoundPipeline> {
        let Ok(folder) = Project::open(&self.own) else { return Vec::new() };
        let paths = files_of(&folder).into_iter().filter(|path| is_definition(path));
        let found = paths.take(MAX_PIPELINES).filter_map(|inside| {
            let path = self.own.join(&inside);
            let text = text_at(&path, &inside).ok()?;
            Some(FoundPipeline { name: stem(&inside).to_owned(), origin: path.display().to_string(), text })
        });
        found.collect()
    }
}

impl OpenProject {
    fn agreed_pipeline(&self, path: &str) -> Option<String> {
        let bytes = self.agreed_bytes_up_to(PinKind::Pipeline, path, MAX_DEFINITION_BYTES as u64)?;
        String::from_utf8(bytes).ok()
    }

    /// Returns the path under which the folder offers a pipeline, if this one leads to such a place: taken with no link,
    /// with all, or with those on some part of the way.
    fn offered_at(&self, path: &Path) -> Option<String> {
        let roots = [Some(self.project.root()), self.tree.as_deref().map(Project::root)];
        path.ancestors().find_map(|ancestor| {
            let rest = path.strip_prefix(ancestor).ok()?;
            let real = ancestor.canonicalize().ok()?;
            let real = if rest.as_os_str().is_empty() { real } else { real.join(rest) };
            let inside = roots.iter().flatten().find_map(|root| real.strip_prefix(root).ok())?;
            Some(with_slashes(inside)).filter(|inside| inside.starts_with(PROJECT_PIPELINES))
        })
    }

    /// The path of one of this name that the folder has, and that nobody has agreed to as it is.
    fn unagreed_pipeline(&self, name: &str) -> Option<String> {
        let of_name = |pin: &&arki_files::Pin| pin.kind == PinKind::Pipeline && stem(&pin.path) == name;
        self.current.iter().find(of_name).map(|pin| pin.path.clone())
    }
}

fn built_in() -> impl Iterator<Item = FoundPipeline> {
    BUILT_INS.iter().map(|(name, text)| FoundPipeline {
        name: (*name).to_owned(),
        origin: BUILT_IN.to_owned(),
        text: (*text).to_owned(),
    })
}

fn is_path(named: &str) -> bool {
    named.contains(['/', '\\']) || is_definition(named)
}

fn is_definition(path: &str) -> bool {
    ENDINGS.iter().any(|ending| path.ends_with(ending))
}

fn stem(path: &str) -> &str {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// A definition's text, and the path at which the file lies that it was read from, without links.
struct OpenedFile {
    text: String,
    real: PathBuf,
}

/// # Errors
/// `PIPELINE_NOT_FOUND` where there is no file, `PIPELINE_INVALID` where it is none to read.
pub(crate) fn text_at(path: &Path, named: &str) -> Result<String, Error> {
    Ok(open_at(path, named)?.text)
}

/// Reads through a handle of the file's folder, which opens nothing that could make it wait and follows no link out.
fn open_at(path: &Path, named: &str) -> Result<OpenedFile, Error> {
    let real = path.canonicalize().map_err(|error| unreadable(error.kind(), named))?;
    let (Some(folder), Some(name)) = (real.parent(), real.file_name().and_then(OsStr::to_str)) else {
        return Err(not_readable("it isn't a regular file", named));
    };
    let not_read = |error: FilesError| Error::new(Code::PIPELINE_INVALID, error.to_string(), "Name a YAML file.");
    let folder = Project::open(folder).map_err(not_read)?;
    let file = folder.resolve(name).map_err(not_read)?;
    let found = folder.found_in_place(&file, MAX_DEFINITION_BYTES as u64).map_err(not_read)?;
    let bytes = match found.map(|found| found.content) {
        Some(FileContent::File(bytes)) => bytes,
        Some(FileContent::Link(_) | FileContent::Folder) => {
            return Err(not_readable("it was replaced meanwhile", named));
        }
        None => return Err(unreadable(ErrorKind::NotFound, named)),
    };
    let text = String::from_utf8(bytes).map_err(|_| not_readable("it is not text (UTF-8)", named))?;
    Ok(OpenedFile { text, real: folder.root().join(name) })
}

/// Follows the links before the last `..` of a path, and no others.
fn without_parents(path: &Path) -> std::io::Result<PathBuf> {
    let parts: Vec<Component<'_>> = path.components().collect();
    let Some(last) = parts.iter().rposition(|part| *part == Component::ParentDir) else {
        return Ok(path.to_owned());
    };
    let (before, after) = parts.split_at(last + 1);
    Ok(before.iter().collect::<PathBuf>().canonicalize()?.join(after.iter().collect::<PathBuf>()))
}

fn with_slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn unreadable(kind: ErrorKind, named: &str) -> Error {
    match kind {
        ErrorKind::NotFound => Error::new(
            Code::PIPELINE_NOT_FOUND,
            format!("There is no file {named}."),
            "`arki pipelines list` shows the pipelines that you can run by name.",
        ),
        kind => not_readable(io_words(kind), named),
    }
}

fn not_readable(why: &str, named: &str) -> Error {
    Error::new(Code::PIPELINE_INVALID, format!("{named} can't be read: {why}."), "Name a YAML file.")
}

fn not_agreed(path: &str) -> Error {
    let message = format!("{path} isn't approved, or has changed since you approved it.");
    Error::new(Code::UNTRUSTED, message, "`arki trust` shows the folder's pipelines and approves them as they are now.")
}

fn not_found(open: &OpenProject, named: &str, all: &[FoundPipeline]) -> Error {
    let distance = |name: &str| strsim::damerau_levenshtein(name, named);
    let near = all.iter().map(|pipeline| (distance(&pipeline.name), pipeline.name.as_str())).min();
    let hint = match near.filter(|(distance, _)| *distance <= MAX_DISTANCE) {
        Some((_, name)) => format!("Did you mean `{name}`? `arki pipelines list` shows all."),
        None if !open.is_trusted() => {
            "`arki pipelines list` shows all. The folder's own appear once you trust it.".to_owned()
        }
        None => "`arki pipelines list` shows all. A path names a file.".to_owned(),
    };
    Error::new(Code::PIPELINE_NOT_FOUND, format!("There is no pipeline {named:?}."), hint)
}

/// The place of fabric's patterns.
pub(crate) fn fabric_pattern(name: &str) -> Result<String, Error> {
    let home = std::env::home_dir().unwrap_or_default();
    let path: PathBuf = home.join(".config/fabric/patterns").join(name).join("system.md");
    text_at(&path, name).map_err(|_| {
        let message = format!("There is no fabric pattern {name:?} in ~/.config/fabric/patterns.");
        let hint = "Get the patterns with `fabric --updatepatterns`, or write the prompt into the step.";
        Error::new(Code::STEP_TOOL_MISSING, message, hint)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_built_in_pipeline_can_be_read_and_has_its_files_name() {
        assert_eq!(BUILT_INS.len(), 6);
        for pipeline in built_in() {
            let definition = pipeline.definition().unwrap_or_else(|fault| panic!("{fault}"));
            assert_eq!(definition.name, pipeline.name);
            assert!(!definition.description.is_empty(), "{}", pipeline.name);
        }
    }

    #[test]
    fn what_looks_like_a_path_is_one() {
        assert!(is_path("./review") && is_path("review.yaml") && is_path("a/b.yml") && !is_path("review"));
        assert_eq!((stem(".arki/pipelines/a.b.yaml"), stem("x.yml"), stem("review")), ("a.b", "x", "review"));
    }
}
