//! The short card: who the character is in a fraction of the words, for a model that has little room or knows the
//! character already (A26).
//!
//! The operator's own words where there are any; else the card's own sentences, chosen without a model and so the same
//! every time. Start reading at [`short_card`].

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::TokenEncoding;
use crate::text::keywords;
use crate::text::sentences::sentences_of;
use crate::text::tokens;
use familiar_cards::Character;

/// What a short card keeps of the whole one, in percent of its tokens.
const KEEP_PERCENT: u32 = 35;

/// The least and the most a short card has, in tokens. A small model follows two or three hundred well.
const SHORT_TOKENS: std::ops::RangeInclusive<u32> = 90..=300;

/// A line shorter than this that begins with a key (`Likes: tea`) or a dash says one thing and stays in one piece, in
/// bytes.
const ATTRIBUTE_MAX: usize = 240;

/// The first sentence says who it is.
const FIRST: f32 = 2.0;

/// What somebody wrote as a summary weighs more than a sentence among many.
const PERSONALITY: f32 = 1.5;

/// Whoever is named in a sentence is what it is about.
const NAMED: f32 = 1.3;

/// What is said once more is worth this much less.
const SAID_ALREADY: f32 = 0.3;

#[derive(Debug)]
struct CardStatement<'a> {
    text: &'a str,
    of: CardPart,
    /// Which line of its part.
    line: usize,
    terms: BTreeSet<String>,
    weight: f32,
    tokens: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CardPart {
    Description,
    Personality,
    Scenario,
}

/// The character with the short card in place of description, personality and scenario, and one example; `None`
/// where the card is short already and nobody wrote a shorter one.
pub fn short_card(card: &Character) -> Option<Character> {
    let written = card.short.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = written.map(str::to_owned).or_else(|| distilled(card))?;
    Some(Character {
        description: text,
        personality: String::new(),
        scenario: String::new(),
        mes_example: first_dialogue(&card.mes_example).to_owned(),
        ..card.clone()
    })
}

/// The statements that say most of what the card says, in the order they stand.
fn distilled(card: &Character) -> Option<String> {
    let whole: u32 =
        [&card.description, &card.personality, &card.scenario].iter().map(|text| card_tokens(text)).sum();
    let room = (whole * KEEP_PERCENT / 100).clamp(*SHORT_TOKENS.start(), *SHORT_TOKENS.end());
    if whole <= room {
        return None;
    }
    let mut said = statements(&card.description, CardPart::Description);
    said.extend(statements_of_personality(&card.personality));
    said.extend(statements(&card.scenario, CardPart::Scenario));
    weigh(&mut said, card.spoken_name());
    let chosen = best_statements(&said, room);
    Some(written_out(&said, &chosen)).filter(|text| !text.is_empty())
}

fn card_tokens(text: &str) -> u32 {
    tokens::count(TokenEncoding::Estimate, text)
}

fn statements_of_personality(text: &str) -> Vec<CardStatement<'_>> {
    let mut found = statements(text, CardPart::Personality);
    for statement in &mut found {
        statement.weight = PERSONALITY;
    }
    found
}

/// Attributes by line, prose by sentence.
fn statements(text: &str, of: CardPart) -> Vec<CardStatement<'_>> {
    let mut found = Vec::new();
    for (line, words) in text.lines().enumerate() {
        for piece in if is_attribute(words) { vec![words] } else { sentences_of(words) } {
            let piece = piece.trim();
            let terms: BTreeSet<String> = keywords::terms(piece).into_iter().collect();
            if terms.is_empty() {
                continue;
            }
            found.push(CardStatement {
                text: piece,
                of,
                line,
                terms,
                weight: 1.0,
                tokens: card_tokens(piece),
            });
        }
    }
    found
}

fn is_attribute(line: &str) -> bool {
    let line = line.trim_start();
    let key = line.split_once(':').map_or("", |(key, _)| key);
    let begins_with_a_key = !key.is_empty() && key.len() <= 30 && !key.contains(['.', '{']);
    line.len() <= ATTRIBUTE_MAX && (line.starts_with(['-', '*', '+', '[', '•']) || begins_with_a_key)
}

/// A statement weighs what its words weigh, and a word what it comes up in: what a card is about, it says often.
fn weigh(statements: &mut [CardStatement<'_>], name: &str) {
    let mut uses: BTreeMap<String, u32> = BTreeMap::new();
    for term in statements.iter().flat_map(|statement| &statement.terms) {
        *uses.entry(term.clone()).or_default() += 1;
    }
    let name = keywords::fold(name);
    for (index, statement) in statements.iter_mut().enumerate() {
        let sum: f32 = statement.terms.iter().map(|term| common(&uses, term)).sum();
        // A long sentence has more words, which is no merit of its own.
        statement.weight *= sum / length(statement.terms.len()).sqrt();
        let is_named = statement.text.contains("{{char}}")
            || !name.is_empty() && keywords::fold(statement.text).contains(&name);
        if is_named {
            statement.weight *= NAMED;
        }
        if index == 0 {
            statement.weight *= FIRST;
        }
    }
}

fn common(uses: &BTreeMap<String, u32>, term: &str) -> f32 {
    let times = uses.get(term).copied().unwrap_or(1);
    1.0 + f32::from(u16::try_from(times).unwrap_or(u16::MAX)).log2()
}

fn length(terms: usize) -> f32 {
    f32::from(u16::try_from(terms.max(1)).unwrap_or(u16::MAX))
}

/// The best that fit, each judged by what those before it have not said.
fn best_statements(statements: &[CardStatement<'_>], room: u32) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    let mut said: BTreeSet<&str> = BTreeSet::new();
    let mut left = room;
    loop {
        let best = statements
            .iter()
            .enumerate()
            .filter(|(index, statement)| !chosen.contains(index) && statement.tokens <= left)
            .map(|(index, statement)| (index, statement_worth(statement, &said)))
            .max_by(|a, b| a.1.total_cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        let Some((index, _)) = best else { return chosen };
        chosen.insert(index);
        left -= statements[index].tokens;
        said.extend(statements[index].terms.iter().map(String::as_str));
    }
}

fn statement_worth(statement: &CardStatement<'_>, said: &BTreeSet<&str>) -> f32 {
    let known = statement.terms.iter().filter(|term| said.contains(term.as_str())).count();
    let share = length(known) * f32::from(u8::from(known > 0)) / length(statement.terms.len());
    statement.weight * (1.0 - share * (1.0 - SAID_ALREADY))
}

/// As they stood: sentences of one line on one line, each part on its own.
fn written_out(statements: &[CardStatement<'_>], chosen: &BTreeSet<usize>) -> String {
    let mut text = String::new();
    let mut last = None;
    for statement in chosen.iter().map(|&index| &statements[index]) {
        let here = (statement.of, statement.line);
        match last {
            Some(before) if before == here => text.push(' '),
            Some(_) => text.push('\n'),
            None => {}
        }
        if last.is_none_or(|(part, _)| part != statement.of) {
            text.push_str(match statement.of {
                CardPart::Description => "",
                CardPart::Personality => "Personality: ",
                CardPart::Scenario => "Scenario: ",
            });
        }
        text.push_str(statement.text);
        last = Some(here);
    }
    text
}

/// The first block of example dialogue.
fn first_dialogue(examples: &str) -> &str {
    const START: &str = "<START>";
    let is_start = |at: &usize| {
        examples.as_bytes()[*at..]
            .get(..START.len())
            .is_some_and(|it| it.eq_ignore_ascii_case(START.as_bytes()))
    };
    let mut starts = (0..examples.len()).filter(is_start);
    let first = starts.find(|at| *at > 0 && !examples[..*at].trim().eq_ignore_ascii_case("<START>"));
    let block = first.map_or(examples, |at| &examples[..at]);
    block.trim_end()
}

#[cfg(test)]
mod tests;
