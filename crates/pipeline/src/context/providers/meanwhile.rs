//! What goes on in the other channels that everybody here may see (familiar-connect 1.7).

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::{ContextAsk, ContextProvider, Pieces, Profile};
use crate::config::HistoryStyle;
use crate::context::contribution::{Contribution, Importance, Placement, Quoted, TailPart, Trust};
use crate::context::request::TurnRequest;
use crate::domain::Layer;
use crate::history::{Digest, History};
use crate::text::names::prompt_label;

/// Other channels told of at most, the most recently active ones.
pub(super) const MEANWHILE_CHANNELS: usize = 2;

/// Talk older than this is no news.
const NEWS: Duration = Duration::from_secs(24 * 3600);

/// Contributes what is already written down about them; writing is done behind the scenes, so no reply waits for it.
/// Where the history tells the passing of time in breadcrumbs, these stand there instead.
#[derive(Debug)]
pub(crate) struct MeanwhileProvider {
    pub(in crate::context) history: Arc<History>,
}

#[async_trait]
impl ContextProvider for MeanwhileProvider {
    fn profile(&self) -> Profile {
        Profile::floor("meanwhile", 250).of_news().of_the_moment()
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        if request.channel.figures.history_style == HistoryStyle::Breadcrumbs {
            return Ok(Vec::new());
        }
        let since = request.now.checked_sub(NEWS).unwrap_or(request.now);
        let visible = request.visible();
        let history = self.history.seen_by(&visible);
        let digests = history.digests(&request.place.channel, since, request.as_of).await?;
        let mut newest: Vec<Digest> = Vec::new();
        for digest in digests.into_iter().filter(|digest| may_be_told(digest, request)).rev() {
            if newest.len() < MEANWHILE_CHANNELS && newest.iter().all(|known| known.channel != digest.channel)
            {
                newest.push(digest);
            }
        }
        let pieces = newest.into_iter().map(|digest| Contribution {
            importance: Importance::Useful,
            quoted: Some(Quoted {
                author: None,
                place: digest.channel_name.as_deref().map(prompt_label),
                at: Some(digest.last_at),
            }),
            ..Contribution::new(
                format!("meanwhile/{}", digest.channel),
                Layer::HistorySummary,
                Placement::Tail(TailPart::Meanwhile),
                Trust::Held,
                digest.audience.clone(),
                meanwhile_line(&digest),
            )
        });
        Ok(pieces.collect())
    }
}

/// Whether those here may still hear of the channel: it may be closed to them since, with nothing said there.
pub(super) fn may_be_told(digest: &Digest, request: &TurnRequest) -> bool {
    let here = request.world.for_place(&request.place);
    digest.channel_name.as_deref().is_none_or(|name| here.may_name(&digest.channel, name))
}

/// `Meanwhile in general: “…”`.
pub(super) fn meanwhile_line(digest: &Digest) -> String {
    let place = digest.channel_name.as_deref().map_or_else(|| "another channel".to_owned(), prompt_label);
    format!("Meanwhile in {place}: “{}”", digest.text)
}
