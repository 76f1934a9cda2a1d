//! What the operator added to the prompt: sections (Y3), what was settled with this place (A19, layer
//! 2.5), and the list of skills (Y5).
//!
//! What may change from turn to turn stands in the tail; the rest reads the same in every prompt of a conversation.

use std::fmt::Write as _;
use std::sync::Arc;

use async_trait::async_trait;

use super::character::{addressee_of, character_macros, moment_of};
use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::{
    Condition, LiveConfig, Occasion, Origin, PlaceNote, PromptSection, SectionPlace, Setting, Skill, Weight,
};
use crate::context::contribution::{Contribution, Importance, Placement, Quoted, SharedCap, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::Layer;
use crate::familiar::LiveCharacter;
use crate::text::names::prompt_label;

/// What stands over a section without a title.
const UNTITLED: &str = "Also";

/// Skills the list names; so many have room in a prompt of any size.
const LISTED_MAX: usize = 40;

/// Contributes sections, the place's note and the list of skills.
#[derive(Debug)]
pub(crate) struct HouseProvider {
    pub(in crate::context) character: Arc<LiveCharacter>,
    pub(in crate::context) config: Arc<LiveConfig>,
}

#[async_trait]
impl ContextProvider for HouseProvider {
    fn profile(&self) -> Profile {
        Profile::at_hand("house")
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let pages = self.config.pages();
        let setting = setting_of(request, &self.config);
        let fill = |raw: &str| fill_page(&self.character, &self.config, request, raw);
        let mut given = Vec::new();
        for section in pages.sections(request.channel.mode) {
            if !section.condition.holds(&setting, Some(&occasion_of(request))) {
                continue;
            }
            match section.stands {
                SectionPlace::Stable => given.extend(stable(section, &fill)),
                SectionPlace::Tail => given.push(passing_section(section, &fill)),
            }
        }
        for note in pages.places().iter().filter(|note| note.is_for(&request.place)) {
            given.extend(settled(note, &fill));
        }
        let skills: Vec<_> =
            pages.skills().iter().filter(|skill| may_be_listed(&skill.condition, &setting)).collect();
        given.extend(skills_list(&skills, setting.has_tools));
        Ok(given)
    }
}

/// How it is in this conversation.
pub(super) fn setting_of<'a>(request: &'a TurnRequest, config: &LiveConfig) -> Setting<'a> {
    Setting {
        mode: request.channel.mode,
        place: request.place.kind,
        is_nsfw: request.world.for_place(&request.place).is_nsfw(),
        // A model that could have tools has none where they would take too much of its window.
        has_tools: request.plan.tool_tokens > 0
            && config.current().tools.usage.gives(request.model.takes_tools()),
        model: &request.model.model,
    }
}

/// How it is in this turn.
pub(super) fn occasion_of(request: &TurnRequest) -> Occasion {
    Occasion {
        modality: request.modality,
        effort: request.plan.intent.effort,
        slot: request.plan.slot,
        people: request.speakers.len(),
    }
}

/// A page's text with its macros filled in; besides those of cards it may name the channel and the memory's folder
/// (Y5). What is put in is not read for macros.
pub(super) fn fill_page(
    character: &LiveCharacter,
    config: &LiveConfig,
    request: &TurnRequest,
    raw: &str,
) -> String {
    let user = addressee_of(request, &config.current().render.user_fallback);
    let (character, moment) = (character.current(), moment_of(request));
    let channel = match request.place.channel_name.as_deref() {
        Some(name) if name.starts_with('#') => format!("#{}", prompt_label(name)),
        Some(name) => prompt_label(name),
        None => "this channel".to_owned(),
    };
    let plain = |part: &str| character_macros(&character, &user, &moment, part);
    let with_channel = |part: &str| part.split("{{channel}}").map(plain).collect::<Vec<_>>().join(&channel);
    raw.split("{{memory_dir}}").map(with_channel).collect::<Vec<_>>().join("memory")
}

/// Whether a list that is the same in every turn may name it: what may change is not asked.
fn may_be_listed(when: &Condition, setting: &Setting<'_>) -> bool {
    when.passing().is_some() || when.holds(setting, None)
}

/// A stable section, paragraph by paragraph; where it stands as one, paragraphs leave together.
fn stable(section: &PromptSection, fill: &impl Fn(&str) -> String) -> Vec<Contribution> {
    let title = section.title.clone().unwrap_or_else(|| Arc::from(UNTITLED));
    let placement = Placement::House { order: section.order, name: Arc::clone(&section.name), title };
    let source = format!("sections/{}.md", section.name);
    let (importance, relevance) = section_worth(section.weight);
    paragraphs(&source, &fill(&section.text), section.max_tokens)
        .into_iter()
        .enumerate()
        .map(|(index, piece)| Contribution {
            placement: placement.clone(),
            importance,
            relevance: relevance - fewer(index),
            group: section.is_whole.then(|| source.clone()),
            ..piece
        })
        .collect()
}

/// A section for this turn: one piece, short by nature.
fn passing_section(section: &PromptSection, fill: &impl Fn(&str) -> String) -> Contribution {
    let source = format!("sections/{}.md", section.name);
    let (importance, relevance) = section_worth(section.weight);
    let text = fill(&section.text);
    let text = section.title.as_ref().map_or_else(|| text.clone(), |title| format!("{title}: {text}"));
    Contribution {
        importance,
        relevance,
        // One piece cannot leave in part: what is too long for its cap is cut there.
        clip: section.max_tokens,
        ..Contribution::anywhere(
            source,
            Layer::AuthorNote,
            Placement::Tail(TailPart::House),
            Trust::Canon,
            text,
        )
    }
}

/// What was settled with this place: before the conversation where it is the operator's and reads the same every time,
/// else quoted or told at the end.
fn settled(note: &PlaceNote, fill: &impl Fn(&str) -> String) -> Vec<Contribution> {
    let source = format!("places/{}.md", note.name);
    let is_stable = note.is_steady && !note.is_from_chat;
    // Nobody's talk is read for macros.
    let text = if note.is_from_chat { note.text.to_string() } else { fill(&note.text) };
    paragraphs(&source, &text, note.max_tokens)
        .into_iter()
        .enumerate()
        .map(|(index, piece)| Contribution {
            placement: if is_stable { Placement::Partner } else { Placement::Tail(TailPart::Partner) },
            importance: Importance::High,
            relevance: 0.9 - fewer(index),
            trust: if note.is_from_chat { Trust::Held } else { Trust::Canon },
            audience: note.audience.clone(),
            quoted: note.is_from_chat.then(Quoted::default),
            ..piece
        })
        .collect()
}

/// The list of skills: a line each.
fn skills_list(skills: &[&Arc<Skill>], has_tools: bool) -> Option<Contribution> {
    if skills.is_empty() {
        return None;
    }
    let mut text = String::from(if has_tools {
        "You know how to do these; `skill_load` tells you one in full:"
    } else {
        "You know how to do these; you are told one in full when it is asked for:"
    });
    for skill in skills.iter().take(LISTED_MAX) {
        // Somebody else's words do not stand where instructions do, not even a description.
        let _ = match skill.origin {
            Origin::Own if !skill.description.is_empty() => {
                write!(text, "\n- {}: {}", skill.name, skill.description)
            }
            Origin::Own => write!(text, "\n- {}", skill.name),
            Origin::Imported => write!(text, "\n- {} (imported)", prompt_label(&skill.name)),
        };
    }
    if let Some(more) = skills.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = write!(text, "\n- and {more} more");
    }
    Some(Contribution {
        importance: Importance::High,
        relevance: 0.7,
        ..Contribution::anywhere("skills", Layer::Content, Placement::Capabilities, Trust::Canon, text)
    })
}

/// What holds on how hard: a section of ordinary weight is worth more than an old message, so that a conversation that
/// grows does not push it out of the stable part, and less than the mode's own instructions.
fn section_worth(weight: Weight) -> (Importance, f32) {
    match weight {
        Weight::Low => (Importance::Useful, 1.0),
        Weight::Normal => (Importance::High, 0.8),
        Weight::High => (Importance::High, 1.0),
    }
}

/// What comes later in a text leaves earlier.
fn fewer(index: usize) -> f32 {
    0.001 * f32::from(u16::try_from(index.min(200)).unwrap_or(200))
}

/// A text by paragraphs, with the cap they have together. Numbered, since pieces of one place stand in the order of
/// their sources.
fn paragraphs(source: &str, text: &str, max_tokens: Option<u32>) -> Vec<Contribution> {
    let mut found: Vec<String> = Vec::new();
    let mut is_fenced = false;
    let mut is_new = true;
    for line in text.lines() {
        // A blank line inside a block of code ends no paragraph.
        if line.trim().is_empty() && !is_fenced {
            is_new = true;
            continue;
        }
        if line.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        }
        match found.last_mut() {
            Some(last) if !is_new => {
                last.push('\n');
                last.push_str(line);
            }
            _ => found.push(line.to_owned()),
        }
        is_new = false;
    }
    let is_one = found.len() == 1;
    found
        .into_iter()
        .enumerate()
        .map(|(index, text)| Contribution {
            share: max_tokens.map(|max_tokens| SharedCap { of: Arc::from(source), max_tokens }),
            ..Contribution::anywhere(
                if is_one { source.to_owned() } else { format!("{source} §{:03}", index + 1) },
                Layer::AuthorNote,
                Placement::Mode,
                Trust::Canon,
                text,
            )
        })
        .collect()
}
