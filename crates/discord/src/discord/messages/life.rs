//! How it is, in words.

use super::say::{said, sentences};
use super::{Tongue, case_name, permissions};
use crate::discord::refused::Refused;
use crate::familiar::{DayPart, Wakefulness};
use crate::text::short::shortened;

/// Characters that Discord shows of a line beside a name.
const LINE_CHARS: usize = 128;

sentences! {
    /// What stands in the menu of a message that the talk is to go on from.
    branch();
    /// A thread was opened.
    branched(thread: u64);
    branches_not_here(familiar: &str);
    /// Discord does not take it: names and pictures may be changed a few times an hour.
    profile_refused(why: &str);
    profile_is_the_operators();
    no_picture(familiar: &str);
    picture_too_large();
    nicknames_are_of_servers();
    needs_manage_nicknames();
}

/// What stands beside its name: what it is doing, and its mood; nothing where there is neither.
pub(in crate::discord) fn status_words(
    to: Tongue,
    part: Option<&DayPart>,
    mood: Option<&str>,
) -> Option<String> {
    let doing = part.and_then(|part| match (part.wakefulness, part.doing.as_str()) {
        (Wakefulness::Awake, "") => None,
        (Wakefulness::Asleep, "") => Some(said!(to, asleep)),
        (Wakefulness::Asleep, doing) => Some(said!(to, asleep_doing, doing)),
        (Wakefulness::Busy, "") => Some(said!(to, busy)),
        (_, doing) => Some(doing.to_owned()),
    });
    // Who sleeps shows no mood.
    let is_asleep = part.is_some_and(|part| part.wakefulness == Wakefulness::Asleep);
    let mood = mood.filter(|_| !is_asleep).map(|mood| said!(to, mood, mood = key(mood)));
    let parts: Vec<String> = doing.into_iter().chain(mood).collect();
    (!parts.is_empty()).then(|| shortened(&parts.join(" · "), LINE_CHARS - 1))
}

/// How it is, for whoever asks.
pub(super) fn how_it_is(to: Tongue, familiar: &str, part: Option<&DayPart>, mood: Option<&str>) -> String {
    let wakefulness = case_name(part.map_or(Wakefulness::Awake, |part| part.wakefulness));
    let until = part.map(|part| part.ends().to_string()).unwrap_or_default();
    let doing = part.map(|part| part.doing.as_str()).filter(|doing| !doing.is_empty()).unwrap_or("none");
    said!(to, how_it_is, familiar, wakefulness, until, doing, mood = key(mood.unwrap_or("none")))
}

/// A mood as the catalogue names it.
fn key(mood: &str) -> String {
    mood.replace(' ', "_")
}

/// What of how it appears on Discord was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::discord) enum ProfileChange {
    Picture,
    Name,
    Nickname,
}

pub(in crate::discord) fn profile_changed(to: Tongue, what: ProfileChange) -> String {
    said!(to, profile_changed, what = case_name(what))
}

/// What a command was to do was not done.
pub(in crate::discord) fn not_done(to: Tongue, why: &Refused) -> String {
    let (why, missing, words): (_, &[&str], _) = match why {
        Refused::BotLacks(missing) => ("BotLacks", missing, ""),
        Refused::AskerLacks(missing) => ("AskerLacks", missing, ""),
        Refused::AskerUnseen => ("AskerUnseen", &[], ""),
        Refused::NoThreadsHere => ("NoThreadsHere", &[], ""),
        Refused::NotConnected | Refused::Late => ("Late", &[], ""),
        Refused::MessageGone => ("MessageGone", &[], ""),
        Refused::HasThread => ("HasThread", &[], ""),
        Refused::Locked => ("Locked", &[], ""),
        Refused::ChannelGone => ("ChannelGone", &[], ""),
        Refused::NotAccepted => ("NotAccepted", &[], ""),
        Refused::Closed(_) => ("Closed", &[], ""),
        Refused::Passing(_) => ("Late", &[], ""),
        Refused::Said(words) => ("Said", &[], words.as_str()),
    };
    said!(to, not_done, why, missing = permissions(to, missing), words)
}

pub(in crate::discord) fn name_does_not_fit(to: Tongue, name: &str) -> String {
    said!(to, name_does_not_fit, name, chars = name.chars().count())
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
            let shown = status_words(Tongue::English, part.as_ref(), Some("cheerful")).unwrap_or_default();
            format!("{shown} | {}", how_it_is(Tongue::English, "Ada", part.as_ref(), Some("cheerful")))
        });
        insta::assert_snapshot!(told.join("\n"), @r"
        asleep, in the bunk | Ada is asleep until 13:00: in the bunk. Whoever speaks to Ada is answered all the same.
        asleep | Ada is asleep until 13:00. Whoever speaks to Ada is answered all the same.
        mending nets · cheerful | Ada is busy until 13:00: mending nets. Mood: cheerful.
        busy · cheerful | Ada is busy until 13:00. Mood: cheerful.
        on the quay · cheerful | Ada is up and about: on the quay. Mood: cheerful.
        cheerful | Ada is up and about. Mood: cheerful.
        ");
        assert_eq!(status_words(Tongue::English, None, None), None);
        assert_eq!(how_it_is(Tongue::English, "Ada", None, None), "Ada is up and about.");
        let long = format!("- 11:00-13:00 awake: {}", "nets and ".repeat(17));
        assert!(
            status_words(Tongue::English, part(&long).as_ref(), None).unwrap().chars().count() <= LINE_CHARS
        );
    }
}
