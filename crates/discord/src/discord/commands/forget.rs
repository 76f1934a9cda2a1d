//! `/forget me`, `/forget what`, `/forget undo`: told first, done after a press of a button.
//!
//! The buttons carry the whole request, and whose it is is whoever presses them (nobody else sees them): nothing waits in
//! between, so that a restart while somebody thinks loses nothing.

use std::collections::BTreeSet;

use serenity::all::{ButtonStyle, Cache, ComponentInteraction, CreateActionRow, CreateButton, UserId};

use super::{Answered, CommandError, Context, answer, component_spot, facts, in_time, response, tongue_of};
use crate::discord::adapter::Adapter;
use crate::discord::intake::let_go_of_words;
use crate::discord::messages::{self, LooksThrough, Tongue};
use crate::domain::{AccountId, Place};
use crate::erase::{Asker, FIRST, ForgetRequest, ForgetWhat, KeepCopy, Plan, Preview};
use crate::memory::facts::FactId;

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "forget|";

/// Longest words to forget by: a button's id holds 100 characters.
pub(super) const WORDS_MAX: u16 = 60;

/// Everything you ever said, and everything noted about you
pub(super) async fn me(ctx: Context<'_>) -> Answered {
    let person = ctx.account();
    propose(ctx, ForgetWhat::Person(person), "me").await
}

/// What you said that holds certain words, and what is noted of it
pub(super) async fn what(ctx: Context<'_>, words: String) -> Answered {
    let words: String = words.replace('|', " ").chars().take(WORDS_MAX.into()).collect();
    let subject = format!("words|{words}");
    propose(ctx, ForgetWhat::Words { person: ctx.account(), words }, &subject).await
}

/// Take the last one back, within seven days
pub(super) async fn undo(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let adapter = ctx.data();
    if adapter.has_opted_out(ctx.interaction.user.id) {
        return answer(messages::undo_while_opted_out(to, &adapter.name()));
    }
    let words = match adapter.deps.eraser.undo(&Asker::Person(ctx.account())).await? {
        Some(undone) => messages::undone(to, &adapter.name(), undone),
        None => messages::nothing_to_undo(to),
    };
    answer(words)
}

async fn propose(ctx: Context<'_>, what: ForgetWhat, subject: &str) -> Answered {
    let adapter = ctx.data();
    let place = adapter.place_of(ctx.discord, ctx.spot()).await;
    let asker = (ctx.interaction.user.id, ctx.tongue());
    forget_question(adapter, &place, asker, what, subject).await
}

/// What would go, with buttons to do it.
async fn forget_question(
    adapter: &Adapter,
    place: &Place,
    (asker, to): (UserId, Tongue),
    what: ForgetWhat,
    subject: &str,
) -> Answered {
    // For good may be more: copies that an earlier request keeps.
    let by = Asker::Person(AccountId::discord(asker.get()));
    let request = ForgetRequest { what, by, keep: KeepCopy::Nothing };
    let (plan, first) = adapter.deps.eraser.preview(&request).await?;
    // A transcript may hold what is not remembered any more.
    let through = match &request.what {
        ForgetWhat::Words { person, words } => looks_through(adapter, person.clone(), words).await,
        _ => LooksThrough::Nothing,
    };
    if plan.is_empty() && through == LooksThrough::Nothing {
        if matches!(request.what, ForgetWhat::Person(_)) {
            hears_no_more(adapter, asker).await;
        }
        return Ok(response(messages::nothing_to_forget(to, &adapter.name())));
    }
    let told = in_words(adapter, place, (asker, to), (plan, &first), through).await?;
    let is_only_copies = through == LooksThrough::Nothing && plan.besides_copies().is_empty();
    Ok(response(told).components(vec![buttons(to, subject, is_only_copies)]))
}

/// How much would go with one fact of theirs, and which facts go along, above the buttons that do it.
pub(super) async fn goes_with_fact(
    adapter: &Adapter,
    place: &Place,
    (asker, to): (UserId, Tongue),
    fact: &str,
) -> Result<String, CommandError> {
    let by = Asker::Person(AccountId::discord(asker.get()));
    let request = ForgetRequest { what: ForgetWhat::Fact(fact.to_owned()), by, keep: KeepCopy::Nothing };
    let (plan, first) = adapter.deps.eraser.preview(&request).await?;
    in_words(adapter, place, (asker, to), (plan, &first), LooksThrough::Nothing).await
}

/// What would go, with the facts among it that may be shown there.
async fn in_words(
    adapter: &Adapter,
    place: &Place,
    (asker, to): (UserId, Tongue),
    (plan, first): (Plan, &Preview),
    through: LooksThrough,
) -> Result<String, CommandError> {
    let seen = seen_there(adapter, place, asker, &first.fact_ids).await?;
    let seen: Vec<String> = seen.iter().map(|words| messages::noted_fact(to, words)).collect();
    let facts = messages::facts_going(to, &seen, plan.facts);
    let told = [Some(messages::forget_plan(to, &adapter.name(), plan, through)), facts];
    Ok(told.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

/// The words of the first of these facts that whoever asks may see there: what they told elsewhere is shown there.
async fn seen_there(
    adapter: &Adapter,
    place: &Place,
    asker: UserId,
    going: &BTreeSet<FactId>,
) -> Result<Vec<String>, CommandError> {
    let facts = facts(adapter, &AccountId::discord(asker.get()), place).await?;
    let goes = facts.into_iter().filter(|fact| going.contains(&fact.id));
    Ok(goes.take(FIRST).map(|fact| fact.words).collect())
}

/// The button under that was pressed: what would go is told to whoever pressed it.
pub(super) async fn asked_under(
    adapter: &Adapter,
    ctx: &serenity::all::Context,
    pressed: &ComponentInteraction,
) -> Result<(), CommandError> {
    in_time(pressed.defer_ephemeral(&ctx.http)).await?;
    let (person, to) = (AccountId::discord(pressed.user.id.get()), tongue_of(&pressed.locale));
    let place = adapter.place_of(ctx, component_spot(pressed)).await;
    let asked = forget_question(adapter, &place, (pressed.user.id, to), ForgetWhat::Person(person), "me");
    let told = match asked.await {
        Ok(told) => told,
        Err(error) => {
            tracing::warn!(%error, "what a button asked for was not done");
            response(error.words(to))
        }
    };
    in_time(pressed.edit_response(&ctx.http, told)).await.map(drop)
}

/// What they agreed to about calls is forgotten, and no call hears them any more.
async fn hears_no_more(adapter: &Adapter, who: UserId) {
    if let Some(calls) = &adapter.calls {
        calls.forget(who).await;
    }
    let account = AccountId::discord(who.get());
    let changed = adapter.change(move |config| config.forget_in_calls(&account));
    // A settings file that cannot be read keeps nobody from being forgotten: the eraser takes it out of there as well.
    if let Err(error) = changed.await {
        tracing::warn!(?error, "what somebody agreed to about calls is not taken out of the settings yet");
    }
}

/// Where words of theirs may stand on Discord.
async fn looks_through(adapter: &Adapter, who: AccountId, words: &str) -> LooksThrough {
    match &adapter.calls {
        Some(calls) if calls.may_hold_words(who, words).await => LooksThrough::Transcripts,
        _ => LooksThrough::Nothing,
    }
}

/// Takes back transcripts with words of people who were forgotten.
fn begin_taking_back(adapter: &Adapter) {
    if let Some(calls) = &adapter.calls {
        calls.take_back(&adapter.deps.link);
    }
}

/// Forget, unless only copies of what was forgotten before are left; forget for good; keep.
pub(super) fn buttons(to: Tongue, subject: &str, is_only_copies: bool) -> CreateActionRow {
    let soft = button("soft", subject, messages::forget(to), ButtonStyle::Danger);
    let hard = button("hard", subject, messages::forget_for_good(to), ButtonStyle::Danger);
    let no = button("no", subject, messages::keep(to), ButtonStyle::Secondary);
    CreateActionRow::Buttons(if is_only_copies { vec![hard, no] } else { vec![soft, hard, no] })
}

fn button(keep: &str, subject: &str, label: String, style: ButtonStyle) -> CreateButton {
    CreateButton::new(format!("{PREFIX}{keep}|{subject}")).label(label).style(style)
}

/// A button was pressed: the answer takes the place of the question.
pub(super) async fn pressed(adapter: &Adapter, cache: &Cache, pressed: &ComponentInteraction) -> Answered {
    let to = tongue_of(&pressed.locale);
    let person = AccountId::discord(pressed.user.id.get());
    let rest = pressed.data.custom_id.strip_prefix(PREFIX).unwrap_or_default();
    let (keep, subject) = rest.split_once('|').unwrap_or((rest, ""));
    let keep = match keep {
        "soft" => KeepCopy::SevenDays,
        "hard" => KeepCopy::Nothing,
        _ => return Ok(response(messages::kept(to)).components(Vec::new())),
    };
    let what = match subject.split_once('|') {
        Some(("fact", id)) => ForgetWhat::Fact(id.to_owned()),
        Some(("words", words)) => ForgetWhat::Words { person: person.clone(), words: words.to_owned() },
        _ if subject == "me" => ForgetWhat::Person(person.clone()),
        _ => return Ok(response(messages::kept(to)).components(Vec::new())),
    };
    let words = carry_out(adapter, cache, (pressed.user.id, to), what, keep).await?;
    Ok(response(words).components(Vec::new()))
}

/// Forgets what a person wants forgotten; in words, what it was.
pub(super) async fn carry_out(
    adapter: &Adapter,
    cache: &Cache,
    (asker, to): (UserId, Tongue),
    what: ForgetWhat,
    keep: KeepCopy,
) -> Result<String, CommandError> {
    let person = AccountId::discord(asker.get());
    if matches!(what, ForgetWhat::Person(_)) {
        // First, so that nothing more of theirs comes in while it is being forgotten.
        hears_no_more(adapter, asker).await;
    }
    let words = match &what {
        ForgetWhat::Words { words, .. } => Some(words.clone()),
        _ => None,
    };
    let request = ForgetRequest { what, by: Asker::Person(person.clone()), keep };
    let plan = adapter.deps.eraser.forget(request).await?;
    // It is written down by now, whatever Discord does.
    let mut through = LooksThrough::Nothing;
    match (words, &adapter.calls) {
        (Some(words), Some(calls)) => {
            through = looks_through(adapter, person.clone(), &words).await;
            calls.take_back_words(&adapter.deps.link, person, &words);
        }
        _ => begin_taking_back(adapter),
    }
    let_go_of_words(cache, adapter.order.channels(), asker, jiff::Timestamp::now());
    let name = adapter.name();
    Ok(match keep {
        _ if plan.is_empty() => match through {
            LooksThrough::Transcripts => messages::transcripts_searched(to, &name),
            LooksThrough::Nothing => messages::nothing_to_forget(to, &name),
        },
        KeepCopy::SevenDays => messages::forgotten(to, &name, plan),
        KeepCopy::Nothing => messages::forgotten_for_good(to, &name, plan),
    })
}
