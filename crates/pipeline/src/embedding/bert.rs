//! A BERT encoder, computed straight from its weights: no runtime library, nothing but multiplications. What texts of
//! one batch have in common is one long multiplication, so no text is padded to the length of another. RoBERTa is the same
//! with its positions counted from further on and another head.

use std::fmt;

use rten_gemm::{BiasVector, GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::NdTensorView;
use rten_vecmath::{ApproxGelu, Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquareSub};
use serde::Deserialize;

use tokenizers::Encoding;

use super::weights::{Table, Weights, WeightsError};

/// What `config.json` says about a model.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct BertShape {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    max_position_embeddings: usize,
    hidden_act: Option<String>,
    #[serde(default = "usual_eps")]
    layer_norm_eps: f32,
    position_embedding_type: Option<String>,
    /// Where RoBERTa's positions count from.
    #[serde(default)]
    pad_token_id: usize,
}

fn usual_eps() -> f32 {
    1e-12
}

impl BertShape {
    /// The most tokens of a text.
    pub(super) fn max_tokens(&self) -> usize {
        self.max_position_embeddings.saturating_sub(self.first_position())
    }

    fn is_roberta(&self) -> bool {
        self.model_type != "bert"
    }

    fn first_position(&self) -> usize {
        if self.is_roberta() { self.pad_token_id + 1 } else { 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activation {
    Gelu,
    ApproxGelu,
}

/// The encoder with its weights, laid out for multiplying.
pub(super) struct Bert {
    shape: BertShape,
    activation: Activation,
    /// By far the largest weight of a model that knows many languages, and of it a text needs a few rows.
    words: Table,
    /// Of each position, with what stands for "the first text" added.
    positions: Vec<f32>,
    /// What makes the first text's tokens the second's; empty where the model does not tell them apart.
    second_text: Vec<f32>,
    norm: Norm,
    layers: Vec<EncoderLayer>,
}

struct EncoderLayer {
    query_key_value: Linear,
    attended: Linear,
    attention_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

struct Linear {
    weights: PackedBMatrix<f32>,
    bias: Vec<f32>,
}

struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl fmt::Debug for Bert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bert").field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// What happens to a multiplication's result.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onto {
    /// It takes the place of what was there.
    Replace,
    /// It is added to what was there.
    Add,
}

impl Bert {
    /// Reads the weights.
    ///
    /// # Errors
    /// When this is another kind of model, or a weight is missing or of the wrong size.
    pub(super) fn read(shape: BertShape, weights: &Weights) -> Result<Self, WeightsError> {
        let refused = |what: &str| Err(WeightsError::Unsupported(what.to_owned()));
        if !["bert", "roberta", "xlm-roberta"].contains(&shape.model_type.as_str()) {
            return refused(&format!(
                "a model of type {:?}; it must be \"bert\", \"roberta\" or \"xlm-roberta\"",
                shape.model_type
            ));
        }
        if shape.position_embedding_type.as_deref().is_some_and(|how| how != "absolute") {
            return refused("positions that are not absolute");
        }
        if shape.num_attention_heads == 0 || !shape.hidden_size.is_multiple_of(shape.num_attention_heads) {
            return refused("heads that do not divide the hidden size");
        }
        let activation = match shape.hidden_act.as_deref().unwrap_or("gelu") {
            "gelu" => Activation::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" => Activation::ApproxGelu,
            other => return refused(&format!("the activation {other:?}")),
        };
        let (hidden, inner) = (shape.hidden_size, shape.intermediate_size);
        let norm = |name: &str| -> Result<Norm, WeightsError> {
            Ok(Norm {
                scale: weights.numbers(&format!("{name}.weight"), hidden)?,
                bias: weights.numbers(&format!("{name}.bias"), hidden)?,
            })
        };
        let mut layers = Vec::with_capacity(shape.num_hidden_layers);
        for number in 0..shape.num_hidden_layers {
            let layer = format!("encoder.layer.{number}");
            let parts = ["query", "key", "value"].map(|part| format!("{layer}.attention.self.{part}"));
            layers.push(EncoderLayer {
                query_key_value: Linear::read(weights, &parts, hidden, 3 * hidden)?,
                attended: Linear::read(
                    weights,
                    &[format!("{layer}.attention.output.dense")],
                    hidden,
                    hidden,
                )?,
                attention_norm: norm(&format!("{layer}.attention.output.LayerNorm"))?,
                up: Linear::read(weights, &[format!("{layer}.intermediate.dense")], hidden, inner)?,
                down: Linear::read(weights, &[format!("{layer}.output.dense")], inner, hidden)?,
                norm: norm(&format!("{layer}.output.LayerNorm"))?,
            });
        }
        let mut positions = weights
            .numbers("embeddings.position_embeddings.weight", shape.max_position_embeddings * hidden)?;
        let of_texts = weights.rows("embeddings.token_type_embeddings.weight", hidden)?;
        let (first_text, others) = of_texts.split_at(hidden);
        for position in positions.chunks_exact_mut(hidden) {
            add_into(position, first_text);
        }
        let second_text = others.iter().zip(first_text).map(|(second, first)| second - first).collect();
        positions.drain(..positions.len().min(shape.first_position() * hidden));
        let words = weights.table("embeddings.word_embeddings.weight", hidden)?;
        let norm = norm("embeddings.LayerNorm")?;
        Ok(Self { activation, words, positions, second_text, norm, layers, shape })
    }

    /// How many numbers stand for a token.
    pub(super) fn hidden_size(&self) -> usize {
        self.shape.hidden_size
    }

    /// The last layer's numbers for every token of every text, one after another. Tokens the model has no word for and
    /// those beyond its last position count as nothing.
    ///
    /// # Errors
    /// When the weights' file cannot be read any more, or a multiplication is refused, which would be a mistake of this
    /// file.
    pub(super) fn last_layer(&self, texts: &[Encoding]) -> Result<Vec<f32>, WeightsError> {
        let hidden = self.shape.hidden_size;
        let mut states = vec![0.0; texts.iter().map(Encoding::len).sum::<usize>() * hidden];
        let tokens = texts.iter().flat_map(|text| text.get_ids().iter().zip(text.get_type_ids()).enumerate());
        for (state, (position, (id, text))) in states.chunks_exact_mut(hidden).zip(tokens) {
            self.words.add_row(*id as usize, state)?;
            add_into(state, row(&self.positions, position, hidden));
            if *text > 0 {
                add_into(state, &self.second_text);
            }
        }
        self.norm.apply(&mut states, self.shape.layer_norm_eps);
        // It only knows which instructions this processor has, and may not be shared between threads.
        let mut scratch = Scratch::default();
        let lengths: Vec<usize> = texts.iter().map(Encoding::len).collect();
        for layer in &self.layers {
            self.layer(layer, &lengths, &mut states, &mut scratch)?;
        }
        Ok(states)
    }

    fn layer(
        &self,
        layer: &EncoderLayer,
        lengths: &[usize],
        states: &mut Vec<f32>,
        scratch: &mut Scratch,
    ) -> Result<(), WeightsError> {
        let eps = self.shape.layer_norm_eps;
        let Scratch { gemm, query_key_value, attended, .. } = scratch;
        multiply(gemm, &layer.query_key_value, states, query_key_value, Onto::Replace)?;
        attended.clear();
        attended.resize(states.len(), 0.0);
        let mut first = 0;
        for length in lengths {
            self.attend(first, *length, scratch)?;
            first += length;
        }
        let Scratch { gemm, attended, inner, .. } = scratch;
        multiply(gemm, &layer.attended, attended, states, Onto::Add)?;
        layer.attention_norm.apply(states, eps);
        multiply(gemm, &layer.up, states, inner, Onto::Replace)?;
        match self.activation {
            Activation::Gelu => Gelu {}.map_mut(inner),
            Activation::ApproxGelu => ApproxGelu {}.map_mut(inner),
        }
        multiply(gemm, &layer.down, inner, states, Onto::Add)?;
        layer.norm.apply(states, eps);
        Ok(())
    }

    /// Lets the tokens of one text, `count` of them from `first` on, look at each other.
    fn attend(&self, first: usize, count: usize, scratch: &mut Scratch) -> Result<(), WeightsError> {
        if count == 0 {
            return Ok(());
        }
        let hidden = self.shape.hidden_size;
        let width = hidden / self.shape.num_attention_heads;
        let Scratch { gemm, query_key_value, attended, scores, mixed, .. } = scratch;
        scores.resize(count * count, 0.0);
        mixed.resize(count * width, 0.0);
        for head in 0..self.shape.num_attention_heads {
            let part = |which: usize| {
                let start = first * 3 * hidden + which * hidden + head * width;
                NdTensorView::from_slice_with_strides(
                    [count, width],
                    &query_key_value[start..],
                    [3 * hidden, 1],
                )
                .map_err(|error| WeightsError::Unsupported(error.to_string()))
            };
            let (queries, keys, values) = (part(0)?, part(1)?, part(2)?);
            let scaled = GemmOptions { alpha: 1.0 / (width as f32).sqrt(), ..GemmOptions::default() };
            gemm.gemm(scores, GemmInputA::Unpacked(queries), GemmInputB::Unpacked(keys.transposed()), scaled)
                .map_err(gemm_refused)?;
            for row in scores.chunks_exact_mut(count) {
                Softmax::new_mut(row).dispatch();
            }
            let shares = NdTensorView::from_data([count, count], scores.as_slice());
            gemm.gemm(
                mixed,
                GemmInputA::Unpacked(shares),
                GemmInputB::Unpacked(values),
                GemmOptions::default(),
            )
            .map_err(gemm_refused)?;
            for (token, row) in mixed.chunks_exact(width).enumerate() {
                let start = (first + token) * hidden + head * width;
                attended[start..start + width].copy_from_slice(row);
            }
        }
        Ok(())
    }
}

/// What makes one number of a text's first token: how well the two texts in it belong together.
pub(super) struct Head {
    pooled: Linear,
    classes: Linear,
}

impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Head").finish_non_exhaustive()
    }
}

impl Head {
    /// Reads the head of a model that judges.
    ///
    /// # Errors
    /// When it has none, or one that says more than one thing.
    pub(super) fn read(shape: &BertShape, weights: &Weights) -> Result<Self, WeightsError> {
        let hidden = shape.hidden_size;
        let (pooled, classes) = match shape.is_roberta() {
            true => ("classifier.dense", "classifier.out_proj"),
            false => ("pooler.dense", "classifier"),
        };
        let one = |name: &str, output| Linear::read(weights, &[name.to_owned()], hidden, output);
        Ok(Self { pooled: one(pooled, hidden)?, classes: one(classes, 1)? })
    }

    /// One number for each text, of what [`Bert::last_layer`] gave for its first token.
    pub(super) fn judge(&self, first_tokens: &[f32]) -> Result<Vec<f32>, WeightsError> {
        let (gemm, mut pooled, mut scores) = (GemmExecutor::default(), Vec::new(), Vec::new());
        multiply(&gemm, &self.pooled, first_tokens, &mut pooled, Onto::Replace)?;
        pooled.iter_mut().for_each(|number| *number = number.tanh());
        multiply(&gemm, &self.classes, &pooled, &mut scores, Onto::Replace)?;
        Ok(scores)
    }
}

impl Linear {
    /// Reads layers that take the same input, as one.
    fn read(weights: &Weights, names: &[String], input: usize, output: usize) -> Result<Self, WeightsError> {
        let (mut matrix, mut bias) = (Vec::with_capacity(input * output), Vec::with_capacity(output));
        let each = output / names.len().max(1);
        for name in names {
            matrix.extend(weights.numbers(&format!("{name}.weight"), each * input)?);
            bias.extend(weights.numbers(&format!("{name}.bias"), each)?);
        }
        let matrix = NdTensorView::from_data([output, input], matrix.as_slice());
        Ok(Self { weights: GemmExecutor::default().prepack_b(matrix.transposed()), bias })
    }
}

/// What comes out of one linear layer.
fn multiply(
    gemm: &GemmExecutor,
    by: &Linear,
    input: &[f32],
    output: &mut Vec<f32>,
    how: Onto,
) -> Result<(), WeightsError> {
    let width = by.weights.rows();
    let rows = input.len() / width;
    output.resize(rows * by.bias.len(), 0.0);
    let beta = if how == Onto::Add { 1.0 } else { 0.0 };
    let options = GemmOptions { beta, bias: Some(BiasVector::Row(&by.bias)), ..GemmOptions::default() };
    gemm.gemm(
        output,
        GemmInputA::Unpacked(NdTensorView::from_data([rows, width], input)),
        GemmInputB::Packed(&by.weights),
        options,
    )
    .map_err(gemm_refused)
}

/// What the layers use one after another.
#[derive(Default)]
struct Scratch {
    /// Knows which instructions this processor has; no two threads may share it.
    gemm: GemmExecutor,
    query_key_value: Vec<f32>,
    attended: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
    mixed: Vec<f32>,
}

impl Norm {
    fn apply(&self, rows: &mut [f32], eps: f32) {
        let width = self.scale.len();
        for row in rows.chunks_exact_mut(width) {
            let mean = Sum::new(row).dispatch() / width as f32;
            let variance = SumSquareSub::new(row, mean).dispatch() / width as f32;
            Normalize::new_mut(
                row,
                NormalizeOptions {
                    pre_scale_bias: mean,
                    scale: 1.0 / (variance + eps).sqrt(),
                    element_scale: Some(&self.scale),
                    bias: 0.0,
                    element_bias: Some(&self.bias),
                },
            )
            .dispatch();
        }
    }
}

fn gemm_refused(error: rten_gemm::GemmError) -> WeightsError {
    WeightsError::Unsupported(error.to_string())
}

/// One row of a table; empty beyond its end.
fn row(table: &[f32], number: usize, width: usize) -> &[f32] {
    table.get(number * width..(number + 1) * width).unwrap_or_default()
}

fn add_into(to: &mut [f32], what: &[f32]) {
    for (to, what) in to.iter_mut().zip(what) {
        *to += what;
    }
}
