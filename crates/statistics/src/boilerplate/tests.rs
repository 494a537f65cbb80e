//! Templates against stories and copies.

use super::*;

/// A word that no other (story, position) has.
fn word(story: usize, position: usize) -> String {
    format!("w{}", (story * 1000 + position) * 7919 % 99_991)
}

fn story(number: usize) -> Vec<String> {
    (0..4)
        .map(|paragraph| {
            let words: Vec<String> =
                (0..40).map(|position| word(number, paragraph * 40 + position)).collect();
            words.join(" ")
        })
        .collect()
}

/// A page of a site: a menu that grows with the site's number, the story, a footer that shrinks.
fn page(site: usize, story: &[String]) -> String {
    let menu = (0..=site).map(|item| format!("Site {site} menu {item}"));
    let footer = (site..12).map(|item| format!("Site {site} is not liable for item {item}."));
    let parts: Vec<String> = menu.chain(story.iter().cloned()).chain(footer).collect();
    parts.join("\n\n")
}

fn report(pages: &[String], min_documents: usize) -> BoilerplateReport {
    let options = BoilerplateOptions { min_documents, ..BoilerplateOptions::default() };
    find_boilerplate(options, || pages.iter().map(String::as_str))
}

#[test]
fn templates_are_told_from_stories_that_many_sites_print() {
    let pages: Vec<String> =
        (0..12).flat_map(|site| (0..12).map(move |number| page(site, &story(number)))).collect();
    let report = report(&pages, 6);
    // Thirteen paragraphs of menu and footer on each site.
    assert_eq!(report.paragraphs.len(), 12 * 13);
    assert!(report.paragraphs.iter().all(|p| p.example.starts_with("Site")));
    assert_eq!(report.templates().len(), 12);
    let set = report.set();
    assert!(set.contains("site 3 Menu 1!"));
    assert!(!set.contains(&story(5)[0]));
}

#[test]
fn copies_of_one_document_are_no_template() {
    let exact: Vec<String> = (0..30).map(|_| page(2, &story(1))).collect();
    assert!(report(&exact, 5).paragraphs.is_empty());
    // Every copy has one word changed, each in another paragraph.
    let edited: Vec<String> = (0..30)
        .map(|copy| {
            let mut story = story(1);
            story[copy % 4] = story[copy % 4].replace(&word(1, copy % 4 * 40 + 3 + copy / 4), "x");
            page(2, &story)
        })
        .collect();
    assert!(report(&edited, 5).paragraphs.is_empty());
}

#[test]
fn few_documents_make_no_template() {
    let pages: Vec<String> = (0..4).map(|number| page(3, &story(number))).collect();
    assert!(report(&pages, 5).paragraphs.is_empty());
    assert_eq!(report(&pages, 4).paragraphs.len(), 13);
}

#[test]
fn masking_keeps_length_and_places() {
    let pages: Vec<String> = (0..6).map(|number| page(1, &story(number))).collect();
    let set = report(&pages, 5).set();
    let masked = set.mask(&pages[0]);
    assert_eq!(masked.len(), pages[0].len());
    let first = &story(0)[0];
    assert_eq!(masked.find(first), pages[0].find(first));
    assert!(!masked.contains("menu"));
    assert!(matches!(set.mask("nothing of it"), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn the_order_of_the_documents_does_not_matter() {
    let mut pages: Vec<String> =
        (0..5).flat_map(|site| (0..8).map(move |number| page(site, &story(number)))).collect();
    let there = report(&pages, 5);
    pages.reverse();
    assert_eq!(there.set(), report(&pages, 5).set());
}

#[test]
fn a_full_table_forgets_the_rarest_paragraphs_first() {
    let pages: Vec<String> = (0..40).map(|number| page(0, &story(number))).collect();
    let options = BoilerplateOptions { max_paragraphs: 50, ..BoilerplateOptions::default() };
    let report = find_boilerplate(options, || pages.iter().map(String::as_str));
    assert!(report.forgotten > 0);
    assert_eq!(report.paragraphs.len(), 13);
}
