//! Reflexes: exact answers to what a model can only guess (A27).
//!
//! Owns the detectors, each a pure function from what is known to a fact, with the turns of phrase that ask for it and
//! a priority. A detector fires only when the message asks. Must not know how facts reach a prompt.
//! Start reading at [`DETECTORS`], then [`detected_facts`].

pub mod chance;
pub mod days;
mod known;

pub(super) use known::{line_on_birthday, lines_on_anniversaries};
pub mod reckon;
#[cfg(test)]
pub(in crate::context) mod tests;

use std::sync::LazyLock;

use jiff::{Timestamp, Zoned};

use super::contribution::Trust;
use super::request::TurnRequest;
use crate::domain::{Author, Place, TurnId};
use crate::history::{Acquaintance, Missed};
use crate::memory::people::SeenNote;
use crate::text::cues::Cues;
use crate::text::names::prompt_label;
use crate::text::phrases::phrases;
use crate::world::PlaceView;

/// Something the program knows for certain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// One or two sentences.
    pub text: String,
    /// The program's own sentence, or one that quotes what somebody wrote.
    pub trust: Trust,
}

impl Fact {
    /// The program's own sentence; names and words of people in it are already made harmless.
    fn of(text: impl Into<String>) -> Option<Self> {
        Some(Self { text: text.into(), trust: Trust::Program })
    }

    /// A sentence that repeats more than a name of what somebody wrote.
    fn quoting(text: impl Into<String>) -> Option<Self> {
        Some(Self { text: text.into(), trust: Trust::Chat })
    }
}

/// One kind of exact question, and who answers it.
#[derive(Debug)]
pub struct Detector {
    /// Its name in traces.
    pub name: &'static str,
    /// 1 to 10; where there is room for few facts, the highest are told.
    pub priority: u8,
    /// What is to be looked up for it first.
    pub needs: Needs,
    /// Turns of phrase that ask for it: the section of its name in the files of [`phrases`](crate::text::phrases);
    /// empty for a detector that reads for itself.
    cues: &'static [String],
    find: fn(&ReflexInput<'_>) -> Option<Fact>,
}

/// What has to be looked up for a detector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// It reads the message and the world alone.
    Nothing,
    /// How well the person is known.
    Acquaintance,
    /// What was said since the person last spoke.
    Missed,
    /// What is noted about people.
    Notes,
    /// How well the person is known, and what is noted about people.
    Inventory,
}

/// Every detector there is. The order is the order of telling among equals.
pub static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    let looked_up =
        |needs, name, priority, find| Detector { name, priority, needs, cues: phrases(name), find };
    let detector = |name, priority, find| looked_up(Needs::Nothing, name, priority, find);
    vec![
        // Lots and sums: nobody may make these up.
        detector("dice", 10, chance::dice),
        detector("coin", 10, chance::coin),
        detector("random_number", 10, chance::random_number),
        detector("choose", 9, chance::choose_one),
        detector("draw", 9, chance::draw),
        detector("arithmetic", 9, reckon::arithmetic),
        detector("percent", 10, reckon::percentage),
        detector("units", 9, reckon::units),
        detector("temperature", 9, reckon::temperature),
        // Time.
        detector("zone_time", 9, days::zone_time),
        detector("zone_convert", 9, days::convert),
        detector("time", 8, days::time),
        detector("in_a_while", 8, days::in_a_while),
        detector("date", 8, days::date_today),
        detector("countdown", 8, days::days_until),
        detector("since_date", 8, days::days_since),
        detector("weekday_of", 8, days::weekday_today),
        // People.
        detector("who_is_here", 8, known::here),
        detector("who_in_voice", 8, known::own_voice),
        detector("who_is_speaking", 8, known::speaking),
        detector("who_spoke_last", 8, known::last_spoke),
        detector("last_seen", 7, known::last_seen),
        detector("playing", 7, known::playing),
        detector("newcomers", 7, known::newest_people),
        detector("member_count", 8, known::members),
        detector("own_name", 8, known::name_of_asker),
        // Place.
        detector("channel_topic", 7, known::topic),
        detector("where", 7, known::whereabouts),
        // What was.
        looked_up(Needs::Acquaintance, "how_long_known", 8, known::known_about),
        looked_up(Needs::Acquaintance, "first_met", 8, known::first_met),
        looked_up(Needs::Acquaintance, "messages_together", 8, known::together),
        looked_up(Needs::Acquaintance, "last_talk", 8, known::last_talk),
        looked_up(Needs::Missed, "what_did_i_miss", 9, known::missed),
        looked_up(Needs::Inventory, "memory_inventory", 8, known::memory_size),
        looked_up(Needs::Notes, "birthday", 8, known::birthday),
        // The program, and the message itself.
        detector("tool_inventory", 8, known::tools),
        detector("model", 7, known::model),
        detector("cost", 7, known::cost_so_far),
        detector("version", 6, known::own_version),
        detector("uptime", 6, known::uptime),
        detector("attachments", 6, known::attachments),
    ]
});

/// The detectors a message may ask, before anything is looked up.
pub fn askable_detectors<'a>(input: &'a ReflexInput<'_>) -> impl Iterator<Item = &'static Detector> + 'a {
    DETECTORS.iter().filter(|detector| detector.cues.is_empty() || input.cues.any(detector.cues))
}

/// What every detector finds that needs nothing looked up, or whose look-ups are in `input`; highest priority first.
pub fn detected_facts(input: &ReflexInput<'_>) -> Vec<(&'static Detector, Fact)> {
    let mut found: Vec<_> =
        askable_detectors(input).filter_map(|detector| Some((detector, (detector.find)(input)?))).collect();
    found.sort_by_key(|(detector, _)| std::cmp::Reverse(detector.priority));
    found
}

/// A message and everything that may be known about it without asking anybody.
#[derive(Debug)]
pub struct ReflexInput<'a> {
    /// The words, as they were stored.
    utterance: &'a str,
    /// The words, made comparable.
    cues: Cues,
    /// Now, on the familiar's clock.
    now: Zoned,
    /// Everything drawn by lot is drawn from it.
    turn: TurnId,
    author: Option<&'a Author>,
    place: &'a Place,
    /// The world, seen from there.
    world: PlaceView<'a>,
    /// What was looked up for those that need it.
    pub kept: LookedUp,
}

/// What was looked up for the detectors that asked.
#[derive(Debug, Clone, Default)]
pub struct LookedUp {
    /// How well whoever asks is known.
    pub acquaintance: Option<Acquaintance>,
    /// What was said since the person last spoke here.
    pub missed: Option<Missed>,
    /// What that was about, as a prompt tells it; empty where that is not known.
    pub topics: String,
    /// What is noted about people, as far as it may be seen.
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
    fn asker(&self) -> String {
        self.author.map_or_else(|| "the person".to_owned(), |author| prompt_label(author.label()))
    }

    fn at(&self) -> Timestamp {
        self.now.timestamp()
    }

    /// Whether a phrase of a section stands in the message.
    fn says(&self, section: &str) -> bool {
        self.cues.any(phrases(section))
    }

    /// The words behind the first phrase of a section.
    fn after(&self, section: &str) -> Option<Vec<&str>> {
        Some(self.cues.after(phrases(section))?.split(' ').filter(|word| !word.is_empty()).collect())
    }
}
