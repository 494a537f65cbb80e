//! What an experiment hands back.

use std::path::Path;

use crate::{LearnError, Plot, Table};

/// An experiment's table, further tables it owes the reader, and a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The experiment's table.
    pub table: Table,
    /// Further tables, each with the name of its file.
    pub further: Vec<(&'static str, Table)>,
    /// The picture, where one helps.
    pub plot: Option<Plot>,
}

impl From<Table> for Outcome {
    fn from(table: Table) -> Self {
        Self { table, ..Self::default() }
    }
}

/// Longer further tables have a row for each document: for files, a screen has no room for them.
const MOST_ROWS: usize = 40;

impl Outcome {
    /// The tables under their titles, as a terminal shows them; long further ones are left out.
    pub fn to_text(&self) -> String {
        let short = self.further.iter().map(|(_, table)| table);
        let tables = [&self.table].into_iter().chain(short.filter(|t| t.rows().len() <= MOST_ROWS));
        let shown = tables.map(|table| format!("{}\n\n{}", table.title, table.to_markdown()));
        shown.collect::<Vec<_>>().join("\n")
    }

    /// Writes `table.json`, one more such file for each further table, and `plot.svg` into a
    /// folder, which is made where it does not exist.
    pub fn write(&self, folder: &Path) -> Result<(), LearnError> {
        let written = |error| LearnError::Write { folder: folder.to_owned(), source: error };
        std::fs::create_dir_all(folder).map_err(written)?;
        let tables = [("table", &self.table)].into_iter();
        for (name, table) in tables.chain(self.further.iter().map(|(name, table)| (*name, table))) {
            let text = format!("{:#}\n", table.to_json());
            std::fs::write(folder.join(name).with_extension("json"), text).map_err(written)?;
        }
        if let Some(plot) = &self.plot {
            std::fs::write(folder.join("plot.svg"), plot.to_svg()).map_err(written)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_and_the_plot_get_their_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut table = Table::new("rows", &["n"]);
        table.push(vec![1usize.into()]);
        let plot = Some(Plot::new("rows", "x", "y"));
        let outcome = Outcome { table: table.clone(), further: vec![("more", table)], plot };
        outcome.write(folder.path()).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("table.json"), read("more.json"));
        assert_eq!(read("table.json"), "[\n  {\n    \"n\": 1\n  }\n]\n");
        assert!(read("plot.svg").starts_with("<svg"));
    }
}
