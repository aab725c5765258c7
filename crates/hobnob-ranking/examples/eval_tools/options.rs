//! The options of the program, read from its arguments.
//!
//! What must stay true: an option that is not known ends the program with its usage.

use crate::data::Sets;
use std::path::PathBuf;

/// `--work DIR [--weights DIR] [--commit TEXT] [--json] [--misses] [--tuning] [--phrases FILE] DATA`
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Where the embeddings of earlier runs are.
    pub(crate) work: PathBuf,
    /// The model's folder; without it only words are measured.
    pub(crate) weights: Option<PathBuf>,
    /// What the figures belong to.
    pub(crate) commit: String,
    /// Whether figures are printed for programs.
    pub(crate) json: bool,
    /// Whether queries for tuning that miss are named. The held-out half stays unseen.
    pub(crate) misses: bool,
    /// Which queries are asked.
    pub(crate) sets: Sets,
    /// Where to write the vectors of expressions, in place of measuring anything.
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
