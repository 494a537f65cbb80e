//! Paragraphs, cells and notes of an office document as plain text.

use super::office::Meaning;

/// Makes text of what the elements of a document mean.
///
/// Paragraphs are separated by blank lines. A row of a table is a line, its cells are separated by
/// tabs, and what is a paragraph within a cell ends in a space. Notes follow after everything else.
#[derive(Debug)]
pub(super) struct Writer {
    text: String,
    notes: String,
    /// Tables, notes, paragraphs and letters that are open now.
    tables: usize,
    open_notes: usize,
    paragraphs: usize,
    letters: usize,
    max_bytes: usize,
}

impl Writer {
    pub(super) fn new(max_bytes: usize) -> Self {
        let (text, notes) = (String::new(), String::new());
        Self { text, notes, tables: 0, open_notes: 0, paragraphs: 0, letters: 0, max_bytes }
    }

    pub(super) fn open(&mut self, meaning: Meaning, spaces: usize) {
        match meaning {
            Meaning::Paragraph => self.paragraphs += 1,
            Meaning::Letters => self.letters += 1,
            Meaning::Table => {
                self.break_paragraph();
                self.tables += 1;
            }
            Meaning::Note => self.open_notes += 1,
            Meaning::Tab => self.put("\t"),
            Meaning::LineBreak => self.put(if self.tables > 0 { " " } else { "\n" }),
            Meaning::Hyphen => self.put("-"),
            Meaning::Spaces => self.put(&" ".repeat(spaces)),
            Meaning::Cell | Meaning::Row | Meaning::Hidden | Meaning::None => {}
        }
    }

    pub(super) fn close(&mut self, meaning: Meaning) {
        match meaning {
            Meaning::Paragraph => {
                self.paragraphs = self.paragraphs.saturating_sub(1);
                if self.tables > 0 { self.put(" ") } else { self.break_paragraph() }
            }
            Meaning::Letters => self.letters = self.letters.saturating_sub(1),
            Meaning::Cell => self.separate('\t'),
            Meaning::Row => self.separate('\n'),
            Meaning::Table => {
                self.tables = self.tables.saturating_sub(1);
                if self.tables == 0 {
                    self.break_paragraph();
                }
            }
            Meaning::Note => self.open_notes = self.open_notes.saturating_sub(1),
            _ => {}
        }
    }

    /// Adds characters, if they stand where a reader sees them.
    pub(super) fn letters(&mut self, text: &str, letters_apart: bool) {
        if if letters_apart { self.letters > 0 } else { self.paragraphs > 0 } {
            self.put(text);
        }
    }

    pub(super) fn end_part(&mut self) {
        (self.tables, self.open_notes, self.paragraphs, self.letters) = (0, 0, 0, 0);
        self.break_paragraph();
    }

    /// # Errors
    /// The text is longer than a row may be.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.text.len() + self.notes.len() > self.max_bytes {
            return Err(format!("the text has more than the {} bytes allowed", self.max_bytes));
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> String {
        self.open_notes = 0;
        self.break_paragraph();
        self.text.push_str(&self.notes);
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    fn out(&mut self) -> &mut String {
        if self.open_notes > 0 { &mut self.notes } else { &mut self.text }
    }

    fn put(&mut self, text: &str) {
        self.out().push_str(text);
    }

    /// Ends a cell or a row, without what its last paragraph left behind.
    fn separate(&mut self, separator: char) {
        let out = self.out();
        let end = out.trim_end_matches([' ', if separator == '\n' { '\t' } else { ' ' }]).len();
        out.truncate(end);
        out.push(separator);
    }

    fn break_paragraph(&mut self) {
        let out = self.out();
        out.truncate(out.trim_end_matches([' ', '\t', '\n']).len());
        if !out.is_empty() {
            out.push_str("\n\n");
        }
    }
}
