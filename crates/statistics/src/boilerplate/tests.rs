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
    assert_eq!(there, report(&pages, 5));
}

/// The same notice, at one place of seven pages and at ever other places of five more.
fn pages_with_a_notice() -> Vec<String> {
    let notice = "This site is not liable for the pages of others.".to_owned();
    (0..12)
        .map(|number| {
            let mut paragraphs: Vec<String> =
                (0..4).flat_map(|part| story(number * 5 + part)).collect();
            let at = if number < 8 { 2 } else { number - 4 };
            paragraphs.insert(at, notice.clone());
            // A document's end differs from page to page, so that only the start can be fixed.
            paragraphs.truncate(at + 1 + number % 12);
            paragraphs.join("\n\n")
        })
        .collect()
}

/// Pages of one notice and one story: five have the story at one place, seven elsewhere, and each
/// has some words of its own. Whether the story counts as part of the template decides whether the
/// pages are otherwise different.
fn pages_that_share_a_story() -> Vec<String> {
    let words = |name: &str, count: usize| {
        (0..count).map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" ")
    };
    (0..12)
        .map(|page: usize| {
            let own = |number: usize| words(&format!("own{page}x{number}x"), 6);
            let before = page.saturating_sub(4);
            let mut paragraphs = vec![words("notice", 600)];
            paragraphs.extend((0..before).map(own));
            paragraphs.push(words("story", 200));
            paragraphs.extend((before..before + page + 3).map(own));
            paragraphs.join("\n\n")
        })
        .collect()
}

#[test]
fn what_only_some_orders_take_for_a_template_is_taken_for_one_in_none() {
    let mut pages = pages_that_share_a_story();
    for _ in 0..2 {
        assert!(report(&pages, 10).paragraphs.is_empty());
        pages.reverse();
    }
}

#[test]
fn a_place_that_a_minority_spoils_is_found_in_every_order() {
    let pages = pages_with_a_notice();
    let expected = report(&pages, 10);
    assert_eq!(expected.paragraphs.len(), 1);
    let mut random = 1_u64;
    for _ in 0..200 {
        let mut shuffled = pages.clone();
        for last in (1..shuffled.len()).rev() {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            shuffled.swap(last, (random >> 33) as usize % (last + 1));
        }
        assert_eq!(report(&shuffled, 10), expected);
    }
}

#[test]
fn a_paragraph_counts_once_a_document_at_its_outermost_places() {
    let hashes = hashes("a\n\nb\n\na\n\nc");
    let mut rows = Vec::new();
    place_rows(&hashes, |_| true, &mut rows);
    let hash = paragraph_hash("A!").unwrap();
    let mut places: Vec<u32> = rows.iter().filter(|r| r.hash == hash).map(|r| r.place).collect();
    places.sort_unstable();
    assert_eq!(places, [0, 3]);
}
