//! The parts that the measurements share: a scripted model server, a throw-away home for `arki`, and a little
//! arithmetic. The measurements themselves are in `builds`, `context`, `edit`, `long_session`, `memory`, `pipelines`,
//! `policy`, `providers`, `retrieval`, `search`, `secrets`, `serving`, `skills`, `start`, `store`, `turns` and `window`.

pub(crate) mod builds;
pub(crate) mod context;
pub(crate) mod edit;
mod home;
mod http;
pub(crate) mod long_session;
pub(crate) mod memory;
mod model_server;
pub(crate) mod pipelines;
pub(crate) mod policy;
pub(crate) mod providers;
pub(crate) mod retrieval;
mod script;
pub(crate) mod search;
pub(crate) mod secrets;
pub(crate) mod serving;
pub(crate) mod skills;
pub(crate) mod start;
mod statistics;
pub(crate) mod store;
pub(crate) mod turns;
pub(crate) mod window;

pub(crate) use turns::Recorded;
