//! Rows with named columns: for people as text, for programs as JSON.

use serde_json::Value;

/// One value of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A name.
    Text(String),
    /// A count.
    Count(u64),
    /// A measured number and how many decimals of it people want to see.
    Real(f64, usize),
    /// Yes or no.
    Flag(bool),
    /// Not measured here.
    Missing,
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Count(count) => count.to_string(),
            Self::Real(value, decimals) => format!("{value:.decimals$}"),
            Self::Flag(flag) => if *flag { "yes" } else { "no" }.to_owned(),
            Self::Missing => "-".to_owned(),
        }
    }

    fn is_number(&self) -> bool {
        matches!(self, Self::Count(_) | Self::Real(..) | Self::Missing)
    }

    fn json(&self) -> Value {
        match self {
            Self::Text(text) => Value::from(text.as_str()),
            Self::Count(count) => Value::from(*count),
            Self::Real(value, _) => Value::from(*value),
            Self::Flag(flag) => Value::from(*flag),
            Self::Missing => Value::Null,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Self {
        Self::Count(count as u64)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Self {
        Self::Count(count)
    }
}

impl From<bool> for Cell {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Real(value, 3)
    }
}

/// The result of an experiment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// What the rows are about, in a few words.
    pub title: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    /// Sentences that a reader of the numbers must know.
    pub notes: Vec<String>,
}

impl Table {
    /// An empty table; the columns' names are `snake_case`, they are the keys of the JSON rows.
    pub fn new(title: impl Into<String>, columns: &[&'static str]) -> Self {
        Self { title: title.into(), columns: columns.to_vec(), ..Self::default() }
    }

    /// Appends a row; missing values at its end are [`Cell::Missing`], extra ones are dropped.
    pub fn push(&mut self, mut row: Vec<Cell>) {
        row.resize(self.columns.len(), Cell::Missing);
        self.rows.push(row);
    }

    /// Adds a sentence under the table.
    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// The columns' names.
    pub fn columns(&self) -> &[&'static str] {
        &self.columns
    }

    /// The rows, each as long as [`Table::columns`].
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The numbers of one column; `None` where a value is missing or not a number.
    pub fn numbers(&self, column: &str) -> Vec<Option<f64>> {
        let Some(place) = self.columns.iter().position(|name| *name == column) else {
            return Vec::new();
        };
        let number = |row: &Vec<Cell>| match &row[place] {
            Cell::Count(count) => Some(*count as f64),
            Cell::Real(value, _) => Some(*value),
            _ => None,
        };
        self.rows.iter().map(number).collect()
    }

    /// The rows as a JSON list of objects.
    pub fn to_json(&self) -> Value {
        let object = |row: &Vec<Cell>| {
            let fields = self.columns.iter().zip(row);
            Value::Object(fields.map(|(name, cell)| ((*name).to_owned(), cell.json())).collect())
        };
        Value::Array(self.rows.iter().map(object).collect::<Vec<Value>>())
    }

    /// The table as Markdown, which reads well in a terminal too.
    pub fn to_markdown(&self) -> String {
        let shown: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
        let width = |column: usize| {
            let cells = shown.iter().map(|row| row[column].chars().count());
            cells.chain([self.columns[column].len(), 3]).max().unwrap_or(3)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        let is_number = |column: usize| self.rows.iter().all(|row| row[column].is_number());
        let right: Vec<bool> = (0..self.columns.len()).map(is_number).collect();
        let mut text = String::new();
        push_line(&mut text, self.columns.iter().copied(), &widths, &right);
        let rule = widths.iter().zip(&right).map(|(width, right)| {
            if *right { format!("{}:", "-".repeat(width - 1)) } else { "-".repeat(*width) }
        });
        let rule: Vec<String> = rule.collect();
        push_line(&mut text, rule.iter().map(String::as_str), &widths, &right);
        for row in &shown {
            push_line(&mut text, row.iter().map(String::as_str), &widths, &right);
        }
        for note in &self.notes {
            text.push('\n');
            text.push_str(note);
            text.push('\n');
        }
        text
    }
}

fn push_line<'a>(
    text: &mut String,
    cells: impl Iterator<Item = &'a str>,
    widths: &[usize],
    right: &[bool],
) {
    text.push('|');
    for ((cell, width), right) in cells.zip(widths).zip(right) {
        let padding = " ".repeat(width.saturating_sub(cell.chars().count()));
        let (before, after) = if *right { (padding.as_str(), "") } else { ("", padding.as_str()) };
        for part in [" ", before, cell, after, " |"] {
            text.push_str(part);
        }
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Table {
        let mut table = Table::new("numbers", &["rule", "found", "share"]);
        table.push(vec!["IDF-L-10".into(), 7usize.into(), Cell::Real(0.98765, 2)]);
        table.push(vec!["none".into()]);
        table
    }

    #[test]
    fn json_rows_carry_the_column_names_and_the_full_value() {
        let json = small().to_json();
        assert_eq!(json[0]["share"], 0.98765);
        assert_eq!(json[1]["found"], Value::Null);
    }

    #[test]
    fn markdown_aligns_numbers_to_the_right() {
        let expected = "\
| rule     | found | share |
| -------- | ----: | ----: |
| IDF-L-10 |     7 |  0.99 |
| none     |     - |     - |
";
        assert_eq!(small().to_markdown(), expected);
    }
}
