//! Whose notes are in a prompt, in which order, and which of their lines (contradictions 8 and 20; the people
//! guarantee of seed 8, tier 1).

use std::fs;

use proptest::prelude::*;

use super::tests::{Scene, scene_of};
use super::*;
use crate::domain::{
    AccountId, Audience, Author, ChannelId, ChunkFate, GuildId, MessageId, Modality, PlaceKind, StoredId,
};
use crate::history::NewTurn;

fn author(number: u64, name: &str, username: &str) -> Author {
    Author { username: Some(username.to_owned()), ..Author::called(AccountId::discord(number), name) }
}

fn note(scene: &Scene, name: &str, text: &str) {
    let folder = scene.parts.config.home().memory_dir().join("people");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

/// Somebody said something here a while ago.
async fn said(scene: &Scene, who: &Author, words: &str, number: u64) {
    let turn = NewTurn {
        messages: vec![MessageId::from(number)],
        ..NewTurn::written(
            scene.request.place.clone(),
            Some(who.clone()),
            words,
            scene.request.now,
            scene.request.channel.mode,
        )
    };
    scene.parts.history.append(turn).await.unwrap();
}

/// The notes in the prompt, in the order in which they hold on.
async fn kept(scene: &Scene) -> Vec<String> {
    let pipeline = ContextPipeline::standard(scene.parts.clone());
    let prompt = pipeline.assemble(&scene.request, None).await.unwrap();
    let chunks = prompt.figures().chunks.iter().filter(|chunk| chunk.source.starts_with("people/"));
    let kept = chunks.filter(|chunk| matches!(chunk.fate, ChunkFate::Kept));
    kept.map(|chunk| chunk.source.trim_start_matches("people/").trim_end_matches(".md").to_owned()).collect()
}

async fn text(scene: &Scene) -> String {
    let pipeline = ContextPipeline::standard(scene.parts.clone());
    let prompt = pipeline.assemble(&scene.request, None).await.unwrap();
    prompt.messages().iter().map(|message| message.content.as_str()).collect::<Vec<_>>().join("\n")
}

/// Ana asks, Ben waits too, Cleo wrote lately, Dora is named.
async fn crowd() -> Scene {
    let mut scene = scene_of("has anybody seen Dodo?", Modality::Text).await;
    let (ana, ben, cleo) =
        (author(1, "Ana", "ana_a"), author(2, "Ben", "benben"), author(3, "Cleo", "cleo3"));
    said(&scene, &cleo, "good evening", 90).await;
    let mut asked = scene.request.pending.remove(0);
    let mut waits = asked.clone();
    (waits.author, waits.id, waits.content) =
        (Some(ben), StoredId(asked.id.0 - 1), "and who has the keys?".to_owned());
    asked.author = Some(ana.clone());
    scene.request.author = Some(ana);
    scene.request.pending = vec![waits, asked];
    for (slug, word) in [("1", "bees"), ("2", "boats"), ("3", "cellos"), ("4", "dahlias")] {
        note(&scene, &format!("discord-{slug}.md"), &format!("Talks of {}.", vec![word; 120].join(" ")));
    }
    note(&scene, "_aliases.json", r#"{"dodo": "discord-4"}"#);
    scene
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seed_8_tier_1_the_order_holds_under_pressure() {
    let mut scene = crowd().await;
    let order = ["discord-1", "discord-2", "discord-3", "discord-4"];
    let mut sizes = Vec::new();
    for cap in [0, 200, 400, 600, 800, 1_000, 4_000] {
        let mut channel = scene.request.channel.as_ref().clone();
        channel.figures.layers.insert(crate::domain::Layer::Content, Some(cap));
        scene.request.channel = Arc::new(channel);
        let mut kept = kept(&scene).await;
        kept.sort();
        assert_eq!(kept, order[..kept.len()], "{cap} tokens: whoever comes later goes first");
        sizes.push(kept.len());
    }
    assert_eq!((sizes[0], *sizes.last().unwrap()), (2, 4), "who speaks and who waits always stay: {sizes:?}");
    assert!(sizes.is_sorted() && sizes.contains(&3), "{sizes:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn seed_8_tier_1_another_name_keeps_the_note_and_two_of_one_name_stay_apart() {
    let mut scene = crowd().await;
    note(&scene, "discord-1.md", "Ana keeps bees.");
    note(&scene, "discord-3.md", "Paints boats.");
    // Ana calls herself Cleo now, as somebody else here does.
    let renamed = author(1, "Cleo", "ana_a");
    scene.request.author = Some(renamed.clone());
    scene.request.pending[1].author = Some(renamed);
    let text = text(&scene).await;
    assert!(text.contains("> About Cleo (ana_a):\n> Ana keeps bees."), "{text}");
    assert!(text.contains("> About Cleo (cleo3):\n> Paints boats."), "{text}");
    assert!(text.contains("> About Ben:"), "nobody else is called so");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_held_once_is_told_only_to_who_asks_about_then() {
    let notes = "# Ana\n\n- Lives on a houseboat. <!-- f=a gone=1970-01-01 now=b -->\n- Lives in a lighthouse. <!-- f=b was=a -->\n\
                 - Will live in a windmill. <!-- f=c since=2030-01-01 -->\n";
    let mut scene = scene_of("hello", Modality::Text).await;
    note(&scene, "terminal-operator.md", notes);
    let now = text(&scene).await;
    assert!(now.contains("lighthouse") && !now.contains("houseboat") && !now.contains("windmill"), "{now}");
    scene = scene_of("when did I live on the houseboat?", Modality::Text).await;
    note(&scene, "terminal-operator.md", notes);
    let then = text(&scene).await;
    assert!(then.contains("Ana: Until 1 January 1970: Lives on a houseboat."), "{then}");
}

#[derive(Debug, Clone)]
struct Line {
    to: Option<usize>,
    indent: usize,
    is_loose: bool,
}

fn lines() -> impl Strategy<Value = Vec<Line>> {
    let line = (proptest::option::of(0..6_usize), 0..2_usize, any::<bool>())
        .prop_map(|(to, indent, is_loose)| Line { to, indent, is_loose });
    proptest::collection::vec(line, 1..10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// Contradiction 8, line by line: whatever a note's lines are for, no line that is not for this place reaches the
    /// prompt, neither as a note, nor recalled, nor as a fact; and every line that is for it does.
    #[test]
    fn contradiction_8_no_line_for_others_reaches_a_prompt(
        notes in proptest::collection::vec((0..6_usize, lines()), 1..4), here in 0..3_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let guild = |number: u64| Audience::Guild(GuildId::from(number));
            let audiences = [
                Audience::Canon, guild(1), guild(2), Audience::Private(ChannelId::from(11)),
                Audience::Dm(AccountId::discord(1)), Audience::Dm(AccountId::discord(2)),
            ];
            let mut scene = scene_of("what about the treasure, Ana, Ben and Cleo?", Modality::Text).await;
            let ana = author(1, "Ana", "ana");
            let place = &mut scene.request.place;
            (place.guild, place.audience, place.kind) = match here {
                0 => (Some(GuildId::from(1)), guild(1), PlaceKind::GuildText),
                1 => (Some(GuildId::from(1)), audiences[3].clone(), PlaceKind::GuildText),
                _ => (None, audiences[4].clone(), PlaceKind::Dm),
            };
            let audience = place.audience.clone();
            scene.request.author = Some(ana.clone());
            for turn in &mut scene.request.pending {
                turn.author = Some(ana.clone());
                turn.audience = audience.clone();
            }
            let visible = scene.request.visible();
            let mut expected = Vec::new();
            for (number, (file, lines)) in notes.iter().enumerate() {
                let mut text = format!("---\naudience: {}\n---\n# Treasure heading{number}x\n\n", audiences[*file]);
                let mut around = audiences[*file].clone();
                for (at, line) in lines.iter().enumerate() {
                    let canary = format!("canary{number}y{at}z");
                    let indent = if at == 0 { 0 } else { line.indent };
                    let comment = line.to.map(|to| format!(" <!-- f=f{at} to={} -->", audiences[to]));
                    let own = line.to.map(|to| audiences[to].clone());
                    let top = audiences[*file].clone();
                    let audience = own.unwrap_or_else(|| if indent > 0 { around.clone() } else { top });
                    if indent == 0 {
                        around = audience.clone();
                    }
                    let (gap, space) = (if line.is_loose { "\n" } else { "" }, "  ".repeat(indent));
                    text.push_str(&format!("{gap}{space}- treasure {canary}{}\n", comment.unwrap_or_default()));
                    expected.push((canary, visible.includes(&audience)));
                }
                expected.push((format!("heading{number}x"), visible.includes(&audiences[*file])));
                note(&scene, &format!("discord-{}.md", number + 1), &text);
            }
            note(&scene, "_aliases.json", r#"{"ana": "discord-1", "ben": "discord-2", "cleo": "discord-3"}"#);
            let text = text(&scene).await;
            for (canary, may_be_seen) in expected {
                let is_line = canary.starts_with("canary");
                let is_there = text.contains(&canary);
                assert!(may_be_seen || !is_there, "{canary} is not for {}:\n{text}", scene.request.place.audience);
                assert!(!may_be_seen || is_there || !is_line, "{canary} is missing in\n{text}");
            }
        });
    }
}
