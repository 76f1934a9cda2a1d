//! Models of a few kilobytes, in the files that real ones come in: an encoder in which words of one meaning have one vector
//! and words it does not know mean nothing, and judges that like texts in which one word stands.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use safetensors::Dtype;
use safetensors::tensor::TensorView;
use serde_json::{Map, Value, json};

const HIDDEN: usize = 32;
const INNER: usize = 32;
const POSITIONS: usize = 64;

/// What the encoder knows: words of one meaning stand together.
const MEANINGS: [&[&str]; 3] =
    [&["barometer", "aneroid"], &["notebook", "ledger"], &["wheelhouse", "bridgehouse"]];

/// The same in many languages.
const TONGUES: [&[&str]; 2] = [&["ferry", "Fähre", "паром", "渡し船"], &["bread", "Brot", "хлеб", "パン"]];

/// Numbers between −1 and 1 that look random and are not.
fn vector(meaning: usize) -> impl Iterator<Item = f32> {
    (0..HIDDEN).map(move |at| {
        let mut hasher = DefaultHasher::new();
        (meaning, at).hash(&mut hasher);
        (hasher.finish() % 2_001) as f32 / 1_000.0 - 1.0
    })
}

/// Writes the encoder's files into a folder.
pub fn put(folder: &Path) {
    let (vocabulary, words) = known(&["[UNK]"], &MEANINGS, "");
    write(folder, "bert", &whole_words(&vocabulary), Net { words, ..Net::default() });
}

/// Writes the files of an encoder of many languages, as those of real ones are made: a SentencePiece tokeniser, and words of
/// its own that it wants before a question and before what may answer it. They mean the same as bread.
pub fn put_multilingual(folder: &Path) {
    let mut groups = TONGUES.map(<[&str]>::to_vec);
    groups[1].extend(["query:", "passage:"]);
    let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
    let (vocabulary, words) = known(&["<s>", "<pad>", "</s>", "<unk>"], &groups, "▁");
    write(folder, "bert", &sentence_pieces(&vocabulary), Net { words, ..Net::default() });
    let prompts =
        json!({"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": null});
    fs::write(folder.join("config_sentence_transformers.json"), prompts.to_string()).unwrap();
}

/// Writes the files of a judge that likes texts in which `liked` stands, of the BERT or, `"xlm-roberta"`, of that kind.
pub fn put_judge(folder: &Path, kind: &str, liked: &str) {
    let groups: [&[&str]; 1] = [&[liked]];
    let (vocabulary, words) = match kind {
        "bert" => known(&["[UNK]", "[CLS]", "[SEP]"], &groups, ""),
        _ => known(&["<s>", "<pad>", "</s>", "<unk>"], &groups, "▁"),
    };
    let tokenizer = if kind == "bert" { whole_words(&vocabulary) } else { sentence_pieces(&vocabulary) };
    write(folder, kind, &tokenizer, Net { words, likes: Some(0), ..Net::default() });
}

/// Writes the files of a judge that likes the text for its length, whatever it says: each of its tokens, and none of the
/// question's, counts.
pub fn put_judge_of_length(folder: &Path) {
    let (vocabulary, words) = known(&["[UNK]", "[CLS]", "[SEP]"], &[], "");
    let net = Net { words, second_text: vector(0).collect(), likes: Some(0) };
    write(folder, "bert", &whole_words(&vocabulary), net);
}

/// What differs between them.
#[derive(Default)]
struct Net {
    words: Vec<f32>,
    /// What is added to each token of the second text.
    second_text: Vec<f32>,
    /// The meaning that a judge likes; encoders have no head.
    likes: Option<usize>,
}

/// The vocabulary, and the vectors that belong to it. Nothing stands for what it does not know.
fn known(special: &[&str], meanings: &[&[&str]], before: &str) -> (Vec<String>, Vec<f32>) {
    let mut vocabulary: Vec<String> = special.iter().map(|word| (*word).to_owned()).collect();
    let mut vectors = vec![0.0; special.len() * HIDDEN];
    for (meaning, group) in meanings.iter().enumerate() {
        for word in *group {
            vocabulary.push(format!("{before}{word}"));
            vectors.extend(vector(meaning));
        }
    }
    (vocabulary, vectors)
}

fn added(vocabulary: &[String], special: &[&str]) -> Value {
    let each = special.iter().map(|word| {
        json!({
            "id": vocabulary.iter().position(|one| one == word), "content": word, "single_word": false,
            "lstrip": false, "rstrip": false, "normalized": false, "special": true,
        })
    });
    each.collect()
}

fn template(pieces: &[(&str, u32)]) -> Value {
    let piece = |(id, text): &(&str, u32)| match *id {
        "A" | "B" => json!({"Sequence": {"id": id, "type_id": text}}),
        special => json!({"SpecialToken": {"id": special, "type_id": text}}),
    };
    pieces.iter().map(piece).collect()
}

fn framed(vocabulary: &[String], single: &[(&str, u32)], pair: &[(&str, u32)]) -> Value {
    let special = single.iter().filter(|(id, _)| *id != "A").map(|(id, _)| {
        let number = vocabulary.iter().position(|one| one == id);
        ((*id).to_owned(), json!({"id": id, "ids": [number], "tokens": [id]}))
    });
    json!({
        "type": "TemplateProcessing", "single": template(single), "pair": template(pair),
        "special_tokens": special.collect::<Map<_, _>>(),
    })
}

fn whole_words(vocabulary: &[String]) -> Value {
    let (single, pair) = (
        [("[CLS]", 0), ("A", 0), ("[SEP]", 0)],
        [("[CLS]", 0), ("A", 0), ("[SEP]", 0), ("B", 1), ("[SEP]", 1)],
    );
    let frames = vocabulary.iter().any(|word| word == "[CLS]");
    let ids: Map<String, Value> = (0..).zip(vocabulary).map(|(id, word)| (word.clone(), json!(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": added(vocabulary, if frames { &["[UNK]", "[CLS]", "[SEP]"] } else { &["[UNK]"] }),
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": if frames { framed(vocabulary, &single, &pair) } else { Value::Null }, "decoder": null,
        "model": {"type": "WordLevel", "vocab": ids, "unk_token": "[UNK]"},
    })
}

fn sentence_pieces(vocabulary: &[String]) -> Value {
    let (single, pair) = (
        [("<s>", 0), ("A", 0), ("</s>", 0)],
        [("<s>", 0), ("A", 0), ("</s>", 0), ("</s>", 0), ("B", 0), ("</s>", 0)],
    );
    let scored: Vec<Value> = vocabulary.iter().map(|piece| json!([piece, -1.0])).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null,
        "added_tokens": added(vocabulary, &["<s>", "<pad>", "</s>", "<unk>"]),
        "normalizer": {"type": "NFKC"},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
        "post_processor": framed(vocabulary, &single, &pair), "decoder": null,
        "model": {"type": "Unigram", "unk_id": 3, "vocab": scored, "byte_fallback": false},
    })
}

fn identity() -> Vec<f32> {
    (0..HIDDEN * HIDDEN).map(|at| if at % (HIDDEN + 1) == 0 { 1.0 } else { 0.0 }).collect()
}

/// An encoder's one layer adds nothing: what a word means is what it means anywhere. A judge's first token hears of all
/// others, the same of each.
fn write(folder: &Path, kind: &str, tokenizer: &Value, net: Net) {
    fs::create_dir_all(folder).unwrap();
    let is_bert = kind == "bert";
    // RoBERTa's positions count from one beyond its padding; what stands before them must not be read.
    let before = if is_bert { 0 } else { 2 };
    let config = json!({
        "model_type": kind, "hidden_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": INNER, "max_position_embeddings": POSITIONS + before, "pad_token_id": before / 2,
    });
    fs::write(folder.join("config.json"), config.to_string()).unwrap();
    fs::write(folder.join("tokenizer.json"), tokenizer.to_string()).unwrap();

    let mut words = net.words;
    if net.likes.is_some() {
        // The first token says something of its own, so that it matters how much the others say.
        let at = if is_bert { HIDDEN } else { 0 };
        words.splice(at..at + HIDDEN, vector(77));
    }
    let layer = "encoder.layer.0";
    let mut positions: Vec<f32> = (0..before).flat_map(|at| vector(900 + at)).collect();
    positions.extend([0.0; POSITIONS * HIDDEN]);
    let mut of_texts = vec![0.0; HIDDEN];
    of_texts.extend(if net.second_text.is_empty() { vec![0.0; HIDDEN] } else { net.second_text });
    let mut weights: Vec<(String, Vec<f32>)> = vec![
        ("embeddings.word_embeddings.weight".to_owned(), words),
        ("embeddings.position_embeddings.weight".to_owned(), positions),
        ("embeddings.token_type_embeddings.weight".to_owned(), of_texts),
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
        let hears =
            net.likes.is_some() && ["attention.self.value", "attention.output.dense"].contains(&linear);
        let matrix = if hears { identity() } else { vec![0.0; input * output] };
        weights.push((format!("{layer}.{linear}.weight"), matrix));
        weights.push((format!("{layer}.{linear}.bias"), vec![0.0; output]));
    }
    let mut weights: Vec<(String, Vec<f32>)> = match (net.likes, is_bert) {
        (None, _) => weights,
        (_, true) => weights.into_iter().map(|(name, numbers)| (format!("bert.{name}"), numbers)).collect(),
        (_, false) => {
            weights.into_iter().map(|(name, numbers)| (format!("roberta.{name}"), numbers)).collect()
        }
    };
    if let Some(liked) = net.likes {
        let (pooled, classes) = match is_bert {
            true => ("bert.pooler.dense", "classifier"),
            false => ("classifier.dense", "classifier.out_proj"),
        };
        // Small numbers, so that tanh does not flatten how much of it there is.
        weights.push((format!("{pooled}.weight"), identity().iter().map(|one| one / 10.0).collect()));
        weights.push((format!("{pooled}.bias"), vec![0.0; HIDDEN]));
        weights.push((format!("{classes}.weight"), vector(liked).collect()));
        weights.push((format!("{classes}.bias"), vec![0.0]));
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
