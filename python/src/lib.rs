//! The compiled half of the Python package: a thin shell over the library, one file a stage.
//!
//! Everything people see is typed Python in `lookalike/`; nothing here decides anything.

#![expect(unsafe_code, reason = "the Arrow C interface hands over pointers in capsules")]
#![expect(clippy::needless_pass_by_value, reason = "signatures are those that Python calls")]

mod arrow;
mod config;
mod distributed;
mod errors;
mod found;
mod index;
mod index_documents;
mod learn;
mod method;
mod run;
mod source;
mod train;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
#[pyo3(name = "_lookalike")]
fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    lookalike_corpus::keep_quiet_about_caught_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    module.add_class::<arrow::Columns>()?;
    module.add_class::<source::Source>()?;
    module.add_class::<found::Found>()?;
    module.add_class::<method::Method>()?;
    module.add_class::<method::Prepared>()?;
    module.add_class::<method::Explained>()?;
    module.add_class::<learn::Queue>()?;
    module.add_class::<index::Index>()?;
    module.add_class::<distributed::Copies>()?;
    module.add_function(wrap_pyfunction!(config::read_config, module)?)?;
    module.add_function(wrap_pyfunction!(config::keep_fields, module)?)?;
    module.add_function(wrap_pyfunction!(config::methods, module)?)?;
    module.add_function(wrap_pyfunction!(source::text_fields, module)?)?;
    module.add_function(wrap_pyfunction!(source::composed_text, module)?)?;
    module.add_function(wrap_pyfunction!(config::for_removal, module)?)?;
    module.add_function(wrap_pyfunction!(method::method_state, module)?)?;
    module.add_function(wrap_pyfunction!(run::find, module)?)?;
    module.add_function(wrap_pyfunction!(run::against, module)?)?;
    module.add_function(wrap_pyfunction!(run::statistics, module)?)?;
    module.add_function(wrap_pyfunction!(learn::train, module)?)?;
    module.add_function(wrap_pyfunction!(learn::tune, module)?)?;
    module.add_function(wrap_pyfunction!(learn::compare_methods, module)?)?;
    module.add_function(wrap_pyfunction!(learn::label_queue, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::document_keys, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::count_terms, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::merge_statistics, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::counts_input, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::worth_asking_with, module)?)?;
    module.add_function(wrap_pyfunction!(distributed::components, module)?)?;
    Ok(())
}
