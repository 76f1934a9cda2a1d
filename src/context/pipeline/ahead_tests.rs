//! What is fetched ahead (specs mechanisms A3): the answers it gives are those that the history would give, whatever
//! happens in between, and where nothing happens but the message, nothing is read for it any more.

use std::time::Duration;

use jiff::Timestamp;
use proptest::prelude::*;

use super::tests::{Scene, scene_of};
use super::*;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChannelMode, Feeling, GuildId, MessageId, Modality, PlaceKind,
    ProviderStatus, Role, StoredTurn,
};
use crate::history::{NewTurn, SaidAhead, WindowQuery};

const HALF_LIFE: Duration = Duration::from_secs(3600);

/// What goes on between fetching and the turn.
#[derive(Debug, Clone, Copy)]
enum Event {
    Said { who: usize, here: bool, in_mode: bool },
    Replied,
    Edited(u64),
    TakenBack(u64),
    Felt(usize),
    Fetched,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let said = (0..3_usize, any::<bool>(), prop::bool::weighted(0.8))
        .prop_map(|(who, here, in_mode)| Event::Said { who, here, in_mode });
    let event = prop_oneof![
        6 => said,
        2 => Just(Event::Replied),
        1 => (1..12_u64).prop_map(Event::Edited),
        1 => (1..12_u64).prop_map(Event::TakenBack),
        1 => (0..3_usize).prop_map(Event::Felt),
        3 => Just(Event::Fetched),
    ];
    prop::collection::vec(event, 1..14)
}

fn author(who: usize) -> Author {
    let account = if who == 0 { AccountId::operator() } else { AccountId::discord(who as u64) };
    let name = ["Ana", "Ben", "Cleo"][who].to_owned();
    Author { account, display_name: Some(name), username: None, is_bot: false }
}

/// Somebody who says things, each a little later than the last.
struct Talk<'a> {
    scene: &'a Scene,
    number: u64,
}

impl Talk<'_> {
    async fn said(&mut self, who: Option<usize>, place: &Place, mode: ChannelMode) -> StoredTurn {
        self.number += 1;
        let words =
            format!("number {}: the rope is {}", self.number, "very ".repeat(self.number as usize % 7));
        let turn = NewTurn {
            place: place.clone(),
            role: if who.is_some() { Role::User } else { Role::Assistant },
            author: who.map(author),
            content: words,
            at: self.now(),
            mode,
            messages: vec![MessageId::from(self.number)],
            reply_to: None,
            turn: None,
            modality: Modality::Text,
        };
        self.scene.parts.history.append(turn).await.unwrap()
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_second(2000 + 10 * i64::try_from(self.number).unwrap()).unwrap()
    }
}

fn query(request: &TurnRequest, rough_tokens: u64) -> WindowQuery {
    WindowQuery {
        mode: request.channel.mode,
        rough_tokens,
        max_turns: 40,
        until: None,
        encoding: request.model.encoding,
    }
}

fn wanted(request: &TurnRequest) -> SaidAhead {
    SaidAhead {
        channel: request.place.channel.clone(),
        account: request.author.as_ref().map(|author| author.account.clone()),
        before: request.pending.first().map(|turn| turn.id),
        words: "rope number".to_owned(),
    }
}

/// Everything a turn reads, as words.
async fn read(reads: &ReadAhead, request: &TurnRequest, rough_tokens: u64) -> Vec<String> {
    let affect = reads.affect(request, HALF_LIFE).await.unwrap();
    let felt = (affect.mood.valence, affect.mood.arousal, affect.warmth);
    vec![
        format!("{:?}", reads.acquaintance(request).await.unwrap()),
        format!("{:?}", reads.authors(request, 5).await.unwrap()),
        format!("{:.9} {:.9} {:.9}", felt.0, felt.1, felt.2),
        format!("{:?}", reads.missed(request).await.unwrap()),
        format!("{:?}", reads.said_ahead(request, wanted(request)).await.unwrap()),
        format!("{:?}", reads.conversation(request, query(request, rough_tokens)).await.unwrap()),
    ]
}

async fn plays(events: Vec<Event>, pending: usize, rough_tokens: u64) {
    let scene = scene_of("is it dry by now?", Modality::Text).await;
    let (history, mut request) = (Arc::clone(&scene.parts.history), scene.request.clone());
    request.pending.clear();
    let reads = ReadAhead::of(Arc::clone(&history), Arc::default());
    let (here, mode) = (request.place.clone(), request.channel.mode);
    let elsewhere = Place { channel: ChannelId::new("loft").unwrap(), ..here.clone() };
    let mut talk = Talk { scene: &scene, number: 3 };
    for event in events {
        match event {
            Event::Said { who, here: is_here, in_mode } => {
                let place = if is_here { &here } else { &elsewhere };
                talk.said(Some(who), place, if in_mode { mode } else { ChannelMode::ImitateVoice }).await;
            }
            Event::Replied => drop(talk.said(None, &here, mode).await),
            Event::Edited(message) => {
                let words = format!("edited after {}", talk.number);
                history.edit(&here.channel, &message.into(), words, talk.now()).await.unwrap();
            }
            Event::TakenBack(message) => {
                history.delete(&here.channel, &[message.into()], talk.now()).await.unwrap();
            }
            Event::Felt(who) => {
                let push = Feeling { valence: 0.3, arousal: -0.2 };
                let leave = crate::domain::Caller::Tenant.change(&here.audience).unwrap();
                let by = author(who).account;
                let warmth = crate::history::Warmth { leave: &leave, by: &by, push: 0.1 };
                history.moved(&here.audience, push, Some(warmth), HALF_LIFE, talk.now()).await.unwrap();
            }
            Event::Fetched => {
                request.now = talk.now();
                // Without a message everything is read ahead.
                read(&reads, &request, 400).await;
            }
        }
    }
    for _ in 0..pending {
        request.pending.push(talk.said(Some(0), &here, mode).await);
    }
    request.now = talk.now();
    let cold = ReadAhead::of(history, Arc::default());
    assert_eq!(read(&reads, &request, rough_tokens).await, read(&cold, &request, rough_tokens).await);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Never a stale answer, never one for other words than the history's own.
    #[test]
    fn a3_what_was_fetched_ahead_says_what_the_history_says(
        events in events(), pending in 1..3_usize, rough_tokens in 20..400_u64,
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(plays(events, pending, rough_tokens));
    }
}

/// Paused time does not go on by itself as long as this lives, because something blocking runs. So nothing that is read is
/// late because the machine is busy: the stores have threads of their own, of which a paused clock knows nothing.
struct Still {
    _until_dropped: std::sync::mpsc::Sender<()>,
}

impl Still {
    fn hold() -> Self {
        let (until_dropped, dropped) = std::sync::mpsc::channel::<()>();
        tokio::task::spawn_blocking(move || dropped.recv().is_ok());
        Self { _until_dropped: until_dropped }
    }
}

/// A pipeline that has fetched for whoever asks, before they ask; with a question as long as it is not stored yet.
async fn expecting(scene: &Scene) -> (ContextPipeline, TurnRequest) {
    let pipeline = ContextPipeline::standard(scene.parts.clone());
    let request = TurnRequest { pending: Vec::new(), ..scene.request.clone() };
    pipeline.prefetch(request.clone());
    pipeline.fetched().await;
    (pipeline, request)
}

async fn ask(scene: &Scene, request: &TurnRequest) -> TurnRequest {
    let mut talk = Talk { scene, number: 20 };
    let asked = talk.said(Some(0), &request.place, request.channel.mode).await;
    TurnRequest { pending: vec![asked], ..request.clone() }
}

/// The providers that did not have to read anything.
fn at_hand(prompt: &Prompt) -> Vec<&str> {
    let outcomes = prompt.figures().providers.iter();
    let cached = outcomes.filter(|outcome| matches!(outcome.status, ProviderStatus::Cached { .. }));
    cached.map(|outcome| outcome.provider.as_str()).collect()
}

fn words(prompt: &Prompt) -> String {
    prompt.messages().iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(start_paused = true)]
async fn a3_nothing_about_the_speaker_is_read_any_more_and_the_prompt_is_the_same() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let (pipeline, request) = expecting(&scene).await;
    let asked = ask(&scene, &request).await;
    let fetched = pipeline.assemble(&asked, None).await.unwrap();
    let expected = ["character", "recent_history", "people", "company", "live", "awareness", "mood"];
    for provider in expected {
        assert!(at_hand(&fetched).contains(&provider), "{provider}: {:?}", fetched.figures().providers);
    }
    let cold = ContextPipeline::standard(scene.parts.clone());
    let read = cold.assemble(&asked, None).await.unwrap();
    assert_eq!(at_hand(&read), Vec::<&str>::new(), "nothing was fetched for this one");
    assert_eq!(words(&fetched), words(&read));
}

#[tokio::test(start_paused = true)]
async fn a3_a_note_that_was_edited_since_holds_at_once() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let note = scene.parts.config.home().memory_dir().join("people/terminal-operator.md");
    std::fs::create_dir_all(note.parent().unwrap()).unwrap();
    std::fs::write(&note, "Has a goat called Ida.").unwrap();
    let (pipeline, request) = expecting(&scene).await;
    std::fs::write(&note, "Has a mule called Otto.").unwrap();
    let prompt = pipeline.assemble(&ask(&scene, &request).await, None).await.unwrap();
    assert!(at_hand(&prompt).contains(&"people"), "{:?}", prompt.figures().providers);
    let words = words(&prompt);
    assert!(words.contains("Otto") && !words.contains("Ida"), "{words}");
}

#[tokio::test(start_paused = true)]
async fn a3_what_was_fetched_for_one_person_or_company_is_never_given_to_another() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let (pipeline, request) = expecting(&scene).await;
    let asked = ask(&scene, &request).await;
    let guild = GuildId::from(1);
    let in_company = Place {
        audience: Audience::Guild(guild.clone()),
        guild: Some(guild),
        kind: PlaceKind::GuildText,
        ..asked.place.clone()
    };
    let by_another = TurnRequest { author: Some(author(1)), ..asked.clone() };
    let shown_to_others = TurnRequest { place: in_company, ..asked };
    for other in [by_another, shown_to_others] {
        let prompt = pipeline.assemble(&other, None).await.unwrap();
        let at_hand = at_hand(&prompt);
        assert!(at_hand.iter().all(|provider| *provider == "character"), "{at_hand:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a3_what_was_fetched_is_dropped_where_something_was_taken_back() {
    let _still = Still::hold();
    let scene = scene_of("do you remember the storm last winter?", Modality::Text).await;
    let (pipeline, request) = expecting(&scene).await;
    pipeline.cool();
    let prompt = pipeline.assemble(&ask(&scene, &request).await, None).await.unwrap();
    assert_eq!(at_hand(&prompt), Vec::<&str>::new());
}
