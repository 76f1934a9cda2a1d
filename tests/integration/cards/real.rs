//! Cards that nobody here wrote. They are not part of this repository; without them the tests are ignored.

use std::fs;

use familiar_connect::familiar::{ExportFormat, RefusalKind, export, read_card, read_lorebook};

use super::folder::World;
use crate::support::shared::shared;

#[test]
#[cfg_attr(not(has_cards), ignore = "needs cards of FAMILIAR_SHARED_FIXTURES")]
fn real_cards_import_with_all_they_hold() {
    let folder = shared("cards");
    for (file, name, greetings, group, lore, nickname) in [
        ("stc-capogpt.png", "CapoGPT", 1, 0, 0, None),
        ("stc-gloria.png", "Gloria, PA", 2, 0, 0, None),
        ("tav-cityexplorer.png", "City Explorer (Story)", 1, 0, 0, None),
        ("tk-ccv2-overrides.json", "Bob", 3, 0, 2, None),
        ("tk-ccv3-export.json", "Diana", 3, 2, 1, Some("Princess D")),
        ("tk-invalid-noname.json", "tk-invalid-noname", 0, 0, 0, None),
        ("tk-lorebook.charx", "Lorebook Test Character", 3, 0, 2, Some("TestChar")),
        ("tk-test-v2.png", "V2 Test Character", 1, 0, 0, None),
        ("tk-test.charx", "Test Character", 3, 0, 0, Some("TestChar")),
        ("tk-test.png", "Test Character", 3, 0, 0, Some("TestChar")),
    ] {
        let world = World::new();
        let bytes = fs::read(folder.join(file)).unwrap();
        let report = world.import(file, &bytes).unwrap_or_else(|refusal| panic!("{file}: {refusal}"));
        assert_eq!(report.name, name, "{file}");
        assert_eq!(
            (report.greetings, report.group_greetings, report.lore_entries),
            (greetings, group, lore),
            "{file}"
        );
        assert_eq!(report.nickname.as_deref(), nickname, "{file}");
        let home = world.home(report.id.as_str());
        let picture = home.self_dir().join("assets/avatar.png");
        assert_eq!(picture.exists(), !file.ends_with("json"), "{file}");
        for format in [ExportFormat::Png, ExportFormat::Json, ExportFormat::Charx] {
            let again = read_card(&export(&home, format).unwrap().bytes).unwrap();
            assert_eq!((again.name.as_str(), again.greetings().count()), (name, greetings), "{file}");
        }
    }
}

#[test]
#[cfg_attr(not(has_cards), ignore = "needs cards of FAMILIAR_SHARED_FIXTURES")]
fn real_lorebooks_are_read_and_refused_as_cards() {
    let folder = shared("cards");
    for (file, format, entries) in
        [("nai-starter.lorebook", "novelai", 1), ("tav-konosuba.json", "world", 14)]
    {
        let bytes = fs::read(folder.join(file)).unwrap();
        assert_eq!(read_card(&bytes).unwrap_err().kind, RefusalKind::Lorebook);
        let (book, _) = read_lorebook(&bytes).unwrap();
        assert_eq!((book.format.as_str(), book.entries.len()), (format, entries), "{file}");
    }
}

/// What an ordinary tool writes is no odd field.
#[test]
#[cfg_attr(not(has_cards), ignore = "needs cards of FAMILIAR_SHARED_FIXTURES")]
fn no_field_of_a_real_book_is_told_to_be_unknown() {
    let mut books = 0;
    for entry in fs::read_dir(shared("cards")).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let (book, warnings) = match read_card(&bytes) {
            Ok(card) => (card.book, card.warnings),
            Err(_) => read_lorebook(&bytes).map(|(book, said)| (Some(book), said)).unwrap(),
        };
        books += usize::from(book.is_some());
        let odd: Vec<_> = warnings.iter().filter(|line| line.contains("no tool that is known")).collect();
        assert!(odd.is_empty(), "{}: {odd:?}", path.display());
    }
    assert!(books >= 5, "{books}");
}
