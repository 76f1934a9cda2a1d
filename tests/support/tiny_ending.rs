//! An end-of-turn model of a few hundred kilobytes, in the file that real ones come in: who whistles goes on.

use std::path::Path;

/// How high.
pub const WHISTLE_HZ: f32 = 5_500.0;

/// Steps of the picture it is shown, and its pitches.
const STEPS: usize = 800;
const PITCHES: usize = 80;

/// The pitches of the whistle, and those above, where it is quiet.
const WHISTLE: std::ops::RangeInclusive<usize> = 69..=71;
const QUIET: std::ops::RangeInclusive<usize> = 76..=78;

/// The last two seconds.
const LATELY: std::ops::Range<usize> = 600..STEPS;

/// So much louder on average is a whistle.
const LOUDER: f32 = 0.1;

/// ONNX's numbers for its kinds of data.
const FLOAT: u64 = 1;
const INTEGER: u64 = 7;

/// Writes it.
pub fn put(file: &Path) {
    put_of(file, PITCHES);
}

/// Writes one for pictures of so many pitches.
pub fn put_of(file: &Path, pitches: usize) {
    let each = 1.0 / (WHISTLE.count() * LATELY.len()) as f32;
    let weights: Vec<f32> = (0..pitches)
        .flat_map(|pitch| (0..STEPS).map(move |step| (pitch, step)))
        .map(|(pitch, step)| match (LATELY.contains(&step), pitch) {
            (true, pitch) if WHISTLE.contains(&pitch) => -each,
            (true, pitch) if QUIET.contains(&pitch) => each,
            _ => 0.0,
        })
        .collect();
    let nodes = [
        node("Mul", &["input_features", "weights"], "weighed"),
        node("ReduceSum", &["weighed", "axes"], "sum"),
        node("Add", &["sum", "louder"], "left"),
        node("Mul", &["left", "times"], "clear"),
        node("Sigmoid", &["clear"], "logits"),
    ];
    let mut graph = Message::default();
    for node in nodes {
        graph.message(1, node);
    }
    graph.text(2, "tiny");
    let floats =
        |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    graph.message(5, tensor("weights", FLOAT, &[pitches as u64, STEPS as u64], &floats(&weights)));
    graph.message(5, tensor("louder", FLOAT, &[1], &floats(&[LOUDER])));
    graph.message(5, tensor("times", FLOAT, &[1], &floats(&[100.0])));
    let axes: Vec<u8> = [1_i64, 2].iter().flat_map(|axis| axis.to_le_bytes()).collect();
    graph.message(5, tensor("axes", INTEGER, &[2], &axes));
    graph.message(11, value("input_features", &[1, pitches as u64, STEPS as u64]));
    graph.message(12, value("logits", &[1, 1, 1]));

    let mut operators = Message::default();
    operators.number(2, 18);
    let mut model = Message::default();
    model.number(1, 8);
    model.message(8, operators);
    model.message(7, graph);
    std::fs::write(file, model.0).unwrap();
}

fn node(operator: &str, inputs: &[&str], output: &str) -> Message {
    let mut node = Message::default();
    for input in inputs {
        node.text(1, input);
    }
    node.text(2, output);
    node.text(3, output);
    node.text(4, operator);
    node
}

fn tensor(name: &str, kind: u64, dims: &[u64], raw: &[u8]) -> Message {
    let mut tensor = Message::default();
    for dim in dims {
        tensor.number(1, *dim);
    }
    tensor.number(2, kind);
    tensor.text(8, name);
    tensor.bytes(9, raw);
    tensor
}

fn value(name: &str, dims: &[u64]) -> Message {
    let mut shape = Message::default();
    for dim in dims {
        let mut size = Message::default();
        size.number(1, *dim);
        shape.message(1, size);
    }
    let mut of_tensor = Message::default();
    of_tensor.number(1, FLOAT);
    of_tensor.message(2, shape);
    let mut kind = Message::default();
    kind.message(1, of_tensor);
    let mut value = Message::default();
    value.text(1, name);
    value.message(2, kind);
    value
}

/// A message as protocol buffers write it.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn number(&mut self, field: u64, value: u64) {
        self.varint(field << 3);
        self.varint(value);
    }

    fn text(&mut self, field: u64, text: &str) {
        self.bytes(field, text.as_bytes());
    }

    fn message(&mut self, field: u64, message: Message) {
        self.bytes(field, &message.0);
    }

    fn bytes(&mut self, field: u64, bytes: &[u8]) {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}
