//! Going back in a talk: another answer, one that was given before, the last exchange taken back. All of it is edits and
//! deletions, so that what is derived from the words follows as it does when somebody edits or deletes.

use super::Conversation;
use crate::domain::{MessageId, Role, StoredId, StoredTurn};
use crate::history::{ANSWERED_MAX, AnswersTo, Beginning, Visible};
use crate::session::aside;
use crate::session::greeting::{self, Own};
use crate::session::in_place::{self, PutInPlace, StandingReply};
use crate::session::waiting::Call;

/// Why another answer is given.
pub(super) const WANTED_ANOTHER: &str = "somebody wanted another answer";

/// So many answers to the same words are kept.
const ANSWERS_MAX: usize = 9;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GoBack {
    /// Another answer in the place of the last one.
    Again,
    /// The answer that was given before the one that stands.
    Earlier,
    /// The one that was given after it.
    Later,
    /// The last exchange is taken back: what was said last, and the answer to it.
    Undo,
}

/// What changed of what was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WentBack {
    /// These messages are gone.
    Gone(Vec<MessageId>),
    /// This message reads otherwise now.
    Changed(MessageId),
    /// There is nothing to go back to.
    Nothing,
}

/// How many answers there are to what was said last, and which of them stands, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alternatives {
    pub standing: usize,
    pub all: usize,
}

/// The answers that were given to what was said lately, newest last.
#[derive(Debug, Default)]
pub(super) struct Answers {
    known: Vec<AnswersTo>,
    /// Whether those are among them that were kept before this conversation woke up.
    are_read: bool,
}

impl Answers {
    /// None, and none that were kept: something is being forgotten.
    pub(super) fn forgotten() -> Self {
        Self { known: Vec::new(), are_read: true }
    }

    fn came_back(&mut self, kept: Vec<AnswersTo>) {
        let is_new = |one: &AnswersTo| !self.known.iter().any(|known| known.asked == one.asked);
        let mut all: Vec<AnswersTo> = kept.into_iter().filter(is_new).collect();
        for one in &mut all {
            one.at = one.at.min(one.texts.len());
        }
        all.append(&mut self.known);
        all.drain(..all.len().saturating_sub(ANSWERED_MAX));
        *self = Self { known: all, are_read: true };
    }

    /// What is worth keeping: where there is another one than the one that stands.
    fn worth_keeping(&self, asked: StoredId) -> Option<AnswersTo> {
        let known = self.known.iter().find(|known| known.asked == asked)?;
        (known.texts.len() > 1 || known.at > 0).then(|| known.clone())
    }

    /// This stands as the answer to that.
    pub(super) fn stands(&mut self, asked: StoredId, text: &str) -> Alternatives {
        let known = self.known.iter().position(|known| known.asked == asked);
        let mut known = match known {
            Some(at) => self.known.remove(at),
            None => AnswersTo { asked, texts: Vec::new(), at: 0 },
        };
        if known.at == known.texts.len() && known.texts.last().is_some_and(|last| last == text) {
            // Another one was wanted and did not come before the program ended.
            known.at -= 1;
        }
        match known.texts.get_mut(known.at) {
            Some(standing) => text.clone_into(standing),
            None => known.texts.push(text.to_owned()),
        }
        let alternatives = Alternatives { standing: known.at + 1, all: known.texts.len() };
        if self.known.len() == ANSWERED_MAX {
            self.known.remove(0);
        }
        self.known.push(known);
        alternatives
    }

    /// What stands next is another answer to that.
    pub(super) fn wants_another(&mut self, asked: StoredId) {
        let Some(known) = self.known.iter_mut().find(|known| known.asked == asked) else { return };
        if known.texts.len() == ANSWERS_MAX {
            known.texts.remove(0);
        }
        known.at = known.texts.len();
    }

    /// That one stands next: the known one of those words, or another.
    pub(super) fn turns_to(&mut self, asked: StoredId, text: &str) {
        let known = self.known.iter_mut().find(|known| known.asked == asked);
        let is_known = known.is_some_and(|known| match known.texts.iter().position(|one| one == text) {
            Some(at) => {
                known.at = at;
                true
            }
            None => false,
        });
        if !is_known {
            self.wants_another(asked);
        }
    }

    /// Whether there are answers to that.
    fn are_known(&self, asked: StoredId) -> bool {
        self.known.iter().any(|known| known.asked == asked)
    }

    /// Something was said behind a reply that stood among others by itself: it is no longer one of several. Where the same
    /// was said once more behind it, they are taken for those behind it: nothing that was given is let go of unseen.
    fn are_over(&mut self, own: &StoredTurn, behind: Option<&StoredTurn>) {
        self.known.retain(|known| {
            known.asked != own.id
                || known.texts.get(known.at).is_none_or(|stands| {
                    *stands != own.content || behind.is_some_and(|behind| *stands == behind.content)
                })
        });
    }

    /// The one before or behind the one that stands.
    pub(super) fn beside(&self, asked: StoredId, how: GoBack) -> Option<&str> {
        let known = self.known.iter().find(|known| known.asked == asked)?;
        known.texts.get(place_beside(known, how)?).map(String::as_str)
    }

    /// That one stands from now on.
    pub(super) fn goes(&mut self, asked: StoredId, how: GoBack) {
        let Some(known) = self.known.iter_mut().find(|known| known.asked == asked) else { return };
        known.at = place_beside(known, how).unwrap_or(known.at);
    }

    /// The one that stood before another was wanted, which did not come; it stands again.
    pub(super) fn comes_back(&mut self, asked: StoredId) -> Option<String> {
        let known = self.known.iter_mut().find(|known| known.asked == asked)?;
        known.at = known.texts.len().checked_sub(1).filter(|_| known.at == known.texts.len())?;
        known.texts.last().cloned()
    }

    /// What was said is gone, and so are the answers to it.
    pub(super) fn let_go_of(&mut self, gone: &[StoredId]) {
        self.known.retain(|known| !gone.contains(&known.asked));
    }
}

fn place_beside(known: &AnswersTo, how: GoBack) -> Option<usize> {
    match how {
        GoBack::Earlier => known.at.checked_sub(1),
        _ => Some(known.at + 1),
    }
}

/// A reply that is gone because another answer is to take its place.
pub(super) struct Replaced {
    pub asked: StoredId,
    pub reply: StoredId,
}

/// What was said last, and the answer to it.
pub(super) struct Exchange {
    /// By people, oldest first. Where the reply goes on with one before it, that one, as said to whoever it spoke to; where it
    /// begins a thread, what that hangs on.
    pub asked: Vec<StoredTurn>,
    pub reply: Option<StoredTurn>,
    /// Whether what it answers is not taken back with it: the reply before it, or what was said in the channel above.
    pub goes_on: bool,
}

impl Conversation {
    /// What is being said ends first, and counts as said.
    pub(super) async fn go_back(&mut self, how: GoBack) -> WentBack {
        if let Some(turn) = self.running.as_ref().map(|running| running.turn) {
            self.end(turn).await;
        }
        self.recall_answers().await;
        let Exchange { asked, reply, goes_on } = self.last_exchange().await;
        let known_by = match how {
            GoBack::Earlier | GoBack::Later => self.known_by(&asked, reply.as_ref()),
            GoBack::Again | GoBack::Undo => asked.last().map(|turn| turn.id),
        };
        let went = match how {
            GoBack::Undo => {
                let asked: &[StoredTurn] = if goes_on { &[] } else { &asked };
                let said = asked.iter().chain(&reply).filter_map(|turn| turn.message.clone());
                self.take_back(said.collect()).await
            }
            GoBack::Again => self.answer_again(asked, reply).await,
            GoBack::Earlier | GoBack::Later => {
                let Some((known_by, reply)) = known_by.zip(reply) else { return WentBack::Nothing };
                let Some(message) = reply.message else { return WentBack::Nothing };
                self.answers.stands(known_by, &reply.content);
                let reply = StandingReply { id: reply.id, messages: vec![message.clone()] };
                match self.put_beside(&reply, known_by, how).await {
                    Some(PutInPlace::Stands { .. }) => WentBack::Changed(message),
                    Some(PutInPlace::Unchanged(_)) | None => WentBack::Nothing,
                }
            }
        };
        if let Some(known_by) = known_by.filter(|_| went != WentBack::Nothing) {
            self.keep_answers(known_by).await;
        }
        went
    }

    /// Has those known that were kept before this conversation woke up.
    pub(super) async fn recall_answers(&mut self) {
        if self.answers.are_read {
            return;
        }
        let (here, now) = (Visible::at(&self.place), self.parts.clock.now());
        match self.parts.history.seen_by(&here).answers_in(&self.place.channel, now).await {
            Ok(kept) => self.answers.came_back(kept),
            Err(error) => tracing::warn!(%error, "other answers that were kept could not be read"),
        }
    }

    /// Keeps the answers to that for whoever goes back to them after a start.
    pub(super) async fn keep_answers(&self, asked: StoredId) {
        let history = &self.parts.history;
        let kept = match self.answers.worth_keeping(asked) {
            Some(known) => history.keep_answers(known, &self.place.audience, self.parts.clock.now()).await,
            None => history.let_go_of_answers(asked).await,
        };
        if let Err(error) = kept {
            tracing::warn!(%error, "other answers could not be kept");
        }
    }

    /// Has the answer before or behind the one that stands take its place; `None` where there is none.
    pub(super) async fn put_beside(
        &mut self,
        reply: &StandingReply,
        asked: StoredId,
        how: GoBack,
    ) -> Option<PutInPlace> {
        let text = self.answers.beside(asked, how)?.to_owned();
        let put = self.put(reply, &text).await;
        if matches!(put, PutInPlace::Stands { refused: None, .. }) {
            self.answers.goes(asked, how);
        }
        Some(put)
    }

    /// Puts words in the place of a reply's; no words take it away.
    pub(super) async fn put(&mut self, reply: &StandingReply, text: &str) -> PutInPlace {
        let put = in_place::put(&self.parts, self.ways.usual.as_ref(), &self.place, reply, text).await;
        self.speculation = None;
        put
    }

    /// The answers to what was said last; `None` where nothing was answered.
    pub(super) async fn alternatives(&mut self) -> Option<Alternatives> {
        self.recall_answers().await;
        let Exchange { asked, reply, .. } = self.last_exchange().await;
        let reply = reply?;
        let known_by = self.known_by(&asked, Some(&reply))?;
        Some(self.answers.stands(known_by, &reply.content))
    }

    /// What the answers are known by among which a reply stands: the newest of what was asked; itself where nobody asked, as a
    /// greeting.
    fn known_by(&mut self, asked: &[StoredTurn], reply: Option<&StoredTurn>) -> Option<StoredId> {
        let itself = reply.map(|reply| reply.id);
        let Some(newest) = asked.last() else { return itself };
        if let Some(itself) = itself.filter(|itself| self.answers.are_known(*itself)) {
            return Some(itself);
        }
        if newest.role == Role::Assistant {
            self.answers.are_over(newest, reply);
        }
        Some(newest.id)
    }

    async fn answer_again(&mut self, asked: Vec<StoredTurn>, reply: Option<StoredTurn>) -> WentBack {
        let Some((newest, said_by)) = asked.last().map(|turn| (turn.id, turn.role)) else {
            return WentBack::Nothing;
        };
        if let Some(reply) = &reply
            && said_by == Role::Assistant
            && self.is_greeting(reply).await
        {
            // It answers nobody, and what people said before it is answered already.
            return WentBack::Nothing;
        }
        let went = match reply {
            None => WentBack::Gone(Vec::new()),
            Some(StoredTurn { message: None, .. }) => return WentBack::Nothing,
            Some(StoredTurn { id, content, message: Some(message), .. }) => {
                self.answers.stands(newest, &content);
                self.answers.wants_another(newest);
                self.will_be_replaced(newest, id).await;
                self.take_back(vec![message]).await
            }
        };
        self.wants_answered(asked, Call::Addressed(WANTED_ANOTHER));
        went
    }

    /// A program that is killed before the other answer is there brings this one back at its next start.
    async fn will_be_replaced(&mut self, asked: StoredId, reply: StoredId) {
        match self.parts.history.begin_replacing(reply).await {
            Ok(()) => self.replaced = Some(Replaced { asked, reply }),
            Err(error) => tracing::warn!(%error, "that a reply is to be replaced could not be written down"),
        }
    }

    /// The turn that answers this is over: the other answer is there, or the one that stood was said again.
    pub(super) async fn was_replaced(&mut self, answered: &[StoredId]) {
        let Some(replaced) = self.replaced.take_if(|replaced| answered.contains(&replaced.asked)) else {
            return;
        };
        if let Err(error) = self.parts.history.end_replacing(replaced.reply).await {
            tracing::warn!(%error, "that a reply was replaced could not be written down");
        }
    }

    /// Another answer was wanted and did not come: the one that stood is said again.
    pub(super) async fn stands_again(&mut self, asked: StoredId) {
        let Some(text) = self.answers.comes_back(asked) else { return };
        let own = Own::written(text, "another answer did not come, and the one that stood came back");
        let (turn, way) = (self.parts.traces.next_turn(), self.ways.to(&self.place));
        if let Err(error) = greeting::say(&self.parts, way.as_ref(), &self.place, turn, own).await {
            tracing::warn!(%error, "the answer that stood could not be said again");
        }
        self.keep_answers(asked).await;
    }

    async fn take_back(&mut self, messages: Vec<MessageId>) -> WentBack {
        if messages.is_empty() {
            return WentBack::Nothing;
        }
        let at = self.parts.clock.now();
        self.deleted(&messages, at).await;
        WentBack::Gone(messages)
    }

    /// The newest reply, with what people said since the one before; or what they said since the newest. Nothing from before
    /// the talk began anew.
    pub(super) async fn last_exchange(&self) -> Exchange {
        let mut recent = self.recent().await;
        let begins = self.parts.history.beginning(&self.place.channel).await;
        let Beginning(behind) = begins.unwrap_or_else(|error| {
            tracing::warn!(%error, "where a talk begins could not be read, so nothing of it is reached");
            Beginning(u64::MAX)
        });
        recent.retain(|turn| turn.ordinal > behind);
        let reply = recent.pop_if(|newest| newest.author.is_none());
        let begins = recent.iter().rposition(|turn| turn.author.is_none()).map_or(0, |before| before + 1);
        let mut asked = recent.split_off(begins);
        let mut answered = asked.len();
        // What was answered in a thread of its own waits for nothing here.
        while let Some(said) = answered.checked_sub(1).and_then(|at| asked.get(at)) {
            if aside::answered_in(&self.parts, &self.place, said).await.is_some() {
                break;
            }
            answered -= 1;
        }
        asked.drain(..answered);
        if asked.is_empty()
            && recent.is_empty()
            && reply.is_some()
            && behind == 0
            && let Some(above) = aside::hangs_on(&self.parts, &self.place).await
        {
            return Exchange { asked: vec![above], reply, goes_on: true };
        }
        let before = recent.pop().filter(|_| asked.is_empty() && reply.is_some());
        let goes_on = before.is_some();
        let author = recent.iter().rev().find_map(|turn| turn.author.clone());
        let asked = before.map_or(asked, |before| vec![StoredTurn { author, ..before }]);
        Exchange { asked, reply, goes_on }
    }
}
