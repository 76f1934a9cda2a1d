//! Sums, percentages, and one unit in another.

use std::sync::LazyLock;

use super::{Fact, ReflexInput};
use crate::text::calendar;
use crate::text::names::is_unspaced;
use crate::text::phrases::{Folded, is_listed, listed_phrases, phrases, section_lines};
use crate::text::punctuation::has_question_mark;
use crate::text::short::one_line;

/// An expression, where the message asks for its value or is nothing else.
pub(super) fn arithmetic(input: &ReflexInput<'_>) -> Option<Fact> {
    // Most messages hold no two numbers; those are told apart before anything is copied.
    if input.utterance.bytes().filter(u8::is_ascii_digit).count() < 2 || input.utterance.len() > 400 {
        return None;
    }
    let text = in_signs(input.utterance);
    let run = longest_run(&text)?;
    let around = text.replacen(run, " ", 1);
    let is_alone =
        !around.chars().any(char::is_alphanumeric) && (text.contains('=') || has_question_mark(&text));
    if !is_alone && !input.says("calculate") {
        return None;
    }
    let run = run.trim();
    let said = one_line(&run.replace('*', " × ").replace('/', " ÷ "));
    match evaluate(run) {
        Ok(value) => Fact::of(format!("{said} = {}.", render_number(value))),
        Err(NoValue::DivisionByZero) => Fact::of(format!("{said} has no value: it divides by zero.")),
        Err(NoValue::TooLarge) => Fact::of(format!("{said} is too large a number to write out.")),
        Err(NoValue::NoExpression) => None,
    }
}

/// Operators that are written as words, as signs; a word counts where the text may be in its language: "min" is no minus in
/// English.
fn in_signs(text: &str) -> String {
    let languages = Folded::of(text).languages();
    let mut text = text.to_lowercase().replace('\u{a0}', " ");
    let known = section_lines("sum").chain(section_lines("sum in figures"));
    for (_, sign, words) in known.filter(|(of, ..)| of.overlaps(languages)) {
        words.into_iter().for_each(|word| replace_word(&mut text, word, sign));
    }
    text
}

/// Puts something in the place of a word, wherever it stands as one; where no spaces part words, wherever it stands.
pub(super) fn replace_word(text: &mut String, word: &str, by: &str) {
    let is_within = word.chars().any(is_unspaced);
    let is_whole = |at: &usize| {
        let (before, behind) = (&text[..*at], &text[at + word.len()..]);
        is_within || before.ends_with([' ', ',']) && !behind.starts_with(char::is_alphanumeric)
    };
    let found: Vec<usize> = text.match_indices(word).map(|(at, _)| at).filter(is_whole).collect();
    for at in found.into_iter().rev() {
        text.replace_range(at..at + word.len(), by);
    }
}

/// The longest piece of the text made of what expressions are made of.
fn longest_run(text: &str) -> Option<&str> {
    let is_part = |c: char| {
        c.is_ascii_digit()
            || matches!(
                c,
                '+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' | '.' | ',' | ' ' | '×' | '÷' | '−' | '·'
            )
    };
    // "12 x 12", but not the x of a word.
    let joined = text.contains(" x ");
    let runs = text.split(|c: char| !(is_part(c) || (joined && c == 'x')));
    let run = runs.max_by_key(|run| run.chars().filter(char::is_ascii_digit).count())?;
    let run = run.trim().trim_end_matches(['.', ',', ' ']).trim_start_matches([',', '.', ' ']);
    let numbers =
        run.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|part| !part.is_empty()).count();
    (numbers >= 2).then_some(run)
}

pub(super) fn percentage(input: &ReflexInput<'_>) -> Option<Fact> {
    if !input.utterance.contains('%') && !input.says("per cent") {
        return None;
    }
    let mut lower = input.utterance.to_lowercase();
    listed_phrases("per cent").for_each(|(_, word)| replace_word(&mut lower, word, "%"));
    let lower = lower.replace(" %", "%");
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.windows(3).find_map(|window| {
        let [share, of, whole] = window else { return None };
        is_listed("per cent of", of).then_some(())?;
        let share = parse_number(share.strip_suffix('%')?)?;
        let whole = parse_number(whole.trim_matches(|c: char| !c.is_ascii_digit()))?;
        Fact::of(format!(
            "{}% of {} is {}.",
            render_number(share),
            render_number(whole),
            render_number(share * whole / 100.0)
        ))
    })
}

/// Units by the names people write, the first of which is shown, with what they measure.
static UNITS: LazyLock<Vec<(Vec<&str>, &str, f64)>> = LazyLock::new(|| {
    let lines = include_str!("units.txt").lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let (unit, names) = line.split_once(": ")?;
            let (of, base) = unit.split_once(' ')?;
            Some((names.split(", ").collect(), of, base.parse().ok()?))
        })
        .collect()
});

/// "5 km in miles", "convert 5 km to miles", "how many ounces are in 2 pounds".
pub(super) fn units(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = spaced(input)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (amount, from, to) = amount_in(&words).or_else(|| how_many(&words))?;
    Fact::of(told_in(amount, from, to)?)
}

fn told_in(amount: f64, from: Unit, to: Unit) -> Option<String> {
    if from.1 != to.1 || from.0 == to.0 {
        return None;
    }
    let there = render_number(amount * from.2 / to.2);
    Some(format!("{} {} = {there} {}.", render_number(amount), from.0, to.0))
}

/// One unit in another, by the names people write; nothing where one is not known or they do not measure the same.
pub fn in_unit(amount: f64, from: &str, to: &str) -> Option<String> {
    let (from, to) = (unit_name(from), unit_name(to));
    if let (Some(from), Some(to)) = (scale(&from), scale(&to)) {
        return degrees_in(amount, from, to);
    }
    told_in(amount, named_unit(&from)?, named_unit(&to)?)
}

/// Whether something is the name of a unit.
pub fn is_unit(name: &str) -> bool {
    let name = unit_name(name);
    scale(&name).is_some() || named_unit(&name).is_some()
}

/// A name as the units are listed: those of data, whose letters' case says how much, stand there in small letters as well.
fn unit_name(name: &str) -> String {
    name.trim().trim_start_matches('°').trim_end_matches('.').to_lowercase()
}

type Unit = (&'static str, &'static str, f64);

fn amount_in(words: &[&str]) -> Option<(f64, Unit, Unit)> {
    words.iter().enumerate().find_map(|(index, word)| {
        let amount = parse_number(word)?;
        let (from, used) = unit_of_words(words.get(index + 1..)?)?;
        let rest = words.get(index + 1 + used..)?;
        let (link, rest) = rest.split_first()?;
        is_listed("in a unit", link).then_some(())?;
        let (to, _) = unit_of_words(rest)?;
        Some((amount, from, to))
    })
}

fn how_many(words: &[&str]) -> Option<(f64, Unit, Unit)> {
    let start = phrases("how many").iter().find_map(|asked| {
        let asked: Vec<&str> = asked.split(' ').collect();
        Some(words.windows(asked.len()).position(|said| said == asked)? + asked.len())
    })?;
    let (to, used) = unit_of_words(words.get(start..)?)?;
    let rest = words.get(start + used..)?;
    let joins = rest.iter().take_while(|word| is_listed("how many in", word)).count();
    let (first, rest) = rest[joins..].split_first()?;
    let is_one = || ["1", "a"].into_iter().flat_map(calendar::said_as).any(|one| one == *first);
    let (amount, rest) = match parse_number(first) {
        Some(amount) => (amount, rest),
        None if is_one() => (1.0, rest),
        None => return None,
    };
    let (from, _) = unit_of_words(rest)?;
    Some((amount, from, to))
}

/// The unit some words begin with, and how many words that took.
fn unit_of_words(words: &[&str]) -> Option<(Unit, usize)> {
    let two = words.get(..2).map(|pair| pair.join(" "));
    two.and_then(|two| named_unit(&two))
        .map(|unit| (unit, 2))
        .or_else(|| named_unit(words.first()?).map(|unit| (unit, 1)))
}

fn named_unit(name: &str) -> Option<Unit> {
    let (names, of, base) = UNITS.iter().find(|(names, ..)| names.contains(&name))?;
    Some((names.first().copied().unwrap_or_default(), *of, *base))
}

/// The words with numbers set apart from what is written right behind them; nothing where there is no number.
fn spaced(input: &ReflexInput<'_>) -> Option<Vec<String>> {
    let text = input.utterance;
    if text.len() > 400 || !(text.bytes().any(|b| b.is_ascii_digit()) || input.says("how many")) {
        return None;
    }
    let mut spaced = String::with_capacity(text.len() + 8);
    let mut was_digit = false;
    for character in text.to_lowercase().chars() {
        let is_digit = character.is_ascii_digit() || (was_digit && matches!(character, '.' | ','));
        if was_digit && !is_digit {
            spaced.push(' ');
        }
        spaced.push(if character == '°' { ' ' } else { character });
        was_digit = is_digit;
    }
    let trimmed = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').to_owned();
    Some(spaced.split_whitespace().map(trimmed).filter(|word| !word.is_empty()).collect())
}

/// "20 °C in Fahrenheit".
pub(super) fn temperature(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = spaced(input)?;
    let words: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !is_listed("degrees of heat", word)).collect();
    words.windows(4).find_map(|window| {
        let [amount, from, link, to] = window else { return None };
        is_listed("in a unit", link).then_some(())?;
        let value = match amount.strip_prefix('-') {
            Some(below) => -parse_number(below)?,
            None => parse_number(amount)?,
        };
        let (from, to) = (scale(from)?, scale(to)?);
        Fact::of(degrees_in(value, from, to)?)
    })
}

/// So many degrees on another scale; nothing where it is the same one.
fn degrees_in(value: f64, from: char, to: char) -> Option<String> {
    (from != to).then_some(())?;
    let celsius = match from {
        'C' => value,
        'F' => (value - 32.0) / 1.8,
        _ => value - 273.15,
    };
    let there = match to {
        'C' => celsius,
        'F' => celsius * 1.8 + 32.0,
        _ => celsius + 273.15,
    };
    let degree = |scale: char| if scale == 'K' { " K".to_owned() } else { format!(" °{scale}") };
    let rounded = (there * 100.0).round() / 100.0;
    Some(format!("{}{} = {}{}.", render_number(value), degree(from), render_number(rounded), degree(to)))
}

fn scale(word: &str) -> Option<char> {
    match word {
        "c" | "celsius" => Some('C'),
        "f" | "fahrenheit" => Some('F'),
        "k" | "kelvin" => Some('K'),
        _ => None,
    }
}

/// Tokens of an expression at most.
const TOKENS: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
}

/// What went wrong, as far as people care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NoValue {
    /// It is no expression, or one too long.
    NoExpression,
    /// Something is divided by zero.
    DivisionByZero,
    /// The value is no finite number.
    TooLarge,
}

/// The value of an expression that has at least one operator.
fn evaluate(text: &str) -> Result<f64, NoValue> {
    let tokens = expression_tokens(text)?;
    if !tokens.iter().skip(1).any(|token| matches!(token, Token::Sign(sign) if !"()".contains(*sign))) {
        return Err(NoValue::NoExpression);
    }
    let mut parser = Parser { tokens: &tokens, at: 0 };
    let value = parser.value(1)?;
    if parser.at != tokens.len() {
        return Err(NoValue::NoExpression);
    }
    if value.is_finite() { Ok(value) } else { Err(NoValue::TooLarge) }
}

fn expression_tokens(text: &str) -> Result<Vec<Token>, NoValue> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= TOKENS {
            return Err(NoValue::NoExpression);
        }
        if first.is_ascii_digit() || first == '.' {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
            let digits = rest[..end].trim_end_matches([',', '.']);
            tokens.push(Token::Number(parse_number(digits).ok_or(NoValue::NoExpression)?));
            rest = rest[digits.len().max(1)..].trim_start();
        } else {
            let sign = match first {
                '×' | 'x' | 'X' | '·' => '*',
                '÷' | ':' => '/',
                '−' | '–' => '-',
                '+' | '-' | '*' | '/' | '^' | '%' | '(' | ')' => first,
                _ => return Err(NoValue::NoExpression),
            };
            tokens.push(Token::Sign(sign));
            rest = rest[first.len_utf8()..].trim_start();
        }
    }
    Ok(tokens)
}

/// `1234.5`, `1,234.5`, and `1234,5` where the comma can only be a decimal one.
fn parse_number(digits: &str) -> Option<f64> {
    let groups: Vec<&str> = digits.split(',').collect();
    let is_grouped = groups.len() > 1
        && groups.iter().skip(1).all(|group| group.split('.').next().is_some_and(|whole| whole.len() == 3));
    let plain = match groups.as_slice() {
        [_] => digits.to_owned(),
        _ if is_grouped => groups.concat(),
        [whole, part] if !part.contains('.') => format!("{whole}.{part}"),
        _ => return None,
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
}

impl Parser<'_> {
    /// The value of what comes, up to an operator that binds less than `least`. There are so few tokens that brackets
    /// inside brackets need no limit of their own.
    fn value(&mut self, least: u8) -> Result<f64, NoValue> {
        let first = self.tokens.get(self.at);
        self.at += 1;
        let mut value = match first {
            Some(Token::Number(value)) => *value,
            Some(Token::Sign('(')) => {
                let inside = self.value(1)?;
                self.at += 1;
                let is_closed = self.tokens.get(self.at - 1) == Some(&Token::Sign(')'));
                is_closed.then_some(inside).ok_or(NoValue::NoExpression)?
            }
            // A minus in front binds less than a power: -2^2 is -4.
            Some(Token::Sign('-')) => -self.value(3)?,
            Some(Token::Sign('+')) => self.value(3)?,
            _ => return Err(NoValue::NoExpression),
        };
        while let Some(Token::Sign(sign)) = self.tokens.get(self.at) {
            let binds = match sign {
                '+' | '-' => 1,
                '*' | '/' | '%' => 2,
                '^' => 4,
                _ => break,
            };
            if binds < least {
                break;
            }
            self.at += 1;
            // A percent sign at the end, or before another operator, is a hundredth and no remainder.
            let is_operand = matches!(self.tokens.get(self.at), Some(Token::Number(_) | Token::Sign('(')));
            if *sign == '%' && !is_operand {
                value /= 100.0;
                continue;
            }
            let next = self.value(if *sign == '^' { 3 } else { binds + 1 })?;
            if matches!(sign, '/' | '%') && next == 0.0 {
                return Err(NoValue::DivisionByZero);
            }
            value = match sign {
                '+' => value + next,
                '-' => value - next,
                '*' => value * next,
                '/' => value / next,
                '%' => value % next,
                _ => value.powf(next),
            };
        }
        Ok(value)
    }
}

/// A number as people write it: whole where it is, else to at most six places, very large ones in powers of ten.
pub fn render_number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() >= 1e15 || value.abs() < 1e-6 {
        return format!("{value:.6e}");
    }
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a27_expressions_have_the_value_school_teaches() {
        for (text, value) in [
            ("2+2", 4.0),
            ("2 + 3 * 4", 14.0),
            ("(2+3)*4", 20.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("10/4", 2.5),
            ("7 % 4", 3.0),
            ("50%*80", 40.0),
            ("1,234 + 1", 1235.0),
            ("3,5 * 2", 7.0),
            ("12 x 12", 144.0),
            ("((((((((((((((1+1))))))))))))))", 2.0),
            ("9 ÷ 3", 3.0),
            ("2*-3", -6.0),
            ("0.1+0.2", 0.300_000_000_000_000_04),
        ] {
            assert_eq!(evaluate(text), Ok(value), "{text}");
        }
        assert_eq!(render_number(0.1 + 0.2), "0.3");
        assert_eq!(evaluate("1/0"), Err(NoValue::DivisionByZero));
        assert_eq!(evaluate("9^9^9^9"), Err(NoValue::TooLarge));
    }

    #[test]
    fn a27_the_units_are_read_whole_and_no_name_stands_twice() {
        let lines = include_str!("units.txt").lines().filter(|line| !line.starts_with('#'));
        assert_eq!(UNITS.len(), lines.count());
        let mut names: Vec<&str> = UNITS.iter().flat_map(|(names, ..)| names.iter().copied()).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a27_operators_are_words_in_every_language() {
        for (text, signs) in [
            ("what is 3 times 4", "3 * 4"),
            ("was ist 3 mal 4", "3 * 4"),
            ("combien font 3 fois 4", "3 * 4"),
            ("cuánto es 3 más 4", "3 + 4"),
            ("quanto é 3 vezes 4", "3 * 4"),
            ("quanto fa 3 per 4", "3 * 4"),
            ("hoeveel is 9 min 4", "9 - 4"),
            ("ile jest 3 razy 4", "3 * 4"),
            ("сколько будет 3 плюс 4", "3 + 4"),
            ("3 çarpı 4 kaç eder", "3 * 4"),
            ("3かける4は", "3*4"),
            ("3乘以4等于", "3*4"),
            ("3 곱하기 4 는", "3 * 4"),
        ] {
            assert!(in_signs(text).contains(signs), "{text}: {}", in_signs(text));
        }
        assert!(!in_signs("what is 5 min 30 sec in all").contains('-'));
    }

    #[test]
    fn a27_what_is_no_expression_has_no_value() {
        for text in ["", "5", "-5", "(5)", "2+", "2 2", "a+b", "1+", "()", "1..2+1", "2+,"] {
            assert_eq!(evaluate(text), Err(NoValue::NoExpression), "{text}");
        }
        assert!(evaluate(&"1+".repeat(40)).is_err() && evaluate(&"-".repeat(64)).is_err());
    }

    proptest! {
        #[test]
        fn a27_any_text_is_reckoned_without_harm(text in "[0-9+*/^%().,x -]{0,80}") {
            if let Ok(value) = evaluate(&text) {
                prop_assert!(value.is_finite());
                prop_assert!(!render_number(value).is_empty());
            }
        }

        #[test]
        fn a27_sums_and_products_are_those_of_the_machine(a in -1000_i32..1000, b in 1_i32..1000, c in 0_i32..100) {
            let value = evaluate(&format!("{a} - {b} * ({c} + {b}) / {b}")).unwrap();
            prop_assert!((value - f64::from(a - (c + b))).abs() < 1e-9);
        }
    }
}
