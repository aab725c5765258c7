//! How well memories are found: data sets go into a fresh store, their questions are asked in each
//! mode, and the figures are printed. `cargo xtask eval memory` builds and runs this.

mod cached;
mod data;
mod figures;
mod options;
mod report;
mod trial;

use cached::Cached;
use data::DataSet;
use hobnob_embed::{Embedder, MiniLm};
use options::Options;
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use trial::Answer;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let answers = runtime.block_on(ask_all(&options))?;
    let shown = if options.json { report::json(&answers)? } else { report::table(&answers) };
    std::io::stdout().lock().write_all(shown.as_bytes())?;
    Ok(())
}

async fn ask_all(options: &Options) -> Result<Vec<Answer>, Box<dyn Error>> {
    let model = match &options.weights {
        Some(folder) => {
            let model: Arc<dyn Embedder> = Arc::new(MiniLm::open(folder)?);
            Some(Arc::new(Cached::open(model, options.work.join("embeddings.bin"))?))
        }
        None => None,
    };
    let mut answers = Vec::new();
    for folder in &options.data {
        let set = DataSet::read(folder)?;
        answers.extend(trial::ask(&options.work, &set, model.clone()).await?);
    }
    if let Some(model) = model {
        model.save()?;
    }
    Ok(answers)
}
