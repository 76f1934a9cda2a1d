//! Notes on the disk: an index made anew, an edit until it is found, and a question over all notes.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use familiar_connect::config::FamiliarHome;
use familiar_connect::context::recall::{Circumstances, NotesSource, Recall, RecallQuery, RecallSource};
use familiar_connect::domain::{Audience, FamiliarId, Visible};
use familiar_connect::memory::Memory;
use familiar_connect::memory::facts::{FactData, FactId, NotePage, PageEdit};
use familiar_connect::memory::store::NoteEditor;
use familiar_connect::text::keywords::forms;
use tokio::runtime::Runtime;

use crate::table::{Table, micros, percentile};
use crate::{corpus, is_measuring, notes};

/// A question as a turn asks it, over so many notes.
fn recall(memory: &Arc<Memory>) -> (Recall, RecallQuery, Visible) {
    let sources: Vec<Arc<dyn RecallSource>> = vec![Arc::new(NotesSource { memory: Arc::clone(memory) })];
    let circumstances = Circumstances::alone(corpus::said_at(1), 5);
    let visible = Visible::only([Audience::Canon, corpus::place().audience]);
    let question = format!("what did Gwen say she likes about {}?", corpus::words(1_000_050, 3));
    let query = RecallQuery::new(&question, circumstances);
    (Recall::over(sources, Duration::from_secs(60)), query, visible)
}

pub fn figures(runtime: &Runtime, rounds: usize) -> Table {
    let count = if is_measuring() { 10_000 } else { 20 };
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("bench").unwrap());
    // One fewer than a folder may hold: the edits make no new files.
    notes::put(count, &home);
    let memory = Arc::new(Memory::at(&home));
    let mut table = Table::new(&format!("Notes: {count} of them"), &["what", "p50", "p95"]);
    runtime.block_on(async {
        let started = Instant::now();
        memory.keep_up().await.unwrap();
        table.row(&["index made anew".to_owned(), micros(started.elapsed()), String::new()]);
        let path = "people/discord-103.md".parse().unwrap();
        let visible = Visible::only([corpus::place().audience]);
        let mut edits = Vec::new();
        for _ in 0..rounds {
            let started = Instant::now();
            let note = memory.whole().store.read(&path).unwrap();
            let page = NotePage::parse(&note.text).unwrap();
            let id = FactId::random();
            let data =
                FactData { id: Some(id.clone()), to: Some(corpus::place().audience), ..FactData::default() };
            let mut edit = PageEdit::of(&page);
            edit.add(&format!("Owns the zeppelin {id}."), &data).unwrap();
            let known: Vec<FactId> = page.facts().map(|(known, _)| known.clone()).collect();
            known.iter().for_each(|known| edit.remove_with_all(known).unwrap());
            memory
                .whole()
                .store
                .write_if_unchanged(&path, note.seen(), &edit.text(), NoteEditor::Writer)
                .unwrap();
            let found = memory.seen_by(&visible).holding(&forms("zeppelin"), 5).await.unwrap();
            edits.push(started.elapsed());
            assert_eq!(found.hits[0].passage.fact.as_ref(), Some(&id));
        }
        let (recall, query, seer) = recall(&memory);
        let mut questions = Vec::new();
        for _ in 0..rounds {
            let started = Instant::now();
            black_box(recall.run(&query, &seer, 1).await);
            questions.push(started.elapsed());
        }
        for (what, mut times) in
            [("a fact written, until it is found", edits), ("a question over all notes", questions)]
        {
            table.row(&[
                what.to_owned(),
                micros(percentile(&mut times, 50)),
                micros(percentile(&mut times, 95)),
            ]);
        }
    });
    table
}
