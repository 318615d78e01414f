//! Schedules: pipelines that start by themselves at times given by a cron expression, while a program runs that looks.
//!
//! All of them are one setting in the database. Whoever finds that one is due first notes that, and only who could note
//! it starts the run: so of two programs one does. Time that passed while nobody looked is missed; what is done about
//! that is the schedule's. Nobody is there to see what a pipeline has become, so one runs only as it was when the schedule
//! was made. Each run says which schedule started it, so that its history is its runs.

mod due;

use crate::projects::open::canonical;
use crate::{
    ClientCapabilities, PipelineInput, PipelineRuns, Projects, Records, RunningRun, StartPipeline, WholePipeline,
    blocking,
};
use arki_api::{MissedRuns, PipelineSchedule, SaveSchedule, ScheduledRun};
use arki_domain::projection::SessionState;
use arki_domain::{ApprovalMode, Code, Error, RunId};
use due::{Due, Times, dealt_with};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

const SETTING: &str = "schedules";
const MAX_SCHEDULES: usize = 200;
/// Several programs may change the setting at once; each tries so often.
const MAX_TRIES: usize = 20;
/// The longest sleep: somebody may change a schedule, or the clock, meanwhile.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);

/// A schedule as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredSchedule {
    pipeline: String,
    folder: String,
    cron: String,
    #[serde(default)]
    time_zone: Option<String>,
    missed: MissedRuns,
    #[serde(default)]
    params: BTreeMap<String, String>,
    /// The fingerprint of the definition, with all that it runs, as it was when the schedule was made.
    #[serde(default)]
    definition: String,
    is_on: bool,
    /// Times up to this one are dealt with, in milliseconds since 1970.
    since_ms: i64,
    #[serde(default)]
    last: Option<ScheduledRun>,
    /// The run that it started last.
    #[serde(default)]
    last_run: Option<RunId>,
}

type StoredSchedules = BTreeMap<String, StoredSchedule>;

/// A run that a schedule has started, or why it hasn't.
pub struct StartedBySchedule {
    pub schedule: String,
    pub run: Result<RunningRun, Error>,
}

/// The schedules of pipelines, which start runs.
pub struct Schedules {
    records: Arc<Records>,
    projects: Arc<Projects>,
    pipelines: Arc<PipelineRuns>,
}

impl Schedules {
    pub(crate) fn new(records: Arc<Records>, projects: Arc<Projects>, pipelines: Arc<PipelineRuns>) -> Self {
        Self { records, projects, pipelines }
    }

    /// All schedules, by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn list(self: &Arc<Self>) -> Result<Vec<PipelineSchedule>, Error> {
        let now = self.records.clock().now_ms();
        let (_, schedules) = self.stored().await?;
        Ok(schedules.into_iter().map(|(name, stored)| shown(name, stored, now)).collect())
    }

    /// Returns the schedule of this name.
    ///
    /// # Errors
    /// `USAGE` where there is none, or when the database cannot be read.
    pub async fn find(self: &Arc<Self>, name: &str) -> Result<PipelineSchedule, Error> {
        self.list().await?.into_iter().find(|schedule| schedule.name == name).ok_or_else(|| unknown(name))
    }

    /// Adds a schedule, or changes the one of this name; the pipeline runs as it is now. Returns what that grants, a
    /// sentence each.
    ///
    /// # Errors
    /// `USAGE` for a name, an expression or a time zone that can't be; `PIPELINE_NOT_FOUND` and others of the pipeline.
    pub async fn save(self: &Arc<Self>, new: SaveSchedule) -> Result<Vec<String>, Error> {
        ensure_name(&new.name)?;
        let times = Times::new(&new.cron, new.time_zone.as_deref())?;
        times.ensure_comes(&new.cron, self.records.clock().now_ms())?;
        let (folder, pipeline) = (new.folder.clone(), new.pipeline.clone());
        let found = blocking(self, move |schedules| {
            let folder = canonical(Path::new(&folder))?;
            let whole = schedules.whole_pipeline_at(&folder, &pipeline)?;
            whole.ensure_no_secrets(schedules.records.redactor())?;
            Ok((folder.display().to_string(), whole.fingerprint(), whole.grants()?))
        });
        let (folder, definition, grants) = found.await?;
        let stored = StoredSchedule {
            folder,
            definition,
            pipeline: new.pipeline,
            cron: new.cron,
            time_zone: new.time_zone,
            missed: new.missed,
            params: new.params,
            is_on: true,
            since_ms: self.records.clock().now_ms(),
            last: None,
            last_run: None,
        };
        let name = new.name;
        self.change(move |schedules| {
            if schedules.len() >= MAX_SCHEDULES && !schedules.contains_key(&name) {
                let words = format!("There are {MAX_SCHEDULES} schedules already.");
                return Err(Error::new(Code::USAGE, words, "Remove one with `arki schedule rm`."));
            }
            let known = schedules.get(&name);
            let (last, last_run) = known.map(|known| (known.last.clone(), known.last_run.clone())).unwrap_or_default();
            schedules.insert(name.clone(), StoredSchedule { last, last_run, ..stored.clone() });
            Ok(())
        })
        .await?;
        Ok(grants)
    }

    /// # Errors
    /// `USAGE` where there is none of this name.
    pub async fn remove(self: &Arc<Self>, name: &str) -> Result<(), Error> {
        self.change(|schedules| schedules.remove(name).map(drop).ok_or_else(|| unknown(name))).await
    }

    /// Switches a schedule on or off. Times that pass while it is off are not missed.
    ///
    /// # Errors
    /// `USAGE` where there is none of this name.
    pub async fn switch(self: &Arc<Self>, name: &str, is_on: bool) -> Result<(), Error> {
        let now = self.records.clock().now_ms();
        self.change(|schedules| {
            let schedule = schedules.get_mut(name).ok_or_else(|| unknown(name))?;
            schedule.is_on = is_on;
            schedule.since_ms = now;
            Ok(())
        })
        .await
    }

    /// Starts what is due now.
    ///
    /// # Errors
    /// When the database cannot be used. A pipeline that can't be started is told beside.
    pub(crate) async fn start_due(
        self: &Arc<Self>,
        presence: ClientCapabilities,
    ) -> Result<Vec<StartedBySchedule>, Error> {
        let now = self.records.clock().now_ms();
        let (known, schedules) = self.stored().await?;
        let (mut changed, mut is_changed) = (schedules, false);
        let mut wanted = Vec::new();
        for (name, schedule) in changed.iter_mut().filter(|(_, schedule)| schedule.is_on) {
            let Ok(times) = Times::new(&schedule.cron, schedule.time_zone.as_deref()) else { continue };
            let since_ms = dealt_with(schedule.since_ms, now);
            is_changed |= since_ms != schedule.since_ms;
            schedule.since_ms = since_ms;
            let Some(due) = times.due(schedule.since_ms, now, schedule.missed) else { continue };
            let at_work = self.is_at_work(schedule.last_run.clone()).await?;
            let due_at = due.at();
            let skipped = match due {
                Due::Missed(_) => Some("Arki wasn't running then.".to_owned()),
                Due::Run(_) if at_work => Some("The previous run hadn't ended.".to_owned()),
                Due::Run(_) => None,
            };
            schedule.since_ms = due_at;
            is_changed = true;
            if skipped.is_none() {
                wanted.push((name.clone(), due_at));
            }
            schedule.last = Some(ScheduledRun { due_at, run_id: None, skipped });
        }
        if !is_changed || !self.swap(known.as_deref(), &changed).await? {
            return Ok(Vec::new());
        }
        let mut started = Vec::with_capacity(wanted.len());
        for (name, due_at) in wanted {
            let Some(schedule) = changed.get(&name) else { continue };
            let run = self.start_scheduled(presence, &name, schedule).await;
            self.note_start(&name, due_at, &run).await?;
            started.push(StartedBySchedule { schedule: name, run });
        }
        Ok(started)
    }

    /// Returns how long nothing is due.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub(crate) async fn until_due(self: &Arc<Self>) -> Result<Duration, Error> {
        let now = self.records.clock().now_ms();
        let next = self.list().await?.into_iter().filter_map(|schedule| schedule.next_at).min();
        let left = next.map(|next| Duration::from_millis(u64::try_from(next - now).unwrap_or(0)));
        Ok(left.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP))
    }

    async fn start_scheduled(
        self: &Arc<Self>,
        presence: ClientCapabilities,
        name: &str,
        schedule: &StoredSchedule,
    ) -> Result<RunningRun, Error> {
        let start = start_of(name, schedule);
        let (folder, pipeline) = (start.folder.clone(), start.name.clone());
        let whole =
            blocking(self, move |schedules| schedules.whole_pipeline_at(&canonical(&folder)?, &pipeline)).await?;
        if whole.fingerprint() != schedule.definition {
            let message = "The pipeline has changed since the schedule was made.";
            let hint = format!("Review it with `arki pipelines show`, then save the schedule {name} again.");
            return Err(Error::new(Code::PIPELINE_CHANGED, message, hint));
        }
        self.pipelines.start_pipeline(presence, start, Some(whole)).await
    }

    fn whole_pipeline_at(&self, folder: &Path, named: &str) -> Result<WholePipeline, Error> {
        let open = self.projects.load_project(folder)?;
        self.projects.pipelines().find_whole_pipeline(&open, folder, named)
    }

    /// Returns whether the run may still do something: also where it waits for a decision, or is paused.
    async fn is_at_work(self: &Arc<Self>, run_id: Option<RunId>) -> Result<bool, Error> {
        let Some(run_id) = run_id else { return Ok(false) };
        let record = self.records.store().read(move |reader| reader.lists().run(&run_id)).await?;
        Ok(record.is_some_and(|record| {
            matches!(record.state, SessionState::Running | SessionState::Waiting | SessionState::Paused)
        }))
    }

    async fn note_start(
        self: &Arc<Self>,
        name: &str,
        due_at: i64,
        run: &Result<RunningRun, Error>,
    ) -> Result<(), Error> {
        let (run_id, skipped) = match run {
            Ok((active, _)) => (Some(active.run_id.clone()), None),
            Err(fault) => (None, Some(fault.message.clone())),
        };
        let last = ScheduledRun { due_at, run_id: run_id.as_ref().map(RunId::to_string), skipped };
        self.change(|schedules| {
            if let Some(schedule) = schedules.get_mut(name) {
                schedule.last = Some(last.clone());
                schedule.last_run = run_id.clone().or_else(|| schedule.last_run.take());
            }
            Ok(())
        })
        .await
    }

    async fn stored(self: &Arc<Self>) -> Result<(Option<String>, StoredSchedules), Error> {
        let stored = self.records.store().read(|reader| reader.meta(SETTING)).await?;
        let schedules = stored.as_deref().map(serde_json::from_str).transpose().map_err(Error::internal)?;
        Ok((stored, schedules.unwrap_or_default()))
    }

    async fn swap(self: &Arc<Self>, known: Option<&str>, schedules: &StoredSchedules) -> Result<bool, Error> {
        let value = serde_json::to_string(schedules).map_err(Error::internal)?;
        Ok(self.records.store().swap_meta(SETTING, known, &value).await?)
    }

    async fn change(self: &Arc<Self>, change: impl Fn(&mut StoredSchedules) -> Result<(), Error>) -> Result<(), Error> {
        for _ in 0..MAX_TRIES {
            let (known, mut schedules) = self.stored().await?;
            change(&mut schedules)?;
            if self.swap(known.as_deref(), &schedules).await? {
                return Ok(());
            }
        }
        Err(Error::new(Code::SESSION_BUSY, "The schedules are being changed by another program.", "Try again."))
    }
}

fn start_of(name: &str, schedule: &StoredSchedule) -> StartPipeline {
    StartPipeline {
        folder: PathBuf::from(&schedule.folder),
        name: schedule.pipeline.clone(),
        input: PipelineInput::default(),
        params: schedule.params.clone(),
        approve: ApprovalMode::Ask,
        schedule: Some(name.to_owned()),
    }
}

fn shown(name: String, stored: StoredSchedule, now_ms: i64) -> PipelineSchedule {
    let StoredSchedule { pipeline, folder, cron, time_zone, missed, params, is_on, last, .. } = stored;
    let times = Times::new(&cron, time_zone.as_deref()).ok().filter(|_| is_on);
    let next_at = times.and_then(|times| times.after(now_ms));
    PipelineSchedule { name, pipeline, folder, cron, time_zone, missed, params, is_on, next_at, last }
}

fn ensure_name(name: &str) -> Result<(), Error> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    if (1..=64).contains(&name.len()) && name.chars().all(is_allowed) {
        return Ok(());
    }
    let words = format!("{name:?} can't be the name of a schedule.");
    Err(Error::new(Code::USAGE, words, "Use 1 to 64 letters, digits, `-` and `_`."))
}

fn unknown(name: &str) -> Error {
    Error::new(Code::USAGE, format!("There is no schedule {name:?}."), "`arki schedule list` shows all schedules.")
}
