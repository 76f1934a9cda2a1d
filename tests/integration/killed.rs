//! The program is killed at any moment, again and again: what it acknowledged is there, and what is derived heals.
//!
//! Some times in every run of the tests. At full size, as in the README: `FAMILIAR_KILLS=200 cargo test --release --test
//! integration killed -- --nocapture`.

use std::time::Duration;

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::history::{History, HistoryOptions, NewReminder, Visible};
use familiar_connect::memory::facts::NotePage;
use familiar_connect::memory::{Memory, problems};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use tokio::time::timeout;

use crate::binary::{Evening, machine_with_mika, mika_online};
use crate::missed::turns_of;
use crate::support::binary::Machine;
use crate::support::discord::PATIENCE;
use crate::support::provider::{ChatRequest, ProviderWorld, Reply};
use crate::support::stage::known_as;

/// Kills where nobody asks for more.
const KILLS: u64 = 4;

/// Lines of one life that are answered before the one that may not be.
const LINES_MAX: u64 = 3;

/// After so many kills what is derived is held against what it would be made anew.
const VERIFIED_EVERY: u64 = 10;

/// What somebody says; every number once. A fact is noted at once of each, and the writer of memories is asked every few.
fn line(number: u64) -> String {
    format!(
        "my locker number {number} holds a rope. locker{number} is locked with code{number}code. \
         My cat is called Biscuit{number}"
    )
}

/// Small batches, so that memories are being written in most lives.
const SETTINGS: &str = "\n[memory_writer]\nturn_threshold = 3\n";

/// Answers with the number of the newest line, which is the largest; older ones may be quoted behind it. Whoever writes
/// memories is told of the newest rope it is shown.
fn heard(request: &ChatRequest) -> Reply {
    let prompt = request.prompt();
    if prompt.contains("Known already:") {
        let newest = prompt.lines().rfind(|line| line.contains("my locker number "));
        let read = newest.and_then(|line| {
            let shown: u32 = line.trim_start_matches('[').split(']').next()?.parse().ok()?;
            let locker = line.split("my locker number ").nth(1)?.split(' ').next()?;
            Some((shown, locker))
        });
        let Some((shown, locker)) = read else { return Reply::says("{\"do\":\"nothing\"}") };
        let text = format!("Alice keeps a rope in locker{locker}.");
        return Reply::says(&format!(
            "{{\"do\":\"add\",\"file\":\"Alice\",\"text\":\"{text}\",\"from\":[{shown}]}}\n\
             {{\"do\":\"topic\",\"name\":\"ropes\",\"text\":\"There is a rope in locker{locker}.\",\"from\":[{shown}]}}"
        ));
    }
    let numbers = prompt.split("my locker number ").skip(1).filter_map(|rest| {
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok()
    });
    Reply::says(&format!("Heard {}.", numbers.max().unwrap_or_default()))
}

fn kills() -> u64 {
    std::env::var("FAMILIAR_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)
}

#[tokio::test]
async fn m7_nothing_that_was_acknowledged_is_lost_whenever_the_program_is_killed() {
    let machine = machine_with_mika().await;
    let settings = machine.data().join("familiars/mika/character.toml");
    let mut text = std::fs::read_to_string(&settings).unwrap_or_default();
    text.push_str(SETTINGS);
    std::fs::write(&settings, text).unwrap();
    let provider = ProviderWorld::start().await;
    provider.answers(heard);
    let mut chance = StdRng::seed_from_u64(7);
    let (mut said, mut acknowledged): (u64, Vec<u64>) = (0, Vec::new());
    for kill in 1..=kills() {
        let mut mika = machine.start_with(&["chat", "--as", "Alice"], &provider);
        for _ in 0..chance.random_range(0..=LINES_MAX) {
            said += 1;
            mika.types(&line(said)).await;
            mika.shows(&format!("Heard {said}.")).await;
            acknowledged.push(said);
        }
        // One more, and the end comes somewhere between its arrival and the last thing that is done about it.
        said += 1;
        mika.types(&line(said)).await;
        mika.is_killed_within(Duration::from_micros(chance.random_range(0..400_000))).await;
        if mika.screen().contains(&format!("Heard {said}.")) {
            acknowledged.push(said);
        }
        all_is_there(&machine, &acknowledged).await;
        notes_are_whole(&machine);
        if kill % VERIFIED_EVERY == 0 {
            // Started and ended in order once, so that what was broken off is finished.
            let mut mika = machine.start_with(&["chat", "--as", "Alice"], &provider);
            mika.leaves().await;
            is_as_made_anew(&machine).await;
        }
        println!("killed {kill} times, {} lines acknowledged, {said} said", acknowledged.len());
    }
    // What is derived is as if it were made anew, after one orderly life.
    let mut mika = machine.start_with(&["chat", "--as", "Alice"], &provider);
    said += 1;
    mika.types(&line(said)).await;
    mika.shows(&format!("Heard {said}.")).await;
    mika.leaves().await;
    is_as_made_anew(&machine).await;
    all_is_there(&machine, &acknowledged).await;
    let replies = own_words(&machine, &ChannelId::new("terminal").unwrap()).await;
    for number in &acknowledged {
        let shown = format!("Heard {number}.");
        assert_eq!(replies.iter().filter(|reply| **reply == shown).count(), 1, "{shown} in {replies:?}");
    }
    let noted = notes_are_whole(&machine);
    for number in &acknowledged {
        assert!(
            noted.contains(&format!("Biscuit{number}.")),
            "what was said of line {number} is not noted: {noted}"
        );
    }
    assert!(noted.contains("Alice keeps a rope in locker"), "{noted}");
    assert!(noted.contains("There is a rope in locker"), "{noted}");
}

/// Short pauses, so that a reply of three messages is on its way for a moment.
const TYPING: &str = "\n[typing_simulation]\nenabled = true\nchars_per_second = 1000\nmin_delay_s = 0.02\ninter_line_pause_s = 0.02\n";

/// A reply of three messages to the newest number.
fn in_three_messages(request: &ChatRequest) -> Reply {
    let prompt = request.prompt();
    let numbers = prompt.split("round ").skip(1).filter_map(|rest| {
        rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse::<u64>().ok()
    });
    let newest = numbers.max().unwrap_or_default();
    Reply::says(&format!("First of {newest}.\n\nSecond of {newest}.\n\nThird of {newest}."))
}

#[tokio::test]
async fn m7_whatever_of_a_reply_people_have_read_on_discord_is_known_after_a_kill() {
    let evening = Evening::with(|_| TYPING.to_owned()).await;
    let Evening { machine, world, provider, general, alice, mut mika, .. } = evening;
    provider.answers(in_three_messages);
    let mut chance = StdRng::seed_from_u64(12);
    for kill in 1..=kills() {
        alice.says(&general, format!("Mika, this is round {kill}").as_str());
        while general.next_message().await.content != format!("First of {kill}.") {}
        mika.is_killed_within(Duration::from_micros(chance.random_range(0..120_000))).await;
        mika = mika_online(&machine, &world, &provider);
        world.has_identified(usize::try_from(kill + 1).unwrap()).await;
    }
    alice.says(&general, "Mika, this is round 9999");
    while general.next_message().await.content != "Third of 9999." {}
    mika.is_stopped().await;
    let posted: Vec<String> = general.messages().into_iter().map(|posted| posted.content).collect();
    let known = own_words(&machine, &general.id().into()).await;
    for kill in 1..=kills() {
        assert!(posted.contains(&format!("First of {kill}.")), "{posted:?}");
    }
    // The word that it reads here is no reply.
    for words in posted.iter().filter(|posted| posted.contains(" of ") && !posted.starts_with("-#")) {
        let times = known.iter().filter(|reply| reply.split("\n\n").any(|part| part == words)).count();
        assert_eq!(times, 1, "{words:?} was posted, and known is {known:?}");
    }
}

/// One reminder of a person in a channel of the fake Discord.
fn to_be_reminded(place: &Place, who: u64, words: &str, due: jiff::Timestamp) -> NewReminder {
    NewReminder {
        kind: ReminderKind::Reminder,
        asker: known_as(who, "Alice"),
        place: place.clone(),
        words: words.to_owned(),
        due: Some(due),
        zone: "UTC".to_owned(),
        recurrence: None,
        made: due,
    }
}

#[tokio::test]
async fn m7_every_reminder_is_said_once_whenever_the_program_is_killed_and_late_ones_say_so() {
    let evening = Evening::with(|_| TYPING.to_owned()).await;
    let Evening { machine, world, provider, general, alice, mut mika, .. } = evening;
    provider.answers(in_three_messages);
    alice.says(&general, "Mika, this is round 1");
    while general.next_message().await.content != "Third of 1." {}
    mika.is_stopped().await;
    let familiar = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let place = {
        let history = History::open(&familiar.history_db(), HistoryOptions::default()).await.unwrap();
        let channel = ChannelId::from(general.id());
        let audience = history.whole().newest_audience(&channel).await.unwrap().unwrap();
        history.close().await.unwrap();
        let guild = match &audience {
            Audience::Guild(guild) => guild.clone(),
            other => panic!("{other:?}"),
        };
        Place {
            platform: Platform::Discord,
            guild: Some(guild),
            kind: PlaceKind::GuildText,
            audience,
            ..Place::terminal(channel)
        }
    };
    let mut chance = StdRng::seed_from_u64(21);
    let (mut asked, mut identified) = (Vec::new(), 1);
    for kill in 1..=kills() {
        let history = History::open(&familiar.history_db(), HistoryOptions::default()).await.unwrap();
        let now = jiff::Timestamp::now();
        // Some were due while nothing ran, some come due while it is being killed.
        for (number, seconds) in [(0, -7200_i64), (1, 0), (2, 1), (3, 1)] {
            let words = format!("feed cat {kill} {number}");
            let due = now + jiff::SignedDuration::from_secs(seconds);
            history.remind(to_be_reminded(&place, alice.id(), &words, due)).await.unwrap().unwrap();
            asked.push(words);
        }
        history.close().await.unwrap();
        mika = mika_online(&machine, &world, &provider);
        identified += 1;
        world.has_identified(identified).await;
        mika.is_killed_within(Duration::from_micros(chance.random_range(0..1_500_000))).await;
    }
    // Said only once the channel was read back: all may have been posted before the last kill, and not all be known yet.
    let history = History::open(&familiar.history_db(), HistoryOptions::default()).await.unwrap();
    let now = jiff::Timestamp::now();
    history.remind(to_be_reminded(&place, alice.id(), "feed dog", now)).await.unwrap().unwrap();
    history.close().await.unwrap();
    asked.push("feed dog".to_owned());
    mika = mika_online(&machine, &world, &provider);
    world.has_identified(identified + 1).await;
    let said = |posted: &[String], words: &str| -> Vec<String> {
        let is_of = |content: &&String| {
            content.split_whitespace().collect::<Vec<_>>().join(" ").contains(&format!("{words} "))
                || content.ends_with(words)
        };
        posted.iter().filter(is_of).cloned().collect()
    };
    let posted = || -> Vec<String> { general.messages().into_iter().map(|posted| posted.content).collect() };
    loop {
        let silent: Vec<&String> = asked.iter().filter(|words| said(&posted(), words).is_empty()).collect();
        if silent.is_empty() {
            break;
        }
        if timeout(PATIENCE - Duration::from_secs(2), general.next_message()).await.is_err() {
            panic!("{silent:?} were not said: {}", mika.log());
        }
    }
    mika.is_stopped().await;
    let known = own_words(&machine, &general.id().into()).await;
    for words in &asked {
        let there = said(&posted(), words);
        assert_eq!(there.len(), 1, "{words}: {there:?}");
        assert!(there[0].starts_with(&format!("<@{}> ", alice.id())), "{there:?}");
        let is_late = there[0].contains("2 h ") && there[0].contains("late");
        assert!(is_late || !words.ends_with(" 0"), "{there:?}");
        assert_eq!(said(&known, words).len(), 1, "{words} in {known:?}");
    }
}

/// What the familiar said in a channel, oldest first.
async fn own_words(machine: &Machine, channel: &ChannelId) -> Vec<String> {
    let turns = turns_of(machine, channel).await;
    turns.into_iter().filter(|turn| turn.role == Role::Assistant).map(|turn| turn.content).collect()
}

async fn is_as_made_anew(machine: &Machine) {
    let verified = machine.run(&["memory", "verify"]).await;
    assert!(verified.status.success(), "{}\n{}", verified.out, verified.err);
}

/// Every note can be read to its last line, and no fact stands there twice; what they say.
fn notes_are_whole(machine: &Machine) -> String {
    let home = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let memory = Memory::at(&home);
    assert_eq!(problems(memory.whole().store).unwrap().1, [], "a note was torn");
    let mut all = String::new();
    for file in memory.whole().store.list(None, None).unwrap().files {
        let text = memory.whole().store.read(&file.path).unwrap().text;
        let page = NotePage::parse(&text).unwrap();
        let mut ids = std::collections::BTreeSet::new();
        assert!(page.facts().all(|(id, _)| ids.insert(id.clone())), "{text}");
        let mut said = std::collections::BTreeSet::new();
        let standing =
            page.facts().filter(|(_, block)| block.data.as_ref().is_some_and(|data| data.gone.is_none()));
        for (_, block) in standing {
            assert!(said.insert(block.words.clone()), "twice: {}", block.words);
        }
        all.push_str(&text);
    }
    all
}

/// Every line that was answered stands in the history, once, and is found by its words.
async fn all_is_there(machine: &Machine, acknowledged: &[u64]) {
    let home = FamiliarHome::new(&machine.data(), &FamiliarId::new("mika").unwrap());
    let history =
        History::open(&home.history_db(), HistoryOptions::new([TokenEncoding::CharsOver4])).await.unwrap();
    let place = Place::terminal(ChannelId::new("terminal").unwrap());
    let visible = Visible::at(&place);
    for number in acknowledged {
        let found = history
            .seen_by(&visible)
            .search(&format!("code{number}code"), 5, TokenEncoding::CharsOver4)
            .await
            .unwrap();
        let exact = found.iter().filter(|found| found.turn.content == line(*number)).count();
        assert_eq!(exact, 1, "line {number}: {found:?}");
    }
    history.close().await.unwrap();
}
