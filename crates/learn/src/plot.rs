//! Curves as a self-contained SVG.

use std::fmt::Write as _;

/// Width and height of the picture.
const SIZE: (f64, f64) = (900.0, 560.0);
/// Left, right, upper and lower edge of the area with the curves.
const AREA: [f64; 4] = [76.0, 884.0, 44.0, 504.0];
/// One color a curve, again from the first where there are more.
const COLORS: [&str; 8] =
    ["#c0392b", "#2471a3", "#239b56", "#b9770e", "#7d3c98", "#117a65", "#5d6d7e", "#d35400"];

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, by ascending x.
    pub points: Vec<(f64, f64)>,
}

/// What `plot.svg` shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// The heading.
    pub title: String,
    /// What runs along x.
    pub x_label: String,
    /// What runs along y.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
}

impl Plot {
    /// A plot without curves.
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        Self {
            title: title.to_owned(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            series: Vec::new(),
        }
    }

    /// Adds a curve; points that are not finite are left out.
    pub fn push(&mut self, name: impl Into<String>, points: Vec<(f64, f64)>) {
        let points = points.into_iter().filter(|(x, y)| x.is_finite() && y.is_finite());
        self.series.push(Series { name: name.into(), points: points.collect() });
    }

    /// Draws the plot; the y axis starts at 0 unless a value lies below.
    pub fn to_svg(&self) -> String {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x_range = range(points().map(|point| point.0));
        let (y_low, y_high) = range(points().map(|point| point.1).chain([0.0]));
        let y_range = (y_low, y_high * 1.05);
        let [left, right, top, bottom] = AREA;
        let x_at = |x: f64| left + (x - x_range.0) / (x_range.1 - x_range.0) * (right - left);
        let y_at = |y: f64| bottom - (y - y_range.0) / (y_range.1 - y_range.0) * (bottom - top);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
            SIZE.0, SIZE.1
        );
        let middle = f64::midpoint(left, right);
        push_text(&mut svg, (middle, 26.0), "middle\" font-size=\"20", &self.title);
        push_text(&mut svg, (middle, SIZE.1 - 10.0), "middle", &self.x_label);
        let y_label = format!("start\" transform=\"rotate(-90 18 {bottom})");
        push_text(&mut svg, (18.0, bottom), &y_label, &self.y_label);
        for tick in ticks(x_range) {
            push_line(&mut svg, [(x_at(tick), top), (x_at(tick), bottom)], "#ddd");
            push_text(&mut svg, (x_at(tick), bottom + 18.0), "middle", &shown(tick));
        }
        for tick in ticks(y_range) {
            push_line(&mut svg, [(left, y_at(tick)), (right, y_at(tick))], "#ddd");
            push_text(&mut svg, (left - 8.0, y_at(tick) + 4.0), "end", &shown(tick));
        }
        push_line(&mut svg, [(left, top), (left, bottom)], "black");
        push_line(&mut svg, [(left, bottom), (right, bottom)], "black");
        let legend = bottom - 12.0 - 18.0 * self.series.len() as f64;
        for (number, series) in self.series.iter().enumerate() {
            let color = COLORS[number % COLORS.len()];
            let at = |(x, y): &(f64, f64)| format!("{:.1},{:.1}", x_at(*x), y_at(*y));
            let places: Vec<String> = series.points.iter().map(at).collect();
            let places = places.join(" ");
            let _ = writeln!(
                svg,
                "<polyline points=\"{places}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>"
            );
            for (x, y) in &series.points {
                let (x, y) = (x_at(*x), y_at(*y));
                let _ =
                    writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{color}\"/>");
            }
            if self.series.len() > 1 {
                let y = legend + 18.0 * number as f64;
                push_line(&mut svg, [(right - 230.0, y), (right - 212.0, y)], color);
                push_text(&mut svg, (right - 206.0, y + 4.0), "start", &series.name);
            }
        }
        svg + "</svg>\n"
    }
}

fn push_line(svg: &mut String, [from, to]: [(f64, f64); 2], color: &str) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = writeln!(
        svg,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{color}\"/>"
    );
}

fn push_text(svg: &mut String, (x, y): (f64, f64), anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>");
}

/// Round numbers within a range, about six of them.
fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|of| of * power).into_iter().find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|number| number as f64 * step).collect()
}

/// A tick's number without the digits of binary fractions.
fn shown(tick: f64) -> String {
    let text = format!("{tick:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    match (low.is_finite(), high > low) {
        (false, _) => (0.0, 1.0),
        (true, false) => (low, low + 1.0),
        (true, true) => (low, high),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_curves_and_draws_each_point() {
        let mut plot = Plot::new("Recall <1>", "lexicons", "recall");
        plot.push("native", vec![(0.0, 0.5), (10.0, 0.75)]);
        plot.push("foreign & wide", vec![(0.0, 0.4), (10.0, f64::NAN)]);
        let svg = plot.to_svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
        assert!(svg.contains(">native<") && svg.contains("foreign &amp; wide"), "{svg}");
        assert!(svg.contains("Recall &lt;1&gt;"), "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3);
        // The first point stands at the left edge, 0.75 below the upper one by the room above.
        assert!(svg.contains("<circle cx=\"76.0\"") && svg.contains("cy=\"65.9\""), "{svg}");
    }

    #[test]
    fn a_plot_without_points_is_still_a_picture() {
        let svg = Plot::new("nothing", "x", "y").to_svg();
        assert!(svg.contains("nothing") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        assert_eq!(ticks((0.0, 1.05)), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(shown(0.6000000000000001), "0.6");
        assert_eq!(ticks((0.0, 4096.0)), [0.0, 1000.0, 2000.0, 3000.0, 4000.0]);
    }
}
