//! The parts that every format is written with: its end, the events it is made of, and moments.

use crate::lineage::{self, EventSource, Stretch};
use arki_domain::{Code, Error, Event};
use std::io::{self, Write};

pub(crate) type Out<'a> = &'a mut dyn Write;

/// Why an export ends early.
pub(crate) enum Stop {
    ReaderGone,
    Error(Error),
}

impl Stop {
    /// A reader that has gone away is no error.
    pub(crate) fn outcome(stopped: Result<(), Self>) -> Result<(), Error> {
        match stopped {
            Ok(()) | Err(Self::ReaderGone) => Ok(()),
            Err(Self::Error(fault)) => Err(fault),
        }
    }
}

impl From<Error> for Stop {
    fn from(fault: Error) -> Self {
        Self::Error(fault)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        let (code, message, hint) = match error.kind() {
            io::ErrorKind::BrokenPipe => return Self::ReaderGone,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Code::DISK_FULL, "The disk is full: the file was not written.", "Free some space and try again.")
            }
            _ => (Code::IO_FAILED, "The file can't be written there.", "Choose another place and try again."),
        };
        Self::Error(Error::new(code, message, hint))
    }
}

/// Hands over every event of the stretches, oldest first.
pub(crate) fn each_event(
    source: &dyn EventSource,
    stretches: &[Stretch],
    mut take: impl FnMut(&Event) -> Result<(), Stop>,
) -> Result<(), Stop> {
    stretches.iter().try_for_each(|stretch| lineage::each_event(source, stretch, 0, &mut take))
}

/// A moment, the same wherever it is read.
pub(crate) fn utc(ts: i64) -> String {
    let moment = jiff::Timestamp::from_millisecond(ts).unwrap_or_default();
    moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
