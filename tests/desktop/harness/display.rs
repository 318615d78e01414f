//! A display of its own, and pictures of what is on it.

use crate::harness::picture::Picture;
use crate::harness::process::Process;
use crate::harness::waiting::wait_until;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ClientMessageEvent, ConnectionExt as _, EventMask, InputFocus, MapState};
use x11rb::wrapper::ConnectionExt as _;

/// How large a screen is.
#[derive(Clone, Copy)]
pub(crate) enum Screen {
    /// As large as the window is at first: it fills the screen.
    Usual,
    Large,
    /// Room for the window where each of its pixels is nine.
    Dense,
}

impl Screen {
    /// As the display's program wants it: both sides, and the bits of a pixel.
    const fn size(self) -> &'static str {
        match self {
            Self::Usual => "1440x900x24",
            Self::Large => "2560x1440x24",
            Self::Dense => "4320x2700x24",
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
        let (server, _) = x11rb::connect(Some(&self.name)).unwrap();
        server.set_input_focus(InputFocus::NONE, x11rb::NONE, x11rb::CURRENT_TIME).unwrap();
        server.sync().unwrap();
    }

    /// Asks every window to close, as a window manager does for its user.
    pub(crate) fn close_windows(&self) {
        let (server, screen) = x11rb::connect(Some(&self.name)).unwrap();
        let atom = |name: &str| server.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom;
        let (protocols, close) = (atom("WM_PROTOCOLS"), atom("WM_DELETE_WINDOW"));
        for window in server.query_tree(server.setup().roots[screen].root).unwrap().reply().unwrap().children {
            let attributes = server.get_window_attributes(window).unwrap().reply().unwrap();
            if attributes.map_state == MapState::VIEWABLE && !attributes.override_redirect {
                let message = ClientMessageEvent::new(32, window, protocols, [close, x11rb::CURRENT_TIME, 0, 0, 0]);
                server.send_event(false, window, EventMask::NO_EVENT, message).unwrap();
            }
        }
        server.sync().unwrap();
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
