//! Reckoning: expressions and percentages.

use super::expression::{self, NoValue, shown};
use super::{Fact, ReflexInput};

/// An expression, where the message asks for its value or is nothing else.
pub(super) fn arithmetic(input: &ReflexInput<'_>) -> Option<Fact> {
    // Most messages hold no two numbers; those are told apart before anything is copied.
    if input.utterance.bytes().filter(u8::is_ascii_digit).count() < 2 || input.utterance.len() > 400 {
        return None;
    }
    let text = in_signs(input.utterance);
    let run = longest_run(&text)?;
    let around = text.replacen(run, " ", 1);
    let is_alone = !around.chars().any(char::is_alphanumeric) && (text.contains('=') || text.contains('?'));
    if !is_alone && !input.says("calculate") {
        return None;
    }
    let run = run.trim();
    let said = run.replace('*', " × ").replace('/', " ÷ ").split_whitespace().collect::<Vec<_>>().join(" ");
    match expression::evaluate(run) {
        Ok(value) => Fact::of(format!("{said} = {}.", shown(value))),
        Err(NoValue::DivisionByZero) => Fact::of(format!("{said} has no value: it divides by zero.")),
        Err(NoValue::TooLarge) => Fact::of(format!("{said} is too large a number to write out.")),
        Err(NoValue::NoExpression) => None,
    }
}

/// Operators that are written as words, as signs.
fn in_signs(text: &str) -> String {
    const WORDS: [(&str, &str); 12] = [
        (" times ", " * "),
        (" plus ", " + "),
        (" minus ", " - "),
        (" divided by ", " / "),
        (" multiplied by ", " * "),
        (" over ", " / "),
        (" mal ", " * "),
        (" geteilt durch ", " / "),
        (" hoch ", " ^ "),
        (" to the power of ", " ^ "),
        (" squared", " ^ 2"),
        (" cubed", " ^ 3"),
    ];
    let mut text = text.to_lowercase().replace('\u{a0}', " ");
    for (word, sign) in WORDS {
        if text.contains(word) {
            text = text.replace(word, sign);
        }
    }
    text
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
    let has_x = |text: &str| {
        // "12 x 12", but not the x of a word.
        text.contains(" x ")
    };
    let joined = has_x(text);
    let runs = text.split(|c: char| !(is_part(c) || (joined && c == 'x')));
    let run = runs.max_by_key(|run| run.chars().filter(char::is_ascii_digit).count())?;
    let run = run.trim().trim_end_matches(['.', ',', ' ']).trim_start_matches([',', '.', ' ']);
    let numbers =
        run.split(|c: char| !c.is_ascii_digit() && c != '.').filter(|part| !part.is_empty()).count();
    (numbers >= 2).then_some(run)
}

/// "15% of 80".
pub(super) fn percent(input: &ReflexInput<'_>) -> Option<Fact> {
    if !input.utterance.contains('%') && !input.says("per cent") {
        return None;
    }
    let lower =
        input.utterance.to_lowercase().replace(" percent", "%").replace(" prozent", "%").replace(" %", "%");
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.windows(3).find_map(|window| {
        let [share, of, whole] = window else { return None };
        if !matches!(*of, "of" | "von" | "vom") {
            return None;
        }
        let share = expression::number(share.strip_suffix('%')?)?;
        let whole = expression::number(whole.trim_matches(|c: char| !c.is_ascii_digit()))?;
        Fact::of(format!("{}% of {} is {}.", shown(share), shown(whole), shown(share * whole / 100.0)))
    })
}
