//! A scene in novel style: it thinks first, what it wrote is polished, lore and a backdrop set the scene.

use familiar_connect::config::FamiliarHome;
use familiar_connect::domain::*;
use familiar_connect::familiar::{Existing, Writing, import_lorebook};
use serde_json::json;

use super::{Cast, Play};
use crate::support::stage::{CALLED, ferry};

const THOUGHTS: &str = "<thoughts>\n- He hides something under that coat.\n</thoughts>\n<plans>\n1. Let him come to it.\n</plans>";

/// One line of the scene: what is done and said, what the model writes, and what polishing makes of it.
const SCENE: [(&str, &str, &str, &str); 9] = [
    (
        "alice",
        "*Alice steps over the rope, lantern high.* \"You are late tonight, ferrywoman.\"",
        "She shrugs and looks at the water. \"The river was late,\" she says. She looks at the water again.",
        "A shrug, eyes on the water. \"The river was late,\" she says, and leaves it there.",
    ),
    (
        "ben",
        "*Ben follows with a heavy coat, one hand pressed to his ribs.* \"Is there room by the stove?\"",
        "She nods at the stove. \"There is always room,\" she says. She nods again at the coat.",
        "A nod at the stove. \"There is always room,\" she says. \"Hang the coat up.\"",
    ),
    (
        "alice",
        "*She glances at the tower.* \"They say the copper bell rang last night.\"",
        "\"It rang,\" she says quietly. \"It rang twice, and I counted.\" She looks at the tower for long.",
        "\"It rang,\" she says. \"Twice. I counted.\" The tower stays dark.",
    ),
    (
        "ben",
        "*He flinches at the word bell.* \"Nobody died. Nobody I know of.\"",
        "She looks at him and pours tea. \"Nobody,\" she says. She pours tea for him as well.",
        "Tea first, then a look. \"Nobody,\" she says, and fills a second cup.",
    ),
    (
        "alice",
        "*She sets the lantern down between them.* \"Tell her, Ben.\"",
        "She waits and the engine hums. She waits longer. \"Tea gets cold,\" she says to him at last.",
        "The engine hums. \"Tea gets cold,\" she says at last, to nobody in particular.",
    ),
    (
        "ben",
        "*He opens the coat: a small copper clapper, wrapped in sailcloth.* \"I took it down. So it cannot ring again.\"",
        "She looks at the clapper and does not touch it. \"Then what rang,\" she says, \"the second time?\"",
        "She does not touch it. \"Then what rang,\" she asks, \"the second time?\"",
    ),
    (
        "alice",
        "*The fog closes over the bow.* \"Mika. How far to the other bank?\"",
        "She reaches for the wheel. \"Farther than before,\" she says. She holds the wheel with both hands.",
        "Both hands on the wheel. \"Farther than before,\" she says.",
    ),
    (
        "ben",
        "*He throws the clapper over the rail.* \"There. Let the river keep it.\"",
        "The water takes it without a sound. She nods slowly. \"The river keeps nothing for free,\" she says.",
        "The water takes it without a sound. \"It keeps nothing for free,\" she says.",
    ),
    (
        "alice",
        "*Somewhere behind them, a bell.* \"Do not turn around,\" *she whispers.*",
        "She does not turn around. She turns the wheel instead. \"Ten minutes,\" she says. \"Talk to me.\"",
        "She does not turn around. \"Ten minutes,\" she says. \"Talk to me.\"",
    ),
];

#[tokio::test(start_paused = true)]
async fn a_play_in_novel_style() {
    let play = Play::open("default_mode = \"full_rp\"\n").await;
    play.stage.config.set_backdrop(&ferry(), "Fog on the river, the last crossing before winter.").unwrap();
    let home = FamiliarHome::new(play.stage.dir.path(), &FamiliarId::new("mika").unwrap());
    let book = json!({"name": "Harbour", "entries": {
        "0": {"uid": 0, "comment": "The river", "constant": true, "key": [], "order": 10, "position": 0,
              "content": "The river freezes in no winter."},
        "1": {"uid": 1, "comment": "The bell", "key": ["bell"], "order": 100, "position": 1,
              "content": "The Copper Bell rings by itself before a death."},
        "2": {"uid": 2, "comment": "The fog", "key": ["fog"], "order": 50,
              "content": "Whoever speaks in the fog is answered by the fog."},
    }});
    import_lorebook(&home, book.to_string().as_bytes(), "", Existing::Refuse, Writing::ForReal).unwrap();
    let mut play = play.reopened().await;
    play.stage.models.play(Slot::ReasoningContext);
    play.stage.models.play(Slot::PostProcessStyle);

    let mut prompts = Vec::new();
    for (who, words, reply, polished) in SCENE {
        let cast = Cast { thoughts: THOUGHTS, reply, polished, call: None };
        prompts.push(play.answered(who, words, CALLED, cast).await);
    }
    let said: Vec<_> = SCENE.iter().map(|(_, _, _, polished)| (*polished).to_owned()).collect();
    assert_eq!(play.stage.delivered(), said, "polished, and no thought among it");
    insta::assert_snapshot!("roleplay_third_prompt", prompts[2]);
    insta::assert_snapshot!("roleplay_last_prompt", prompts[8]);
    insta::assert_snapshot!("roleplay_turns", play.told().await);
}
