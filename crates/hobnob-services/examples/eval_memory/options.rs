//! The options of the program, read from its arguments.
//!
//! What must stay true: an option that is not known ends the program with its usage.

use std::path::PathBuf;

/// `--work DIR [--weights DIR] [--json] DATA...`
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Where the store and the embeddings of earlier runs are.
    pub(crate) work: PathBuf,
    /// The model's folder; without it only text is measured.
    pub(crate) weights: Option<PathBuf>,
    /// Whether figures are printed for programs.
    pub(crate) json: bool,
    /// Folders with `memories.jsonl` and `questions.jsonl`.
    pub(crate) data: Vec<PathBuf>,
}

impl Options {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a folder"));
            match word.as_str() {
                "--json" => options.json = true,
                "--weights" => options.weights = Some(value()?.into()),
                "--work" => options.work = value()?.into(),
                _ => options.data.push(word.into()),
            }
        }
        if options.data.is_empty() || options.work.as_os_str().is_empty() {
            return Err("usage: --work DIR [--weights DIR] [--json] DATA...".into());
        }
        Ok(options)
    }
}
