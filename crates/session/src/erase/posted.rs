//! What was posted of people's words on a platform by the program itself, and has to be taken back there when they are
//! forgotten: transcripts of calls.
//!
//! Owns which messages those are and of whom, without a word of them. Forgetting only marks them: whoever speaks on the
//! platform takes them back, now or at the next start, and says so here. Start reading at [`note_posted`].

use std::collections::BTreeSet;
use std::fs;
use std::io;

use jiff::Timestamp;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::config::{FamiliarHome, write_atomic};
use crate::domain::{AccountId, ChannelId, MessageId};
use crate::home::if_there;

/// Messages that are known at most; of older ones it is not known any more whose words they hold.
const KEPT: usize = 10_000;

/// What the familiar said aloud is stored and written down each when it is over, so far apart at most, in milliseconds.
const OWN_APART_MS: i64 = 5_000;

/// The file is read, changed and written by one at a time.
static WRITING: Mutex<()> = Mutex::new(());

/// One message that holds people's words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Posted {
    pub channel: ChannelId,
    pub message: MessageId,
    pub people: BTreeSet<String>,
    /// When the first and the last of it was said, where that was written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<(Timestamp, Timestamp)>,
    /// Somebody in it was forgotten: it is to be taken back.
    #[serde(default)]
    pub is_unwanted: bool,
}

impl Posted {
    /// Whether it may hold what somebody, or the familiar where it is nobody, said aloud at a moment, in milliseconds since
    /// 1970.
    pub(super) fn may_hold(&self, channel: &str, by: Option<&str>, at_ms: i64) -> bool {
        let apart = if by.is_some() { 0 } else { OWN_APART_MS };
        let is_within = |(first, last): (Timestamp, Timestamp)| {
            (first.as_millisecond() - apart..=last.as_millisecond() + apart).contains(&at_ms)
        };
        self.channel.as_str() == channel
            && by.is_none_or(|by| self.people.contains(by))
            // Of one that does not say when, nothing is known.
            && self.said.is_none_or(is_within)
    }
}

/// Writes down that a message holds words of these people, said between these two moments; of one that is known, that it
/// now holds them too.
pub fn note_posted(
    home: &FamiliarHome,
    channel: &ChannelId,
    message: &MessageId,
    people: &BTreeSet<AccountId>,
    (first, last): (Timestamp, Timestamp),
) -> io::Result<()> {
    let people: BTreeSet<String> = people.iter().map(ToString::to_string).collect();
    change_posted(home, |all| {
        if let Some(known) = all.iter_mut().find(|one| one.message == *message) {
            known.people.extend(people);
            known.said = known.said.map(|(from, to)| (from.min(first), to.max(last)));
            return;
        }
        let (channel, message) = (channel.clone(), message.clone());
        all.push(Posted { channel, message, people, said: Some((first, last)), is_unwanted: false });
        let too_many = all.len().saturating_sub(KEPT);
        all.drain(..too_many);
    })
}

/// What is to be taken back.
pub fn unwanted(home: &FamiliarHome) -> io::Result<Vec<Posted>> {
    let _one = WRITING.lock();
    Ok(read_posted(home)?.into_iter().filter(|one| one.is_unwanted).collect())
}

/// Everything that is known: of one person, or of all.
pub fn known_posted(home: &FamiliarHome, person: Option<&AccountId>) -> io::Result<Vec<Posted>> {
    let _one = WRITING.lock();
    let person = person.map(ToString::to_string);
    let is_theirs = |one: &Posted| person.as_ref().is_none_or(|person| one.people.contains(person));
    Ok(read_posted(home)?.into_iter().filter(is_theirs).collect())
}

/// These messages are to be taken back.
pub fn unwant(home: &FamiliarHome, messages: &BTreeSet<MessageId>) -> io::Result<()> {
    change_posted(home, |all| {
        all.iter_mut().filter(|one| messages.contains(&one.message)).for_each(|one| one.is_unwanted = true);
    })
}

/// Messages are gone from the platform.
pub fn taken_back(home: &FamiliarHome, messages: &[MessageId]) -> io::Result<()> {
    change_posted(home, |all| all.retain(|one| !messages.contains(&one.message)))
}

/// These people are forgotten, or everything in a channel, and whatever else these messages may hold.
pub(super) fn forget_posted(
    home: &FamiliarHome,
    people: &BTreeSet<AccountId>,
    channel: Option<&ChannelId>,
    messages: &BTreeSet<MessageId>,
) -> io::Result<()> {
    let people: BTreeSet<String> = people.iter().map(ToString::to_string).collect();
    // An earlier version set a damaged list aside, with names in it.
    super::files::gone(&home.transcripts_json().with_extension("damaged.json"))?;
    change_posted(home, |all| {
        for one in all {
            one.is_unwanted |= !one.people.is_disjoint(&people)
                || channel == Some(&one.channel)
                || messages.contains(&one.message);
            one.people.retain(|person| !people.contains(person));
        }
    })
}

fn change_posted(home: &FamiliarHome, change: impl FnOnce(&mut Vec<Posted>)) -> io::Result<()> {
    let _one = WRITING.lock();
    let before = read_posted(home)?;
    let mut all = before.clone();
    change(&mut all);
    if all == before {
        return Ok(());
    }
    write_posted(home, &all)
}

fn write_posted(home: &FamiliarHome, all: &[Posted]) -> io::Result<()> {
    let text = serde_json::to_string(all).map_err(io::Error::other)?;
    write_atomic(&home.transcripts_json(), &text).map_err(io::Error::other)
}

/// The entries of a damaged list that can be read: each is an object without others in it.
fn legible(text: &str) -> Vec<Posted> {
    let entries = text.split_inclusive('}').filter_map(|piece| piece.rfind('{').map(|begin| &piece[begin..]));
    entries.filter_map(|entry| serde_json::from_str(entry).ok()).collect()
}

fn read_posted(home: &FamiliarHome) -> io::Result<Vec<Posted>> {
    let Some(text) = if_there(fs::read_to_string(home.transcripts_json()))? else { return Ok(Vec::new()) };
    match serde_json::from_str(&text) {
        Ok(all) => Ok(all),
        Err(error) => {
            tracing::error!(%error, "the list of posted transcripts is damaged; what can be read of it is kept");
            let all = legible(&text);
            write_posted(home, &all)?;
            Ok(all)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEN: (Timestamp, Timestamp) = (Timestamp::UNIX_EPOCH, Timestamp::UNIX_EPOCH);
    use crate::domain::FamiliarId;

    #[test]
    fn messages_with_words_of_who_is_forgotten_are_to_be_taken_back_and_nobody_is_named_in_them() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        let (lounge, kitchen) = (ChannelId::from(1), ChannelId::from(2));
        let (ana, bob) = (AccountId::discord(3), AccountId::discord(4));
        let message = |id: u64| MessageId::from(id);
        assert_eq!(unwanted(&home).unwrap(), []);
        note_posted(&home, &lounge, &message(10), &BTreeSet::from([ana.clone()]), THEN).unwrap();
        note_posted(&home, &lounge, &message(10), &BTreeSet::from([bob.clone()]), THEN).unwrap();
        note_posted(&home, &lounge, &message(11), &BTreeSet::from([bob.clone()]), THEN).unwrap();
        note_posted(&home, &kitchen, &message(12), &BTreeSet::from([bob]), THEN).unwrap();
        forget_posted(&home, &BTreeSet::from([ana.clone()]), None, &BTreeSet::new()).unwrap();
        let ids = |all: Vec<Posted>| all.into_iter().map(|one| one.message).collect::<Vec<_>>();
        assert_eq!(ids(unwanted(&home).unwrap()), [message(10)]);
        let file = fs::read_to_string(home.transcripts_json()).unwrap();
        assert!(!file.contains("discord:3"), "{file}");
        taken_back(&home, &[message(10)]).unwrap();
        assert_eq!(unwanted(&home).unwrap(), []);
        forget_posted(&home, &BTreeSet::new(), Some(&kitchen), &BTreeSet::new()).unwrap();
        assert_eq!(ids(unwanted(&home).unwrap()), [message(12)]);
    }

    #[test]
    fn of_a_damaged_list_what_can_be_read_holds_and_whoever_is_forgotten_is_not_named() {
        let dir = tempfile::tempdir().unwrap();
        let home = FamiliarHome::new(dir.path(), &FamiliarId::new("ada").unwrap());
        let lounge = ChannelId::from(1);
        let (ana, anna) = (AccountId::discord(3), AccountId::discord(34));
        for (id, who) in [(10, &ana), (11, &anna), (12, &ana)] {
            note_posted(&home, &lounge, &MessageId::from(id), &BTreeSet::from([who.clone()]), THEN).unwrap();
        }
        let whole = fs::read_to_string(home.transcripts_json()).unwrap();
        // Cut off within the last entry, right behind the name.
        let cut = whole.rfind("discord:3").unwrap() + "discord:3".len();
        fs::write(home.transcripts_json(), &whole[..cut]).unwrap();
        forget_posted(&home, &BTreeSet::from([ana.clone()]), None, &BTreeSet::new()).unwrap();
        let taken_back: Vec<_> = unwanted(&home).unwrap().into_iter().map(|one| one.message).collect();
        assert_eq!(taken_back, [MessageId::from(10)]);
        let kept = fs::read_to_string(home.transcripts_json()).unwrap();
        assert!(kept.contains("\"discord:34\"") && !kept.contains("discord:3\""), "{kept}");
        assert_eq!(read_posted(&home).unwrap().len(), 2, "it goes on");
    }
}
