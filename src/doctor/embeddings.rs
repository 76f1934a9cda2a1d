//! The embedding model: whether there is to be one, and whether its files are here. It is not read: that takes a moment
//! and much memory.

use std::path::Path;

use super::messages;
use super::report::Check;
use crate::config::EmbeddingsConfig;
use crate::embedding::{HubModel, TextModel};

/// Blocks on the disk.
pub(super) fn look(config: &EmbeddingsConfig, hub: Option<&str>, data_dir: &Path) -> Check {
    if !config.enabled {
        return messages::embeddings_off();
    }
    if let Some(folder) = &config.folder {
        return match TextModel::missing_in(folder) {
            None => messages::embeddings_here(folder),
            Some(file) => messages::embeddings_folder_lacks(folder, file),
        };
    }
    let endpoint = hub.or(config.endpoint.as_deref()).filter(|hub| *hub != HubModel::NONE);
    let model = HubModel {
        endpoint: endpoint.unwrap_or_default().to_owned(),
        model: config.model.clone(),
        revision: config.revision.clone(),
        sha256: config.sha256.clone(),
    };
    match model.folder(&data_dir.join("models")) {
        Err(error) => messages::embeddings_unusable(&error.to_string()),
        Ok(folder) if HubModel::is_in(&folder) => messages::embeddings_here(&folder),
        Ok(_) => match endpoint {
            Some(endpoint) => messages::embeddings_to_be_fetched(&model.model, endpoint),
            None => messages::embeddings_not_here(),
        },
    }
}
