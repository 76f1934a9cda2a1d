//! A live turn in SillyTavern's order: what survived the budget, handed to [`sillytavern`] field by field.
//!
//! Axioms stand in front: they hold in every layout. Everything else, order, roles and injections included, is `sillytavern`'s.

use jiff::tz::TimeZone;

use super::budget::Budgeted;
use super::chunk::{Chunk, MESSAGE_OVERHEAD_TOKENS, NOTE_TOKENS, SEPARATOR_TOKENS};
use super::contribution::{AFTER_EXAMPLES, BEFORE_EXAMPLES, Contribution, Placement};
use super::layered;
use super::request::set_in;
use super::tail;
use crate::domain::{ChatMessage, Role};
use crate::familiar::Character;
use familiar_cards::TokenCount;
use familiar_cards::macros::Moment;
use familiar_cards::sillytavern::{
    self, AuthorNote, DepthEntry, ExamplePinning, ExampleRule, NamesBehaviour, NotePlace, StInput, StLine,
};

/// Where SillyTavern puts a note by default (cards-and-lore 5).
const NOTE_DEPTH: u32 = 4;

/// Who is called what in this prompt.
#[derive(Debug, Clone)]
pub(super) struct PromptNames {
    pub character: String,
    /// The other speaker in example dialogue.
    pub example_user: String,
    /// Several people may be here, so their lines carry their names.
    pub in_company: bool,
    /// For macros; the fields' own were filled in when they were gathered.
    pub moment: Moment,
    /// The time zone times are told in.
    pub display_tz: TimeZone,
}

pub(super) fn render(budgeted: &Budgeted, names: &PromptNames) -> Vec<ChatMessage> {
    let mut character = Character { name: names.character.clone(), ..Character::default() };
    let mut axioms = Vec::new();
    let mut lore_before = Vec::new();
    let mut lore_after = Vec::new();
    let mut chat = Vec::new();
    let mut depth_entries = Vec::new();
    let (mut note_top, mut note, mut note_bottom) = (Vec::new(), Vec::new(), Vec::new());
    let (mut before_examples, mut after_examples) = (Vec::new(), Vec::new());
    let mut section = None;
    for chunk in layered::in_prompt_order(&budgeted.kept) {
        let text = chunk.text.trim();
        match &chunk.placement {
            Placement::Turn(_) => chat.extend(st_line(chunk)),
            // What is true for this turn only, and held text wherever it was meant to stand: a note of its own at the
            // end, in the user's role.
            placement
                if !placement.is_stable() && !matches!(placement, Placement::Depth { .. })
                    || !chunk.trust.may_instruct() =>
            {
                let text = format!("[{}]", tail::alone(chunk, &names.display_tz));
                depth_entries.push(DepthEntry { depth: 0, role: Role::User, text });
            }
            Placement::Axioms => axioms.push(ChatMessage::new(Role::System, text)),
            Placement::Main => text.clone_into(&mut character.system_prompt),
            Placement::LoreBefore => lore_before.push(text),
            Placement::Description => text.clone_into(&mut character.description),
            Placement::Personality => text.clone_into(&mut character.personality),
            Placement::Scenario => text.clone_into(&mut character.scenario),
            Placement::LoreAfter => lore_after.push(text),
            Placement::Example(BEFORE_EXAMPLES) => before_examples.push(text.to_owned()),
            Placement::Example(AFTER_EXAMPLES) => after_examples.push(text.to_owned()),
            Placement::Example(_) => {
                character.mes_example.push_str("<START>\n");
                character.mes_example.push_str(text);
                character.mes_example.push('\n');
            }
            Placement::NoteTop => note_top.push(text.to_owned()),
            Placement::NoteBottom => note_bottom.push(text.to_owned()),
            Placement::Mode | Placement::Partner | Placement::Capabilities => note.push(text.to_owned()),
            Placement::Depth { depth, role } => {
                depth_entries.push(DepthEntry { depth: *depth, role: *role, text: text.to_owned() });
            }
            // A section's paragraphs come one after the other; its title stands over the first.
            Placement::House { name, title, .. } => {
                if section.replace(name) != Some(name) {
                    note.push(format!("{title}:\n{text}"));
                } else {
                    note.push(text.to_owned());
                }
            }
            Placement::Summary(_) | Placement::Tail(_) => {}
            Placement::Obligations => text.clone_into(&mut character.post_history_instructions),
        }
    }
    let own_examples = std::mem::take(&mut character.mes_example);
    character.mes_example = sillytavern::examples_with(before_examples, own_examples, after_examples);
    let note = sillytavern::joined(note_top.into_iter().chain([note.join("\n\n")]).chain(note_bottom));
    let author_note = (!note.is_empty()).then_some(AuthorNote {
        text: note,
        place: NotePlace::InChat { depth: NOTE_DEPTH },
        role: Role::System,
    });
    let input = StInput {
        character: &character,
        char_name: &names.character,
        user: &names.example_user,
        persona: "",
        chat: &chat,
        lore_before: &lore_before.join("\n"),
        lore_after: &lore_after.join("\n"),
        depth_entries: &depth_entries,
        author_note: author_note.as_ref(),
        names: if names.in_company { NamesBehaviour::People } else { NamesBehaviour::None },
        examples: ExamplePinning::Pinned,
        example_rule: ExampleRule::Careful,
        // What fits has been decided; here nothing costs anything, so nothing is cut.
        context_tokens: u32::MAX / 2,
        reply_tokens: 0,
        group: None,
        main_prompt: "",
        tokens: TokenCount::By(&|_| 0),
        moment: &names.moment,
    };
    let built = sillytavern::build_filled(&input).unwrap_or_default();
    axioms.into_iter().chain(built).collect()
}

/// The tokens this layout adds to a chunk that is no turn, at most: every chunk is a message of its own, every line
/// of an example too.
pub(super) fn st_dressing(of: &Contribution, count: &mut dyn FnMut(&str) -> u32) -> u32 {
    let message = MESSAGE_OVERHEAD_TOKENS + SEPARATOR_TOKENS + NOTE_TOKENS;
    match &of.placement {
        placement if placement.is_volatile() || !of.trust.may_instruct() => {
            message.saturating_add(SEPARATOR_TOKENS).saturating_add(tail::tail_dressing(of, count))
        }
        Placement::Summary(_) => message.saturating_add(tail::tail_dressing(of, count)),
        Placement::Axioms => 2 * message + count(sillytavern::NEW_CHAT),
        Placement::Example(_) => {
            let lines = u32::try_from(of.text.lines().count()).unwrap_or(u32::MAX);
            message
                .saturating_add(count(sillytavern::NEW_EXAMPLE))
                .saturating_add(lines.saturating_mul(MESSAGE_OVERHEAD_TOKENS + SEPARATOR_TOKENS))
        }
        Placement::House { title, .. } => {
            message.saturating_add(count(title)).saturating_add(SEPARATOR_TOKENS)
        }
        _ => message,
    }
}

fn st_line(chunk: &Chunk) -> Option<StLine> {
    let turn = chunk.turn.as_ref()?;
    let words = chunk.text.trim();
    let (role, words) = match turn.role {
        Role::Assistant => (Role::Assistant, words.to_owned()),
        _ => (Role::User, set_in(words)),
    };
    Some(StLine {
        role,
        name: turn.label.clone().unwrap_or_default(),
        text: format!("{}{words}", turn.prefix),
    })
}
