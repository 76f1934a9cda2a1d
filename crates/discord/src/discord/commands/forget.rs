//! `/forget me`, `/forget what`, `/forget undo`: told first, done after a press of a button.
//!
//! The buttons carry the whole request, and whose it is is whoever presses them (nobody else sees them): nothing waits in
//! between, so that a restart while somebody thinks loses nothing.

use serenity::all::{ButtonStyle, CreateActionRow, CreateButton, UserId};

use super::{Answered, CommandError, Context, Deed, answer, facts, response};
use crate::discord::adapter::Adapter;
use crate::discord::intake::let_go_of_words;
use crate::discord::messages::{self, LooksThrough, Tongue};
use crate::domain::{AccountId, Place};
use crate::erase::{Asker, FIRST, ForgetRequest, ForgetWhat, KeepCopy, Plan, Preview};

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "forget|";

/// Longest words to forget by: a button's id holds 100 characters.
pub(super) const WORDS_MAX: u16 = 60;

/// Everything you ever said, and everything noted about you
pub(super) async fn me(ctx: Context<'_>) -> Answered {
    forget_question(ctx.deed(), ForgetWhat::Person(ctx.account()), "me").await
}

/// What you said that holds certain words, and what is noted of it
pub(super) async fn what(ctx: Context<'_>, words: String) -> Answered {
    let words: String = words.replace('|', " ").chars().take(WORDS_MAX.into()).collect();
    let subject = format!("words|{words}");
    forget_question(ctx.deed(), ForgetWhat::Words { person: ctx.account(), words }, &subject).await
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

/// What would go, with buttons to do it.
async fn forget_question(deed: Deed<'_>, what: ForgetWhat, subject: &str) -> Answered {
    let (adapter, to) = (deed.adapter, deed.to);
    let place = deed.place().await;
    // For good may be more: copies that an earlier request keeps.
    let request = ForgetRequest { what, by: Asker::Person(deed.account()), keep: KeepCopy::Nothing };
    let (plan, first) = adapter.deps.eraser.preview(&request).await?;
    // A transcript may hold what is not remembered any more.
    let through = match &request.what {
        ForgetWhat::Words { person, words } => looks_through(adapter, person.clone(), words).await,
        _ => LooksThrough::Nothing,
    };
    if plan.is_empty() && through == LooksThrough::Nothing {
        if matches!(request.what, ForgetWhat::Person(_)) {
            hears_no_more(adapter, deed.spot.user).await;
        }
        return Ok(response(messages::nothing_to_forget(to, &adapter.name())));
    }
    let told = in_words(deed, &place, (plan, &first), through).await?;
    let is_only_copies = through == LooksThrough::Nothing && plan.besides_copies().is_empty();
    Ok(response(told).components(vec![buttons(to, subject, is_only_copies)]))
}

/// How much would go with one fact of theirs, and which facts go along, above the buttons that do it.
pub(super) async fn goes_with_fact(
    deed: Deed<'_>,
    place: &Place,
    fact: &str,
) -> Result<String, CommandError> {
    let (what, by) = (ForgetWhat::Fact(fact.to_owned()), Asker::Person(deed.account()));
    let request = ForgetRequest { what, by, keep: KeepCopy::Nothing };
    let (plan, first) = deed.adapter.deps.eraser.preview(&request).await?;
    in_words(deed, place, (plan, &first), LooksThrough::Nothing).await
}

/// What would go, with the first of the facts among it that may be shown there: what they told elsewhere is shown there.
async fn in_words(
    deed: Deed<'_>,
    place: &Place,
    (plan, first): (Plan, &Preview),
    through: LooksThrough,
) -> Result<String, CommandError> {
    let known = facts(deed.adapter, &deed.account(), place).await?;
    let going = known.iter().filter(|fact| first.fact_ids.contains(&fact.id)).take(FIRST);
    let seen: Vec<String> = going.map(|fact| messages::noted_fact(deed.to, &fact.words)).collect();
    let facts = messages::facts_going(deed.to, &seen, plan.facts);
    let told = [Some(messages::forget_plan(deed.to, &deed.adapter.name(), plan, through)), facts];
    Ok(told.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

/// The button under that was pressed: what would go is told to whoever pressed it.
pub(super) async fn asked_under(deed: Deed<'_>) -> Answered {
    forget_question(deed, ForgetWhat::Person(deed.account()), "me").await
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
pub(super) async fn pressed(deed: Deed<'_>) -> Answered {
    let (to, person) = (deed.to, deed.account());
    let rest = deed.id.strip_prefix(PREFIX).unwrap_or_default();
    let (keep, subject) = rest.split_once('|').unwrap_or((rest, ""));
    let keep = match keep {
        "soft" => KeepCopy::SevenDays,
        "hard" => KeepCopy::Nothing,
        _ => return Ok(response(messages::kept(to)).components(Vec::new())),
    };
    let what = match subject.split_once('|') {
        Some(("fact", id)) => ForgetWhat::Fact(id.to_owned()),
        Some(("words", words)) => ForgetWhat::Words { person, words: words.to_owned() },
        _ if subject == "me" => ForgetWhat::Person(person),
        _ => return Ok(response(messages::kept(to)).components(Vec::new())),
    };
    let words = carry_out(deed, what, keep).await?;
    Ok(response(words).components(Vec::new()))
}

/// Forgets what a person wants forgotten; in words, what it was.
pub(super) async fn carry_out(
    deed: Deed<'_>,
    what: ForgetWhat,
    keep: KeepCopy,
) -> Result<String, CommandError> {
    let (adapter, asker, to) = (deed.adapter, deed.spot.user, deed.to);
    let person = deed.account();
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
    let_go_of_words(&deed.discord.cache, adapter.order.channels(), asker, jiff::Timestamp::now());
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
