//! The text of a page, put together from characters and their places.

use hayro_font::kurbo::{Affine, Point, Vec2};
use std::collections::VecDeque;

/// Parts of a font's size: a wider gap than the first is a space and than the second a column's, a larger step aside is
/// another line, and one larger still another paragraph.
const SPACE: f64 = 0.17;
const COLUMN: f64 = 1.5;
const LINE: f64 = 0.5;
const PARAGRAPH: f64 = 1.9;
/// Text that is drawn again this close is one text, drawn bold.
const SAME: f64 = 0.1;
/// The runs after which one isn't drawn again to be bold.
const MAX_RUNS: usize = 64;

/// The text of a page in the order in which it is drawn, which is that of reading in all but odd documents.
#[derive(Default)]
pub(crate) struct PageLines {
    pub(crate) text: String,
    pub(crate) room: usize,
    last: Option<PlacedGlyph>,
    /// The first glyphs of the last runs.
    runs: VecDeque<PlacedGlyph>,
}

#[derive(Clone, Copy)]
pub(crate) struct PlacedGlyph {
    code: u32,
    start: Point,
    end: Point,
    /// The direction in which it is read, of length 1.
    along: Vec2,
    /// The size of its font, in the units of the page.
    size: f64,
}

impl PlacedGlyph {
    /// Returns the glyph that stands at the origin of `place`, which is as large as its font, and is so wide.
    pub(crate) fn new(code: u32, place: Affine, advance: Vec2) -> Self {
        let at = |step: Vec2| place * step.to_point();
        let (start, end) = (at(Vec2::ZERO), at(advance));
        let size = (at(Vec2::new(0.0, 1.0)) - start).hypot();
        let along = if advance.x == 0.0 && advance.y < 0.0 { Vec2::new(0.0, -1.0) } else { Vec2::new(1.0, 0.0) };
        let along = at(along) - start;
        let along = if along.hypot() > 0.0 { along.normalize() } else { Vec2::new(1.0, 0.0) };
        Self { code, start, end, along, size }
    }

    fn is_again(&self, other: &Self) -> bool {
        self.code == other.code && (self.start - other.start).hypot() < SAME * self.size
    }

    /// Returns what stands between this glyph and the next.
    fn gap_to(&self, next: &Self) -> &'static str {
        let step = next.start - self.end;
        let (ahead, aside) = (step.dot(self.along), step.cross(self.along).abs());
        let size = self.size.max(next.size);
        let is_same_line = aside <= LINE * size && ahead >= -size && self.along.dot(next.along) > 0.9;
        match (is_same_line, ahead, aside) {
            (true, ahead, _) if ahead > COLUMN * size => "\t",
            (true, ahead, _) if ahead > SPACE * size => " ",
            (true, ..) => "",
            (false, _, aside) if aside > PARAGRAPH * size => "\n\n",
            (false, ..) => "\n",
        }
    }
}

impl PageLines {
    pub(crate) fn within(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    /// Returns whether a run with this first glyph is to be added: one that is drawn again, to be bold, is not.
    pub(crate) fn begin_run(&mut self, first: PlacedGlyph) -> bool {
        let is_again = self.runs.iter().any(|known| known.is_again(&first));
        if self.runs.len() >= MAX_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(first);
        !is_again
    }

    pub(crate) fn push(&mut self, text: &str, glyph: PlacedGlyph) {
        let gap = self.last.map_or("", |last| last.gap_to(&glyph));
        let is_apart = self.text.ends_with(char::is_whitespace) || text.starts_with(char::is_whitespace);
        self.last = Some(glyph);
        if gap.starts_with('\n') {
            self.text.truncate(self.text.trim_end().len());
            self.text.push_str(gap);
        } else if !is_apart {
            self.text.push_str(gap);
        }
        if self.text.len() < self.room {
            self.text.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
        }
    }
}
