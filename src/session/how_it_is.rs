//! How it is, in its own words, for whoever asks by a command: outside of any conversation.
//!
//! Owns what a model is told for that, which holds nothing that anybody said: the card, the hour, its mood as it shows there,
//! its day, and how it takes part there. Must not know what is said where no model has words for it. Start reading at
//! [`SessionHandle::how_it_is`].

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use parking_lot::Mutex;
use tokio::time::Instant;

use super::handle::SessionHandle;
use super::open_gate::is_unfit;
use super::opening::session_key;
use super::parts::SessionParts;
use crate::config::PromptName;
use crate::context::{character_macros, is_open};
use crate::domain::{ChannelId, ChannelMode, ChatMessage, LAYER_MARKER, Place, Role, Slot, Visible};
use crate::familiar::{DayPart, Wakefulness, short_card};
use crate::llm::{CompletionRequest, ask_side};
use crate::text::defuse::defuse;
use crate::text::short::{beginning, one_line};
use crate::text::tongue::Tongue;
use familiar_cards::macros::Moment;

/// A model may take so long: somebody looks at an empty answer meanwhile.
const WITHIN: Duration = Duration::from_secs(6);

/// What was said of it is said again for so long, and no model is asked there meanwhile.
const KEPT_FOR: Duration = Duration::from_secs(10 * 60);

/// Places whose words are kept; beyond that the keeping starts over.
const PLACES: usize = 256;

/// The longest answer, in tokens: one sentence, and room for a model that thinks first.
const TOKENS: u32 = 160;

/// Characters of what it wrote; what is longer is something else.
const CHARS_MAX: usize = 300;

/// How much of each of the card's texts is told, in characters.
const CARD_CHARS: usize = 1_200;

/// What it was last said to be, by place and language.
#[derive(Debug, Default)]
pub(super) struct SaidOfItself(Mutex<HashMap<(ChannelId, Tongue), Kept>>);

#[derive(Debug, Clone)]
struct Kept {
    of: Facts,
    until: Instant,
    words: Option<String>,
}

/// What is so now. Where some of it changes, what was said no longer holds.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Facts {
    mood: Option<&'static str>,
    day: Option<DayPart>,
    mode: ChannelMode,
    /// It was told to keep quiet there.
    is_quiet: bool,
}

impl SaidOfItself {
    /// What is to be said of these facts, where a model was asked about that place lately: its words where they still hold,
    /// else none. Nothing is kept where one may be asked, and from then on none may before the answer is there.
    fn lately(&self, key: &(ChannelId, Tongue), facts: &Facts, now: Instant) -> Option<Option<String>> {
        let mut kept = self.0.lock();
        if let Some(kept) = kept.get(key).filter(|kept| now < kept.until) {
            return Some(kept.words.clone().filter(|_| kept.of == *facts));
        }
        if kept.len() >= PLACES && !kept.contains_key(key) {
            kept.clear();
        }
        kept.insert(key.clone(), Kept { of: facts.clone(), until: now + KEPT_FOR, words: None });
        None
    }

    fn keep(&self, key: &(ChannelId, Tongue), words: &str) {
        if let Some(kept) = self.0.lock().get_mut(key) {
            kept.words = Some(words.to_owned());
        }
    }
}

impl SessionHandle {
    /// How it is, as the character says it to somebody in a place, in this language; nothing where no model has words for it
    /// in time, or none may be asked there so soon again.
    pub async fn how_it_is(&self, place: &Place, to: Tongue) -> Option<String> {
        let parts = self.parts();
        let place = self.entered(place).await;
        let now = parts.clock.now();
        let channel = parts.config.channel_in(&place);
        let facts = Facts {
            mood: self.mood_word(&Visible::at(&place)).await,
            day: parts.character.day_part(&parts.config.current(), channel.mode, now),
            mode: channel.mode,
            is_quiet: channel.quiet_until.is_some_and(|until| now < until),
        };
        let key = (place.channel.clone(), to);
        if let Some(lately) = self.said_of_itself().lately(&key, &facts, Instant::now()) {
            return lately;
        }
        let words = ask(parts, &place, to, &facts, now).await?;
        self.said_of_itself().keep(&key, &words);
        Some(words)
    }
}

async fn ask(
    parts: &SessionParts,
    place: &Place,
    to: Tongue,
    facts: &Facts,
    now: Timestamp,
) -> Option<String> {
    let request = CompletionRequest {
        max_tokens: Some(TOKENS),
        session: Some(session_key(parts, place).beside("how it is")),
        ..CompletionRequest::new(
            Slot::MoodEval,
            vec![
                ChatMessage::new(Role::System, instructions(parts, place, to, now)),
                ChatMessage::new(Role::User, material(parts, facts, now)),
            ],
        )
    };
    let model = parts.models.slot(Slot::MoodEval);
    match ask_side(&model, request, Instant::now() + WITHIN, |_| {}).await {
        Ok(answer) => {
            sayable(&answer.text).filter(|words| !answer.is_cut_short && !is_unfit(parts, place, words))
        }
        Err(error) => {
            tracing::debug!(channel = %place.channel, %error, "no model said how it is");
            None
        }
    }
}

/// Who it is, and what it is asked.
fn instructions(parts: &SessionParts, place: &Place, to: Tongue, now: Timestamp) -> String {
    let config = parts.config.current();
    let whole = parts.character.current();
    let card = short_card(&whole).unwrap_or_else(|| (*whole).clone());
    let moment =
        Moment::new(now.to_zoned(config.display_tz.clone()), String::new(), place.channel.to_string());
    let filled = |raw: &str| character_macros(&card, &config.render.user_fallback, &moment, raw);
    let texts = [&card.description, &card.personality];
    let told = texts.iter().map(|text| filled(beginning(text.trim(), CARD_CHARS)));
    let mut lines = vec![format!("You are {}.", card.spoken_name())];
    lines.extend(told.filter(|text| !text.is_empty()));
    if is_open(&config, place) {
        lines.push(filled(&parts.config.prompt(PromptName::OpenPlace)));
    }
    lines.push(format!(
        "Somebody asks how you are. Say it yourself, in one short sentence, in the language with the code \"{}\": how you feel \
         and what you are doing, from what stands below and nothing else. Name nobody, ask and promise nothing.",
        to.code()
    ));
    lines.join("\n\n")
}

/// What is so now, a line each.
fn material(parts: &SessionParts, facts: &Facts, now: Timestamp) -> String {
    let now = now.to_zoned(parts.config.current().display_tz.clone());
    let mut lines = vec![format!("It is {}.", now.strftime("%A, %H:%M"))];
    match &facts.day {
        Some(day) if day.doing.is_empty() => {
            lines.push(format!("You are {} until {}.", day.wakefulness.word(), day.ends()));
        }
        Some(day) => {
            lines.push(format!("You are {} until {}: {}", day.wakefulness.word(), day.ends(), day.doing));
        }
        None => lines.push(format!("You are {}.", Wakefulness::Awake.word())),
    }
    lines.push(format!("Your mood: {}.", facts.mood.unwrap_or("even")));
    lines.push(match facts.is_quiet {
        true => "Here you were asked to keep quiet, and speak only when spoken to.".to_owned(),
        false => match facts.mode {
            ChannelMode::FullRp => "Here a story is being told with you.".to_owned(),
            ChannelMode::TextConversationRp | ChannelMode::ImitateVoice => {
                "Here you chat along with people.".to_owned()
            }
        },
    });
    lines.join("\n")
}

/// One line that calls nobody; nothing where it is empty, endless or a piece of a prompt.
fn sayable(text: &str) -> Option<String> {
    let line = one_line(text);
    let fits = !line.is_empty() && line.chars().count() <= CHARS_MAX && !line.contains(LAYER_MARKER);
    fits.then(|| defuse(&line).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(mood: Option<&'static str>) -> Facts {
        Facts { mood, day: None, mode: ChannelMode::TextConversationRp, is_quiet: false }
    }

    #[test]
    fn one_model_is_asked_of_a_place_in_a_while_and_its_words_hold_for_its_mood() {
        let kept = SaidOfItself::default();
        let key = (ChannelId::new("ferry").unwrap(), Tongue::English);
        let (now, cheerful) = (Instant::now(), facts(Some("cheerful")));
        assert_eq!(kept.lately(&key, &cheerful, now), None, "it may be asked");
        assert_eq!(kept.lately(&key, &cheerful, now), Some(None), "and is being asked");
        kept.keep(&key, "Never better.");
        assert_eq!(kept.lately(&key, &cheerful, now), Some(Some("Never better.".to_owned())));
        assert_eq!(kept.lately(&key, &facts(None), now), Some(None), "that no longer holds");
        let elsewhere = (ChannelId::new("tower").unwrap(), Tongue::English);
        assert_eq!(kept.lately(&elsewhere, &cheerful, now), None);
        assert_eq!(kept.lately(&key, &cheerful, now + KEPT_FOR), None);
    }

    #[test]
    fn what_is_empty_endless_or_a_piece_of_a_prompt_is_not_said() {
        assert_eq!(sayable(" Fine,\nthank you. ").as_deref(), Some("Fine, thank you."));
        assert_eq!(sayable("  "), None);
        assert_eq!(sayable("⟦fc: Your mood⟧ even"), None);
        assert_eq!(sayable(&"fine ".repeat(100)), None);
    }
}
