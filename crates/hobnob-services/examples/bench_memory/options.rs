//! What the program is told.

use hobnob_services::memory::recall::Mode;
use std::path::PathBuf;

const USAGE: &str = "usage: fill|recall|captures|questions [--file FILE] [--memories COUNT] \
                     [--count COUNT] [--mode text|vector|hybrid] [--filter FILTER]";

/// A step, and what it needs.
pub(crate) struct Options {
    pub(crate) step: Step,
    /// The store.
    pub(crate) file: PathBuf,
    /// Memories in it.
    pub(crate) memories: usize,
    /// How many calls to make, or questions to ask.
    pub(crate) count: usize,
    pub(crate) mode: Mode,
    /// Which memories count, as users write it.
    pub(crate) filter: String,
}

pub(crate) enum Step {
    /// Makes a store.
    Fill,
    /// Asks in process and prints the figures.
    Recall,
    /// Prints arguments of captures, one a line.
    Captures,
    /// Prints arguments of recalls, one a line.
    Questions,
}

impl Options {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let step = match words.next().as_deref() {
            Some("fill") => Step::Fill,
            Some("recall") => Step::Recall,
            Some("captures") => Step::Captures,
            Some("questions") => Step::Questions,
            _ => return Err(USAGE.into()),
        };
        let mut options = Self {
            step,
            file: PathBuf::new(),
            memories: 0,
            count: 200,
            mode: Mode::Hybrid,
            filter: String::new(),
        };
        while let Some(word) = words.next() {
            let value = words.next().ok_or(USAGE)?;
            let number = || value.parse().map_err(|_| format!("{word} {value}: not a number"));
            match word.as_str() {
                "--file" => options.file = value.into(),
                "--memories" => options.memories = number()?,
                "--count" => options.count = number()?,
                "--mode" => options.mode = mode(&value).ok_or(USAGE)?,
                "--filter" => options.filter = value,
                _ => return Err(USAGE.into()),
            }
        }
        Ok(options)
    }
}

fn mode(word: &str) -> Option<Mode> {
    match word {
        "text" => Some(Mode::Text),
        "vector" => Some(Mode::Vector),
        "hybrid" => Some(Mode::Hybrid),
        _ => None,
    }
}
