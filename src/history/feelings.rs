//! How the familiar feels, kept over restarts (specs mechanisms A9).

use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::domain::{AccountId, Affect, ChangePass, Feeling, WARMTH_LASTS};

use super::{History, HistoryError};

/// Under which name the mood is kept; no account's key is empty.
const MOOD: &str = "";

/// How warmly somebody is thought of from now on, by a push of -1 to 1; with leave to remember anything about them.
#[derive(Debug, Clone, Copy)]
pub struct Warmth<'a> {
    /// Leave.
    pub leave: &'a ChangePass,
    /// Who.
    pub by: &'a AccountId,
    /// The push.
    pub push: f64,
}

impl History {
    /// How the familiar feels now, and how warmly about somebody.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn affect(
        &self,
        towards: Option<&AccountId>,
        half_life: Duration,
        now: Timestamp,
    ) -> Result<Affect, HistoryError> {
        let person = towards.map(AccountId::to_string);
        let affect = self.database.read(move |tx| {
            let mood = feeling(tx, MOOD, half_life, now)?;
            let warmth = match person {
                Some(person) => feeling(tx, &person, half_life * WARMTH_LASTS, now)?.valence,
                None => 0.0,
            };
            Ok(Affect { mood, warmth })
        });
        Ok(affect.await?)
    }

    /// Something moved it: the mood is pushed, and the warmth for whoever did it, where that may be remembered. What was
    /// there fades first.
    ///
    /// # Errors
    /// When the database refuses; nothing has changed then.
    pub async fn moved(
        &self,
        mood: Feeling,
        warmth: Option<Warmth<'_>>,
        half_life: Duration,
        now: Timestamp,
    ) -> Result<Affect, HistoryError> {
        let towards = warmth.map(|Warmth { by, push, .. }| (by.to_string(), push));
        let pulse = self.pulse.clone();
        let moved = move |tx: &Transaction<'_>| {
            let mood = feeling(tx, MOOD, half_life, now)?.pushed(mood);
            let mut felt = vec![(MOOD, mood)];
            if let Some((person, push)) = &towards {
                let push = Feeling { valence: *push, arousal: 0.0 };
                felt.push((
                    person.as_str(),
                    feeling(tx, person, half_life * WARMTH_LASTS, now)?.pushed(push),
                ));
            }
            for (towards, feeling) in &felt {
                tx.prepare_cached(
                    "INSERT OR REPLACE INTO feelings (towards, valence, arousal, at_ms) VALUES (?1, ?2, ?3, ?4)",
                )?
                .execute(params![towards, feeling.valence, feeling.arousal, now.as_millisecond()])?;
            }
            Ok(Affect { mood, warmth: felt.get(1).map_or(0.0, |(_, warmth)| warmth.valence) })
        };
        Ok(self.database.write_then(moved, move |_| pulse.felt()).await?)
    }
}

fn feeling(tx: &Connection, towards: &str, half_life: Duration, now: Timestamp) -> rusqlite::Result<Feeling> {
    let kept = tx
        .prepare_cached("SELECT valence, arousal, at_ms FROM feelings WHERE towards = ?1")?
        .query_row([towards], |row| {
            Ok((Feeling { valence: row.get(0)?, arousal: row.get(1)? }, row.get::<_, i64>(2)?))
        })
        .optional()?;
    let Some((kept, at)) = kept else { return Ok(Feeling::default()) };
    // A clock that was set back lets nothing fade.
    let gap = u64::try_from(now.as_millisecond().saturating_sub(at)).unwrap_or(0);
    Ok(kept.after(Duration::from_millis(gap), half_life))
}
