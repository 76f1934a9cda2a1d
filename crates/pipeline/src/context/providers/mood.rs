//! How the familiar feels, in at most one line.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::LiveConfig;
use crate::context::contribution::{Contribution, Importance, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::Affect;
use crate::history::History;
use crate::text::names::prompt_label;
use crate::world::Lesson;

/// Feelings below these are not told: most turns have no line about them.
const TOLD: f64 = 0.15;
const STRONG: f64 = 0.5;
const LIVELY: f64 = 0.3;

/// Contributes mood and warmth (A9), where there is anything to tell.
#[derive(Debug)]
pub(crate) struct MoodProvider {
    pub(in crate::context) history: Arc<History>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for MoodProvider {
    fn profile(&self) -> Profile {
        Profile::floor("mood", 250).of_the_moment().reading_ahead()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let affect = self.config.current().affect.clone();
        if !affect.enabled {
            return Ok(Vec::new());
        }
        let towards = request.author.as_ref().map(|author| &author.account);
        let felt =
            self.history.seen_by(&request.visible()).affect(towards, affect.half_life, request.now).await?;
        let name = request.author.as_ref().map(|author| prompt_label(author.label()));
        let Some(line) = mood_line(felt, name.as_deref()) else { return Ok(Vec::new()) };
        Ok(vec![request.tail(TailPart::Mood, Importance::Useful, Trust::Program, "mood", line)])
    }
}

fn mood_line(felt: Affect, name: Option<&str>) -> Option<String> {
    let towards = name.zip(warmth(felt.warmth)).map(|(name, word)| format!("{word} {name}"));
    let felt = match (mood_word(felt), towards) {
        (Some(mood), Some(towards)) => format!("{mood}, and {towards}"),
        (Some(mood), None) => mood.to_owned(),
        (None, Some(towards)) => towards,
        (None, None) => return None,
    };
    Some(format!(
        "You feel {felt}; it shows in your tone, in how much you say and in any emoji; you need not say it."
    ))
}

/// Its mood in a word; nothing where it is even.
pub fn mood_word(felt: Affect) -> Option<&'static str> {
    let (valence, arousal) = (felt.mood.valence, felt.mood.arousal);
    let (excited, calm) = match valence {
        v if v >= STRONG => ("elated", "happy"),
        v if v >= TOLD => ("cheerful", "content"),
        v if v <= -STRONG => ("angry", "downcast"),
        v if v <= -TOLD => ("irritated", "a little low"),
        _ if arousal >= LIVELY => return Some("lively"),
        _ if arousal <= -LIVELY => return Some("drowsy"),
        _ => return None,
    };
    Some(if arousal >= TOLD { excited } else { calm })
}

fn warmth(warmth: f64) -> Option<&'static str> {
    Some(match warmth {
        w if w >= STRONG => "very fond of",
        w if w >= TOLD => "warm towards",
        w if w <= -STRONG => "hurt by",
        w if w <= -TOLD => "wary of",
        _ => return None,
    })
}

/// Contributes session lessons (A23), one line each, in the program's own words; the source names the
/// message that is the evidence, for the x-ray.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LessonsProvider;

#[async_trait]
impl ContextProvider for LessonsProvider {
    fn profile(&self) -> Profile {
        Profile::at_hand("lessons").of_the_moment()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let Some(author) = &request.author else { return Ok(Vec::new()) };
        let name = prompt_label(author.label());
        let view = request.world.for_place(&request.place);
        let lessons = view.lessons(&author.account, request.now);
        Ok(lessons.filter_map(|lesson| lesson_contribution(request, &name, lesson)).collect())
    }
}

fn lesson_contribution(request: &TurnRequest, name: &str, lesson: &Lesson) -> Option<Contribution> {
    let preference = lesson.preference.asked()?;
    let source = match &lesson.message {
        Some(message) => format!("lessons/{} (message {message})", lesson.preference.name()),
        None => format!("lessons/{}", lesson.preference.name()),
    };
    let words = format!("In this talk {name} asked {preference}.");
    Some(request.tail(TailPart::Lessons, Importance::High, Trust::Program, source, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Feeling, TokenEncoding};
    use crate::text::tokens;
    use crate::world::MoodSign;

    fn said(valence: f64, arousal: f64, warmth: f64) -> Option<String> {
        mood_line(Affect { mood: Feeling { valence, arousal }, warmth }, Some("Alice"))
    }

    #[test]
    fn a9_little_is_not_told_and_much_in_one_line() {
        assert_eq!(said(0.1, 0.1, 0.1), None);
        assert_eq!(
            said(0.2, 0.0, 0.2).as_deref(),
            Some(
                "You feel content, and warm towards Alice; it shows in your tone, in how much you say and in any emoji; you need not say it."
            )
        );
        assert_eq!(
            said(-0.6, 0.4, 0.0).as_deref(),
            Some(
                "You feel angry; it shows in your tone, in how much you say and in any emoji; you need not say it."
            )
        );
        for step in 0..=200 {
            let value = f64::from(step - 100) / 100.0;
            let line = mood_line(
                Affect { mood: Feeling { valence: value, arousal: -value }, warmth: value },
                Some(&"x".repeat(64)),
            );
            assert!(line.is_none_or(|line| tokens::count(TokenEncoding::Estimate, &line) <= 250));
        }
    }

    #[test]
    fn a9_one_kind_word_is_not_told_and_several_are() {
        let after = |signs: &[MoodSign]| {
            let mood = signs.iter().fold(Feeling::default(), |sum, sign| sum.pushed(sign.on_mood()));
            mood_line(Affect { mood, warmth: 0.0 }, None)
        };
        assert_eq!(after(&[MoodSign::Thanks]), None);
        assert_eq!(after(&[MoodSign::Praise]), None);
        assert!(after(&[MoodSign::Praise, MoodSign::Thanks]).unwrap().contains("content"));
        assert!(after(&[MoodSign::Insult]).unwrap().contains("irritated"));
        assert_eq!(after(&[MoodSign::Insult, MoodSign::Apology, MoodSign::Thanks]), None, "made up for");
    }
}
