//! One connection to a call, by way of songbird.
//!
//! Owns joining, what the voice library tells, and leaving. Takes people's packets as they come: the library's own
//! decoding hands the end of the encryption to Opus as if it were sound, and 97 ms late (stack 3.5, voice 0.3).
//! Must not know who may be heard. Start reading at [`Connection::join`].

use std::num::NonZeroU16;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use davey::DaveSession;
use parking_lot::Mutex;
use serenity::all::{ChannelId, GuildId};
use serenity::async_trait;
use songbird::driver::retry::{Retry, Strategy};
use songbird::driver::{DecodeMode, Driver, MixMode, Scheduler, SchedulerConfig};
use songbird::events::context_data::DisconnectReason;
use songbird::input::codecs::{get_codec_registry, get_probe};
use songbird::{Call, Config, CoreEvent, Event, EventContext, EventHandler, Songbird};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::consent_filter::ConsentFilter;
use super::source::{FrameSource, Microphone};
use super::terms::Manner;
use crate::clock::whole_millis;
use crate::domain::AccountId;
use crate::voice::frame::Packet;
use crate::voice::{CallTeller, Playout};

/// How long leaving may take before it is joined anew all the same.
const LEAVING: Duration = Duration::from_secs(3);

/// How often the voice library tries to connect by itself; beyond that we ask Discord for another server.
const ATTEMPTS: u8 = 1;

/// What happened to a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Happened {
    /// It is there again after it broke.
    Back,
    /// It is gone, and the voice library has given up.
    Lost(String),
    /// What somebody sends arrives, but is no sound.
    Undecodable(AccountId),
    /// It was told there how to behave.
    Told(Manner),
}

/// How the voice library is used.
pub(super) fn songbird_settings() -> Config {
    // The two crates each name a default; ours is named first (stack, trap 1).
    rustls::crypto::ring::default_provider().install_default().ok();
    let retry = Retry {
        strategy: Strategy::Every(Duration::from_millis(250).into()),
        retry_limit: std::num::NonZeroU8::new(ATTEMPTS),
    };
    Config::default()
        .decode_mode(DecodeMode::Decrypt)
        .mix_mode(MixMode::Mono)
        // The library's own one belongs to whichever runtime came first, and ends with it.
        .scheduler(Scheduler::new(SchedulerConfig::default()))
        .gateway_timeout(Some(Duration::from_secs(6)))
        .driver_timeout(Some(Duration::from_secs(4)))
        .driver_retry(retry)
}

/// What a connection is made with.
#[derive(Debug, Clone)]
pub(super) struct Wiring {
    pub songbird: Arc<Songbird>,
    pub guild: GuildId,
    /// The call the bot is in, as Discord says.
    pub own_call: watch::Receiver<Option<ChannelId>>,
    pub filter: Arc<Mutex<ConsentFilter>>,
    pub teller: CallTeller,
    pub playout: Arc<Playout>,
    pub happened: mpsc::Sender<Happened>,
}

/// A connection that stands. Dropping it hangs up without telling Discord; [`Self::leave`] tells.
#[derive(Debug)]
pub(super) struct Connection {
    wiring: Wiring,
    ticks: Arc<Ticks>,
    _microphone: AbortOnDropHandle<()>,
}

impl Connection {
    /// Joins a call and begins to listen and to play.
    ///
    /// # Errors
    /// In words, when it took too long, and when the voice server could not be reached or refused. Discord is told that the bot
    /// is not there then.
    pub(super) async fn join(wiring: Wiring, channel: ChannelId, deadline: Duration) -> Result<Self, String> {
        hang_up(&wiring).await;
        wiring.filter.lock().reconnected();
        let joined = timeout(deadline, Self::join_now(&wiring, channel)).await;
        let failure = match joined {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(failure)) => failure,
            Err(_) => "Discord did not let the bot in in time".to_owned(),
        };
        hang_up(&wiring).await;
        Err(failure)
    }

    async fn join_now(wiring: &Wiring, channel: ChannelId) -> Result<Self, String> {
        let call = wiring.songbird.get_or_insert(wiring.guild);
        let (microphone, ticks) = (Microphone::open(), Arc::new(Ticks::default()));
        let waiting = {
            let mut call = call.lock().await;
            let hearing = Hearing { wiring: wiring.clone(), ticks: Arc::clone(&ticks) };
            for event in [
                CoreEvent::RtpPacket,
                CoreEvent::SpeakingStateUpdate,
                CoreEvent::ClientDisconnect,
                CoreEvent::VoiceTick,
                CoreEvent::DriverReconnect,
                CoreEvent::DriverDisconnect,
            ] {
                call.add_global_event(event.into(), hearing.clone());
            }
            call.join(channel).await
        };
        let joined = match waiting {
            Ok(waiting) => waiting.await,
            Err(error) => Err(error),
        };
        joined.map_err(|error| join_error_in_words(&error))?;
        // The library is told first. Before we are, it would look as if somebody had put the bot out.
        let mut own = wiring.own_call.clone();
        own.wait_for(Option::is_some).await.ok();
        ticks.tick();
        let wishes = microphone.wishes();
        let source = FrameSource::new(Arc::clone(&wiring.playout), Arc::clone(&microphone));
        call.lock().await.play_only_input(source.into_input());
        let playout = Arc::clone(&wiring.playout);
        let task = tokio::spawn(keep_microphone(call, microphone, wishes, playout));
        Ok(Self { wiring: wiring.clone(), ticks, _microphone: AbortOnDropHandle::new(task) })
    }

    /// How long the receiving side has shown no sign of life.
    pub(super) fn silent_for(&self, now: Instant) -> Duration {
        self.ticks.silent_for(now)
    }

    pub(super) async fn leave(self) {
        hang_up(&self.wiring).await;
    }
}

/// Ends whatever there is, and waits until Discord says so: its late word of it would end the next connection.
async fn hang_up(wiring: &Wiring) {
    let mut own = wiring.own_call.clone();
    let was_there = own.borrow().is_some();
    if wiring.songbird.get(wiring.guild).is_none() && !was_there {
        return;
    }
    let call = wiring.songbird.get_or_insert(wiring.guild);
    call.lock().await.remove_all_global_events();
    drop(call);
    if let Err(error) = wiring.songbird.remove(wiring.guild).await {
        tracing::debug!(guild = %wiring.guild, %error, "the call could not be left in order");
    }
    if was_there && timeout(LEAVING, own.wait_for(Option::is_none)).await.is_err() {
        tracing::debug!(guild = %wiring.guild, "Discord does not say that the call was left");
    }
}

/// Opens and closes the microphone as the track wants. It is closed in our books before it is closed in fact, and opened
/// after: in between nothing is said into it.
async fn keep_microphone(
    call: Arc<tokio::sync::Mutex<Call>>,
    microphone: Arc<Microphone>,
    mut wishes: watch::Receiver<bool>,
    playout: Arc<Playout>,
) {
    loop {
        let open = *wishes.borrow_and_update();
        if !open {
            microphone.set(false);
        }
        {
            // The call's own `mute` would also show the bot as muted.
            let mut call = call.lock().await;
            Driver::mute(&mut call, !open);
        }
        if open {
            microphone.set(true);
        }
        tokio::select! {
            changed = wishes.changed() => if changed.is_err() {
                return;
            },
            // At once: the track would only look with its next frame.
            () = playout.expected() => microphone.want(true),
        }
    }
}

/// The library's receiving task gives a sign of life every 20 ms.
#[derive(Debug)]
struct Ticks {
    since: Instant,
    last_ms: AtomicU64,
}

impl Default for Ticks {
    fn default() -> Self {
        Self { since: Instant::now(), last_ms: AtomicU64::new(0) }
    }
}

impl Ticks {
    fn tick(&self) {
        self.last_ms.store(whole_millis(self.since.elapsed()), Ordering::Relaxed);
    }

    fn silent_for(&self, now: Instant) -> Duration {
        let last = self.since + Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
        now.saturating_duration_since(last)
    }
}

/// What the voice library tells, one after the other.
#[derive(Debug, Clone)]
struct Hearing {
    wiring: Wiring,
    ticks: Arc<Ticks>,
}

#[async_trait]
impl EventHandler for Hearing {
    async fn act(&self, context: &EventContext<'_>) -> Option<Event> {
        match context {
            EventContext::RtpPacket(data) => {
                // Without header extension, padding and what is left of its encryption; a malformed one is none.
                let (rtp, begins, ends) = (&data.packet, data.payload_offset, data.payload_end_pad);
                if let Some(packet) = Packet::from_rtp(rtp, begins, ends, Instant::now())
                    && let Some((account, packet)) = self.wiring.filter.lock().packet(packet)
                {
                    self.wiring.teller.packet(account, packet);
                }
            }
            EventContext::SpeakingStateUpdate(speaking) => {
                if let Some(user) = speaking.user_id {
                    self.speaker(speaking.ssrc, AccountId::discord(user.0));
                }
            }
            // Here and not in the call's task: word of their next stream may be the next event.
            EventContext::ClientDisconnect(gone) => {
                let account = AccountId::discord(gone.user_id.0);
                self.wiring.filter.lock().hung_up(&account, Instant::now());
            }
            EventContext::VoiceTick(_) => self.ticks.tick(),
            EventContext::DriverReconnect(_) => {
                // New keys, new streams.
                self.wiring.filter.lock().reconnected();
                self.happened(Happened::Back);
            }
            EventContext::DriverDisconnect(gone) => {
                let asked = matches!(gone.reason, None | Some(DisconnectReason::Requested));
                if !asked {
                    self.happened(Happened::Lost(format!("{:?}, {:?}", gone.kind, gone.reason)));
                }
            }
            _ => {}
        }
        None
    }
}

impl Hearing {
    fn speaker(&self, ssrc: u32, account: AccountId) {
        let held = self.wiring.filter.lock().speaker(ssrc, account.clone(), Instant::now());
        for packet in held {
            self.wiring.teller.packet(account.clone(), packet);
        }
    }

    fn happened(&self, what: Happened) {
        // A call that is so far behind is ending anyway.
        self.wiring.happened.try_send(what).ok();
    }
}

/// Why joining failed, for the log and in part for people: no tokens, no addresses.
fn join_error_in_words(error: &songbird::error::JoinError) -> String {
    use songbird::error::{ConnectionError, JoinError};
    match error {
        JoinError::TimedOut | JoinError::Dropped => "Discord did not answer".to_owned(),
        JoinError::NoSender | JoinError::NoCall => "the bot is not connected to Discord".to_owned(),
        JoinError::Driver(ConnectionError::TimedOut) => "the voice server did not answer".to_owned(),
        JoinError::Driver(ConnectionError::Ws(_)) => "the voice server refused the connection".to_owned(),
        JoinError::Driver(ConnectionError::CryptoModeUnavailable | ConnectionError::CryptoModeInvalid) => {
            "the voice server offers no encryption that the bot knows".to_owned()
        }
        JoinError::Driver(ConnectionError::Io(_)) => "the voice server could not be reached".to_owned(),
        other => other.to_string(),
    }
}

/// A user and a channel that nobody has.
const NOBODY: u64 = 1;

/// Whether the voice library takes the track that everything is said on. Without its reader of plain samples it would refuse
/// each one in the middle of a call.
///
/// # Errors
/// In words, when it does not.
pub async fn track_works() -> Result<(), String> {
    let source = FrameSource::new(Arc::new(Playout::new()), Microphone::open());
    let playable = source.into_input().make_playable_async(get_codec_registry(), get_probe()).await;
    playable.map(drop).map_err(|error| error.to_string())
}

/// Whether a call that is encrypted between its members (DAVE) could be joined: makes the keys that the bot would come with.
/// Gives the protocol's version.
///
/// # Errors
/// In words, when they cannot be made.
pub fn dave_works() -> Result<u16, String> {
    let version = davey::DAVE_PROTOCOL_VERSION;
    let spoken = NonZeroU16::new(version).ok_or("this build speaks no version of it")?;
    let mut session = DaveSession::new(spoken, NOBODY, NOBODY, None).map_err(|error| error.to_string())?;
    session.create_key_package().map_err(|error| error.to_string())?;
    Ok(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_track_and_the_encryption_of_this_build_work() {
        assert_eq!(track_works().await, Ok(()));
        assert_eq!(dave_works(), Ok(1));
    }
}
