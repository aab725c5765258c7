//! The options of the program, read from its arguments.
//!
//! What must stay true: without data or a working folder, the program ends with its usage.

use std::path::PathBuf;

/// `--work DIR [--weights DIR] [--multilingual DIR] [--json] DATA...`
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The working folder, where the program creates its stores.
    pub(crate) work: PathBuf,
    /// The folder of the model; without it, only the text mode is measured.
    pub(crate) weights: Option<PathBuf>,
    /// The folder of the multilingual model, which is then used beside the other one.
    pub(crate) multilingual: Option<PathBuf>,
    /// Whether the figures are printed as JSON.
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
                "--multilingual" => options.multilingual = Some(value()?.into()),
                "--work" => options.work = value()?.into(),
                _ => options.data.push(word.into()),
            }
        }
        if options.data.is_empty() || options.work.as_os_str().is_empty() {
            return Err(
                "usage: --work DIR [--weights DIR] [--multilingual DIR] [--json] DATA...".into()
            );
        }
        Ok(options)
    }
}
