//! What is drawn by lot: dice, coins, numbers, choices. Seeded by the turn, so that a replay agrees.

use super::input::Lot;
use super::{Fact, ReflexInput};
use crate::context::moments::listed;
use crate::text::names::prompt_label;

const DICE_MAX: u64 = 20;
const SIDES_MAX: u64 = 1000;

/// "roll 2d6+1", "würfle 1w20", "roll a die".
pub(super) fn dice(input: &ReflexInput<'_>) -> Option<Fact> {
    let lower =
        input.utterance.get(..input.utterance.len().min(200)).unwrap_or(input.utterance).to_lowercase();
    let words = lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let asks = input.says("roll");
    let is_alone = input.cues.words() <= 2;
    if !asks && !is_alone {
        return None;
    }
    let thrown: Vec<Throw> = words.filter_map(throw).take(4).collect();
    let thrown = match thrown.as_slice() {
        [] if asks && input.says("a die") => vec![Throw { count: 1, sides: 6, plus: 0 }],
        [] => return None,
        _ => thrown,
    };
    let mut lot = Lot::new(input.turn, "dice", input.cues.text());
    let told: Vec<String> = thrown.iter().map(|throw| throw.told(&mut lot)).collect();
    Fact::of(format!("The dice fell: {}.", told.join("; ")))
}

#[derive(Debug, Clone, Copy)]
struct Throw {
    count: u64,
    sides: u64,
    plus: i64,
}

impl Throw {
    fn told(self, lot: &mut Lot) -> String {
        let fell: Vec<u64> = (0..self.count).map(|_| lot.below(self.sides) + 1).collect();
        let sum = i64::try_from(fell.iter().sum::<u64>()).unwrap_or(0) + self.plus;
        let mut parts = fell.iter().map(u64::to_string).collect::<Vec<_>>().join(" + ");
        let mut name = format!("{}d{}", self.count, self.sides);
        if self.plus != 0 {
            let (sign, amount) = (if self.plus > 0 { '+' } else { '-' }, self.plus.unsigned_abs());
            parts.push_str(&format!(" {sign} {amount}"));
            name.push_str(&format!("{sign}{amount}"));
        }
        if parts == sum.to_string() { format!("{name}: {sum}") } else { format!("{name}: {parts} = {sum}") }
    }
}

/// `2d6`, `d20`, `3w6+2`.
fn throw(word: &str) -> Option<Throw> {
    let at = word.find(['d', 'w'])?;
    let (count, rest) = (&word[..at], &word[at + 1..]);
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (sides, plus) = rest.split_at(end);
    let count = if count.is_empty() { 1 } else { count.parse().ok()? };
    let plus =
        if plus.is_empty() { 0 } else { plus.parse::<i64>().ok().filter(|plus| plus.abs() <= 1000)? };
    let throw = Throw { count, sides: sides.parse().ok()?, plus };
    ((1..=DICE_MAX).contains(&throw.count) && (2..=SIDES_MAX).contains(&throw.sides)).then_some(throw)
}

pub(super) fn coin(input: &ReflexInput<'_>) -> Option<Fact> {
    let side = if Lot::new(input.turn, "coin", "").below(2) == 0 { "heads" } else { "tails" };
    Fact::of(format!("The coin shows {side}."))
}

/// "A random number between 1 and 100"; 1 to 100 where nothing else is said.
pub(super) fn random_number(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("random_number")?;
    let mut numbers = words.iter().filter_map(|word| word.parse::<u64>().ok());
    let (first, second) = (numbers.next(), numbers.next());
    let (low, high) = match (first, second) {
        (Some(a), Some(b)) => (a.min(b), a.max(b)),
        (Some(high), None) if high >= 1 => (1, high),
        _ => (1, 100),
    };
    let drawn = low + Lot::new(input.turn, "number", input.cues.text()).below((high - low).saturating_add(1));
    Fact::of(format!("The number drawn from {low} to {high} is {drawn}."))
}

/// Longest choice, in characters; a choice is a thing, not a tale.
const CHOICE_CHARS: usize = 40;

/// "Choose between tea and coffee", "pizza or pasta? you decide".
pub(super) fn choose(input: &ReflexInput<'_>) -> Option<Fact> {
    let lower = input.utterance.to_lowercase();
    if lower.len() != input.utterance.len() || input.utterance.len() > 400 {
        return None;
    }
    let behind = [" between ", " zwischen ", ":"].iter().find_map(|word| {
        let at = lower.find(word)?;
        input.utterance.get(at + word.len()..)
    });
    // Without "between" the things stand in the sentence with "or" in it.
    let things = match behind {
        Some(behind) => behind,
        None => input.utterance.split(['?', '.', '!', '\n', ';']).find(|part| {
            let part = part.to_lowercase();
            part.contains(" or ") || part.contains(" oder ")
        })?,
    };
    let things = things.split(['?', '!', '\n', ';']).next()?.trim_end_matches('.');
    let things = things.replace(" or ", ",").replace(" oder ", ",");
    let things = if behind.is_some() { things.replace(" and ", ",").replace(" und ", ",") } else { things };
    let choices: Vec<String> = things
        .split(',')
        .map(str::trim)
        .map(|thing| thing.strip_prefix("or ").or_else(|| thing.strip_prefix("and ")).unwrap_or(thing).trim())
        .filter(|thing| !thing.is_empty() && thing.chars().count() <= CHOICE_CHARS)
        .map(prompt_label)
        .take(12)
        .collect();
    if choices.len() < 2 {
        return None;
    }
    let at = Lot::new(input.turn, "choose", input.cues.text()).below(choices.len() as u64);
    let drawn = choices.get(usize::try_from(at).ok()?)?;
    Fact::quoting(format!("Drawn by lot from {} choices: {drawn}.", choices.len()))
}

/// One of those who are here.
pub(super) fn draw(input: &ReflexInput<'_>) -> Option<Fact> {
    let mut here: Vec<String> = input.world.here(input.at()).map(|seen| prompt_label(&seen.name)).collect();
    here.sort();
    here.dedup();
    if here.len() < 2 {
        return None;
    }
    let at = Lot::new(input.turn, "draw", &here.join(",")).below(here.len() as u64);
    let drawn = here.get(usize::try_from(at).ok()?)?;
    Fact::of(format!("Drawn by lot from {}: {drawn}.", listed(&here, 8)))
}
