use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::clock::SystemClock;
use crate::domain::{AccountId, Audience, ChannelId, GuildId, Visible};
use crate::text::keywords::forms;

struct Notes {
    _outer: TempDir,
    root: PathBuf,
    index: NotesIndex,
}

fn index_over(root: &std::path::Path) -> NotesIndex {
    let store = Arc::new(MemoryStore::in_folder(root.to_owned(), Arc::new(SystemClock)));
    NotesIndex::of(store, Arc::new(FolderWatch::of(root.to_owned())))
}

impl Notes {
    fn new(files: &[(&str, &str)]) -> Self {
        let outer = tempfile::tempdir().unwrap();
        let root = outer.path().join("memory");
        let notes = Self { index: index_over(&root), root, _outer: outer };
        files.iter().for_each(|(name, text)| notes.put(name, text));
        notes
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn found(&self, question: &str, audiences: &[Audience]) -> Vec<String> {
        found(&self.index, question, audiences).await
    }
}

async fn found(index: &NotesIndex, question: &str, audiences: &[Audience]) -> Vec<String> {
    let visible = Visible::only(audiences.to_vec());
    let hits = index.holding(&forms(question), &visible, 50).await.unwrap().hits;
    let mut texts: Vec<String> = hits.into_iter().map(|hit| hit.passage.text).collect();
    texts.sort();
    texts
}

fn guild(number: u64) -> Audience {
    Audience::Guild(GuildId::from(number))
}

const CANON: &[Audience] = &[Audience::Canon];

#[tokio::test]
async fn nothing_is_made_where_nothing_is_remembered() {
    let notes = Notes::new(&[]);
    assert!(notes.found("bees", CANON).await.is_empty());
    assert!(notes.index.verify().await.unwrap().is_empty());
    assert!(!notes.root.exists());
}

#[tokio::test]
async fn y13_what_was_saved_a_moment_ago_is_found() {
    let notes = Notes::new(&[
        ("people/discord-1.md", "# Ana\n\nKeeps bees.\n\n## Work\n\nTeaches.\n"),
        ("topics/harbour.md", "The ferry leaves at nine.\n"),
        ("notes.md", "Buy honey for the bees.\n"),
        ("self/description.md", "Bees everywhere.\n"),
        ("sessions/.pending/a.md", "Bees, perhaps.\n"),
        ("people/discord-2.txt", "Bees in a text file.\n"),
        ("topics/off.md", "+++\nenabled = false\n+++\nBees that are off.\n"),
        ("lore/town/0001-bees.md", "The bees of the town.\n"),
    ]);
    assert_eq!(
        notes.found("where are the bees?", CANON).await,
        ["Buy honey for the bees.", "Keeps bees."],
        "of lore the prompt has its own matcher"
    );
    assert_eq!(notes.found("harbour", CANON).await, ["The ferry leaves at nine."], "topics by their name");
    assert_eq!(notes.found("ana", CANON).await, ["Keeps bees.", "Teaches."], "by headings above");
    notes.put("notes.md", "Buy jam.\n");
    notes.put("sessions/2026-11-02-dm-7-night.md", "Talked of bees.\n");
    fs::remove_file(notes.root.join("people/discord-1.md")).unwrap();
    assert_eq!(notes.found("bees", CANON).await, ["Talked of bees."]);
    assert!(notes.index.verify().await.unwrap().is_empty());
}

#[tokio::test]
async fn contradiction_8_who_may_see_a_line_is_part_of_the_question() {
    let notes = Notes::new(&[(
        "people/discord-1.md",
        "---\naudience: guild:7\naliases: [Bunny]\n---\n# Ana\n\n- Likes figs. <!-- f=a to=guild:7 -->\n\
         - Hates figs. <!-- f=b to=dm:discord:1 -->\n- Grows figs. <!-- f=c to=oops -->\n- Sells figs. <!-- f=d to=canon -->\n",
    )]);
    let dm = Audience::Dm(AccountId::discord(1));
    assert_eq!(notes.found("figs", &[Audience::Canon, guild(7)]).await, ["Likes figs.", "Sells figs."]);
    assert_eq!(notes.found("figs", std::slice::from_ref(&dm)).await, ["Hates figs."]);
    assert_eq!(notes.found("figs", &[guild(8)]).await, Vec::<String>::new());
    assert_eq!(notes.found("figs", &[]).await, Vec::<String>::new());
    // What it is called where it stands is not known to everybody who knows the line.
    assert_eq!(notes.found("ana bunny", std::slice::from_ref(&dm)).await, Vec::<String>::new());
    assert_eq!(notes.found("ana bunny", CANON).await, Vec::<String>::new());
    assert_eq!(notes.found("ana bunny", &[guild(7)]).await, ["Likes figs."]);
    let visible = Visible::only([dm]);
    let hits = notes.index.holding(&forms("figs"), &visible, 9).await.unwrap();
    assert_eq!((hits.standing_in.as_slice(), hits.hits[0].passage.headings.len()), ([1].as_slice(), 0));
}

#[tokio::test]
async fn facts_stand_alone_and_what_belongs_together_stays_together() {
    let text =
        "Above.\n\n# Pets\n\n- A cat.\n- A dog.\n- Fact. <!-- f=a -->\n- A bird.\n\n# Work\n\nBakes.\n";
    let notes = Notes::new(&[("topics/x.md", text)]);
    notes.index.keep_up().await.unwrap();
    let hits = notes.index.holding(&forms("x"), &Visible::only(CANON.to_vec()), 50).await.unwrap().hits;
    let mut passages: Vec<Passage> = hits.into_iter().map(|hit| hit.passage).collect();
    passages.sort_by_key(|passage| passage.ordinal);
    let told: Vec<(u32, u32, &str, Option<&str>)> = passages
        .iter()
        .map(|one| (one.line, one.part, one.text.as_str(), one.headings.last().map(String::as_str)))
        .collect();
    assert_eq!(
        told,
        [
            (1, 0, "Above.", None),
            (5, 0, "A cat.\nA dog.", Some("Pets")),
            (7, 1, "Fact.", Some("Pets")),
            (8, 2, "A bird.", Some("Pets")),
            (12, 0, "Bakes.", Some("Work")),
        ]
    );
    assert_eq!(passages[2].fact.as_ref().unwrap().as_str(), "a");
}

#[tokio::test]
async fn an_index_of_yesterday_takes_in_what_happened_overnight() {
    let notes = Notes::new(&[
        ("notes.md", "One bee.\n"),
        ("topics/a.md", "Two bees.\n"),
        ("topics/b.md", "Three bees.\n"),
    ]);
    assert_eq!(notes.found("bees", CANON).await.len(), 3);
    notes.index.close().await.unwrap();
    // The same size, and the file system's clock may not have moved.
    notes.put("notes.md", "One cat.\n");
    fs::remove_file(notes.root.join("topics/a.md")).unwrap();
    notes.put("topics/c.md", "Four bees.\n");
    let today = index_over(&notes.root);
    assert_eq!(found(&today, "bees", CANON).await, ["Four bees.", "Three bees."]);
    assert!(today.verify().await.unwrap().is_empty());
}

#[tokio::test]
async fn what_another_version_of_the_program_indexed_and_this_one_does_not_is_forgotten() {
    let notes = Notes::new(&[("notes.md", "One bee.\n"), ("lore/town/0001-bees.md", "Two bees.\n")]);
    assert_eq!(notes.found("bees", CANON).await, ["One bee."]);
    let database = notes.index.shared.database().await.unwrap();
    let rename = |table: &'static str| {
        database
            .write(move |tx| tx.execute(&format!("UPDATE {table} SET path = 'lore/town/0001-bees.md'"), []))
    };
    rename("files").await.unwrap();
    rename("passages").await.unwrap();
    fs::remove_file(notes.root.join("notes.md")).unwrap();
    notes.index.close().await.unwrap();
    let next = index_over(&notes.root);
    assert_eq!(found(&next, "bees", CANON).await, Vec::<String>::new());
    assert!(next.verify().await.unwrap().is_empty());
}

#[tokio::test]
async fn a_broken_index_is_made_anew_and_a_wrong_one_is_told() {
    let notes = Notes::new(&[("notes.md", "One bee.\n")]);
    notes.put(".index/notes.sqlite", "this is no database, however long it is and whatever it says");
    assert_eq!(notes.found("bees", CANON).await, ["One bee."]);
    let database = notes.index.shared.database().await.unwrap();
    database.write(|tx| tx.execute("UPDATE passages SET text = 'One wasp.'", [])).await.unwrap();
    let told = notes.index.verify().await.unwrap();
    assert_eq!(told, [Difference { path: "notes.md".to_owned(), is_kept: true, is_rebuilt: true }]);
    database.write(|tx| tx.execute("DELETE FROM words", [])).await.unwrap();
    database.write(|tx| tx.execute("UPDATE passages SET text = 'One bee.'", [])).await.unwrap();
    assert_eq!(notes.index.verify().await.unwrap().len(), 1, "the words are missing");
    let left: Vec<_> =
        fs::read_dir(notes.root.join(".index")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name.to_str().unwrap().starts_with("notes.sqlite")), "{left:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_not_found_until_it_is_mended() {
    let notes = Notes::new(&[
        ("topics/a.md", "---\naudience: everyone\n---\nBees.\n"),
        ("topics/b.md", &"bees ".repeat(60_000)),
    ]);
    fs::write(notes.root.join("topics/c.md"), b"Caf\xe9 with bees.").unwrap();
    assert_eq!(notes.found("bees", CANON).await, ["Caf\u{fffd} with bees."]);
    notes.put("topics/a.md", "---\naudience: canon\n---\nBees.\n");
    assert_eq!(notes.found("bees", CANON).await.len(), 2);
    assert!(notes.index.verify().await.unwrap().is_empty());
}

#[derive(Debug, Clone)]
enum Edit {
    Write(usize, usize),
    Append(usize, usize),
    Delete(usize),
    Rename(usize, usize),
    RemoveFolder(usize),
    Ask,
    Restart,
}

const FILES: [&str; 7] = [
    "notes.md",
    "people/discord-1.md",
    "people/discord-2.md",
    "topics/bees.md",
    "sessions/2026-11-02-dm-7-night.md",
    "lore/town/0001-bees.md",
    "topics/deep/er/bees.md",
];

const TEXTS: [&str; 9] = [
    "",
    "Bees and honey.\n",
    "# Work\n\n- A bee. <!-- f=a to=guild:1 -->\n- Ten bees. <!-- f=b to=dm:discord:1 imp=3 -->\n",
    "---\naudience: guild:2\naliases: [Ana]\n---\n# Ana\n\nBees.\n",
    "---\naudience: nobody\n---\nBees.\n",
    "- broken bees <!-- f=a to=everyone -->\n",
    "+++\nenabled = false\n+++\nbees\n",
    "- gone bees <!-- f=c gone=2026-01-01 now=d -->\n\n```\nbees\n```\n",
    "<!-- open\nbees",
];

fn edits() -> impl Strategy<Value = Edit> {
    let (file, text) = (0..FILES.len(), 0..TEXTS.len());
    prop_oneof![
        4 => (file.clone(), text.clone()).prop_map(|(file, text)| Edit::Write(file, text)),
        2 => (file.clone(), text).prop_map(|(file, text)| Edit::Append(file, text)),
        2 => file.clone().prop_map(Edit::Delete),
        1 => (file.clone(), file.clone()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => file.prop_map(Edit::RemoveFolder),
        3 => Just(Edit::Ask),
        1 => Just(Edit::Restart),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    /// Contradiction 2: whatever people and programs did to the files in whatever order, the index kept up to date says
    /// what one made anew says; and nobody finds in it what is not for them.
    #[test]
    fn contradiction_2_kept_up_to_date_is_made_anew(edits in proptest::collection::vec(edits(), 1..24)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut notes = Notes::new(&[("notes.md", "Bees.\n")]);
            for edit in &edits {
                let path = |file: usize| notes.root.join(FILES[file]);
                match edit {
                    Edit::Write(file, text) => notes.put(FILES[*file], TEXTS[*text]),
                    Edit::Append(file, text) => {
                        let before = fs::read_to_string(path(*file)).unwrap_or_default();
                        notes.put(FILES[*file], &format!("{before}{}", TEXTS[*text]));
                    }
                    Edit::Delete(file) => drop(fs::remove_file(path(*file))),
                    Edit::Rename(from, to) => {
                        fs::create_dir_all(path(*to).parent().unwrap()).unwrap();
                        drop(fs::rename(path(*from), path(*to)));
                    }
                    Edit::RemoveFolder(file) if *file > 0 => {
                        drop(fs::remove_dir_all(path(*file).parent().unwrap()));
                    }
                    Edit::RemoveFolder(_) => {}
                    Edit::Ask => {
                        let audiences = [guild(1), Audience::Private(ChannelId::from(1))];
                        let visible = Visible::only(audiences);
                        let hits = notes.index.holding(&forms("bees ana"), &visible, 50).await.unwrap();
                        assert!(hits.hits.iter().all(|hit| hit.passage.audience == guild(1)));
                    }
                    Edit::Restart => {
                        notes.index.close().await.unwrap();
                        notes.index = index_over(&notes.root);
                    }
                }
            }
            let told = notes.index.verify().await.unwrap();
            assert!(told.is_empty(), "{told:?} after {edits:?}");
        });
    }
}

async fn a_second_later() {
    tokio::time::pause();
    tokio::time::advance(std::time::Duration::from_secs(1)).await;
    tokio::time::resume();
}

/// More folders than one watch can have: the kernel tells of nothing any more.
fn unwatchable(notes: &Notes) {
    for number in 0..520 {
        fs::create_dir_all(notes.root.join(format!("topics/f{number}"))).unwrap();
    }
    let watch = FolderWatch::of(notes.root.clone());
    let mut heard = crate::memory::watch::FollowMark::default();
    watch.since(&mut heard);
    assert_eq!(watch.since(&mut heard), crate::memory::watch::Changes::Unknown);
    assert!(!watch.is_watching());
}

#[tokio::test]
async fn y13_where_nobody_tells_of_changes_every_file_is_looked_at() {
    let notes = Notes::new(&[("topics/harbour.md", "The ferry leaves at nine.\n")]);
    unwatchable(&notes);
    assert_eq!(notes.found("ferry", CANON).await, ["The ferry leaves at nine."]);
    notes.put("topics/harbour.md", "The ferry leaves at ten o'clock.\n");
    notes.put("topics/f7/ferries.md", "Two ferries lie there.\n");
    assert_eq!(notes.found("ferry", CANON).await, ["The ferry leaves at nine."], "not with every question");
    a_second_later().await;
    assert_eq!(
        notes.found("ferry", CANON).await,
        ["The ferry leaves at ten o'clock.", "Two ferries lie there."]
    );
    fs::remove_file(notes.root.join("topics/harbour.md")).unwrap();
    a_second_later().await;
    assert_eq!(notes.found("ferry", CANON).await, ["Two ferries lie there."]);
    assert_eq!(notes.index.verify().await.unwrap(), []);
    let store = Arc::new(MemoryStore::in_folder(notes.root.clone(), Arc::new(SystemClock)));
    let watch = Arc::new(FolderWatch::of(notes.root.clone()));
    let mut follower = crate::memory::follow::NotesFollower::new(store, watch, []);
    assert_eq!(follower.told().unwrap().len(), 1, "who follows the notes hears of them too");
}
