use super::*;

const DEV: &str = include_str!("../../../../../../tests/fixtures/voice/pauses-dev.txt");
const HELD: &str = include_str!("../../../../../../tests/fixtures/voice/pauses-held.txt");
const THIRD: &str = include_str!("../../../../../../tests/fixtures/voice/pauses-third.txt");
const FOURTH: &str = include_str!("../../../../../../tests/fixtures/voice/pauses-fourth.txt");
const UNSEEN: &str = include_str!("../../../../../../tests/fixtures/voice/pauses-fifth.txt");

/// How long others take, in milliseconds.
#[derive(Debug, Clone, Copy)]
struct Services {
    /// A recogniser for its last words.
    words: u64,
    /// A model for the first phrase.
    model: u64,
    /// A voice for its first sound.
    voice: u64,
    /// Whether the first phrase of an answer is spoken, for nobody to hear, before it is wanted.
    speaks_ahead: bool,
}

/// Services that take no time: the rules alone.
const RULES: Services = Services { words: 0, model: 0, voice: 0, speaks_ahead: true };

/// Good ones of 2026 (voice 1: 247, 412 and 35, 188).
const CLOUD: Services = Services { words: 250, model: 447, voice: 188, speaks_ahead: false };

impl Services {
    fn ready_after(self) -> u64 {
        if self.speaks_ahead { self.model + self.voice } else { self.model }
    }

    /// When an answer is heard that was begun then and is wanted then.
    fn heard(self, begun: u64, wanted: u64) -> u64 {
        if self.speaks_ahead {
            wanted.max(begun + self.model + self.voice)
        } else {
            wanted.max(begun + self.model) + self.voice
        }
    }
}

#[derive(Debug, Default)]
struct Figures {
    with_pauses: usize,
    cut_off: usize,
    pauses: usize,
    pauses_cut: usize,
    /// Of them those in which the answer would have begun to sound.
    pauses_heard: usize,
    /// By how much an answer is heard later than if the end had been known as it came, of those that were not cut off:
    /// all, and those without a pause.
    waits: Vec<u64>,
    plain_waits: Vec<u64>,
}

fn figures(set: &'static str, services: Services) -> Figures {
    let mut figures = Figures::default();
    for line in set.lines() {
        let (_, text) = line.split_once('|').unwrap();
        let talk = Talk::plain(text);
        let mut play = Play::of(&["ana"]);
        (play.answers_after, play.ready_after) = (services.words, services.ready_after());
        play.run(1_000);
        let start = play.scene.now;
        play.says("ana", &talk);
        play.run(talk.lasts() + 12_000);
        let ended = start + talk.lasts();
        let answers = answers(&play.scene, services);
        // What comes behind a pause is told a moment later.
        let cut: Vec<(u64, u64)> = answers.iter().copied().filter(|(at, _)| *at < ended).collect();
        let pauses = talk.parts.len() - 1;
        figures.pauses += pauses;
        figures.pauses_cut += cut.len();
        let goes_on = |at: u64| {
            talk.parts.iter().map(|part| start + part.begins + FOUND_AFTER).find(|begins| *begins > at)
        };
        let is_heard = |(at, heard): &(u64, u64)| goes_on(*at).is_some_and(|begins| begins > *heard);
        figures.pauses_heard += cut.iter().filter(|answer| is_heard(answer)).count();
        figures.with_pauses += usize::from(pauses > 0);
        figures.cut_off += usize::from(!cut.is_empty());
        let heard = answers.last().map_or(u64::MAX, |(_, heard)| *heard);
        let wait = heard.saturating_sub(services.heard(ended, ended));
        if cut.is_empty() {
            figures.waits.push(wait);
            if pauses == 0 {
                figures.plain_waits.push(wait);
            }
        }
        if !cut.is_empty() || wait > 600 {
            look!(set, "{}{wait} ms: {line}", if cut.is_empty() { "" } else { "CUT " });
        }
    }
    figures
}

/// When they were taken to be finished, and when the answer to that can be heard.
fn answers(scene: &Scene, services: Services) -> Vec<(u64, u64)> {
    let begun = |speculation| {
        let is_it = |effect: &Effect| matches!(effect, Effect::Speculate { speculation: known, .. } if *known == speculation);
        scene.done.iter().find(|(_, effect)| is_it(effect)).map(|(at, _)| *at)
    };
    let answer = |(at, effect): &(u64, Effect)| match effect {
        Effect::Submit { said } => {
            let early = said.iter().find_map(|one| one.speculation).and_then(begun);
            Some((*at, services.heard(early.unwrap_or(*at), *at)))
        }
        _ => None,
    };
    scene.done.iter().filter_map(answer).collect()
}

fn mean(values: &[u64]) -> u64 {
    values.iter().sum::<u64>() / values.len().max(1) as u64
}

/// What is really reached, and not less. The aims, 8 % and 300 ms (voice 6), are reached with services that take
/// their time, for that time is listened through; the rules alone reach the first. Not so on `fourth` and `fifth`, whose people
/// pause more: 15.3 and 16.9 % with good services (**missed**), 7.1 and 6.0 % with a voice that speaks ahead. `fifth` is unseen.
#[test]
fn s2_2_who_pauses_is_not_cut_off_and_who_is_finished_does_not_wait() {
    let ahead = Services { speaks_ahead: true, ..CLOUD };
    for (what, services, most_cut_off, longest_wait) in [
        ("the rules alone", RULES, [5, 5, 1, 15, 15], [540, 580, 560, 620, 560]),
        ("good services", CLOUD, [3, 4, 1, 13, 14], [240, 275, 275, 375, 275]),
        ("and a voice that speaks ahead", ahead, [1, 1, 0, 6, 5], [230, 265, 235, 340, 235]),
    ] {
        for (at, (name, set)) in
            [("dev", DEV), ("held", HELD), ("third", THIRD), ("fourth", FOURTH), ("fifth", UNSEEN)]
                .into_iter()
                .enumerate()
        {
            let figures = figures(set, services);
            let (wait, plain) = (mean(&figures.waits), mean(&figures.plain_waits));
            eprintln!(
                "pauses {name}, {what}: {} of {} people cut off ({:.1} %), {} of {} pauses ({:.1} %), {} to be heard; the \
                 answer comes {wait} ms later than if the end were known, without pauses {plain} ms",
                figures.cut_off,
                figures.with_pauses,
                share(figures.cut_off, figures.with_pauses),
                figures.pauses_cut,
                figures.pauses,
                share(figures.pauses_cut, figures.pauses),
                figures.pauses_heard,
            );
            assert!(figures.cut_off <= most_cut_off[at], "{name}, {what}: {figures:?}");
            assert!(plain <= longest_wait[at], "{name}, {what}: {plain} ms");
            let is_as_aimed = wait <= 300 && figures.pauses_cut * 100 <= figures.pauses * 8;
            let is_missed =
                services.model == 0 || (!services.speaks_ahead && matches!(name, "fourth" | "fifth"));
            assert!(is_as_aimed || is_missed, "{name}, {what}: {figures:?}");
        }
    }
}
