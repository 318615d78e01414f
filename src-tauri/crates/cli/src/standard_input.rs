//! Standard input as a prompt, or beside one.

use crate::exit::wrong_use;
use crate::output::Printer;
use arki_domain::{Code, Error};
use arki_engine::MAX_PIPED_BYTES;
use std::io::{IsTerminal, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// A longer prompt is a mistake.
const MAX_PROMPT_BYTES: usize = 4 * 1024 * 1024;
/// The time after which a user may wonder what the program waits for.
const PATIENCE: Duration = Duration::from_secs(2);

/// All of it is the prompt.
///
/// # Errors
/// `USAGE` where it is too long or no text.
pub(crate) fn as_prompt(output: &Printer) -> Result<String, Error> {
    if std::io::stdin().is_terminal() {
        output.aside("Type the prompt, then press Ctrl+D.");
    }
    let waits = "Waiting for the prompt on standard input to end.";
    let read = read_to_end(MAX_PROMPT_BYTES, waits, output);
    let prompt = read.ok().filter(|prompt| prompt.len() <= MAX_PROMPT_BYTES);
    prompt.and_then(|prompt| String::from_utf8(prompt).ok()).ok_or_else(|| {
        wrong_use(
            "The prompt on standard input is not UTF-8, or it is longer than 4 MiB.",
            "Pass the prompt as an argument, or name the file in the prompt instead of piping it in.",
        )
    })
}

/// The input of a pipeline.
///
/// # Errors
/// `IO_FAILED` where it can't be read.
pub(crate) fn as_input(limit: usize, output: &Printer) -> Result<Vec<u8>, Error> {
    if std::io::stdin().is_terminal() {
        output.aside("Type the input, then press Ctrl+D.");
    }
    read_to_end(limit, "Waiting for the input on standard input to end.", output)
        .map_err(|_| Error::new(Code::IO_FAILED, "Can't read standard input.", "Check where it comes from."))
}

/// The input piped in beside a prompt; empty if standard input is a terminal or a device.
///
/// # Errors
/// `IO_FAILED` where it can't be read.
pub(crate) fn beside_prompt(output: &Printer) -> Result<Vec<u8>, Error> {
    if !is_piped() {
        return Ok(Vec::new());
    }
    let waits = "Waiting for standard input to end, to append it to the prompt. Use --no-stdin to skip it.";
    read_to_end(MAX_PIPED_BYTES, waits, output).map_err(|_| {
        Error::new(
            Code::IO_FAILED,
            "Can't read standard input.",
            "Check where it comes from, or skip it with --no-stdin.",
        )
    })
}

/// One byte more than `limit` shows that there is more.
fn read_to_end(limit: usize, waits: &str, output: &Printer) -> std::io::Result<Vec<u8>> {
    let (sender, read) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let done = std::io::stdin().lock().take(limit as u64 + 1).read_to_end(&mut bytes);
        // Nobody waits any more where the program is about to end.
        let _ = sender.send(done.map(|_| bytes));
    });
    let gone = || std::io::Error::from(std::io::ErrorKind::UnexpectedEof);
    match read.recv_timeout(PATIENCE) {
        Ok(read) => read,
        Err(RecvTimeoutError::Disconnected) => Err(gone()),
        Err(RecvTimeoutError::Timeout) => {
            if !std::io::stdin().is_terminal() {
                output.aside(waits);
            }
            read.recv().map_err(|_| gone())?
        }
    }
}

/// A pipe (also one that is a socket, as some programs make them) or a file.
#[cfg(unix)]
fn is_piped() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let found = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = found.and_then(|file| file.metadata()).map(|metadata| metadata.file_type());
    kind.is_ok_and(|kind| kind.is_file() || kind.is_fifo() || kind.is_socket())
}

/// The device `NUL` is empty.
#[cfg(not(unix))]
fn is_piped() -> bool {
    !std::io::stdin().is_terminal()
}
