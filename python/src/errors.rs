//! Errors of the library as typed exceptions, in one place.

use lookalike::{ConfigError as WrongConfig, IndexError, RunError};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt};
use pyo3::prelude::*;

create_exception!(_lookalike, LookalikeError, PyException, "Something a run could not do.");
create_exception!(_lookalike, ConfigError, LookalikeError, "A configuration that cannot be used.");
create_exception!(_lookalike, InputError, LookalikeError, "Data that cannot be read.");
create_exception!(
    _lookalike,
    ArtifactError,
    LookalikeError,
    "A file of another method or version."
);
create_exception!(_lookalike, OutputError, LookalikeError, "A result that cannot be written.");
create_exception!(
    _lookalike,
    StoreError,
    LookalikeError,
    "An index that is missing, damaged, or written by another process."
);
create_exception!(
    _lookalike,
    IndexClosedError,
    LookalikeError,
    "An index that was closed before it was asked."
);

/// Makes the exceptions known to Python.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("LookalikeError", py.get_type::<LookalikeError>())?;
    module.add("ConfigError", py.get_type::<ConfigError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("ArtifactError", py.get_type::<ArtifactError>())?;
    module.add("OutputError", py.get_type::<OutputError>())?;
    module.add("StoreError", py.get_type::<StoreError>())?;
    module.add("IndexClosedError", py.get_type::<IndexClosedError>())
}

/// A configuration that cannot be used, as an exception.
pub fn wrong_config(error: WrongConfig) -> PyErr {
    ConfigError::new_err(in_arguments(&with_causes(&error)))
}

/// A run that could not be finished, as an exception.
pub fn failed_run(error: RunError) -> PyErr {
    let message = in_arguments(&with_causes(&error));
    match error {
        RunError::Config(_) | RunError::Detect(_) => ConfigError::new_err(message),
        RunError::Statistics { .. } | RunError::Boilerplate { .. } | RunError::Model { .. } => {
            ArtifactError::new_err(message)
        }
        RunError::File { .. } | RunError::OutputNotEmpty(_) => OutputError::new_err(message),
        RunError::Interrupted => PyKeyboardInterrupt::new_err(()),
        RunError::Index(_) => LookalikeError::new_err(message),
        RunError::Stored(cause) => match cause.downcast::<IndexError>() {
            Ok(error) => failed_index(*error),
            Err(_) => StoreError::new_err(message),
        },
        _ => InputError::new_err(message),
    }
}

/// What an index could not do, as a run that could not be finished.
pub fn of_index(error: IndexError) -> RunError {
    match error {
        IndexError::Run(error) => error,
        error => RunError::Stored(Box::new(error)),
    }
}

fn failed_index(error: IndexError) -> PyErr {
    let message = in_arguments(&with_causes(&error));
    match error {
        IndexError::Run(error) => failed_run(error),
        IndexError::Store(lookalike_store::StoreError::DuplicateId(_)) => InputError::new_err(
            format!("{message}; say what is to happen with on_id=\"skip\" or on_id=\"replace\""),
        ),
        IndexError::Store(lookalike_store::StoreError::TooLarge { .. })
        | IndexError::NoId(_)
        | IndexError::SameId(_) => InputError::new_err(message),
        IndexError::Create { .. } => OutputError::new_err(message),
        IndexError::StoredParts { .. }
        | IndexError::NoTexts(_)
        | IndexError::NoFields { .. }
        | IndexError::NoFiles(_) => ConfigError::new_err(message),
        IndexError::Fingerprint { .. } => ArtifactError::new_err(message),
        IndexError::Store(_) | IndexError::Unreadable { .. } => StoreError::new_err(message),
    }
}

/// A message that names keys of the configuration, with the names of arguments instead.
fn in_arguments(message: &str) -> String {
    let mut parts = message.split("the key `");
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((key, rest)) = part.split_once('`') else {
            told.extend(["the key `", part]);
            continue;
        };
        let argument = key.strip_suffix("-key").unwrap_or(key).replace('-', "_");
        match rest.strip_prefix(" = ") {
            Some(rest) => {
                let end = rest.find([',', ';', ' ']).unwrap_or(rest.len());
                let (value, rest) = rest.split_at(end);
                told.extend([argument.as_str(), "=\"", value, "\"", rest]);
            }
            None => told.extend([argument.as_str(), "=…", rest]),
        }
    }
    told
}

/// An error with everything that led to it, in one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        message.push_str(": ");
        message.push_str(&cause.to_string());
        source = cause.source();
    }
    message
}
