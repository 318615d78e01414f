//! PDF: of what a page draws, only its text is followed, from one place to the next.

use crate::answer::DocumentError;
use crate::page_lines::{PageLines, PlacedGlyph};
use crate::paged_text::{PageWords, PagedText};
use hayro_font::hayro_cmap::{self, BfString};
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::{self, TypedInstruction};
use hayro_font::hayro_syntax::object::dict::keys;
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Object, Stream};
use hayro_font::hayro_syntax::page::{Page, Resources};
use hayro_font::hayro_syntax::{LoadPdfError, Pdf};
use hayro_font::kurbo::{Affine, Vec2};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont, UNITS_PER_EM};
use std::sync::Arc;

const PDF: PageWords = PageWords { kind: "a PDF", page: "page" };
/// Forms within forms, and states that are kept for later.
const MAX_DEPTH: usize = 40;
const MAX_STATES: usize = 512;
const SPACE: u32 = 32;

pub(crate) fn read(bytes: Vec<u8>, pages: &mut PagedText) -> Result<(), DocumentError> {
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(_) => DocumentError::Encrypted,
        LoadPdfError::Invalid => DocumentError::Broken,
    })?;
    let fonts = Fonts::default();
    pages.begin(PDF, pdf.pages().len());
    for page in pdf.pages().iter() {
        if !pages.has_time() {
            break;
        }
        let mut lines = PageLines::within(pages.room() + 1);
        PageText { fonts: &fonts, lines: &mut lines }.follow_page(page);
        pages.add(None, &lines.text);
    }
    Ok(())
}

/// The document's fonts, and those that every reader has.
struct Fonts<'a> {
    cache: FontCache<'a>,
    programs: FontResolverFn,
    encodings: CMapResolverFn,
}

impl Default for Fonts<'_> {
    fn default() -> Self {
        let program = |query: &FontQuery| match query {
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(font) => Some(font.pick_standard_font().get_font_data()),
        };
        Self { cache: FontCache::new(), programs: Arc::new(program), encodings: Arc::new(hayro_cmap::load_embedded) }
    }
}

/// The state of text, as far as it says where a character stands.
#[derive(Clone)]
struct TextState<'a> {
    /// From here to the page.
    transform: Affine,
    font: Option<Font<'a>>,
    size: f64,
    letter_space: f64,
    word_space: f64,
    scaling: f64,
    leading: f64,
    rise: f64,
    /// Where the next character and where the line begin.
    next: Affine,
    line: Affine,
}

impl TextState<'_> {
    fn at(transform: Affine) -> Self {
        let (letter_space, word_space, leading, rise) = (0.0, 0.0, 0.0, 0.0);
        let (next, line) = (Affine::IDENTITY, Affine::IDENTITY);
        let (font, size, scaling) = (None, 1.0, 1.0);
        Self { transform, font, size, letter_space, word_space, scaling, leading, rise, next, line }
    }

    fn move_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.next = self.line;
    }

    fn place(&self) -> Affine {
        let font = Affine::new([self.size * self.scaling, 0.0, 0.0, self.size, 0.0, self.rise]);
        self.transform * self.next * font
    }

    /// Moves by a part of the font's size, and by `space`.
    fn advance(&mut self, step: Vec2, space: f64) {
        let is_vertical = self.font.as_ref().is_some_and(|font| !font.is_horizontal());
        let step = match is_vertical {
            true => Vec2::new(0.0, step.y * self.size + space),
            false => Vec2::new((step.x * self.size + space) * self.scaling, 0.0),
        };
        self.next *= Affine::translate(step);
    }
}

struct PageText<'a, 'w> {
    fonts: &'w Fonts<'a>,
    lines: &'w mut PageLines,
}

impl<'a> PageText<'a, '_> {
    /// The page itself, then what stands in its forms' fields and notes.
    fn follow_page(&mut self, page: &Page<'a>) {
        self.follow(page.typed_operations(), page.resources(), Affine::IDENTITY, 0);
        for note in page.raw().get::<Array<'_>>(keys::ANNOTS).iter().flat_map(|notes| notes.iter::<Dict<'a>>()) {
            let look = note.get::<Dict<'a>>(keys::AP).and_then(|looks| looks.get::<Stream<'a>>(keys::N));
            let place = note.get::<[f64; 4]>(keys::RECT).unwrap_or_default();
            if let Some(look) = look {
                self.follow_form(&look, page.resources(), Affine::translate((place[0], place[1])), 0);
            }
        }
    }

    fn follow_form(&mut self, form: &Stream<'a>, around: &Resources<'a>, transform: Affine, depth: usize) {
        let is_form = form.dict().get::<Name<'_>>(keys::SUBTYPE).is_some_and(|kind| &*kind == keys::FORM);
        let (true, true, Ok(content)) = (is_form, depth < MAX_DEPTH, form.decoded_data()) else { return };
        let own = form.dict().get::<Dict<'a>>(keys::RESOURCES).map(Resources::new);
        let matrix = form.dict().get::<[f64; 6]>(keys::MATRIX).map_or(Affine::IDENTITY, Affine::new);
        self.follow(TypedIter::new(&content), own.as_ref().unwrap_or(around), transform * matrix, depth + 1);
    }

    fn follow(&mut self, mut steps: TypedIter<'_>, resources: &Resources<'a>, transform: Affine, depth: usize) {
        let mut state = TextState::at(transform);
        let mut kept = Vec::new();
        while let Some(step) = steps.next() {
            match step {
                TypedInstruction::SaveState(_) if kept.len() < MAX_STATES => kept.push(state.clone()),
                TypedInstruction::RestoreState(_) => state = kept.pop().unwrap_or(state),
                TypedInstruction::Transform(ops::Transform(a, b, c, d, e, f)) => {
                    state.transform *= Affine::new([a, b, c, d, e, f].map(|number| number.as_f64()));
                }
                TypedInstruction::XObject(name) => {
                    if let Some(form) = resources.get_x_object(name.0) {
                        self.follow_form(&form, resources, state.transform, depth);
                    }
                }
                TypedInstruction::TextFont(font) => {
                    state.font = resources.get_font(font.0).and_then(|font| self.font(&font));
                    state.size = font.1.as_f64();
                }
                step => self.follow_text(step, &mut state),
            }
            if self.lines.text.len() >= self.lines.room {
                return;
            }
        }
    }

    fn font(&self, font: &Dict<'a>) -> Option<Font<'a>> {
        self.fonts.cache.font(font, &self.fonts.programs, &self.fonts.encodings)
    }

    fn follow_text(&mut self, step: TypedInstruction<'_, '_>, state: &mut TextState<'a>) {
        match step {
            TypedInstruction::BeginText(_) => (state.next, state.line) = (Affine::IDENTITY, Affine::IDENTITY),
            TypedInstruction::SetTextMatrix(ops::SetTextMatrix(a, b, c, d, e, f)) => {
                state.line = Affine::new([a, b, c, d, e, f].map(|number| number.as_f64()));
                state.next = state.line;
            }
            TypedInstruction::CharacterSpacing(space) => state.letter_space = space.0.as_f64(),
            TypedInstruction::WordSpacing(space) => state.word_space = space.0.as_f64(),
            TypedInstruction::HorizontalScaling(scaling) => state.scaling = scaling.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(leading) => state.leading = leading.0.as_f64(),
            TypedInstruction::TextRise(rise) => state.rise = rise.0.as_f64(),
            TypedInstruction::NextLine(step) => state.move_line(step.0.as_f64(), step.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(step) => {
                state.leading = -step.1.as_f64();
                state.move_line(step.0.as_f64(), step.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => state.move_line(0.0, -state.leading),
            TypedInstruction::ShowText(text) => self.show(text.0.as_bytes(), state),
            TypedInstruction::NextLineAndShowText(text) => {
                state.move_line(0.0, -state.leading);
                self.show(text.0.as_bytes(), state);
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                (state.word_space, state.letter_space) = (text.0.as_f64(), text.1.as_f64());
                state.move_line(0.0, -state.leading);
                self.show(text.2.as_bytes(), state);
            }
            TypedInstruction::ShowTexts(parts) => self.show_parts(parts.0, state),
            _ => {}
        }
    }

    /// Shows texts, and between them moves back by the numbers.
    fn show_parts(&mut self, parts: &Array<'_>, state: &mut TextState<'a>) {
        for part in parts.iter::<Object<'_>>() {
            match part {
                Object::Number(back) => {
                    let step = -back.as_f64() / f64::from(UNITS_PER_EM);
                    state.advance(Vec2::new(step, step), 0.0);
                }
                Object::String(text) => self.show(text.as_bytes(), state),
                _ => {}
            }
        }
    }

    fn show(&mut self, codes: &[u8], state: &mut TextState<'a>) {
        let standard = || self.fonts.cache.standard_font(StandardFont::Helvetica, &self.fonts.programs);
        let Some(font) = state.font.clone().or_else(standard) else { return };
        let (mut at, mut is_shown) = (0, true);
        while at < codes.len() {
            let (code, length) = font.read_code(codes, at);
            let advance = font.code_advance(code) / f64::from(UNITS_PER_EM);
            let glyph = PlacedGlyph::new(code, state.place(), advance);
            if at == 0 {
                is_shown = self.lines.begin_run(glyph);
            }
            if is_shown {
                let letters = match font.glyph(font.map_code(code), code) {
                    FontGlyph::Outline(outline) => outline.as_unicode(),
                    FontGlyph::Type3(drawn) => drawn.as_unicode(),
                };
                match letters {
                    Some(BfString::Char(letter)) => self.lines.push(letter.encode_utf8(&mut [0; 4]), glyph),
                    Some(BfString::String(letters)) => self.lines.push(&letters, glyph),
                    None => self.lines.push("\u{fffd}", glyph),
                }
            }
            let is_space = code == SPACE && length == 1;
            state.advance(advance, state.letter_space + if is_space { state.word_space } else { 0.0 });
            at += length.max(1);
        }
    }
}
