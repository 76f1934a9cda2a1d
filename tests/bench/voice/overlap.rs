//! Somebody speaks while the familiar does: how soon it is quieter, how soon silent, and whether what is remembered is
//! what was heard.

use std::time::Duration;

use tokio::time::Instant;

use crate::figures::{Figures, timing_of_silence};
use crate::log::{Entry, Log};
use crate::pass;
use crate::support::talk::{Talk, TalkOptions, bare_words};
use crate::table::Table;
use crate::turns::{audible, wait_for_answer};

const STORY: &str = "The river is very old and very slow and nobody living knows where it begins. Some say under the \
    glacier, some say behind the moon, and the ferryman says nothing whatsoever about that because he has never been \
    there and will not go before spring.";

/// 10 dB quieter is this much of what it was.
const QUIETER: f32 = 0.316;

/// What was measured.
#[derive(Default)]
pub struct Overlaps {
    rounds: usize,
    /// So many words more or less are no fault.
    words: usize,
    ducked: Vec<Duration>,
    silent: Vec<Duration>,
    stopped: Vec<Duration>,
    /// Rounds that were broken off; those in which what is remembered differs by so many words from what was heard.
    broken_off: usize,
    within: usize,
    exact: usize,
    overheard: usize,
}

/// Interrupts so many stories. What is remembered may differ by so many words.
pub async fn measure(options: &TalkOptions, log: &Log, rounds: usize, words: usize) -> Overlaps {
    let settings =
        "[voice.interruption]\ninterrupt_tolerance = \"very_meek\"\nmin_interruption_s = 0.0\n".to_owned();
    let talk = Talk::start(TalkOptions { settings, ..options.clone() }).await;
    talk.ana_calls().await;
    let mut overlaps = Overlaps { rounds, words, ..Overlaps::default() };
    for round in 0..rounds {
        overlaps.round(&talk, log, round).await;
    }
    talk.ends().await;
    overlaps
}

impl Overlaps {
    async fn round(&mut self, talk: &Talk, log: &Log, round: usize) {
        let (ask, stop) =
            (format!("Tell me story {round}."), format!("No, I meant the other one, number {round}."));
        talk.model_says(&ask, STORY);
        talk.model_says(&stop, "Oh.");
        talk.settled().await;
        pass(Duration::from_millis(60)).await;
        talk.forget();
        let before = talk.remembered().await.len();
        talk.says(&talk.ana, &ask).await;
        talk.until("the story", |hearing| hearing.words().len() >= 4 + round % 5).await;
        log.take();
        let said = talk.says(&talk.ana, &stop).await;
        wait_for_end(talk).await;
        talk.settled().await;

        let packets = talk.hearing(|hearing| audible(&hearing.packets));
        let loud = packets.iter().map(|(_, peak)| *peak).fold(0.0, f32::max);
        let is_quieter = |peak: f32| peak <= loud * QUIETER;
        let after: Vec<(Instant, f32)> =
            packets.iter().copied().filter(|(at, _)| *at >= said.began).collect();
        // The end of a word may be a quiet packet: the next one must be quiet, too.
        let ducked = after.windows(2).find(|pair| is_quieter(pair[0].1) && is_quieter(pair[1].1));
        if let Some(pair) = ducked {
            self.ducked.push(pair[0].0 - said.began);
        }
        let stopped = log.take().into_iter().find_map(|entry| match entry {
            Entry::Silent { at } => Some(at),
            _ => None,
        });
        let Some(stopped) = stopped else { return };
        // What comes after a pause is the other answer.
        let until_pause =
            after.windows(2).position(|pair| pair[1].0 - pair[0].0 > Duration::from_millis(150));
        let Some(last) = until_pause.map_or(after.last(), |at| after.get(at)) else { return };
        self.broken_off += 1;
        self.silent.push(last.0 - said.began);
        self.stopped.push(last.0.saturating_duration_since(stopped));
        let heard = talk.hearing(|hearing| {
            hearing.words().iter().filter(|word| word.began <= last.0 && word.share >= 0.5).count()
        });
        let remembered = talk.remembered().await;
        let story = remembered.iter().skip(before).find(|(who, words)| who == "Mika" && words != "Oh.");
        let stored = story.map_or(0, |(_, words)| bare_words(words).len());
        self.exact += usize::from(stored == heard);
        self.within += usize::from(stored.abs_diff(heard) <= self.words);
        self.overheard += usize::from(stored > heard + self.words);
    }

    /// The figures; `aim`: words, and in what share of all rounds what is remembered differs by no more.
    pub fn table(self, title: &str, (words, aim): (usize, f64)) -> Table {
        let mut figures = Figures::new(&format!("Talked over, cloud-2026, {title}"));
        figures.times("first voiced frame to 10 dB quieter", self.ducked, (Some(160), Some(220)));
        let marks: Vec<f64> = self.silent.iter().map(|after| timing_of_silence(*after)).collect();
        figures.times("first voiced frame to silence", self.silent, (Some(480), Some(650)));
        figures.score("timing of its giving way, by EVA's curve", &marks, None);
        figures.times("order to stop to last packet with sound", self.stopped, (None, Some(40)));
        figures.share("broken off", self.broken_off, self.rounds, Some(0.98));
        let within = format!("remembered as heard, to {words} word(s)");
        figures.share(&within, self.within, self.broken_off, Some(aim));
        figures.share("remembered exactly as heard", self.exact, self.broken_off, None);
        figures.waste("more remembered than heard", self.overheard, self.broken_off, 0.01);
        figures.table()
    }
}

/// Waits until the other answer was heard, or nothing more comes.
async fn wait_for_end(talk: &Talk) {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(12) {
        wait_for_answer(talk, usize::MAX, Duration::from_millis(400)).await;
        let is_over = talk.hearing(|hearing| hearing.words().last().is_some_and(|word| word.word == "oh"));
        if is_over {
            return;
        }
        pass(Duration::from_millis(50)).await;
    }
}
