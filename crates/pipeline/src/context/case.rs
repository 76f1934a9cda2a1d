//! A prompt in our own layout for a written-down case: the same stages as a live turn, without a store or a model.

use super::budget::{BudgetPlan, PromptTooLarge, fit};
use super::contribution::{Contribution, Importance, Placement, TailPart, Trust, TurnLine};
use super::ingest::ingest;
use super::layered;
use super::providers::{Addressee, HouseWords, character_contributions, character_macros};
use super::screen::screen;
use crate::domain::{ChannelId, ChatMessage, Layer, Place, RenderMode, Role, StoredId, TokenEncoding};
use crate::llm::ModelDescription;
use crate::text::names::prompt_label;
use familiar_cards::sillytavern::{NotePlace, StInput};

/// Renders a case in the `layered` order. The person's last lines, from the familiar's last one on, are what is being
/// answered and are never left out; layers have no caps of their own here, only the context size counts.
///
/// # Errors
/// When what may not be left out exceeds the context size.
pub fn render_layered_case(input: &StInput<'_>) -> Result<Vec<ChatMessage>, PromptTooLarge> {
    let encoding = TokenEncoding::CharsOver4;
    let model = ModelDescription::plain("case", input.context_tokens, encoding);
    let mut contributions = character_contributions(
        input.character,
        &HouseWords::built_in(),
        &Addressee::named(input.user),
        input.user,
        input.moment,
        encoding,
    );
    contributions.extend(surroundings(input));
    contributions.extend(chat(input));
    let plan = BudgetPlan::uncapped(u32::MAX, input.context_tokens, input.reply_tokens);
    let place = Place::terminal(ChannelId::from(0_u64));
    let budgeted = fit(screen(ingest(contributions, &model, RenderMode::Layered), &place), &plan)?;
    Ok(layered::render(&budgeted, input.moment.now.time_zone()))
}

/// What the case says about the world, the person and the scene, with macros filled in: it is the operator's text.
fn surroundings(input: &StInput<'_>) -> Vec<Contribution> {
    let user = Addressee::named(input.user);
    let filled = |text: &str| character_macros(input.character, &user, input.moment, text);
    let lore_before = filled(input.lore_before);
    let lore_after = filled(input.lore_after);
    let persona = filled(input.persona);
    let mut given = vec![
        case_piece("case/lore before", Layer::Content, Placement::LoreBefore, Trust::Canon, &lore_before),
        case_piece("case/lore after", Layer::Content, Placement::LoreAfter, Trust::Canon, &lore_after),
        case_piece("case/persona", Layer::Content, Placement::Tail(TailPart::Now), Trust::Chat, &persona),
    ];
    for entry in input.depth_entries {
        let placement = Placement::Depth { depth: entry.depth, role: entry.role };
        let text = filled(&entry.text);
        given.push(case_piece("case/lore at depth", Layer::DepthInject, placement, Trust::Canon, &text));
    }
    if let Some(note) = input.author_note {
        let depth = match note.place {
            NotePlace::InChat { depth } => depth,
            NotePlace::AfterMain | NotePlace::BeforeMain => u32::MAX,
        };
        let placement = Placement::Depth { depth, role: note.role };
        let text = filled(&note.text);
        given.push(case_piece("case/author's note", Layer::AuthorNote, placement, Trust::Canon, &text));
    }
    given
}

fn case_piece(source: &str, layer: Layer, placement: Placement, trust: Trust, text: &str) -> Contribution {
    Contribution {
        importance: Importance::High,
        ..Contribution::anywhere(source, layer, placement, trust, text)
    }
}

fn chat<'a>(input: &'a StInput<'_>) -> impl Iterator<Item = Contribution> + 'a {
    let answered = input.chat.iter().rposition(|line| line.role == Role::Assistant).map_or(0, |at| at + 1);
    input.chat.iter().enumerate().map(move |(index, line)| {
        let role = line.role;
        let ordinal = index as u64 + 1;
        Contribution {
            importance: if index >= answered { Importance::Axiom } else { Importance::Normal },
            turn: Some(TurnLine::of(
                StoredId(i64::try_from(ordinal).unwrap_or(i64::MAX)),
                role,
                (role == Role::User).then(|| prompt_label(&line.name)),
            )),
            ..case_piece(
                &format!("case/line {ordinal}"),
                Layer::RecentHistory,
                Placement::Turn(ordinal),
                Trust::Chat,
                &line.text,
            )
        }
    })
}
