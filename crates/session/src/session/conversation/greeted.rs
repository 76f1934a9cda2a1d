//! A greeting that is asked for. Where another one stands and nobody has said anything behind it, it takes that one's place: two
//! openings of one talk contradict each other.

use super::Conversation;
use crate::domain::{StoredTurn, TurnId};
use crate::history::Visible;
use crate::session::greeting::{self, Own};
use crate::session::in_place::{NotPut, PutInPlace, StandingReply};
use crate::session::parts::GreetError;
use crate::text::defuse::without_invitations;
use crate::text::short::one_line;

/// How a greeting that was asked for came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GreetingCame {
    /// As words of their own, behind what was said.
    Behind,
    /// In the place of the greeting that stood.
    Instead,
}

impl Conversation {
    /// Says the greeting of that number, from 0, or puts it in the place of the one that stands.
    pub(super) async fn greet(
        &mut self,
        which: Option<usize>,
        whom: Option<String>,
    ) -> Result<GreetingCame, GreetError> {
        let raw = greeting::greetings_for(&self.parts, &self.place);
        let which = which.unwrap_or(0);
        if which >= raw.len() {
            return Err(GreetError::NoSuchGreeting { available: raw.len() });
        }
        let turn = self.parts.traces.next_turn();
        let mut greetings = self.filled(&raw, whom, turn).await;
        let standing = self.standing_greeting(&greetings).await;
        let text = greetings.swap_remove(which);
        match standing {
            Some((reply, stands)) => self.greet_instead(&reply, &stands, &text).await,
            None => {
                let way = self.ways.to(&self.place);
                let own = Own::written(text, "a greeting was asked for");
                greeting::say(&self.parts, way.as_ref(), &self.place, turn, own).await?;
                Ok(GreetingCame::Behind)
            }
        }
    }

    /// Whether the newest reply, which is this, is a greeting.
    pub(super) async fn is_greeting(&self, reply: &StoredTurn) -> bool {
        let Some(turn) = reply.turn else { return false };
        let raw = greeting::greetings_for(&self.parts, &self.place);
        let greetings = self.filled(&raw, None, turn).await;
        self.standing_greeting(&greetings).await.is_some()
    }

    /// Greetings as they are said to somebody; without a name to whoever spoke last.
    async fn filled(&self, raw: &[String], whom: Option<String>, turn: TurnId) -> Vec<String> {
        let whom = match whom {
            Some(whom) => Some(whom),
            None => self.last_speaker().await,
        };
        let filled = |raw: &String| greeting::filled(&self.parts, &self.place, turn, whom.as_deref(), raw);
        raw.iter().map(filled).collect()
    }

    /// The newest reply and its words, where it is one of these greetings and nobody has said anything behind it.
    async fn standing_greeting(&self, greetings: &[String]) -> Option<(StandingReply, String)> {
        let message = self.last_exchange().await.reply?.message?;
        let here = Visible::at(&self.place);
        let seen = self.parts.history.seen_by(&here);
        let (turn, messages) =
            seen.reply_of(&self.place.channel, &message, self.parts.encoding()).await.ok().flatten()?;
        // As it was posted: in several messages perhaps, and inviting nobody.
        let bare = |text: &str| one_line(&without_invitations(text));
        let stands = bare(&turn.content);
        let is_greeting = greetings.iter().any(|greeting| bare(greeting) == stands);
        is_greeting.then(|| (StandingReply { id: turn.id, messages }, turn.content))
    }

    async fn greet_instead(
        &mut self,
        reply: &StandingReply,
        stands: &str,
        text: &str,
    ) -> Result<GreetingCame, GreetError> {
        self.recall_answers().await;
        self.answers.stands(reply.id, stands);
        match self.put(reply, text).await {
            PutInPlace::Stands { text, .. } if !text.is_empty() => {
                self.answers.turns_to(reply.id, &text);
                self.answers.stands(reply.id, &text);
                self.keep_answers(reply.id).await;
                Ok(GreetingCame::Instead)
            }
            PutInPlace::Stands { refused: Some(error), .. }
            | PutInPlace::Unchanged(NotPut::Refused(error)) => {
                Err(GreetError::Undelivered(error.to_string()))
            }
            _ => Err(GreetError::Undelivered("the greeting that stands could not be replaced".to_owned())),
        }
    }
}
