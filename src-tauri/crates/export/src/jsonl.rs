//! Every event exactly as it is stored, one a line: what `arki events --json` prints, and what `arki verify` proves.
//! After an event that speaks of a large diff come the lines that have it ([`ExportedPiece`](arki_store::ExportedPiece)).

use crate::lineage::{EventSource, Stretch};
use crate::writing::{Out, Stop, each_event};
use arki_store::{exported_pieces, spoken_content};
use std::collections::HashSet;
use std::io;

pub(crate) fn write(source: &dyn EventSource, stretches: &[Stretch], out: Out<'_>) -> Result<(), Stop> {
    let mut written = HashSet::new();
    each_event(source, stretches, |event| {
        serde_json::to_writer(&mut *out, event).map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        if let Some(hash) = spoken_content(event)
            && let Some(diff) = source.large_diff(&hash)?
            && written.insert(hash.clone())
        {
            for piece in exported_pieces(&hash, &diff) {
                serde_json::to_writer(&mut *out, &piece).map_err(io::Error::from)?;
                out.write_all(b"\n")?;
            }
        }
        Ok(())
    })
}
