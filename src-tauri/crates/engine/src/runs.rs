//! Runs from their start to their end: started, resumed, stopped, queued, delegated, left in the background.

pub(crate) mod active_run;
pub(crate) mod background;
pub(crate) mod claim;
pub(crate) mod delegation;
pub(crate) mod launch;
pub(crate) mod lease;
pub(crate) mod output_schema;
pub(crate) mod piped_input;
pub(crate) mod processes;
pub(crate) mod prompt_images;
pub(crate) mod queue;
pub(crate) mod resume;
pub(crate) mod start;
pub(crate) mod stopping;
