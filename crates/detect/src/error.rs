//! Why a detector could not be built.

use lookalike_text::AnalyzerError;

use crate::closest::did_you_mean;

/// A configuration or artefact that a detector cannot be built from.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DetectError {
    /// The analyzer's configuration does not work.
    #[error(transparent)]
    Analyzer(#[from] AnalyzerError),
    /// A parameter is outside what the method allows.
    #[error("{method}: {parameter} = {value}: {expected}")]
    Parameter {
        /// The method.
        method: &'static str,
        /// The parameter's name as users write it.
        parameter: &'static str,
        /// What was given.
        value: String,
        /// What is allowed, as a sentence.
        expected: &'static str,
    },
    /// The parameters are not those of the method.
    #[error("{0}")]
    Config(String),
    /// A parameter that the method does not have.
    #[error(
        "{method} has no parameter `{parameter}`; {}its parameters are {}",
        did_you_mean(parameter, parameters.iter().map(String::as_str)),
        parameters.join(", ")
    )]
    UnknownParameter {
        /// The method.
        method: &'static str,
        /// What was given.
        parameter: String,
        /// The parameters that there are.
        parameters: Vec<String>,
    },
    /// The method needs collection statistics and got none.
    #[error(
        "{0} needs collection statistics; name a file of them with the key `stats`, or let them be counted from the input"
    )]
    NoStatistics(&'static str),
    /// The method needs a model and got none.
    #[error(
        "{0} needs a model; train one with `lookalike train` on labelled documents and name its file with the key `model`"
    )]
    NoModel(&'static str),
    /// Artefacts that do not belong together.
    #[error("{0}")]
    Mismatch(String),
}

impl DetectError {
    /// An error unless the parameter of the method is in order.
    pub(crate) fn unless(
        in_order: bool,
        (method, parameter): (&'static str, &'static str),
        value: impl std::fmt::Display + Copy,
        expected: &'static str,
    ) -> Result<(), Self> {
        if in_order {
            return Ok(());
        }
        Err(Self::Parameter { method, parameter, value: value.to_string(), expected })
    }

    /// An error unless the method's threshold is a share that two documents can reach.
    pub(crate) fn unless_threshold(method: &'static str, threshold: f64) -> Result<(), Self> {
        let in_order = threshold > 0.0 && threshold <= 1.0;
        let expected = "it must be above 0 and at most 1";
        Self::unless(in_order, (method, "threshold"), threshold, expected)
    }
}
