//! Curves as a self-contained SVG.

use plotters::prelude::*;

use crate::LearnError;

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
    pub fn to_svg(&self) -> Result<String, LearnError> {
        let mut svg = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, (900, 560)).into_drawing_area();
            self.draw(&root).map_err(|error| LearnError::Plot(error.to_string()))?;
            root.present().map_err(|error| LearnError::Plot(error.to_string()))?;
        }
        Ok(svg)
    }

    fn draw<B: DrawingBackend>(
        &self,
        root: &DrawingArea<B, plotters::coord::Shift>,
    ) -> Result<(), DrawingAreaErrorKind<B::ErrorType>> {
        root.fill(&WHITE)?;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let (x_low, x_high) = range(points().map(|point| point.0));
        let (y_low, y_high) = range(points().map(|point| point.1).chain([0.0]));
        let mut chart = ChartBuilder::on(root)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(44)
            .y_label_area_size(64)
            .build_cartesian_2d(x_low..x_high, y_low..y_high * 1.05)?;
        chart
            .configure_mesh()
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .light_line_style(WHITE)
            .draw()?;
        for (number, series) in self.series.iter().enumerate() {
            let color = Palette99::pick(number).to_rgba();
            chart
                .draw_series(LineSeries::new(series.points.clone(), color.stroke_width(2)))?
                .label(&series.name)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            let dots = series.points.iter().map(|point| Circle::new(*point, 3, color.filled()));
            chart.draw_series(dots)?;
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK.mix(0.3))
                .position(SeriesLabelPosition::LowerRight)
                .draw()?;
        }
        Ok(())
    }
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

type DrawingAreaErrorKind<E> = plotters::drawing::DrawingAreaErrorKind<E>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_names_its_curves() {
        let mut plot = Plot::new("Recall", "lexicons", "recall");
        plot.push("native", vec![(0.0, 0.5), (10.0, 0.75)]);
        plot.push("foreign", vec![(0.0, 0.4), (10.0, f64::NAN)]);
        let svg = plot.to_svg().unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("native") && svg.contains("foreign"));
    }

    #[test]
    fn a_plot_without_points_is_still_a_picture() {
        assert!(Plot::new("nothing", "x", "y").to_svg().unwrap().starts_with("<svg"));
    }
}
