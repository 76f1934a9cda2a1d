//! One call of the familiar's, from being called in to leaving.
//!
//! Owns the order of things: joining, telling people, following, connecting again, leaving. One task per guild; whatever
//! takes long beside it (posting a notice) does not hold it up. Must not know what is heard or said. Start reading at
//! [`Attendance::begin`].

use std::sync::Arc;
use std::time::Duration;

use serenity::all::{Cache, ChannelId, GuildId, UserId};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout};

use super::calls::{Ask, CallStatus, CalledIn, Calls, Keep};
use super::connection::{Connection, Happened};
use super::consent_filter::{PacketCounts, SpeakerStanding, Unheard};
use super::following::{CallsSeen, Following, Step, Why};
use super::notices;
use super::seat::{LAST_WORDS, Seat, Sign, call_of, is_known, look};
use super::terms::{Hears, Manner, Standpoint, Terms};
use crate::clock::doubled;
use crate::config::{LiveConfig, ServerTerms, SubscriptionKind};
use crate::discord::Recogniser;
use crate::discord::access::roles_of;
use crate::discord::adapter::Adapter;
use crate::discord::messages::Tongue;
use crate::discord::messages::voice::{self as messages, Listens};
use crate::domain::AccountId;
use crate::session::reached;
use crate::voice::{CallEvent, Participant};

/// How often it is looked whether anything is heard.
const WATCH: Duration = Duration::from_secs(1);

/// Connecting is tried so often before the call is given up: about two minutes.
const FAILURES: u32 = 6;

/// The longest pause between two tries.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Deafness that comes back within this is not cured by connecting again.
const DEAF_AGAIN: Duration = Duration::from_secs(600);

/// The familiar's presence in the calls of one guild.
#[derive(Debug)]
pub(super) struct Attendance {
    adapter: Arc<Adapter>,
    cache: Arc<Cache>,
    calls: Arc<Calls>,
    guild: GuildId,
    terms: Terms,
    following: Following,
    seat: Seat,
    posting: JoinSet<Vec<UserId>>,
    standpoint: watch::Sender<Standpoint>,
    /// It was asked to speak only when spoken to.
    is_quiet: bool,
}

enum CallEnd {
    Asked(Keep, oneshot::Sender<()>),
    Left(Why),
    ThrownOut,
    GaveUp(String),
}

impl Attendance {
    /// Joins a call.
    ///
    /// # Errors
    /// In words, when it cannot be joined in time.
    pub(super) async fn begin(
        adapter: &Arc<Adapter>,
        cache: &Arc<Cache>,
        calls: &Arc<Calls>,
        (guild, channel): (GuildId, ChannelId),
        terms: Terms,
        standpoint: watch::Sender<Standpoint>,
    ) -> Result<Self, String> {
        let following = Following::new(calls.times(), terms.follows);
        let seat = Seat::take(adapter, cache, calls, (guild, channel), &standpoint).await?;
        let mut begun = Self {
            adapter: Arc::clone(adapter),
            cache: Arc::clone(cache),
            calls: Arc::clone(calls),
            guild,
            terms,
            following,
            seat,
            posting: JoinSet::new(),
            standpoint,
            is_quiet: false,
        };
        // After a restart whoever called it in may have declined since.
        let caller = begun.following.who().filter(|caller| begun.terms.agreed().any(|user| user == *caller));
        begun.keep_for_the_server(caller, true).await;
        begun.sit_down().await;
        Ok(begun)
    }

    /// Stays in the call until it ends.
    pub(super) async fn stay(mut self, mut asks: mpsc::Receiver<Ask>) {
        let mut watch = interval(WATCH.min(self.calls.times().deaf / 4).max(Duration::from_millis(10)));
        watch.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let ended = loop {
            let (due, again) = (self.following.due(), self.seat.again);
            let ended = tokio::select! {
                ask = asks.recv() => match ask {
                    Some(ask) => self.asked(ask).await,
                    None => break CallEnd::GaveUp("nobody holds the call any more".to_owned()),
                },
                Some(what) = self.seat.happened.recv() => {
                    self.happened(what).await;
                    None
                }
                Some(told) = self.posting.join_next() => {
                    self.were_told(&told.unwrap_or_default()).await;
                    None
                }
                () = reached(due) => self.later().await,
                () = reached(again) => self.connect().await,
                _ = watch.tick() => {
                    self.listen().await;
                    None
                }
            };
            if let Some(ended) = ended {
                break ended;
            }
        };
        self.leave(ended).await;
    }

    async fn asked(&mut self, ask: Ask) -> Option<CallEnd> {
        match ask {
            Ask::Look => return self.look().await,
            Ask::CallIn { by, to, hears, answer } => {
                let came = self.called_in(by, to, hears).await;
                answer.send(came).ok();
            }
            Ask::Says { who, agrees, answer } => {
                if self.terms.says(who, agrees) {
                    self.keep_terms().await;
                }
                // Also where it is nothing new here: for the other calls it may be.
                self.keep_for_the_server([who], agrees).await;
                self.stands(who).await;
                answer.send(()).ok();
            }
            Ask::Everywhere { hears, answer } => {
                self.everywhere(hears).await;
                answer.send(()).ok();
            }
            Ask::State { answer } => {
                answer.send(self.state()).ok();
            }
            Ask::Forget { who, answer } => {
                self.terms.forget(who);
                if self.following.who() == Some(who) {
                    self.following.stop_following();
                }
                self.keep_terms().await;
                self.stands(who).await;
                answer.send(()).ok();
            }
            Ask::Typed(message) => {
                self.following.hears(Instant::now());
                self.seat.teller.tell(CallEvent::Typed(message)).await;
            }
            Ask::Behave { manner, answer } => {
                self.behaves(manner).await;
                answer.send(()).ok();
            }
            Ask::End { keep, answer } => return Some(CallEnd::Asked(keep, answer)),
        }
        None
    }

    async fn called_in(&mut self, by: UserId, to: ChannelId, hears: Option<Hears>) -> CalledIn {
        if to != self.seat.channel {
            let others = self.seat.present.keys().any(|user| *user != by && !self.is_bot(*user));
            if others && self.following.who() != Some(by) {
                return CalledIn::Elsewhere(self.seat.channel.get());
            }
            self.terms = self.calls.terms(self.guild, by, hears);
            self.keep_for_the_server([by], true).await;
            self.following = Following::new(self.calls.times(), Some(by));
            return match self.move_to(to).await {
                Ok(()) => CalledIn::Joined,
                Err(why) => CalledIn::Failed(why),
            };
        }
        let mut is_new = self.terms.says(by, true);
        if let Some(hears) = hears.filter(|hears| *hears != self.terms.hears) {
            self.terms.hears = hears;
            is_new = true;
            self.announce();
        }
        if is_new {
            self.keep_terms().await;
        }
        self.keep_for_the_server([by], true).await;
        // Also where nothing is new: whoever asks may have found that it does not hear them.
        self.everybody_stands().await;
        if is_new { CalledIn::HearsToo } else { CalledIn::WasThere }
    }

    /// The server's switch was turned. On: who declined here has declined everywhere. Off: it is off here too.
    async fn everywhere(&mut self, hears: Hears) {
        match hears {
            Hears::Everybody => self.keep_for_the_server(self.terms.declined(), false).await,
            Hears::WhoAgreed if self.terms.hears == Hears::Everybody => {
                self.terms.hears = Hears::WhoAgreed;
                self.keep_terms().await;
                self.everybody_stands().await;
                self.announce();
            }
            Hears::WhoAgreed => {}
        }
    }

    /// Looks who is where.
    async fn look(&mut self) -> Option<CallEnd> {
        let own = *self.seat.wiring.own_call.borrow();
        match own {
            None if self.seat.is_seated => return Some(CallEnd::ThrownOut),
            Some(call) if call != self.seat.channel && self.seat.is_seated => {
                self.following.stop_following();
                self.terms.follows = None;
                if let Err(why) = self.move_to(call).await {
                    return Some(CallEnd::GaveUp(why));
                }
            }
            _ => {}
        }
        self.greet().await;
        self.follows_what_is_heard();
        let seen = self.seen();
        let step = self.following.see(self.seat.channel, seen, Instant::now());
        self.step(step).await
    }

    async fn later(&mut self) -> Option<CallEnd> {
        self.follows_what_is_heard();
        self.step(self.following.at(Instant::now())).await
    }

    fn follows_what_is_heard(&mut self) {
        let heard = self.seat.wiring.filter.lock().last_heard();
        if let Some(at) = heard {
            self.following.hears(at);
        }
    }

    async fn step(&mut self, step: Step) -> Option<CallEnd> {
        match step {
            Step::Stay => None,
            Step::Leave(why) => Some(CallEnd::Left(why)),
            Step::GoTo(channel) => {
                let to = self.tongue();
                if let Err(why) = super::may_join(&self.adapter, &self.cache, (self.guild, channel), to) {
                    self.say(messages::cannot_follow(to, &self.adapter.name(), channel.get(), &why));
                    self.following.stop_following();
                    self.terms.follows = None;
                    return None;
                }
                self.move_to(channel).await.err().map(CallEnd::GaveUp)
            }
        }
    }

    /// Leaves this call for another one of the guild. Who agreed there has agreed here.
    async fn move_to(&mut self, channel: ChannelId) -> Result<(), String> {
        self.seat.hang_up().await;
        self.terms = self.terms.clone().elsewhere();
        let (calls, standpoint) = (&self.calls, &self.standpoint);
        self.seat = Seat::take(&self.adapter, &self.cache, calls, (self.guild, channel), standpoint).await?;
        self.sit_down().await;
        Ok(())
    }

    /// In a new call: everybody is told, and what was agreed is kept.
    async fn sit_down(&mut self) {
        self.keep_terms().await;
        self.greet_quietly().await;
        if self.is_quiet {
            self.seat.teller.tell(CallEvent::Quiet(true)).await;
        }
        self.announce();
        self.seat.sign = self.sign();
        let standpoint = self.standpoint();
        self.standpoint.send_replace(standpoint);
        let seen = self.seen();
        self.following.see(self.seat.channel, seen, Instant::now());
    }

    fn standpoint(&self) -> Standpoint {
        Standpoint {
            channel: Some(self.seat.channel),
            follows: self.following.who(),
            agreed: self.terms.agreed().collect(),
        }
    }

    /// Keeps up with who is in the call, and tells newcomers.
    async fn greet(&mut self) {
        self.greet_quietly().await;
        let newcomers: Vec<UserId> = self
            .people()
            .filter(|user| !self.terms.is_marked(*user) && !self.terms.has_declined(*user))
            .filter(|user| self.standing(*user) != SpeakerStanding::Heard)
            .collect();
        if !newcomers.is_empty() {
            for user in &newcomers {
                self.terms.mark(*user);
            }
            let (to, by) = (self.tongue(), self.calls.host.recogniser());
            let who = user_ids(&newcomers);
            let text = messages::newcomers(to, &self.adapter.name(), &who, self.listens(by.as_ref()));
            self.post(text, Some(to), newcomers);
        }
    }

    async fn greet_quietly(&mut self) {
        let at = (self.guild, self.seat.channel);
        let mut now = look(&self.adapter, &self.cache, at, &self.seat.present).await;
        // For the call they are not there.
        now.retain(|user, _| !self.is_left_out(*user));
        let before = std::mem::replace(&mut self.seat.present, now.clone());
        for user in before.keys().filter(|user| !now.contains_key(user)) {
            let account = AccountId::discord(user.get());
            self.seat.wiring.filter.lock().left(&account);
            self.seat.teller.tell(CallEvent::Left(account)).await;
        }
        let is_new = |user: &UserId| before.get(user).is_none_or(|known| !is_known(known));
        for (user, present) in now.iter().filter(|(user, _)| is_new(user)) {
            let standing = self.standing(*user);
            self.seat.wiring.filter.lock().stands(&present.account, standing);
            let participant = Participant {
                author: present.clone(),
                consents: standing == SpeakerStanding::Heard,
                can_stop: self.following.who() == Some(*user),
            };
            self.seat.teller.tell(CallEvent::Joined(participant)).await;
        }
    }

    fn is_left_out(&self, user: UserId) -> bool {
        self.adapter.is_left_out(user, &roles_of(&self.cache, self.guild, user))
    }

    /// How somebody in the call stands. Who is not known may be a bot, and is heard only by their own word.
    fn standing(&self, user: UserId) -> SpeakerStanding {
        if self.is_left_out(user) {
            return SpeakerStanding::Unheard;
        }
        let is_stranger = self.seat.present.get(&user).is_some_and(|present| !is_known(present));
        if is_stranger && !self.terms.agreed().any(|agreed| agreed == user) {
            return SpeakerStanding::Unheard;
        }
        self.terms.standing(user, self.is_bot(user))
    }

    /// Tells the call's chat that it is here and whom it hears.
    fn announce(&mut self) {
        let here: Vec<UserId> = self.people().collect();
        let heard: Vec<UserId> =
            here.iter().copied().filter(|user| self.standing(*user) == SpeakerStanding::Heard).collect();
        for user in &here {
            self.terms.mark(*user);
        }
        let (to, by) = (self.tongue(), self.calls.host.recogniser());
        let text =
            messages::in_the_call(to, &self.adapter.name(), &user_ids(&heard), self.listens(by.as_ref()));
        self.post(text, Some(to), here);
    }

    fn listens<'a>(&self, by: Option<&'a Recogniser>) -> Listens<'a> {
        let everybody = self.terms.hears == Hears::Everybody;
        Listens { everybody, transcript: self.adapter.deps.config.current().call.transcript, by }
    }

    /// The language of the call's chat.
    fn tongue(&self) -> Tongue {
        let place = self.adapter.known_place(&self.cache, self.guild, self.seat.channel);
        self.adapter.tongue_in(&self.cache, &place)
    }

    /// Whoever looks at the list of channels sees that it listens.
    fn sign(&self) -> Option<Sign> {
        if !self.adapter.deps.config.current().call.channel_status {
            return None;
        }
        let words = messages::channel_status(self.tongue(), &self.adapter.name());
        Sign::hang(&self.adapter.deps.link, &self.cache, (self.guild, self.seat.channel), words)
    }

    fn say(&mut self, text: String) {
        self.post(text, None, Vec::new());
    }

    /// Posts something in the call's chat; who was told by it is known once it stands there.
    fn post(&mut self, text: String, consent: Option<Tongue>, tells: Vec<UserId>) {
        let (link, channel) = (self.adapter.deps.link.clone(), self.seat.channel);
        self.posting.spawn(async move {
            match notices::post(&link, channel, text, consent).await {
                Ok(()) => tells,
                Err(error) => {
                    tracing::warn!(%channel, %error, "a notice about the call was not posted");
                    Vec::new()
                }
            }
        });
    }

    async fn were_told(&mut self, told: &[UserId]) {
        for user in told {
            if self.terms.tell(*user) && self.seat.present.contains_key(user) {
                self.stands(*user).await;
            }
        }
    }

    async fn everybody_stands(&mut self) {
        let here: Vec<UserId> = self.seat.present.keys().copied().collect();
        for user in here {
            self.stands(user).await;
        }
    }

    /// Somebody's consent holds from now on, whatever it was.
    async fn stands(&mut self, user: UserId) {
        let standing = self.standing(user);
        let account = AccountId::discord(user.get());
        if self.seat.present.contains_key(&user) {
            self.seat.wiring.filter.lock().stands(&account, standing);
        }
        let consents = standing == SpeakerStanding::Heard;
        self.seat.teller.tell(CallEvent::ConsentChanged { account, consents }).await;
        let standpoint = self.standpoint();
        self.standpoint.send_replace(standpoint);
    }

    async fn behaves(&mut self, manner: Manner) {
        self.is_quiet = matches!(manner, Manner::Quiet { .. });
        self.seat.teller.tell(CallEvent::Quiet(self.is_quiet)).await;
    }

    async fn happened(&mut self, what: Happened) {
        match what {
            Happened::Undecodable(account) => {
                let why = format!("what {account} sends cannot be decoded");
                self.does_not_hear(Unheard::Of(account), why).await;
            }
            Happened::Back => {
                self.seat.teller.tell(CallEvent::Reconnected).await;
            }
            Happened::Lost(reason) => self.lost(reason).await,
            Happened::Told(manner) => self.behaves(manner).await,
        }
    }

    async fn lost(&mut self, reason: String) {
        tracing::info!(guild = %self.guild, channel = %self.seat.channel, reason, "the call broke off");
        self.seat.connection = None;
        self.seat.again = Some(Instant::now() + self.calls.times().again);
        self.seat.teller.tell(CallEvent::Disconnected { reason }).await;
    }

    async fn connect(&mut self) -> Option<CallEnd> {
        self.seat.again = None;
        if self.seat.is_seated && self.seat.wiring.own_call.borrow().is_none() {
            // The connection broke because somebody put it out.
            return Some(CallEnd::ThrownOut);
        }
        self.seat.is_seated = false;
        let (deadline, pause) = (self.calls.times().join, self.calls.times().again);
        self.seat.connection = None;
        match Connection::join(self.seat.wiring.clone(), self.seat.channel, deadline).await {
            Ok(connection) => {
                self.seat.connection = Some(connection);
                self.seat.is_seated = true;
                self.seat.failures = 0;
                // What the old connection had still to say is about the old connection.
                while self.seat.happened.try_recv().is_ok() {}
                // The ear has forgotten everybody's streams, not who may be heard.
                self.seat.teller.tell(CallEvent::Reconnected).await;
                // Who came and went while it was away is seen at the next look.
                self.calls.look(self.guild);
                None
            }
            Err(why) => {
                self.seat.failures += 1;
                if self.seat.failures >= FAILURES {
                    return Some(CallEnd::GaveUp(why));
                }
                let pause = doubled(pause, self.seat.failures + 1, LONGEST_PAUSE);
                self.seat.again = Some(Instant::now() + pause);
                None
            }
        }
    }

    /// Is anything heard? (voice 2.1, "Deafness watchdog")
    async fn listen(&mut self) {
        let Some(connection) = &self.seat.connection else { return };
        let (now, patience) = (Instant::now(), self.calls.times().deaf);
        if connection.silent_for(now) >= patience {
            return self.lost("nothing is received any more".to_owned()).await;
        }
        let unheard = self.seat.wiring.filter.lock().unheard(now, patience);
        for unheard in unheard {
            let why = match &unheard {
                Unheard::Of(account) => format!("what {account} says cannot be decrypted"),
                Unheard::Unplaced => "nobody said who speaks".to_owned(),
            };
            self.does_not_hear(unheard, why).await;
            if self.seat.connection.is_none() {
                return;
            }
        }
    }

    /// Connects anew, once, and says so; where that does not help, it says that too, once of each.
    async fn does_not_hear(&mut self, unheard: Unheard, why: String) {
        let now = Instant::now();
        let is_back = self.seat.cured.is_some_and(|cured| now.duration_since(cured) < DEAF_AGAIN);
        if !is_back {
            self.seat.cured = Some(now);
            self.seat.told_unheard.clear();
            let (to, name) = (self.tongue(), self.adapter.name());
            self.say(match unheard {
                Unheard::Of(_) => messages::deaf(to, &name),
                Unheard::Unplaced => messages::unplaced(to, &name),
            });
            self.lost(why).await;
        } else if !self.seat.told_unheard.contains(&unheard) {
            tracing::warn!(guild = %self.guild, channel = %self.seat.channel, why, "connecting again did not help");
            let (to, name) = (self.tongue(), self.adapter.name());
            self.say(match &unheard {
                Unheard::Of(account) => messages::still_deaf(to, &name, account.id()),
                Unheard::Unplaced => messages::still_unplaced(to, &name),
            });
            self.seat.told_unheard.push(unheard);
        }
    }

    async fn keep_terms(&self) {
        let row = self.terms.row(self.guild, self.seat.channel);
        if let Err(error) = self.adapter.change(move |config| config.subscribe(row)).await {
            tracing::warn!(guild = %self.guild, %error, "what was agreed about the call could not be kept");
        }
    }

    /// Where everybody is heard in every call, who declined has done so for every call.
    async fn keep_for_the_server(&self, who: impl IntoIterator<Item = UserId>, agrees: bool) {
        let who: Vec<u64> = who.into_iter().map(UserId::get).collect();
        if who.is_empty() {
            return;
        }
        let guild = self.guild.get().into();
        let change = move |server: &mut ServerTerms| {
            if agrees {
                server.declined.retain(|user| !who.contains(user));
            } else if server.hears_everybody {
                let new = who.into_iter().filter(|user| !server.declined.contains(user)).collect::<Vec<_>>();
                server.declined.extend(new);
            }
        };
        if let Err(error) = self.adapter.change(move |config| config.change_server(&guild, change)).await {
            tracing::warn!(guild = %self.guild, %error, "what somebody said about calls could not be kept");
        }
    }

    async fn forget_terms(&self) {
        let channel = self.seat.channel.get().into();
        let forget = move |config: &LiveConfig| config.unsubscribe(&channel, SubscriptionKind::Voice);
        if let Err(error) = self.adapter.change(forget).await {
            tracing::warn!(guild = %self.guild, %error, "the call could not be forgotten");
        }
    }

    async fn leave(mut self, ended: CallEnd) {
        let counts = self.counts();
        tracing::info!(
            guild = %self.guild, channel = %self.seat.channel, passed = counts.passed, withheld = counts.withheld,
            unknown = counts.unknown, dropped = self.seat.teller.dropped(), "left the call"
        );
        let keep = matches!(ended, CallEnd::Asked(Keep::Yes, _));
        if !keep {
            self.forget_terms().await;
        }
        let (to, name) = (self.tongue(), self.adapter.name());
        match &ended {
            CallEnd::Left(Why::LeftBehind) => self.say(messages::left_behind(to, &name)),
            CallEnd::Left(Why::Alone) => self.say(messages::left_alone(to, &name)),
            CallEnd::Left(Why::Quiet) => self.say(messages::left_quiet(to, &name, self.calls.times().quiet)),
            CallEnd::GaveUp(why) => self.say(messages::gave_up(to, &name, why)),
            CallEnd::Asked(..) | CallEnd::ThrownOut => {}
        }
        self.seat.hang_up().await;
        self.standpoint.send_replace(Standpoint::default());
        if let CallEnd::Asked(_, answer) = ended {
            answer.send(()).ok();
        }
        timeout(LAST_WORDS, async { while self.posting.join_next().await.is_some() {} }).await.ok();
    }

    fn state(&self) -> CallStatus {
        let heard = self.people().filter(|user| self.standing(*user) == SpeakerStanding::Heard);
        CallStatus {
            channel: self.seat.channel,
            heard: heard.count(),
            counts: self.counts(),
            dropped: self.seat.teller.dropped(),
        }
    }

    fn counts(&self) -> PacketCounts {
        self.seat.wiring.filter.lock().counts()
    }

    fn is_bot(&self, user: UserId) -> bool {
        self.seat.present.get(&user).is_some_and(|present| present.is_bot)
    }

    /// Everybody in the call who is no bot.
    fn people(&self) -> impl Iterator<Item = UserId> {
        self.seat.present.iter().filter(|(_, present)| !present.is_bot).map(|(user, _)| *user)
    }

    fn seen(&self) -> CallsSeen {
        let followed = self.following.who().and_then(|user| call_of(&self.cache, self.guild, user));
        CallsSeen { followed, people: self.people().count() }
    }
}

fn user_ids(users: &[UserId]) -> Vec<u64> {
    users.iter().map(|user| user.get()).collect()
}
