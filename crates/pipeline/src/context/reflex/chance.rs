//! What is drawn by lot: dice, coins, numbers, choices. Seeded by the turn, so that a replay agrees.

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use super::reckon::replace_word;
use super::{Fact, ReflexInput};
use crate::context::moments::names_in_a_row;
use crate::domain::TurnId;
use crate::text::dice::{WrittenDice, read_dice};
use crate::text::names::prompt_label;
use crate::text::phrases::{Folded, listed_phrases};

pub const MOST_DICE: u32 = 100;
pub const MOST_SIDES: u32 = 1_000;

/// Draws by lot: the same turn, purpose and words give the same numbers.
pub fn lot(turn: TurnId, purpose: &str, words: &str) -> StdRng {
    StdRng::from_seed(Sha256::digest(format!("{turn}/{purpose}/{words}")).into())
}

/// One of several, each as likely as the others; `None` of none.
pub fn draw_one<'a, T>(things: &'a [T], lot: &mut StdRng) -> Option<&'a T> {
    (!things.is_empty()).then(|| &things[lot.random_range(0..things.len())])
}

/// "roll 2d6+1", "würfle 1w20", "roll a die".
pub(super) fn dice(input: &ReflexInput<'_>) -> Option<Fact> {
    let asks = input.says("roll");
    if !asks && input.cues.words() > 2 {
        return None;
    }
    let lower =
        input.utterance.get(..input.utterance.len().min(200)).unwrap_or(input.utterance).to_lowercase();
    let words = lower.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let mut thrown: Vec<Throw> = words.filter_map(Throw::read).take(4).collect();
    if thrown.is_empty() {
        (asks && input.says("a die")).then_some(())?;
        thrown.push(Throw { count: 1, sides: 6, plus: 0 });
    }
    let mut lot = lot(input.turn, "dice", input.cues.text());
    let fell: Vec<String> = thrown.iter().map(|throw| throw.fall(&mut lot)).collect();
    Fact::of(format!("The dice fell: {}.", fell.join("; ")))
}

/// Dice to be thrown at once.
#[derive(Debug, Clone, Copy)]
pub struct Throw {
    pub count: u32,
    pub sides: u32,
    pub plus: i64,
}

impl Throw {
    fn read(word: &str) -> Option<Self> {
        let WrittenDice { count, sides, rest } = read_dice(word)?;
        let plus =
            if rest.is_empty() { 0 } else { rest.parse().ok().filter(|plus: &i64| plus.abs() <= 1000)? };
        // What nobody called up a tool for stays short.
        Some(Self { count: count.unwrap_or(1), sides, plus })
            .filter(|throw| throw.is_possible() && throw.count <= 20)
    }

    pub fn is_possible(&self) -> bool {
        (1..=MOST_DICE).contains(&self.count) && (2..=MOST_SIDES).contains(&self.sides)
    }

    /// What they show: `2d6+1: 3 + 4 + 1 = 8`.
    pub fn fall(&self, lot: &mut StdRng) -> String {
        let fell: Vec<u32> = (0..self.count).map(|_| lot.random_range(1..=self.sides)).collect();
        let sum = i64::from(fell.iter().sum::<u32>()) + self.plus;
        let mut parts = fell.iter().map(u32::to_string).collect::<Vec<_>>().join(" + ");
        let mut name = format!("{}d{}", self.count, self.sides);
        if self.plus != 0 {
            let (sign, amount) = (if self.plus > 0 { '+' } else { '-' }, self.plus.unsigned_abs());
            parts.push_str(&format!(" {sign} {amount}"));
            name.push_str(&format!("{sign}{amount}"));
        }
        if parts == sum.to_string() { format!("{name}: {sum}") } else { format!("{name}: {parts} = {sum}") }
    }
}

pub(super) fn coin(input: &ReflexInput<'_>) -> Option<Fact> {
    let side = if lot(input.turn, "coin", "").random() { "heads" } else { "tails" };
    Fact::of(format!("The coin shows {side}."))
}

/// "A random number between 1 and 100"; 1 to 100 where nothing else is said.
pub(super) fn random_number(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = input.after("random_number")?;
    let mut numbers = words.iter().filter_map(|word| word.parse::<u64>().ok());
    let (low, high) = match (numbers.next(), numbers.next()) {
        (Some(a), Some(b)) => (a.min(b), a.max(b)),
        (Some(high), None) if high >= 1 => (1, high),
        _ => (1, 100),
    };
    let drawn = lot(input.turn, "number", input.cues.text()).random_range(low..=high);
    Fact::of(format!("The number drawn from {low} to {high} is {drawn}."))
}

/// Longest choice, in characters; a choice is a thing, not a tale.
const CHOICE_CHARS: usize = 40;

/// "Choose between tea and coffee", "pizza or pasta? you decide".
pub(super) fn choose_one(input: &ReflexInput<'_>) -> Option<Fact> {
    let lower = input.utterance.to_lowercase();
    if lower.len() != input.utterance.len() || input.utterance.len() > 400 {
        return None;
    }
    let languages = Folded::of(input.utterance).languages();
    let of = |section| listed_phrases(section).filter(|(of, _)| of.overlaps(languages)).map(|(_, word)| word);
    let joined = |text: &str, section| {
        let mut text = text.to_owned();
        of(section).for_each(|word| replace_word(&mut text, word, ","));
        text
    };
    let between = of("between").map(|word| format!(" {word} ")).chain([":".to_owned()]);
    let behind = between.into_iter().find_map(|word| {
        let at = lower.find(&word)?;
        input.utterance.get(at + word.len()..)
    });
    // Without "between" the things stand in the sentence with "or" in it.
    let things = match behind {
        Some(behind) => behind,
        None => {
            let mut parts = input.utterance.split(['?', '.', '!', '\n', ';', '？', '。', '！']);
            parts.find(|part| joined(part, "or") != **part)?
        }
    };
    let things = things.split(['?', '!', '\n', ';', '？', '！']).next()?.trim_end_matches(['.', '。']);
    let things = joined(things, "or");
    let things = if behind.is_some() { joined(&things, "and asked") } else { things };
    let choices: Vec<String> = things
        .split([',', '，', '、'])
        .map(str::trim)
        .filter(|thing| !thing.is_empty() && thing.chars().count() <= CHOICE_CHARS)
        .map(prompt_label)
        .take(12)
        .collect();
    (choices.len() >= 2).then_some(())?;
    let drawn = draw_one(&choices, &mut lot(input.turn, "choose", input.cues.text()))?;
    Fact::quoting(format!("Drawn by lot from {} choices: {drawn}.", choices.len()))
}

/// One of those who are here.
pub(super) fn draw(input: &ReflexInput<'_>) -> Option<Fact> {
    let mut here: Vec<String> = input.world.here(input.at()).map(|seen| prompt_label(&seen.name)).collect();
    here.sort();
    here.dedup();
    (here.len() >= 2).then_some(())?;
    let drawn = draw_one(&here, &mut lot(input.turn, "draw", &here.join(",")))?;
    Fact::of(format!("Drawn by lot from {}: {drawn}.", names_in_a_row(&here, 8)))
}
