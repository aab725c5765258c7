//! The options of the program, read from its arguments.
//!
//! What must stay true: without data or a working folder, the program ends with its usage.

use std::path::PathBuf;

/// `--work DIR [--model NAME] [--weights DIR] [--multilingual DIR] [--foreign] [--json|--fit]
/// DATA...`
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// The working folder, where the program creates its stores.
    pub(crate) work: PathBuf,
    /// The name of the main model.
    pub(crate) model: String,
    /// The folder with the published files of the main model; without it, only the text mode is
    /// measured.
    pub(crate) weights: Option<PathBuf>,
    /// The folder of the multilingual model, which is then used beside the other one.
    pub(crate) multilingual: Option<PathBuf>,
    /// Whether the figures are printed as JSON.
    pub(crate) json: bool,
    /// Whether each set is also asked questions of other sets, which it cannot answer.
    pub(crate) foreign: bool,
    /// Whether weights are chosen instead of figures printed.
    pub(crate) fit: bool,
    /// Folders with `memories.jsonl` and `questions.jsonl`.
    pub(crate) data: Vec<PathBuf>,
}

impl Options {
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { model: "minilm".to_owned(), ..Self::default() };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--json" => options.json = true,
                "--fit" => options.fit = true,
                "--foreign" => options.foreign = true,
                "--model" => options.model = value()?,
                "--weights" => options.weights = Some(value()?.into()),
                "--multilingual" => options.multilingual = Some(value()?.into()),
                "--work" => options.work = value()?.into(),
                _ => options.data.push(word.into()),
            }
        }
        if options.data.is_empty() || options.work.as_os_str().is_empty() {
            return Err(
                "usage: --work DIR [--model NAME] [--weights DIR] [--multilingual DIR] [--foreign] \
                 [--json|--fit] DATA..."
                    .into(),
            );
        }
        Ok(options)
    }
}
