//! What tells a secret from something of the same form.

/// What the matched text has to pass besides its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Proof {
    /// The form is proof enough.
    Form,
    /// A payment card: the check digit of ISO/IEC 7812 (Luhn), digits grouped as they are printed.
    Card,
    /// An account number: the check of ISO 13616, and the length its country has.
    Account,
    /// A value somebody was given or made up, not a word: letters and digits mixed, and no placeholder.
    Made,
}

impl Proof {
    pub(super) fn holds(self, secret: &str) -> bool {
        match self {
            Self::Form => true,
            Self::Card => is_card(secret),
            Self::Account => is_account(secret),
            Self::Made => is_made_up(secret),
        }
    }
}

fn is_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let groups: Vec<usize> = text.split([' ', '-']).map(str::len).collect();
    let is_grouped = matches!(groups.as_slice(), [15 | 16] | [4, 4, 4, 4] | [4, 6, 5]);
    let all_same = digits.iter().all(|digit| digits.first() == Some(digit));
    let starts = |least: u32, most: u32, length: usize| {
        let head = digits.iter().take(length).fold(0, |number, digit| number * 10 + digit);
        (least..=most).contains(&head)
    };
    let is_issued = match digits.len() {
        15 => starts(34, 34, 2) || starts(37, 37, 2),
        16 => {
            starts(4, 4, 1)
                || starts(51, 55, 2)
                || starts(2221, 2720, 4)
                || starts(6011, 6011, 4)
                || starts(644, 659, 3)
                || starts(3528, 3589, 4)
                || starts(62, 62, 2)
        }
        _ => false,
    };
    is_grouped && is_issued && !all_same && luhn(&digits)
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, double) if double > 9 => double - 9,
            (_, double) => double,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Lengths by country (SWIFT's IBAN registry), the larger part of where there are such numbers.
const ACCOUNT_LENGTHS: [(&str, usize); 40] = [
    ("AD", 24),
    ("AE", 23),
    ("AT", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("CH", 21),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("EE", 20),
    ("ES", 24),
    ("FI", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GR", 27),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IS", 26),
    ("IT", 27),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("MC", 27),
    ("MT", 31),
    ("NL", 18),
    ("NO", 15),
    ("PL", 28),
    ("PT", 25),
    ("RO", 24),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("TR", 26),
];

fn is_account(text: &str) -> bool {
    let number: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let Some((country, rest)) = number.split_at_checked(2) else { return false };
    let Some((check, body)) = rest.split_at_checked(2) else { return false };
    let is_known = ACCOUNT_LENGTHS.iter().any(|(code, length)| *code == country && *length == number.len());
    let remainder =
        body.chars().chain(country.chars()).chain(check.chars()).try_fold(0_u32, |sum, character| {
            let value = character.to_digit(36)?;
            Some((sum * if value > 9 { 100 } else { 10 } + value) % 97)
        });
    is_known && remainder == Some(1)
}

/// Words that stand where a secret would.
const PLACEHOLDERS: [&str; 14] = [
    "example",
    "placeholder",
    "your",
    "xxxx",
    "****",
    "....",
    "changeme",
    "dummy",
    "redacted",
    "insert",
    "<",
    "${",
    "{{",
    "process.env",
];

fn is_made_up(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let kinds = [
        value.chars().any(|c| c.is_ascii_lowercase()),
        value.chars().any(|c| c.is_ascii_uppercase()),
        value.chars().any(|c| c.is_ascii_digit()),
        value.chars().any(|c| c.is_ascii_punctuation()),
    ];
    let has_digit = kinds[2];
    let mixed = kinds.iter().filter(|kind| **kind).count() >= 2;
    // Addresses, paths and times have the same mixture.
    let is_other = small.contains("://") || small.starts_with(['/', '.']) || is_time(value);
    let mut different: Vec<char> = value.chars().collect();
    different.sort_unstable();
    different.dedup();
    has_digit
        && mixed
        && !is_other
        && different.len() >= 6
        && !PLACEHOLDERS.iter().any(|placeholder| small.contains(placeholder))
}

fn is_time(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '.' | '-' | '/' | 'T' | 'Z' | '+' | ','))
}
