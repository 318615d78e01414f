//! Programs that a test starts and that end with it, whatever happens.

use crate::harness::waiting::PATIENCE;
use rustix::process::{Pid, Signal, kill_process_group};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;

/// In a group of its own, so that what it has started ends with it.
pub(crate) struct Process {
    child: Child,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let child = command.process_group(0).spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self { child }
    }

    /// Also hands back the first line that the program prints.
    pub(crate) fn start_and_read(command: &mut Command) -> (Self, String) {
        let mut process = Self::start(command.stdout(Stdio::piped()));
        let output = process.child.stdout.take().unwrap();
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = BufReader::new(output).lines().map_while(Result::ok);
            let _ = sender.send(lines.next());
            // Read on, so that the program never waits for a reader.
            lines.for_each(drop);
        });
        let line = receiver.recv_timeout(PATIENCE).ok().flatten();
        (process, line.unwrap_or_else(|| panic!("{command:?} said nothing")))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(Some(group)) = i32::try_from(self.child.id()).map(Pid::from_raw) {
            // Nobody is left to be asked politely: all that it had is thrown away too.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}
