//! Whatever was said, by whomever, wherever, and however the work was broken off: what is forgotten leaves no byte, and the
//! rest is untouched.

mod backups;
mod copies;

use std::fs;
use std::future::{Future, poll_fn};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::clock::{Clock as _, ManualClock};
use crate::config::FamiliarHome;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, ChatMessage, Coming, FamiliarId, GuildId, MessageId,
    Modality, Movement, Outcome, Place, PlaceKind, Platform, Reaction, Role, Stands, StoredId, TokenEncoding,
    TurnTrace,
};
use crate::history::{History, HistoryOptions, KeptTurn, NewTurn};
use crate::memory::Memory;
use crate::memory::store::{NoteEditor, NotePath};
use crate::trace::{TraceOptions, TraceStore};

/// One thing that is said. Its words are its own: `canary<n>` stands nowhere else.
#[derive(Debug, Clone)]
struct Said {
    /// 0 is the familiar; 1 is forgotten.
    by: u64,
    /// 1 and 2 are open, 3 is alone with the person.
    channel: u64,
    /// Whether a fact was learnt from it, a turn's record holds it, and it was edited.
    noted: bool,
    recorded: bool,
    edited: bool,
    /// Who puts an emoji under it; 0 is nobody.
    reacted: u64,
}

fn said() -> impl Strategy<Value = Said> {
    (0_u64..4, 1_u64..4, any::<bool>(), any::<bool>(), any::<bool>(), 0_u64..4).prop_map(
        |(by, channel, noted, recorded, edited, reacted)| {
            // Alone with somebody nobody else speaks.
            let by = if channel == 3 { by.min(1) } else { by };
            // What others put under what is forgotten, or answered to it, goes with it and does not come back.
            let reacted = if by <= 1 || channel == 3 { reacted.min(1) } else { reacted };
            Said { by, channel, noted, recorded, edited, reacted }
        },
    )
}

struct World {
    folder: TempDir,
    stores: Stores,
    clock: ManualClock,
}

fn place(channel: u64) -> Place {
    let (guild, kind, audience) = match channel {
        3 => (None, PlaceKind::Dm, Audience::Dm(AccountId::discord(1))),
        _ => (Some(GuildId::from(7)), PlaceKind::GuildText, Audience::Guild(GuildId::from(7))),
    };
    Place { guild, ..Place::new(Platform::Discord, channel.into(), kind, audience) }
}

fn emoji(number: usize) -> String {
    format!(":emo{number}x:")
}

fn canary(number: usize) -> String {
    format!("canary{number}x")
}

impl World {
    async fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let home = FamiliarHome::new(folder.path(), &FamiliarId::new("ada").unwrap());
        fs::create_dir_all(home.channels_dir()).unwrap();
        let clock = ManualClock::at("2026-03-01T20:00:00Z".parse().unwrap());
        let options = HistoryOptions::new([TokenEncoding::CharsOver4]);
        let stores = Stores {
            history: Arc::new(History::open(&home.history_db(), options).await.unwrap()),
            traces: Arc::new(TraceStore::open(&home.traces_db(), TraceOptions::default()).await.unwrap()),
            memory: Arc::new(Memory::by_the_clock(&home, Arc::new(clock.clone()))),
            home,
        };
        Self { folder, stores, clock }
    }

    /// An emoji of one's own, and one that says something; the first is taken away again and put back.
    async fn stance(&self, one: &Said, number: usize, message: &MessageId) {
        let own = emoji(number);
        for (emoji, stands) in
            [(&*own, Stands::Put), ("👍", Stands::Put), (&*own, Stands::TakenAway), (&*own, Stands::Put)]
        {
            self.clock.advance(std::time::Duration::from_secs(1));
            let by = AccountId::discord(one.reacted);
            let (message, emoji, at) = (message.clone(), emoji.to_owned(), self.clock.now());
            let reaction = Reaction { message, by, emoji, stands, at };
            self.stores.history.react(&ChannelId::from(one.channel), reaction).await.unwrap();
        }
    }

    /// Everybody came, is liked, and has a note.
    async fn settle(&self) {
        for person in 1..4 {
            let (account, at) = (AccountId::discord(person), self.clock.now());
            let (guild, name) = (GuildId::from(7), format!("newcomer{person}x"));
            let coming = Coming { guild, account: account.clone(), name, movement: Movement::Came, at };
            self.stores.history.came(coming).await.unwrap();
            let note = NotePath::new(format!("people/{}.md", account.slug())).unwrap();
            let line = format!("- Keeps a secret{person}x. <!-- f=own{person} to=guild:7 by={account} -->\n");
            self.stores.memory.whole().store.append(&note, &line, NoteEditor::Writer).unwrap();
        }
    }

    async fn live(&self, talk: &[Said]) {
        self.settle().await;
        // Somebody else's index over what was said.
        let derived = self.stores.home.memory_dir().join(".index");
        fs::create_dir_all(&derived).unwrap();
        let words: Vec<String> = (0..talk.len()).map(canary).collect();
        fs::write(derived.join("graph.sqlite"), words.join("\n")).unwrap();
        let mut before: Vec<String> = Vec::new();
        for (number, one) in talk.iter().enumerate() {
            self.clock.advance(std::time::Duration::from_secs(60));
            let words = format!("what of {} and the weather", canary(number));
            let message = MessageId::from(100 + number as u64);
            let author = (one.by > 0).then(|| Author::new(AccountId::discord(one.by)));
            let turn = NewTurn {
                messages: vec![message.clone()],
                ..NewTurn::written(
                    place(one.channel),
                    author.clone(),
                    words.clone(),
                    self.clock.now(),
                    ChannelMode::FullRp,
                )
            };
            let stored = self.stores.history.append(turn).await.unwrap();
            if one.edited && one.by > 0 {
                let channel = ChannelId::from(one.channel);
                let now = format!("{words}, rather");
                self.stores.history.edit(&channel, &message, now, self.clock.now()).await.unwrap();
            }
            if one.reacted > 0 {
                self.stance(one, number, &message).await;
            }
            before.push(words);
            if one.noted && one.by > 0 {
                let note = NotePath::new(format!("topics/t{}.md", number % 3)).unwrap();
                let line = format!(
                    "- Of {}. <!-- f=fact{number} to={} by=discord:{} from=t:{} -->\n",
                    canary(number),
                    place(one.channel).audience,
                    one.by,
                    stored.id.0
                );
                self.stores.memory.whole().store.append(&note, &line, NoteEditor::Writer).unwrap();
            }
            if one.recorded {
                self.record(one, author, &before).await;
            }
        }
    }

    /// A turn's record that shows everything said so far.
    async fn record(&self, one: &Said, author: Option<Author>, before: &[String]) {
        let trace = TurnTrace {
            authors: author.map(|author| author.account.to_string()).into_iter().collect(),
            total_us: 1,
            request: vec![ChatMessage::new(Role::User, before.join("\n  "))],
            reply: before.last().cloned(),
            ..TurnTrace::new(
                self.stores.traces.next_turn(),
                FamiliarId::new("ada").unwrap(),
                place(one.channel),
                ChannelMode::FullRp,
                self.clock.now(),
                "x",
                Outcome::Replied { messages: 1 },
            )
        };
        self.stores.traces.record(trace).await;
        let last = self.stores.home.last_context(&ChannelId::from(one.channel));
        fs::write(last, before.join("\n")).unwrap();
    }

    fn eraser(&self) -> Eraser {
        Eraser::new(
            self.stores.clone(),
            Arc::new(NobodyThere(self.stores.home.clone())),
            Arc::new(self.clock.clone()),
        )
    }

    async fn rows(&self) -> Vec<KeptTurn> {
        self.stores.history.whole().kept_after(StoredId(0), 1_000).await.unwrap()
    }

    fn notes(&self) -> Vec<(String, String)> {
        let files = self.stores.memory.whole().store.list(None, None).unwrap().files;
        let read = |path: &NotePath| self.stores.memory.whole().store.read(path).unwrap().text;
        files.iter().map(|file| (file.path.to_string(), read(&file.path))).collect()
    }

    fn bytes(&self) -> String {
        fn below(folder: &Path, all: &mut String) {
            for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
                if path.is_dir() {
                    below(&path, all);
                } else {
                    all.push_str(&String::from_utf8_lossy(&fs::read(path).unwrap()).to_lowercase());
                    all.push('\n');
                }
            }
        }
        let mut all = String::new();
        below(self.folder.path(), &mut all);
        all
    }

    /// None of hers anywhere; every message of others where it was.
    async fn check(&self, talk: &[Said], before: &[KeptTurn]) {
        let bytes = self.bytes();
        for (number, one) in talk.iter().enumerate() {
            if one.by == 1 {
                assert!(!bytes.contains(&canary(number)), "{} is left of {talk:?}", canary(number));
            }
            if one.reacted == 1 {
                assert!(!bytes.contains(&emoji(number)), "{} is left of {talk:?}", emoji(number));
            }
        }
        for gone in ["newcomer1x", "secret1x"] {
            assert!(!bytes.contains(gone), "{gone} is left of {talk:?}");
        }
        assert!(bytes.contains("newcomer2x") && bytes.contains("secret2x"));
        let after = self.rows().await;
        for row in before.iter().filter(|row| row.role == "user") {
            let is_hers = row.author.as_ref().is_some_and(|(account, ..)| account == "discord:1");
            let mut left = row.clone();
            left.stances.retain(|(account, ..)| account != "discord:1");
            left.reactions.retain(|(account, ..)| account != "discord:1");
            assert_eq!(after.contains(&left), !is_hers, "{row:?}");
        }
        assert_eq!(self.stores.history.verify().await.unwrap(), []);
        assert_eq!(self.stores.memory.whole().index.verify().await.unwrap(), []);
    }
}

fn request(keep: KeepCopy) -> ForgetRequest {
    let me = AccountId::discord(1);
    ForgetRequest { what: ForgetWhat::Person(me.clone()), by: Asker::Person(me), keep }
}

/// Drives a future so many steps and then lets it drop.
async fn broken_off<F: Future>(future: F, steps: usize) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut left = steps;
    poll_fn(|cx| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        future.as_mut().poll(cx).map(Some)
    })
    .await
}

/// One thread for what blocks: what a broken off request had begun there ends before what comes after it begins.
fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap()
        .block_on(test);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn contradiction_16_whatever_was_said_no_byte_of_the_forgotten_is_left_and_undoing_brings_all_back(
        talk in proptest::collection::vec(said(), 0..24), hard in any::<bool>()
    ) {
        run(async {
            let world = World::empty().await;
            world.live(&talk).await;
            let (rows, notes) = (world.rows().await, world.notes());
            let keep = if hard { KeepCopy::Nothing } else { KeepCopy::SevenDays };
            let plan = world.eraser().plan(&request(keep)).await.unwrap();
            assert_eq!(world.rows().await, rows, "a look changes nothing");
            assert_eq!(world.eraser().forget(request(keep)).await.unwrap(), plan);
            world.check(&talk, &rows).await;
            assert_eq!(world.eraser().tidy().await.unwrap(), 0, "nothing is left to do");
            let undone = world.eraser().undo(&Asker::Person(AccountId::discord(1))).await.unwrap();
            assert_eq!(undone.is_some(), !hard);
            if !hard {
                assert_eq!(world.rows().await, rows);
                assert_eq!(world.notes(), notes);
                assert_eq!(world.stores.history.whole().kept_state().await.unwrap().comings.len(), 3, "that they came too");
                assert_eq!(world.stores.history.verify().await.unwrap(), []);
                assert_eq!(world.eraser().tidy().await.unwrap(), 0, "what came back stays");
                assert_eq!(world.rows().await, rows);
            }
        });
    }

    #[test]
    fn contradiction_16_wherever_it_is_broken_off_it_is_finished_at_the_next_start(
        talk in proptest::collection::vec(said(), 1..16), steps in 0_usize..60, again in 0_usize..60
    ) {
        run(async {
            let world = World::empty().await;
            world.live(&talk).await;
            let (rows, notes) = (world.rows().await, world.notes());
            let done = broken_off(world.eraser().forget(request(KeepCopy::SevenDays)), steps).await;
            let is_begun = done.is_some() || fs::read_dir(world.stores.home.forgotten_dir()).is_ok();
            // A second crash, in the middle of finishing.
            let _broken = broken_off(world.eraser().tidy(), again).await;
            world.eraser().tidy().await.unwrap();
            if !is_begun {
                assert_eq!(world.rows().await, rows, "a request that was not written down was none");
                world.eraser().forget(request(KeepCopy::SevenDays)).await.unwrap();
            }
            world.check(&talk, &rows).await;
            // And so is taking it back.
            let by = Asker::Person(AccountId::discord(1));
            let _broken = broken_off(world.eraser().undo(&by), again).await;
            world.eraser().tidy().await.unwrap();
            world.eraser().undo(&by).await.unwrap();
            assert_eq!(world.rows().await, rows);
            assert_eq!(world.notes(), notes);
            let left: Vec<String> = fs::read_dir(world.stores.home.forgotten_dir())
                .into_iter()
                .flatten()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name != "tombstones.jsonl")
                .collect();
            assert!(left.is_empty(), "{left:?}");
        });
    }
}

#[tokio::test]
async fn contradiction_16_a_wish_is_for_what_is_ones_own() {
    let world = World::empty().await;
    let (ana, ben) = (AccountId::discord(1), AccountId::discord(2));
    for what in [
        ForgetWhat::Person(ben.clone()),
        ForgetWhat::Words { person: ben, words: "x".to_owned() },
        ForgetWhat::Channel(ChannelId::from(1)),
        ForgetWhat::Topic("t".to_owned()),
        ForgetWhat::Note(NotePath::new("sessions/t.md").unwrap()),
    ] {
        let request = ForgetRequest { what, by: Asker::Person(ana.clone()), keep: KeepCopy::Nothing };
        assert!(matches!(world.eraser().plan(&request).await, Err(EraseError::NotTheirs)), "{request:?}");
        assert!(matches!(world.eraser().forget(request).await, Err(EraseError::NotTheirs)));
    }
    let up = ForgetRequest {
        what: ForgetWhat::Topic("../../x".to_owned()),
        by: Asker::Operator,
        keep: KeepCopy::Nothing,
    };
    assert!(matches!(world.eraser().plan(&up).await, Err(EraseError::Name(_))));
}

/// Somebody's answer is stored while conversations are told to let go of it: after everything was looked up.
#[derive(Debug)]
struct AnswersMeanwhile(Arc<History>);

#[async_trait::async_trait]
impl Living for AnswersMeanwhile {
    async fn let_go(&self, forgotten: &Forgotten) {
        assert!(!forgotten.words.is_empty() && !forgotten.turns.is_empty());
        // Later than the request.
        let at = "2026-03-01T21:00:00Z".parse().unwrap();
        let words = "That is good to hear, Quillon.";
        let reply = NewTurn {
            messages: vec![MessageId::from(900)],
            ..NewTurn::written(place(1), None, words, at, ChannelMode::FullRp)
        };
        self.0.append(reply).await.unwrap();
    }

    async fn done(&self, _forgotten: &Forgotten) {}
}

#[tokio::test]
async fn contradiction_16_an_answer_that_is_stored_while_it_begins_goes_too() {
    let world = World::empty().await;
    let said = Said { by: 1, channel: 1, noted: false, recorded: false, edited: false, reacted: 0 };
    let other = Said { by: 2, ..said.clone() };
    world.live(&[other, said]).await;
    let living = Arc::new(AnswersMeanwhile(Arc::clone(&world.stores.history)));
    let eraser = Eraser::new(world.stores.clone(), living, Arc::new(world.clock.clone()));
    eraser.forget(request(KeepCopy::SevenDays)).await.unwrap();
    let left: Vec<String> = world.rows().await.into_iter().map(|turn| turn.content).collect();
    assert_eq!(left, ["what of canary0x and the weather"]);
    world.eraser().undo(&Asker::Person(AccountId::discord(1))).await.unwrap();
    assert_eq!(world.rows().await.len(), 3, "and it comes back with the rest");
}

/// Something is noted while conversations are told to let go of it.
#[derive(Debug)]
struct NotesMeanwhile(Arc<Memory>);

#[async_trait::async_trait]
impl Living for NotesMeanwhile {
    async fn let_go(&self, _forgotten: &Forgotten) {
        let note = NotePath::new("people/discord-1.md").unwrap();
        let line = "- Feeds a quillon. <!-- f=quillon1 to=guild:7 by=discord:1 -->\n";
        self.0.whole().store.append(&note, line, NoteEditor::Writer).unwrap();
    }

    async fn done(&self, _forgotten: &Forgotten) {}
}

#[test]
fn contradiction_16_what_is_noted_while_it_begins_goes_too_and_comes_back() {
    run(async {
        let world = World::empty().await;
        world.live(&[noted(1)]).await;
        let living = Arc::new(NotesMeanwhile(Arc::clone(&world.stores.memory)));
        let eraser = Eraser::new(world.stores.clone(), living, Arc::new(world.clock.clone()));
        eraser.forget(request(KeepCopy::SevenDays)).await.unwrap();
        assert!(!world.bytes().contains("quillon"));
        world.eraser().undo(&Asker::Person(AccountId::discord(1))).await.unwrap();
        assert!(world.bytes().contains("quillon"), "with the rest");
    });
}

#[test]
fn a_channel_of_which_nothing_is_left_but_transcripts_is_forgotten_all_the_same() {
    run(async {
        let world = World::empty().await;
        let (lounge, message) = (ChannelId::from(1), MessageId::from(7));
        let (people, now) = ([AccountId::discord(2)].into(), world.clock.now());
        posted::note_posted(&world.stores.home, &lounge, &message, &people, (now, now)).unwrap();
        let request =
            ForgetRequest { what: ForgetWhat::Channel(lounge), by: Asker::Operator, keep: KeepCopy::Nothing };
        let plan = Plan { transcripts: 1, ..Plan::default() };
        assert_eq!(world.eraser().plan(&request).await.unwrap(), plan);
        assert_eq!(world.eraser().forget(request).await.unwrap(), plan);
        let unwanted = posted::unwanted(&world.stores.home).unwrap();
        assert_eq!(unwanted.into_iter().map(|one| one.message).collect::<Vec<_>>(), [message]);
    });
}

#[test]
fn a_damaged_list_of_transcripts_keeps_nobody_from_being_forgotten() {
    run(async {
        let world = World::empty().await;
        let talk = [Said { by: 1, channel: 1, noted: true, recorded: false, edited: false, reacted: 0 }];
        world.live(&talk).await;
        let before = world.rows().await;
        fs::write(world.stores.home.transcripts_json(), "[{\"people\": [\"discord:1\"").unwrap();
        world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
        world.check(&talk, &before).await;
        assert!(!world.bytes().contains("discord:1"));
    });
}

#[test]
fn who_only_reacted_or_came_has_something_to_be_forgotten() {
    run(async {
        let world = World::empty().await;
        let talk = [Said { by: 2, channel: 1, noted: false, recorded: false, edited: false, reacted: 1 }];
        world.live(&talk).await;
        world
            .stores
            .memory
            .whole()
            .store
            .delete(&NotePath::new("people/discord-1.md").unwrap(), NoteEditor::Writer)
            .unwrap();
        let before = world.rows().await;
        let plan = world.eraser().plan(&request(KeepCopy::SevenDays)).await.unwrap();
        assert_eq!(plan, Plan { traces: 5, ..Plan::default() }, "she came, and put or took away four emoji");
        assert_eq!(world.eraser().forget(request(KeepCopy::SevenDays)).await.unwrap(), plan);
        world.check(&talk, &before).await;
        assert!(world.eraser().plan(&request(KeepCopy::SevenDays)).await.unwrap().is_empty());
    });
}

#[test]
fn the_transcript_of_what_a_fact_was_learnt_from_goes_with_the_fact() {
    run(async {
        let world = World::empty().await;
        let (lounge, ana, ben) = (ChannelId::from(1), AccountId::discord(1), AccountId::discord(2));
        let now = world.clock.now();
        let at = |minute| now + jiff::SignedDuration::from_mins(minute);
        let turn = |message: u64, modality, minute| NewTurn {
            messages: vec![message.into()],
            modality,
            ..NewTurn::written(
                place(1),
                Some(Author::new(ana.clone())),
                format!("I keep {message} gannets"),
                at(minute),
                ChannelMode::FullRp,
            )
        };
        world.clock.advance(std::time::Duration::from_secs(7_200));
        let spoken = world.stores.history.append(turn(3, Modality::Voice, 10)).await.unwrap();
        let typed = world.stores.history.append(turn(4, Modality::Text, 40)).await.unwrap();
        for (message, who, from, to) in
            [(10, &ana, 0, 9), (11, &ana, 10, 20), (12, &ben, 5, 15), (13, &ana, 39, 41)]
        {
            let (home, people) = (&world.stores.home, [who.clone()].into());
            posted::note_posted(home, &lounge, &MessageId::from(message), &people, (at(from), at(to)))
                .unwrap();
        }
        let note = NotePath::new("topics/birds.md").unwrap();
        let line = format!(
            "- Gannets. <!-- f=gannets1 to=guild:7 by=discord:1 from=t:{},t:{} -->\n",
            spoken.id.0, typed.id.0
        );
        world.stores.memory.whole().store.append(&note, &line, NoteEditor::Writer).unwrap();
        let what = ForgetWhat::Fact("gannets1".to_owned());
        let request = ForgetRequest { what, by: Asker::Person(ana.clone()), keep: KeepCopy::Nothing };
        let plan = world.eraser().forget(request).await.unwrap();
        assert_eq!((plan.messages, plan.transcripts), (2, 1));
        let unwanted = posted::unwanted(&world.stores.home).unwrap();
        assert_eq!(unwanted.into_iter().map(|one| one.message).collect::<Vec<_>>(), [MessageId::from(11)]);
    });
}

#[test]
fn contradiction_16_the_transcript_of_what_was_only_told_again_goes_with_the_words() {
    run(async {
        let world = World::empty().await;
        let (lounge, ana, ben) = (ChannelId::from(1), AccountId::discord(1), AccountId::discord(2));
        let now = world.clock.now();
        let at = |second| now + jiff::SignedDuration::from_secs(second);
        for (message, by, words, modality, second) in [
            (3_u64, Some(&ana), "my grandmother is Quillon", Modality::Text, 0),
            (4, Some(&ana), "who is my grandmother?", Modality::Voice, 600),
            (5, Some(&ben), "hm", Modality::Voice, 603),
            (6, None, "Quillon.", Modality::Voice, 605),
        ] {
            let by = by.cloned().map(Author::new);
            let turn = NewTurn {
                messages: vec![message.into()],
                modality,
                ..NewTurn::written(place(1), by, words, at(second), ChannelMode::FullRp)
            };
            world.stores.history.append(turn).await.unwrap();
        }
        world.clock.advance(std::time::Duration::from_secs(7_200));
        let nobody = std::collections::BTreeSet::new();
        for (message, people, from, to) in [
            (10, [ana.clone(), ben].into(), 500, 590),
            (11, nobody.clone(), 606, 606),
            (12, nobody, 660, 660),
        ] {
            let (home, said) = (&world.stores.home, (at(from), at(to)));
            posted::note_posted(home, &lounge, &MessageId::from(message), &people, said).unwrap();
        }
        let what = ForgetWhat::Words { person: ana.clone(), words: "Quillon".to_owned() };
        let request = ForgetRequest { what, by: Asker::Person(ana), keep: KeepCopy::Nothing };
        let plan = world.eraser().forget(request).await.unwrap();
        assert_eq!((plan.messages, plan.replies, plan.transcripts), (1, 1, 1), "{plan:?}");
        let unwanted = posted::unwanted(&world.stores.home).unwrap();
        assert_eq!(unwanted.into_iter().map(|one| one.message).collect::<Vec<_>>(), [MessageId::from(11)]);
    });
}

#[test]
fn contradiction_16_a_fact_goes_with_what_says_the_same_and_the_rest_of_its_messages_stays_noted() {
    run(async {
        let world = World::empty().await;
        let ana = AccountId::discord(1);
        let mut rows = Vec::new();
        for (message, words) in [(3_u64, "I live in Oxbow"), (4, "off to Tamarisk, with my cat Momo")] {
            let turn = NewTurn {
                messages: vec![message.into()],
                ..NewTurn::written(
                    place(1),
                    Some(Author::called(ana.clone(), "Anna")),
                    words.to_owned(),
                    world.clock.now(),
                    ChannelMode::FullRp,
                )
            };
            rows.push(world.stores.history.append(turn).await.unwrap().id.0);
        }
        let note = NotePath::new(format!("people/{}.md", ana.slug())).unwrap();
        let noted = [
            ("Anna lives in Oxbow.", "home0001", rows[0], ""),
            ("Anna lives in Tamarisk.", "home0002", rows[1], " was=home0001"),
            ("Anna moved to Tamarisk with everything.", "home0003", rows[1], ""),
            ("Anna's cat is called Momo.", "cats0001", rows[1], ""),
        ]
        .map(|(words, id, row, was)| {
            format!("- {words} <!-- f={id} to=guild:7 by=discord:1 from=t:{row}{was} -->\n")
        });
        world.stores.memory.whole().store.append(&note, &noted.concat(), NoteEditor::Writer).unwrap();
        let what = ForgetWhat::Fact("home0002".to_owned());
        let request = ForgetRequest { what, by: Asker::Person(ana.clone()), keep: KeepCopy::Nothing };
        let (plan, first) = world.eraser().preview(&request).await.unwrap();
        assert_eq!((plan.messages, plan.facts, plan.notes), (2, 3, 0), "{plan:?}");
        assert!(!first.facts.iter().any(|words| words.contains("Momo")), "{first:?}");
        assert_eq!(world.eraser().forget(request).await.unwrap(), plan);
        for _ in 0..2 {
            let bytes = world.bytes();
            assert!(bytes.contains("momo") && !bytes.contains("tamarisk") && !bytes.contains("oxbow"));
            assert_eq!(world.eraser().tidy().await.unwrap(), 0, "and a start leaves it so");
        }
    });
}

fn noted(by: u64) -> Said {
    Said { by, channel: 1, noted: true, recorded: false, edited: false, reacted: 0 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn contradiction_16_wherever_a_wish_for_good_is_broken_off_no_earlier_copy_of_it_is_left(
        mixed in any::<bool>(), steps in 0_usize..40, again in 0_usize..40
    ) {
        run(async {
            let world = World::empty().await;
            world.live(&[noted(1), noted(2)]).await;
            let what = if mixed { ForgetWhat::Channel(ChannelId::from(1)) } else { ForgetWhat::Person(AccountId::discord(1)) };
            let softly = ForgetRequest { what, by: Asker::Operator, keep: KeepCopy::SevenDays };
            world.eraser().forget(softly).await.unwrap();
            let _broken = broken_off(world.eraser().forget(request(KeepCopy::Nothing)), steps).await;
            let _broken = broken_off(world.eraser().tidy(), again).await;
            world.eraser().tidy().await.unwrap();
            world.eraser().forget(request(KeepCopy::Nothing)).await.unwrap();
            world.eraser().undo(&Asker::Operator).await.unwrap();
            assert!(!world.bytes().contains("canary0x"));
            let orders = world.eraser().journal.orders().unwrap();
            assert!(orders.is_empty());
        });
    }
}

/// Of somebody with two accounts nothing is left, wherever it is broken off.
#[test]
fn contradiction_16_broken_off_anywhere_both_accounts_of_one_person_are_forgotten() {
    for steps in (0..80).step_by(4) {
        run(async {
            let world = World::empty().await;
            let said =
                |by, recorded| Said { by, channel: 1, noted: true, recorded, edited: false, reacted: 0 };
            world.live(&[said(1, false), said(2, true), said(3, true)]).await;
            let (one, other) = (AccountId::discord(1), AccountId::discord(2));
            world.eraser().join(&one, &other).await.unwrap();
            let request = ForgetRequest {
                what: ForgetWhat::Person(other.clone()),
                by: Asker::Person(other.clone()),
                keep: KeepCopy::SevenDays,
            };
            let rows = world.rows().await;
            let done = broken_off(world.eraser().forget(request.clone()), steps).await;
            let is_begun = done.is_some() || world.eraser().journal.orders().is_ok_and(|all| !all.is_empty());
            world.eraser().tidy().await.unwrap();
            if !is_begun {
                assert_eq!(world.rows().await, rows, "a request that was not written down was none");
                world.eraser().forget(request).await.unwrap();
            }
            let bytes = world.bytes();
            for (number, is_left) in [(0, false), (1, false), (2, true)] {
                assert_eq!(bytes.contains(&canary(number)), is_left, "{number}, broken off at {steps}");
            }
        });
    }
}

#[test]
fn contradiction_16_written_down_for_one_account_only_it_is_carried_out_for_both() {
    run(async {
        let world = World::empty().await;
        let said = |by| Said { by, channel: 1, noted: true, recorded: false, edited: false, reacted: 0 };
        world.live(&[said(1), said(2), said(3)]).await;
        let (one, other) = (AccountId::discord(1), AccountId::discord(2));
        world.eraser().join(&one, &other).await.unwrap();
        let (rows, notes) = (world.rows().await, world.notes());
        let asked = super::journal::JournalEntry::new(world.clock.now(), Some(request(KeepCopy::SevenDays)));
        // As an earlier version wrote them, one for each account.
        let with_it = super::journal::JournalEntry {
            id: format!("{}-01", asked.id),
            with: Some(asked.id.clone()),
            ..asked.clone()
        };
        world.eraser().journal.put_order(&asked).unwrap();
        world.eraser().journal.put_order(&with_it).unwrap();
        assert_eq!(world.eraser().tidy().await.unwrap(), 2);
        let bytes = world.bytes();
        assert!(!bytes.contains(&canary(0)) && !bytes.contains(&canary(1)) && bytes.contains(&canary(2)));
        // And it comes back whole, to whichever account asks.
        assert!(world.eraser().undo(&Asker::Person(other)).await.unwrap().is_some());
        assert_eq!((world.rows().await, world.notes()), (rows, notes));
        assert_eq!(world.eraser().tidy().await.unwrap(), 0);
    });
}
