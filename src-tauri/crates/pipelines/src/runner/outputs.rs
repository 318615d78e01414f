//! The inputs and outputs of steps. Short texts are kept in memory; long ones are read from the store when they're
//! needed.

use super::pipeline_log::PipelineLog;
use super::{BegunAttempt, StepUnit};
use crate::definition::Definition;
use arki_domain::projection::StepOutput;
use arki_domain::{Content, ContentKind, Error, MAX_INLINE_OUTPUT_BYTES, RunId, sha256_hex};
use std::collections::HashMap;
use std::sync::Arc;

/// Hexadecimal digits of the input's hash in an idempotency key.
const KEY_DIGITS: usize = 16;

/// The output of a step that has ended.
#[derive(Debug, Clone)]
pub(super) struct EndedOutput {
    pub(super) told: StepOutput,
    /// The text, unless it has to be read from the store.
    pub(super) at_hand: Option<Arc<str>>,
}

impl EndedOutput {
    pub(super) fn new(text: &str) -> Self {
        let (hash, bytes) = (sha256_hex(text.as_bytes()), text.len() as u64);
        let is_short = text.len() <= MAX_INLINE_OUTPUT_BYTES;
        let inline = is_short.then(|| text.to_owned());
        Self { at_hand: is_short.then(|| Arc::from(text)), told: StepOutput { hash, bytes, text: inline } }
    }

    /// Returns a text that is kept nowhere else.
    pub(super) fn held(text: &Arc<str>) -> Self {
        Self { at_hand: Some(text.clone()), ..Self::new(text) }
    }

    pub(super) fn stored(told: &StepOutput) -> Self {
        Self { at_hand: told.text.as_deref().map(Arc::from), told: told.clone() }
    }

    /// Returns what has to be kept beside the log, if it is too long for it.
    pub(super) fn content(&self, text: &str) -> Option<Content> {
        let is_long = self.told.text.is_none();
        let hash = self.told.hash.clone();
        is_long.then(|| Content { hash, bytes: text.as_bytes().to_vec(), kind: ContentKind::Plain })
    }
}

/// A step that was taken up.
pub(super) struct StepWork {
    pub(super) idempotency_key: String,
    pub(super) input: Arc<str>,
    pub(super) needed: Vec<(String, Arc<str>)>,
    /// The items of a `foreach` step.
    pub(super) items: Option<Items>,
}

pub(super) struct Items {
    pub(super) inputs: Vec<Arc<str>>,
    pub(super) outputs: Vec<Option<EndedOutput>>,
    /// Items that have not ended.
    pub(super) left: usize,
    /// The step's own start.
    pub(super) begun: BegunAttempt,
    pub(super) began: tokio::time::Instant,
}

/// The steps of a run that have ended or are at work: their inputs and outputs, and the names of their units.
pub(super) struct StepTable {
    pub(super) definition: Arc<Definition>,
    pub(super) run_id: RunId,
    /// The run's own input.
    pub(super) input: Arc<str>,
    /// The outputs of the steps that have ended, by the places of the steps.
    pub(super) outputs: Vec<Option<EndedOutput>>,
    /// The steps that were taken up, by their places.
    pub(super) work: HashMap<usize, StepWork>,
}

impl StepTable {
    pub(super) fn name(&self, unit: StepUnit) -> String {
        let step = &self.definition.steps[unit.step].name;
        unit.item.map_or_else(|| step.clone(), |item| format!("{step}[{item}]"))
    }

    /// Returns a step's input, and the outputs that it is made of by the names of their steps.
    pub(super) async fn input_of(
        &self,
        log: &PipelineLog,
        step: usize,
    ) -> Result<(Arc<str>, Vec<(String, Arc<str>)>), Error> {
        let steps = &self.definition.steps;
        let needs = &steps[step].needs;
        let mut needed = Vec::with_capacity(needs.len());
        for need in needs {
            let output = self.outputs[*need].clone();
            let output = output.ok_or_else(|| Error::internal("a step before what it needs"))?;
            needed.push((steps[*need].name.clone(), log.text_of(&output).await?));
        }
        let input = match needed.as_slice() {
            [] => self.input.clone(),
            [(_, only)] => only.clone(),
            several => {
                let texts: Vec<&str> = several.iter().map(|(_, text)| &**text).collect();
                Arc::from(texts.join("\n"))
            }
        };
        Ok((input, needed))
    }

    pub(super) fn input_of_unit(&self, unit: StepUnit) -> Arc<str> {
        let work = self.work.get(&unit.step);
        let item = unit.item.and_then(|item| work?.items.as_ref()?.inputs.get(item).cloned());
        item.or_else(|| work.map(|work| work.input.clone())).unwrap_or_else(|| Arc::from(""))
    }

    pub(super) fn key_of(&self, unit: StepUnit) -> String {
        match self.work.get(&unit.step).filter(|_| unit.item.is_none()) {
            Some(work) => work.idempotency_key.clone(),
            None => self.key(&self.name(unit), &self.input_of_unit(unit)),
        }
    }

    /// Returns the key of a unit: its run, its name, and its input.
    pub(super) fn key(&self, name: &str, input: &str) -> String {
        let hash = sha256_hex(input.as_bytes());
        format!("{}:{name}:{}", self.run_id, &hash[..KEY_DIGITS])
    }
}
