//! Clusters and pairs of what is in the index: the same run as `find` on the exported documents.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use lookalike_store::Scanned;

use super::IndexSnapshot;
use super::create::{
    BOILERPLATE, IndexError, MODEL, STATISTICS, StoredParts, refuse_files, statistics_of,
};
use super::stored::{StoredHead, unreadable};
use crate::error::file_error;
use crate::{
    Config, Context, Findings, KeepCandidate, PreparedDocument, RunConfig, RunError, find_prepared,
};

impl IndexSnapshot {
    /// Finds the clusters of the documents in the index, by its method, its artefacts and what people
    /// said; `run` says how they are joined, clustered and kept.
    ///
    /// Texts are written to a working file and go through [`crate::find`], so that the result is that
    /// of a batch by construction; an index without texts hands over what it has prepared. Memory
    /// follows the limit of `run`.
    ///
    /// # Errors
    /// A file is damaged, the keep rule needs fields that are not stored, or as [`crate::find`].
    pub fn find(&self, run: &RunConfig, context: &Context<'_>) -> Result<Findings, IndexError> {
        let folder = tempfile::tempdir_in(context.temp_dir)
            .map_err(file_error("create", context.temp_dir))?;
        let config = self.config_with_files(run, folder.path())?;
        refuse_files(&config)?;
        if self.opened.options.store != StoredParts::Text {
            return self.find_prepared(&config, context);
        }
        let documents = folder.path().join("documents.jsonl");
        write(&documents, |out| self.write_rows(out, false))?;
        let inputs = [documents.to_string_lossy().into_owned()];
        let corpus = crate::open_corpus(&inputs, &config, context.temp_dir)?;
        Ok(crate::find(&corpus, &config, context)?)
    }

    /// [`crate::find_prepared`] on what is stored instead of texts.
    fn find_prepared(
        &self,
        config: &Config,
        context: &Context<'_>,
    ) -> Result<Findings, IndexError> {
        let rule = config.effective_keep();
        if rule.criteria().iter().any(|criterion| criterion.field().is_some()) {
            let (store, keep) = (self.opened.options.store, rule.to_string());
            return Err(IndexError::NoFields { store, keep });
        }
        let prepared = |scanned: Scanned| {
            let head = StoredHead::decode(&scanned.head.bytes)?;
            let text_bytes = head.text_bytes as usize;
            let candidate = KeepCandidate { text_bytes, file: "-", field: &|_| None };
            let content = match head.rejection {
                Some(rejection) => Err(rejection),
                None => Ok(self
                    .opened
                    .method
                    .read_prepared(&scanned.body)
                    .map_err(|error| unreadable("a prepared document", &error.to_string()))?),
            };
            let (id, keep) = (scanned.head.id, rule.value(&candidate));
            Ok(PreparedDocument { id, keep, identity: head.identity, content })
        };
        let documents = self.store.scan(self.now, true).map(|scanned| {
            let scanned = scanned.map_err(IndexError::from);
            scanned.and_then(prepared).map_err(|error| RunError::Stored(error.into()))
        });
        Ok(find_prepared(documents, &self.opened.method, config, context)?)
    }

    /// The configuration of a batch that gives the same answers, its artefacts written to a folder.
    pub(super) fn config_with_files(
        &self,
        run: &RunConfig,
        folder: &Path,
    ) -> Result<Config, IndexError> {
        let artifacts = self.opened.method.artifacts();
        let file = |name: &str, bytes: Option<Vec<u8>>| -> Result<Option<PathBuf>, RunError> {
            let Some(bytes) = bytes else { return Ok(None) };
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(file_error("write", &path))?;
            Ok(Some(path))
        };
        let made = &self.opened.config;
        let statistics = statistics_of(&self.opened.method, made);
        let boilerplate = artifacts.boilerplate.as_ref();
        let run = RunConfig {
            // As `export` writes them: texts are what readers see of a page already.
            text_key: "text".into(),
            id_key: "id".into(),
            html: false,
            read_as: None,
            verify: made.run.verify,
            stats: file(STATISTICS, statistics.map(|statistics| statistics.to_bytes()))?,
            model: file(MODEL, artifacts.model.as_ref().map(|model| model.to_bytes()))?,
            boilerplate: file(BOILERPLATE, boilerplate.map(|set| set.to_bytes()))?,
            ignore_boilerplate: None,
            judgments: self.judgments_file(folder)?,
            ..run.clone()
        };
        Ok(Config { run, detector: made.detector.clone() })
    }

    fn judgments_file(&self, folder: &Path) -> Result<Option<PathBuf>, IndexError> {
        if self.store.judgments().is_empty() {
            return Ok(None);
        }
        let path = folder.join("judgments.jsonl");
        write(&path, |out| self.export_judgments(out))?;
        Ok(Some(path))
    }
}

fn write<T>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    let file = std::fs::File::create(path).map_err(file_error("create", path))?;
    let mut out = BufWriter::with_capacity(1 << 16, file);
    write(&mut out).map_err(|error| match error {
        // Whose disk is full can be seen by the name of the file alone.
        IndexError::Run(RunError::File { action, source, .. }) => {
            file_error(action, path)(source).into()
        }
        other => other,
    })
}
