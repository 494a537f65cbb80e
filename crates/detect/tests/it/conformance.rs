//! The conformance suite over every method, and over configurations worth their own run.

lookalike_testkit::detector_conformance!();
