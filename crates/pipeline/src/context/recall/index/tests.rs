//! An index that is kept up to date answers as one that is made anew.

use std::sync::Arc;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::context::recall::asked::place_words;
use crate::context::recall::signals::{RankedTurn, called_up};
use crate::context::recall::{Circumstances, RecallQuery};
use crate::domain::{AccountId, GuildId, MessageId, Place, PlaceKind, Platform};
use crate::history::{HistoryOptions, NewTurn, Visible};

struct Talk {
    history: Arc<History>,
    next: u64,
    _folder: TempDir,
}

impl Talk {
    async fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("history.db");
        let history = History::open(&path, HistoryOptions::default()).await.unwrap();
        Self { history: Arc::new(history), next: 1, _folder: folder }
    }

    async fn says(&mut self, channel: u64, audience: Audience, who: u64, text: &str) {
        let at = Timestamp::from_second(1_700_000_000 + i64::try_from(self.next).unwrap() * 60).unwrap();
        let place = Place {
            guild: Some(GuildId::from(1)),
            ..Place::new(Platform::Discord, channel.into(), PlaceKind::GuildText, audience)
        };
        let turn = NewTurn {
            messages: vec![MessageId::from(self.next)],
            ..NewTurn::written(
                place,
                Some(Author::called(
                    AccountId::discord(who),
                    ["Ana", "Ben", "Cay", "Boats"][who as usize % 4],
                )),
                text,
                at,
                ChannelMode::TextConversationRp,
            )
        };
        self.next += 1;
        self.history.append(turn).await.unwrap();
    }
}

fn guild() -> Audience {
    Audience::Guild(GuildId::from(1))
}

fn private() -> Audience {
    Audience::Private(2.into())
}

async fn ask(talk: &Talk, index: &TurnIndex, text: &str, visible: &Visible) -> Vec<RankedTurn> {
    let query =
        RecallQuery::new(text, Circumstances::alone(Timestamp::from_second(1_700_100_000).unwrap(), 5));
    let words = place_words(&talk.history, &query, visible).await.unwrap();
    called_up(&index.read(), &query, &words, visible, None, 40, 0).candidates
}

#[derive(Debug, Clone)]
enum Act {
    Say { is_private: bool, who: u64, words: Vec<u8> },
    Edit { message: u64, words: Vec<u8> },
    TakeBack { message: u64 },
    Follow,
}

const WORDS: [&str; 8] = ["ferry", "lantern", "rope", "tea", "harbour", "when", "the", "boats?"];

fn text(words: &[u8]) -> String {
    words.iter().map(|word| WORDS[*word as usize % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

fn act() -> impl Strategy<Value = Act> {
    let words = || prop::collection::vec(0_u8..8, 0..6);
    prop_oneof![
        6 => (any::<bool>(), 0_u64..3, words())
            .prop_map(|(is_private, who, words)| Act::Say { is_private, who, words }),
        1 => (1_u64..20, words()).prop_map(|(message, words)| Act::Edit { message, words }),
        1 => (1_u64..20).prop_map(|message| Act::TakeBack { message }),
        2 => Just(Act::Follow),
    ]
}

async fn played(acts: Vec<Act>) {
    let mut talk = Talk::new().await;
    let kept = TurnIndex::default();
    let now = Timestamp::from_second(1_700_100_000).unwrap();
    for act in acts {
        let channels = [1, 2];
        match act {
            Act::Say { is_private, who, words } => {
                let (channel, audience) = if is_private { (2, private()) } else { (1, guild()) };
                talk.says(channel, audience, who, &text(&words)).await;
            }
            Act::Edit { message, words } => {
                for channel in channels {
                    let message = MessageId::from(message);
                    talk.history.edit(&channel.into(), &message, text(&words), now).await.unwrap();
                }
            }
            Act::TakeBack { message } => {
                for channel in channels {
                    talk.history.delete(&channel.into(), &[message.into()], now).await.unwrap();
                }
            }
            Act::Follow => kept.catch_up(&talk.history).await.unwrap(),
        }
    }
    kept.catch_up(&talk.history).await.unwrap();
    let anew = TurnIndex::default();
    anew.catch_up(&talk.history).await.unwrap();
    for question in ["when did Ana see the ferry?", "lantern rope", "boats"] {
        for visible in [Visible::only([guild()]), Visible::only([guild(), private()]), Visible::default()] {
            let found = ask(&talk, &kept, question, &visible).await;
            assert_eq!(found, ask(&talk, &anew, question, &visible).await, "{question}");
            let heard = talk
                .history
                .seen_by(&visible)
                .heard(found.iter().map(|one| one.turn).collect())
                .await
                .unwrap();
            assert_eq!(heard.len(), found.len(), "everything found stands and may be seen");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_index_kept_in_step_answers_as_one_made_anew_and_shows_nothing_hidden(
        acts in prop::collection::vec(act(), 1..40)
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(played(acts));
    }
}

#[tokio::test]
async fn y14_what_is_hidden_takes_no_visible_turns_place() {
    let mut talk = Talk::new().await;
    talk.says(1, guild(), 1, "an old harbour").await;
    for _ in 0..300 {
        talk.says(2, private(), 2, "another harbour").await;
    }
    let index = TurnIndex::default();
    index.catch_up(&talk.history).await.unwrap();
    let found = ask(&talk, &index, "harbour", &Visible::only([guild()])).await;
    assert_eq!(found.iter().map(|one| one.turn).collect::<Vec<_>>(), [StoredId(1)]);
    assert_eq!(ask(&talk, &index, "harbour", &Visible::only([private()])).await.len(), 40);
}

#[tokio::test]
async fn an_index_is_made_anew_where_a_forgotten_turn_returns() {
    let mut talk = Talk::new().await;
    talk.says(1, guild(), 1, "the ferry").await;
    let mut turns = Turns::default();
    let followed = talk.history.whole().follow(Mark::default(), 10).await.unwrap();
    assert!(followed.told.iter().all(|told| turns.take(told)));
    assert!(turns.take(&Told::Gone(StoredId(1))));
    assert!(!turns.take(&followed.told[0]), "its place in the channel is not known any more");
}

#[tokio::test]
async fn a_name_of_whom_nothing_stands_is_a_word_like_any_other() {
    let mut talk = Talk::new().await;
    talk.says(1, guild(), 0, "a rope").await;
    talk.says(1, guild(), 1, "ana saw the ferry").await;
    let kept = TurnIndex::default();
    kept.catch_up(&talk.history).await.unwrap();
    talk.history.delete(&1.into(), &[1.into()], Timestamp::UNIX_EPOCH).await.unwrap();
    kept.catch_up(&talk.history).await.unwrap();
    let anew = TurnIndex::default();
    anew.catch_up(&talk.history).await.unwrap();
    let (question, visible) = ("when did Ana see the ferry?", Visible::only([guild()]));
    assert_eq!(ask(&talk, &kept, question, &visible).await, ask(&talk, &anew, question, &visible).await);
}

/// What is found, by scores alone: hidden turns take ids.
fn scores(found: Vec<RankedTurn>) -> Vec<(f32, f32)> {
    found.into_iter().map(|one| (one.score, one.likelihood)).collect()
}

async fn compared(acts: Vec<Act>) {
    let (mut with, mut without) = (Talk::new().await, Talk::new().await);
    for act in acts {
        let Act::Say { is_private, who, words } = act else { continue };
        if is_private {
            with.says(2, private(), who + 2, &text(&words)).await;
            // At the same times everything else is said.
            without.next += 1;
        } else {
            with.says(1, guild(), who, &text(&words)).await;
            without.says(1, guild(), who, &text(&words)).await;
        }
    }
    let (seen, alone) = (TurnIndex::default(), TurnIndex::default());
    seen.catch_up(&with.history).await.unwrap();
    alone.catch_up(&without.history).await.unwrap();
    let visible = Visible::only([guild()]);
    for question in ["when did Ana see the ferry?", "lantern rope, Ben", "what did Cay say about boats"] {
        assert_eq!(
            scores(ask(&with, &seen, question, &visible).await),
            scores(ask(&without, &alone, question, &visible).await),
            "{question}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn an_answer_is_the_same_whether_hidden_turns_exist_or_not(acts in prop::collection::vec(act(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(compared(acts));
    }
}

#[tokio::test]
async fn m5_what_was_said_right_here_comes_before_what_was_said_further_out() {
    let mut talk = Talk::new().await;
    talk.says(2, private(), 1, "the spare lantern hangs in the harbour").await;
    // Newer, which decides between equals.
    talk.says(1, guild(), 2, "the spare lantern hangs in the harbour").await;
    let index = TurnIndex::default();
    index.catch_up(&talk.history).await.unwrap();
    let here = Place {
        guild: Some(GuildId::from(1)),
        kind: PlaceKind::GuildText,
        audience: private(),
        ..Place::terminal(2.into())
    };
    let order = async |visible: &Visible| -> Vec<i64> {
        ask(&talk, &index, "the spare lantern", visible).await.iter().map(|one| one.turn.0).collect()
    };
    assert_eq!(order(&Visible::at(&here)).await, [1, 2]);
    assert_eq!(order(&Visible::only([guild(), private()])).await, [2, 1], "where nobody is anywhere");
    let found = ask(&talk, &index, "the spare lantern", &Visible::at(&here)).await;
    assert_eq!(found[0].likelihood, found[1].likelihood, "no less likely to be meant");
}

#[test]
fn what_somebody_tells_of_themselves_is_told_from_what_they_say_of_others() {
    assert!(speaks_of_itself("I'm off to swim with my kids") > 0.6);
    assert!(speaks_of_itself("Ich habe mein Boot verkauft") > 0.6);
    assert!(speaks_of_itself("You'd be a great counselor, I think") < 0.4);
    assert_eq!(speaks_of_itself("The ferry is late"), 0.0);
}

#[test]
fn in_every_language_it_is_told_who_is_spoken_of() {
    for (own, others) in [
        ("I have sold my boat", "You have sold your boat"),
        ("Ich habe mein Boot verkauft", "Du hast dein Boot verkauft"),
        ("J'ai vendu mon bateau", "Tu sais que vous avez un bateau"),
        ("Yo he vendido mi barco", "Tú tienes un barco"),
        ("Eu vendi meu barco", "Você vendeu um barco"),
        ("Io ho venduto la mia barca", "Hai una barca e puoi venderla"),
        ("Ik heb mijn boot verkocht", "Jij hebt jouw boot verkocht"),
        ("Ja mam moją łódź", "Ty masz łódź, wiesz"),
        ("Я продал мою лодку", "Ты продал твою лодку"),
        ("Ben benim teknemi sattım", "Sen bunu biliyor musun"),
        ("私は船を売った", "あなたは船を売った"),
        ("我卖了我的船", "你卖了船"),
        ("나는 내 배를 팔았어", "네가 배를 팔았어"),
    ] {
        assert!(speaks_of_itself(own) >= 0.5, "{own}: {}", speaks_of_itself(own));
        assert!(speaks_of_itself(others) < 0.5, "{others}: {}", speaks_of_itself(others));
    }
}
