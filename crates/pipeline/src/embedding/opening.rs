//! The models of a folder, by what it holds: computed here, or run by ONNX Runtime in builds that have it.

use std::path::Path;
use std::sync::Arc;

use super::embedder::Embedder;
#[cfg(not(feature = "fastembed"))]
use super::model::onnx_in;
use super::model::{ModelError, TextModel, is_onnx};
use super::rerank::{CrossEncoder, Reranker};

/// The embedding model of a folder: its `model.safetensors` where that is there, else its `model.onnx`, which only a
/// build with the feature `fastembed` reads, on `threads` threads.
///
/// # Errors
/// When a file is missing, damaged, or of a kind this program does not compute.
pub fn open_embedder(folder: &Path, threads: usize) -> Result<Arc<dyn Embedder>, ModelError> {
    if !is_onnx(folder) {
        return Ok(Arc::new(TextModel::open(folder)?));
    }
    #[cfg(feature = "fastembed")]
    return Ok(Arc::new(super::onnx::OnnxEmbedder::open(folder, threads)?));
    #[cfg(not(feature = "fastembed"))]
    Err(without_onnx(folder, threads))
}

/// The same of a model that puts finds in order.
///
/// # Errors
/// As for [`open_embedder`].
pub fn open_reranker(folder: &Path, threads: usize) -> Result<Arc<dyn Reranker>, ModelError> {
    if !is_onnx(folder) {
        return Ok(Arc::new(CrossEncoder::open(folder)?));
    }
    #[cfg(feature = "fastembed")]
    return Ok(Arc::new(super::onnx::OnnxReranker::open(folder, threads)?));
    #[cfg(not(feature = "fastembed"))]
    Err(without_onnx(folder, threads))
}

#[cfg(not(feature = "fastembed"))]
fn without_onnx(folder: &Path, _threads: usize) -> ModelError {
    ModelError::Unusable {
        path: onnx_in(folder),
        reason:
            "this build does not run ONNX files; put the model's model.safetensors beside it, or build with \
                 --features fastembed"
                .to_owned(),
    }
}

#[cfg(all(test, not(feature = "fastembed")))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn y11_a_folder_with_nothing_but_an_onnx_file_says_what_reads_it() {
        for place in ["model.onnx", "onnx/model.onnx"] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join(place);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, b"").unwrap();
            for error in
                [open_embedder(folder.path(), 1).unwrap_err(), open_reranker(folder.path(), 1).unwrap_err()]
            {
                assert!(error.to_string().contains("build with --features fastembed"), "{error}");
            }
            assert_eq!(TextModel::missing_in(folder.path()), Some("config.json"));
        }
    }
}
