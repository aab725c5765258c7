//! Ranks the listed tools for a query, by words and, if the embedding model is there, by meaning.
//!
//! `hobnob tools QUERY` calls it. What must stay true: without a model, or if it takes too long,
//! tools are found by words alone.

use hobnob_gateway::ToolEmbedder;
use hobnob_ranking::{RankedTool, RankingRequest, ToolDocument, ToolIndex};
use hobnob_terminal::hub::HubEntry;
use hobnob_terminal::terminal::Spinner;
use serde_json::Value;
use std::time::Duration;

/// How long the person at the terminal waits for vectors that are not cached yet. The vectors made
/// until then are cached, so the next command needs less time.
const EMBEDDING_TIMEOUT: Duration = Duration::from_secs(20);

/// How many definitions the model gets at once.
const BATCH_SIZE: usize = 64;

/// A query, and the tools to search.
pub(super) struct ToolSearch<'a> {
    pub(super) tools: &'a [HubEntry],
    pub(super) query: &'a str,
    pub(super) limit: usize,
}

impl ToolSearch<'_> {
    /// The tools that fit, the best first.
    pub(super) async fn run(
        &self,
        model: Option<&dyn ToolEmbedder>,
        spinner: &Spinner,
    ) -> Vec<RankedTool> {
        let documents: Vec<ToolDocument> = self.tools.iter().map(document).collect();
        let meaning = match model {
            Some(model) => {
                spinner.set_message("reading the tools with the embedding model");
                tokio::time::timeout(EMBEDDING_TIMEOUT, self.vectors(model, &documents))
                    .await
                    .ok()
                    .flatten()
            }
            None => None,
        };
        let index = ToolIndex::build(documents);
        let (index, vector) = match meaning {
            Some((vectors, vector)) => (index.with_vectors(vectors), Some(vector)),
            None => (index, None),
        };
        let (query, limit, vector) = (self.query, self.limit, vector.as_deref());
        index.rank_fitting(&RankingRequest { query, limit, vector, uses: &[] })
    }

    /// The vectors of the tools and of the query.
    async fn vectors(
        &self,
        model: &dyn ToolEmbedder,
        documents: &[ToolDocument],
    ) -> Option<(Vec<Option<Vec<f32>>>, Vec<f32>)> {
        let texts: Vec<String> =
            documents.iter().map(|document| document.embedding_text().to_owned()).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH_SIZE) {
            vectors.extend(model.embed_tools(batch.to_vec()).await?.into_iter().map(Some));
        }
        let query = model.embed(vec![self.query.to_owned()]).await?.pop()?;
        Some((vectors, query))
    }
}

fn document(tool: &HubEntry) -> ToolDocument {
    // An unreadable definition would match no query; but the list comes from a checked catalogue.
    let definition = serde_json::from_str(&tool.json).unwrap_or(Value::Null);
    ToolDocument::from_definition(tool.server(), &definition)
}
