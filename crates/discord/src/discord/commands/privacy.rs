//! `/privacy`: what is stored of whoever asks; a copy of it; opting out, and taking part again.

use std::sync::Arc;

use jiff::civil::Date;
use serde::Serialize;
use serenity::all::{ButtonStyle, CreateActionRow, CreateAttachment, CreateButton, UserId};

use super::pair::with_pairing;
use super::{Answered, CommandError, Context, Deed, facts, forget, response};
use crate::archive::ResponseLine;
use crate::discord::adapter::Adapter;
use crate::discord::messages;
use crate::domain::AccountId;
use crate::erase::{Asker, ForgetRequest, ForgetWhat, KeepCopy, Plan};
use crate::history::OwnTurn;
use crate::identity::OwnPersonas;

/// What the ids of these buttons begin with.
pub(super) const PREFIX: &str = "privacy|";

/// Messages in a copy at most, the newest.
const COPIED_MAX: u32 = 100_000;

/// Bytes of a copy at most. Discord takes ten million in one file.
const COPY_BYTES: usize = 8_000_000;

/// What is stored about you and who gets it; a copy of it, and opting out
pub(super) async fn privacy(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let (adapter, person) = (ctx.data(), ctx.interaction.user.id);
    let told = if adapter.has_opted_out(person) {
        let again = button("in", messages::take_part(to), ButtonStyle::Primary);
        response(messages::stays_out(to, &adapter.name()))
            .components(vec![CreateActionRow::Buttons(vec![again])])
    } else {
        let account = AccountId::discord(person.get());
        let learns = adapter.deps.pairing.learns_from(&account);
        let paired = messages::paired_with(to, &adapter.deps.pairing.joined_with(&account));
        let learns_button = match learns {
            true => button("learn|end", messages::end_learning(to), ButtonStyle::Secondary),
            false => button("learn", messages::let_learn(to), ButtonStyle::Secondary),
        };
        let buttons = vec![
            button("copy", messages::copy_of_mine(to), ButtonStyle::Primary),
            learns_button,
            button("out", messages::opt_out(to), ButtonStyle::Danger),
        ];
        let words = messages::privacy(to, &adapter.name(), stored(adapter, person).await?);
        let learning = messages::whether_it_learns(to, &adapter.name(), learns);
        response([words, learning, paired].join("\n").trim_end().to_owned())
            .components(vec![CreateActionRow::Buttons(buttons)])
    };
    Ok(told)
}

fn button(does: &str, label: String, style: ButtonStyle) -> CreateButton {
    CreateButton::new(format!("{PREFIX}{does}")).label(label).style(style)
}

/// How much is stored of somebody.
async fn stored(adapter: &Adapter, person: UserId) -> Result<Plan, CommandError> {
    let account = AccountId::discord(person.get());
    let (what, by) = (ForgetWhat::Person(account.clone()), Asker::Person(account));
    let plan = adapter.deps.eraser.plan(&ForgetRequest { what, by, keep: KeepCopy::Nothing }).await?;
    Ok(plan.besides_copies())
}

/// A button was pressed: the answer takes the place of what was asked.
pub(super) async fn pressed(deed: Deed<'_>) -> Answered {
    let (adapter, to, person) = (deed.adapter, deed.to, deed.spot.user);
    let (account, name) = (deed.account(), adapter.name());
    let words = match deed.id.strip_prefix(PREFIX).unwrap_or_default() {
        "copy" => return copied(deed).await,
        "out" => {
            let buttons = vec![
                button("out|soft", messages::opt_out_and_forget(to), ButtonStyle::Danger),
                button("out|hard", messages::opt_out_for_good(to), ButtonStyle::Danger),
                button("no", messages::not_now(to), ButtonStyle::Secondary),
            ];
            let asked = messages::opting_out(to, &name, stored(adapter, person).await?);
            return Ok(response(asked).components(vec![CreateActionRow::Buttons(buttons)]));
        }
        "out|soft" => opts_out(deed, KeepCopy::SevenDays).await?,
        "out|hard" => opts_out(deed, KeepCopy::Nothing).await?,
        "learn" => {
            with_pairing(adapter, move |pairing| pairing.lets_learn(&account)).await?;
            // The button may be older than that they opted out.
            match adapter.has_opted_out(person) {
                true => messages::stays_out(to, &name),
                false => messages::lets_learn(to, &name),
            }
        }
        "learn|end" => {
            let who = account.clone();
            with_pairing(adapter, move |pairing| pairing.ends_learning(&who)).await?;
            let responses = adapter.deps.session.unlearn_from(&account).await?;
            messages::ends_learning(to, &name, responses)
        }
        "in" => {
            with_pairing(adapter, move |pairing| pairing.opt_in(&account)).await?;
            calls_look_again(adapter);
            messages::takes_part(to, &name)
        }
        _ => messages::kept(to),
    };
    Ok(response(words).components(Vec::new()))
}

/// First nothing more comes in, then what is there goes.
async fn opts_out(deed: Deed<'_>, keep: KeepCopy) -> Result<String, CommandError> {
    let (adapter, account) = (deed.adapter, deed.account());
    // All accounts of one person: what is forgotten with one of them is forgotten with all.
    for who in adapter.deps.memory.accounts_of(&account).await {
        with_pairing(adapter, move |pairing| pairing.opt_out(&who)).await?;
    }
    // Who is forgotten stays in the calls that they are in; who opts out does not.
    for guild in deed.discord.cache.guilds() {
        adapter.deps.world.guild(&guild.get().into(), |state| {
            Arc::make_mut(&mut state.calls).retain(|one| one.account != account);
        });
    }
    let forgotten = forget::carry_out(deed, ForgetWhat::Person(account), keep).await?;
    calls_look_again(adapter);
    Ok(messages::opted_out(deed.to, &adapter.name(), &forgotten))
}

fn calls_look_again(adapter: &Adapter) {
    if let Some(calls) = &adapter.calls {
        calls.look_again();
    }
}

/// What is stored of somebody, as they are handed it.
#[derive(Serialize)]
struct OwnCopy {
    account: String,
    /// Newest first.
    messages: Vec<OwnTurn>,
    notes: Vec<CopiedFact>,
    reminders: Vec<CopiedReminder>,
    /// Who they are in play, wherever that is.
    personas: OwnPersonas,
    /// What they did with replies, where they let it learn from that.
    counted: Vec<ResponseLine>,
}

#[derive(Serialize)]
struct CopiedFact {
    words: String,
    learnt_on: Option<Date>,
}

#[derive(Serialize)]
struct CopiedReminder {
    words: String,
    due: Option<jiff::Timestamp>,
}

async fn copied(deed: Deed<'_>) -> Answered {
    let (adapter, account) = (deed.adapter, deed.account());
    let place = deed.place().await;
    let notes = facts(adapter, &account, &place).await?;
    let mut reminders = adapter.deps.session.reminders(&account, &place, false).await?;
    reminders.retain(|one| one.what.asker.account == account);
    let responses = adapter.deps.eraser.own_responses(&account).await?;
    let own = adapter.deps.eraser.own_turns(&account, COPIED_MAX, COPY_BYTES).await?;
    let (in_it, is_all) = (own.turns.len(), own.is_all);
    let copy = OwnCopy {
        account: account.to_string(),
        messages: own.turns,
        notes: notes
            .into_iter()
            .map(|fact| CopiedFact { words: fact.words, learnt_on: fact.data.on })
            .collect(),
        reminders: reminders
            .into_iter()
            .map(|one| CopiedReminder { words: one.what.words, due: one.what.due })
            .collect(),
        personas: adapter.deps.pairing.personas_of(&account),
        counted: responses.into_iter().map(ResponseLine::from).collect(),
    };
    let text = serde_json::to_string_pretty(&copy).unwrap_or_default();
    let file = CreateAttachment::bytes(text, "mine.json");
    Ok(response(messages::copied(deed.to, in_it, is_all)).components(Vec::new()).new_attachment(file))
}
