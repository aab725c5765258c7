//! Measures how fast memories are found: fills stores with made-up memories, asks them in process,
//! and prints the calls that the load generator sends. `cargo xtask bench` builds and runs this.

mod options;
mod random;

mod meaning;
mod text;

mod calls;
mod fill;

mod ask;
mod usage;

use options::{BenchStep, Options};
use std::error::Error;
use std::io::Write as _;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let said = match options.step {
        BenchStep::Fill => {
            runtime.block_on(fill::fill(&options))?;
            String::new()
        }
        BenchStep::Recall => {
            serde_json::to_string(&runtime.block_on(ask::measure(&options))?)? + "\n"
        }
        BenchStep::Captures => calls::captures(options.count)?,
        BenchStep::Questions => calls::recalls(options.memories, options.count)?,
    };
    std::io::stdout().lock().write_all(said.as_bytes())?;
    Ok(())
}
