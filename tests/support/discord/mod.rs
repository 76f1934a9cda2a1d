//! A small Discord on the loopback interface, for tests that go through the door.
//!
//! It is a *world* (guilds, channels, threads, forum posts, members, roles, messages, interactions, outages) and two
//! translations of it to the wire: [`rest`] and [`gateway`]. The bot under test is the real thing, in-process or the
//! composed binary: give it [`DiscordWorld::api_base`] as `discord.api_base` and [`DiscordWorld::token`] as token.
//!
//! Tests read like a story. Nothing sleeps: every wait is for something to happen in the world, and gives up loudly
//! after [`PATIENCE`], telling what did happen.
//!
//! ```ignore
//! let world = DiscordWorld::start().await;
//! let home = world.guild("home");
//! let general = home.channel("general");
//! let alice = home.moderator("alice");
//! // … start the bot with world.api_base() and world.token() …
//! world.bot_is_online().await;
//! let answer = alice.runs(&general, "/subscribe-text", json!({})).await;
//! assert!(answer.ephemeral);
//! alice.says(&general, "hi there").await;
//! let reply = general.next_message().await;
//! assert!(reply.allowed_mentions_are_empty());
//! ```
//!
//! Also: `alice.dm()`, `general.thread("x")`, `general.private_thread("x")`, `home.forum("f").post("p")`,
//! `home.private_channel("x")`, `alice.completes(…)`, `alice.submits(…)`, `alice.edits(…)`, `alice.deletes(…)`,
//! `world.fail_next(…)`, `world.drop_gateway()`, `world.reconnect_gateway()`, `world.invalidate_session()`,
//! `world.refuse_token()`, `world.refuse_message_content()`, `thread.lock()`, `world.requests(…)`.
//!
//! What it checks on its own, as Discord would: the token, gateway intents (message content is blank without its
//! intent), the bot's permissions where it speaks, message length, one first response per interaction, permissions
//! needed for a command, repeated nonces. Members are not sent beyond the bot itself, as without the members intent.

#![allow(dead_code, reason = "a world has more in it than the tests of one moment use")]

mod changes;
mod doings;
mod door;
mod gateway;
mod limits;
mod people;
mod places;
mod rest;
mod state;
mod valid;
mod wire;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::sync::watch;

pub use changes::Role;
pub use limits::Allowed;
pub use people::{Answer, Person, Said};
pub use places::{Channel, Guild};
pub use rest::Fault;
pub use state::{Posted, Request, bits};

use super::voice::{VoiceOptions, VoiceServer};
use state::{Out, State};

/// How long a test waits for something that should happen at once, before it fails. Generous, because it is only ever
/// used up by a failing test.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The bot's user and application id.
pub const BOT: u64 = 1_000_000_000_000_000_001;

/// The token that is accepted: its first part is [`BOT`] in base64.
pub const TOKEN: &str = "MTAwMDAwMDAwMDAwMDAwMDAwMQ.world.secret";

/// A Discord of one's own. Cloning gives another handle to the same world.
#[derive(Clone)]
pub struct DiscordWorld {
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    /// Counts up with every change, so that waits wake.
    changed: watch::Sender<u64>,
    address: SocketAddr,
}

impl DiscordWorld {
    /// Opens the world on a free port.
    pub async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Shared { state: Mutex::new(State::new()), changed: watch::Sender::new(0), address };
        let world = Self { shared: Arc::new(shared) };
        let app = axum::Router::new()
            .route("/gateway/", axum::routing::get(gateway::connect))
            .fallback(rest::answer)
            .with_state(world.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        world
    }

    /// Opens it with a server.
    pub async fn with_home() -> (Self, Guild) {
        let world = Self::start().await;
        let home = world.guild("home");
        (world, home)
    }

    /// Opens it with a server, where Alice is in one channel.
    pub async fn at_home() -> (Self, Channel, Person) {
        let (world, home) = Self::with_home().await;
        (world, home.channel("general"), home.member("alice"))
    }

    /// What `discord.api_base` is to be.
    pub fn api_base(&self) -> String {
        format!("http://{}", self.shared.address)
    }

    /// The bot's token.
    pub fn token(&self) -> &'static str {
        TOKEN
    }

    /// Opens the place where this world's calls are held.
    pub async fn opens_voice(&self, options: VoiceOptions) -> VoiceServer {
        let server = VoiceServer::start(options).await;
        self.change(|state| {
            for guild in state.guilds.values() {
                for (user, (call, _)) in &guild.voice {
                    server.enters(*call, *user);
                }
            }
            state.voice = Some(server.clone());
        });
        server
    }

    /// A new guild with the bot in it; everybody may see and write in its channels.
    pub fn guild(&self, name: &str) -> Guild {
        Guild::found(self, name)
    }

    /// Somebody who is in no guild.
    pub fn person(&self, name: &str) -> Person {
        Person::born(self, name, state::Nature::Person)
    }

    /// Waits until the bot has identified and has registered its commands in every guild.
    pub async fn bot_is_online(&self) {
        self.wait("the bot to be online with its commands", |state| {
            let online = state.session.as_ref().is_some_and(|session| session.live.is_some());
            let registered = state.guilds.keys().all(|guild| state.commands.contains_key(&Some(*guild)));
            (online && registered && state.commands.contains_key(&None)).then_some(())
        })
        .await;
    }

    /// The commands the bot has registered in a guild, or globally, as it sent them.
    pub fn commands(&self, guild: Option<&Guild>) -> Vec<Value> {
        self.look(|state| state.commands.get(&guild.map(Guild::id)).cloned().unwrap_or_default())
    }

    /// How the bot is shown, once it has had itself shown so often.
    pub async fn presence(&self, times: usize) -> Value {
        self.wait("a presence", |state| state.presences.get(times - 1).cloned()).await
    }

    /// The same each time until now.
    pub fn presences(&self) -> Vec<Value> {
        self.look(|state| state.presences.clone())
    }

    /// What the bot identified with, newest last.
    pub fn identifies(&self) -> Vec<Value> {
        self.look(|state| state.identifies.clone())
    }

    /// Every REST request whose `METHOD path` contains a text, oldest first.
    pub fn requests(&self, containing: &str) -> Vec<Request> {
        self.look(|state| {
            state.requests.iter().filter(|request| request.line.contains(containing)).cloned().collect()
        })
    }

    /// Waits until there are at least `count` requests whose `METHOD path` contains a text.
    pub async fn sees_requests(&self, containing: &str, count: usize) {
        self.wait(&format!("{count} request(s) {containing:?}"), |state| {
            let seen = state.requests.iter().filter(|request| request.line.contains(containing)).count();
            (seen >= count).then_some(())
        })
        .await;
    }

    /// A message goes, and the bot is not told.
    pub fn takes_away_unseen(&self, message: u64) {
        self.change(|state| {
            state.messages.remove(&message);
            state.posted.iter_mut().filter(|one| one.id == message).for_each(|one| one.is_deleted = true);
        });
    }

    /// The next requests whose `METHOD path` contains a text fail so. Faults are used up in order.
    pub fn fail_next(&self, containing: &str, fault: Fault) {
        self.change(|state| state.faults.push((containing.to_owned(), fault)));
    }

    /// From now on every request whose `METHOD path` contains a text fails so.
    pub fn fails(&self, containing: &str, fault: Fault) {
        self.change(|state| state.troubles.push((containing.to_owned(), fault)));
    }

    /// From now on Discord's rate limits hold: of posting into one channel, and of everything together. Headers tell of
    /// them, or only what stands in a refusal.
    pub fn limits(&self, posts: Option<Allowed>, all: Option<Allowed>, in_headers: bool) {
        self.change(|state| {
            (state.limits.posts, state.limits.all, state.limits.in_headers) = (posts, all, in_headers);
        });
    }

    /// From now on an interaction is over when it was not answered in three seconds, and its answers after a quarter of
    /// an hour. Where time runs on by itself, a busy machine is late.
    pub fn is_punctual(&self) {
        self.change(|state| state.is_punctual = true);
    }

    /// So many sessions are left of the day's.
    pub fn has_sessions_left(&self, sessions: u64) {
        self.change(|state| state.sessions_left = sessions);
    }

    /// From now on every connection to the gateway is closed with this code once the bot has said who it is.
    pub fn hangs_up_with(&self, code: Option<u16>) {
        self.change(|state| state.hangs_up_with = code);
    }

    /// The guild of a channel.
    pub fn guild_of(&self, channel: &Channel) -> u64 {
        self.look(|state| state.channels[&channel.id()].guild.expect("a channel of a guild"))
    }

    /// How often the bot has connected to the gateway.
    pub fn connections(&self) -> usize {
        self.look(|state| state.connections)
    }

    /// The gateway names this guild and never says what is in it.
    pub fn leaves_undescribed(&self, guild: &Guild) {
        self.change(|state| state.undescribed.push(guild.id()));
    }

    /// The place where calls are held is being moved: for now the bot is told of none.
    pub fn has_no_place_for_calls(&self) {
        self.change(|state| state.moves_calls = true);
    }

    /// There is a place for calls again, and the bot is told.
    pub fn has_a_place_for_calls(&self) {
        self.change(|state| {
            state.moves_calls = false;
            let joined = |(id, guild): (&u64, &state::GuildState)| Some((*id, guild.voice.get(&BOT)?.0));
            let joined: Vec<(u64, u64)> = state.guilds.iter().filter_map(joined).collect();
            for (guild, call) in joined {
                state.tells_where(guild, call);
            }
        });
    }

    /// What was told to fail with these words does not any more.
    pub fn works_again(&self, containing: &str) {
        self.change(|state| state.troubles.retain(|(told, _)| told != containing));
    }

    /// From now on the token is wrong.
    pub fn refuse_token(&self) {
        self.change(|state| state.accepts_token = false);
    }

    /// The application has not switched on the Message Content intent.
    pub fn refuse_message_content(&self) {
        self.change(|state| state.allows_message_content = false);
    }

    /// The application has not switched on the intents for who its servers' members are and what they play.
    pub fn refuse_presence(&self) {
        self.change(|state| state.allows_presence = false);
    }

    /// The application wants whoever invites it to come by a program of its own.
    pub fn wants_code_grant(&self) {
        self.change(|state| state.wants_code_grant = true);
    }

    /// The gateway's connection breaks without a word. The session can be resumed, and what happens until then is
    /// replayed.
    pub fn drop_gateway(&self) {
        self.send_out(Out::Break);
    }

    /// The gateway asks the bot to reconnect and resume (op 7).
    pub fn reconnect_gateway(&self) {
        self.send_out(Out::Frame(serde_json::json!({"op": 7, "d": null})));
    }

    /// The gateway has forgotten the session (op 9): the bot has to identify anew.
    pub fn invalidate_session(&self) {
        self.send_out(Out::Frame(serde_json::json!({"op": 9, "d": false})));
        self.change(|state| state.session = None);
    }

    /// Tells the bot of something, whatever it is: servers that others wrote, and Discord's next version.
    pub fn tells(&self, kind: &str, data: Value) {
        self.change(|state| state.dispatch(kind, 0, data));
    }

    /// Sends a frame as it is, outside the session's numbering.
    pub fn sends_frame(&self, frame: Value) {
        self.send_out(Out::Frame(frame));
    }

    /// Waits for the bot to have resumed its session this many times.
    pub async fn has_resumed(&self, times: usize) {
        self.wait(&format!("{times} resumed session(s)"), |state| (state.resumes >= times).then_some(()))
            .await;
    }

    /// Waits for the bot to have identified this many times.
    pub async fn has_identified(&self, times: usize) {
        self.wait(&format!("{times} identified session(s)"), |state| {
            (state.identifies.len() >= times).then_some(())
        })
        .await;
    }

    fn send_out(&self, out: Out) {
        self.change(|state| {
            let live = state.session.as_mut().and_then(|session| match out {
                // The session outlives its connection, and what happens meanwhile waits for the next one.
                Out::Break => session.live.take(),
                Out::Frame(_) | Out::Close(_) => session.live.clone(),
            });
            live.expect("the bot is not connected").send(out).ok();
        });
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let done = change(&mut self.lock());
        self.shared.changed.send_modify(|count| *count += 1);
        done
    }

    /// Waits until something is found; panics with what did happen when it is not.
    async fn wait<T>(&self, what: &str, mut find: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut changed = self.shared.changed.subscribe();
        let found = tokio::time::timeout(PATIENCE, async {
            loop {
                changed.mark_unchanged();
                if let Some(found) = find(&mut self.lock()) {
                    return found;
                }
                changed.changed().await.expect("the world is alive while it is waited for");
            }
        })
        .await;
        match found {
            Ok(found) => found,
            Err(_) => {
                let lines: Vec<String> =
                    self.look(|state| state.requests.iter().rev().take(20).map(Request::shown).collect());
                panic!(
                    "waited in vain for {what}; the newest requests were, newest first:\n{}",
                    lines.join("\n")
                )
            }
        }
    }
}
