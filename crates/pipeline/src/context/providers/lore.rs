//! World lore: what is always on, and what was called up by what was said.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use super::character::{Addressee, addressee_of, character_macros, moment_of};
use super::{ContextAsk, ContextProvider, Pieces, Profile, ProviderError, newest};
use crate::context::contribution::{
    AFTER_EXAMPLES, BEFORE_EXAMPLES, Contribution, Importance, Placement, TailPart, Trust,
};
use crate::context::outlets::Outlets;
use crate::context::recall::{PipelineParts, entry_key, is_of_entry};
use crate::context::request::TurnRequest;
use crate::context::variables::{CardVariables, VariableOwner};
use crate::domain::{
    ChannelId, ChunkFate, ChunkRecord, Layer, LoreEffect, LoreRecord, LoreWhy, Modality, RenderMode, Role,
    StoredTurn, TokenEncoding, TurnId,
};
use crate::familiar::{
    CardTexts, Character, FiredEntry, LiveLore, LoreLibrary, LorePosition, LoreScan, LoreScene, LoreSettings,
    SceneLine, TokenCount,
};
use crate::text::names::prompt_label;
use crate::text::tokens;
use familiar_cards::macros::Moment;

/// The most lore a spoken reply has room for, in tokens (cards-and-lore 4.3).
const VOICE_TOKENS: u32 = 600;

/// Turns whose records, effects and figures wait to be fetched; a turn that broke off never fetches its own.
const TURNS_KEPT: usize = 64;

/// Entries a trace names; of a larger book those that had nothing to do with what was said are left out.
const RECORDS_MAX: usize = 400;

/// Contributes lore by SillyTavern's rules (cards-and-lore 4.2, 4.3).
#[derive(Debug)]
pub(crate) struct LoreProvider {
    lore: Arc<LiveLore>,
    parts: PipelineParts,
    variables: Arc<CardVariables>,
    told: Mutex<VecDeque<(TurnId, Vec<PlacedRecord>)>>,
    outlets: Mutex<VecDeque<(TurnId, Outlets)>>,
    lasting: Mutex<VecDeque<(TurnId, Lasting)>>,
    scanning: Scanning,
}

/// The places of which the lore is being looked through: one scan at a time each.
#[derive(Debug, Default)]
struct Scanning(Mutex<BTreeMap<ChannelId, Weak<AsyncMutex<()>>>>);

impl Scanning {
    /// Waits until no scan runs in a place; another may once this is dropped.
    async fn begin(&self, channel: &ChannelId) -> OwnedMutexGuard<()> {
        let place = {
            let mut places = self.0.lock();
            places.retain(|_, place| place.strong_count() > 0);
            let known = places.get(channel).and_then(Weak::upgrade);
            known.unwrap_or_else(|| {
                let place = Arc::default();
                places.insert(channel.clone(), Arc::downgrade(&place));
                place
            })
        };
        place.lock_owned().await
    }
}

/// What will last of a turn's lore once the turn is answered.
#[derive(Debug)]
struct Lasting {
    channel: ChannelId,
    effects: Vec<LoreEffect>,
}

/// An entry's record, and where its text stands.
#[derive(Debug)]
struct PlacedRecord {
    record: LoreRecord,
    stands: LorePlacing,
}

#[derive(Debug)]
enum LorePlacing {
    /// In the piece of this source.
    Piece(String),
    /// Wherever the card opens this outlet.
    Outlet(String),
    Nowhere,
}

impl LoreProvider {
    /// Reads the books of the configuration's familiar.
    pub(in crate::context) fn new(parts: PipelineParts, variables: Arc<CardVariables>) -> Self {
        Self {
            lore: Arc::new(LiveLore::load(parts.config.home().clone())),
            parts,
            variables,
            told: Mutex::default(),
            outlets: Mutex::default(),
            lasting: Mutex::default(),
            scanning: Scanning::default(),
        }
    }

    pub(crate) fn books(&self) -> &Arc<LiveLore> {
        &self.lore
    }

    /// The turn was answered: what its lore set off now lasts. A turn that failed or was started anew rests no entry
    /// and keeps none awake (cards-and-lore 4.2.10).
    pub(crate) async fn answered(&self, turn: TurnId) {
        let Some(Lasting { channel, effects }) = take_for_turn(&self.lasting, turn) else { return };
        if let Err(error) = self.parts.history.keep_lore_effects(&channel, effects).await {
            tracing::warn!(%turn, %error, "what lasts of its lore could not be kept");
        }
    }

    /// What was called up in a turn for the card's outlets; handed out once.
    pub(in crate::context) fn take_outlets(&self, turn: TurnId) -> Outlets {
        take_for_turn(&self.outlets, turn).unwrap_or_default()
    }

    /// An entry that its keys called up is told once, however else it was found; and one that was called but is held back
    /// by its book's own rules, by chance, rest or group, is not brought in by another door.
    pub(in crate::context) fn leave_out_doubles(&self, turn: TurnId, pieces: &mut Vec<Contribution>) {
        let told = self.told.lock();
        let Some((_, told)) = told.iter().find(|(of, _)| *of == turn) else { return };
        let called: BTreeSet<String> = told
            .iter()
            .filter(|told| !matches!(told.record.why, LoreWhy::NoKeyFound | LoreWhy::NoKeys))
            .map(|told| entry_key(&told.record.book, told.record.uid))
            .collect();
        // Of a find the source is `recalled/01.0 lore/harbour/3 The bell`.
        pieces.retain(|piece| {
            let found = piece.source.split_once(' ').filter(|(number, _)| number.contains("recalled/"));
            found.is_none_or(|(_, from)| !called.iter().any(|key| is_of_entry(from, key)))
        });
    }

    /// What became of every entry in a turn, given what became of its pieces and which outlets stood open; empty for a
    /// turn that was not scanned, and for one that is asked for twice.
    pub(crate) fn records(
        &self,
        turn: TurnId,
        chunks: &[ChunkRecord],
        open: &BTreeSet<String>,
    ) -> Vec<LoreRecord> {
        let found = take_for_turn(&self.told, turn).unwrap_or_default();
        let outcome = |PlacedRecord { mut record, stands }: PlacedRecord| {
            let why_not = match stands {
                LorePlacing::Piece(source) => {
                    let fate = chunks.iter().find(|chunk| chunk.source == source);
                    fate.and_then(|chunk| left_out(&chunk.fate)).map(|because| LoreWhy::LeftOut { because })
                }
                LorePlacing::Outlet(outlet) if !open.contains(&outlet) => Some(LoreWhy::NoOutlet { outlet }),
                LorePlacing::Outlet(_) | LorePlacing::Nowhere => None,
            };
            if let Some(why) = why_not {
                record.fired = false;
                record.why = why;
            }
            record
        };
        found.into_iter().map(outcome).collect()
    }
}

#[async_trait]
impl ContextProvider for LoreProvider {
    fn profile(&self) -> Profile {
        Profile::floor("lore", 2000)
    }

    async fn contribute(&self, request: &TurnRequest, _: &ContextAsk<'_>) -> Pieces {
        let library = self.lore.current().await;
        if library.is_empty() {
            return Ok(Vec::new());
        }
        let PipelineParts { character, history, .. } = &self.parts;
        let config = self.parts.config.current();
        let layout = config.render.mode;
        // In SillyTavern's order of the prompt the room is shared out as there.
        let constants_first = layout != RenderMode::St;
        let settings = LoreSettings { constants_first, ..LoreSettings::from(&config.lore) };
        let channel = &request.place.channel;
        let deepest = library.deepest(&settings);
        let mut turns = newest(history, request, Some(request.channel.mode), deepest.max(1)).await?;
        turns.truncate(deepest as usize);
        let lasts = library.lasts();
        let effects = if lasts { history.lore_effects(channel).await? } else { Vec::new() };
        let replies =
            if library.counts_replies() { history.replies(channel, request.as_of).await? } else { 0 };

        let mut moment = moment_of(request);
        if library.holds_variables() {
            moment.variables = self.variables.of(request, VariableOwner::Lore).await;
        }
        let scanner = Scanner {
            library,
            settings,
            effects,
            character: character.current(),
            id: self.parts.config.home().id().to_string(),
            user: addressee_of(request, &config.render.user_fallback),
            moment,
            turns,
            replies,
            seed: request.turn.to_string(),
            budget: tokens_for_lore(request, config.lore.budget_percent),
            encoding: request.model.encoding,
        };
        // Patterns of a book may take their time, and a book may be large: one scan at a time for a place, whether or not
        // somebody still waits for it. The next one waits for as long as the turn waits for its lore.
        let only = self.scanning.begin(channel).await;
        let scanned = tokio::task::spawn_blocking(move || {
            let _only = only;
            (scanner.scan(), scanner.effects)
        });
        let (scan, effects) = scanned.await.map_err(|error| ProviderError(error.to_string()))?;
        for note in &scan.notes {
            tracing::debug!(turn = %request.turn, "lore: {note}");
        }
        keep_for_turn(&self.told, request.turn, placed_records(&scan));
        keep_for_turn(&self.outlets, request.turn, outlets(&scan));
        // A replay looks back and leaves nothing behind.
        if lasts && request.as_of.is_none() && scan.effects != effects {
            let lasting = Lasting { channel: channel.clone(), effects: scan.effects.clone() };
            keep_for_turn(&self.lasting, request.turn, lasting);
        }
        let shown = scan.fired.iter().filter(|entry| entry.position != LorePosition::Outlet);
        Ok((0_u32..).zip(shown).map(|(place, entry)| lore_contribution(entry, place, layout)).collect())
    }
}

/// Keeps something of a turn until it is fetched; of a turn that is assembled twice, the newer.
pub(super) fn keep_for_turn<K: PartialEq, T>(kept: &Mutex<VecDeque<(K, T)>>, turn: K, what: T) {
    let mut kept = kept.lock();
    kept.retain(|(of, _)| *of != turn);
    while kept.len() >= TURNS_KEPT {
        kept.pop_front();
    }
    kept.push_back((turn, what));
}

fn take_for_turn<T>(kept: &Mutex<VecDeque<(TurnId, T)>>, turn: TurnId) -> Option<T> {
    let mut kept = kept.lock();
    let at = kept.iter().position(|(of, _)| *of == turn)?;
    kept.remove(at).map(|(_, what)| what)
}

/// Everything a scan reads, taken out of the turn so that it can run on a thread of its own.
struct Scanner {
    library: Arc<LoreLibrary>,
    settings: LoreSettings,
    effects: Vec<LoreEffect>,
    character: Arc<Character>,
    id: String,
    user: Addressee,
    moment: Moment,
    turns: Vec<StoredTurn>,
    replies: u64,
    seed: String,
    budget: u32,
    encoding: TokenEncoding,
}

impl Scanner {
    fn scan(&self) -> LoreScan {
        let character = &self.character;
        let expand = |text: &str| character_macros(character, &self.user, &self.moment, text);
        let messages: Vec<SceneLine> = self.turns.iter().map(|turn| scene_line(turn, character)).collect();
        let card = if self.library.reads_card() { self.card(&expand) } else { Default::default() };
        let scene = LoreScene {
            messages: &messages,
            chat_length: self.turns.first().map_or(0, |turn| turn.ordinal),
            replies: self.replies,
            trigger: "normal",
            character: &[character.spoken_name(), &character.name, &self.id],
            card: CardTexts {
                persona: &self.user.persona,
                description: &card[0],
                personality: &card[1],
                depth_prompt: &card[2],
                scenario: &card[3],
                creator_notes: &card[4],
            },
            seed: &self.seed,
            budget: self.budget,
            tokens: TokenCount::By(&|text| tokens::count(self.encoding, text)),
            expand: &expand,
        };
        self.library.scan(&self.settings, &scene, &self.effects)
    }

    fn card(&self, expand: &dyn Fn(&str) -> String) -> [String; 5] {
        let card = &self.character;
        let note = card.depth_prompt.as_ref().map_or("", |note| note.prompt.as_str());
        let fields = [&card.description, &card.personality, note, &card.scenario, &card.creator_notes];
        fields.map(|text: &str| expand(text))
    }
}

fn scene_line(turn: &StoredTurn, character: &Character) -> SceneLine {
    match (turn.role, &turn.author) {
        (Role::Assistant, _) => SceneLine::said(character.spoken_name(), &turn.content),
        (_, Some(author)) => SceneLine::said(&prompt_label(author.label()), &turn.content),
        (_, None) => SceneLine::said("Someone", &turn.content),
    }
}

/// A share of what the turn may take; aloud also no more than [`VOICE_TOKENS`].
fn tokens_for_lore(request: &TurnRequest, percent: u32) -> u32 {
    let share = u64::from(request.plan.budget_tokens) * u64::from(percent) / 100;
    let share = u32::try_from(share).unwrap_or(u32::MAX);
    match request.modality {
        Modality::Text => share,
        Modality::Voice => share.min(VOICE_TOKENS),
    }
}

fn lore_contribution(entry: &FiredEntry, place: u32, layout: RenderMode) -> Contribution {
    let placement = placement(entry, layout);
    let layer = match placement {
        Placement::Depth { .. } => Layer::DepthInject,
        _ => Layer::Content,
    };
    Contribution {
        importance: match entry.why {
            _ if entry.yields => Importance::Low,
            _ if entry.is_steady => Importance::High,
            LoreWhy::Retrieved { .. } => Importance::Useful,
            _ => Importance::Normal,
        },
        relevance: relevance(entry),
        tokens: Some(entry.tokens),
        // One entry is one piece: it comes whole, shortened by a level, or not at all.
        group: Some(entry_key(&entry.book, entry.uid)),
        ..Contribution::anywhere(
            entry_source(entry, place),
            layer,
            placement,
            Trust::Canon,
            entry.content.clone(),
        )
    }
}

/// What the piece is called in traces; the number keeps entries of one place in their order.
fn entry_source(entry: &FiredEntry, place: u32) -> String {
    format!("lore/{place:04} {}/{}", entry.book, entry.name)
}

/// Why a piece is not in the prompt, continuing "it was called up, but …".
fn left_out(fate: &ChunkFate) -> Option<String> {
    Some(match fate {
        ChunkFate::Kept | ChunkFate::Duplicate => return None,
        ChunkFate::LayerFull => "its layer was full".to_owned(),
        ChunkFate::PromptFull => "the prompt was full".to_owned(),
        ChunkFate::Screened { reason } => format!("it was taken out: {reason}"),
        _ => "it had to make room".to_owned(),
    })
}

/// Where an entry stands. The stable block keeps what is the same in every turn; what was called up stands in the
/// volatile tail, so that it does not move the rest. SillyTavern's order keeps SillyTavern's places.
fn placement(entry: &FiredEntry, layout: RenderMode) -> Placement {
    let own_depth = Placement::Depth { depth: entry.depth, role: entry.role };
    match (layout, entry.is_steady, entry.position) {
        (RenderMode::Layered, false, _) => Placement::Tail(TailPart::Lore),
        (_, _, LorePosition::Before) => Placement::LoreBefore,
        (_, _, LorePosition::AtDepth) => own_depth,
        (RenderMode::St, _, LorePosition::NoteTop) => Placement::NoteTop,
        (RenderMode::St, _, LorePosition::NoteBottom) => Placement::NoteBottom,
        (RenderMode::St, _, LorePosition::BeforeExamples) => Placement::Example(BEFORE_EXAMPLES),
        (RenderMode::St, _, LorePosition::AfterExamples) => Placement::Example(AFTER_EXAMPLES),
        _ => Placement::LoreAfter,
    }
}

/// Higher order first; SillyTavern's usual orders run from 0 over 100 to 1000.
fn relevance(entry: &FiredEntry) -> f32 {
    if let LoreWhy::Retrieved { score } = entry.why {
        return score;
    }
    let order = i16::try_from(entry.order.clamp(0, 1000)).unwrap_or_default();
    0.5 + f32::from(order) / 2000.0
}

/// The texts of each outlet, in the order they would stand in a prompt.
fn outlets(scan: &LoreScan) -> Outlets {
    let mut outlets = Outlets::new();
    for entry in scan.fired.iter().filter(|entry| entry.position == LorePosition::Outlet) {
        let text = outlets.entry(entry.outlet.clone()).or_default();
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&entry.content);
    }
    outlets
}

fn entry_record(entry: &FiredEntry) -> LoreRecord {
    LoreRecord {
        book: entry.book.clone(),
        uid: entry.uid,
        name: entry.name.clone(),
        fired: true,
        why: entry.why.clone(),
        level: Some(entry.level),
        tokens: entry.tokens,
    }
}

fn placed_records(scan: &LoreScan) -> Vec<PlacedRecord> {
    let mut place = 0;
    let mut fired = Vec::new();
    for entry in &scan.fired {
        let stands = if entry.position == LorePosition::Outlet {
            LorePlacing::Outlet(entry.outlet.clone())
        } else {
            place += 1;
            LorePlacing::Piece(entry_source(entry, place - 1))
        };
        fired.push(PlacedRecord { record: entry_record(entry), stands });
    }
    let mut others: Vec<PlacedRecord> = scan
        .not_fired
        .iter()
        .map(|verdict| LoreRecord {
            book: verdict.book.clone(),
            uid: verdict.uid,
            name: verdict.name.clone(),
            fired: false,
            why: verdict.why.clone(),
            level: None,
            tokens: 0,
        })
        .map(|record| PlacedRecord { record, stands: LorePlacing::Nowhere })
        .collect();
    // What nearly came in is what people ask about.
    others.sort_by_key(|told| {
        matches!(told.record.why, LoreWhy::NoKeyFound | LoreWhy::NoKeys | LoreWhy::Disabled)
    });
    fired.into_iter().chain(others).take(RECORDS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_scan_waits_for_the_one_that_runs_in_its_place_and_no_other() {
        let scanning = Scanning::default();
        let (here, there) = (ChannelId::from(1), ChannelId::from(2));
        let first = scanning.begin(&here).await;
        let mut second = Box::pin(scanning.begin(&here));
        assert!(futures::poll!(&mut second).is_pending());
        drop(scanning.begin(&there).await);
        drop(first);
        drop(second.await);
        drop(scanning.begin(&there).await);
        assert_eq!(scanning.0.lock().len(), 1, "a place in which nothing runs is not kept");
    }
}
