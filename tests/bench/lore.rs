//! Calling up lore: a book as large as all surveyed ones together and one of a thousand entries, and twenty messages
//! (cards-and-lore 4.3).

use std::hint::black_box;

use criterion::Criterion;
use familiar_connect::domain::TokenEncoding;
use familiar_connect::familiar::{
    CardTexts, Fallback, LoreLibrary, LoreMode, LoreScene, LoreSettings, SceneLine, Shelved, TokenCount,
    read_lorebook,
};
use familiar_connect::text::tokens;
use serde_json::json;

use crate::table::{Table, micros, percentile};

const ENTRIES: [usize; 2] = [233, 1_000];
const MESSAGES: usize = 20;

struct Desk {
    library: LoreLibrary,
    chat: Vec<SceneLine>,
}

impl Desk {
    fn new(entries: usize) -> Self {
        let entry = |n: usize| {
            json!({
                "uid": n, "comment": format!("Place {n}"), "key": [format!("harbour {n}"), format!("quay{n}"), "玄天宗"],
                "constant": n.is_multiple_of(40), "order": n % 100, "selective": n.is_multiple_of(20), "keysecondary": ["tide"],
                "content": format!("Harbour {n} lies at the mouth of river {}. {}", n / 3, "Its people trade in salt. ".repeat(12)),
            })
        };
        let entries: serde_json::Map<_, _> = (0..entries).map(|n| (n.to_string(), entry(n))).collect();
        let (book, _) = read_lorebook(json!({ "entries": entries }).to_string().as_bytes()).unwrap();
        let library = LoreLibrary::new(&[Shelved { name: "bench".to_owned(), book, is_characters: true }]);
        let line = |n: usize| {
            let words = "I walked down to the water and thought about the winter. ".repeat(3);
            SceneLine::said("Alice", &format!("{words} Have you seen quay{}?", n * 7))
        };
        Self { library, chat: (0..MESSAGES).map(line).collect() }
    }

    fn scan(&self, mode: LoreMode) -> usize {
        let settings = LoreSettings {
            mode,
            depth: u32::try_from(MESSAGES).unwrap(),
            fallback: Fallback::Levels,
            ..LoreSettings::default()
        };
        let scene = LoreScene {
            messages: &self.chat,
            chat_length: 20,
            replies: 10,
            trigger: "normal",
            character: &["Ada"],
            card: CardTexts::default(),
            seed: "t1",
            budget: 1_000,
            tokens: TokenCount::By(&|text| tokens::count(TokenEncoding::O200k, text)),
            expand: &str::to_owned,
        };
        self.library.scan(&settings, &scene, &[]).fired.len()
    }
}

pub fn bench(criterion: &mut Criterion) {
    for entries in ENTRIES {
        let desk = Desk::new(entries);
        for mode in [LoreMode::Keywords, LoreMode::Hybrid] {
            criterion.bench_function(
                &format!("lore/{entries} entries, {MESSAGES} messages, {}", mode.as_str()),
                |bencher| {
                    bencher.iter(|| black_box(desk.scan(mode)));
                },
            );
        }
    }
}

pub fn figures(rounds: usize) -> Table {
    let mut table = Table::new("Calling up lore", &["entries", "messages", "mode", "p50", "p99"]);
    for entries in ENTRIES {
        let desk = Desk::new(entries);
        for mode in [LoreMode::Keywords, LoreMode::Hybrid] {
            let mut times = crate::timed(rounds, |_| desk.scan(mode));
            table.row(&[
                entries.to_string(),
                MESSAGES.to_string(),
                mode.as_str().to_owned(),
                micros(percentile(&mut times, 50)),
                micros(percentile(&mut times, 99)),
            ]);
        }
    }
    table
}
