//! Pictures of the screen, and the reviewed ones that views are compared with.
//!
//! A reference is the picture at an eighth of its size, in `tests/desktop/references`. Times, paths and fonts differ a
//! little from run to run; a part that is missing, elsewhere or in another colour differs much more. With
//! `ARKI_ACCEPT_PICTURES=1` a run writes its references anew: look at them before you commit them. Words are as wide as
//! their font makes them, so where the fonts are others than those of the references, nothing is compared.

use crate::harness::desk::FONTS as FONTS_CONFIGURATION;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::Command;

/// In the folder of the references: what `fonts` said where they were made.
const FONTS: &str = "fonts.txt";
/// Pixels of the picture that are one of the reference's, along each side.
const REDUCED: usize = 8;
/// From here on a channel of a pixel counts as another colour.
const OTHER: u8 = 32;
/// The share of pixels that may be of another colour.
const TOLERANCE: f64 = 0.03;

/// In pixels of the picture.
#[derive(Clone, Copy)]
pub(crate) struct Rect {
    pub(crate) left: usize,
    pub(crate) top: usize,
    pub(crate) right: usize,
    pub(crate) bottom: usize,
}

pub(crate) struct Picture {
    width: usize,
    height: usize,
    /// Three bytes a pixel, line by line.
    rgb: Vec<u8>,
}

impl Picture {
    pub(crate) fn new(width: usize, height: usize, rgb: Vec<u8>) -> Self {
        assert_eq!(rgb.len(), width * height * 3);
        Self { width, height, rgb }
    }

    /// Its upper left part, where it is larger than that.
    pub(crate) fn cut(&self, width: usize, height: usize) -> Self {
        let (width, height) = (width.min(self.width), height.min(self.height));
        let lines = self.rgb.chunks_exact(self.width * 3).take(height);
        Self::new(width, height, lines.flat_map(|line| &line[..width * 3]).copied().collect())
    }

    /// Looks for a pixel of such a colour (red, green, blue) within the rectangle.
    pub(crate) fn has(&self, within: Rect, is_it: impl Fn([u8; 3]) -> bool) -> bool {
        let Rect { left, top, right, bottom } = within;
        let lines = self.rgb.chunks_exact(self.width * 3).take(bottom).skip(top);
        let pixels = lines.flat_map(|line| line.chunks_exact(3).take(right).skip(left));
        pixels.into_iter().any(|pixel| is_it([pixel[0], pixel[1], pixel[2]]))
    }

    pub(crate) fn write(&self, file: &Path) {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let (width, height) = (u32::try_from(self.width).unwrap(), u32::try_from(self.height).unwrap());
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(file).unwrap()), width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(&self.rgb).unwrap();
    }

    pub(crate) fn read(file: &Path) -> Option<Self> {
        let mut reader = png::Decoder::new(BufReader::new(File::open(file).ok()?)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let seen = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(seen.color_type, png::ColorType::Rgb, "{}", file.display());
        Some(Self::new(seen.width as usize, seen.height as usize, rgb))
    }

    fn reduced(&self) -> Self {
        let (width, height) = (self.width / REDUCED, self.height / REDUCED);
        let mean = |x: usize, y: usize, channel: usize| {
            let inside = (0..REDUCED).flat_map(|down| (0..REDUCED).map(move |right| (down, right)));
            let of = |(down, right)| ((y * REDUCED + down) * self.width + x * REDUCED + right) * 3 + channel;
            let sum: usize = inside.map(|at| usize::from(self.rgb[of(at)])).sum();
            u8::try_from(sum / (REDUCED * REDUCED)).unwrap()
        };
        let rgb = (0..height * width * 3).map(|at| mean(at / 3 % width, at / 3 / width, at % 3)).collect();
        Self::new(width, height, rgb)
    }

    /// Whether both show the same, but for a word or a caret.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        self.reduced().difference(&other.reduced()) <= TOLERANCE
    }

    /// The share of pixels that are of another colour.
    fn difference(&self, other: &Self) -> f64 {
        if (self.width, self.height) != (other.width, other.height) {
            return 1.0;
        }
        let pairs = self.rgb.chunks_exact(3).zip(other.rgb.chunks_exact(3));
        let differs = |(one, two): &(&[u8], &[u8])| one.iter().zip(*two).any(|(a, b)| a.abs_diff(*b) >= OTHER);
        pairs.filter(differs).count() as f64 / (self.width * self.height) as f64
    }

    /// Compares it with the reference of this name, and says how it differs. Nothing is compared where the fonts are
    /// others; a run that accepts pictures makes the reference instead.
    pub(crate) fn compared_with(&self, name: &str) -> Result<(), String> {
        let file = references().join(format!("{name}.png"));
        let seen = self.reduced();
        if accepts() {
            std::fs::write(references().join(FONTS), fonts()).unwrap();
            seen.write(&file);
            return Ok(());
        }
        if !has_their_fonts(name) {
            return Ok(());
        }
        let reference = Self::read(&file)
            .ok_or_else(|| format!("{name} has no reference; with ARKI_ACCEPT_PICTURES=1 this run makes it"))?;
        seen.agrees(&reference, name)
    }

    /// The same for a picture in the documentation, which is whole.
    pub(crate) fn compared_with_document(&self, file: &Path) -> Result<(), String> {
        let name = file.display().to_string();
        if accepts() {
            self.write(file);
            return Ok(());
        }
        if !has_their_fonts(&name) {
            return Ok(());
        }
        let shown = Self::read(file).ok_or_else(|| format!("{name} is missing"))?;
        self.reduced().agrees(&shown.reduced(), &name)
    }

    fn agrees(&self, reference: &Self, name: &str) -> Result<(), String> {
        let difference = self.difference(reference);
        if difference <= TOLERANCE {
            return Ok(());
        }
        let share = difference * 100.0;
        let place = "target/desktop-screenshots";
        Err(format!("{name} looks different from its reference: {share:.1} % of it, in {place}"))
    }
}

fn accepts() -> bool {
    std::env::var_os("ARKI_ACCEPT_PICTURES").is_some()
}

#[expect(clippy::print_stderr, reason = "whoever runs the tests should know what wasn't compared")]
fn has_their_fonts(name: &str) -> bool {
    let [seen_in, made_in] = [fonts(), std::fs::read_to_string(references().join(FONTS)).unwrap()];
    if seen_in != made_in {
        eprintln!("{name} is not compared: the fonts here are {seen_in:?}");
    }
    seen_in == made_in
}

/// The fonts that the window's two kinds of text are drawn in, as fontconfig says; empty where nobody can say it.
fn fonts() -> String {
    let named = |kind: &str| {
        let mut asked = Command::new("fc-match");
        asked.args(["--format", "%{family}\n", kind]).env("FONTCONFIG_FILE", FONTS_CONFIGURATION).output()
    };
    let told = ["system-ui", "monospace"].map(|kind| named(kind).map(|done| done.stdout).unwrap_or_default());
    String::from_utf8_lossy(&told.concat()).into_owned()
}

fn references() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("desktop/references")
}

#[test]
fn what_is_missing_from_a_view_is_noticed_and_another_word_is_not() {
    let (width, height) = (180 * REDUCED, 112 * REDUCED);
    let blank = Picture::new(width, height, vec![250; width * height * 3]);
    let with = |lines: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        let mut picture = Picture::new(width, height, blank.rgb.clone());
        for (y, x) in lines.flat_map(|y| columns.clone().map(move |x| (y, x))) {
            picture.rgb[(y * width + x) * 3..][..3].copy_from_slice(&[30, 30, 30]);
        }
        picture.reduced()
    };
    let blank = blank.reduced();
    assert!(blank.difference(&with(100..112, 100..180)) <= TOLERANCE, "a word");
    assert!(blank.difference(&with(60..300, 400..560)) > TOLERANCE, "a pane");
    assert!((blank.difference(&Picture::new(1, 1, vec![0; 3])) - 1.0).abs() < f64::EPSILON);
}
