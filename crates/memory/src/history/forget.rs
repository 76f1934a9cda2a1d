//! Taking words out of the history for good: what somebody said, what was answered to it, and everything made of it
//! (contradiction 16).
//!
//! Owns which turns a request covers and that nothing of them stays in the file. Must not know notes, traces or who may
//! ask. Start at [`History::chosen`].

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Transaction, params};

use crate::domain::{AccountId, Audience, ChannelId, StoredId, TurnId, Visible};
use crate::sqlite::from_sql;
use crate::text::echo::Echoes;
use crate::text::keywords;

use super::answers::let_go_of_all_answers;
use super::deliveries::let_go_of_all;
use super::kept::{kept_turns, turn_query};
use super::reminders::{forget_reminders, reminders_going_with};
use super::repairs::let_go_of_repairs;
use super::rows::{self, audience_columns, from_json};
use super::search::own_turns_holding;
use super::sources::{SourceId, forget_pins, pin_words, unstored_pins};
use super::state::forget_thoughts;
use super::{History, HistoryError, KeptTurn, Whole};

/// How many lines of a channel one exchange reaches back over.
const EXCHANGE: i64 = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaidWords {
    /// Everything this person said, and everything that was said alone with them.
    By(AccountId),
    /// What this person said that holds all of these words, as [`keywords::terms`] writes them: in the message, in what stood
    /// there before they edited it or took it back, or in one paragraph of a document with it.
    With(AccountId, BTreeSet<String>),
    /// Everything in a channel.
    In(ChannelId),
}

impl SaidWords {
    /// [`SaidWords::With`], of words as somebody writes them.
    pub fn with(account: AccountId, words: &str) -> Self {
        Self::With(account, keywords::terms(words).into_iter().collect())
    }

    /// Whether it covers a turn that is kept elsewhere, whenever that was said: the rule by which [`History::chosen`] finds
    /// those that are stored.
    pub fn covers(&self, turn: &KeptTurn) -> bool {
        match self {
            Self::By(account) => {
                let (kind, key) = audience_columns(&Audience::Dm(account.clone()));
                turn.is_by(account) || (turn.audience.0 == kind && turn.audience.1 == key)
            }
            Self::With(account, _) => turn.is_by(account) && turn.texts().any(|text| self.holds(text)),
            Self::In(channel) => turn.channel == channel.as_str(),
        }
    }

    /// Whether a line of the familiar's own, stored or kept elsewhere, is covered though whoever is meant did not say it: it
    /// holds their words, and was said to them alone, in reply to them, or at most `EXCHANGE` lines behind one of theirs.
    /// Not where somebody else told them there since. `near` is what it may have been said to, in any order; what is no part of
    /// its exchange is passed over.
    pub fn covers_answer<'a>(&self, own: &KeptTurn, near: impl IntoIterator<Item = &'a KeptTurn>) -> bool {
        let Self::With(account, _) = self else { return false };
        if own.role != "assistant" || !own.texts().any(|text| self.is_told_in(text)) {
            return false;
        }
        if Self::By(account.clone()).covers(own) {
            return true;
        }
        let is_of_exchange = |line: &&KeptTurn| {
            own.replies_to(line)
                || (line.channel == own.channel && (1..=EXCHANGE).contains(&(own.ordinal - line.ordinal)))
        };
        let mut before: Vec<&KeptTurn> =
            near.into_iter().filter(|line| line.author.is_some()).filter(is_of_exchange).collect();
        before.sort_by_key(|line| Reverse((own.replies_to(line), line.ordinal)));
        // Among several people it often names to one what another told, and answers a question after somebody else has
        // spoken. So it counts who was there with these words, not whom it answered. Whoever told them there themselves
        // since has their own words back, which are not for others to take away; passing a message on tells nothing oneself.
        let whose = before.into_iter().find(|line| {
            line.is_by(account) || line.forwards.is_none() && line.texts().any(|text| self.is_told_in(text))
        });
        whose.is_some_and(|line| line.is_by(account))
    }

    /// Whether a text, whoever says it, holds the words that are to go. Never where no words are meant.
    pub fn is_told_in(&self, text: &str) -> bool {
        matches!(self, Self::With(..)) && self.holds(text)
    }

    /// Whether a text of whoever is meant is covered: it holds all of the words, where it is about words.
    pub(super) fn holds(&self, text: &str) -> bool {
        let Self::With(_, wanted) = self else { return true };
        !wanted.is_empty() && wanted.is_subset(&keywords::terms(text).into_iter().collect())
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForgetTurns {
    pub said: BTreeSet<StoredId>,
    /// What the familiar answered to it, or repeats of it.
    pub replies: BTreeSet<StoredId>,
    pub channels: BTreeSet<ChannelId>,
    /// Their messages, each by its channel and id, as [`KeptTurn::forwards`] names one.
    pub messages: BTreeSet<(String, String)>,
    /// Pins of messages that were never stored.
    pub pins: BTreeSet<SourceId>,
}

impl ForgetTurns {
    pub fn turns(&self) -> impl Iterator<Item = StoredId> + '_ {
        self.said.iter().chain(&self.replies).copied()
    }

    /// Adds those of these that are there, each by whose it is.
    fn take(&mut self, tx: &Transaction<'_>, turns: BTreeSet<StoredId>) -> rusqlite::Result<()> {
        // What is named one by one is not held to a time: the clock may have been fast when it was said.
        let mut about = tx.prepare_cached("SELECT channel, role = 'assistant' FROM turns WHERE id = ?1")?;
        for turn in turns {
            let stands =
                about.query_row([turn.0], |row| Ok((rows::parse_column(row, 0)?, row.get::<_, bool>(1)?)));
            let Some((channel, is_own)) = stands.optional()? else { continue };
            self.channels.insert(channel);
            if is_own {
                self.replies.insert(turn)
            } else {
                self.said.insert(turn)
            };
        }
        Ok(())
    }
}

/// How far forgetting reaches: what has a time up to then, and what was stored up to a row, whatever its time says (the
/// clock may have been fast). Row 0 where the time alone counts, as in a backup that was put back.
#[derive(Debug, Clone, Copy)]
pub struct ForgetUntil {
    pub at: Timestamp,
    /// Of turns.
    pub newest: i64,
    /// Of pins.
    pub newest_pin: i64,
}

impl From<Timestamp> for ForgetUntil {
    fn from(at: Timestamp) -> Self {
        Self { at, newest: 0, newest_pin: 0 }
    }
}

impl History {
    /// The turns that `said` covers, none later than `until`, and `besides`, with those that pass any of them on, and the
    /// familiar's own that answer them, whenever that was: by the platform's reply, as the next thing said after them, by
    /// `answered`, the turns that are known to have answered them, or because they repeat what somebody said there (five words
    /// in a row). Where words are meant, the familiar's own that hold them and stand in an exchange with that person go too
    /// ([`SaidWords::covers_answer`]). Those that pass one of these answers on are among `said`.
    pub async fn chosen(
        &self,
        said: impl IntoIterator<Item = SaidWords>,
        besides: BTreeSet<StoredId>,
        answered: HashSet<TurnId>,
        until: impl Into<ForgetUntil>,
    ) -> Result<ForgetTurns, HistoryError> {
        let (said, until) = (said.into_iter().collect::<Vec<_>>(), until.into());
        self.read(move |tx| chosen(tx, &said, besides, &answered, until)).await
    }

    /// The newest row: what is stored later has a higher one. Row 0 where there is none.
    pub async fn newest(&self) -> Result<StoredId, HistoryError> {
        self.one("SELECT coalesce(max(id), 0) FROM turns", (), |row| row.get(0).map(StoredId)).await
    }
}

impl Whole<'_> {
    /// What stands ahead of a turn within the same exchange, and what it replies to, none later than `until`. The turn itself
    /// need not be stored any more.
    pub async fn kept_near(self, own: KeptTurn, until: ForgetUntil) -> Result<Vec<KeptTurn>, HistoryError> {
        self.0.read(move |tx| kept_near(tx, &own, until)).await
    }

    /// Everything these turns said, what stood there before an edit, and what was made of them (summaries by a model,
    /// thoughts): to be looked for in records.
    pub async fn echoes_of(self, turns: Vec<StoredId>) -> Result<Echoes, HistoryError> {
        self.0
            .read(move |tx| {
                let mut echoes = Echoes::default();
                turn_words(tx, &turns, &mut echoes)?;
                made_of(tx, &turns, &mut echoes)?;
                Ok(echoes)
            })
            .await
    }
}

impl History {
    /// The turns that are wanted by where they stand: channel, ordinal, and time in milliseconds.
    pub async fn standing_where(
        &self,
        is_wanted: impl Fn(&str, i64, i64) -> bool + Send + 'static,
    ) -> Result<BTreeSet<StoredId>, HistoryError> {
        self.read(move |tx| {
            let mut statement = tx.prepare_cached("SELECT id, channel, ordinal, at_ms FROM turns")?;
            let mut rows = statement.query([])?;
            let mut found = BTreeSet::new();
            while let Some(row) = rows.next()? {
                if is_wanted(row.get_ref(1)?.as_str()?, row.get(2)?, row.get(3)?) {
                    found.insert(StoredId(row.get(0)?));
                }
            }
            Ok(found)
        })
        .await
    }

    /// Removes turns with everything that belongs to them; empties what was made of them or repeats them, to be made
    /// anew from what is left; forgets how well `people` are known. Pins that go are not taken in again. All or nothing.
    pub async fn forget(
        &self,
        turns: Vec<StoredId>,
        pins: BTreeSet<SourceId>,
        people: impl IntoIterator<Item = AccountId>,
        echoes: Arc<Echoes>,
    ) -> Result<(), HistoryError> {
        let people: BTreeSet<AccountId> = people.into_iter().collect();
        self.write(move |tx| {
            let mut channels = BTreeSet::new();
            let reminders = reminders_going_with(tx, &turns, &people, &echoes)?;
            // A card may have remembered a name or words of any of them; it sets its variables again as it is read.
            tx.execute("DELETE FROM card_variables", [])?;
            // Read before its turns are gone, and with them their ids.
            let mut mark = tx.prepare_cached(
                "UPDATE channels SET forgotten_to = max(coalesce(forgotten_to, 0), m.newest)
                 FROM (SELECT channel, max(CAST(message AS INTEGER)) AS newest FROM turn_messages
                       WHERE turn_id = ?1 GROUP BY channel) AS m
                 WHERE channels.channel = m.channel AND platform = 'discord'",
            )?;
            let mut remove = tx.prepare_cached("DELETE FROM turns WHERE id = ?1 RETURNING channel")?;
            for turn in turns {
                mark.execute([turn.0])?;
                channels.extend(remove.query_row([turn.0], |row| row.get::<_, String>(0)).optional()?);
            }
            for channel in &channels {
                leave(tx, channel)?;
            }
            empty_echoes(tx, &echoes)?;
            forget_reminders(tx, &reminders)?;
            forget_pins(tx, &pins)?;
            let_go_of_all(tx)?;
            let_go_of_repairs(tx)?;
            let_go_of_all_answers(tx)?;
            people.iter().try_for_each(|person| forget_person(tx, person))
        })
        .await
    }

    /// Leaves nothing of what was removed in the file: no free page, no index of words, no journal.
    pub async fn scrub(&self) -> Result<(), HistoryError> {
        // Removed words stand in the index as removed until its parts are joined.
        self.write(|tx| {
            tx.execute_batch(
                "INSERT INTO turn_words (turn_words) VALUES ('optimize');
                     INSERT INTO crystal_words (crystal_words) VALUES ('optimize');
                     INSERT INTO source_words (source_words) VALUES ('optimize');",
            )
        })
        .await?;
        self.database.scrub().await
    }

    /// What is left of somebody besides what they said, and goes with them: reactions put and taken away, that they came or
    /// left, what is felt towards them, what they asked to be reminded of, what it learnt from of theirs. Of each its time,
    /// in milliseconds since 1970.
    pub async fn left_traces(&self, account: &AccountId) -> Result<Vec<i64>, HistoryError> {
        let traces = "SELECT at_ms FROM reactions WHERE account = ?1
            UNION ALL SELECT at_ms FROM comings WHERE account = ?1
            UNION ALL SELECT at_ms FROM feelings WHERE towards = ?1
            UNION ALL SELECT made_at_ms FROM reminders WHERE account = ?1
            UNION ALL SELECT at_ms FROM responses WHERE account = ?1";
        self.all(traces, [account.to_string()], |row| row.get(0)).await
    }
}

impl Whole<'_> {
    /// Everybody who ever spoke, reacted, came or left, or is felt something towards.
    pub async fn accounts(self) -> Result<Vec<AccountId>, HistoryError> {
        let accounts = "SELECT DISTINCT author_account FROM turns WHERE author_account IS NOT NULL
            UNION SELECT audience_key FROM turns WHERE audience_kind = 'dm'
            UNION SELECT account FROM reactions UNION SELECT account FROM comings
            UNION SELECT towards FROM feelings WHERE towards <> '' UNION SELECT account FROM reminders UNION SELECT account FROM responses
            UNION SELECT account FROM sources WHERE account IS NOT NULL";
        let accounts: Vec<String> = self.0.all(accounts, (), |row| row.get(0)).await?;
        Ok(accounts.into_iter().filter_map(|account| account.parse().ok()).collect())
    }
}

fn chosen(
    tx: &Transaction<'_>,
    said: &[SaidWords],
    mut wanted: BTreeSet<StoredId>,
    answered: &HashSet<TurnId>,
    until: ForgetUntil,
) -> rusqlite::Result<ForgetTurns> {
    let mut chosen = ForgetTurns::default();
    for said in said {
        chosen.pins.extend(unstored_pins(tx, said, until)?);
        wanted.extend(asked_for(tx, said, until)?);
    }
    add_forwards(tx, &mut wanted)?;
    chosen.take(tx, wanted)?;
    for channel in &chosen.channels {
        chosen.replies.extend(replies(tx, channel, &chosen.said)?);
    }
    said.iter().try_for_each(|said| add_told_again(tx, said, until, &mut chosen))?;
    add_answers(tx, &mut chosen, answered)?;
    // Somebody may have passed an answer on, and with it what it repeats.
    let mut passed_on = chosen.replies.clone();
    add_forwards(tx, &mut passed_on)?;
    passed_on.retain(|turn| !chosen.replies.contains(turn));
    chosen.take(tx, passed_on)?;
    let mut messages = tx.prepare_cached("SELECT channel, message FROM turn_messages WHERE turn_id = ?1")?;
    for turn in chosen.said.iter().chain(&chosen.replies) {
        for message in messages.query_map([turn.0], |row| Ok((row.get(0)?, row.get(1)?)))? {
            chosen.messages.insert(message?);
        }
    }
    Ok(chosen)
}

/// What the familiar said to whoever wants words forgotten, or near what they said, and that holds them: "Ana." repeats too
/// little to be known by that. Begins with those that hold them, which are few where the words are rare.
fn add_told_again(
    tx: &Transaction<'_>,
    said: &SaidWords,
    until: ForgetUntil,
    chosen: &mut ForgetTurns,
) -> rusqlite::Result<()> {
    let mut covered = BTreeSet::new();
    // One at a time: a word that everybody uses stands in very many.
    for turn in own_holding(tx, said)? {
        for own in kept_turns(tx, &[turn], None)? {
            if said.covers_answer(&own, &kept_near(tx, &own, until)?) {
                covered.insert(turn);
            }
        }
    }
    chosen.take(tx, covered)
}

/// [`Whole::kept_near`].
fn kept_near(tx: &Transaction<'_>, own: &KeptTurn, until: ForgetUntil) -> rusqlite::Result<Vec<KeptTurn>> {
    let near = turn_query(
        "WHERE t.id IN (SELECT id FROM turns WHERE channel = ?1 AND ordinal BETWEEN ?3 AND ?4
                        UNION ALL SELECT turn_id FROM turn_messages WHERE channel = ?1 AND message = ?5)
           AND (t.at_ms <= ?6 OR t.id <= ?7)",
    );
    let (first, last, until_ms) = (own.ordinal - EXCHANGE, own.ordinal - 1, until.at.as_millisecond());
    tx.prepare_cached(&near)?
        .query_map(
            params![own.channel, None::<String>, first, last, own.reply_to, until_ms, until.newest],
            |row| from_json(row, 0),
        )?
        .collect()
}

/// The familiar's own that may hold the words that are to go, or held them before an edit.
fn own_holding(tx: &Transaction<'_>, said: &SaidWords) -> rusqlite::Result<Vec<StoredId>> {
    let SaidWords::With(account, words) = said else { return Ok(Vec::new()) };
    if words.is_empty() {
        return Ok(Vec::new());
    }
    // Only where somebody spoke can a line of theirs stand near; alone with them none has to.
    let audiences: Vec<Audience> = tx
        .prepare_cached("SELECT DISTINCT audience_kind, audience_key FROM acquaintances")?
        .query_map([], |row| rows::audience_at(row, 0))?
        .collect::<rusqlite::Result<_>>()?;
    let visible = Visible::only(audiences.into_iter().chain([Audience::Dm(account.clone())]));
    let mut found: BTreeSet<StoredId> = own_turns_holding(tx, words, &visible)?.into_iter().collect();
    let mut before = tx.prepare_cached(
        "SELECT t.id, e.old_content FROM events e JOIN turns t ON t.id = e.turn_id
         WHERE e.old_content IS NOT NULL AND t.role = 'assistant'",
    )?;
    let mut rows = before.query([])?;
    while let Some(row) = rows.next()? {
        if said.is_told_in(row.get_ref(1)?.as_str()?) {
            found.insert(StoredId(row.get(0)?));
        }
    }
    Ok(found.into_iter().collect())
}

/// The familiar's own, anywhere, that are known to answer what was chosen or repeat it.
fn add_answers(
    tx: &Transaction<'_>,
    chosen: &mut ForgetTurns,
    answered: &HashSet<TurnId>,
) -> rusqlite::Result<()> {
    let mut echoes = Echoes::default();
    turn_words(tx, &chosen.said, &mut echoes)?;
    pin_words(tx, &chosen.pins)?.iter().for_each(|text| echoes.take(text));
    if answered.is_empty() && echoes.is_empty() {
        return Ok(());
    }
    // One pass: turns are not indexed by the turn that made them.
    let mut own = tx.prepare_cached(
        "SELECT id, channel, turn, iif(deleted_at_ms IS NULL, content, '') FROM turns WHERE role = 'assistant'",
    )?;
    let mut own = own.query([])?;
    while let Some(row) = own.next()? {
        if row.get::<_, Option<i64>>(2)?.is_some_and(|turn| answered.contains(&TurnId(from_sql(turn)))) {
            chosen.replies.insert(StoredId(row.get(0)?));
            chosen.channels.insert(rows::parse_column(row, 1)?);
        } else if echoes.are_repeated_in(row.get_ref(3)?.as_str()?) {
            chosen.replies.insert(StoredId(row.get(0)?));
        }
    }
    Ok(())
}

/// Whoever passes a message on says nothing but its words: what passes these on goes too, by however many hands.
fn add_forwards(tx: &Transaction<'_>, wanted: &mut BTreeSet<StoredId>) -> rusqlite::Result<()> {
    let mut passed_on = tx.prepare_cached(
        "SELECT t.id FROM turn_messages m
         JOIN turns t ON t.forwards_channel = m.channel AND t.forwards_message = m.message WHERE m.turn_id = ?1",
    )?;
    let mut open: Vec<StoredId> = wanted.iter().copied().collect();
    while let Some(turn) = open.pop() {
        let found = passed_on.query_map([turn.0], |row| row.get(0).map(StoredId))?;
        let found: Vec<StoredId> = found.collect::<rusqlite::Result<_>>()?;
        open.extend(found.into_iter().filter(|turn| wanted.insert(*turn)));
    }
    Ok(())
}

fn asked_for(
    tx: &Transaction<'_>,
    said: &SaidWords,
    until: ForgetUntil,
) -> rusqlite::Result<BTreeSet<StoredId>> {
    let (until, newest) = (until.at.as_millisecond(), until.newest);
    let id = |row: &rusqlite::Row<'_>| row.get(0).map(StoredId);
    match said {
        SaidWords::By(account) => {
            let (kind, key) = audience_columns(&Audience::Dm(account.clone()));
            tx.prepare_cached(
                "SELECT id FROM turns WHERE (at_ms <= ?4 OR id <= ?5)
                   AND (author_account = ?1 OR (audience_kind = ?2 AND audience_key = ?3))",
            )?
            .query_map(params![account.to_string(), kind, key, until, newest], id)?
            .collect()
        }
        SaidWords::With(account, _) => {
            // Of a document one paragraph has to hold them: a long one holds most words somewhere.
            let mut statement = tx.prepare_cached(
                "SELECT id, content FROM turns WHERE author_account = ?1 AND (at_ms <= ?2 OR id <= ?3)
                 UNION ALL SELECT t.id, e.old_content FROM turns t JOIN events e ON e.turn_id = t.id
                 WHERE t.author_account = ?1 AND (t.at_ms <= ?2 OR t.id <= ?3) AND e.old_content IS NOT NULL
                 UNION ALL SELECT s.turn_id, p.text FROM sources s JOIN source_passages p ON p.source_id = s.id
                 WHERE s.account = ?1 AND (s.at_ms <= ?2 OR s.turn_id <= ?3) AND s.turn_id IS NOT NULL",
            )?;
            let mut rows = statement.query(params![account.to_string(), until, newest])?;
            let mut found = BTreeSet::new();
            while let Some(row) = rows.next()? {
                if said.holds(row.get_ref(1)?.as_str()?) {
                    found.insert(StoredId(row.get(0)?));
                }
            }
            Ok(found)
        }
        SaidWords::In(channel) => tx
            .prepare_cached("SELECT id FROM turns WHERE channel = ?1 AND (at_ms <= ?2 OR id <= ?3)")?
            .query_map(params![channel.as_str(), until, newest], id)?
            .collect(),
    }
}

/// What the familiar answered to these turns in a channel.
fn replies(
    tx: &Transaction<'_>,
    channel: &ChannelId,
    said: &BTreeSet<StoredId>,
) -> rusqlite::Result<Vec<StoredId>> {
    let mut statement = tx.prepare_cached(
        "SELECT t.id, t.role = 'assistant', m.turn_id FROM turns t
         LEFT JOIN turn_messages m ON m.channel = t.channel AND m.message = t.reply_to
         WHERE t.channel = ?1 ORDER BY t.ordinal",
    )?;
    let mut rows = statement.query([channel.as_str()])?;
    let (mut replies, mut is_after) = (Vec::new(), false);
    while let Some(row) = rows.next()? {
        let turn = StoredId(row.get(0)?);
        if !row.get::<_, bool>(1)? {
            is_after = said.contains(&turn);
            continue;
        }
        let answers: Option<i64> = row.get(2)?;
        if is_after || answers.is_some_and(|answers| said.contains(&StoredId(answers))) {
            replies.push(turn);
        }
    }
    Ok(replies)
}

fn turn_words<'a>(
    tx: &Transaction<'_>,
    turns: impl IntoIterator<Item = &'a StoredId>,
    echoes: &mut Echoes,
) -> rusqlite::Result<()> {
    let mut words = tx.prepare_cached(
        "SELECT content FROM turns WHERE id = ?1
         UNION ALL SELECT old_content FROM events WHERE turn_id = ?1 AND old_content IS NOT NULL
         UNION ALL SELECT p.text FROM sources s JOIN source_passages p ON p.source_id = s.id WHERE s.turn_id = ?1",
    )?;
    for turn in turns {
        let mut rows = words.query([turn.0])?;
        while let Some(row) = rows.next()? {
            echoes.take(row.get_ref(0)?.as_str()?);
        }
    }
    Ok(())
}

/// What was made of turns. Excerpts repeat others word for word, and whatever they repeat of these is known by their own
/// words.
fn made_of(tx: &Transaction<'_>, turns: &[StoredId], echoes: &mut Echoes) -> rusqlite::Result<()> {
    let turns = rows::row_numbers(turns);
    let mut made = tx.prepare_cached(
        "SELECT text FROM (
            SELECT channel, first_ordinal, last_ordinal, text FROM crystals WHERE writer <> 'excerpts'
            UNION ALL SELECT channel, first_ordinal, last_ordinal, text FROM digests WHERE writer <> 'excerpts') m
         WHERE EXISTS (SELECT 1 FROM turns t
            WHERE t.channel = m.channel AND t.ordinal BETWEEN m.first_ordinal AND m.last_ordinal
              AND t.id IN (SELECT value FROM json_each(?1)))
         UNION ALL SELECT content FROM thoughts
         WHERE channel IN (SELECT channel FROM turns WHERE id IN (SELECT value FROM json_each(?1)))",
    )?;
    let mut rows = made.query([turns])?;
    while let Some(row) = rows.next()? {
        echoes.take(row.get_ref(0)?.as_str()?);
    }
    Ok(())
}

/// What is left of a channel something was removed from.
fn leave(tx: &Transaction<'_>, channel: &str) -> rusqlite::Result<()> {
    if let Ok(id) = ChannelId::new(channel) {
        forget_thoughts(tx, &id)?;
    }
    let is_empty = "NOT EXISTS (SELECT 1 FROM turns WHERE channel = ?1)";
    for sql in [
        format!("DELETE FROM crystals WHERE channel = ?1 AND {is_empty}"),
        format!("DELETE FROM digests WHERE channel = ?1 AND {is_empty}"),
        format!("DELETE FROM passed_over WHERE channel = ?1 AND {is_empty}"),
        format!("DELETE FROM sources WHERE channel = ?1 AND {is_empty}"),
        format!("UPDATE channels SET name = NULL, guild_name = NULL WHERE channel = ?1 AND {is_empty}"),
    ] {
        tx.prepare_cached(&sql)?.execute([channel])?;
    }
    Ok(())
}

/// Later summaries were written with earlier ones in view, and may repeat them.
fn empty_echoes(tx: &Transaction<'_>, echoes: &Echoes) -> rusqlite::Result<()> {
    for (table, empty) in [
        ("crystals", "UPDATE crystals SET stale = 1, text = '', tokens = 0 WHERE id = ?1 AND level = 0"),
        ("crystals", "DELETE FROM crystals WHERE id = ?1 AND level = 1"),
        ("digests", "DELETE FROM digests WHERE id = ?1"),
    ] {
        let mut repeating = Vec::new();
        let mut statement = tx.prepare(&format!("SELECT id, text FROM {table} WHERE text <> ''"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            if echoes.are_in(row.get_ref(1)?.as_str()?) {
                repeating.push(row.get::<_, i64>(0)?);
            }
        }
        let mut empty = tx.prepare_cached(empty)?;
        for id in repeating {
            empty.execute([id])?;
        }
    }
    Ok(())
}

/// How well somebody is known: from what they said since, if anything.
fn forget_person(tx: &Transaction<'_>, person: &AccountId) -> rusqlite::Result<()> {
    let account = person.to_string();
    for (table, whose) in [
        ("regards", "account"),
        ("responses", "account"),
        ("reactions", "account"),
        ("comings", "account"),
        ("feelings", "towards"),
        ("acquaintances", "account"),
    ] {
        tx.execute(&format!("DELETE FROM {table} WHERE {whose} = ?1"), [&account])?;
    }
    tx.execute("DELETE FROM feelings WHERE audience_kind = 'dm' AND audience_key = ?1", [&account])?;
    tx.execute(
        "INSERT INTO acquaintances
         SELECT author_account, audience_kind, audience_key, sum(deleted_at_ms IS NULL), min(at_ms)
         FROM turns WHERE author_account = ?1 AND role = 'user' GROUP BY audience_kind, audience_key",
        [&account],
    )
    .map(drop)
}
