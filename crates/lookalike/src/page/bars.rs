//! Bars with a count each, as a picture inside the page.

use super::shell::{escaped, push};

/// Appends a row of bars: what is counted, then for each bar its name and its count.
pub(super) fn bars(page: &mut String, title: &str, bars: &[(String, u64)]) {
    const WIDTH: usize = 48;
    const HEIGHT: usize = 120;
    const GAP: usize = 4;
    let most = bars.iter().map(|(_, count)| *count).max().unwrap_or(0);
    if most == 0 {
        return;
    }
    let width = bars.len() * (WIDTH + GAP);
    let told: Vec<String> = bars.iter().map(|(name, count)| format!("{name}: {count}")).collect();
    push(
        page,
        format_args!(
            "<svg role=\"img\" width=\"{width}\" height=\"{}\" viewBox=\"0 0 {width} {}\" \
             aria-label=\"{}: {}\">\n",
            HEIGHT + 40,
            HEIGHT + 40,
            escaped(title),
            escaped(&told.join(", ")),
        ),
    );
    for (number, (name, count)) in bars.iter().enumerate() {
        // Any count that is not 0 can be seen.
        let height = (HEIGHT as f64 * *count as f64 / most as f64).ceil() as usize;
        let (x, y) = (number * (WIDTH + GAP), 16 + HEIGHT - height);
        let middle = x + WIDTH / 2;
        push(
            page,
            format_args!(
                "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{height}\"/>\
                 <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{count}</text>\
                 <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                y - 4,
                HEIGHT + 32,
                escaped(name),
            ),
        );
    }
    page.push_str("</svg>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_count_has_its_bar_and_is_told_in_words() {
        let mut page = String::new();
        bars(&mut page, "sizes", &[("2".into(), 1000), ("3".into(), 1), ("4".into(), 0)]);
        assert_eq!(page.matches("<rect").count(), 3);
        assert!(page.contains("height=\"120\"") && page.contains("height=\"1\""), "{page}");
        assert!(page.contains("aria-label=\"sizes: 2: 1000, 3: 1, 4: 0\""), "{page}");
        let mut nothing = String::new();
        bars(&mut nothing, "sizes", &[("2".into(), 0)]);
        assert!(nothing.is_empty());
    }
}
