//! Every detector there is. The order is the order of telling among equals.

use std::sync::LazyLock;
use std::time::Duration;

use super::{
    Detector, Fact, Needs, ReflexInput, bond, chance, clock, dates, message, noted, numbers, people, place,
    program, units, words,
};
use crate::text::phrases::phrases;

/// For what is drawn by lot, changes with the clock, or is reckoned from the message alone: looking again is cheaper
/// than remembering.
const NEVER: Duration = Duration::ZERO;

/// For what is looked up in the history.
const HISTORY: Duration = Duration::from_secs(30);

/// For inventories, as the seed has it (A27: tool inventory, priority 8, 120 s).
const INVENTORY: Duration = Duration::from_secs(120);

fn detector(name: &'static str, priority: u8, find: fn(&ReflexInput<'_>) -> Option<Fact>) -> Detector {
    Detector { name, priority, ttl: NEVER, needs: Needs::Nothing, cues: phrases(name), find }
}

fn looked_up(detector: Detector, needs: Needs) -> Detector {
    Detector { ttl: HISTORY, needs, ..detector }
}

fn inventory(detector: Detector) -> Detector {
    Detector { ttl: INVENTORY, ..detector }
}

/// The detectors.
pub static DETECTORS: LazyLock<Vec<Detector>> = LazyLock::new(|| {
    vec![
        // Lots and sums: nobody may make these up.
        detector("dice", 10, chance::dice),
        detector("coin", 10, chance::coin),
        detector("random_number", 10, chance::random_number),
        detector("choose", 9, chance::choose),
        detector("draw", 9, chance::draw),
        detector("arithmetic", 9, numbers::arithmetic),
        detector("percent", 10, numbers::percent),
        detector("units", 9, units::units),
        detector("temperature", 9, units::temperature),
        // Time.
        detector("zone_time", 9, clock::zone_time),
        detector("zone_convert", 9, clock::convert),
        detector("time", 8, clock::time),
        detector("in_a_while", 8, clock::in_a_while),
        detector("date", 8, dates::today),
        detector("week_number", 7, dates::week),
        detector("countdown", 8, dates::until),
        detector("since_date", 8, dates::since),
        detector("weekday_of", 8, dates::weekday),
        detector("holiday", 7, dates::holiday),
        // People.
        detector("who_is_here", 8, people::here),
        detector("who_in_voice", 8, people::voice),
        detector("who_is_speaking", 8, people::speaking),
        detector("who_spoke_last", 8, people::last_spoke),
        detector("who_is_typing", 8, people::typing),
        detector("last_seen", 7, people::last_seen),
        detector("playing", 7, people::playing),
        detector("newcomers", 7, people::newcomers),
        detector("member_count", 8, people::members),
        detector("reactions", 7, people::reactions),
        detector("own_name", 8, people::own_name),
        // Place.
        detector("channel_topic", 7, place::topic),
        detector("where", 7, place::whereabouts),
        // What was.
        looked_up(detector("how_long_known", 8, bond::known), Needs::Acquaintance),
        looked_up(detector("first_met", 8, bond::first_met), Needs::Acquaintance),
        looked_up(detector("messages_together", 8, bond::together), Needs::Acquaintance),
        looked_up(detector("last_talk", 8, bond::last_talk), Needs::Acquaintance),
        looked_up(detector("what_did_i_miss", 9, bond::missed), Needs::Missed),
        looked_up(detector("memory_inventory", 8, noted::memory), Needs::Inventory),
        // Whoever has just noted a day asks for it at once.
        Detector { needs: Needs::Notes, ..detector("birthday", 8, noted::birthday) },
        // The program.
        inventory(detector("tool_inventory", 8, program::tools)),
        detector("model", 7, program::model),
        detector("cost", 7, program::cost),
        detector("health", 7, program::health),
        inventory(detector("version", 6, program::version)),
        detector("uptime", 6, program::uptime),
        // The message itself.
        detector("links", 6, message::links),
        detector("emoji_meaning", 7, message::emoji),
        detector("attachments", 6, message::attachments),
        // Letters.
        detector("letters", 8, words::letters),
        detector("one_letter", 9, words::one_letter),
    ]
});
