//! Texts as vectors, so that what means the same is found though it is said in other words.
//!
//! Owns what turns text into vectors, what it made of turns, and what judges how well a text answers a question. Must not know turns, notes or ranking. Without a model nothing here runs, and
//! everything else works by words alone. Start reading at [`Embedder`].

mod bert;
mod codes;
mod desk;
mod embedder;
mod embeddings;
mod fetch;
mod model;
#[cfg(feature = "fastembed")]
mod onnx;
mod opening;
mod rerank;
mod store;
mod turn_vectors;
mod weights;

pub use codes::{Matcher, Probe, Signs};
pub use embedder::{EmbedError, Embedded, Embedder, TextKind, TokenVectors, dot, to_unit};
pub use embeddings::{EmbeddingState, Embeddings};
pub use fetch::{FetchError, HubModel};
pub use model::{ModelError, TextModel};
pub use opening::{open_embedder, open_reranker};
pub use rerank::{CrossEncoder, RerankError, Reranker, Reranking};
pub use store::{ModelVectors, ReadUpTo, TurnVector, VectorStore, forget_turns, kept_vectors};
pub use turn_vectors::TurnVectors;
