//! Reads documents (PDF, Office, OpenDocument) as text. What takes their bytes apart is this program, started anew as a
//! process that can do nothing else ([`seal_this_process`]): strangers made them.
//!
//! *Limits.* 50 MiB, 20 s and 1 GiB of memory for one document, two at once; pages, text and what is packed in it have
//! limits of `arki-documents`. The last documents' texts are kept: a prompt that is being written asks for its mentions
//! again and again, and a model goes on where it stopped.

use crate::outcome::ToolError;
use arki_documents::{DocumentError, DocumentText, ReadingLimits, document_text, is_document, is_document_name};
use arki_domain::{Code, Error, sha256_hex};
use arki_files::{FilesError, Project, ProjectPath};
use arki_process::{
    AnswerBounds, AnswerEnding, Answered, CancellationToken, CommandLimits, Meanwhile, PipedSpec, run_program,
};
use arki_sandbox::seal_this_process;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// The first argument of a program that is to read a document.
const FLAG: &str = "--arki-read-document";
/// The exit code where it didn't answer.
const NOT_ANSWERED: u8 = 125;
/// The shell's codes for a program that it can't start or find.
const NOT_STARTED: i32 = 126;
const NOT_FOUND: i32 = 127;
const MAX_DOCUMENT_BYTES: u64 = 50 << 20;
const MAX_SECONDS: u64 = 20;
const MAX_MEMORY_BYTES: u64 = 1 << 30;
/// An answer is JSON, in which a character can become six.
const MAX_ANSWER_BYTES: usize = 6 * (arki_documents::MAX_TEXT_BYTES + (64 << 10));
/// The words of a program whose memory has run out.
const OUT_OF_MEMORY: &str = "memory allocation";
const MAX_KEPT: usize = 4;
const SMALLER: &str = "Save the part that matters as a document of its own.";

static IS_PROGRAM: AtomicBool = AtomicBool::new(false);
static AT_ONCE: Semaphore = Semaphore::const_new(2);
/// The last texts, by the hash of the document; the newest last.
static KEPT: Mutex<Vec<(String, DocumentText)>> = Mutex::new(Vec::new());

/// Makes this process the reader of the document on its standard input if it was started as one, and returns the code to
/// exit with. The first thing that a program does which shall read documents.
#[must_use]
pub fn read_document_if_asked() -> Option<u8> {
    if std::env::args_os().nth(1).as_deref() != Some(OsStr::new(FLAG)) {
        IS_PROGRAM.store(true, Ordering::Relaxed);
        return None;
    }
    Some(answer().map_or(NOT_ANSWERED, |()| 0))
}

fn answer() -> io::Result<()> {
    // Who asked ends it sooner, and can say why.
    seal_this_process(MAX_MEMORY_BYTES, 2 * MAX_SECONDS)?;
    let mut bytes = Vec::new();
    io::stdin().lock().take(MAX_DOCUMENT_BYTES).read_to_end(&mut bytes)?;
    let answer = serde_json::to_vec(&document_text(bytes, ReadingLimits::default()))?;
    io::stdout().lock().write_all(&answer)
}

/// Returns the text of a document; `None` where the file is something else. Blocking; within a runtime, on a thread that
/// may block.
pub(crate) fn document_at(
    project: &Project,
    path: &ProjectPath,
    cancel: &CancellationToken,
) -> Result<Option<DocumentText>, ToolError> {
    let name = path.as_str();
    if !is_document_name(name) {
        return Ok(None);
    }
    let bytes = project.read(path, MAX_DOCUMENT_BYTES).map_err(|error| larger(name, error))?.bytes;
    if !is_document(&bytes) {
        return Ok(None);
    }
    let hash = sha256_hex(&bytes);
    if let Some(known) = kept(&hash) {
        return Ok(Some(known));
    }
    let answered = Handle::try_current().map_err(Error::internal)?.block_on(ask(bytes, cancel.clone()))?;
    let text = told(name, &answered)?;
    keep(hash, &text);
    Ok(Some(text))
}

/// The documents whose text is kept are few.
fn kept(hash: &str) -> Option<DocumentText> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().find(|(known, _)| known == hash).map(|(_, text)| text.clone())
}

fn keep(hash: String, text: &DocumentText) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.len() >= MAX_KEPT {
        kept.remove(0);
    }
    kept.push((hash, text.clone()));
}

fn larger(name: &str, error: FilesError) -> ToolError {
    if error.code() != Code::FILE_TOO_LARGE {
        return error.into();
    }
    let what = format!("{name} is larger than {} MiB.", MAX_DOCUMENT_BYTES >> 20);
    Error::new(Code::DOCUMENT_TOO_LARGE, what, SMALLER).into()
}

async fn ask(bytes: Vec<u8>, cancel: CancellationToken) -> Result<Answered, ToolError> {
    if !IS_PROGRAM.load(Ordering::Relaxed) {
        return Err(Error::internal("this program doesn't read documents").into());
    }
    let _place = AT_ONCE.acquire().await.map_err(Error::internal)?;
    let program = std::env::current_exe().map_err(Error::internal)?;
    let spec = PipedSpec {
        name: "Reading a document".to_owned(),
        program: program.to_string_lossy().into_owned(),
        arguments: vec![FLAG.to_owned()],
        directory: std::env::temp_dir(),
        environment: Vec::new(),
        sandbox: None,
        limits: CommandLimits {
            max_memory_bytes: MAX_MEMORY_BYTES,
            max_written_bytes: 2 * MAX_ANSWER_BYTES as u64,
            ..CommandLimits::default()
        },
        meanwhile: Meanwhile::new(|_| {}),
    };
    let bounds = AnswerBounds { time_limit: Duration::from_secs(MAX_SECONDS), max_kept_bytes: MAX_ANSWER_BYTES };
    Ok(run_program(spec, bounds, bytes, cancel).await?)
}

/// Returns the text, or the error in words.
fn told(name: &str, answered: &Answered) -> Result<DocumentText, Error> {
    let (code, what, hint) = match answered.ending {
        AnswerEnding::Exited if answered.exit_code == Some(i32::from(NOT_ANSWERED)) => {
            return Err(Error::internal("what reads documents can't be confined on this system"));
        }
        AnswerEnding::Exited if matches!(answered.exit_code, Some(NOT_STARTED | NOT_FOUND)) => (
            Code::COMMAND_SPAWN_FAILED,
            "can't be read: Arki's own program was moved or replaced".to_owned(),
            "Restart Arki.",
        ),
        AnswerEnding::Exited if answered.stderr.contains(OUT_OF_MEMORY) => {
            too_large(format!("takes more than {} MiB of memory to read", MAX_MEMORY_BYTES >> 20))
        }
        AnswerEnding::Exited => match serde_json::from_str(&answered.stdout) {
            Ok(Ok(text)) => return Ok(text),
            Ok(Err(why)) => why_unreadable(why),
            // A library gave up in the middle.
            Err(_) => why_unreadable(DocumentError::Broken),
        },
        AnswerEnding::TimedOut => too_large(format!("takes longer than {MAX_SECONDS} s to read")),
        AnswerEnding::Overran(limit) => too_large(format!("can't be read: what reads it {limit}")),
        AnswerEnding::Cancelled => (Code::CANCELLED, "wasn't read to its end".to_owned(), "Try again."),
    };
    Err(Error::new(code, format!("{name} {what}."), hint))
}

/// The code, the rest of the sentence that begins with the document's name, and the hint.
type UnreadWords = (Code, String, &'static str);

fn too_large(what: String) -> UnreadWords {
    (Code::DOCUMENT_TOO_LARGE, what, SMALLER)
}

fn why_unreadable(why: DocumentError) -> UnreadWords {
    match why {
        DocumentError::Broken => (
            Code::DOCUMENT_BROKEN,
            "is damaged, or isn't what its name says".to_owned(),
            "Open it in the program that made it, and save it again.",
        ),
        DocumentError::Encrypted => {
            (Code::DOCUMENT_ENCRYPTED, "is protected by a password".to_owned(), "Save a copy without a password.")
        }
        DocumentError::OldFormat => (
            Code::DOCUMENT_BROKEN,
            "has an older Office format than its name says".to_owned(),
            "Save it as docx, xlsx or pptx.",
        ),
        DocumentError::NoText { what } => (
            Code::DOCUMENT_WITHOUT_TEXT,
            format!("is {what} without any text: its pages may be pictures"),
            "Run text recognition (OCR) on it, or attach pictures of its pages.",
        ),
        DocumentError::TooLarge { what } => too_large(format!("can't be read: {what}")),
    }
}
