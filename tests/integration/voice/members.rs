//! What the members of a call encrypt between them changes while everybody talks: people come and go, some at once, some
//! before they were let in, the call does without encryption for a while, and founds its group anew. In each of these
//! changes Alice is heard and the familiar is.

use std::sync::Arc;

use familiar_connect::voice::CallEvent;
use serde_json::json;

use super::hall::{Hall, Recorded, brisk, frames};
use crate::support::discord::Person;
use crate::support::voice::{
    Announced, Committer, Hold, Line, OnTheirWay, SILENCE, Sound, Spoken, VoiceOptions,
};

/// A call that is encrypted between its members, with a familiar in it.
struct Scene {
    hall: Hall,
    call: Arc<Recorded>,
    /// What Alice has said that has to be heard.
    said: Vec<Vec<u8>>,
}

impl Scene {
    async fn open(committer: Committer) -> Self {
        let hall = Hall::open_with(VoiceOptions::encrypted(committer), brisk(), |_| String::new()).await;
        let call = hall.alice_calls().await;
        Self { hall, call, said: Vec::new() }
    }

    /// All that Alice said is heard, frame for frame, and nothing else.
    async fn all_is_heard(&self) {
        let ssrc = self.hall.voice.ssrc(&self.hall.alice, &self.hall.lounge);
        let arrived = |heard: &Vec<Vec<u8>>| heard.len() >= self.said.len();
        let heard = self.call.tells("every frame", |events| Some(frames(events, ssrc)).filter(arrived)).await;
        assert!(heard == self.said, "{} frames of {}", heard.len(), self.said.len());
    }

    /// Alice says something, and the familiar too; both are heard whole. What the familiar says is encrypted between the
    /// members or not, as it should be just now.
    async fn both_are_heard(&mut self, is_encrypted: bool) {
        let Hall { voice, lounge, alice, .. } = &self.hall;
        let before = voice.probe(lounge);
        self.call.playout.push(Sound::tone(440.0, 0.5, 200).samples);
        self.said.extend(voice.speaks(alice, lounge, &Sound::voiced(3, 200), &quick()).await.frames);
        self.all_is_heard().await;
        let (from, audible) = (before.packets.len(), before.audible_ms());
        let probe =
            voice.hears(lounge, "the familiar's tone", |probe| probe.audible_ms() >= audible + 200).await;
        assert_eq!(probe.unreadable, 0);
        for packet in probe.packets[from..].iter().filter(|packet| packet.is_audible()) {
            assert_eq!(packet.is_encrypted, is_encrypted);
        }
    }

    /// Packets of Alice that are on their way, with the keys of this moment.
    fn on_their_way(&mut self) -> OnTheirWay {
        let frames = Sound::tone(700.0, 0.3, 100).frames();
        let packets = self.hall.voice.on_their_way(&self.hall.alice, &self.hall.lounge, &frames);
        self.said.extend(frames);
        packets
    }

    /// Alice talks on and on, in real time, while something happens.
    async fn talks_while(&self, happens: impl AsyncFnOnce()) -> Spoken {
        let Hall { voice, lounge, alice, .. } = &self.hall;
        let sound = Sound::voiced(5, 1500);
        let line = Line::default();
        let talks = voice.speaks(alice, lounge, &sound, &line);
        let (spoken, ()) = tokio::join!(talks, happens());
        spoken
    }

    async fn settles(&self) {
        self.hall.voice.holds(&self.hall.lounge, Hold::Nothing);
        self.hall.voice.is_settled(&self.hall.lounge).await;
    }

    /// Nothing had to be done anew, and nobody was told that something is wrong.
    fn went_well(&self, changes: usize) {
        let Hall { voice, lounge, .. } = &self.hall;
        assert_eq!(voice.key_changes(lounge), (changes, 0));
        assert_eq!(voice.connections(lounge), 1);
    }
}

fn quick() -> Line {
    Line { silence_frames: 0, ..Line::quick() }
}

const BOTH: [Committer; 2] = [Committer::People, Committer::Bot];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everybody_is_heard_at_every_step_of_a_change_of_many() {
    for committer in BOTH {
        let mut scene = Scene::open(committer).await;
        let lounge = scene.hall.lounge.clone();
        let [ben, cara, dan]: [Person; 3] = ["ben", "cara", "dan"]
            .map(|name| if name == "ben" { scene.hall.ben.clone() } else { scene.hall.home.member(name) });
        dan.joins(&lounge, false);
        scene.hall.voice.is_settled(&lounge).await;
        // Two come and one goes, in one list of proposals.
        scene.hall.voice.holds(&lounge, Hold::Proposals);
        ben.joins(&lounge, false);
        cara.joins(&lounge, false);
        dan.leaves(&lounge);
        for held in [Hold::Commit, Hold::Keys] {
            scene.hall.voice.holds(&lounge, held);
            if held == Hold::Keys {
                scene.hall.voice.bot_waits(&lounge).await;
                // The bot has its new keys, so that what it says is for who has them too.
                let old = scene.on_their_way();
                scene.hall.voice.arrive(old).await;
                scene.all_is_heard().await;
            } else {
                scene.hall.voice.bot_has_read(&lounge).await;
                scene.both_are_heard(true).await;
            }
        }
        // What left before the change arrives behind it.
        let old = scene.on_their_way();
        scene.settles().await;
        scene.hall.voice.arrive(old).await;
        scene.both_are_heard(true).await;
        // Alice, the familiar, Dan; and these three at once.
        scene.went_well(3);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_goes_before_they_were_let_in_is_taken_back_and_nobody_falls_silent() {
    for committer in BOTH {
        let mut scene = Scene::open(committer).await;
        let lounge = scene.hall.lounge.clone();
        let dan = scene.hall.home.member("dan");
        dan.joins(&lounge, false);
        scene.hall.voice.is_settled(&lounge).await;
        scene.hall.voice.holds(&lounge, Hold::Proposals);
        scene.hall.ben.joins(&lounge, false);
        dan.leaves(&lounge);
        scene.hall.voice.holds(&lounge, Hold::Commit);
        scene.hall.voice.bot_has_read(&lounge).await;
        scene.both_are_heard(true).await;
        // Of two proposals one is taken back.
        scene.hall.ben.leaves(&lounge);
        scene.hall.voice.bot_has_read(&lounge).await;
        scene.both_are_heard(true).await;
        scene.settles().await;
        scene.both_are_heard(true).await;
        // Of one proposal, all.
        scene.hall.voice.holds(&lounge, Hold::Commit);
        scene.hall.ben.joins(&lounge, false);
        scene.hall.voice.bot_has_read(&lounge).await;
        scene.hall.ben.leaves(&lounge);
        scene.hall.voice.bot_has_read(&lounge).await;
        scene.both_are_heard(true).await;
        scene.settles().await;
        // And then they are let in after all.
        scene.hall.ben.joins(&lounge, false);
        scene.settles().await;
        scene.both_are_heard(true).await;
        scene.went_well(4);
    }
}

/// A frame that the familiar has no key for yet is lost, as the voice library drops it; what comes with the key is heard.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_speaks_before_the_familiar_has_their_key_is_heard_from_then_on() {
    let mut scene = Scene::open(Committer::People).await;
    scene.both_are_heard(true).await;
    let Hall { voice, lounge, alice, ben, general, .. } = &scene.hall;
    voice.holds(lounge, Hold::Word);
    ben.joins(lounge, false);
    // Everybody but the familiar has changed their keys: these packets come before word of it.
    for person in [ben, alice] {
        let early = voice.on_their_way(person, lounge, &Sound::tone(700.0, 0.3, 100).frames());
        voice.arrive(early).await;
    }
    // The silence behind them is not encrypted between members, and comes after them.
    voice.arrive(voice.on_their_way(alice, lounge, &[SILENCE.to_vec()])).await;
    scene
        .call
        .tells_of(
            "the silence",
            |event| matches!(event, CallEvent::Packet { packet, .. } if packet.is_silence()),
        )
        .await;
    // These were made before, and come behind.
    let late = Sound::tone(900.0, 0.3, 100).frames();
    let on_their_way = voice.on_their_way(alice, lounge, &late);
    scene.settles().await;
    voice.bot_has_read(lounge).await;
    voice.arrive(on_their_way).await;
    ben.runs(general, "/subscribe-my-voice", json!({})).await;
    let said = voice.speaks(ben, lounge, &Sound::voiced(3, 200), &Line::quick()).await;
    assert_eq!(scene.call.hears(&said).await, said.frames, "whose key came after their first packets");
    scene.said.extend(late);
    scene.both_are_heard(true).await;
    scene.went_well(2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_does_without_encryption_for_a_while_loses_no_word() {
    let mut scene = Scene::open(Committer::People).await;
    let lounge = scene.hall.lounge.clone();
    let spoken = scene
        .talks_while(async || {
            let voice = &scene.hall.voice;
            voice.holds(&lounge, Hold::Keys);
            voice.downgrades(&lounge);
            voice.bot_waits(&lounge).await;
            scene.settles().await;
        })
        .await;
    scene.said.extend(spoken.frames);
    scene.both_are_heard(false).await;
    // People who come now found the new group with the others.
    scene.hall.ben.joins(&lounge, false);
    scene.settles().await;
    scene.both_are_heard(false).await;
    scene.went_well(2);
}

/// Nobody in the call encrypts any more, and what was encrypted before comes then: it is no sound.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_comes_encrypted_into_a_call_without_encryption_is_not_taken_for_sound() {
    let mut scene = Scene::open(Committer::People).await;
    scene.both_are_heard(true).await;
    let Hall { voice, lounge, alice, .. } = &scene.hall;
    let old = voice.on_their_way(alice, lounge, &Sound::tone(700.0, 0.3, 100).frames());
    voice.downgrades(lounge);
    voice.is_settled(lounge).await;
    voice.bot_has_read(lounge).await;
    voice.arrive(old).await;
    scene.both_are_heard(false).await;
    scene.went_well(2);
}

/// The voice library forgets its keys as soon as a new group is announced, so nobody is heard until there is one. Before
/// and after, every word is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_group_that_is_founded_anew_falls_silent_for_no_longer_than_that_takes() {
    for (was_open, committer) in
        [(false, Committer::People), (false, Committer::Bot), (true, Committer::People)]
    {
        let mut scene = Scene::open(committer).await;
        let lounge = scene.hall.lounge.clone();
        scene.hall.ben.joins(&lounge, false);
        scene.settles().await;
        if was_open {
            scene.hall.voice.downgrades(&lounge);
            scene.settles().await;
        }
        scene.both_are_heard(!was_open).await;
        let mut settled = None;
        let spoken = scene
            .talks_while(async || {
                scene.hall.voice.founds_anew(&lounge);
                scene.settles().await;
                settled = Some(tokio::time::Instant::now());
            })
            .await;
        let settled = settled.unwrap();
        // However long the change took, she goes on talking behind it.
        let Hall { voice, lounge, alice, .. } = &scene.hall;
        let more = voice.speaks(alice, lounge, &Sound::voiced(7, 200), &quick()).await.frames;
        let sent_after = |(at, _, left): &&(usize, u16, _)| *left > settled && *at < spoken.frames.len();
        let after = spoken.delivered.iter().filter(sent_after).count() + more.len();
        assert!(after >= 10, "she goes on talking behind the change: {after} frames");
        let said = [spoken.frames, more].concat();
        let ends = |heard: &Vec<Vec<u8>>| heard.ends_with(&said[said.len() - after..]);
        let heard = scene
            .call
            .tells("all behind the change", |events| Some(frames(events, spoken.ssrc)).filter(ends))
            .await;
        assert!(heard.starts_with(&scene.said));
        let during = &heard[scene.said.len()..];
        let lost = said.len() - during.len();
        if was_open {
            assert_eq!(lost, 0, "without encryption there are no keys to lack");
        }
        let gap = during.iter().zip(&said).take_while(|(heard, said)| heard == said).count();
        assert_eq!(during[gap..], said[gap + lost..], "what is missing is one piece");
        scene.said = heard;
        scene.both_are_heard(true).await;
        scene.went_well(3 + usize::from(was_open));
    }
}

/// Discord says whose stream it is after they began to talk: without a name there is no key, and the first frames are lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_named_late_is_heard_from_then_on() {
    let scene = Scene::open(Committer::People).await;
    let Hall { voice, lounge, alice, .. } = &scene.hall;
    let line = Line { announced: Announced::After(20), ..Line::quick() };
    let said = voice.speaks(alice, lounge, &Sound::voiced(3, 800), &line).await;
    let ends = |heard: &Vec<Vec<u8>>| heard.len() >= said.frames.len() - 20;
    let heard = scene.call.tells("the rest", |events| Some(frames(events, said.ssrc)).filter(ends)).await;
    assert!(said.frames.ends_with(&heard));
    scene.went_well(1);
}
