//! `subscriptions.toml`: the channels a familiar listens in (specs familiar-connect 1.5), and what holds in the calls of a
//! server.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::check::check_under;
use super::choice::choice_enum;
use super::edit::{Edit, ROWS};
use super::error::{ConfigError, Problem, ProblemKind, closest};
use super::files::{read_optional, write_atomic};
use super::home::FamiliarHome;
use super::read::View;
use super::schema::{Key, Kind};
use super::servers::{self, SERVERS, ServerTerms};
use super::source::{Rank, Source};
use super::tree::{Item, Node};
use crate::domain::{AccountId, ChannelId, GuildId, Platform};

/// The keys of one `[[subscription]]`.
pub(super) const KEYS: &[Key] = &[
    Key { path: "channel_id", kind: Kind::Id, doc: "The channel, thread or call. Required." },
    Key {
        path: "kind",
        kind: Kind::Choice(SubscriptionKind::CHOICES),
        doc: "How it takes part there. Required.",
    },
    Key {
        path: "guild_id",
        kind: Kind::Id,
        doc: "The server the channel is in. At most one call per server is joined.",
    },
    Key { path: "follows", kind: Kind::Id, doc: "In a call: the person it stays with." },
    Key { path: "heard", kind: Kind::Ids, doc: "In a call: the people who agreed to be heard." },
    Key { path: "declined", kind: Kind::Ids, doc: "In a call: the people who do not want to be heard." },
    Key {
        path: "hears_everybody",
        kind: Kind::Flag,
        doc: "In a call: whether people are heard who were told so and have not declined.",
    },
];

/// The keys that only a call has.
pub(super) const CALL_KEYS: [&str; 4] = ["follows", "heard", "declined", "hears_everybody"];

choice_enum! {
    /// How a familiar takes part in a channel.
    pub enum SubscriptionKind {
        Text = "text", "it reads and writes";
        Voice = "voice", "it listens and speaks in the call";
        Muted = "muted", "a thread it stays out of, though it reads the thread's channel";
    }
}

/// One channel a familiar listens in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    /// The channel.
    pub channel: ChannelId,
    /// How it takes part.
    pub kind: SubscriptionKind,
    /// The channel's guild, where known.
    pub guild: Option<GuildId>,
    /// What was agreed about a call; empty for anything else.
    pub call: CallTerms,
}

/// What was agreed about a call. Ids are of Discord's users.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallTerms {
    /// Whom it stays with.
    pub follows: Option<u64>,
    /// Who agreed to be heard.
    pub heard: Vec<u64>,
    /// Who does not want to be heard.
    pub declined: Vec<u64>,
    /// Whether others are heard once they were told so.
    pub hears_everybody: bool,
}

impl CallTerms {
    /// Takes somebody out; whether they stood there.
    fn forget(&mut self, user: u64) -> bool {
        let before = self.clone();
        self.follows.take_if(|follows| *follows == user);
        self.heard.retain(|one| *one != user);
        self.declined.retain(|one| *one != user);
        *self != before
    }
}

/// What subscribing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscribed {
    /// The channel is new.
    Added,
    /// It listened there already.
    AlreadyThere,
    /// It left another call of the same guild for this one.
    MovedFrom(ChannelId),
}

/// All channels a familiar listens in.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions {
    rows: Vec<Row>,
    /// With their numbers in the file.
    servers: Vec<(usize, ServerTerms)>,
    problems: Vec<Problem>,
}

/// A usable row and its number in the file.
#[derive(Debug, Clone)]
struct Row {
    index: usize,
    subscription: Subscription,
}

impl Subscriptions {
    /// Reads the file's rows. A malformed row is reported and left alone; the others are used.
    ///
    /// # Errors
    /// When the file is not TOML, or is something else than a list of rows.
    pub(super) fn read(source: &Arc<Source>) -> Result<Self, Problem> {
        let root = Node::parse(source)?;
        let mut read = Self::default();
        let Item::Table(entries) = &root.item else { return Ok(read) };
        for (key, node) in entries {
            match (key.as_str(), &node.item) {
                (ROWS, Item::List(rows)) => {
                    for (index, row) in rows.iter().enumerate() {
                        read.take(index, row);
                    }
                }
                (SERVERS, Item::List(rows)) => {
                    for (index, row) in rows.iter().enumerate() {
                        read.take_server(index, row);
                    }
                }
                (list @ (ROWS | SERVERS), other) => {
                    return Err(Problem::at(
                        &node.place,
                        ProblemKind::Unusable {
                            key: key.clone(),
                            expected: format!("a list, each row beginning with [[{list}]]"),
                            found: other.noun().to_owned(),
                            suggestion: None,
                        },
                    ));
                }
                (unknown, _) => read.problems.push(Problem::at(
                    &node.key,
                    ProblemKind::UnknownKey {
                        noun: "key",
                        key: key.clone(),
                        suggestion: closest(unknown, [ROWS, SERVERS]),
                        belongs: None,
                        allowed: vec![ROWS.to_owned(), SERVERS.to_owned()],
                    },
                )),
            }
        }
        Ok(read)
    }

    fn take(&mut self, index: usize, row: &Node) {
        let problems = check_under(&format!("{ROWS}[{index}]"), row, KEYS);
        if !problems.is_empty() {
            self.problems.extend(problems);
            return;
        }
        let subscription = match Subscription::resolve(View::new(row)) {
            Ok(subscription) => subscription,
            Err(problem) => return self.problems.push(problem),
        };
        if let Some(what) = self.contradicts(&subscription) {
            return self.problems.push(Problem::at(&row.place, ProblemKind::Conflict { what }));
        }
        self.rows.push(Row { index, subscription });
    }

    fn take_server(&mut self, index: usize, row: &Node) {
        let problems = check_under(&format!("{SERVERS}[{index}]"), row, servers::KEYS);
        if !problems.is_empty() {
            self.problems.extend(problems);
            return;
        }
        match ServerTerms::resolve(View::new(row)) {
            Ok(server) if self.server(&server.guild).is_some() => {
                let what = format!("server {} stands here already", server.guild);
                self.problems.push(Problem::at(&row.place, ProblemKind::Conflict { what }));
            }
            Ok(server) => self.servers.push((index, server)),
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Why a row cannot stand beside the earlier ones.
    fn contradicts(&self, new: &Subscription) -> Option<String> {
        if self.contains(&new.channel, new.kind) {
            return Some(format!("channel {} is already subscribed as {}", new.channel, new.kind));
        }
        let guild = new.guild.as_ref().filter(|_| new.kind == SubscriptionKind::Voice)?;
        let other = self.voice_in(guild)?;
        Some(format!("only one call per server: {} is already subscribed in server {guild}", other.channel))
    }

    /// The subscriptions, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Subscription> {
        self.rows.iter().map(|row| &row.subscription)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it listens nowhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether it takes part in a channel in that way.
    #[must_use]
    pub fn contains(&self, channel: &ChannelId, kind: SubscriptionKind) -> bool {
        self.iter().any(|subscription| subscription.channel == *channel && subscription.kind == kind)
    }

    /// The call it is in in a guild.
    #[must_use]
    pub fn voice_in(&self, guild: &GuildId) -> Option<&Subscription> {
        self.iter().find(|subscription| {
            subscription.kind == SubscriptionKind::Voice && subscription.guild.as_ref() == Some(guild)
        })
    }

    /// What holds in every call of a guild, where anything was said about that.
    #[must_use]
    pub fn server(&self, guild: &GuildId) -> Option<&ServerTerms> {
        self.servers.iter().map(|(_, server)| server).find(|server| server.guild == *guild)
    }

    /// The rows that cannot be used, and why. They stay in the file as they are.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What is usable, for comparing two moments.
    pub(super) fn leaves(&self) -> BTreeMap<String, String> {
        let written = |row: &Subscription| {
            let guild = row.guild.as_ref().map(|guild| format!(" in server {guild}")).unwrap_or_default();
            (format!("subscription.{}.{}", row.channel, row.kind), format!("on{guild}"))
        };
        let everybody = |(_, server): &(usize, ServerTerms)| {
            (format!("server.{}.hears_everybody", server.guild), server.hears_everybody.to_string())
        };
        self.iter().map(written).chain(self.servers.iter().map(everybody)).collect()
    }

    /// The number of a usable row.
    fn row(&self, channel: &ChannelId, kind: SubscriptionKind) -> Option<&Row> {
        self.rows.iter().find(|row| row.subscription.channel == *channel && row.subscription.kind == kind)
    }
}

impl Subscription {
    fn resolve(view: View<'_>) -> Result<Self, Problem> {
        Ok(Self {
            channel: view.id("channel_id")?.into(),
            kind: view.choice("kind", SubscriptionKind::from_word)?,
            guild: view.optional_id("guild_id")?.map(GuildId::from),
            call: CallTerms {
                follows: view.optional_id("follows")?,
                heard: view.optional_ids("heard")?,
                declined: view.optional_ids("declined")?,
                hears_everybody: view.optional_flag("hears_everybody")?.unwrap_or_default(),
            },
        })
    }
}

/// The file's text with a subscription added, and what that meant. `None` when nothing changes.
pub(super) fn with(
    source: &Arc<Source>,
    new: &Subscription,
) -> Result<(Option<String>, Subscribed), ConfigError> {
    let known = Subscriptions::read(source)?;
    let mut edit = Edit::of(source)?;
    let own = known.row(&new.channel, new.kind);
    let is_same = |own: &Row| {
        let is_there = new.guild.is_none() || own.subscription.guild == new.guild;
        is_there && own.subscription.call == new.call
    };
    if own.is_some_and(is_same) {
        return Ok((None, Subscribed::AlreadyThere));
    }
    let rival = match (&new.guild, new.kind) {
        (Some(guild), SubscriptionKind::Voice) => known.voice_in(guild).map(|rival| rival.channel.clone()),
        _ => None,
    };
    let rival = rival.filter(|rival| *rival != new.channel);
    let rival_row = rival.as_ref().and_then(|channel| known.row(channel, new.kind));
    match (own, rival_row) {
        (Some(own), Some(rival)) => {
            edit.set_subscription(own.index, new);
            edit.remove_subscription(rival.index);
        }
        (Some(row), None) | (None, Some(row)) => edit.set_subscription(row.index, new),
        (None, None) => edit.push_subscription(new),
    }
    let done = match (rival, own) {
        (Some(channel), _) => Subscribed::MovedFrom(channel),
        (None, Some(_)) => Subscribed::AlreadyThere,
        (None, None) => Subscribed::Added,
    };
    Ok((Some(edit.into_text()), done))
}

/// The file's text with what holds in every call of a server; `None` when nothing changes.
pub(super) fn with_server(
    source: &Arc<Source>,
    guild: &GuildId,
    change: impl FnOnce(&mut ServerTerms),
) -> Result<Option<String>, ConfigError> {
    let known = Subscriptions::read(source)?;
    let own = known.servers.iter().find(|(_, server)| server.guild == *guild);
    let mut new = own.map_or_else(|| ServerTerms::of(guild.clone()), |(_, own)| own.clone());
    change(&mut new);
    let mut edit = Edit::of(source)?;
    match own {
        Some((_, own)) if *own == new => return Ok(None),
        None if new.says_nothing() => return Ok(None),
        Some((index, _)) if new.says_nothing() => edit.remove_row(SERVERS, *index),
        Some((index, _)) => edit.set_row(SERVERS, *index, &servers::CLEARABLE, new.fields()),
        None => edit.push_row(SERVERS, new.fields()),
    }
    Ok(Some(edit.into_text()))
}

/// The file's text without somebody in what was agreed about calls; `None` where they stand nowhere.
pub(super) fn without_person(
    source: &Arc<Source>,
    person: &AccountId,
) -> Result<Option<String>, ConfigError> {
    let Some(user) = person.id().parse().ok().filter(|_| person.platform() == Platform::Discord) else {
        return Ok(None);
    };
    let known = Subscriptions::read(source)?;
    let mut edit = Edit::of(source)?;
    let mut stood_there = false;
    for row in &known.rows {
        let mut left = row.subscription.clone();
        if left.call.forget(user) {
            edit.set_subscription(row.index, &left);
            stood_there = true;
        }
    }
    // From the last on: a row that has nothing to say any more goes, and with it the numbers behind it change.
    for (index, server) in known.servers.iter().rev().filter(|(_, server)| server.declined.contains(&user)) {
        let mut left = server.clone();
        left.declined.retain(|one| *one != user);
        if left.says_nothing() {
            edit.remove_row(SERVERS, *index);
        } else {
            edit.set_row(SERVERS, *index, &servers::CLEARABLE, left.fields());
        }
        stood_there = true;
    }
    Ok(stood_there.then(|| edit.into_text()))
}

/// Takes somebody out of what was agreed about calls, in the files of a familiar that does not run.
///
/// # Errors
/// When the file is not readable as a whole, or cannot be written; nothing changes then.
pub fn forget_in_calls(home: &FamiliarHome, person: &AccountId) -> Result<(), ConfigError> {
    let path = home.subscriptions_toml();
    let Some(text) = read_optional(&path)? else { return Ok(()) };
    let source = Arc::new(Source { name: path.display().to_string(), text, rank: Rank::Familiar });
    match without_person(&source, person)? {
        Some(text) => write_atomic(&path, &text),
        None => Ok(()),
    }
}

/// The file's text with a subscription taken away; `None` when it was not there.
pub(super) fn without(
    source: &Arc<Source>,
    channel: &ChannelId,
    kind: SubscriptionKind,
) -> Result<Option<String>, ConfigError> {
    let known = Subscriptions::read(source)?;
    let Some(row) = known.row(channel, kind) else { return Ok(None) };
    let mut edit = Edit::of(source)?;
    edit.remove_subscription(row.index);
    Ok(Some(edit.into_text()))
}
