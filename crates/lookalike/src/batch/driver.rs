//! From signed documents to findings: the half of a run that does not ask where they came from.

use lookalike_corpus::Corpus;
use lookalike_detect::Detector;
use lookalike_index::{Buckets, DocumentId, KeepOrder, Place, WordStore};

use super::PairDetails;
use super::crowd::{crowd_report, crowd_text};
use super::features::{FeatureStore, collect_features};
use super::findings::{Findings, summarize};
use super::judge::{BatchJudge, Beforehand, Stores};
use super::judged::Words;
use super::outlines::Outlines;
use super::promising::{DocumentSet, promising_documents};
use super::removal::release_unaccounted;
use super::sign::SignedCorpus;
use super::threads::let_go;
use crate::catalog::Catalog;
use crate::cluster::{ClusterRule, Clustering, Emit, Join, JoinLimits, Pair, Room};
use crate::report::{PairsById, Seconds, SharedText, SortedPairs, Warning};
use crate::{Config, Context, MemoryBudget, PairsWritten, RunError, UnreadableRows};

/// Who is compared with whom.
#[derive(Clone, Copy, Debug)]
pub enum Question {
    /// Everybody with everybody.
    Clusters,
    /// Documents below a number with those from it on.
    Against {
        /// The number of new documents.
        n_new: usize,
        /// Whether new documents that match nothing known are compared with each other.
        among_new: bool,
    },
}

/// What a run is made of, once its documents are signed.
pub struct Driver<'a> {
    /// The configuration.
    pub config: &'a Config,
    /// Progress, interrupt, working files.
    pub context: &'a Context<'a>,
    /// Where texts can be read again, in the order of the documents; none for documents that came
    /// prepared.
    pub corpora: &'a [&'a Corpus],
    /// Who is compared with whom.
    pub question: Question,
}

/// What judging leaves.
pub struct Found {
    catalog: Catalog,
    unreadable: UnreadableRows,
    known_unreadable: UnreadableRows,
    clustering: Clustering,
    pairs: SortedPairs,
    related: Option<SortedPairs>,
    /// By document: whether it stands in a pair.
    in_pairs: Vec<bool>,
    /// Encoded features from the first reading that judging had no use for.
    early: Option<WordStore>,
    /// What the largest crowd has in common, where comparisons were skipped.
    crowd_text: Option<String>,
    /// What rests on text that dozens of documents share.
    shared_text: SharedText,
}

/// An order of documents and who shares a bucket in it.
struct Joined {
    order: KeepOrder,
    buckets: Buckets,
}

impl Joined {
    fn join<'j>(
        &'j self,
        judge: &'j BatchJudge<'j>,
        limits: JoinLimits,
        room: &'j Room,
    ) -> Join<'j, BatchJudge<'j>> {
        Join { order: &self.order, buckets: &self.buckets, judge, limits, room }
    }
}

impl Driver<'_> {
    /// The findings on signed documents, with what their pairs share where the method shows it.
    pub fn finish(
        &self,
        detector: Detector,
        signed: SignedCorpus,
        mut seconds: Seconds,
    ) -> Result<Findings, RunError> {
        let mut found = self.judge(&detector, signed, &mut seconds)?;
        let details = if detector.shows_matches() {
            let memory = MemoryBudget::new(self.config.run.memory).features();
            let (early, in_pairs, context) = (found.early.take(), &found.in_pairs, self.context);
            let collect =
                || PairDetails::collect(self.corpora, detector, early, in_pairs, memory, context);
            seconds.time("details", collect)?
        } else {
            None
        };
        Ok(self.conclude(found, details, seconds))
    }

    /// Joins, judges and clusters.
    pub fn judge(
        &self,
        detector: &Detector,
        signed: SignedCorpus,
        seconds: &mut Seconds,
    ) -> Result<Found, RunError> {
        let budget = MemoryBudget::new(self.config.run.memory);
        let SignedCorpus { catalog, unreadable, known_unreadable, mut rows, signatures, .. } =
            signed;
        let (mut early, mut observed) = (signed.early, signed.observed);
        let words = Words::read(self.config, &catalog)?;
        words.add_rows(&mut rows)?;
        let by_id = || {
            let sorter = || PairsById::new(&catalog, budget.pairs(), self.context.temp_dir);
            (sorter(), self.config.guard().map(|_| sorter()))
        };
        let join = || self.join(&catalog, &words, rows.finish()?);
        // Each has parts that only one thread can do.
        let (joined, (mut sorter, mut related)) = seconds.time("join", || rayon::join(join, by_id));
        let (main, among) = joined?;
        let collect = || {
            if let (Some(observed), Some(observer)) = (observed.take(), detector.observer()) {
                return Ok(FeatureStore::of_observed(observed, observer, budget.features()));
            }
            let wanted = Wanted::new(detector, signatures.as_ref(), &main, among.as_ref(), self)?;
            let wants = |document| wanted.contains(document);
            let early = early.take();
            collect_features(self.corpora, detector, early, wants, budget.features(), self.context)
        };
        let features: Option<FeatureStore> =
            if detector.needs_features() { Some(seconds.time("features", collect)?) } else { None };
        self.context.interrupt.check()?;
        let outlines = Outlines::new(catalog.len(), budget.outlines());
        let parts = Stores { signatures, features, outlines };
        let (identities, n_new) = (catalog.identities(), self.n_new());
        let beforehand = Beforehand { words: &words, identities, n_new };
        let mut judge = BatchJudge::new(detector, parts, beforehand, self.context.interrupt)?;
        if self.config.leaves_out_frames() && matches!(self.question, Question::Clusters) {
            seconds.time("cluster", || {
                self.leave_out_frames(detector, beforehand, &mut judge, &main)
            })?;
        }
        let mut in_pairs = vec![false; catalog.len()];
        let is_directed = matches!(self.question, Question::Against { .. });
        let mut emit = |pair: Pair| {
            in_pairs[pair.left.0 as usize] = true;
            in_pairs[pair.right.0 as usize] = true;
            if !pair.verdict.duplicate {
                let related = related.as_mut();
                return Ok(related.map_or(Ok(()), |sorter| sorter.push(pair, is_directed))?);
            }
            Ok(sorter.push(pair, is_directed)?)
        };
        let mut clustering =
            seconds.time("cluster", || self.cluster(&judge, &main, among.as_ref(), &mut emit))?;
        if matches!(self.question, Question::Clusters) {
            release_unaccounted(&mut clustering, &main.order, &judge, self.config)?;
        }
        let shared_text = SharedText::find(&main.buckets, &main.order, &clustering)?;
        let_go((judge.into_stores(), main, among));
        let pairs = seconds.time("cluster", || sorter.finish())?;
        let related = related.map(PairsById::finish).transpose()?;
        // A pair that two walks came upon was emitted by both.
        clustering.counts.confirmed_pairs = pairs.len();
        clustering.counts.related_pairs = related.as_ref().map_or(0, SortedPairs::len);
        let crowd = clustering.counts.crowd;
        let crowd_text = crowd.and_then(|crowd| crowd_text(self.corpora, detector, crowd));
        Ok(Found {
            catalog,
            unreadable,
            known_unreadable,
            clustering,
            pairs,
            related,
            in_pairs,
            early,
            crowd_text,
            shared_text,
        })
    }

    /// Counts.
    pub fn conclude(
        &self,
        found: Found,
        details: Option<PairDetails>,
        seconds: Seconds,
    ) -> Findings {
        let Found { catalog, unreadable, known_unreadable, clustering, pairs, related, .. } = found;
        let crowd_text = found.crowd_text;
        let n_new = self.n_new();
        let n_rows = n_new.unwrap_or(catalog.len());
        let mut summary = summarize(&catalog, n_rows, &clustering, self.config, seconds);
        summary.shared_text = found.shared_text;
        summary.warnings = Warning::of(self.config, &summary);
        summary.crowd = crowd_report(&clustering.counts, crowd_text);
        summary.incomplete = [&unreadable, &known_unreadable]
            .iter()
            .flat_map(|rows| rows.incomplete())
            .cloned()
            .collect();
        if n_new.is_some() {
            summary.known_documents = Some((catalog.len() - n_rows) as u64);
            summary.known_unreadable = Some(known_unreadable.len());
        }
        Findings {
            catalog,
            unreadable,
            known_unreadable,
            clustering,
            pairs,
            related,
            details,
            summary,
            n_new,
        }
    }

    /// The number of new documents, where there are two sides.
    fn n_new(&self) -> Option<usize> {
        match self.question {
            Question::Clusters => None,
            Question::Against { n_new, .. } => Some(n_new),
        }
    }

    /// The orders and buckets that the question needs: the second is that among new documents.
    fn join(
        &self,
        catalog: &Catalog,
        words: &Words,
        rows: lookalike_index::SortedRows,
    ) -> Result<(Joined, Option<Joined>), RunError> {
        let memory = MemoryBudget::new(self.config.run.memory).buckets();
        let (folder, tie) = (self.context.temp_dir, self.config.effective_keep().tie());
        let identities = words.identities(catalog);
        let identities = identities.as_ref();
        let keep_order = words.in_order(catalog.keep_order(tie));
        let Question::Against { n_new, among_new } = self.question else {
            let order = KeepOrder::with_copies(keep_order, identities);
            let buckets = Buckets::build(rows, &order, memory, folder)?;
            return Ok((Joined { order, buckets }, None));
        };
        let is_new = |document: &DocumentId| (document.0 as usize) < n_new;
        let (new, known): (Vec<_>, Vec<_>) = keep_order.into_iter().partition(is_new);
        let among = among_new.then(|| KeepOrder::with_copies(new.clone(), identities));
        let order = KeepOrder::two_sided(new, known, identities);
        let Some(among) = among else {
            let buckets = Buckets::build(rows, &order, memory, folder)?;
            return Ok((Joined { order, buckets }, None));
        };
        let (buckets, among_buckets) = Buckets::build_two(rows, [&order, &among], memory, folder)?;
        let among = Joined { order: among, buckets: among_buckets };
        Ok((Joined { order, buckets }, Some(among)))
    }

    /// Leaves out the frames of sites, if that is what the guard would keep documents for: found by the
    /// clusters that the method makes without a guard.
    fn leave_out_frames<'d>(
        &self,
        detector: &'d Detector,
        beforehand: Beforehand<'_>,
        judge: &mut BatchJudge<'d>,
        main: &Joined,
    ) -> Result<(), RunError> {
        judge.guarded(detector, false);
        let (limits, room) = self.limits();
        let stars = main.join(judge, limits, &room).clusters(ClusterRule::Star, &mut |_| Ok(()))?;
        judge.guarded(detector, true);
        let in_order = (0..main.order.len() as u32).map(|place| main.order.document(Place(place)));
        let copies = in_order.filter_map(|document| {
            let keeper = stars.membership(document)?.keeper;
            // Equal texts that are too short for the method have nothing to look at.
            let is_compared = !beforehand.are_copies(keeper, document);
            (keeper != document && is_compared).then_some((document, keeper))
        });
        judge.leave_out_frames(main.order.n_documents() as u32, copies)
    }

    fn limits(&self) -> (JoinLimits, Room) {
        let run = &self.config.run;
        let limits =
            JoinLimits { failed_comparisons: run.max_comparisons, ..JoinLimits::default() };
        let room = Room {
            memory_bytes: MemoryBudget::new(run.memory).crowds(),
            temporary_folder: self.context.temp_dir.to_owned(),
        };
        (limits, room)
    }

    fn cluster(
        &self,
        judge: &BatchJudge<'_>,
        main: &Joined,
        among: Option<&Joined>,
        emit: Emit<'_, RunError>,
    ) -> Result<Clustering, RunError> {
        let run = &self.config.run;
        let (limits, room) = self.limits();
        let join = main.join(judge, limits, &room);
        let all = run.pairs == PairsWritten::All;
        match self.question {
            Question::Clusters if all => join.all_pairs(run.cluster, emit),
            Question::Clusters => join.clusters(run.cluster, emit),
            Question::Against { .. } => {
                let clustering = join.against(all, emit)?;
                match among {
                    Some(among) => {
                        among.join(judge, limits, &room).stars_of_the_rest(clustering, all, emit)
                    }
                    None => Ok(clustering),
                }
            }
        }
    }
}

/// The documents whose exact features are wanted.
enum Wanted<'a> {
    /// Those with a candidate that their signatures leave open, in any of the joins.
    Promising(Vec<DocumentSet>),
    /// Those that share a bucket.
    Sharing(Vec<&'a Buckets>),
}

impl<'a> Wanted<'a> {
    fn new(
        detector: &Detector,
        signatures: Option<&WordStore>,
        main: &'a Joined,
        among: Option<&'a Joined>,
        driver: &Driver<'_>,
    ) -> Result<Self, RunError> {
        let joins = || std::iter::once(main).chain(among);
        let Some(signatures) = signatures else {
            return Ok(Self::Sharing(joins().map(|joined| &joined.buckets).collect()));
        };
        let interrupt = driver.context.interrupt;
        let promising = |joined: &Joined| {
            let Joined { order, buckets } = joined;
            promising_documents(detector, signatures, buckets, order, interrupt)
        };
        joins().map(promising).collect::<Result<_, _>>().map(Self::Promising)
    }

    fn contains(&self, document: DocumentId) -> bool {
        match self {
            Self::Promising(sets) => sets.iter().any(|set| set.contains(document)),
            Self::Sharing(buckets) => buckets.iter().any(|all| all.shares_bucket(document)),
        }
    }
}
