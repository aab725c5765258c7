//! The options of the program, parsed from its arguments.
//!
//! What must stay true: an unknown option ends the program with its usage.

use crate::data::Sets;
use std::path::PathBuf;

/// `--work DIR [--weights DIR] [--commit TEXT] [--json] [--misses] [--tuning] [--phrases FILE] DATA`
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The folder with the cached embeddings of earlier runs.
    pub(crate) work: PathBuf,
    /// The model's folder; without it only words are measured.
    pub(crate) weights: Option<PathBuf>,
    /// The commit that the figures belong to.
    pub(crate) commit: String,
    /// Whether to print the figures as JSON.
    pub(crate) json: bool,
    /// Whether to list failed tuning queries. The held-out half stays unseen.
    pub(crate) misses: bool,
    /// Which queries to run.
    pub(crate) sets: Sets,
    /// Where to write the vectors of expressions instead of measuring.
    pub(crate) phrases: Option<PathBuf>,
    /// The folder with the recorded tools and the queries.
    pub(crate) data: PathBuf,
}

impl Options {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--json" => options.json = true,
                "--misses" => options.misses = true,
                "--tuning" => options.sets = Sets::Tuning,
                "--weights" => options.weights = Some(value()?.into()),
                "--work" => options.work = value()?.into(),
                "--phrases" => options.phrases = Some(value()?.into()),
                "--commit" => options.commit = value()?,
                _ => options.data = word.into(),
            }
        }
        if options.data.as_os_str().is_empty() || options.work.as_os_str().is_empty() {
            return Err("usage: --work DIR [--weights DIR] [--commit TEXT] [--json] [--misses] \
                        [--tuning] [--phrases FILE] DATA"
                .into());
        }
        Ok(options)
    }
}
