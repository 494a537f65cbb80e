//! What a run over the index found, as requests ask for it.

use std::collections::BTreeMap;

use lookalike::{Findings, RunError};
use serde::Serialize;

/// Pairs that are listed, those of the lowest scores.
const LISTED_PAIRS: usize = 1 << 20;
/// Steps of scores from 0 to 1.
const STEPS: usize = 20;

/// The clusters and pairs of one run.
#[derive(Debug, Default)]
pub struct View {
    /// The number of changes that it has seen.
    pub sequence: u64,
    /// When it was begun.
    pub made: u64,
    /// How long it took.
    pub seconds: f64,
    /// Documents that were looked at.
    pub documents: u64,
    /// Documents that are copies of another one.
    pub copies: u64,
    /// Confirmed pairs.
    pub n_pairs: u64,
    /// Clusters, the largest first, equal ones by the keeper's id.
    pub clusters: Vec<Cluster>,
    /// Places of clusters by their lowest score, the lowest first.
    pub by_score: Vec<u32>,
    /// Pairs, the lowest score first, equal ones by their ids.
    pub pairs: Vec<Pair>,
    /// How many pairs lie in each step of the score.
    pub scores: Vec<u64>,
    /// Ids of documents in pairs.
    pub ids: Vec<Box<str>>,
    /// The cluster of each document that is in one.
    pub cluster_of: BTreeMap<Box<str>, u32>,
}

/// A cluster.
#[derive(Debug)]
pub struct Cluster {
    pub keeper: Box<str>,
    /// The lowest score of a member against the keeper; `None` where one was never confirmed.
    pub lowest_score: Option<f64>,
    /// The others, by id, with their scores against the keeper.
    pub members: Vec<(Box<str>, Option<f64>)>,
}

impl Cluster {
    /// Documents in it.
    pub fn size(&self) -> usize {
        self.members.len() + 1
    }

    /// A number by which clusters are ordered that begin with the least certain.
    pub fn certainty(&self) -> f64 {
        self.lowest_score.unwrap_or(-1.0)
    }
}

/// A confirmed pair, by the places of its ids.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    pub score: f64,
    a: u32,
    b: u32,
}

/// How many there are between two bounds.
#[derive(Debug, Serialize)]
pub struct Step<T> {
    from: T,
    to: T,
    count: u64,
}

impl View {
    /// What a run found.
    pub fn of(findings: &Findings) -> Result<Self, RunError> {
        let summary = &findings.summary;
        let mut view = Self {
            documents: summary.documents,
            copies: summary.removed,
            scores: vec![0; STEPS],
            ..Self::default()
        };
        for cluster in findings.clusters() {
            let members: Vec<(Box<str>, Option<f64>)> =
                cluster.members.iter().map(|member| (member.id.into(), member.score)).collect();
            let lowest_score = members
                .iter()
                .map(|(_, score)| *score)
                .reduce(|left, right| left.zip(right).map(|(left, right)| left.min(right)));
            let lowest_score = lowest_score.flatten();
            view.clusters.push(Cluster { keeper: cluster.keeper.id.into(), lowest_score, members });
        }
        // They come by the keeper's id, and the sort is stable.
        view.clusters.sort_by_key(|cluster| std::cmp::Reverse(cluster.size()));
        view.by_score = (0..view.clusters.len() as u32).collect();
        let clusters = &view.clusters;
        view.by_score.sort_by(|left, right| {
            let of = |at: &u32| &clusters[*at as usize];
            of(left)
                .certainty()
                .total_cmp(&of(right).certainty())
                .then_with(|| of(left).keeper.cmp(&of(right).keeper))
        });
        for (at, cluster) in (0..).zip(&view.clusters) {
            let members = cluster.members.iter().map(|(id, _)| id);
            let ids = [&cluster.keeper].into_iter().chain(members).cloned();
            view.cluster_of.extend(ids.map(|id| (id, at)));
        }
        view.add_pairs(findings)?;
        Ok(view)
    }

    fn add_pairs(&mut self, findings: &Findings) -> Result<(), RunError> {
        let mut places: BTreeMap<Box<str>, u32> = BTreeMap::new();
        let ids = &mut self.ids;
        let mut place = |id: &str| -> u32 {
            if let Some(place) = places.get(id) {
                return *place;
            }
            ids.push(id.into());
            let place = ids.len() as u32 - 1;
            places.insert(id.into(), place);
            place
        };
        for pair in findings.pairs() {
            let pair = pair?;
            self.n_pairs += 1;
            let step = (pair.score.clamp(0.0, 1.0) * STEPS as f64) as usize;
            self.scores[step.min(STEPS - 1)] += 1;
            self.pairs.push(Pair { score: pair.score, a: place(pair.a.id), b: place(pair.b.id) });
            if self.pairs.len() >= 2 * LISTED_PAIRS {
                self.pairs.sort_by(|left, right| left.score.total_cmp(&right.score));
                self.pairs.truncate(LISTED_PAIRS);
            }
        }
        let ids = &self.ids;
        self.pairs.sort_by(|left, right| {
            let key = |pair: &Pair| (&ids[pair.a as usize], &ids[pair.b as usize]);
            left.score.total_cmp(&right.score).then_with(|| key(left).cmp(&key(right)))
        });
        self.pairs.truncate(LISTED_PAIRS);
        Ok(())
    }

    /// The ids of a pair.
    pub fn pair_ids(&self, pair: &Pair) -> (&str, &str) {
        (&self.ids[pair.a as usize], &self.ids[pair.b as usize])
    }

    /// The cluster of a document.
    pub fn cluster(&self, id: &str) -> Option<&Cluster> {
        self.cluster_of.get(id).map(|at| &self.clusters[*at as usize])
    }

    /// How many clusters there are of each size, in doubling steps.
    pub fn sizes(&self) -> Vec<Step<usize>> {
        let mut steps: Vec<Step<usize>> = Vec::new();
        for cluster in self.clusters.iter().rev() {
            while steps.last().is_none_or(|step| step.to < cluster.size()) {
                let from = steps.last().map_or(2, |step| step.to + 1);
                steps.push(Step { from, to: 2 * from - 1, count: 0 });
            }
            if let Some(step) = steps.last_mut() {
                step.count += 1;
            }
        }
        steps
    }

    /// How many pairs there are of each score, from the lowest that occurs.
    pub fn score_steps(&self) -> Vec<Step<f64>> {
        let first = self.scores.iter().position(|count| *count > 0).unwrap_or(self.scores.len());
        let of = |step: usize| step as f64 / STEPS as f64;
        let steps = self.scores.iter().enumerate().skip(first);
        steps.map(|(at, count)| Step { from: of(at), to: of(at + 1), count: *count }).collect()
    }
}
