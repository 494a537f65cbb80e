//! What tells one method from another: the stamp on everything it prepares.

use xxhash_rust::xxh3::xxh3_128;

use super::{Artifacts, DetectorConfig, LexiconPreset};

/// Raised whenever some method signs or judges otherwise than before under the same configuration:
/// whenever a golden file changes.
const BEHAVIOR_VERSION: u32 = 3;

impl DetectorConfig {
    /// Raised instead where a single method changes, so that what the others have made stays good.
    fn own_version(&self) -> u8 {
        match self {
            // Frequent words of short documents are keys only together with others.
            Self::Vectors(_)
            // The language is told by the text behind blanks, as menus that are left out make.
            | Self::Longsentences(_) => 1,
            // Decides on all words; spots of more scripts, and not from too few of them.
            Self::Paragraph(_) | Self::Spotsigs(_) => 2,
            // Other limits of the preset for mail.
            Self::Imatch(imatch) => u8::from(imatch.preset == Some(LexiconPreset::Mail)),
            _ => 0,
        }
    }

    /// 128 bits over all that decides what the method prepares and how it judges: its parameters,
    /// the artefacts that it reads, and the version of its behavior.
    ///
    /// Artefacts that the method does not read do not count.
    pub fn fingerprint(&self, artifacts: &Artifacts) -> u128 {
        // Structs of plain fields: there is nothing that could fail to be written.
        let parameters = serde_json::to_vec(self).unwrap_or_default();
        let model = artifacts.model.as_ref().filter(|_| self.needs_model());
        // A model may be asked with other frequencies than its own.
        let are_read = |given: &u64| {
            self.needs_statistics()
                || model.is_some_and(|model| model.statistics.fingerprint() != *given)
        };
        let statistics = artifacts.statistics.as_ref().map(|given| given.fingerprint());
        let statistics = statistics.filter(are_read);
        let boilerplate = artifacts.boilerplate.as_ref().filter(|set| !set.is_empty());
        let artifacts = [
            statistics,
            model.map(|model| model.fingerprint()),
            boilerplate.map(|set| set.fingerprint()),
        ];
        let mut bytes = Vec::with_capacity(parameters.len() + 64);
        bytes.extend_from_slice(&BEHAVIOR_VERSION.to_le_bytes());
        for artifact in artifacts {
            bytes.push(u8::from(artifact.is_some()));
            bytes.extend_from_slice(&artifact.unwrap_or_default().to_le_bytes());
        }
        bytes.extend_from_slice(&parameters);
        bytes.extend(Some(self.own_version()).filter(|version| *version > 0));
        xxh3_128(&bytes)
    }
}
