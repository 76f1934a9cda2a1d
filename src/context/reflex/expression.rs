//! A small, bounded calculator: numbers, `+ - * / ^ %` and brackets.
//!
//! Owns parsing by precedence with limits on length and depth, so that no message can make it work long. Must not know
//! how an expression is found in a message. Start reading at [`evaluate`].

/// Tokens of an expression at most.
const TOKENS: usize = 64;

/// Brackets inside brackets at most.
const DEPTH: usize = 12;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Token {
    Number(f64),
    Sign(char),
}

/// What went wrong, as far as people care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoValue {
    /// It is no expression, or one too long.
    NoExpression,
    /// Something is divided by zero.
    DivisionByZero,
    /// The value is no finite number.
    TooLarge,
}

/// The value of an expression that has at least one operator.
pub(super) fn evaluate(text: &str) -> Result<f64, NoValue> {
    let tokens = tokens(text)?;
    if !tokens.iter().skip(1).any(|token| matches!(token, Token::Sign(sign) if !"()".contains(*sign))) {
        return Err(NoValue::NoExpression);
    }
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let value = parser.sum()?;
    if parser.at != tokens.len() {
        return Err(NoValue::NoExpression);
    }
    if value.is_finite() { Ok(value) } else { Err(NoValue::TooLarge) }
}

fn tokens(text: &str) -> Result<Vec<Token>, NoValue> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        if tokens.len() >= TOKENS {
            return Err(NoValue::NoExpression);
        }
        if first.is_ascii_digit() || first == '.' {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(rest.len());
            let digits = rest[..end].trim_end_matches([',', '.']);
            tokens.push(Token::Number(number(digits).ok_or(NoValue::NoExpression)?));
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
pub(super) fn number(digits: &str) -> Option<f64> {
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
    depth: usize,
}

impl Parser<'_> {
    fn next_sign(&mut self, among: &str) -> Option<char> {
        match self.tokens.get(self.at) {
            Some(Token::Sign(sign)) if among.contains(*sign) => {
                self.at += 1;
                Some(*sign)
            }
            _ => None,
        }
    }

    fn sum(&mut self) -> Result<f64, NoValue> {
        let mut value = self.product()?;
        while let Some(sign) = self.next_sign("+-") {
            let next = self.product()?;
            value = if sign == '+' { value + next } else { value - next };
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<f64, NoValue> {
        let mut value = self.signed()?;
        while let Some(sign) = self.next_sign("*/%") {
            // A percent sign at the end, or before another operator, is a hundredth and no remainder.
            if sign == '%' && !matches!(self.tokens.get(self.at), Some(Token::Number(_) | Token::Sign('('))) {
                value /= 100.0;
                continue;
            }
            let next = self.signed()?;
            if sign != '*' && next == 0.0 {
                return Err(NoValue::DivisionByZero);
            }
            value = match sign {
                '*' => value * next,
                '/' => value / next,
                _ => value % next,
            };
        }
        Ok(value)
    }

    /// A minus in front binds less than a power: -2^2 is -4.
    fn signed(&mut self) -> Result<f64, NoValue> {
        match self.next_sign("+-") {
            Some(sign) => {
                self.deeper()?;
                let value = self.signed()?;
                self.depth -= 1;
                Ok(if sign == '-' { -value } else { value })
            }
            None => self.power(),
        }
    }

    fn power(&mut self) -> Result<f64, NoValue> {
        let base = self.atom()?;
        if self.next_sign("^").is_none() {
            return Ok(base);
        }
        self.deeper()?;
        let exponent = self.signed()?;
        self.depth -= 1;
        Ok(base.powf(exponent))
    }

    fn atom(&mut self) -> Result<f64, NoValue> {
        if self.next_sign("(").is_some() {
            self.deeper()?;
            let value = self.sum()?;
            self.depth -= 1;
            return self.next_sign(")").map(|_| value).ok_or(NoValue::NoExpression);
        }
        match self.tokens.get(self.at) {
            Some(Token::Number(value)) => {
                self.at += 1;
                Ok(*value)
            }
            _ => Err(NoValue::NoExpression),
        }
    }

    fn deeper(&mut self) -> Result<(), NoValue> {
        self.depth += 1;
        if self.depth > DEPTH { Err(NoValue::NoExpression) } else { Ok(()) }
    }
}

/// A number as people write it: whole where it is, else to at most six places, very large ones in powers of ten.
pub(super) fn shown(value: f64) -> String {
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
            ("9 ÷ 3", 3.0),
            ("2*-3", -6.0),
            ("0.1+0.2", 0.300_000_000_000_000_04),
        ] {
            assert_eq!(evaluate(text), Ok(value), "{text}");
        }
        assert_eq!(shown(0.1 + 0.2), "0.3");
        assert_eq!(evaluate("1/0"), Err(NoValue::DivisionByZero));
        assert_eq!(evaluate("9^9^9^9"), Err(NoValue::TooLarge));
    }

    #[test]
    fn a27_what_is_no_expression_has_no_value() {
        for text in [
            "",
            "5",
            "-5",
            "(5)",
            "2+",
            "2 2",
            "a+b",
            "((((((((((((((1+1))))))))))))))",
            "1+",
            "()",
            "1..2+1",
            "2+,",
        ] {
            assert_eq!(evaluate(text), Err(NoValue::NoExpression), "{text}");
        }
        assert!(evaluate(&"1+".repeat(40)).is_err() && evaluate(&"-".repeat(60)).is_err());
    }

    proptest! {
        #[test]
        fn a27_any_text_is_reckoned_without_harm(text in "[0-9+*/^%().,x -]{0,80}") {
            if let Ok(value) = evaluate(&text) {
                prop_assert!(value.is_finite());
                prop_assert!(!shown(value).is_empty());
            }
        }

        #[test]
        fn a27_sums_and_products_are_those_of_the_machine(a in -1000_i32..1000, b in 1_i32..1000, c in 0_i32..100) {
            let value = evaluate(&format!("{a} - {b} * ({c} + {b}) / {b}")).unwrap();
            prop_assert!((value - f64::from(a - (c + b))).abs() < 1e-9);
        }
    }
}
