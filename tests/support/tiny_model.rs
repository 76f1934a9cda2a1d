//! A sentence encoder of a few kilobytes, in the files that real ones come in. Words of one meaning have one vector; words
//! it does not know mean nothing.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, json};

const HIDDEN: usize = 32;
const INNER: usize = 32;
const POSITIONS: usize = 64;

/// What it knows: words of one meaning stand together.
const MEANINGS: [&[&str]; 3] =
    [&["barometer", "aneroid"], &["notebook", "ledger"], &["wheelhouse", "bridgehouse"]];

/// Numbers between −1 and 1 that look random and are not.
fn vector(meaning: usize) -> impl Iterator<Item = f32> {
    (0..HIDDEN).map(move |at| {
        let mut hasher = DefaultHasher::new();
        (meaning, at).hash(&mut hasher);
        (hasher.finish() % 2_001) as f32 / 1_000.0 - 1.0
    })
}

/// Writes its files into a folder.
pub fn put(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": INNER, "max_position_embeddings": POSITIONS,
    });
    fs::write(folder.join("config.json"), config.to_string()).unwrap();

    let mut vocabulary = Map::from_iter([("[UNK]".to_owned(), json!(0))]);
    // Nothing stands for what it does not know.
    let mut words = vec![0.0; HIDDEN];
    for (meaning, group) in MEANINGS.iter().enumerate() {
        for word in *group {
            vocabulary.insert((*word).to_owned(), json!(vocabulary.len()));
            words.extend(vector(meaning));
        }
    }
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": [{
            "id": 0, "content": "[UNK]", "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true,
        }],
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    });
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();

    // Its one layer adds nothing: what a word means is what it means anywhere.
    let layer = "encoder.layer.0";
    let mut weights: Vec<(String, Vec<f32>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), words),
        ("embeddings.position_embeddings.weight".to_owned(), vec![0.0; POSITIONS * HIDDEN]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![0.0; 2 * HIDDEN]),
    ];
    for norm in [
        "embeddings.LayerNorm".to_owned(),
        format!("{layer}.attention.output.LayerNorm"),
        format!("{layer}.output.LayerNorm"),
    ] {
        weights.push((format!("{norm}.weight"), vec![1.0; HIDDEN]));
        weights.push((format!("{norm}.bias"), vec![0.0; HIDDEN]));
    }
    for (linear, input, output) in [
        ("attention.self.query", HIDDEN, HIDDEN),
        ("attention.self.key", HIDDEN, HIDDEN),
        ("attention.self.value", HIDDEN, HIDDEN),
        ("attention.output.dense", HIDDEN, HIDDEN),
        ("intermediate.dense", HIDDEN, INNER),
        ("output.dense", INNER, HIDDEN),
    ] {
        weights.push((format!("{layer}.{linear}.weight"), vec![0.0; input * output]));
        weights.push((format!("{layer}.{linear}.bias"), vec![0.0; output]));
    }
    let bytes: Vec<(String, Vec<u8>)> = weights
        .into_iter()
        .map(|(name, numbers)| (name, numbers.iter().flat_map(|number| number.to_le_bytes()).collect()))
        .collect();
    let views = bytes
        .iter()
        .map(|(name, data)| (name, TensorView::new(Dtype::F32, vec![data.len() / 4], data).unwrap()));
    fs::write(folder.join("model.safetensors"), safetensors::serialize(views, None).unwrap()).unwrap();
}
