//! A pipeline with all that it runs, at any depth. It is read once, before anything begins, so that what is shown, what is
//! agreed to and what runs are the same: a step that rewrites a file changes nothing of the run that it is a step of.

use super::{FoundPipeline, Source};
use crate::OpenProject;
use crate::projects::pipelines::PipelineDefinitions;
use arki_domain::{Code, Error, NestedDefinition, sha256_hex};
use arki_redaction::Redactor;
use std::collections::BTreeMap;
use std::path::Path;

/// Pipelines that can be nested in each other.
pub(crate) const MAX_DEPTH: usize = 5;
/// Pipelines that one can run, at any depth.
const MAX_NESTED: usize = 50;

/// A pipeline and those that it runs.
#[derive(Debug, Clone)]
pub(crate) struct WholePipeline {
    pub(crate) found: FoundPipeline,
    /// The nested pipelines, by the names by which steps run them.
    pub(crate) nested: BTreeMap<String, FoundPipeline>,
}

impl WholePipeline {
    /// The nested one of this name, with those that it runs itself.
    ///
    /// # Errors
    /// `CONTENT_DAMAGED` where it isn't here.
    pub(crate) fn part(&self, name: &str) -> Result<Self, Error> {
        let found = self.get(name)?;
        let mut nested = BTreeMap::new();
        let mut left = vec![found.definition()?];
        while let Some(definition) = left.pop() {
            for name in definition.nested() {
                if !nested.contains_key(name) {
                    let below = self.get(name)?;
                    left.push(below.definition()?);
                    nested.insert(name.to_owned(), below.clone());
                }
            }
        }
        Ok(Self { found: found.clone(), nested })
    }

    fn get(&self, name: &str) -> Result<&FoundPipeline, Error> {
        self.nested.get(name).ok_or_else(|| {
            let message = format!("The definition of {name:?} is not stored with this run.");
            Error::new(Code::CONTENT_DAMAGED, message, "Start the pipeline again with `arki run`.")
        })
    }

    /// The nested ones as a run records them.
    pub(crate) fn hashes(&self) -> BTreeMap<String, NestedDefinition> {
        let hash = |found: &FoundPipeline| NestedDefinition {
            origin: found.origin.clone(),
            definition_hash: sha256_hex(found.text.as_bytes()),
        };
        self.nested.iter().map(|(name, found)| (name.clone(), hash(found))).collect()
    }

    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.all().map(|found| found.text.as_str())
    }

    /// SHA-256 hex over all texts with their names.
    pub(crate) fn fingerprint(&self) -> String {
        let nested = self.nested.iter().map(|(name, found)| (name.as_str(), found));
        let all = std::iter::once(("", &self.found)).chain(nested);
        let lines = all.map(|(name, found)| format!("{name:?} {}\n", sha256_hex(found.text.as_bytes())));
        sha256_hex(lines.collect::<String>().as_bytes())
    }

    /// The texts of which `other` has another one or none, with that one; each with its source.
    pub(crate) fn differences<'a>(&'a self, other: &'a Self) -> Vec<(&'a FoundPipeline, &'a str)> {
        let nested = self.nested.iter().map(|(name, found)| (found, other.nested.get(name)));
        let all = std::iter::once((&self.found, Some(&other.found))).chain(nested);
        let texts = all.map(|(found, other)| (found, other.map_or("", |other| other.text.as_str())));
        texts.filter(|(found, other)| found.text != *other).collect()
    }

    pub(crate) fn differs_from(&self, other: &Self) -> bool {
        !self.differences(other).is_empty()
    }

    /// The permissions beyond the sandbox that starting it grants, a sentence each.
    ///
    /// # Errors
    /// `PIPELINE_INVALID`.
    pub(crate) fn grants(&self) -> Result<Vec<String>, Error> {
        let mut grants = Vec::new();
        for (step, grant) in self.found.definition()?.grants() {
            grants.push(format!("The step {step} {}.", grant.words()));
        }
        for (name, found) in &self.nested {
            for (step, grant) in found.definition()?.grants() {
                grants.push(format!("The step {step} of {name} {}.", grant.words()));
            }
        }
        Ok(grants)
    }

    /// The grants that `other` doesn't have.
    ///
    /// # Errors
    /// `PIPELINE_INVALID`.
    pub(crate) fn new_grants(&self, other: &Self) -> Result<Vec<String>, Error> {
        let known = other.grants()?;
        Ok(self.grants()?.into_iter().filter(|grant| !known.contains(grant)).collect())
    }

    /// Definitions are stored as they are, so they can't hold what may not be stored.
    ///
    /// # Errors
    /// `PIPELINE_INVALID`, naming the file.
    pub(crate) fn ensure_no_secrets(&self, redactor: &Redactor) -> Result<(), Error> {
        let Some(found) = self.all().find(|found| redactor.redact(&found.text) != found.text) else { return Ok(()) };
        let hint = "Remove it from the file: a definition is stored with each of its runs.";
        Err(Error::new(Code::PIPELINE_INVALID, format!("{} contains a secret.", found.origin), hint))
    }

    fn all(&self) -> impl Iterator<Item = &FoundPipeline> {
        std::iter::once(&self.found).chain(self.nested.values())
    }
}

impl PipelineDefinitions {
    /// The one that is named, with what it runs.
    ///
    /// # Errors
    /// As [`Self::find_pipeline`] and [`Self::whole_pipeline`].
    pub(crate) fn find_whole_pipeline(
        &self,
        open: &OpenProject,
        dir: &Path,
        named: &str,
    ) -> Result<WholePipeline, Error> {
        self.whole_pipeline(open, self.find_pipeline(open, dir, named)?)
    }

    /// Adds what the pipeline runs.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND`, `PIPELINE_INVALID`, also for a circle; `PIPELINE_LIMIT`; `UNTRUSTED` for a file that nobody
    /// has agreed to.
    pub(crate) fn whole_pipeline(&self, open: &OpenProject, found: FoundPipeline) -> Result<WholePipeline, Error> {
        let mut gathering = Gathering {
            definitions: self,
            open,
            is_named_by_user: matches!(self.source(&found.origin), Source::InProject | Source::Elsewhere),
            nested: BTreeMap::new(),
            heights: BTreeMap::new(),
        };
        gathering.height(&found, &mut vec![id(&found)])?;
        Ok(WholePipeline { found, nested: gathering.nested })
    }
}

/// The pipelines on the way from the outermost one, by their names and sources.
type PipelineTrail = Vec<(String, String)>;

struct Gathering<'a> {
    definitions: &'a PipelineDefinitions,
    open: &'a OpenProject,
    /// The outermost one is a file that the user has named: they may name others in it.
    is_named_by_user: bool,
    nested: BTreeMap<String, FoundPipeline>,
    /// The number of pipelines nested in each other below each of them.
    heights: BTreeMap<String, usize>,
}

impl Gathering<'_> {
    /// Gathers what the last pipeline of the trail runs; returns how deep that is nested.
    fn height(&mut self, of: &FoundPipeline, trail: &mut PipelineTrail) -> Result<usize, Error> {
        let mut highest = 0;
        for name in of.definition()?.nested() {
            let height = 1 + self.height_of(name, of, trail)?;
            if trail.len() - 1 + height > MAX_DEPTH {
                return Err(too_deep());
            }
            highest = highest.max(height);
        }
        Ok(highest)
    }

    fn height_of(&mut self, name: &str, by: &FoundPipeline, trail: &mut PipelineTrail) -> Result<usize, Error> {
        let found = match self.nested.get(name) {
            Some(known) => known.clone(),
            None => self.find(name, by)?,
        };
        self.ensure_may_run(by, &found)?;
        if trail.contains(&id(&found)) {
            return Err(circle(trail, &found));
        }
        if let Some(height) = self.heights.get(name) {
            return Ok(*height);
        }
        if trail.len() > MAX_DEPTH {
            return Err(too_deep());
        }
        if self.nested.len() >= MAX_NESTED {
            let message = format!("The pipeline runs more than {MAX_NESTED} others.");
            return Err(Error::new(Code::PIPELINE_LIMIT, message, "Split it into several that you start one by one."));
        }
        self.nested.insert(name.to_owned(), found.clone());
        trail.push(id(&found));
        let height = self.height(&found, trail)?;
        trail.pop();
        self.heights.insert(name.to_owned(), height);
        Ok(height)
    }

    fn find(&self, name: &str, by: &FoundPipeline) -> Result<FoundPipeline, Error> {
        let found = self.definitions.find_pipeline(self.open, self.open.project.root(), name);
        found.map_err(|fault| Error { message: format!("{} runs {name:?}. {}", by.origin, fault.message), ..fault })
    }

    /// Only what the user has named or agreed to says what else runs.
    fn ensure_may_run(&self, by: &FoundPipeline, found: &FoundPipeline) -> Result<(), Error> {
        let source = |pipeline: &FoundPipeline| self.definitions.source(&pipeline.origin);
        match (source(by), source(found)) {
            _ if self.is_named_by_user => Ok(()),
            (_, Source::Agreed | Source::Own) | (Source::Own, Source::Elsewhere) => Ok(()),
            (_, Source::InProject | Source::Elsewhere) => Err(Error::new(
                Code::UNTRUSTED,
                format!("{} runs {}, a file that isn't approved.", by.origin, found.origin),
                "Move it to .arki/pipelines, approve it with `arki trust`, and run it by its name.",
            )),
        }
    }
}

fn id(found: &FoundPipeline) -> (String, String) {
    (found.name.clone(), found.origin.clone())
}

fn too_deep() -> Error {
    let message = format!("Pipelines are nested more than {MAX_DEPTH} deep.");
    Error::new(Code::PIPELINE_LIMIT, message, "Move the steps of a nested pipeline into the one that runs it.")
}

fn circle(trail: &PipelineTrail, again: &FoundPipeline) -> Error {
    let way = trail.iter().map(|(name, _)| name.as_str()).chain([again.name.as_str()]);
    let message = format!("A pipeline runs itself: {}.", way.collect::<Vec<_>>().join(", "));
    Error::new(Code::PIPELINE_INVALID, message, "Remove the step that starts it again.")
}
