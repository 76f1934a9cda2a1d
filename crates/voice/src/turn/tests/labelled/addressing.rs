use std::collections::BTreeSet;

use super::*;
use crate::endpoint::normalized;

const DEV: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-dev.txt");
const HELD: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-held.txt");
const THIRD: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-third.txt");
const FOURTH: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-fourth.txt");
const FIFTH: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-fifth.txt");
const SIXTH: &str = include_str!("../../../../../../tests/fixtures/voice/dialogues-sixth.txt");

/// Between two people's turns, and before the familiar's, in milliseconds.
const GAP: u64 = 700;

#[derive(Debug, Default, Clone, Copy)]
struct Figures {
    right: usize,
    wrong: usize,
    missed: usize,
    /// Lines that would be answered twice.
    twice: usize,
    /// How often the model was to say for whom it was, and how often it was for the familiar.
    asked: usize,
    found: usize,
}

impl Figures {
    fn precision(self) -> f64 {
        share(self.right, self.right + self.wrong)
    }

    fn recall(self) -> f64 {
        share(self.right, self.right + self.missed)
    }
}

/// `is_bare`: the recogniser writes no punctuation and no capitals.
fn figures(set: &str, is_bare: bool) -> Figures {
    let mut figures = Figures::default();
    for dialogue in set.split("== ").filter(|one| !one.is_empty()) {
        play(dialogue, is_bare, &mut figures);
    }
    figures
}

fn play(dialogue: &str, is_bare: bool, figures: &mut Figures) {
    let mut play = Play::of(&["ana", "bob", "cleo"]);
    let mut partner = "ana";
    let mut lines = Vec::new();
    let mut reply = 0;
    play.run(60_000);
    for line in dialogue.lines().skip(1) {
        let (gap, line) = match line.strip_prefix('+') {
            Some(rest) => {
                let (gap, rest) = rest.split_once(' ').unwrap();
                (gap.parse::<u64>().unwrap() * 1_000, rest)
            }
            None => (GAP, line),
        };
        let (is_for_it, line) = line.strip_prefix('*').map_or((false, line), |line| (true, line));
        let (who, text) = line.split_once(": ").unwrap();
        play.run(gap);
        if who == "mika" {
            reply += 1;
            // Nobody answers before somebody has finished.
            while play.scene.machine.talking().next().is_some() {
                play.run(100);
            }
            play.scene.speaks(reply, partner, text);
            play.run(text.len() as u64 * 60);
            play.scene.closes(reply);
            continue;
        }
        let text = if is_bare { bare(text) } else { text.to_owned() };
        let talk = Talk::plain(&text);
        let lasts = talk.lasts();
        play.says(who, &talk);
        play.run(lasts);
        if is_for_it {
            partner = who;
        }
        lines.push((who, text, is_for_it));
    }
    play.run(10_000);
    let mut said: Vec<&FinishedUtterance> = Vec::new();
    for (_, effect) in &play.scene.done {
        if let Effect::Submit { said: together } = effect {
            said.extend(together);
        }
    }
    let mut counted = BTreeSet::new();
    for (who, text, is_for_it) in &lines {
        let words = normalized(text);
        let is_of = |one: &&&FinishedUtterance| one.who == account(who) && normalized(&one.text) == words;
        let mut of_this: Vec<&&FinishedUtterance> = said.iter().filter(is_of).collect();
        let mut is_for_it = *is_for_it;
        if of_this.is_empty() {
            // Two things said in one breath are one; it is for the familiar if either is.
            of_this = said.iter().filter(|one| normalized(&one.text).contains(&words)).collect();
            is_for_it |= of_this.iter().any(|one| {
                lines.iter().any(|(_, other, is)| *is && normalized(&one.text).contains(&normalized(other)))
            });
        }
        // Two lines of one breath count once.
        if of_this.first().is_some_and(|one| !counted.insert(one.utterance)) {
            continue;
        }
        let asked = of_this.iter().any(|one| one.verdict == Verdict::Perhaps);
        figures.asked += usize::from(asked);
        figures.found += usize::from(asked && is_for_it);
        // The model's verdict is the label: what it is told apart by is not what is looked at here.
        let is_answered =
            |verdict: Verdict| verdict.is_for_familiar() || (verdict == Verdict::Perhaps && is_for_it);
        let answered = of_this.iter().filter(|one| is_answered(one.verdict)).count();
        figures.twice += usize::from(answered > 1);
        match (is_for_it, answered > 0) {
            (true, true) => figures.right += 1,
            (false, false) => {}
            (true, false) => {
                figures.missed += 1;
                eprintln!("missed: {who}: {text} ({:?})", of_this.first().map(|one| one.verdict));
            }
            (false, true) => {
                figures.wrong += 1;
                eprintln!("wrong: {who}: {text} ({:?})", of_this.first().map(|one| one.verdict));
            }
        }
    }
}

fn bare(text: &str) -> String {
    let kept: String =
        text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '\'' | '-')).collect();
    kept.to_lowercase()
}

/// What is really reached, and not less (aims, voice 6: 95 and 95 by the rules and a model's verdicts, which are the
/// labels here). A question to the model costs a request, and most of them come to nothing: it is asked about a fifth of the 200
/// lines each of `dev` and `held` that are for somebody else, and about two fifths of the 86 in `third`.
/// What each set showed while it was unseen stands in `docs/reference/performance.md`: 84 to 97 and 79 to 100.
#[test]
fn s2_5_it_knows_what_is_meant_for_it_among_three_people() {
    for (name, set, precision, recall) in [
        ("dev", DEV, 99.5, 97.5),
        ("held", HELD, 98.5, 94.5),
        ("third", THIRD, 99.0, 97.0),
        ("fourth", FOURTH, 98.0, 98.0),
        ("fifth", FIFTH, 94.5, 97.0),
        ("sixth", SIXTH, 96.0, 86.0),
    ] {
        for is_bare in [false, true] {
            let figures = figures(set, is_bare);
            eprintln!(
                "addressing {name}{}: precision {:.1} %, recall {:.1} %, {figures:?}",
                if is_bare { ", bare" } else { "" },
                figures.precision(),
                figures.recall()
            );
            assert!(figures.asked - figures.found <= 56, "{name}: asked for nothing: {figures:?}");
            assert_eq!(figures.twice, 0, "{name}: nothing is answered twice");
            assert!(figures.precision() >= precision && figures.recall() >= recall, "{name}: {figures:?}");
        }
    }
}
