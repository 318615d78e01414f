//! Starting a pipeline: everything that can be wrong is found before anything is recorded.

use super::ReadyPipeline;
use crate::pipeline_history::PIPELINE_AGENT;
use crate::projects::open::canonical;
use crate::projects::pipelines::MAX_DEPTH;
use crate::{
    ClaimedWork, ClientCapabilities, OpenProject, PipelineRuns, RunningRun, SessionHold, SessionSettings,
    WholePipeline, blocking,
};
use arki_agent::RunControl;
use arki_config::Config;
use arki_domain::projection::PipelineState;
use arki_domain::{
    ApprovalMode, Code, Content, ContentKind, Error, EventDraft, EventLog, PIPELINE_CORE, ParentCall, PipelineStart,
    RetriedRun, RunId, RunOptions, RunStarted, SessionCreated, SessionId, StepCompleted, StepStarted, TrustChanged,
    sha256_hex,
};
use arki_files::Project;
use arki_pipelines::{Definition, PipelineSnapshot, param_values};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A pipeline as somebody asks for it.
#[derive(Debug, Clone)]
pub struct StartPipeline {
    /// The folder that it works in; paths are relative to it.
    pub folder: PathBuf,
    /// Its name, or a path.
    pub name: String,
    pub input: PipelineInput,
    pub params: BTreeMap<String, String>,
    /// The approval mode for the calls of its agents.
    pub approve: ApprovalMode,
    /// The schedule that starts it.
    pub schedule: Option<String>,
}

impl From<arki_api::StartPipeline> for StartPipeline {
    fn from(start: arki_api::StartPipeline) -> Self {
        Self {
            folder: start.folder.into(),
            name: start.pipeline,
            input: PipelineInput { bytes: start.input.into_bytes(), path: None },
            params: start.params,
            approve: ApprovalMode::Ask,
            schedule: None,
        }
    }
}

/// The input that a pipeline works on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PipelineInput {
    pub bytes: Vec<u8>,
    /// The file that it comes from.
    pub path: Option<PathBuf>,
}

/// The ids of a pipeline's new run, and the surroundings in which it begins.
pub(super) struct PipelinePlace {
    pub(super) session_id: SessionId,
    pub(super) run_id: RunId,
    pub(super) parent: Option<ParentCall>,
    pub(super) depth: u32,
    /// The denylist of the pipeline above.
    pub(super) denied_paths: Vec<String>,
    pub(super) control: RunControl,
    pub(super) presence: ClientCapabilities,
    /// The definitions to run by, where they are known already.
    pub(super) given: Option<WholePipeline>,
    /// Steps that are taken over from another run.
    pub(super) taken_over: Option<TakenOver>,
}

/// Steps of another run of the same pipeline that need not run again.
pub(super) struct TakenOver {
    pub(super) from: RetriedRun,
    /// The name of each step, the beginning of its input's hash, and its result.
    pub(super) steps: Vec<(String, String, StepCompleted)>,
}

impl PipelinePlace {
    pub(super) fn new(presence: ClientCapabilities) -> Self {
        Self {
            session_id: SessionId::new(),
            run_id: RunId::new(),
            parent: None,
            depth: 0,
            denied_paths: Vec::new(),
            control: RunControl::default(),
            presence,
            given: None,
            taken_over: None,
        }
    }
}

/// The parts of a start that are checked before the session is taken.
struct CheckedStart {
    whole: WholePipeline,
    definition: Definition,
    params: BTreeMap<String, String>,
    input: String,
}

impl PipelineRuns {
    /// Begins a run of a pipeline, by the definitions that are `given` where they are. That approves its own steps; what is
    /// denied, protected or secret stays so.
    ///
    /// # Errors
    /// `PIPELINE_NOT_FOUND`, `PIPELINE_INVALID`, `UNTRUSTED`, `USAGE` for parameters or an input that don't fit. Nothing
    /// has happened then.
    pub(crate) async fn start_pipeline(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        start: StartPipeline,
        given: Option<WholePipeline>,
    ) -> Result<RunningRun, Error> {
        self.start_pipeline_at(PipelinePlace { given, ..PipelinePlace::new(presence) }, start).await
    }

    pub(super) async fn start_pipeline_at(
        self: &Arc<Self>,
        place: PipelinePlace,
        start: StartPipeline,
    ) -> Result<RunningRun, Error> {
        let PipelinePlace { session_id, run_id, parent, depth, denied_paths, control, presence, given, taken_over } =
            place;
        if depth as usize > MAX_DEPTH {
            let message = format!("Pipelines are nested more than {MAX_DEPTH} deep.");
            return Err(Error::new(Code::PIPELINE_LIMIT, message, "Check whether one of them runs itself."));
        }
        let folder = blocking(self, move |_| canonical(&start.folder)).await?;
        let (open, config) = self.opened_for(&session_id, folder.clone()).await?;
        let StartPipeline { name, input, params, approve, schedule, .. } = start;
        let checked = blocking(self, move |pipelines| {
            let whole = given
                .map_or_else(|| pipelines.runs.projects.pipelines().find_whole_pipeline(&open, &folder, &name), Ok)?;
            let checked = pipelines.checked_pipeline((&open, &config.secret_files.set), whole, &input, &params)?;
            Ok((open, config, checked))
        });
        let (open, config, CheckedStart { whole, definition, params, input }) = checked.await?;
        let claim = self.runs.sessions.claim(&session_id, ClaimedWork::Run)?;
        let hold = SessionHold::take(&self.runs.records, &self.runs.sessions, claim, control).await?;
        let input_content = content(input.as_bytes());
        let input_hash = input_content.hash.clone();
        let contents: Vec<Content> = whole.contents().chain([input_content]).collect();
        self.runs.records.contents().put(&session_id, contents).await?;
        // There is none, which is as good as any.
        let system_prompt_hash = self.runs.records.store().contents().put_blob(b"").await?;
        let options = RunOptions {
            approve,
            denied_paths,
            pipeline: Some(PipelineStart {
                name: definition.name.clone(),
                definition_hash: sha256_hex(whole.found.text.as_bytes()),
                nested: whole.hashes(),
                origin: whole.found.origin.clone(),
                params,
                input_hash,
                input_bytes: input.len() as u64,
                depth,
                retry_of: taken_over.as_ref().map(|taken| taken.from.clone()),
                schedule,
            }),
            ..RunOptions::default()
        };
        let trust = TrustChanged { project: open.path(), trusted: open.is_trusted(), pins: open.pins() };
        let mut drafts = vec![
            EventDraft::of_session(SessionCreated {
                title: format!("Pipeline {}", definition.name),
                project: open.path(),
                agent: PIPELINE_AGENT.to_owned(),
                parent_session: parent.as_ref().map(|parent| parent.session_id.clone()),
                worktree: self.runs.projects.session_worktrees().worktree_at(&open.path()),
            }),
            EventDraft::of_session(trust),
        ];
        let has_parent = parent.is_some();
        // What a nested one is granted was told when the outermost one started.
        let grants = if has_parent { Vec::new() } else { whole.grants()? };
        drafts.push(EventDraft::of_run(
            &run_id,
            RunStarted {
                prompt: definition.name.clone(),
                agent: PIPELINE_AGENT.to_owned(),
                model: config.model.clone(),
                core: PIPELINE_CORE.to_owned(),
                system_prompt_hash,
                options: options.clone(),
                message_id: None,
                parent,
                session_start: None,
                request: None,
            },
        ));
        drafts.extend(taken_over.into_iter().flat_map(|taken| taken.steps).flat_map(|step| repeated(&run_id, step)));
        let events = self.runs.records.log().append(&session_id, drafts).await?;
        let state = PipelineState::fold(events.iter().map(|event| &**event));
        let state = state.ok_or_else(|| Error::internal("a run without its first event"))?;
        let last_seq = events.last().map_or(0, |event| event.seq);
        let standing = PipelineSnapshot { state, last_seq, approve, resumed: None };
        let input = Arc::from(input);
        let ready =
            ReadyPipeline { session_id, open, config, options, whole, definition, input, standing, has_parent, grants };
        self.launch_pipeline(ready, (hold, presence))
    }

    /// The folder and what is configured in it, as for the first agent.
    pub(super) async fn opened_for(
        &self,
        session_id: &SessionId,
        folder: PathBuf,
    ) -> Result<(OpenProject, Config), Error> {
        let (agent, settings) = (arki_config::AGENT.to_owned(), SessionSettings::default());
        self.runs.preparation.opened_for(session_id, None, folder, agent, settings).await
    }

    fn checked_pipeline(
        &self,
        (open, secrets): (&OpenProject, &globset::GlobSet),
        whole: WholePipeline,
        input: &PipelineInput,
        params: &BTreeMap<String, String>,
    ) -> Result<CheckedStart, Error> {
        let definition = whole.found.definition()?;
        let redactor = self.runs.records.redactor();
        whole.ensure_no_secrets(redactor)?;
        let params = param_values(&definition.params, params)?;
        let params = params.into_iter().map(|(name, value)| (name, redactor.redact(&value).into_owned())).collect();
        let limit = definition.limits.max_input_bytes;
        if input.bytes.len() as u64 > limit {
            return Err(Error::new(
                Code::PIPELINE_LIMIT,
                format!("The input has {} bytes; `limits.max_input_bytes` allows {limit}.", input.bytes.len()),
                "Raise the limit in the pipeline, or pass a shorter input.",
            ));
        }
        if let Some(path) = &input.path {
            ensure_path(&open.project, secrets, &definition, path)?;
        }
        let text = std::str::from_utf8(&input.bytes).map_err(|_| {
            Error::new(Code::USAGE, "The input is not text (UTF-8).", "Encode it first, for example with `base64`.")
        })?;
        let input = redactor.redact(text).into_owned();
        Ok(CheckedStart { whole, definition, params, input })
    }
}

/// Refuses an input that the pipeline may not touch, or that holds secrets.
fn ensure_path(
    project: &Project,
    secrets: &globset::GlobSet,
    definition: &Definition,
    path: &Path,
) -> Result<(), Error> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let inside = real.strip_prefix(project.root()).unwrap_or(&real).to_string_lossy().replace('\\', "/");
    let shown = path.to_string_lossy();
    let others: Vec<String> = project.other_names(&[&inside]).into_iter().map(|(_, name)| name.to_string()).collect();
    let mut names = [inside.as_str(), &shown].into_iter().chain(others.iter().map(String::as_str));
    if let Some(pattern) = names.find_map(|name| definition.denylist.forbids(name)) {
        let message = format!("The input is {shown}, which `denylist_patterns` forbid ({pattern}).");
        let hint = "Use another file, or change the pipeline's `denylist_patterns`.";
        return Err(Error::new(Code::STEP_DENYLISTED, message, hint));
    }
    // Outside of the project only the last two components can be judged.
    let tail: Vec<&str> = inside.rsplit('/').take(2).collect();
    let tail: Vec<&str> = tail.into_iter().rev().collect();
    let named = if real.starts_with(project.root()) { inside.clone() } else { tail.join("/") };
    let mut names = others.iter().chain([&named]).filter_map(|name| project.resolve(name).ok());
    if names.any(|name| project.is_secret(&name, secrets)) {
        let message = format!("The input is {shown}, which looks like a file with secrets.");
        return Err(Error::new(Code::POLICY_DENIED, message, "Copy what the pipeline needs into another file."));
    }
    Ok(())
}

fn content(bytes: &[u8]) -> Content {
    Content { hash: sha256_hex(bytes), bytes: bytes.to_vec(), kind: ContentKind::Plain }
}

impl WholePipeline {
    /// Returns the texts that are kept beside the log of a run.
    pub(super) fn contents(&self) -> impl Iterator<Item = Content> {
        self.texts().map(|text| content(text.as_bytes()))
    }
}

/// A step that another run has completed, as this run's own.
fn repeated(run_id: &RunId, (step, input_digits, completed): (String, String, StepCompleted)) -> [EventDraft; 2] {
    let idempotency_key = format!("{run_id}:{step}:{input_digits}");
    let started = StepStarted { step: step.clone(), idempotency_key: idempotency_key.clone(), attempt: 1, items: None };
    let completed = StepCompleted { step, idempotency_key, attempt: 1, duration_ms: 0, ..completed };
    [EventDraft::of_run(run_id, started), EventDraft::of_run(run_id, completed)]
}
