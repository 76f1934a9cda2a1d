//! Fixed conversations within several budgets: how much of them a prompt keeps, and how good it is by its own figures.

use std::fmt::Write as _;

use familiar_connect::domain::*;
use familiar_connect::history::NewTurn;
use familiar_connect::session::ReplayChanges;

use super::Play;
use crate::support::stage::{ferry, said_at};

const CONVERSATIONS: [(&str, &str); 3] = [
    ("harbour", include_str!("../../fixtures/conversations/harbour.txt")),
    ("scene", include_str!("../../fixtures/conversations/scene.txt")),
    ("support", include_str!("../../fixtures/conversations/support.txt")),
];

/// The whole prompt may take so many tokens.
const BUDGETS: [u32; 4] = [700, 1_000, 1_500, 6_000];

fn turn(number: usize, who: &str, words: &str) -> NewTurn {
    let start: jiff::Timestamp = "2026-03-01T10:00:00Z".parse().unwrap();
    let at = start + jiff::SignedDuration::from_mins(i64::try_from(number).unwrap());
    let message = MessageId::from(10_000 + u64::try_from(number).unwrap());
    let said = said_at(&ferry(), &who.to_lowercase(), words, at, message);
    if who == "Mika" { NewTurn { role: Role::Assistant, author: None, ..said } } else { said }
}

/// The share of what was offered, in tokens, that is not in the prompt.
fn evicted(figures: &AssemblyFigures) -> f64 {
    let sum = |of: fn(&LayerFigures) -> u32| figures.layers.iter().map(of).map(f64::from).sum::<f64>();
    let offered = sum(|layer| layer.offered);
    (offered - sum(|layer| layer.kept)) / offered
}

#[tokio::test(start_paused = true)]
async fn a18_fixed_conversations_keep_their_quality() {
    let mut table = String::new();
    for (name, lines) in CONVERSATIONS {
        let mut play = Play::open("").await;
        let lines: Vec<(&str, &str)> = lines.lines().map(|line| line.split_once(": ").unwrap()).collect();
        let (&(who, question), before) = lines.split_last().unwrap();
        for (number, (who, words)) in before.iter().enumerate() {
            play.stage.history.append(turn(number, who, words)).await.unwrap();
        }
        play.asks(&who.to_lowercase(), question, "Let me think.").await;
        let record = play.turns().await.pop().unwrap();
        for budget in BUDGETS {
            let changes = ReplayChanges { budget_tokens: Some(budget), ..ReplayChanges::default() };
            let again = play.stage.session.rebuild(&record, changes).await.unwrap();
            let figures = again.figures();
            let quality = figures.quality.unwrap();
            assert!(figures.prompt_tokens <= budget.max(figures.budget_tokens), "{name} {budget}");
            let _ = writeln!(
                table,
                "{name} within {budget}: {} tokens, quality {:.2}, sources {:.2}, layers {:.2}, worth {:.2}, \
                 unclipped {:.2}, evicted {:.2}, waste {:.2}",
                figures.prompt_tokens,
                quality.score,
                quality.coverage,
                quality.completeness,
                quality.retention,
                quality.wholeness,
                evicted(figures),
                figures.packing_waste.unwrap(),
            );
        }
    }
    insta::assert_snapshot!("kept_of_fixed_conversations", table);
}
