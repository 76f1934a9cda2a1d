//! From a packet that reaches this machine to the answer whether there is a voice in it.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::figures::Figures;
use crate::log::{Entry, Log};
use crate::support::talk::{Talk, TalkOptions};
use crate::support::voice::{Line, Spoken};

/// Ana speaks for so long, over a bad line.
pub async fn measure(log: &Log, lasts: Duration, figures: &mut Figures) {
    let talk = Talk::start(TalkOptions::default()).await;
    talk.ana_calls().await;
    let bad =
        Line { jitter: Duration::from_millis(20), loss: 0.02, reordered: 0.01, seed: 7, ..Line::default() };
    let lines = [("a quiet line", Line::default()), ("20 ms of jitter, 2 % lost", bad)];
    for (name, line) in lines {
        let mut ana = talk.ana.clone();
        ana.line = line;
        log.take();
        let words = vec!["and"; usize::try_from(lasts.as_millis() / 250).unwrap()].join(" ");
        let said = talk.says(&ana, &words).await;
        let heard = heard(log, &said.sent);
        let frames = with_sound(&said.sent);
        let aims = if ana.line.loss > 0.0 { (Some(3), Some(25)) } else { (None, None) };
        let count = heard.len();
        figures.times(&format!("packet to voice or no voice, {name}"), heard, aims);
        figures.share(&format!("packets heard, {name}"), count, frames, Some(0.98));
    }
    talk.ends().await;
}

/// Packets with sound that were not lost.
pub fn with_sound(sent: &Spoken) -> usize {
    sent.delivered.iter().filter(|(at, ..)| *at < sent.frames.len()).count()
}

/// How long it took for each packet with sound.
pub fn heard(log: &Log, sent: &Spoken) -> Vec<Duration> {
    let heard: HashMap<u16, Instant> = log
        .take()
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Heard { at, ssrc, sequence } if ssrc == sent.ssrc => Some((sequence, at)),
            _ => None,
        })
        .collect();
    let with_sound = sent.delivered.iter().filter(|(at, ..)| *at < sent.frames.len());
    let both = with_sound.filter_map(|(_, sequence, left)| Some((heard.get(sequence)?, left)));
    both.map(|(heard, left)| heard.saturating_duration_since(*left)).collect()
}
