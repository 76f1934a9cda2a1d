//! What is forgotten leaves the notes, and what others wrote stays byte for byte.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::clock::SystemClock;

const NOTE: &str = "---\naudience: guild:7\n---\n# Ben\n\n- Ben rows. <!-- f=aaaaaaaa to=guild:7 by=discord:2 from=t:1 -->\n\
                    - Ben owes Alice a quillon. <!-- f=bbbbbbbb to=guild:7 by=discord:1 from=t:2 -->\n\
                    \nMy own line about Ben.\n";

fn store() -> (TempDir, MemoryStore) {
    let folder = TempDir::new().unwrap();
    let store = MemoryStore::in_folder(folder.path().join("memory"), Arc::new(SystemClock));
    (folder, store)
}

fn path(name: &str) -> NotePath {
    NotePath::new(name).unwrap()
}

fn put(store: &MemoryStore, name: &str, text: &str) {
    store.write(&path(name), text, NoteEditor::Operator).unwrap();
}

fn alice() -> ForgetNotes {
    ForgetNotes {
        people: [AccountId::discord(1)].into(),
        turns: [StoredId(9)].into(),
        ..ForgetNotes::default()
    }
}

fn full() -> (TempDir, MemoryStore) {
    let (folder, store) = store();
    put(
        &store,
        "people/discord-1.md",
        "# Alice\n\n- Alice keeps a quillon. <!-- f=cccccccc from=t:2 -->\nShe is shy.\n",
    );
    put(&store, "people/discord-2.md", NOTE);
    put(
        &store,
        "topics/regatta.md",
        "# Regatta\n\n- It is in May. <!-- f=dddddddd by=discord:2 from=t:9 -->\n",
    );
    put(&store, "notes.md", "Alice is nice.\n");
    put(&store, "lore/world/quillon.md", "- A quillon is a bird. <!-- f=eeeeeeee by=discord:1 -->\n");
    put(
        &store,
        "people/_aliases.json",
        "{\"ally\": \"discord-1\", \"sam\": [\"discord-2\", {\"is\": \"discord-1\", \"to\": \"guild:7\"}]}\n",
    );
    put(
        &store,
        "sessions/.pending/20260301-200000.md",
        "# From #ferry\n\n```json\n\
         {\"note\":\"people/discord-2.md\",\"title\":\"Ben\",\"audience\":\"guild:7\",\"do\":\"add\",\"text\":\"Ben swims.\",\"data\":\"f=ffffffff to=guild:7 by=discord:2\"}\n\
         {\"note\":\"people/discord-2.md\",\"title\":\"Ben\",\"audience\":\"guild:7\",\"do\":\"add\",\"text\":\"A quillon sings.\",\"data\":\"f=gggggggg to=guild:7 by=discord:1\"}\n```\n",
    );
    (folder, store)
}

fn read(store: &MemoryStore, name: &str) -> Option<String> {
    store.read(&path(name)).ok().map(|note| note.text)
}

#[test]
fn contradiction_16_everything_by_and_about_a_person_goes_and_nothing_else() {
    let (folder, store) = full();
    let plan = planned(&store, &alice()).unwrap();
    assert_eq!((plan.lines().count(), plan.notes()), (3, 2), "{plan:#?}");
    forget_in_notes(&store, &alice()).unwrap();
    assert_eq!(read(&store, "people/discord-1.md"), None);
    assert_eq!(read(&store, "topics/regatta.md"), None, "nothing but its heading would be left");
    let ben = read(&store, "people/discord-2.md").unwrap();
    assert_eq!(
        ben,
        NOTE.lines().filter(|line| !line.contains("quillon")).map(|l| format!("{l}\n")).collect::<String>()
    );
    assert_eq!(read(&store, "notes.md").unwrap(), "Alice is nice.\n", "the operator's own words");
    assert_eq!(read(&store, "people/_aliases.json").unwrap(), "{\n  \"sam\": \"discord-2\"\n}\n");
    let waiting = read(&store, "sessions/.pending/20260301-200000.md").unwrap();
    assert!(waiting.contains("Ben swims.") && !waiting.contains("sings"), "{waiting}");
    assert!(read(&store, "lore/world/quillon.md").is_some(), "what is authored is no memory");
    let log = fs::read_to_string(folder.path().join("memory/.audit.jsonl")).unwrap();
    assert!(
        !log.contains("regatta") && !log.contains("discord-1.md") && log.contains("discord-2.md"),
        "{log}"
    );
    let left = planned(&store, &alice()).unwrap();
    assert_eq!(left, NotesPlan::default(), "twice is once");
    forget_in_notes(&store, &alice()).unwrap();
}

#[test]
fn contradiction_16_an_undone_wish_leaves_every_file_as_it_was() {
    let (_folder, store) = full();
    let names = ["people/discord-1.md", "people/discord-2.md", "topics/regatta.md", "people/_aliases.json"];
    let before: Vec<_> = names.iter().map(|name| read(&store, name)).collect();
    let plan = planned(&store, &alice()).unwrap();
    forget_in_notes(&store, &alice()).unwrap();
    put_back(&store, &plan).unwrap();
    assert_eq!(names.iter().map(|name| read(&store, name)).collect::<Vec<_>>(), before);
}

#[test]
fn contradiction_16_what_was_written_since_stays_and_the_facts_come_to_it() {
    let (_folder, store) = full();
    let plan = planned(&store, &alice()).unwrap();
    forget_in_notes(&store, &alice()).unwrap();
    put(&store, "people/discord-2.md", "# Ben\n\n- Ben left. <!-- f=hhhhhhhh to=guild:7 -->\n");
    put(&store, "people/_aliases.json", "{\"benny\": \"discord-2\"}\n");
    put_back(&store, &plan).unwrap();
    let ben = read(&store, "people/discord-2.md").unwrap();
    assert!(
        ben.contains("Ben left.") && ben.contains("Ben owes Alice a quillon. <!-- f=bbbbbbbb to=guild:7"),
        "{ben}"
    );
    assert!(!ben.contains("Ben rows."), "what somebody else removed stays away");
    let names = read(&store, "people/_aliases.json").unwrap();
    assert!(names.contains("benny") && names.contains("ally"), "{names}");
}

#[test]
fn an_answer_nobody_could_read_goes_with_anything_that_goes_and_with_nothing() {
    let (_folder, store) = full();
    let waits = "sessions/.pending/20260302-200000.md";
    let answer =
        "---\naudience: guild:7\n---\n# From ferry, 2026-03-02\n\n```json\n{\"answer\":\"{\"}\n```\n";
    put(&store, waits, answer);
    let goes = |unwanted: &ForgetNotes| planned(&store, unwanted).unwrap().unread();
    assert_eq!(goes(&ForgetNotes::default()), 0, "nothing is to be forgotten");
    let turn = ForgetNotes { turns: [StoredId(77)].into(), ..ForgetNotes::default() };
    let fact = ForgetNotes { facts: ["aaaaaaaa".parse().unwrap()].into(), ..ForgetNotes::default() };
    for unwanted in [turn, fact, alice()] {
        assert_eq!(goes(&unwanted), 1, "it may hold some of it: {unwanted:?}");
    }
    let plan = planned(&store, &alice()).unwrap();
    assert_eq!((plan.notes(), plan.unread()), (2, 1), "it is no note: {plan:#?}");
    forget_in_notes(&store, &alice()).unwrap();
    assert_eq!(read(&store, waits), None);
    put_back(&store, &plan).unwrap();
    assert!(read(&store, waits).is_some());
}

#[test]
fn a_fact_goes_with_those_whose_place_it_took() {
    let (_folder, store) = store();
    put(
        &store,
        "people/discord-1.md",
        "- Alice lives in Ghent. <!-- f=aaaaaaaa to=guild:7 from=t:1 gone=2026-03-01 now=bbbbbbbb -->\n\
         - Alice lives in Bruges. <!-- f=bbbbbbbb to=guild:7 from=t:2 was=aaaaaaaa -->\n\
         - Alice rows. <!-- f=cccccccc to=guild:7 from=t:3 -->\n",
    );
    let all = facts_of(&store, |_| true).unwrap();
    let chain = chain_of(&all, &"bbbbbbbb".parse().unwrap());
    assert_eq!(chain.iter().map(|fact| fact.id.as_str()).collect::<Vec<_>>(), ["bbbbbbbb", "aaaaaaaa"]);
    assert_eq!(chain.iter().flat_map(|fact| fact.turns()).collect::<Vec<_>>(), [StoredId(2), StoredId(1)]);
    assert_eq!(chain_of(&all, &"aaaaaaaa".parse().unwrap()).len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever facts a note holds: those of the person go, every other line stays as it was.
    #[test]
    fn contradiction_16_only_unwanted_facts_leave_a_note(
        facts in proptest::collection::vec((1_u64..4, "[a-z]{4,8}( [a-z]{4,8}){0,3}", any::<bool>()), 0..12)
    ) {
        let (_folder, store) = store();
        let mut lines = vec!["# Harbour".to_owned(), String::new()];
        for (number, (by, words, is_fact)) in facts.iter().enumerate() {
            lines.push(match is_fact {
                true => format!("- {words} <!-- f=fact{number} to=guild:7 by=discord:{by} -->"),
                false => format!("- {words}"),
            });
        }
        let text = lines.join("\n") + "\n";
        put(&store, "topics/harbour.md", &text);
        let unwanted = ForgetNotes { people: [AccountId::discord(1)].into(), ..ForgetNotes::default() };
        forget_in_notes(&store, &unwanted).unwrap();
        let left: Vec<String> = lines.into_iter().filter(|line| !line.contains("by=discord:1 ")).collect();
        let is_changed = left.join("\n") + "\n" != text;
        let says_something = left.iter().any(|line| line.starts_with('-'));
        let expected = (!is_changed || says_something).then(|| left.join("\n") + "\n");
        prop_assert_eq!(read(&store, "topics/harbour.md"), expected);
    }
}

/// Which of these facts go when others are unwanted, by their ids.
fn derived(notes: &[(&str, &str)], unwanted: &[&str]) -> Vec<String> {
    let (_folder, store) = store();
    for (name, text) in notes {
        put(&store, name, text);
    }
    let facts = unwanted.iter().map(|id| id.parse().unwrap()).collect();
    let all =
        with_derived(&facts_of(&store, |_| true).unwrap(), ForgetNotes { facts, ..ForgetNotes::default() });
    all.facts.iter().map(ToString::to_string).filter(|id| !unwanted.contains(&id.as_str())).collect()
}

#[test]
fn g2_what_was_made_of_facts_goes_with_the_last_of_them_and_not_before() {
    let lessons = "- One. <!-- f=aaaaaaaa from=t:1 -->\n- Two. <!-- f=bbbbbbbb from=t:2 -->\n\
                   - Three. <!-- f=cccccccc from=f:dddddddd -->\n- Four. <!-- f=dddddddd from=t:3 -->\n";
    let person = "- Of one and two. <!-- f=eeeeeeee from=f:sessions/l.md#aaaaaaaa,f:sessions/l.md#bbbbbbbb -->\n\
                  - Of that. <!-- f=ffffffff from=f:eeeeeeee -->\n\
                  - Of one and what somebody said. <!-- f=gggggggg from=f:sessions/l.md#aaaaaaaa,t:9 -->\n\
                  - Of one and a book. <!-- f=hhhhhhhh from=f:sessions/l.md#aaaaaaaa,book:7 -->\n\
                  - Of nothing that is there. <!-- f=iiiiiiii from=f:sessions/l.md#zzzzzzzz -->\n\
                  - Said by the operator.\n";
    let notes = [("sessions/l.md", lessons), ("people/discord-1.md", person)];
    for (unwanted, goes) in [
        (&["aaaaaaaa"][..], &[][..]),
        (&["bbbbbbbb"], &[]),
        (&["aaaaaaaa", "bbbbbbbb"], &["eeeeeeee", "ffffffff"]),
        (&["dddddddd"], &["cccccccc"]),
        (&["eeeeeeee"], &["ffffffff"]),
        (&["gggggggg"], &[]),
    ] {
        assert_eq!(derived(&notes, unwanted), goes, "{unwanted:?}");
    }
}

proptest! {
    #[test]
    fn g2_no_fact_goes_that_something_else_still_speaks_for(
        made_of in proptest::collection::vec(proptest::collection::vec((0_usize..8, any::<bool>()), 0..4), 8),
        unwanted in proptest::collection::btree_set(0_usize..8, 0..4),
    ) {
        let id = |at: usize| format!("fact{at}xxx");
        let from = |at: usize, of: &[(usize, bool)]| -> Vec<String> {
            of.iter().map(|(part, is_said)| if *is_said || part == &at { format!("t:{}", part + 1) } else { format!("f:{}", id(*part)) }).collect()
        };
        let text: String = made_of
            .iter()
            .enumerate()
            .map(|(at, of)| {
                let from = from(at, of).join(",");
                let from = if from.is_empty() { String::new() } else { format!(" from={from}") };
                format!("- Of {at}. <!-- f={}{from} -->\n", id(at))
            })
            .collect();
        let ids: Vec<String> = unwanted.iter().map(|at| id(*at)).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let goes = derived(&[("notes.md", &text)], &ids);
        let gone = |at: usize| unwanted.contains(&at) || goes.contains(&id(at));
        for (at, of) in made_of.iter().enumerate() {
            let rests_on_said = of.is_empty() || of.iter().any(|(part, is_said)| *is_said || *part == at);
            if goes.contains(&id(at)) {
                prop_assert!(!rests_on_said && of.iter().all(|(part, _)| gone(*part)), "{at} in {text}");
            } else if !unwanted.contains(&at) && !rests_on_said {
                prop_assert!(of.iter().any(|(part, _)| !gone(*part)), "{at} stays in {text}");
            }
        }
    }
}
