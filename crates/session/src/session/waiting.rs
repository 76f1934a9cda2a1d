//! Messages that nobody has answered yet, and which of them want an answer.
//!
//! Owns the one list a conversation takes its next turn from. Whether a turn is wanted is read off the list and kept
//! nowhere else, so that a message taken back takes its wish along. Start reading at [`Waiting`].

use std::collections::BTreeSet;

use crate::domain::{AccountId, MessageId, Modality, StoredId, StoredTurn, Visible};

/// How many messages one turn answers at most; older unanswered ones stay ordinary history.
const MOST: usize = 10;

/// Why a message wants an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Addressed(&'static str),
    /// Somebody takes up what the familiar said to others: it answers as if spoken to, where it may speak unasked.
    TakenUp(&'static str),
    /// Somebody may: the model finds out.
    Perhaps(&'static str),
    /// Nobody does, but it is time to join in.
    JoinIn(&'static str),
}

impl Call {
    /// The reason, for traces.
    pub(super) fn why(self) -> &'static str {
        match self {
            Self::Addressed(why) | Self::TakenUp(why) | Self::Perhaps(why) | Self::JoinIn(why) => why,
        }
    }

    /// Whether somebody said it to the familiar and waits for an answer.
    pub(super) fn is_awaited(self) -> bool {
        matches!(self, Self::Addressed(_))
    }

    /// Whether nobody asked for it.
    pub(super) fn joins_in(self) -> bool {
        matches!(self, Self::JoinIn(_))
    }

    /// Whether an answer is to what somebody says to it.
    pub(super) fn is_answer(self) -> bool {
        matches!(self, Self::Addressed(_) | Self::TakenUp(_))
    }
}

#[derive(Debug, Clone)]
pub(super) struct Unanswered {
    pub turn: StoredTurn,
    /// Written or heard; an answer to it is given the same way.
    pub modality: Modality,
    pub call: Option<Call>,
    /// The model may find that it is not to be answered.
    pub is_unsure: bool,
}

impl Unanswered {
    /// Wants an answer for this reason, unless somebody expects one anyway.
    fn want(&mut self, call: Call) {
        if !self.is_expected() {
            self.call = Some(call);
        }
    }

    pub(super) fn is_expected(&self) -> bool {
        self.call.is_some_and(Call::is_answer)
    }
}

/// The messages, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting(Vec<Unanswered>);

impl Waiting {
    pub(super) fn push(&mut self, turn: StoredTurn, modality: Modality, call: Option<Call>) {
        self.0.push(Unanswered { turn, modality, call, is_unsure: false });
        self.trim();
    }

    /// Of the newest message it is not sure that it is to be answered.
    pub(super) fn doubt_newest(&mut self) {
        if let Some(newest) = self.0.last_mut() {
            newest.is_unsure = true;
        }
    }

    /// This message wants an answer after all, if it still waits.
    pub(super) fn call(&mut self, turn: StoredId, call: Call) {
        if let Some(one) = self.0.iter_mut().find(|one| one.turn.id == turn) {
            one.want(call);
            one.is_unsure = false;
        }
    }

    /// These wanted an answer, and still do where they still wait.
    pub(super) fn restore(&mut self, calls: &[(StoredId, Call)]) {
        for (turn, call) in calls {
            if let Some(one) = self.0.iter_mut().find(|one| one.turn.id == *turn) {
                one.want(*call);
            }
        }
    }

    /// None of them wants an answer any more.
    pub(super) fn expect_nothing(&mut self) {
        self.0.iter_mut().for_each(|one| one.call = None);
    }

    pub(super) fn holds(&self, turn: StoredId) -> bool {
        self.0.iter().any(|one| one.turn.id == turn)
    }

    /// Everything as [`Self::take_called`] would give it with one more, which wants an answer.
    pub(super) fn and(&self, one: Unanswered, visible: &Visible) -> Vec<Unanswered> {
        let mut all = Self(self.0.clone());
        all.0.push(one);
        all.trim();
        all.take_called(visible).unwrap_or_default()
    }

    /// What a turn was to answer and did not.
    pub(super) fn put_back(&mut self, unanswered: Vec<Unanswered>) {
        self.0.splice(0..0, unanswered);
        self.trim();
    }

    /// The newest message wants an answer after all.
    pub(super) fn call_newest(&mut self, call: Call) {
        if let Some(newest) = self.0.last_mut() {
            newest.want(call);
        }
    }

    pub(super) fn is_called(&self) -> bool {
        newest_call(&self.0).is_some()
    }

    /// Who expects the answer that comes next, where somebody does.
    pub(super) fn asker(&self) -> Option<&AccountId> {
        let (asking, _) = newest_call(&self.0).filter(|(one, _)| one.is_expected())?;
        asking.turn.author.as_ref().map(|author| &author.account)
    }

    /// Everything, when an answer is wanted. What not everybody who is there now could hear stays unanswered, unless it is
    /// what is asked.
    pub(super) fn take_called(&mut self, visible: &Visible) -> Option<Vec<Unanswered>> {
        let asking = newest_call(&self.0)?.0.turn.id;
        let mut all = std::mem::take(&mut self.0);
        all.retain(|one| one.turn.id == asking || visible.includes(&one.turn.audience));
        Some(all)
    }

    /// How many of them people wrote.
    pub(super) fn by_people(&self) -> u32 {
        let people = self.0.iter().filter(|one| one.turn.author.as_ref().is_some_and(|by| !by.is_bot));
        u32::try_from(people.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn edit(&mut self, now: &StoredTurn) {
        edit_waiting(&mut self.0, now);
    }

    /// Takes messages out; whether the newest was among them.
    pub(super) fn delete(&mut self, messages: &[MessageId]) -> bool {
        let newest = self.0.last().map(|one| one.turn.id);
        delete(&mut self.0, messages);
        self.0.last().map(|one| one.turn.id) != newest
    }

    /// Takes out what was forgotten; whether the newest was among it.
    pub(super) fn forget(&mut self, turns: &BTreeSet<StoredId>) -> bool {
        let newest = self.0.last().map(|one| one.turn.id);
        forget(&mut self.0, turns);
        self.0.last().map(|one| one.turn.id) != newest
    }

    /// Small talk goes before what wants an answer.
    fn trim(&mut self) {
        while self.0.len() > MOST {
            let older = &self.0[..self.0.len() - 1];
            let small_talk = older.iter().position(|one| one.call.is_none());
            let half_meant = || older.iter().position(|one| !one.is_expected());
            self.0.remove(small_talk.or_else(half_meant).unwrap_or(0));
        }
    }
}

/// The newest message to which an answer is expected; where there is none, the newest that wants one for another reason.
/// What nobody may have asked takes no question's place.
pub(super) fn newest_call(unanswered: &[Unanswered]) -> Option<(&Unanswered, Call)> {
    let expected = unanswered.iter().rfind(|one| one.is_expected());
    let asking = expected.or_else(|| unanswered.iter().rfind(|one| one.call.is_some()))?;
    asking.call.map(|call| (asking, call))
}

/// Puts a message as it reads now in the place of what it was; whether that changed anything.
pub(super) fn edit_waiting(unanswered: &mut [Unanswered], now: &StoredTurn) -> bool {
    match unanswered.iter_mut().find(|one| one.turn.id == now.id) {
        Some(one) if one.turn.content != now.content => {
            one.turn = now.clone();
            true
        }
        _ => false,
    }
}

/// Takes out what was forgotten, and quotations of it; whether any message was.
pub(super) fn forget(unanswered: &mut Vec<Unanswered>, turns: &BTreeSet<StoredId>) -> bool {
    let before = unanswered.len();
    unanswered.retain(|one| !turns.contains(&one.turn.id));
    for one in &mut *unanswered {
        if one.turn.reply_to.as_ref().is_some_and(|parent| turns.contains(&parent.id)) {
            one.turn.reply_to = None;
        }
    }
    unanswered.len() < before
}

/// Takes messages out; whether there were any of them.
pub(super) fn delete(unanswered: &mut Vec<Unanswered>, messages: &[MessageId]) -> bool {
    let before = unanswered.len();
    unanswered.retain(|one| !one.turn.message.as_ref().is_some_and(|id| messages.contains(id)));
    unanswered.len() < before
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Audience, Author, ChannelMode, Role};

    const ASKED: Call = Call::Addressed("asked");

    fn turn(id: u64) -> StoredTurn {
        let by = |account| Author {
            account: AccountId::discord(account),
            display_name: None,
            username: None,
            is_bot: account == 9,
        };
        StoredTurn {
            id: StoredId(i64::try_from(id).unwrap()),
            ordinal: id,
            role: Role::User,
            author: Some(by(id)),
            audience: Audience::Canon,
            content: format!("m{id}"),
            at: jiff::Timestamp::UNIX_EPOCH,
            mode: ChannelMode::FullRp,
            message: Some(MessageId::from(id)),
            reply_to: None,
            turn: None,
            tokens: 1,
        }
    }

    fn everybody() -> Visible {
        Visible::only([Audience::Canon])
    }

    fn ids(waiting: &Waiting) -> Vec<u64> {
        waiting.0.iter().map(|one| one.turn.ordinal).collect()
    }

    #[test]
    fn a_question_outlasts_the_small_talk_behind_it() {
        let mut waiting = Waiting::default();
        waiting.push(turn(1), Modality::Text, Some(ASKED));
        for id in 2..=15 {
            waiting.push(turn(id), Modality::Text, None);
        }
        assert_eq!(ids(&waiting), [1, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        assert!(waiting.is_called());
        let mut all_ask = Waiting::default();
        (1..=12).for_each(|id| all_ask.push(turn(id), Modality::Text, Some(ASKED)));
        assert_eq!(ids(&all_ask), [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        let mut half_meant = Waiting::default();
        half_meant.push(turn(1), Modality::Voice, Some(ASKED));
        (2..=12).for_each(|id| half_meant.push(turn(id), Modality::Voice, Some(Call::Perhaps("perhaps"))));
        assert_eq!(ids(&half_meant), [1, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn what_nobody_may_have_asked_takes_no_questions_place() {
        let (perhaps, joins_in) = (Call::Perhaps("perhaps"), Call::JoinIn("it joins in"));
        let asked = |calls: &[Call]| {
            let mut waiting = Waiting::default();
            for (id, call) in (1..).zip(calls) {
                waiting.push(turn(id), Modality::Voice, Some(*call));
            }
            newest_call(&waiting.0).map(|(one, call)| (one.turn.ordinal, call))
        };
        assert_eq!(asked(&[ASKED, perhaps, joins_in]), Some((1, ASKED)));
        assert_eq!(asked(&[ASKED, perhaps, ASKED]), Some((3, ASKED)));
        assert_eq!(asked(&[joins_in, perhaps]), Some((2, perhaps)));
        let mut waiting = Waiting::default();
        waiting.push(turn(1), Modality::Voice, Some(perhaps));
        waiting.restore(&[(turn(1).id, ASKED)]);
        waiting.call_newest(joins_in);
        assert_eq!(newest_call(&waiting.0).map(|(_, call)| call), Some(ASKED), "the most of it stays");
    }

    #[test]
    fn a_question_taken_back_is_no_longer_wanted() {
        let mut waiting = Waiting::default();
        waiting.push(turn(1), Modality::Text, Some(ASKED));
        waiting.push(turn(2), Modality::Text, None);
        assert!(!waiting.delete(&[MessageId::from(1)]), "the newest is still there");
        assert!(!waiting.is_called() && waiting.take_called(&everybody()).is_none());
        assert!(waiting.delete(&[MessageId::from(2)]));
    }

    #[test]
    fn what_comes_back_stands_before_what_came_since() {
        let mut waiting = Waiting::default();
        waiting.push(turn(1), Modality::Text, Some(ASKED));
        let taken = waiting.take_called(&everybody()).unwrap();
        waiting.push(turn(9), Modality::Text, None);
        waiting.put_back(taken);
        assert_eq!(ids(&waiting), [1, 9]);
        assert_eq!(waiting.by_people(), 1, "9 is a bot");
        let all = waiting.take_called(&everybody()).unwrap();
        assert_eq!(newest_call(&all).unwrap().0.turn.ordinal, 1, "the one that asked, not the last one");
    }

    #[test]
    fn what_not_everybody_there_now_could_hear_is_not_answered_with_the_rest() {
        let mut waiting = Waiting::default();
        let private = StoredTurn { audience: Audience::Private(1.into()), ..turn(1) };
        waiting.push(private.clone(), Modality::Text, None);
        waiting.push(turn(2), Modality::Text, Some(ASKED));
        let taken = waiting.take_called(&everybody()).unwrap();
        assert_eq!(taken.iter().map(|one| one.turn.ordinal).collect::<Vec<_>>(), [2]);
        waiting.push(private, Modality::Text, Some(ASKED));
        assert_eq!(waiting.take_called(&everybody()).unwrap().len(), 1, "whoever asks gets an answer");
    }

    #[test]
    fn saying_the_same_again_is_no_change() {
        let mut list =
            vec![Unanswered { turn: turn(1), modality: Modality::Text, call: None, is_unsure: false }];
        assert!(!edit_waiting(&mut list, &turn(1)));
        assert!(edit_waiting(&mut list, &StoredTurn { content: "else".to_owned(), tokens: 7, ..turn(1) }));
        assert_eq!((list[0].turn.content.as_str(), list[0].turn.tokens), ("else", 7));
    }
}
