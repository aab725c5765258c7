//! The installed embedding model for the search of tools.
//!
//! `compose` hands it to the gateway; `hobnob tools` uses it, too. It is always the local model: an
//! endpoint that was chosen for memories gets neither tools nor queries about them. Vectors of
//! definitions are cached on the disk, those of queries are not.

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

/// The model, if one is installed and the settings do not disable it. Reads no weights yet.
pub fn tool_model(places: &Places, chosen: &EmbeddingSettings) -> Option<Arc<dyn ToolEmbedder>> {
    match chosen.provider {
        EmbeddingProvider::None | EmbeddingProvider::Endpoint => None,
        EmbeddingProvider::Auto | EmbeddingProvider::Local => {
            // The memory service already reports what is wrong with it.
            let model = MiniLm::open(&installed(&places.models())?).ok()?;
            let file = ToolVectorFile::new(&places.tool_vectors());
            Some(Arc::new(InstalledModel { model, file }))
        }
    }
}
