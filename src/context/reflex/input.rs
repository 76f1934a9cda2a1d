//! What detectors may look at.

use jiff::{Timestamp, Zoned};

use crate::context::request::TurnRequest;
use crate::domain::{Author, Place, TurnId};
use crate::history::{Acquaintance, Missed};
use crate::memory::people::SeenNote;
use crate::text::cues::Cues;
use crate::text::names::prompt_label;
use crate::text::phrases::phrases;
use crate::world::PlaceView;

/// A message and everything that may be known about it without asking anybody.
#[derive(Debug)]
pub struct ReflexInput<'a> {
    /// The words, as they were stored.
    pub utterance: &'a str,
    /// The words, made comparable.
    pub cues: Cues,
    /// Now, on the familiar's clock.
    pub now: Zoned,
    /// The turn; everything drawn by lot is drawn from it.
    pub turn: TurnId,
    /// Who asks.
    pub author: Option<&'a Author>,
    /// Where.
    pub place: &'a Place,
    /// The world, seen from there.
    pub world: PlaceView<'a>,
    /// What was looked up.
    pub kept: LookedUp,
}

/// What was looked up for the detectors that asked.
#[derive(Debug, Clone, Default)]
pub struct LookedUp {
    /// How well the person is known.
    pub acquaintance: Option<Acquaintance>,
    /// What was said since the person last spoke here.
    pub missed: Option<Missed>,
    /// What is noted about people.
    pub notes: Option<NotesKnown>,
}

/// The notes about people that may be seen in a place.
#[derive(Debug, Clone, Default)]
pub struct NotesKnown {
    /// The one about whoever asks.
    pub asker: Option<SeenNote>,
    /// Those about others whom the message names, in its order.
    pub named: Vec<SeenNote>,
    /// How many there are about others, named or not.
    pub others: u64,
}

impl<'a> ReflexInput<'a> {
    /// The newest message of a turn.
    #[must_use]
    pub fn of(request: &'a TurnRequest) -> Self {
        let utterance = request.utterance();
        Self {
            utterance,
            cues: Cues::of(utterance),
            now: request.now.to_zoned(request.display_tz.clone()),
            turn: request.turn,
            author: request.author.as_ref(),
            place: &request.place,
            world: request.world.for_place(&request.place),
            kept: LookedUp::default(),
        }
    }

    /// The asker's name, fit for a prompt.
    pub(super) fn asker(&self) -> String {
        self.author.map_or_else(|| "the person".to_owned(), |author| prompt_label(author.label()))
    }

    /// Now.
    pub(super) fn at(&self) -> Timestamp {
        self.now.timestamp()
    }

    /// The words of the message, comparable.
    pub(super) fn words(&self) -> Vec<&str> {
        self.cues.text().split(' ').filter(|word| !word.is_empty()).collect()
    }

    /// Whether a phrase of a section stands in the message.
    pub(super) fn says(&self, section: &str) -> bool {
        self.cues.any(phrases(section))
    }

    /// The words behind the first phrase of a section.
    pub(super) fn after(&self, section: &str) -> Option<Vec<&str>> {
        Some(self.cues.after(phrases(section))?.split(' ').filter(|word| !word.is_empty()).collect())
    }
}

/// Draws by lot: the same turn, purpose and words give the same numbers, so that a replay agrees.
#[derive(Debug, Clone)]
pub(super) struct Lot(u64);

impl Lot {
    pub(super) fn new(turn: TurnId, purpose: &str, words: &str) -> Self {
        // FNV-1a; nothing secret hangs on it.
        let hash =
            purpose.bytes().chain([0]).chain(words.bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Self(hash ^ turn.0.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `sides`, which is at least 1.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        u64::try_from((u128::from(mixed) * u128::from(sides.max(1))) >> 64).unwrap_or(0)
    }
}
