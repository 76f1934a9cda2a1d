//! Greeting whoever is new on a server, where a channel asks for it: once, and in the character's own words.
//!
//! Owns when that is done and what is asked of the model. Must not know how it is heard of that somebody came. Start reading at
//! [`SessionHandle::greet_newcomer`].

use std::time::Duration;

use super::greeting::{AskedModel, Own};
use super::handle::SessionHandle;
use super::outbox::Awaited;
use super::own_words::{Occasion, in_own_words};
use crate::domain::{Author, LAYER_MARKER, Place, Visible};
use crate::familiar::Wakefulness;
use crate::text::names::prompt_label;

/// Why it speaks, in the record of the turn.
pub(super) const SOMEBODY_IS_NEW: &str = "somebody new came to the server";

/// So many are greeted in one channel within a day and one run of the program; who comes with a raid is not.
const A_DAY: usize = 12;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl SessionHandle {
    /// Greets somebody who is new in a place, if it is awake, not told to be quiet, and nothing else is going on. What comes to
    /// nothing is not made up for: a greeting hours later greets nobody.
    pub async fn greet_newcomer(&self, place: &Place, whom: Author) {
        let place = self.entered(place).await;
        let parts = self.parts();
        let here = Visible::at(&place);
        let known = parts.history.seen_by(&here).acquaintance(&whom.account, None, None).await;
        // Who left while nobody listened has talked here all the same.
        // One at a time, however many come at once.
        let mut greeted = self.greeted().lock().await;
        if !known.is_ok_and(|known| known.last.is_none()) || !self.may_greet(&place).await {
            return;
        }
        let now = parts.clock.now();
        let since = now.checked_sub(DAY).unwrap_or(now);
        greeted.retain(|(_, at)| *at > since);
        if greeted.iter().filter(|(channel, _)| *channel == place.channel).count() >= A_DAY {
            return;
        }
        greeted.push((place.channel.clone(), now));
        let turn = parts.traces.next_turn();
        let mut asked = AskedModel::default();
        let who = prompt_label(whom.label());
        let task = format!(
            "{LAYER_MARKER} Somebody is new⟧\n{who} has just come to this server and was never here before. Greet {who} now, in one \
             or two short sentences, in your own way and in the language that is spoken here. You know nothing of {who} yet.",
        );
        let occasion = Occasion { whom: Some(&whom), about: "", task };
        let Some(words) = in_own_words(parts, &place, turn, occasion, &mut asked).await else {
            return tracing::info!(channel = %place.channel, "there were no words to greet somebody with");
        };
        let once = format!("n{turn}");
        let awaited = Some(Awaited { whom: Some(whom.account), once });
        let own = Own { awaited, asked, ..Own::written(words, SOMEBODY_IS_NEW) };
        if let Err(error) = self.say_own(place, Some(turn), own).await {
            tracing::info!(%error, "somebody new was not greeted");
        }
    }

    async fn may_greet(&self, place: &Place) -> bool {
        let (parts, now) = (self.parts(), self.parts().clock.now());
        if self.way_for_its_own(place, now).is_none() {
            return false;
        }
        parts.character.look_again().await;
        self.wakefulness(&parts.config.current(), place, now) != Wakefulness::Asleep
    }
}
