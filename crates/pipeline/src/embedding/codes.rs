//! Vectors as they are kept: of each number only on which side of zero it stands, one bit. A question keeps its numbers,
//! and held against the bits they come out as cosines, a little noisy; on long conversations ranking loses nothing by it
//! (docs/architecture/embeddings.md).

use super::embedder::TokenVectors;

/// Values of a byte.
const BYTES: usize = 256;

/// Sums that run side by side.
const LANES: usize = 4;

/// The signs of one or more vectors, one after another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signs {
    row: usize,
    bits: Vec<u8>,
}

impl Signs {
    /// Of a single vector.
    pub fn of(vector: &[f32]) -> Self {
        let bits = vector.chunks(8).map(|eight| {
            let signs = eight.iter().enumerate();
            signs.fold(0_u8, |byte, (at, number)| byte | (u8::from(*number >= 0.0) << at))
        });
        Self { row: row_of(vector.len()), bits: bits.collect() }
    }

    /// Of a text's tokens.
    pub fn of_tokens(tokens: &TokenVectors) -> Self {
        let mut signs = Self { row: 0, bits: Vec::new() };
        for token in tokens.rows() {
            let one = Self::of(token);
            signs.row = one.row;
            signs.bits.extend(one.bits);
        }
        signs
    }

    /// As kept in a file.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bits
    }

    /// Back from a file, of vectors of `dims` numbers.
    pub fn from_bytes(bits: Vec<u8>, dims: usize) -> Self {
        Self { row: row_of(dims), bits }
    }
}

/// Bytes for a vector of so many numbers.
pub(super) fn row_of(dims: usize) -> usize {
    dims.div_ceil(8)
}

/// A vector of a question, made ready to be held against the signs of many.
#[derive(Debug, Clone)]
pub struct Probe {
    /// For every byte of signs and every value it may have, the sum of eight of the vector's numbers with those signs.
    sums: Vec<[f32; BYTES]>,
    /// Makes a cosine of a sum: of numbers that scatter like a bell curve the average distance from zero is √(2/π).
    scale: f32,
}

impl Probe {
    /// Of a vector of length 1.
    pub fn new(vector: &[f32]) -> Self {
        let scale = (std::f32::consts::FRAC_PI_2 / vector.len().max(1) as f32).sqrt();
        Self { sums: vector.chunks(8).map(sums_by_byte).collect(), scale }
    }

    /// How many bytes of signs it can be held against.
    pub(super) fn row(&self) -> usize {
        self.sums.len()
    }

    /// About the cosine between the question's vector and the one whose signs these are; −1.3 to 1.3.
    pub(super) fn cosine(&self, signs: &[u8]) -> f32 {
        let mut lanes = [0.0_f32; LANES];
        let (bytes, sums) = (signs.chunks_exact(LANES), self.sums.chunks_exact(LANES));
        let rest = bytes.remainder().iter().zip(sums.remainder());
        let rest: f32 = rest.map(|(byte, sums)| sums[usize::from(*byte)]).sum();
        for (bytes, sums) in bytes.zip(sums) {
            for (lane, (byte, sums)) in lanes.iter_mut().zip(bytes.iter().zip(sums)) {
                *lane += sums[usize::from(*byte)];
            }
        }
        (lanes.iter().sum::<f32>() + rest) * self.scale
    }
}

fn sums_by_byte(eight: &[f32]) -> [f32; BYTES] {
    let mut sums = [0.0; BYTES];
    sums[0] = -eight.iter().sum::<f32>();
    for signs in 1..BYTES {
        // One sign more than a sum that is known already.
        let lowest = signs.trailing_zeros() as usize;
        sums[signs] = sums[signs & (signs - 1)] + 2.0 * eight.get(lowest).copied().unwrap_or(0.0);
    }
    sums
}

/// A question's tokens, made ready to be held against those of many texts (memory 0.5, MaxSim): for each word of the
/// question the text's nearest word, each word of the question counting as much as it tells.
#[derive(Debug, Clone)]
pub struct Matcher(Vec<(f32, Probe)>);

impl Matcher {
    /// `weights` says how much each token tells; what is missing tells nothing. Where none tells anything, all count the
    /// same.
    pub fn new(question: &TokenVectors, weights: &[f32]) -> Self {
        let weight = |at: usize| weights.get(at).copied().unwrap_or(0.0).max(0.0);
        let all: f32 = (0..question.len()).map(weight).sum();
        let share = |at: usize| if all > 0.0 { weight(at) / all } else { 1.0 / question.len().max(1) as f32 };
        let telling = question.rows().enumerate().filter(|(at, _)| share(*at) > 0.0);
        Self(telling.map(|(at, token)| (share(at), Probe::new(token))).collect())
    }

    /// How well a text says what is asked; comparable between texts. `None` where the text has no tokens, or those of
    /// another model.
    pub fn best_matches_in(&self, tokens: &Signs) -> Option<f32> {
        let row = self.0.first()?.1.row();
        if row == 0 || tokens.row != row || tokens.bits.is_empty() {
            return None;
        }
        let matches = self.0.iter().map(|(share, probe)| {
            let nearest = tokens.bits.chunks_exact(row).map(|signs| probe.cosine(signs));
            share * nearest.fold(f32::MIN, f32::max)
        });
        Some(matches.sum())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::embedding::dot;

    fn sign(number: &f32) -> f32 {
        if *number >= 0.0 { 1.0 } else { -1.0 }
    }

    proptest! {
        #[test]
        fn y11_a_probe_adds_up_what_signs_say(
            question in prop::collection::vec(-1.0_f32..1.0, 70),
            other in prop::collection::vec(-1.0_f32..1.0, 70),
        ) {
            let signs: Vec<f32> = other.iter().map(sign).collect();
            let expected = dot(&question, &signs) * (std::f32::consts::FRAC_PI_2 / 70.0).sqrt();
            let found = Probe::new(&question).cosine(Signs::of(&other).as_bytes());
            prop_assert!((found - expected).abs() < 1e-3, "{} {}", found, expected);
        }

        #[test]
        fn y11_each_word_of_a_question_counts_as_much_as_it_tells(
            question in prop::collection::vec(-1.0_f32..1.0, 32),
            text in prop::collection::vec(-1.0_f32..1.0, 48),
        ) {
            let question = TokenVectors::from_rows(16, question);
            let tokens = Signs::of_tokens(&TokenVectors::from_rows(16, text.clone()));
            let nearest = |token: &[f32]| {
                let probe = Probe::new(token);
                text.chunks(16).map(|row| probe.cosine(Signs::of(row).as_bytes())).fold(f32::MIN, f32::max)
            };
            let each: Vec<f32> = question.rows().map(nearest).collect();
            let found = Matcher::new(&question, &[1.0, 3.0]).best_matches_in(&tokens).unwrap();
            prop_assert!((found - (0.25 * each[0] + 0.75 * each[1])).abs() < 1e-3, "{} {:?}", found, each);
            let even = Matcher::new(&question, &[]).best_matches_in(&tokens).unwrap();
            prop_assert!((even - (each[0] + each[1]) / 2.0).abs() < 1e-3);
        }
    }

    #[test]
    fn y11_tokens_of_another_model_match_nothing() {
        let question = TokenVectors::from_rows(16, vec![0.5; 16]);
        let matcher = Matcher::new(&question, &[1.0]);
        assert_eq!(matcher.best_matches_in(&Signs::from_bytes(Vec::new(), 16)), None);
        assert_eq!(matcher.best_matches_in(&Signs::from_bytes(vec![0; 8], 64)), None);
        assert_eq!(Matcher::new(&TokenVectors::default(), &[]).best_matches_in(&Signs::of(&[1.0])), None);
    }
}
