//! Integration tests of the detectors, one module a concern.

mod conformance; // what every method promises, over the list of all methods
