//! For tests only: tiny corpora, naive references, the conformance suite of detectors.
