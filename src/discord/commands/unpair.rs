//! `/unpair`.

use super::pair::{caller, refuse, with_pairing};
use super::{CommandError, Context, answer, defer};
use crate::discord::messages;

/// End what you paired with this place
pub(super) async fn unpair(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let Some((account, place)) = caller(ctx).await else { return refuse(ctx).await };
    let parted = with_pairing(ctx, move |pairing| pairing.part(&account, &place)).await?;
    answer(ctx, messages::unpaired(parted.is_some())).await
}
