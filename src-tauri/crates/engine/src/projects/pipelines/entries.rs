//! Pipelines as clients are shown them before they run: which there are, what starting one grants, and what is wrong with a
//! definition.

use super::{FoundPipeline, text_at};
use crate::{OpenProject, Projects};
use arki_api::{PipelineEntry, PipelineParam, PipelineParamType, PipelineStep};
use arki_domain::Error;
use arki_pipelines::{Definition, DefinitionProblem, Param, ParamKind, Step};
use std::path::Path;

/// A definition that was checked.
pub struct CheckedPipeline {
    pub origin: String,
    /// The number of its steps, or everything that is wrong with it.
    pub steps: Result<usize, Vec<DefinitionProblem>>,
}

impl CheckedPipeline {
    fn of(origin: String, text: &str) -> Self {
        Self { origin, steps: Definition::parse(text).map(|definition| definition.steps.len()) }
    }
}

/// Checks a file, whether it was agreed to or not; `None` where there is none. It needs nothing but the file.
///
/// # Errors
/// `PIPELINE_INVALID` where it can't be read.
pub fn check_pipeline_file(folder: &Path, named: &str) -> Result<Option<CheckedPipeline>, Error> {
    let path = folder.join(named);
    if !path.is_file() {
        return Ok(None);
    }
    Ok(Some(CheckedPipeline::of(named.to_owned(), &text_at(&path, named)?)))
}

/// Returns the pipelines available in a folder, in the order of their names.
///
/// # Errors
/// When the folder can't be opened.
pub fn pipeline_entries(projects: &Projects, folder: &Path) -> Result<Vec<PipelineEntry>, Error> {
    let open = projects.load_project(folder)?;
    let found = projects.pipelines().all(&open);
    Ok(found.into_iter().map(|found| granting_entry(projects, &open, found)).collect())
}

/// One pipeline, by its name or path, with its text.
///
/// # Errors
/// `PIPELINE_NOT_FOUND` and others of reading it.
pub fn pipeline_entry(projects: &Projects, folder: &Path, named: &str) -> Result<(PipelineEntry, String), Error> {
    let open = projects.load_project(folder)?;
    let found = projects.pipelines().find_pipeline(&open, folder, named)?;
    let text = found.text.clone();
    Ok((granting_entry(projects, &open, found), text))
}

/// Checks a definition that is no file of its own.
///
/// # Errors
/// `PIPELINE_NOT_FOUND` and others of reading it.
pub fn check_pipeline(projects: &Projects, folder: &Path, named: &str) -> Result<CheckedPipeline, Error> {
    let open = projects.load_project(folder)?;
    let FoundPipeline { origin, text, .. } = projects.pipelines().find_pipeline(&open, folder, named)?;
    Ok(CheckedPipeline::of(origin, &text))
}

/// A pipeline with all that starting it grants.
fn granting_entry(projects: &Projects, open: &OpenProject, found: FoundPipeline) -> PipelineEntry {
    let entry = entry(&found);
    if entry.problem.is_some() {
        return entry;
    }
    match projects.pipelines().whole_pipeline(open, found).and_then(|whole| whole.grants()) {
        Ok(grants) => PipelineEntry { grants, ..entry },
        Err(fault) => PipelineEntry { problem: Some(fault.message), ..entry },
    }
}

/// A pipeline as its own text tells it.
fn entry(found: &FoundPipeline) -> PipelineEntry {
    let entry = PipelineEntry {
        name: found.name.clone(),
        description: String::new(),
        origin: found.origin.clone(),
        params: Vec::new(),
        steps: Vec::new(),
        grants: Vec::new(),
        problem: None,
    };
    let definition = match Definition::parse(&found.text) {
        Ok(definition) => definition,
        Err(problems) => return PipelineEntry { problem: problems.first().map(DefinitionProblem::to_string), ..entry },
    };
    PipelineEntry {
        description: definition.description.clone(),
        params: definition.params.iter().map(param_entry).collect(),
        steps: definition.steps.iter().map(|step| shape(step, &definition)).collect(),
        ..entry
    }
}

fn param_entry(param: &Param) -> PipelineParam {
    PipelineParam {
        name: param.name.clone(),
        kind: match param.kind {
            ParamKind::String => PipelineParamType::String,
            ParamKind::Integer => PipelineParamType::Integer,
            ParamKind::Number => PipelineParamType::Number,
            ParamKind::Boolean => PipelineParamType::Boolean,
        },
        default: param.default.clone(),
        description: param.description.clone(),
        choices: param.choices.clone(),
    }
}

pub(crate) fn shape(step: &Step, definition: &Definition) -> PipelineStep {
    PipelineStep {
        name: step.name.clone(),
        adapter: step.adapter.name().to_owned(),
        needs: step.needs.iter().map(|need| definition.steps[*need].name.clone()).collect(),
    }
}
