//! The stories that everything else is made from, written for this project.

/// A story before anything is done to it.
pub struct Story {
    pub id: &'static str,
    /// What copies are made of it.
    pub kind: &'static str,
    pub language: &'static str,
    pub title: &'static str,
    pub text: &'static str,
}

impl Story {
    pub fn paragraphs(&self) -> impl Iterator<Item = &'static str> {
        self.text.split("\n\n")
    }
}

/// All stories in their order; the file separates them by lines that begin with `# `.
pub fn stories() -> Vec<Story> {
    let file = include_str!("stories.txt");
    let entries = file.split("# ").filter(|entry| !entry.trim().is_empty());
    entries.filter_map(parse).collect()
}

fn parse(entry: &'static str) -> Option<Story> {
    let (head, text) = entry.split_once('\n')?;
    let mut fields = head.split(" | ");
    Some(Story {
        id: fields.next()?,
        kind: fields.next()?,
        language: fields.next()?,
        title: fields.next()?,
        text: text.trim(),
    })
}
