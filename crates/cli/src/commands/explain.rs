//! `lookalike explain A B`: why these two match, or do not.

use anyhow::Result;
use lookalike::{
    Explanation, OwnedDocument, RunError, SharedFeature, Verdict, shown_percent, shown_score,
};
use lookalike_detect::measure::Alone;
use lookalike_detect::{DescribedFeature, Detector, ParagraphMatch, Rejection};
use serde::Serialize;
use similar::ChangeTag;
use std::ffi::OsString;

use crate::arguments::{ExplainArguments, Format};
use crate::commands::incomplete::Incomplete;
use crate::configuration::{RunResources, Typed};
use crate::display::{self, Listing, Look, Piece};

/// Features of each kind that are printed.
const SHOWN_FEATURES: usize = 12;
/// Characters of unchanged text kept on each side of a change.
const CONTEXT_CHARACTERS: usize = 60;

/// Runs the command.
pub fn run(arguments: &ExplainArguments) -> Result<()> {
    let typed = Typed::default().with_common(&arguments.common)?;
    let config = typed.with_method(&arguments.method, &arguments.set)?.resolve()?;
    let resources = RunResources::of(&arguments.common, &config)?;
    let (left, right) = (&arguments.left, &arguments.right);
    let (left_id, right_id) = (left.to_string_lossy(), right.to_string_lossy());
    let inputs = match arguments.inputs.as_slice() {
        [] => vec![left.clone(), right.clone()],
        inputs => inputs.to_vec(),
    };
    let (detector, left, right, incomplete) = resources.run(|context| {
        let open = |inputs: &[OsString]| lookalike::open_input(inputs, &config, context);
        let corpus = open(&inputs)?;
        // Whatever is counted is counted as the run counts it: with --against, from what is known.
        let known =
            (!arguments.against.is_empty()).then(|| open(&arguments.against)).transpose()?;
        let [left, right] = match &known {
            Some(known) => {
                let [left] = lookalike::documents_by_id(&corpus, [&left_id])?;
                let [right] = lookalike::documents_by_id(known, [&right_id])?;
                [left, right]
            }
            None if arguments.inputs.is_empty() => {
                let first = |input: &OsString| {
                    lookalike::first_document(&open(std::slice::from_ref(input))?)
                };
                [first(left)?, first(right)?]
            }
            None => lookalike::documents_by_id(&corpus, [&left_id, &right_id])?,
        };
        let artifacts = lookalike::artifacts(known.as_ref().unwrap_or(&corpus), &config, context)?;
        let detector = lookalike::build_detector(&config, &artifacts)?;
        let known = known.as_ref().map_or_else(Incomplete::default, Incomplete::of);
        Ok::<_, RunError>((detector, left, right, Incomplete::of(&corpus).and(known)))
    })?;
    let report = arguments.common.report;
    if !report.quiet {
        print(&detector, &left, &right, report.format)?;
    }
    incomplete.refuse()
}

/// Explains a pair on standard output.
pub fn print(
    detector: &Detector,
    left: &OwnedDocument,
    right: &OwnedDocument,
    format: Format,
) -> Result<()> {
    let explanation = lookalike::explain(detector, &left.document(), &right.document());
    if format == Format::Json {
        return display::json(&Report::new(&explanation, left, right));
    }
    if format == Format::Html {
        return display::block(lookalike::explanation_page(&explanation, left, right).trim_end());
    }
    print_verdict(&explanation, left, right)?;
    print_alone(&explanation.alone.0, left)?;
    print_alone(&explanation.alone.1, right)?;
    print_matches(&explanation, left, right)?;
    print_features(&explanation)?;
    print_difference(&explanation)
}

fn print_verdict(
    explanation: &Explanation,
    left: &OwnedDocument,
    right: &OwnedDocument,
) -> Result<()> {
    let verdict = if explanation.verdict.duplicate { "duplicates" } else { "not duplicates" };
    display::heading(format_args!(
        "{} and {}: {verdict}, score {}",
        left.id,
        right.id,
        shown_score(&explanation.verdict)
    ))?;
    for (document, rejection) in
        [(left, explanation.rejections.0), (right, explanation.rejections.1)]
    {
        if let Some(reason) = rejection {
            let reason = reason.name().replace('_', " ");
            display::line(format_args!("{} has no signature: {reason}", document.id))?;
        }
    }
    let (n_left, n_right, n_shared) = explanation.keys;
    display::line(format_args!("bucket keys: {n_shared} shared of {n_left} and {n_right}"))?;
    if let Some(comparison) = &explanation.comparison {
        let resemblance = Verdict::new(explanation.verdict.duplicate, comparison.resemblance);
        display::line(format_args!("resemblance: {}", shown_score(&resemblance)))?;
        if let Some((in_right, in_left)) = comparison.containment {
            display::line(format_args!(
                "containment: {} of {} is in {}, {} the other way",
                shown_percent(in_right),
                left.id,
                right.id,
                shown_percent(in_left)
            ))?;
        }
    }
    Ok(())
}

/// How much of a text the other does not have, and the longest passage of it.
fn print_alone(Alone { words, alone, longest }: &Alone, document: &OwnedDocument) -> Result<()> {
    let passage = document.text.get(longest.clone()).unwrap_or_default();
    let count = format!("only in {}: {alone} of {words} words", document.id);
    if passage.is_empty() {
        return display::line(count);
    }
    let passage = shortened(passage, false, false);
    display::line(format_args!("{count}; the longest passage: {passage}"))
}

/// The matching paragraphs side by side, with their places in the two texts.
fn print_matches(
    explanation: &Explanation,
    left: &OwnedDocument,
    right: &OwnedDocument,
) -> Result<()> {
    if explanation.matches.is_empty() {
        return Ok(());
    }
    let mut table = Listing::side_by_side(&[
        format!("{} matching paragraphs in {}", explanation.matches.len(), left.id),
        format!("in {}", right.id),
    ]);
    for matched in &explanation.matches {
        let cell = |text: &str, place: &std::ops::Range<usize>, more: &str| {
            let paragraph = shortened(&text[place.clone()], false, false);
            let place = format!("bytes {}..{}{more}", place.start, place.end);
            let lines = paragraph.lines().map(str::to_owned);
            std::iter::once(place).chain(lines).chain([String::new()]).collect::<Vec<String>>()
        };
        let distance = format!(", {} bits apart", matched.distance);
        table.tall_row([
            cell(&left.text, &matched.left, ""),
            cell(&right.text, &matched.right, &distance),
        ]);
    }
    display::blank()?;
    display::block(table)?;
    display::blank()
}

fn print_features(explanation: &Explanation) -> Result<()> {
    let list = |features: &mut dyn Iterator<Item = (&str, f64)>| {
        let shown: Vec<String> = features
            .take(SHOWN_FEATURES)
            .map(|(text, weight)| format!("{text} {weight:.2}"))
            .collect();
        shown.join(" · ")
    };
    let described = |features: &[DescribedFeature]| {
        list(&mut features.iter().map(|f| (f.text.as_str(), f.weight)))
    };
    let shared = list(&mut explanation.shared.iter().map(|f| (f.text.as_str(), f.left_weight)));
    let rows = [
        ("in both", explanation.shared.len(), shared),
        ("only left", explanation.only_left.len(), described(&explanation.only_left)),
        ("only right", explanation.only_right.len(), described(&explanation.only_right)),
    ];
    for (name, count, features) in rows {
        let rest = format!(" ({count} features): {features}");
        display::line_of(&[(Look::Heading, name.to_owned()), (Look::Plain, rest)])?;
    }
    Ok(())
}

fn print_difference(explanation: &Explanation) -> Result<()> {
    let mut text: Vec<Piece> = Vec::new();
    let last = explanation.difference.len().saturating_sub(1);
    for (position, (tag, words)) in explanation.difference.iter().enumerate() {
        match tag {
            ChangeTag::Equal => {
                text.push((Look::Plain, shortened(words, position == 0, position == last)));
            }
            ChangeTag::Delete => text.push((Look::Removed, format!("[-{words}-]"))),
            ChangeTag::Insert => text.push((Look::Added, format!("{{+{words}+}}"))),
        }
    }
    if let Some((_, end)) = text.last_mut() {
        end.truncate(end.trim_end().len());
    }
    display::blank()?;
    display::block_of(&text)
}

/// Unchanged text with its middle left out; at the start or end of the text only one side shows.
fn shortened(words: &str, first: bool, last: bool) -> String {
    let characters: Vec<char> = words.chars().collect();
    if characters.len() <= 2 * CONTEXT_CHARACTERS + 5 {
        return words.to_owned();
    }
    let head: String = characters.iter().take(CONTEXT_CHARACTERS).collect();
    let tail: String = characters[characters.len() - CONTEXT_CHARACTERS..].iter().collect();
    match (first, last) {
        (true, false) => format!("… {tail}"),
        (false, true) => format!("{head} …"),
        _ => format!("{head} … {tail}"),
    }
}

/// A list of features for programs, the heaviest first; the count says how many there are.
const LISTED_FEATURES: usize = 10_000;

/// The explanation for programs. Borrowed, since both texts may be long.
#[derive(Serialize)]
struct Report<'a> {
    a: &'a str,
    b: &'a str,
    duplicate: bool,
    score: f64,
    keys: Sides<usize>,
    resemblance: Option<f64>,
    containment: Option<(f64, f64)>,
    no_signature: RejectedSides,
    features: Sides<usize>,
    alone: AloneSides,
    matches: Vec<MatchRow>,
    shared: Vec<SharedRow<'a>>,
    only_a: Vec<FeatureRow<'a>>,
    only_b: Vec<FeatureRow<'a>>,
    difference: Vec<DifferenceRow<'a>>,
}

#[derive(Serialize)]
struct Sides<T> {
    a: T,
    b: T,
    shared: T,
}

#[derive(Serialize)]
struct RejectedSides {
    a: Option<&'static str>,
    b: Option<&'static str>,
}

/// What each text says that the other does not.
#[derive(Serialize)]
struct AloneSides {
    a: AloneRow,
    b: AloneRow,
}

#[derive(Serialize)]
struct AloneRow {
    words: usize,
    alone: usize,
    longest: [usize; 2],
}

#[derive(Serialize)]
struct MatchRow {
    a: [usize; 2],
    b: [usize; 2],
    distance: u32,
}

#[derive(Serialize)]
struct SharedRow<'a> {
    text: &'a str,
    left_weight: f64,
    right_weight: f64,
}

#[derive(Serialize)]
struct FeatureRow<'a> {
    text: &'a str,
    weight: f64,
}

#[derive(Serialize)]
struct DifferenceRow<'a> {
    r#in: &'static str,
    text: &'a str,
}

impl<'a> Report<'a> {
    fn new(
        explanation: &'a Explanation,
        left: &'a OwnedDocument,
        right: &'a OwnedDocument,
    ) -> Self {
        let Explanation { verdict, rejections, keys, shared, only_left, only_right, .. } =
            explanation;
        let comparison = explanation.comparison.as_ref();
        let rejection = |reason: Option<Rejection>| reason.map(Rejection::name);
        let features = |features: &'a [DescribedFeature]| {
            let listed = features.iter().take(LISTED_FEATURES);
            listed.map(|f| FeatureRow { text: &f.text, weight: f.weight }).collect()
        };
        let shared_row = |feature: &'a SharedFeature| SharedRow {
            text: &feature.text,
            left_weight: feature.left_weight,
            right_weight: feature.right_weight,
        };
        let match_row = |matched: &ParagraphMatch| MatchRow {
            a: [matched.left.start, matched.left.end],
            b: [matched.right.start, matched.right.end],
            distance: matched.distance,
        };
        let alone_row = |alone: &Alone| AloneRow {
            words: alone.words,
            alone: alone.alone,
            longest: [alone.longest.start, alone.longest.end],
        };
        let difference_row = |(tag, text): &'a (ChangeTag, String)| {
            let kind = match tag {
                ChangeTag::Equal => "both",
                ChangeTag::Delete => "left",
                ChangeTag::Insert => "right",
            };
            DifferenceRow { r#in: kind, text }
        };
        Self {
            a: &left.id,
            b: &right.id,
            duplicate: verdict.duplicate,
            score: verdict.score,
            keys: Sides { a: keys.0, b: keys.1, shared: keys.2 },
            resemblance: comparison.map(|comparison| comparison.resemblance),
            containment: comparison.and_then(|comparison| comparison.containment),
            no_signature: RejectedSides { a: rejection(rejections.0), b: rejection(rejections.1) },
            features: Sides {
                a: shared.len() + only_left.len(),
                b: shared.len() + only_right.len(),
                shared: shared.len(),
            },
            alone: AloneSides {
                a: alone_row(&explanation.alone.0),
                b: alone_row(&explanation.alone.1),
            },
            matches: explanation.matches.iter().map(match_row).collect(),
            shared: shared.iter().take(LISTED_FEATURES).map(shared_row).collect(),
            only_a: features(only_left),
            only_b: features(only_right),
            difference: explanation.difference.iter().map(difference_row).collect(),
        }
    }
}
