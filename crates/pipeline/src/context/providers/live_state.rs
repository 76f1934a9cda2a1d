//! What is true right now and only the program knows: the time, the place, who is here.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tokio::time::timeout;

use super::{ContextAsk, ContextProvider, Pieces, Profile, acquaintance};
use crate::config::LiveConfig;
use crate::context::contribution::{Importance, TailPart, Trust};
use crate::context::moments::{day_and_time, gap, names_in_a_row, part_of_day, span_in_words};
use crate::context::request::TurnRequest;
use crate::domain::{AccountId, LikedLength, PlaceKind, StoredId, Visible};
use crate::familiar::{DayPart, LiveCharacter, Wakefulness};
use crate::history::History;
use crate::memory::Memory;
use crate::text::names::prompt_label;
use crate::text::short::{one_line, shortened};
use crate::text::tokens;
use crate::text::zones::{self, NotedClock};
use crate::world::{CallMicrophone, CallVoice, Headphones, InCall, Sighting};

/// The most it may take (mechanisms, section 6, "Flux").
const TOKENS: u32 = 100;

/// How long the history is waited for; without it nobody is "back after 9 days", and the time is still told.
const HISTORY_DEADLINE: Duration = Duration::from_millis(30);

/// A pause from here on is worth telling.
const PAUSE: Duration = Duration::from_secs(3600);

/// From here on somebody is back.
const AWAY: Duration = Duration::from_secs(36 * 3600);

/// Names told of those who are here.
const NAMES: usize = 6;

/// Characters of a topic; the beginning says what a channel is for.
const TOPIC_CHARS: usize = 120;

/// Contributes now (A8, A21): the floor is time and place; who is here, in a call, back after days,
/// and the topic come as far as 100 tokens reach, whole items by their weight. It stands in the volatile tail, never in
/// the stable block.
#[derive(Debug)]
pub(crate) struct LiveStateProvider {
    pub(in crate::context) history: Arc<History>,
    pub(in crate::context) memory: Arc<Memory>,
    pub(in crate::context) character: Arc<LiveCharacter>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

impl LiveStateProvider {
    /// What its own day has it do now.
    fn own_day(&self, request: &TurnRequest) -> Option<String> {
        let part = self.character.day_part(&self.config.current(), request.channel.mode, request.now)?;
        today_in_words(&part)
    }

    /// The clock of whoever is answered: what they said in this session, else what is noted of them, as far as everybody
    /// here may know it. A place they live in counts less than a clock they named.
    async fn clock(&self, request: &TurnRequest) -> Option<TimeZone> {
        let author = request.author.as_ref()?;
        let view = request.world.for_place(&request.place);
        if let Some(said) = view.zone_of(&author.account, request.now) {
            return Some(said);
        }
        let is_past = |turn| request.is_past(turn);
        noted_clock(&self.memory, &request.visible(), &author.account, request.today(), &is_past).await?.zone
    }

    /// Since when the person who is answered was silent.
    async fn pause(&self, request: &TurnRequest) -> Option<Duration> {
        let known = acquaintance(&self.history, request);
        let last = timeout(HISTORY_DEADLINE, known).await.ok()?.ok()??.last?;
        let spoke = request.pending.first().map_or(request.now, |turn| turn.at);
        Some(gap(last, spoke)).filter(|pause| *pause >= PAUSE)
    }
}

#[async_trait]
impl ContextProvider for LiveStateProvider {
    fn profile(&self) -> Profile {
        // Its clock and its own day are told at once; what is told of people waits for what is stored.
        Profile { at_hand: true, ..Profile::floor("live", 300) }.of_the_moment().reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, ask: &ContextAsk<'_>) -> Pieces {
        let floor = whose_turn(request);
        // The channel's, the server's and people's names are other people's words.
        let piece =
            |importance, source, text| request.tail(TailPart::Now, importance, Trust::Chat, source, text);
        let mut given = vec![piece(Importance::Axiom, "live/now", floor.clone())];
        if let Some(day) = self.own_day(request) {
            // The operator's words: they may say how it is to answer.
            given.push(request.tail(TailPart::Now, Importance::High, Trust::Canon, "live/today", day));
        }
        if let Some(length) = liked_length(request) {
            let (part, trust) = (TailPart::Now, Trust::Canon);
            given.push(request.tail(part, Importance::Useful, trust, "live/learned", length.to_owned()));
        }
        // However long it takes to find out more, this is told.
        ask.tell(given.clone());
        let (pause, clock) = tokio::join!(self.pause(request), self.clock(request));
        let mut told = people_lines(request, pause, clock);
        let mut left = TOKENS.saturating_sub(tokens::count(request.model.encoding, &floor));
        told.retain(|line| {
            let tokens = tokens::count(request.model.encoding, line) + 2;
            let fits = tokens <= left;
            left -= if fits { tokens } else { 0 };
            fits
        });
        if !told.is_empty() {
            given.push(piece(Importance::High, "live/people", told.join(". ")));
        }
        Ok(given)
    }
}

/// How long answers are liked best here, where that was learnt. Of a past moment nobody knows.
fn liked_length(request: &TurnRequest) -> Option<&'static str> {
    if request.as_of.is_some() {
        return None;
    }
    match request.world.for_place(&request.place).liked_length() {
        LikedLength::AsItIs => None,
        LikedLength::Shorter => Some("Answers here are liked better when they are shorter than yours"),
        LikedLength::Longer => Some("Answers here are liked better when they are longer than yours"),
    }
}

fn whose_turn(request: &TurnRequest) -> String {
    let now = request.now.to_zoned(request.display_tz.clone());
    let mut text = format!("Now: {}, {}", day_and_time(&now), part_of_day(now.time()));
    let place = &request.place;
    let wherefore = match (place.kind, place.channel_name.as_deref(), place.guild_name.as_deref()) {
        (PlaceKind::Dm, ..) => Some("a private conversation".to_owned()),
        (PlaceKind::Terminal, ..) => None,
        (_, Some(channel), Some(guild)) => {
            Some(format!("{} on the server {}", prompt_label(channel), prompt_label(guild)))
        }
        (_, Some(channel), None) => Some(prompt_label(channel)),
        (_, None, _) => None,
    };
    if let Some(place) = wherefore {
        text.push_str(". Here: ");
        text.push_str(&place);
    }
    text
}

/// What it is told of its own day; nothing where it is awake and does nothing in particular.
fn today_in_words(part: &DayPart) -> Option<String> {
    let doing = if part.doing.is_empty() { String::new() } else { format!(": {}", part.doing) };
    let until = part.ends();
    match part.wakefulness {
        Wakefulness::Awake if doing.is_empty() => None,
        Wakefulness::Awake => Some(format!("Your day until {until}{doing}")),
        Wakefulness::Busy => Some(format!(
            "You are busy until {until}{doing}. Answer in a sentence or two, as one whose hands are full"
        )),
        Wakefulness::Asleep => Some(format!(
            "You were asleep{doing} (until {until}) and have just been woken. Answer in a few sleepy words, unless they need you"
        )),
    }
}

/// What matters most is told first, and let in first where not all of it fits.
fn people_lines(request: &TurnRequest, pause: Option<Duration>, clock: Option<TimeZone>) -> Vec<String> {
    let view = request.world.for_place(&request.place);
    let author = request.author.as_ref().map(|author| prompt_label(author.label()));
    let mut lines = Vec::new();
    if let (Some(author), Some(pause)) = (&author, pause) {
        lines.push(if pause >= AWAY {
            format!("{author} is back after {}", span_in_words(pause))
        } else {
            format!("{author} last spoke {} ago", span_in_words(pause))
        });
    }
    let here = request.display_tz.iana_name();
    // Where the clock is everybody's, it has been told.
    let clock = clock.filter(|zone| zone.iana_name() != here);
    if let (Some(author), Some(zone)) = (&author, clock) {
        let there = request.now.to_zoned(zone);
        lines.push(format!("For {author} it is {}", there.strftime("%A %H:%M (%Z)")));
    }
    for call in view.calls() {
        let people: Vec<_> = call.people.iter().map(|one| person_in_call(one)).collect();
        lines.push(format!("In the call {}: {}", prompt_label(call.name), names_in_a_row(&people, NAMES)));
    }
    let own = request.author.as_ref().map(|author| &author.account);
    let calls = view.calls();
    let is_in_call =
        |seen: &Sighting| calls.iter().flat_map(|call| &call.people).any(|one| one.account == seen.account);
    let others: Vec<_> = view
        .here(request.now)
        .filter(|seen| Some(&seen.account) != own && !is_in_call(seen))
        .map(|seen| prompt_label(&seen.name))
        .collect();
    if !others.is_empty() {
        lines.push(format!("Also here: {}", names_in_a_row(&others, NAMES)));
    }
    if let Some(topic) = view.topic() {
        lines.push(format!("Topic of the channel: “{}”", quotable_line(topic)));
    }
    let typing: Vec<_> = view.typing(request.now).map(|seen| prompt_label(&seen.name)).collect();
    if !typing.is_empty() {
        lines.push(format!("Typing: {}", names_in_a_row(&typing, 3)));
    }
    lines
}

/// The clock that is noted of somebody, as far as it may be seen: one that they named counts more than a place they live in,
/// which may be one that no table names.
pub async fn noted_clock(
    memory: &Memory,
    visible: &Visible,
    account: &AccountId,
    today: Date,
    is_past: &(dyn Fn(StoredId) -> bool + Sync),
) -> Option<NotedClock> {
    let people = timeout(HISTORY_DEADLINE, memory.seen_by(visible).people()).await.ok()?;
    let seen = people.about(account)?.note(today, is_past)?;
    let noted: Vec<_> = seen.text.lines().filter_map(zones::noted).collect();
    let named = noted.iter().rev().find(|noted| !noted.is_home);
    let known = || noted.iter().rev().find(|noted| noted.zone.is_some());
    named.or_else(known).or_else(|| noted.last()).cloned()
}

/// Somebody in a call, with what they do in it.
pub(in crate::context) fn person_in_call(one: &InCall) -> String {
    let state = match (one.voice, one.headphones, one.microphone) {
        (CallVoice::Speaking, ..) => " (speaking)",
        (_, Headphones::Off, _) => " (deafened)",
        (_, _, CallMicrophone::Muted) => " (muted)",
        _ => "",
    };
    format!("{}{state}", prompt_label(&one.name))
}

/// The beginning of what somebody wrote on one line, without quotation marks of ours or brackets.
pub(in crate::context) fn quotable_line(text: &str) -> String {
    let flat = one_line(text);
    let plain: String =
        flat.chars().filter(|c| !matches!(c, '“' | '”' | '[' | ']' | '{' | '}' | '<' | '>')).collect();
    shortened(&plain, TOPIC_CHARS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{ChannelConfig, settled};
    use crate::context::contribution::Contribution;
    use crate::context::reflex::tests::{at, ferry, harbour, now, person, request};
    use crate::domain::{Audience, Author, ChannelMode, GuildId, Place};
    use crate::familiar::Character;
    use crate::history::HistoryOptions;
    use crate::world::World;

    async fn told(request: &TurnRequest) -> Vec<String> {
        told_of_a_day(request, "").await
    }

    /// With this schedule.
    async fn told_of_a_day(request: &TurnRequest, schedule: &str) -> Vec<String> {
        told_to(request, schedule, &ContextAsk::everything()).await
    }

    async fn told_to(request: &TurnRequest, schedule: &str, ask: &ContextAsk<'_>) -> Vec<String> {
        let (_folder, config) = settled("").unwrap();
        let home = config.home().clone();
        let history = History::open(&home.history_db(), HistoryOptions::default()).await.unwrap();
        std::fs::write(home.schedule_md(), schedule).unwrap();
        let provider = LiveStateProvider {
            history: Arc::new(history),
            memory: Arc::new(Memory::at(&home)),
            character: Arc::new(LiveCharacter::starting_as(Character::default(), home)),
            config,
        };
        provider.contribute(request, ask).await.unwrap().into_iter().map(|given| given.text).collect()
    }

    #[tokio::test]
    async fn a8_the_time_is_told_before_anything_is_looked_up() {
        let first = std::sync::Mutex::new(Vec::new());
        let so_far = |pieces: Vec<Contribution>| {
            first.lock().unwrap().extend(pieces.into_iter().map(|piece| piece.text));
        };
        let ask = ContextAsk { open: None, so_far: Some(&so_far) };
        let world = harbour();
        let whole = told_to(&request(&world, "hi"), "", &ask).await;
        assert_eq!(first.into_inner().unwrap(), whole[..1]);
    }

    #[tokio::test]
    async fn a8_the_place_and_its_people_are_told() {
        let world = harbour();
        world.wished(&ferry(), &person(1, "Alice"), "my time zone is Tokyo", None, now());
        assert_eq!(
            told(&request(&world, "hi")).await,
            [
                "Now: Sunday 1 March 2026, 20:00 UTC, evening. Here: ferry on the server Harbour".to_owned(),
                "For Alice it is Monday 05:00 (JST). In the call Lounge: Ben (muted) and Cara (speaking). \
                 Topic of the channel: “The night shift”. Typing: Ben"
                    .to_owned(),
            ]
        );
        let dm = Place {
            guild: None,
            kind: PlaceKind::Dm,
            audience: Audience::Dm(person(1, "Alice").account),
            ..ferry()
        };
        let private = TurnRequest { place: dm, ..request(&world, "hi") };
        let told = told(&private).await;
        assert_eq!(told[0], "Now: Sunday 1 March 2026, 20:00 UTC, evening. Here: a private conversation");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn a8_it_never_takes_more_than_a_hundred_tokens_and_always_tells_time_and_place(
            names in prop::collection::vec("\\PC{1,70}", 0..30), topic in "\\PC{0,1000}",
        ) {
            let world = harbour();
            for (index, name) in names.iter().enumerate() {
                let id = 100 + index as u64;
                world.spoke(&ferry(), &Author { display_name: Some(name.clone()), ..person(id, "x") }, at("2026-03-01T19:59:59Z"));
            }
            world.guild(&GuildId::from(7), |guild| {
                let cards = Arc::make_mut(&mut guild.channels);
                cards.values_mut().for_each(|card| card.topic = Some(topic.clone()));
            });
            let request = request(&world, "hi");
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let told = runtime.block_on(told(&request));
            prop_assert!(told[0].contains("20:00") && told[0].contains("ferry"));
            let tokens: u32 = told.iter().map(|text| tokens::count(request.model.encoding, text)).sum();
            prop_assert!(tokens <= TOKENS, "{tokens}: {told:?}");
        }
    }

    #[tokio::test]
    async fn a8_nobody_is_named_twice() {
        let world = harbour();
        for (id, name) in [(3, "Cara"), (9, "Dora")] {
            world.spoke(&ferry(), &person(id, name), at("2026-03-01T19:59:59Z"));
        }
        let told = told(&request(&world, "hi")).await;
        assert!(
            told[1].contains("In the call Lounge: Ben (muted) and Cara (speaking). Also here: Dora."),
            "{told:?}"
        );
    }

    #[tokio::test]
    async fn what_its_own_day_has_it_do_is_told_and_not_in_a_novel() {
        let chats = |mode| {
            let request = request(&World::default(), "hi");
            let channel = Arc::new(ChannelConfig { mode, ..(*request.channel).clone() });
            TurnRequest { channel, ..request }
        };
        let chat = chats(ChannelMode::TextConversationRp);
        let day = "- 19:00-21:00 busy: mending nets\n- 21:00-22:00 awake\n";
        assert_eq!(
            told_of_a_day(&chat, day).await[1],
            "You are busy until 21:00: mending nets. Answer in a sentence or two, as one whose hands are full"
        );
        let asleep = told_of_a_day(&chat, "- 19:00-06:30 asleep: in the bunk").await;
        assert!(
            asleep[1].starts_with("You were asleep: in the bunk (until 06:30) and have just been woken.")
        );
        assert_eq!(told_of_a_day(&chat, "- 19:00-21:00 awake").await.len(), 1, "nothing is to be told");
        assert_eq!(told_of_a_day(&chats(ChannelMode::FullRp), day).await.len(), 1);
    }

    #[tokio::test]
    async fn a8_an_empty_world_tells_time_and_place_alone() {
        assert_eq!(told(&request(&World::default(), "hi")).await.len(), 1);
    }
}
