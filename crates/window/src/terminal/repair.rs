//! `/edit`, `/delete` and `/reset`: what it said last reads otherwise or is gone; the talk begins anew. The same as under
//! *Repair this reply* and by `/reset` on Discord.

use super::{Terminal, TerminalError, messages};
use crate::domain::{AccountId, TokenEncoding};
use crate::history::{HistoryError, Visible};
use crate::session::{RepairRequest, Repaired, Wanted};

impl Terminal {
    /// `/edit It is hot.`
    pub(super) async fn edit_reply(&self, words: &str) -> Result<(), TerminalError> {
        match words.is_empty() {
            true => self.screen.note(messages::EDIT_WHAT),
            false => self.repair(Wanted::Words(words.to_owned())).await?,
        }
        Ok(())
    }

    /// `/delete`
    pub(super) async fn delete_reply(&self) -> Result<(), TerminalError> {
        self.repair(Wanted::Delete).await
    }

    async fn repair(&self, what: Wanted) -> Result<(), TerminalError> {
        let (here, place) = (Visible::at(&self.place), &self.place);
        let seen = self.parts.history.seen_by(&here);
        // What was said before the talk was begun anew is out of view.
        let begins_behind = self.begun.lock().map_or(0, |(_, now)| now.0);
        let stands = seen.last_assistant(&place.channel, TokenEncoding::Estimate).await;
        let message = match stands {
            Ok(reply) => reply.filter(|reply| reply.ordinal > begins_behind).and_then(|reply| reply.message),
            Err(error) => {
                self.screen.note(&error.to_string());
                return Ok(());
            }
        };
        let Some(message) = message else {
            self.screen.note(messages::NO_REPLY_TO_REPAIR);
            return Ok(());
        };
        let request = RepairRequest { message, by: AccountId::operator(), manages: true, what };
        match self.parts.session.repair(place, request).await? {
            Repaired::Stands { text, .. } => {
                self.screen.note(&messages::reads_now(&self.name(), &text));
            }
            Repaired::Gone { .. } => self.screen.note(messages::REPLY_GONE),
            Repaired::Busy => self.screen.note(messages::BUSY),
            Repaired::Unchanged(why) => self.screen.note(&messages::unchanged(&why)),
            _ => self.screen.note(messages::NO_REPLY_TO_REPAIR),
        }
        Ok(())
    }

    /// `/reset`, `/reset undo`
    pub(super) async fn reset(&self, said: &str) {
        let told = match said {
            "" => self.begins_anew().await,
            "undo" => self.begins_as_before().await,
            _ => Ok(messages::RESET_USAGE.to_owned()),
        };
        self.screen.note(&told.unwrap_or_else(|error| error.to_string()));
    }

    async fn begins_anew(&self) -> Result<String, HistoryError> {
        let begun = self.parts.session.begin_conversation(&self.place.channel).await?;
        Ok(match begun {
            Some(both) => {
                *self.begun.lock() = Some(both);
                messages::reset_told(&self.name())
            }
            None => messages::NOTHING_TO_RESET.to_owned(),
        })
    }

    async fn begins_as_before(&self) -> Result<String, HistoryError> {
        let Some((before, now)) = self.begun.lock().take() else {
            return Ok(messages::NO_RESET_TO_UNDO.to_owned());
        };
        let is_back = self.parts.session.begin_again(&self.place.channel, now, before).await?;
        Ok(match is_back {
            true => messages::reset_undone(&self.name()),
            false => messages::RESET_SINCE.to_owned(),
        })
    }
}
