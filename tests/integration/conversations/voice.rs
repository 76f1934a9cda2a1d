//! Spoken: few words, no thinking, nothing that cannot be said aloud.

use std::sync::Arc;

use familiar_connect::domain::*;
use familiar_connect::world::CallVoice;

use super::{Cast, Play};
use crate::support::call::in_call;
use crate::support::stage::{APART, CALLED};

#[tokio::test(start_paused = true)]
async fn a_play_aloud() {
    let mut play = Play::open("default_mode = \"imitate_voice\"\n").await;
    play.modality = Modality::Voice;
    play.stage.models.take_tools();
    play.stage.models.play(Slot::ReasoningContext);
    play.stage.models.play(Slot::PostProcessStyle);
    play.stage.world.guild(&GuildId::from(7), |guild| {
        guild.calls = Arc::new(vec![in_call("ben", CallVoice::Speaking), in_call("cleo", CallVoice::Silent)]);
    });
    let first = play.asks("ben", "hey Mika, can you hear us?", "**Loud** and clear, Ben! 🎉").await;
    play.asks(
        "cleo",
        "hi, how long does the crossing take tonight?",
        "About *twenty* minutes:\n- ten to the buoy\n- ten home",
    )
    .await;
    play.asks("ben", "my knee hurts, should I sit down?", "Sit by the stove.").await;
    play.overhears_with("cleo", "Ben, give me the blanket", APART).await;
    let later = play
        .answered(
            "ben",
            "do you remember what I told you about my knee, and what did Cleo want to know about the crossing tonight?",
            CALLED,
            Cast::says("You said it hurts. See [the timetable](https://ferry.example/t) for the rest."),
        )
        .await;
    play.asks(
        "cleo",
        "write us a long story about everything we did this year",
        "Not before the other bank.",
    )
    .await;
    play.asks("ben", "ok", "Good.").await;
    play.asks("cleo", "thanks, bye", "Bye, you two.").await;
    assert_eq!(
        play.stage.delivered(),
        [
            "Loud and clear, Ben!",
            "About twenty minutes: ten to the buoy. ten home.",
            "Sit by the stove.",
            "You said it hurts. See the timetable for the rest.",
            "Not before the other bank.",
            "Good.",
            "Bye, you two.",
        ]
    );
    let turns = play.turns().await;
    assert!(turns.iter().all(|turn| turn.modality == Modality::Voice));
    assert!(turns.iter().flat_map(|turn| &turn.calls).all(|call| call.slot == Slot::MainProse));
    assert!(turns.iter().all(|turn| turn.processing.rounds.is_empty()));
    insta::assert_snapshot!("voice_first_prompt", first);
    insta::assert_snapshot!("voice_later_prompt", later);
    insta::assert_snapshot!("voice_turns", play.told().await);
}
