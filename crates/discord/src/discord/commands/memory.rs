//! `/memory`: what is noted about whoever asks, as far as it may be seen where they ask; and setting it right.

use std::collections::BTreeSet;

use serenity::all::{
    ButtonStyle, CreateActionRow, CreateButton, CreateInputText, CreateInteractionResponse, CreateSelectMenu,
    CreateSelectMenuKind, CreateSelectMenuOption, InputTextStyle,
};

use super::{Answered, CommandError, Context, Deed, answer, facts, forget, form, label, response};
use crate::discord::adapter::Adapter;
use crate::discord::messages::{self, FactSource, KnownFact, Teller, Tongue};
use crate::domain::{AccountId, Place};
use crate::memory::change::{ChangeFate, NoteChange, PageChange};
use crate::memory::facts::{By, FactData, FactId, FactKind};
use crate::memory::forget::FactFound;
use crate::memory::store::NoteEditor;
use crate::text::keywords;
use crate::text::short::one_line;

/// What the ids of these components begin with.
pub(super) const PREFIX: &str = "memory|";

/// The button that opens a form, and the form; the fact stands behind it.
pub(super) const CORRECT: &str = "memory|correct|";

/// Facts shown at once; a choice has at most 25.
const SHOWN: usize = 10;

/// The button that takes away what was learnt.
const UNLEARN: &str = "memory|unlearn";

/// What Discord takes in one message, in characters.
const MESSAGE_CHARS: usize = 2_000;

/// Longest correction, in characters.
const WORDS_MAX: u16 = 300;

/// What is noted about you, as far as it may be seen here
pub(super) async fn memory(ctx: Context<'_>, about: Option<String>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    let (deed, person) = (ctx.deed(), ctx.account());
    let place = deed.place().await;
    let mut facts = facts(adapter, &person, &place).await?;
    let wanted: BTreeSet<String> = keywords::terms(&about.unwrap_or_default()).into_iter().collect();
    let others = facts.len();
    facts.retain(|fact| wanted.is_subset(&keywords::terms(&fact.words).into_iter().collect()));
    let learned = adapter.deps.session.learned(&place).await;
    let learned = messages::learned(to, &adapter.name(), &learned);
    let may_unlearn = learned.is_some() && deed.may_change(&place);
    let unlearn = CreateButton::new(UNLEARN).label(messages::unlearn(to)).style(ButtonStyle::Secondary);
    let unlearn = may_unlearn.then(|| CreateActionRow::Buttons(vec![unlearn]));
    let with_learned = |words: String| match learned {
        Some(learned) if words.chars().count() + learned.chars().count() < MESSAGE_CHARS => {
            format!("{words}\n{learned}")
        }
        _ => words,
    };
    if facts.is_empty() {
        let words = match others {
            0 => messages::nothing_known(to, &adapter.name()),
            _ => messages::nothing_with_these_words(to, &adapter.name(), others),
        };
        let words = with_learned(words);
        return Ok(response(words).components(unlearn.into_iter().collect()));
    }
    let all = facts.len();
    // What holds comes first, the newest of it.
    let today = adapter.today();
    facts.sort_by_key(|fact| (fact.is_past(today), std::cmp::Reverse(fact.data.on)));
    facts.truncate(SHOWN);
    let shown: Vec<KnownFact> = facts.iter().filter_map(|fact| known(to, fact, &person, today)).collect();
    let options = shown
        .iter()
        .map(|fact| CreateSelectMenuOption::new(label("", &fact.words), fact.id.clone()))
        .collect();
    let choice = CreateSelectMenu::new(format!("{PREFIX}pick"), CreateSelectMenuKind::String { options })
        .placeholder(messages::choose_fact(to));
    let words = with_learned(messages::known_facts(to, &adapter.name(), &shown, all));
    let rows = [Some(CreateActionRow::SelectMenu(choice)), unlearn].into_iter().flatten().collect();
    Ok(response(words).components(rows))
}

/// What was learnt here is to go.
async fn unlearns(deed: Deed<'_>) -> Answered {
    let (adapter, to, place) = (deed.adapter, deed.to, deed.place().await);
    let words = match deed.may_change(&place) {
        true => messages::unlearned(to, &adapter.name(), adapter.deps.session.unlearn(&place).await?),
        false => messages::needs_manage_channels(to, deed.spot.channel.get()),
    };
    Ok(response(words).components(Vec::new()))
}

/// One of them was chosen: what it says, and what can be done about it. Or a button was pressed.
pub(super) async fn picked(deed: Deed<'_>) -> Answered {
    if deed.id == UNLEARN {
        return unlearns(deed).await;
    }
    let (to, person, id) = (deed.to, deed.account(), deed.given);
    let place = deed.place().await;
    let Some(fact) = find_fact(deed.adapter, &person, &place, id)
        .await?
        .and_then(|fact| known(to, &fact, &person, deed.adapter.today()))
    else {
        return Ok(response(messages::fact_gone(to)).components(Vec::new()));
    };
    let correct =
        CreateButton::new(format!("{CORRECT}{id}")).label(messages::correct(to)).style(ButtonStyle::Primary);
    let rows =
        vec![CreateActionRow::Buttons(vec![correct]), forget::buttons(to, &format!("fact|{id}"), false)];
    let goes = forget::goes_with_fact(deed, &place, id).await?;
    Ok(response(format!("{}\n{goes}", messages::one_fact(to, &fact))).components(rows))
}

/// Somebody wants to set a fact right: the form, filled in with what it says.
pub(super) async fn correcting(deed: Deed<'_>, id: &str) -> Result<CreateInteractionResponse, CommandError> {
    let to = deed.to;
    // A form can only be the first response, and Discord waits three seconds for that: nobody is asked.
    let fact = find_fact(deed.adapter, &deed.account(), &deed.known_place(), id).await?;
    let field = CreateInputText::new(InputTextStyle::Paragraph, messages::correct_label(to), "words")
        .max_length(WORDS_MAX)
        .value(fact.map(|fact| fact.words).unwrap_or_default());
    Ok(form(format!("{CORRECT}{id}"), messages::correct_title(to), field))
}

/// The form was submitted.
pub(super) async fn correction_submitted(deed: Deed<'_>, id: &str) -> Answered {
    let (adapter, to, person) = (deed.adapter, deed.to, deed.account());
    let place = deed.place().await;
    let words = one_line(deed.given);
    let Some(fact) = find_fact(adapter, &person, &place, id).await? else {
        return answer(messages::fact_gone(to));
    };
    let Some(audience) = fact.audience.clone() else { return answer(messages::fact_gone(to)) };
    if words.is_empty() {
        return answer(messages::not_corrected(to));
    }
    let today = adapter.today();
    let data = FactData {
        id: Some(FactId::random()),
        to: Some(audience.clone()),
        by: Some(By::Person(person)),
        on: Some(today),
        importance: fact.data.importance,
        kind: FactKind::Correction,
        ..FactData::default()
    };
    let change = NoteChange {
        title: fact.path.stem().to_owned(),
        note: fact.path,
        audience,
        what: PageChange::Supersede { old: fact.id, seen: fact.words, words: words.clone(), data },
    };
    let fates = adapter.deps.memory.change(vec![change], today, NoteEditor::Operator).await?;
    answer(match fates.first() {
        Some(ChangeFate::Written) => messages::corrected(to, &adapter.name(), &words),
        _ => messages::not_corrected(to),
    })
}

async fn find_fact(
    adapter: &Adapter,
    person: &AccountId,
    place: &Place,
    id: &str,
) -> Result<Option<FactFound>, CommandError> {
    Ok(facts(adapter, person, place).await?.into_iter().find(|fact| fact.id.as_str() == id))
}

fn known(to: Tongue, fact: &FactFound, person: &AccountId, today: jiff::civil::Date) -> Option<KnownFact> {
    let by = match &fact.data.by {
        Some(By::Person(by)) if by == person => Teller::You,
        Some(By::Person(by)) => by.id().parse().map_or(Teller::Unknown, Teller::Other),
        Some(By::Familiar) => Teller::Familiar,
        None => Teller::Unknown,
    };
    let messages = fact.turns().count();
    Some(KnownFact {
        id: fact.id.to_string(),
        words: messages::noted_fact(to, &fact.words),
        on: fact.data.on,
        audience: fact.audience.clone()?,
        is_past: fact.is_past(today),
        source: FactSource { by, messages, notes: fact.data.from.len() - messages },
    })
}
