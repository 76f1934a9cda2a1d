//! Out and in again: the same memories, the same bytes, and everything derived the same.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::clock::SystemClock;
use crate::domain::{
    AccountId, Audience, Author, BondId, ChannelId, ChannelMode, Coming, Deed, FamiliarId, Feeling, GuildId,
    MessageId, Modality, Movement, Place, PlaceKind, Platform, Reaction, Role, Stands, StoredId,
    TokenEncoding, TurnId, Visible,
};
use crate::history::{Hindrance, History, HistoryOptions, NewTurn, PassedOver, ReplyKnownBy};
use crate::home::FamiliarHome;
use crate::memory::Memory;
use crate::memory::store::{NoteEditor, NotePath};

struct Lived {
    _folder: TempDir,
    history: History,
    memory: Memory,
}

async fn newborn() -> Lived {
    let folder = TempDir::new().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("ada").unwrap());
    std::fs::create_dir_all(home.root()).unwrap();
    let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
    let history = History::open(&home.history_db(), options).await.unwrap();
    Lived { _folder: folder, history, memory: Memory::by_the_clock(&home, Arc::new(SystemClock)) }
}

fn place(channel: u64) -> Place {
    let guild = GuildId::from(1);
    Place {
        guild: Some(guild.clone()),
        channel_name: Some(format!("#c{channel}")),
        ..Place::new(
            Platform::Discord,
            channel.into(),
            PlaceKind::GuildText,
            match channel {
                3 => Audience::Private(channel.into()),
                4 => Audience::Dm(AccountId::discord(1)),
                5 => Audience::Shared(BondId(1)),
                _ => Audience::Guild(guild),
            },
        )
    }
}

/// What may happen to a history.
#[derive(Debug, Clone)]
enum Event {
    Said { channel: u64, by: u64, words: String, answers: Option<u64> },
    Replied { channel: u64, words: String, parts: u64 },
    Edited { number: u64, words: String },
    Deleted { number: u64 },
    Reacted { number: u64, by: u64, emoji: usize, put: bool },
    Moved { by: u64, came: bool },
    Felt { by: u64, sign: bool },
}

fn event() -> impl Strategy<Value = Event> {
    let words = "\\PC{0,40}";
    prop_oneof![
        4 => (1_u64..6, 1_u64..4, words, proptest::option::of(0_u64..20))
            .prop_map(|(channel, by, words, answers)| Event::Said { channel, by, words, answers }),
        2 => (1_u64..4, words, 1_u64..4).prop_map(|(channel, words, parts)| Event::Replied { channel, words, parts }),
        1 => (0_u64..20, words).prop_map(|(number, words)| Event::Edited { number, words }),
        1 => (0_u64..20).prop_map(|number| Event::Deleted { number }),
        2 => (0_u64..20, 1_u64..4, 0_usize..4, any::<bool>())
            .prop_map(|(number, by, emoji, put)| Event::Reacted { number, by, emoji, put }),
        1 => (1_u64..4, any::<bool>()).prop_map(|(by, came)| Event::Moved { by, came }),
        1 => (1_u64..4, any::<bool>()).prop_map(|(by, sign)| Event::Felt { by, sign }),
    ]
}

async fn felt(lived: &Lived, by: u64, sign: bool, at: Timestamp) {
    let warmth = if sign { 0.3 } else { -0.7 };
    let mood = Feeling { valence: warmth, arousal: 0.1 };
    let (by, half_life) = (AccountId::discord(by), std::time::Duration::from_secs(21_600));
    let leave = crate::domain::Caller::Platform.change(&Audience::Canon).unwrap();
    let warmth = crate::history::Warmth { leave: &leave, by: &by, push: warmth };
    lived.history.moved(&Audience::Canon, mood, Some(warmth), half_life, at).await.unwrap();
}

async fn live(lived: &Lived, events: &[Event]) {
    let mut said: Vec<(u64, u64)> = Vec::new();
    for (second, event) in (0_i64..).zip(events) {
        let at = Timestamp::from_second(second * 100_000).unwrap();
        let number = 1_000 + u64::try_from(second).unwrap() * 10;
        let new = |channel: u64, words: &str| NewTurn {
            place: place(channel),
            role: Role::User,
            author: None,
            content: words.to_owned(),
            at,
            mode: ChannelMode::FullRp,
            messages: vec![MessageId::from(number)],
            reply_to: None,
            turn: None,
            modality: Modality::Text,
        };
        let known = |wanted: u64| said.get(usize::try_from(wanted).unwrap() % said.len().max(1)).copied();
        match event {
            Event::Said { channel, by, words, answers } => {
                let author = Author {
                    account: AccountId::discord(*by),
                    display_name: (by % 2 == 0).then(|| format!("P{by}")),
                    username: None,
                    is_bot: *by == 3,
                };
                let reply_to = answers.and_then(known).map(|(_, message)| MessageId::from(message));
                let turn = NewTurn { author: Some(author), reply_to, ..new(*channel, words) };
                lived.history.append(turn).await.unwrap();
                said.push((*channel, number));
            }
            Event::Replied { channel, words, parts } => {
                let messages = (0..*parts).map(|part| MessageId::from(number + part)).collect();
                // Where the words of each begin: kept as it is told, so that any places will do.
                let begins = (0..*parts).filter_map(|part| usize::try_from(part).ok()).collect();
                let turn = NewTurn {
                    role: Role::Assistant,
                    messages,
                    turn: Some(TurnId(number)),
                    ..new(*channel, words)
                };
                lived.history.store_reply(turn, begins).await.unwrap();
            }
            Event::Edited { number, words } => {
                if let Some((channel, message)) = known(*number) {
                    let (channel, message) = (ChannelId::from(channel), MessageId::from(message));
                    lived.history.edit(&channel, &message, words.clone(), at).await.unwrap();
                }
            }
            Event::Deleted { number } => {
                if let Some((channel, message)) = known(*number) {
                    let messages = [MessageId::from(message)];
                    lived.history.delete(&ChannelId::from(channel), &messages, at).await.unwrap();
                }
            }
            Event::Reacted { number, by, emoji, put } => {
                if let Some((channel, message)) = known(*number) {
                    let reaction = Reaction {
                        message: MessageId::from(message),
                        by: AccountId::discord(*by),
                        emoji: ["👍", "👏", "😂", ":heron:"][*emoji].to_owned(),
                        stands: if *put { Stands::Put } else { Stands::TakenAway },
                        at,
                    };
                    lived.history.react(&ChannelId::from(channel), reaction).await.unwrap();
                }
            }
            Event::Moved { by, came } => {
                let movement = if *came { Movement::Came } else { Movement::Left };
                let (guild, account, name) = (GuildId::from(1), AccountId::discord(*by), format!("P{by}"));
                lived.history.came(Coming { guild, account, name, movement, at }).await.unwrap();
            }
            Event::Felt { by, sign } => felt(lived, *by, *sign, at).await,
        }
    }
}

async fn written(lived: &Lived) -> String {
    let mut out = Vec::new();
    export(&lived.history, &lived.memory, Span::Everything, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

async fn there_and_back(events: Vec<Event>, notes: Vec<(u8, String)>) {
    let lived = newborn().await;
    live(&lived, &events).await;
    for (number, text) in &notes {
        let folder = if number % 2 == 0 { "topics/n" } else { "people/discord-" };
        let path = NotePath::new(format!("{folder}{number}.md")).unwrap();
        lived.memory.whole().store.write(&path, text, NoteEditor::Operator).unwrap();
    }
    let scope = ChannelId::from(1);
    lived.history.advance_watermark("w", scope.as_str(), StoredId(1), Timestamp::UNIX_EPOCH).await.unwrap();
    let stretch = PassedOver {
        worker: "w".to_owned(),
        channel: scope,
        first: StoredId(1),
        last: StoredId(1),
        why: Hindrance::Unreadable,
        tries: 2,
        not_before: None,
        since: Timestamp::UNIX_EPOCH,
        answer: Some("20260301-200000".to_owned()),
    };
    lived.history.keep_passed_over(stretch.clone()).await.unwrap();
    let first = written(&lived).await;
    let again = newborn().await;
    let imported = import_archive(&again.history, &again.memory, &mut first.as_bytes()).await.unwrap();
    assert_eq!(written(&again).await, first, "the same bytes");
    assert!(imported.turns <= events.len() && imported.notes <= notes.len());
    assert_eq!(again.history.verify().await.unwrap(), [], "everything derived is right");
    assert_eq!(again.history.passed_over("w", &stretch.channel).await.unwrap(), [stretch]);
    let all = Visible::only([Audience::Guild(GuildId::from(1)), Audience::Private(3.into())]);
    for person in 1..4 {
        let account = AccountId::discord(person);
        let known = lived.history.seen_by(&all).acquaintance(&account, None, None).await.unwrap();
        assert_eq!(again.history.seen_by(&all).acquaintance(&account, None, None).await.unwrap(), known);
    }
    let refused = import_archive(&again.history, &again.memory, &mut first.as_bytes()).await;
    assert!(
        events.iter().all(|e| !matches!(e, Event::Said { .. } | Event::Replied { .. })) || refused.is_err()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn contradiction_19_what_is_written_out_and_read_in_is_written_out_the_same(
        events in proptest::collection::vec(event(), 0..24),
        notes in proptest::collection::vec((0_u8..6, "\\PC{0,60}"), 0..5),
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(there_and_back(events, notes));
    }
}

#[tokio::test]
async fn contradiction_19_a_line_that_is_none_changes_nothing() {
    let lived = newborn().await;
    let good = "{\"familiar_memory\":{\"version\":1}}\n";
    for (bad, at) in [
        ("", 0),
        ("{}\n", 1),
        ("{\"familiar_memory\":{\"version\":9}}\n", 1),
        (&format!("{good}{good}"), 2),
        (&format!("{good}{{\"note\":{{\"path\":\"../x.md\",\"text\":\"\"}}}}\n"), 2),
        (&format!("{good}{{\"note\":{{\"path\":\"self/x.md\",\"text\":\"\"}}}}\n"), 2),
        (&format!("{good}{{\"note\":{{\"path\":\"topics/a.md\",\"text\":\"a\"}}}}\nnonsense\n"), 3),
    ] {
        match import_archive(&lived.history, &lived.memory, &mut bad.as_bytes()).await {
            Ok(imported) => assert_eq!((imported, at), (Imported::default(), 0)),
            Err(ImportError::Line { line, .. }) => assert_eq!(line, at, "{bad}"),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(
        !lived.memory.whole().store.root().join("topics").exists(),
        "looked at whole before anything is written"
    );
}

#[tokio::test]
async fn m7_a_month_is_written_out_by_itself_and_m3_stays_searchable() {
    let lived = newborn().await;
    let said = |second: i64, words: &str| Event::Said {
        channel: 1,
        by: u64::try_from(second % 2 + 1).unwrap(),
        words: words.to_owned(),
        answers: None,
    };
    // 100,000 seconds apart: some 27 days' worth of messages, from January to February 1970.
    let events: Vec<Event> = (0..40).map(|n| said(n, &format!("word{n} gannet"))).collect();
    live(&lived, &events).await;
    let moment = |text: &str| text.parse::<Timestamp>().unwrap();
    let february = Span::Between(moment("1970-02-01T00:00:00Z"), moment("1970-03-01T00:00:00Z"));
    let mut out = Vec::new();
    let count = export(&lived.history, &lived.memory, february, &mut out).await.unwrap();
    let text = String::from_utf8(out).unwrap();
    assert_eq!(count, 40 - 27, "{text}");
    assert!(text.contains("word27 ") && !text.contains("word26 ") && !text.contains("\"note\""));
    // A year on, the oldest is found as the newest is.
    let visible = Visible::only([Audience::Guild(GuildId::from(1))]);
    let found = lived.history.seen_by(&visible).search("word0", 3, TokenEncoding::CharsOver4).await.unwrap();
    assert_eq!(found.len(), 1);
}

/// It is theirs, so whoever asks gets it; who lets it learn stands in no export, so nobody is counted by one.
#[tokio::test]
async fn m17_what_somebody_did_with_replies_is_written_out_without_words_and_not_taken_in() {
    let lived = newborn().await;
    let replied = Event::Replied { channel: 1, words: "Aye, at nine.".to_owned(), parts: 1 };
    live(&lived, &[replied]).await;
    let (channel, by) = (ChannelId::from(1), AccountId::discord(7));
    let reply = || ReplyKnownBy::Turn(TurnId(1_000));
    let at = Timestamp::from_second(5).unwrap();
    lived.history.used_tools(&channel, reply(), vec!["poll".to_owned()]).await.unwrap();
    lived.history.respond(&channel, reply(), &by, Deed::Liked, at).await.unwrap();
    let mut out = Vec::new();
    export(&lived.history, &lived.memory, Span::Everything, &mut out).await.unwrap();
    let text = String::from_utf8(out).unwrap();
    let line = text.lines().find(|line| line.contains("\"response\"")).unwrap();
    assert_eq!(
        line,
        "{\"response\":{\"account\":\"discord:7\",\"deed\":\"liked\",\"at\":\"1970-01-01T00:00:05Z\",\"channel\":\"1\",\
         \"reply\":1,\"reply_characters\":13,\"tools\":[\"poll\"]}}"
    );
    let again = newborn().await;
    import_archive(&again.history, &again.memory, &mut text.as_bytes()).await.unwrap();
    assert_eq!(again.history.whole().all_responses(None).await.unwrap(), []);
}

#[tokio::test]
async fn contradiction_2_what_is_derived_is_held_against_the_turns_and_made_anew() {
    let lived = newborn().await;
    let words = |n: i64| Event::Said { channel: 1, by: 1, words: format!("gannet {n}"), answers: None };
    live(&lived, &(0..5).map(words).collect::<Vec<_>>()).await;
    assert_eq!(lived.history.verify().await.unwrap(), []);
    for (spoil, what) in [
        ("UPDATE live_turns SET turns = turns + 1", crate::history::Derived::Counts),
        ("UPDATE acquaintances SET messages = 99", crate::history::Derived::Acquaintances),
        ("DELETE FROM turn_words WHERE rowid = 2", crate::history::Derived::Words),
        (
            "INSERT INTO crystals (channel, level, audience_kind, audience_key, first_ordinal, last_ordinal, first_at_ms,
                last_at_ms, source_tokens, tokens, text, writer, inputs, made_at_ms)
             VALUES ('1', 0, 'guild', '1', 2, 3, 0, 0, 1, 1, 'x', 'x', 'x', 0)",
            crate::history::Derived::Summaries,
        ),
    ] {
        lived.history.spoil(spoil).await;
        let found: Vec<_> = lived.history.verify().await.unwrap().into_iter().map(|one| one.what).collect();
        assert_eq!(found, [what], "{spoil}");
        lived.history.rebuild().await.unwrap();
        assert_eq!(lived.history.verify().await.unwrap(), [], "{spoil}");
    }
}
