//! A display of its own, and pictures of what is on it.

use crate::harness::process::Process;
use crate::harness::waiting::wait_until;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The size of the window: it fills the screen.
const SCREEN: &str = "1440x900x24";

pub(crate) struct Display {
    _server: Process,
    /// Such as `:7`.
    pub(crate) name: String,
    memory: PathBuf,
}

impl Display {
    /// `folder` holds the screen's memory.
    pub(crate) fn start(folder: &Path) -> Self {
        let (server, number) = Process::start_and_read(
            Command::new("Xvfb")
                .args(["-displayfd", "1", "-screen", "0", SCREEN, "-nolisten", "tcp", "-noreset", "-nocursor"])
                .arg("-fbdir")
                .arg(folder)
                .stdin(Stdio::null())
                .stderr(Stdio::null()),
        );
        Self { _server: server, name: format!(":{}", number.trim()), memory: folder.join("Xvfb_screen0") }
    }

    /// Writes what can be seen, once it stands still.
    pub(crate) fn picture(&self, file: &Path) {
        let mut seen = Vec::new();
        wait_until("a screen that stands still", || {
            let before = std::mem::replace(&mut seen, std::fs::read(&self.memory).unwrap());
            before == seen
        });
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        write_png(&seen, file);
    }
}

/// The screen's memory is an X window dump: numbers of 32 bits that say how the pixels lie, then colours, then pixels.
fn write_png(dump: &[u8], file: &Path) {
    let number = |at: usize| u32::from_be_bytes(dump[at * 4..][..4].try_into().unwrap());
    let [header, width, height, line, colors] = [0, 4, 5, 12, 19].map(number);
    let pixels = &dump[header as usize + colors as usize * 12..];
    let lines = pixels.chunks_exact(line as usize).take(height as usize);
    let rgb = |pixel: &[u8]| [pixel[2], pixel[1], pixel[0]];
    let bytes: Vec<u8> = lines.flat_map(|line| line.chunks_exact(4).take(width as usize).flat_map(rgb)).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(file).unwrap()), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
}
