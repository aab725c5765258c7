//! The installed embedding model for the search of tools.
//!
//! `compose` hands it to the gateway, and `hobnob tools` asks it. Only the model on this machine: an
//! endpoint that was chosen for memories is not told of tools and of what is asked of them. Vectors of
//! definitions are kept on the disk, those of queries nowhere.

use super::tool_vector_file::ToolVectorFile;
use hobnob_config::{Digest, EmbeddingProvider, EmbeddingSettings, Places};
use hobnob_embed::{Embedder as _, MiniLm, installed};
use hobnob_gateway::ToolEmbedder;
use hobnob_mcp_engine::BoxFuture;
use std::sync::Arc;
use tokio::task::spawn_blocking;

struct InstalledModel {
    model: MiniLm,
    file: ToolVectorFile,
}

impl ToolEmbedder for InstalledModel {
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>> {
        Box::pin(async move {
            match self.model.embed(texts).await {
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

    fn embed_tools(&self, texts: Vec<String>) -> BoxFuture<'_, Option<Vec<Vec<f32>>>> {
        Box::pin(async move {
            let model = self.model.model().as_str();
            let keys: Vec<Digest> =
                texts.iter().map(|text| Digest::of_parts([model, text])).collect();
            let file = self.file.clone();
            let mut known = spawn_blocking(move || file.read()).await.ok()?;
            let missing = keys.iter().zip(texts).filter(|(key, _)| !known.contains_key(*key));
            let (missing, texts): (Vec<Digest>, Vec<String>) = missing.unzip();
            if !texts.is_empty() {
                known.extend(missing.into_iter().zip(self.embed(texts).await?));
                let (file, keys) = (self.file.clone(), keys.clone());
                known = spawn_blocking(move || file.write(&keys, known)).await.ok()?;
            }
            keys.iter().map(|key| known.get(key).cloned()).collect()
        })
    }
}

/// The model, if one is installed and the settings do not switch it off. Reads no weights yet.
pub fn tool_model(places: &Places, chosen: &EmbeddingSettings) -> Option<Arc<dyn ToolEmbedder>> {
    match chosen.provider {
        EmbeddingProvider::None | EmbeddingProvider::Endpoint => None,
        EmbeddingProvider::Auto | EmbeddingProvider::Local => {
            // What is wrong with it, memory says already.
            let model = MiniLm::open(&installed(&places.models())?).ok()?;
            let file = ToolVectorFile::new(&places.tool_vectors());
            Some(Arc::new(InstalledModel { model, file }))
        }
    }
}
