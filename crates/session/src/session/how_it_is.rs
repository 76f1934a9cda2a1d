//! How it is, in its own words, for whoever asks by a command: outside of any conversation.
//!
//! Owns what a model is told for that, which holds nothing that anybody said: the card, the hour, its mood as it shows there,
//! its day, and how it takes part there. Must not know what is said where no model has words for it. Start reading at
//! [`SessionHandle::how_it_is`].

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;

use super::handle::SessionHandle;
use super::open_gate::is_unfit;
use super::opening::session_key;
use super::parts::SessionParts;
use super::said_of_itself::StateFacts;
use crate::config::PromptName;
use crate::context::outlets::closed;
use crate::context::{Addressee, character_macros, is_open};
use crate::domain::{ChannelMode, LAYER_MARKER, Place, Slot, Visible};
use crate::familiar::{Wakefulness, short_card};
use crate::llm::{CompletionRequest, ask_side};
use crate::text::defuse::defuse;
use crate::text::short::{beginning, one_line};
use crate::text::tongue::Tongue;
use familiar_cards::macros::Moment;

/// A model may take so long: somebody looks at an empty answer meanwhile. One that thinks by itself may take longer: it is told not
/// to and then answers sooner, but not every one takes being told, and which do is not known here.
const WITHIN: Duration = Duration::from_secs(6);
const THINKS_WITHIN: Duration = Duration::from_secs(15);

/// The longest answer, in tokens: one sentence, and room for a model of which nobody knows that it thinks first.
const TOKENS: u32 = 800;

/// Characters of what it wrote; what is longer is something else.
const CHARS_MAX: usize = 300;

/// How much of each of the card's texts is told, in characters.
const CARD_CHARS: usize = 1_200;

impl SessionHandle {
    /// How it is, as the character says it to somebody in a place, in this language; nothing where no model has words for it
    /// in time, or none may be asked there so soon again.
    pub async fn how_it_is(&self, place: &Place, to: Tongue) -> Option<String> {
        let parts = self.parts();
        let place = self.entered(place).await;
        let now = parts.clock.now();
        let channel = parts.config.channel_in(&place);
        let facts = StateFacts {
            mood: self.mood_word(&Visible::at(&place)).await,
            day: parts.character.day_part(&parts.config.current(), channel.mode, now),
            mode: channel.mode,
            is_quiet: channel.is_kept_quiet(now),
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
    facts: &StateFacts,
    now: Timestamp,
) -> Option<String> {
    let request = CompletionRequest {
        max_tokens: Some(TOKENS),
        session: Some(session_key(parts, place).beside("how it is")),
        at_once: true,
        ..CompletionRequest::instructed(
            Slot::MoodEval,
            instructions(parts, place, to, now),
            material(parts, facts, now),
        )
    };
    let model = parts.models.slot(Slot::MoodEval);
    let within = if model.describe().reasons_natively { THINKS_WITHIN } else { WITHIN };
    match ask_side(&model, request, Instant::now() + within, |_| {}).await {
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
    let user = Addressee::named(config.render.user_fallback.clone());
    let filled = |raw: &str| closed(character_macros(&card, &user, &moment, raw));
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
fn material(parts: &SessionParts, facts: &StateFacts, now: Timestamp) -> String {
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

    #[test]
    fn what_is_empty_endless_or_a_piece_of_a_prompt_is_not_said() {
        assert_eq!(sayable(" Fine,\nthank you. ").as_deref(), Some("Fine, thank you."));
        assert_eq!(sayable("  "), None);
        assert_eq!(sayable("⟦fc: Your mood⟧ even"), None);
        assert_eq!(sayable(&"fine ".repeat(100)), None);
    }
}
