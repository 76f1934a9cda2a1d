//! Skills that were called up by what was said, or by where it was said (Y5).

use std::sync::Arc;

use async_trait::async_trait;

use super::house::{fill_page, occasion_of, setting_of};
use super::{ContextAsk, ContextProvider, Pieces, Profile, newest};
use crate::config::{LiveConfig, Origin, Skill};
use crate::context::contribution::{Contribution, Importance, Placement, Quoted, TailPart, Trust};
use crate::context::recall::PipelineParts;
use crate::context::request::TurnRequest;
use crate::domain::{Layer, Role};
use crate::familiar::LiveCharacter;
use crate::history::HistoryError;
use crate::text::clip::token_pieces;
use crate::text::keywords;
use crate::text::tokens;

/// Skills told in full at once: two are a lot to follow.
const TOLD_MAX: usize = 3;

/// Contributes the skills that are wanted now.
#[derive(Debug)]
pub(crate) struct SkillsProvider {
    pub(in crate::context) parts: PipelineParts,
}

impl SkillsProvider {
    /// What people said lately, newest first, each with how many messages came after it.
    async fn said(&self, request: &TurnRequest, most: u32) -> Result<Vec<(usize, String)>, HistoryError> {
        Ok(newest(&self.parts.history, request, None, most)
            .await?
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.role == Role::User)
            .map(|(after, turn)| (after, stems_between_spaces(&turn.content)))
            .collect())
    }
}

#[async_trait]
impl ContextProvider for SkillsProvider {
    fn profile(&self) -> Profile {
        Profile::floor("skills", 2000)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let PipelineParts { character, config, .. } = &self.parts;
        let pages = config.pages();
        let (setting, occasion) = (setting_of(request, config), occasion_of(request));
        let possible: Vec<_> =
            pages.skills().iter().filter(|skill| skill.condition.holds(&setting, Some(&occasion))).collect();
        let Some(stays) = possible.iter().map(|skill| skill.stays).max() else { return Ok(Vec::new()) };
        let waiting = u32::try_from(request.pending.len()).unwrap_or(u32::MAX);
        let said = self.said(request, waiting.saturating_add(stays).max(1)).await?;
        let mut called: Vec<(usize, &Skill)> = possible
            .iter()
            .filter_map(|skill| Some((messages_since(skill, &said, request.pending.len())?, &***skill)))
            .collect();
        // What was asked for last is what is wanted most.
        called.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.name.cmp(&b.1.name)));
        called.truncate(TOLD_MAX);
        let fill = |raw: &str| fill_page(character, config, request, raw);
        Ok(called.iter().map(|(_, skill)| render_skill(skill, &fill)).collect())
    }
}

/// Every skill that may be told in this turn, with its words, within its cap.
pub fn skills_at_hand(
    character: &LiveCharacter,
    config: &LiveConfig,
    request: &TurnRequest,
) -> Vec<(Arc<Skill>, String)> {
    let (setting, occasion) = (setting_of(request, config), occasion_of(request));
    let count = |text: &str| request.model.scale(tokens::count(request.model.encoding, text));
    let told = |skill: &Arc<Skill>| {
        let text = match skill.origin {
            Origin::Own => fill_page(character, config, request, &skill.text),
            Origin::Imported => skill.text.to_string(),
        };
        let text = token_pieces(&text, skill.max_tokens, &count).into_iter().next().unwrap_or_default();
        (Arc::clone(skill), text)
    };
    let pages = config.pages();
    pages.skills().iter().filter(|skill| skill.condition.holds(&setting, Some(&occasion))).map(told).collect()
}

/// How many messages ago it was called up; `None` where it was not, or not lately.
fn messages_since(skill: &Skill, said: &[(usize, String)], waiting: usize) -> Option<usize> {
    let name = skill.spoken_name();
    let keys: Vec<String> = std::iter::once(&name)
        .chain(&skill.keywords)
        .map(|key| stems_between_spaces(key))
        .filter(|key| !key.trim().is_empty())
        .collect();
    let reach = waiting.max(1) + skill.stays as usize;
    let called = said
        .iter()
        .take_while(|(after, _)| *after < reach)
        .find(|(_, words)| keys.iter().any(|key| words.contains(key.as_str())))
        .map(|(after, _)| *after);
    // What is there by its condition alone comes after what somebody asked for.
    called.or(skill.needs_no_word.then_some(usize::MAX))
}

/// The stems of a text between spaces, so that a phrase is found as a run of whole words in any of their forms.
fn stems_between_spaces(text: &str) -> String {
    let mut stems = String::from(" ");
    for word in keywords::words(text) {
        stems.push_str(&keywords::index_word(&word));
        stems.push(' ');
    }
    stems
}

fn render_skill(skill: &Skill, fill: &impl Fn(&str) -> String) -> Contribution {
    let (trust, text, quoted) = match skill.origin {
        Origin::Own => (Trust::Canon, format!("{}:\n{}", skill.spoken_name(), fill(&skill.text)), None),
        // Somebody else's: looked at, not followed; nor are its macros filled in.
        Origin::Imported => {
            let author = Some(format!("imported skill {}", skill.spoken_name()));
            let quoted = Quoted { author, ..Quoted::default() };
            (Trust::Held, skill.text.to_string(), Some(quoted))
        }
    };
    let folder = if skill.origin == Origin::Own { "skills" } else { "skills/imported" };
    Contribution {
        importance: Importance::High,
        clip: Some(skill.max_tokens),
        quoted,
        ..Contribution::anywhere(
            format!("{folder}/{}.md", skill.name),
            Layer::Content,
            Placement::Tail(TailPart::Skill),
            trust,
            text,
        )
    }
}
