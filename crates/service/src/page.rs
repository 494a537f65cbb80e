//! The page: files of `web/`, part of the binary.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh3::xxh3_64;

use crate::problem::Problem;

/// Files by their names, as part of the binary; the look that they share with reports is the library's.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[
            ("components.css", lookalike::PAGE_STYLE.as_bytes()),
            $(($name, include_bytes!(concat!("../../../web/", $name)))),*
        ]
    };
}

/// Every file of `web/` that is served, as `/page/NAME`.
const FILES: &[(&str, &[u8])] = files![
    "index.html",
    "icon.svg",
    "page.css",
    "js/answers.js",
    "js/api.js",
    "js/clusters.js",
    "js/difference.js",
    "js/document.js",
    "js/dom.js",
    "js/keys.js",
    "js/label.js",
    "js/main.js",
    "js/overview.js",
    "js/pair.js",
    "js/paste.js",
    "js/pieces.js",
    "js/plots.js",
    "js/review.js",
    "js/tune.js",
];

/// `GET /`.
pub async fn index(headers: HeaderMap) -> Result<Response, Problem> {
    file(Path("index.html".into()), headers).await
}

/// `GET /page/{*name}`.
pub async fn file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    let (_, bytes) =
        found.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "the page has no such file"))?;
    let tag = format!("\"{:016x}\"", xxh3_64(bytes));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let cached = [(header::ETAG, tag.as_str()), (header::CACHE_CONTROL, "no-cache")];
    if known == Some(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, cached).into_response());
    }
    let kind = [(header::CONTENT_TYPE, kind(&name))];
    Ok((cached, kind, *bytes).into_response())
}

/// The content type of a file, by the end of its name.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, end)| end) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What is below a folder, by its names from there.
    fn below(folder: &Path, name: &str, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder.join(name)).unwrap() {
            let entry = entry.unwrap();
            let file = entry.file_name().into_string().unwrap();
            let name = if name.is_empty() { file } else { format!("{name}/{file}") };
            if entry.file_type().unwrap().is_dir() {
                below(folder, &name, found);
            } else {
                found.push(name);
            }
        }
    }

    #[test]
    fn every_file_of_the_page_is_served() {
        let mut found = vec!["components.css".to_owned()];
        below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web"), "", &mut found);
        // Tests of the page are not part of it.
        found.retain(|name| !name.starts_with("tests/"));
        found.sort();
        let mut served: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        served.sort_unstable();
        assert_eq!(served, found);
    }
}
