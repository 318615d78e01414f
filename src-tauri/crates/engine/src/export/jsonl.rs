//! Every event exactly as it is stored, one a line: what `arki events --json` prints, and what `arki verify` proves.

use super::{Out, Stop, each_event};
use crate::lineage::{EventSource, Stretch};
use std::io;

pub(super) fn write(source: &dyn EventSource, stretches: &[Stretch], out: Out<'_>) -> Result<(), Stop> {
    each_event(source, stretches, |event| {
        serde_json::to_writer(&mut *out, event).map_err(io::Error::from)?;
        Ok(out.write_all(b"\n")?)
    })
}
