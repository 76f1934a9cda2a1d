//! `familiar recall "question"`: what would be found, and what speaks for each find. For the operator, who may see
//! everything: a prompt is only ever shown what its place may see.

use anyhow::{Context as _, bail};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::sync::Arc;

use crate::cli::out;
use crate::config::FamiliarHome;
use crate::context::recall::{
    CharacterGrams, Circumstances, ConversationSource, Meaning, RankedTurn, RecallQuery, Seer,
};
use crate::domain::{AccountId, StoredTurn, TokenEncoding};
use crate::embedding::Embeddings;
use crate::history::{History, HistoryOptions, Visible};

/// Of a turn so much is shown, in characters.
const SHOWN: usize = 200;

/// Looks the question up in the familiar's history and prints what was found.
/// With a model, what it has read so far is
/// found by its meaning too.
pub(super) async fn print(
    home: &FamiliarHome,
    question: &str,
    most: usize,
    embeddings: Option<Embeddings>,
) -> anyhow::Result<()> {
    let path = home.history_db();
    if !path.exists() {
        bail!("{} has heard nothing yet: there is no {}", home.id(), path.display());
    }
    let opened = History::open(&path, HistoryOptions::default()).await;
    let history = Arc::new(opened.with_context(|| format!("opening {}", path.display()))?);
    let seer = Seer::person(AccountId::operator(), Visible::only(history.audiences().await?));
    let circumstances =
        Circumstances { tz: TimeZone::system(), ..Circumstances::alone(Timestamp::now(), most) };
    let mut source = ConversationSource::new(Arc::clone(&history), Arc::new(CharacterGrams));
    if let Some(embeddings) = embeddings {
        let meaning = Arc::new(Meaning::new(embeddings, home.embeddings_db()).patient());
        meaning.load(&history).await?;
        source = source.with_meaning(meaning);
    }
    let ranked = source.ranked(&RecallQuery::new(question, circumstances), &seer).await?;
    if ranked.is_empty() {
        out::line("Nothing holds any of these words, or was said at that time.")?;
    }
    let ids: Vec<_> = ranked.iter().map(|one| one.turn).collect();
    let turns = history.turns(&ids, TokenEncoding::CharsOver4).await?;
    for (rank, one) in (1..).zip(&ranked) {
        if let Some(turn) = turns.iter().find(|turn| turn.id == one.turn) {
            out::line(&told(rank, one, turn))?;
        }
    }
    Ok(())
}

/// One find, and on a line of its own what speaks for it, most telling first.
fn told(rank: u32, one: &RankedTurn, turn: &StoredTurn) -> String {
    let who = turn.author.as_ref().map_or("the familiar", |author| author.label());
    let day = TimeZone::system().to_datetime(turn.at).date();
    let text: String =
        turn.content.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut why: Vec<(f32, String)> = one
        .why()
        .filter(|(_, value, _)| *value > 0.0)
        .map(|(name, value, weight)| (value * weight, format!("{name} {value:.2} × {weight}")))
        .collect();
    why.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let why: Vec<String> = why.into_iter().map(|(_, told)| told).collect();
    format!(
        "{rank}. {day} {who}, in {}: {text}\n   {:.2}, likelihood {:.2}: {}",
        turn.audience,
        one.score,
        one.likelihood,
        why.join(", ")
    )
}
