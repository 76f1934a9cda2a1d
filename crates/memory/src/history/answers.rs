//! Answers that were given to the same words besides the one that stands, for whoever goes back to them after a start.
//!
//! Owns how many are kept, for how long and for whom. They are no part of what was said: no prompt, no search and no export
//! has them. Must not know who may go back. Start reading at [`History::keep_answers`].

use jiff::{SignedDuration, Timestamp};
use rusqlite::{Row, Transaction, params};

use super::rows::{self, audience_columns, from_json, is_seen, to_json};
use super::{History, HistoryError, Seen};
use crate::domain::{Audience, ChannelId, StoredId};

/// To so many different words of one channel answers are kept.
pub const ANSWERED_MAX: usize = 8;

/// So many days they are kept, since one last went back and forth between them.
const KEPT_DAYS: i64 = 30;

/// The answers that were given to the same words, oldest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswersTo {
    /// The words.
    pub asked: StoredId,
    pub texts: Vec<String>,
    /// Which of them stands; behind the last where another one was asked for.
    pub at: usize,
}

impl Seen<'_> {
    /// Those that are kept of a channel, those first that were kept first.
    pub async fn answers_in(
        self,
        channel: &ChannelId,
        now: Timestamp,
    ) -> Result<Vec<AnswersTo>, HistoryError> {
        let sql = format!(
            "SELECT t.asked, t.texts, t.stands FROM other_answers t JOIN turns a ON a.id = t.asked
             WHERE a.channel = ?1 AND a.deleted_at_ms IS NULL AND t.at_ms >= ?2 AND {}
             ORDER BY t.at_ms, t.asked",
            is_seen("?3")
        );
        let answers = |row: &Row<'_>| {
            let at: u32 = row.get(2)?;
            Ok(AnswersTo { asked: StoredId(row.get(0)?), texts: from_json(row, 1)?, at: at as usize })
        };
        let bound = (channel.to_string(), oldest(now), rows::audience_pairs(self.visible));
        self.history.all(sql, bound, answers).await
    }
}

impl History {
    /// Keeps these for whoever may see `audience`; not where what they answer is gone. The oldest of the channel, and what is
    /// old anywhere, are let go of.
    pub async fn keep_answers(
        &self,
        answers: AnswersTo,
        audience: &Audience,
        now: Timestamp,
    ) -> Result<(), HistoryError> {
        let (kind, key) = audience_columns(audience);
        self.write(move |tx| {
            tx.prepare_cached(
                "INSERT OR REPLACE INTO other_answers
                     SELECT id, ?2, ?3, ?4, ?5, ?6 FROM turns WHERE id = ?1 AND deleted_at_ms IS NULL",
            )?
            .execute(params![
                answers.asked.0,
                kind,
                key,
                to_json(&answers.texts)?,
                u32::try_from(answers.at).unwrap_or(u32::MAX),
                now.as_millisecond()
            ])?;
            let_go_of_old(tx, now)?;
            tx.prepare_cached(&format!(
                "DELETE FROM other_answers WHERE asked IN (
                         SELECT o.asked FROM other_answers o JOIN turns t ON t.id = o.asked
                         WHERE t.channel = (SELECT channel FROM turns WHERE id = ?1)
                         ORDER BY o.at_ms DESC, o.asked DESC LIMIT -1 OFFSET {ANSWERED_MAX})"
            ))?
            .execute([answers.asked.0])
            .map(drop)
        })
        .await
    }

    /// Those to these words are not kept.
    pub async fn let_go_of_answers(&self, asked: StoredId) -> Result<(), HistoryError> {
        self.change("DELETE FROM other_answers WHERE asked = ?1", [asked.0]).await.map(drop)
    }

    /// What is old is not kept. To be called once at every start.
    pub async fn let_go_of_old_answers(&self, now: Timestamp) -> Result<(), HistoryError> {
        self.write(move |tx| let_go_of_old(tx, now)).await
    }
}

/// Something is being forgotten: none of them may hold it.
pub(super) fn let_go_of_all_answers(tx: &Transaction<'_>) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM other_answers", []).map(drop)
}

fn let_go_of_old(tx: &Transaction<'_>, now: Timestamp) -> rusqlite::Result<()> {
    tx.execute("DELETE FROM other_answers WHERE at_ms < ?1", [oldest(now)]).map(drop)
}

/// The oldest moment, in milliseconds, from which any are kept.
fn oldest(now: Timestamp) -> i64 {
    now.checked_sub(SignedDuration::from_hours(KEPT_DAYS * 24)).map_or(i64::MIN, Timestamp::as_millisecond)
}
