//! The loss of learned weights on pairs of pairs, and its gradient, without touching text.
//!
//! A k-gram's weight is λ·φ, so every inner product the similarities need is a quadratic form of
//! λ: `v_p·v_q = λᵀ A_pq λ` with `A_pq = Σ φ(g,p) φ(g,q)ᵀ` over the common k-grams, and
//! `|v_p|² = λᵀ B_p λ`. Only the symmetric part of A counts, so a pair is d(d+1)/2 numbers, and an
//! evaluation is one pass over them for the values and one for the gradient.

use crate::measure::Similarity;

/// A similarity and its derivatives by the inner product and the two squared lengths.
struct Slope {
    value: f64,
    by_product: f64,
    by_left: f64,
    by_right: f64,
}

/// Cosine or extended Jaccard from the inner product and the squared lengths.
///
/// The Jaccard of squares is no function of these; training refuses it, and here it counts as extended.
fn slope(similarity: Similarity, product: f64, left: f64, right: f64) -> Slope {
    if left <= f64::MIN_POSITIVE || right <= f64::MIN_POSITIVE {
        return Slope { value: 0.0, by_product: 0.0, by_left: 0.0, by_right: 0.0 };
    }
    if similarity == Similarity::Cosine {
        let scale = 1.0 / (left * right).sqrt();
        let value = product * scale;
        let (by_left, by_right) = (-0.5 * value / left, -0.5 * value / right);
        return Slope { value, by_product: scale, by_left, by_right };
    }
    // At least half of left + right, by the inequality of the means.
    let union = left + right - product;
    let value = product / union;
    let by_length = -value / union;
    let by_product = (1.0 + value) / union;
    Slope { value, by_product, by_left: by_length, by_right: by_length }
}

/// A stack of symmetric matrices of one size, each as its upper triangle, row by row.
#[derive(Clone, Debug)]
pub(super) struct Triangles {
    dimension: usize,
    entries: Vec<f32>,
}

impl Triangles {
    pub(super) fn new(dimension: usize) -> Self {
        Self { dimension, entries: Vec::new() }
    }

    fn size(&self) -> usize {
        self.dimension * (self.dimension + 1) / 2
    }

    /// Appends the symmetric part of `Σ left rightᵀ` over the given pairs of rows.
    pub(super) fn push<'a>(&mut self, rows: impl Iterator<Item = (&'a [f32], &'a [f32])>) {
        let mut sums = vec![0.0f64; self.size()];
        for (left, right) in rows {
            let mut rest = &mut sums[..];
            for i in 0..self.dimension {
                let (row, tail) = rest.split_at_mut(self.dimension - i);
                let (l, r) = (f64::from(left[i]) * 0.5, f64::from(right[i]) * 0.5);
                for ((sum, &lj), &rj) in row.iter_mut().zip(&left[i..]).zip(&right[i..]) {
                    *sum += l * f64::from(rj) + r * f64::from(lj);
                }
                rest = tail;
            }
        }
        self.entries.extend(sums.iter().map(|&sum| sum as f32));
    }

    /// `λᵀ M λ` for each matrix.
    fn forms(&self, point: &[f64]) -> Vec<f64> {
        let mut products = Vec::with_capacity(self.size());
        for (i, &a) in point.iter().enumerate() {
            products.push(a * a);
            products.extend(point[i + 1..].iter().map(|b| 2.0 * a * b));
        }
        self.entries.chunks_exact(self.size()).map(|matrix| inner(matrix, &products)).collect()
    }

    /// Adds `Σ factor M` to `sum`.
    fn add_weighted(&self, factors: &[f64], sum: &mut [f64]) {
        for (matrix, &factor) in self.entries.chunks_exact(self.size()).zip(factors) {
            if factor != 0.0 {
                for (s, &entry) in sum.iter_mut().zip(matrix) {
                    *s += factor * f64::from(entry);
                }
            }
        }
    }
}

/// An inner product in eight sums that can run side by side.
fn inner(left: &[f32], right: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (left_chunks, right_chunks) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest = left_chunks.remainder().iter().zip(right_chunks.remainder());
    let tail: f64 = rest.map(|(&l, r)| f64::from(l) * r).sum();
    for (l, r) in left_chunks.zip(right_chunks) {
        for lane in 0..8 {
            sums[lane] += f64::from(l[lane]) * r[lane];
        }
    }
    sums.iter().sum::<f64>() + tail
}

/// The documents, pairs and preferences that weights are learned from.
#[derive(Clone, Debug)]
pub(super) struct Objective {
    pub(super) similarity: Similarity,
    /// `B_p` of each document.
    pub(super) lengths: Triangles,
    /// `A_pq` of each pair.
    pub(super) products: Triangles,
    /// The two documents of each pair.
    pub(super) pairs: Vec<(u32, u32)>,
    /// Pairs of pairs: the first should be more alike than the second.
    pub(super) preferences: Vec<(u32, u32)>,
    /// How fast the loss falls with the difference of two similarities.
    pub(super) sharpness: f64,
    /// Weight of the penalty.
    pub(super) regularization: f64,
    /// Where the penalty is zero.
    pub(super) center: Vec<f64>,
}

impl Objective {
    /// Mean of `ln(1 + exp(-sharpness · Δ))` plus `regularization/2 · |λ - center|²`.
    pub(super) fn evaluate(&self, point: &[f64], gradient: &mut [f64]) -> f64 {
        let lengths = self.lengths.forms(point);
        let products = self.products.forms(point);
        let slopes: Vec<Slope> = self
            .pairs
            .iter()
            .zip(&products)
            .map(|(&(left, right), &product)| {
                let (left, right) = (lengths[left as usize], lengths[right as usize]);
                slope(self.similarity, product, left, right)
            })
            .collect();
        let mut by_similarity = vec![0.0; self.pairs.len()];
        let share = 1.0 / self.preferences.len().max(1) as f64;
        let mut loss = 0.0;
        for &(better, worse) in &self.preferences {
            let difference = slopes[better as usize].value - slopes[worse as usize].value;
            let margin = self.sharpness * difference;
            loss += share * log_one_plus_exp(-margin);
            let pull = share * self.sharpness / (1.0 + margin.exp());
            by_similarity[better as usize] -= pull;
            by_similarity[worse as usize] += pull;
        }
        let mut by_length = vec![0.0; lengths.len()];
        let mut by_product = vec![0.0; self.pairs.len()];
        for (i, (&(left, right), slope)) in self.pairs.iter().zip(&slopes).enumerate() {
            by_product[i] = by_similarity[i] * slope.by_product;
            by_length[left as usize] += by_similarity[i] * slope.by_left;
            by_length[right as usize] += by_similarity[i] * slope.by_right;
        }
        let mut sum = vec![0.0; self.products.size()];
        self.products.add_weighted(&by_product, &mut sum);
        self.lengths.add_weighted(&by_length, &mut sum);
        apply_twice(&sum, point, gradient);
        for ((g, &p), &c) in gradient.iter_mut().zip(point).zip(&self.center) {
            *g += self.regularization * (p - c);
            loss += 0.5 * self.regularization * (p - c) * (p - c);
        }
        loss
    }
}

/// `gradient = 2 M λ` for a symmetric matrix given by its upper triangle.
fn apply_twice(triangle: &[f64], point: &[f64], gradient: &mut [f64]) {
    gradient.fill(0.0);
    let mut entries = triangle.iter();
    for i in 0..point.len() {
        for j in i..point.len() {
            let Some(entry) = entries.next() else { return };
            gradient[i] += 2.0 * entry * point[j];
            if i != j {
                gradient[j] += 2.0 * entry * point[i];
            }
        }
    }
}

/// `ln(1 + eˣ)` without overflow.
fn log_one_plus_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SplitMix64;

    fn random_rows(generator: &mut SplitMix64, dimension: usize) -> Vec<Vec<f32>> {
        (0..6)
            .map(|_| {
                let mut row = vec![1.0f32];
                row.resize_with(dimension, || generator.next_f64() as f32 - 0.5);
                row
            })
            .collect()
    }

    /// Eight documents of six k-grams over the same vocabulary, and every pair of them.
    fn objective(similarity: Similarity, seed: u64) -> Objective {
        let dimension = 5;
        let mut generator = SplitMix64::new(seed);
        let documents: Vec<_> = (0..8).map(|_| random_rows(&mut generator, dimension)).collect();
        let mut lengths = Triangles::new(dimension);
        for rows in &documents {
            lengths.push(rows.iter().map(|row| (&row[..], &row[..])));
        }
        let (mut products, mut pairs) = (Triangles::new(dimension), Vec::new());
        for p in 0..8 {
            for q in 0..p {
                let common = 1 + generator.next_below(5) as usize;
                let rows = documents[p].iter().zip(&documents[q]).take(common);
                products.push(rows.map(|(l, r)| (&l[..], &r[..])));
                pairs.push((p as u32, q as u32));
            }
        }
        let n = pairs.len() as u64;
        let mut draw = || generator.next_below(n) as u32;
        let preferences = (0..50).map(|_| (draw(), draw())).collect();
        Objective {
            similarity,
            lengths,
            products,
            pairs,
            preferences,
            sharpness: 4.0,
            regularization: 0.01,
            center: vec![1.0, 0.0, 0.0, 0.0, 0.0],
        }
    }

    #[test]
    fn gradients_agree_with_finite_differences() {
        for similarity in [Similarity::Cosine, Similarity::ExtendedJaccard] {
            for seed in 0..5 {
                let objective = objective(similarity, seed);
                let mut generator = SplitMix64::new(seed + 100);
                let point: Vec<f64> = (0..5).map(|_| generator.next_f64() * 2.0 - 0.5).collect();
                let mut gradient = vec![0.0; 5];
                objective.evaluate(&point, &mut gradient);
                let length = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
                for i in 0..5 {
                    let step = 1e-5;
                    let at = |delta: f64| {
                        let mut moved = point.clone();
                        moved[i] += delta;
                        objective.evaluate(&moved, &mut [0.0; 5])
                    };
                    let numeric = (at(step) - at(-step)) / (2.0 * step);
                    let error = (numeric - gradient[i]).abs() / length;
                    assert!(error < 1e-5, "{similarity:?} {i}: {numeric} against {}", gradient[i]);
                }
            }
        }
    }

    #[test]
    fn quadratic_forms_equal_the_vectors_they_stand_for() {
        let mut generator = SplitMix64::new(9);
        let (left, right) = (random_rows(&mut generator, 4), random_rows(&mut generator, 4));
        let point = [0.3, -1.0, 0.7, 2.0];
        let weight = |row: &Vec<f32>| -> f64 {
            row.iter().zip(&point).map(|(&x, l)| f64::from(x) * l).sum()
        };
        let expected: f64 = left.iter().zip(&right).map(|(l, r)| weight(l) * weight(r)).sum();
        let mut triangles = Triangles::new(4);
        triangles.push(left.iter().zip(&right).map(|(l, r)| (&l[..], &r[..])));
        assert!((triangles.forms(&point)[0] - expected).abs() < 1e-5);
    }
}
