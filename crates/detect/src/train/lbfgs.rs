//! Limited-memory BFGS: minimizes a smooth function of a few dozen parameters.
//!
//! Nocedal's two-loop recursion with a backtracking line search that also demands curvature, as
//! in Nocedal and Wright, *Numerical Optimization*, algorithms 7.4 and 3.5. Plain sequential
//! arithmetic: the same input gives the same bits on every machine.

use std::collections::VecDeque;

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LbfgsOptions {
    /// Past steps remembered.
    pub memory: usize,
    /// Most steps taken.
    pub max_iterations: usize,
    /// Stop when the gradient's length falls below this share of the point's (at least 1).
    pub gradient_tolerance: f64,
    /// Stop when a step lowers the value by less than this share of it.
    pub value_tolerance: f64,
}

impl Default for LbfgsOptions {
    fn default() -> Self {
        Self { memory: 8, max_iterations: 200, gradient_tolerance: 1e-6, value_tolerance: 1e-7 }
    }
}

/// Where the search ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// The best point found.
    pub point: Vec<f64>,
    /// The function's value there.
    pub value: f64,
    /// Steps taken.
    pub iterations: usize,
    /// How often the function was computed.
    pub evaluations: usize,
}

/// A step, the change of the gradient along it, and one over their product.
struct Correction {
    step: Vec<f64>,
    gradient_change: Vec<f64>,
    inverse_product: f64,
}

/// Minimizes `objective`, which returns the value at a point and writes the gradient there.
pub fn minimize(
    start: Vec<f64>,
    options: LbfgsOptions,
    mut objective: impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Minimum {
    let mut gradient = vec![0.0; start.len()];
    let value = objective(&start, &mut gradient);
    let mut minimum = Minimum { point: start, value, iterations: 0, evaluations: 1 };
    let mut corrections: VecDeque<Correction> = VecDeque::new();
    while minimum.iterations < options.max_iterations {
        let scale = norm(&minimum.point).max(1.0);
        if norm(&gradient) <= options.gradient_tolerance * scale {
            break;
        }
        let mut direction = descent_direction(&gradient, &corrections);
        if dot(&direction, &gradient) >= 0.0 {
            corrections.clear();
            direction = gradient.iter().map(|g| -g).collect();
        }
        // The first direction carries no curvature: its length is that of the gradient.
        let first = if corrections.is_empty() { 1.0 / norm(&direction).max(1.0) } else { 1.0 };
        let Some(trial) = search(&minimum, &gradient, &direction, first, &mut objective) else {
            break;
        };
        minimum.evaluations += trial.evaluations;
        minimum.iterations += 1;
        let step: Vec<f64> = difference(&trial.point, &minimum.point);
        let gradient_change = difference(&trial.gradient, &gradient);
        let product = dot(&step, &gradient_change);
        if product > 1e-12 * dot(&gradient_change, &gradient_change) {
            if corrections.len() == options.memory {
                corrections.pop_front();
            }
            corrections.push_back(Correction {
                step,
                gradient_change,
                inverse_product: 1.0 / product,
            });
        }
        let lowered = minimum.value - trial.value;
        (minimum.point, minimum.value, gradient) = (trial.point, trial.value, trial.gradient);
        if lowered <= options.value_tolerance * minimum.value.abs().max(1e-12) {
            break;
        }
    }
    minimum
}

/// Minus the gradient times the inverse Hessian that the remembered steps imply.
fn descent_direction(gradient: &[f64], corrections: &VecDeque<Correction>) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    let mut factors = Vec::with_capacity(corrections.len());
    for correction in corrections.iter().rev() {
        let factor = correction.inverse_product * dot(&correction.step, &direction);
        add_scaled(&mut direction, -factor, &correction.gradient_change);
        factors.push(factor);
    }
    if let Some(last) = corrections.back() {
        let change = &last.gradient_change;
        let scale = 1.0 / (last.inverse_product * dot(change, change));
        for d in &mut direction {
            *d *= scale;
        }
    }
    for (correction, factor) in corrections.iter().zip(factors.into_iter().rev()) {
        let other = correction.inverse_product * dot(&correction.gradient_change, &direction);
        add_scaled(&mut direction, factor - other, &correction.step);
    }
    direction
}

/// A point along the search direction.
struct Trial {
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    evaluations: usize,
}

/// A step that satisfies the weak Wolfe conditions, found by bisection; `None` if there is none.
fn search(
    from: &Minimum,
    gradient: &[f64],
    direction: &[f64],
    first: f64,
    objective: &mut impl FnMut(&[f64], &mut [f64]) -> f64,
) -> Option<Trial> {
    const DECREASE: f64 = 1e-4;
    const CURVATURE: f64 = 0.9;
    const MAX_TRIALS: usize = 40;
    let slope = dot(gradient, direction);
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, first);
    let mut best = None;
    for evaluations in 1..=MAX_TRIALS {
        let mut point = from.point.clone();
        add_scaled(&mut point, length, direction);
        let mut trial_gradient = vec![0.0; point.len()];
        let value = objective(&point, &mut trial_gradient);
        let enough = value.is_finite() && value <= from.value + DECREASE * length * slope;
        let flat = enough && dot(&trial_gradient, direction) >= CURVATURE * slope;
        if enough {
            low = length;
            best = Some(Trial { point, value, gradient: trial_gradient, evaluations });
        } else {
            high = length;
        }
        if flat {
            break;
        }
        length = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * length };
    }
    best
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(l, r)| l * r).sum()
}

fn norm(vector: &[f64]) -> f64 {
    dot(vector, vector).sqrt()
}

fn difference(left: &[f64], right: &[f64]) -> Vec<f64> {
    left.iter().zip(right).map(|(l, r)| l - r).collect()
}

fn add_scaled(target: &mut [f64], factor: f64, source: &[f64]) {
    for (t, s) in target.iter_mut().zip(source) {
        *t += factor * s;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_valley_of_rosenbrock_is_followed_to_its_end() {
        let rosenbrock = |x: &[f64], gradient: &mut [f64]| {
            let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
            gradient[0] = -2.0 * a - 400.0 * x[0] * b;
            gradient[1] = 200.0 * b;
            a * a + 100.0 * b * b
        };
        let options = LbfgsOptions { value_tolerance: 0.0, ..LbfgsOptions::default() };
        let minimum = minimize(vec![-1.2, 1.0], options, rosenbrock);
        assert!((minimum.point[0] - 1.0).abs() < 1e-5, "{minimum:?}");
        assert!((minimum.point[1] - 1.0).abs() < 1e-5, "{minimum:?}");
        assert!(minimum.iterations < 60);
    }

    #[test]
    fn a_quadratic_of_many_scales_is_solved() {
        let scales: Vec<f64> = (0..30).map(|i| 10f64.powf(f64::from(i) / 10.0)).collect();
        let quadratic = |x: &[f64], gradient: &mut [f64]| {
            let mut value = 0.0;
            for ((g, &v), scale) in gradient.iter_mut().zip(x).zip(&scales) {
                *g = scale * (v - 3.0);
                value += 0.5 * scale * (v - 3.0) * (v - 3.0);
            }
            value
        };
        let options = LbfgsOptions { value_tolerance: 0.0, ..LbfgsOptions::default() };
        let minimum = minimize(vec![0.0; 30], options, quadratic);
        assert!(minimum.point.iter().all(|v| (v - 3.0).abs() < 1e-3), "{minimum:?}");
    }

    #[test]
    fn a_start_at_the_minimum_stays() {
        let minimum = minimize(vec![0.0], LbfgsOptions::default(), |x, gradient| {
            gradient[0] = 2.0 * x[0];
            x[0] * x[0]
        });
        assert_eq!((minimum.iterations, minimum.point), (0, vec![0.0]));
    }
}
