//! Takes turns in a talk that is written down: `cargo run -p familiar-voice --example talk`.
//!
//! Ada talks with the familiar Pell, pauses to think, and talks over the answer; "mm-hm" stops nothing, "stop" does. The
//! machine knows no clock: the talk of a quarter of a minute takes no time.

#![allow(clippy::print_stdout, reason = "that is what it is for")]

use std::time::Duration;

use familiar_chat::domain::AccountId;
use familiar_voice::turn::{Effect, TurnEvent, TurnMachine, TurnSettings};

/// What is said over an answer, with when it begins and ends, in milliseconds.
const TALK: [(u64, u64, &str); 5] = [
    (0, 1_200, "so I was thinking about the"),
    (2_000, 3_600, "old lighthouse Pell do you know who built it"),
    (5_500, 5_800, "mm-hm"),
    (8_000, 8_600, "stop"),
    (10_500, 11_900, "tell me about the storm instead"),
];

/// A recogniser tells the last words so long after somebody stopped.
const RECOGNISER: u64 = 250;

fn settings() -> TurnSettings {
    TurnSettings {
        names: vec!["Pell".to_owned()],
        tolerance: 0.3,
        min_interruption: Duration::from_secs(2),
        short_long_boundary: Duration::from_secs(30),
        joins_in_after: None,
        interjection: None,
        speculations: false,
        fillers: false,
        backchannels: false,
        hears_words: true,
        notices_buttons: true,
        wake_window: None,
        ends_turns: false,
        hears_partials: true,
    }
}

/// Prints what is decided; gives whether an answer is wanted.
fn decided(at: u64, effects: &[Effect]) -> bool {
    for effect in effects {
        match effect {
            Effect::Submit { said } => {
                for one in said {
                    println!("{at:>6} ms  a turn: {:?}", one.text);
                }
            }
            Effect::Dropped { why, .. } => println!("{at:>6} ms  no turn: {why:?}"),
            Effect::Duck(quiet) => {
                println!("{at:>6} ms  Pell is {}", if *quiet { "quieter" } else { "as loud as before" })
            }
            Effect::Pause => println!("{at:>6} ms  Pell pauses"),
            Effect::Resume => println!("{at:>6} ms  Pell goes on"),
            Effect::Abandon { .. } => println!("{at:>6} ms  Pell falls silent"),
            _ => {}
        }
    }
    effects.iter().any(|effect| matches!(effect, Effect::Submit { .. }))
}

fn main() {
    let ada = AccountId::discord(1);
    let mut events = vec![(
        0,
        TurnEvent::Joined { who: ada.clone(), name: "Ada".to_owned(), is_bot: false, can_stop: true },
    )];
    for (begin, end, text) in TALK {
        let voice = |on, at| TurnEvent::Voice { who: ada.clone(), on, at: Duration::from_millis(at) };
        events.push((begin, voice(true, begin)));
        events.push((begin + 250, TurnEvent::Partial { who: ada.clone(), text: text.to_owned() }));
        events.push((end, voice(false, end)));
        let words = TurnEvent::Final { who: ada.clone(), text: text.to_owned(), answers: true };
        events.push((end + RECOGNISER, words));
    }
    events.sort_by_key(|(at, _)| *at);

    let mut machine = TurnMachine::new(settings(), 1);
    let (mut next, mut reply) = (0, 0);
    for at in (0..15_000).step_by(10) {
        let now = Duration::from_millis(at);
        let mut effects = machine.tick(now);
        while let Some((_, event)) = events.get(next).filter(|(due, _)| *due <= at) {
            effects.extend(machine.handle(now, event.clone()));
            next += 1;
        }
        if decided(at, &effects) {
            // An answer that takes long, so that somebody can talk over it.
            reply += 1;
            let text = "It was built by a man who never saw the sea before".to_owned();
            println!("{at:>6} ms  Pell: {text:?}");
            let opened = TurnEvent::Opened { reply, whom: Some(ada.clone()), unasked: false };
            for event in [opened, TurnEvent::Saying { reply, text }, TurnEvent::Audible { reply }] {
                decided(at, &machine.handle(now, event));
            }
        }
    }
    decided(15_000, &machine.close());
}
