//! Measures how well memories are found: loads data sets into fresh stores, asks their questions in
//! each mode and with plain BM25, and prints one table. `cargo xtask eval memory` builds and runs
//! this.

mod bm25;
mod data;
mod figures;
mod options;
mod report;
mod trial;

use data::DataSet;
use hobnob_embed::{MiniLm, MultilingualEncoder};
use hobnob_services::memory::recall::EmbeddingModels;
use options::Options;
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use trial::Answer;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let answers = runtime.block_on(ask_all(&options))?;
    let shown = if options.json { report::json(&answers)? } else { report::tables(&answers) };
    std::io::stdout().lock().write_all(shown.as_bytes())?;
    Ok(())
}

async fn ask_all(options: &Options) -> Result<Vec<(String, Vec<Answer>)>, Box<dyn Error>> {
    let mut models = EmbeddingModels::default();
    if let Some(folder) = &options.weights {
        models.main = Some(Arc::new(MiniLm::open(folder)?));
    }
    if let Some(folder) = &options.multilingual {
        models.multilingual = Some(Arc::new(MultilingualEncoder::open(folder)?));
    }
    let mut answers = Vec::new();
    for folder in &options.data {
        let set = DataSet::read(folder)?;
        let of_set = trial::ask(&options.work, &set, models.clone()).await?;
        answers.push((set.name, of_set));
    }
    Ok(answers)
}
