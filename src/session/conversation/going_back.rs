//! Going back in a talk: another answer, one that was given before, the last exchange taken back. All of it is edits and
//! deletions, so that what is derived from the words follows as it does when somebody edits or deletes.

use super::Conversation;
use crate::domain::{MessageId, StoredId, StoredTurn};
use crate::history::Visible;
use crate::session::waiting::Call;

/// So many answers to the same words are kept.
const ANSWERS_MAX: usize = 9;

/// What is wanted.
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

/// The answers that were given to the same words, oldest first.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// The words.
    asked: Option<StoredId>,
    texts: Vec<String>,
    /// Which of them stands; behind the last where another one was asked for.
    at: usize,
}

impl Answers {
    /// This stands as the answer to that.
    fn stands(&mut self, asked: StoredId, text: &str) {
        if self.asked != Some(asked) {
            *self = Self { asked: Some(asked), ..Self::default() };
        }
        match self.texts.get_mut(self.at) {
            Some(standing) => text.clone_into(standing),
            None => self.texts.push(text.to_owned()),
        }
    }

    fn wants_another(&mut self) {
        if self.texts.len() == ANSWERS_MAX {
            self.texts.remove(0);
        }
        self.at = self.texts.len();
    }

    /// The one before or behind the one that stands, which stands from now on.
    fn go(&mut self, how: GoBack) -> Option<String> {
        let to = match how {
            GoBack::Earlier => self.at.checked_sub(1)?,
            _ => self.at + 1,
        };
        let text = self.texts.get(to)?.clone();
        self.at = to;
        Some(text)
    }
}

/// What was said last, and the answer to it.
pub(super) struct Exchange {
    /// By people, oldest first.
    pub asked: Vec<StoredTurn>,
    pub reply: Option<StoredTurn>,
}

impl Exchange {
    /// What can be taken back of these.
    fn messages(turns: &[&StoredTurn]) -> Vec<MessageId> {
        turns.iter().filter_map(|turn| turn.message.clone()).collect()
    }
}

impl Conversation {
    /// What is being said ends first, and counts as said.
    pub(super) async fn go_back(&mut self, how: GoBack) -> WentBack {
        if let Some(turn) = self.running.as_ref().map(|running| running.turn) {
            self.end(turn).await;
        }
        let Exchange { asked, reply } = self.last_exchange().await;
        match how {
            GoBack::Undo => {
                let gone: Vec<&StoredTurn> = asked.iter().chain(&reply).collect();
                self.take_back(Exchange::messages(&gone)).await
            }
            GoBack::Again => self.answer_again(asked, reply).await,
            GoBack::Earlier | GoBack::Later => {
                let Some((newest, reply)) = asked.last().zip(reply) else { return WentBack::Nothing };
                self.answers.stands(newest.id, &reply.content);
                let (Some(text), Some(message)) = (self.answers.go(how), reply.message) else {
                    return WentBack::Nothing;
                };
                let at = self.parts.clock.now();
                self.edited(&message, &text, at).await;
                WentBack::Changed(message)
            }
        }
    }

    /// The answers to what was said last; `None` where nothing was answered.
    pub(super) async fn alternatives(&mut self) -> Option<Alternatives> {
        let Exchange { asked, reply } = self.last_exchange().await;
        self.answers.stands(asked.last()?.id, &reply?.content);
        Some(Alternatives { standing: self.answers.at + 1, all: self.answers.texts.len() })
    }

    async fn answer_again(&mut self, asked: Vec<StoredTurn>, reply: Option<StoredTurn>) -> WentBack {
        let Some(newest) = asked.last().map(|turn| turn.id) else { return WentBack::Nothing };
        let gone = Exchange::messages(&reply.iter().collect::<Vec<_>>());
        if reply.is_some() && gone.is_empty() {
            return WentBack::Nothing;
        }
        if let Some(reply) = &reply {
            self.answers.stands(newest, &reply.content);
            self.answers.wants_another();
        }
        let kept = std::mem::take(&mut self.answers);
        let went = if gone.is_empty() { WentBack::Gone(gone) } else { self.take_back(gone).await };
        self.answers = kept;
        self.wants_answered(asked, Call::Addressed("somebody wanted another answer"));
        went
    }

    async fn take_back(&mut self, messages: Vec<MessageId>) -> WentBack {
        if messages.is_empty() {
            return WentBack::Nothing;
        }
        let at = self.parts.clock.now();
        self.deleted(&messages, at).await;
        WentBack::Gone(messages)
    }

    /// The newest reply, with what people said since the one before; or what they said since the newest.
    pub(super) async fn last_exchange(&self) -> Exchange {
        let mut recent = self.recent().await;
        let visible = Visible::at(&self.place);
        recent.retain(|turn| visible.includes(&turn.audience));
        let reply = recent.pop_if(|newest| newest.author.is_none());
        let begins = recent.iter().rposition(|turn| turn.author.is_none()).map_or(0, |before| before + 1);
        Exchange { asked: recent.split_off(begins), reply }
    }
}
