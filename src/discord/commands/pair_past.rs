//! `/pair-past`: what was said alone before pairing (specs mechanisms 4 row 17).

use super::pair::{caller, end, refuse, with_pairing};
use super::{CommandError, Context, answer, defer};
use crate::discord::messages;
use crate::identity::End;

/// Let what you told it before pairing be known where you paired, too
pub(super) async fn pair_past(ctx: Context<'_>) -> Result<(), CommandError> {
    defer(ctx).await?;
    let Some((account, place)) = caller(ctx).await else { return refuse(ctx).await };
    // From outside the circle nobody could tell what they would be sharing with whom.
    if end(&place) != End::Alone(account.clone()) {
        return answer(ctx, messages::past_only_alone()).await;
    }
    let shared = with_pairing(ctx, move |pairing| pairing.share_past(&account)).await?;
    answer(ctx, messages::past_shared(&shared)).await
}
