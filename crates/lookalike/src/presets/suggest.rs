//! Which preset a sample of the documents looks like, and why.

use lookalike_corpus::Corpus;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::Preset;
use crate::OwnedDocument;
use crate::labelled::template_of_each;

/// A preset with the reason why it may fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The preset's name.
    pub preset: &'static str,
    /// What was seen, as a sentence.
    pub reason: String,
}

/// Documents of the sample: enough to see templates of which each has some.
const SAMPLED: usize = 1_000;

/// A collection of so few templates differs by what stands in them, not by story.
const FEW_TEMPLATES: usize = 4;

/// The share of documents in templates that mail never has.
const NEARLY_ALL: f64 = 0.9;

/// Looks at random documents of a corpus, the same in every run; `None` where there is none.
pub fn suggest_preset(corpus: &Corpus) -> Option<Suggestion> {
    let mut drawn: Vec<(u64, OwnedDocument)> = Vec::new();
    let thin = |drawn: &mut Vec<(u64, OwnedDocument)>| {
        drawn.sort_by_key(|(draw, _)| *draw);
        drawn.truncate(SAMPLED);
    };
    for block in corpus.blocks() {
        block.visit(|row| {
            if let Ok(document) = &row.content {
                let draw = xxh3_64(&row.ordinal.to_le_bytes());
                drawn.push((draw, OwnedDocument::from(document)));
            }
        });
        if drawn.len() > 2 * SAMPLED {
            thin(&mut drawn);
        }
    }
    thin(&mut drawn);
    let sample: Vec<OwnedDocument> = drawn.into_iter().map(|(_, document)| document).collect();
    (!sample.is_empty()).then(|| suggest(&sample))
}

/// The kinds in turn, the most telling first.
fn suggest(sample: &[OwnedDocument]) -> Suggestion {
    let share = |is_of_kind: fn(&str) -> bool| {
        let n = sample.iter().filter(|document| is_of_kind(&document.text)).count();
        n as f64 / sample.len() as f64
    };
    let of = |name, reason| Suggestion {
        preset: Preset::named(name).map_or(name, |preset| preset.name),
        reason,
    };
    let templates = template_of_each(sample);
    let mut names: Vec<&String> = templates.iter().flatten().collect();
    let in_templates = names.len() as f64 / sample.len() as f64;
    names.sort_unstable();
    names.dedup();
    let n_templates = names.len();
    let mail = share(looks_like_mail);
    // Lists append their footers to mail, but nearly all of a sample stands in templates only where
    // pages show it, as the archive of a list or a forum does.
    let is_shown_in_pages = in_templates >= NEARLY_ALL && n_templates > FEW_TEMPLATES;
    if mail >= 0.15 && !is_shown_in_pages {
        return of(
            "mail",
            format!("{:.0} % of a sample quote or reply as mail does", 100.0 * mail),
        );
    }
    if in_templates >= 0.5 && n_templates > FEW_TEMPLATES {
        let percent = 100.0 * in_templates;
        let reason = format!(
            "{percent:.0} % of a sample have paragraphs that {n_templates} templates repeat"
        );
        return of("pages", reason);
    }
    if in_templates >= 0.5 {
        let percent = 100.0 * in_templates;
        let reason = format!("{percent:.0} % of a sample stand in the same few templates");
        return of("reference", reason);
    }
    let numbered = share(has_numbered_clauses);
    if numbered >= 0.5 {
        let percent = 100.0 * numbered;
        return of("contracts", format!("{percent:.0} % of a sample have numbered clauses"));
    }
    of("training-data", "neither mail, nor templates, nor numbered clauses in a sample".to_owned())
}

/// By the lines that mail programs and mailing lists write; a quote alone may be one of Markdown.
fn looks_like_mail(text: &str) -> bool {
    const HEADERS: [&str; 5] = ["From: ", "Sent: ", "To: ", "Cc: ", "Subject: "];
    text.lines().any(|line| {
        let line = line.trim_end();
        HEADERS.iter().any(|header| line.len() > header.len() && line.starts_with(header))
            || line.ends_with(" wrote:")
            || line.ends_with(" writes:")
            || line.contains("Original Message")
            || line.to_lowercase().contains("unsubscribe")
    })
}

/// At least four lines that begin with a number or letter of a clause.
fn has_numbered_clauses(text: &str) -> bool {
    let is_numbered = |line: &&str| {
        let first = line.split_whitespace().next().unwrap_or_default();
        let bare = first.trim_start_matches(['(', '§']).trim_end_matches([')', '.', ':']);
        bare.len() < first.len()
            && !bare.is_empty()
            && (bare.split('.').all(|part| part.parse::<u16>().is_ok())
                || (bare.len() == 1 && bare.starts_with(|c: char| c.is_ascii_lowercase())))
    };
    text.lines().filter(is_numbered).count() >= 4
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents(text: impl Fn(usize) -> String) -> Vec<OwnedDocument> {
        (0..60).map(|n| OwnedDocument { text: text(n), ..OwnedDocument::default() }).collect()
    }

    fn words(seed: usize, count: usize) -> String {
        (0..count).map(|n| format!("word{}", seed * 1009 + n * 7)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_kind_of_collection_is_told_by_what_it_shows() {
        let page = |sites: usize| {
            documents(move |n| {
                let site = n % sites;
                format!("Menu of {site}\n\nNews of {site}\n\n{}\n\nImprint {site}", words(n, 40))
            })
        };
        let quoting = |n: usize| format!("{}\n\n> {}\n", words(n, 20), words(n + 100, 10));
        let mail = documents(|n| format!("On Monday somebody wrote:\n{}", quoting(n)));
        let markdown = documents(quoting);
        let forum = documents(|n| {
            let site = n % 6;
            let post = format!("On Monday somebody wrote:\n\n> {}", words(n, 40));
            format!("Forum {site}\n\nThreads of {site}\n\n{post}\n\nReply on {site}")
        });
        let contract = documents(|n| {
            let clause = |c: usize| format!("{}. {}", c + 1, words(n * 10 + c, 12));
            (0..6).map(clause).collect::<Vec<_>>().join("\n\n")
        });
        let plain = documents(|n| words(n, 60));
        for (documents, preset) in [
            (page(6), "pages"),
            (page(1), "reference"),
            (mail, "mail"),
            (forum, "pages"),
            (contract, "contracts"),
            (plain, "training-data"),
            (markdown, "training-data"),
        ] {
            let suggestion = suggest(&documents);
            assert_eq!(suggestion.preset, preset, "{suggestion:?}");
            assert!(!suggestion.reason.is_empty());
        }
    }
}
