//! Dice as players write them.

/// Dice to be thrown at once, as they were written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenDice<'a> {
    /// How many; `None` where nothing was written.
    pub count: Option<u32>,
    /// The sides of each.
    pub sides: u32,
    /// What follows, such as `+1`: nothing that begins with an ASCII letter or digit.
    pub rest: &'a str,
}

/// Reads `2d6+1`, `d20`, and with the letters that German and Russian players write, `w20` and `д20`. The word begins with it;
/// no number in it is 0 or begins with it.
#[must_use]
pub fn read_dice(word: &str) -> Option<WrittenDice<'_>> {
    let (count, rest) = digits(word);
    let rest = rest.strip_prefix(['d', 'D', 'w', 'W', 'д', 'Д', 'к', 'К'])?;
    let (sides, rest) = digits(rest);
    let is_whole = ![count, sides].iter().any(|digits| digits.starts_with('0'))
        && !rest.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    let count = if count.is_empty() { None } else { Some(count.parse().ok()?) };
    is_whole.then_some(WrittenDice { count, sides: sides.parse().ok()?, rest })
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_read_in_the_letters_of_every_table() {
        let dice = |count, sides, rest| Some(WrittenDice { count, sides, rest });
        for (word, read) in [
            ("2d6+1", dice(Some(2), 6, "+1")),
            ("d20", dice(None, 20, "")),
            ("3W20", dice(Some(3), 20, "")),
            ("д20", dice(None, 20, "")),
            ("2к6", dice(Some(2), 6, "")),
            ("2d6お願い", dice(Some(2), 6, "お願い")),
        ] {
            assert_eq!(read_dice(word), read, "{word}");
        }
        for none in
            ["dad", "d", "w6s", "3d", "2d9999999999", "99999999999d6", "0d6", "d06", "18:00", "", "d6d6"]
        {
            assert_eq!(read_dice(none), None, "{none}");
        }
    }
}
