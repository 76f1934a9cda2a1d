//! How it is, in words.

use crate::familiar::{DayPart, Wakefulness};
use crate::text::short::shortened;

/// Characters that Discord shows of a line beside a name.
const LINE_CHARS: usize = 128;

/// What stands in the menu of a message that the talk is to go on from.
pub(in crate::discord) const BRANCH: &str = "Go on in a thread";

/// A thread was opened; `opened` says which.
pub(in crate::discord) fn branched(opened: &str) -> String {
    let mut letters = opened.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}. What was said here before it is known there.", letters.as_str())
}

pub(in crate::discord) fn not_branched(why: &str) -> String {
    format!("There is no thread: {why}.")
}

pub(in crate::discord) fn branches_not_here(familiar: &str) -> String {
    format!("{familiar} does not read here, so nothing goes on from here. `/subscribe-text` changes that.")
}

/// What stands beside its name: what it is doing, and its mood; nothing where there is neither.
pub(in crate::discord) fn status_words(part: Option<&DayPart>, mood: Option<&str>) -> Option<String> {
    let doing = part.and_then(|part| match (part.wakefulness, part.doing.as_str()) {
        (Wakefulness::Awake, "") => None,
        (Wakefulness::Asleep, "") => Some("asleep".to_owned()),
        (Wakefulness::Asleep, doing) => Some(format!("asleep, {doing}")),
        (Wakefulness::Busy, "") => Some("busy".to_owned()),
        (_, doing) => Some(doing.to_owned()),
    });
    // Who sleeps shows no mood.
    let is_asleep = part.is_some_and(|part| part.wakefulness == Wakefulness::Asleep);
    let mood = mood.filter(|_| !is_asleep).map(str::to_owned);
    let parts: Vec<String> = doing.into_iter().chain(mood).collect();
    (!parts.is_empty()).then(|| shortened(&parts.join(" · "), LINE_CHARS - 1))
}

/// How it is, for whoever asks.
pub(super) fn how_it_is(familiar: &str, part: Option<&DayPart>, mood: Option<&str>) -> String {
    let doing = part.filter(|part| !part.doing.is_empty()).map(|part| format!(": {}", part.doing));
    let doing = doing.unwrap_or_default();
    let mut told = match part.map(|part| (part.wakefulness, part.ends())) {
        Some((Wakefulness::Asleep, until)) => {
            return format!(
                "{familiar} is asleep until {until}{doing}. Whoever speaks to {familiar} is answered all the same."
            );
        }
        Some((Wakefulness::Busy, until)) => format!("{familiar} is busy until {until}{doing}."),
        Some((Wakefulness::Awake, _)) | None => format!("{familiar} is up and about{doing}."),
    };
    if let Some(mood) = mood {
        told.push_str(&format!(" Mood: {mood}."));
    }
    told
}

/// What of how it appears on Discord was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum ProfileChange {
    Picture,
    Name,
    Nickname,
}

pub(in crate::discord) fn profile_changed(what: ProfileChange) -> String {
    match what {
        ProfileChange::Picture => "It wears the card's picture now, everywhere on Discord.",
        ProfileChange::Name => "It has the card's name now, everywhere on Discord.",
        ProfileChange::Nickname => "That is what it is called on this server now.",
    }
    .to_owned()
}

/// Discord does not take it: names and pictures may be changed a few times an hour.
pub(in crate::discord) fn profile_refused(why: &str) -> String {
    format!("Discord did not take it: {why}. Pictures and names can be changed only a few times an hour.")
}

pub(in crate::discord) fn profile_is_the_operators() -> String {
    "Its picture and its name are the same on every server, so only whoever runs this bot changes them: people in \
     `discord.operators`. `/profile nickname` is for this server."
        .to_owned()
}

pub(in crate::discord) fn no_picture(familiar: &str) -> String {
    format!("The card of {familiar} has no picture that can be read: `memory/self/assets/avatar.png`.")
}

pub(in crate::discord) fn picture_too_large() -> String {
    "The card's picture is larger than the 10 MiB that Discord takes.".to_owned()
}

pub(in crate::discord) fn name_does_not_fit(name: &str) -> String {
    format!("Discord takes names of 2 to 32 characters, and “{name}” has {}.", name.chars().count())
}

pub(in crate::discord) fn nicknames_are_of_servers() -> String {
    "It is called something else only on servers.".to_owned()
}

pub(in crate::discord) fn needs_manage_nicknames() -> String {
    "For that you need the permission Manage Nicknames here.".to_owned()
}

#[cfg(test)]
mod tests {
    use jiff::Zoned;

    use super::*;
    use crate::familiar::read_schedule;

    fn part(line: &str) -> Option<DayPart> {
        let noon: Zoned = "2026-03-02T12:00[UTC]".parse().unwrap();
        read_schedule(line).0.at(&noon).cloned()
    }

    #[test]
    fn how_it_is_is_told_from_its_day_and_its_mood() {
        let days = [
            "- 11:00-13:00 asleep: in the bunk",
            "- 11:00-13:00 asleep",
            "- 11:00-13:00 busy: mending nets",
            "- 11:00-13:00 busy",
            "- 11:00-13:00 awake: on the quay",
            "",
        ];
        let told = days.map(|line| {
            let part = part(line);
            let shown = status_words(part.as_ref(), Some("cheerful")).unwrap_or_default();
            format!("{shown} | {}", how_it_is("Ada", part.as_ref(), Some("cheerful")))
        });
        insta::assert_snapshot!(told.join("\n"), @r"
        asleep, in the bunk | Ada is asleep until 13:00: in the bunk. Whoever speaks to Ada is answered all the same.
        asleep | Ada is asleep until 13:00. Whoever speaks to Ada is answered all the same.
        mending nets · cheerful | Ada is busy until 13:00: mending nets. Mood: cheerful.
        busy · cheerful | Ada is busy until 13:00. Mood: cheerful.
        on the quay · cheerful | Ada is up and about: on the quay. Mood: cheerful.
        cheerful | Ada is up and about. Mood: cheerful.
        ");
        assert_eq!(status_words(None, None), None);
        assert_eq!(how_it_is("Ada", None, None), "Ada is up and about.");
        let long = format!("- 11:00-13:00 awake: {}", "nets and ".repeat(17));
        assert!(status_words(part(&long).as_ref(), None).unwrap().chars().count() <= LINE_CHARS);
    }
}
