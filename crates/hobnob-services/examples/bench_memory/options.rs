//! The options of the program, read from its arguments.
//!
//! What must stay true: an unknown option ends the program, which then prints its usage.

use hobnob_services::memory::recall::RecallMode;
use std::path::PathBuf;

const USAGE: &str = "usage: fill|recall|captures|questions [--file FILE] [--memories COUNT] \
                     [--count COUNT] [--mode text|vector|hybrid] [--model NAME]";

/// The default name of the made-up model.
const MADE_UP: &str = "made-up";

/// A step of the benchmark, and its options.
pub(crate) struct Options {
    pub(crate) step: BenchStep,
    /// The database to create or to ask.
    pub(crate) file: PathBuf,
    /// How many memories the store has.
    pub(crate) memories: usize,
    /// How many calls to print, or questions to ask.
    pub(crate) count: usize,
    pub(crate) mode: RecallMode,
    /// The model under whose name `fill` stores the vectors.
    pub(crate) model: String,
}

pub(crate) enum BenchStep {
    /// Creates a store of made-up memories.
    Fill,
    /// Asks in process and prints the figures.
    Recall,
    /// Prints arguments of captures, one on each line.
    Captures,
    /// Prints arguments of recalls, one on each line.
    Questions,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let step = match words.next().as_deref() {
            Some("fill") => BenchStep::Fill,
            Some("recall") => BenchStep::Recall,
            Some("captures") => BenchStep::Captures,
            Some("questions") => BenchStep::Questions,
            _ => return Err(USAGE.into()),
        };
        let mut options = Self {
            step,
            file: PathBuf::new(),
            memories: 0,
            count: 200,
            mode: RecallMode::Hybrid,
            model: MADE_UP.to_owned(),
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or(USAGE)?;
            let number = || value.parse().map_err(|_| format!("{word} {value}: not a number"));
            match word.as_str() {
                "--file" => options.file = value.into(),
                "--model" => options.model = value,
                "--memories" => options.memories = number()?,
                "--count" => options.count = number()?,
                "--mode" => options.mode = mode(&value).ok_or(USAGE)?,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }
}

fn mode(word: &str) -> Option<RecallMode> {
    match word {
        "text" => Some(RecallMode::Text),
        "vector" => Some(RecallMode::Vector),
        "hybrid" => Some(RecallMode::Hybrid),
        _ => None,
    }
}
