//! Taking a character in: reading a card, and unpacking it into a familiar's folder.

use std::fs;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use criterion::{BatchSize, Criterion, Throughput};
use familiar_connect::familiar::{InitRequest, init, read_card, read_lorebook};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::files;
use crate::table::{Table, micros, percentile};

const ENTRIES: usize = 1000;

/// Of the picture, in pixels: with the texts the card comes to one mebibyte.
const SIDE: u32 = 564;

/// A file to take in.
struct File {
    name: &'static str,
    ending: &'static str,
    bytes: Vec<u8>,
}

fn cards() -> [File; 2] {
    [
        File { name: "png of 1 MiB", ending: "png", bytes: large_png() },
        File { name: "small json", ending: "json", bytes: files::v2("Small").to_string().into_bytes() },
    ]
}

/// A card with a large picture of noise, long texts and a book of a hundred entries: one mebibyte, give or take.
fn large_png() -> Vec<u8> {
    let mut card = files::v3("Large");
    card["data"]["description"] = json!("{{char}} keeps the light and writes to {{user}}. ".repeat(400));
    card["data"]["character_book"] = book(100);
    let mut picture = Vec::new();
    let mut noise = 1_u64;
    let pixels: Vec<u8> = (0..SIDE * SIDE * 3)
        .map(|_| {
            noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (noise >> 56) as u8
        })
        .collect();
    let mut encoder = png::Encoder::new(&mut picture, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    let text = files::text("ccv3", files::base64(card.to_string()));
    // The card stands behind the header, as most tools put it: signature and IHDR take 33 bytes.
    picture.splice(33..33, text);
    picture
}

fn book(entries: usize) -> Value {
    let entry = |number: usize| {
        json!({
            "keys": [format!("harbour {number}"), format!("quay {number}"), "tide"],
            "secondary_keys": ["night"], "selective": number.is_multiple_of(3), "enabled": true, "extensions": {},
            "content": format!("Entry {number}. {}", "The harbour has stood here longer than the town. ".repeat(6)),
            "insertion_order": number, "comment": format!("Place {number}"), "id": number, "position": "before_char",
        })
    };
    json!({ "name": "Harbour", "entries": (0..entries).map(entry).collect::<Vec<_>>(), "extensions": {} })
}

fn request(file: &File) -> (TempDir, InitRequest) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("card").with_extension(file.ending);
    fs::write(&path, &file.bytes).unwrap();
    let request = InitRequest::new(path, folder.path().to_owned());
    (folder, request)
}

pub fn bench(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("cards");
    for file in cards() {
        group.throughput(Throughput::Bytes(file.bytes.len() as u64));
        group.bench_function(format!("read, {}", file.name), |bencher| {
            bencher.iter(|| read_card(black_box(&file.bytes)).unwrap());
        });
        group.bench_function(format!("init, {}", file.name), |bencher| {
            bencher.iter_batched(
                || request(&file),
                |(folder, request)| {
                    init(&request, |_| ()).unwrap();
                    folder
                },
                BatchSize::PerIteration,
            );
        });
    }
    let book = book(ENTRIES).to_string().into_bytes();
    group.throughput(Throughput::Elements(ENTRIES as u64));
    group.bench_function(format!("lorebook of {ENTRIES} entries"), |bencher| {
        bencher.iter(|| read_lorebook(black_box(&book)).unwrap());
    });
    group.finish();
}

pub fn figures(rounds: usize) -> Table {
    let mut table = Table::new("Card import", &["file", "bytes", "read p50", "whole import p50"]);
    for file in cards() {
        let mut read = Vec::new();
        let mut whole = Vec::new();
        for _ in 0..rounds {
            let started = Instant::now();
            black_box(read_card(&file.bytes).unwrap());
            read.push(started.elapsed());
            let (_folder, request) = request(&file);
            let started = Instant::now();
            init(&request, |_| ()).unwrap();
            whole.push(started.elapsed());
        }
        table.row(&[
            file.name.to_owned(),
            file.bytes.len().to_string(),
            micros(percentile(&mut read, 50)),
            micros(percentile(&mut whole, 50)),
        ]);
    }
    let book = book(ENTRIES).to_string().into_bytes();
    let mut read = crate::timed(rounds, |_| read_lorebook(&book).unwrap());
    table.row(&[
        format!("lorebook, {ENTRIES} entries"),
        book.len().to_string(),
        micros(percentile(&mut read, 50)),
        "-".to_owned(),
    ]);
    table
}
