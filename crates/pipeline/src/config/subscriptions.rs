//! `subscriptions.toml`: the channels a familiar listens in (familiar-connect 1.5), and what holds in every call of a
//! server (voice 2.6, "Server switch").

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use toml::Value;

use super::FamiliarHome;
use super::check::{Id, Ids, check_value, missing_keys, schema_of, value_form};
use super::document::{Document, Rank, SourceText};
use super::edit::Edit;
use super::error::{ConfigError, Problem, advice_on};
use super::file::{read_optional, write_atomic};
use crate::domain::{AccountId, ChannelId, GuildId, Platform};

/// The keys of the two lists.
const ROWS: &str = "subscription";
const SERVERS: &str = "server";

static SUBSCRIPTION_ROW: LazyLock<serde_json::Value> = LazyLock::new(schema_of::<Subscription>);
static SERVER_ROW: LazyLock<serde_json::Value> = LazyLock::new(schema_of::<ServerTerms>);

/// The keys of a row that go when there is nothing to say.
const CLEARABLE: [&str; 4] = ["follows", "heard", "declined", "hears_everybody"];

/// How a familiar takes part in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SubscriptionKind {
    /// it reads and writes
    Text,
    /// it listens and speaks in the call
    Voice,
    /// a thread it stays out of, though it reads the thread's channel
    Muted,
}

impl SubscriptionKind {
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One channel a familiar listens in, as a `[[subscription]]` says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Subscription {
    /// The channel, thread or call. Required.
    #[serde(rename = "channel_id", deserialize_with = "read_id")]
    #[schemars(with = "Id")]
    pub channel: ChannelId,
    /// How it takes part there. Required.
    pub kind: SubscriptionKind,
    /// The server the channel is in. At most one call per server is joined.
    #[serde(rename = "guild_id", default, deserialize_with = "read_optional_id")]
    #[schemars(with = "Option<Id>")]
    pub guild: Option<GuildId>,
    /// What was agreed about a call; empty for anything else.
    #[serde(flatten)]
    pub call: CallTerms,
}

fn read_id<'de, D: Deserializer<'de>, T: From<u64>>(from: D) -> Result<T, D::Error> {
    Ok(Id::deserialize(from)?.number().into())
}

fn read_optional_id<'de, D: Deserializer<'de>, T: From<u64>>(from: D) -> Result<Option<T>, D::Error> {
    Ok(Option::<Id>::deserialize(from)?.map(|id| id.number().into()))
}

impl Subscription {
    /// Nothing was agreed about a call.
    pub fn new(channel: ChannelId, kind: SubscriptionKind, guild: Option<GuildId>) -> Self {
        Self { channel, kind, guild, call: CallTerms::default() }
    }
}

/// What was agreed about a call. Ids are of Discord's users.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
pub struct CallTerms {
    /// In a call: the person it stays with.
    #[serde(default, deserialize_with = "read_optional_id")]
    #[schemars(with = "Option<Id>")]
    pub follows: Option<u64>,
    /// In a call: the people who agreed to be heard.
    #[serde(default, deserialize_with = "Ids::deserialize")]
    #[schemars(with = "Ids")]
    pub heard: Vec<u64>,
    /// In a call: the people who do not want to be heard.
    #[serde(default, deserialize_with = "Ids::deserialize")]
    #[schemars(with = "Ids")]
    pub declined: Vec<u64>,
    /// In a call: whether people are heard who were told so and have not declined.
    #[serde(default)]
    pub hears_everybody: bool,
}

impl CallTerms {
    /// Takes somebody out.
    fn forget(&mut self, user: u64) {
        self.follows.take_if(|follows| *follows == user);
        self.heard.retain(|one| *one != user);
        self.declined.retain(|one| *one != user);
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subscribed {
    /// The channel is new.
    Added,
    /// It listened there already.
    AlreadyThere,
    /// It left another call of the same guild for this one.
    MovedFrom(ChannelId),
}

/// Why a channel is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadBecause {
    /// It is subscribed.
    Subscribed,
    /// The channel that it hangs on is.
    OfItsChannel,
}

/// All channels a familiar listens in.
#[derive(Debug, Clone, Default)]
pub struct Subscriptions {
    /// The usable rows.
    rows: Vec<Row<Subscription>>,
    /// As `rows`.
    servers: Vec<Row<ServerTerms>>,
    problems: Vec<Problem>,
}

/// A row with its number in the file, which a new one has not.
type Row<T> = (Option<usize>, T);

impl Subscriptions {
    /// Reads the file's rows. A malformed row is reported and left alone; the others are used.
    ///
    /// # Errors
    /// When the file is not TOML, or is something else than a list of rows.
    pub(super) fn read(source: &Arc<SourceText>) -> Result<Self, Problem> {
        let document = Document::parse(source)?;
        let mut read = Self::default();
        for (key, value) in &document.values {
            let rows = value.as_array().into_iter().flatten().enumerate();
            match key.as_str() {
                list @ (ROWS | SERVERS) if !value.is_array() => {
                    let found = value_form(value);
                    let what = format!(
                        "`{list}` must be a list, each row beginning with [[{list}]], but is {found}"
                    );
                    return Err(Problem::at(&document.place(key), what));
                }
                ROWS => rows.for_each(|(index, row)| read.take(&document, index, row)),
                SERVERS => rows.for_each(|(index, row)| read.take_server(&document, index, row)),
                unknown => {
                    let problem = Problem::at(&document.key_place(key), format!("unknown key `{key}`"));
                    let advice = advice_on(unknown, "the keys here are", &[ROWS, SERVERS]);
                    read.problems.push(problem.labelled("not known here").advised(advice));
                }
            }
        }
        Ok(read)
    }

    /// A row, where it can be used by itself.
    fn usable<T: DeserializeOwned>(
        &mut self,
        document: &Document,
        path: &str,
        row: &Value,
        schema: &serde_json::Value,
    ) -> Option<T> {
        let mut problems = check_value(document, path, row, schema);
        if problems.is_empty() {
            problems.extend(missing_keys(document, path, schema));
        }
        let is_whole = problems.is_empty();
        self.problems.append(&mut problems);
        row.clone().try_into().ok().filter(|_| is_whole)
    }

    fn take(&mut self, document: &Document, index: usize, row: &Value) {
        let path = format!("{ROWS}[{index}]");
        let Some(subscription) = self.usable::<Subscription>(document, &path, row, &SUBSCRIPTION_ROW) else {
            return;
        };
        match self.contradicts(&subscription) {
            Some(what) => self.conflict(document, &path, what),
            None => self.rows.push((Some(index), subscription)),
        }
    }

    fn take_server(&mut self, document: &Document, index: usize, row: &Value) {
        let path = format!("{SERVERS}[{index}]");
        let Some(server) = self.usable::<ServerTerms>(document, &path, row, &SERVER_ROW) else { return };
        match self.server(&server.guild) {
            Some(_) => self.conflict(document, &path, format!("server {} stands here already", server.guild)),
            None => self.servers.push((Some(index), server)),
        }
    }

    fn conflict(&mut self, document: &Document, path: &str, what: String) {
        self.problems.push(Problem::at(&document.place(path), what).labelled("this one"));
    }

    /// Why a row cannot stand beside the earlier ones.
    fn contradicts(&self, new: &Subscription) -> Option<String> {
        if self.contains(&new.channel, new.kind) {
            return Some(format!("channel {} is already subscribed as {}", new.channel, new.kind.as_str()));
        }
        let guild = new.guild.as_ref().filter(|_| new.kind == SubscriptionKind::Voice)?;
        let other = self.voice_in(guild)?;
        Some(format!("only one call per server: {} is already subscribed in server {guild}", other.channel))
    }

    /// The subscriptions, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = &Subscription> {
        self.rows.iter().map(|(_, subscription)| subscription)
    }

    /// Whether a channel is read, or a thread of `parent`.
    pub fn reads(&self, channel: &ChannelId, parent: Option<&ChannelId>) -> Option<ReadBecause> {
        if self.contains(channel, SubscriptionKind::Text) {
            return Some(ReadBecause::Subscribed);
        }
        let is_of_one = parent.is_some_and(|parent| self.contains(parent, SubscriptionKind::Text));
        let is_out = self.contains(channel, SubscriptionKind::Muted);
        (is_of_one && !is_out).then_some(ReadBecause::OfItsChannel)
    }

    /// Whether it takes part in a channel in that way.
    pub fn contains(&self, channel: &ChannelId, kind: SubscriptionKind) -> bool {
        self.iter().any(|row| row.is(channel, kind))
    }

    /// The call it is in in a guild.
    pub fn voice_in(&self, guild: &GuildId) -> Option<&Subscription> {
        self.iter().find(|subscription| {
            subscription.kind == SubscriptionKind::Voice && subscription.guild.as_ref() == Some(guild)
        })
    }

    /// What holds in every call of a guild, where anything was said about that.
    pub fn server(&self, guild: &GuildId) -> Option<&ServerTerms> {
        self.servers.iter().map(|(_, server)| server).find(|server| server.guild == *guild)
    }

    /// The rows that cannot be used, and why. They stay in the file as they are.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// What is usable, for comparing two moments.
    pub(super) fn leaves(&self) -> BTreeMap<String, String> {
        let written = |row: &Subscription| {
            let guild = row.guild.as_ref().map(|guild| format!(" in server {guild}")).unwrap_or_default();
            (format!("subscription.{}.{}", row.channel, row.kind.as_str()), format!("on{guild}"))
        };
        let everybody = |(_, server): &Row<ServerTerms>| {
            (format!("server.{}.hears_everybody", server.guild), server.hears_everybody.to_string())
        };
        self.iter().map(written).chain(self.servers.iter().map(everybody)).collect()
    }

    /// Adds a subscription, and says what that meant. Of the calls of one server only one is kept: it takes the other's place.
    pub(super) fn add(&mut self, new: Subscription) -> Subscribed {
        let is_rival = |row: &Subscription| {
            let are_calls = (row.kind, new.kind) == (SubscriptionKind::Voice, SubscriptionKind::Voice);
            are_calls && new.guild.is_some() && row.guild == new.guild && row.channel != new.channel
        };
        let own = self.iter().position(|row| row.is(&new.channel, new.kind));
        let rival = self.iter().position(is_rival);
        let done = match (rival, own) {
            (Some(rival), _) => Subscribed::MovedFrom(self.rows[rival].1.channel.clone()),
            (None, Some(_)) => Subscribed::AlreadyThere,
            (None, None) => Subscribed::Added,
        };
        match own.or(rival) {
            // Who does not know the server leaves the one that is written there.
            Some(at) => {
                self.rows[at].1 = Subscription { guild: new.guild.or(self.rows[at].1.guild.take()), ..new }
            }
            None => self.rows.push((None, new)),
        }
        if let (Some(_), Some(rival)) = (own, rival) {
            self.rows.remove(rival);
        }
        done
    }

    /// Takes a subscription away; whether it was there.
    pub(super) fn remove(&mut self, channel: &ChannelId, kind: SubscriptionKind) -> bool {
        let before = self.rows.len();
        self.rows.retain(|(_, row)| !row.is(channel, kind));
        self.rows.len() < before
    }

    /// Changes what holds in every call of a server. Where that says nothing any more, it stands there no longer.
    pub(super) fn change_server(&mut self, guild: &GuildId, change: impl FnOnce(&mut ServerTerms)) {
        let own = self.servers.iter().position(|(_, server)| server.guild == *guild);
        let at = own.unwrap_or_else(|| {
            self.servers.push((None, ServerTerms::of(guild.clone())));
            self.servers.len() - 1
        });
        let terms = &mut self.servers[at].1;
        let before = own.map(|_| terms.clone());
        change(terms);
        if terms.says_nothing() && before.as_ref() != Some(&*terms) {
            self.servers.remove(at);
        }
    }

    /// Takes somebody out of what was agreed about calls.
    pub(super) fn forget(&mut self, person: &AccountId) {
        let Some(user) = person.id().parse().ok().filter(|_| person.platform() == Platform::Discord) else {
            return;
        };
        for (_, row) in &mut self.rows {
            row.call.forget(user);
        }
        self.servers.retain_mut(|(_, server)| {
            let declined = server.declined.len();
            server.declined.retain(|one| *one != user);
            server.declined.len() == declined || !server.says_nothing()
        });
    }
}

impl Subscription {
    fn is(&self, channel: &ChannelId, kind: SubscriptionKind) -> bool {
        self.channel == *channel && self.kind == kind
    }

    pub(super) fn fields(&self) -> Fields {
        let mut fields: Fields =
            vec![("channel_id", self.channel.as_str().into()), ("kind", self.kind.as_str().into())];
        fields.extend(self.guild.as_ref().map(|guild| ("guild_id", guild.as_str().into())));
        fields.extend(self.call.follows.map(|follows| ("follows", follows.to_string().into())));
        fields.extend(people_array("heard", &self.call.heard));
        fields.extend(people_array("declined", &self.call.declined));
        fields.extend(self.call.hears_everybody.then(|| ("hears_everybody", true.into())));
        fields
    }
}

/// What holds in every call of a server, as a `[[server]]` says. Ids are of Discord's users.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct ServerTerms {
    /// The server. Required.
    #[serde(rename = "guild_id", deserialize_with = "read_id")]
    #[schemars(with = "Id")]
    pub guild: GuildId,
    /// Whether in every call there people are heard who were told so and have not declined.
    #[serde(default)]
    pub hears_everybody: bool,
    /// The people who do not want to be heard in any call there.
    #[serde(default, deserialize_with = "Ids::deserialize")]
    #[schemars(with = "Ids")]
    pub declined: Vec<u64>,
}

impl ServerTerms {
    /// A server about which nothing was said.
    pub fn of(guild: GuildId) -> Self {
        Self { guild, hears_everybody: false, declined: Vec::new() }
    }

    /// Whether nothing is said that is not so anyway.
    fn says_nothing(&self) -> bool {
        !self.hears_everybody && self.declined.is_empty()
    }

    fn fields(&self) -> Fields {
        let mut fields: Fields = vec![("guild_id", self.guild.as_str().into())];
        fields.extend(self.hears_everybody.then(|| ("hears_everybody", true.into())));
        fields.extend(people_array("declined", &self.declined));
        fields
    }
}

/// The fields of a row as they are written.
type Fields = Vec<(&'static str, toml_edit::Value)>;

/// People as they are written, where there are any. Ids are texts: an id has more digits than some editors keep in a
/// number.
fn people_array(key: &'static str, ids: &[u64]) -> Option<(&'static str, toml_edit::Value)> {
    (!ids.is_empty()).then(|| (key, toml_edit::Value::Array(ids.iter().map(u64::to_string).collect())))
}

/// Takes somebody out of what was agreed about calls, in the files of a familiar that does not run.
///
/// # Errors
/// When the file is not readable as a whole, or cannot be written; nothing changes then.
pub fn forget_in_calls(home: &FamiliarHome, person: &AccountId) -> Result<(), ConfigError> {
    rewrite(home, |subscriptions| subscriptions.forget(person))
}

/// The file's text; empty where there is none.
pub(super) fn source(home: &FamiliarHome) -> Result<Arc<SourceText>, ConfigError> {
    let path = home.subscriptions_toml();
    Ok(SourceText::of(path.display(), read_optional(&path)?.unwrap_or_default(), Rank::Familiar))
}

/// Changes what the file says. Rows that are the same afterwards, those that cannot be used, and comments stay as they are
/// written.
pub(super) fn rewrite<T>(
    home: &FamiliarHome,
    change: impl FnOnce(&mut Subscriptions) -> T,
) -> Result<T, ConfigError> {
    let source = source(home)?;
    let before = Subscriptions::read(&source)?;
    let mut after = before.clone();
    let done = change(&mut after);
    if (&before.rows, &before.servers) != (&after.rows, &after.servers) {
        let mut edit = Edit::of(&source)?;
        write_rows(&mut edit, ROWS, &before.rows, &after.rows, Subscription::fields);
        write_rows(&mut edit, SERVERS, &before.servers, &after.servers, ServerTerms::fields);
        write_atomic(&home.subscriptions_toml(), &edit.into_text())?;
    }
    Ok(done)
}

fn write_rows<T: PartialEq>(
    edit: &mut Edit,
    list: &str,
    before: &[Row<T>],
    after: &[Row<T>],
    fields: fn(&T) -> Fields,
) {
    for row in after.iter().filter(|row| !before.contains(row)) {
        match row {
            (Some(index), row) => edit.set_row(list, *index, &CLEARABLE, fields(row)),
            (None, row) => edit.push_row(list, fields(row)),
        }
    }
    // From the last on: with a row that goes, the numbers of those behind it change.
    for index in before.iter().rev().filter_map(|(index, _)| *index) {
        if after.iter().all(|(kept, _)| *kept != Some(index)) {
            edit.remove_row(list, index);
        }
    }
}
