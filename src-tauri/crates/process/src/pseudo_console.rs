//! A terminal of a command's own on Windows, at which nobody sits.
//!
//! What is printed comes out of it as a pipe of what a terminal is sent, drawn anew by Windows. Nothing is typed: the end
//! of input is a key there and then Return, and Return is what agrees to a question.

#![allow(unsafe_code)]

use std::io::{self, PipeReader, PipeWriter};
use std::os::windows::io::AsRawHandle;

use windows_sys::Win32::System::Console::{COORD, ClosePseudoConsole, CreatePseudoConsole, HPCON};

use super::screen::{COLUMNS, ROWS};

/// Dropping it hangs up and may wait until what was printed has been read; then the pipe ends.
pub(super) struct PseudoConsole {
    handle: HPCON,
    /// Were it closed, the terminal would be.
    _keyboard: PipeWriter,
}

/// The terminal, and what is printed at it.
pub(super) fn open() -> io::Result<(PseudoConsole, PipeReader)> {
    let (input, keyboard) = io::pipe()?;
    let (printed, output) = io::pipe()?;
    let size = COORD { X: COLUMNS.cast_signed(), Y: ROWS.cast_signed() };
    let mut handle = 0;
    // SAFETY: both handles are open and duplicated by the call; the place for the new one is ours.
    let result = unsafe { CreatePseudoConsole(size, input.as_raw_handle(), output.as_raw_handle(), 0, &mut handle) };
    if result < 0 {
        return Err(io::Error::from_raw_os_error(result));
    }
    Ok((PseudoConsole { handle, _keyboard: keyboard }, printed))
}

impl PseudoConsole {
    pub(super) fn handle(&self) -> HPCON {
        self.handle
    }
}

impl Drop for PseudoConsole {
    fn drop(&mut self) {
        // SAFETY: it is open, and nobody uses it any more.
        unsafe { ClosePseudoConsole(self.handle) };
    }
}
