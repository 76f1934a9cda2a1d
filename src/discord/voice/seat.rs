//! The familiar's place in one call.
//!
//! Owns what belongs to one channel and goes with it: the connection, the line to the voice room, what stands in the
//! chat and under the channel's name. Must not decide when to come or to go. Start reading at [`Seat::take`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serenity::all::{Cache, ChannelId, GuildId, UserId};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::Calls;
use super::call::Standpoint;
use super::connection::{Connection, Happened, JoinFailure, Wiring};
use super::ear::{Ear, Unheard};
use super::notices::Board;
use super::present::Present;
use super::sign::Sign;
use crate::discord::rim::Rim;
use crate::voice::{CallEvent, CallLine, CallTeller};

/// How long last words may take to be posted.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(5);

/// The familiar's place in one call.
#[derive(Debug)]
pub(super) struct Seat {
    pub channel: ChannelId,
    pub teller: CallTeller,
    pub wiring: Wiring,
    pub happened: mpsc::Receiver<Happened>,
    pub connection: Option<Connection>,
    /// Whether Discord shows it in the call by its own doing; if it does not any more, somebody put it out.
    pub is_seated: bool,
    pub present: BTreeMap<UserId, Present>,
    /// Tries that failed in a row, and when to try again.
    pub failures: u32,
    pub again: Option<Instant>,
    /// When it last connected again because it was deaf.
    pub cured: Option<Instant>,
    /// Who was told of as unheard since then.
    pub told_unheard: Vec<Unheard>,
    pub sign: Option<Sign>,
    board: AbortOnDropHandle<()>,
}

impl Seat {
    /// Joins a call, and hands its other end to whoever listens and speaks there.
    ///
    /// # Errors
    /// When it cannot be joined in time.
    pub async fn take(
        rim: &Arc<Rim>,
        cache: &Arc<Cache>,
        calls: &Calls,
        (guild, channel): (GuildId, ChannelId),
        standpoint: &watch::Sender<Standpoint>,
    ) -> Result<Self, JoinFailure> {
        let (line, port) = CallLine::open();
        let (happened, happening) = mpsc::channel(64);
        let teller = line.teller();
        let wiring = Wiring {
            songbird: Arc::clone(&calls.songbird),
            guild,
            own_call: calls.own_call(guild),
            ear: Arc::new(Mutex::new(Ear::default())),
            teller: teller.clone(),
            playout: Arc::clone(&line.playout),
            happened,
        };
        let connection = Connection::join(wiring.clone(), channel, calls.times().join).await?;
        let place = rim.known_place(cache, guild, channel);
        let board = Board {
            link: rim.deps.link.clone(),
            config: Arc::clone(&rim.deps.config),
            channel,
            happened: wiring.happened.clone(),
            rewrite: calls.times().rewrite,
            forgotten: calls.forgotten.subscribe(),
            familiar: rim.name(),
            standpoint: standpoint.subscribe(),
        };
        // What could not be taken back when it was forgotten.
        calls.take_back(&rim.deps.link);
        calls.host.begins(place, port);
        Ok(Self {
            channel,
            teller,
            wiring,
            happened: happening,
            connection: Some(connection),
            is_seated: true,
            present: BTreeMap::new(),
            failures: 0,
            again: None,
            cured: None,
            told_unheard: Vec::new(),
            sign: None,
            board: AbortOnDropHandle::new(tokio::spawn(board.keep(line.notices))),
        })
    }

    /// Leaves the call; whoever listened and spoke there ends.
    pub async fn hang_up(&mut self) {
        self.teller.tell(CallEvent::Close).await;
        if let Some(sign) = self.sign.take() {
            sign.take_down().await;
        }
        if let Some(connection) = self.connection.take() {
            connection.leave().await;
        }
        // The board is kept by whoever spoke; it ends when they have said their last.
        timeout(LAST_WORDS, &mut self.board).await.ok();
    }
}
