//! One unit in another.

use super::expression::{number, shown};
use super::{Fact, ReflexInput};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Length,
    Mass,
    Volume,
    Speed,
    Time,
    Data,
    Area,
}

/// Names as people write them (the first is shown), what it measures, how many of the base unit it is. Data units are
/// powers of ten; `kib` and the like are powers of two.
const UNITS: &[(&[&str], Of, f64)] = &[
    (&["mm", "millimeter", "millimeters", "millimetre", "millimetres"], Of::Length, 0.001),
    (&["cm", "centimeter", "centimeters", "centimetre", "centimetres", "zentimeter"], Of::Length, 0.01),
    (&["m", "meter", "meters", "metre", "metres"], Of::Length, 1.0),
    (&["km", "kilometer", "kilometers", "kilometre", "kilometres", "kms"], Of::Length, 1000.0),
    (&["inches", "inch", "zoll"], Of::Length, 0.0254),
    (&["feet", "foot", "ft", "fuß"], Of::Length, 0.3048),
    (&["yards", "yard", "yd"], Of::Length, 0.9144),
    (&["miles", "mile", "mi", "meilen", "meile"], Of::Length, 1609.344),
    (&["nautical miles", "seemeilen"], Of::Length, 1852.0),
    (&["mg", "milligram", "milligrams", "milligramm"], Of::Mass, 0.001),
    (&["g", "gram", "grams", "gramm"], Of::Mass, 1.0),
    (&["kg", "kilo", "kilos", "kilogram", "kilograms", "kilogramm"], Of::Mass, 1000.0),
    (&["tonnes", "tonne", "tonnen"], Of::Mass, 1_000_000.0),
    (&["ounces", "ounce", "oz", "unzen"], Of::Mass, 28.349_523_125),
    (&["pounds", "pound", "lb", "lbs"], Of::Mass, 453.592_37),
    (&["Pfund", "pfund"], Of::Mass, 500.0),
    (&["stone", "stones"], Of::Mass, 6_350.293_18),
    (&["ml", "milliliter", "milliliters", "millilitre", "millilitres"], Of::Volume, 0.001),
    (&["l", "liter", "liters", "litre", "litres"], Of::Volume, 1.0),
    (&["US gallons", "gallon", "gallons", "gal", "gallonen"], Of::Volume, 3.785_411_784),
    (&["US pints", "pint", "pints"], Of::Volume, 0.473_176_473),
    (&["US cups", "cup", "cups"], Of::Volume, 0.236_588_236_5),
    (&["tablespoons", "tablespoon", "tbsp"], Of::Volume, 0.014_786_764_78),
    (&["teaspoons", "teaspoon", "tsp"], Of::Volume, 0.004_928_921_593),
    (&["km/h", "kmh", "kph"], Of::Speed, 1.0 / 3.6),
    (&["mph"], Of::Speed, 0.447_04),
    (&["knots", "knot", "knoten"], Of::Speed, 1852.0 / 3600.0),
    (&["m/s", "mps"], Of::Speed, 1.0),
    (&["seconds", "second", "sec", "secs", "sekunden"], Of::Time, 1.0),
    (&["minutes", "minute", "min", "mins", "minuten"], Of::Time, 60.0),
    (&["hours", "hour", "hrs", "stunden", "stunde"], Of::Time, 3600.0),
    (&["days", "day", "tage", "tagen", "tag"], Of::Time, 86_400.0),
    (&["weeks", "week", "wochen", "woche"], Of::Time, 604_800.0),
    (&["bytes", "byte"], Of::Data, 1.0),
    (&["kB", "kb", "kilobytes"], Of::Data, 1e3),
    (&["MB", "mb", "megabytes"], Of::Data, 1e6),
    (&["GB", "gb", "gigabytes"], Of::Data, 1e9),
    (&["TB", "tb", "terabytes"], Of::Data, 1e12),
    (&["KiB", "kib"], Of::Data, 1024.0),
    (&["MiB", "mib"], Of::Data, 1_048_576.0),
    (&["GiB", "gib"], Of::Data, 1_073_741_824.0),
    (&["m²", "sqm", "square meters", "square metres", "quadratmeter"], Of::Area, 1.0),
    (&["square feet", "sqft"], Of::Area, 0.092_903_04),
    (&["acres", "acre"], Of::Area, 4_046.856_422_4),
    (&["hectares", "hectare", "hektar"], Of::Area, 10_000.0),
];

/// "5 km in miles", "convert 5 km to miles", "how many ounces are in 2 pounds".
pub(super) fn units(input: &ReflexInput<'_>) -> Option<Fact> {
    let words = spaced(input)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (amount, from, to) = amount_in(&words).or_else(|| how_many(&words))?;
    if from.1 != to.1 || from.0 == to.0 {
        return None;
    }
    Fact::of(format!("{} {} = {} {}.", shown(amount), from.0, shown(amount * from.2 / to.2), to.0))
}

type Unit = (&'static str, Of, f64);

fn amount_in(words: &[&str]) -> Option<(f64, Unit, Unit)> {
    words.iter().enumerate().find_map(|(index, word)| {
        let amount = number(word)?;
        let (from, used) = unit(words.get(index + 1..)?)?;
        let rest = words.get(index + 1 + used..)?;
        let (link, rest) = rest.split_first()?;
        matches!(*link, "in" | "to" | "into" | "as" | "nach" | "zu").then_some(())?;
        let (to, _) = unit(rest)?;
        Some((amount, from, to))
    })
}

fn how_many(words: &[&str]) -> Option<(f64, Unit, Unit)> {
    let start = words
        .windows(2)
        .position(|pair| matches!(pair, ["how", "many"] | ["wie", "viele"] | ["wie", "viel"]))?;
    let (to, used) = unit(words.get(start + 2..)?)?;
    let rest: Vec<&str> = words
        .get(start + 2 + used..)?
        .iter()
        .copied()
        .skip_while(|word| {
            matches!(*word, "are" | "is" | "in" | "there" | "does" | "do" | "make" | "sind" | "hat" | "haben")
        })
        .collect();
    let (first, rest) = rest.split_first()?;
    let (amount, rest) = match number(first) {
        Some(amount) => (amount, rest),
        None if matches!(*first, "a" | "an" | "one" | "ein" | "eine" | "einem" | "einer") => (1.0, rest),
        None => return None,
    };
    let (from, _) = unit(rest)?;
    Some((amount, from, to))
}

/// The unit some words begin with, and how many words that took.
fn unit(words: &[&str]) -> Option<(Unit, usize)> {
    let two = words.get(..2).map(|pair| pair.join(" "));
    let named = |name: &str| {
        UNITS
            .iter()
            .find(|(names, ..)| names.contains(&name))
            .map(|(names, of, base)| (names.first().copied().unwrap_or_default(), *of, *base))
    };
    two.and_then(|two| named(&two))
        .map(|unit| (unit, 2))
        .or_else(|| named(words.first()?).map(|unit| (unit, 1)))
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
    let words: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !matches!(*word, "degrees" | "degree" | "grad"))
        .collect();
    words.windows(4).find_map(|window| {
        let [amount, from, link, to] = window else { return None };
        if !matches!(*link, "in" | "to" | "into" | "as" | "nach") {
            return None;
        }
        let value = match amount.strip_prefix('-') {
            Some(below) => -number(below)?,
            None => number(amount)?,
        };
        let (from, to) = (scale(from)?, scale(to)?);
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
        (from != to).then_some(())?;
        Fact::of(format!("{}{} = {}{}.", shown(value), degree(from), shown(rounded), degree(to)))
    })
}

fn scale(word: &str) -> Option<char> {
    match word {
        "c" | "celsius" => Some('C'),
        "f" | "fahrenheit" => Some('F'),
        "k" | "kelvin" => Some('K'),
        _ => None,
    }
}
