//! Calls with several people: who is heard, what is learnt of them, and what one person's trouble does to the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use familiar_connect::domain::*;
use familiar_connect::tools::{NoArguments, Shelf, Tool, ToolContext, ToolEntry, ToolError, any};
use familiar_connect::voice::CallEvent;
use serde_json::json;

use crate::support::call::{CallStage, wheelhouse};
use crate::support::stage::person;
use crate::support::voice::Sound;

const PATIENT: &str = "[voice]\nanswer_ahead = false\nfillers = []\n";

/// Milliseconds until what somebody said is handed in: by the call's own clock, whatever the stores do.
async fn handed_in_after(call: &mut CallStage, text: &str) -> u64 {
    let times =
        |call: &CallStage| call.transcript.lock().unwrap().iter().filter(|(_, said)| said == text).count();
    let (before, mut waited) = (times(call), 0);
    while times(call) == before {
        assert!(waited < 10_000, "it was never handed in");
        call.pass(20).await;
        waited += 20;
    }
    waited
}

#[tokio::test(start_paused = true)]
async fn whoever_pushes_a_button_to_talk_is_answered_when_they_let_go() {
    let mut call = CallStage::with_ana(PATIENT).await;
    let mut waits = Vec::new();
    for _ in 0..7 {
        call.utters("ana", "the red one", 900).await;
        waits.push(handed_in_after(&mut call, "the red one").await);
        call.next_request().await.reply("<silent>");
        call.pass(3_000).await;
        call.stored().await;
    }
    assert!(waits[0] >= 600, "nobody knows it yet: {waits:?}");
    assert!(waits[5..].iter().all(|wait| *wait <= 300), "{waits:?}");
}

/// Clients that listen for themselves go on sending for a while, whatever the room behind the words is like.
#[tokio::test(start_paused = true)]
async fn whoever_is_heard_as_long_as_they_speak_is_not_taken_for_one_who_pushes_a_button() {
    // A client that suppresses noise, a quiet room, a loud one.
    for (room, hangover) in [(0.0, 200), (0.000_5, 300), (0.01, 400)] {
        let mut call = CallStage::with_ana(PATIENT).await;
        let mut waits = Vec::new();
        for _ in 0..7 {
            call.will_have_said("ana", "the red one");
            call.sounds("ana", &Sound::voiced(11, 900).followed_by_room(hangover, room)).await;
            call.stops("ana");
            waits.push(u64::from(hangover) + handed_in_after(&mut call, "the red one").await);
            call.next_request().await.reply("<silent>");
            call.pass(3_000).await;
            call.stored().await;
        }
        assert!(waits.iter().all(|wait| *wait >= 600), "room {room}: {waits:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_recogniser_that_hangs_holds_up_nobody_else() {
    let answered = async |hangs: bool| -> u64 {
        let mut call = CallStage::with_ana(PATIENT).await;
        call.joins("bob").await;
        if hangs {
            call.ears.hangs_for.lock().unwrap().replace(person("ana").account);
            call.will_have_said("ana", "Mika, what is over there?");
            for _ in 0..100 {
                call.speaks("ana", 100).await;
            }
            call.stops("ana");
            call.pass(4_000).await;
        }
        call.utters("bob", "Mika, what time is it?", 900).await;
        let waited = handed_in_after(&mut call, "Mika, what time is it?").await;
        let asked = call.next_request().await;
        assert!(asked.transcript().contains("what time is it?"), "{}", asked.transcript());
        waited
    };
    let (alone, beside) = (answered(false).await, answered(true).await);
    assert!(beside <= alone + 20, "{beside} instead of {alone} ms");
}

const FIVE: [&str; 5] = ["ana", "bob", "cleo", "dora", "emil"];

async fn five_are_there() -> CallStage {
    let mut call = CallStage::open(PATIENT).await;
    for who in FIVE {
        call.joins(who).await;
    }
    call
}

fn will_greet(call: &CallStage, people: &[&str]) {
    for who in people {
        call.will_have_said(who, &format!("Mika, this is {who}, what is new?"));
    }
}

/// Who of five is understood in the next request.
async fn understood(call: &mut CallStage) -> Vec<&'static str> {
    let asked = call.next_request().await;
    let transcript = asked.transcript();
    call.replied(asked, "Nothing.").await;
    FIVE.into_iter().filter(|who| transcript.contains(&format!("this is {who}"))).collect()
}

#[tokio::test(start_paused = true)]
async fn the_fifth_who_speaks_at_once_is_understood_as_soon_as_one_is_silent() {
    let mut call = five_are_there().await;
    will_greet(&call, &FIVE);
    for _ in 0..50 {
        call.speaks_at_once(&FIVE).await;
    }
    let full = FIVE.map(|who| call.given(who));
    assert_eq!(full.iter().filter(|given| **given == 0).count(), 1, "four have a place: {full:?}");
    FIVE.iter().for_each(|who| call.stops(who));
    call.pass(1_000).await;
    assert_eq!(understood(&mut call).await, FIVE);
    // All that the fifth said was kept.
    let given = FIVE.map(|who| call.given(who));
    assert!(given.iter().all(|one| *one >= 12_000), "{given:?}");
    let (_, figures) = call.close().await;
    assert_eq!((figures.said, figures.left), (5, 0));
}

#[tokio::test(start_paused = true)]
async fn who_finds_no_place_among_four_who_talk_on_holds_up_nobody() {
    let mut call = five_are_there().await;
    let four = &FIVE[..4];
    will_greet(&call, four);
    for _ in 0..10 {
        call.speaks_at_once(four).await;
    }
    for _ in 0..40 {
        call.speaks_at_once(&FIVE).await;
    }
    call.stops("emil");
    for _ in 0..60 {
        call.speaks_at_once(four).await;
    }
    four.iter().for_each(|who| call.stops(who));
    call.pass(1_000).await;
    assert_eq!(understood(&mut call).await, four);
    assert_eq!(call.given("emil"), 0);
    // There is a place again.
    will_greet(&call, &["emil"]);
    call.speaks("emil", 1_200).await;
    call.stops("emil");
    call.pass(700).await;
    assert!(understood(&mut call).await.contains(&"emil"));
    let (_, figures) = call.close().await;
    assert_eq!((figures.said, figures.left), (5, 1));
}

/// She has not finished, so her turn goes on for eight seconds; her place does not.
#[tokio::test(start_paused = true)]
async fn the_place_of_who_asks_for_time_is_anothers_until_she_goes_on() {
    let mut call = five_are_there().await;
    call.utters("ana", "Hold on, let me think.", 900).await;
    call.pass(500).await;
    let others = &FIVE[1..];
    will_greet(&call, others);
    for _ in 0..50 {
        call.speaks_at_once(others).await;
    }
    let given = FIVE.map(|who| call.given(who));
    assert!(given[1..].iter().all(|one| *one >= 12_000), "all of them have a place: {given:?}");
    others.iter().for_each(|who| call.stops(who));
    call.pass(300).await;
    will_greet(&call, &["ana"]);
    let before = call.given("ana");
    call.speaks("ana", 900).await;
    assert_eq!((call.given("ana") - before) / 16, 900, "and she again, from her first syllable on");
    call.stops("ana");
    // Whether hers is answered with the others' depends on how soon their answer is asked for.
    call.until("all five are understood", |call| {
        let said = call.transcript.lock().unwrap();
        FIVE.iter().all(|who| said.iter().any(|(_, text)| text.contains(&format!("this is {who}"))))
    })
    .await;
}

/// He got a place only when he was silent already: it is not his for the eight seconds that he asks for.
#[tokio::test(start_paused = true)]
async fn the_place_of_who_has_stopped_before_there_was_one_is_anothers() {
    let mut call = five_are_there().await;
    call.will_have_said("emil", "Hold on, let me think.");
    for _ in 0..10 {
        call.speaks_at_once(&FIVE[..4]).await;
    }
    for _ in 0..40 {
        call.speaks_at_once(&FIVE).await;
    }
    call.stops("emil");
    call.speaks_at_once(&FIVE[..4]).await;
    assert_eq!(call.given("emil"), 0);
    call.stops("dora");
    for _ in 0..50 {
        call.speaks_at_once(&FIVE[..3]).await;
    }
    assert!(call.given("emil") >= 12_000, "{}", call.given("emil"));
    let before = call.given("dora");
    for _ in 0..50 {
        call.speaks_at_once(&FIVE[..4]).await;
    }
    assert!(call.given("dora") >= before + 15_000, "{} more", call.given("dora") - before);
}

#[tokio::test(start_paused = true)]
async fn recognisers_know_the_names_of_those_who_came_later() {
    let mut call = CallStage::with_ana(PATIENT).await;
    call.pass(100).await;
    let knows = |call: &CallStage, who: &str, name: &str| {
        let known = call.ears.keyterms.lock().unwrap();
        known.get(&person(who).account).is_some_and(|terms| terms.iter().any(|term| term == name))
    };
    assert!(knows(&call, "ana", "Mika") && knows(&call, "ana", "Ana"));
    call.joins("bob").await;
    call.pass(100).await;
    assert!(knows(&call, "bob", "Ana"));
    assert!(knows(&call, "ana", "Bob"), "although hers was open before he came");
    // Whoever comes while she speaks does not cost her a word.
    call.will_have_said("ana", "Mika, what time is it?");
    call.speaks("ana", 600).await;
    call.joins("cleo").await;
    call.speaks("ana", 400).await;
    call.stops("ana");
    call.pass(700).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("what time is it?"));
    call.replied(asked, "Late.").await;
    assert!(knows(&call, "ana", "Cleo"));
}

#[tokio::test(start_paused = true)]
async fn what_arrives_and_cannot_be_decoded_is_told_of() {
    let mut call = CallStage::with_ana(PATIENT).await;
    // A notice within ten seconds of the first packet that is no sound (voice 6); somebody connects anew then.
    for _ in 0..500 {
        call.sends("ana", &[0xFF, 0xFF, 0xFF, 1, 2, 3]);
        call.pass(20).await;
    }
    assert_eq!(*call.written.lock().unwrap(), ["cannot decode"]);
}

#[tokio::test(start_paused = true)]
async fn while_somebody_speaks_what_their_answer_needs_is_fetched() {
    let mut call = CallStage::with_ana(PATIENT).await;
    call.talk("ana", "What time is it?", "Late.").await;
    let trace = call.stage.traces.whole().latest(Some(&wheelhouse().channel)).await.unwrap().unwrap();
    let providers = trace.assembly.clone().unwrap().providers;
    let character = &providers.iter().find(|outcome| outcome.provider == "character").unwrap().status;
    assert!(matches!(character, ProviderStatus::Cached { .. }), "{providers:?}");
}

#[tokio::test(start_paused = true)]
async fn the_record_of_a_turn_tells_when_what_happened_from_their_last_sound_on() {
    let mut call = CallStage::with_ana(PATIENT).await;
    call.ears.takes.store(120, Ordering::Relaxed);
    let asked = call.asked("ana", "What time is it?").await;
    call.pass(400).await;
    call.replied(asked, "Late.").await;
    let trace = call.stage.traces.whole().latest(Some(&wheelhouse().channel)).await.unwrap().unwrap();
    let moments: Vec<(&str, u64)> =
        trace.in_call.iter().map(|moment| (moment.stage.as_str(), moment.us / 1_000)).collect();
    let names: Vec<&str> = moments.iter().map(|(name, _)| *name).collect();
    assert_eq!(
        names,
        ["stt_final", "turn_over", "turn_begun", "llm_first_words", "tts_first_audio", "playback_start"]
    );
    assert!(moments.windows(2).all(|pair| pair[0].1 <= pair[1].1), "{moments:?}");
    let (words, over) = (moments[0].1, moments[1].1);
    assert!((150..=260).contains(&words) && (250..=330).contains(&over), "{moments:?}");
    assert!(moments[3].1 >= over + 400, "{moments:?}");
}

#[tokio::test(start_paused = true)]
async fn a_long_story_is_nodded_at_and_nothing_is_remembered_of_that() {
    let mut call =
        CallStage::with_ana("[voice]\nanswer_ahead = false\nfillers = []\nnods = [\"Mm-hm.\"]\n").await;
    let tells = async |call: &mut CallStage| {
        call.will_have_said("ana", "so I went to the harbour because the");
        call.speaks("ana", 6_500).await;
        call.partial("ana", "so I went to the harbour because the").await;
        call.stops("ana");
        call.pass(800).await;
        call.utters("ana", "ferry was late.", 1_000).await;
        call.pass(1_000).await;
        call.next_request().await.reply("Oh.");
        call.pass(12_000).await;
        call.stored().await;
    };
    tells(&mut call).await;
    let heard = call.heard_ms();
    assert!((500..=700).contains(&heard), "the nod and the answer, a word of 300 ms each: {heard}");
    tells(&mut call).await;
    assert_eq!(call.heard_ms(), 2 * heard);
    assert_eq!(*call.voice.prepared.lock().unwrap(), ["Mm-hm."], "it is there before it is needed");
    assert_eq!(*call.voice.spoken.lock().unwrap(), ["Oh.", "Oh."], "and made once");
    let remembered = call.remembered().await;
    assert!(remembered.iter().all(|(who, words)| who == "Ana" || words == "Oh."), "{remembered:?}");
}

/// Looks far away, and never comes back; counts how often it was begun and how often it was let go.
#[derive(Debug, Default)]
struct LooksFar {
    begun: Arc<AtomicUsize>,
    let_go: Arc<AtomicUsize>,
}

struct LetGo<'a>(&'a AtomicUsize);

impl Drop for LetGo<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl Tool for LooksFar {
    type Arguments = NoArguments;

    fn entry(&self) -> ToolEntry {
        ToolEntry::new("look_far", Shelf::World, "Looks far away.").at_hand()
    }

    async fn run(&self, _: NoArguments, _: &ToolContext) -> Result<String, ToolError> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let _guard = LetGo(&self.let_go);
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_looked_up_in_a_call_is_covered_by_a_filler_and_stopped_by_who_talks_over_it() {
    let mut call = CallStage::open("[voice]\nanswer_ahead = false\nfillers = [\"Hmm.\"]\n").await;
    call.stage.models.take_tools();
    let (begun, let_go) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let tool = LooksFar { begun: Arc::clone(&begun), let_go: Arc::clone(&let_go) };
    call.stage.tools.connect("far", vec![any(tool)]);
    call.joins("ana").await;
    let asked = call.asked("ana", "What did Ben say?").await;
    let offered: Vec<&str> = asked.request.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(
        ["memory_search", "tool_search"].iter().all(|name| offered.contains(name)),
        "as in text: {offered:?}"
    );
    asked.call("look_far", json!({}));
    call.until("it looks", |_| begun.load(Ordering::Relaxed) == 1).await;
    call.pass(500).await;
    assert_eq!(call.heard_ms(), 0, "what is found soon needs no word");
    call.pass(700).await;
    assert_eq!(call.heard_ms(), 300, "one word of its own");
    // They go on: what they asked before is of no use to them any more.
    call.will_have_said("ana", "Never mind, what time is it?");
    call.speaks("ana", 2_600).await;
    call.until("it is let go", |_| let_go.load(Ordering::Relaxed) == 1).await;
    call.stops("ana");
    call.pass(700).await;
    call.answers("Late.").await;
    assert_eq!((begun.load(Ordering::Relaxed), let_go.load(Ordering::Relaxed)), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn something_is_done_in_a_call_as_it_is_in_text() {
    let mut call = CallStage::open("[voice]\nanswer_ahead = false\nfillers = []\n").await;
    call.stage.models.take_tools();
    call.joins("ana").await;
    call.says("ana", "Remind me of the ferry in twenty minutes.").await;
    call.next_request().await.call("remind", json!({"text": "the ferry", "when": "in 20 minutes"}));
    let asked = call.next_request().await;
    let result = &asked.request.rounds[0].results[0];
    assert!(!result.failed, "{}", result.content);
    call.replied(asked, "I will.").await;
    let remembered = call.remembered().await;
    assert_eq!(remembered.last().map(|(_, words)| words.as_str()), Some("I will."), "{remembered:?}");
}

#[tokio::test(start_paused = true)]
async fn a_filler_is_in_the_language_that_is_listened_for_and_a_hum_in_an_unknown_one() {
    for (language, filled) in [("de", "Hm. "), ("de-AT", "Hm. "), ("fi", "Hmm. "), ("", "Hmm. ")] {
        let settings = format!("[voice]\nanswer_ahead = false\n[stt]\nlanguage = \"{language}\"\n");
        let mut call = CallStage::with_ana(&settings).await;
        let asked = call.asked("ana", "Wie spät ist es?").await;
        call.pass(2_000).await;
        assert!(call.heard_ms() > 0, "{language}");
        call.replied(asked, "Spät.").await;
        call.stored().await;
        let remembered = call.remembered().await;
        let last = remembered.last().map(|(_, words)| words.clone());
        assert_eq!(last, Some(format!("{filled}Spät.")), "{language}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_filler_is_heard_stored_as_spoken_and_made_once() {
    let mut call = CallStage::with_ana("[voice]\nanswer_ahead = false\nfillers = [\"Hmm.\"]\n").await;
    for slow in [true, false, true] {
        let before = call.heard_ms();
        let asked = call.asked("ana", "What time is it?").await;
        if slow {
            call.until("it is filled", |call| call.heard_ms() > before).await;
            call.pass(600).await;
            assert_eq!(call.heard_ms() - before, 300, "one word, and then it waits");
        }
        call.replied(asked, "It is late.").await;
    }
    let own: Vec<String> = call
        .remembered()
        .await
        .into_iter()
        .filter_map(|(who, words)| (who == "Mika").then_some(words))
        .collect();
    assert_eq!(own, ["Hmm. It is late.", "It is late.", "Hmm. It is late."]);
    let spoken = call.voice.spoken.lock().unwrap().clone();
    assert_eq!(*call.voice.prepared.lock().unwrap(), ["Hmm."], "it is there before it is needed");
    assert_eq!(spoken, ["It is late.", "It is late.", "It is late."]);
}

#[tokio::test(start_paused = true)]
async fn what_was_left_unsaid_is_known_for_one_turn() {
    let settings =
        "[voice]\nanswer_ahead = false\n[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\n";
    let mut call = CallStage::open(settings).await;
    call.voice.times_words.store(true, Ordering::Relaxed);
    call.joins("ana").await;
    call.says("ana", "Tell me about the river.").await;
    let story = "The river is very old and very slow. The ferry is older than the bridge.";
    call.next_request().await.reply(story);
    call.until_audible().await;
    call.pass(900).await;
    call.will_have_said("ana", "No, I meant the other river.");
    call.speaks("ana", 700).await;
    call.partial("ana", "no I meant the other river").await;
    call.speaks("ana", 100).await;
    call.stops("ana");
    call.pass(700).await;
    let asked = call.next_request().await;
    assert!(asked.transcript().contains("The ferry is older than the bridge."));
    call.replied(asked, "Oh, that one.").await;
    let asked = call.asked("ana", "What is it called?").await;
    let transcript = asked.transcript();
    assert!(!transcript.contains("older than the bridge") && !transcript.contains("just interrupted"));
}

#[tokio::test(start_paused = true)]
async fn no_sound_is_kept_anywhere() {
    let mut call = CallStage::with_ana(PATIENT).await;
    call.talk("ana", "What time is it?", "It is late, very late.").await;
    let spoken = call.voice_of_all();
    let dir = std::sync::Arc::clone(&call.stage.dir);
    let (stage, _) = call.close().await;
    stage.session.drain().await;
    let mut folders = vec![dir.path().to_owned()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let bytes = std::fs::read(&path).unwrap();
            let holds = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
            for mark in [b"RIFF".as_slice(), b"OggS", b"OpusHead", b"fLaC"] {
                assert!(!holds(mark), "{} is a sound file", path.display());
            }
            // Neither as it came nor as it was decoded.
            for part in &spoken {
                assert!(!holds(part), "{} holds what was said", path.display());
            }
        }
    }
    assert!(files > 3, "there is something to look through: {files}");
}

/// A call of three, in which it has just answered one of them.
async fn just_answered() -> CallStage {
    let mut call = CallStage::open("").await;
    for who in ["ana", "bob", "cleo"] {
        call.joins(who).await;
    }
    call.talk("ana", "Mika, which of them is yours?", "The blue one.").await;
    call
}

/// Whoever speaks right behind the familiar may mean it: the model decides, and is told that it may stay silent.
#[tokio::test(start_paused = true)]
async fn what_may_be_meant_for_it_is_left_to_the_model_unless_quiet_is_wanted() {
    let mut call = just_answered().await;
    let asked = call.asked("bob", "The red one is faster than that.").await;
    assert!(asked.transcript().contains("if you are not sure, write <silent>"), "{}", asked.transcript());
    asked.reply("<silent>");
    call.pass(500).await;
    let silent = Outcome::Silent { reason: SilenceReason::FoundNothingToSay };
    assert_eq!(call.ended(2).await.last(), Some(&silent));

    call.tell(CallEvent::Quiet(true)).await;
    call.talk("ana", "Mika, and who is faster?", "The red one.").await;
    call.says("bob", "As I said.").await;
    call.pass(1_000).await;
    call.stored().await;
    assert!(!call.stage.models.was_asked_again().await, "it was asked to be quiet");
}

/// Nobody has to hear an answer to what was not finished and may have been meant for somebody else; and "yes" to it is kept.
#[tokio::test(start_paused = true)]
async fn what_may_be_meant_for_it_and_breaks_off_is_not_answered() {
    let mut call = just_answered().await;
    let asked = call.asked("bob", "Would you like that?").await;
    call.says("cleo", "Yes.").await;
    asked.reply("<wait>");
    call.ended(3).await;
    // What is written down behind a turn takes real time, and the wait begins behind that.
    for _ in 0..50 {
        call.remembered().await;
    }
    // Longer than it waits for the rest, and not so long that it joins in.
    call.pass(6_000).await;
    call.stored().await;
    assert!(!call.stage.models.was_asked_again().await);
    let remembered = call.remembered().await;
    assert!(remembered.contains(&("Cleo".to_owned(), "Yes.".to_owned())), "{remembered:?}");
}

/// Whoever called it is answered, whatever others may have meant meanwhile.
#[tokio::test(start_paused = true)]
async fn what_may_be_meant_for_it_does_not_break_off_an_answer() {
    let mut call = just_answered().await;
    let asked = call.asked("ana", "Mika, and whose is the red one?").await;
    call.says("bob", "Would you like that one more?").await;
    asked.reply("It is the pilot's.");
    call.until_audible().await;
    call.until("it has finished", |call| call.playout.is_idle()).await;
    let second = call.next_request().await;
    assert!(second.transcript().contains("Would you like that one more?"), "{}", second.transcript());
    second.reply("<silent>");
    call.pass(500).await;
    call.stored().await;
    let said = call.remembered().await;
    assert!(
        said.iter().any(|(who, words)| who == "Mika" && words.ends_with("It is the pilot's.")),
        "{said:?}"
    );
}
