//! What may be used in a place: the audience rule, as a type.

use super::{Audience, Place};

/// What the asker may see. Whoever is missing from it stays unseen: the default is nothing at all (specs mechanisms
/// 4 rows 8 and 15).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Visible(Vec<Audience>);

impl Visible {
    /// Turns learnt in front of exactly these audiences, and no others.
    #[must_use]
    pub fn only(audiences: impl IntoIterator<Item = Audience>) -> Self {
        // Each once: an open channel's audience is its guild, and what is counted by audience is counted once.
        let mut each = Vec::new();
        for audience in audiences {
            if !each.contains(&audience) {
                each.push(audience);
            }
        }
        Self(each)
    }

    /// What everybody in a place could already see: the audience rule (specs mechanisms 4 row 8), as far as a place alone
    /// can decide it. Canon everywhere, a guild's open talk in all of the guild (whoever is in one of its private
    /// channels is in the guild), anything else only where it was learnt. A guild's talk in a member's direct messages
    /// needs membership, which a place does not know; the rule errs on the side of silence.
    #[must_use]
    pub fn at(place: &Place) -> Self {
        let guild = place.guild.clone().map(Audience::Guild);
        Self::only([Audience::Canon, place.audience.clone()].into_iter().chain(guild))
    }

    /// Whether something learnt before `audience` may be shown.
    #[must_use]
    pub fn includes(&self, audience: &Audience) -> bool {
        self.0.contains(audience)
    }

    /// The smallest circle of them: one person before a channel before a guild before everybody.
    #[must_use]
    pub fn narrowest(&self) -> Audience {
        let size = |audience: &Audience| match audience {
            Audience::Dm(_) => 0,
            Audience::Private(_) => 1,
            Audience::Guild(_) => 2,
            Audience::Canon => 3,
        };
        self.0.iter().min_by_key(|audience| size(audience)).cloned().unwrap_or(Audience::Canon)
    }

    /// Each of them.
    pub fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.0.iter()
    }
}
