//! The people and places of a scene as a platform would tell of them, and who is let in where.
//!
//! Start reading at [`Cast`].

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use parking_lot::Mutex;
use toml::Spanned;

use super::scene::{DM, ONLY_PLACE, PersonRole, Scene, ScenePerson};
use crate::config::{LiveConfig, Strangers, SubscriptionKind};
use crate::domain::{
    AccountId, Audience, Author, ChannelId, GuildId, Place, PlaceKind, Platform, TriggerHints,
};
use crate::identity::{Membership, is_operator};

/// The server of places that name none.
const SERVER: &str = "Harbour";

/// Numbers of what has none of its own.
const FIRST_SERVER: u64 = 7_001;
const FIRST_CHANNEL: u64 = 1_001;
const FIRST_PERSON: u64 = 101;

/// Direct messages have numbers of their own, by whom they are with.
const FIRST_DM: u64 = 900_000;

#[derive(Debug, Clone)]
pub(super) struct CastMember {
    pub id: u64,
    pub author: Author,
    pub role: PersonRole,
    pub roles: Vec<u64>,
}

#[derive(Debug, Clone)]
pub(super) struct SceneSpot {
    pub place: Place,
    pub id: u64,
    pub server: u64,
    pub parent: Option<u64>,
    /// How it is subscribed by itself.
    pub subscribed: Option<SubscriptionKind>,
}

/// Everybody and every place, by name.
#[derive(Debug)]
pub(super) struct Cast {
    pub people: BTreeMap<String, CastMember>,
    pub spots: BTreeMap<String, SceneSpot>,
    /// Where everything happens that says nothing else.
    pub first: String,
    /// Who is on which server now.
    members: Mutex<BTreeSet<(AccountId, GuildId)>>,
}

impl Cast {
    pub(super) fn of(scene: &Scene) -> Self {
        let people: BTreeMap<String, CastMember> =
            (FIRST_PERSON..).zip(&scene.people).map(|(number, one)| person(number, one)).collect();
        let mut spots = BTreeMap::new();
        let mut servers: Vec<String> = Vec::new();
        let mut number_of = |server: &str| {
            let known = servers.iter().position(|known| known == server).unwrap_or_else(|| {
                servers.push(server.to_owned());
                servers.len() - 1
            });
            FIRST_SERVER + known as u64
        };
        for (number, written) in (FIRST_CHANNEL..).zip(&scene.places) {
            let parent = written.under.as_ref().and_then(|under| spots.get(under.get_ref())).cloned();
            let server = written.server.as_deref().unwrap_or(SERVER);
            let (id, name) = (written.id.unwrap_or(number), written.name.get_ref());
            let spot = spot(id, name, (number_of(server), server), parent.as_ref(), written);
            spots.insert(name.clone(), spot);
        }
        let first = scene.places.first().map_or(ONLY_PLACE, |place| place.name.get_ref()).to_owned();
        if spots.is_empty() {
            let only = super::scene::ScenePlace {
                name: Spanned::new(0..0, ONLY_PLACE.to_owned()),
                id: None,
                server: None,
                under: None,
                forum: false,
                closed: false,
                nsfw: false,
                read: None,
            };
            let spot = spot(FIRST_CHANNEL, ONLY_PLACE, (number_of(SERVER), SERVER), None, &only);
            spots.insert(ONLY_PLACE.to_owned(), spot);
        }
        let everywhere: BTreeSet<u64> = spots.values().map(|spot| spot.server).collect();
        let members = people.values().filter(|person| person.role != PersonRole::Stranger);
        let members = members.flat_map(|person| {
            everywhere.iter().map(|server| (person.author.account.clone(), GuildId::from(*server)))
        });
        let members = Mutex::new(members.collect());
        Self { people, spots, first, members }
    }

    pub(super) fn person_of(&self, account: &AccountId) -> Option<(&String, &CastMember)> {
        self.people.iter().find(|(_, person)| person.author.account == *account)
    }

    /// Where somebody is alone with the familiar.
    pub(super) fn dm_with(&self, person: &CastMember) -> Place {
        Place::new(
            Platform::Discord,
            ChannelId::from(FIRST_DM + person.id),
            PlaceKind::Dm,
            Audience::Dm(person.author.account.clone()),
        )
    }

    pub(super) fn alone_with(&self, who: &AccountId) -> Option<Place> {
        self.person_of(who).map(|(_, person)| self.dm_with(person))
    }

    /// The place of a step.
    pub(super) fn place(&self, name: &str, who: Option<&CastMember>) -> Option<Place> {
        if name == DM {
            return who.map(|who| self.dm_with(who));
        }
        self.spots.get(name).map(|spot| spot.place.clone())
    }

    pub(super) fn name_of(&self, channel: &ChannelId) -> String {
        let spot = self.spots.iter().find(|(_, spot)| spot.place.channel == *channel);
        let with = || self.people.iter().find(|(_, person)| self.dm_with(person).channel == *channel);
        match (spot, with()) {
            (Some((name, _)), _) => name.clone(),
            (None, Some((name, _))) => format!("alone with {name}"),
            (None, None) => channel.to_string(),
        }
    }

    pub(super) fn comes(&self, account: &AccountId, guild: &GuildId) {
        self.members.lock().insert((account.clone(), guild.clone()));
    }

    pub(super) fn goes(&self, account: &AccountId, guild: &GuildId) {
        self.members.lock().remove(&(account.clone(), guild.clone()));
    }

    /// Why nothing of what somebody does there is taken in; `None` where it is.
    pub(super) fn shut_out(
        &self,
        live: &LiveConfig,
        place: &Place,
        who: &CastMember,
    ) -> Option<&'static str> {
        let (account, config) = (&who.author.account, &live.current());
        let discord = &config.discord;
        if !is_operator(config, account) && !discord.lets_in(who.id, &who.roles) {
            return Some("the settings let nothing of theirs in");
        }
        if let Some(spot) = self.spots.values().find(|spot| spot.place.channel == place.channel) {
            if !discord.is_open(Some(spot.server), spot.id, spot.parent) {
                return Some("the settings leave this place out");
            }
            let read = live.subscriptions().reads(&place.channel, place.parent.as_ref());
            return read.is_none().then_some("it does not read there");
        }
        if who.author.is_bot {
            return Some("direct messages of bots are not read");
        }
        let is_listed = discord.dm_allowlist.contains(&who.id) || is_operator(config, account);
        let may = is_listed
            || match discord.strangers {
                Strangers::Members => self.members.lock().iter().any(|(member, _)| member == account),
                Strangers::SmallTalk => true,
                Strangers::Refuse => false,
            };
        (!may).then_some("direct messages of theirs are not read")
    }

    /// What a platform knows of who is meant: by an @ in front of a name, or by the message that is answered.
    pub(super) fn hints(&self, text: &str, own: &[String], answers: Option<CallAnswered>) -> TriggerHints {
        let mentions_familiar = own.iter().any(|name| mentions(text, name));
        let replies_to_familiar = answers == Some(CallAnswered::Familiar);
        let others = self.people.keys().any(|name| mentions(text, name));
        let all = ["everyone", "here"].iter().any(|all| mentions(text, all));
        let names_others = others || all || answers == Some(CallAnswered::SomebodyElse);
        TriggerHints {
            mentions_familiar,
            replies_to_familiar,
            addresses_someone_else: !mentions_familiar && !replies_to_familiar && names_others,
            ..TriggerHints::default()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallAnswered {
    Familiar,
    SomebodyElse,
}

fn mentions(text: &str, name: &str) -> bool {
    text.match_indices('@').any(|(at, _)| {
        let behind = text.get(at + 1..).unwrap_or_default();
        let is_it =
            behind.get(..name.len()).is_some_and(|begins| begins.to_lowercase() == name.to_lowercase());
        is_it && behind.get(name.len()..).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

fn person(number: u64, written: &ScenePerson) -> (String, CastMember) {
    let name = written.name.get_ref().clone();
    let id = written.id.unwrap_or(number);
    let author = Author {
        account: AccountId::discord(id),
        display_name: Some(name.clone()),
        username: written.username.clone(),
        is_bot: written.role == PersonRole::Bot,
    };
    (name, CastMember { id, author, role: written.role, roles: written.roles.clone() })
}

fn spot(
    id: u64,
    name: &str,
    (server, server_name): (u64, &str),
    parent: Option<&SceneSpot>,
    written: &super::scene::ScenePlace,
) -> SceneSpot {
    // A thread is heard by whoever sees the channel it hangs on, unless it is closed itself.
    let heard_in = match parent {
        Some(parent) if !written.closed => parent.place.channel.clone(),
        _ => ChannelId::from(id),
    };
    let above = parent.map(|parent| &parent.place.audience);
    let audience = if written.nsfw || matches!(above, Some(Audience::Restricted(_))) {
        Audience::Restricted(heard_in)
    } else if written.closed || matches!(above, Some(Audience::Private(_))) {
        Audience::Private(heard_in)
    } else {
        Audience::Guild(GuildId::from(server))
    };
    let kind = match (parent, written.forum) {
        (Some(_), true) => PlaceKind::ForumPost,
        (Some(_), false) => PlaceKind::Thread,
        (None, _) => PlaceKind::GuildText,
    };
    let shown = match parent.and_then(|parent| parent.place.channel_name.as_deref()) {
        Some(parent) if written.forum => format!("forum:{} -> {name}", parent.trim_start_matches('#')),
        Some(parent) => format!("{parent} -> {name}"),
        None => name.to_owned(),
    };
    let place = Place {
        parent: parent.map(|parent| parent.place.channel.clone()),
        guild: Some(GuildId::from(server)),
        channel_name: Some(shown),
        guild_name: Some(server_name.to_owned()),
        ..Place::new(Platform::Discord, ChannelId::from(id), kind, audience)
    };
    SceneSpot {
        place,
        id,
        server,
        parent: parent.map(|parent| parent.id),
        subscribed: match (written.read, parent) {
            (Some(true), _) | (None, None) => Some(SubscriptionKind::Text),
            (Some(false), Some(_)) => Some(SubscriptionKind::Muted),
            (Some(false), None) | (None, Some(_)) => None,
        },
    }
}

#[async_trait]
impl Membership for Cast {
    async fn place_now(&self, place: &Place) -> Place {
        let Audience::Dm(account) = &place.audience else { return place.clone() };
        let servers = self.members.lock();
        let of = servers.iter().filter(|(member, _)| member == account);
        let sees = of.map(|(_, server)| Audience::Guild(server.clone())).collect();
        Place { sees, ..place.clone() }
    }

    async fn is_in(&self, account: &AccountId, guild: &GuildId) -> Option<bool> {
        Some(self.members.lock().contains(&(account.clone(), guild.clone())))
    }
}
