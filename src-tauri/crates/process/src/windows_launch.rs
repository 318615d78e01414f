//! Starting a program on Windows, which the standard library can't do with a token of less rights, in a job, or at a
//! terminal of ours.
//!
//! The child gets the handles that are named and no others, whatever else in this process can be inherited.

#![allow(unsafe_code)]

use std::ffi::{OsStr, c_void};
use std::io::{self, ErrorKind};
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsHandle, AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};
use std::path::{Path, PathBuf};
use std::ptr;

use windows_sys::Win32::Foundation::{HANDLE_FLAG_INHERIT, SetHandleInformation, WAIT_OBJECT_0};
use windows_sys::Win32::System::SystemInformation::GetSystemDirectoryW;
use windows_sys::Win32::System::Threading::{
    CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_UNICODE_ENVIRONMENT, CreateProcessAsUserW,
    DeleteProcThreadAttributeList, EXTENDED_STARTUPINFO_PRESENT, GetExitCodeProcess, GetProcessId, INFINITE,
    InitializeProcThreadAttributeList, LPPROC_THREAD_ATTRIBUTE_LIST, PROC_THREAD_ATTRIBUTE_HANDLE_LIST,
    PROC_THREAD_ATTRIBUTE_JOB_LIST, PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, PROCESS_INFORMATION, STARTF_USESTDHANDLES,
    STARTUPINFOEXW, STARTUPINFOW, UpdateProcThreadAttribute, WaitForSingleObject,
};

use super::argument_line;
use super::job::{Job, done};
use super::pseudo_console::PseudoConsole;

/// The extensions in the order tried, if a name has none of them.
const EXTENSIONS: [&str; 4] = ["exe", "com", "cmd", "bat"];
const BATCH_EXTENSIONS: [&str; 2] = ["cmd", "bat"];
/// The longest path for programs that know no other.
const MAX_PLAIN_PATH: usize = 248;

/// A program, ready to be started. All texts end with NUL.
pub(super) struct Launch {
    application: Vec<u16>,
    command_line: Vec<u16>,
    /// Its own NUL after each variable.
    environment: Vec<u16>,
    directory: Vec<u16>,
}

/// A child's input, output and error.
pub(super) enum Standard {
    Three([OwnedHandle; 3]),
    Console(PseudoConsole),
}

impl Launch {
    /// `program` is a path, below `directory` where it is not a whole one, or a name that is looked for in the
    /// environment's PATH; its extension may be left out. Batch files are given to `cmd.exe`.
    pub(super) fn new(
        program: &str,
        arguments: &[impl AsRef<str>],
        directory: &Path,
        environment: &[(String, String)],
    ) -> io::Result<Self> {
        let path = find(program, directory, environment).ok_or(ErrorKind::NotFound)?;
        let path = plain(&path);
        let is_batch_file = BATCH_EXTENSIONS.iter().any(|extension| has_extension(&path, extension));
        let shown = path.to_str().ok_or(ErrorKind::InvalidFilename)?;
        let (application, line) = if is_batch_file {
            (system_folder()?.join("cmd.exe"), argument_line::for_batch_file(shown, arguments))
        } else {
            (path.clone(), argument_line::for_program(program, arguments))
        };
        let line = line.ok_or_else(|| io::Error::new(ErrorKind::InvalidInput, "an argument can't be passed on"))?;
        Ok(Self {
            application: wide(application.as_os_str()),
            command_line: wide(line.as_ref()),
            environment: environment_block(environment),
            directory: wide(plain(directory).as_os_str()),
        })
    }

    /// Starts it in the job, with the token's rights and without a window.
    pub(super) fn start(&self, standard: &Standard, job: &Job, token: &OwnedHandle) -> io::Result<ProcessHandle> {
        let jobs = [job.as_handle().as_raw_handle()];
        let mut handles = [ptr::null_mut(); 3];
        let mut attributes = Attributes::new(2)?;
        attributes.set(PROC_THREAD_ATTRIBUTE_JOB_LIST, jobs.as_ptr().cast(), size_of_val(&jobs))?;
        let mut startup = STARTUPINFOEXW {
            StartupInfo: STARTUPINFOW {
                cb: size_of::<STARTUPINFOEXW>() as u32,
                // None are those of its terminal; without the flag they would be this process's.
                dwFlags: STARTF_USESTDHANDLES,
                ..Default::default()
            },
            lpAttributeList: attributes.list(),
        };
        let mut flags = CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | CREATE_NEW_PROCESS_GROUP;
        match standard {
            Standard::Three(three) => {
                for (place, handle) in handles.iter_mut().zip(three) {
                    *place = inheritable(handle)?;
                }
                attributes.set(PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.as_ptr().cast(), size_of_val(&handles))?;
                let info = &mut startup.StartupInfo;
                [info.hStdInput, info.hStdOutput, info.hStdError] = handles;
                flags |= CREATE_NO_WINDOW;
            }
            // This one is the value itself, not a place that holds it.
            Standard::Console(console) => {
                let value = console.handle() as *const c_void;
                attributes.set(PROC_THREAD_ATTRIBUTE_PSEUDOCONSOLE, value, size_of_val(&console.handle()))?;
            }
        }
        let mut line = self.command_line.clone();
        let mut started = PROCESS_INFORMATION::default();
        // SAFETY: all texts end with NUL, the environment with two, and outlive the call; the command line may be written
        // to and is a copy; the structure is as long as it says; what the attributes name is open and outlives it.
        done(unsafe {
            CreateProcessAsUserW(
                token.as_raw_handle(),
                self.application.as_ptr(),
                line.as_mut_ptr(),
                ptr::null(),
                ptr::null(),
                i32::from(matches!(standard, Standard::Three(_))),
                flags,
                self.environment.as_ptr().cast(),
                self.directory.as_ptr(),
                (&raw const startup).cast(),
                &mut started,
            )
        })?;
        // SAFETY: both handles are open, and known here alone.
        let (process, _thread) =
            unsafe { (OwnedHandle::from_raw_handle(started.hProcess), OwnedHandle::from_raw_handle(started.hThread)) };
        Ok(ProcessHandle(process))
    }
}

/// Dropping it does nothing to it.
pub(super) struct ProcessHandle(OwnedHandle);

impl ProcessHandle {
    pub(super) fn number(&self) -> u32 {
        // SAFETY: the handle is open.
        unsafe { GetProcessId(self.0.as_raw_handle()) }
    }

    /// The exit code, once it has ended.
    pub(super) fn wait(&self) -> io::Result<i32> {
        // SAFETY: the handle is open.
        if unsafe { WaitForSingleObject(self.0.as_raw_handle(), INFINITE) } != WAIT_OBJECT_0 {
            return Err(io::Error::last_os_error());
        }
        let mut code = 0;
        // SAFETY: the handle is open, and the place for the code is ours.
        done(unsafe { GetExitCodeProcess(self.0.as_raw_handle(), &mut code) })?;
        Ok(code.cast_signed())
    }
}

/// The further attributes that a program is started with; what is named in them has to outlive this.
struct Attributes(Vec<usize>);

impl Attributes {
    fn new(count: u32) -> io::Result<Self> {
        let mut bytes = 0;
        // SAFETY: without a place nothing is written but the length; so it fails, as it should.
        unsafe { InitializeProcThreadAttributeList(ptr::null_mut(), count, 0, &mut bytes) };
        let mut buffer = vec![0; bytes.div_ceil(size_of::<usize>())];
        // SAFETY: the buffer has the length that was asked for.
        done(unsafe { InitializeProcThreadAttributeList(buffer.as_mut_ptr().cast(), count, 0, &mut bytes) })?;
        Ok(Self(buffer))
    }

    fn list(&mut self) -> LPPROC_THREAD_ATTRIBUTE_LIST {
        self.0.as_mut_ptr().cast()
    }

    fn set(&mut self, attribute: u32, value: *const c_void, bytes: usize) -> io::Result<()> {
        // SAFETY: the list was made above with room for it; the value is only remembered.
        done(unsafe {
            let none = ptr::null_mut();
            UpdateProcThreadAttribute(self.list(), 0, attribute as usize, value, bytes, none, ptr::null())
        })
    }
}

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the list was made in `new`.
        unsafe { DeleteProcThreadAttributeList(self.list()) };
    }
}

fn inheritable(handle: &OwnedHandle) -> io::Result<RawHandle> {
    // SAFETY: the handle is open.
    done(unsafe { SetHandleInformation(handle.as_raw_handle(), HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT) })?;
    Ok(handle.as_raw_handle())
}

/// Never in the working folder, unless its path says so: a project could put anything there.
fn find(program: &str, directory: &Path, environment: &[(String, String)]) -> Option<PathBuf> {
    if program.contains(['/', '\\', ':']) {
        return with_extension(&directory.join(program));
    }
    let path = environment.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
    let folders = path.into_iter().flat_map(|(_, folders)| std::env::split_paths(folders));
    let folders = folders.filter(|folder| folder.is_absolute()).chain(system_folder().ok());
    folders.filter_map(|folder| with_extension(&folder.join(program))).next()
}

fn with_extension(path: &Path) -> Option<PathBuf> {
    // A link that only starting a program understands is as good as a program.
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| !found.is_dir());
    if EXTENSIONS.iter().any(|extension| has_extension(path, extension)) {
        return Some(path.to_owned()).filter(is_there);
    }
    EXTENSIONS.iter().map(|extension| path.with_added_extension(extension)).find(is_there)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

pub(super) fn system_folder() -> io::Result<PathBuf> {
    let mut buffer = [0; MAX_PLAIN_PATH];
    // SAFETY: the buffer is as long as is said.
    let length = unsafe { GetSystemDirectoryW(buffer.as_mut_ptr(), buffer.len() as u32) } as usize;
    let name = buffer.get(..length).filter(|name| !name.is_empty()).ok_or_else(io::Error::last_os_error)?;
    Ok(PathBuf::from(String::from_utf16(name).map_err(io::Error::other)?))
}

/// Returns the path without `\\?\`, which many programs can't have as their folder, unless it is too long without.
fn plain(path: &Path) -> PathBuf {
    let shorter = path.to_str().and_then(|text| {
        let rest = text.strip_prefix(r"\\?\")?;
        rest.strip_prefix(r"UNC\").map(|share| format!(r"\\{share}")).or_else(|| Some(rest.to_owned()))
    });
    match shorter {
        Some(shorter) if shorter.len() < MAX_PLAIN_PATH => PathBuf::from(shorter),
        _ => path.to_owned(),
    }
}

fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// Sorted by name without case, as Windows looks them up; of two that differ in case the last counts. What contains NUL is
/// left out.
fn environment_block(environment: &[(String, String)]) -> Vec<u16> {
    let whole = environment.iter().filter(|(name, value)| !name.contains('\0') && !value.contains('\0'));
    let sorted: std::collections::BTreeMap<_, _> =
        whole.map(|(name, value)| (name.to_uppercase(), format!("{name}={value}"))).collect();
    let mut block: Vec<u16> = sorted.values().flat_map(|variable| wide(variable.as_ref())).collect();
    // Also of none there are two.
    block.extend(if sorted.is_empty() { vec![0, 0] } else { vec![0] });
    block
}
