use std::sync::Arc;

use tempfile::TempDir;

use super::*;
use crate::clock::ManualClock;
use crate::domain::GuildId;

const TODAY: Date = jiff::civil::date(2026, 3, 1);

fn store() -> (TempDir, MemoryStore) {
    let folder = TempDir::new().unwrap();
    let clock = ManualClock::at("2026-03-01T20:00:00Z".parse().unwrap());
    let store = MemoryStore::in_folder(folder.path().to_owned(), Arc::new(clock));
    (folder, store)
}

fn guild() -> Audience {
    Audience::Guild(GuildId::from(7))
}

fn ana() -> NotePath {
    NotePath::new("people/discord-1.md").unwrap()
}

fn data(id: &str) -> FactData {
    FactData { id: Some(id.parse().unwrap()), to: Some(guild()), on: Some(TODAY), ..FactData::default() }
}

fn change(what: PageChange) -> NoteChange {
    NoteChange { note: ana(), title: "Ana".to_owned(), audience: guild(), what }
}

fn add(id: &str, words: &str) -> NoteChange {
    change(PageChange::Add { words: words.to_owned(), data: data(id) })
}

fn supersede(old: &str, seen: &str, id: &str, words: &str) -> NoteChange {
    change(PageChange::Supersede {
        old: old.parse().unwrap(),
        seen: seen.to_owned(),
        words: words.to_owned(),
        data: data(id),
    })
}

fn done(store: &MemoryStore, changes: &[NoteChange]) -> Vec<ChangeFate> {
    apply_changes(store, changes, TODAY, NoteEditor::Writer)
}

fn text(store: &MemoryStore) -> String {
    store.read(&ana()).unwrap().text
}

#[test]
fn m5_facts_are_added_superseded_and_ended_and_what_was_stays_to_be_asked_for() {
    let (_folder, store) = store();
    let fates = done(&store, &[add("a2", "Ana lives in Ghent."), add("a3", "Ana has a cat.")]);
    assert_eq!(fates, [ChangeFate::Written, ChangeFate::Written]);
    assert_eq!(done(&store, &[add("a4", "ana lives in ghent")]), [ChangeFate::Known]);
    assert_eq!(
        done(&store, &[supersede("a2", "Ana lives in Ghent.", "a5", "Ana lives in Bruges.")]),
        [ChangeFate::Written]
    );
    let end =
        PageChange::End { fact: "a3".parse().unwrap(), seen: "Ana has a cat.".to_owned(), until: TODAY };
    assert_eq!(done(&store, &[change(end)]), [ChangeFate::Written]);
    insta::assert_snapshot!(text(&store), @r"
    ---
    audience: guild:7
    ---
    # Ana

    - Ana lives in Ghent. <!-- f=a2 to=guild:7 on=2026-03-01 gone=2026-03-01 now=a5 -->
    - Ana has a cat. <!-- f=a3 to=guild:7 on=2026-03-01 until=2026-03-01 -->
    - Ana lives in Bruges. <!-- f=a5 to=guild:7 on=2026-03-01 was=a2 -->
    ");
}

#[test]
fn y13_what_somebody_edited_is_not_superseded_and_their_lines_stay() {
    let (_folder, store) = store();
    done(&store, &[add("a2", "Ana lives in Ghent.")]);
    let edited = text(&store).replace("Ghent", "Antwerp") + "Ask her about the boat.\n";
    store.write(&ana(), &edited, NoteEditor::Operator).unwrap();
    let late = supersede("a2", "Ana lives in Ghent.", "a5", "Ana lives in Bruges.");
    assert_eq!(done(&store, &[late]), [ChangeFate::Overtaken]);
    assert_eq!(done(&store, &[add("a6", "Ana sails.")]), [ChangeFate::Written]);
    let now = text(&store);
    assert!(
        now.contains("Antwerp") && now.contains("Ask her about the boat.\n") && now.contains("Ana sails.")
    );
}

#[test]
fn contradiction_8_what_is_told_in_private_changes_nothing_that_others_see() {
    let (_folder, store) = store();
    done(&store, &[add("a2", "Ana lives in Ghent.")]);
    let alone = Audience::Dm(crate::domain::AccountId::discord(1));
    let mut told = supersede("a2", "Ana lives in Ghent.", "a5", "Ana lives in Bruges.");
    told.audience = alone.clone();
    assert_eq!(done(&store, &[told]), [ChangeFate::Overtaken]);
    // The same words to somebody else are not known there.
    let mut same = add("a7", "Ana lives in Ghent.");
    same.audience = alone.clone();
    same.what = PageChange::Add {
        words: "Ana lives in Ghent.".to_owned(),
        data: FactData { to: Some(alone), ..data("a7") },
    };
    assert_eq!(done(&store, &[same]), [ChangeFate::Written]);
}

#[test]
fn a_note_nobody_can_read_is_left_alone() {
    let (_folder, store) = store();
    store.write(&ana(), "---\naudience: nobody\n---\n", NoteEditor::Operator).unwrap();
    assert!(matches!(done(&store, &[add("a2", "Ana sails.")])[..], [ChangeFate::Refused(_)]));
    store.write(&ana(), "```\nopen\n", NoteEditor::Operator).unwrap();
    assert!(matches!(done(&store, &[add("a2", "Ana sails.")])[..], [ChangeFate::Refused(_)]));
    assert_eq!(text(&store), "```\nopen\n");
}

fn proposal(waiting: PendingChange) -> Proposal {
    Proposal {
        at: "2026-03-01T20:00:00Z".parse().unwrap(),
        from: "#ferry".to_owned(),
        audience: guild(),
        waiting,
    }
}

#[test]
fn what_waits_is_carried_out_after_a_yes_and_gone_after_a_no() {
    let (_folder, store) = store();
    done(&store, &[add("a2", "Ana lives in Ghent.")]);
    let changes = vec![
        supersede("a2", "Ana lives in Ghent.", "a5", "Ana \"A\" lives in ```Bruges```."),
        add("a6", "Ana sails."),
    ];
    let first = proposal(PendingChange::Changes(changes.clone())).keep(&store).unwrap();
    let second = proposal(PendingChange::Changes(changes.clone())).keep(&store).unwrap();
    assert_eq!((first.as_str(), second.as_str()), ("20260301-200000", "20260301-200000-2"));
    assert_eq!(Pending::all(&store).unwrap().len(), 2);

    let waiting = Pending::read(&store, &first).unwrap();
    assert_eq!(waiting.changes().unwrap(), changes);
    assert_eq!(waiting.approve(&store, TODAY).unwrap(), [ChangeFate::Written, ChangeFate::Written]);
    assert!(text(&store).contains("Bruges") && text(&store).contains("Ana sails."));
    Pending::read(&store, "20260301-200000-2.md").unwrap().reject(&store).unwrap();
    assert!(Pending::all(&store).unwrap().is_empty());
    assert!(matches!(Pending::read(&store, &first), Err(PendingError::NoSuch(_))));
    assert!(Pending::read(&store, "../../notes").is_err());
}

#[test]
fn an_answer_nobody_could_read_can_only_be_looked_at() {
    let (_folder, store) = store();
    let name = proposal(PendingChange::Answer("```\n{\"do\": oops".to_owned())).keep(&store).unwrap();
    let waiting = Pending::read(&store, &name).unwrap();
    assert!(waiting.text.contains("oops"));
    assert!(matches!(waiting.approve(&store, TODAY), Err(PendingError::Nothing)));
    assert_eq!(Pending::all(&store).unwrap().len(), 1);
}
