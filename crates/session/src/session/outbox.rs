//! The seam between a turn and the place its words go to.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::{self, Debug};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::domain::{
    AccountId, ChannelId, KeyFor, MessageId, ModelErrorClass, Place, Platform, StageTiming, TurnId,
};
use crate::tools::PlaceActions;

/// Where a turn's words go. The address is a field of the turn, never "the last channel" (design, rule 5).
#[derive(Debug, Clone, PartialEq)]
pub struct Delivery {
    /// The turn that speaks.
    pub turn: TurnId,
    pub place: Place,
    /// Show the first message as an answer to this one, where the platform can.
    pub reply_to: Option<MessageId>,
    /// Whom it answers, where it answers anybody.
    pub whom: Option<AccountId>,
    /// Nobody asked for it: it joins in.
    pub unasked: bool,
    /// Somebody asked for it at another time, and is told that it is there.
    pub awaited: Option<Awaited>,
}

/// Who waits for words, and what tells that they are the same words again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Awaited {
    /// Nobody else is called by them; nobody at all where they are for everybody there.
    pub whom: Option<AccountId>,
    /// The same for every attempt to say the same, at most 25 characters: where one has arrived, another changes nothing.
    pub once: String,
}

impl Delivery {
    /// To a place, answering nobody in particular.
    pub fn to(turn: TurnId, place: Place) -> Self {
        Self { turn, place, reply_to: None, whom: None, unasked: false, awaited: None }
    }
}

/// How an adapter wants a reply handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryStyle {
    /// Every piece as it arrives (a terminal, a page). Pieces concatenate to the reply.
    Live,
    /// Every piece as it arrives, to be spoken: the adapter cuts and forms what it says by itself.
    Spoken,
    /// Whole messages of at most this many characters (Unicode scalar values), fences kept whole.
    Messages { max_chars: usize },
}

impl DeliveryStyle {
    /// Whether pieces are handed over as they arrive; they are one message.
    pub fn is_live(self) -> bool {
        matches!(self, Self::Live | Self::Spoken)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Delivered {
    /// Its id on the platform, where it has one.
    pub message: Option<MessageId>,
}

impl Delivered {
    /// Where a platform gives no ids: what a turn says is one message, known by the turn's number.
    pub fn of_turn(turn: TurnId) -> Self {
        Self { message: MessageId::new(turn.to_string()).ok() }
    }
}

/// What somebody says where a platform gives no ids goes by one that nothing else has.
pub fn own_message_id() -> MessageId {
    MessageId::from(rand::random::<u64>() >> 1)
}

/// What can be told of an answer that was begun early.
#[derive(Debug, Clone, PartialEq)]
pub enum Speculated {
    /// A model is about to be asked for it.
    Begun(Box<Delivery>),
    /// Its next words, as they would be handed over.
    Words(String),
    /// Nothing more will be told of it before it is wanted.
    NoMore {
        /// Because that was all of it.
        is_whole: bool,
    },
}

/// What became of a reply in the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settled {
    /// Everything that was handed over arrived.
    AsDelivered,
    /// What arrived is something else than what was handed over: of spoken words only those that were heard.
    Instead {
        /// What arrived; may be nothing.
        text: String,
        /// What did not, and was not written either.
        unsaid: Option<String>,
        /// The messages it became, where it became some.
        messages: Vec<MessageId>,
    },
}

/// Something the program itself has to say, outside the character. The adapter owns the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The model could not be reached; the person's message is kept.
    ModelFailed {
        /// For looking it up.
        turn: TurnId,
        class: ModelErrorClass,
        /// How long the provider wants to be left alone, where it says.
        wait: Option<Duration>,
        /// The server that refused the key, or wants one.
        key_for: Option<KeyFor>,
    },
    /// The person's message could not be stored (disk full, broken file), so it was not answered either.
    NotStored {
        /// For looking it up.
        turn: TurnId,
        /// Whether the history was found damaged; else nobody knows why.
        is_damaged: bool,
    },
    /// More was asked than the limits allow for now; told once until it is quiet again.
    TooMuchAtOnce,
    /// The reply that was just handed over ends where the model reached its limit of tokens.
    CutShort {
        /// For looking it up.
        turn: TurnId,
    },
    /// What it was about to say is not for people of any age, who may read there.
    KeptBack {
        /// For looking it up.
        turn: TurnId,
    },
    /// It was told to be quiet in the message that this answers, and from now on speaks here only when spoken to.
    KeepsQuiet,
    /// It was told that it may talk again; its answer says so.
    JoinsInAgain,
    /// The character is larger than the model's window.
    PromptTooLarge {
        /// For looking it up.
        turn: TurnId,
    },
    /// The message is longer than the model reads beside the character.
    MessageTooLong {
        /// For looking it up.
        turn: TurnId,
        tokens: u32,
        /// How many would fit.
        fits: u32,
    },
}

/// What stands of a reply behind a change of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Replaced {
    /// Its messages and what they say, first to last.
    pub standing: Vec<(MessageId, String)>,
    /// Why not all of it is as it was to be.
    pub refused: Option<DeliveryError>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeliveryError {
    /// The place is closed, gone, or the familiar may not speak there.
    #[error("may not speak there: {0}")]
    Forbidden(String),
    /// The network or the platform failed, after the adapter's own retries.
    #[error("{0}")]
    Failed(String),
    /// Our own layer markers or an empty text: refused before it left (design, rule 5).
    #[error("refused before sending: {0}")]
    Refused(String),
}

/// Keeps "is typing…" alive until dropped.
pub struct TypingGuard(#[expect(dead_code, reason = "held for its Drop")] Option<Box<dyn Any + Send + Sync>>);

impl TypingGuard {
    /// A guard that ends the indicator when `inner` is dropped.
    pub fn holding(inner: impl Any + Send + Sync) -> Self {
        Self(Some(Box::new(inner)))
    }

    /// For places without an indicator.
    pub fn none() -> Self {
        Self(None)
    }
}

impl Debug for TypingGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypingGuard")
    }
}

/// An adapter's way out. One per platform; the router picks it by the place's platform.
#[async_trait]
pub trait Outbox: Send + Sync + Debug {
    /// How replies are to be cut.
    fn style(&self) -> DeliveryStyle;

    /// Whether words can arrive in a place, as far as that is known without asking anybody. Where they cannot, no answer
    /// is begun.
    fn may_speak(&self, _place: &Place) -> bool {
        true
    }

    /// Whether a piece may be a block of code that is longer than a message, and nothing else: it is shown as a file.
    fn takes_files(&self, _place: &Place) -> bool {
        false
    }

    /// Whether the way to a place is open yet: what does not hurry waits for it.
    fn is_reachable(&self, _place: &Place) -> bool {
        true
    }

    /// Whether what people say in a place is read there, so that it does not speak where it would not hear the answer.
    async fn is_read(&self, _place: &Place) -> bool {
        true
    }

    /// A place of its own for a talk that goes on from a message there; `None` where there can be none.
    async fn aside(&self, _place: &Place, _message: &MessageId, _name: &str) -> Option<Place> {
        None
    }

    /// Where somebody can be told something alone; `None` where nowhere.
    async fn alone_with(&self, _who: &AccountId) -> Option<Place> {
        None
    }

    /// Shows that a reply is being written.
    fn typing(&self, to: &Delivery) -> TypingGuard;

    /// An answer that was begun early would go like this. Nobody may see or hear anything of it before it is handed over.
    /// `speculation` is the name that whoever wanted it knows it by.
    fn speculate(&self, _speculation: u64, _what: Speculated) {}

    /// Hands over one piece. `first` is true for the reply's first piece (only it carries the reply reference).
    ///
    /// # Errors
    /// When it did not arrive; the session stores only what did.
    async fn deliver(&self, to: &Delivery, text: &str, first: bool) -> Result<Delivered, DeliveryError>;

    /// The reply is complete or was broken off; a live adapter ends its line, a spoken reply is waited for. `spoke` tells
    /// whether anything was delivered.
    async fn finish(&self, _to: &Delivery, _spoke: bool) -> Settled {
        Settled::AsDelivered
    }

    /// Nothing more of this reply is wanted; what is handed over but has not arrived is kept back where that is possible.
    fn break_off(&self, _to: &Delivery) {}

    /// Something is looked up or done before more of this reply comes, or that is done.
    fn works(&self, _to: &Delivery, _on: bool) {}

    /// Whether anybody has seen or heard anything of what was handed over of a turn. Until then it can still be taken
    /// back.
    fn has_arrived(&self, _turn: TurnId) -> bool {
        true
    }

    /// In a call: when what happened to an answer, counted from the moment in which whoever is answered fell silent.
    fn moments(&self, _turn: TurnId) -> Vec<StageTiming> {
        Vec::new()
    }

    /// What the familiar's tools can do in its places; nothing where it can only talk.
    fn actions(&self) -> Option<Arc<dyn PlaceActions>> {
        None
    }

    /// Whether a message that was handed over can be edited as more of the reply comes.
    fn amends(&self) -> bool {
        false
    }

    /// Has a message that was handed over read so. `false` where it is gone.
    ///
    /// # Errors
    /// When it reads as it did, as far as is known.
    async fn amend(&self, _to: &Delivery, _message: &MessageId, _text: &str) -> Result<bool, DeliveryError> {
        Ok(true)
    }

    /// Has a reply's messages read like this: the first are changed, more are posted, what is left over goes. Here nothing
    /// but what is stored is shown. `once` tells another attempt at the same.
    ///
    /// # Errors
    /// When nothing was changed; what was changed in part is said in what is returned.
    async fn replace(
        &self,
        _place: &Place,
        messages: &[MessageId],
        pieces: &[String],
        _once: &str,
    ) -> Result<Replaced, DeliveryError> {
        let words = pieces.concat();
        let first = messages.first().filter(|_| !words.is_empty());
        Ok(Replaced {
            standing: first.map(|first| (first.clone(), words)).into_iter().collect(),
            refused: None,
        })
    }

    /// Takes away messages that people wrote; those that are gone. Here nothing but what is stored is shown.
    async fn take_away(&self, _place: &Place, messages: &[MessageId]) -> Vec<MessageId> {
        messages.to_vec()
    }

    /// Whether people see a reply as it comes. Where they do not it need not be typed at anybody's pace.
    fn is_watched(&self) -> bool {
        true
    }

    /// Says something that is not the character speaking.
    ///
    /// # Errors
    /// When it did not arrive.
    async fn notice(&self, to: &Delivery, notice: Notice) -> Result<(), DeliveryError>;
}

#[derive(Debug, Default)]
pub(super) struct Outboxes {
    platforms: Mutex<HashMap<Platform, Arc<dyn Outbox>>>,
    places: Mutex<HashMap<ChannelId, Arc<dyn Outbox>>>,
}

impl Outboxes {
    /// The way out of a place: its own, else its platform's.
    pub(super) fn for_place(&self, place: &Place) -> Option<Arc<dyn Outbox>> {
        let own = self.places.lock().get(&place.channel).cloned();
        own.or_else(|| self.platforms.lock().get(&place.platform).cloned())
    }

    /// The way out of a place that stays, whatever comes and goes: its own where it is no call's, its platform's, else
    /// whichever there is.
    pub(super) fn lasting(&self, place: &Place) -> Option<Arc<dyn Outbox>> {
        let own = self.places.lock().get(&place.channel).cloned();
        let written = own.filter(|own| own.style() != DeliveryStyle::Spoken);
        let platform = || self.platforms.lock().get(&place.platform).cloned();
        written.or_else(platform).or_else(|| self.for_place(place))
    }

    /// The last one given to a platform wins.
    pub(super) fn connect(&self, platform: Platform, outbox: Arc<dyn Outbox>) {
        self.platforms.lock().insert(platform, outbox);
    }

    /// What is said in this place goes another way from the next turn on.
    pub(super) fn connect_place(&self, channel: ChannelId, outbox: Arc<dyn Outbox>) {
        self.places.lock().insert(channel, outbox);
    }

    /// It goes its platform's way again, unless another way was given meanwhile.
    pub(super) fn disconnect_place(&self, channel: &ChannelId, outbox: &Arc<dyn Outbox>) {
        let mut places = self.places.lock();
        if places.get(channel).is_some_and(|known| Arc::ptr_eq(known, outbox)) {
            places.remove(channel);
        }
    }
}
