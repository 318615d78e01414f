//! A display of its own, and pictures of what is on it.

use crate::harness::picture::Picture;
use crate::harness::process::Process;
use crate::harness::waiting::wait_until;
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How large a screen is.
#[derive(Clone, Copy)]
pub(crate) enum Screen {
    /// As large as the window is at first: it fills the screen.
    Usual,
    Large,
}

impl Screen {
    /// As the display's program wants it: both sides, and the bits of a pixel.
    const fn size(self) -> &'static str {
        match self {
            Self::Usual => "1440x900x24",
            Self::Large => "1920x1080x24",
        }
    }
}

pub(crate) struct Display {
    _server: Process,
    /// Such as `:7`.
    pub(crate) name: String,
    memory: PathBuf,
}

impl Display {
    /// `folder` holds the screen's memory.
    pub(crate) fn start(folder: &Path, screen: Screen) -> Self {
        let (server, number) = Process::start_and_read(
            Command::new("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", screen.size(), "-nolisten", "tcp", "-noreset", "-nocursor"])
                .arg("-fbdir")
                .arg(folder)
                .stdin(Stdio::null())
                .stderr(Stdio::null()),
        );
        Self { _server: server, name: format!(":{}", number.trim()), memory: folder.join("Xvfb_screen0") }
    }

    /// Takes the keyboard's focus from every window, as another program does that comes to the front.
    pub(crate) fn take_focus(&self) {
        // <https://www.x.org/releases/X11R7.7/doc/xproto/x11protocol.html>: little-endian, version 11.0, no password.
        let number = self.name.trim_start_matches(':');
        let mut server = UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).unwrap();
        server.write_all(&[b'l', 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        let mut head = [0; 8];
        server.read_exact(&mut head).unwrap();
        assert_eq!(head[0], 1, "the display refused a client");
        let words = u16::from_le_bytes([head[6], head[7]]);
        server.read_exact(&mut vec![0; usize::from(words) * 4]).unwrap();
        // SetInputFocus to no window, at the current time; then GetInputFocus, whose answer comes after it is done.
        server.write_all(&[42, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 43, 0, 1, 0]).unwrap();
        server.read_exact(&mut [0; 32]).unwrap();
    }

    /// What can be seen, once it stands still.
    pub(crate) fn picture(&self) -> Picture {
        let mut seen = Vec::new();
        wait_until("a screen that stands still", || {
            let before = std::mem::replace(&mut seen, std::fs::read(&self.memory).unwrap());
            before == seen
        });
        pixels(&seen)
    }
}

/// The screen's memory is an X window dump: numbers of 32 bits that say how the pixels lie, then colours, then pixels.
fn pixels(dump: &[u8]) -> Picture {
    let number = |at: usize| u32::from_be_bytes(dump[at * 4..][..4].try_into().unwrap()) as usize;
    let [header, width, height, line, colors] = [0, 4, 5, 12, 19].map(number);
    let lines = dump[header + colors * 12..].chunks_exact(line).take(height);
    let rgb = |pixel: &[u8]| [pixel[2], pixel[1], pixel[0]];
    Picture::new(width, height, lines.flat_map(|line| line.chunks_exact(4).take(width).flat_map(rgb)).collect())
}
