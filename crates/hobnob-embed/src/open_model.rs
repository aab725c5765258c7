//! Opens an installed model as an `Embedder`, with the code of its network.
//!
//! The hub calls it for memories and for the search of tools.

use std::path::Path;
use std::sync::Arc;

use crate::embedder::{EmbedError, Embedder};
use crate::minilm::MiniLm;
use crate::multilingual::MultilingualEncoder;
use crate::package::{LocalModel, ModelKind};

/// Opens the model in this folder. Checks only that its files exist with the right sizes: weights
/// are read, and verified, when the first text is embedded.
pub fn open_model(
    model: &'static LocalModel,
    folder: &Path,
) -> Result<Arc<dyn Embedder>, EmbedError> {
    Ok(match model.kind {
        ModelKind::Multilingual => Arc::new(MultilingualEncoder::open(folder)?),
        ModelKind::Bert { layers } => Arc::new(MiniLm::open_model(model, layers, folder)?),
    })
}
