//! Whether two talks with the familiar cross in one channel.
//!
//! Owns who talks together, and which talk is the second. Must not know what comes of it. Start reading at [`is_second_talk`].

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;

use super::{SpokenTo, is_within};
use crate::domain::{AccountId, Author, MessageId, Role, StoredTurn};
use crate::text::names::{called_by, names_whole_word};

/// A talk with it is over when neither side has said anything for so long.
const GOES_ON: Duration = Duration::from_secs(180);

/// Whoever was given a thread of their own is given no other for so long.
const PARTED_FOR: Duration = Duration::from_secs(60 * 60);

/// Those of whom that is known in one channel.
const PARTED_MAX: usize = 8;

/// Whether a message goes on with a talk with the familiar while people who have nothing to do with whoever wrote it go on with
/// theirs, which began before. `recent` are the turns before it, oldest first.
pub(in crate::session) fn is_second_talk(
    asking: &StoredTurn,
    recent: &[StoredTurn],
    spoken_to: &SpokenTo,
) -> bool {
    let Some(author) = &asking.author else { return false };
    let spoke_to = |account: &AccountId| {
        let spoken = spoken_to.of(account)?;
        is_within(spoken.at, asking.at, GOES_ON).then_some(spoken.at)
    };
    if spoke_to(&author.account).is_none() {
        return false;
    }
    let before: Vec<&StoredTurn> = recent.iter().filter(|turn| turn.ordinal < asking.ordinal).collect();
    let lately: Vec<&StoredTurn> =
        before.iter().copied().filter(|turn| is_within(turn.at, asking.at, GOES_ON)).collect();
    let own = circle_of(&author.account, asking, &lately);
    let others = lately.iter().filter_map(|turn| by_somebody(turn)).filter(|by| !own.contains(&by.account));
    let others: BTreeSet<&AccountId> = others.map(|by| &by.account).collect();
    // They have been answered, and have said something since: their talk goes on as well.
    let goes_on = |account: &AccountId| {
        let mut since = lately.iter().skip_while(|turn| !is_by(turn, account));
        spoke_to(account).is_some()
            && since.any(|turn| turn.role == Role::Assistant)
            && since.any(|turn| is_by(turn, account))
    };
    let mine = before.iter().position(|turn| own.iter().any(|account| is_by(turn, account)));
    let began_before = |account: &AccountId| {
        let theirs = before.iter().position(|turn| is_by(turn, account));
        theirs.is_some_and(|theirs| mine.is_none_or(|mine| theirs < mine))
    };
    others.into_iter().any(|account| goes_on(account) && began_before(account))
}

/// Who talks together with somebody: those who answer each other, or call each other by name.
fn circle_of(whom: &AccountId, asking: &StoredTurn, lately: &[&StoredTurn]) -> BTreeSet<AccountId> {
    let all: Vec<&StoredTurn> = lately.iter().copied().chain([asking]).collect();
    let mut circle = BTreeSet::from([whom.clone()]);
    loop {
        let joined = all.iter().flat_map(|turn| joined_by(turn, &all)).find_map(|(one, other)| {
            match (circle.contains(&one), circle.contains(&other)) {
                (true, false) => Some(other),
                (false, true) => Some(one),
                _ => None,
            }
        });
        match joined {
            Some(joined) => circle.insert(joined),
            None => return circle,
        };
    }
}

/// Whom a message joins with whoever wrote it.
fn joined_by(turn: &StoredTurn, all: &[&StoredTurn]) -> Vec<(AccountId, AccountId)> {
    let Some(by) = by_somebody(turn) else { return Vec::new() };
    let parent = turn.reply_to.as_ref().and_then(|parent| all.iter().find(|one| one.id == parent.id));
    let answered = parent.and_then(|parent| by_somebody(parent));
    let called = all.iter().filter_map(|one| by_somebody(one)).filter(|other| {
        let shown = other.display_name.as_deref().map(called_by).unwrap_or_default();
        shown.iter().chain(&other.username).any(|name| names_whole_word(&turn.content, name))
    });
    let joined = answered.into_iter().chain(called).filter(|other| other.account != by.account);
    joined.map(|other| (by.account.clone(), other.account.clone())).collect()
}

fn by_somebody(turn: &StoredTurn) -> Option<&Author> {
    turn.author.as_ref().filter(|by| !by.is_bot)
}

fn is_by(turn: &StoredTurn, account: &AccountId) -> bool {
    by_somebody(turn).is_some_and(|by| by.account == *account)
}

/// Who was given a thread of their own lately, and for which message.
#[derive(Debug, Default)]
pub(in crate::session) struct Parted(Vec<(AccountId, MessageId, Timestamp)>);

impl Parted {
    /// Whether somebody may be given one for a message: the same again, where its answer begins anew.
    pub(in crate::session) fn may(&mut self, whom: &AccountId, message: &MessageId, at: Timestamp) -> bool {
        self.0.retain(|(_, _, since)| is_within(*since, at, PARTED_FOR));
        if let Some((_, of, _)) = self.0.iter().find(|(known, ..)| known == whom) {
            return of == message;
        }
        self.0.push((whom.clone(), message.clone(), at));
        self.0.drain(..self.0.len().saturating_sub(PARTED_MAX));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Audience, ChannelMode, ReplyParent, StoredId};

    const NAMES: [&str; 4] = ["", "Alice", "Ben", "Cara"];

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + second).unwrap()
    }

    fn says(ordinal: u64, who: u64, second: i64, content: &str) -> StoredTurn {
        let name = NAMES[usize::try_from(who).unwrap()];
        StoredTurn {
            id: StoredId(i64::try_from(ordinal).unwrap()),
            ordinal,
            role: Role::User,
            author: Some(Author::called(AccountId::discord(who), name)),
            audience: Audience::Canon,
            content: content.to_owned(),
            at: at(second),
            mode: ChannelMode::TextConversationRp,
            message: None,
            reply_to: None,
            turn: None,
            tokens: 1,
        }
    }

    fn answers(ordinal: u64, second: i64) -> StoredTurn {
        StoredTurn { role: Role::Assistant, author: None, ..says(ordinal, 0, second, "Leek, at nine.") }
    }

    fn spoken(all: &[(u64, i64)]) -> SpokenTo {
        let mut spoken_to = SpokenTo::default();
        all.iter()
            .for_each(|(who, second)| spoken_to.put(AccountId::discord(*who), at(*second), at(*second)));
        spoken_to
    }

    /// Alice and then Ben asked something and were answered; Alice went on.
    fn both() -> (Vec<StoredTurn>, SpokenTo) {
        let recent = vec![
            says(1, 1, 0, "is there soup?"),
            answers(2, 5),
            says(3, 2, 10, "when does the ferry leave?"),
            answers(4, 15),
            says(5, 1, 30, "which soup?"),
        ];
        (recent, spoken(&[(1, 5), (2, 15)]))
    }

    #[test]
    fn who_goes_on_second_while_the_first_goes_on_is_the_second_talk() {
        let (recent, spoken_to) = both();
        assert!(is_second_talk(&says(6, 2, 40, "and the last one?"), &recent, &spoken_to));
        assert!(!is_second_talk(&says(6, 1, 40, "with leeks?"), &recent, &spoken_to), "theirs was first");
        assert!(!is_second_talk(&says(6, 3, 40, "hello"), &recent, &spoken_to), "it was not spoken to yet");
        let late = says(6, 2, 400, "and the last one?");
        assert!(!is_second_talk(&late, &recent, &spoken_to), "both are over");
    }

    #[test]
    fn who_has_not_gone_on_holds_nobody_up() {
        let (recent, spoken_to) = both();
        assert!(!is_second_talk(&says(5, 2, 30, "and the last one?"), &recent[..4], &spoken_to));
    }

    #[test]
    fn those_who_talk_with_each_other_have_one_talk() {
        let (mut recent, spoken_to) = both();
        let named = says(6, 2, 40, "the leek one, Alice. And the last ferry?");
        assert!(!is_second_talk(&named, &recent, &spoken_to));
        let parent = ReplyParent {
            id: StoredId(3),
            audience: Audience::Canon,
            author: Some("Ben".to_owned()),
            snippet: String::new(),
            at: at(10),
        };
        recent[4].reply_to = Some(parent);
        assert!(!is_second_talk(&says(6, 2, 40, "and the last one?"), &recent, &spoken_to));
        // Through somebody who talks with both.
        let (mut recent, spoken_to) = both();
        recent.push(says(6, 3, 35, "Ben, ask Alice"));
        assert!(!is_second_talk(&says(7, 2, 40, "and the last one?"), &recent, &spoken_to));
    }

    #[test]
    fn one_thread_an_hour_is_enough_for_anybody() {
        let mut parted = Parted::default();
        let (ben, alice) = (AccountId::discord(2), AccountId::discord(1));
        let (one, other) = (MessageId::from(1), MessageId::from(2));
        assert!(parted.may(&ben, &one, at(0)));
        assert!(parted.may(&ben, &one, at(1)), "its answer began anew");
        assert!(!parted.may(&ben, &other, at(60)) && parted.may(&alice, &other, at(60)));
        assert!(parted.may(&ben, &other, at(3_700)));
    }
}
