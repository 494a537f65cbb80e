//! PDF: the text that the pages show, in the order in which they show it.
//!
//! The parser gives the objects and the fonts; what a page does is followed here as far as it moves
//! and shows text. Work is bounded by counts, so that a file is read, or not, whatever the machine.

use std::sync::Arc;

use hayro_font::hayro_cmap::BfString;
use hayro_font::kurbo::{Affine, Point, Vec2};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction as Do;
use hayro_syntax::object::dict::keys::{CONTENTS, MATRIX, RESOURCES, SUBTYPE};
use hayro_syntax::object::{Name, Object};
use hayro_syntax::page::Resources;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use memchr::memmem;

use super::pdf_layout::{Layout, Shown};

const MAX_PAGES: usize = 50_000;
/// Operators and characters of all pages together.
const MAX_STEPS: u64 = 100_000_000;
/// What drawing a form counts for, beside what it does: its resources are read and its content is
/// unpacked each time.
const FORM_STEPS: u64 = 500;
/// Forms drawn within forms, and states saved one upon the other.
const MAX_FORMS: usize = 20;
const MAX_STATES: usize = 1000;
/// The end mark stands among so many last bytes.
const END_BYTES: usize = 4096;

/// The text of a PDF.
///
/// # Errors
/// The reason why there is none, in words.
pub(crate) fn text(bytes: Vec<u8>, max_bytes: usize) -> Result<String, String> {
    // The parser mends what is broken; of a file that was cut off it would give some of the pages.
    let end = &bytes[bytes.len().saturating_sub(END_BYTES)..];
    if memmem::find(&bytes[..bytes.len().min(END_BYTES)], b"%PDF-").is_none() {
        return Err("not a PDF".into());
    }
    if memmem::find(end, b"%%EOF").is_none() {
        return Err("the PDF is cut off: its end mark is missing".into());
    }
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            "the PDF is encrypted with a password".to_owned()
        }
        LoadPdfError::Decryption(_) => "the PDF is encrypted in an unknown way".to_owned(),
        LoadPdfError::Invalid => "the PDF is damaged".to_owned(),
    })?;
    let pages = pdf.pages();
    if pages.len() > MAX_PAGES {
        return Err(format!("the PDF has more than {MAX_PAGES} pages"));
    }
    let mut reader = PageReader::new(max_bytes);
    for page in pages.iter() {
        if page.raw().contains_key(CONTENTS) && page.page_stream().is_none() {
            return Err("the PDF is damaged: a page cannot be unpacked".into());
        }
        reader.text = (Affine::IDENTITY, Affine::IDENTITY);
        reader.artifacts.clear();
        reader.follow(page.typed_operations(), page.resources(), State::default(), 0)?;
        reader.layout.end_page();
    }
    if reader.unknown * 2 > reader.known + reader.unknown {
        return Err("the fonts of the PDF do not tell which characters they show".into());
    }
    Ok(reader.layout.finish())
}

/// What is saved and restored.
#[derive(Clone)]
struct State<'a> {
    page: Affine,
    font: Option<Font<'a>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    stretch: f64,
    leading: f64,
    rise: f64,
}

impl Default for State<'_> {
    fn default() -> Self {
        Self {
            page: Affine::IDENTITY,
            font: None,
            size: 1.0,
            character_space: 0.0,
            word_space: 0.0,
            stretch: 1.0,
            leading: 0.0,
            rise: 0.0,
        }
    }
}

struct PageReader<'a> {
    fonts: FontCache<'a>,
    font_files: FontResolverFn,
    character_maps: CMapResolverFn,
    /// Where the next character goes, and where its line began.
    text: (Affine, Affine),
    /// For each marked part that is open, whether it is no content but a header or page number.
    artifacts: Vec<bool>,
    layout: Layout,
    steps: u64,
    known: u64,
    unknown: u64,
}

impl<'a> PageReader<'a> {
    fn new(max_bytes: usize) -> Self {
        Self {
            fonts: FontCache::new(),
            font_files: Arc::new(|wanted| match wanted {
                FontQuery::Standard(font) => Some(font.get_font_data()),
                FontQuery::Fallback(font) => Some(font.pick_standard_font().get_font_data()),
            }),
            character_maps: Arc::new(|_| None),
            text: (Affine::IDENTITY, Affine::IDENTITY),
            artifacts: Vec::new(),
            layout: Layout::new(max_bytes),
            steps: 0,
            known: 0,
            unknown: 0,
        }
    }

    /// Follows the operators of a page or of a form on it.
    fn follow(
        &mut self,
        mut operators: TypedIter<'_>,
        resources: &Resources<'a>,
        mut state: State<'a>,
        depth: usize,
    ) -> Result<(), String> {
        let mut saved: Vec<State<'a>> = Vec::new();
        while let Some(operator) = operators.next() {
            self.step()?;
            match operator {
                Do::SaveState(_) if saved.len() < MAX_STATES => saved.push(state.clone()),
                Do::RestoreState(_) => state = saved.pop().unwrap_or(state),
                Do::Transform(m) => {
                    state.page *= affine([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                }
                Do::BeginText(_) => self.text = (Affine::IDENTITY, Affine::IDENTITY),
                Do::SetTextMatrix(m) => {
                    let matrix = affine([m.0, m.1, m.2, m.3, m.4, m.5].map(|n| n.as_f64()));
                    self.text = (matrix, matrix);
                }
                Do::TextFont(font) => {
                    state.size = font.1.as_f64();
                    state.font = resources.get_font(font.0).and_then(|dictionary| {
                        self.fonts.font(&dictionary, &self.font_files, &self.character_maps)
                    });
                }
                Do::CharacterSpacing(space) => state.character_space = space.0.as_f64(),
                Do::WordSpacing(space) => state.word_space = space.0.as_f64(),
                Do::HorizontalScaling(percent) => state.stretch = percent.0.as_f64() / 100.0,
                Do::TextLeading(leading) => state.leading = leading.0.as_f64(),
                Do::TextRise(rise) => state.rise = rise.0.as_f64(),
                Do::NextLine(by) => self.next_line(by.0.as_f64(), by.1.as_f64()),
                Do::NextLineAndSetLeading(by) => {
                    state.leading = -by.1.as_f64();
                    self.next_line(by.0.as_f64(), by.1.as_f64());
                }
                Do::NextLineUsingLeading(_) => self.next_line(0.0, -state.leading),
                Do::ShowText(text) => self.show(text.0.as_bytes(), &state)?,
                Do::NextLineAndShowText(text) => {
                    self.next_line(0.0, -state.leading);
                    self.show(text.0.as_bytes(), &state)?;
                }
                Do::ShowTextWithParameters(text) => {
                    state.word_space = text.0.as_f64();
                    state.character_space = text.1.as_f64();
                    self.next_line(0.0, -state.leading);
                    self.show(text.2.as_bytes(), &state)?;
                }
                Do::ShowTexts(pieces) => {
                    for piece in pieces.0.iter::<Object<'_>>() {
                        match piece {
                            Object::Number(by) => {
                                self.advance(-by.as_f64() / 1000.0 * state.size, &state);
                            }
                            Object::String(text) => self.show(text.as_bytes(), &state)?,
                            _ => {}
                        }
                    }
                }
                Do::BeginMarkedContent(part) => self.begin_part(part.0),
                Do::BeginMarkedContentWithProperties(part) => self.begin_part(part.0),
                Do::EndMarkedContent(_) => drop(self.artifacts.pop()),
                Do::XObject(object) if depth < MAX_FORMS => {
                    self.draw_form(object.0, resources, &state, depth)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn draw_form(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        state: &State<'a>,
        depth: usize,
    ) -> Result<(), String> {
        let Some(stream) = resources.get_x_object(name) else { return Ok(()) };
        let dictionary = stream.dict();
        if dictionary.get::<Name<'_>>(SUBTYPE).as_deref() != Some(b"Form") {
            return Ok(());
        }
        self.steps += FORM_STEPS;
        let Ok(content) = stream.decoded_data() else { return Ok(()) };
        let own = dictionary.get(RESOURCES).map(Resources::new);
        let mut inside = state.clone();
        if let Some(matrix) = dictionary.get::<[f64; 6]>(MATRIX) {
            inside.page *= affine(matrix);
        }
        let outside = self.text;
        let operators = TypedIter::new(&content);
        self.follow(operators, own.as_ref().unwrap_or(resources), inside, depth + 1)?;
        self.text = outside;
        Ok(())
    }

    fn step(&mut self) -> Result<(), String> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err("the PDF takes more work than a document may".into());
        }
        Ok(())
    }

    fn begin_part(&mut self, tag: &Name<'_>) {
        if self.artifacts.len() < MAX_STATES {
            self.artifacts.push(&**tag == b"Artifact");
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        let start = self.text.1 * Affine::translate((x, y));
        self.text = (start, start);
    }

    /// Moves on in the direction in which the font is written.
    fn advance(&mut self, by: f64, state: &State<'_>) {
        let horizontal = state.font.as_ref().is_none_or(Font::is_horizontal);
        let by = if horizontal { Vec2::new(by * state.stretch, 0.0) } else { Vec2::new(0.0, by) };
        self.text.0 *= Affine::translate(by);
    }

    fn show(&mut self, bytes: &[u8], state: &State<'a>) -> Result<(), String> {
        let Some(font) = &state.font else {
            self.unknown += bytes.len() as u64;
            return Ok(());
        };
        let is_content = !self.artifacts.contains(&true);
        let mut place = 0;
        while place < bytes.len() {
            self.step()?;
            let (code, length) = font.read_code(bytes, place);
            place += length.max(1);
            let before = state.page * self.text.0;
            let width = font.code_advance(code);
            let width = if font.is_horizontal() { width.x } else { width.y } / 1000.0 * state.size;
            self.advance(width, state);
            let after = state.page * self.text.0;
            let space = if code == 32 && length == 1 { state.word_space } else { 0.0 };
            self.advance(state.character_space + space, state);
            if !is_content {
                continue;
            }
            let glyph = font.glyph(font.map_code(code), code);
            let characters = match &glyph {
                FontGlyph::Outline(glyph) => glyph.as_unicode(),
                FontGlyph::Type3(glyph) => glyph.as_unicode(),
            };
            let Some(characters) = characters else {
                self.unknown += 1;
                continue;
            };
            self.known += 1;
            let mut room = [0; 4];
            let characters: &str = match &characters {
                BfString::Char(character) => character.encode_utf8(&mut room),
                BfString::String(text) => text,
            };
            let rise = Point::new(0.0, state.rise);
            self.layout.show(&Shown {
                characters,
                start: before * rise,
                end: after * rise,
                size: ((before * Point::new(0.0, state.size)) - (before * Point::ZERO)).hypot(),
            })?;
        }
        Ok(())
    }
}

fn affine(numbers: [f64; 6]) -> Affine {
    Affine::new(numbers)
}
