//! Pipelines: what can be run, and runs of them with their steps.

use crate::CommandError;
use arki_domain::projection::SessionState;
use std::collections::BTreeMap;

words! {
    PipelineParamType { String, Integer, Number, Boolean }

    /// `waiting` is for the user, `interrupted` was running when Arki ended, and `retrying` failed and is tried again.
    PipelineStepState { Pending, Running, Waiting, Interrupted, Retrying, Completed, Failed, Skipped }

    /// The definition with which to continue a run whose file has changed since it started.
    PipelineDefinition { Original, Current }

    /// The way to handle times that passed while Arki didn't run; with `once`, one run makes up for all of them.
    MissedRuns { Skip, Once }
}

wire! {
    /// A pipeline that can be run.
    PipelineEntry {
        pub name: String,
        pub description: String,
        /// The file, relative to the project where it lies there, or `built in`.
        pub origin: String,
        pub params: Vec<PipelineParam>,
        pub steps: Vec<PipelineStep>,
        /// The permissions beyond the sandbox that starting it grants, a sentence each; also of pipelines that it runs.
        pub grants: Vec<String>,
        /// The reason why it can't be run: `line:column: reason`, and then it has no steps, or one about a pipeline that
        /// it runs.
        pub problem: Option<String>,
    }
    PipelineParam {
        pub name: String,
        #[serde(rename = "type")]
        pub kind: PipelineParamType,
        /// The default value; null if a value has to be given.
        pub default: Option<String>,
        pub description: String,
        /// Empty: anything of its type.
        pub choices: Vec<String>,
    }
    PipelineStep {
        pub name: String,
        pub adapter: String,
        /// The names of the steps that it waits for.
        pub needs: Vec<String>,
    }
    StartPipeline {
        pub folder: String,
        /// A name or a path.
        pub pipeline: String,
        pub params: BTreeMap<String, String>,
        pub input: String,
    }
    /// A run as it is listed.
    PipelineRunEntry {
        pub run_id: String,
        pub session_id: String,
        pub name: String,
        pub state: SessionState,
        pub started_at: i64,
        /// The end of the run, in milliseconds since 1970; null while it hasn't ended.
        pub ended_at: Option<i64>,
        pub schedule: Option<String>,
    }
    /// A run with its steps, which are a graph by what they need.
    PipelineRunDetails {
        pub run: PipelineRunEntry,
        pub origin: String,
        pub params: BTreeMap<String, String>,
        pub input_bytes: u64,
        pub steps: Vec<PipelineStepEntry>,
        /// The approval that waits: its own gate, or one of a run that works for it.
        pub approval_id: Option<String>,
        /// The error that the run failed with.
        pub failure: Option<CommandError>,
    }
    PipelineStepEntry {
        pub step: String,
        pub state: PipelineStepState,
        pub attempts: u32,
        pub duration_ms: u64,
        pub adapter: String,
        pub needs: Vec<String>,
        /// The number of items of a `foreach` step; null for any other step.
        pub items: Option<u32>,
        pub items_done: Option<u32>,
        pub failure: Option<CommandError>,
        /// The session in which an agent or a pipeline works for it.
        pub session_id: Option<String>,
        pub output_bytes: Option<u64>,
    }
    /// A schedule as somebody wants it.
    SaveSchedule {
        /// A schedule of this name is changed.
        pub name: String,
        pub folder: String,
        pub pipeline: String,
        /// Five fields: minute, hour, day of month, month, day of week.
        pub cron: String,
        /// An IANA name; null: the computer's.
        pub time_zone: Option<String>,
        pub missed: MissedRuns,
        pub params: BTreeMap<String, String>,
    }
    PipelineSchedule {
        pub name: String,
        pub pipeline: String,
        pub folder: String,
        /// Five fields: minute, hour, day of month, month, day of week.
        pub cron: String,
        /// An IANA name; null: the computer's.
        pub time_zone: Option<String>,
        pub missed: MissedRuns,
        pub params: BTreeMap<String, String>,
        pub is_on: bool,
        /// The next time it runs, in milliseconds since 1970; null if it won't run again.
        pub next_at: Option<i64>,
        pub last: Option<ScheduledRun>,
    }
    /// The outcome of a time at which a schedule was due.
    ScheduledRun {
        pub due_at: i64,
        pub run_id: Option<String>,
        /// The reason why there is no run.
        pub skipped: Option<String>,
    }
}
