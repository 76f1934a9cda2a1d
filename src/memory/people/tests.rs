use std::fs;

use tempfile::TempDir;

use super::*;
use crate::domain::{AccountId, Audience, GuildId};

fn folder(files: &[(&str, &str)]) -> (TempDir, PeopleNotes) {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let notes = PeopleNotes::in_folder(dir.path().to_owned());
    (dir, notes)
}

#[tokio::test]
async fn a_note_without_a_word_on_its_audience_is_the_operators_own() {
    let (_dir, notes) = folder(&[("discord-42.md", "# Ana\n\nShe keeps bees.")]);
    let roster = notes.current().await;
    let note = roster.about(&AccountId::discord(42)).unwrap();
    assert_eq!(note.audience, Audience::Canon);
    assert_eq!(note.text, "# Ana\n\nShe keeps bees.");
    assert!(roster.about(&AccountId::discord(43)).is_none());
}

#[tokio::test]
async fn y13_an_edited_note_holds_at_once_and_a_removed_one_is_gone() {
    let (dir, notes) = folder(&[("discord-42.md", "She keeps bees.")]);
    assert!(notes.current().await.about(&AccountId::discord(42)).is_some());
    fs::write(dir.path().join("discord-42.md"), "She keeps ten hives.").unwrap();
    assert_eq!(notes.current().await.about(&AccountId::discord(42)).unwrap().text, "She keeps ten hives.");
    fs::remove_file(dir.path().join("discord-42.md")).unwrap();
    assert!(notes.current().await.about(&AccountId::discord(42)).is_none());
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
    let roster = notes.current().await;
    for closed in 1..=6 {
        assert!(roster.about(&AccountId::discord(closed)).is_none(), "{closed}");
    }
    let guild = roster.about(&AccountId::discord(7)).unwrap();
    assert_eq!((&guild.audience, guild.text.as_str()), (&Audience::Guild(GuildId::from(7)), "fine"));
    let dm = roster.about(&AccountId::discord(8)).unwrap();
    assert_eq!((&dm.audience, dm.text.as_str()), (&Audience::Dm(AccountId::discord(8)), "fine too"));
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
    let roster = notes.current().await;
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
    assert_eq!(notes.current().await.notes().count(), 0);
}

#[tokio::test]
async fn a_note_falls_into_its_headings() {
    let (_dir, notes) = folder(&[(
        "discord-1.md",
        "Above.\n\n# Work\nBees.\n## Hives\n\nTen.\n\n#not a heading\n\n# Empty\n",
    )]);
    let roster = notes.current().await;
    let note = roster.note("discord-1").unwrap();
    let sections: Vec<_> = note.sections().map(|section| (section.heading, section.text)).collect();
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
    assert_eq!(notes.current().await.note("discord-42").unwrap().text, "She keeps bees.");
    fs::write(&file, "She keeps cats.").unwrap();
    fs::File::options().append(true).open(&file).unwrap().set_modified(before).unwrap();
    assert_eq!(notes.current().await.note("discord-42").unwrap().text, "She keeps cats.");
    fs::remove_file(dir.path().join("_aliases.json")).unwrap();
    fs::write(dir.path().join("discord-43.md"), "New here.").unwrap();
    assert_eq!(notes.current().await.notes().count(), 2);
}

#[tokio::test]
async fn y13_another_folder_in_the_same_place_is_the_one_that_holds() {
    let outer = tempfile::tempdir().unwrap();
    let people = outer.path().join("people");
    let notes = PeopleNotes::in_folder(people.clone());
    assert_eq!(notes.current().await.notes().count(), 0, "there is no folder yet");
    fs::create_dir(&people).unwrap();
    fs::write(people.join("discord-1.md"), "one").unwrap();
    assert_eq!(notes.current().await.note("discord-1").unwrap().text, "one");
    // A backup is put back.
    fs::rename(&people, outer.path().join("before")).unwrap();
    fs::create_dir(&people).unwrap();
    fs::write(people.join("discord-2.md"), "two").unwrap();
    let roster = notes.current().await;
    assert_eq!(roster.notes().map(|note| note.slug.as_str()).collect::<Vec<_>>(), ["discord-2"]);
    fs::write(people.join("discord-2.md"), "deux").unwrap();
    assert_eq!(notes.current().await.note("discord-2").unwrap().text, "deux");
}

#[tokio::test]
async fn y11_words_are_found_in_the_parts_that_hold_them_and_follow_every_edit() {
    let (dir, notes) = folder(&[
        ("discord-1.md", "# Work\nBees and honey.\n# Home\nA boat."),
        ("discord-2.md", "# Boats\nNone."),
        ("discord-3.md", "Nothing of it."),
    ]);
    let asked = ["boat".to_owned(), "bee".to_owned()];
    let held = |roster: &Roster| -> Vec<(String, String, Vec<bool>)> {
        let found = roster.holding(&asked).into_iter().map(|one| {
            let heading = one.section.heading.unwrap_or_default().to_owned();
            (one.note.slug.clone(), heading, one.held)
        });
        found.collect()
    };
    let entry =
        |slug: &str, heading: &str, held: [bool; 2]| (slug.to_owned(), heading.to_owned(), held.to_vec());
    let before = notes.current().await;
    assert_eq!(
        held(&before),
        [
            entry("discord-1", "Work", [false, true]),
            entry("discord-1", "Home", [true, false]),
            entry("discord-2", "Boats", [true, false]),
        ]
    );
    fs::write(dir.path().join("discord-1.md"), "# Work\nNo more of that.").unwrap();
    fs::write(dir.path().join("discord-3.md"), "A bee on a boat.").unwrap();
    assert_eq!(
        held(notes.current().await.as_ref()),
        [entry("discord-2", "Boats", [true, false]), entry("discord-3", "", [true, true])]
    );
    assert_eq!(held(&before).len(), 3, "what was looked at stays as it was");
}
