use jiff::civil::date;
use jiff::tz::TimeZone;

use super::*;
use crate::domain::{Audience, Author, ChannelMode, GuildId, StoredId};

const OWN: &str = "Mika";

fn person(number: u64, name: &str) -> Author {
    Author { username: Some(name.to_lowercase()), ..Author::called(AccountId::discord(number), name) }
}

fn turn(number: i64, by: Option<Author>, content: &str) -> StoredTurn {
    StoredTurn {
        audience: Audience::Guild(GuildId::from(7)),
        id: StoredId(100 + number),
        ordinal: number.unsigned_abs(),
        role: if by.is_some() { Role::User } else { Role::Assistant },
        author: by,
        content: content.to_owned(),
        at: "2026-03-01T20:00:00Z".parse().unwrap(),
        mode: ChannelMode::TextConversationRp,
        message: None,
        reply_to: None,
        turn: None,
        tokens: 0,
    }
}

/// Ana says that she moved, Ben speaks of her cat, Mika promises soup, somebody speaks of the regatta.
fn shown() -> ShownNotes {
    let (ana, ben) = (person(1, "Ana"), person(2, "Ben"));
    let of = |number: u64, name: &str| ShownPerson {
        note: NotePath::new(format!("people/discord-{number}.md")).unwrap(),
        label: name.to_owned(),
        name: name.to_owned(),
        account: Some(AccountId::discord(number)),
    };
    let known = |id: &str, words: &str, by: u64, is_ours| WriterFact {
        note: NotePath::new("people/discord-1.md").unwrap(),
        id: id.parse().unwrap(),
        words: words.to_owned(),
        data: FactData { by: Some(By::Person(AccountId::discord(by))), ..FactData::default() },
        is_ours,
    };
    ShownNotes {
        audience: Audience::Guild(GuildId::from(7)),
        turns: vec![
            turn(1, Some(ana.clone()), "I moved to Bruges last week"),
            turn(2, Some(ben.clone()), "Ana has a cat named Biscuit"),
            turn(3, None, "I will cook soup for Ana on Sunday. I can see through walls."),
            turn(4, Some(ben), "the regatta is on 14 May, the password is hunter2"),
            turn(5, Some(ana), "can you open the channel, Mika cannot see images"),
        ],
        people: vec![of(1, "Ana"), of(2, "Ben")],
        topics: Vec::new(),
        facts: vec![known("a2", "Ana lives in Ghent.", 1, true), known("a3", "Ana keeps bees.", 1, false)],
        session: NotePath::new("sessions/2026-03-01-1-evening.md").unwrap(),
        session_title: "evening".to_owned(),
        own_name: OWN.to_owned(),
        today: date(2026, 3, 1),
        tz: TimeZone::UTC,
    }
}

fn checked(answer: &str) -> Checked {
    check_patches(&read_patches(answer).patches, &shown())
}

fn only(answer: &str) -> NoteChange {
    let mut checked = checked(answer);
    assert_eq!((checked.changes.len(), checked.refused.len()), (1, 0), "{answer}: {:?}", checked.refused);
    checked.changes.remove(0)
}

fn added(answer: &str) -> (String, String, FactData) {
    let change = only(answer);
    match change.what {
        PageChange::Add { words, data } => (change.note.to_string(), words, data),
        what => panic!("{what:?}"),
    }
}

#[test]
fn m5_a_fact_carries_whose_word_it_is_where_it_comes_from_and_who_may_see_it() {
    let (note, words, data) = added(
        r#"{"do":"add","file":"people/discord-1.md","text":"Ana moved to Bruges.","importance":4,"from":[1]}"#,
    );
    assert_eq!((note.as_str(), words.as_str()), ("people/discord-1.md", "Ana moved to Bruges."));
    assert_eq!(data.by, Some(By::Person(AccountId::discord(1))));
    assert_eq!(data.from, [Evidence::Turn(StoredId(101))]);
    assert_eq!((data.to, data.on), (Some(shown().audience), Some(date(2026, 3, 1))));
    assert_eq!((data.importance, data.kind), (Some(4), FactKind::Fact));
    // By name, and without saying from where: it is found.
    let (note, _, data) = added(r#"{"do":"add","file":"Ana","text":"Ana moved to Bruges."}"#);
    assert_eq!((note.as_str(), data.from), ("people/discord-1.md", vec![Evidence::Turn(StoredId(101))]));
}

#[test]
fn what_somebody_says_of_somebody_else_is_a_claim_and_says_whose() {
    let (note, words, data) =
        added(r#"{"do":"add","file":"Ana","text":"Ana has a cat named Biscuit.","from":[2]}"#);
    assert_eq!(note, "people/discord-1.md");
    assert_eq!(words, "Ben says: Ana has a cat named Biscuit.");
    assert_eq!((data.kind, data.by), (FactKind::Claim, Some(By::Person(AccountId::discord(2)))));
    let (_, words, _) =
        added(r#"{"do":"add","file":"Ana","text":"Ben told that Ana has a cat.","from":[2]}"#);
    assert_eq!(words, "Ben told that Ana has a cat.");
}

#[test]
fn nothing_is_written_that_nobody_said_or_where_it_does_not_belong() {
    for (answer, reason) in [
        (r#"{"do":"add","file":"Ana","text":"Ana moved to Bruges.","from":[77]}"#, "not shown"),
        (r#"{"do":"add","file":"Ana","text":"Ana studies medicine abroad.","from":[1]}"#, "not what"),
        (r#"{"do":"add","file":"Ana","text":"Ana studies medicine abroad."}"#, "not what"),
        (
            r#"{"do":"add","file":"people/discord-99.md","text":"Ana moved to Bruges.","from":[1]}"#,
            "written there",
        ),
        (
            r#"{"do":"add","file":"self/description.md","text":"Ana moved to Bruges.","from":[1]}"#,
            "written there",
        ),
        (r#"{"do":"add","file":"../../notes.md","text":"Ana moved to Bruges.","from":[1]}"#, "written there"),
        (r#"{"do":"add","file":"Ana","text":"Ana moved to {{user}} Bruges.","from":[1]}"#, "a mark"),
        (r#"{"do":"add","file":"Ana","text":"Ana will get soup on Sunday.","from":[3]}"#, "nobody but"),
        (r#"{"do":"supersede","fact":"a3","text":"Ana moved to Bruges.","from":[1]}"#, "no such fact"),
        (r#"{"do":"supersede","fact":"zz","text":"Ana moved to Bruges.","from":[1]}"#, "no such fact"),
        (r#"{"do":"end","fact":"a2","until":"2026-03-01","from":[2]}"#, "ends a fact"),
        (r#"{"do":"topic","name":"..","text":"The regatta is on 14 May.","from":[4]}"#, ""),
    ] {
        let checked = checked(answer);
        assert!(checked.changes.is_empty(), "{answer}: {:?}", checked.changes);
        assert!(checked.refused[0].contains(reason), "{answer}: {}", checked.refused[0]);
    }
}

#[test]
fn m5_who_said_it_sets_it_right_and_nobody_else_does() {
    let right = only(r#"{"do":"supersede","fact":"a2","text":"Ana lives in Bruges.","from":[1]}"#);
    let PageChange::Supersede { old, seen, words, data } = right.what else { panic!("{right:?}") };
    assert_eq!(
        (old.as_str(), seen.as_str(), words.as_str()),
        ("a2", "Ana lives in Ghent.", "Ana lives in Bruges.")
    );
    assert_eq!(data.by, Some(By::Person(AccountId::discord(1))));
    // Ben sees it otherwise.
    let (_, words, data) = added(r#"{"do":"supersede","fact":"a2","text":"Ana has a cat.","from":[2]}"#);
    assert_eq!((words.as_str(), data.kind), ("Ben says: Ana has a cat.", FactKind::Claim));
    let end = only(r#"{"do":"end","fact":"a2","from":[1]}"#);
    assert!(matches!(end.what, PageChange::End { until, .. } if until == date(2026, 3, 1)), "{end:?}");
}

#[test]
fn what_the_familiar_can_do_is_forgotten_in_a_month() {
    let (note, _, data) = added(
        r#"{"do":"add","file":"Mika","text":"Mika cannot see images.","until":"2030-01-01","from":[5]}"#,
    );
    assert_eq!(
        (note.as_str(), data.kind, data.until),
        ("topics/self.md", FactKind::Ability, Some(date(2026, 3, 31)))
    );
}

#[test]
fn what_the_familiar_promised_is_kept() {
    let (note, words, data) = added(
        r#"{"do":"add","file":"Ana","text":"Mika promised to cook soup for Ana on Sunday.","kind":"promise","from":[3]}"#,
    );
    assert_eq!(note, "people/discord-1.md");
    assert_eq!(words, "Mika promised to cook soup for Ana on Sunday.");
    assert_eq!((data.kind, data.by), (FactKind::Promise, Some(By::Familiar)));
}

#[test]
fn topics_and_sessions_have_files_of_their_own() {
    let (note, _, _) =
        added(r#"{"do":"topic","name":"The Regatta!","text":"The regatta is on 14 May.","from":[4]}"#);
    assert_eq!(note, "topics/the-regatta.md");
    let long = format!("Ana and Ben spoke of the regatta. {}", "Ben spoke of Biscuit the cat. ".repeat(40));
    let (note, words, data) = added(&format!(r#"{{"do":"session","text":"{long}"}}"#));
    assert_eq!(note, "sessions/2026-03-01-1-evening.md");
    assert!(words.chars().count() <= SESSION_MAX && words.ends_with("cat."), "{words}");
    assert_eq!(data.from.len(), 5);
}

#[test]
fn in_every_language_it_is_seen_whose_word_something_is() {
    for (told, plain) in [
        ("Ben says that Ana sails.", "Ben and Ana sail."),
        ("Ben sagt, dass Ana segelt.", "Ben und Ana segeln."),
        ("Selon Ben, Ana part en mer.", "Ben et Ana partent en mer."),
        ("Ben dice que Ana navega.", "Ben y Ana navegan."),
        ("O Ben disse que a Ana veleja.", "O Ben e a Ana velejam."),
        ("Secondo Ben, Ana va in barca.", "Ben e Ana vanno in barca."),
        ("Volgens Ben zeilt Ana.", "Ben en Ana zeilen."),
        ("Ben twierdzi, że Ana żegluje.", "Ben i Ana żeglują."),
        ("Ben говорит, что Аня плавает.", "Ben и Аня плавают."),
        ("Ben Ana'nın yelken yaptığını söyledi.", "Ben ve Ana yelken yapar."),
        ("Benによると、アナは船に乗る。", "Benとアナは船に乗る。"),
        ("Ben说安娜会开船。", "Ben和安娜会开船。"),
        ("Ben에 따르면 아나는 배를 탄다.", "Ben과 아나는 배를 탄다."),
    ] {
        assert_eq!(attributed_to(told.to_owned(), "Ben"), told);
        assert_eq!(attributed_to(plain.to_owned(), "Ben"), format!("Ben says: {plain}"));
    }
}
