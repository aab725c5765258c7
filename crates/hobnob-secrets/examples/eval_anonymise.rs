//! Measures how well the anonymiser finds what callers must not see, on labelled lines; built and
//! run by `cargo xtask eval anonymise`.
//!
//! What must stay true: misses are listed only on request, and those of `held_out.txt` never, so
//! that the detectors are not tuned to them.

#[path = "../tests/it/figures.rs"]
mod figures;
#[path = "../tests/it/labelled.rs"]
mod labelled;
#[path = "../tests/it/template.rs"]
mod template;

use figures::{Figures, Tally};
use hobnob_secrets::{Anonymiser, AnonymiserKey, KnownNames};
use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// The held-out lines, which only evaluate.
const HELD_OUT: &str = "held_out.txt";

fn main() -> Result<(), Box<dyn Error>> {
    let (options, folders): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let misses = match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--misses"] => true,
        _ => return Err("usage: [--misses] FOLDER".into()),
    };
    let [folder] = &folders[..] else { return Err("usage: [--misses] FOLDER".into()) };
    let mut shown = String::new();
    for file in ["tuning.txt", HELD_OUT] {
        let lines = std::fs::read_to_string(Path::new(folder).join(file))?;
        let cases = labelled::read(file, &lines)?;
        let figures = measure(&cases);
        write!(shown, "{file}: {} lines\n{}", cases.len(), table(&figures))?;
        if misses && file != HELD_OUT {
            figures.problems.iter().try_for_each(|problem| writeln!(shown, "{problem}"))?;
        }
        shown.push('\n');
    }
    std::io::stdout().lock().write_all(shown.as_bytes())?;
    Ok(())
}

fn measure(cases: &[labelled::Case]) -> Figures {
    // Without names of this machine, only the line itself counts.
    let anonymiser = Anonymiser::new(AnonymiserKey::new(&[7; 32]), KnownNames::default());
    let find = |text: &str| {
        anonymiser.hidden(text).into_iter().map(|span| (span.label, span.range)).collect()
    };
    figures::measure(cases, find)
}

fn table(figures: &Figures) -> String {
    let overall = figures.overall();
    let mut text = format!("{:28} right missed wrong  precision recall\n", "");
    let kinds = figures.tallies.iter().map(|(label, tally)| (label.as_str(), *tally));
    for (label, tally) in kinds.chain([("overall", overall)]) {
        let Tally { right, missed, wrong } = tally;
        let (precision, recall) = (tally.precision(), tally.recall());
        text +=
            &format!("{label:28} {right:5} {missed:6} {wrong:5}  {precision:9.3} {recall:6.3}\n");
    }
    let labels = overall.right + overall.missed;
    text + &format!("values of which a caller sees something: {} of {labels}\n", figures.shown)
}
