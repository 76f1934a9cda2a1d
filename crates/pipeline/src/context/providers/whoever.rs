//! Whoever "the one who …" is, and who knows about something (G4); and, as the second step, what is
//! noted about them that the question asks for.
//!
//! Owns how such a question is read. Must not know prompts. Start reading at [`whoever`].

use jiff::Timestamp;

use crate::context::contribution::{Contribution, Importance, Quoted, TailPart};
use crate::domain::{Audience, Visible};
use crate::graph::{DayTeller, GraphError, View, name_or_somebody};
use crate::text::cues::Cues;
use crate::text::keywords;
use crate::text::phrases::{is_listed, phrases};

/// People told who know about something.
const EXPERTS: usize = 3;

/// Words behind "the one who" that say which.
const TELLING: usize = 6;

/// Notes told of somebody who was found so.
const NOTES: usize = 2;

/// The most one line may take, in tokens.
const CLIP: u32 = 120;

/// Whether a question means somebody by what they do.
pub(super) fn asks_for_somebody(text: &str) -> bool {
    known_by(text).is_some()
}

/// Whoever a question means by what they do, best first, and what else is noted of the first that it asks for. Nothing
/// where it means nobody so. It is told `here`.
pub(super) fn whoever(
    view: &View<'_>,
    text: &str,
    now: Timestamp,
    teller: &DayTeller,
    here: &Audience,
) -> Result<Vec<Contribution>, GraphError> {
    let Some(topic) = known_by(text) else { return Ok(Vec::new()) };
    let experts = view.experts(&topic, now, EXPERTS)?;
    let best = experts.first().map_or(0.0, |one| one.score);
    let mut known = Vec::new();
    for expert in &experts {
        #[expect(clippy::cast_possible_truncation, reason = "a share of 0 to 1")]
        let share = if best > 0.0 { (expert.score / best) as f32 } else { 0.0 };
        let from: Vec<String> = expert.evidence.iter().map(ToString::to_string).collect();
        known.push(company_contribution(
            format!("company/{} ({})", expert.person.id, from.join(", ")),
            Visible::circle_of(expert.audiences.iter().cloned(), here),
            format!("{}.", teller.expert(expert, &topic)),
            0.4 + 0.5 * share,
        ));
    }
    // The second step: what is noted about the first of them that the rest of the question is about.
    if let Some(first) = experts.first() {
        for noted in view.noted(&first.person.id, text, NOTES)? {
            let text = format!("noted about {}: “{}”", name_or_somebody(&first.person), noted.label);
            known.push(company_contribution(format!("company/{}", noted.node), noted.audience, text, 0.5));
        }
    }
    Ok(known)
}

/// What somebody is known by, in a question: it stands behind "the one who" or "who knows about", in Turkish, Japanese and
/// Korean before the like.
fn known_by(text: &str) -> Option<String> {
    let cues = Cues::of(text);
    let behind = || cues.after(phrases("the one who")).or_else(|| cues.after(phrases("who knows about")));
    let words: Vec<&str> = match behind() {
        Some(rest) => rest.split(' ').take(TELLING).collect(),
        None => {
            let words: Vec<&str> = cues.before(phrases("known by before"))?.split(' ').collect();
            words[words.len().saturating_sub(TELLING)..].to_vec()
        }
    };
    let tells = |word: &&str| {
        !word.is_empty() && !keywords::is_stop_word(&keywords::fold(word)) && !is_listed("knowing", word)
    };
    let telling: Vec<&str> = words.into_iter().filter(tells).collect();
    (!telling.is_empty()).then(|| telling.join(" "))
}

pub(super) fn company_contribution(
    source: String,
    audience: Audience,
    text: String,
    relevance: f32,
) -> Contribution {
    Contribution {
        importance: Importance::Useful,
        relevance,
        quoted: Some(Quoted::default()),
        clip: Some(CLIP),
        ..Contribution::looked_up(source, TailPart::People, audience, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g4_what_somebody_is_known_by_is_read_out_of_a_question() {
        for (text, topic) in [
            ("what did the one who keeps bees say about honey?", Some("bees honey")),
            ("who here knows about splicing ropes?", Some("splicing ropes")),
            ("Wer kennt sich mit Bienen aus?", Some("bienen")),
            ("does anyone know the time?", None),
            ("what is a bee?", None),
        ] {
            assert_eq!(known_by(text).as_deref(), topic, "{text}");
        }
    }

    #[test]
    fn g4_in_every_language_it_is_read_who_is_known_by_what() {
        for (asked, topic, not) in [
            ("who knows about bees?", "bees", "the bees are loud"),
            ("Wer hat Ahnung von Bienen?", "bienen", "die Bienen sind laut"),
            ("que dit la personne qui élève des abeilles ?", "élève abeilles", "les abeilles sont bruyantes"),
            ("¿quién sabe de abejas?", "abejas", "las abejas son ruidosas"),
            ("quem entende de abelhas?", "abelhas", "as abelhas são barulhentas"),
            ("chi se ne intende di api?", "api", "le api sono rumorose"),
            ("wie heeft verstand van bijen?", "bijen", "de bijen zijn luid"),
            ("kto zna się na pszczołach?", "pszczołach", "pszczoły są głośne"),
            ("кто разбирается в пчёлах?", "пчёлах", "пчёлы шумят"),
            ("arı besleyen kim?", "arı", "arılar gürültülü"),
            ("蜂に詳しい人はいる？", "蜂", "蜂がうるさい"),
            ("谁懂养蜂？", "养蜂", "蜜蜂很吵"),
            ("벌 키우는 사람 있어?", "벌", "벌이 시끄러워"),
        ] {
            assert_eq!(known_by(asked).as_deref(), Some(topic), "{asked}");
            assert_eq!(known_by(not), None, "{not}");
        }
    }
}
