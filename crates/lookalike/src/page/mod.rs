//! Pages for people: one file of HTML each, without a script, a server or a request to anywhere.

mod bars;
mod explanation;
mod near_misses;
mod passages;
mod report;
mod shell;
mod texts;

pub use explanation::explanation_page;
pub use report::report_page;
pub use shell::PAGE_STYLE;
