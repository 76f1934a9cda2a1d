//! What may be used in a place: the audience rule, as a type.

use super::{Audience, Place};

/// What the asker may see. Whoever is missing from it stays unseen: the default is nothing at all
/// (contradictions 8 and 15).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Visible(Vec<(Audience, u8)>);

/// What is left of a memory's weight with every step outwards (M5).
const STEP: f32 = 0.5;

impl Visible {
    /// What was learnt in front of exactly these audiences, and no others; all of them equally near. Whoever makes one says
    /// what may be seen: the files that may stand in `tests/architecture.rs`.
    pub fn only(audiences: impl IntoIterator<Item = Audience>) -> Self {
        Self::by_steps(audiences.into_iter().map(|audience| (audience, 0)))
    }

    /// What everybody everywhere may see.
    pub fn of_canon() -> Self {
        Self::only([Audience::Canon])
    }

    /// What of this somebody else may not see.
    pub fn without(mut self, other: &Self) -> Self {
        self.0.retain(|(audience, _)| !other.includes(audience));
        self
    }

    /// Each with how many steps it lies outwards.
    fn by_steps(audiences: impl IntoIterator<Item = (Audience, u8)>) -> Self {
        // Each once, as near as it is: an open channel's audience is its guild, and what is counted by audience is
        // counted once.
        let mut each: Vec<(Audience, u8)> = Vec::new();
        for (audience, steps) in audiences {
            match each.iter_mut().find(|(known, _)| *known == audience) {
                Some((_, known)) => *known = steps.min(*known),
                None => each.push((audience, steps)),
            }
        }
        Self(each)
    }

    /// What everybody in a place could already see: the audience rule (contradiction 8). Canon everywhere, a
    /// guild's open talk in all of the guild (whoever is in one of its private channels is in the guild), what is said
    /// in other channels and servers where the platform says that all of them could see it, anything else only where it
    /// was learnt. What somebody paired with the place is there as well (M14).
    pub fn at(place: &Place) -> Self {
        let guild = place.guild.clone().map(Audience::Guild);
        // A private channel lies in its guild; every guild, and everybody's own direct messages, in the canon.
        let of_guild = u8::from(guild.as_ref().is_some_and(|guild| *guild != place.audience));
        let canon = if place.audience == Audience::Canon { 0 } else { of_guild + 1 };
        // What is paired was said elsewhere, except by whoever said it alone here.
        let elsewhere = u8::from(!place.is_one_to_one());
        let paired = place.paired.hears.iter().map(|audience| (audience.clone(), elsewhere));
        let own = [(Audience::Canon, canon), (place.audience.clone(), 0)];
        // Beside it in the same guild; around it for somebody alone.
        let around = u8::from(place.is_one_to_one());
        let sees = place.sees.iter().map(|audience| (audience.clone(), around));
        Self::by_steps(own.into_iter().chain(guild.map(|guild| (guild, of_guild))).chain(sees).chain(paired))
    }

    /// How much something learnt before `audience` weighs against what was learnt right here: half as much with every
    /// step outwards, from a private channel to its guild to the canon (M5 and contradiction 8). 0 for what may
    /// not be seen.
    pub fn weight(&self, audience: &Audience) -> f32 {
        let steps = self.0.iter().find(|(known, _)| known == audience).map(|(_, steps)| *steps);
        steps.map_or(0.0, |steps| STEP.powi(i32::from(steps)))
    }

    /// Whether something learnt before `audience` may be shown.
    pub fn includes(&self, audience: &Audience) -> bool {
        self.0.iter().any(|(known, _)| known == audience)
    }

    /// The circle of those who may see something made of what these audiences learnt: theirs, where it is one beside the
    /// canon. Nobody can tell who is in two of them at once; but `here`, where everybody may see all of it, is such a
    /// circle.
    pub fn circle_of(audiences: impl IntoIterator<Item = Audience>, here: &Audience) -> Audience {
        let mut circle = None;
        for audience in audiences {
            match circle {
                None | Some(Audience::Canon) => circle = Some(audience),
                Some(known) if known == audience || audience == Audience::Canon => circle = Some(known),
                Some(_) => return here.clone(),
            }
        }
        circle.unwrap_or_else(|| here.clone())
    }

    /// The smallest circle of them, of several as small the first, which is the place's own: one person before an
    /// age-restricted channel before a channel before what is paired before a guild before everybody.
    pub fn narrowest(&self) -> Audience {
        Self::narrowest_of(self.audiences().cloned())
    }

    /// The same of any circles; everybody where there are none.
    pub fn narrowest_of(audiences: impl IntoIterator<Item = Audience>) -> Audience {
        let size = |audience: &Audience| match audience {
            Audience::Dm(_) => 0,
            Audience::Restricted(_) => 1,
            Audience::Private(_) => 2,
            Audience::Shared(_) => 3,
            Audience::Guild(_) => 4,
            Audience::Canon => 5,
        };
        audiences.into_iter().min_by_key(size).unwrap_or(Audience::Canon)
    }

    pub fn audiences(&self) -> impl Iterator<Item = &Audience> {
        self.0.iter().map(|(audience, _)| audience)
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
            id.clone().prop_map(|id| Audience::Restricted(ChannelId::from(id))),
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
            let weight = Visible::at(&place).weight(&learnt);
            prop_assert!((weight > 0.0) == seen && weight <= 1.0 && (learnt != here || weight >= 1.0));
            // Written and read again it is the same scope, and no other's name begins it.
            prop_assert_eq!(learnt.to_string().parse::<Audience>().ok(), Some(learnt.clone()));
        }
    }

    #[test]
    fn m5_weight_halves_with_every_step_outwards() {
        let (guild, private) = (Audience::Guild(GuildId::from(7)), Audience::Private(ChannelId::from(41)));
        let (alone, bond) = (Audience::Dm(AccountId::discord(1)), Audience::Shared(BondId(3)));
        let open = Place {
            guild: Some(GuildId::from(7)),
            kind: PlaceKind::GuildText,
            audience: guild.clone(),
            ..Place::terminal(ChannelId::from(1_u64))
        };
        let gated = Place { audience: private.clone(), ..open.clone() };
        let paired = crate::domain::Paired { hears: vec![bond.clone()], ..Default::default() };
        let heard = Place { paired: paired.clone(), ..open.clone() };
        let own = Place { guild: None, kind: PlaceKind::Dm, audience: alone.clone(), paired, ..open.clone() };
        let canon = Audience::Canon;
        for (place, audience, weight) in [
            (&gated, &private, 1.0),
            (&gated, &guild, 0.5),
            (&gated, &canon, 0.25),
            (&open, &guild, 1.0),
            (&open, &canon, 0.5),
            (&open, &private, 0.0),
            (&heard, &bond, 0.5),
            (&own, &alone, 1.0),
            (&own, &bond, 1.0),
            (&own, &canon, 0.5),
            (&own, &guild, 0.0),
        ] {
            assert_eq!(Visible::at(place).weight(audience), weight, "{audience} in {}", place.audience);
        }
        assert_eq!(Visible::only([guild.clone(), Audience::Canon]).weight(&Audience::Canon), 1.0, "no place");
        let beyond = Visible::at(&gated).without(&Visible::at(&open));
        assert_eq!(
            beyond.audiences().collect::<Vec<_>>(),
            [&private],
            "what the rest of the guild does not see"
        );
    }

    #[test]
    fn contradiction_8_what_two_circles_learnt_is_for_neither_alone() {
        let (one, two) = (Audience::Guild(GuildId::from(7)), Audience::Guild(GuildId::from(8)));
        let (gated, here) = (Audience::Private(ChannelId::from(41)), Audience::Dm(AccountId::discord(1)));
        for (learnt, circle) in [
            (vec![], &here),
            (vec![Audience::Canon], &Audience::Canon),
            (vec![Audience::Canon, one.clone(), one.clone(), Audience::Canon], &one),
            (vec![one.clone(), two.clone()], &here),
            (vec![two.clone(), one.clone()], &here),
            (vec![gated.clone(), two.clone(), Audience::Canon], &here),
        ] {
            assert_eq!(Visible::circle_of(learnt.clone(), &here), *circle, "{learnt:?}");
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
