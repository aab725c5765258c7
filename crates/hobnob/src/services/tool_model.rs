//! The installed embedding model for the search of tools.
//!
//! `compose` hands it to the gateway. Only the model on this machine: an endpoint that was chosen for
//! memories is not told of tools and of what is asked of them.

use hobnob_config::{EmbeddingProvider, EmbeddingSettings, Places};
use hobnob_embed::{Embedder as _, MiniLm, installed};
use hobnob_gateway::ToolEmbedder;
use hobnob_mcp_engine::BoxFuture;
use std::sync::Arc;

struct InstalledModel(MiniLm);

impl ToolEmbedder for InstalledModel {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>> {
        Box::pin(async move {
            match self.0.embed(texts).await {
                Ok(vectors) => {
                    Some(vectors.iter().map(|vector| vector.as_slice().to_vec()).collect())
                }
                Err(error) => {
                    tracing::debug!(%error, "tools are found by words alone");
                    None
                }
            }
        })
    }
}

/// The model, if one is installed and the settings do not switch it off. Reads no weights yet.
pub(crate) fn tool_model(
    places: &Places,
    chosen: &EmbeddingSettings,
) -> Option<Arc<dyn ToolEmbedder>> {
    match chosen.provider {
        EmbeddingProvider::None | EmbeddingProvider::Endpoint => None,
        EmbeddingProvider::Auto | EmbeddingProvider::Local => {
            let model = MiniLm::open(&installed(&places.models())?);
            // What is wrong with it, memory says already.
            model.ok().map(|model| Arc::new(InstalledModel(model)) as Arc<dyn ToolEmbedder>)
        }
    }
}
