//! From characters at places on a page to words, lines and paragraphs.

use hayro_font::kurbo::{Point, Vec2};

/// A gap between characters that is a space, in sizes of the font.
const SPACE: f64 = 0.18;
/// How far off its line a character may be: exponents and indices are.
const OFF_LINE: f64 = 0.55;
/// A distance of lines that separates paragraphs, in sizes of the font; and how much more than the
/// lines before it, where there are any.
const PARAGRAPH: f64 = 1.75;
const WIDER: f64 = 1.25;

/// One character, or what one glyph stands for, on the page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'t> {
    pub characters: &'t str,
    pub start: Point,
    pub end: Point,
    /// The size of the font.
    pub size: f64,
}

/// Makes text of characters in the order in which they are shown.
#[derive(Debug)]
pub(super) struct Layout {
    text: String,
    last: Option<Last>,
    /// The distance of the lines of this paragraph.
    line_distance: Option<f64>,
    max_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Last {
    end: Point,
    /// Where writing goes on.
    direction: Vec2,
}

impl Layout {
    pub(super) fn new(max_bytes: usize) -> Self {
        Self { text: String::new(), last: None, line_distance: None, max_bytes }
    }

    /// # Errors
    /// The text is longer than a row may be.
    pub(super) fn show(&mut self, shown: &Shown<'_>) -> Result<(), String> {
        let numbers = [shown.start.x, shown.start.y, shown.end.x, shown.end.y, shown.size];
        if numbers.iter().any(|number| !number.is_finite()) {
            return Ok(());
        }
        self.separate(shown);
        let visible = |character: &char| !character.is_control() && *character != '\u{ad}';
        for character in shown.characters.chars().filter(visible) {
            if character.is_whitespace() {
                self.put_space();
            } else {
                self.text.push(character);
            }
        }
        let run = shown.end - shown.start;
        let direction = if run.hypot() > 0.0 {
            run / run.hypot()
        } else {
            self.last.map_or(Vec2::new(1.0, 0.0), |last| last.direction)
        };
        self.last = Some(Last { end: shown.end, direction });
        if self.text.len() > self.max_bytes {
            return Err(format!("the text has more than the {} bytes allowed", self.max_bytes));
        }
        Ok(())
    }

    pub(super) fn end_page(&mut self) {
        self.last = None;
        self.line_distance = None;
        self.break_paragraph();
    }

    pub(super) fn finish(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    /// Puts a space, a line break or a blank line before a character, as its place asks.
    fn separate(&mut self, shown: &Shown<'_>) {
        let Some(last) = self.last else { return };
        let gap = shown.start - last.end;
        let (along, across) = (gap.dot(last.direction), gap.cross(last.direction));
        if across.abs() <= OFF_LINE * shown.size {
            if along < -2.0 * shown.size {
                self.break_line(shown.characters);
            } else if along > SPACE * shown.size {
                self.put_space();
            }
            return;
        }
        // Down the page the cross product is positive; up it goes to another column or block.
        let distance = across / shown.size.max(f64::MIN_POSITIVE);
        let usual = self.line_distance.map_or(PARAGRAPH, |usual| usual * WIDER);
        if distance < 0.0 || distance > usual {
            self.line_distance = None;
            self.break_paragraph();
        } else {
            self.line_distance = Some(self.line_distance.map_or(distance, |d| d.max(distance)));
            self.break_line(shown.characters);
        }
    }

    fn put_space(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.push(' ');
        }
    }

    /// A new line; a word that was cut in two by a hyphen is one again.
    fn break_line(&mut self, next: &str) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        let mut ends = self.text.chars().rev();
        let hyphenated = ends.next() == Some('-') && ends.next().is_some_and(char::is_lowercase);
        if hyphenated && next.starts_with(char::is_lowercase) {
            self.text.pop();
        } else if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn break_paragraph(&mut self) {
        self.text.truncate(self.text.trim_end_matches([' ', '\n']).len());
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of a 10-point font, each character 5 wide, at the height given.
    fn layout(lines: &[(&str, f64)]) -> String {
        let mut layout = Layout::new(1000);
        for (line, y) in lines {
            for (place, character) in line.chars().enumerate().filter(|(_, c)| *c != ' ') {
                let start = Point::new(place as f64 * 5.0, *y);
                let mut room = [0; 4];
                let characters: &str = character.encode_utf8(&mut room);
                let end = start + Vec2::new(5.0, 0.0);
                layout.show(&Shown { characters, start, end, size: 10.0 }).unwrap();
            }
        }
        layout.end_page();
        layout.finish()
    }

    #[test]
    fn gaps_are_spaces_and_larger_distances_paragraphs() {
        let text = layout(&[("The ferry", 100.0), ("leaves.", 88.0), ("In winter", 66.0)]);
        assert_eq!(text, "The ferry\nleaves.\n\nIn winter");
    }

    #[test]
    fn lines_far_apart_are_one_paragraph_if_all_are() {
        let text = layout(&[("a", 100.0), ("b", 83.0), ("c", 66.0), ("d", 40.0)]);
        assert_eq!(text, "a\nb\nc\n\nd");
    }

    #[test]
    fn words_cut_at_the_end_of_a_line_are_one() {
        assert_eq!(layout(&[("time-", 100.0), ("table", 88.0)]), "timetable");
        assert_eq!(layout(&[("Baden-", 100.0), ("Baden", 88.0)]), "Baden-\nBaden");
        assert_eq!(layout(&[("1-", 100.0), ("a", 88.0)]), "1-\na");
    }

    #[test]
    fn another_column_is_another_paragraph() {
        assert_eq!(layout(&[("left", 50.0), ("right", 100.0)]), "left\n\nright");
    }

    #[test]
    fn places_that_are_no_numbers_are_passed_over() {
        let mut layout = Layout::new(10);
        let (start, end) = (Point::new(f64::NAN, 0.0), Point::ZERO);
        layout.show(&Shown { characters: "a", start, end, size: 1.0 }).unwrap();
        assert_eq!(layout.finish(), "");
    }
}
