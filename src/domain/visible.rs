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
    /// needs membership, which a place does not know; the rule errs on the side of silence. What somebody paired with the
    /// place is there as well (specs mechanisms M14).
    #[must_use]
    pub fn at(place: &Place) -> Self {
        let guild = place.guild.clone().map(Audience::Guild);
        let paired = place.paired.hears.iter().cloned();
        Self::only([Audience::Canon, place.audience.clone()].into_iter().chain(guild).chain(paired))
    }

    /// Whether something learnt before `audience` may be shown.
    #[must_use]
    pub fn includes(&self, audience: &Audience) -> bool {
        self.0.contains(audience)
    }

    /// The smallest circle of them: one person before a channel before what is paired before a guild before everybody.
    #[must_use]
    pub fn narrowest(&self) -> Audience {
        let size = |audience: &Audience| match audience {
            Audience::Dm(_) => 0,
            Audience::Private(_) => 1,
            Audience::Shared(_) => 2,
            Audience::Guild(_) => 3,
            Audience::Canon => 4,
        };
        self.0.iter().min_by_key(|audience| size(audience)).cloned().unwrap_or(Audience::Canon)
    }

    /// Each of them.
    pub fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::{AccountId, BondId, ChannelId, GuildId, PlaceKind};

    fn audience() -> impl Strategy<Value = Audience> {
        // Ids that begin alike are the ones that a careless comparison would mix up.
        let id = prop::sample::select(vec![1_u64, 11, 111, 7, 77]);
        prop_oneof![
            Just(Audience::Canon),
            id.clone().prop_map(|id| Audience::Guild(GuildId::from(id))),
            id.clone().prop_map(|id| Audience::Private(ChannelId::from(id))),
            id.clone().prop_map(|id| Audience::Dm(AccountId::discord(id))),
            id.prop_map(|id| Audience::Shared(BondId(id))),
        ]
    }

    proptest! {
        #[test]
        fn m5_a_scope_is_seen_in_itself_below_its_guild_and_nowhere_beside(
            learnt in audience(), here in audience(), guild in proptest::option::of(prop::sample::select(vec![1_u64, 11, 7])),
        ) {
            let guild = guild.map(GuildId::from);
            let place = Place {
                guild: guild.clone(),
                kind: PlaceKind::GuildText,
                audience: here.clone(),
                ..Place::terminal(ChannelId::from(1_u64))
            };
            let seen = Visible::at(&place).includes(&learnt);
            let is_above = learnt == Audience::Canon || guild.map(Audience::Guild) == Some(learnt.clone());
            prop_assert_eq!(seen, is_above || learnt == here);
            // Written and read again it is the same scope, and no other's name begins it.
            prop_assert_eq!(learnt.to_string().parse::<Audience>().ok(), Some(learnt.clone()));
        }
    }

    #[test]
    fn m5_a_scope_that_is_malformed_is_refused() {
        for broken in [
            "",
            "guild",
            "guild:",
            "guild:7:8",
            "guild:*",
            "canon:7",
            "dm:7",
            "dm:discord:",
            "shared:x",
            "Guild:7",
        ] {
            assert!(broken.parse::<Audience>().is_err(), "{broken:?}");
        }
    }

    #[test]
    fn m12_nothing_is_seen_by_who_does_not_say_where_they_are() {
        let nothing = Visible::default();
        for audience in [Audience::Canon, Audience::Guild(GuildId::from(7)), Audience::Shared(BondId(1))] {
            assert!(!nothing.includes(&audience), "{audience}");
        }
    }
}
