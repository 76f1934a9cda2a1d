//! Several people: who said what, what it costs to come in, and keys that change while somebody speaks.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::figures::Figures;
use crate::log::Log;
use crate::pass;
use crate::receiving::{heard, with_sound};
use crate::support::talk::{Talk, TalkOptions, Talker};
use crate::support::voice::{Committer, VoiceOptions};

/// Four people speak at once.
pub async fn overlapping(figures: &mut Figures) {
    let talk = Talk::start(TalkOptions::default()).await;
    talk.ana_calls().await;
    let others = [talk.joins("Ben", 1).await, talk.joins("Cleo", 2).await, talk.joins("Dora", 3).await];
    let [ben, cleo, dora] = &others;
    let lines = [
        (&talk.ana, "Ben, have you seen the lamp that was here yesterday?"),
        (ben, "Cleo, the kettle is boiling over again, is it not?"),
        (cleo, "Dora, your coat hangs on the other door, I think."),
        (dora, "Ana, the bridge is closed until Monday, they told me."),
    ];
    let say = |at: usize| {
        let (who, line): (&Talker, &str) = lines[at];
        talk.says(who, line)
    };
    tokio::join!(say(0), say(1), say(2), say(3));
    let began = Instant::now();
    while talk.ears.understood().len() < lines.len() && began.elapsed() < Duration::from_secs(5) {
        pass(Duration::from_millis(20)).await;
    }
    pass(Duration::from_millis(1500)).await;
    let connections = talk.ears.connections();
    let blocks =
        |heard: &HashMap<usize, usize>| (heard.values().max().copied(), heard.values().sum::<usize>());
    let (right, all) = connections
        .iter()
        .map(|(_, heard)| blocks(heard))
        .fold((0, 0), |(right, all), (most, sum)| (right + most.unwrap_or_default(), all + sum));
    figures.share("four at once: sound at its own recogniser", right, all, Some(1.0));
    let remembered = talk.remembered().await;
    let names = ["Ana", "Ben", "Cleo", "Dora"];
    let is_there = |(name, (_, line)): &(&str, (&Talker, &str))| {
        remembered.iter().any(|(who, words)| who == name && words == line)
    };
    let named = names.into_iter().zip(lines).filter(is_there).count();
    figures.share("four at once: words under the right name", named, lines.len(), Some(1.0));
    talk.ends().await;
}

/// Keys change so often while Ana speaks.
pub async fn rekeys(log: &Log, count: usize, figures: &mut Figures) {
    let voice = VoiceOptions::encrypted(Committer::People);
    let talk = Talk::start(TalkOptions { voice, ..TalkOptions::default() }).await;
    talk.ana_calls().await;
    let guest = talk.home.member("guest");
    let (changes, _) = talk.voice.key_changes(&talk.lounge);
    log.take();
    let words = vec!["and"; count.max(4)].join(" ");
    let comings = async {
        let began = Instant::now();
        for number in 0..count {
            // As many as there are words, each at its time.
            let due = Duration::from_millis(250) * u32::try_from(number).unwrap();
            pass(due.saturating_sub(began.elapsed())).await;
            if number % 2 == 0 {
                guest.joins(&talk.lounge, true)
            } else {
                guest.leaves(&talk.lounge)
            }
            talk.voice.is_settled(&talk.lounge).await;
        }
    };
    let (said, ()) = tokio::join!(talk.says(&talk.ana, &words), comings);
    let (after, refused) = talk.voice.key_changes(&talk.lounge);
    let frames = with_sound(&said.sent);
    let heard = heard(log, &said.sent).len();
    figures.share(
        &format!("frames heard over {} changes of keys", after - changes),
        heard,
        frames,
        Some(0.995),
    );
    figures.note(format!("changes of keys that the bot could not follow: {refused}"));
    talk.ends().await;
}

/// From the command to listening.
pub async fn joins(count: usize, figures: &mut Figures) {
    let mut took = [Vec::new(), Vec::new()];
    for (at, voice) in
        [VoiceOptions::default(), VoiceOptions::encrypted(Committer::People)].into_iter().enumerate()
    {
        for _ in 0..count {
            let talk = Talk::start(TalkOptions { voice, ..TalkOptions::default() }).await;
            let asked = Instant::now();
            talk.ana_calls_quietly().await;
            let connected = Instant::now();
            while talk.ears.connections().is_empty() && asked.elapsed() < Duration::from_secs(10) {
                pass(Duration::from_millis(2)).await;
            }
            let listens = talk.ears.connections().first().map_or(Instant::now(), |(at, _)| *at);
            took[at].push(listens.max(connected) - asked);
            talk.ends().await;
        }
    }
    let [plain, encrypted] = took;
    figures.times("called in to listening", plain, (None, Some(1500)));
    figures.times("called in to listening, members encrypt", encrypted, (None, Some(1500)));
}
