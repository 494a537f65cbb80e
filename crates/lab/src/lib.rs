//! How well does it work: truth, perturbation, evaluation, and the papers' experiments.
