//! A text as one vector for each of its tokens.

/// The vectors of a text's tokens, each of length 1, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TokenVectors {
    dims: usize,
    numbers: Vec<f32>,
}

impl TokenVectors {
    /// Rows of `dims` numbers each, brought to length 1. What is over at the end and makes no whole row is left out.
    pub fn from_rows(dims: usize, mut numbers: Vec<f32>) -> Self {
        let whole = if dims == 0 { 0 } else { numbers.len() - numbers.len() % dims };
        numbers.truncate(whole);
        for row in numbers.chunks_exact_mut(dims.max(1)) {
            to_unit(row);
        }
        Self { dims, numbers }
    }

    pub fn len(&self) -> usize {
        self.rows().len()
    }

    /// Whether the text had none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    pub fn rows(&self) -> std::slice::ChunksExact<'_, f32> {
        self.numbers.chunks_exact(self.dims.max(1))
    }

    /// How well a text says what this question asks: for each word of the question the text's nearest word, averaged
    /// (specs memory 0.5, MaxSim). −1 to 1; 0 where one of them has no words.
    pub fn best_matches_in(&self, text: &Self) -> f32 {
        if self.is_empty() || text.is_empty() || self.dims != text.dims {
            return 0.0;
        }
        let nearest = |word: &[f32]| text.rows().map(|row| dot(word, row)).fold(-1.0_f32, f32::max);
        self.rows().map(nearest).sum::<f32>() / self.len() as f32
    }
}

/// The scalar product; for vectors of length 1 their cosine.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Sixteen sums side by side, which a compiler turns into vector instructions; one alone it may not reorder.
    const LANES: usize = 16;
    let mut sums = [0.0_f32; LANES];
    let (left, right) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let rest: f32 = left.remainder().iter().zip(right.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in left.zip(right) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Brings a vector to length 1; one that is all zeros stays.
pub fn to_unit(vector: &mut [f32]) {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn y11_each_word_of_a_question_looks_for_its_nearest() {
        let question = TokenVectors::from_rows(2, vec![2.0, 0.0, 0.0, 3.0]);
        let both = TokenVectors::from_rows(2, vec![0.0, 1.0, 1.0, 1.0, 1.0, 0.0]);
        let one = TokenVectors::from_rows(2, vec![5.0, 0.0]);
        assert!((question.best_matches_in(&both) - 1.0).abs() < 1e-6);
        assert!((question.best_matches_in(&one) - 0.5).abs() < 1e-6);
        assert_eq!(question.best_matches_in(&TokenVectors::default()), 0.0);
        assert_eq!(TokenVectors::default().len(), 0);
    }

    #[test]
    fn y11_a_product_leaves_no_number_out() {
        let a: Vec<f32> = (1..=37_u8).map(f32::from).collect();
        assert_eq!(dot(&a, &[1.0; 37]), 703.0);
        let mut unit = a.clone();
        to_unit(&mut unit);
        assert!((dot(&unit, &unit) - 1.0).abs() < 1e-5);
        let mut nothing = [0.0, 0.0];
        to_unit(&mut nothing);
        assert_eq!(nothing, [0.0, 0.0]);
    }
}
