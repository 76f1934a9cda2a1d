//! The way of sound between people in a call and the voice room, in both directions.

use familiar_connect::domain::AccountId;
use familiar_connect::voice::{CallEvent, CallNotice};
use tokio::time::timeout;

use super::hall::{Hall, Recorded, brisk, frames};
use crate::support::discord::{PATIENCE, Person};
use crate::support::stage::known_as;
use crate::support::voice::{
    Announced, Coding, Committer, Garbled, Line, Mode, Probe, RATE, Shape, Sound, VoiceOptions, amplitude,
    decoded,
};

fn near(found: f32, expected: f32) -> bool {
    (found - expected).abs() <= expected * 0.05
}

/// How loud a pitch is in frames decoded as the voice room decodes them.
fn loudness(frames: &[Vec<u8>], hz: f32) -> f32 {
    amplitude(&decoded(frames.iter().map(Vec::as_slice), 16_000), hz, 16_000)
}

/// songbird's own decoding makes noise of this (stack 3.5): the end of the encryption, and padding, are decoded as
/// if they were sound.
/// Long enough that a machine that is busy elsewhere is not taken for one that is deaf.
const DEAF: std::time::Duration = std::time::Duration::from_secs(4);

/// What the bot tells in the call's chat while somebody goes on speaking.
async fn told_while(hall: &Hall, speaks: impl AsyncFn()) -> String {
    let goes_on = async {
        loop {
            speaks().await;
        }
    };
    tokio::select! {
        told = hall.lounge.next_message() => told.content,
        () = goes_on => unreachable!("it never ends"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tone_arrives_bit_for_bit_whatever_is_around_it() {
    let chacha = VoiceOptions { mode: Mode::XChaCha20Poly1305, ..VoiceOptions::default() };
    let cases = [
        ("AES-GCM", VoiceOptions::default()),
        ("XChaCha20", chacha),
        ("a member's commit", VoiceOptions::encrypted(Committer::People)),
        ("own commits", VoiceOptions::encrypted(Committer::Bot)),
    ];
    for (case, options) in cases {
        let hall = Hall::open(options).await;
        let call = hall.alice_calls().await;
        for (padding, extension) in [(0, false), (4, true), (200, false)] {
            for coding in [Coding::Voice, Coding::Music] {
                let line = Line::quick().shaped(padding, extension);
                let before = call.frames(hall.voice.ssrc(&hall.alice, &hall.lounge)).len();
                let tone = Sound::tone(1000.0, 0.35, 300).coded(coding);
                let said = hall.voice.speaks(&hall.alice, &hall.lounge, &tone, &line).await;
                let count = before + said.frames.len();
                let heard = call
                    .tells("all frames", |events| {
                        Some(frames(events, said.ssrc)).filter(|frames| frames.len() >= count)
                    })
                    .await;
                let case = format!("{case}, {padding} bytes of padding, extension {extension}, {coding:?}");
                assert_eq!(&heard[before..], said.frames, "{case}");
                let loud = loudness(&heard[before..], 1000.0);
                assert!(near(loud, 0.35), "{case}: {loud}");
            }
        }
        assert_eq!(
            call.owner(hall.voice.ssrc(&hall.alice, &hall.lounge)),
            Some(account(&hall.alice)),
            "{case}"
        );
    }
}

fn account(person: &Person) -> AccountId {
    AccountId::discord(person.id())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_who_talk_at_once_are_told_apart_frame_by_frame() {
    let hall = Hall::open(VoiceOptions::encrypted(Committer::People)).await;
    let people: Vec<Person> = ["ben", "cara", "dan"].into_iter().map(|name| hall.home.member(name)).collect();
    for person in &people {
        person.joins(&hall.lounge, false);
    }
    let call = hall.alice_calls().await;
    let notice = hall.lounge.next_message().await;
    for person in &people {
        person.presses_under(&notice, "Hear me").await;
    }
    let talkers: Vec<Person> = std::iter::once(hall.alice.clone()).chain(people).collect();
    let line = Line { jitter: std::time::Duration::from_millis(15), ..Line::default() };
    let tones = [400.0, 700.0, 1000.0, 1600.0];
    let talks = talkers.iter().zip(tones).map(|(person, hz)| {
        let (voice, lounge, line) = (hall.voice.clone(), hall.lounge.clone(), line.clone());
        let tone = Sound::tone(hz, 0.3, 800);
        async move { voice.speaks(person, &lounge, &tone, &line).await }
    });
    let said = futures::future::join_all(talks).await;
    for ((person, said), hz) in talkers.iter().zip(&said).zip(tones) {
        let mut heard = call.hears(said).await;
        assert_eq!(call.owner(said.ssrc), Some(account(person)));
        // Packets may overtake each other, but every one is there and nobody else's.
        let mut sent = said.frames.clone();
        sent.sort();
        heard.sort();
        assert_eq!(heard, sent, "{hz} Hz");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_changes_of_keys_leave_nobody_unheard() {
    let hall = Hall::open(VoiceOptions::encrypted(Committer::People)).await;
    let call = hall.alice_calls().await;
    let tone = Sound::tone(600.0, 0.3, 60);
    let line = Line { silence_frames: 0, ..Line::quick() };
    let mut sent = Vec::new();
    for change in 0..50 {
        if change % 2 == 0 {
            hall.ben.joins(&hall.lounge, false);
        } else {
            hall.ben.leaves(&hall.lounge);
        }
        hall.voice.is_settled(&hall.lounge).await;
        sent.extend(hall.voice.speaks(&hall.alice, &hall.lounge, &tone, &line).await.frames);
    }
    let ssrc = hall.voice.ssrc(&hall.alice, &hall.lounge);
    let heard = call
        .tells("every frame", |events| Some(frames(events, ssrc)).filter(|heard| heard.len() >= sent.len()))
        .await;
    assert_eq!(heard, sent);
    // Alice's and the familiar's own coming are changes as well.
    let (changes, refusals) = hall.voice.key_changes(&hall.lounge);
    assert!(changes >= 51, "{changes}");
    assert_eq!(refusals, 0);
    assert_eq!(hall.voice.connections(&hall.lounge), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_who_did_not_agree_nothing_is_passed_on() {
    let hall = Hall::open(VoiceOptions::encrypted(Committer::People)).await;
    let robot = hall.home.bot("robot");
    hall.ben.joins(&hall.lounge, false);
    robot.joins(&hall.lounge, false);
    let call = hall.alice_calls().await;
    let tone = Sound::tone(1000.0, 0.3, 200);
    let speaks = |person: Person| {
        let (hall, tone) = (&hall, &tone);
        async move { hall.voice.speaks(&person, &hall.lounge, tone, &Line::quick()).await }
    };
    let of_ben = speaks(hall.ben.clone()).await;
    let of_robot = speaks(robot.clone()).await;
    // What Alice says after them comes after them.
    let of_alice = speaks(hall.alice.clone()).await;
    assert_eq!(call.hears(&of_alice).await, of_alice.frames);
    assert!(call.frames(of_ben.ssrc).is_empty());
    assert!(call.frames(of_robot.ssrc).is_empty());

    let notice = hall.lounge.next_message().await;
    let answer = hall.ben.presses_under(&notice, "Hear me").await;
    assert!(answer.ephemeral && answer.content.starts_with("Ada hears you now too"), "{answer:?}");
    call.is_told_of_consent(&hall.ben, true).await;
    let again = speaks(hall.ben.clone()).await;
    assert_eq!(call.hears(&again).await, again.frames);

    let answer = hall.ben.presses_under(&notice, "Do not hear me").await;
    assert!(answer.content.starts_with("Ada does not listen to you any more"), "{answer:?}");
    call.is_told_of_consent(&hall.ben, false).await;
    speaks(hall.ben.clone()).await;
    speaks(hall.alice.clone()).await;
    let of_alice = speaks(hall.alice.clone()).await;
    call.tells("Alice", |events| {
        (frames(events, of_alice.ssrc).len() >= 3 * of_alice.frames.len()).then_some(())
    })
    .await;
    assert_eq!(call.frames(of_ben.ssrc).len(), again.frames.len(), "nothing after he declined");
    assert!(call.frames(of_robot.ssrc).is_empty(), "a bot is never heard");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_before_it_is_known_whose_it_is_is_not_lost() {
    let hall = Hall::open(VoiceOptions::default()).await;
    let call = hall.alice_calls().await;
    let line = Line { announced: Announced::After(20), ..Line::quick() };
    let said = hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(3, 800), &line).await;
    assert_eq!(call.hears(&said).await, said.frames);
}

/// Her client loses its voice connection and makes a new one, without leaving the channel.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_connects_anew_without_leaving_the_channel_is_heard_on() {
    let hall = Hall::open(VoiceOptions::default()).await;
    let call = hall.alice_calls().await;
    let said = hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(3, 200), &Line::quick()).await;
    assert_eq!(call.hears(&said).await, said.frames);
    hall.voice.reconnects(&hall.alice, &hall.lounge);
    let again = hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(3, 200), &Line::quick()).await;
    assert_ne!(again.ssrc, said.ssrc);
    assert_eq!(call.hears(&again).await, again.frames);
    assert_eq!(hall.voice.connections(&hall.lounge), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_nobody_announces_is_told_of_and_connected_anew_for_once() {
    for options in [VoiceOptions::default(), VoiceOptions::encrypted(Committer::People)] {
        let mut times = brisk();
        times.deaf = DEAF;
        let hall = Hall::open_with(options, times, |_| String::new()).await;
        let call = hall.alice_has_called().await;
        let line = Line { announced: Announced::Never, ..Line::default() };
        let burst = Sound::voiced(2, 500);
        let speaks = |line: Line| {
            let (hall, burst) = (&hall, &burst);
            async move { hall.voice.speaks(&hall.alice, &hall.lounge, burst, &line).await }
        };
        let told = told_while(&hall, async || drop(speaks(line.clone()).await)).await;
        assert!(told.contains("cannot place, and connects again"), "{told:?}");
        hall.voice.has_connected(&hall.lounge, 2).await;
        hall.voice.bot_is_in(&hall.lounge).await;
        call.tells_of("being back", |event| matches!(event, CallEvent::Reconnected)).await;
        for _ in 0..4 {
            speaks(line.clone()).await;
        }
        let told = hall.lounge.next_message().await;
        assert!(told.content.contains("still gets sound from somebody it cannot place"), "{told:?}");
        assert_eq!(hall.voice.connections(&hall.lounge), 2, "once is enough");
        let said = speaks(Line::default()).await;
        call.tells("her again", |events| frames(events, said.ssrc).ends_with(&said.frames).then_some(()))
            .await;
    }
}

/// Waits until so many frames were due.
async fn passes(call: &Recorded, frames: u64) {
    let before = call.playout.pulls();
    while call.playout.pulls() < before + frames {
        tokio::task::yield_now().await;
    }
}

/// Waits until nothing is sent though frames are due; gives how many packets there are then. The microphone is closed
/// some time after there is nothing to say.
async fn falls_silent(hall: &Hall, call: &Recorded) -> usize {
    let silent = timeout(PATIENCE, async {
        loop {
            let before = hall.voice.probe(&hall.lounge).packets.len();
            passes(call, 25).await;
            if hall.voice.probe(&hall.lounge).packets.len() == before {
                return before;
            }
        }
    });
    silent.await.expect("something is sent all the time, though there is nothing to say")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_it_says_is_heard_whole_and_then_it_falls_silent() {
    let hall = Hall::open(VoiceOptions::encrypted(Committer::People)).await;
    let call = hall.alice_calls().await;
    // A call begins with a moment of silence: ten frames of it, and five to end it.
    hall.voice.hears(&hall.lounge, "a moment of silence", |probe| probe.packets.len() >= 15).await;
    for hz in [440.0, 880.0] {
        let before = falls_silent(&hall, &call).await;
        call.playout.push(Sound::tone(hz, 0.5, 500).samples);
        let ends = |probe: &Probe| {
            let said = &probe.packets[before..];
            said.iter().filter(|packet| packet.is_audible()).count() >= 25
                && said[said.len() - 1].is_silence()
        };
        let mut probe = hall.voice.hears(&hall.lounge, "the end of the tone", ends).await;
        probe.packets.drain(..before);
        assert!(probe.packets.iter().any(|packet| packet.is_encrypted));
        assert_eq!(probe.unreadable, 0);
        let heard = probe.audible_ms();
        assert!((500..=560).contains(&heard), "{heard} ms of 500");
        // The codec smears the edges over a frame.
        let clear = probe.audible().skip(2).take(20).flat_map(|packet| packet.samples.clone());
        let loud = amplitude(&clear.collect::<Vec<_>>(), hz, RATE);
        assert!(near(loud, 0.5), "{loud}");
    }
    assert!(call.playout.is_idle());
    assert_eq!(call.playout.position(), u64::from(RATE));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_that_breaks_is_made_again() {
    let hall = Hall::open_with(VoiceOptions::encrypted(Committer::People), brisk(), |_| String::new()).await;
    let call = hall.alice_calls().await;
    for (times, code) in [(2, 4006), (3, 4014), (4, 4021)] {
        hall.voice.closes(&hall.lounge, code);
        hall.voice.has_connected(&hall.lounge, times).await;
        hall.voice.bot_is_in(&hall.lounge).await;
        call.tells("word of it", |events| {
            let count = |wanted: fn(&CallEvent) -> bool| events.iter().filter(|event| wanted(event)).count();
            let lost = count(|event| matches!(event, CallEvent::Disconnected { .. }));
            let back = count(|event| matches!(event, CallEvent::Reconnected));
            (lost >= times - 1 && back >= times - 1).then_some(())
        })
        .await;
        let before = call.frames(hall.voice.ssrc(&hall.alice, &hall.lounge)).len();
        let said = hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(1, 200), &Line::quick()).await;
        let heard = call
            .tells("her again", |events| {
                Some(frames(events, said.ssrc)).filter(|heard| heard.len() >= before + said.frames.len())
            })
            .await;
        assert_eq!(&heard[before..], said.frames, "{code}");
        call.playout.push(Sound::tone(500.0, 0.4, 200).samples);
        let count = hall.voice.probe(&hall.lounge).audible_ms();
        hall.voice.hears(&hall.lounge, "it again", |probe| probe.audible_ms() >= count + 180).await;
    }
    assert_eq!(hall.recorder.calls().len(), 1, "it is the same call");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deafness_is_noticed_told_and_cured_once() {
    let mut times = brisk();
    times.deaf = DEAF;
    let hall = Hall::open_with(VoiceOptions::encrypted(Committer::People), times, |_| String::new()).await;
    let call = hall.alice_has_called().await;
    let burst = Sound::voiced(2, 500);
    let line = Line::default();
    let speaks = || hall.voice.speaks(&hall.alice, &hall.lounge, &burst, &line);
    let said = speaks().await;
    assert_eq!(call.hears(&said).await, said.frames);
    // Her keys are not those of the group: every frame of speech is dropped, and only the silence after it comes.
    hall.voice.garbles(&hall.alice, &hall.lounge, Garbled::Speech);
    let told = told_while(&hall, async || drop(speaks().await)).await;
    assert!(told.contains("could not make out what was said and connects again"), "{told:?}");
    hall.voice.has_connected(&hall.lounge, 2).await;
    hall.voice.bot_is_in(&hall.lounge).await;
    call.tells_of("being back", |event| matches!(event, CallEvent::Reconnected)).await;
    let told = told_while(&hall, async || drop(speaks().await)).await;
    assert!(told.contains("still cannot make out <@"), "{told:?}");
    assert_eq!(hall.voice.connections(&hall.lounge), 2, "once is enough");
    hall.voice.garbles(&hall.alice, &hall.lounge, Garbled::No);
    let said = speaks().await;
    call.tells("her again", |events| frames(events, said.ssrc).ends_with(&said.frames).then_some(())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_arrives_and_cannot_be_decoded_is_told_and_connected_anew_for_once() {
    let hall = Hall::open_with(VoiceOptions::default(), brisk(), |_| String::new()).await;
    let call = hall.alice_has_called().await;
    let account = AccountId::discord(hall.alice.id());
    call.notices(CallNotice::CannotDecode { account: account.clone() }).await;
    let told = hall.lounge.next_message().await;
    assert!(told.content.contains("could not make out what was said and connects again"), "{told:?}");
    hall.voice.has_connected(&hall.lounge, 2).await;
    call.tells_of("being back", |event| matches!(event, CallEvent::Reconnected)).await;
    call.notices(CallNotice::CannotDecode { account }).await;
    let told = hall.lounge.next_message().await;
    assert!(told.content.contains("still cannot make out <@"), "{told:?}");
    assert_eq!(hall.voice.connections(&hall.lounge), 2, "once is enough");
}

/// songbird's receiving task does not survive a packet whose padding is longer than the packet.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_packet_that_ends_the_receiving_side_does_not_end_the_call() {
    let mut times = brisk();
    times.deaf = DEAF;
    let hall = Hall::open_with(VoiceOptions::default(), times, |_| String::new()).await;
    let call = hall.alice_calls().await;
    let shape = Shape { lies: true, ..Shape::default() };
    let line = Line { shape, silence_frames: 0, ..Line::quick() };
    hall.voice.sends(&hall.alice, &hall.lounge, vec![vec![0xfc; 20]], &line).await;
    hall.voice.has_connected(&hall.lounge, 2).await;
    hall.voice.bot_is_in(&hall.lounge).await;
    call.tells_of("being back", |event| matches!(event, CallEvent::Reconnected)).await;
    let said = hall.voice.speaks(&hall.alice, &hall.lounge, &Sound::voiced(4, 200), &Line::quick()).await;
    assert_eq!(call.hears(&said).await, said.frames);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_voice_room_writes_stands_in_the_calls_chat() {
    let hall = Hall::open(VoiceOptions::default()).await;
    let call = hall.alice_has_called().await;
    call.notices(CallNotice::HearsNothing { why: "set DEEPGRAM_API_KEY".to_owned() }).await;
    call.notices(CallNotice::HasNoVoice { why: "install espeak-ng".to_owned() }).await;
    assert!(hall.lounge.next_message().await.content.contains("not hear: set DEEPGRAM_API_KEY."));
    assert!(hall.lounge.next_message().await.content.contains("not speak: install espeak-ng."));
    let (posted, answer) = tokio::sync::oneshot::channel();
    let to = familiar_connect::session::Delivery::to(familiar_connect::domain::TurnId(1), call.place.clone());
    call.notices(CallNotice::Written { to, text: "in writing, then".to_owned(), posted }).await;
    let written = hall.lounge.next_message().await;
    assert_eq!(written.content, "in writing, then");
    assert!(written.allowed_mentions_are_empty());
    assert_eq!(answer.await.unwrap().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_is_written_down_where_that_is_wanted_and_taken_back_when_it_is_forgotten() {
    let hall = Hall::open_with(VoiceOptions::default(), brisk(), |_| String::new()).await;
    hall.sets("transcript = true\n");
    let call = hall.alice_calls().await;
    let notice = hall.lounge.next_message().await;
    assert!(notice.content.contains("is written into this chat"), "whoever agrees knows it: {notice:?}");
    let heard = |id: u64, name: &str, text: &str| CallNotice::Heard {
        author: known_as(id, name),
        at: jiff::Timestamp::from_second(1_772_395_200).unwrap(),
        text: text.to_owned(),
    };
    call.notices(heard(hall.alice.id(), "Alice", "What time is it?")).await;
    call.notices(CallNotice::Said { text: "Late.".to_owned() }).await;
    let posted = hall.lounge.next_message().await;
    assert!(posted.content.starts_with("-# What was said."), "{posted:?}");
    let both = hall.lounge.message_becomes(posted.id, "both lines", |page| page.content.lines().count() == 3);
    let content = both.await.content;
    assert!(content.contains("<t:1772395200:T> **Alice**: What time is it?"), "{content}");
    assert!(content.contains("**Ada**: Late."), "{content}");

    // Ben is heard only because everybody is: he has not agreed to be written down.
    call.notices(heard(hall.ben.id(), "Ben", "What is that?")).await;
    call.notices(CallNotice::Said { text: "Very late.".to_owned() }).await;
    hall.lounge.message_becomes(posted.id, "the next line", |page| page.content.contains("Very late.")).await;
    hall.ben.presses_under(&notice, "Hear me").await;
    call.notices(heard(hall.ben.id(), "Ben", "Too late.")).await;
    const BENS: &str = "**Ben**: Too late.";
    let page = hall.lounge.message_becomes(posted.id, "his line", |page| page.content.contains(BENS)).await;
    assert!(!page.content.contains("What is that?"), "{page:?}");
    let file = hall.rig.home.transcripts_json();
    let known = std::fs::read_to_string(&file).unwrap();
    assert!(known.contains(&format!("discord:{}", hall.ben.id())) && !known.contains("late"), "{known}");

    let asked = hall.alice.runs(&hall.general, "/forget me", serde_json::json!({})).await;
    hall.alice.presses(&hall.general, &asked, "Forget").await;
    hall.lounge.message_becomes(posted.id, "its end", |page| page.is_deleted).await;
    let again = hall.lounge.next_message().await;
    let rest =
        hall.lounge.message_becomes(again.id, "the rest anew", |page| page.content.contains(BENS)).await;
    assert!(!rest.content.contains("Alice"));
}
