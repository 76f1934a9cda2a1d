//! The figures of a plan.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::config::{Defaults, FamiliarHome, LiveConfig};
use crate::domain::{Category, ChannelId, Depth, FamiliarId, Slot};

fn channel_with(sidecar: &str) -> std::sync::Arc<ChannelConfig> {
    let folder = tempfile::tempdir().unwrap();
    let home = FamiliarHome::new(folder.path(), &FamiliarId::new("mika").unwrap());
    let id = ChannelId::from(1);
    std::fs::create_dir_all(home.channel_toml(&id).parent().unwrap()).unwrap();
    if !sidecar.is_empty() {
        std::fs::write(home.channel_toml(&id), sidecar).unwrap();
    }
    let config = LiveConfig::load(home, Defaults::embedded()).unwrap();
    let channel = config.channel(&id);
    assert!(config.mistakes().is_empty(), "{:?}", config.mistakes());
    channel
}

fn intent(category: Category, effort: u8) -> Intent {
    Intent { effort: Effort::new(effort), category, asks: false, addressed_to_me: true, signs: Vec::new() }
}

fn plan(sidecar: &str, category: Category, effort: u8, modality: Modality) -> ExecutionPlan {
    let channel = channel_with(sidecar);
    let means = Means { channel: &channel, modality, window: 128_000, warm_tokens: 0, tool_tokens: 0 };
    plan_for(intent(category, effort), &means)
}

#[test]
fn a2_the_table_of_efforts_in_text() {
    let full_rp = "mode = \"full_rp\"";
    let shown: BTreeMap<u8, String> = [
        (1, Category::Greeting),
        (3, Category::SmallTalk),
        (5, Category::Roleplay),
        (7, Category::Several),
        (9, Category::Retrospective),
    ]
    .into_iter()
    .map(|(effort, category)| {
        let plan = plan(full_rp, category, effort, Modality::Text);
        let line = format!(
            "{:?}, {} searches, {} found of {}, reserve {}, thinks {}, recasts {}, {:?}, quorum {}",
            plan.depth,
            plan.searches,
            plan.found_tokens,
            plan.budget_tokens,
            plan.reserve_tokens,
            plan.stepped_thinking,
            plan.recast,
            plan.deadline,
            plan.quorum,
        );
        (effort, line)
    })
    .collect();
    insta::assert_debug_snapshot!(shown, @r#"
    {
        1: "Axioms, 0 searches, 0 found of 8000, reserve 1500, thinks false, recasts false, 2s, quorum 0.85",
        3: "Fast, 2 searches, 1000 found of 8000, reserve 1500, thinks false, recasts true, 5s, quorum 0.85",
        5: "Full, 5 searches, 3000 found of 8000, reserve 1500, thinks true, recasts true, 12s, quorum 0.85",
        7: "FullGraph, 16 searches, 5000 found of 8000, reserve 1500, thinks true, recasts true, 20s, quorum 0.85",
        9: "AllLayers, 32 searches, 8000 found of 8000, reserve 1500, thinks true, recasts true, 30s, quorum 0.85",
    }
    "#);
}

#[test]
fn a2_voice_caps_the_effort_and_switches_the_processors_off() {
    let plan = plan("mode = \"full_rp\"", Category::Retrospective, 10, Modality::Voice);
    assert_eq!((plan.intent.effort.level(), plan.depth, plan.searches), (6, Depth::Full, 16));
    assert!(!plan.stepped_thinking && !plan.recast);
    assert_eq!((plan.reserve_tokens, plan.quorum), (300, 0.70));
    assert_eq!(plan.notes, ["effort 10 counts as 6 here"]);
}

#[test]
fn a2_what_the_mode_switches_off_stays_off() {
    let plan = plan("mode = \"imitate_voice\"", Category::Several, 7, Modality::Text);
    assert!(!plan.stepped_thinking, "off in that mode");
    assert_eq!((plan.budget_tokens, plan.reserve_tokens), (2000, 300));
    assert_eq!(plan.found_tokens, 2000, "never more than the whole prompt");
    assert_eq!(plan.deadline, std::time::Duration::from_secs(9), "the mode's deadline is shorter");
}

#[test]
fn a2_a_channel_may_have_tables_of_its_own() {
    let sidecar = "mode = \"text_conversation_rp\"\n[plan.text]\neffort_max = 4\n\
                   [plan.text.effort_3_4]\nslot = \"mood_eval\"\nsearches_scale = 2.0\nfound_tokens = 77\n";
    let own = plan(sidecar, Category::Recall, 6, Modality::Text);
    assert_eq!((own.slot, own.searches, own.found_tokens), (Slot::MoodEval, 16, 77));
    assert_eq!(own.depth, Depth::Fast, "keys that are not there stay as they are");
    let usual = plan("", Category::Recall, 6, Modality::Text);
    assert_eq!((usual.slot, usual.searches, usual.found_tokens), (Slot::MainProse, 8, 3000));
}

#[test]
fn m11_tools_have_room_of_their_own_and_none_are_offered_where_they_take_too_much() {
    let channel = channel_with("");
    let with_tools = |window, tool_tokens| {
        let means =
            Means { channel: &channel, modality: Modality::Text, window, warm_tokens: 0, tool_tokens };
        plan_for(intent(Category::Recall, 6), &means)
    };
    let (none, some) = (with_tools(8_000, 0), with_tools(8_000, 900));
    assert_eq!((some.tool_tokens, some.result_tokens), (900, 1_000));
    assert!(some.budget_tokens < none.budget_tokens);
    assert_eq!(some.budget_tokens + some.kept_free(), 8_000);
    assert!(some.notes.iter().any(|note| note.ends_with("beside its tools")), "{:?}", some.notes);
    let crowded = with_tools(8_000, 2_001);
    assert_eq!((crowded.tool_tokens, crowded.budget_tokens), (0, none.budget_tokens));
    assert!(crowded.notes.iter().any(|note| note.starts_with("no tools")), "{:?}", crowded.notes);
    assert_eq!(with_tools(128_000, 900).budget_tokens, with_tools(128_000, 0).budget_tokens);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Contradiction 11: prompt and reserve never exceed the window.
    #[test]
    fn a5_the_budget_is_the_lesser_of_what_there_is_and_what_is_needed(
        window in 1_u32..200_000,
        effort in 1_u8..=10,
        category in proptest::sample::select(Category::ALL.to_vec()),
        is_spoken in any::<bool>(),
        warm_tokens in 0_u32..20_000,
        tool_tokens in 0_u32..4_000,
    ) {
        let channel = channel_with("");
        let modality = if is_spoken { Modality::Voice } else { Modality::Text };
        let means = Means { channel: &channel, modality, window, warm_tokens, tool_tokens };
        let plan = plan_for(intent(category, effort), &means);
        prop_assert!(plan.budget_tokens <= channel.figures.budget_tokens);
        prop_assert!(plan.budget_tokens + plan.kept_free() <= window.max(plan.kept_free()));
        prop_assert!(plan.tool_tokens == 0 || plan.tool_tokens == tool_tokens && tool_tokens <= window / 4);
        prop_assert_eq!(plan.tool_tokens == 0, plan.result_tokens == 0);
        prop_assert!(plan.found_tokens <= plan.budget_tokens);
        prop_assert!(plan.searches <= 32 && plan.deadline <= channel.figures.deadline);
        prop_assert!(category != Category::Greeting || plan.searches == 0);
    }
}
