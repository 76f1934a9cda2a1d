//! `/pair`, `/pair-past` and `/unpair`: where somebody wants to be known as they are known alone (M14).

use std::sync::Arc;

use serenity::all::{ButtonStyle, CreateActionRow, CreateButton, EditInteractionResponse};

use super::{Answered, CommandError, Context, Deed, answer, place_now, response};
use crate::discord::adapter::Adapter;
use crate::discord::messages::{self, Tongue};
use crate::domain::{AccountId, Place};
use crate::identity::{BondEnd, Pairing, PairingError};

/// What the ids of these buttons begin with; the code stands behind it.
pub(super) const PREFIX: &str = "pair|";

/// Longest code, in characters; the parts may be typed with spaces between.
pub(super) const CODE_MAX: u16 = 20;

/// Link your direct messages with this server, or with another account of yours
pub(super) async fn pair(ctx: Context<'_>, code: Option<String>) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    let here = end(&place);
    let Some(code) = code.filter(|code| !code.trim().is_empty()) else {
        let invited = with_pairing(ctx.data(), move |pairing| pairing.invite(&account, &place)).await?;
        return answer(invited.map_or_else(
            |why| messages::pair_refused(to, why),
            |made| messages::pair_code(to, &made.code, &here),
        ));
    };
    if let Some(other) = ctx.data().deps.pairing.other_account(&account, &place, &code) {
        return Ok(asked(to, &other, &code));
    }
    let words = redeemed(ctx.data(), to, account, place, code).await?;
    answer(words)
}

/// Whoever is talked into giving another's code would tell that person everything from then on.
fn asked(to: Tongue, other: &AccountId, code: &str) -> EditInteractionResponse {
    let button = |code: &str, label| CreateButton::new(format!("{PREFIX}{code}")).label(label);
    let buttons = vec![
        button(code, messages::pair_is_mine(to)).style(ButtonStyle::Danger),
        button("", messages::pair_not_mine(to)).style(ButtonStyle::Secondary),
    ];
    response(messages::pair_asked(to, other.id())).components(vec![CreateActionRow::Buttons(buttons)])
}

/// A button under that question was pressed.
pub(super) async fn pressed(deed: Deed<'_>) -> Answered {
    let to = deed.to;
    let code = deed.id.strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let words = if code.is_empty() {
        messages::not_paired(to)
    } else {
        redeemed(deed.adapter, to, deed.account(), deed.known_place(), code).await?
    };
    Ok(response(words).components(Vec::new()))
}

/// What is said once a code was given.
async fn redeemed(
    adapter: &Adapter,
    to: Tongue,
    account: AccountId,
    place: Place,
    code: String,
) -> Result<String, CommandError> {
    let taken = with_pairing(adapter, move |pairing| pairing.redeem(&account, &place, &code)).await?;
    Ok(taken.map_or_else(|why| messages::pair_refused(to, why), |joined| messages::paired(to, &joined)))
}

/// Who asks, and where; `None` for somebody who may not write direct messages and asks in one.
pub(super) async fn pairing_caller(ctx: Context<'_>) -> Option<(AccountId, Place)> {
    let user = ctx.interaction.user.id;
    let may = ctx.interaction.guild_id.is_some() || ctx.data().may_dm(user).await;
    may.then(|| (AccountId::discord(user.get()), place_now(ctx)))
}

pub(super) fn refuse(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    answer(messages::dm_refused(to, &ctx.data().name(), ctx.interaction.user.id.get()))
}

/// Every place of Discord is an end; one that were none would be the caller's alone.
pub(super) fn end(place: &Place) -> BondEnd {
    BondEnd::of(place).unwrap_or_else(|| BondEnd::Alone(AccountId::operator()))
}

pub(super) async fn with_pairing<R: Send + 'static>(
    adapter: &Adapter,
    work: impl FnOnce(&Pairing) -> Result<R, PairingError> + Send + 'static,
) -> Result<R, CommandError> {
    let pairing = Arc::clone(&adapter.deps.pairing);
    Ok(tokio::task::spawn_blocking(move || work(&pairing)).await??)
}

/// Let what you told it before pairing be known where you paired, too
pub(super) async fn pair_past(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    // From outside the circle nobody could tell what they would be sharing with whom.
    if end(&place) != BondEnd::Alone(account.clone()) {
        return answer(messages::past_only_alone(to));
    }
    let shared = with_pairing(ctx.data(), move |pairing| pairing.share_past(&account)).await?;
    answer(messages::past_shared(to, &shared))
}

/// End what you paired with this place
pub(super) async fn unpair(ctx: Context<'_>) -> Answered {
    let to = ctx.tongue();
    let Some((account, place)) = pairing_caller(ctx).await else { return refuse(ctx) };
    let parted = with_pairing(ctx.data(), move |pairing| pairing.part(&account, &place)).await?;
    answer(messages::unpaired(to, parted))
}
