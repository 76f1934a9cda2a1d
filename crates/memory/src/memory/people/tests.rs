use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::{Date, date};
use tempfile::TempDir;

use super::*;
use crate::clock::SystemClock;
use crate::domain::{AccountId, Audience, GuildId, Visible};
use crate::memory::store::{MemoryStore, NoteEditor, NotePath};

const TODAY: Date = date(2026, 11, 10);

/// The folder of the people in a memory folder.
struct People {
    _outer: TempDir,
    dir: PathBuf,
}

impl People {
    fn path(&self) -> &Path {
        &self.dir
    }
}

fn folder(files: &[(&str, &str)]) -> (People, PeopleNotes) {
    let outer = tempfile::tempdir().unwrap();
    let dir = outer.path().join("memory/people");
    fs::create_dir_all(&dir).unwrap();
    for (name, text) in files {
        fs::write(dir.join(name), text).unwrap();
    }
    let notes = PeopleNotes::of(Arc::new(FolderWatch::of(outer.path().join("memory"))));
    (People { _outer: outer, dir }, notes)
}

/// As everybody everywhere may see them.
async fn known(notes: &PeopleNotes) -> SeenPeople {
    notes.seen_by(Visible::only([Audience::Canon])).await
}

fn text(note: &SeenPerson<'_>) -> String {
    note.note(TODAY, &|_| true).map(|seen| seen.text).unwrap_or_default()
}

/// Of the same notes what others may see.
fn to(seen: &SeenPeople, audience: Audience) -> SeenPeople {
    SeenPeople { visible: Visible::only([audience]), ..seen.clone() }
}

fn guild(number: u64) -> Audience {
    Audience::Guild(GuildId::from(number))
}

#[tokio::test]
async fn a_note_without_a_word_on_its_audience_is_the_operators_own() {
    let (_dir, notes) = folder(&[("discord-42.md", "# Ana\n\nShe keeps bees.")]);
    let roster = known(&notes).await;
    let note = roster.about(&AccountId::discord(42)).unwrap();
    assert_eq!(text(&note), "# Ana\n\nShe keeps bees.");
    assert!(roster.about(&AccountId::discord(43)).is_none());
}

#[tokio::test]
async fn y13_an_edited_note_holds_at_once_and_a_removed_one_is_gone() {
    let (dir, notes) = folder(&[("discord-42.md", "She keeps bees.")]);
    assert!(known(&notes).await.about(&AccountId::discord(42)).is_some());
    fs::write(dir.path().join("discord-42.md"), "She keeps ten hives.").unwrap();
    assert_eq!(text(&known(&notes).await.about(&AccountId::discord(42)).unwrap()), "She keeps ten hives.");
    fs::remove_file(dir.path().join("discord-42.md")).unwrap();
    assert!(known(&notes).await.about(&AccountId::discord(42)).is_none());
}

#[tokio::test]
async fn contradiction_8_any_doubt_about_who_may_see_a_note_keeps_it_from_everybody() {
    let (_dir, notes) = folder(&[
        ("discord-1.md", "---\naudience: everyone\n---\nwrong word"),
        ("discord-2.md", "---\naudience: guild:7\nnever closed"),
        ("discord-3.md", "---\naudience: [guild:7, guild:8]\n---\na list"),
        ("discord-4.md", "---\n: : :\n---\nno YAML"),
        ("discord-5.md", "---\naudience:\n  guild: 7\n---\na map"),
        ("discord-6.md", "+++\naudience = 7\n+++\na number"),
        ("discord-7.md", "---\naudience: guild:7\naliases: [Ana, \"Ana Maria\"]\n---\nfine"),
        ("discord-8.md", "\u{feff}+++\r\naudience = \"dm:discord:8\"\r\n+++\r\nfine too"),
    ]);
    let roster = known(&notes).await;
    for closed in 1..=6 {
        assert!(roster.about(&AccountId::discord(closed)).is_none(), "{closed}");
    }
    let guild = roster.about(&AccountId::discord(7)).unwrap();
    assert_eq!(text(&guild), "");
    let server = to(&roster, super::tests::guild(7));
    assert_eq!(text(&server.about(&AccountId::discord(7)).unwrap()), "fine");
    let dm = to(&roster, Audience::Dm(AccountId::discord(8)));
    assert_eq!(text(&dm.about(&AccountId::discord(8)).unwrap()), "fine too");
}

#[tokio::test]
async fn people_are_named_by_whatever_they_are_called() {
    let (_dir, notes) = folder(&[
        (
            "_aliases.json",
            r#"{"ana": "discord-1", "ana maria": "discord-2", "will": "discord-3", "jean-luc": "discord-4",
            "up": "../../etc/passwd", "zoë": "discord-5"}"#,
        ),
        ("discord-1.md", "---\naliases: [Queen of Bees]\n---\nAna"),
    ]);
    let roster = known(&notes).await;
    for (text, named) in [
        ("what about ana?", vec!["discord-1"]),
        ("Ana Maria and Ana", vec!["discord-2", "discord-1"]),
        ("all hail the queen of bees!", vec!["discord-1"]),
        ("will you come?", vec![]),
        ("did Will come?", vec!["discord-3"]),
        ("Jean-Luc, tea?", vec!["discord-4"]),
        ("ZOE!", vec!["discord-5"]),
        ("banana", vec![]),
    ] {
        let named: Vec<&str> = named;
        assert_eq!(roster.named_in(text), named, "{text}");
    }
    assert!(roster.note("../../etc/passwd").is_none(), "a slug is looked up, never opened");
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_outside_the_folder_is_read() {
    let (dir, notes) =
        folder(&[("a b.md", "no slug"), ("_draft.md", "not a person"), ("discord-9.txt", "no note")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret.md"), "outside").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), dir.path().join("discord-9.md")).unwrap();
    assert_eq!(known(&notes).await.roster.slugs(), [""; 0]);
}

#[tokio::test]
async fn a_note_falls_into_its_headings() {
    let (_dir, notes) = folder(&[(
        "discord-1.md",
        "Above.\n\n# Work\nBees.\n## Hives\n\nTen.\n\n#not a heading\n\n# Empty\n",
    )]);
    let roster = known(&notes).await;
    let note = roster.note("discord-1").unwrap();
    let seen = note.note(TODAY, &|_| true).unwrap();
    let sections: Vec<_> = seen.sections().map(|section| (section.heading, section.text)).collect();
    assert_eq!(
        sections,
        [(None, "Above."), (Some("Work"), "Bees."), (Some("Hives"), "Ten.\n\n#not a heading")]
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn y13_an_edit_that_leaves_size_and_time_as_they_were_holds_too() {
    let (dir, notes) = folder(&[("discord-42.md", "She keeps bees."), ("_aliases.json", "{}")]);
    let file = dir.path().join("discord-42.md");
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    assert_eq!(text(&known(&notes).await.note("discord-42").unwrap()), "She keeps bees.");
    fs::write(&file, "She keeps cats.").unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(before).unwrap();
    assert_eq!(text(&known(&notes).await.note("discord-42").unwrap()), "She keeps cats.");
    fs::remove_file(dir.path().join("_aliases.json")).unwrap();
    fs::write(dir.path().join("discord-43.md"), "New here.").unwrap();
    assert_eq!(known(&notes).await.roster.slugs().len(), 2);
}

#[tokio::test]
async fn y13_another_folder_in_the_same_place_is_the_one_that_holds() {
    let outer = tempfile::tempdir().unwrap();
    let people = outer.path().join("people");
    let notes = PeopleNotes::of(Arc::new(FolderWatch::of(outer.path().to_owned())));
    assert_eq!(known(&notes).await.roster.slugs(), [""; 0], "there is no folder yet");
    fs::create_dir(&people).unwrap();
    fs::write(people.join("discord-1.md"), "one").unwrap();
    assert_eq!(text(&known(&notes).await.note("discord-1").unwrap()), "one");
    // A backup is put back.
    fs::rename(&people, outer.path().join("before")).unwrap();
    fs::create_dir(&people).unwrap();
    fs::write(people.join("discord-2.md"), "two").unwrap();
    let roster = known(&notes).await;
    assert_eq!(roster.roster.slugs(), ["discord-2"]);
    fs::write(people.join("discord-2.md"), "deux").unwrap();
    assert_eq!(text(&known(&notes).await.note("discord-2").unwrap()), "deux");
}

#[tokio::test]
async fn contradiction_8_a_note_is_counted_and_named_only_where_something_of_it_may_be_seen() {
    let (_dir, notes) = folder(&[
        (
            "discord-1.md",
            "---\naudience: guild:7\naliases: [Bunny]\n---\n- a <!-- to=dm:discord:1 -->\n- b\n",
        ),
        ("discord-2.md", "---\naudience: guild:8\n---\n# Only a heading\n"),
        ("discord-3.md", "- c <!-- to=nobody -->\n"),
        (
            "_aliases.json",
            r#"{"hop": {"is": "discord-1", "to": "dm:discord:1"}, "odd": {"is": "discord-1", "to": "all"}}"#,
        ),
    ]);
    let roster = known(&notes).await;
    let count = |audience: Audience| to(&roster, audience).count();
    let dm = Audience::Dm(AccountId::discord(1));
    assert_eq!((count(guild(7)), count(dm.clone()), count(guild(8)), count(Audience::Canon)), (1, 1, 0, 0));
    let named = |text: &str, audience: &Audience| to(&roster, audience.clone()).named_in(text).len();
    assert_eq!((named("Bunny?", &guild(7)), named("Bunny?", &dm)), (1, 0));
    assert_eq!((named("Hop?", &guild(7)), named("Hop?", &dm)), (0, 1));
    assert_eq!(named("Odd?", &dm), 0, "a doubt is a no");
}

#[test]
fn familiar_connect_1_11_names_are_merged_and_what_was_there_stays() {
    let outer = tempfile::tempdir().unwrap();
    let store = MemoryStore::in_folder(outer.path().join("memory"), Arc::new(SystemClock));
    let alias = |name: &str, slug: &str, audience: Audience| Alias {
        name: name.to_owned(),
        slug: slug.to_owned(),
        audience,
    };
    let first = [alias("Ana", "discord-1", Audience::Canon), alias("Sam", "discord-2", guild(7))];
    assert!(remember(&store, &first, NoteEditor::Writer).unwrap());
    assert!(!remember(&store, &first, NoteEditor::Writer).unwrap(), "nothing new, nothing written");
    // Another batch knows nobody of the first, and a second person of one name.
    let second = [
        alias(" SAM ", "discord-3", guild(8)),
        alias("Ana", "discord-1", guild(7)),
        alias("Anna\nMaria", "discord-1", Audience::Canon),
        alias(" ", "discord-1", Audience::Canon),
    ];
    assert!(remember(&store, &second, NoteEditor::Writer).unwrap());
    let path = "people/_aliases.json".parse().unwrap();
    let file = store.read(&path).unwrap().text;
    let value: serde_json::Value = serde_json::from_str(&file).unwrap();
    assert_eq!(
        value,
        serde_json::json!({
            "ana": "discord-1",
            "sam": [{"is": "discord-2", "to": "guild:7"}, {"is": "discord-3", "to": "guild:8"}],
            "anna maria": "discord-1",
        })
    );
    // What somebody wrote by hand stays as they wrote it, also what is not understood.
    let by_hand =
        r#"{"Queen": "discord-1", "x": 3, "ana": ["discord-9", {"is": "discord-1", "why": "told me"}]}"#;
    let merged =
        merged(by_hand, &[alias("queen", "discord-4", Audience::Canon), alias("ana", "discord-1", guild(1))]);
    let value: serde_json::Value = serde_json::from_str(&merged.unwrap().unwrap()).unwrap();
    assert_eq!(
        value,
        serde_json::json!({
            "Queen": ["discord-1", "discord-4"], "x": 3,
            "ana": ["discord-9", {"is": "discord-1", "why": "told me"}],
        })
    );
    store.write(&path, "{ broken", NoteEditor::Operator).unwrap();
    assert!(matches!(remember(&store, &first, NoteEditor::Writer), Err(AliasError::Unreadable(_))));
    assert_eq!(store.read(&path).unwrap().text, "{ broken");
}

/// A store over two people's notes.
fn two(kept: &str, other: &str) -> (TempDir, MemoryStore) {
    let outer = tempfile::tempdir().unwrap();
    let store = MemoryStore::in_folder(outer.path().join("memory"), Arc::new(SystemClock));
    for (name, text) in [("discord-1", kept), ("discord-2", other)] {
        if !text.is_empty() {
            let path = NotePath::new(format!("people/{name}.md")).unwrap();
            store.write(&path, text, NoteEditor::Operator).unwrap();
        }
    }
    (outer, store)
}

fn of_both(store: &MemoryStore) -> [String; 2] {
    ["discord-1", "discord-2"]
        .map(|name| store.read_or_none(&NotePath::new(format!("people/{name}.md")).unwrap()).unwrap().0)
}

fn made_one(store: &MemoryStore) -> Result<JoinPlan, JoinNotesError> {
    join(store, &AccountId::discord(1), &AccountId::discord(2))
}

#[test]
fn of_two_notes_one_is_made_in_which_every_fact_keeps_its_audience_and_stands_once() {
    let (_dir, store) = two(
        "---\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n\n- She rows. <!-- f=aaaaaaaa by=discord:1 from=t:1 -->\n\nBy hand.\n",
        "---\naudience: dm:discord:2\naliases: [Wren]\n---\n# Secret heading\n\n- She rows. <!-- f=bbbbbbbb to=guild:7 from=t:2 -->\n\
         - She is shy. <!-- f=cccccccc by=discord:2 on=2026-03-01 from=t:3 -->\n- She hums.\n",
    );
    let (one, other) = (AccountId::discord(1), AccountId::discord(2));
    let before = of_both(&store);
    let plan = plan_join(&store, &one, &other).unwrap();
    assert_eq!((plan.facts, plan.known), (3, 1));
    assert_eq!(of_both(&store), before, "a look changes nothing");
    made_one(&store).unwrap();
    let [text, gone] = of_both(&store);
    assert_eq!(gone, "");
    let head = "---\naccounts: [\"discord:2\"]\naudience: guild:7\naliases: [Ana]\n---\n# Ana\n";
    assert!(text.starts_with(head) && text.contains("\nBy hand.\n"), "{text}");
    assert!(text.contains("- She rows. <!-- f=aaaaaaaa to=guild:7 by=discord:1 from=t:1,t:2 -->"), "{text}");
    let shy = "- She is shy. <!-- f=cccccccc to=dm:discord:2 by=discord:2 on=2026-03-01 from=t:3 -->";
    assert!(text.contains(shy) && !text.contains("bbbbbbbb"), "{text}");
    let hums = text.lines().find(|line| line.contains("hums")).unwrap();
    assert!(hums.contains("to=dm:discord:2"), "{hums}");
    assert!(!text.contains("Secret"), "what it was filed under is nobody's to know: {text}");
    let names = store.read_or_none(&NotePath::new("people/_aliases.json").unwrap()).unwrap().0;
    assert!(names.contains("wren") && names.contains("dm:discord:2"), "{names}");
    // Once more it is as it is, and apart they are two.
    made_one(&store).unwrap();
    assert_eq!(of_both(&store)[0], text);
    assert!(part(&store, &one, &other).unwrap() && !part(&store, &one, &other).unwrap());
    assert_eq!(of_both(&store)[0], text.replace("accounts: [\"discord:2\"]\n", ""));
}

#[test]
fn a_note_is_left_alone_where_what_stands_in_it_can_stand_nowhere_else() {
    let (_dir, store) = two("# Ana\n", "# Wren\n\nA paragraph by hand.\n");
    assert!(matches!(made_one(&store), Err(JoinNotesError::ByHand { line: 3, .. })));
    let (_dir, store) = two("# Ana\n", "- She rows. <!-- f=bbbbbbbb to=nobody:7 -->\n");
    assert!(matches!(made_one(&store), Err(JoinNotesError::Broken { line: 1, .. })));
    let (_dir, store) = two("---\naudience: nobody:7\n---\n", "- She rows.\n");
    assert!(matches!(made_one(&store), Err(JoinNotesError::Unreadable { .. })));
    let (_dir, store) = two("---\naccounts:\n  - discord:3\n---\n", "- She rows.\n");
    assert!(matches!(made_one(&store), Err(JoinNotesError::Front { .. })));
    assert!(!of_both(&store)[1].is_empty(), "nothing was changed");
    assert!(matches!(
        join(&store, &AccountId::discord(1), &AccountId::discord(1)),
        Err(JoinNotesError::Same)
    ));
}

#[test]
fn either_may_have_no_note_yet_and_front_matter_stays_as_it_is_written() {
    let (_dir, store) = two("", "---\naudience: guild:7\n---\n# Wren\n\n- She rows. <!-- f=bbbbbbbb -->\n");
    made_one(&store).unwrap();
    let [text, gone] = of_both(&store);
    assert!(text.contains("# Wren") && text.contains("f=bbbbbbbb to=guild:7") && gone.is_empty(), "{text}");
    let (_dir, store) = two("+++\naudience = \"guild:7\" # mine\n+++\n# Ana\n", "");
    made_one(&store).unwrap();
    assert_eq!(
        of_both(&store)[0],
        "+++\naccounts = [\"discord:2\"]\naudience = \"guild:7\" # mine\n+++\n# Ana\n"
    );
    let (_dir, store) = two("# Ana\n", "");
    made_one(&store).unwrap();
    assert_eq!(of_both(&store)[0], "---\naccounts: [\"discord:2\"]\n---\n# Ana\n");
    assert_eq!(finish_joining(&store).unwrap(), 0);
}

#[tokio::test]
async fn an_account_leads_to_the_note_that_names_it_and_never_in_a_circle() {
    let (_dir, notes) = folder(&[
        ("discord-1.md", "---\naccounts: [\"discord:2\", \"terminal:operator\"]\n---\nShe keeps bees."),
        ("discord-2.md", "---\naccounts: [\"discord:1\"]\n---\nLeft over."),
        ("discord-3.md", "---\naccounts: [\"discord:2\"]\n---\nNot theirs."),
        ("_aliases.json", r#"{"wren": "discord-2"}"#),
    ]);
    let roster = known(&notes).await;
    let [one, two, three] = [1, 2, 3].map(AccountId::discord);
    for account in [&one, &two, &AccountId::operator()] {
        assert_eq!(text(&roster.about(account).unwrap()), "She keeps bees.", "{account}");
        assert_eq!(roster.slug_of(account), "discord-1");
    }
    assert_eq!(text(&roster.about(&three).unwrap()), "Not theirs.");
    assert_eq!(roster.named_in("is Wren there?"), ["discord-1"]);
    assert_eq!(roster.accounts_of(&two), [two.clone(), one.clone(), AccountId::operator()]);
    assert_eq!(roster.accounts_of(&three), [three]);
}
