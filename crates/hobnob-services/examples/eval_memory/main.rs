//! Measures how well memories are found: loads data sets into fresh stores, asks their questions in
//! each mode and with plain BM25, and prints one table. `cargo xtask eval memory` builds and runs
//! this.

mod bm25;
mod data;
mod figures;
mod fit;
mod options;
mod report;
mod trial;

use data::DataSet;
use hobnob_embed::{
    InstallProgress, ModelSource, MultilingualEncoder, install, model_named, open_model,
};
use hobnob_services::memory::recall::EmbeddingModels;
use options::Options;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    let runtime = tokio::runtime::Runtime::new()?;
    std::fs::create_dir_all(&options.work)?;
    let folder = options.work.join(format!("store-{}", std::process::id()));
    let shown = runtime.block_on(measured(&options, &folder));
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::io::stdout().lock().write_all(shown?.as_bytes())?;
    Ok(())
}

/// What the options ask for, as text; each set has a store of its own below the folder.
async fn measured(options: &Options, folder: &Path) -> Result<String, Box<dyn Error>> {
    let models = models(options).await?;
    let (mut answers, mut hits) = (Vec::new(), Vec::new());
    let sets = options.data.iter().map(|data| DataSet::read(data));
    let mut sets = sets.collect::<Result<Vec<_>, _>>()?;
    if options.foreign {
        add_foreign_questions(&mut sets);
    }
    for set in sets {
        let store = folder.join(&set.name);
        if options.fit {
            let mut loaded = trial::load(&store, &set, models.clone()).await?;
            hits.push(fit::try_all(&set, &mut loaded).await?);
        } else {
            let of_set = trial::ask(&store, &set, models.clone()).await?;
            answers.push((set.name, of_set));
        }
    }
    Ok(match options {
        Options { fit: true, .. } => fit::choice(&hits),
        Options { json: true, .. } => report::json(&answers)?,
        _ => report::tables(&answers),
    })
}

/// Asks each set the questions of the next two sets, too: nothing in it answers them.
fn add_foreign_questions(sets: &mut [DataSet]) {
    let others = sets.to_vec();
    for (place, set) in sets.iter_mut().enumerate() {
        let following = others.iter().cycle().skip(place + 1).take(2.min(others.len() - 1));
        following.for_each(|other| set.add_foreign(other));
    }
}

/// The models that the options name. The main one is first installed below the working folder, as
/// `hobnob embeddings install` does it, so that its 8-bit weights are measured.
async fn models(options: &Options) -> Result<EmbeddingModels, Box<dyn Error>> {
    let mut models = EmbeddingModels::default();
    if let Some(folder) = &options.weights {
        let model = model_named(&options.model).ok_or("--model: there is no such model")?;
        let source = ModelSource::parse(&folder.to_string_lossy())?;
        let mut watch = |_progress: InstallProgress| ();
        let installed = install(model, &source, &options.work.join("models"), &mut watch).await?;
        models.main = Some(open_model(model, &installed.folder)?);
    }
    if let Some(folder) = &options.multilingual {
        models.multilingual = Some(Arc::new(MultilingualEncoder::open(folder)?));
    }
    Ok(models)
}
