//! Every detector there is. The order is the order of telling among equals.

use std::time::Duration;

use super::{
    Detector, Fact, Needs, ReflexInput, bond, chance, clock, dates, message, noted, numbers, people, place,
    program, units, words,
};

/// For what is drawn by lot, changes with the clock, or is reckoned from the message alone: looking again is cheaper
/// than remembering.
const NEVER: Duration = Duration::ZERO;

/// For what is looked up in the history.
const HISTORY: Duration = Duration::from_secs(30);

/// For inventories, as the seed has it (A27: tool inventory, priority 8, 120 s).
const INVENTORY: Duration = Duration::from_secs(120);

const fn detector(
    name: &'static str,
    priority: u8,
    cues: &'static [&'static str],
    find: fn(&ReflexInput<'_>) -> Option<Fact>,
) -> Detector {
    Detector { name, priority, ttl: NEVER, needs: Needs::Nothing, cues, find }
}

const fn looked_up(detector: Detector, needs: Needs) -> Detector {
    Detector { ttl: HISTORY, needs, ..detector }
}

const fn inventory(detector: Detector) -> Detector {
    Detector { ttl: INVENTORY, ..detector }
}

/// The detectors.
pub static DETECTORS: &[Detector] = &[
    // Lots and sums: nobody may make these up.
    detector("dice", 10, &[], chance::dice),
    detector("coin", 10, chance::COIN, chance::coin),
    detector("random_number", 10, chance::NUMBER, chance::random_number),
    detector("choose", 9, chance::CHOOSE, chance::choose),
    detector("draw", 9, chance::DRAW, chance::draw),
    detector("arithmetic", 9, &[], numbers::arithmetic),
    detector("percent", 10, &["of", "von", "vom"], numbers::percent),
    detector("root", 9, numbers::ROOT, numbers::root),
    detector("bases", 9, numbers::BASES, numbers::bases),
    detector(
        "units",
        9,
        &["in", "to", "into", "as", "nach", "zu", "how many", "wie viele", "wie viel"],
        units::units,
    ),
    detector("temperature", 9, &["in", "to", "into", "as", "nach"], units::temperature),
    // Time.
    detector("zone_time", 9, clock::ZONE_TIME, clock::zone_time),
    detector("zone_convert", 9, &["in", "to", "for", "nach"], clock::convert),
    detector("time", 8, clock::TIME, clock::time),
    detector("part_of_day", 7, clock::PART_OF_DAY, clock::part),
    detector("in_a_while", 8, clock::IN_A_WHILE, clock::in_a_while),
    detector("unix_time", 7, clock::UNIX, clock::unix),
    detector("date", 8, dates::DATE, dates::today),
    detector("season", 7, dates::SEASON, dates::season),
    detector("week_number", 7, dates::WEEK, dates::week),
    detector("year", 7, dates::YEAR, dates::year),
    detector("leap_year", 7, dates::LEAP, dates::leap),
    detector("countdown", 8, dates::UNTIL, dates::until),
    detector("since_date", 8, dates::SINCE, dates::since),
    detector("weekday_of", 8, dates::WEEKDAY, dates::weekday),
    detector("holiday", 7, dates::HOLIDAY, dates::holiday),
    detector("age", 7, dates::AGE, dates::age),
    // People.
    detector("who_is_here", 8, people::HERE, people::here),
    detector("who_in_voice", 8, people::VOICE, people::voice),
    detector("who_is_speaking", 8, people::SPEAKING, people::speaking),
    detector("who_spoke_last", 8, people::LAST_SPOKE, people::last_spoke),
    detector("who_is_typing", 8, people::TYPING, people::typing),
    detector("last_seen", 7, people::SEEN, people::last_seen),
    detector("playing", 7, people::PLAYING, people::playing),
    detector("newcomers", 7, people::NEWCOMERS, people::newcomers),
    detector("member_count", 8, people::MEMBERS, people::members),
    detector("reactions", 7, people::REACTIONS, people::reactions),
    detector("own_name", 8, people::NAME, people::own_name),
    detector("own_id", 8, people::ID, people::own_id),
    // Place.
    detector("channel_topic", 7, place::TOPIC, place::topic),
    detector("where", 7, place::WHERE, place::whereabouts),
    // What was.
    looked_up(detector("how_long_known", 8, bond::KNOWN, bond::known), Needs::Acquaintance),
    looked_up(detector("first_met", 8, bond::FIRST_MET, bond::first_met), Needs::Acquaintance),
    looked_up(detector("messages_together", 8, bond::TOGETHER, bond::together), Needs::Acquaintance),
    looked_up(detector("last_talk", 8, bond::LAST_TALK, bond::last_talk), Needs::Acquaintance),
    looked_up(detector("what_did_i_miss", 9, bond::MISSED, bond::missed), Needs::Missed),
    looked_up(detector("memory_inventory", 8, noted::MEMORY, noted::memory), Needs::Inventory),
    // Whoever has just noted a day asks for it at once.
    Detector { needs: Needs::Notes, ..detector("birthday", 8, noted::BIRTHDAY, noted::birthday) },
    // The program.
    inventory(detector("tool_inventory", 8, program::TOOLS, program::tools)),
    detector("model", 7, program::MODEL, program::model),
    detector("cost", 7, program::COST, program::cost),
    detector("latency", 6, program::LATENCY, program::latency),
    detector("health", 7, program::HEALTH, program::health),
    inventory(detector("version", 6, program::VERSION, program::version)),
    detector("uptime", 6, program::UPTIME, program::uptime),
    // The message itself.
    detector("links", 6, &[], message::links),
    detector("emoji_meaning", 7, message::EMOJI, message::emoji),
    detector("attachments", 6, message::ATTACHED, message::attachments),
    detector("reply_to", 6, message::REPLIES, message::reply_to),
    detector("code_block", 6, message::CODE, message::code),
    detector("script", 6, message::LANGUAGE, message::script),
    detector("mentioned", 6, message::MENTIONED, message::mentioned),
    // Letters.
    detector("letters", 8, words::LETTERS, words::letters),
    detector("one_letter", 9, &["how many", "wie viele", "wie oft kommt"], words::one_letter),
    detector("word_count", 8, words::WORDS, words::words),
    detector("backwards", 8, words::BACKWARDS, words::backwards),
];
