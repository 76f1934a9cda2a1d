//! Calls as they are in life: the program's own composition, the real voice library, real clients of speech services and
//! of a model server, and people who speak over UDP. What was heard is read back from the sound that the bot sent.

use std::time::Duration;

use familiar_connect::voice::engines::wav_bytes;

use crate::call::lines;
use crate::support::speech::{Answer, SpeechWorld, tone};
use crate::support::talk::{AUDIBLE, Profile, Spread, Talk, TalkOptions, TongueKind, bare_words};
use crate::support::voice::{Committer, FRAME, VoiceOptions, espeak};

/// With times like those of good services, so that what should overlap does.
pub(crate) fn brisk() -> Profile {
    Profile {
        name: "brisk",
        partial: Duration::from_millis(20),
        settled: Spread::ms(40, 60),
        first_token: Spread::ms(30, 40),
        word: Duration::from_millis(2),
        first_sound: Spread::ms(20, 30),
        speed: 4.0,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_said_is_understood_answered_aloud_and_remembered() {
    let encrypted = VoiceOptions::encrypted(Committer::People);
    let plain = VoiceOptions::default();
    for (voice, tongue) in [(plain, TongueKind::OpenAi), (encrypted, TongueKind::Cartesia)] {
        let talk =
            Talk::start(TalkOptions { voice, tongue, profile: brisk(), ..TalkOptions::default() }).await;
        talk.model_says("What time is it?", "It is late, very late. *yawns* Go to **bed** now!");
        talk.ana_calls().await;
        talk.says(&talk.ana, "What time is it?").await;
        talk.until_heard("It is late, very late. Go to bed now!").await;
        assert_eq!(
            lines(&talk.remembered().await),
            [
                ("Mika", "Evening."),
                ("Ana", "What time is it?"),
                ("Mika", "It is late, very late. Go to bed now!")
            ]
        );
        assert_eq!(talk.voice.probe(&talk.lounge).unreadable, 0);
        let asked = talk.asked.lock().unwrap().clone();
        assert_eq!(asked.len(), 1, "one request for one answer: {asked:?}");
        talk.ends().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_interrupts_is_yielded_to_and_what_was_heard_is_what_is_remembered() {
    const STORY: &str = "The river is very old and very slow and nobody living knows where it begins. Some say under \
        the glacier, some say behind the moon, and the ferryman says nothing whatsoever about that.";
    let settings = "[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\nmin_interruption_s = 0.0\n";
    let options = TalkOptions { profile: brisk(), settings: settings.to_owned(), ..TalkOptions::default() };
    let talk = Talk::start(options).await;
    talk.model_says("Tell me about the river.", STORY);
    talk.model_says("No, I meant the other river.", "Oh, that one.");
    talk.ana_calls().await;
    talk.says(&talk.ana, "Tell me about the river.").await;
    talk.until("six words", |hearing| hearing.words().len() >= 6).await;
    talk.says(&talk.ana, "No, I meant the other river.").await;
    let answer = bare_words("Oh, that one.");
    talk.until("the other answer", |hearing| {
        let words: Vec<&str> = hearing.words().iter().map(|heard| heard.word.as_str()).collect();
        words.ends_with(&answer.iter().map(String::as_str).collect::<Vec<_>>())
    })
    .await;

    let remembered = talk.remembered().await;
    let [_, (_, first), (mika, heard), (_, second), (_, last)] = &remembered[..] else {
        panic!("{remembered:?}")
    };
    assert_eq!(
        (first.as_str(), second.as_str(), mika.as_str(), last.as_str()),
        ("Tell me about the river.", "No, I meant the other river.", "Mika", "Oh, that one.")
    );
    // The story was heard up to somewhere, and nothing after it but the second answer.
    let words = talk.heard_words();
    let sounded = &words[..words.len() - answer.len()];
    let story = bare_words(STORY);
    assert!(story.starts_with(sounded), "{sounded:?}");
    assert!((6..story.len()).contains(&sounded.len()), "broken off in the middle: {sounded:?}");
    let stored = bare_words(heard);
    assert!(
        story.starts_with(&stored) && stored.len().abs_diff(sounded.len()) <= 1,
        "{stored:?} {sounded:?}"
    );

    // It was quieter before it was silent, and as loud as ever afterwards.
    let peaks: Vec<f32> = talk.hearing(|hearing| hearing.packets.iter().map(|(_, peak)| *peak).collect());
    let loud = peaks.iter().copied().fold(0.0, f32::max);
    let is_ducked = |peak: &f32| (loud * 0.1..loud / 3.2).contains(peak);
    let ducked = peaks.iter().filter(|peak| is_ducked(peak)).count();
    assert!(ducked >= 5, "{ducked} quiet packets of {}", peaks.len());
    assert!(peaks.iter().rev().take(45).any(|peak| *peak > loud * 0.8));

    let asked = talk.asked.lock().unwrap().clone();
    let prompt = asked.last().unwrap().request.prompt();
    assert!(prompt.contains("You were just interrupted."), "{prompt}");
    talk.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_no_voice_answers_any_more_the_reply_is_written() {
    let talk = Talk::start(TalkOptions { profile: brisk(), ..TalkOptions::default() }).await;
    talk.model_says("What time is it?", "It is late, very late.");
    talk.model_says("Are you still there?", "Always.");
    talk.ana_calls().await;
    let notice = talk.lounge.next_message().await.content;
    assert!(notice.contains("is in this call and listens to"), "{notice}");
    assert!(notice.contains("What it hears is sent to Deepgram, which makes text of it"), "{notice}");
    talk.tongue.goes_down();
    talk.says(&talk.ana, "What time is it?").await;
    let written = loop {
        let posted = talk.lounge.next_message().await.content;
        if !posted.starts_with("-#") {
            break posted;
        }
    };
    assert_eq!(written, "It is late, very late.");
    talk.settled().await;
    talk.says(&talk.ana, "Are you still there?").await;
    assert_eq!(talk.lounge.next_message().await.content, "Always.", "it does not try in vain for each");
    assert!(talk.heard_words().is_empty());
    assert_eq!(
        lines(&talk.remembered().await)[1..],
        [
            ("Ana", "What time is it?"),
            ("Mika", "It is late, very late."),
            ("Ana", "Are you still there?"),
            ("Mika", "Always.")
        ]
    );
    talk.ends().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_model_is_covered_by_a_filler_that_is_heard_to_its_end() {
    let slow = Profile { first_token: Spread::ms(1_900, 1_950), ..brisk() };
    for (tongue, ahead) in
        [(TongueKind::OpenAi, "never"), (TongueKind::OpenAi, "always"), (TongueKind::Cartesia, "never")]
    {
        let settings = format!("fillers = [\"Now let me think.\"]\nspeak_ahead = \"{ahead}\"\n");
        let profile = slow;
        let talk = Talk::start(TalkOptions { profile, tongue, settings, ..TalkOptions::default() }).await;
        talk.model_says("What time is it?", "It is late.");
        talk.ana_calls().await;
        if ahead == "always" {
            let is_made = async {
                while !talk.tongue.spoken().iter().any(|phrase| phrase.text == "Now let me think.") {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), is_made).await.unwrap();
        }
        talk.says(&talk.ana, "What time is it?").await;
        talk.until_heard("Now let me think. It is late.").await;
        assert_eq!(lines(&talk.remembered().await)[2], ("Mika", "Now let me think. It is late."));
        let made = talk.tongue.spoken().iter().filter(|phrase| phrase.text == "Now let me think.").count();
        assert_eq!(made, 1);
        talk.ends().await;
    }
}

/// A call without keys, in which the familiar has greeted, was asked something and begins to answer aloud. Words are
/// understood by a recogniser on this machine.
async fn asked_without_keys(local: &SpeechWorld, engines: String, question: &str, answer: &str) -> Talk {
    let options = TalkOptions { profile: brisk(), keyless: Some(engines), ..TalkOptions::default() };
    let talk = Talk::start(options).await;
    talk.model_says(question, answer);
    talk.ana_calls_quietly().await;
    talk.until("a greeting", |hearing| hearing.first_sound().is_some()).await;
    talk.settled().await;
    talk.until("the end of the greeting", |hearing| hearing.is_over).await;
    talk.forget();
    local.answers(Answer::json(&serde_json::json!({ "text": question }).to_string()));
    talk.says(&talk.ana, question).await;
    talk.until("a spoken reply", |hearing| hearing.first_sound().is_some()).await;
    talk
}

/// With nothing but the address of a model: a recogniser on this machine, and a program that speaks (voice 6).
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn without_any_key_it_is_called_in_hears_and_speaks() {
    let local = SpeechWorld::start().await;
    let folder = tempfile::tempdir().unwrap();
    let sound = folder.path().join("sound.wav");
    std::fs::write(&sound, wav_bytes(22_050, &tone(22_050, 600))).unwrap();
    let script = format!("cat >/dev/null\nexec cat {}", sound.display());
    let program = crate::support::programs::program(folder.path(), "speaks", &script);
    let engines = format!(
        "[stt]\nopenai_url = \"{}\"\n[tts]\ncommand = \"{}\"\n",
        local.http("/v1"),
        program.display()
    );
    let talk = asked_without_keys(&local, engines, "What time is it?", "It is late.").await;
    let remembered = talk.remembered().await;
    assert_eq!(lines(&remembered)[1..], [("Ana", "What time is it?"), ("Mika", "It is late.")]);
    assert!(local.asked().iter().all(|asked| asked.header("authorization").is_empty()));
    talk.ends().await;
}

/// How alike the loudness of what was heard, frame by frame, is to that of a sound, wherever it begins: 1 for the same.
fn alike(heard: &[f32], sound: &[f32]) -> f32 {
    let shifted = |shift: usize| -> Vec<f32> {
        let frames = sound.get(shift..).unwrap_or_default().chunks(FRAME);
        frames.map(|frame| frame.iter().map(|sample| sample.abs()).fold(0.0, f32::max)).collect()
    };
    let correlation = |one: &[f32], other: &[f32]| {
        let count = one.len().min(other.len());
        let (one, other) = (&one[..count], &other[..count]);
        let mean = |all: &[f32]| all.iter().sum::<f32>() / count as f32;
        let (a, b) = (mean(one), mean(other));
        let product: f32 = one.iter().zip(other).map(|(x, y)| (x - a) * (y - b)).sum();
        let spread = |all: &[f32], mean: f32| all.iter().map(|x| (x - mean).powi(2)).sum::<f32>().sqrt();
        product / (spread(one, a) * spread(other, b))
    };
    let begins = (0..FRAME).step_by(FRAME / 10);
    let pairs = begins.flat_map(|shift| (0..4).map(move |late| (shift, late)));
    pairs.map(|(shift, late)| correlation(&heard[late..], &shifted(shift))).fold(0.0, f32::max)
}

/// espeak-ng itself is what speaks where nothing is set up (voice 3.2), and this is what it says.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[cfg_attr(not(has_espeak), ignore = "needs espeak-ng")]
async fn with_nothing_but_espeak_installed_it_speaks_with_that() {
    const ANSWER: &str = "The boats came home late tonight.";
    let said = |text: &str| espeak(text, "en-gb", 165);
    let [answer, other] = [ANSWER, "Nobody knows what a lamp is for."].map(|text| said(text).unwrap());
    let local = SpeechWorld::start().await;
    let engines = format!("[stt]\nopenai_url = \"{}\"\n[tts]\n", local.http("/v1"));
    let talk = asked_without_keys(&local, engines, "What about the boats?", ANSWER).await;
    talk.settled().await;
    talk.until("the end of the reply", |hearing| hearing.is_over).await;
    let heard: Vec<f32> = talk.hearing(|hearing| {
        let sounding = hearing.packets.iter().skip_while(|(_, peak)| *peak < AUDIBLE);
        sounding.map(|(_, peak)| *peak).collect()
    });
    let (right, wrong) = (alike(&heard, &answer), alike(&heard, &other));
    assert!(right > 0.95 && wrong < 0.6, "like the answer {right}, like something else {wrong}");
    let remembered = talk.remembered().await;
    assert_eq!(lines(&remembered)[1..], [("Ana", "What about the boats?"), ("Mika", ANSWER)]);
    talk.ends().await;
}
