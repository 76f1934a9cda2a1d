//! The learned tier (G9, M16): a causal transformer of one layer, four heads and 32 numbers for each character,
//! that says which tool follows the shape of a turn. Its characters are the parts of shapes and the tools: one prediction
//! behind the shape ranks all tools at once, and no tool is liked for having a short name.
//!
//! The same counts always train the same network.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

/// Numbers for each character.
const WIDTH: usize = 32;

const HEADS: usize = 4;
const PER_HEAD: usize = WIDTH / HEADS;

/// Numbers in the middle of the second half of the layer.
const MIDDLE: usize = 2 * WIDTH;

/// Parts of a shape that are read, and the mark behind them.
pub(super) const LONGEST: usize = 16;

/// The mark behind a shape, where the tool follows.
pub(super) const THEN: usize = 0;

/// One thing to learn from: what was seen, what followed, how often.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrainingExample {
    /// Characters, [`THEN`] last; [`LONGEST`] at most.
    pub(super) seen: Vec<usize>,
    pub(super) followed: usize,
    pub(super) times: f32,
}

/// The network's numbers, all in one row.
#[derive(Debug, Clone)]
pub(super) struct Network {
    characters: usize,
    weights: Vec<f32>,
}

/// Where each part's numbers are.
#[derive(Debug, Clone, Copy)]
struct NetworkLayout {
    embedding: usize,
    position: usize,
    query: usize,
    key: usize,
    value: usize,
    output: usize,
    up: usize,
    down: usize,
    head: usize,
    end: usize,
}

impl NetworkLayout {
    fn of(characters: usize) -> Self {
        let square = WIDTH * WIDTH;
        let position = characters * WIDTH;
        let query = position + LONGEST * WIDTH;
        let (key, value, output) = (query + square, query + 2 * square, query + 3 * square);
        let up = output + square;
        let down = up + WIDTH * MIDDLE;
        let head = down + WIDTH * MIDDLE;
        Self {
            embedding: 0,
            position,
            query,
            key,
            value,
            output,
            up,
            down,
            head,
            end: head + characters * WIDTH,
        }
    }
}

/// What a pass forward leaves for the pass back.
struct ForwardPass {
    /// What goes in at each place, and its normed form.
    entered: Vec<[f32; WIDTH]>,
    normed: Vec<[f32; WIDTH]>,
    keys: Vec<[f32; WIDTH]>,
    values: Vec<[f32; WIDTH]>,
    query: [f32; WIDTH],
    /// How much each head looks at each place.
    looks: Vec<[f32; HEADS]>,
    mixed: [f32; WIDTH],
    between: [f32; WIDTH],
    between_normed: [f32; WIDTH],
    middle: [f32; MIDDLE],
    left: [f32; WIDTH],
    left_normed: [f32; WIDTH],
    chances: Vec<f32>,
}

/// `out[o] += Σ weights[o][i] × input[i]`.
fn add_product(weights: &[f32], input: &[f32], out: &mut [f32]) {
    for (row, out) in weights.chunks_exact(input.len()).zip(out) {
        *out += row.iter().zip(input).map(|(weight, input)| weight * input).sum::<f32>();
    }
}

/// The way back through [`add_product`].
fn times_back(weights: &[f32], input: &[f32], out: &[f32], gradient: &mut [f32], back: &mut [f32]) {
    let rows = weights.chunks_exact(input.len()).zip(gradient.chunks_exact_mut(input.len()));
    for ((row, gradient), out) in rows.zip(out) {
        for at in 0..input.len() {
            gradient[at] += out * input[at];
            back[at] += out * row[at];
        }
    }
}

const TINY: f32 = 1e-5;

fn norm(given: &[f32; WIDTH]) -> [f32; WIDTH] {
    let scale = (given.iter().map(|one| one * one).sum::<f32>() / WIDTH as f32 + TINY).sqrt().recip();
    given.map(|one| one * scale)
}

fn norm_back(given: &[f32; WIDTH], normed: &[f32; WIDTH], out: &[f32; WIDTH], back: &mut [f32; WIDTH]) {
    let scale = (given.iter().map(|one| one * one).sum::<f32>() / WIDTH as f32 + TINY).sqrt().recip();
    let along = out.iter().zip(normed).map(|(out, normed)| out * normed).sum::<f32>() / WIDTH as f32;
    for at in 0..WIDTH {
        back[at] += scale * (out[at] - normed[at] * along);
    }
}

impl Network {
    /// An untrained one over so many characters; the same for the same seed.
    pub(super) fn new(characters: usize, seed: u64) -> Self {
        let mut random = StdRng::seed_from_u64(seed);
        let layout = NetworkLayout::of(characters);
        let mut weights: Vec<f32> = (0..layout.end).map(|_| random.random_range(-1.0..1.0)).collect();
        for (range, size) in
            [(0..layout.query, 0.1), (layout.query..layout.head, 0.2), (layout.head..layout.end, 0.1)]
        {
            weights[range].iter_mut().for_each(|weight| *weight *= size);
        }
        Self { characters, weights }
    }

    /// How likely each character follows.
    pub(super) fn chances(&self, seen: &[usize]) -> Vec<f32> {
        self.pass(seen).chances
    }

    fn pass(&self, seen: &[usize]) -> ForwardPass {
        let (layout, weights) = (NetworkLayout::of(self.characters), &self.weights);
        let square = |at: usize| &weights[at..at + WIDTH * WIDTH];
        let mut entered = Vec::with_capacity(seen.len());
        for (place, character) in seen.iter().take(LONGEST).enumerate() {
            let mut sum = [0.0; WIDTH];
            for (at, sum) in sum.iter_mut().enumerate() {
                *sum = weights[layout.embedding + character * WIDTH + at]
                    + weights[layout.position + place * WIDTH + at];
            }
            entered.push(sum);
        }
        let normed: Vec<_> = entered.iter().map(norm).collect();
        let through = |at: usize, input: &[f32; WIDTH]| {
            let mut out = [0.0; WIDTH];
            add_product(square(at), input, &mut out);
            out
        };
        let keys: Vec<_> = normed.iter().map(|input| through(layout.key, input)).collect();
        let values: Vec<_> = normed.iter().map(|input| through(layout.value, input)).collect();
        // Only what follows the last place is asked for, and nothing stands behind it that it might look at.
        let last = entered.len() - 1;
        let query = through(layout.query, &normed[last]);
        let mut looks = vec![[0.0; HEADS]; keys.len()];
        let mut mixed = [0.0; WIDTH];
        for head in 0..HEADS {
            let part = head * PER_HEAD..(head + 1) * PER_HEAD;
            let scores: Vec<f32> = keys
                .iter()
                .map(|key| {
                    let both = query[part.clone()].iter().zip(&key[part.clone()]);
                    both.map(|(a, b)| a * b).sum::<f32>() / (PER_HEAD as f32).sqrt()
                })
                .collect();
            for ((looks, share), value) in looks.iter_mut().zip(softmax(&scores)).zip(&values) {
                looks[head] = share;
                part.clone().for_each(|at| mixed[at] += share * value[at]);
            }
        }
        let mut between = entered[last];
        add_product(square(layout.output), &mixed, &mut between);
        let between_normed = norm(&between);
        let mut middle = [0.0; MIDDLE];
        add_product(&weights[layout.up..layout.down], &between_normed, &mut middle);
        let lit = middle.map(|one| one.max(0.0));
        let mut left = between;
        add_product(&weights[layout.down..layout.head], &lit, &mut left);
        let left_normed = norm(&left);
        let mut scores = vec![0.0; self.characters];
        add_product(&weights[layout.head..layout.end], &left_normed, &mut scores);
        let chances = softmax(&scores);
        ForwardPass {
            entered,
            normed,
            keys,
            values,
            query,
            looks,
            mixed,
            between,
            between_normed,
            middle,
            left,
            left_normed,
            chances,
        }
    }

    /// Adds to the gradient of the loss of one example, which it gives.
    fn learn_from(&self, example: &TrainingExample, gradient: &mut [f32]) -> f32 {
        let pass = self.pass(&example.seen);
        let (layout, weights) = (NetworkLayout::of(self.characters), &self.weights);
        let last = pass.entered.len() - 1;
        let mut out = pass.chances.clone();
        out[example.followed] -= 1.0;
        out.iter_mut().for_each(|out| *out *= example.times);
        let mut left_normed = [0.0; WIDTH];
        let head = layout.head..layout.end;
        times_back(&weights[head.clone()], &pass.left_normed, &out, &mut gradient[head], &mut left_normed);
        let mut left = [0.0; WIDTH];
        norm_back(&pass.left, &pass.left_normed, &left_normed, &mut left);
        let lit = pass.middle.map(|one| one.max(0.0));
        let mut middle = [0.0; MIDDLE];
        let down = layout.down..layout.head;
        times_back(&weights[down.clone()], &lit, &left, &mut gradient[down], &mut middle);
        for (back, middle) in middle.iter_mut().zip(&pass.middle) {
            if *middle <= 0.0 {
                *back = 0.0;
            }
        }
        let mut between_normed = [0.0; WIDTH];
        let up = layout.up..layout.down;
        times_back(
            &weights[up.clone()],
            &pass.between_normed,
            &middle,
            &mut gradient[up],
            &mut between_normed,
        );
        let mut between = left;
        norm_back(&pass.between, &pass.between_normed, &between_normed, &mut between);
        let mut entered = vec![[0.0; WIDTH]; pass.entered.len()];
        entered[last] = between;
        let mut mixed = [0.0; WIDTH];
        let square = |at: usize| at..at + WIDTH * WIDTH;
        times_back(
            &weights[square(layout.output)],
            &pass.mixed,
            &between,
            &mut gradient[square(layout.output)],
            &mut mixed,
        );
        let mut normed = vec![[0.0; WIDTH]; pass.entered.len()];
        let mut query = [0.0; WIDTH];
        let mut keys = vec![[0.0; WIDTH]; pass.entered.len()];
        let mut values = vec![[0.0; WIDTH]; pass.entered.len()];
        for one in 0..HEADS {
            let part = one * PER_HEAD..(one + 1) * PER_HEAD;
            let toward: Vec<f32> =
                pass.values.iter().map(|value| part.clone().map(|at| mixed[at] * value[at]).sum()).collect();
            let mean: f32 = toward.iter().zip(&pass.looks).map(|(toward, looks)| toward * looks[one]).sum();
            for place in 0..pass.entered.len() {
                let look = pass.looks[place][one];
                let score = look * (toward[place] - mean) / (PER_HEAD as f32).sqrt();
                for at in part.clone() {
                    values[place][at] += look * mixed[at];
                    query[at] += score * pass.keys[place][at];
                    keys[place][at] += score * pass.query[at];
                }
            }
        }
        let query_at = square(layout.query);
        times_back(
            &weights[query_at.clone()],
            &pass.normed[last],
            &query,
            &mut gradient[query_at],
            &mut normed[last],
        );
        for place in 0..pass.entered.len() {
            for (at, out) in [(layout.key, &keys[place]), (layout.value, &values[place])] {
                times_back(
                    &weights[square(at)],
                    &pass.normed[place],
                    out,
                    &mut gradient[square(at)],
                    &mut normed[place],
                );
            }
            norm_back(&pass.entered[place], &pass.normed[place], &normed[place], &mut entered[place]);
            for at in 0..WIDTH {
                gradient[layout.embedding + example.seen[place] * WIDTH + at] += entered[place][at];
                gradient[layout.position + place * WIDTH + at] += entered[place][at];
            }
        }
        -example.times * pass.chances[example.followed].max(f32::MIN_POSITIVE).ln()
    }

    /// Goes through the examples so many times in batches, in an order that the seed fixes (AdamW).
    pub(super) fn train(&mut self, examples: &[TrainingExample], steps: usize, seed: u64) {
        const BATCH: usize = 32;
        const RATE: f32 = 3e-3;
        const DECAY: f32 = 1e-2;
        const MOMENTS: (f32, f32) = (0.9, 0.99);
        if examples.is_empty() {
            return;
        }
        let mut random = StdRng::seed_from_u64(seed);
        let mut gradient = vec![0.0; self.weights.len()];
        let (mut mean, mut square) = (gradient.clone(), gradient.clone());
        for step in 1..=steps {
            gradient.fill(0.0);
            let mut weight = 0.0;
            for _ in 0..BATCH {
                let example = &examples[random.random_range(0..examples.len())];
                self.learn_from(example, &mut gradient);
                weight += example.times;
            }
            let rate = RATE * (1.0 - step as f32 / (steps + 1) as f32);
            let power = i32::try_from(step).unwrap_or(i32::MAX);
            let (first, second) = (1.0 - MOMENTS.0.powi(power), 1.0 - MOMENTS.1.powi(power));
            for at in 0..self.weights.len() {
                let slope = gradient[at] / weight;
                mean[at] = MOMENTS.0 * mean[at] + (1.0 - MOMENTS.0) * slope;
                square[at] = MOMENTS.1 * square[at] + (1.0 - MOMENTS.1) * slope * slope;
                let moved = mean[at] / first / ((square[at] / second).sqrt() + 1e-8);
                self.weights[at] -= rate * (moved + DECAY * self.weights[at]);
            }
        }
    }
}

/// Scores as chances that sum up to one.
fn softmax(scores: &[f32]) -> Vec<f32> {
    let highest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let raised: Vec<f32> = scores.iter().map(|score| (score - highest).exp()).collect();
    let sum: f32 = raised.iter().sum();
    raised.iter().map(|one| one / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m16_gradients_are_those_of_finite_differences() {
        let network = Network::new(9, 7);
        let example = TrainingExample { seen: vec![3, 5, 8, 3, THEN], followed: 6, times: 2.0 };
        let mut gradient = vec![0.0; network.weights.len()];
        network.learn_from(&example, &mut gradient);
        let mut random = StdRng::seed_from_u64(1);
        let layout = NetworkLayout::of(9);
        let parts = [
            0,
            layout.position,
            layout.query,
            layout.key,
            layout.value,
            layout.output,
            layout.up,
            layout.down,
            layout.head,
            layout.end,
        ];
        let loss = |network: &Network| -2.0 * f64::from(network.chances(&example.seen)[6]).ln();
        let mut checked = 0;
        for range in parts.windows(2) {
            for _ in 0..40 {
                let at = random.random_range(range[0]..range[1]);
                let step = 1e-2_f32;
                let (mut up, mut down) = (network.clone(), network.clone());
                up.weights[at] += step;
                down.weights[at] -= step;
                let slope = ((loss(&up) - loss(&down)) / f64::from(2.0 * step)) as f32;
                let off = (slope - gradient[at]).abs();
                assert!(off < 2e-3 + 0.03 * slope.abs(), "{at}: {slope} {}", gradient[at]);
                checked += usize::from(slope.abs() > 1e-3);
            }
        }
        assert!(checked > 60, "most of what was compared moves something: {checked}");
    }

    #[test]
    fn m16_it_learns_what_follows_what_and_always_the_same() {
        let example = |seen: &[usize], followed| TrainingExample {
            seen: [seen, &[THEN]].concat(),
            followed,
            times: 1.0,
        };
        // What follows depends on both together.
        let examples = [example(&[1, 3], 5), example(&[1, 4], 6), example(&[2, 3], 6), example(&[2, 4], 5)];
        let trained = || {
            let mut network = Network::new(8, 7);
            network.train(&examples, 200, 7);
            network
        };
        let network = trained();
        for example in &examples {
            let chances = network.chances(&example.seen);
            assert!(chances[example.followed] > 0.8, "{example:?}: {chances:?}");
        }
        assert_eq!(network.weights, trained().weights);
    }
}
