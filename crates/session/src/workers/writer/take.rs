//! The job that needs no model: what people plainly say of themselves is noted at once, and what they are called.

use std::collections::HashSet;

use async_trait::async_trait;
use jiff::Span;
use jiff::civil::Date;
use parking_lot::Mutex;

use super::words::{ABILITY_DAYS, FACT_MAX, fit, is_ability_of_yours};
use crate::domain::{
    Audience, Author, ChangePass, Place, Role, StoredId, StoredTurn, TokenEncoding, Visible,
};
use crate::familiar::names_of;
use crate::history::{HistoryError, RecentQuery};
use crate::identity::caller_in;
use crate::memory::change::{NoteChange, PageChange};
use crate::memory::facts::{
    BlockKind, By, Evidence, FactData, FactId, FactKind, NotePage, PageBlock, Validity,
};
use crate::memory::people::{Alias, remember, unlearn};
use crate::memory::stated::{
    Correction, Nearness, StatedReading, Statement, correction, is_taken_back, said_to, statements,
};
use crate::memory::store::{MemoryStore, NoteEditor, NotePath, StoreError};
use crate::text::calendar::counts_from_today;
use crate::text::keywords::fold;
use crate::text::names::prompt_label;
use crate::workers::job::{Job, JobEnd, WorkerParts};
use crate::workers::noting::NotingHand;

/// The name of this job's marks.
const WATERMARK: &str = "memory-notes";

/// Turns looked at in one step.
const READ: u32 = 200;

/// Names that are known to be written down; beyond that the count starts over.
const NAMES_KEPT: usize = 4_096;

/// "No, it's Saturday" sets right what was said at most so many messages before.
const RECENT: u64 = 8;

/// What was said at most so many messages before was said just before: a reply may stand between.
const JUST_BEFORE: u64 = 3;

/// The key of what there can be only one of.
const SLOT: &str = "slot";

#[derive(Debug)]
pub(in crate::workers) struct TakeNotes {
    parts: WorkerParts,
    names: Mutex<HashSet<(String, String, Audience)>>,
}

/// Somebody's message, and what it changes in their own note.
#[derive(Debug, Clone)]
struct StatedMessage {
    /// Leave to note it.
    pass: ChangePass,
    note: NotePath,
    label: String,
    author: Author,
    turn: StoredId,
    audience: Audience,
    day: Date,
}

/// Something that somebody said of themselves, as it is noted.
#[derive(Debug)]
struct OwnStatement {
    said_in: StoredId,
    id: FactId,
    words: String,
    data: FactData,
    nearness: Nearness,
}

impl TakeNotes {
    pub(in crate::workers) fn new(parts: WorkerParts) -> Self {
        Self { parts, names: Mutex::default() }
    }

    /// A message that was looked at reads otherwise now.
    pub(in crate::workers) async fn take_again(&self, place: &Place, turn: &StoredTurn) {
        let Some(said) = self.said(place, turn).await else { return };
        let noted = async {
            let unread = self.parts.unread(WATERMARK, place, READ).await?.turns;
            match unread.iter().any(|unread| unread.id <= turn.id) {
                true => Ok(()),
                false => self.note(place, turn, said).await,
            }
        };
        if let Err(error) = noted.await {
            tracing::warn!(%error, "what an edited message says could not be noted");
        }
    }

    /// `None` for what nothing may be learnt from.
    async fn said(&self, place: &Place, turn: &StoredTurn) -> Option<StatedMessage> {
        let author = turn.author.clone()?;
        let caller = caller_in(&self.parts.config.current(), place, Some(&author));
        let pass = caller.change(&turn.audience)?;
        let person = self.parts.memory.person_of(&author.account).await;
        Some(StatedMessage {
            pass,
            note: NotePath::new(format!("people/{person}.md")).ok()?,
            label: prompt_label(author.label()),
            turn: turn.id,
            audience: turn.audience.clone(),
            day: turn.at.to_zoned(self.parts.config.current().display_tz.clone()).date(),
            author,
        })
    }

    /// What somebody is called, beside what they were called before.
    async fn names_of(&self, said: &StatedMessage) {
        let shown = said.author.display_name.as_deref();
        // What stands in brackets behind a name tells it from another's; people say it without.
        let bare = shown.and_then(|name| name.split_once(" (")).map(|(name, _)| name);
        let names = [shown, bare, said.author.username.as_deref()];
        let aliases: Vec<Alias> = names
            .into_iter()
            .flatten()
            .map(prompt_label)
            .filter(|name| self.is_new(name, said))
            .map(|name| alias_of_author(name, said))
            .collect();
        if aliases.is_empty() {
            return;
        }
        let (said, hand) = (said.clone(), self.hand(said));
        let noted = self.parts.with_notes("noting down a name", move |store| {
            match remember(store, &aliases, NoteEditor::Writer) {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => tracing::warn!(%error, "a name could not be noted down"),
            }
            if let Some(renamed) = renamed(store, &said) {
                hand.note(store, vec![renamed], said.day);
            }
        });
        noted.await;
    }

    /// Names are written down in any case: without them nobody is known from anybody else.
    fn hand(&self, said: &StatedMessage) -> NotingHand {
        self.parts.hand(&said.pass, "what was plainly said")
    }

    fn is_new(&self, name: &str, said: &StatedMessage) -> bool {
        let mut names = self.names.lock();
        if names.len() >= NAMES_KEPT {
            names.clear();
        }
        names.insert((name.to_owned(), said.author.account.slug(), said.audience.clone()))
    }

    async fn note(&self, place: &Place, turn: &StoredTurn, said: StatedMessage) -> Result<(), HistoryError> {
        let names = names_of(&self.parts.character.current(), &self.parts.config.current().aliases);
        let sentences = said_to(&names, &turn.content);
        for (at, sentence) in sentences.iter().enumerate() {
            if is_taken_back(sentence) {
                let joke = match at {
                    0 => self.said_before(place, turn, &said, &names).await?,
                    _ => Some(turn.id),
                };
                if let Some(joke) = joke {
                    self.take_back(place, turn, &said, joke).await?;
                }
                continue;
            }
            let set_right = correction(sentence);
            // Who says what is wrong says what fact is meant.
            if let Some(correction) = set_right.as_ref().filter(|one| one.names_the_wrong())
                && self.correct(place, turn, &said, correction).await?
            {
                continue;
            }
            let stated = statements(sentence);
            if stated.is_empty()
                && let Some(correction) = set_right.filter(|one| !one.names_the_wrong())
            {
                self.correct(place, turn, &said, &correction).await?;
            }
            for statement in stated {
                let before = match statement.sort().filter(|_| sentence.amends && !statement.ends) {
                    Some(sort) => self.just_said(place, turn, &said, &sort).await?,
                    None => None,
                };
                self.state(&said, statement, sentence.amends, before).await;
            }
        }
        Ok(())
    }

    /// What the same person said last before a message, to the same people. A laugh says nothing.
    async fn said_before(
        &self,
        place: &Place,
        turn: &StoredTurn,
        said: &StatedMessage,
        names: &[String],
    ) -> Result<Option<StoredId>, HistoryError> {
        let to_same = Visible::only([said.audience.clone()]);
        let query = RecentQuery {
            mode: None,
            max_turns: u32::try_from(RECENT).unwrap_or(u32::MAX),
            until: Some(turn.at),
            encoding: TokenEncoding::Estimate,
        };
        let turns = self.parts.history.seen_by(&to_same).recent(&place.channel, query).await?;
        let is_theirs = |one: &&StoredTurn| {
            one.ordinal < turn.ordinal
                && one.author.as_ref().is_some_and(|author| author.account == said.author.account)
        };
        let last = turns.iter().rev().filter(is_theirs).find(|one| !said_to(names, &one.content).is_empty());
        Ok(last.map(|one| one.id))
    }

    /// Lets nothing stand that was noted of a message, which was a joke. What it took the place of holds again.
    async fn take_back(
        &self,
        place: &Place,
        turn: &StoredTurn,
        said: &StatedMessage,
        joke: StoredId,
    ) -> Result<(), HistoryError> {
        let mut own = self.own(place, turn, said).await?;
        own.retain(|fact| fact.said_in == joke);
        if own.is_empty() {
            return Ok(());
        }
        let (said, hand) = (said.clone(), self.hand(said));
        let noted = self.parts.with_notes("taking a note back", move |store| {
            let Ok(Some(page)) = note_page(store, &said.note) else { return };
            hand.note(
                store,
                own.iter().filter_map(|fact| undoing_change(&page, &said, fact)).collect(),
                said.day,
            );
            for name in own.iter().filter_map(|fact| written_name(&fact.words, &said)) {
                if let Err(error) = unlearn(store, &alias_of_author(name, &said), NoteEditor::Writer) {
                    tracing::warn!(%error, "a name could not be struck out");
                }
            }
        });
        noted.await;
        Ok(())
    }

    /// The newest fact of a sort that they stated themselves a moment ago, of which there may be several.
    async fn just_said(
        &self,
        place: &Place,
        turn: &StoredTurn,
        said: &StatedMessage,
        sort: &StatedReading,
    ) -> Result<Option<FactId>, HistoryError> {
        let own = self.own(place, turn, said).await?;
        let is_beside =
            |fact: &&OwnStatement| StatedReading::of(&fact.words).is_some_and(|known| known.is_beside(sort));
        let just = own.iter().filter(|fact| fact.nearness <= Nearness::Near).find(is_beside);
        Ok(just.map(|fact| fact.id.clone()))
    }

    /// What they said themselves, before the same people, the newest first.
    async fn own(
        &self,
        place: &Place,
        turn: &StoredTurn,
        said: &StatedMessage,
    ) -> Result<Vec<OwnStatement>, HistoryError> {
        let note = said.note.clone();
        let read =
            self.parts.with_notes("reading a note", move |store| note_page(store, &note).ok().flatten());
        let Some(page) = read.await.flatten() else { return Ok(Vec::new()) };
        let mut own: Vec<OwnStatement> = page
            .facts()
            .filter(|(_, block)| {
                block.audience.as_ref() == Some(&said.audience)
                    && !matches!(block.standing(said.day), Validity::Until(_))
            })
            .filter_map(|(id, block)| {
                let data = block.data.as_ref()?;
                let is_theirs = data.by == Some(By::Person(said.author.account.clone()));
                is_theirs.then_some(OwnStatement {
                    said_in: data.turns().max()?,
                    id: id.clone(),
                    words: block.words.clone(),
                    data: data.clone(),
                    nearness: Nearness::Far,
                })
            })
            // What was said in the same breath may be set right too.
            .filter(|fact| fact.said_in <= said.turn)
            .collect();
        let visible = Visible::only([said.audience.clone()]);
        let heard =
            self.parts.history.seen_by(&visible).heard(own.iter().map(|fact| fact.said_in).collect()).await?;
        for fact in &mut own {
            let heard = heard.iter().find(|heard| heard.turn.id == fact.said_in);
            let back = heard
                .filter(|heard| heard.channel == place.channel)
                .map(|heard| turn.ordinal.saturating_sub(heard.turn.ordinal));
            fact.nearness = match back {
                Some(..=JUST_BEFORE) => Nearness::Next,
                Some(..=RECENT) => Nearness::Near,
                _ => Nearness::Far,
            };
        }
        // Of one message what was noted last was said last.
        own.reverse();
        own.sort_by_key(|fact| std::cmp::Reverse(fact.said_in));
        Ok(own)
    }

    /// `instead` is the fact whose place it takes, where there may be several of its sort.
    async fn state(&self, said: &StatedMessage, statement: Statement, amends: bool, instead: Option<FactId>) {
        let (said, hand) = (said.clone(), self.hand(said));
        let noted = self.parts.with_notes("taking a note", move |store| {
            if let Some(name) = &statement.name
                && let Err(error) =
                    remember(store, &[alias_of_author(prompt_label(name), &said)], NoteEditor::Writer)
            {
                tracing::warn!(%error, "a name could not be noted down");
            }
            let Ok(page) = note_page(store, &said.note) else { return };
            let change = stated(page.as_ref(), &said, &statement, amends, instead.as_ref());
            hand.note(store, change.into_iter().collect(), said.day);
        });
        noted.await;
    }

    /// Whether a fact was found that is meant.
    async fn correct(
        &self,
        place: &Place,
        turn: &StoredTurn,
        said: &StatedMessage,
        correction: &Correction,
    ) -> Result<bool, HistoryError> {
        let own = self.own(place, turn, said).await?;
        let mut fitting: Vec<(&OwnStatement, String)> = own
            .iter()
            .filter_map(|fact| {
                let bare = undated(&fact.words);
                let right = correction.applied(&bare, fact.nearness)?;
                Some((fact, if bare == fact.words { right } else { with_day(&right, said.day) }))
            })
            .collect();
        if !correction.names_the_wrong() {
            // What was said last is meant.
            let last = fitting.first().map(|(fact, _)| fact.said_in);
            fitting.retain(|(fact, _)| Some(fact.said_in) == last);
        }
        // One of two would be a guess.
        let [(fact, words)] = fitting.as_slice() else { return Ok(false) };
        let Ok(words) = fit(words, FACT_MAX) else { return Ok(false) };
        let data = FactData {
            importance: fact.data.importance,
            kind: FactKind::Correction,
            rest: fact.data.rest.iter().filter(|(key, _)| key == SLOT).cloned().collect(),
            ..data_of(said)
        };
        let (old, seen) = (fact.id.clone(), fact.words.clone());
        let change = said.change(PageChange::Supersede { old, seen, words, data });
        let (day, hand) = (said.day, self.hand(said));
        self.parts.with_notes("setting a note right", move |store| hand.note(store, vec![change], day)).await;
        Ok(true)
    }
}

impl StatedMessage {
    fn change(&self, what: PageChange) -> NoteChange {
        NoteChange {
            note: self.note.clone(),
            title: self.label.clone(),
            audience: self.audience.clone(),
            what,
        }
    }
}

fn alias_of_author(name: String, said: &StatedMessage) -> Alias {
    Alias { name, slug: said.author.account.slug(), audience: said.audience.clone() }
}

fn data_of(said: &StatedMessage) -> FactData {
    FactData {
        id: Some(FactId::random()),
        to: Some(said.audience.clone()),
        by: Some(By::Person(said.author.account.clone())),
        on: Some(said.day),
        from: vec![Evidence::Turn(said.turn)],
        ..FactData::default()
    }
}

/// What undoes a fact: the one whose place it took stands there again; one that took nobody's never held.
fn undoing_change(page: &NotePage, said: &StatedMessage, fact: &OwnStatement) -> Option<NoteChange> {
    let before = fact.data.was.as_ref().and_then(|was| page.fact(was));
    let (old, seen) = (fact.id.clone(), fact.words.clone());
    Some(said.change(match before {
        Some(before) => {
            let known = before.data.clone().unwrap_or_default();
            let data = FactData {
                id: Some(FactId::random()),
                to: known.to.clone().or_else(|| before.audience.clone()),
                gone: None,
                now: None,
                ..known
            };
            PageChange::Supersede { old, seen, words: before.words.clone(), data }
        }
        None => PageChange::End { fact: old, seen, until: said.day.yesterday().ok()? },
    }))
}

/// The name that a fact says its author goes by, unless everybody sees it anyway.
fn written_name(words: &str, said: &StatedMessage) -> Option<String> {
    let name = StatedReading::of(words).filter(StatedReading::names_oneself)?.value().to_owned();
    let shown = [Some(said.label.as_str()), said.author.username.as_deref()];
    let is_shown = shown.into_iter().flatten().any(|known| fold(known) == fold(&name));
    (!is_shown).then(|| prompt_label(&name))
}

/// A note that somebody has to mend first.
struct Closed;

/// The page of a note, where there is one.
fn note_page(store: &MemoryStore, note: &NotePath) -> Result<Option<NotePage>, Closed> {
    match store.read(note) {
        Ok(note) => NotePage::parse(&note.text).map(Some).map_err(|_| Closed),
        Err(StoreError::NotFound { .. }) => Ok(None),
        Err(error) => {
            tracing::warn!(%error, "a note could not be read");
            Err(Closed)
        }
    }
}

/// What a statement changes.
fn stated(
    page: Option<&NotePage>,
    said: &StatedMessage,
    statement: &Statement,
    amends: bool,
    instead: Option<&FactId>,
) -> Option<NoteChange> {
    let value = statement.value.to_lowercase();
    let slot = statement.slot.as_deref();
    let is_meant = |id: &FactId, block: &PageBlock| {
        block.data.as_ref().is_some_and(|data| {
            let is_of_slot = data.rest.iter().any(|(key, value)| key == SLOT && Some(value.as_str()) == slot);
            let is_ended = statement.ends
                && slot.is_none()
                && StatedReading::of(&block.words).is_some_and(|fact| fact.value().to_lowercase() == value);
            let is_theirs = data.by == Some(By::Person(said.author.account.clone()));
            is_theirs && (is_of_slot || is_ended || instead == Some(id))
        })
    };
    let before = page.and_then(|page| {
        page.facts().find(|(id, block)| {
            is_meant(id, block)
                && block.audience.as_ref() == Some(&said.audience)
                && !matches!(block.standing(said.day), Validity::Until(_))
        })
    });
    if statement.ends {
        let (id, block) = before?;
        let is_meant = block.words.to_lowercase().contains(&value);
        let end = PageChange::End { fact: id.clone(), seen: block.words.clone(), until: said.day };
        return is_meant.then(|| said.change(end));
    }
    if statement.is_secret() {
        return None;
    }
    // That Sam goes by Sam is no news.
    let goes_by = [Some(said.label.as_str()), said.author.username.as_deref()];
    let is_known = |name: &String| goes_by.into_iter().flatten().any(|known| fold(known) == fold(name));
    if before.is_none() && statement.name.as_ref().is_some_and(is_known) {
        return None;
    }
    let words = fit(&dated(statement.words(&said.label), statement, said.day), FACT_MAX).ok()?;
    let mut data = FactData {
        importance: Some(statement.importance),
        kind: statement.kind,
        rest: slot
            .filter(|slot| is_value(slot))
            .map(|slot| (SLOT.to_owned(), slot.to_owned()))
            .into_iter()
            .collect(),
        ..data_of(said)
    };
    if slot.is_none() && is_ability_of_yours(&statement.value) {
        // "Remember that you can …": what it can do changes with every version.
        data.kind = FactKind::Ability;
        data.until = said.day.checked_add(Span::new().days(ABILITY_DAYS)).ok();
    }
    let what = match before {
        Some((id, block)) => {
            if amends {
                data.kind = FactKind::Correction;
            }
            PageChange::Supersede { old: id.clone(), seen: block.words.clone(), words, data }
        }
        None => PageChange::Add { words, data },
    };
    Some(said.change(what))
}

/// Words with the day on which they were said, where they may count from it: "on Friday" is another day next week. What was
/// to be remembered word for word may do so in any language.
fn dated(words: String, statement: &Statement, day: Date) -> String {
    let counts = statement.kind == FactKind::Claim || counts_from_today(&statement.value);
    if counts { with_day(&words, day) } else { words }
}

/// Before the day on which a fact was said, behind its words.
const SAID_ON: &str = " (said on ";

fn with_day(words: &str, day: Date) -> String {
    let (bare, stop) = words.strip_suffix('.').map_or((words, ""), |bare| (bare, "."));
    format!("{bare}{SAID_ON}{}){stop}", day.strftime("%A, %-d %B %Y"))
}

fn undated(words: &str) -> String {
    let (bare, stop) = words.strip_suffix('.').map_or((words, ""), |bare| (bare, "."));
    match bare.strip_suffix(')').and_then(|bare| bare.rfind(SAID_ON)) {
        Some(at) => format!("{}{stop}", bare.get(..at).unwrap_or(bare)),
        None => words.to_owned(),
    }
}

/// Whether it can stand in a fact's comment.
fn is_value(slot: &str) -> bool {
    !slot.is_empty() && !slot.contains("--") && slot.chars().all(|c| c.is_alphanumeric() || c == '-')
}

/// Somebody whose note is called by another name has a new one. Only notes this program made before the same people: what
/// others are called elsewhere is nobody's business here.
fn renamed(store: &MemoryStore, said: &StatedMessage) -> Option<NoteChange> {
    // What somebody is called by another account of theirs is no new name.
    if said.note.stem() != said.author.account.slug() {
        return None;
    }
    let page = note_page(store, &said.note).ok()??;
    let title = page.blocks().iter().find(|block| block.kind == BlockKind::Heading(1))?;
    let before = title.words.trim();
    let is_known = [Some(said.label.as_str()), said.author.username.as_deref()]
        .into_iter()
        .flatten()
        .any(|name| name.eq_ignore_ascii_case(before));
    if page.front().audience != said.audience || before.is_empty() || is_known {
        return None;
    }
    let words = fit(&format!("{before} is now called {}.", said.label), FACT_MAX).ok()?;
    let data = FactData { importance: Some(4), ..data_of(said) };
    Some(said.change(PageChange::Add { words, data }))
}

#[async_trait]
impl Job for TakeNotes {
    fn name(&self) -> &'static str {
        "notes"
    }

    async fn look(&self, place: &Place, _: &mut JobEnd) -> Result<(), HistoryError> {
        loop {
            let turns = self.parts.unread(WATERMARK, place, READ).await?.turns;
            let Some(last) = turns.last().map(|turn| turn.id) else { return Ok(()) };
            for turn in turns.iter().filter(|turn| turn.role == Role::User) {
                let Some(said) = self.said(place, turn).await else { continue };
                self.names_of(&said).await;
                self.note(place, turn, said).await?;
            }
            self.parts.is_done(WATERMARK, place, last).await?;
        }
    }
}
