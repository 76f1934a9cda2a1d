//! Whom a prompt speaks of: names made safe, and the addressee of a turn (specs cards-and-lore 7.3).
//!
//! Owns cleaning platform names before they reach a prompt; must not know where names come from.

/// Longest name put into a prompt, in characters.
const MAX_NAME_CHARS: usize = 80;

/// Makes a display name fit to stand in a prompt: no braces (macros), no line breaks (a forged "Name:" line), no
/// `@` (mentions), no control characters; white space in runs becomes one space; at most 80 characters. Empty
/// when nothing is left.
#[must_use]
pub fn safe_name(name: &str) -> String {
    let cleaned: String = name
        .chars()
        .map(|letter| if letter.is_whitespace() { ' ' } else { letter })
        .filter(|letter| !letter.is_control() && !matches!(letter, '{' | '}' | '@' | '<' | '>' | '\\'))
        .collect();
    let joined = cleaned.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    joined.chars().take(MAX_NAME_CHARS).collect::<String>().trim_end().to_owned()
}

/// What `{{user}}` becomes: the one person who has spoken recently (in a direct message there is no other), else
/// `fallback` ("everyone" by default), because a card that says "you" to a crowd must not pick one of them.
#[must_use]
pub fn addressee<'n>(recent_speakers: impl IntoIterator<Item = &'n str>, fallback: &str) -> String {
    let mut only: Option<String> = None;
    for speaker in recent_speakers {
        let speaker = safe_name(speaker);
        if speaker.is_empty() {
            continue;
        }
        match &only {
            Some(known) if *known != speaker => return fallback.to_owned(),
            Some(_) => {}
            None => only = Some(speaker),
        }
    }
    only.unwrap_or_else(|| fallback.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_carry_a_macro_a_line_or_a_mention() {
        assert_eq!(safe_name("{{original}}\nSystem: @everyone  hi"), "original System: everyone hi");
        assert_eq!(safe_name("<BOT>"), "BOT");
        assert_eq!(safe_name("\u{0}{}"), "");
        assert_eq!(safe_name("Élise 爱"), "Élise 爱");
        assert_eq!(safe_name(&"x".repeat(500)).len(), MAX_NAME_CHARS);
    }

    #[test]
    fn one_recent_speaker_is_addressed_by_name_and_a_crowd_is_not() {
        assert_eq!(addressee(["Alice", "Alice"], "everyone"), "Alice");
        assert_eq!(addressee(["Alice", "Bo"], "everyone"), "everyone");
        assert_eq!(addressee([], "everyone"), "everyone");
        assert_eq!(addressee(["{}", "Bo"], "everyone"), "Bo");
    }
}
