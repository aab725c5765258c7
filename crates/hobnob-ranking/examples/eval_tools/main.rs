//! Measures how well tools are found: indexes the recorded tools of published servers, runs
//! plain-language queries and prints the figures. `cargo xtask eval tools` builds and runs this.

mod baselines;
mod data;
mod figures;
mod latency;
mod model;
mod options;
mod report;

use data::DataSet;
use hobnob_ranking::{RankingRequest, ToolDocument, ToolIndex, pack_phrase_vectors, phrase_texts};
use options::Options;
use report::Method;
use std::error::Error;
use std::io::Write as _;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    if let Some(file) = &options.phrases {
        return write_phrases(&options, file);
    }
    let set = DataSet::read(&options.data, options.sets)?;
    let documents: Vec<ToolDocument> = set.documents();
    let words = ToolIndex::build(documents.iter().cloned());
    let mut methods = vec![
        Method::new("every word (as before)", &set, |_, query| baselines::every_word(&set, query)),
        Method::new("plain BM25", &set, {
            let index = baselines::PlainIndex::build(&set);
            move |_, query| index.rank(query)
        }),
        Method::new("words", &set, |_, query| ranked(&words, query, None)),
    ];
    let mut latencies = vec![latency::measure("words", &set, &documents, None)];
    if let Some(folder) = &options.weights {
        let texts = documents.iter().map(|document| document.embedding_text().to_owned());
        let queries = set.queries.iter().map(|query| query.query.clone());
        let mut model = model::Model::open(folder, &options.work)?;
        let (tools, asked) = (model.embed(texts)?, model.embed(queries)?);
        model.save()?;
        let vectors: Vec<_> = tools.iter().cloned().map(Some).collect();
        let index = ToolIndex::build(documents.iter().cloned()).with_vectors(vectors);
        methods.push(Method::new("vectors alone", &set, |at, _| {
            baselines::nearest(&tools, &asked[at])
        }));
        methods.push(Method::new("words and vectors", &set, |at, query| {
            ranked(&index, query, Some(&asked[at]))
        }));
        latencies.push(latency::measure(
            "words and vectors",
            &set,
            &documents,
            Some((&tools, &asked)),
        ));
    }
    let shown = report::text(&options, &set, &methods, &latencies)?;
    std::io::stdout().lock().write_all(shown.as_bytes())?;
    Ok(())
}

/// Writes `phrases.bin`, the packed vectors of the multi-word expressions.
fn write_phrases(options: &Options, file: &Path) -> Result<(), Box<dyn Error>> {
    let weights = options.weights.as_deref().ok_or("the vectors of expressions need the model")?;
    let mut model = model::Model::open(weights, &options.work)?;
    let vectors = model.embed(phrase_texts().into_iter().map(str::to_owned))?;
    model.save()?;
    Ok(std::fs::write(file, pack_phrase_vectors(&vectors))?)
}

fn ranked(index: &ToolIndex, query: &str, vector: Option<&[f32]>) -> Vec<usize> {
    let request = RankingRequest { query, vector, limit: index.len(), ..RankingRequest::default() };
    index.rank(&request).iter().map(|hit| hit.position).collect()
}
