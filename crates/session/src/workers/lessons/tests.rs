use std::fs;
use std::sync::Arc;

use jiff::Timestamp;

use super::*;
use crate::clock::SystemClock;
use crate::domain::{AccountId, Author, Caller, ChangePass, ChannelMode, GuildId, Role, StoredId, Visible};
use crate::memory::facts::NotePage;

fn turn(number: i64, who: u64, text: &str, minute: i64) -> StoredTurn {
    StoredTurn {
        id: StoredId(number),
        ordinal: number.unsigned_abs(),
        role: if who == 0 { Role::Assistant } else { Role::User },
        author: (who > 0)
            .then(|| Author::called(AccountId::discord(who), if who == 1 { "Ana" } else { "Ben" })),
        audience: Audience::Guild(GuildId::from(7)),
        content: text.to_owned(),
        at: Timestamp::from_second(1_780_000_000 + minute * 60).unwrap(),
        mode: ChannelMode::TextConversationRp,
        message: None,
        reply_to: None,
        turn: None,
        tokens: 0,
    }
}

fn leave() -> ChangePass {
    Caller::Tenant.change(&Audience::Guild(GuildId::from(7))).unwrap()
}

fn read(turns: &[StoredTurn]) -> Vec<String> {
    lessons_of(turns, "Mika").iter().map(|one| format!("{} {}", one.author.label(), one.about)).collect()
}

#[test]
fn a23_a_session_teaches_what_was_asked_of_the_familiar_and_not_of_others() {
    let turns = [
        turn(1, 1, "shorter answers please", 0),
        turn(2, 0, "Sure.", 1),
        turn(3, 2, "no emoji please", 2),
        turn(4, 1, "shorter answers please", 3),
        turn(5, 2, "Mika, no emoji please", 4),
        turn(6, 0, "The ferry leaves at nine.", 5),
        turn(7, 2, "that's wrong, it is ten", 6),
    ];
    assert_eq!(read(&turns), ["Ana shorter", "Ben no_emoji", "Ben corrected"]);
    // What nobody answered was said among people.
    assert!(read(&turns[3..4]).is_empty());
}

#[test]
fn a23_a_wish_that_was_taken_back_teaches_nothing() {
    let turns = [turn(1, 1, "Mika, shorter answers please", 0), turn(2, 1, "Mika, longer answers please", 1)];
    assert_eq!(read(&turns), ["Ana longer"], "of two the newer one");
}

#[test]
fn g6_a_session_is_over_after_a_while_of_quiet() {
    let minute = |minutes: u64| Duration::from_secs(minutes * 60);
    let turns = [turn(1, 1, "a", 0), turn(2, 1, "b", 1), turn(3, 1, "c", 60), turn(4, 1, "d", 61)];
    assert_eq!(over(&turns, minute(30), turns[3].at), Due::Now(2), "what was before the pause");
    assert_eq!(over(&turns[2..], minute(30), turns[3].at), Due::In(minute(30)));
    assert_eq!(over(&turns[2..], minute(1), turns[3].at), Due::Now(1));
    assert_eq!(over(&[], minute(30), turns[3].at), Due::Never);
}

fn keep_on(store: &MemoryStore, text: &str, number: i64, day: i8) {
    let turns = [turn(number, 1, text, 0)];
    for lesson in lessons_of(&turns, "Mika") {
        keep(
            store,
            &lesson,
            &lesson.author.account.slug(),
            jiff::civil::date(2026, 11, day),
            &NotingHand::Writes(leave()),
        );
    }
}

#[test]
fn m17_g6_three_lessons_of_one_sort_become_something_known_and_fewer_stay_out_of_prompts() {
    let dir = tempfile::tempdir().unwrap();
    let store = MemoryStore::in_folder(dir.path().join("memory"), Arc::new(SystemClock));
    let note = |path: &str| fs::read_to_string(dir.path().join("memory").join(path)).unwrap_or_default();
    keep_on(&store, "Mika, shorter answers please", 1, 1);
    keep_on(&store, "Mika, shorter answers please", 2, 1);
    keep_on(&store, "Mika, no emoji please", 3, 1);
    keep_on(&store, "Mika, shorter answers please", 4, 2);
    let lessons = note("sessions/lessons-discord-1.md");
    assert_eq!(lessons.matches("shorter answers").count(), 2, "one a day: {lessons}");
    assert_eq!(note("people/discord-1.md"), "", "two are not enough");
    keep_on(&store, "Mika, shorter answers please", 5, 3);
    let known = note("people/discord-1.md");
    assert!(known.contains("- Ana prefers shorter answers (asked for it in 3 talks)."), "{known}");
    let from = known.split("from=").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(from.matches("f:sessions/lessons-discord-1.md#").count(), 3, "with its sources: {known}");
    // A fourth confirms it, and takes its place.
    keep_on(&store, "Mika, shorter answers please", 6, 4);
    let known = note("people/discord-1.md");
    assert!(known.contains("in 4 talks") && known.contains("gone=2026-11-04"), "{known}");
    let seen = |day: i8| {
        let note = NotePage::parse(&known).unwrap();
        let visible = Visible::only([Audience::Guild(GuildId::from(7))]);
        note.seen_where(&visible, jiff::civil::date(2026, 11, day), &|_| true)
            .map(|seen| seen.text)
            .unwrap_or_default()
    };
    assert_eq!(seen(5).matches("prefers").count(), 1, "{}", seen(5));
    // Other people are told nothing of it.
    let note = NotePage::parse(&known).unwrap();
    assert!(
        note.seen_where(&Visible::only([Audience::Canon]), jiff::civil::date(2026, 11, 5), &|_| true)
            .is_none()
    );
}

#[test]
fn in_every_language_it_can_be_set_right() {
    for (said, not) in [
        ("no, that's wrong", "that is right"),
        ("Nein, das stimmt nicht.", "das stimmt"),
        ("non, c'est faux", "c'est vrai"),
        ("te equivocas", "tienes razón"),
        ("isso está errado", "isso está certo"),
        ("ti sbagli, hai capito male", "hai capito bene"),
        ("dat klopt niet", "dat klopt"),
        ("mylisz się", "masz rację"),
        ("это не так", "это так"),
        ("beni yanlış anladın", "beni anladın"),
        ("それは違います", "その通りです"),
        ("你搞错了", "你说得对"),
        ("그게 아니라 내 말은", "맞아"),
    ] {
        let turns = |text: &str| {
            let mut answer = turn(1, 1, "You live in Rome.", 0);
            answer.role = Role::Assistant;
            [answer, turn(2, 1, text, 1)]
        };
        assert_eq!(read(&turns(said)).len(), 1, "{said}");
        assert!(read(&turns(not)).is_empty(), "{not}");
    }
}
