//! What a run found, as a page to look at: numbers, pictures, the largest clusters, and the pairs on
//! both sides of the threshold with their differences.

use lookalike_corpus::Corpus;

use super::bars::bars;
use super::near_misses::{NearMiss, as_corpus, near_misses, sample};
use super::passages::only_there;
use super::shell::{begin, difference, end, escaped, push, shortened};
use super::texts::Texts;
use crate::batch::count_boilerplate;
use crate::difference::word_difference;
use crate::explain::alone;
use crate::{Cluster, Config, Context, Findings, FoundPair, OwnedDocument, RunError};

/// Clusters shown, and members of each.
const SHOWN_CLUSTERS: usize = 20;
const SHOWN_MEMBERS: usize = 5;
/// Pairs shown on each side of the threshold.
const SHOWN_PAIRS: usize = 8;
/// Characters of a text that are compared, and of a cluster's that are shown.
const COMPARED_CHARACTERS: usize = 20_000;
const SHOWN_CHARACTERS: usize = 300;
/// Characters of an id or a name that are shown: an id may be as long as it likes.
const ID_CHARACTERS: usize = 120;
/// Templates shown, and documents that must repeat a paragraph to make it one.
const SHOWN_TEMPLATES: usize = 10;
const TEMPLATE_DOCUMENTS: usize = 10;
/// Steps of scores from 0 to 1.
const STEPS: usize = 20;

/// The page. It is a few hundred kilobytes at most, whatever the input; `corpora` are the input and,
/// where there was one, the known collection.
///
/// # Errors
/// The input cannot be read again, or the user stopped the run.
pub fn report_page(
    corpora: &[&Corpus],
    findings: &Findings,
    config: &Config,
    context: &Context<'_>,
) -> Result<String, RunError> {
    let lowest = lowest_pairs(findings, |pair| (pair.score < 1.0).then_some(pair.score))?;
    let least = lowest_pairs(findings, |pair| pair.accounted.filter(|share| *share < 1.0))?;
    let largest = largest_clusters(findings);
    let numbers = largest.iter().map(|cluster| cluster.keeper.document.0);
    let pairs = lowest.iter().chain(&least).flat_map(|pair| [pair.a.document.0, pair.b.document.0]);
    let texts = Texts::read(corpora, numbers.chain(pairs).collect(), COMPARED_CHARACTERS, || {
        if context.interrupt.is_set() { Err(RunError::Interrupted) } else { Ok(()) }
    })?;

    let summary = &findings.summary;
    let mut page = begin("lookalike report");
    push(
        &mut page,
        format_args!(
            "<h1>{} documents, {} of them copies</h1>\n",
            summary.documents, summary.removed
        ),
    );
    counts(&mut page, findings);
    plots(&mut page, findings)?;
    clusters(&mut page, &largest, &texts);
    just_above(&mut page, &lowest, &texts);
    of_their_own(&mut page, &least, &texts);
    if let Some(corpus) = corpora.first() {
        let sample = sample(corpus, context)?;
        if let Some(missed) = near_misses(&sample, config, context, SHOWN_PAIRS)? {
            just_below(&mut page, &missed, sample.len());
        }
        templates(&mut page, &sample, config, context)?;
    }
    push(
        &mut page,
        format_args!("<h2>Settings</h2>\n<pre>{}</pre>\n", shortened(&config.to_toml()?, 20_000)),
    );
    end(&mut page);
    Ok(page)
}

fn counts(page: &mut String, findings: &Findings) {
    let summary = &findings.summary;
    let threshold = summary.threshold.map_or(String::new(), |at| format!(" at {at}"));
    let rows = [
        ("method", format!("{}{threshold}", summary.method)),
        ("documents", summary.documents.to_string()),
        ("stay", summary.kept.to_string()),
        ("copies", summary.removed.to_string()),
        ("too short to judge, stay as well", summary.too_short.to_string()),
        ("unreadable", summary.unreadable.to_string()),
        ("clusters", format!("{}, the largest of {}", summary.clusters, summary.largest_cluster)),
        ("pairs compared", summary.candidate_pairs.to_string()),
        ("pairs confirmed", summary.confirmed_pairs.to_string()),
        ("pairs related, both stay", summary.related_pairs.unwrap_or_default().to_string()),
        ("comparisons skipped in crowded buckets", summary.skipped_comparisons.to_string()),
        ("seconds", format!("{:.1}", summary.seconds.total())),
    ];
    page.push_str("<dl>");
    for (name, value) in rows {
        push(page, format_args!("<dt>{name}<dd>{}", escaped(&value)));
    }
    page.push_str("</dl>\n");
    for warning in &summary.warnings {
        push(
            page,
            format_args!("<p><strong>Warning</strong>: {}</p>\n", escaped(&warning.to_string())),
        );
    }
    for file in summary.incomplete.iter().take(SHOWN_PAIRS) {
        let (place, reason) = (shortened(&file.place, ID_CHARACTERS), escaped(&file.reason));
        push(page, format_args!("<p>Not read to its end: {place}: {reason}</p>\n"));
    }
}

/// Sizes of clusters, in doubling steps, and scores of pairs, in tenths of what there is.
fn plots(page: &mut String, findings: &Findings) -> Result<(), RunError> {
    let mut sizes: Vec<u64> = Vec::new();
    for cluster in findings.clusters() {
        let size = cluster.members.len() + 1;
        let step = (usize::BITS - 1 - size.max(2).leading_zeros()) as usize - 1;
        if sizes.len() <= step {
            sizes.resize(step + 1, 0);
        }
        sizes[step] += 1;
    }
    let name = |step: usize| match step {
        0 => "2-3".to_owned(),
        step => format!("{}-{}", 2 << step, (4 << step) - 1),
    };
    let sizes: Vec<(String, u64)> =
        sizes.into_iter().enumerate().map(|(step, count)| (name(step), count)).collect();
    page.push_str("<h2>Sizes of clusters</h2>\n");
    bars(page, "documents in a cluster", &sizes);

    let mut scores = vec![0u64; STEPS + 1];
    for pair in findings.pairs() {
        let score = pair?.score.clamp(0.0, 1.0);
        scores[(score * STEPS as f64) as usize] += 1;
    }
    let first = scores.iter().position(|count| *count > 0).unwrap_or(0);
    let name = |step: usize| format!("{:.2}", step as f64 / STEPS as f64);
    let scores: Vec<(String, u64)> =
        scores.into_iter().enumerate().skip(first).map(|(s, count)| (name(s), count)).collect();
    page.push_str("<h2>Scores of confirmed pairs, from</h2>\n");
    bars(page, "score", &scores);
    Ok(())
}

fn largest_clusters(findings: &Findings) -> Vec<Cluster<'_>> {
    let mut largest: Vec<Cluster<'_>> = Vec::new();
    for cluster in findings.clusters() {
        largest.push(cluster);
        // The sort is stable: equal ones stay by the keeper's id.
        if largest.len() > 8 * SHOWN_CLUSTERS {
            largest.sort_by_key(|cluster| std::cmp::Reverse(cluster.members.len()));
            largest.truncate(SHOWN_CLUSTERS);
        }
    }
    largest.sort_by_key(|cluster| std::cmp::Reverse(cluster.members.len()));
    largest.truncate(SHOWN_CLUSTERS);
    largest
}

fn clusters(page: &mut String, largest: &[Cluster<'_>], texts: &Texts) {
    if largest.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Largest clusters</h2>\n<table class=\"largest\"><tr><th class=\"number\">documents<th>kept<th>its text \
         begins<th>copies, with their scores\n",
    );
    for cluster in largest {
        let shown = cluster.members.iter().take(SHOWN_MEMBERS).map(|member| {
            let score = member.score.map_or_else(|| "none".to_owned(), |s| format!("{s:.3}"));
            format!("<bdi>{}</bdi> ({score})", shortened(member.id, ID_CHARACTERS))
        });
        let mut copies = shown.collect::<Vec<_>>().join("<br>");
        if cluster.members.len() > SHOWN_MEMBERS {
            push(
                &mut copies,
                format_args!("<br>and {} more", cluster.members.len() - SHOWN_MEMBERS),
            );
        }
        push(
            page,
            format_args!(
                "<tr><td class=\"number\">{}<td><bdi>{}</bdi><td dir=\"auto\">{}<td>{copies}\n",
                cluster.members.len() + 1,
                shortened(cluster.keeper.id, ID_CHARACTERS),
                shortened(texts.of(cluster.keeper.document.0), SHOWN_CHARACTERS),
            ),
        );
    }
    page.push_str("</table>\n");
}

/// The confirmed pairs with the lowest value of those that have one, the lowest first.
fn lowest_pairs(
    findings: &Findings,
    value: impl Fn(&FoundPair<'_>) -> Option<f64>,
) -> Result<Vec<FoundPair<'_>>, RunError> {
    let mut lowest: Vec<(f64, FoundPair<'_>)> = Vec::new();
    let keep_lowest = |lowest: &mut Vec<(f64, FoundPair<'_>)>| {
        // The sort is stable: equal ones stay in the order of their ids.
        lowest.sort_by(|left, right| left.0.total_cmp(&right.0));
        lowest.truncate(SHOWN_PAIRS);
    };
    for pair in findings.pairs() {
        let pair = pair?;
        lowest.extend(value(&pair).map(|value| (value, pair)));
        if lowest.len() > 64 * SHOWN_PAIRS {
            keep_lowest(&mut lowest);
        }
    }
    keep_lowest(&mut lowest);
    Ok(lowest.into_iter().map(|(_, pair)| pair).collect())
}

fn just_above(page: &mut String, lowest: &[FoundPair<'_>], texts: &Texts) {
    if lowest.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Duplicates by a small margin</h2>\n<p class=\"dim\">The pairs with the lowest \
                   scores among those found.</p>\n",
    );
    for pair in lowest {
        let text = |document: lookalike_index::DocumentId| texts.of(document.0);
        let of = (text(pair.a.document), text(pair.b.document));
        one_pair(page, (pair.a.id, pair.b.id), of, pair.score);
    }
}

/// Where a run asked how much of a document stands in its keeper.
fn of_their_own(page: &mut String, least: &[FoundPair<'_>], texts: &Texts) {
    if least.is_empty() {
        return;
    }
    page.push_str(
        "<h2>Duplicates that say most of their own</h2>\n<p class=\"dim\">The pairs of which the \
         smallest share of the removed document stands in the kept one.</p>\n",
    );
    for pair in least {
        let text = |document: lookalike_index::DocumentId| texts.of(document.0);
        let of = (text(pair.a.document), text(pair.b.document));
        one_pair(page, (pair.a.id, pair.b.id), of, pair.score);
    }
}

fn just_below(page: &mut String, missed: &[NearMiss], n_documents: usize) {
    push(
        page,
        format_args!(
            "<h2>Not duplicates by a small margin</h2>\n<p class=\"dim\">{} with the highest scores \
             below the threshold, among the first {n_documents} documents.</p>\n",
            if missed.is_empty() { "No pair is near: those" } else { "The pairs" },
        ),
    );
    for miss in missed {
        let begin = |text: &str| text.chars().take(COMPARED_CHARACTERS).collect::<String>();
        let texts = (begin(&miss.left.text), begin(&miss.right.text));
        one_pair(page, (&miss.left.id, &miss.right.id), (&texts.0, &texts.1), miss.score);
    }
}

/// Two documents with what differs, folded until somebody opens it.
fn one_pair(page: &mut String, ids: (&str, &str), texts: (&str, &str), score: f64) {
    let id = |id: &str| shortened(id, ID_CHARACTERS);
    push(
        page,
        format_args!("<details><summary>{score:.3}: {} and {}</summary>\n", id(ids.0), id(ids.1)),
    );
    // What stands behind the beginning of a text is not known here.
    let is_whole = |text: &str| text.chars().nth(COMPARED_CHARACTERS - 1).is_none();
    if is_whole(texts.0) && is_whole(texts.1) {
        let (left, right) = alone(texts.0, texts.1);
        let of_left = only_there(&left, texts.0);
        let of_right = only_there(&right, texts.1);
        push(page, format_args!("<dl><dt>only in {}<dd>{of_left}", id(ids.0)));
        push(page, format_args!("<dt>only in {}<dd>{of_right}</dl>\n", id(ids.1)));
    }
    difference(page, &word_difference(texts.0, texts.1));
    page.push_str("</details>\n");
}

/// What many documents repeat word for word.
fn templates(
    page: &mut String,
    sample: &[OwnedDocument],
    config: &Config,
    context: &Context<'_>,
) -> Result<(), RunError> {
    let n_documents = config.run.ignore_boilerplate.unwrap_or(TEMPLATE_DOCUMENTS);
    let report =
        count_boilerplate(&as_corpus(sample), n_documents, config.run.memory.bytes(), context)?;
    let templates = report.templates();
    let done = if config.run.ignore_boilerplate.is_some() {
        "they were left out of the comparison"
    } else {
        "they took part in the comparison; ignore-boilerplate leaves them out"
    };
    push(
        page,
        format_args!(
            "<h2>Boilerplate</h2>\n<p class=\"dim\">{} paragraphs of {} templates stand in at least \
             {n_documents} otherwise different ones of the first {} documents: {done}.</p>\n",
            report.paragraphs.len(),
            templates.len(),
            sample.len(),
        ),
    );
    if templates.is_empty() {
        return Ok(());
    }
    page.push_str("<table><tr><th class=\"number\">documents<th>the longest paragraph begins\n");
    for template in templates.iter().take(SHOWN_TEMPLATES) {
        // The longest paragraph says most.
        let longest = template.iter().max_by_key(|paragraph| paragraph.example.chars().count());
        let Some(longest) = longest else { continue };
        push(
            page,
            format_args!(
                "<tr><td class=\"number\">{}<td dir=\"auto\">{}\n",
                longest.n_documents,
                shortened(&longest.example, SHOWN_CHARACTERS),
            ),
        );
    }
    page.push_str("</table>\n");
    Ok(())
}
